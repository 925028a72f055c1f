// What annotate.h calls when the library is there: marks, and blocks of the program's own pools.
#include "preload/annotate.h"
#include "preload/enter.h"
#include "preload/hooks.h"
#include "preload/sampling.h"
#include "preload/slots.h"
#include "preload/threads.h"
#include "preload/tracked.h"
#include "preload/wrap.h"

namespace ftprof {
namespace hook {

void ftprof_mark(const char* name) {
  enter();
  if (name == nullptr || !ensure_running()) return;
  Inside inside;
  announce_this_thread();
  emit_block(trace::Mark{this_thread()}, text_span(name));
}

void ftprof_pool_handout(const void* block, size_t bytes) {
  double weight = 1;
  enter();
  if (too_small(bytes) || !can_record(true) || !sample_block(bytes, &weight)) return;
  Inside inside;
  CallMeter meter;
  meter.before_call();
  meter.after_call();
  NewBlock handed_out{trace::Api::pool, reinterpret_cast<uintptr_t>(block), bytes, weight};
  handed_out.home = Home::pool;
  record_block(handed_out, meter);
  meter.finish(bytes, weight, Charge::hand_out);
}

void ftprof_pool_giveback(const void* block, size_t) {
  auto address = reinterpret_cast<uintptr_t>(block);
  TrackedBlock given_back;
  enter();
  if (!take_pool_block(address, &given_back) || !can_record(false)) return;
  Inside inside;
  CallMeter meter;
  record_release(trace::Api::pool, address, given_back.bytes);
  meter.before_call();
  meter.after_call();
  record_released(address, given_back.bytes, meter);
  meter.finish(given_back.bytes, static_cast<double>(given_back.weight), Charge::give_back);
}

}  // namespace hook
}  // namespace ftprof
