#include "analyzer/unplaced.h"

#include <algorithm>

namespace ftprof {
namespace {

constexpr double kLeast = 1e-6;  // less is an error of arithmetic

class Finder {
 public:
  Finder(const ImageTally& image, const ImageBill& bill) : image_(image), bill_(bill) {}

  std::vector<Unplaced> find() {
    for (uint32_t i = 0; i < image_.sites.size(); ++i) of_site(i);
    for (int i = 1; i < kOwners; ++i) of_owner(static_cast<Owner>(i));
    return std::move(found_);
  }

 private:
  // Without a record of its own: some time while its blocks lived.
  void of_site(uint32_t i) {
    const SiteTally& site = image_.sites[i];
    for (const SightingBill& part : bill_.sites[i].by_sighting)
      if (part.scale == 0) add(i, part.faults, part.mean_ns, site.begin_ns, site.end_ns);
  }

  void of_owner(Owner owner) {
    const RowBill& row = bill_.rows[static_cast<int>(owner)];
    double left = row.faults - row.placed, mean = row.mean_ns;
    uint64_t start = image_.process.start_monotonic_ns;
    double early = std::min(left, before_observed(owner));
    add(payer(owner), early, mean, start, std::max(start, image_.opening_ns));
    add(payer(owner), left - early, mean, start, image_.last_ns);
  }
  double before_observed(Owner owner) const {
    if (!image_.opening || !image_.last_usage) return 0;
    // Its own account is not told by time; nearly all of it is the calibration at the start.
    if (owner == Owner::profiler) return static_cast<double>(image_.last_usage->self_faults);
    if (owner == Owner::stack) return static_cast<double>(image_.opening->stack);
    if (owner == Owner::small_heap) return static_cast<double>(image_.opening->heap);
    if (owner == Owner::other_anonymous)
      return static_cast<double>(image_.opening->other_anonymous);
    if (owner == Owner::file)
      return static_cast<double>(image_.opening->file + image_.opening->major);
    return 0;
  }
  void add(uint32_t payer, double faults, double each_ns, uint64_t begin_ns, uint64_t end_ns) {
    end_ns = std::max(begin_ns, end_ns);
    if (faults > kLeast) found_.push_back({payer, faults, faults * each_ns, begin_ns, end_ns});
  }

  const ImageTally& image_;
  const ImageBill& bill_;
  std::vector<Unplaced> found_;
};

}  // namespace

std::vector<Unplaced> find_unplaced(const ImageTally& image, const ImageBill& bill) {
  return Finder(image, bill).find();
}

}  // namespace ftprof
