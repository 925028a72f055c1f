// What is not by site: threads, touch sites, phases, the ledger, the timeline, the block map.
#include <algorithm>
#include <cmath>
#include <utility>

#include "analyzer/even_out.h"
#include "analyzer/fold.h"
#include "analyzer/merge.h"

namespace ftprof {
namespace {

void add_touch(std::unordered_map<std::string, TouchSite>& places, const Frame& frame,
               uint64_t faults, double cost_ns) {
  TouchSite& touch = places[name_of_place(frame)];
  if (touch.faults == 0 && touch.cost_ns == 0) touch.frame = frame;
  touch.faults += faults;
  touch.cost_ns += cost_ns;
}

const Frame kInCallFrame = {"(inside the call)", "", "", 0, false, false, 0};

}  // namespace

const Frame& Merge::touch_frame(BilledImage& image, uint32_t ip) {
  if (ip == kInCall) return kInCallFrame;
  const auto& frames = frames_of(image, ip);
  return frames[std::min(first_own_frame(frames), frames.size() - 1)];
}

void Merge::add_threads(BilledImage& image) {
  std::map<std::pair<uint32_t, std::string>, uint32_t> known;
  for (const ThreadTally& thread : image.tally.threads) {
    auto [at, added] =
        known.try_emplace({thread.tid, thread.name}, static_cast<uint32_t>(result_.threads.size()));
    if (added) {
      Thread each;
      each.name = thread.name;
      each.tid = thread.tid;
      each.process = image.process;
      result_.threads.push_back(each);
    }
    image.thread_index.push_back(at->second);
  }
}

void Merge::add_cells(BilledImage& image) {
  EvenOut even(image.bill);
  image.tally.cells.for_each([&](const CellKey& key, const FaultSum& sum) {
    CellBill cell = bill_cell(image.bill, key, sum);
    even.announce(key.payer, cell.faults, cell.cost_ns);
  });
  for (const Unplaced& each : image.unplaced) even.announce(each.payer, each.faults, each.cost_ns);
  image.tally.cells.for_each([&](const CellKey& key, const FaultSum& sum) {
    bool site = key.payer < kOwnerBase;
    CellBill cell = bill_cell(image.bill, key, sum);
    auto [count, cost] = even.next(key.payer, cell.faults, cell.cost_ns);
    Thread& thread = result_.threads[image.thread_index[key.thread]];
    thread.faults += count;
    thread.cost_ns += cost;
    if (key.payer == payer(Owner::small_heap))
      add_touch(heap_touch_, touch_frame(image, key.ip), count, cost);
    if (!site) return;
    MergedSite& merged = *sites_[image.site_index[key.payer]];
    add_touch(merged.touch, touch_frame(image, key.ip), count, cost);
    ThreadCost& toucher = merged.threads[image.thread_index[key.thread]];
    toucher.name = thread.name;
    toucher.tid = thread.tid;
    toucher.faults += count;
    toucher.cost_ns += cost;
  });
}

void Merge::add_phases(BilledImage& image) {
  for (const PhaseTally& tally : image.tally.phases) {
    double begin = image.since_start(tally.begin_ns), end = image.since_start(tally.end_ns);
    auto at = std::find_if(result_.phases.begin(), result_.phases.end(),
                           [&](const Phase& phase) { return phase.name == tally.name; });
    if (at == result_.phases.end()) {
      Phase phase;
      phase.name = tally.name;
      phase.begin_ns = begin;
      phase.end_ns = end;
      at = result_.phases.insert(at, phase);
    }
    at->begin_ns = std::min(at->begin_ns, begin);
    at->end_ns = std::max(at->end_ns, end);
    image.phase_index.push_back(static_cast<uint32_t>(at - result_.phases.begin()));
  }
}

void Merge::add_ledger() {
  Ledger& ledger = result_.ledger;
  std::map<std::string, double> mappings;
  double total = 0, major = 0;
  std::array<double, kOwners> faults{}, costs{}, variances{};
  std::array<bool, kOwners> priced{};
  for (const BilledImage& image : images_) {
    total += image.bill.minor_faults;
    major += image.bill.major_faults;
    for (int i = 0; i < kOwners; ++i) {
      faults[i] += image.bill.rows[i].faults;
      costs[i] += image.bill.rows[i].cost_ns.value_or(0);
      variances[i] += std::pow(image.bill.rows[i].error, 2);
      priced[i] |= image.bill.rows[i].cost_ns.has_value();
    }
    for (const auto& [name, count] : image.tally.mappings) mappings[name] += count;
  }
  ledger.minor_faults = whole(total);
  ledger.major_faults = whole(major);
  // Rounding is settled in the last row, so that the rows add up to the total to the last fault.
  uint64_t rest = ledger.minor_faults + ledger.major_faults;
  faults[0] = 0;
  for (const Site& site : result_.sites) faults[0] += static_cast<double>(site.faults.count);
  for (int i = 0; i < kOwners; ++i) {
    LedgerRow row;
    row.owner = static_cast<Owner>(i);
    row.faults = i + 1 == kOwners ? rest : std::min(rest, whole(faults[i]));
    if (variances[i] > 0) row.error = std::sqrt(variances[i]);
    if (priced[i]) row.cost_ns = costs[i];
    rest -= row.faults;
    ledger.cost_ns += row.cost_ns.value_or(0);
    ledger.rows.push_back(row);
    if (row.owner == Owner::profiler) result_.run.profiler_faults = row.faults;
  }
  auto all = static_cast<double>(ledger.minor_faults + ledger.major_faults);
  ledger.accounted_share = all > 0 ? 1 - static_cast<double>(ledger.rows.back().faults) / all : 1;
  for (const auto& [name, count] : mappings)
    if (whole(count)) ledger.mappings.push_back({name, whole(count)});
  std::stable_sort(ledger.mappings.begin(), ledger.mappings.end(),
                   [](const auto& a, const auto& b) { return a.faults > b.faults; });
  if (ledger.mappings.size() > 20) ledger.mappings.resize(20);
  for (auto& [name, touch] : heap_touch_) ledger.small_heap_touch_sites.push_back(touch);
  std::sort(ledger.small_heap_touch_sites.begin(), ledger.small_heap_touch_sites.end(),
            [](const TouchSite& a, const TouchSite& b) {
              if (a.cost_ns != b.cost_ns) return a.cost_ns > b.cost_ns;
              return name_of_place(a.frame) < name_of_place(b.frame);
            });
  if (ledger.small_heap_touch_sites.size() > 20) ledger.small_heap_touch_sites.resize(20);
}

namespace {

// What the records of a whole image come to, by the bill and by the timeline as it was tallied.
struct TimelineScale {
  double faults = 1, cost = 1;
};

TimelineScale timeline_scale(const BilledImage& image) {
  const ImageBill& bill = image.bill;
  double faults = 0, cost = 0, tallied = 0, tallied_cost = 0;
  for (const SiteBill& site : bill.sites) faults += site.count, cost += site.cost_ns;
  for (int i = 1; i < kOwners; ++i)
    faults += bill.rows[i].faults, cost += bill.rows[i].cost_ns.value_or(0);
  for (const Unplaced& each : image.unplaced) faults -= each.faults, cost -= each.cost_ns;
  for (const TimeBucket& bucket : image.tally.timeline) {
    const FaultSum& sum = bucket.faults;
    tallied += sum.faults;
    tallied_cost += sum.faults * (sum.weight > 0 ? bill.mean_of(sum) : bill.mean_ns);
  }
  return {tallied > 0 ? std::max(0.0, faults) / tallied : 1,
          tallied_cost > 0 ? std::max(0.0, cost) / tallied_cost : 1};
}

// Calls give(i, share) for the intervals from `begin` to `end`, both in intervals.
template <class Give>
void spread(double begin, double end, Give give) {
  auto first = static_cast<size_t>(begin), last = static_cast<size_t>(end);
  double given = 0;
  for (size_t i = first; i < last; ++i) {
    double upto = (static_cast<double>(i + 1) - begin) / (end - begin);
    give(i, upto - std::exchange(given, upto));
  }
  give(last, 1 - given);
}

}  // namespace

void Merge::add_timeline() {
  Timeline& timeline = result_.timeline;
  constexpr double kMost = 1000;
  double interval = 1e6;
  for (const BilledImage& image : images_)
    interval = std::max(interval, static_cast<double>(image.tally.interval_ns));
  while (result_.run.duration_ns / interval > kMost) interval *= 2;
  auto count = static_cast<size_t>(result_.run.duration_ns / interval) + 1;
  timeline.interval_ns = interval;
  timeline.faults.resize(count);
  std::vector<double> faults(count);
  timeline.fault_ns.resize(count);
  timeline.resident_bytes.resize(count);
  result_.pool.over_time.resize(count);
  for (const BilledImage& image : images_) {
    const ImageBill& bill = image.bill;
    const TimelineScale scale = timeline_scale(image);
    uint64_t resident = 0;
    size_t behind =
        std::min(count, static_cast<size_t>(image.since_start(image.tally.last_ns) / interval) + 1);
    size_t filled = std::min(count, static_cast<size_t>(image.start_ns / interval));
    auto fill = [&](size_t upto) {
      for (; filled < upto; ++filled) timeline.resident_bytes[filled] += resident;
    };
    for (size_t i = 0; i < image.tally.timeline.size(); ++i) {
      const TimeBucket& bucket = image.tally.timeline[i];
      double at =
          image.start_ns + static_cast<double>(i) * static_cast<double>(image.tally.interval_ns);
      size_t to = std::min(count - 1, static_cast<size_t>(at / interval));
      const FaultSum& sum = bucket.faults;
      faults[to] += sum.faults * scale.faults;
      timeline.fault_ns[to] +=
          sum.faults * (sum.weight > 0 ? bill.mean_of(sum) : bill.mean_ns) * scale.cost;
      if (bucket.resident_bytes) fill(to), resident = bucket.resident_bytes;
      Pool::Bucket& handouts = result_.pool.over_time[to];
      handouts.fresh += whole(bucket.handouts.fresh);
      handouts.warm += whole(bucket.handouts.warm);
      handouts.partial += whole(bucket.handouts.partial);
      handouts.cold += whole(bucket.handouts.cold);
      handouts.idle_bytes = std::max(handouts.idle_bytes, bucket.idle_bytes);
    }
    fill(behind);
    for (const Unplaced& each : image.unplaced)
      spread(image.since_start(each.begin_ns) / interval, image.since_start(each.end_ns) / interval,
             [&](size_t at, double share) {
               faults[std::min(count - 1, at)] += each.faults * share;
               timeline.fault_ns[std::min(count - 1, at)] += each.cost_ns * share;
             });
  }
  double sum = 0, given = 0;
  for (size_t i = 0; i < count; ++i) {
    double upto = std::round(sum += faults[i]);
    timeline.faults[i] = static_cast<uint64_t>(upto - std::exchange(given, upto));
  }
  timeline.warmup_end_ns = warmup_end(timeline);
}

void Merge::add_block_map() {
  for (const BilledImage& image : images_) {
    for (const ImageTally::MapRow& row : image.tally.block_map) {
      BlockMapRow each;
      each.site = result_.sites[image.site_index[row.site]].id;
      each.bytes = row.bytes;
      each.pages = row.pages;
      each.born_ns = image.since_start(row.born_ns);
      if (row.gone_ns) each.gone_ns = image.since_start(*row.gone_ns);
      for (TouchRun touch : row.touches) {
        touch.at_ns = image.since_start(static_cast<uint64_t>(touch.at_ns));
        touch.cost_ns = std::max(0.0, touch.cost_ns - touch.pages * image.bill.excess_ns);
        each.touches.push_back(touch);
      }
      result_.block_map.push_back(std::move(each));
    }
  }
  auto& rows = result_.block_map;
  std::stable_sort(rows.begin(), rows.end(),
                   [](const BlockMapRow& a, const BlockMapRow& b) { return a.bytes > b.bytes; });
  if (rows.size() > 100) rows.resize(100);
}

}  // namespace ftprof
