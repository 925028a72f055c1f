#include "analyzer/site_bill.h"

#include <algorithm>
#include <cmath>

namespace ftprof {
namespace {

using trace::PriceKind;

double sane(double value) {
  return std::isfinite(value) && value > 0 && value < 1e12 ? value : 0;
}

void add_modelled(const Pricing& pricing, PriceKind kind, double faults, SightingBill& to) {
  double each = pricing.calibrated(kind), error = faults * pricing.calibrated_error(kind);
  to.cost_ns += faults * (each > 0 ? each : pricing.usual_ns);
  to.variance += error * error;
}

// A few recorded faults are no measure for many others: the usual price makes up the number.
double mean_for_all(const Pricing& pricing, const FaultSum& seen, double faults, double usual_ns) {
  constexpr double kFew = 8;
  double mean = pricing.mean_of(seen), missing = kFew - static_cast<double>(seen.timed);
  bool stands_for_many = faults > 2 * static_cast<double>(seen.recorded);
  if (missing <= 0 || !stands_for_many || usual_ns <= 0) return mean;
  return (mean * (kFew - missing) + usual_ns * missing) / kFew;
}

void measure(const Pricing& pricing, const FaultSum& seen, double usual_ns, SightingBill& to) {
  auto timed = static_cast<double>(seen.timed);
  to.mean_ns = mean_for_all(pricing, seen, to.faults, usual_ns);
  to.cost_ns = to.mean_ns * to.faults;
  double rest = std::max(0.0, to.faults - timed);
  if (rest == 0 || timed < 2) return;
  double deviation = seen.deviation();
  to.variance = deviation * deviation * (rest * rest / timed + rest);
}

bool is_some(double faults) {
  return faults >= 0.5;
}

class SiteBiller {
 public:
  SiteBiller(const Pricing& pricing, const SiteTally& site, double unseen)
      : pricing_(pricing), site_(site), unseen_(unseen) {}

  SiteBill bill() {
    result_.unseen_again = unseen_;
    result_.count = site_.write + site_.zero_read + site_.write_after_zero_read +
                    site_.huge_faults + site_.in_call + site_.other + site_.major + unseen_;
    share_among_sightings();
    for (size_t i = 0; i < kSightings; ++i) price(static_cast<Sighting>(i));
    add_populated();
    split_by_kind();
    return result_;
  }

 private:
  const SightingBill& as(Sighting sighting) const { return result_.as(sighting); }
  SightingBill& as(Sighting sighting) { return result_.by_sighting[static_cast<size_t>(sighting)]; }

  double reads() const { return site_.zero_read + unseen_; }
  double second_ones() const { return site_.write_after_zero_read + unseen_; }

  // Of the loads, those whose page was the zero page when they were recorded. The others were
  // stored to at once, which the same burst shows, and stand among the plain ones. Where everything
  // was recorded the records decide.
  double labelled_reads(double first_ones) const {
    if (!pricing_.image.reads_known) return 0;
    double labelled = site_.seen_as(Sighting::read).faults;
    if (!pricing_.image.bursts) {
      double seen = labelled + site_.seen_as(Sighting::plain).faults;
      return seen > 0 ? first_ones * labelled / seen : 0;
    }
    double pairs = site_.again_seen.faults;
    return labelled + pairs > 0 ? reads() * labelled / (labelled + pairs) : reads();
  }

  void share_among_sightings() {
    double left = std::max(0.0, result_.count - site_.in_call);
    as(Sighting::in_call).faults = std::max(0.0, site_.in_call - site_.populated);
    if (site_.seen_as(Sighting::again).faults > 0)
      left -= as(Sighting::again).faults = std::min(left, second_ones());
    left -= as(Sighting::read).faults = std::min(left, labelled_reads(left));
    as(Sighting::plain).faults = left;
  }

  void price(Sighting sighting) {
    SightingBill& to = as(sighting);
    const FaultSum& seen = site_.seen_as(sighting);
    to.scale = seen.faults > 0 ? to.faults / seen.faults : 0;
    if (seen.timed)
      measure(pricing_, seen, usual(sighting), to);
    else
      model(sighting, to);
    if (!seen.timed) to.mean_ns = to.faults > 0 ? to.cost_ns / to.faults : pricing_.usual_ns;
    result_.cost_ns += to.cost_ns;
    result_.variance += to.variance;
  }

  double usual(Sighting sighting) const {
    if (sighting == Sighting::read) return pricing_.calibrated(PriceKind::zero_read);
    if (sighting == Sighting::again) return pricing_.calibrated(PriceKind::write_after_zero_read);
    return pricing_.usual_ns;
  }

  // By kind. A first store costs what such faults are seen to cost elsewhere.
  void model(Sighting sighting, SightingBill& to) {
    bool measured = pricing_.usual_ns > 0;
    if (sighting == Sighting::read)
      return add_modelled(pricing_, PriceKind::zero_read, to.faults, to);
    if (sighting == Sighting::again)
      return add_modelled(pricing_, PriceKind::write_after_zero_read, to.faults, to);
    double again = sighting == Sighting::plain ? second_ones() - as(Sighting::again).faults : 0;
    double huge = sighting == Sighting::plain ? site_.huge_faults : 0;
    double read = sighting == Sighting::plain ? unlabelled_reads() : 0;
    double write = std::max(0.0, to.faults - again - huge - read);
    add_modelled(pricing_, PriceKind::zero_read, read, to);
    add_modelled(pricing_, PriceKind::write_after_zero_read, again, to);
    add_modelled(pricing_, PriceKind::huge, huge, to);
    if (measured && pricing_.image.perf)
      to.cost_ns += write * pricing_.usual_ns;
    else
      add_modelled(pricing_, PriceKind::write, write, to);
  }

  void add_populated() {
    double faults = std::max(0.0, result_.count - site_.populated);
    result_.mean_ns = faults > 0 ? result_.cost_ns / faults : 0;
    double each = pricing_.calibrated(PriceKind::populate);
    double cost = site_.populate_ns > 0 ? site_.populate_ns
                                        : site_.populated * (each > 0 ? each : pricing_.usual_ns);
    result_.cost_ns += cost;
    result_.populate_each_ns = site_.populated > 0 ? cost / site_.populated : 0;
  }

  double unlabelled_reads() const {
    return std::max(0.0, reads() - result_.as(Sighting::read).faults);
  }

  // Loads, second faults and those in the call are told apart; of the others a kind that is alone
  // among them, and stores from a few loads that were stored to before their record was written.
  void split_by_kind() {
    auto& known = result_.by_kind_ns;
    known.fill(0.0);
    known[kInCallKind] = as(Sighting::in_call).cost_ns + result_.populate_each_ns * site_.populated;
    if (loads_are_doubtful())
      known[kWriteKind].reset(), known[kReadKind].reset();
    else
      add_of(Sighting::read, known[kReadKind]);
    add_of(Sighting::again, known[kAgainKind]);
    double left = as(Sighting::plain).cost_ns;
    std::array<double, kKinds> counts = {site_.write - unseen_,
                                         unlabelled_reads(),
                                         second_ones() - as(Sighting::again).faults,
                                         site_.huge_faults,
                                         0,
                                         site_.major,
                                         site_.other};
    if (is_some(counts[kAgainKind]) &&
        static_cast<double>(site_.again_seen.timed) == counts[kAgainKind]) {
      double again = pricing_.mean_of(site_.again_seen) * counts[kAgainKind];
      *known[kAgainKind] += again;
      left -= again;
      counts[kAgainKind] = 0;
    }
    split_plain(counts, std::max(0.0, left));
  }

  static constexpr size_t kWriteKind = 0, kReadKind = 1, kAgainKind = 2, kInCallKind = 4;

  // A page that was given back and loaded again before the record of its store was written.
  bool loads_are_doubtful() const {
    return !pricing_.image.bursts && as(Sighting::read).faults > reads() + 0.5;
  }

  void add_of(Sighting sighting, std::optional<double>& known) {
    if (as(sighting).faults == 0) return;
    if (site_.seen_as(sighting).timed)
      known = known.value_or(0) + as(sighting).cost_ns;
    else
      known.reset();
  }

  void split_plain(const std::array<double, kKinds>& counts, double left) {
    auto& known = result_.by_kind_ns;
    auto kinds = std::count_if(counts.begin(), counts.end(), is_some);
    bool timed = site_.seen_as(Sighting::plain).timed > 0;
    double load = price_of_load();
    bool loads_and_stores =
        kinds == 2 && is_some(counts[kWriteKind]) && is_some(counts[kReadKind]) && load > 0;
    double loads = std::min(left, counts[kReadKind] * load);
    for (size_t kind = 0; kind < kKinds; ++kind) {
      if (!is_some(counts[kind])) continue;
      double part = !loads_and_stores ? left : kind == kReadKind ? loads : left - loads;
      bool told = known[kind] && timed && (kinds == 1 || loads_and_stores);
      known[kind] = told ? std::optional(*known[kind] + part) : std::nullopt;
    }
  }

  // As the site's other loads are seen to cost, or as the calibration found.
  double price_of_load() const {
    constexpr uint64_t kEnough = 8;
    const FaultSum& seen = site_.seen_as(Sighting::read);
    return seen.timed >= kEnough ? pricing_.mean_of(seen)
                                 : pricing_.calibrated(PriceKind::zero_read);
  }

  const Pricing& pricing_;
  const SiteTally& site_;
  double unseen_;
  SiteBill result_;
};

}  // namespace

double Pricing::calibrated(PriceKind kind) const {
  const auto& known = image.prices[static_cast<size_t>(kind)];
  return known ? sane(known->price_ns) : 0;
}
double Pricing::calibrated_error(PriceKind kind) const {
  const auto& known = image.prices[static_cast<size_t>(kind)];
  return known ? sane(known->error_ns) : 0;
}

SiteBill bill_site(const Pricing& pricing, const SiteTally& site, double unseen) {
  return SiteBiller(pricing, site, unseen).bill();
}

}  // namespace ftprof
