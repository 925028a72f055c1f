#include "preload/thread_names.h"

#include <string.h>

#include "preload/memory.h"
#include "preload/slots.h"
#include "preload/state.h"
#include "preload/sys.h"
#include "preload/tasks.h"

namespace ftprof {

void ThreadNames::begin() {
  if (entries_ == nullptr)
    entries_ = static_cast<Entry*>(own_lazy_memory(kCapacity * sizeof *entries_));
}

ThreadNames::Entry* ThreadNames::find(uint32_t tid) {
  if (used_ >= kCapacity / 4 * 3) {
    memset(entries_, 0, kCapacity * sizeof *entries_);
    used_ = 0;
  }
  uint32_t at = tid * 2654435761U % kCapacity;
  while (entries_[at].tid != tid && entries_[at].tid != 0) at = (at + 1) % kCapacity;
  if (entries_[at].tid == 0) {
    entries_[at].tid = tid;
    ++used_;
  }
  return &entries_[at];
}

void ThreadNames::write(uint32_t tid, const char* name, bool fresh) {
  emit_block(trace::Thread{tid, fresh}, text_span(name));
}

void ThreadNames::saw(uint32_t tid) {
  if (tid == latest_ || entries_ == nullptr) return;
  latest_ = tid;
  Entry* entry = find(tid);
  if (entry->state == kNamed) return;
  char name[kThreadNameBytes];
  write(tid, read_thread_name(static_cast<int>(tid), name) ? name : g_state.exe,
        entry->state == kEnded);
  entry->state = kNamed;
}

void ThreadNames::named(uint32_t tid, const char* name) {
  if (entries_ == nullptr) return;
  Entry* entry = find(tid);
  write(tid, name, entry->state == kEnded);
  entry->state = kNamed;
}

void ThreadNames::ended(uint32_t tid) {
  if (entries_ == nullptr) return;
  find(tid)->state = kEnded;
  if (tid == latest_) latest_ = 0;
}

}  // namespace ftprof
