#include "analyzer/cost_histogram.h"

#include <algorithm>

namespace ftprof {

void CostHistogram::add(const CostHistogram& other) {
  for (unsigned octave = 0; octave < kOctaves; ++octave) {
    if (!other.octaves_[octave]) continue;
    auto& steps = octaves_[octave];
    if (!steps) steps = std::make_unique<Steps>();
    for (unsigned step = 0; step < kSteps; ++step)
      (*steps)[step] += (*other.octaves_[octave])[step];
  }
  count_ += other.count_;
  max_ = std::max(max_, other.max_);
}

double CostHistogram::middle(unsigned octave, unsigned step) {
  if (octave == 0) return step;
  double width = static_cast<double>(uint64_t{1} << (octave - 1));
  return (kSteps + step) * width + (width - 1) / 2;
}

std::optional<double> CostHistogram::quantile(double share) const {
  if (count_ == 0) return std::nullopt;
  auto rank = static_cast<uint64_t>(share * static_cast<double>(count_ - 1));
  uint64_t seen = 0;
  for (unsigned octave = 0; octave < kOctaves; ++octave) {
    if (!octaves_[octave]) continue;
    for (unsigned step = 0; step < kSteps; ++step) {
      seen += (*octaves_[octave])[step];
      if (seen > rank) return std::min<double>(middle(octave, step), max_);
    }
  }
  return max_;
}

}  // namespace ftprof
