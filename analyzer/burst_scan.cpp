// The look over a trace that finds its bursts: windows first, then what was recorded in each, then
// what getrusage counted between them.
#include <algorithm>
#include <cmath>
#include <map>
#include <string_view>

#include "analyzer/bursts.h"
#include "analyzer/fault_feed.h"
#include "analyzer/trace_reader.h"

namespace ftprof {
namespace {

constexpr uint64_t kNever = std::numeric_limits<uint64_t>::max();

using Streams = std::vector<TraceStream>;

bool asks_for_bursts(Streams streams) {
  constexpr int kAttributes = 400;  // they come first
  for (TraceStream& stream : streams)
    for (int i = 0; i < kAttributes && stream.next(); ++i)
      if (stream.event().id == trace::Attribute::kId &&
          stream.event().text() == "setting.faults.period")
        return stream.event().text2() == "auto";
  return true;
}

// Times at which recording began or ended; each stream repeats those of its lifetime.
std::vector<Bursts::Window> find_windows(Streams streams) {
  std::map<uint64_t, bool> switches;
  for (TraceStream& stream : streams)
    while (stream.next())
      if (stream.event().id == trace::Window::kId)
        switches[stream.event().timestamp] = stream.event().as<trace::Window>().period != 0;
  std::vector<Bursts::Window> windows;
  bool open = false, gaps = false;
  for (auto [time, on] : switches) {
    if (on && !open) windows.push_back({time, kNever});
    if (!on && open) windows.back().end_ns = time;
    gaps |= !on;
    open = on;
  }
  if (!gaps) windows.clear();
  return windows;
}

// The earliest, or the latest, kEdge of the times that are put in.
template <class Before>
class Edge {
 public:
  void put(uint64_t time) {
    times_.push_back(time);
    if (times_.size() == 2 * Bursts::kEdge) keep(Bursts::kEdge);
  }
  // The innermost of `count`, which must have been put in.
  uint64_t border(size_t count) {
    keep(count);
    return *std::max_element(times_.begin(), times_.end(), Before());
  }

 private:
  void keep(size_t count) {
    if (times_.size() <= count) return;
    std::nth_element(times_.begin(), times_.begin() + static_cast<ptrdiff_t>(count) - 1,
                     times_.end(), Before());
    times_.resize(count);
  }
  std::vector<uint64_t> times_;
};

// Counts what was recorded in one window.
class WindowCount : public FaultSink {
 public:
  void on_faults(const FaultPiece& piece) override {
    uint64_t time = piece.begin_ns;
    for (uint32_t i = 0; i < piece.faults; ++i) {
      if (i > 0) time += piece.gap_ns(i);
      first_.put(time);
      last_.put(time);
    }
    records_ += piece.faults;
    faults_ += static_cast<double>(piece.faults) * piece.period;
  }
  void on_window(uint32_t, uint64_t, const trace::Window&) override {}
  void on_lost(uint64_t, uint64_t) override {}

  void fill_in(Bursts::Window& window) {
    window.faults = faults_;
    if (records_ == 0) return;
    size_t edge = std::min<size_t>(Bursts::kEdge, (records_ + 1) / 2);
    window.head_until_ns = first_.border(edge) + 1;
    window.tail_from_ns = last_.border(edge);
    double each = faults_ / static_cast<double>(records_);
    window.head = window.tail = static_cast<double>(edge) * each;
  }

 private:
  Edge<std::less<>> first_;
  Edge<std::greater<>> last_;
  uint64_t records_ = 0;
  double faults_ = 0;
};

void count_windows(Streams streams, std::vector<Bursts::Window>& windows) {
  FaultFeed feed(streams, 4096);
  for (size_t i = 0; i < windows.size(); ++i) {
    WindowCount count;
    feed.drain(i + 1 < windows.size() ? windows[i + 1].begin_ns : kNever, count);
    count.fill_in(windows[i]);
  }
}

// The program's faults so far, over time, but for those that calls account for.
class FaultCount {
 public:
  explicit FaultCount(Streams streams) {
    for (TraceStream& stream : streams)
      while (stream.next()) take(stream.event());
    for (auto* times : {&counted_, &in_calls_}) std::sort(times->begin(), times->end());
    double sum = 0;
    for (auto& [time, faults] : in_calls_) faults = sum += faults;
    double most = 0;
    for (auto& [time, faults] : counted_) faults = most = std::max(most, faults - in_calls(time));
  }

  uint64_t last_ns() const { return counted_.empty() ? 0 : counted_.back().first; }
  double at(uint64_t time) const {
    auto next = std::upper_bound(counted_.begin(), counted_.end(), time,
                                 [](uint64_t t, const Count& count) { return t < count.first; });
    if (counted_.empty()) return 0;
    if (next == counted_.begin()) return next->second;
    if (next == counted_.end()) return counted_.back().second;
    const Count& last = *(next - 1);
    double passed =
        static_cast<double>(time - last.first) / static_cast<double>(next->first - last.first);
    return last.second + passed * (next->second - last.second);
  }

 private:
  using Count = std::pair<uint64_t, double>;

  void take(const RawEvent& event) {
    auto call = [&](uint64_t faults) {
      if (faults) in_calls_.push_back({event.timestamp, static_cast<double>(faults)});
    };
    if (event.id == trace::Block::kId) call(event.as<trace::Block>().in_call_minor);
    if (event.id == trace::RangeOp::kId) call(event.as<trace::RangeOp>().minor);
    if (event.id == trace::Usage::kId) {
      auto usage = event.as<trace::Usage>();
      counted_.push_back({event.timestamp, static_cast<double>(usage.minor) +
                                               static_cast<double>(usage.major) -
                                               static_cast<double>(usage.self_faults)});
    }
  }
  double in_calls(uint64_t time) const {
    auto next = std::upper_bound(in_calls_.begin(), in_calls_.end(), Count{time, HUGE_VAL});
    return next == in_calls_.begin() ? 0 : (next - 1)->second;
  }

  std::vector<Count> counted_, in_calls_;
};

// A gap without a fault recorded at one of its sides belongs to the other side as a whole.
void share_gaps(std::vector<Bursts::Window>& windows, const FaultCount& count) {
  std::erase_if(windows, [](const Bursts::Window& window) { return window.faults == 0; });
  for (size_t i = 0; i < windows.size(); ++i) {
    Bursts::Window& window = windows[i];
    bool last = i + 1 == windows.size();
    if (i == 0) window.from_ns = window.begin_ns;
    window.to_ns = window.end_ns;
    if (window.end_ns == kNever) continue;
    double from = count.at(window.end_ns);
    if (last) {
      window.gap_after = std::max(0.0, count.at(kNever) - from);
      window.to_ns = std::max(window.end_ns, count.last_ns());
      continue;
    }
    Bursts::Window& next = windows[i + 1];
    window.gap_after = next.gap_before = std::max(0.0, count.at(next.begin_ns) - from) / 2;
    window.to_ns = next.from_ns = window.end_ns + (next.begin_ns - window.end_ns) / 2;
  }
}

}  // namespace

Bursts find_bursts(const std::filesystem::path& image, bool unasked) {
  if (!unasked && !asks_for_bursts(open_streams(image, trace::kBlockStream))) return {};
  auto windows = find_windows(open_streams(image, trace::kFaultStream));
  if (windows.empty()) return {};
  count_windows(open_streams(image, trace::kFaultStream), windows);
  share_gaps(windows, FaultCount(open_streams(image, trace::kBlockStream)));
  return Bursts(std::move(windows));
}

}  // namespace ftprof
