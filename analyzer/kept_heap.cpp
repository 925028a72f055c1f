#include "analyzer/kept_heap.h"

#include <algorithm>
#include <limits>

namespace ftprof {

namespace {

double number(uint64_t count) {
  return static_cast<double>(count);
}

// Base pages that the site's faults brought in.
double faulted_pages(const Site& site, const Run& run) {
  double small_per_huge = number(run.huge_page_bytes) / number(std::max(1u, run.page_bytes));
  return number(site.faults.count - std::min(site.faults.count, site.faults.huge)) +
         number(site.faults.huge) * small_per_huge;
}

double needed_pages(const Site& site) {
  if (site.blocks.bytes == 0) return 0;
  return number(site.pages.touched) * number(site.blocks.peak_live_bytes) /
         number(site.blocks.bytes);
}

bool has_every_block(const Result& result) {
  return result.blocks_left_out == 0 && !result.blocks.empty();
}

// Most touched pages that blocks of `sites` held at once.
double peak_pages(const Result& result, const std::vector<bool>& sites) {
  std::vector<std::pair<double, double>> steps;  // when, and pages more
  for (const BlockLife& block : result.blocks) {
    if (block.site >= sites.size() || !sites[block.site]) continue;
    double pages = number(block.touched_pages) * block.weight;
    steps.emplace_back(block.born_ns, pages);
    if (block.gone_ns) steps.emplace_back(*block.gone_ns, -pages);
  }
  std::sort(steps.begin(), steps.end());  // at one instant, what goes makes room for what comes
  double now = 0, peak = 0;
  for (const auto& [when, pages] : steps) peak = std::max(peak, now += pages);
  return peak;
}

}  // namespace

KeptHeap::KeptHeap(const Result& result) : spared_(result.sites.size(), 0) {
  std::vector<bool> saves(result.sites.size(), false);
  double faulted = 0, spared = 0;
  for (size_t i = 0; i < result.sites.size(); ++i) {
    const Site& site = result.sites[i];
    double pages = faulted_pages(site, result.run), saved = pages - needed_pages(site);
    if (saved <= 0) continue;
    saves[i] = true;
    faulted += pages;
    spared += saved;
    spared_[i] = number(site.faults.count) * saved / pages;
  }
  if (spared <= 0 || !has_every_block(result)) return;
  double shared = std::max(0.0, faulted - peak_pages(result, saves)) / spared;
  for (double& faults : spared_) faults *= shared;
}

}  // namespace ftprof
