// The images of a run, merged into one Result. One Merge lives as long as the merging; each step
// has a file of its own (merge_*.cpp).
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "analyzer/image_bill.h"
#include "analyzer/image_tally.h"
#include "analyzer/perf_map.h"
#include "analyzer/result.h"
#include "analyzer/symbols.h"
#include "analyzer/unplaced.h"

namespace ftprof {

// Sums of weighted blocks are told as whole counts.
inline uint64_t whole(double value) {
  return value > 0 ? static_cast<uint64_t>(value + 0.5) : 0;
}

// An image with its bill, and where its ids lead in the Result.
struct BilledImage {
  ImageTally tally;
  ImageBill bill;
  double start_ns = 0;                 // since the run's start
  uint32_t process = 0;                // index into Result::processes
  std::vector<uint32_t> modules;       // handles of Symbols
  std::vector<uint32_t> site_index;    // by site of the tally: index into the merged sites
  std::vector<uint32_t> thread_index;  // by thread of the tally: index into Result::threads
  std::vector<uint32_t> phase_index;
  std::vector<Unplaced> unplaced;
  std::optional<PerfMap> jit;  // read when the first address without a module is met
  std::unordered_map<uint32_t, std::vector<Frame>> jit_frames;  // by index of the code

  double since_start(uint64_t monotonic_ns) const {
    double since =
        static_cast<double>(monotonic_ns) - static_cast<double>(tally.process.start_monotonic_ns);
    return start_ns + std::max(0.0, since);
  }
};

inline std::array<std::optional<double>, kKinds> known_nothing() {
  std::array<std::optional<double>, kKinds> none;
  none.fill(0.0);
  return none;
}

// A site while it is being merged.
struct MergedSite {
  Site site;
  CostHistogram costs;
  double excess_ns = 0;
  double variance = 0, count_variance = 0;
  double count = 0, recorded = 0;
  std::array<std::optional<double>, kKinds> by_kind_ns = known_nothing();
  SiteTally sum;                                     // its plain numbers, summed
  std::map<std::string, uint64_t> askers;            // blocks by name of the thread
  std::map<uint32_t, ThreadCost> threads;            // by index into Result::threads
  std::unordered_map<std::string, TouchSite> touch;  // by name of the place
};

class Merge {
 public:
  Merge(std::vector<ImageTally> images, Symbols& symbols);
  Result result();

 private:
  void place_in_time();
  void add_run();
  void add_process(BilledImage& image);
  void add_notes();
  void chain_execs();

  void add_sites(BilledImage& image);
  uint32_t merged_site(BilledImage& image, const SiteTally& site);
  std::vector<Frame> stack_of(BilledImage& image, const SiteTally& site);
  void sum_site(MergedSite& merged, const BilledImage& image, SiteTally& site,
                const SiteBill& bill);
  void finish_sites();
  void finish_site(MergedSite& merged);

  void add_cells(BilledImage& image);
  void add_threads(BilledImage& image);
  const Frame& touch_frame(BilledImage& image, uint32_t ip);
  const std::vector<Frame>& frames_of(BilledImage& image, uint32_t code);
  const std::vector<Frame>& jit_frames_of(BilledImage& image, uint32_t code);

  void add_phases(BilledImage& image);
  void add_timeline();
  void add_ledger();
  void add_pool();
  void add_block_map();
  void add_huge();

  void add_slices();
  void add_slices_of(BilledImage& image);
  void settle_slices();
  void add_phase_sums();
  void add_lives();
  void add_modules();
  FaultSlice slice_of(BilledImage& image, const CellKey& cell, bool known);
  BlockLife life_of(const BilledImage& image, const LifeTally& tally);
  uint32_t touch_index(BilledImage& image, uint32_t site, uint32_t ip);

  std::vector<BilledImage> images_;
  Symbols& symbols_;
  Result result_;
  std::vector<std::unique_ptr<MergedSite>> sites_;
  std::unordered_map<std::string, uint32_t> site_by_key_;
  std::unordered_map<std::string, TouchSite> heap_touch_;
  std::map<std::string, uint32_t> ids_;
  // By site: the index of each touch site by name_of_place.
  std::unordered_map<uint32_t, std::unordered_map<std::string, uint32_t>> touch_indices_;
};

// FNV-1a, for ids that must not change between versions and machines.
uint64_t stable_hash(std::string_view text, uint64_t seed = 0xcbf29ce484222325u);
std::string hex(uint64_t value);
std::string hex_bytes(const std::vector<uint8_t>& bytes);
// What makes two touch sites one.
std::string name_of_place(const Frame& frame);

// When the fault rate settled; nothing when it never did (docs/report.md, "The end of warm-up").
std::optional<double> warmup_end(const Timeline& timeline);
// What the pool's figures say, in sentences.
std::vector<std::string> pool_verdicts(const Result& result);

}  // namespace ftprof
