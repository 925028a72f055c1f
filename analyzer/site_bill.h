// What a site pays, by how its faults were seen: those inside the allocating call, the loads, and
// the others, each with a price of its own.
#pragma once

#include <array>
#include <optional>

#include "analyzer/image_tally.h"

namespace ftprof {

struct SightingBill {
  double faults = 0;  // without those in a call that left no record
  double cost_ns = 0, variance = 0, mean_ns = 0;
  double scale = 0;  // faults for each that the records stand for; 0 where there is none
};

// The names in the report's `cost.by_kind_ns`.
inline constexpr const char* kKindNames[] = {
    "write", "zero_read", "write_after_zero_read", "huge", "in_call", "major", "other"};
inline constexpr size_t kKinds = std::size(kKindNames);

struct SiteBill {
  double count = 0;         // the site's part of the ledger's row blocks
  double unseen_again = 0;  // of them: second faults on pages, estimated
  double error = 0;         // of count, where it holds an estimate
  double cost_ns = 0, variance = 0;
  double mean_ns = 0;  // of one fault that is not populated
  double populate_each_ns = 0;
  std::array<SightingBill, kSightings> by_sighting;
  // Nothing where the faults of a kind were not told apart one by one. A kind without faults: 0.
  std::array<std::optional<double>, kKinds> by_kind_ns;

  const SightingBill& as(Sighting sighting) const {
    return by_sighting[static_cast<size_t>(sighting)];
  }
};

// How prices are made: raw costs overstate by the excess; where nobody timed, the usual price.
struct Pricing {
  const ImageTally& image;
  double excess_ns = 0;
  double usual_ns = 0;

  double mean_of(const FaultSum& sum) const { return std::max(0.0, sum.raw_mean() - excess_ns); }
  // The calibrated price of a kind, or 0.
  double calibrated(trace::PriceKind kind) const;
  double calibrated_error(trace::PriceKind kind) const;
};

// `unseen` second faults on pages are the site's too.
SiteBill bill_site(const Pricing& pricing, const SiteTally& site, double unseen = 0);

}  // namespace ftprof
