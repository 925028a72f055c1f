#include "analyzer/merge.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>

#include "analyzer/figures.h"

namespace ftprof {

uint64_t stable_hash(std::string_view text, uint64_t seed) {
  for (unsigned char byte : text) seed = (seed ^ byte) * 0x100000001b3u;
  return seed;
}

std::string hex(uint64_t value) {
  char text[17];
  std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(value));
  return text;
}

std::string hex_bytes(const std::vector<uint8_t>& bytes) {
  std::string text;
  for (uint8_t byte : bytes) {
    char pair[3];
    std::snprintf(pair, sizeof pair, "%02x", byte);
    text += pair;
  }
  return text;
}

namespace {

std::string attribute(const ImageTally& image, const std::string& key) {
  auto at = image.attributes.find(key);
  return at == image.attributes.end() ? "" : at->second;
}

std::vector<std::string> command_of(const ImageTally& image) {
  std::vector<std::string> command;
  auto [begin, end] = image.attributes.equal_range("arg");
  for (auto at = begin; at != end; ++at) command.push_back(at->second);
  return command;
}

// As it was started, which the folder is named by: redis-server may be a link to another file.
std::string name_of(const ImageTally& image) {
  size_t end = image.folder.rfind("." + std::to_string(image.process.pid));
  if (end != std::string::npos && end > 0) return image.folder.substr(0, end);
  std::string exe = attribute(image, "exe");
  return exe.empty() ? image.folder : exe.substr(exe.rfind('/') + 1);
}

// By member, for the events are packed: a reference to a field of theirs would not be aligned.
template <class Event>
void take_off(Event& event, trace::u64 Event::*member, uint64_t amount) {
  uint64_t value = event.*member;
  event.*member = value - std::min(value, amount);
}

// Of the first image that was calibrated; all ran on the same machine.
void add_prices(const ImageTally& tally, Run& run) {
  static constexpr const char* kNames[] = {"write", "zero_read", "write_after_zero_read", "huge",
                                           "populate"};
  for (size_t kind = 0; kind < tally.prices.size(); ++kind)
    if (tally.prices[kind] && std::isfinite(tally.prices[kind]->price_ns) &&
        tally.prices[kind]->price_ns > 0)
      run.prices_ns.emplace(kNames[kind], tally.prices[kind]->price_ns);
}

}  // namespace

Merge::Merge(std::vector<ImageTally> images, Symbols& symbols) : symbols_(symbols) {
  for (ImageTally& image : images) {
    BilledImage billed;
    billed.tally = std::move(image);
    images_.push_back(std::move(billed));
  }
  std::stable_sort(images_.begin(), images_.end(), [](const BilledImage& a, const BilledImage& b) {
    return a.tally.process.start_unix_ns < b.tally.process.start_unix_ns;
  });
  chain_execs();
  for (BilledImage& image : images_) {
    image.bill = make_bill(image.tally);
    image.unplaced = find_unplaced(image.tally, image.bill);
  }
}

// getrusage counts on over exec: a later image of the same process starts where the one before it
// ended. Opening calls that part "file", the rest of what was paid before.
void Merge::chain_execs() {
  std::map<uint32_t, const trace::Usage*> before;
  std::map<uint32_t, trace::Usage> totals;
  for (BilledImage& image : images_) {
    ImageTally& tally = image.tally;
    if (!tally.last_usage) continue;
    trace::Usage total = *tally.last_usage;
    auto known = totals.find(tally.process.pid);
    if (known != totals.end() && known->second.minor <= total.minor) {
      const trace::Usage& earlier = known->second;
      take_off(*tally.last_usage, &trace::Usage::minor, earlier.minor);
      take_off(*tally.last_usage, &trace::Usage::major, earlier.major);
      take_off(*tally.last_usage, &trace::Usage::user_ns, earlier.user_ns);
      take_off(*tally.last_usage, &trace::Usage::system_ns, earlier.system_ns);
      if (tally.opening) take_off(*tally.opening, &trace::Opening::minor, earlier.minor);
      if (tally.opening) take_off(*tally.opening, &trace::Opening::file, earlier.minor);
    }
    totals[tally.process.pid] = total;
  }
}

Result Merge::result() {
  place_in_time();
  for (BilledImage& image : images_) {
    for (const ModuleTally& module : image.tally.modules)
      image.modules.push_back(symbols_.module(module.path, hex_bytes(module.build_id)));
    add_process(image);
    add_threads(image);
    add_phases(image);
    add_sites(image);
    add_cells(image);
  }
  add_timeline();
  finish_sites();
  add_ledger();
  add_run();
  add_pool();
  add_block_map();
  add_huge();
  add_slices();
  add_phase_sums();
  add_lives();
  add_modules();
  result_.pool.verdicts = pool_verdicts(result_);
  add_notes();
  return std::move(result_);
}

void Merge::place_in_time() {
  uint64_t first = std::numeric_limits<uint64_t>::max();
  for (const BilledImage& image : images_)
    first = std::min<uint64_t>(first, +image.tally.process.start_unix_ns);
  for (BilledImage& image : images_) {
    image.start_ns = static_cast<double>(image.tally.process.start_unix_ns - first);
    double end = image.since_start(image.tally.last_ns);
    result_.run.duration_ns = std::max(result_.run.duration_ns, end);
  }
}

void Merge::add_process(BilledImage& image) {
  const ImageTally& tally = image.tally;
  Process process;
  process.name = name_of(tally);
  process.rank = attribute(tally, "rank");
  process.pid = tally.process.pid;
  process.ppid = tally.process.ppid;
  process.folder = tally.folder;
  process.start_ns = image.start_ns;
  process.duration_ns = image.since_start(tally.last_ns) - image.start_ns;
  process.minor_faults = static_cast<uint64_t>(image.bill.minor_faults);
  process.major_faults = static_cast<uint64_t>(image.bill.major_faults);
  for (const RowBill& row : image.bill.rows) process.cost_ns += row.cost_ns.value_or(0);
  if (tally.last_usage) process.peak_resident_bytes = tally.last_usage->peak_resident_bytes;
  process.complete = tally.has_final_usage;
  process.command = command_of(tally);
  image.process = static_cast<uint32_t>(result_.processes.size());
  result_.processes.push_back(std::move(process));
}

void Merge::add_run() {
  Run& run = result_.run;
  const ImageTally& first = images_.front().tally;
  run.command = command_of(first);
  run.start_unix_ns = first.process.start_unix_ns;
  run.page_bytes = first.process.page_bytes;
  run.huge_page_bytes = first.process.huge_page_bytes;
  run.cpus = first.process.cpus;
  run.numa_nodes = std::max<uint32_t>(1, +first.process.numa_nodes);
  run.kernel = attribute(first, "kernel");
  run.thp_enabled = attribute(first, "thp.enabled");
  run.thp_defrag = attribute(first, "thp.defrag");
  run.allocator_name = attribute(first, "allocator.name");
  run.allocator_version = attribute(first, "allocator.version");
  run.allocator_library = attribute(first, "allocator.library");
  for (const auto& [key, value] : first.attributes)
    if (key.starts_with("setting.")) run.settings[key.substr(8)] = value;
  run.processes = images_.size();
  bool measured = false, perf = false;
  double observed = 0, recorded = 0;  // what the records stand for, and how many there are
  bool sampled = false;
  for (const BilledImage& image : images_) {
    const ImageTally& tally = image.tally;
    measured |= image.bill.measured;
    perf |= tally.perf;
    run.complete &= tally.has_final_usage;
    run.lost_fault_records += tally.lost_faults;
    run.lost_block_records += tally.lost_blocks;
    FaultSum all;
    for (const SiteTally& site : tally.sites) all += site.all_seen();
    for (const FaultSum& owner : tally.owners) all += owner;
    recorded += static_cast<double>(all.recorded);
    run.recorded_faults +=
        all.recorded - tally.owners[static_cast<int>(Owner::profiler)].recorded;
    sampled |= tally.sampled;
    for (int i = 0; i < kOwners - 2; ++i) observed += image.bill.rows[i].faults;
    if (tally.opening) observed -= static_cast<double>(tally.opening->minor);
    if (!tally.calls.empty()) {
      if (!run.calls) run.calls.emplace();
      for (const auto& [name, count] : tally.calls) (*run.calls)[name] += count;
    }
    add_prices(tally, run);
    if (!tally.last_usage) continue;
    run.profiler_self_ns += static_cast<double>(tally.last_usage->self_ns);
    if (tally.last_usage->peak_resident_bytes >= run.peak_resident_bytes) {
      run.peak_resident_bytes = tally.last_usage->peak_resident_bytes;
      run.final_resident_bytes = tally.last_usage->resident_bytes;
    }
    run.user_ns += static_cast<double>(tally.last_usage->user_ns);
    run.system_ns += static_cast<double>(tally.last_usage->system_ns);
  }
  run.fault_source = perf ? "perf" : "pagemap";
  run.fault_cost = measured ? "measured" : "modelled";
  if (sampled && recorded > 0) run.fault_period = std::max(1.0, observed / recorded);
  double program = run.user_ns + run.system_ns - run.profiler_self_ns;
  if (program > 0) run.profiler_self_share = run.profiler_self_ns / program;
}

namespace {

// The objects behind a tenth of the sites' bill or more whose code has no name of its own.
std::string badly_named(const Result& result) {
  double all = 0;
  std::map<std::string, double> cost;
  for (const Site& site : result.sites) {
    all += site.cost.total_ns;
    if (site.top >= site.stack.size()) continue;
    const Frame& frame = site.stack[site.top];
    if (frame.nearest) cost[frame.module.substr(frame.module.rfind('/') + 1)] += site.cost.total_ns;
  }
  std::string names;
  for (const auto& [name, ns] : cost)
    if (ns >= all / 10) names += (names.empty() ? "" : ", ") + name;
  return names;
}

}  // namespace

void Merge::add_notes() {
  Run& run = result_.run;
  double slack = 0;
  for (const BilledImage& image : images_) {
    slack += image.bill.slack;
    auto [begin, end] = image.tally.attributes.equal_range("note");
    for (auto at = begin; at != end; ++at)
      if (std::find(run.notes.begin(), run.notes.end(), at->second) == run.notes.end())
        run.notes.push_back(at->second);
    for (const std::string& warning : image.tally.warnings) run.warnings.push_back(warning);
  }
  if (slack >= 1)
    run.notes.push_back("The rows named " + count_figure(slack) +
                        " faults more than getrusage counted; the least certain rows were cut.");
  if (!run.complete)
    run.notes.push_back(
        "A process ended without its closing record (killed, or still running): what came after "
        "its last record is missing.");
  if (run.lost_fault_records)
    run.notes.push_back(count_figure(static_cast<double>(run.lost_fault_records)) +
                        " fault records were lost; page counts stand for them.");
  if (run.lost_block_records)
    run.notes.push_back(count_figure(static_cast<double>(run.lost_block_records)) +
                        " block records were lost; their faults stand under other owners.");
  if (std::string objects = badly_named(result_); !objects.empty())
    run.notes.push_back(
        objects +
        ": no symbols for much of the code. \"near NAME\" is the nearest name before "
        "it, seldom the function itself; debug packages, or --debuginfod, have the "
        "real ones.");
  for (const std::string& warning : symbols_.warnings()) run.warnings.push_back(warning);
}

}  // namespace ftprof
