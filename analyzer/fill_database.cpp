#include "analyzer/fill_database.h"

#include <map>
#include <tuple>

#include "analyzer/escape.h"
#include "analyzer/sql_schema.h"

namespace ftprof {

namespace {

std::optional<int64_t> id(uint32_t index) {
  return index == kNone ? std::nullopt : std::optional<int64_t>(index);
}

// `at(i)` where the column has it.
template <class Value>
std::optional<Value> at(const std::vector<Value>& column, size_t i) {
  return i < column.size() ? std::optional<Value>(column[i]) : std::nullopt;
}

std::string joined(const std::vector<std::string>& words) {
  std::string line;
  for (const std::string& word : words) line += (line.empty() ? "" : " ") + printable(word);
  return line;
}

std::string environment(const std::map<std::string, std::string>& settings) {
  std::vector<std::string> words;
  for (const auto& [key, value] : settings) words.push_back(key + "=" + value);
  return joined(words);
}

class FrameTable {
 public:
  explicit FrameTable(Database& db) : insert_(db, "frames", 8) {}

  int64_t id(const Frame& f) {
    auto key = std::make_tuple(f.function, f.file, f.line, f.module, f.module_offset, f.inlined);
    auto [at, is_new] = ids_.try_emplace(key, static_cast<int64_t>(ids_.size()));
    if (is_new)
      insert_(at->second, printable(f.function), printable(f.file), f.line, printable(f.module),
              f.module_offset, f.inlined, f.nearest);
    return at->second;
  }

 private:
  using Key = std::tuple<std::string, std::string, uint32_t, std::string, uint64_t, bool>;
  Insert insert_;
  std::map<Key, int64_t> ids_;
};

void fill_run(Database& db, const Result& result) {
  const Run& run = result.run;
  Insert insert(db, "run", 2);
  insert("command", joined(run.command));
  insert("start_unix_ns", run.start_unix_ns);
  insert("duration_ns", run.duration_ns);
  insert("page_bytes", run.page_bytes);
  insert("huge_page_bytes", run.huge_page_bytes);
  insert("kernel", printable(run.kernel));
  insert("cpus", run.cpus);
  insert("numa_nodes", run.numa_nodes);
  insert("allocator", printable(run.allocator_name));
  insert("allocator_version", printable(run.allocator_version));
  insert("fault_source", run.fault_source);
  insert("fault_period", run.fault_period);
  insert("fault_cost", run.fault_cost);
  insert("minor_faults", result.ledger.minor_faults);
  insert("major_faults", result.ledger.major_faults);
  insert("cost_ns", result.ledger.cost_ns);
  insert("peak_resident_bytes", run.peak_resident_bytes);
  insert("lost_fault_records", run.lost_fault_records);
  insert("lost_block_records", run.lost_block_records);
  insert("complete", run.complete);
  insert("blocks_left_out", result.blocks_left_out);
  for (const auto& [key, value] : run.settings)
    insert("setting." + printable(key), printable(value));
}

void fill_ledger(Database& db, const Ledger& ledger) {
  Insert insert(db, "ledger", 3);
  for (const LedgerRow& row : ledger.rows) insert(owner_name(row.owner), row.faults, row.cost_ns);
}

void fill_processes(Database& db, const Result& result) {
  Insert process(db, "processes", 13), thread(db, "threads", 6), phase(db, "phases", 6);
  int64_t number = 0;
  for (const Process& p : result.processes)
    process(number++, p.pid, p.ppid, printable(p.name), printable(p.rank), joined(p.command),
            p.start_ns, p.duration_ns, p.minor_faults, p.major_faults, p.cost_ns,
            p.peak_resident_bytes, p.complete);
  number = 0;
  for (const Thread& t : result.threads)
    thread(number++, t.process, t.tid, printable(t.name), t.faults, t.cost_ns);
  number = 0;
  for (const Phase& p : result.phases)
    phase(number++, printable(p.name), p.begin_ns, p.end_ns, p.faults, p.cost_ns);
}

void fill_site(Insert& insert, int64_t number, const Site& s) {
  const Frame top = s.top < s.stack.size() ? s.stack[s.top] : Frame{};
  insert(number, s.id, s.process, printable(top.function), printable(top.file), top.line,
         printable(top.module), s.api, s.blocks.count, s.blocks.bytes, s.blocks.peak_live_bytes,
         s.blocks.live_at_end, s.blocks.sampled_one_in, s.pages.handed_out, s.pages.touched,
         s.pages.untouched, s.pages.zero, s.pages.huge, s.pages.could_be_huge, s.faults.count,
         s.faults.write, s.faults.zero_read, s.faults.write_after_zero_read, s.faults.huge,
         s.faults.in_call, s.faults.kernel_copy, s.faults.major, s.faults.other, s.cost.total_ns,
         s.cost.error_ns, s.cost.p50_ns, s.cost.p90_ns, s.cost.p99_ns, s.cost.max_ns,
         s.calls.alloc_total_ns, s.calls.free_total_ns, s.reuse.fresh, s.reuse.warm,
         s.reuse.partial, s.reuse.cold, s.reuse.warm_pages, s.reuse.cross_thread,
         s.reuse.cross_node, s.reuse.purged_pages, s.reuse.refaulted_after_purge_pages);
}

void fill_sites(Database& db, const Result& result) {
  FrameTable frames(db);
  Insert site(db, "sites", 45), stack(db, "stacks", 3), touch(db, "touch_sites", 5);
  Insert thread(db, "touch_threads", 5), place(db, "placement", 3), advice(db, "advice", 6);
  for (size_t i = 0; i < result.sites.size(); i++) {
    const Site& s = result.sites[i];
    fill_site(site, static_cast<int64_t>(i), s);
    for (size_t k = 0; k < s.stack.size(); k++) stack(i, k, frames.id(s.stack[k]));
    for (size_t k = 0; k < s.touch_sites.size(); k++) {
      const TouchSite& t = s.touch_sites[k];
      touch(i, k, frames.id(t.frame), t.faults, t.cost_ns);
    }
    for (const ThreadCost& t : s.touch_threads)
      thread(i, t.tid, printable(t.name), t.faults, t.cost_ns);
    for (const Placement& p : s.placement) place(i, p.node, p.pages);
    for (const Advice& a : s.advice)
      advice(i, a.kind, printable(a.text), a.saves_faults, a.saves_ns, environment(a.try_env));
  }
}

void fill_faults(Database& db, const Result& result) {
  Insert insert(db, "faults", 10);
  for (const FaultSlice& s : result.slices)
    insert(s.begin_ns, s.end_ns, s.faults, s.cost_ns, owner_name(s.owner), s.process, id(s.thread),
           id(s.site), id(s.touch_site), id(s.phase));
}

const char* class_name(HandOut handed_out) {
  static constexpr const char* kNames[] = {"unknown", "fresh", "warm", "partial", "cold"};
  return kNames[static_cast<int>(handed_out)];
}

void fill_blocks(Database& db, const Result& result) {
  Insert block(db, "blocks", 12), handout(db, "handouts", 6), touch(db, "touches", 8);
  int64_t number = 0;
  for (const BlockLife& b : result.blocks) {
    block(number, id(b.site), b.process, id(b.thread), b.bytes, b.pages, b.touched_pages, b.faults,
          b.cost_ns, b.born_ns, b.gone_ns, b.weight);
    handout(number++, b.born_ns, class_name(b.handed_out), b.resident_pages_at_handout, b.idle_ns,
            id(b.previous_site));
  }
  number = 0;
  for (const BlockMapRow& row : result.block_map) {
    for (const TouchRun& t : row.touches)
      touch(number, row.site, row.bytes, t.first, t.pages, t.at_ns, t.tid, t.cost_ns);
    number++;
  }
}

void fill_timeline(Database& db, const Result& result) {
  const Timeline& time = result.timeline;
  Insert insert(db, "timeline", 9);
  size_t length = std::max(time.faults.size(), result.pool.over_time.size());
  for (size_t i = 0; i < length; i++) {
    Pool::Bucket bucket = at(result.pool.over_time, i).value_or(Pool::Bucket{});
    insert(time.interval_ns * static_cast<double>(i), at(time.faults, i), at(time.fault_ns, i),
           at(time.resident_bytes, i), bucket.fresh, bucket.warm, bucket.partial, bucket.cold,
           bucket.idle_bytes);
  }
}

}  // namespace

void fill_database(Database& db, const Result& result) {
  db.run(kSqlSchema);
  db.run("BEGIN");
  fill_run(db, result);
  fill_ledger(db, result.ledger);
  fill_processes(db, result);
  fill_sites(db, result);
  fill_faults(db, result);
  fill_blocks(db, result);
  fill_timeline(db, result);
  db.run("COMMIT");
}

}  // namespace ftprof
