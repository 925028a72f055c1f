// The collector: a thread of the library's own that drains the fault rings, takes snapshots and
// reserves packets ahead of need. It exists only while there is something to collect.
//
// These are called by program threads, one at a time (life.h serialises them). None waits without
// bound, none touches errno.
#pragma once

#include <stdint.h>

namespace ftprof {

// The image has begun: opens the fault source and starts the thread; returns when faults are being
// recorded, or when that turned out to be impossible (the reason stands in a message and in the
// attribute "faults.source"), or after a bounded wait.
void collector_start();

// The last drain before an end that is known beforehand: exit, _exit, exec. Writes the final Usage
// (`final` 1). Bounded: a collector that does not answer is left to itself.
void collector_finish();

// The same, and the thread is gone on return: before unshare() and its like, which fail in a
// process of several threads. collector_start() may follow.
void collector_stop();

// In a fork's child, before anything else of this header: the thread and the rings are the
// parent's.
void collector_forget();

}  // namespace ftprof
