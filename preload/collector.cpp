#include "preload/collector.h"

#include <new>

#include "preload/collector_loop.h"
#include "preload/fault_plan.h"
#include "preload/memory.h"
#include "preload/message.h"
#include "preload/perf_refusal.h"
#include "preload/raw_thread.h"
#include "preload/slots.h"
#include "preload/state.h"
#include "preload/sys.h"

namespace ftprof {
namespace {

constexpr uint64_t kReadyNs = 2000000000;
constexpr uint64_t kFinishNs = 2000000000;

// What the collector and its callers share; a fork's child makes its own.
struct Shared {
  CollectorRequests requests;
  CollectorLoop loop{&requests};
  RawThread thread;
  Snapshots snapshots;  // where there is no thread
};
constinit Shared* g_shared = nullptr;

bool sealed() {
  return g_state.sealed.load(std::memory_order_relaxed);
}

void run_loop(void* memory) {
  static_cast<Shared*>(memory)->loop.run();
}

// Waits for *word to become `wanted`, at most ns. A sealed program may not call futex: it spins.
bool wait_for(const std::atomic<uint32_t>& word, uint32_t wanted, uint64_t ns) {
  uint64_t end = sys::monotonic_ns() + ns;
  for (uint32_t value; (value = word.load(std::memory_order_acquire)) != wanted;) {
    uint64_t now = sys::monotonic_ns();
    if (now >= end || !g_shared->thread.alive()) return false;
    if (!sealed()) sys::futex_wait(&word, value, end - now < 100000000 ? end - now : 100000000);
  }
  return true;
}

void wake() {
  if (sealed()) return;
  g_slots_wanted.fetch_add(1, std::memory_order_release);
  sys::futex_wake(&g_slots_wanted, 1);
  sys::futex_wake(&g_shared->requests.finish, 1);
  sys::call(SYS_tgkill, g_state.pid, g_shared->thread.tid(), kWakeSignal);
}

void tell_refusal(const FaultPlan& plan, int error) {
  static constinit std::atomic<bool> said{false};
  if (error == 0) return;
  PerfRefusal refusal(error);
  say(plan.insist ? Level::warn : Level::info, &said, refusal.sentence());
}

bool reserve_shared() {
  if (g_shared != nullptr) return true;
  void* memory = own_memory(sizeof(Shared));
  if (memory != nullptr) g_shared = new (memory) Shared();
  return memory != nullptr;
}

bool with_thread() {
  return g_shared != nullptr && g_shared->thread.alive();
}

// Where every fault is wanted, the program waits for the events to be open: the first perf event on
// a machine takes some 10 ms. Otherwise it goes on, and the beginning is counted by residency.
bool wants_every_fault(const FaultPlan& plan) {
  return plan.perf && (plan.insist || !plan.adaptive);
}

// No thread: what begins and ends a trace is done by the caller, faults are counted by residency.
void begin_alone() {
  OwnFaults faults;
  write_attribute("faults.source", "pagemap");
  Calibration found;
  if (calibrate_bare(&found)) write_prices(found);
  g_shared->snapshots.begin();
}

void ask_to_finish() {
  CollectorRequests& requests = g_shared->requests;
  uint32_t asked = requests.finish.fetch_add(1) + 1;
  wake();
  wait_for(requests.finished, asked, kFinishNs);
}

}  // namespace

void collector_start() {
  if (!reserve_shared() || with_thread()) return;
  FaultPlan plan = make_fault_plan(g_state.settings);
  CollectorRequests& requests = g_shared->requests;
  requests.ready.store(0);
  requests.stop.store(0);
  if (!g_state.settings.collector_thread || !g_shared->thread.start(run_loop, g_shared))
    return begin_alone();
  if (wants_every_fault(plan) && wait_for(requests.ready, 1, kReadyNs))
    tell_refusal(plan, requests.refusal.load());
}

void collector_finish() {
  if (g_shared == nullptr || !running()) return;
  if (with_thread()) return ask_to_finish();
  if (sealed()) return;
  OwnFaults faults;
  g_shared->snapshots.take(true);
}

void collector_stop() {
  if (!with_thread()) return;
  g_shared->requests.stop.store(1, std::memory_order_release);
  wake();
  g_shared->thread.join(kFinishNs);
}

void collector_forget() {
  if (g_shared == nullptr) return;
  g_shared->thread.forget();
  sys::unmap(g_shared, sizeof(Shared));
  g_shared = nullptr;
}

}  // namespace ftprof
