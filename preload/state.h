// What the whole process shares: settings, names, and the profiler's own account.
//
// One constant-initialised object, so that a hook called before any constructor finds it whole.
// Written by the constructor and by start and fork (one thread at a time, see life.h); everything
// that several threads change is atomic. Nothing here is ever destroyed.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include <atomic>

#include "preload/settings.h"

namespace ftprof {

// idle: nothing to record yet. starting: one thread makes the trace. running: records are written.
// given_up: something failed for good; the program runs on unprofiled.
enum class Phase : uint32_t { idle, starting, running, given_up };

struct State {
  Settings settings;
  size_t page_bytes;
  unsigned page_shift;
  unsigned cpus;         // CPUs that exist (possible), at most kMaxCpus
  int pid;               // of this image; a fork's child that has no image yet keeps its parent's
  uint64_t start_ns;     // CLOCK_MONOTONIC at the constructor (or the fork)
  uint64_t credit_ns;    // what the profiler may spend before the budget counts
  char exe[64];          // the program's base name, as it stands in paths
  char run_dir[1024];    // absolute
  char image_dir[1152];  // run_dir/exe.pid[.N], once the image has begun
  uint8_t trace_uuid[16];

  std::atomic<Phase> phase;
  // A seccomp filter stands: program threads make no system call that the program did not ask for.
  std::atomic<bool> sealed;

  std::atomic<uint64_t> self_ns;      // the profiler's time, all threads and the collector
  std::atomic<uint64_t> self_faults;  // minor faults that the profiler caused
  std::atomic<uint64_t> lost_block_records;
  std::atomic<uint64_t> trace_bytes;  // reserved in the image's files
};

extern State g_state;

inline constexpr unsigned kMaxCpus = 1024;

inline bool running() {
  return g_state.phase.load(std::memory_order_acquire) == Phase::running;
}
// What each of the two recorders, of blocks and of faults, may have of overhead.budget; 100 %
// limits neither.
inline double budget_of_each() {
  double budget = g_state.settings.overhead_budget;
  return budget < 1 ? budget / 2 : budget;
}
inline void add_self_ns(uint64_t ns) {
  g_state.self_ns.fetch_add(ns, std::memory_order_relaxed);
}
inline void add_self_faults(uint64_t faults) {
  g_state.self_faults.fetch_add(faults, std::memory_order_relaxed);
}

}  // namespace ftprof
