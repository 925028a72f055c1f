// FTPROF_LIBMALLOC="policy=classic,threshold=1MiB": the allocator's settings, read once.
//
//   policy       deferred | classic. Sets the defaults of the next three.
//   threshold    127KiB. Requests above it are mapped; smaller ones pass to the next allocator.
//   entries      freed blocks kept at most.
//   entry_limit  a larger block is not kept.
//   hoard        what rests beyond this is marked MADV_FREE.
//   reserve      (deferred) memory is short when less is available; 0: never look.
//
// Sizes are bytes, or end in KiB, MiB, GiB, TiB. A key or value that cannot be read costs one line
// on standard error; its default stands and the rest counts.
#pragma once

#include <cstddef>

#include "preload/libmalloc/ring.h"

namespace ftprof::libmalloc {

enum class PolicyKind : unsigned char { deferred, classic };

struct Settings {
  PolicyKind policy = PolicyKind::deferred;
  size_t threshold = 127 * 1024;
  RingLimits ring;
  size_t reserve = 0;
};

// Called with each setting that cannot be read: the text as given, and what is allowed instead.
using Complain = void (*)(const char* item, size_t length, const char* expected);

Settings default_settings(PolicyKind policy, size_t memory);

// `text` may be null. memory is the machine's, in bytes.
Settings parse_settings(const char* text, size_t memory, Complain complain);

// The complaint as one line on standard error, control bytes escaped.
void complain_on_stderr(const char* item, size_t length, const char* expected);

}  // namespace ftprof::libmalloc
