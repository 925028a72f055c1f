// `recycled`: rounds of allocate, touch, drop, through a policy that keeps the pages or does not.
#include <pthread.h>
#include <sys/mman.h>
#include <sys/prctl.h>

#include <cstdlib>
#include <iostream>
#include <memory>
#include <set>
#include <thread>

#include "preload/annotate.h"
#include "tests/workload/clock.h"
#include "tests/workload/experiment.h"
#include "tests/workload/faults.h"
#include "tests/workload/machine.h"
#include "tests/workload/nodes.h"
#include "tests/workload/output.h"
#include "tests/workload/pool.h"

#define STEP extern "C" [[gnu::noipa]]

STEP void* recycled_map(size_t bytes) {
  return mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

STEP void* recycled_malloc(size_t bytes) {
  return malloc(bytes);
}
STEP void* recycled_pool_take(ftprof::workload::KeepingPool* pool) {
  return pool->take();
}

STEP void recycled_touch(char* block, size_t pages, size_t page, char value) {
  for (size_t i = 0; i < pages; ++i) block[i * page] = value;
}

STEP uint64_t recycled_sum(const char* block, size_t pages, size_t page) {
  uint64_t sum = 0;
  for (size_t i = 0; i < pages; ++i) sum += static_cast<unsigned char>(block[i * page]);
  return sum;
}

namespace ftprof::workload {
namespace {

using Json = nlohmann::ordered_json;

struct RecycledOptions {
  size_t mib = 64, blocks = 1, rounds = 5;
  std::string policy = "munmap", json;
  bool hand_over = false;
};

// Where the rounds get their blocks, all of one size, and give them back to.
class Source {
 public:
  virtual ~Source() = default;
  virtual void* take() = 0;
  virtual void drop(void* block) = 0;
};

class MapSource : public Source {
 public:
  explicit MapSource(size_t bytes) : bytes_(bytes) {}
  void* take() override { return recycled_map(bytes_); }
  void drop(void* block) override { munmap(block, bytes_); }

 private:
  size_t bytes_;
};

class MallocSource : public Source {
 public:
  explicit MallocSource(size_t bytes) : bytes_(bytes) {}
  void* take() override { return recycled_malloc(bytes_); }
  void drop(void* block) override { free(block); }

 private:
  size_t bytes_;
};

class PoolSource : public Source {
 public:
  PoolSource(size_t bytes, size_t blocks) : pool_(bytes, blocks) {}
  void* take() override { return recycled_pool_take(&pool_); }
  void drop(void* block) override { pool_.give_back(block); }

 private:
  KeepingPool pool_;
};

std::unique_ptr<Source> make_source(const RecycledOptions& options) {
  size_t bytes = options.mib << 20;
  if (options.policy == "munmap") return std::make_unique<MapSource>(bytes);
  if (options.policy == "malloc") return std::make_unique<MallocSource>(bytes);
  return std::make_unique<PoolSource>(bytes, options.blocks);
}

struct Round {
  uint64_t faults = 0, rss = 0, same_addresses = 0;
  double ns = 0;
  int thread_node = 0, page_node = 0;
  std::string thread;
};

class Recycled {
 public:
  explicit Recycled(const RecycledOptions& options)
      : options_(options),
        pages_((options.mib << 20) / page_bytes()),
        source_(make_source(options)),
        nodes_(memory_nodes()) {
    blocks_.resize(options.blocks);
  }
  int run();

 private:
  void run_round(size_t number, Round& round);
  void hand_over(size_t number, Round& round);
  void touch(char* block, size_t number, Round& round);
  void check(size_t number, const Round& round);
  void print() const;
  Json json() const;

  RecycledOptions options_;
  size_t pages_;
  std::unique_ptr<Source> source_;
  std::vector<int> nodes_;
  std::vector<char*> blocks_;
  std::set<void*> seen_;
  std::vector<Round> rounds_;
  Checks checks_;
};

void Recycled::touch(char* block, size_t number, Round& round) {
  char value = static_cast<char>(number % 100 + 1);
  uint64_t faults = thread_faults(), begin = now_ns();
  recycled_touch(block, pages_, page_bytes(), value);
  round.ns += static_cast<double>(now_ns() - begin);
  round.faults += thread_faults() - faults;
  checks_.equal(recycled_sum(block, pages_, page_bytes()), pages_ * static_cast<uint64_t>(value),
                "round " + std::to_string(number + 1) + ": the sum of its bytes");
}

void Recycled::run_round(size_t number, Round& round) {
  for (char*& block : blocks_) {
    block = static_cast<char*>(source_->take());
    if (!block || block == MAP_FAILED) throw std::runtime_error("no block of the size");
    round.same_addresses += !seen_.insert(block).second;
    touch(block, number, round);
  }
  round.thread_node = current_node();
  round.page_node = node_of(blocks_[0] + (pages_ / 2) * page_bytes());
  round.rss = own_memory_bytes("VmRSS");
  for (char* block : blocks_) source_->drop(block);
}

// Another thread, on the next node where there is one, takes the round.
void Recycled::hand_over(size_t number, Round& round) {
  round.thread = "round-" + std::to_string(number + 1);
  std::thread([&] {
    pthread_setname_np(pthread_self(), round.thread.c_str());
    run_on_node(nodes_[number % nodes_.size()]);
    run_round(number, round);
  }).join();
}

void Recycled::check(size_t number, const Round& round) {
  uint64_t all = pages_ * options_.blocks;
  std::string name = "round " + std::to_string(number + 1);
  if (options_.policy == "malloc") return;  // whatever the allocator does
  bool cold = options_.policy == "munmap" || number == 0;
  uint64_t least = cold ? all : 0, stray = 4 * options_.blocks;
  checks_.that(
      round.faults >= least && round.faults <= least + stray,
      name + " took " + std::to_string(round.faults) + " faults, must be " + std::to_string(least));
  if (options_.policy == "pool" && number > 0)
    checks_.equal(static_cast<uint64_t>(round.page_node),
                  static_cast<uint64_t>(rounds_[0].page_node), name + ": the node of the pages");
}

void Recycled::print() const {
  Table table({"round", "thread", "faults", "ns/page", "RSS MiB", "same address", "thread on node",
               "pages on node"});
  double pages = static_cast<double>(pages_ * options_.blocks);
  for (size_t i = 0; i < rounds_.size(); ++i) {
    const Round& round = rounds_[i];
    table.add({std::to_string(i + 1), round.thread, grouped(round.faults),
               fixed(round.ns / pages, 1), fixed(static_cast<double>(round.rss) / (1 << 20), 1),
               std::to_string(round.same_addresses) + " of " + std::to_string(options_.blocks),
               std::to_string(round.thread_node), std::to_string(round.page_node)});
  }
  std::cout << "policy " << options_.policy << ", " << options_.blocks << " x " << options_.mib
            << " MiB, " << nodes_.size() << " node(s), allocator " << allocator_name() << "\n\n"
            << table.text();
}

Json Recycled::json() const {
  Json rows = Json::array();
  for (const Round& round : rounds_)
    rows.push_back({{"thread", round.thread},
                    {"faults", round.faults},
                    {"ns", round.ns},
                    {"rss_bytes", round.rss},
                    {"same_addresses", round.same_addresses},
                    {"thread_node", round.thread_node},
                    {"page_node", round.page_node}});
  return {{"schema", "ftprof.recycled/1"},
          {"page_bytes", page_bytes()},
          {"pages_per_block", pages_},
          {"nodes", nodes_},
          {"allocator", allocator_name()},
          {"options",
           {{"policy", options_.policy},
            {"mib", options_.mib},
            {"blocks", options_.blocks},
            {"rounds", options_.rounds},
            {"hand_over", options_.hand_over}}},
          {"rounds", rows}};
}

int Recycled::run() {
  load_program_text();
  prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0);  // the rounds count base pages
  for (size_t i = 0; i < options_.rounds; ++i) {
    Round& round = rounds_.emplace_back();
    round.thread = "main";
    FTPROF_MARK(("round " + std::to_string(i + 1)).c_str());
    options_.hand_over ? hand_over(i, round) : run_round(i, round);
    check(i, round);
  }
  if (!checks_.passed()) return 1;
  if (options_.json != "-") print();
  return write_json(options_.json, json()) ? 0 : 2;
}

int run_recycled(const RecycledOptions& options) {
  return memory_suffices((options.mib << 20) * options.blocks) ? Recycled(options).run() : 2;
}

}  // namespace

void add_recycled(CLI::App& app, int& status) {
  auto options = std::make_shared<RecycledOptions>();
  CLI::App* command =
      app.add_subcommand("recycled", "Rounds of allocate, touch, drop: who pays the second time?");
  command->add_option("--policy", options->policy, "who gets the blocks back")
      ->check(CLI::IsMember({"munmap", "pool", "malloc"}))
      ->capture_default_str();
  command->add_option("--mib", options->mib, "size of a block")
      ->check(CLI::Range(1, 1 << 20))
      ->capture_default_str();
  command->add_option("--blocks", options->blocks, "blocks per round, all live at once")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  command->add_option("--rounds", options->rounds, "rounds")
      ->check(CLI::Range(1, 100000))
      ->capture_default_str();
  command->add_flag("--hand-over", options->hand_over,
                    "another thread takes each round, on the next node where there is one");
  command->add_option("--json", options->json, "write the result here; - is standard output");
  command->callback([options, &status] { status = run_recycled(*options); });
}

}  // namespace ftprof::workload
