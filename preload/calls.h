// calls.count: how often each hooked function was called, small requests and early ones included.
// Off, nothing counts and nothing costs. Sharded by thread, so that counting does not serialise.
#pragma once

#include "preload/trace_format.h"

namespace ftprof {

void count_call(trace::Api api);
// One Calls event per function that was called, with the totals so far.
void write_calls();

}  // namespace ftprof
