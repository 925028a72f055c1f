// `walks`: the same walk over four states of a page table.
#include <pthread.h>
#include <sys/mman.h>

#include <atomic>
#include <iostream>
#include <thread>

#include "tests/workload/clock.h"
#include "tests/workload/experiment.h"
#include "tests/workload/faults.h"
#include "tests/workload/machine.h"
#include "tests/workload/output.h"

#define WALK extern "C" [[gnu::noipa]]

WALK void* walk_region_a(size_t bytes) {
  return mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

WALK void* walk_region_c(size_t bytes) {
  return mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

WALK uint64_t walk_a_first_write(char* region, size_t pages, size_t page) {
  for (size_t i = 0; i < pages; ++i) region[i * page] = 1;
  return pages;
}

WALK uint64_t walk_b_second_write(char* region, size_t pages, size_t page) {
  for (size_t i = 0; i < pages; ++i) region[i * page] = 2;
  return 2 * pages;
}

WALK uint64_t walk_c_first_read(char* region, size_t pages, size_t page) {
  uint64_t sum = 0;
  for (size_t i = 0; i < pages; ++i) sum += static_cast<unsigned char>(region[i * page]);
  return sum;
}

WALK uint64_t walk_d_write_after_read(char* region, size_t pages, size_t page) {
  for (size_t i = 0; i < pages; ++i) region[i * page] = 3;
  return 3 * pages;
}

WALK uint64_t walk_sum(const char* region, size_t pages, size_t page) {
  uint64_t sum = 0;
  for (size_t i = 0; i < pages; ++i) sum += static_cast<unsigned char>(region[i * page]);
  return sum;
}

namespace ftprof::workload {
namespace {

using Json = nlohmann::ordered_json;
using WalkFunction = uint64_t (*)(char*, size_t, size_t);

struct WalksOptions {
  size_t mib = 256, threads = 1;
  std::string json;
};

constexpr uint64_t kStrayFaults = 10;  // per thread: its stack, its own bookkeeping

struct Walk {
  std::string name;
  WalkFunction function = nullptr;
  bool faults_everywhere = false, grows = false;
  uint64_t faults = 0, sum = 0, rss_before = 0, rss_after = 0;
  double ns = 0;
};

class Walks {
 public:
  explicit Walks(const WalksOptions& options)
      : options_(options), bytes_(options.mib << 20), pages_(bytes_ / page_bytes()) {}
  int run();

 private:
  char* region(void* mapping);
  void walk(char* region, Walk walk);
  void walk_shards(char* region, Walk& walk);
  void check(const char* region, const Walk& walk);
  void print() const;
  Json json() const;

  WalksOptions options_;
  size_t bytes_, pages_;
  std::vector<Walk> walks_;
  Checks checks_;
};

char* Walks::region(void* mapping) {
  if (mapping == MAP_FAILED) throw std::runtime_error("mmap failed");
  madvise(mapping, bytes_, MADV_NOHUGEPAGE);
  return static_cast<char*>(mapping);
}

// Each thread walks one shard and counts its own faults.
void Walks::walk_shards(char* region, Walk& walk) {
  std::atomic<uint64_t> faults = 0, sum = 0;
  auto shard = [&](size_t number) {
    size_t from = pages_ * number / options_.threads;
    size_t to = pages_ * (number + 1) / options_.threads;
    uint64_t before = thread_faults();
    sum += walk.function(region + from * page_bytes(), to - from, page_bytes());
    faults += thread_faults() - before;
  };
  std::vector<std::thread> others;
  uint64_t begin = now_ns();
  for (size_t i = 1; i < options_.threads; ++i) {
    others.emplace_back(shard, i);
    pthread_setname_np(others.back().native_handle(), ("walker-" + std::to_string(i)).c_str());
  }
  shard(0);
  for (std::thread& other : others) other.join();
  walk.ns = static_cast<double>(now_ns() - begin);
  walk.faults = faults;
  walk.sum = sum;
}

void Walks::walk(char* region, Walk walk) {
  walk.rss_before = own_memory_bytes("VmRSS");
  walk_shards(region, walk);
  walk.rss_after = own_memory_bytes("VmRSS");
  check(region, walk);
  walks_.push_back(walk);
}

void Walks::check(const char* region, const Walk& walk) {
  checks_.equal(walk.sum,
                walk.function == walk_c_first_read ? 0 : walk_sum(region, pages_, page_bytes()),
                walk.name + ": the sum of its bytes");
  uint64_t least = walk.faults_everywhere ? pages_ : 0;
  checks_.that(walk.faults >= least && walk.faults <= least + kStrayFaults * options_.threads,
               walk.name + " took " + std::to_string(walk.faults) + " faults, must be " +
                   std::to_string(least));
  // The kernel counts resident pages per CPU and adds them up late.
  auto growth = static_cast<int64_t>(walk.rss_after) - static_cast<int64_t>(walk.rss_before);
  int64_t wanted = walk.grows ? static_cast<int64_t>(bytes_) : 0;
  int64_t slack = std::max<int64_t>(2 << 20, static_cast<int64_t>(bytes_ / 64));
  checks_.that(std::abs(growth - wanted) <= slack,
               walk.name + " grew the resident set by " + std::to_string(growth) +
                   " bytes, must be about " + std::to_string(wanted));
}

void Walks::print() const {
  Table table({"walk", "faults", "per page", "ns/page", "RSS before", "RSS after", "growth MiB"});
  for (const Walk& walk : walks_) {
    double growth = static_cast<double>(walk.rss_after) - static_cast<double>(walk.rss_before);
    table.add({walk.name, grouped(walk.faults),
               fixed(static_cast<double>(walk.faults) / static_cast<double>(pages_), 3),
               fixed(walk.ns / static_cast<double>(pages_), 1),
               fixed(static_cast<double>(walk.rss_before) / (1 << 20), 1),
               fixed(static_cast<double>(walk.rss_after) / (1 << 20), 1),
               fixed(growth / (1 << 20), 1)});
  }
  std::cout << options_.mib << " MiB, " << grouped(pages_) << " pages of " << page_bytes()
            << " bytes, " << options_.threads << " thread(s)\n\n"
            << table.text();
}

Json Walks::json() const {
  Json rows = Json::array();
  for (const Walk& walk : walks_)
    rows.push_back({{"name", walk.name},
                    {"faults", walk.faults},
                    {"ns", walk.ns},
                    {"rss_before_bytes", walk.rss_before},
                    {"rss_after_bytes", walk.rss_after}});
  return {{"schema", "ftprof.walks/1"},
          {"page_bytes", page_bytes()},
          {"pages", pages_},
          {"options", {{"mib", options_.mib}, {"threads", options_.threads}}},
          {"walks", rows}};
}

int Walks::run() {
  load_program_text();
  char* written = region(walk_region_a(bytes_));
  walk(written, {"A first write", walk_a_first_write, true, true});
  walk(written, {"B second write", walk_b_second_write, false, false});
  munmap(written, bytes_);
  char* read = region(walk_region_c(bytes_));
  walk(read, {"C first read", walk_c_first_read, true, false});
  walk(read, {"D write after read", walk_d_write_after_read, true, true});
  munmap(read, bytes_);
  if (!checks_.passed()) return 1;
  if (options_.json != "-") print();
  return write_json(options_.json, json()) ? 0 : 2;
}

int run_walks(const WalksOptions& options) {
  return memory_suffices(options.mib << 20) ? Walks(options).run() : 2;
}

}  // namespace

void add_walks(CLI::App& app, int& status) {
  auto options = std::make_shared<WalksOptions>();
  CLI::App* command =
      app.add_subcommand("walks", "The same walk over four states of a page table.");
  command->add_option("--mib", options->mib, "size of a region")
      ->check(CLI::Range(8, 1 << 20))
      ->capture_default_str();
  command->add_option("--threads", options->threads, "threads that walk shards in parallel")
      ->check(CLI::Range(1, 256))
      ->capture_default_str();
  command->add_option("--json", options->json, "write the result here; - is standard output");
  command->callback([options, &status] { status = run_walks(*options); });
}

}  // namespace ftprof::workload
