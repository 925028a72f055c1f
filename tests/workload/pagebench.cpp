// `pagebench`: the allocator's own speed, over sizes from a word to a mapping.
#include "tests/workload/pagebench.h"

#include <dlfcn.h>
#include <sys/mman.h>

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iostream>
#include <regex>
#include <thread>

#include "tests/workload/clock.h"
#include "tests/workload/experiment.h"
#include "tests/workload/machine.h"
#include "tests/workload/output.h"

#define BENCH extern "C" [[gnu::noipa]]

constexpr size_t kWritten = 64;  // bytes of a block that random_replace writes

// One store between malloc and free. Returns the sum of what was stored, or 0 when malloc failed.
BENCH uint64_t pagebench_alloc_free_pair(size_t bytes, size_t ops) {
  uint64_t sum = 0;
  for (size_t i = 0; i < ops; ++i) {
    auto* block = static_cast<volatile unsigned char*>(malloc(bytes));
    if (!block) return 0;
    *block = static_cast<unsigned char>(i | 1);
    sum += *block;
    free(const_cast<unsigned char*>(block));
  }
  return sum;
}

// Replaces one of `slots` live blocks, drawn by splitmix64. Returns how many blocks still held what
// was written into them, or 0 when malloc failed.
BENCH uint64_t pagebench_random_replace(size_t bytes, size_t ops, void** live, size_t slots,
                                        uint64_t seed) {
  uint64_t intact = 0;
  size_t written = bytes < kWritten ? bytes : kWritten;
  for (size_t i = 0; i < ops; ++i) {
    uint64_t random = seed += 0x9e3779b97f4a7c15;
    random = (random ^ (random >> 30)) * 0xbf58476d1ce4e5b9;
    random = (random ^ (random >> 27)) * 0x94d049bb133111eb;
    size_t slot = (random ^ (random >> 31)) % slots;
    auto* old = static_cast<unsigned char*>(live[slot]);
    intact += old[0] == (slot & 0xff) && old[written - 1] == (slot & 0xff);
    free(old);
    live[slot] = malloc(bytes);
    if (!live[slot]) return 0;
    memset(live[slot], static_cast<int>(slot & 0xff), written);
  }
  return intact;
}

// A batch of whole blocks written, then all freed. Returns how many blocks were found written.
BENCH uint64_t pagebench_alloc_memset_free(size_t bytes, void** batch, size_t blocks) {
  uint64_t found = 0;
  for (size_t i = 0; i < blocks; ++i) {
    batch[i] = malloc(bytes);
    if (!batch[i]) return 0;
    memset(batch[i], static_cast<int>(i & 0xff), bytes);
  }
  for (size_t i = 0; i < blocks; ++i) {
    found += static_cast<unsigned char*>(batch[i])[bytes - 1] == (i & 0xff);
    free(batch[i]);
  }
  return found;
}

namespace ftprof::workload {
namespace {

using Json = nlohmann::ordered_json;

constexpr size_t kSizes[] = {16, 128, 1024, 4096, 8192, 16384, 32768, 262144, 1048576};
constexpr size_t kSlots = 4096, kBatchBlocks = 65536, kBatchBytes = 256 << 20, kThreads = 8;

struct PagebenchOptions {
  double scale = 1;
  std::string only, json;
  std::vector<std::string> joined;
};

// Fewer operations on large blocks, so that each row takes about as long.
size_t ops_for(size_t bytes, double scale) {
  double ops = std::clamp(double(1 << 30) / static_cast<double>(bytes), 2e4, 2e6) * scale;
  return std::max<size_t>(static_cast<size_t>(ops), 16);
}

// A table of pointers that is not malloc's: the allocator under test must not see it.
class Pointers {
 public:
  explicit Pointers(size_t count)
      : bytes_(count * sizeof(void*)),
        table_(mmap(nullptr, bytes_, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0)) {
    if (table_ == MAP_FAILED) throw std::runtime_error("mmap failed");
  }
  ~Pointers() { munmap(table_, bytes_); }
  Pointers(const Pointers&) = delete;
  Pointers& operator=(const Pointers&) = delete;
  void** get() const { return static_cast<void**>(table_); }

 private:
  size_t bytes_;
  void* table_;
};

class Pagebench {
 public:
  explicit Pagebench(const PagebenchOptions& options) : options_(options), only_(options.only) {}
  int run();

 private:
  bool wanted(const std::string& benchmark, size_t bytes) const;
  void add(const std::string& benchmark, size_t bytes, double ns, double ops, double gib);
  void alloc_free_pair(size_t bytes);
  void random_replace(size_t bytes);
  void alloc_memset_free(size_t bytes);
  void random_replace_mt8(size_t bytes);
  void print_head() const;
  Json json() const;

  PagebenchOptions options_;
  std::regex only_;
  std::vector<BenchRow> rows_;
  Checks checks_;
};

bool Pagebench::wanted(const std::string& benchmark, size_t bytes) const {
  return std::regex_search(benchmark + "/" + std::to_string(bytes), only_);
}

void Pagebench::add(const std::string& benchmark, size_t bytes, double ns, double ops, double gib) {
  rows_.push_back({benchmark, bytes, ns / ops, gib > 0 ? gib / (ns / 1e9) : 0});
  if (options_.json != "-") std::cout << row_text(rows_.back()) << std::endl;
}

void Pagebench::alloc_free_pair(size_t bytes) {
  if (!wanted("alloc_free_pair", bytes)) return;
  size_t ops = ops_for(bytes, options_.scale);
  uint64_t wanted_sum = 0;
  for (size_t i = 0; i < ops; ++i) wanted_sum += static_cast<unsigned char>(i | 1);
  uint64_t begin = now_ns();
  uint64_t sum = pagebench_alloc_free_pair(bytes, ops);
  double ns = static_cast<double>(now_ns() - begin);
  checks_.equal(sum, wanted_sum, "alloc_free_pair: the sum of its stores");
  add("alloc_free_pair", bytes, ns, static_cast<double>(ops), 0);
}

bool fill_slots(void** live, size_t bytes) {
  for (size_t slot = 0; slot < kSlots; ++slot) {
    live[slot] = malloc(bytes);
    if (!live[slot]) return false;
    memset(live[slot], static_cast<int>(slot & 0xff), std::min(bytes, kWritten));
  }
  return true;
}

void free_slots(void** live) {
  for (size_t slot = 0; slot < kSlots; ++slot) free(live[slot]);
}

void Pagebench::random_replace(size_t bytes) {
  if (!wanted("random_replace", bytes)) return;
  Pointers live(kSlots);
  size_t ops = ops_for(bytes, options_.scale);
  checks_.that(fill_slots(live.get(), bytes), "random_replace: malloc gave its blocks");
  if (!checks_.passed()) return;
  uint64_t begin = now_ns();
  uint64_t intact = pagebench_random_replace(bytes, ops, live.get(), kSlots, 42);
  double ns = static_cast<double>(now_ns() - begin);
  checks_.equal(intact, ops, "random_replace: blocks that held what was written");
  free_slots(live.get());
  add("random_replace", bytes, ns, static_cast<double>(ops), 0);
}

void Pagebench::alloc_memset_free(size_t bytes) {
  if (!wanted("alloc_memset_free", bytes)) return;
  double most = static_cast<double>(std::min(kBatchBlocks, kBatchBytes / bytes));
  auto blocks = std::max<size_t>(static_cast<size_t>(most * std::min(options_.scale, 1.0)), 1);
  Pointers batch(blocks);
  uint64_t begin = now_ns();
  uint64_t found = pagebench_alloc_memset_free(bytes, batch.get(), blocks);
  double ns = static_cast<double>(now_ns() - begin);
  checks_.equal(found, blocks, "alloc_memset_free: blocks found written");
  double gib = static_cast<double>(blocks * bytes) / (1 << 30);
  add("alloc_memset_free", bytes, ns, static_cast<double>(blocks), gib);
}

void Pagebench::random_replace_mt8(size_t bytes) {
  if (!wanted("random_replace_mt8", bytes)) return;
  size_t ops = ops_for(bytes, options_.scale);
  std::atomic<size_t> ready = 0;
  std::atomic<uint64_t> intact = 0, slowest = 0;
  auto work = [&](uint64_t seed) {
    Pointers live(kSlots);
    bool filled = fill_slots(live.get(), bytes);
    for (++ready; ready < kThreads;) std::this_thread::yield();
    if (!filled) return;
    uint64_t begin = now_ns();
    intact += pagebench_random_replace(bytes, ops, live.get(), kSlots, seed);
    uint64_t taken = now_ns() - begin;
    for (uint64_t seen = slowest; seen < taken && !slowest.compare_exchange_weak(seen, taken);) {
    }
    free_slots(live.get());
  };
  std::vector<std::thread> threads;
  for (size_t i = 0; i < kThreads; ++i) threads.emplace_back(work, 1000 + i);
  for (std::thread& thread : threads) thread.join();
  checks_.equal(intact, ops * kThreads, "random_replace_mt8: blocks that held what was written");
  add("random_replace_mt8", bytes, static_cast<double>(slowest), static_cast<double>(ops), 0);
}

// jemalloc and its kin tell the page size they were built for.
std::string allocator_page() {
  using Mallctl = int (*)(const char*, void*, size_t*, void*, size_t);
  auto mallctl = reinterpret_cast<Mallctl>(dlsym(RTLD_DEFAULT, "mallctl"));
  size_t page = 0, size = sizeof page;
  if (!mallctl || mallctl("arenas.page", &page, &size, nullptr, 0) != 0) return "";
  return ", its page " + std::to_string(page) + " bytes";
}

void Pagebench::print_head() const {
  std::cout << "allocator " << allocator_name() << allocator_page() << ", system page "
            << page_bytes() << " bytes\n\n";
}

Json Pagebench::json() const {
  Json rows = Json::array();
  for (const BenchRow& row : rows_)
    rows.push_back({{"benchmark", row.benchmark},
                    {"bytes", row.bytes},
                    {"ns_per_op", row.ns_per_op},
                    {"gib_per_s", row.gib_per_s > 0 ? Json(row.gib_per_s) : Json()}});
  return {{"schema", "ftprof.pagebench/1"},
          {"allocator", allocator_name()},
          {"rss_bytes", own_memory_bytes("VmRSS")},
          {"rows", rows}};
}

int Pagebench::run() {
  if (options_.json != "-") print_head();
  for (size_t bytes : kSizes) alloc_free_pair(bytes);
  for (size_t bytes : kSizes) random_replace(bytes);
  for (size_t bytes : kSizes) alloc_memset_free(bytes);
  for (size_t i = 0; i < std::size(kSizes); i += 2) random_replace_mt8(kSizes[i]);
  if (!checks_.passed()) return 1;
  if (options_.json != "-")
    std::cout << "\nresident set " << fixed(double(own_memory_bytes("VmRSS")) / (1 << 20), 1)
              << " MiB\n";
  return write_json(options_.json, json()) ? 0 : 2;
}

bool read_rows(const std::string& path, std::vector<BenchRow>& rows) {
  std::ifstream file(path);
  BenchRow row;
  for (std::string line; std::getline(file, line);)
    if (parse_row(line, row)) rows.push_back(row);
  if (!rows.empty()) return true;
  std::cerr << "ftprof-workload: " << path
            << " holds no row like 'alloc_free_pair/16 12.3 ns/op'; give the output of pagebench\n";
  return false;
}

int print_joined(const std::string& a_path, const std::string& b_path) {
  std::vector<BenchRow> a, b;
  if (!read_rows(a_path, a) || !read_rows(b_path, b)) return 2;
  Table table({"name", "a", "b", "(a-b)/b"});
  for (const JoinedRow& row : join(a, b))
    table.add({row.benchmark + "/" + std::to_string(row.bytes), fixed(row.a, 2), fixed(row.b, 2),
               fixed(row.change() * 100, 1) + " %"});
  std::cout << table.text();
  return 0;
}

int run_pagebench(const PagebenchOptions& options) {
  if (!options.joined.empty()) return print_joined(options.joined[0], options.joined[1]);
  try {
    return Pagebench(options).run();
  } catch (const std::regex_error&) {
    std::cerr << "ftprof-workload: --only " << options.only << " is no regular expression\n";
    return 2;
  }
}

}  // namespace

void add_pagebench(CLI::App& app, int& status) {
  auto options = std::make_shared<PagebenchOptions>();
  CLI::App* command = app.add_subcommand("pagebench", "The allocator's own speed.");
  command->add_option("--scale", options->scale, "times as many operations")
      ->check(CLI::Range(0.0001, 1000.0))
      ->capture_default_str();
  command->add_option("--only", options->only, "rows whose name (random_replace/16) matches");
  command->add_option("--join", options->joined, "two outputs side by side, nothing is run")
      ->expected(2);
  command->add_option("--json", options->json, "write the result here; - is standard output");
  command->callback([options, &status] { status = run_pagebench(*options); });
}

}  // namespace ftprof::workload
