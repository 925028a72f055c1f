// From one image's tally to its bill: how many faults each row stands for, and what they cost.
//
// Recorded costs are raw: each overstates its fault by the calibrated excess, taken off here. Where
// not every fault was recorded or timed, the mean of those that were stands for the rest, with the
// standard error of that; where none was, the calibrated price of each kind does.
#pragma once

#include <algorithm>
#include <array>
#include <optional>
#include <vector>

#include "analyzer/site_bill.h"

namespace ftprof {

struct RowBill {
  double faults = 0, error = 0;
  double placed = 0;  // of them: what the recorded faults stand for
  std::optional<double> cost_ns;
  double scale = 1, mean_ns = 0;
};

struct ImageBill {
  double excess_ns = 0;  // to be taken off each recorded cost
  double mean_ns = 0;    // of a recorded fault that maps no huge page; 0 when unknown
  bool measured = false;
  std::vector<SiteBill> sites;
  std::array<RowBill, kOwners> rows;
  double minor_faults = 0, major_faults = 0;
  double slack = 0;  // faults beyond getrusage's count: the rows had to be cut by so many

  // Of one of the faults that are timed.
  double mean_of(const FaultSum& sum) const { return std::max(0.0, sum.raw_mean() - excess_ns); }
};

// What a cell, or a part of one, stands for.
struct CellBill {
  double faults = 0, cost_ns = 0;
};
CellBill bill_cell(const ImageBill& bill, const CellKey& key, const FaultSum& sum);

ImageBill make_bill(const ImageTally& image);

}  // namespace ftprof
