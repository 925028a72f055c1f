#include "analyzer/page_data.h"

#include <cmath>

#include "analyzer/advice.h"
#include "analyzer/page_tables.h"

namespace ftprof {

namespace {

using Json = nlohmann::json;

// One column of a table: field(row) of every row.
template <class Rows, class Field>
Json column(const Rows& rows, Field field) {
  Json values = Json::array();
  for (const auto& row : rows) values.push_back(field(row));
  return values;
}

int64_t whole(double value) {
  return std::llround(value);
}
int64_t micros(double ns) {
  return std::llround(ns / 1000);
}
int64_t index(uint32_t value) {
  return value == kNone ? -1 : int64_t{value};
}
Json maybe(const std::optional<double>& value) {
  return value ? Json(whole(*value)) : Json();
}

Json maybe(const std::optional<uint64_t>& value) {
  return value ? Json(*value) : Json();
}

Json texts(const std::vector<std::string>& lines) {
  return column(lines, [](const auto& line) { return valid_utf8(line); });
}

Json texts(const std::map<std::string, std::string>& pairs) {
  Json object = Json::object();
  for (const auto& [key, value] : pairs) object[valid_utf8(key)] = valid_utf8(value);
  return object;
}

Json run_data(const Run& run) {
  return {{"command", texts(run.command)},
          {"start_unix_ms", run.start_unix_ns / 1000000},
          {"duration_ns", whole(run.duration_ns)},
          {"page_bytes", run.page_bytes},
          {"huge_page_bytes", run.huge_page_bytes},
          {"cpus", run.cpus},
          {"numa_nodes", run.numa_nodes},
          {"kernel", valid_utf8(run.kernel)},
          {"thp", valid_utf8(run.thp_enabled)},
          {"allocator", valid_utf8(run.allocator_name)},
          {"allocator_version", valid_utf8(run.allocator_version)},
          {"settings", texts(run.settings)},
          {"fault_source", run.fault_source},
          {"fault_period", run.fault_period},
          {"fault_cost", run.fault_cost},
          {"recorded_faults", run.recorded_faults},
          {"complete", run.complete},
          {"lost_fault_records", run.lost_fault_records},
          {"lost_block_records", run.lost_block_records},
          {"self_ns", whole(run.profiler_self_ns)},
          {"self_share", run.profiler_self_share},
          {"peak_resident_bytes", run.peak_resident_bytes},
          {"final_resident_bytes", run.final_resident_bytes},
          {"user_ns", whole(run.user_ns)},
          {"system_ns", whole(run.system_ns)},
          {"notes", texts(run.notes)},
          {"warnings", texts(run.warnings)}};
}

Json touches_data(const std::vector<TouchSite>& touches, PageTables& tables) {
  return {{"frame", column(touches, [&](const auto& t) { return tables.frame(t.frame); })},
          {"faults", column(touches, [](const auto& t) { return t.faults; })},
          {"cost", column(touches, [](const auto& t) { return whole(t.cost_ns); })}};
}

Json ledger_data(const Ledger& ledger, PageTables& tables) {
  const auto& rows = ledger.rows;
  const auto& maps = ledger.mappings;
  return {{"minor", ledger.minor_faults},
          {"major", ledger.major_faults},
          {"run_faults", maybe(ledger.run_faults)},
          {"untraced_faults", maybe(ledger.untraced_faults)},
          {"cost", whole(ledger.cost_ns)},
          {"accounted_share", ledger.accounted_share},
          {"owner", column(rows, [](const auto& r) { return owner_name(r.owner); })},
          {"faults", column(rows, [](const auto& r) { return r.faults; })},
          {"row_cost", column(rows, [](const auto& r) { return maybe(r.cost_ns); })},
          {"row_error", column(rows, [](const auto& r) { return maybe(r.error); })},
          {"small_heap", touches_data(ledger.small_heap_touch_sites, tables)},
          {"mapping", column(maps, [](const auto& m) { return valid_utf8(m.name); })},
          {"mapping_faults", column(maps, [](const auto& m) { return m.faults; })}};
}

Json pool_data(const Pool& pool) {
  const auto& time = pool.over_time;
  const auto& feeds = pool.feeds;
  const auto& idle = pool.longest_idle;
  return {{"handouts", pool.handouts},
          {"fresh", pool.fresh},
          {"warm", pool.warm},
          {"partial", pool.partial},
          {"cold", pool.cold},
          {"unknown", pool.unknown},
          {"resident_pages", pool.resident_pages_at_handout},
          {"purged_pages", pool.purged_pages},
          {"refaulted_pages", pool.refaulted_after_purge_pages},
          {"refault_cost", whole(pool.refault_cost_ns)},
          {"cross_thread", pool.cross_thread},
          {"cross_node", pool.cross_node},
          {"idle_peak_bytes", pool.idle_peak_bytes},
          {"idle_at_end_bytes", pool.idle_at_end_bytes},
          {"saved_faults", pool.saved_faults},
          {"reuse_p50", maybe(pool.reuse_p50_ns)},
          {"reuse_p90", maybe(pool.reuse_p90_ns)},
          {"verdicts", texts(pool.verdicts)},
          {"over_time",
           {{"fresh", column(time, [](const auto& b) { return b.fresh; })},
            {"warm", column(time, [](const auto& b) { return b.warm; })},
            {"partial", column(time, [](const auto& b) { return b.partial; })},
            {"cold", column(time, [](const auto& b) { return b.cold; })},
            {"idle_bytes", column(time, [](const auto& b) { return b.idle_bytes; })}}},
          {"feeds",
           {{"from", column(feeds, [](const auto& f) { return f.from_site; })},
            {"to", column(feeds, [](const auto& f) { return f.to_site; })},
            {"handouts", column(feeds, [](const auto& f) { return f.handouts; })},
            {"pages", column(feeds, [](const auto& f) { return f.pages; })}}},
          {"idle",
           {{"site", column(idle, [](const auto& i) { return i.site; })},
            {"bytes", column(idle, [](const auto& i) { return i.bytes; })},
            {"resident", column(idle, [](const auto& i) { return i.resident_bytes; })},
            {"ns", column(idle, [](const auto& i) { return whole(i.idle_ns); })}}}};
}

Json site_columns(const std::vector<Site>& sites, PageTables& tables) {
  Json out;
  auto add = [&](const char* name, auto field) { out[name] = column(sites, field); };
  add("id", [](const Site& s) { return s.id; });
  add("leaf", [&](const Site& s) { return tables.stack(s.stack); });
  add("top", [](const Site& s) { return s.top; });
  add("api", [&](const Site& s) { return tables.string(s.api); });
  add("process", [](const Site& s) { return s.process; });
  add("count", [](const Site& s) { return s.blocks.count; });
  add("bytes", [](const Site& s) { return s.blocks.bytes; });
  add("peak", [](const Site& s) { return s.blocks.peak_live_bytes; });
  add("live", [](const Site& s) { return s.blocks.live_at_end; });
  add("one_in", [](const Site& s) { return s.blocks.sampled_one_in; });
  add("handed_out", [](const Site& s) { return s.pages.handed_out; });
  add("touched", [](const Site& s) { return s.pages.touched; });
  add("untouched", [](const Site& s) { return s.pages.untouched; });
  add("zero", [](const Site& s) { return s.pages.zero; });
  add("huge_pages", [](const Site& s) { return s.pages.huge; });
  add("could_be_huge", [](const Site& s) { return s.pages.could_be_huge; });
  add("faults", [](const Site& s) { return s.faults.count; });
  add("write", [](const Site& s) { return s.faults.write; });
  add("zero_read", [](const Site& s) { return s.faults.zero_read; });
  add("write_after_zero_read", [](const Site& s) { return s.faults.write_after_zero_read; });
  add("huge", [](const Site& s) { return s.faults.huge; });
  add("in_call", [](const Site& s) { return s.faults.in_call; });
  add("kernel_copy", [](const Site& s) { return s.faults.kernel_copy; });
  add("major", [](const Site& s) { return s.faults.major; });
  add("other", [](const Site& s) { return s.faults.other; });
  add("cost", [](const Site& s) { return whole(s.cost.total_ns); });
  add("error", [](const Site& s) { return maybe(s.cost.error_ns); });
  add("p50", [](const Site& s) { return maybe(s.cost.p50_ns); });
  add("p90", [](const Site& s) { return maybe(s.cost.p90_ns); });
  add("p99", [](const Site& s) { return maybe(s.cost.p99_ns); });
  add("max", [](const Site& s) { return maybe(s.cost.max_ns); });
  add("alloc_ns", [](const Site& s) { return whole(s.calls.alloc_total_ns); });
  add("free_ns", [](const Site& s) { return whole(s.calls.free_total_ns); });
  add("fresh", [](const Site& s) { return s.reuse.fresh; });
  add("warm", [](const Site& s) { return s.reuse.warm; });
  add("partial", [](const Site& s) { return s.reuse.partial; });
  add("cold", [](const Site& s) { return s.reuse.cold; });
  add("unknown", [](const Site& s) { return s.reuse.unknown; });
  add("warm_pages", [](const Site& s) { return s.reuse.warm_pages; });
  add("cross_thread", [](const Site& s) { return s.reuse.cross_thread; });
  add("cross_node", [](const Site& s) { return s.reuse.cross_node; });
  add("purged", [](const Site& s) { return s.reuse.purged_pages; });
  add("refaulted", [](const Site& s) { return s.reuse.refaulted_after_purge_pages; });
  return out;
}

// The lists inside sites, each as one table whose column "site" names the owner, in site order.
template <class List, class Add>
void for_each_of(const std::vector<Site>& sites, List Site::*list, Add add) {
  for (size_t i = 0; i < sites.size(); i++)
    for (const auto& row : sites[i].*list) add(i, row);
}

Json site_lists(const std::vector<Site>& sites, PageTables& tables) {
  Json none = Json::object();
  Json touch = none, thread = none, place = none, advice = none, phase = none;
  for_each_of(sites, &Site::touch_sites, [&](size_t site, const TouchSite& t) {
    touch["site"].push_back(site);
    touch["frame"].push_back(tables.frame(t.frame));
    touch["faults"].push_back(t.faults);
    touch["cost"].push_back(whole(t.cost_ns));
  });
  for_each_of(sites, &Site::touch_threads, [&](size_t site, const ThreadCost& t) {
    thread["site"].push_back(site);
    thread["name"].push_back(tables.string(t.name));
    thread["tid"].push_back(t.tid);
    thread["faults"].push_back(t.faults);
    thread["cost"].push_back(whole(t.cost_ns));
  });
  for_each_of(sites, &Site::placement, [&](size_t site, const Placement& p) {
    place["site"].push_back(site);
    place["node"].push_back(p.node);
    place["pages"].push_back(p.pages);
  });
  for_each_of(sites, &Site::advice, [&](size_t site, const Advice& a) {
    advice["site"].push_back(site);
    advice["kind"].push_back(a.kind);
    advice["text"].push_back(valid_utf8(a.text));
    advice["saving"].push_back(saving_text(a));
    advice["env"].push_back(texts(a.try_env));
  });
  for_each_of(sites, &Site::by_phase, [&](size_t site, const auto& p) {
    phase["site"].push_back(site);
    phase["name"].push_back(tables.string(p.first));
    phase["faults"].push_back(p.second.first);
    phase["cost"].push_back(whole(p.second.second));
  });
  return {{"touches", touch},
          {"touchers", thread},
          {"placement", place},
          {"advice", advice},
          {"site_phases", phase}};
}

Json thread_data(const std::vector<Thread>& threads, PageTables& tables) {
  return {{"name", column(threads, [&](const auto& t) { return tables.string(t.name); })},
          {"tid", column(threads, [](const auto& t) { return t.tid; })},
          {"process", column(threads, [](const auto& t) { return t.process; })},
          {"faults", column(threads, [](const auto& t) { return t.faults; })},
          {"cost", column(threads, [](const auto& t) { return whole(t.cost_ns); })}};
}

Json process_data(const std::vector<Process>& all) {
  return {{"name", column(all, [](const auto& p) { return valid_utf8(p.name); })},
          {"rank", column(all, [](const auto& p) { return valid_utf8(p.rank); })},
          {"pid", column(all, [](const auto& p) { return p.pid; })},
          {"ppid", column(all, [](const auto& p) { return p.ppid; })},
          {"start", column(all, [](const auto& p) { return whole(p.start_ns); })},
          {"duration", column(all, [](const auto& p) { return whole(p.duration_ns); })},
          {"minor", column(all, [](const auto& p) { return p.minor_faults; })},
          {"major", column(all, [](const auto& p) { return p.major_faults; })},
          {"cost", column(all, [](const auto& p) { return whole(p.cost_ns); })},
          {"peak", column(all, [](const auto& p) { return p.peak_resident_bytes; })},
          {"complete", column(all, [](const auto& p) { return p.complete; })},
          {"command", column(all, [](const auto& p) { return texts(p.command); })}};
}

Json phase_data(const std::vector<Phase>& phases) {
  return {{"name", column(phases, [](const auto& p) { return valid_utf8(p.name); })},
          {"begin", column(phases, [](const auto& p) { return whole(p.begin_ns); })},
          {"end", column(phases, [](const auto& p) { return whole(p.end_ns); })},
          {"faults", column(phases, [](const auto& p) { return p.faults; })},
          {"cost", column(phases, [](const auto& p) { return whole(p.cost_ns); })}};
}

Json timeline_data(const Timeline& timeline) {
  return {{"interval", whole(timeline.interval_ns)},
          {"faults", timeline.faults},
          {"cost", column(timeline.fault_ns, whole)},
          {"resident", timeline.resident_bytes},
          {"warmup_end", maybe(timeline.warmup_end_ns)}};
}

Json slice_data(const std::vector<FaultSlice>& slices) {
  Json out;
  auto add = [&](const char* name, auto field) { out[name] = column(slices, field); };
  add("begin", [](const auto& s) { return micros(s.begin_ns); });
  add("length", [](const auto& s) { return micros(s.end_ns - s.begin_ns); });
  add("faults", [](const auto& s) { return s.faults; });
  add("cost", [](const auto& s) { return whole(s.cost_ns); });
  add("owner", [](const auto& s) { return static_cast<int>(s.owner); });
  add("thread", [](const auto& s) { return index(s.thread); });
  add("site", [](const auto& s) { return index(s.site); });
  add("touch", [](const auto& s) { return index(s.touch_site); });
  return out;
}

Json block_data(const Result& result) {
  Json out;
  auto add = [&](const char* name, auto field) { out[name] = column(result.blocks, field); };
  add("site", [](const auto& b) { return index(b.site); });
  add("born", [](const auto& b) { return micros(b.born_ns); });
  add("class", [](const auto& b) { return static_cast<int>(b.handed_out); });
  add("untouched", [](const auto& b) { return b.pages - std::min(b.pages, b.touched_pages); });
  add("weight", [](const auto& b) { return b.weight; });
  out["left_out"] = result.blocks_left_out;
  return out;
}

Json block_map_row(const BlockMapRow& row) {
  const auto& runs = row.touches;
  return {{"site", row.site},
          {"bytes", row.bytes},
          {"pages", row.pages},
          {"born", micros(row.born_ns)},
          {"gone", row.gone_ns ? Json(micros(*row.gone_ns)) : Json()},
          {"first", column(runs, [](const auto& t) { return t.first; })},
          {"count", column(runs, [](const auto& t) { return t.pages; })},
          {"at", column(runs, [](const auto& t) { return micros(t.at_ns); })},
          {"tid", column(runs, [](const auto& t) { return t.tid; })},
          {"cost", column(runs, [](const auto& t) { return whole(t.cost_ns); })}};
}

Json huge_data(const HugePages& huge) {
  return {{"alloc", huge.thp_fault_alloc},
          {"fallback", huge.thp_fault_fallback},
          {"faults", huge.huge_faults},
          {"could_be_pages", huge.could_be_huge_pages},
          {"why_not", valid_utf8(huge.why_not)}};
}

}  // namespace

Json page_data(const Result& result) {
  PageTables tables;
  Json data = {{"format", kPageFormat}, {"kind", "report"}, {"run", run_data(result.run)}};
  data["ledger"] = ledger_data(result.ledger, tables);
  data["pool"] = pool_data(result.pool);
  data["huge"] = huge_data(result.huge);
  data["sites"] = site_columns(result.sites, tables);
  data.update(site_lists(result.sites, tables));
  data["threads"] = thread_data(result.threads, tables);
  data["processes"] = process_data(result.processes);
  data["phases"] = phase_data(result.phases);
  data["timeline"] = timeline_data(result.timeline);
  data["slices"] = slice_data(result.slices);
  data["blocks"] = block_data(result);
  data["block_map"] = column(result.block_map, block_map_row);
  data.update(tables.to_json());
  return data;
}

}  // namespace ftprof
