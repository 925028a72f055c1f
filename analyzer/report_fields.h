// The JSON report, field by field: the one description that both the writer and the reader follow,
// so that the two cannot disagree. docs/report.md says what each field means.
//
// Each `fields(io, thing)` names the members of one object, in the order of the report. Io is
// JsonOut or JsonIn (result_json.cpp); Io::As<T> is `const T` for the one and `T` for the other.
//   field     a value; absent optionals are null
//   known     a text or number that has a value for "unknown", which is null in JSON
//   derived   a convenience for the report's readers, computed from other fields: never read back
//   object    an object of its own name, described by the function that is given
//   list      an array of objects
#pragma once

#include "analyzer/result.h"

namespace ftprof {

template <class Io, class T>
using As = typename Io::template As<T>;

// The frame that names a site; an unknown one when its stack is empty.
inline const Frame& own_frame(const Site& site) {
  static const Frame* const unknown = new Frame{"??", "", "", 0, false, false, 0};
  return site.top < site.stack.size() ? site.stack[site.top] : *unknown;
}

template <class Io>
void place(Io& io, As<Io, Frame>& frame) {
  io.known("function", frame.function, std::string("??"));
  io.known("file", frame.file, std::string());
  io.known("line", frame.line, uint32_t{0});
  io.known("module", frame.module, std::string());
}

template <class Io>
void fields(Io& io, As<Io, Frame>& frame) {
  place(io, frame);
  io.field("inlined", frame.inlined);
  io.field("nearest", frame.nearest);
  io.field("module_offset", frame.module_offset);
}

template <class Io>
void fields(Io& io, As<Io, CostSummary>& cost) {
  io.field("total_ns", cost.total_ns);
  io.field("error_ns", cost.error_ns);
  io.field("p50_ns", cost.p50_ns);
  io.field("p90_ns", cost.p90_ns);
  io.field("p99_ns", cost.p99_ns);
  io.field("max_ns", cost.max_ns);
  io.field("by_kind_ns", cost.by_kind_ns);
}

template <class Io>
void fields(Io& io, As<Io, FaultKinds>& faults) {
  io.field("count", faults.count);
  io.field("write", faults.write);
  io.field("zero_read", faults.zero_read);
  io.field("write_after_zero_read", faults.write_after_zero_read);
  io.field("huge", faults.huge);
  io.field("in_call", faults.in_call);
  io.field("kernel_copy", faults.kernel_copy);
  io.field("major", faults.major);
  io.field("other", faults.other);
  io.field("error", faults.error);
}

template <class Io>
void fields(Io& io, As<Io, Reuse>& reuse) {
  io.field("fresh", reuse.fresh);
  io.field("warm", reuse.warm);
  io.field("partial", reuse.partial);
  io.field("cold", reuse.cold);
  io.field("unknown", reuse.unknown);
  io.field("warm_pages", reuse.warm_pages);
  io.field("cross_thread", reuse.cross_thread);
  io.field("cross_node", reuse.cross_node);
  io.field("purged_pages", reuse.purged_pages);
  io.field("refaulted_after_purge_pages", reuse.refaulted_after_purge_pages);
  io.field("refault_cost_ns", reuse.refault_cost_ns);
  io.field("kept_resident_pages", reuse.kept_resident_pages);
}

template <class Io>
void fields(Io& io, As<Io, ThreadCost>& thread) {
  io.field("name", thread.name);
  io.field("tid", thread.tid);
  io.field("faults", thread.faults);
  io.field("cost_ns", thread.cost_ns);
}

template <class Io>
void fields(Io& io, As<Io, TouchSite>& touch) {
  fields(io, touch.frame);
  io.field("faults", touch.faults);
  io.field("cost_ns", touch.cost_ns);
}

template <class Io>
void fields(Io& io, As<Io, Placement>& placement) {
  io.field("node", placement.node);
  io.field("pages", placement.pages);
}

template <class Io>
void fields(Io& io, As<Io, Advice>& advice) {
  io.field("kind", advice.kind);
  io.field("text", advice.text);
  io.field("saves_faults", advice.saves_faults);
  io.field("saves_ns", advice.saves_ns);
  io.environment("try", advice.try_env);
}

template <class Io>
void fields(Io& io, As<Io, Site>& site) {
  io.field("id", site.id);
  io.derived([&](auto& out) { place(out, own_frame(site)); });
  io.known("api", site.api, std::string());
  io.known("asked_by", site.asked_by, std::string());
  io.list("stack", site.stack);
  io.field("top_frame", site.top);
  io.object("blocks", [&] {
    io.field("count", site.blocks.count);
    io.field("bytes", site.blocks.bytes);
    io.field("peak_live_bytes", site.blocks.peak_live_bytes);
    io.field("live_at_end", site.blocks.live_at_end);
    io.field("sampled_one_in", site.blocks.sampled_one_in);
  });
  io.object("pages", [&] {
    io.field("handed_out", site.pages.handed_out);
    io.field("touched", site.pages.touched);
    io.field("untouched", site.pages.untouched);
    io.field("zero", site.pages.zero);
    io.field("huge", site.pages.huge);
    io.field("could_be_huge", site.pages.could_be_huge);
  });
  io.object("faults", [&] { fields(io, site.faults); });
  io.object("cost", [&] { fields(io, site.cost); });
  io.object("calls", [&] {
    io.field("alloc_total_ns", site.calls.alloc_total_ns);
    io.field("free_total_ns", site.calls.free_total_ns);
  });
  io.object("reuse", [&] { fields(io, site.reuse); });
  io.list("touch_threads", site.touch_threads);
  io.list("touch_sites", site.touch_sites);
  io.list("placement", site.placement);
  io.list("advice", site.advice);
  io.by_phase("phases", site.by_phase);
  io.field("process", site.process);
}

template <class Io>
void fields(Io& io, As<Io, LedgerRow>& row) {
  io.owner("owner", row.owner);
  io.field("faults", row.faults);
  io.field("error", row.error);
  io.field("cost_ns", row.cost_ns);
}

template <class Io>
void fields(Io& io, As<Io, Ledger::MappingCost>& mapping) {
  io.field("name", mapping.name);
  io.field("faults", mapping.faults);
}

template <class Io>
void fields(Io& io, As<Io, Ledger>& ledger) {
  io.field("minor_faults", ledger.minor_faults);
  io.field("major_faults", ledger.major_faults);
  io.field("run_faults", ledger.run_faults);
  io.field("untraced_faults", ledger.untraced_faults);
  io.field("cost_ns", ledger.cost_ns);
  io.field("accounted_share", ledger.accounted_share);
  io.list("rows", ledger.rows);
  io.list("small_heap_touch_sites", ledger.small_heap_touch_sites);
  io.list("mappings", ledger.mappings);
}

template <class Io>
void fields(Io& io, As<Io, Feed>& feed) {
  io.field("from_site", feed.from_site);
  io.field("to_site", feed.to_site);
  io.field("handouts", feed.handouts);
  io.field("pages", feed.pages);
  io.field("cross_node_pages", feed.cross_node_pages);
}

template <class Io>
void fields(Io& io, As<Io, IdleBlock>& block) {
  io.field("site", block.site);
  io.field("bytes", block.bytes);
  io.field("resident_bytes", block.resident_bytes);
  io.field("idle_ns", block.idle_ns);
}

template <class Io>
void fields(Io& io, As<Io, Pool::Bucket>& bucket) {
  io.field("fresh", bucket.fresh);
  io.field("warm", bucket.warm);
  io.field("partial", bucket.partial);
  io.field("cold", bucket.cold);
  io.field("idle_bytes", bucket.idle_bytes);
}

template <class Io>
void fields(Io& io, As<Io, Pool>& pool) {
  io.field("handouts", pool.handouts);
  io.field("fresh", pool.fresh);
  io.field("warm", pool.warm);
  io.field("partial", pool.partial);
  io.field("cold", pool.cold);
  io.field("unknown", pool.unknown);
  io.field("resident_pages_at_handout", pool.resident_pages_at_handout);
  io.field("purged_pages", pool.purged_pages);
  io.field("refaulted_after_purge_pages", pool.refaulted_after_purge_pages);
  io.field("refault_cost_ns", pool.refault_cost_ns);
  io.field("cross_thread", pool.cross_thread);
  io.field("cross_node", pool.cross_node);
  io.field("idle_peak_bytes", pool.idle_peak_bytes);
  io.field("idle_at_end_bytes", pool.idle_at_end_bytes);
  io.field("saved_faults", pool.saved_faults);
  io.field("reuse_p50_ns", pool.reuse_p50_ns);
  io.field("reuse_p90_ns", pool.reuse_p90_ns);
  io.list("feeds", pool.feeds);
  io.list("longest_idle", pool.longest_idle);
  io.field("verdicts", pool.verdicts);
  io.list("over_time", pool.over_time);
}

template <class Io>
void fields(Io& io, As<Io, HugePages>& huge) {
  io.field("thp_fault_alloc", huge.thp_fault_alloc);
  io.field("thp_fault_fallback", huge.thp_fault_fallback);
  io.field("huge_faults", huge.huge_faults);
  io.field("could_be_huge_pages", huge.could_be_huge_pages);
  io.known("why_not", huge.why_not, std::string());
}

template <class Io>
void fields(Io& io, As<Io, Thread>& thread) {
  io.field("name", thread.name);
  io.field("tid", thread.tid);
  io.field("process", thread.process);
  io.field("faults", thread.faults);
  io.field("cost_ns", thread.cost_ns);
}

template <class Io>
void fields(Io& io, As<Io, Phase>& phase) {
  io.field("name", phase.name);
  io.field("begin_ns", phase.begin_ns);
  io.field("end_ns", phase.end_ns);
  io.field("faults", phase.faults);
  io.field("cost_ns", phase.cost_ns);
}

template <class Io>
void fields(Io& io, As<Io, Timeline>& timeline) {
  io.field("interval_ns", timeline.interval_ns);
  io.field("faults", timeline.faults);
  io.field("fault_ns", timeline.fault_ns);
  io.field("resident_bytes", timeline.resident_bytes);
  io.field("warmup_end_ns", timeline.warmup_end_ns);
}

template <class Io>
void fields(Io& io, As<Io, Process>& process) {
  io.field("name", process.name);
  io.known("rank", process.rank, std::string());
  io.field("pid", process.pid);
  io.field("ppid", process.ppid);
  io.field("folder", process.folder);
  io.field("start_ns", process.start_ns);
  io.field("duration_ns", process.duration_ns);
  io.field("minor_faults", process.minor_faults);
  io.field("major_faults", process.major_faults);
  io.field("cost_ns", process.cost_ns);
  io.field("peak_resident_bytes", process.peak_resident_bytes);
  io.field("complete", process.complete);
  io.field("command", process.command);
}

template <class Io>
void fields(Io& io, As<Io, TouchRun>& run) {
  io.field("first_page", run.first);
  io.field("pages", run.pages);
  io.field("at_ns", run.at_ns);
  io.field("tid", run.tid);
  io.field("cost_ns", run.cost_ns);
}

template <class Io>
void fields(Io& io, As<Io, BlockMapRow>& row) {
  io.field("site", row.site);
  io.field("bytes", row.bytes);
  io.field("pages", row.pages);
  io.field("born_ns", row.born_ns);
  io.field("gone_ns", row.gone_ns);
  io.list("touches", row.touches);
}

template <class Io>
void fields(Io& io, As<Io, Module>& module) {
  io.field("path", module.path);
  io.known("build_id", module.build_id, std::string());
}

template <class Io>
void fields(Io& io, As<Io, Run>& run) {
  io.field("command", run.command);
  io.field("start_unix_ns", run.start_unix_ns);
  io.field("duration_ns", run.duration_ns);
  io.field("page_bytes", run.page_bytes);
  io.field("huge_page_bytes", run.huge_page_bytes);
  io.known("kernel", run.kernel, std::string());
  io.field("cpus", run.cpus);
  io.field("numa_nodes", run.numa_nodes);
  io.object("thp", [&] {
    io.known("enabled", run.thp_enabled, std::string());
    io.known("defrag", run.thp_defrag, std::string());
  });
  io.object("allocator", [&] {
    io.known("name", run.allocator_name, std::string());
    io.known("version", run.allocator_version, std::string());
    io.known("library", run.allocator_library, std::string());
  });
  io.field("settings", run.settings);
  io.known("fault_source", run.fault_source, std::string());
  io.field("fault_period", run.fault_period);
  io.field("recorded_faults", run.recorded_faults);
  io.known("fault_cost", run.fault_cost, std::string());
  io.field("prices_ns", run.prices_ns);
  io.field("processes", run.processes);
  io.field("calls", run.calls);
  io.field("complete", run.complete);
  io.field("lost_fault_records", run.lost_fault_records);
  io.field("lost_block_records", run.lost_block_records);
  io.object("profiler", [&] {
    io.field("self_ns", run.profiler_self_ns);
    io.field("self_share", run.profiler_self_share);
    io.field("faults", run.profiler_faults);
  });
  io.field("peak_resident_bytes", run.peak_resident_bytes);
  io.field("final_resident_bytes", run.final_resident_bytes);
  io.field("user_ns", run.user_ns);
  io.field("system_ns", run.system_ns);
  io.field("notes", run.notes);
  io.field("warnings", run.warnings);
}

}  // namespace ftprof
