#include "analyzer/site_sum.h"

#include <unordered_map>

namespace ftprof {

namespace {

std::string base_name(const std::string& path) {
  return path.substr(path.rfind('/') + 1);
}

std::vector<std::string> own_names(const Site& site) {
  std::vector<std::string> names;
  for (size_t i = site.top; i < site.stack.size(); ++i)
    names.push_back(plain_function(site.stack[i]));
  if (names.empty()) names.push_back("??" + site.id);
  return names;
}

std::string joined(const std::vector<std::string>& names) {
  std::string all;
  for (const std::string& name : names) (all += name) += '\n';
  return all;
}

void add(FaultKinds& to, const FaultKinds& more) {
  to.count += more.count;
  to.write += more.write;
  to.zero_read += more.zero_read;
  to.write_after_zero_read += more.write_after_zero_read;
  to.huge += more.huge;
  to.in_call += more.in_call;
  to.kernel_copy += more.kernel_copy;
  to.major += more.major;
  to.other += more.other;
}

SiteSum sum_of(const Site& site) {
  SiteSum sum;
  sum.site = &site;
  sum.names = own_names(site);
  sum.blocks = site.blocks.count;
  sum.bytes = site.blocks.bytes;
  sum.handed_out_pages = site.pages.handed_out;
  sum.touched_pages = site.pages.touched;
  sum.faults = site.faults;
  sum.cost_ns = site.cost.total_ns;
  sum.fresh = site.reuse.fresh;
  sum.warm = site.reuse.warm;
  sum.partial = site.reuse.partial;
  sum.cold = site.reuse.cold;
  sum.purged_pages = site.reuse.purged_pages;
  sum.refaulted_pages = site.reuse.refaulted_after_purge_pages;
  for (const TouchSite& touch : site.touch_sites)
    sum.touched_by[plain_function(touch.frame)] += touch.faults;
  return sum;
}

}  // namespace

SiteSum& operator+=(SiteSum& to, const SiteSum& more) {
  if (!to.site) to.site = more.site, to.names = more.names;
  to.blocks += more.blocks;
  to.bytes += more.bytes;
  to.handed_out_pages += more.handed_out_pages;
  to.touched_pages += more.touched_pages;
  add(to.faults, more.faults);
  to.cost_ns += more.cost_ns;
  to.fresh += more.fresh;
  to.warm += more.warm;
  to.partial += more.partial;
  to.cold += more.cold;
  to.purged_pages += more.purged_pages;
  to.refaulted_pages += more.refaulted_pages;
  for (const auto& [function, faults] : more.touched_by) to.touched_by[function] += faults;
  return to;
}

std::vector<SiteSum> sum_sites(const Result& result) {
  std::vector<SiteSum> sums;
  std::unordered_map<std::string, size_t> index;
  for (const Site& site : result.sites) {
    SiteSum one = sum_of(site);
    auto [found, is_new] = index.try_emplace(joined(one.names), sums.size());
    if (is_new)
      sums.push_back(std::move(one));
    else
      sums[found->second] += one;
  }
  return sums;
}

std::string shown_function(const Frame& frame) {
  return (frame.nearest ? "near " : "") + frame.function;
}

std::string site_label(const Site& site) {
  if (site.top >= site.stack.size()) return "unknown site " + site.id;
  const Frame& frame = site.stack[site.top];
  if (frame.file.empty()) return shown_function(frame) + " in " + base_name(frame.module);
  return frame.function + " at " + base_name(frame.file) + ":" + std::to_string(frame.line);
}

std::string stack_line(const Site& site, size_t frames) {
  std::string line;
  size_t end = std::min(site.stack.size(), site.top + frames);
  for (size_t i = site.top; i < end; ++i) {
    if (!line.empty()) line += " < ";
    line += shown_function(site.stack[i]);
  }
  return end < site.stack.size() ? line + " < …" : line;
}

std::string plain_function(const Frame& frame) {
  const std::string& name = frame.function;
  if (name == "??") return "?? in " + base_name(frame.module);
  for (const char* libc : {"memset", "memcpy", "memmove", "bzero"}) {
    std::string variant = std::string("__") + libc + "_";
    if (name.starts_with(variant)) return libc;
  }
  return name;
}

}  // namespace ftprof
