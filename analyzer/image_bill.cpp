#include "analyzer/image_bill.h"

#include <algorithm>
#include <cmath>

namespace ftprof {
namespace {

double sane(double value) {
  return std::isfinite(value) && value > 0 && value < 1e12 ? value : 0;
}

double price(const ImageTally& image, trace::PriceKind kind) {
  const auto& known = image.prices[static_cast<size_t>(kind)];
  return known ? sane(known->price_ns) : 0;
}
double price_error(const ImageTally& image, trace::PriceKind kind) {
  const auto& known = image.prices[static_cast<size_t>(kind)];
  return known ? sane(known->error_ns) : 0;
}

double or_else(double value, double other) {
  return value > 0 ? value : other;
}

// What all recorded faults cost on average.
void find_mean(const ImageTally& image, ImageBill& bill) {
  FaultSum all;
  for (const SiteTally& site : image.sites) all += site.seen;
  for (const FaultSum& owner : image.owners) all += owner;
  bill.measured = all.timed != 0;
  bill.mean_ns = bill.measured ? bill.corrected(all) / static_cast<double>(all.timed)
                               : price(image, trace::PriceKind::write);
}

struct Modelled {
  double cost_ns = 0, variance = 0;
  void add(const ImageTally& image, trace::PriceKind kind, double faults, double fallback) {
    cost_ns += faults * or_else(price(image, kind), fallback);
    double error = faults * price_error(image, kind);
    variance += error * error;
  }
};

Modelled by_kind(const ImageTally& image, const SiteTally& site, double fallback) {
  Modelled sum;
  double in_call = std::max(0.0, site.in_call - site.populated);
  sum.add(image, trace::PriceKind::write, site.write + site.other + site.major + in_call, fallback);
  sum.add(image, trace::PriceKind::zero_read, site.zero_read, fallback);
  sum.add(image, trace::PriceKind::write_after_zero_read, site.write_after_zero_read, fallback);
  sum.add(image, trace::PriceKind::huge, site.huge_faults, fallback);
  return sum;
}

void measure(const ImageBill& bill, const SiteTally& site, double faults, SiteBill& result) {
  auto timed = static_cast<double>(site.seen.timed);
  double raw_mean = site.seen.cost_ns / timed;
  result.mean_ns = bill.corrected(site.seen) / timed;
  result.cost_ns = result.mean_ns * faults;
  double rest = std::max(0.0, faults - timed);
  if (rest == 0 || timed < 2) return;
  double variance = std::max(0.0, site.seen.square / timed - raw_mean * raw_mean);
  result.variance = variance / timed * rest * rest + variance * rest;
}

// Where faults are sampled, pages tell how many first ones there were; a page that is read and then
// written takes two. The sample shows it when it stands for more faults than there are pages,
// beyond three standard errors; how many at most, getrusage's total has to say (add_unseen_again).
double unseen_again(const ImageTally& image, const ImageBill& bill, const SiteTally& site) {
  bool every_block = site.count <= static_cast<double>(site.recorded);
  // Bursts catch one site and miss the next: they tell costs, not counts.
  if (!image.sampled || !every_block || site.seen.burst) return 0;
  double seen = bill.seen(site.seen), known = site.own_faults - site.populated;
  double each = image.greatest_period;
  double excess = seen - known;
  if (excess < 3 * std::sqrt(seen * each)) return 0;
  return std::min(excess, site.write);
}

SiteBill bill_site(const ImageTally& image, const ImageBill& bill, const SiteTally& site,
                   double unseen = 0) {
  SiteBill result;
  result.unseen_again = unseen;
  result.count = site.write + site.zero_read + site.write_after_zero_read + site.huge_faults +
                 site.in_call + site.other + site.major + unseen;
  double faults = std::max(0.0, result.count - site.populated);
  if (site.seen.timed) {
    measure(bill, site, faults, result);
  } else {
    Modelled modelled = by_kind(image, site, bill.mean_ns);
    result.cost_ns = modelled.cost_ns;
    result.variance = modelled.variance;
    result.mean_ns = faults > 0 ? modelled.cost_ns / faults : 0;
  }
  double populate =
      site.populate_ns > 0
          ? site.populate_ns
          : site.populated * or_else(price(image, trace::PriceKind::populate), bill.mean_ns);
  result.cost_ns += populate;
  result.populate_each_ns = site.populated > 0 ? populate / site.populated : 0;
  double seen = bill.seen(site.seen);
  result.scale = seen > 0 ? faults / seen : 1;
  return result;
}

RowBill& row(ImageBill& bill, Owner owner) {
  return bill.rows[static_cast<int>(owner)];
}

void bill_blocks(const ImageTally& image, ImageBill& bill) {
  double own = 0, counted = 0;
  RowBill& blocks = row(bill, Owner::blocks);
  RowBill& copies = row(bill, Owner::kernel_copy);
  blocks.cost_ns = 0;
  for (const SiteTally& site : image.sites) {
    SiteBill each = bill_site(image, bill, site);
    blocks.faults += each.count;
    *blocks.cost_ns += each.cost_ns;
    copies.faults += site.kernel_copy;
    own += site.own_faults;
    counted += each.count;
    bill.sites.push_back(each);
  }
  if (bill.mean_ns > 0) copies.cost_ns = copies.faults * bill.mean_ns;
  // What unsampled blocks took was seen as somebody else's: sampled blocks stand for them now. Most
  // had a mapping of their own, which was gone before a reading listed it.
  double moved = std::max(0.0, counted - own);
  for (Owner owner : {Owner::unattributed, Owner::other_anonymous, Owner::small_heap}) {
    RowBill& from = row(bill, owner);
    double part = std::min(moved, from.faults);
    from.faults -= part;
    moved -= part;
  }
}

void bill_owners(const ImageTally& image, ImageBill& bill) {
  for (int i = 0; i < kOwners; ++i) {
    const FaultSum& sum = image.owners[i];
    RowBill& each = bill.rows[i];
    each.faults = bill.seen(sum);
    bool known = i != static_cast<int>(Owner::unattributed);
    each.mean_ns =
        known && sum.timed ? bill.corrected(sum) / static_cast<double>(sum.timed) : bill.mean_ns;
  }
}

void add_opening(const ImageTally& image, ImageBill& bill) {
  if (!image.opening) return;
  const trace::Opening& opening = *image.opening;
  row(bill, Owner::stack).faults += static_cast<double>(opening.stack);
  row(bill, Owner::small_heap).faults += static_cast<double>(opening.heap);
  row(bill, Owner::other_anonymous).faults += static_cast<double>(opening.other_anonymous);
  row(bill, Owner::file).faults += static_cast<double>(opening.file + opening.major);
}

double sum_of_rows(const ImageBill& bill) {
  double sum = 0;
  for (const RowBill& each : bill.rows) sum += each.faults;
  return sum;
}

// What getrusage counted; without the closing record, 0.
double counted_faults(const ImageTally& image) {
  if (!image.last_usage || !image.has_final_usage) return 0;
  return static_cast<double>(image.last_usage->minor) +
         static_cast<double>(image.last_usage->major);
}

// Second faults that only the sample tells of. A burst is no independent draw of faults, so the
// sample alone may be far off: never more of them than getrusage counted and no row explains, and
// none where that is too little to tell from anything else.
void add_unseen_again(const ImageTally& image, ImageBill& bill) {
  constexpr double kTellingShare = 0.01;
  double counted = counted_faults(image), room = counted - sum_of_rows(bill), wanted = 0;
  for (const SiteTally& site : image.sites) wanted += unseen_again(image, bill, site);
  if (room <= kTellingShare * counted || wanted <= 0) return;
  RowBill& blocks = row(bill, Owner::blocks);
  for (size_t i = 0; i < image.sites.size(); ++i) {
    double unseen = unseen_again(image, bill, image.sites[i]) * std::min(1.0, room / wanted);
    if (unseen <= 0) continue;
    SiteBill more = bill_site(image, bill, image.sites[i], unseen);
    blocks.faults += more.count - bill.sites[i].count;
    *blocks.cost_ns += more.cost_ns - bill.sites[i].cost_ns;
    bill.sites[i] = more;
  }
}

// Takes `excess` faults off the rows that are least certain.
void cut_rows(ImageBill& bill, double excess) {
  for (Owner owner : {Owner::unattributed, Owner::profiler, Owner::other_anonymous, Owner::file,
                      Owner::small_heap, Owner::stack}) {
    double part = std::min(excess, row(bill, owner).faults);
    row(bill, owner).faults -= part;
    excess -= part;
    bill.slack += part;
  }
}

// Opening calls "file" what is left of the faults before it; blocks that had ended by then and the
// profiler's own are still in there, and in their rows too.
double cut_opening(const ImageTally& image, ImageBill& bill, double excess) {
  if (!image.opening) return excess;
  RowBill& file = row(bill, Owner::file);
  double part = std::min({excess, static_cast<double>(image.opening->file), file.faults});
  file.faults -= part;
  return excess - part;
}

// What was paid between bursts is known in sum: the other owners have it in the shares that the
// bursts show, if those show enough.
void spread_between_bursts(const ImageTally& image, ImageBill& bill, double left) {
  constexpr double kEnough = 30;
  double sum = 0;
  for (const FaultSum& owner : image.owners) sum += static_cast<double>(owner.burst);
  if (sum < kEnough || left <= 0) return;
  for (int i = 1; i < kOwners; ++i)
    bill.rows[i].faults += left * static_cast<double>(image.owners[i].burst) / sum;
}

// getrusage's total decides; what the rows do not explain is unattributed.
void balance(const ImageTally& image, ImageBill& bill) {
  double rows = sum_of_rows(bill), major = 0;
  if (image.last_usage) major = static_cast<double>(image.last_usage->major);
  double counted = image.last_usage ? static_cast<double>(image.last_usage->minor) + major : rows;
  // Without the closing record the process went on paying after the last count.
  if (!image.has_final_usage) counted = std::max(counted, rows);
  if (rows > counted) cut_rows(bill, cut_opening(image, bill, rows - counted));
  rows = sum_of_rows(bill);
  if (image.bursts && image.has_final_usage) spread_between_bursts(image, bill, counted - rows);
  rows = sum_of_rows(bill);
  counted = std::max(counted, rows);
  row(bill, Owner::unattributed).faults += counted - rows;
  bill.major_faults = major;
  bill.minor_faults = counted - major;
}

}  // namespace

CellBill bill_cell(const ImageBill& bill, const CellKey& key, const FaultSum& sum) {
  double scale = 1, mean = 0;
  if (key.payer >= kOwnerBase) {
    scale = bill.rows[key.payer - kOwnerBase].scale;
    mean = bill.rows[key.payer - kOwnerBase].mean_ns;
  } else {
    const SiteBill& site = bill.sites[key.payer];
    bool populated = key.ip == kInCall;
    scale = populated ? 1 : site.scale;
    mean = populated ? site.populate_each_ns : site.mean_ns;
  }
  if (sum.timed) mean = bill.corrected(sum) / static_cast<double>(sum.timed);
  double faults = bill.seen(sum) * scale;
  return {faults, faults * mean};
}

namespace {

// For how many faults each one stands that was seen in a burst: by getrusage's count from the first
// gap on, else by time.
void find_burst_scale(const ImageTally& image, ImageBill& bill) {
  double seen = 0;
  for (const SiteTally& site : image.sites) seen += static_cast<double>(site.seen.burst);
  for (const FaultSum& owner : image.owners) seen += static_cast<double>(owner.burst);
  if (seen > 0 && image.usage_before_bursts &&
      image.last_usage->minor > image.usage_before_bursts->minor)
    bill.burst_scale =
        static_cast<double>(image.last_usage->minor - image.usage_before_bursts->minor) / seen;
  else if (image.burst_on_ns > 0)
    bill.burst_scale = image.burst_span_ns / image.burst_on_ns;
  bill.burst_scale = std::max(1.0, bill.burst_scale);
}

}  // namespace

ImageBill make_bill(const ImageTally& image) {
  ImageBill bill;
  const auto& write = image.prices[static_cast<size_t>(trace::PriceKind::write)];
  if (write) bill.excess_ns = sane(write->raw_excess_ns);
  find_burst_scale(image, bill);
  find_mean(image, bill);
  bill_owners(image, bill);
  bill_blocks(image, bill);
  add_opening(image, bill);
  RowBill& profiler = row(bill, Owner::profiler);
  if (image.last_usage)
    profiler.faults = std::max(profiler.faults, static_cast<double>(image.last_usage->self_faults));
  add_unseen_again(image, bill);
  // A mean over the program's faults would charge it for huge ones.
  if (!profiler.cost_ns)
    profiler.mean_ns = or_else(price(image, trace::PriceKind::write), profiler.mean_ns);
  balance(image, bill);
  for (int i = 1; i < kOwners; ++i) {
    RowBill& each = bill.rows[i];
    if (!each.cost_ns && each.mean_ns > 0) each.cost_ns = each.faults * each.mean_ns;
    double seen = bill.seen(image.owners[i]);
    each.scale = seen > 0 ? each.faults / seen : 1;
  }
  return bill;
}

}  // namespace ftprof
