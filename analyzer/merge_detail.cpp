// What SQL and the readers of stacks need beyond the sums: lives of blocks, and the modules behind
// the names.
#include <algorithm>
#include <set>
#include <unordered_map>

#include "analyzer/merge.h"

namespace ftprof {

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
  double mean = tally.seen.timed ? image.bill.mean_of(tally.seen) : bill.mean_ns;
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
