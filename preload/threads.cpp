#include "preload/threads.h"

#include <sys/prctl.h>

#include "preload/life.h"
#include "preload/slots.h"
#include "preload/state.h"
#include "preload/sys.h"
#include "preload/thread_state.h"

namespace ftprof {

uint32_t this_thread() {
  if (t_thread.tid == 0 && !g_state.sealed.load(std::memory_order_relaxed))
    t_thread.tid = static_cast<uint32_t>(sys::gettid());
  return t_thread.tid;
}

void announce_this_thread() {
  uint32_t image = image_number();
  if (t_thread.image == image || g_state.sealed.load(std::memory_order_relaxed)) return;
  t_thread.image = image;
  char name[17] = {};
  sys::call(SYS_prctl, PR_GET_NAME, sys::as_long(name));
  // A thread that this memory never saw before may carry the id of one that ended.
  emit_block(trace::Thread{this_thread(), 1}, text_span(name));
}

}  // namespace ftprof
