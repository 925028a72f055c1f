// The pool's figures in words: what the allocator does with the dearest sites' blocks, and what
// that costs or spares.
#include <algorithm>

#include "analyzer/figures.h"
#include "analyzer/merge.h"
#include "analyzer/report_fields.h"

namespace ftprof {
namespace {

constexpr size_t kMost = 5;

std::string allocator_of(const Result& result) {
  return result.run.allocator_name.empty() ? "The allocator" : result.run.allocator_name;
}

std::string place_of(const Site& site) {
  const Frame& frame = own_frame(site);
  std::string text = frame.function;
  if (!frame.file.empty())
    text += " (" + frame.file.substr(frame.file.rfind('/') + 1) + ":" + std::to_string(frame.line) +
            ")";
  return text;
}

std::string block_of(const Site& site) {
  double size = site.blocks.count ? static_cast<double>(site.blocks.bytes) /
                                        static_cast<double>(site.blocks.count)
                                  : 0;
  return bytes_figure(size) + " blocks of " + place_of(site);
}

std::string cold_verdict(const Result& result, const Site& site) {
  return allocator_of(result) + " gives the " + block_of(site) + " back on every free: " +
         count_figure(static_cast<double>(site.reuse.cold + site.reuse.fresh)) +
         " cold hand-outs, " + count_figure(static_cast<double>(site.faults.count)) + " faults, " +
         time_figure(site.cost.total_ns) + ".";
}

std::string warm_verdict(const Result& result, const Site& site) {
  return allocator_of(result) + " keeps the " + block_of(site) + ": " +
         count_figure(static_cast<double>(site.reuse.warm)) + " of " +
         count_figure(static_cast<double>(site.blocks.count)) + " hand-outs were warm and spared " +
         count_figure(static_cast<double>(site.reuse.warm_pages)) + " faults.";
}

std::string refault_verdict(const Site& site) {
  return "The " + block_of(site) + " paid " +
         count_figure(static_cast<double>(site.reuse.refaulted_after_purge_pages)) +
         " faults again for pages that had been given back to the kernel: " +
         time_figure(site.reuse.refault_cost_ns) + ".";
}

// Most of what is freed goes to the kernel, and blocks are asked for again after that: an allocator
// may map each one at another address.
bool gives_back(const Site& site) {
  return site.blocks.peak_live_bytes * 2 <= site.blocks.bytes &&
         site.reuse.purged_pages * 2 > site.pages.touched;
}

void add_site(const Result& result, const Site& site, std::vector<std::string>& verdicts) {
  const Reuse& reuse = site.reuse;
  uint64_t known = reuse.fresh + reuse.warm + reuse.partial + reuse.cold;
  if (known < 2) return;
  if (!is_mapping(site) && gives_back(site) && (reuse.fresh + reuse.cold) * 2 > known)
    verdicts.push_back(cold_verdict(result, site));
  else if (!is_mapping(site) && reuse.warm * 2 >= known)
    verdicts.push_back(warm_verdict(result, site));
  else if (reuse.refaulted_after_purge_pages * 10 > site.faults.count)
    verdicts.push_back(refault_verdict(site));
}

}  // namespace

std::vector<std::string> pool_verdicts(const Result& result) {
  std::vector<std::string> verdicts;
  for (const Site& site : result.sites) {
    if (verdicts.size() == kMost) break;
    add_site(result, site, verdicts);
  }
  const Pool& pool = result.pool;
  if (pool.idle_at_end_bytes > (16u << 20) &&
      pool.idle_at_end_bytes * 5 > result.run.peak_resident_bytes)
    verdicts.push_back(bytes_figure(static_cast<double>(pool.idle_at_end_bytes)) +
                       " lie resident in given-back blocks at the end of the run.");
  return verdicts;
}

}  // namespace ftprof
