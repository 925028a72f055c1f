// Sites: the same symbolized stack is the same site, over all processes and runs.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <tuple>

#include "analyzer/fold.h"
#include "analyzer/merge.h"

namespace ftprof {
namespace {

constexpr std::pair<double ReuseTally::*, uint64_t Reuse::*> kReuse[] = {
    {&ReuseTally::fresh, &Reuse::fresh},
    {&ReuseTally::warm, &Reuse::warm},
    {&ReuseTally::partial, &Reuse::partial},
    {&ReuseTally::cold, &Reuse::cold},
    {&ReuseTally::unknown, &Reuse::unknown},
    {&ReuseTally::warm_pages, &Reuse::warm_pages},
    {&ReuseTally::cross_thread, &Reuse::cross_thread},
    {&ReuseTally::cross_node, &Reuse::cross_node},
    {&ReuseTally::purged_pages, &Reuse::purged_pages},
    {&ReuseTally::refaulted_after_purge_pages, &Reuse::refaulted_after_purge_pages},
    {&ReuseTally::kept_resident_pages, &Reuse::kept_resident_pages}};

std::string base_name(const std::string& path) {
  return path.substr(path.rfind('/') + 1);
}

// What tells sites apart within a result.
std::string key_of(const std::vector<Frame>& stack, trace::Api api) {
  std::string key(1, static_cast<char>(api));
  for (const Frame& frame : stack) {
    key += frame.function;
    key += '\1';
    key += frame.module;
    key += '\1';
    // A line tells two calls in one function apart; without one the address does.
    key += frame.line ? std::to_string(frame.line) : "+" + std::to_string(frame.module_offset);
    key += '\2';
  }
  return key;
}

// What a site is known by in the next run: names only, for lines move.
std::string names_of(const std::vector<Frame>& stack, const std::string& api) {
  std::string names = api;
  for (const Frame& frame : stack) names += '\1' + base_name(frame.module) + '\1' + frame.function;
  return names;
}

}  // namespace

const std::vector<Frame>& Merge::frames_of(BilledImage& image, uint32_t code) {
  const CodePlace& place = image.tally.code[code];
  if (place.module == kNoModule) return jit_frames_of(image, code);
  const ModuleTally& module = image.tally.modules[place.module];
  AddressKind kind = place.return_address ? AddressKind::return_address : AddressKind::instruction;
  return symbols_.frames(image.modules[place.module], place.address - module.bias, kind);
}

// Code outside of every loaded object was made while the program ran; its compiler may have left a
// map of it.
const std::vector<Frame>& Merge::jit_frames_of(BilledImage& image, uint32_t code) {
  auto [at, added] = image.jit_frames.try_emplace(code);
  if (!added) return at->second;
  const CodePlace& place = image.tally.code[code];
  if (!image.jit) image.jit = PerfMap::of_process(image.tally.path, image.tally.process.pid);
  const std::string* name = image.jit->find(place.address - place.return_address);
  Frame frame;
  frame.function = name ? *name : "??";
  frame.module = name ? "[made at run time]" : "";
  at->second.push_back(std::move(frame));
  return at->second;
}

std::vector<Frame> Merge::stack_of(BilledImage& image, const SiteTally& site) {
  std::vector<Frame> stack;
  if (site.stack == kNoSite) return stack;
  for (uint32_t code : image.tally.stacks[site.stack].frames) {
    const auto& frames = frames_of(image, code);
    stack.insert(stack.end(), frames.begin(), frames.end());
  }
  return stack;
}

uint32_t Merge::merged_site(BilledImage& image, const SiteTally& tally) {
  std::vector<Frame> stack = stack_of(image, tally);
  auto [at, added] =
      site_by_key_.try_emplace(key_of(stack, tally.api), static_cast<uint32_t>(sites_.size()));
  if (!added) return at->second;
  auto merged = std::make_unique<MergedSite>();
  Site& site = merged->site;
  site.api = trace::api_name(tally.api);
  site.top = first_own_frame(stack);
  std::string id = hex(stable_hash(names_of(stack, site.api)));
  uint32_t seen = ids_[id]++;
  site.id = seen ? id + "." + std::to_string(seen + 1) : id;
  site.stack = std::move(stack);
  site.process = image.process;
  sites_.push_back(std::move(merged));
  return at->second;
}

void Merge::add_sites(BilledImage& image) {
  for (size_t i = 0; i < image.tally.sites.size(); ++i) {
    uint32_t index = merged_site(image, image.tally.sites[i]);
    image.site_index.push_back(index);
    sum_site(*sites_[index], image, image.tally.sites[i], image.bill.sites[i]);
  }
  image.tally.askers.for_each([&](const FeedKey& key, uint64_t blocks) {
    sites_[image.site_index[key.from]]->askers[image.tally.threads[key.to].name] += blocks;
  });
}

void Merge::sum_site(MergedSite& merged, const BilledImage& image, SiteTally& site,
                     const SiteBill& bill) {
  SiteTally& sum = merged.sum;
  if (image.tally.attributes.contains("thp.disabled")) site.could_be_huge = 0;
  for (double SiteTally::*member :
       {&SiteTally::count, &SiteTally::bytes, &SiteTally::handed_out, &SiteTally::touched,
        &SiteTally::zero, &SiteTally::huge, &SiteTally::could_be_huge, &SiteTally::peak_live_bytes,
        &SiteTally::live_at_end, &SiteTally::write, &SiteTally::zero_read,
        &SiteTally::write_after_zero_read, &SiteTally::huge_faults, &SiteTally::in_call,
        &SiteTally::kernel_copy, &SiteTally::major, &SiteTally::other, &SiteTally::alloc_ns,
        &SiteTally::free_ns})
    sum.*member += site.*member;
  sum.recorded += site.recorded;
  sum.write -= bill.unseen_again;
  sum.zero_read += bill.unseen_again;
  sum.write_after_zero_read += bill.unseen_again;
  for (const auto& [tallied, told] : kReuse) sum.reuse.*tallied += site.reuse.*tallied;
  merged.site.reuse.refault_cost_ns += site.reuse.refaulted_after_purge_pages * bill.mean_ns;
  if (sum.placement.size() < site.placement.size()) sum.placement.resize(site.placement.size());
  for (size_t node = 0; node < site.placement.size(); ++node)
    sum.placement[node] += site.placement[node];
  if (merged.costs.count() == 0)
    merged.costs = std::move(site.costs);
  else
    merged.costs.add(site.costs);
  merged.excess_ns = image.bill.excess_ns;
  merged.count += bill.count;
  merged.site.cost.total_ns += bill.cost_ns;
  merged.variance += bill.variance;
  merged.count_variance += bill.error * bill.error;
  for (size_t kind = 0; kind < kKinds; ++kind) {
    auto& known = merged.by_kind_ns[kind];
    known = known && bill.by_kind_ns[kind] ? std::optional(*known + *bill.by_kind_ns[kind])
                                           : std::nullopt;
  }
}

void Merge::finish_site(MergedSite& merged) {
  Site& site = merged.site;
  const SiteTally& sum = merged.sum;
  site.blocks.count = whole(sum.count);
  site.blocks.bytes = whole(sum.bytes);
  site.blocks.peak_live_bytes = whole(sum.peak_live_bytes);
  site.blocks.live_at_end = whole(sum.live_at_end);
  if (sum.recorded) site.blocks.sampled_one_in = sum.count / static_cast<double>(sum.recorded);
  site.pages.handed_out = whole(sum.handed_out);
  site.pages.touched = whole(sum.touched);
  site.pages.untouched =
      site.pages.handed_out - std::min(site.pages.handed_out, site.pages.touched);
  site.pages.zero = whole(sum.zero);
  site.pages.huge = whole(sum.huge);
  site.pages.could_be_huge = whole(sum.could_be_huge);
  FaultKinds& kinds = site.faults;
  kinds.write = whole(sum.write);
  kinds.zero_read = whole(sum.zero_read);
  kinds.write_after_zero_read = whole(sum.write_after_zero_read);
  kinds.huge = whole(sum.huge_faults);
  kinds.in_call = whole(sum.in_call);
  kinds.kernel_copy = whole(sum.kernel_copy);
  kinds.major = whole(sum.major);
  kinds.other = whole(sum.other);
  kinds.count = kinds.write + kinds.zero_read + kinds.write_after_zero_read + kinds.huge +
                kinds.in_call + kinds.other + kinds.major;
  site.calls.alloc_total_ns = sum.alloc_ns;
  site.calls.free_total_ns = sum.free_ns;
  for (const auto& [tallied, told] : kReuse) site.reuse.*told = whole(sum.reuse.*tallied);
  if (merged.variance > 0) site.cost.error_ns = std::sqrt(merged.variance);
  if (merged.count_variance > 0) kinds.error = std::sqrt(merged.count_variance);
  for (size_t kind = 0; kind < kKinds; ++kind)
    if (merged.by_kind_ns[kind].value_or(0) > 0)
      site.cost.by_kind_ns.emplace(kKindNames[kind], *merged.by_kind_ns[kind]);
  auto corrected = [&](std::optional<double> raw) {
    return raw ? std::optional(std::max(0.0, *raw - merged.excess_ns)) : raw;
  };
  site.cost.p50_ns = corrected(merged.costs.quantile(0.5));
  site.cost.p90_ns = corrected(merged.costs.quantile(0.9));
  site.cost.p99_ns = corrected(merged.costs.quantile(0.99));
  if (merged.costs.count()) site.cost.max_ns = corrected(merged.costs.max_ns());
  for (size_t node = 0; node < sum.placement.size(); ++node)
    if (sum.placement[node] >= 0.5)
      site.placement.push_back({static_cast<uint32_t>(node), whole(sum.placement[node])});
  uint64_t most = 0;
  for (const auto& [name, blocks] : merged.askers)
    if (blocks > most) most = blocks, site.asked_by = name;
  for (auto& [index, thread] : merged.threads) site.touch_threads.push_back(thread);
  for (auto& [name, touch] : merged.touch) site.touch_sites.push_back(std::move(touch));
  auto dearer = [](const auto& a, const auto& b) {
    return a.cost_ns != b.cost_ns ? a.cost_ns > b.cost_ns : a.faults > b.faults;
  };
  std::stable_sort(site.touch_threads.begin(), site.touch_threads.end(), dearer);
  std::stable_sort(site.touch_sites.begin(), site.touch_sites.end(),
                   [&](const TouchSite& a, const TouchSite& b) {
                     if (dearer(a, b) != dearer(b, a)) return dearer(a, b);
                     return std::tie(a.frame.function, a.frame.line) <
                            std::tie(b.frame.function, b.frame.line);
                   });
}

// Dearest first; ids decide among equals, so that the order is the same every time.
void Merge::finish_sites() {
  for (auto& merged : sites_) finish_site(*merged);
  std::vector<uint32_t> order(sites_.size()), place(sites_.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
    const Site &x = sites_[a]->site, &y = sites_[b]->site;
    if (x.cost.total_ns != y.cost.total_ns) return x.cost.total_ns > y.cost.total_ns;
    if (x.faults.count != y.faults.count) return x.faults.count > y.faults.count;
    if (x.blocks.bytes != y.blocks.bytes) return x.blocks.bytes > y.blocks.bytes;
    return x.id < y.id;
  });
  for (uint32_t i = 0; i < order.size(); ++i) {
    place[order[i]] = i;
    result_.sites.push_back(std::move(sites_[order[i]]->site));
  }
  for (BilledImage& image : images_)
    for (uint32_t& index : image.site_index) index = place[index];
}

}  // namespace ftprof
