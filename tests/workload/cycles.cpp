// `cycles`: what a first touch costs, and what a pool does to it.
#include <sys/mman.h>
#include <sys/prctl.h>

#include <iostream>

#include "preload/annotate.h"
#include "tests/workload/cycles_code.h"
#include "tests/workload/experiment.h"
#include "tests/workload/machine.h"
#include "tests/workload/output.h"
#include "tests/workload/pass.h"
#include "tests/workload/statistics.h"

namespace ftprof::workload {
namespace {

using Json = nlohmann::ordered_json;

struct CyclesOptions {
  size_t mib = 1024, reps = 15;
  std::string thp = "default", json;
  bool quick = false;
  double clock_ghz = 0;
};

constexpr double kSlowTouch = 20;     // ns per page, for a pass without faults
constexpr uint32_t kSlowStore = 200;  // ns, for a single store

char* checked(void* block, const char* what) {
  if (block == MAP_FAILED || !block) throw std::runtime_error(std::string(what) + " failed");
  return static_cast<char*>(block);
}

// How the cost of a timed pass is spread over its pages, from one repetition to the next.
struct Spread {
  std::vector<double> p50, p90, p99, worst;
  Runs slow;  // over all repetitions; longest is the longest of any

  void add(std::span<uint32_t> ns);
  Json json() const;
};

void Spread::add(std::span<uint32_t> ns) {
  Runs runs = runs_above(ns, kSlowStore);
  slow.values += runs.values;
  slow.runs += runs.runs;
  slow.longest = std::max(slow.longest, runs.longest);
  p50.push_back(quantile(ns, 0.5));
  p90.push_back(quantile(ns, 0.9));
  p99.push_back(quantile(ns, 0.99));
  worst.push_back(quantile(ns, 1));
}

Json Spread::json() const {
  return {{"p50_ns", median(p50)},       {"p90_ns", median(p90)},      {"p99_ns", median(p99)},
          {"max_ns", maximum(worst)},    {"slow_pages", slow.values},  {"slow_runs", slow.runs},
          {"longest_run", slow.longest}, {"slow_above_ns", kSlowStore}};
}

class Cycles {
 public:
  explicit Cycles(const CyclesOptions& options);
  int run();

 private:
  char value(size_t rep, int pass) const { return static_cast<char>((rep * 7 + pass) % 255 + 1); }
  void keep(bool keep);
  void advise(void* block);
  void touched(const char* block, char value, const std::string& what);
  void filled(const char* block, uint64_t factor, const std::string& what);

  void cycle_a(size_t rep);
  void cycle_b(size_t rep);
  void cycle_c(size_t rep);
  void cycle_d(size_t rep);
  void repeat(const char* mark, void (Cycles::*cycle)(size_t));

  void print_machine() const;
  void print_passes() const;
  void print_spread() const;
  void print_recycling() const;
  void print_ratios() const;
  void print_results() const;
  std::vector<const Pass*> passes() const;
  std::vector<std::pair<std::string, double>> ratios() const;
  Json machine_json() const;
  Json json() const;

  CyclesOptions options_;
  size_t bytes_, pages_, words_;
  double ghz_;
  Checks checks_;
  Pass a_map_, a_first_, a_second_, a_repeated_, a_fill_, a_unmap_, b_fill_, c_first_, c_second_,
      d_malloc_, d_first_, d_second_, d_free_;
  Spread c_first_spread_, c_second_spread_;
  std::vector<uint32_t> store_ns_;
  bool recorded_ = false;
  const void* previous_block_ = nullptr;
  size_t same_block_ = 0;
  std::vector<uint64_t> resident_at_handout_;
};

Cycles::Cycles(const CyclesOptions& options)
    : options_(options),
      bytes_(options.mib << 20),
      pages_(bytes_ / page_bytes()),
      words_(bytes_ / sizeof(uint64_t)),
      ghz_(options.clock_ghz > 0 ? options.clock_ghz : estimated_ghz()),
      a_map_("A mmap", pages_, options.reps),
      a_first_("A pass 1", pages_, options.reps),
      a_second_("A pass 2", pages_, options.reps),
      a_repeated_("A pass 2 repeated", pages_, options.reps),
      a_fill_("A pass 3, touched fill", pages_, options.reps),
      a_unmap_("A munmap", pages_, options.reps),
      b_fill_("B fresh fill", pages_, options.reps),
      c_first_("C pass 1, each timed", pages_, options.reps),
      c_second_("C pass 2, each timed", pages_, options.reps),
      d_malloc_("D malloc", pages_, options.reps),
      d_first_("D touch", pages_, options.reps),
      d_second_("D touch again", pages_, options.reps),
      d_free_("D free", pages_, options.reps) {
  store_ns_.resize(pages_);  // written now: its own first touches must not fall into a pass
  resident_at_handout_.reserve(options.reps);
}

std::vector<const Pass*> Cycles::passes() const {
  return {&a_map_,   &a_first_,  &a_second_, &a_repeated_, &a_fill_,   &a_unmap_, &b_fill_,
          &c_first_, &c_second_, &d_malloc_, &d_first_,    &d_second_, &d_free_};
}

void Cycles::keep(bool keep) {
  recorded_ = keep;
  for (const Pass* pass : passes()) const_cast<Pass*>(pass)->keep(keep);
}

void Cycles::advise(void* block) {
  if (options_.thp == "never") madvise(block, bytes_, MADV_NOHUGEPAGE);
  if (options_.thp == "always") madvise(block, bytes_, MADV_HUGEPAGE);
}

void Cycles::touched(const char* block, char value, const std::string& what) {
  checks_.equal(cycle_sum_pages(block, pages_, page_bytes()),
                pages_ * static_cast<unsigned char>(value), what + ": the sum of its bytes");
}

void Cycles::filled(const char* block, uint64_t factor, const std::string& what) {
  uint64_t n = words_, triangle = n % 2 ? n * ((n - 1) / 2) : n / 2 * (n - 1);
  checks_.equal(cycle_sum_words(reinterpret_cast<const uint64_t*>(block), n), factor * triangle,
                what + ": the sum of its words");
}

void Cycles::cycle_a(size_t rep) {
  void* mapping = a_map_.time([&] { return cycle_a_map(bytes_); });
  char* block = checked(mapping, "mmap");
  advise(block);
  a_first_.time([&] { cycle_a_first_pass(block, pages_, page_bytes(), value(rep, 1)); });
  touched(block, value(rep, 1), a_first_.name());
  a_second_.time([&] { cycle_a_second_pass(block, pages_, page_bytes(), value(rep, 2)); });
  touched(block, value(rep, 2), a_second_.name());
  a_repeated_.time([&] { cycle_a_repeated_pass(block, pages_, page_bytes(), value(rep, 3)); });
  touched(block, value(rep, 3), a_repeated_.name());
  auto* words = reinterpret_cast<uint64_t*>(block);
  a_fill_.time([&] { cycle_a_fill(words, words_, 2 * rep + 1); });
  filled(block, 2 * rep + 1, a_fill_.name());
  a_unmap_.time([&] { cycle_a_unmap(block, bytes_); });
}

void Cycles::cycle_b(size_t rep) {
  char* block = checked(cycle_b_map(bytes_), "mmap");
  advise(block);
  auto* words = reinterpret_cast<uint64_t*>(block);
  b_fill_.time([&] { cycle_b_fill(words, words_, 2 * rep + 3); });
  filled(block, 2 * rep + 3, b_fill_.name());
  munmap(block, bytes_);
}

void Cycles::cycle_c(size_t rep) {
  char* block = checked(cycle_c_map(bytes_), "mmap");
  advise(block);
  uint32_t* ns = store_ns_.data();
  c_first_.time([&] { cycle_c_first_pass(block, pages_, page_bytes(), value(rep, 4), ns); });
  if (recorded_) c_first_spread_.add(store_ns_);
  touched(block, value(rep, 4), c_first_.name());
  c_second_.time([&] { cycle_c_second_pass(block, pages_, page_bytes(), value(rep, 5), ns); });
  if (recorded_) c_second_spread_.add(store_ns_);
  touched(block, value(rep, 5), c_second_.name());
  munmap(block, bytes_);
}

// The warm-up is the allocator's first request of the size; each repetition asks after a free.
void Cycles::cycle_d(size_t rep) {
  void* allocated = d_malloc_.time([&] { return cycle_d_malloc(bytes_); });
  char* block = checked(allocated, "malloc");
  if (recorded_) {
    same_block_ += block == previous_block_;
    resident_at_handout_.push_back(resident_pages(block, bytes_));
  }
  previous_block_ = block;
  d_first_.time([&] { cycle_d_first_pass(block, pages_, page_bytes(), value(rep, 6)); });
  touched(block, value(rep, 6), d_first_.name());
  d_second_.time([&] { cycle_d_second_pass(block, pages_, page_bytes(), value(rep, 7)); });
  touched(block, value(rep, 7), d_second_.name());
  d_free_.time([&] { cycle_d_free(block); });
}

std::vector<std::pair<std::string, double>> Cycles::ratios() const {
  auto over = [](double a, double b) { return b > 0 ? a / b : 0; };
  return {{"pass 1 to pass 2 repeated",
           over(a_first_.min_ns_per_page(), a_repeated_.min_ns_per_page())},
          {"touched fill to fresh fill (bandwidth)",
           over(a_fill_.median_gb_per_s(), b_fill_.median_gb_per_s())},
          {"first touch after malloc to after mmap",
           over(d_first_.min_ns_per_page(), a_first_.min_ns_per_page())},
          {"munmap per page to first touch per page",
           over(a_unmap_.min_ns_per_page(), a_first_.min_ns_per_page())}};
}

Json Cycles::machine_json() const {
  return {{"page_bytes", page_bytes()},
          {"clock_resolution_ns", clock_resolution_ns()},
          {"timestamp_ns", timestamp_ns()},
          {"clock_ghz", ghz_},
          {"free_bytes", memory_bytes("MemFree")},
          {"available_bytes", memory_bytes("MemAvailable")},
          {"buddyinfo", lines("/proc/buddyinfo")},
          {"thp", {{"enabled", thp_setting("enabled")}, {"defrag", thp_setting("defrag")}}},
          {"allocator", allocator_name()}};
}

void Cycles::print_machine() const {
  Json machine = machine_json();
  std::cout << "page " << page_bytes() << " bytes, clock " << machine["clock_resolution_ns"]
            << " ns, timestamp " << fixed(machine["timestamp_ns"], 1) << " ns, " << fixed(ghz_, 2)
            << " GHz" << (options_.clock_ghz > 0 ? "" : " (estimated)") << "\n"
            << "memory free " << (memory_bytes("MemFree") >> 20) << " MiB, available "
            << (memory_bytes("MemAvailable") >> 20) << " MiB\n"
            << "transparent huge pages: enabled " << thp_setting("enabled") << ", defrag "
            << thp_setting("defrag") << ", advice on the mappings: " << options_.thp << "\n"
            << "allocator " << allocator_name() << "\n";
  for (const std::string& line : lines("/proc/buddyinfo")) std::cout << line << "\n";
  std::cout << "\n"
            << options_.mib << " MiB, " << grouped(pages_) << " pages, " << options_.reps
            << " repetitions after one that is discarded\n\n";
}

void Cycles::print_passes() const {
  Table table({"pass", "min ms", "ns/page", "cycles", "GB/s", "faults", "cv %", ">20 ns", "worst"});
  for (const Pass* pass : passes()) {
    bool fill = pass == &a_fill_ || pass == &b_fill_;
    std::vector<std::string> row{pass->name(),
                                 fixed(pass->min_ns() / 1e6, 3),
                                 fixed(pass->min_ns_per_page(), 2),
                                 fixed(pass->min_ns_per_page() * ghz_, 0),
                                 fill ? fixed(pass->median_gb_per_s(), 1) : "",
                                 grouped(pass->median_faults()),
                                 fixed(pass->variation() * 100, 1)};
    bool touch =
        pass == &a_second_ || pass == &a_repeated_ || pass == &d_first_ || pass == &d_second_;
    if (touch && pass->faultless()) {
      row.push_back(std::to_string(pass->slow_reps(kSlowTouch)) + "/" +
                    std::to_string(pass->reps()));
      row.push_back(fixed(pass->worst_ns_per_page(), 1));
    }
    table.add(row);
  }
  std::cout << table.text() << "\n";
}

void Cycles::print_spread() const {
  Table table({"ns per store", "p50", "p90", "p99", "max", "pages >200 ns", "runs", "longest"});
  auto add = [&table](const Pass& pass, const Spread& spread) {
    table.add({pass.name(), fixed(median(spread.p50), 0), fixed(median(spread.p90), 0),
               fixed(median(spread.p99), 0), fixed(maximum(spread.worst), 0),
               grouped(spread.slow.values), grouped(spread.slow.runs),
               grouped(spread.slow.longest)});
  };
  add(c_first_, c_first_spread_);
  add(c_second_, c_second_spread_);
  std::cout << table.text() << "\n";
}

void Cycles::print_recycling() const {
  size_t resident = 0;
  for (uint64_t pages : resident_at_handout_) resident += pages >= pages_;
  std::cout << "D: same block " << same_block_ << " of " << options_.reps
            << " times, all pages resident at hand-out " << resident << " of " << options_.reps
            << " times\n\n";
}

void Cycles::print_ratios() const {
  for (const auto& [name, ratio] : ratios())
    std::cout << name << ": " << fixed(ratio, ratio < 10 ? 2 : 0) << "\n";
  std::cout << "\n";
}

void Cycles::print_results() const {
  for (const Pass* pass : passes())
    std::cout << "RESULT pass=\"" << pass->name() << "\" min_ns=" << fixed(pass->min_ns(), 0)
              << " ns_per_page=" << fixed(pass->min_ns_per_page(), 3)
              << " gb_per_s=" << fixed(pass->median_gb_per_s(), 3)
              << " faults=" << pass->median_faults() << " cv=" << fixed(pass->variation(), 4)
              << "\n";
  for (const auto& [name, ratio] : ratios())
    std::cout << "RESULT ratio=\"" << name << "\" value=" << fixed(ratio, 4) << "\n";
  std::cout << "RESULT same_block=" << same_block_ << " of=" << options_.reps << "\n";
}

Json Cycles::json() const {
  Json list = Json::array(), ratio_list = Json::object();
  for (const Pass* pass : passes()) {
    Json row = pass->json();
    row["slow_reps"] = pass->slow_reps(kSlowTouch);
    row["worst_ns_per_page"] = pass->worst_ns_per_page();
    list.push_back(row);
  }
  for (const auto& [name, ratio] : ratios()) ratio_list[name] = ratio;
  return {{"schema", "ftprof.cycles/1"},
          {"machine", machine_json()},
          {"options", {{"mib", options_.mib}, {"reps", options_.reps}, {"thp", options_.thp}}},
          {"passes", list},
          {"spread", {{"first", c_first_spread_.json()}, {"second", c_second_spread_.json()}}},
          {"recycling",
           {{"same_block", same_block_}, {"resident_pages_at_handout", resident_at_handout_}}},
          {"ratios", ratio_list}};
}

// One warm-up repetition, then those that are recorded. The mark makes a phase of a report.
void Cycles::repeat(const char* mark, void (Cycles::*cycle)(size_t)) {
  FTPROF_MARK(mark);
  for (size_t rep = 0; rep <= options_.reps; ++rep) {
    keep(rep > 0);
    (this->*cycle)(rep);
  }
}

int Cycles::run() {
  bool quiet = options_.json == "-";
  if (!quiet) print_machine();
  load_program_text();
  if (options_.thp == "never") prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0);  // for malloc's memory too
  repeat("cycle A", &Cycles::cycle_a);
  repeat("cycle B", &Cycles::cycle_b);
  repeat("cycle C", &Cycles::cycle_c);
  repeat("cycle D", &Cycles::cycle_d);
  if (!checks_.passed()) return 1;
  if (!quiet) {
    print_passes();
    print_spread();
    print_recycling();
    print_ratios();
    print_results();
  }
  return write_json(options_.json, json()) ? 0 : 2;
}

int run_cycles(CyclesOptions options) {
  if (options.quick) options.mib = 64, options.reps = 5;
  return memory_suffices(options.mib << 20) ? Cycles(options).run() : 2;
}

}  // namespace

void add_cycles(CLI::App& app, int& status) {
  auto options = std::make_shared<CyclesOptions>();
  CLI::App* command =
      app.add_subcommand("cycles", "What a first touch costs, and what a pool does to it.");
  command->add_option("--mib", options->mib, "size of the buffer")
      ->check(CLI::Range(1, 1 << 20))
      ->capture_default_str();
  command->add_option("--reps", options->reps, "repetitions, after one that is discarded")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  command->add_option("--thp", options->thp, "advice on the mappings")
      ->check(CLI::IsMember({"default", "never", "always"}))
      ->capture_default_str();
  command->add_flag("--quick", options->quick, "64 MiB, 5 repetitions");
  command->add_option("--clock-ghz", options->clock_ghz, "the CPU's clock, else estimated")
      ->check(CLI::Range(0.01, 100.0));
  command->add_option("--json", options->json, "write the result here; - is standard output");
  command->callback([options, &status] { status = run_cycles(*options); });
}

}  // namespace ftprof::workload
