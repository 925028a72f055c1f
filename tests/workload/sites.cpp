// `sites`: a known answer, to compare a report with, number by number.
//
// Every step on a block is taken on its model too (sites_model.h); the kernel's own counts must
// agree with the model, or the run ends with status 1 and prints no answer.
#include <fcntl.h>
#include <malloc.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <climits>
#include <deque>
#include <functional>
#include <iostream>
#include <thread>

#include "tests/workload/experiment.h"
#include "tests/workload/faults.h"
#include "tests/workload/machine.h"
#include "tests/workload/output.h"
#include "tests/workload/sites_model.h"

namespace ftprof::workload {
namespace {

using Json = nlohmann::ordered_json;
using Allocate = void* (*)(size_t);
using Touch = uint64_t (*)(Steps);

struct SitesOptions {
  size_t pages = 64, blocks = 3, threads = 2, rounds = 3, huge_ranges = 2;
  std::string json;
};

// Faults that a touch may take beside the block's own: its stack, a page of code thrown out since.
constexpr uint64_t kStrayFaults = 4;
constexpr int kThreshold = 128 * 1024;  // set, so that glibc does not move it

std::string thread_name() {
  char name[16] = {};
  prctl(PR_GET_NAME, name);
  return name;
}

// Huge pages would make every count depend on where a mapping happens to lie.
void huge_pages(bool allowed) {
  prctl(PR_SET_THP_DISABLE, allowed ? 0 : 1, 0, 0, 0);
}

// glibc's word before a block: its size, and in bit 1 whether it has a mapping of its own.
bool is_mapped_chunk(const void* block) {
  return static_cast<const size_t*>(block)[-1] & 2;
}

class Sites {
 public:
  explicit Sites(const SitesOptions& options) : options_(options), main_(thread_name()) {}
  int run();

 private:
  SiteAnswer& answer(const char* function, const char* touch, const char* api);
  size_t pages_of(size_t block) const { return options_.pages * (block + 1); }
  size_t bytes_of(size_t block) const { return pages_of(block) * page_bytes(); }
  Steps all_of(const BlockModel& block) const;

  // The steps: on the block, on its model, and compared with the kernel's count.
  void faults_agree(uint64_t before, uint64_t wanted, const std::string& what);
  void store(BlockModel& block, Touch touch, Steps steps);
  void load(BlockModel& block, Touch touch, Steps steps);
  void read_back_agrees(Steps steps, const std::string& what);
  void state_agrees(const BlockModel& block, const SiteAnswer& site);
  void give_back(BlockModel& block, const SiteAnswer& site);

  using Exercise = std::function<void(BlockModel&)>;
  void mapped(SiteAnswer& site, Allocate allocate, const Exercise& exercise);
  void allocated(SiteAnswer& site, Allocate allocate, Touch touch, void (*release)(void*));
  bool hand_out_chunk(BlockModel& block, void* address, size_t bytes, SiteAnswer& site);

  void mmap_sites();
  void huge_site();
  void touch_huge(BlockModel& block);
  void populate_sites();
  void kernel_copy_site();
  void threads_site();
  void remap_site();
  void refault_site();
  void malloc_sites();
  void move_site();
  void copy_site();
  void heap_site();
  void skip(const std::string& function, const std::string& why) { skipped_[function] = why; }

  Json json() const;
  Json site_json(const SiteAnswer& site) const;
  void print() const;

  SitesOptions options_;
  std::string main_;
  std::deque<SiteAnswer> answers_;
  std::map<std::string, std::string> skipped_;
  History history_;
  Checks checks_;
};

SiteAnswer& Sites::answer(const char* function, const char* touch, const char* api) {
  SiteAnswer site;
  site.function = function;
  site.touch_function = touch;
  site.api = api;
  return answers_.emplace_back(site);
}

Steps Sites::all_of(const BlockModel& block) const {
  return {block.address(), page_bytes(), block.bytes() / page_bytes()};
}

void Sites::faults_agree(uint64_t before, uint64_t wanted, const std::string& what) {
  uint64_t got = thread_faults() - before;
  checks_.that(
      got >= wanted && got <= wanted + kStrayFaults,
      what + " took " + std::to_string(got) + " faults, must be " + std::to_string(wanted));
}

void Sites::read_back_agrees(Steps steps, const std::string& what) {
  uint64_t wanted = 0;
  for (size_t i = 0; i < steps.count; ++i) wanted += static_cast<unsigned char>(page_value(i));
  checks_.equal(read_back(steps), wanted, what + ": the sum read back");
}

void Sites::store(BlockModel& block, Touch touch, Steps steps) {
  uint64_t before = thread_faults();
  touch(steps);
  faults_agree(before, block.write(steps, main_), block.site().touch_function);
  read_back_agrees(steps, block.site().touch_function);
}

void Sites::load(BlockModel& block, Touch touch, Steps steps) {
  uint64_t before = thread_faults();
  uint64_t sum = touch(steps);
  faults_agree(before, block.read(steps, main_), block.site().touch_function);
  checks_.equal(sum, 0, block.site().touch_function + ": the sum of untouched memory");
}

void Sites::state_agrees(const BlockModel& block, const SiteAnswer& site) {
  checks_.equal(resident_pages(block.address(), block.bytes()), block.resident(),
                site.function + ": resident pages");
  int64_t zero = zero_pages(block.address(), block.bytes());
  if (zero >= 0)
    checks_.equal(static_cast<uint64_t>(zero), block.zero(), site.function + ": zero pages");
}

void Sites::give_back(BlockModel& block, const SiteAnswer& site) {
  state_agrees(block, site);
  block.give_back();
}

// All blocks of a site live at once, so that no block gets the addresses of the one before it.
void Sites::mapped(SiteAnswer& site, Allocate allocate, const Exercise& exercise) {
  std::deque<BlockModel> blocks;
  for (size_t i = 0; i < options_.blocks; ++i) {
    BlockModel& block = blocks.emplace_back(site, pages_of(i) + 1);
    block.begin(allocate(bytes_of(i)), bytes_of(i));
    block.hand_out(history_);
  }
  for (BlockModel& block : blocks) exercise(block);
  for (BlockModel& block : blocks) {
    give_back(block, site);
    munmap(block.address(), block.bytes());
  }
}

void Sites::mmap_sites() {
  mapped(answer("write_allocate", "write_touch", "mmap"), write_allocate,
         [&](BlockModel& block) { store(block, write_touch, all_of(block)); });
  mapped(answer("partial_allocate", "partial_touch", "mmap"), partial_allocate,
         [&](BlockModel& block) {
           Steps half = all_of(block);
           half.count /= 2;
           store(block, partial_touch, half);
         });
  mapped(answer("read_allocate", "read_touch", "mmap"), read_allocate,
         [&](BlockModel& block) { load(block, read_touch, all_of(block)); });
  mapped(answer("read_write_allocate", "read_write_read_touch", "mmap"), read_write_allocate,
         [&](BlockModel& block) {
           load(block, read_write_read_touch, all_of(block));
           Steps half = all_of(block);
           half.count /= 2;
           store(block, read_write_write_touch, half);
         });
}

// Only whole aligned huge pages are touched; the unaligned ends stay untouched.
void Sites::touch_huge(BlockModel& block) {
  uintptr_t huge = huge_page_bytes();
  uintptr_t first = (reinterpret_cast<uintptr_t>(block.address()) + huge - 1) / huge * huge;
  for (size_t i = 0; i < options_.huge_ranges; ++i) {
    Steps steps{reinterpret_cast<char*>(first + i * huge), page_bytes(), huge / page_bytes()};
    uint64_t before = thread_faults();
    huge_touch(steps);
    bool mapped_huge = thread_faults() - before <= 1 + kStrayFaults;
    faults_agree(before, mapped_huge ? block.write_huge(steps, main_) : block.write(steps, main_),
                 "huge_touch");
    if (!mapped_huge) skip("huge pages", "refused: enabled is " + thp_setting("enabled"));
    read_back_agrees(steps, "huge_touch");
  }
}

void Sites::huge_site() {
  size_t huge = huge_page_bytes();
  if (!huge) return skip("huge_allocate", "this kernel has no transparent huge pages");
  SiteAnswer& site = answer("huge_allocate", "huge_touch", "mmap");
  size_t bytes = (options_.huge_ranges + 1) * huge;
  BlockModel block(site, bytes / page_bytes());
  huge_pages(true);
  block.begin(huge_allocate(bytes), bytes);
  block.hand_out(history_);
  touch_huge(block);
  huge_pages(false);
  give_back(block, site);
  munmap(block.address(), bytes);
}

void Sites::populate_sites() {
  mapped(answer("populate_allocate", "populate_touch", "mmap"), populate_allocate,
         [&](BlockModel& block) {
           block.populate(main_);
           store(block, populate_touch, all_of(block));
         });
  mapped(answer("populate_write_allocate", "populate_write_touch", "mmap"), populate_write_allocate,
         [&](BlockModel& block) {
           uint64_t before = thread_faults();
           if (populate_write_advise(block.address(), block.bytes()))
             faults_agree(before, block.populate(main_), "populate_write_advise");
           else
             skip("MADV_POPULATE_WRITE", "this kernel does not know it (before 5.14)");
           store(block, populate_write_touch, all_of(block));
         });
}

void Sites::kernel_copy_site() {
  SiteAnswer& site = answer("kernel_copy_allocate", "kernel_copy_touch", "mmap");
  int file = memfd_create("ftprof-workload", MFD_CLOEXEC);
  std::vector<char> page(page_bytes());
  for (size_t i = 0; i < pages_of(options_.blocks - 1); ++i) {
    page.assign(page.size(), page_value(i));
    checks_.equal(static_cast<uint64_t>(write(file, page.data(), page.size())), page.size(),
                  "bytes written to the file");
  }
  mapped(site, kernel_copy_allocate, [&](BlockModel& block) {
    uint64_t before = thread_faults();
    checks_.that(kernel_copy_touch(file, block.address(), block.bytes()), "read(2) of the file");
    faults_agree(before, block.kernel_copy(), site.touch_function);
    read_back_agrees(all_of(block), site.touch_function);
  });
  close(file);
}

// The n-th toucher touches the n-th share of every block.
void Sites::threads_site() {
  mapped(answer("threads_allocate", "threads_touch", "mmap"), threads_allocate,
         [&](BlockModel& block) {
           Steps all = all_of(block);
           for (size_t i = 0; i < options_.threads; ++i) {
             size_t from = all.count * i / options_.threads;
             size_t to = all.count * (i + 1) / options_.threads;
             Steps share{all.first + from * all.step, all.step, to - from};
             std::string name = "toucher-" + std::to_string(i + 1);
             uint64_t taken = 0;
             std::thread([&] {
               pthread_setname_np(pthread_self(), name.c_str());
               uint64_t before = thread_faults();
               threads_touch(share);
               taken = thread_faults() - before;
             }).join();
             faults_agree(thread_faults() - taken, block.write(share, name), "threads_touch");
             read_back_agrees(share, "threads_touch");
           }
         });
}

// Rounds of mmap, touch, munmap: the kernel gives the addresses again, never the pages.
void Sites::remap_site() {
  SiteAnswer& site = answer("remap_allocate", "remap_touch", "mmap");
  for (size_t round = 0; round < options_.rounds; ++round) {
    BlockModel block(site, pages_of(0));
    block.begin(remap_allocate(bytes_of(0)), bytes_of(0));
    block.hand_out(history_);
    store(block, remap_touch, all_of(block));
    give_back(block, site);
    munmap(block.address(), block.bytes());
  }
}

void Sites::refault_site() {
  mapped(answer("refault_allocate", "refault_touch", "mmap"), refault_allocate,
         [&](BlockModel& block) {
           store(block, refault_touch, all_of(block));
           madvise(block.address(), block.bytes(), MADV_DONTNEED);
           block.drop();
           store(block, refault_touch, all_of(block));
         });
}

// A glibc chunk with a mapping of its own: malloc writes the header in front of the block.
bool Sites::hand_out_chunk(BlockModel& block, void* address, size_t bytes, SiteAnswer& site) {
  block.begin(address, bytes);
  block.hand_out(history_);
  uintptr_t at = reinterpret_cast<uintptr_t>(address);
  block.fault_in_call(at - 16, at, main_);
  checks_.that(is_mapped_chunk(address), site.function + ": the block has a mapping of its own");
  return is_mapped_chunk(address);
}

void Sites::allocated(SiteAnswer& site, Allocate allocate, Touch touch, void (*release)(void*)) {
  std::deque<BlockModel> blocks;
  for (size_t i = 0; i < options_.blocks; ++i) {
    BlockModel& block = blocks.emplace_back(site, pages_of(i) + 2);
    hand_out_chunk(block, allocate(bytes_of(i)), bytes_of(i), site);
  }
  for (BlockModel& block : blocks) store(block, touch, all_of(block));
  for (BlockModel& block : blocks) {
    give_back(block, site);
    release(block.address());
  }
}

void Sites::malloc_sites() {
  allocated(answer("malloc_allocate", "malloc_touch", "malloc"), malloc_allocate, malloc_touch,
            free);
  allocated(answer("calloc_allocate", "calloc_touch", "calloc"), calloc_allocate, calloc_touch,
            free);
  allocated(answer("new_array_allocate", "new_array_touch", "operator_new_array"),
            new_array_allocate, new_array_touch, [](void* p) { ::operator delete[](p); });
  allocated(answer("aligned_allocate", "aligned_touch", "posix_memalign"), aligned_allocate,
            aligned_touch, free);
}

// glibc grows a block with a mapping of its own by mremap: the touched pages come along.
void Sites::move_site() {
  SiteAnswer& old_site = answer("move_old_allocate", "move_touch", "malloc");
  SiteAnswer& site = answer("move_allocate", "move_touch", "realloc");
  for (size_t i = 0; i < options_.blocks; ++i) {
    BlockModel old(old_site, pages_of(i) + 2), block(site, 2 * pages_of(i) + 2);
    hand_out_chunk(old, move_old_allocate(bytes_of(i)), bytes_of(i), old_site);
    store(old, move_touch, all_of(old));
    give_back(old, old_site);
    block.begin(move_allocate(old.address(), 2 * bytes_of(i)), 2 * bytes_of(i));
    block.inherit(old);
    block.hand_out(history_);
    Steps steps = all_of(block), half = steps;
    half.count /= 2;
    read_back_agrees(half, site.function);
    half.first += half.count * half.step;
    store(block, move_touch, half);
    give_back(block, site);
    free(block.address());
  }
}

// A block of the heap below the tracked size that grows past the threshold: realloc copies it.
void Sites::copy_site() {
  SiteAnswer& site = answer("copy_allocate", "copy_touch", "realloc");
  mallopt(M_TOP_PAD, 0);  // no room behind the heap's end that the new block would fit into
  malloc_trim(0);
  for (size_t i = 0; i < options_.blocks; ++i) {
    constexpr size_t kOldBytes = 100 * 1024;
    void* old = copy_old_allocate(kOldBytes);
    void* guard = malloc(64);  // keeps the old block from growing in place
    size_t copied = malloc_usable_size(old);
    BlockModel block(site, pages_of(i) + 2);
    void* address = copy_allocate(old, bytes_of(i));
    if (hand_out_chunk(block, address, bytes_of(i), site)) {
      uintptr_t at = reinterpret_cast<uintptr_t>(address);
      block.fault_in_call(at, at + copied, main_);
    }
    store(block, copy_touch, all_of(block));
    give_back(block, site);
    free(address);
    free(guard);
  }
}

// Rounds of malloc, touch, free of a block in the heap that glibc keeps: warm from the second on.
// Nothing may allocate between free and the next malloc, or it would be cut from the block.
void Sites::heap_site() {
  SiteAnswer& site = answer("heap_allocate", "heap_touch", "malloc");
  site.touch_threads[main_] = 0;
  BlockModel block(site, pages_of(0) + 2), before(site, pages_of(0) + 2);
  mallopt(M_MMAP_MAX, 0);
  mallopt(M_TRIM_THRESHOLD, -1);
  malloc_trim(0);
  for (size_t round = 0; round < options_.rounds; ++round) {
    void* address = heap_allocate(bytes_of(0));
    uintptr_t at = reinterpret_cast<uintptr_t>(address);
    size_t chunk = static_cast<size_t*>(address)[-1] & ~size_t{7};
    block.begin(address, bytes_of(0));
    if (round > 0) {
      checks_.that(address == before.address(), "heap_allocate: the same block again");
      block.inherit(before);
    }
    block.resident_before(at - 8);  // the heap ended here: its last word was written
    block.hand_out(history_);
    block.fault_in_call(at - 16 + chunk + 8, at - 16 + chunk + 16, main_);  // where it ends now
    store(block, heap_touch, all_of(block));
    give_back(block, site);
    before = block;
    free(address);
  }
}

Json Sites::site_json(const SiteAnswer& site) const {
  const SiteFaults& faults = site.faults;
  const SiteReuse& reuse = site.reuse;
  Json threads = Json::array();
  for (const auto& [name, count] : site.touch_threads)
    if (count) threads.push_back({{"name", name}, {"faults", count}});
  return {{"function", site.function},
          {"touch_function", site.touch_function},
          {"api", site.api},
          {"blocks", site.blocks},
          {"bytes", site.bytes},
          {"handed_out_pages", site.handed_out_pages},
          {"touched_pages", site.touched_pages},
          {"untouched_pages", site.handed_out_pages - site.touched_pages},
          {"zero_pages", site.zero_pages},
          {"huge_pages", site.huge_pages},
          {"faults",
           {{"count", faults.count()},
            {"write", faults.write},
            {"zero_read", faults.zero_read},
            {"write_after_zero_read", faults.write_after_zero_read},
            {"huge", faults.huge},
            {"in_call", faults.in_call},
            {"kernel_copy", faults.kernel_copy}}},
          {"reuse",
           {{"fresh", reuse.fresh},
            {"warm", reuse.warm},
            {"partial", reuse.partial},
            {"cold", reuse.cold},
            {"warm_pages", reuse.warm_pages}}},
          {"touch_threads", threads}};
}

Json Sites::json() const {
  Json sites = Json::array();
  for (const SiteAnswer& site : answers_) sites.push_back(site_json(site));
  return {{"schema", "ftprof.sites/1"},
          {"page_bytes", page_bytes()},
          {"huge_page_bytes", huge_page_bytes()},
          {"thp", {{"enabled", thp_setting("enabled")}, {"defrag", thp_setting("defrag")}}},
          {"allocator", allocator_name()},
          {"options",
           {{"pages", options_.pages},
            {"blocks", options_.blocks},
            {"threads", options_.threads},
            {"rounds", options_.rounds},
            {"huge_ranges", options_.huge_ranges}}},
          {"skipped", skipped_},
          {"sites", sites}};
}

void Sites::print() const {
  Table table({"site", "blocks", "pages", "touched", "zero", "write", "read", "after", "huge",
               "in call", "copied"});
  for (const SiteAnswer& site : answers_) {
    std::vector<std::string> row{site.function};
    for (uint64_t value :
         {site.blocks, site.handed_out_pages, site.touched_pages, site.zero_pages,
          site.faults.write, site.faults.zero_read, site.faults.write_after_zero_read,
          site.faults.huge, site.faults.in_call, site.faults.kernel_copy})
      row.push_back(std::to_string(value));
    table.add(row);
  }
  std::cout << table.text();
  for (const auto& [what, why] : skipped_) std::cout << "left out: " << what << ": " << why << "\n";
}

int Sites::run() {
  load_program_text();
  huge_pages(false);
  mallopt(M_MMAP_THRESHOLD, kThreshold);
  history_.reserve(32 * (options_.blocks + options_.rounds));
  mmap_sites();
  huge_site();
  populate_sites();
  kernel_copy_site();
  threads_site();
  remap_site();
  refault_site();
  if (allocator_is_glibc()) {
    malloc_sites();
    move_site();
    copy_site();
    heap_site();
  } else {
    skip("malloc", "what " + allocator_name() + " touches in a call is not known here");
  }
  if (!checks_.passed()) return 1;
  if (options_.json != "-") print();
  return write_json(options_.json, json()) ? 0 : 2;
}

}  // namespace

void add_sites(CLI::App& app, int& status) {
  auto options = std::make_shared<SitesOptions>();
  CLI::App* command = app.add_subcommand("sites", "A known answer to compare a report with.");
  command
      ->add_option("--pages", options->pages,
                   "pages of a site's first block; the n-th has n times as many")
      ->check(CLI::Range(32, 16384))
      ->capture_default_str();
  command->add_option("--blocks", options->blocks, "blocks of each site")
      ->check(CLI::Range(1, 4))
      ->capture_default_str();
  command->add_option("--threads", options->threads, "threads that share the touching of a block")
      ->check(CLI::Range(1, 32))
      ->capture_default_str();
  command->add_option("--rounds", options->rounds, "times that a block is asked for again")
      ->check(CLI::Range(1, 100))
      ->capture_default_str();
  command->add_option("--huge-ranges", options->huge_ranges, "huge pages that are touched")
      ->check(CLI::Range(1, 64))
      ->capture_default_str();
  command->add_option("--json", options->json, "write the answer here; - is standard output");
  command->callback([options, &status] { status = Sites(*options).run(); });
}

}  // namespace ftprof::workload
