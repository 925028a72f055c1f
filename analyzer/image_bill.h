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

#include "analyzer/image_tally.h"

namespace ftprof {

struct SiteBill {
  double count = 0;         // the site's part of the ledger's row blocks
  double unseen_again = 0;  // of them: second faults on pages, known from the sample only
  double cost_ns = 0, variance = 0;
  double mean_ns = 0;  // of one fault that is not populated
  double scale = 1;    // faults for each recorded one
  double populate_each_ns = 0;
};

struct RowBill {
  double faults = 0;
  std::optional<double> cost_ns;
  double scale = 1, mean_ns = 0;
};

struct ImageBill {
  double excess_ns = 0;  // to be taken off each recorded cost
  double mean_ns = 0;    // of all recorded faults; 0 when unknown
  bool measured = false;
  std::vector<SiteBill> sites;
  std::array<RowBill, kOwners> rows;
  double minor_faults = 0, major_faults = 0;
  double slack = 0;  // faults beyond getrusage's count: the rows had to be cut by so many
  double burst_scale = 1;

  double corrected(const FaultSum& sum) const {
    return std::max(0.0, sum.cost_ns - static_cast<double>(sum.timed) * excess_ns);
  }
  double seen(const FaultSum& sum) const {
    return static_cast<double>(sum.full) + static_cast<double>(sum.burst) * burst_scale;
  }
};

// What a cell, or a part of one, stands for.
struct CellBill {
  double faults = 0, cost_ns = 0;
};
CellBill bill_cell(const ImageBill& bill, const CellKey& key, const FaultSum& sum);

ImageBill make_bill(const ImageTally& image);

}  // namespace ftprof
