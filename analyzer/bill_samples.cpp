#include "analyzer/bill_samples.h"

#include <cmath>
#include <map>
#include <tuple>

namespace ftprof {

namespace {

// One who paid at a site: thread and phase, with what the slices say of them.
using Payer = std::pair<uint32_t, uint32_t>;
struct Paid {
  uint64_t faults = 0;
  double cost_ns = 0;
};
using Payers = std::map<Payer, Paid>;

std::vector<Payers> payers_of_sites(const Result& result) {
  std::vector<Payers> payers(result.sites.size());
  for (const FaultSlice& slice : result.slices) {
    if (slice.site >= payers.size()) continue;
    Paid& paid = payers[slice.site][{slice.thread, slice.phase}];
    paid.faults += slice.faults;
    paid.cost_ns += slice.cost_ns;
  }
  return payers;
}

// Makes the payers' sum the site's: what no slice shows was paid by no one known.
void complete(Payers& payers, const Site& site) {
  uint64_t faults = 0;
  double cost_ns = 0;
  for (const auto& [who, paid] : payers) faults += paid.faults, cost_ns += paid.cost_ns;
  Paid& rest = payers[{kNone, kNone}];
  if (faults > site.faults.count) {
    payers = {{{kNone, kNone}, {site.faults.count, site.cost.total_ns}}};
    return;
  }
  rest.faults += site.faults.count - faults;
  rest.cost_ns += std::max(0.0, site.cost.total_ns - cost_ns);
}

// Hands out whole numbers of a sum by shares, so that they add up to the sum exactly.
class Split {
 public:
  explicit Split(double whole) : whole_(std::llround(whole)) {}

  int64_t next(double share) {
    shares_ += share;
    int64_t upto = std::llround(std::min(1.0, shares_) * static_cast<double>(whole_));
    return upto - std::exchange(given_, upto);
  }
  int64_t rest() { return whole_ - std::exchange(given_, whole_); }

 private:
  int64_t whole_, given_ = 0;
  double shares_ = 0;
};

double first_touch_bytes(const Site& site, uint32_t page_bytes) {
  uint64_t warm = std::min(site.reuse.warm_pages, site.pages.touched);
  return static_cast<double>((site.pages.touched - warm) * page_bytes);
}

const char* owner_frame(Owner owner) {
  static constexpr const char* kNames[kOwners] = {
      "[blocks]",          "[small heap]",  "[stacks]", "[files and images]",
      "[other anonymous]", "[kernel copy]", "[ftprof]", "[unattributed]"};
  return kNames[static_cast<int>(owner)];
}

Frame named(const char* name) {
  Frame frame;
  frame.function = name;
  return frame;
}

}  // namespace

Bill::Bill(const Result& result) {
  add_sites(result);
  for (const LedgerRow& row : result.ledger.rows) add_owner(result, row);
}

void Bill::add_sites(const Result& result) {
  auto payers = payers_of_sites(result);
  for (size_t i = 0; i < result.sites.size(); i++) {
    const Site& site = result.sites[i];
    complete(payers[i], site);
    Split cost(site.cost.total_ns), touched(first_touch_bytes(site, result.run.page_bytes));
    Split warm(static_cast<double>(site.reuse.warm_pages * result.run.page_bytes));
    size_t left = payers[i].size();
    for (const auto& [who, paid] : payers[i]) {
      double share = site.faults.count ? double(paid.faults) / site.faults.count : 0;
      double cost_share = site.cost.total_ns > 0 ? paid.cost_ns / site.cost.total_ns : 0;
      bool last = --left == 0;
      BillSample sample{&site.stack, site.process, who.first, who.second, {}};
      sample.values = {
          static_cast<int64_t>(paid.faults), last ? cost.rest() : cost.next(cost_share),
          last ? touched.rest() : touched.next(share), last ? warm.rest() : warm.next(share)};
      if (sample.values != decltype(sample.values){}) samples_.push_back(sample);
    }
  }
}

// A row of the ledger that the sites do not already make up.
void Bill::add_owner(const Result& result, const LedgerRow& row) {
  uint64_t faults = 0;
  double cost_ns = 0;
  if (row.owner == Owner::blocks)
    for (const Site& site : result.sites)
      faults += site.faults.count, cost_ns += site.cost.total_ns;
  if (row.owner == Owner::small_heap)
    for (const TouchSite& touch : result.ledger.small_heap_touch_sites) {
      if (faults + touch.faults > row.faults) break;
      add({touch.frame, named(owner_frame(row.owner))}, touch.faults, touch.cost_ns);
      faults += touch.faults, cost_ns += touch.cost_ns;
    }
  add({named(owner_frame(row.owner))}, row.faults - std::min(faults, row.faults),
      row.cost_ns.value_or(0) - cost_ns);
}

void Bill::add(std::vector<Frame> stack, uint64_t faults, double cost_ns) {
  BillSample sample;
  sample.values[kFaults] = static_cast<int64_t>(faults);
  sample.values[kFaultTime] = std::max<int64_t>(0, std::llround(cost_ns));
  if (sample.values == decltype(sample.values){}) return;
  stacks_.push_back(std::move(stack));
  sample.stack = &stacks_.back();
  samples_.push_back(sample);
}

}  // namespace ftprof
