#include "analyzer/diff.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include "analyzer/changes.h"
#include "analyzer/figures.h"

namespace ftprof {

namespace {

using Value = std::optional<double>;

Value known(double value) {
  return value;
}
Value unless_zero(double value) {
  return value > 0 ? Value(value) : std::nullopt;
}

const LedgerRow* row_of(const Ledger& ledger, Owner owner) {
  for (const LedgerRow& row : ledger.rows)
    if (row.owner == owner) return &row;
  return nullptr;
}

Value faults_of(const Ledger& ledger, Owner owner) {
  const LedgerRow* row = row_of(ledger, owner);
  return row ? Value(static_cast<double>(row->faults)) : std::nullopt;
}

void add_ledger(std::vector<Measure>& totals, const Result& before, const Result& after) {
  for (int i = 0; i < kOwners; ++i) {
    Owner owner = static_cast<Owner>(i);
    Measure row{std::string("faults_") + owner_name(owner), Unit::count,
                faults_of(before.ledger, owner), faults_of(after.ledger, owner)};
    if (row.before || row.after) totals.push_back(row);
  }
}

bool larger_change(const SiteDiff& a, const SiteDiff& b) {
  double by_a = std::fabs(a.faults().change()), by_b = std::fabs(b.faults().change());
  if (by_a != by_b) return by_a > by_b;
  double size_a = a.faults().before.value_or(0) + a.faults().after.value_or(0);
  double size_b = b.faults().before.value_or(0) + b.faults().after.value_or(0);
  if (size_a != size_b) return size_a > size_b;
  return a.pair.any().names < b.pair.any().names;
}

}  // namespace

uint64_t program_faults(const Ledger& ledger) {
  const LedgerRow* own = row_of(ledger, Owner::profiler);
  uint64_t all = ledger.minor_faults + ledger.major_faults;
  return all - std::min(all, own ? own->faults : 0);
}

double program_cost_ns(const Ledger& ledger) {
  const LedgerRow* own = row_of(ledger, Owner::profiler);
  return std::max(0.0, ledger.cost_ns - (own ? own->cost_ns.value_or(0) : 0));
}

std::vector<Measure> total_measures(const Result& before, const Result& after) {
  std::vector<Measure> totals;
  auto add = [&](const char* name, Unit unit, auto take) {
    totals.push_back({name, unit, Value(take(before)), Value(take(after))});
  };
  using R = const Result&;
  add("faults", Unit::count, [](R r) { return known(program_faults(r.ledger)); });
  add("major_faults", Unit::count, [](R r) { return known(r.ledger.major_faults); });
  add("fault_cost_ns", Unit::ns, [](R r) { return known(program_cost_ns(r.ledger)); });
  add_ledger(totals, before, after);
  add("handouts", Unit::count, [](R r) { return known(r.pool.handouts); });
  add("fresh", Unit::count, [](R r) { return known(r.pool.fresh); });
  add("warm", Unit::count, [](R r) { return known(r.pool.warm); });
  add("partial", Unit::count, [](R r) { return known(r.pool.partial); });
  add("cold", Unit::count, [](R r) { return known(r.pool.cold); });
  add("purged_pages", Unit::count, [](R r) { return known(r.pool.purged_pages); });
  add("refaulted_after_purge_pages", Unit::count,
      [](R r) { return known(r.pool.refaulted_after_purge_pages); });
  add("peak_resident_bytes", Unit::bytes,
      [](R r) { return unless_zero(r.run.peak_resident_bytes); });
  add("final_resident_bytes", Unit::bytes,
      [](R r) { return unless_zero(r.run.final_resident_bytes); });
  add("duration_ns", Unit::ns, [](R r) { return known(r.run.duration_ns); });
  add("user_ns", Unit::ns, [](R r) { return known(r.run.user_ns); });
  add("system_ns", Unit::ns, [](R r) { return known(r.run.system_ns); });
  return totals;
}

std::vector<Measure> site_measures(const SitePair& pair) {
  std::vector<Measure> measures;
  auto add = [&](const char* name, Unit unit, auto take) {
    auto value = [&](const SiteSum* site) { return site ? Value(take(*site)) : Value(0); };
    measures.push_back({name, unit, value(pair.before), value(pair.after)});
  };
  using S = const SiteSum&;
  add("faults", Unit::count, [](S s) { return known(s.faults.count); });
  add("cost_ns", Unit::ns, [](S s) { return known(s.cost_ns); });
  add("blocks", Unit::count, [](S s) { return known(s.blocks); });
  add("bytes", Unit::bytes, [](S s) { return known(s.bytes); });
  add("touched_pages", Unit::count, [](S s) { return known(s.touched_pages); });
  add("fresh", Unit::count, [](S s) { return known(s.fresh); });
  add("warm", Unit::count, [](S s) { return known(s.warm); });
  add("partial", Unit::count, [](S s) { return known(s.partial); });
  add("cold", Unit::count, [](S s) { return known(s.cold); });
  add("purged_pages", Unit::count, [](S s) { return known(s.purged_pages); });
  add("refaulted_after_purge_pages", Unit::count, [](S s) { return known(s.refaulted_pages); });
  return measures;
}

std::string figure(const std::optional<double>& value, Unit unit) {
  if (!value) return "–";
  switch (unit) {
    case Unit::ns:
      return time_figure(*value);
    case Unit::bytes:
      return bytes_figure(*value);
    case Unit::share:
      return share_figure(*value);
    case Unit::count:
      break;
  }
  return count_figure(*value);
}

std::string change_figure(const Measure& measure) {
  if (!measure.before || !measure.after) return "–";
  double change = measure.change();
  if (change == 0) return "=";
  std::string text = (change > 0 ? "+" : "") + figure(change, measure.unit);
  if (*measure.before == 0) return text;
  return text + " (" + signed_figure(change / *measure.before, share_figure) + ")";
}

Diff::Diff(const Result& before, const Result& after)
    : totals(total_measures(before, after)),
      period((before.run.fault_period + after.run.fault_period) / 2),
      sums_before_(sum_sites(before)),
      sums_after_(sum_sites(after)) {
  for (const SitePair& pair : match_sites(sums_before_, sums_after_))
    sites.push_back({pair, site_measures(pair), what_changed(pair)});
  std::sort(sites.begin(), sites.end(), larger_change);
}

bool Diff::differs(const Measure& faults, const Tolerance& tolerance) const {
  double before = faults.before.value_or(0), after = faults.after.value_or(0);
  double low = std::min(before, after), high = std::max(before, after);
  return high - low > allowed_change(low, high, tolerance, period);
}

bool Diff::differs(const Tolerance& tolerance) const {
  if (differs(totals.front(), tolerance)) return true;
  return std::any_of(sites.begin(), sites.end(), [&](const SiteDiff& site) {
    return differs(site.faults(), tolerance) || touch_moved(site.pair, tolerance, period);
  });
}

}  // namespace ftprof
