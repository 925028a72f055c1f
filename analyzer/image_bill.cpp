#include "analyzer/image_bill.h"

#include <algorithm>
#include <cmath>

#include "analyzer/between_bursts.h"

namespace ftprof {
namespace {

double sane(double value) {
  return std::isfinite(value) && value > 0 && value < 1e12 ? value : 0;
}

double or_else(double value, double other) {
  return value > 0 ? value : other;
}

Pricing pricing_of(const ImageTally& image, const ImageBill& bill) {
  return {image, bill.excess_ns, bill.mean_ns};
}

// What a recorded fault costs that maps a page of 4 KiB: what nobody timed was most likely one. A
// site with huge pages would spoil the mean a thousandfold, and loads are cheaper.
void find_mean(const ImageTally& image, ImageBill& bill) {
  FaultSum small, all;
  for (const SiteTally& site : image.sites) {
    all += site.all_seen();
    if (site.huge_faults > 0) continue;
    for (Sighting stored : {Sighting::plain, Sighting::again, Sighting::in_call})
      small += site.seen_as(stored);
  }
  for (const FaultSum& owner : image.owners) small += owner, all += owner;
  bill.measured = all.timed != 0;
  double write = pricing_of(image, bill).calibrated(trace::PriceKind::write);
  bill.mean_ns = or_else(small.timed ? bill.mean_of(small) : 0, or_else(write, bill.mean_of(all)));
}

// Where faults are sampled, pages tell how many first ones there were; a page that is read and then
// written takes two. The sample shows it when it stands for more faults than there are pages,
// beyond three standard errors; how many at most, getrusage's total has to say (add_unseen_again).
double unseen_again(const ImageTally& image, const SiteTally& site) {
  bool every_block = site.count <= static_cast<double>(site.recorded);
  if (!image.sampled || !every_block || image.bursts) return 0;
  double seen = site.all_seen().faults, known = site.own_faults - site.populated;
  double each = image.greatest_period;
  double excess = seen - known;
  if (excess < 3 * std::sqrt(seen * each)) return 0;
  return std::min(excess, site.write);
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
    SiteBill each = bill_site(pricing_of(image, bill), site);
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
    from.placed -= part;
    moved -= part;
  }
}

void bill_owners(const ImageTally& image, ImageBill& bill) {
  for (int i = 0; i < kOwners; ++i) {
    const FaultSum& sum = image.owners[i];
    RowBill& each = bill.rows[i];
    each.faults = each.placed = sum.faults;
    bool known = i != static_cast<int>(Owner::unattributed);
    each.mean_ns = known && sum.timed ? bill.mean_of(sum) : bill.mean_ns;
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

void set_unseen_again(const ImageTally& image, ImageBill& bill, size_t i, double unseen) {
  SiteBill more = bill_site(pricing_of(image, bill), image.sites[i], unseen);
  RowBill& blocks = row(bill, Owner::blocks);
  blocks.faults += more.count - bill.sites[i].count;
  *blocks.cost_ns += more.cost_ns - bill.sites[i].cost_ns;
  bill.sites[i] = more;
}

// Second faults that only the sample tells of: never more of them than getrusage counted and no row
// explains, and none where that is too little to tell from anything else.
void add_unseen_again(const ImageTally& image, ImageBill& bill) {
  constexpr double kTellingShare = 0.01;
  double counted = counted_faults(image), room = counted - sum_of_rows(bill), wanted = 0;
  for (const SiteTally& site : image.sites) wanted += unseen_again(image, site);
  if (room <= kTellingShare * counted || wanted <= 0) return;
  for (size_t i = 0; i < image.sites.size(); ++i) {
    double unseen = unseen_again(image, image.sites[i]) * std::min(1.0, room / wanted);
    if (unseen > 0) set_unseen_again(image, bill, i, unseen);
  }
}

// What was paid between bursts is known in sum. Without the closing record it is what the bursts
// make of it.
void add_between_bursts(const ImageTally& image, ImageBill& bill) {
  std::vector<Unseen> unseen = unseen_between_bursts(image, bill);
  const double blind = blind_spot(image);
  std::array<double, kOwners> expected;
  for (int i = 0; i < kOwners; ++i)
    bill.rows[i].faults -= expected[static_cast<size_t>(i)] = unseen[i].expected;
  for (Unseen& each : unseen) each.faults = each.expected;
  if (double counted = counted_faults(image); counted > 0)
    share_out(unseen, counted - sum_of_rows(bill));
  for (int i = 0; i < kOwners; ++i) {
    bill.rows[i].faults += unseen[i].faults;
    bill.rows[i].placed += unseen[i].faults - expected[i];
    bill.rows[i].error = unseen[i].faults > 0 ? std::hypot(unseen[i].error, blind) : 0;
  }
  for (size_t i = 0; i < image.sites.size(); ++i) {
    const Unseen& each = unseen[kOwners + i];
    if (each.faults > 0) set_unseen_again(image, bill, i, each.faults);
    bill.sites[i].error = each.faults > 0 ? std::hypot(each.error, blind) : 0;
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

// getrusage's total decides; what the rows do not explain is unattributed.
void balance(const ImageTally& image, ImageBill& bill) {
  double rows = sum_of_rows(bill), major = 0;
  if (image.last_usage) major = static_cast<double>(image.last_usage->major);
  double counted = image.last_usage ? static_cast<double>(image.last_usage->minor) + major : rows;
  // Without the closing record the process went on paying after the last count.
  if (!image.has_final_usage) counted = std::max(counted, rows);
  if (rows > counted) cut_rows(bill, cut_opening(image, bill, rows - counted));
  rows = sum_of_rows(bill);
  counted = std::max(counted, rows);
  row(bill, Owner::unattributed).faults += counted - rows;
  bill.major_faults = major;
  bill.minor_faults = counted - major;
}

}  // namespace

// A fault that was timed costs its own time, any other what such faults of the payer cost: summed
// in any dimension that is the same.
CellBill bill_cell(const ImageBill& bill, const CellKey& key, const FaultSum& sum) {
  double scale = 1, mean = 0;
  if (key.payer >= kOwnerBase) {
    scale = bill.rows[key.payer - kOwnerBase].scale;
    mean = bill.rows[key.payer - kOwnerBase].mean_ns;
  } else if (key.ip == kInCall) {
    mean = bill.sites[key.payer].populate_each_ns;
  } else {
    scale = bill.sites[key.payer].as(key.sighting).scale;
    mean = bill.sites[key.payer].as(key.sighting).mean_ns;
  }
  double timed = sum.timed ? sum.cost_ns - bill.excess_ns * sum.weight : 0;
  double others = std::max(0.0, sum.faults - sum.weight) * mean;
  return {sum.faults * scale, std::max(0.0, timed + others) * scale};
}

ImageBill make_bill(const ImageTally& image) {
  ImageBill bill;
  const auto& write = image.prices[static_cast<size_t>(trace::PriceKind::write)];
  if (write) bill.excess_ns = sane(write->raw_excess_ns);
  find_mean(image, bill);
  bill_owners(image, bill);
  bill_blocks(image, bill);
  add_opening(image, bill);
  RowBill& profiler = row(bill, Owner::profiler);
  if (image.last_usage)
    profiler.faults = std::max(profiler.faults, static_cast<double>(image.last_usage->self_faults));
  if (image.bursts)
    add_between_bursts(image, bill);
  else
    add_unseen_again(image, bill);
  // A mean over the program's faults would charge it for huge ones.
  if (!profiler.cost_ns)
    profiler.mean_ns =
        or_else(pricing_of(image, bill).calibrated(trace::PriceKind::write), profiler.mean_ns);
  balance(image, bill);
  for (int i = 1; i < kOwners; ++i) {
    RowBill& each = bill.rows[i];
    if (!each.cost_ns && each.mean_ns > 0) each.cost_ns = each.faults * each.mean_ns;
    double seen = image.owners[i].faults;
    each.placed = std::clamp(each.placed, 0.0, seen > 0 ? each.faults : 0);
    each.scale = seen > 0 ? each.placed / seen : 1;
  }
  return bill;
}

}  // namespace ftprof
