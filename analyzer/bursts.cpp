#include "analyzer/bursts.h"

#include <algorithm>

namespace ftprof {

GapShare Bursts::at(uint64_t time) const {
  GapShare share;
  auto next = std::upper_bound(windows_.begin(), windows_.end(), time,
                               [](uint64_t at, const Window& w) { return at < w.begin_ns; });
  if (next == windows_.begin()) {
    if (!windows_.empty()) share.until_ns = windows_.front().begin_ns;
    return share;
  }
  const Window& window = *(next - 1);
  share.window = static_cast<uint32_t>(next - 1 - windows_.begin());
  bool head = time < window.head_until_ns && window.gap_before > 0;
  bool tail = time >= window.tail_from_ns && window.gap_after > 0;
  if (head) share.before = window.gap_before / window.head;
  if (tail) share.after = window.gap_after / window.tail;
  share.from_ns = head ? window.from_ns : window.end_ns;
  share.to_ns = tail ? window.to_ns : window.begin_ns;
  if (next != windows_.end()) share.until_ns = next->begin_ns;
  for (uint64_t border : {window.head_until_ns, window.tail_from_ns})
    if (time < border) share.until_ns = std::min(share.until_ns, border);
  return share;
}

}  // namespace ftprof
