// A packet of a CTF stream in memory: kPacketBytes mapped from the stream's file, a header, and
// whole events only, whatever moment the process is killed at.
//
// One writer at a time. The order of the stores is the crash safety: the event's bytes, then
// timestamp_end, then content_size (release), which is what a reader believes.
#pragma once

#include <string.h>

#include <atomic>

#include "preload/trace_format.h"

namespace ftprof {

// Up to two spans that follow an event's fixed part: LIST or TEXT tails.
struct Span {
  const void* data = nullptr;
  size_t bytes = 0;
};
inline Span text_span(const char* text) {
  return {text, strlen(text) + 1};
}

class Packet {
 public:
  // Takes over a mapping whose header begin() has written.
  void adopt(void* memory) {
    base_ = static_cast<char*>(memory), used_ = sizeof(trace::PacketHeader);
  }
  void* release() {
    void* memory = base_;
    base_ = nullptr;
    return memory;
  }
  bool open() const { return base_ != nullptr; }
  bool fits(size_t bytes) const { return base_ != nullptr && used_ + bytes <= trace::kPacketBytes; }
  size_t used() const { return used_; }

  // A header as begin_packet() in stream.h puts it into the file; content is the header alone.
  static trace::PacketHeader header(const uint8_t (&uuid)[16], trace::StreamClass stream,
                                    uint32_t cpu, uint64_t now, uint64_t discarded);

  // Moves an adopted packet's beginning to `now`: it may have been reserved long before its use,
  // and packets of a stream must not overlap in time. Only while it holds no event.
  void restamp(uint64_t now);
  void set_discarded(uint64_t discarded) { at()->events_discarded = discarded; }

  // Appends one event. `fits(event_bytes)` was asked before.
  void append(uint8_t id, uint64_t timestamp, const void* fixed, size_t fixed_bytes, Span a,
              Span b);

 private:
  trace::PacketHeader* at() { return reinterpret_cast<trace::PacketHeader*>(base_); }
  void copy(const void* data, size_t bytes) {
    memcpy(base_ + used_, data, bytes);
    used_ += bytes;
  }

  char* base_ = nullptr;
  size_t used_ = 0;
};

inline size_t event_bytes(size_t fixed_bytes, Span a, Span b) {
  return sizeof(trace::EventHeader) + fixed_bytes + a.bytes + b.bytes;
}

}  // namespace ftprof
