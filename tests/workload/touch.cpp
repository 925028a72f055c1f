// `touch`: ways to pay for the first touch.
#include <malloc.h>
#include <sys/mman.h>

#include <cstdlib>
#include <iostream>

#include "tests/workload/clock.h"
#include "tests/workload/experiment.h"
#include "tests/workload/faults.h"
#include "tests/workload/machine.h"
#include "tests/workload/output.h"
#include "tests/workload/smaps.h"
#include "tests/workload/touch_code.h"

namespace ftprof::workload {
namespace {

using Json = nlohmann::ordered_json;
using Bytes = std::vector<unsigned char>;

struct TouchOptions {
  size_t mib = 1024;
  std::string mode = "all", json;
};

enum class Release { unmap, free, destroy };

// When a mode must pay for its pages, where that does not depend on the machine.
enum class Pays {
  anywhere,
  in_the_call,
  in_the_call_if_at_all,  // an allocator may hand out pages that are resident already
  in_the_first_pass,
};

struct Mode {
  const char* name;
  void* (*allocate)(size_t);
  Release release;
  Pays pays;
};

constexpr Mode kModes[] = {
    {"default", touch_map, Release::unmap, Pays::in_the_first_pass},
    {"nohugepage", touch_map_no_huge, Release::unmap, Pays::in_the_first_pass},
    {"hugepage", touch_map_huge, Release::unmap, Pays::in_the_first_pass},
    {"populate", touch_map_populate, Release::unmap, Pays::in_the_call},
    {"populate-write", touch_map_populate_write, Release::unmap, Pays::in_the_call},
    {"malloc-memset", touch_malloc_memset, Release::free, Pays::in_the_call_if_at_all},
    {"calloc", touch_calloc, Release::free, Pays::anywhere},  // an allocator may clear at once
    {"vector-zero", touch_vector_zero, Release::destroy, Pays::in_the_call_if_at_all},
    {"vector-one", touch_vector_one, Release::destroy, Pays::in_the_call_if_at_all},
};

constexpr uint64_t kStrayFaults = 10;

struct Phase {
  double ns = 0;
  uint64_t faults = 0;
};

struct Row {
  const Mode* mode = nullptr;
  Phase allocation, first, second;
  int64_t huge_allocated = 0, huge_refused = 0;  // of the whole machine, meanwhile
  uint64_t rss = 0, huge_bytes = 0;              // of the mapping
  uint64_t resident_at_handout = 0;  // pages; a profiler's faults in the call are not the block's
};

class Touch {
 public:
  explicit Touch(const TouchOptions& options)
      : options_(options), bytes_(options.mib << 20), pages_(bytes_ / page_bytes()) {}
  int run();

 private:
  template <class Work>
  static Phase timed(Work work);
  void run_mode(const Mode& mode);
  void pass(Row& row, char* block);
  void check(const Row& row);
  void print() const;
  Json json() const;

  TouchOptions options_;
  size_t bytes_, pages_;
  std::vector<Row> rows_;
  Checks checks_;
};

template <class Work>
Phase Touch::timed(Work work) {
  uint64_t faults = thread_faults(), begin = now_ns();
  work();
  double ns = static_cast<double>(now_ns() - begin);
  return {ns, thread_faults() - faults};
}

void Touch::pass(Row& row, char* block) {
  row.first = timed([&] { touch_first_pass(block, pages_, page_bytes(), 3); });
  checks_.equal(touch_sum(block, pages_, page_bytes()), 3 * pages_,
                std::string(row.mode->name) + ", first pass: the sum of its bytes");
  row.second = timed([&] { touch_second_pass(block, pages_, page_bytes(), 4); });
  checks_.equal(touch_sum(block, pages_, page_bytes()), 4 * pages_,
                std::string(row.mode->name) + ", second pass: the sum of its bytes");
}

void release(const Mode& mode, void* owner, size_t bytes) {
  if (mode.release == Release::unmap) munmap(owner, bytes);
  if (mode.release == Release::free) free(owner);
  if (mode.release == Release::destroy) delete static_cast<Bytes*>(owner);
}

void Touch::run_mode(const Mode& mode) {
  Row row;
  row.mode = &mode;
  HugeCounters before = huge_counters();
  void* owner = nullptr;
  row.allocation = timed([&] { owner = mode.allocate(bytes_); });
  if (!owner || owner == MAP_FAILED) throw std::runtime_error(std::string(mode.name) + " failed");
  void* block = mode.release == Release::destroy ? static_cast<Bytes*>(owner)->data() : owner;
  row.resident_at_handout = resident_pages(block, bytes_);
  pass(row, static_cast<char*>(block));
  HugeCounters after = huge_counters();
  row.huge_allocated = static_cast<int64_t>(after.allocated - before.allocated);
  row.huge_refused = static_cast<int64_t>(after.refused - before.refused);
  MappingUse use = mapping_use(block, bytes_);
  row.rss = use.rss_bytes;
  row.huge_bytes = use.huge_bytes;
  release(mode, owner, bytes_);
  check(row);
  rows_.push_back(row);
}

void Touch::check(const Row& row) {
  std::string name = row.mode->name;
  checks_.that(row.second.faults <= kStrayFaults,
               name + ": the second pass took " + std::to_string(row.second.faults) + " faults");
  Pays pays = row.mode->pays;
  if (pays == Pays::in_the_call || pays == Pays::in_the_call_if_at_all)
    checks_.that(row.first.faults <= kStrayFaults,
                 name + ": the first pass took " + std::to_string(row.first.faults) +
                     " faults, the allocation must have taken all");
  if (pays == Pays::in_the_call)
    checks_.that(row.resident_at_handout >= pages_, name + ": the allocation left pages untouched");
  if (pays == Pays::in_the_first_pass)
    checks_.that(row.resident_at_handout <= kStrayFaults && row.first.faults > 0,
                 name + ": " + std::to_string(row.resident_at_handout) +
                     " pages were resident before the first pass, which must pay for all");
  if (name == "nohugepage")
    checks_.that(row.first.faults >= pages_ && row.huge_bytes == 0,
                 name + ": " + std::to_string(row.first.faults) + " faults, must be one a page");
}

void Touch::print() const {
  std::cout << options_.mib << " MiB, " << grouped(pages_) << " pages, allocator "
            << allocator_name() << ", huge pages: enabled " << thp_setting("enabled") << ", defrag "
            << thp_setting("defrag") << "\n\n";
  Table cost({"mode", "step", "ms", "faults", "ns/page"});
  for (const Row& row : rows_) {
    auto add = [&](const char* mode, const char* step, const Phase& phase) {
      cost.add({mode, step, fixed(phase.ns / 1e6, 2), grouped(phase.faults),
                fixed(phase.ns / static_cast<double>(pages_), 1)});
    };
    add(row.mode->name, "allocation", row.allocation);
    add("", "first pass", row.first);
    add("", "second pass", row.second);
  }
  Table huge({"mode", "thp_fault_alloc", "thp_fault_fallback", "Rss MiB", "AnonHugePages MiB"});
  for (const Row& row : rows_)
    huge.add({row.mode->name, std::to_string(row.huge_allocated), std::to_string(row.huge_refused),
              std::to_string(row.rss >> 20), std::to_string(row.huge_bytes >> 20)});
  std::cout << cost.text() << "\n" << huge.text();
}

Json phase_json(const Phase& phase) {
  return {{"ns", phase.ns}, {"faults", phase.faults}};
}

Json Touch::json() const {
  Json rows = Json::array();
  for (const Row& row : rows_)
    rows.push_back({{"mode", row.mode->name},
                    {"allocation", phase_json(row.allocation)},
                    {"resident_pages_at_handout", row.resident_at_handout},
                    {"first", phase_json(row.first)},
                    {"second", phase_json(row.second)},
                    {"thp_fault_alloc", row.huge_allocated},
                    {"thp_fault_fallback", row.huge_refused},
                    {"rss_bytes", row.rss},
                    {"huge_bytes", row.huge_bytes}});
  return {{"schema", "ftprof.touch/1"},
          {"page_bytes", page_bytes()},
          {"pages", pages_},
          {"allocator", allocator_name()},
          {"thp", {{"enabled", thp_setting("enabled")}, {"defrag", thp_setting("defrag")}}},
          {"modes", rows}};
}

int Touch::run() {
  load_program_text();
  mallopt(M_MMAP_THRESHOLD, 128 * 1024);  // glibc treats small --mib as it does large ones
  for (const Mode& mode : kModes)
    if (options_.mode == "all" || options_.mode == mode.name) run_mode(mode);
  if (!checks_.passed()) return 1;
  if (options_.json != "-") print();
  return write_json(options_.json, json()) ? 0 : 2;
}

int run_touch(const TouchOptions& options) {
  return memory_suffices(options.mib << 20) ? Touch(options).run() : 2;
}

}  // namespace

void add_touch(CLI::App& app, int& status) {
  auto options = std::make_shared<TouchOptions>();
  CLI::App* command = app.add_subcommand("touch", "Ways to pay for the first touch.");
  std::vector<std::string> names{"all"};
  for (const Mode& mode : kModes) names.emplace_back(mode.name);
  command->add_option("mode", options->mode, "how the memory is asked for")
      ->check(CLI::IsMember(names))
      ->capture_default_str();
  command->add_option("--mib", options->mib, "size of the block")
      ->check(CLI::Range(4, 1 << 20))
      ->capture_default_str();
  command->add_option("--json", options->json, "write the result here; - is standard output");
  command->callback([options, &status] { status = run_touch(*options); });
}

}  // namespace ftprof::workload
