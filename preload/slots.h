// The block streams blocks_0 … blocks_N: where program threads (and the collector) write events.
//
// A slot is a stream with a short try-lock. A writer starts at its CPU's slot and takes the next
// when that one is held: its holder may be the very thread that a signal interrupted. Timestamps
// are taken under the lock, so they never run backwards within a stream. When no slot can be had
// after a bounded number of rounds, the event is discarded and counted.
//
// Packets are reserved ahead by the collector (refill_slots) when a quarter of the one in use is
// full; a program thread reserves one itself
// only when none is ready and it may make system calls. No descriptor is kept open in between: the
// program may close, replace or count its descriptors as it likes.
#pragma once

#include <stdint.h>

#include <atomic>

#include "preload/packet.h"

namespace ftprof {

// Appends to some block stream; returns the event's timestamp, 0 when it was discarded.
uint64_t emit_block_event(uint8_t id, const void* fixed, size_t fixed_bytes, Span a = {},
                          Span b = {});

template <class Event>
uint64_t emit_block(const Event& event, Span a = {}, Span b = {}) {
  return emit_block_event(Event::kId, &event, trace::kFixedBytes<Event>, a, b);
}

// The beginning of an image: the first stream, made in the folder `dir`; the second one is left to
// the collector if there is one. False: no trace can be written there.
bool open_slots(int dir);
// The collector's part. `dir` is its own descriptor of the image's folder. Call it often: every
// wake-up at least; it costs a few loads when nothing is to be done.
void refill_slots(int dir);
// The word that changes when a slot needs a spare: the collector may futex_wait on it.
extern std::atomic<uint32_t> g_slots_wanted;
// The end of an image: packets that nothing was written to leave the files.
void trim_slots(int dir);
// In a fork's child: the streams are the parent's.
void forget_slots();

}  // namespace ftprof
