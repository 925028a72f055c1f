// What a fault costs here, found out on a scratch mapping of the collector's own.
//
// The price of a kind is what the bare program pays for it, trap included: a loop over untouched
// pages, less the same loop over touched ones, with no event open. The raw time of a recorded pair
// is not that: the trap lies outside its two timestamps, and writing the first sample between them.
// So bare and recorded stretches alternate, and the difference of neighbours is the excess to take
// off each raw time.
//
// Takes some 2 to 5 ms of the calling thread (brief: under 1 ms; exact: 10 to 20) and 2 MiB of
// memory while it runs; the faults are the caller's own (RUSAGE_THREAD).
#pragma once

#include <stdint.h>

#include "preload/perf_events.h"
#include "preload/trace_format.h"

namespace ftprof {

struct Price {
  double ns = 0;        // 0: could not be found out
  double error_ns = 0;  // half the spread of the middle half of the measurements
};

struct Calibration {
  static constexpr int kKinds = 5;
  Price prices[kKinds];      // by trace::PriceKind
  double raw_excess_ns = 0;  // raw time of a recorded pair less the bare price
  double record_ns = 0;      // what recording one timed fault adds to it
  bool recorded = false;     // the two above are known
};

// Prices alone, but for huge pages. False when there is not even memory. brief: fewer measurements,
// for a process that is over already and waits.
bool calibrate_bare(Calibration* to, bool brief = false);
// Prices, and what recording every period-th fault does to them: the fewer are recorded, the colder
// is the code that records. events: with its rings open and nothing else. exact: four times as many
// measurements, for who asks for exact figures and waits.
bool calibrate(PerfEvents* events, PerfRing* rings, uint64_t period, int collector_tid, bool exact,
               Calibration* to);

// The price of a huge page's fault: apart, because the kernel may first have to move memory
// together for ten milliseconds to find one. ns is 0 where there are none.
Price calibrate_huge();

// The middle of `count` values, which are put into order; half the middle half's width.
double median_of(double* values, int count);
// The mean of those up to three times the middle: beyond, the thread had lost its CPU.
double mean_of_usual(double* values, int count);
double spread_of(const double* ordered, int count);

}  // namespace ftprof
