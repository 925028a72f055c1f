// What one process image came to, in its own ids: stacks by id, code by address, threads by index.
// The pass over the trace fills it; build_result names the code and merges images into a Result.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "analyzer/cost_histogram.h"
#include "analyzer/fault_sum.h"
#include "analyzer/flat_map.h"
#include "analyzer/result.h"
#include "preload/trace_format.h"

namespace ftprof {

// Who paid: an index into ImageTally::sites, or kOwnerBase + Owner for the other rows.
inline constexpr uint32_t kOwnerBase = 0xFFFFFF00;
inline constexpr uint32_t kNoSite = 0xFFFFFFFF;
inline constexpr uint32_t kInCall = 0xFFFFFFFF;  // CellKey::ip: inside the call, by no code of ours
inline uint32_t payer(Owner owner) {
  return kOwnerBase + static_cast<uint32_t>(owner);
}

// How the faults of a cell were seen. `read`: the page was the zero page when the record was
// written, so the fault was a load. `again`: not the first one on its page, where all are recorded.
// `in_call`: inside the allocating call, whose own count says how many there were.
enum class Sighting : uint8_t { plain, read, again, in_call };
inline constexpr size_t kSightings = 4;

// One combination of payer, touching code, thread and phase.
struct CellKey {
  uint32_t payer = 0, ip = 0, thread = 0, phase = 0;
  Sighting sighting = Sighting::plain;
  bool operator==(const CellKey&) const = default;
};
inline uint64_t hash_of(const CellKey& key) {
  uint64_t when = uint64_t{key.thread} << 32 | key.phase;
  return mix((uint64_t{key.payer} << 32 | key.ip) ^
             mix(when + static_cast<uint64_t>(key.sighting)));
}

// A site's hand-outs by class and what became of its pages, as Reuse in result.h, but each block
// counts `weight` times.
struct ReuseTally {
  double fresh = 0, warm = 0, partial = 0, cold = 0, unknown = 0;
  double warm_pages = 0, cross_thread = 0, cross_node = 0;
  double purged_pages = 0, refaulted_after_purge_pages = 0, kept_resident_pages = 0;
};

struct SiteTally {
  uint32_t stack = 0;  // index into ImageTally::stacks
  trace::Api api = trace::Api::unknown;
  // Of sampled blocks each counts `weight` times; weight 1 throughout keeps these whole numbers.
  double count = 0, bytes = 0, handed_out = 0, touched = 0, zero = 0, huge = 0, could_be_huge = 0;
  uint64_t recorded = 0;  // blocks
  double live_bytes = 0, peak_live_bytes = 0, live_at_end = 0;
  double write = 0, zero_read = 0, write_after_zero_read = 0, huge_faults = 0;
  double in_call = 0, kernel_copy = 0, major = 0, other = 0;
  double populated = 0, populate_ns = 0;  // of in_call: faults without a record, and their price
  double again_stands = 0;                // what the recorded write_after_zero_read stand for
  double zero_lost = 0;                   // pages that were seen to have lost the zero page
  double own_faults = 0;                  // faults of the recorded blocks themselves, unweighted
  double alloc_ns = 0, free_ns = 0;
  uint64_t begin_ns = 0, end_ns = 0;      // from the first hand-out to the last give-back
  std::array<FaultSum, kSightings> seen;  // by Sighting
  FaultSum again_seen;  // of the plain ones: known to be second faults on their pages
  CostHistogram costs;
  ReuseTally reuse;
  std::vector<double> placement;  // pages by node
  bool mapping = false;           // its blocks are mappings of the program's own

  const FaultSum& seen_as(Sighting sighting) const { return seen[static_cast<size_t>(sighting)]; }
  FaultSum all_seen() const {
    FaultSum all;
    for (const FaultSum& each : seen) all += each;
    return all;
  }
};

struct StackTally {
  std::vector<uint32_t> frames;  // indices into ImageTally::code, innermost first
};

inline constexpr uint32_t kNoModule = 0xFFFFFFFF;
// An address of code, fixed to the module that was loaded when it was met.
struct CodePlace {
  uint64_t address = 0;
  uint32_t module = kNoModule;  // index into ImageTally::modules
  bool return_address = false;  // the call is in front of it
};

struct ModuleTally {
  std::string path;
  uint64_t begin = 0, end = 0, bias = 0;
  std::vector<uint8_t> build_id;
};

struct ThreadTally {
  uint32_t tid = 0;
  std::string name;
};

struct TimeBucket {
  FaultSum faults;
  uint64_t resident_bytes = 0;  // 0: not known then
  uint64_t idle_bytes = 0;
  struct {
    double fresh = 0, warm = 0, partial = 0, cold = 0;
  } handouts;
};

struct PhaseTally {
  std::string name;
  uint64_t begin_ns = 0, end_ns = 0;  // monotonic
};

struct FeedKey {
  uint32_t from = 0, to = 0;
  bool operator==(const FeedKey&) const = default;
};
inline uint64_t hash_of(const FeedKey& key) {
  return mix(uint64_t{key.from} << 32 | key.to);
}
struct FeedTally {
  double handouts = 0, pages = 0, cross_node_pages = 0;
};

// Faults of one cell that lie close together; see slice_tally.h.
struct TimeSlice {
  uint64_t begin_ns = 0, end_ns = 0;  // monotonic
  CellKey cell;
  FaultSum sum;
};

// A block's life, as BlockLife in result.h but in the image's ids.
struct LifeTally {
  uint32_t site = 0, thread = 0, previous_site = kNoSite;
  uint64_t bytes = 0, pages = 0, touched = 0, faults = 0;
  FaultSum seen;
  uint64_t born_ns = 0;
  std::optional<uint64_t> gone_ns, idle_ns, resident_at_handout;
  HandOut handed_out = HandOut::unknown;
  double weight = 1;
};

struct ImageTally {
  std::string path, folder;  // of the image; its base name
  trace::Process process{};
  std::multimap<std::string, std::string> attributes;
  std::vector<ModuleTally> modules;
  std::vector<CodePlace> code;
  std::vector<StackTally> stacks;
  std::vector<ThreadTally> threads;
  std::vector<SiteTally> sites;
  FlatMap<CellKey, FaultSum> cells;
  std::array<FaultSum, kOwners> owners;  // seen; the row blocks is summed from the sites
  std::map<std::string, double> mappings;
  std::vector<PhaseTally> phases;
  std::vector<TimeBucket> timeline;
  uint64_t interval_ns = 1'000'000;
  std::optional<trace::Opening> opening;
  std::optional<trace::Usage> first_usage, last_usage;
  uint64_t opening_ns = 0;  // when that was counted
  uint64_t last_ns = 0;     // of the latest event
  std::array<std::optional<trace::Price>, 5> prices;
  std::map<std::string, uint64_t> calls;
  // Resident in the recorded blocks that were given back. Not weighted: the unrecorded ones lie at
  // the same addresses, one after the other.
  uint64_t idle_peak_bytes = 0, idle_at_end_bytes = 0;
  double populate_faults_elsewhere = 0;
  CostHistogram reuse_ns;  // in microseconds: give-back to next hand-out
  FlatMap<FeedKey, FeedTally> feeds;
  FlatMap<FeedKey, uint64_t> askers;  // blocks by (site, thread)
  struct Idle {
    uint32_t site;
    uint64_t bytes, resident_pages, since_ns;
  };
  std::vector<Idle> longest_idle;
  struct MapRow {
    uint32_t site;
    uint64_t bytes, pages, born_ns;
    std::optional<uint64_t> gone_ns;
    std::vector<TouchRun> touches;  // at_ns monotonic; tid as in the trace
  };
  std::vector<MapRow> block_map;
  std::vector<TimeSlice> slices;
  std::vector<LifeTally> lives;  // the largest, in no order
  uint64_t lives_left_out = 0;
  // How the faults were seen.
  bool perf = false;     // events; else residency only
  bool bursts = false;   // recording has stopped at some time
  bool sampled = false;  // at some time not every fault was recorded
  uint32_t greatest_period = 1;
  bool reads_known = false;       // records say which faults were loads
  bool zero_pages_known = false;  // somebody could tell which pages are the zero page
  // By payer and gap between bursts: faults that the payer has there by the burst before the gap,
  // less those that it has by the burst behind it. 0 where both say the same.
  FlatMap<FeedKey, double> gap_tilt;
  struct Gap {
    double faults = 0, looked_at = 0;  // in it; recorded at its sides, to speak for it
  };
  std::vector<Gap> gaps;
  uint64_t lost_faults = 0, lost_blocks = 0;
  bool huge_advised = false;
  bool may_be_huge = false;  // by advice, by the machine's setting, or seen
  bool has_final_usage = false;
  std::vector<std::string> warnings;
};

}  // namespace ftprof
