#include "preload/fault_budget.h"

namespace ftprof {
namespace {

constexpr double kMostJitter = 1.5;
constexpr double kDistance = 16e6;  // ns of the program from burst to burst, at the least
constexpr double kNever = 1e18;

}  // namespace

// xorshift64*: the next burst begins at half to one and a half times the plain distance.
void FaultBudget::begin_burst() {
  random_ ^= random_ >> 12;
  random_ ^= random_ << 25;
  random_ ^= random_ >> 27;
  uint64_t bits = (random_ * 0x2545F4914F6CDD1DULL) >> 40;
  burst_spent_ = burst_program_ = 0;
  jitter_ = 0.5 + static_cast<double>(bits) / static_cast<double>(1 << 24);
}

uint64_t FaultBudget::wait_ns(double burst_ns) const {
  double to_burst = kDistance * jitter_ - burst_program_;
  // A burst that costs more than the bucket can hold is paid off afterwards.
  double most = credit_ / kMostJitter;
  double wanted = (burst_ns < most ? burst_ns : most) * jitter_ - held_;
  double to_earn = wanted <= 0 ? 0 : share_ > 0 ? wanted / share_ : kNever;
  double wait = to_burst > to_earn ? to_burst : to_earn;
  return wait > 0 ? static_cast<uint64_t>(wait) : 0;
}

}  // namespace ftprof
