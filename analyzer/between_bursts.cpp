#include "analyzer/between_bursts.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>

namespace ftprof {
namespace {

// The variance of what payers have in the gaps. Where the bursts on both sides of a gap agree, so
// did the time between them; where they do not, the change came anywhere in between. And each gap
// may have held one more fault for as many as were looked at beside it.
class Variances {
 public:
  explicit Variances(const ImageTally& image) : floor_(std::pow(blind_spot(image), 2)) {
    image.gap_tilt.for_each(
        [this](const FeedKey& key, double tilt) { of_payer_[key.from] += tilt * tilt / 3; });
  }
  // 0 for one that no burst saw.
  double operator()(uint32_t payer) const {
    auto found = of_payer_.find(payer);
    return found == of_payer_.end() ? 0 : floor_ + found->second;
  }

 private:
  std::unordered_map<uint32_t, double> of_payer_;
  double floor_;
};

// A page that was seen to lose its zero page was read first and written later; so was one that had
// two faults in one burst, or a load and is no zero page now. Between the looks more of the site's
// pages may have done so.
Unseen second_faults(const SiteTally& site, double variance) {
  Unseen unseen;
  unseen.most = site.write;
  double loads = site.seen_as(Sighting::read).faults - site.zero;
  double known = std::max({site.zero_lost, site.again_stands, loads}) - site.write_after_zero_read;
  unseen.expected = std::min(std::max(0.0, known), unseen.most);
  if (known > 0 || site.zero > 0)
    unseen.error = std::sqrt(std::pow((unseen.most - unseen.expected) / 2, 2) + variance);
  return unseen;
}

// Where nobody can tell a zero page: more faults than the pages account for, beyond three standard
// errors.
Unseen excess_faults(const SiteTally& site, double variance) {
  Unseen unseen;
  double seen = site.all_seen().faults - site.seen_as(Sighting::in_call).faults;
  double excess = seen - (site.own_faults - site.in_call);
  unseen.most = site.write;
  if (excess < 3 * std::sqrt(variance)) return unseen;
  unseen.expected = std::min(excess, unseen.most);
  unseen.error = std::sqrt(variance);
  return unseen;
}

}  // namespace

double blind_spot(const ImageTally& image) {
  double variance = 0;
  for (const ImageTally::Gap& gap : image.gaps)
    if (gap.looked_at > 0) variance += std::pow(gap.faults / gap.looked_at, 2);
  return std::sqrt(variance);
}

std::vector<Unseen> unseen_between_bursts(const ImageTally& image, const ImageBill& bill) {
  std::vector<Unseen> unseen;
  Variances variance(image);
  for (int i = 0; i < kOwners; ++i) {
    Unseen each;
    auto owner = static_cast<Owner>(i);
    bool seen_in_bursts =
        owner != Owner::blocks && owner != Owner::kernel_copy && owner != Owner::profiler;
    if (seen_in_bursts) {
      auto recorded = static_cast<double>(image.owners[i].recorded);
      double faults = std::min(image.owners[i].faults, bill.rows[i].faults);
      each.expected = std::max(0.0, faults - recorded);
      each.error = std::sqrt(variance(payer(owner)));
    }
    unseen.push_back(each);
  }
  for (uint32_t i = 0; i < image.sites.size(); ++i) {
    const SiteTally& site = image.sites[i];
    unseen.push_back(image.zero_pages_known ? second_faults(site, variance(i))
                                            : excess_faults(site, variance(i)));
  }
  return unseen;
}

}  // namespace ftprof
