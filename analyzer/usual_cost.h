// What a fault usually costs in a process, to tell a slow one from one whose thread lost its CPU.
//
// The kernel's time of a fault is wall time. A thread that is preempted inside one makes it a
// thousand times longer, once. Recorded for itself that is what happened; but a fault that stands
// for a hundred others must not say that they were all preempted, too.
#pragma once

#include <algorithm>
#include <limits>

namespace ftprof {

class UsualCost {
 public:
  // A recorded cost: moves the estimate by a little, however great it is.
  void saw(double cost_ns) {
    if (usual_ns_ <= 0)
      usual_ns_ = cost_ns;
    else
      usual_ns_ += (std::min(cost_ns, 4 * usual_ns_) - usual_ns_) / kInertia;
  }
  // The most that a fault which stands for others says of each of them.
  double most_ns() const {
    return usual_ns_ > 0 ? kMost * usual_ns_ : std::numeric_limits<double>::infinity();
  }

 private:
  static constexpr double kInertia = 64, kMost = 32;
  double usual_ns_ = 0;
};

}  // namespace ftprof
