// One event of the trace as it lies in its packet, and how long each kind is. The lengths come from
// the tables of preload/trace_format.h, so a reader cannot disagree with the writer about them.
//
// Ownership: a RawEvent points into its stream's packet buffer and lives until the stream moves on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "preload/trace_format.h"

namespace ftprof {

struct RawEvent {
  uint64_t timestamp = 0;
  const uint8_t* body = nullptr;  // the fixed fields
  const uint8_t* tail = nullptr;
  size_t tail_bytes = 0;
  uint8_t id = 0;

  // The fixed fields, copied out: the packet has no alignment.
  template <class Event>
  Event as() const {
    Event event{};
    if constexpr (trace::kFixedBytes<Event> != 0) std::memcpy(&event, body, sizeof event);
    return event;
  }
  // The first and the second text of the tail.
  std::string_view text() const { return reinterpret_cast<const char*>(tail); }
  std::string_view text2() const { return reinterpret_cast<const char*>(tail + text().size() + 1); }
  // Element i of the tail's list.
  template <class Element>
  Element element(size_t i) const {
    Element value;
    std::memcpy(&value, tail + i * sizeof value, sizeof value);
    return value;
  }
};

// Reads the event that begins at `at`. Returns the byte behind it, or nullptr when it does not fit
// in front of `end` or its id is unknown (`known` tells the two apart).
const uint8_t* read_event(trace::StreamClass stream, const uint8_t* at, const uint8_t* end,
                          RawEvent& event, bool& known);

// Calls sink.on(Event, RawEvent) with the fixed fields of a block or fault stream's event.
template <class Sink>
void dispatch_block_event(const RawEvent& raw, Sink& sink) {
  switch (raw.id) {
#define FTPROF_CASE(number, Name, tail)  \
  case number:                           \
    sink.on(raw.as<trace::Name>(), raw); \
    return;
    FTPROF_BLOCK_EVENTS(FTPROF_CASE)
#undef FTPROF_CASE
  }
}

}  // namespace ftprof
