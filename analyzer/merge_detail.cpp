// What brushing, trace viewers and SQL need beyond the sums: slices of faults, lives of blocks, and
// the modules behind the names.
#include <algorithm>
#include <set>
#include <unordered_map>

#include "analyzer/merge.h"

namespace ftprof {
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

FaultSlice Merge::slice_of(BilledImage& image, const TimeSlice& slice) {
  const ImageBill& bill = image.bill;
  FaultSlice result;
  result.begin_ns = image.since_start(slice.begin_ns);
  result.end_ns = image.since_start(slice.end_ns);
  result.process = image.process;
  result.thread = image.thread_index[slice.cell.thread];
  result.phase = image.phase_index[slice.cell.phase];
  CellBill cell = bill_cell(bill, slice.cell, slice.sum);
  result.faults = whole(cell.faults);
  result.cost_ns = cell.cost_ns;
  if (slice.cell.payer >= kOwnerBase) {
    result.owner = static_cast<Owner>(slice.cell.payer - kOwnerBase);
    return result;
  }
  result.owner = Owner::blocks;
  result.site = image.site_index[slice.cell.payer];
  result.touch_site = touch_index(image, result.site, slice.cell.ip);
  return result;
}

void Merge::add_slices() {
  for (BilledImage& image : images_) {
    for (const TimeSlice& slice : image.tally.slices)
      result_.slices.push_back(slice_of(image, slice));
    image.tally.slices = {};
  }
  std::sort(result_.slices.begin(), result_.slices.end(),
            [](const FaultSlice& a, const FaultSlice& b) { return a.begin_ns < b.begin_ns; });
}

BlockLife Merge::life_of(const BilledImage& image, const LifeTally& tally) {
  BlockLife life;
  life.site = image.site_index[tally.site];
  life.process = image.process;
  life.thread = image.thread_index[tally.thread];
  life.bytes = tally.bytes;
  life.pages = tally.pages;
  life.touched_pages = tally.touched;
  life.faults = tally.faults;
  const SiteBill& bill = image.bill.sites[tally.site];
  double mean = tally.seen.timed
                    ? image.bill.corrected(tally.seen) / static_cast<double>(tally.seen.timed)
                    : bill.mean_ns;
  life.cost_ns = mean * static_cast<double>(tally.faults);
  life.born_ns = image.since_start(tally.born_ns);
  if (tally.gone_ns) life.gone_ns = image.since_start(*tally.gone_ns);
  life.handed_out = tally.handed_out;
  life.resident_pages_at_handout = tally.resident_at_handout;
  if (tally.idle_ns) life.idle_ns = static_cast<double>(*tally.idle_ns);
  if (tally.previous_site != kNoSite) life.previous_site = image.site_index[tally.previous_site];
  life.weight = tally.weight;
  return life;
}

void Merge::add_lives() {
  constexpr size_t kMost = 100'000;
  auto& lives = result_.blocks;
  for (BilledImage& image : images_) {
    for (const LifeTally& life : image.tally.lives) lives.push_back(life_of(image, life));
    result_.blocks_left_out += image.tally.lives_left_out;
    image.tally.lives = {};
  }
  if (lives.size() > kMost) {
    std::nth_element(lives.begin(), lives.begin() + kMost, lives.end(),
                     [](const BlockLife& a, const BlockLife& b) { return a.bytes > b.bytes; });
    result_.blocks_left_out += lives.size() - kMost;
    lives.resize(kMost);
  }
  std::sort(lives.begin(), lives.end(),
            [](const BlockLife& a, const BlockLife& b) { return a.born_ns < b.born_ns; });
}

void Merge::add_modules() {
  std::set<std::string> named;
  for (const Site& site : result_.sites) {
    for (const Frame& frame : site.stack) named.insert(frame.module);
    for (const TouchSite& touch : site.touch_sites) named.insert(touch.frame.module);
  }
  for (const TouchSite& touch : result_.ledger.small_heap_touch_sites)
    named.insert(touch.frame.module);
  for (const BilledImage& image : images_)
    for (const ModuleTally& module : image.tally.modules)
      if (named.erase(module.path))
        result_.modules.push_back({module.path, hex_bytes(module.build_id)});
}

}  // namespace ftprof
