// The second time round, over all images; and huge pages.
#include <algorithm>

#include "analyzer/merge.h"

namespace ftprof {

void Merge::add_pool() {
  Pool& pool = result_.pool;
  CostHistogram reuse_us;
  std::map<std::pair<std::string, std::string>, FeedTally> feeds;
  for (const BilledImage& image : images_) {
    pool.idle_peak_bytes += image.tally.idle_peak_bytes;
    pool.idle_at_end_bytes += image.tally.idle_at_end_bytes;
    reuse_us.add(image.tally.reuse_ns);
    auto id = [&](uint32_t site) { return result_.sites[image.site_index[site]].id; };
    image.tally.feeds.for_each([&](const FeedKey& key, const FeedTally& feed) {
      FeedTally& sum = feeds[{id(key.from), id(key.to)}];
      sum.handouts += feed.handouts;
      sum.pages += feed.pages;
      sum.cross_node_pages += feed.cross_node_pages;
    });
    for (const ImageTally::Idle& idle : image.tally.longest_idle)
      pool.longest_idle.push_back({id(idle.site), idle.bytes,
                                   idle.resident_pages * image.tally.process.page_bytes,
                                   static_cast<double>(image.tally.last_ns - idle.since_ns)});
  }
  for (const Site& site : result_.sites) {
    const Reuse& reuse = site.reuse;
    pool.handouts += reuse.fresh + reuse.warm + reuse.partial + reuse.cold + reuse.unknown;
    pool.fresh += reuse.fresh;
    pool.warm += reuse.warm;
    pool.partial += reuse.partial;
    pool.cold += reuse.cold;
    pool.unknown += reuse.unknown;
    pool.cross_thread += reuse.cross_thread;
    pool.cross_node += reuse.cross_node;
    pool.resident_pages_at_handout += reuse.warm_pages;
    pool.purged_pages += reuse.purged_pages;
    pool.refaulted_after_purge_pages += reuse.refaulted_after_purge_pages;
    pool.refault_cost_ns += reuse.refault_cost_ns;
    pool.saved_faults += reuse.warm_pages;
  }
  auto in_ns = [](std::optional<double> us) { return us ? std::optional(*us * 1000) : us; };
  pool.reuse_p50_ns = in_ns(reuse_us.quantile(0.5));
  pool.reuse_p90_ns = in_ns(reuse_us.quantile(0.9));
  for (const auto& [ids, feed] : feeds)
    pool.feeds.push_back({ids.first, ids.second, whole(feed.handouts), whole(feed.pages),
                          whole(feed.cross_node_pages)});
  std::stable_sort(pool.feeds.begin(), pool.feeds.end(),
                   [](const Feed& a, const Feed& b) { return a.pages > b.pages; });
  if (pool.feeds.size() > 20) pool.feeds.resize(20);
  std::stable_sort(pool.longest_idle.begin(), pool.longest_idle.end(),
                   [](const IdleBlock& a, const IdleBlock& b) { return a.idle_ns > b.idle_ns; });
  if (pool.longest_idle.size() > 10) pool.longest_idle.resize(10);
}

namespace {

std::string why_not_huge(const Result& result, bool advised) {
  const HugePages& huge = result.huge;
  if (huge.could_be_huge_pages == 0) return "";
  const std::string& enabled = result.run.thp_enabled;
  if (enabled.find("[never]") != std::string::npos || enabled == "never")
    return "Transparent huge pages are off on this machine (enabled is never).";
  if ((enabled.find("[madvise]") != std::string::npos || enabled == "madvise") && !advised)
    return "Huge pages are given on advice only (enabled is madvise), and the program never "
           "advised "
           "MADV_HUGEPAGE.";
  if (huge.thp_fault_fallback > 0)
    return "The kernel fell back to small pages " + std::to_string(huge.thp_fault_fallback) +
           " times while the run lasted: memory was fragmented.";
  return "The blocks were mapped without huge pages, though the setting allows them: they may be "
         "advised off, or a fault found no whole aligned range.";
}

}  // namespace

void Merge::add_huge() {
  HugePages& huge = result_.huge;
  bool advised = false;
  for (const BilledImage& image : images_) {
    advised |= image.tally.huge_advised;
    if (!image.tally.last_usage) continue;
    const trace::Usage &first = *image.tally.first_usage, &last = *image.tally.last_usage;
    auto grown = [](uint64_t from, uint64_t to) { return to > from ? to - from : 0; };
    huge.thp_fault_alloc =
        std::max(huge.thp_fault_alloc, grown(first.thp_fault_alloc, last.thp_fault_alloc));
    huge.thp_fault_fallback =
        std::max(huge.thp_fault_fallback, grown(first.thp_fault_fallback, last.thp_fault_fallback));
  }
  for (const Site& site : result_.sites) {
    huge.huge_faults += site.faults.huge;
    huge.could_be_huge_pages += site.pages.could_be_huge;
  }
  huge.why_not = why_not_huge(result_, advised);
}

}  // namespace ftprof
