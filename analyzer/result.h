// What a run came to: the one structure that every printer, export, comparison and check reads.
//
// It mirrors the JSON report (docs/report.md). Units are in the names; "pages" are base pages.
// An empty optional is absent knowledge: null in JSON, "–" in text, never 0.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace ftprof {

struct Frame {
  std::string function;        // demangled; "??" when unknown
  std::string file;            // empty when unknown
  std::string module;          // path of the object
  uint32_t line = 0;           // 0 when unknown
  bool inlined = false;        // this frame was inlined into the next one
  bool nearest = false;        // named by the nearest exported symbol of a stripped object
  uint64_t module_offset = 0;  // ELF address in the module, for exports
};

struct CostSummary {
  double total_ns = 0;
  std::optional<double> error_ns;  // of total_ns, one standard error
  std::optional<double> p50_ns, p90_ns, p99_ns, max_ns;
  // Of total_ns by kind of fault, as far as the faults of a kind were timed one by one.
  std::map<std::string, double> by_kind_ns = {};
};

struct FaultKinds {
  uint64_t count = 0;  // all of the kinds below but kernel_copy, which has a row of its own
  uint64_t write = 0, zero_read = 0, write_after_zero_read = 0, huge = 0;
  uint64_t in_call = 0, kernel_copy = 0;
  uint64_t major = 0, other = 0;  // swapped in or read from a file; copy on write, protection, NUMA
  // Of zero_read and write_after_zero_read, where these are estimated: one standard error.
  std::optional<double> error = {};
};

struct Reuse {
  uint64_t fresh = 0, warm = 0, partial = 0, cold = 0;  // hand-outs by class
  uint64_t unknown = 0;                                 // hand-outs whose pages were not looked up
  uint64_t warm_pages = 0, cross_thread = 0, cross_node = 0;
  uint64_t purged_pages = 0, refaulted_after_purge_pages = 0;
  double refault_cost_ns = 0;
  uint64_t kept_resident_pages = 0;  // at give-back, still there after the call
};

struct ThreadCost {
  std::string name;
  uint32_t tid = 0;
  uint64_t faults = 0;
  double cost_ns = 0;
};

struct TouchSite {
  Frame frame;
  uint64_t faults = 0;
  double cost_ns = 0;
};

struct Placement {
  uint32_t node = 0;
  uint64_t pages = 0;
};

struct Advice {
  std::string
      kind;  // keep, populate, huge, calloc, no_read_first, smaller, first_touch_on_consumer
  std::string text;  // one or two sentences, with the evidence
  uint64_t saves_faults = 0;
  std::optional<double> saves_ns = 0;  // absent: no price is known for what would be paid instead
  std::map<std::string, std::string> try_env;  // empty when no setting suffices
};

struct Site {
  std::string id;            // stable over runs: a hash of the stack's names
  std::vector<Frame> stack;  // innermost first; allocator and C++ library frames are marked by fold
  size_t top = 0;            // index of the first frame that is the program's own
  std::string api;
  std::string asked_by;  // the thread that asked for most of its blocks
  struct {
    uint64_t count = 0, bytes = 0, peak_live_bytes = 0, live_at_end = 0;
    double sampled_one_in = 1;
  } blocks;
  struct {
    uint64_t handed_out = 0, touched = 0, untouched = 0, zero = 0, huge = 0;
    uint64_t could_be_huge =
        0;  // aligned huge-page ranges that were touched in full, in base pages
  } pages;
  FaultKinds faults;
  CostSummary cost;
  struct {
    double alloc_total_ns = 0, free_total_ns = 0;
  } calls;
  Reuse reuse;
  std::vector<ThreadCost> touch_threads;  // dearest first
  std::vector<TouchSite> touch_sites;     // dearest first
  std::vector<Placement> placement;
  std::vector<Advice> advice;
  std::map<std::string, std::pair<uint64_t, double>> by_phase;  // faults, cost_ns
  uint32_t process = 0;                                         // index into processes
};

// Mapped by the program itself, with no allocator in between.
inline bool is_mapping(const Site& site) {
  return site.api == "mmap" || site.api == "mremap" || site.api == "brk";
}

// The owners of a fault, in the order of the report.
enum class Owner {
  blocks,
  small_heap,
  stack,
  file,
  other_anonymous,
  kernel_copy,
  profiler,
  unattributed
};
inline constexpr int kOwners = 8;
const char* owner_name(Owner owner);  // "small_heap"

struct LedgerRow {
  Owner owner = Owner::unattributed;
  uint64_t faults = 0;
  std::optional<double> cost_ns;
  std::optional<double> error = {};  // one standard error, where faults is an estimate
};

struct Ledger {
  uint64_t minor_faults = 0, major_faults = 0;  // getrusage, over the image's life
  // The kernel's count over the whole tree of processes, and what of it left no trace; only
  // `ftprof run` knows.
  std::optional<uint64_t> run_faults, untraced_faults;
  double cost_ns = 0;
  double accounted_share = 0;  // 1 - unattributed / all
  std::vector<LedgerRow> rows;
  std::vector<TouchSite> small_heap_touch_sites;  // dearest first, at most 20
  struct MappingCost {
    std::string name;  // path, [heap], [stack], or "anonymous"
    uint64_t faults = 0;
  };
  std::vector<MappingCost> mappings;  // of the rows that are not blocks, dearest first, at most 20
};

// Who handed pages on to whom.
struct Feed {
  std::string from_site, to_site;  // ids
  uint64_t handouts = 0, pages = 0;
  uint64_t cross_node_pages = 0;  // of them on another node than the new holder's
};

struct IdleBlock {
  std::string site;
  uint64_t bytes = 0, resident_bytes = 0;
  double idle_ns = 0;
};

struct Pool {
  uint64_t handouts = 0, fresh = 0, warm = 0, partial = 0, cold = 0, unknown = 0;
  uint64_t resident_pages_at_handout = 0, purged_pages = 0, refaulted_after_purge_pages = 0;
  double refault_cost_ns = 0;
  uint64_t cross_thread = 0, cross_node = 0;
  uint64_t idle_peak_bytes = 0, idle_at_end_bytes = 0;  // resident in given-back blocks
  uint64_t saved_faults = 0;                            // pages found resident at hand-out
  std::optional<double> reuse_p50_ns, reuse_p90_ns;     // give-back to next hand-out
  std::vector<Feed> feeds;                              // most pages first, at most 20
  std::vector<IdleBlock> longest_idle;                  // at most 10
  std::vector<std::string> verdicts;                    // sentences
  struct Bucket {
    uint64_t fresh = 0, warm = 0, partial = 0, cold = 0;
    uint64_t idle_bytes = 0;  // resident in given-back blocks at the interval's end
  };
  std::vector<Bucket> over_time;  // one per timeline interval
};

struct Phase {
  std::string name;
  double begin_ns = 0, end_ns = 0;  // since the run's start
  uint64_t faults = 0;
  double cost_ns = 0;
};

struct Timeline {
  double interval_ns = 0;
  std::vector<uint64_t> faults;
  std::vector<double> fault_ns;
  std::vector<uint64_t> resident_bytes;
  std::optional<double>
      warmup_end_ns;  // when the fault rate settled; the rule is in docs/report.md
};

struct Thread {
  std::string name;
  uint32_t tid = 0;
  uint32_t process = 0;
  uint64_t faults = 0;
  double cost_ns = 0;
};

struct Process {
  std::string name;  // base name of exe
  std::string rank;  // MPI or Slurm rank, empty without
  uint32_t pid = 0, ppid = 0;
  std::string folder;  // the image's folder in the run
  double start_ns = 0, duration_ns = 0;
  uint64_t minor_faults = 0, major_faults = 0;
  double cost_ns = 0;
  uint64_t peak_resident_bytes = 0;
  bool complete = false;
  std::vector<std::string> command;
};

// A run of first touches for the block map: `pages` pages from page `first` of a block.
struct TouchRun {
  uint32_t first = 0, pages = 0;
  double at_ns = 0;
  uint32_t tid = 0;
  double cost_ns = 0;
};

struct BlockMapRow {
  std::string site;
  uint64_t bytes = 0, pages = 0;
  double born_ns = 0;
  std::optional<double> gone_ns;
  std::vector<TouchRun> touches;  // coarsened to at most 2000
};

inline constexpr uint32_t kNone = 0xFFFFFFFF;  // an index that names nothing

// Faults of one thread, one owner and one touch site that lie close together in time: what a brush
// over the timeline, a trace viewer and SQL need. Slices nearer than a gap are merged; the gap
// doubles whenever the list passes 200,000, so the list is bounded and its sums stay exact.
// A slice never crosses a phase's border.
struct FaultSlice {
  double begin_ns = 0, end_ns = 0;  // entry of the first, end of the last; since the run's start
  uint64_t faults = 0;
  double cost_ns = 0;
  Owner owner = Owner::unattributed;
  uint32_t process = 0;         // index into processes
  uint32_t thread = kNone;      // index into threads
  uint32_t site = kNone;        // index into sites; only of Owner::blocks
  uint32_t touch_site = kNone;  // index into the site's touch_sites
  uint32_t phase = kNone;       // index into phases
};

// How a block was handed out; the classes are in docs/report.md.
enum class HandOut : uint8_t { unknown, fresh, warm, partial, cold };

// One tracked block's life, for SQL and CSV. The largest 100,000 are kept.
struct BlockLife {
  uint32_t site = kNone, process = 0, thread = kNone;  // thread: who asked for it
  uint64_t bytes = 0, pages = 0, touched_pages = 0, faults = 0;
  double cost_ns = 0, born_ns = 0;
  std::optional<double> gone_ns;
  HandOut handed_out = HandOut::unknown;
  std::optional<uint64_t> resident_pages_at_handout;
  std::optional<double> idle_ns;   // since these addresses were given back
  uint32_t previous_site = kNone;  // who had these addresses before
  double weight = 1;               // it stands for so many
};

struct Module {
  std::string path, build_id;  // build_id in hex, empty when unknown
};

struct HugePages {
  uint64_t thp_fault_alloc = 0, thp_fault_fallback = 0;  // machine wide while the run lasted
  uint64_t huge_faults = 0, could_be_huge_pages = 0;
  std::string why_not;  // a sentence; empty when nothing is missed
};

struct Run {
  std::vector<std::string> command;
  uint64_t start_unix_ns = 0;
  double duration_ns = 0;
  uint32_t page_bytes = 4096, huge_page_bytes = 2 * 1024 * 1024, cpus = 0, numa_nodes = 1;
  std::string kernel, thp_enabled, thp_defrag;
  std::string allocator_name, allocator_version, allocator_library;
  std::map<std::string, std::string> settings;
  std::string fault_source;      // perf, pagemap
  double fault_period = 1;       // 1: every fault; N: one in N on average
  uint64_t recorded_faults = 0;  // the program's own that the trace holds one by one
  std::string fault_cost;        // measured, modelled
  // What one page of a kind costs the bare program on this machine, found by calibration: write,
  // zero_read, write_after_zero_read, populate; huge is the price of one huge page. May be empty.
  std::map<std::string, double> prices_ns;
  uint64_t processes = 0;
  std::optional<std::map<std::string, uint64_t>> calls;
  bool complete = true;
  uint64_t lost_fault_records = 0, lost_block_records = 0;
  double profiler_self_ns = 0, profiler_self_share = 0;
  uint64_t profiler_faults = 0;
  uint64_t peak_resident_bytes = 0, final_resident_bytes = 0;
  double user_ns = 0, system_ns = 0;
  std::vector<std::string> notes;     // what the reader must know: fallbacks, gaps
  std::vector<std::string> warnings;  // damage found while reading
};

struct Result {
  Run run;
  Ledger ledger;
  Pool pool;
  HugePages huge;
  std::vector<Site> sites;  // dearest first
  std::vector<Thread> threads;
  std::vector<Phase> phases;
  std::vector<Process> processes;
  std::vector<BlockMapRow> block_map;  // largest blocks, at most 100
  Timeline timeline;
  std::vector<FaultSlice> slices;  // by begin_ns
  std::vector<BlockLife> blocks;   // by born_ns
  uint64_t blocks_left_out = 0;    // smaller ones, not in `blocks`
  std::vector<Module> modules;     // every path that a frame names
};

}  // namespace ftprof
