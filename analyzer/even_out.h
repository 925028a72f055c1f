// Parts of what each payer pays, made to add up to it: to the fault in whole numbers, and to the
// nanosecond. First every part is announced, then each is asked for.
//
// A payer's parts cost a little more or less than the payer where some are priced by a few timed
// faults and some by none.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <unordered_map>
#include <utility>

#include "analyzer/image_bill.h"

namespace ftprof {

class EvenOut {
 public:
  explicit EvenOut(const ImageBill& bill) : bill_(bill) {}

  void announce(uint32_t payer, double faults, double cost_ns) {
    Payer& parts = parts_[payer];
    parts.faults += faults;
    parts.cost_ns += cost_ns;
  }

  struct Share {
    uint64_t faults = 0;
    double cost_ns = 0;
  };
  Share next(uint32_t payer, double faults, double cost_ns) {
    Payer& parts = parts_[payer];
    auto [all_faults, all_cost_ns] = whole(payer);
    if (parts.faults > 0) faults *= all_faults / parts.faults;
    if (parts.cost_ns > 0) cost_ns *= all_cost_ns / parts.cost_ns;
    return {parts.take(faults), cost_ns};
  }

 private:
  struct Payer {
    double faults = 0, cost_ns = 0;
    double asked_for = 0, given = 0;
    // What is rounded away is carried to the next part.
    uint64_t take(double part) {
      asked_for = std::min(asked_for + part, 9e18);
      double upto = std::max(given, std::round(asked_for));
      return static_cast<uint64_t>(upto - std::exchange(given, upto));
    }
  };
  std::pair<double, double> whole(uint32_t payer) const {
    if (payer < kOwnerBase) return {bill_.sites[payer].count, bill_.sites[payer].cost_ns};
    const RowBill& row = bill_.rows[payer - kOwnerBase];
    return {row.faults, row.cost_ns.value_or(0)};
  }

  const ImageBill& bill_;
  std::unordered_map<uint32_t, Payer> parts_;
};

}  // namespace ftprof
