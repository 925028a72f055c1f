// What a fault costs on this machine, measured on the spot, and what each way to record it adds.
// Takes about a quarter of a second and 4 MiB.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace ftprof {

struct PriceEstimate {
  double ns = 0;
  double error_ns = 0;  // one standard error
};

struct KindPrice {
  std::string kind;  // write, zero_read, write_after_zero_read, huge, populate
  std::optional<PriceEstimate>
      price;  // of one fault (populate: one page); empty: it never happened
};

// What a way to record adds to each first write.
struct ModePrice {
  std::string mode;                    // as settings: "faults.period=1 faults.timed=all"
  std::optional<PriceEstimate> added;  // empty: refused here
  double ratio = 1;                    // of a pure first-touch loop, with it over without
};

struct Prices {
  std::vector<KindPrice> kinds;
  std::vector<ModePrice> modes;
};

Prices measure_prices();

}  // namespace ftprof
