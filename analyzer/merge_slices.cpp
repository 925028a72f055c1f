// Faults over time, by who paid and who touched. The slices make up the whole bill, fault by fault
// and nanosecond by nanosecond, so the phases are summed from them.
#include <algorithm>

#include "analyzer/even_out.h"
#include "analyzer/merge.h"

namespace ftprof {
namespace {

// A part of the bill at its time: of a cell's faults, or of what has no record.
struct Part {
  CellKey cell;
  bool known = true;  // who touched
  uint64_t begin_ns = 0, end_ns = 0;
  double faults = 0, cost_ns = 0;
};

// By phase, for a slice never crosses a border: what stands for a gap may reach beyond the phase of
// its records.
void add_by_phase(const ImageTally& image, const Part& whole, std::vector<Part>& parts) {
  const auto& phases = image.phases;
  auto length = static_cast<double>(whole.end_ns - whole.begin_ns);
  double given = 0;
  for (uint32_t i = 0; i < phases.size() && given < 1; ++i) {
    bool last = i + 1 == phases.size() || phases[i].end_ns >= whole.end_ns;
    if (!last && phases[i].end_ns <= whole.begin_ns) continue;
    uint64_t end = last ? whole.end_ns : phases[i].end_ns;
    double upto = last ? 1 : static_cast<double>(end - whole.begin_ns) / length;
    double share = upto - std::exchange(given, upto);
    Part part = whole;
    part.cell.phase = i;
    part.begin_ns = std::clamp(phases[i].begin_ns, whole.begin_ns, whole.end_ns);
    part.end_ns = end;
    part.faults *= share;
    part.cost_ns *= share;
    parts.push_back(part);
  }
}

bool within_phase(const ImageTally& image, const Part& part) {
  const PhaseTally& phase = image.phases[part.cell.phase];
  return part.begin_ns >= phase.begin_ns && part.end_ns <= phase.end_ns;
}

std::vector<Part> parts_of(const BilledImage& image) {
  std::vector<Part> parts;
  for (const TimeSlice& slice : image.tally.slices) {
    CellBill cell = bill_cell(image.bill, slice.cell, slice.sum);
    Part part{slice.cell, true, slice.begin_ns, slice.end_ns, cell.faults, cell.cost_ns};
    if (!image.tally.bursts || within_phase(image.tally, part))
      parts.push_back(part);
    else
      add_by_phase(image.tally, part, parts);
  }
  for (const Unplaced& each : image.unplaced) {
    Part part{{each.payer}, false, each.begin_ns, each.end_ns, each.faults, each.cost_ns};
    add_by_phase(image.tally, part, parts);
  }
  std::stable_sort(parts.begin(), parts.end(),
                   [](const Part& a, const Part& b) { return a.begin_ns < b.begin_ns; });
  return parts;
}

}  // namespace

std::string name_of_place(const Frame& frame) {
  return frame.function + '\1' + frame.module + '\1' + std::to_string(frame.line);
}

uint32_t Merge::touch_index(BilledImage& image, uint32_t site, uint32_t ip) {
  auto& known = touch_indices_[site];
  const auto& touches = result_.sites[site].touch_sites;
  if (known.empty())
    for (uint32_t i = 0; i < touches.size(); ++i) known[name_of_place(touches[i].frame)] = i;
  auto at = known.find(name_of_place(touch_frame(image, ip)));
  return at == known.end() ? kNone : at->second;
}

FaultSlice Merge::slice_of(BilledImage& image, const CellKey& cell, bool known) {
  FaultSlice result;
  result.process = image.process;
  result.phase = image.phase_index[cell.phase];
  if (known) result.thread = image.thread_index[cell.thread];
  if (cell.payer >= kOwnerBase) {
    result.owner = static_cast<Owner>(cell.payer - kOwnerBase);
    return result;
  }
  result.owner = Owner::blocks;
  result.site = image.site_index[cell.payer];
  if (known) result.touch_site = touch_index(image, result.site, cell.ip);
  return result;
}

// Each payer's parts come to what it pays.
void Merge::add_slices_of(BilledImage& image) {
  std::vector<Part> parts = parts_of(image);
  image.tally.slices = {};
  EvenOut even(image.bill);
  for (const Part& part : parts) even.announce(part.cell.payer, part.faults, part.cost_ns);
  for (const Part& part : parts) {
    FaultSlice slice = slice_of(image, part.cell, part.known);
    slice.begin_ns = image.since_start(part.begin_ns);
    slice.end_ns = image.since_start(part.end_ns);
    auto [faults, cost_ns] = even.next(part.cell.payer, part.faults, part.cost_ns);
    slice.faults = faults;
    slice.cost_ns = cost_ns;
    if (slice.faults > 0 || slice.cost_ns > 0) result_.slices.push_back(slice);
  }
}

// Sites and the ledger's rows are rounded once, the slices image by image: a payer's largest slice
// takes the difference, which is no more than a fault for each image.
void Merge::settle_slices() {
  struct Payer {
    int64_t missing = 0;
    FaultSlice* largest = nullptr;
  };
  std::vector<Payer> sites(result_.sites.size()), rows(result_.ledger.rows.size());
  for (size_t i = 0; i < sites.size(); ++i)
    sites[i].missing = static_cast<int64_t>(result_.sites[i].faults.count);
  for (const LedgerRow& row : result_.ledger.rows)
    rows[static_cast<size_t>(row.owner)].missing = static_cast<int64_t>(row.faults);
  for (FaultSlice& slice : result_.slices) {
    Payer& payer = slice.site == kNone ? rows[static_cast<size_t>(slice.owner)] : sites[slice.site];
    payer.missing -= static_cast<int64_t>(slice.faults);
    if (!payer.largest || slice.faults > payer.largest->faults) payer.largest = &slice;
  }
  auto most = static_cast<int64_t>(images_.size());
  sites.insert(sites.end(), rows.begin(), rows.end());
  for (const Payer& payer : sites) {
    if (!payer.largest || std::abs(payer.missing) > most) continue;
    auto faults = static_cast<int64_t>(payer.largest->faults) + payer.missing;
    payer.largest->faults = static_cast<uint64_t>(std::max<int64_t>(faults, 0));
  }
}

void Merge::add_slices() {
  for (BilledImage& image : images_) add_slices_of(image);
  settle_slices();
  std::stable_sort(
      result_.slices.begin(), result_.slices.end(),
      [](const FaultSlice& a, const FaultSlice& b) { return a.begin_ns < b.begin_ns; });
}

void Merge::add_phase_sums() {
  for (const FaultSlice& slice : result_.slices) {
    Phase& phase = result_.phases[slice.phase];
    phase.faults += slice.faults;
    phase.cost_ns += slice.cost_ns;
    if (slice.site == kNone) continue;
    auto& [faults, cost_ns] = result_.sites[slice.site].by_phase[phase.name];
    faults += slice.faults;
    cost_ns += slice.cost_ns;
  }
}

}  // namespace ftprof
