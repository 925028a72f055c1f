// What the settings ask of the fault side.
#pragma once

#include <stdint.h>

#include "preload/settings.h"

namespace ftprof {

enum class Timed : uint8_t { none, all, adaptive };

struct FaultPlan {
  bool perf;      // try perf events at all
  bool insist;    // perf was asked for by name: a refusal is worth a line
  bool adaptive;  // events are opened and closed as the budget allows
  uint32_t period;
  Timed timed;
};

// An even period beats with the page table that every 512th fault allocates, so it becomes odd.
inline uint32_t odd_period(uint64_t period) {
  uint64_t most = 0x7FFFFFFF;
  if (period > most) period = most;
  return static_cast<uint32_t>(period % 2 == 0 ? period + 1 : period);
}

inline FaultPlan make_fault_plan(const Settings& settings) {
  FaultPlan plan = {};
  plan.perf = settings.collector_thread && !settings.faults_source.is("pagemap");
  plan.insist = settings.faults_source.is("perf");
  plan.adaptive = settings.faults_period == 0;
  plan.period = plan.adaptive ? 1 : odd_period(settings.faults_period);
  // Thinned by a period, or in bursts, every recorded fault can carry its time.
  bool thinned = plan.adaptive || plan.period > 1;
  plan.timed = settings.faults_timed.is("none") || settings.faults_cost.is("modelled") ? Timed::none
               : settings.faults_timed.is("all") || thinned                            ? Timed::all
                                                            : Timed::adaptive;
  return plan;
}

}  // namespace ftprof
