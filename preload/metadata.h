// The trace's `metadata` file: the layout of trace_format.h as TSDL text, made from the same
// tables.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "preload/text.h"

namespace ftprof {

using MetadataText = Text<24 * 1024>;

struct MetadataFacts {
  uint8_t uuid[16];
  int64_t clock_offset_ns;  // what turns CLOCK_MONOTONIC into time since 1970
};

void describe_trace(const MetadataFacts& facts, MetadataText* text);

}  // namespace ftprof
