// Under faults.period=auto faults are recorded in windows, and in the gaps between them nobody
// looks. How many faults a gap held is known all the same, from getrusage at both of its ends. So
// each recorded fault near the end of a window stands for itself and for its part of half the gap
// behind it; near a window's beginning, of half the gap before it. What lies further inside a long
// window stands for itself alone.
//
// Faults inside an allocating call are known one by one from the call's own count, so gaps are
// counted without them. Faults of the kernel's own (read(2) into fresh memory) are still in there.
//
// Found by a look over the trace before the pass that needs it: windows and counts alone.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <vector>

namespace ftprof {

// What one recorded fault stands for beside itself.
struct GapShare {
  double before = 0, after = 0;     // faults of the gap before its window, and behind it
  uint32_t window = 0;              // gap i lies before window i
  uint64_t from_ns = 0, to_ns = 0;  // where those faults happened, evenly
  uint64_t until_ns = std::numeric_limits<uint64_t>::max();  // the same holds for faults up to here

  double faults() const { return before + after; }
};

class Bursts {
 public:
  // The faults at each side of a window that speak for the gap there, as far as it has so many.
  static constexpr size_t kEdge = 256;

  struct Window {
    uint64_t begin_ns = 0, end_ns = 0;
    double faults = 0;                     // recorded, in all streams
    uint64_t head_until_ns = 0;            // behind the last fault of its head
    uint64_t tail_from_ns = 0;             // the first fault of its tail
    double head = 0, tail = 0;             // faults in them
    double gap_before = 0, gap_after = 0;  // faults it stands for there
    uint64_t from_ns = 0, to_ns = 0;       // the time it stands for
  };

  Bursts() = default;
  // Windows in order, each with faults; what they stand for in their gaps is filled in.
  explicit Bursts(std::vector<Window> windows) : windows_(std::move(windows)) {}

  bool empty() const { return windows_.empty(); }
  const std::vector<Window>& windows() const { return windows_; }
  GapShare at(uint64_t time) const;

 private:
  std::vector<Window> windows_;
};

// The bursts of one image's trace; none where every fault (or one in a known number) was recorded
// throughout. `unasked`: look even where the settings do not speak of bursts (a trace that grew too
// large is thinned out whatever was asked for).
Bursts find_bursts(const std::filesystem::path& image, bool unasked = false);

}  // namespace ftprof
