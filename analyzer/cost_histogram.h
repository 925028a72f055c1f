// The distribution of fault costs of one site: 32 steps to each doubling, so a quantile is right to
// within 1.6 %. Doublings that no fault fell into take no memory.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <memory>
#include <optional>

namespace ftprof {

class CostHistogram {
 public:
  void add(uint32_t ns) {
    ++count_;
    if (ns > max_) max_ = ns;
    unsigned octave = ns < kSteps ? 0 : static_cast<unsigned>(std::bit_width(ns)) - kStepBits;
    unsigned step = octave == 0 ? ns : (ns >> (octave - 1)) - kSteps;
    auto& steps = octaves_[octave];
    if (!steps) [[unlikely]]
      steps = std::make_unique<Steps>();
    ++(*steps)[step];
  }
  void add(const CostHistogram& other);

  uint64_t count() const { return count_; }
  uint32_t max_ns() const { return max_; }
  // The middle of the step that holds the quantile; nothing when no fault was timed.
  std::optional<double> quantile(double share) const;

 private:
  static constexpr unsigned kStepBits = 5, kSteps = 1u << kStepBits, kOctaves = 33 - kStepBits;
  using Steps = std::array<uint32_t, kSteps>;
  static double middle(unsigned octave, unsigned step);

  std::array<std::unique_ptr<Steps>, kOctaves> octaves_;
  uint64_t count_ = 0;
  uint32_t max_ = 0;
};

}  // namespace ftprof
