#include "preload/packet.h"

namespace ftprof {

trace::PacketHeader Packet::header(const uint8_t (&uuid)[16], trace::StreamClass stream,
                                   uint32_t cpu, uint64_t now, uint64_t discarded) {
  trace::PacketHeader header;
  memcpy(header.uuid, uuid, sizeof header.uuid);
  header.stream_id = stream;
  header.timestamp_begin = header.timestamp_end = now;
  header.content_size = sizeof header * 8;
  header.packet_size = trace::kPacketBytes * 8;
  header.events_discarded = discarded;
  header.cpu_id = cpu;
  return header;
}

void Packet::restamp(uint64_t now) {
  // The end first: a reader that looks between the two stores must not see an end before a begin.
  at()->timestamp_end = now;
  std::atomic_signal_fence(std::memory_order_release);
  at()->timestamp_begin = now;
}

void Packet::append(uint8_t id, uint64_t timestamp, const void* fixed, size_t fixed_bytes, Span a,
                    Span b) {
  trace::EventHeader event{id, timestamp};
  copy(&event, sizeof event);
  copy(fixed, fixed_bytes);
  copy(a.data, a.bytes);
  copy(b.data, b.bytes);
  at()->timestamp_end = timestamp;
  std::atomic_thread_fence(std::memory_order_release);
  at()->content_size = used_ * 8;
}

}  // namespace ftprof
