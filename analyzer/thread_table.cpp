#include "analyzer/thread_table.h"

namespace ftprof {

uint32_t ThreadTable::add(uint32_t tid) {
  tally_.threads.push_back({tid, ""});
  open_.emplace_back();
  return static_cast<uint32_t>(open_.size() - 1);
}

uint32_t ThreadTable::of(uint32_t tid) {
  if (tid == last_tid_ && last_ != 0xFFFFFFFF) return last_;
  uint32_t number = by_tid_[tid];
  if (number == 0) by_tid_[tid] = number = add(tid) + 1;
  last_tid_ = tid;
  return last_ = number - 1;
}

// Names arrive late: a renamed thread took its earlier faults under the new name as likely as not,
// so it has its last name throughout. A tid that an ended thread had before is a new thread, unless
// what we know of it has no name yet: then its first faults came before its name.
void ThreadTable::name(uint32_t tid, bool fresh, std::string_view name) {
  uint32_t thread = of(tid);
  if (fresh && !tally_.threads[thread].name.empty()) {
    thread = add(tid);
    by_tid_[tid] = thread + 1;
    last_ = 0xFFFFFFFF;
  }
  tally_.threads[thread].name = name;
  open_[thread].profiler = name == "ftprof";
}

}  // namespace ftprof
