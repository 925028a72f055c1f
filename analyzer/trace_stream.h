// One stream file, read packet by packet into a buffer of its own: bounded memory whatever the
// file's length, and a file that shrinks under us is a short read, where a mapping would be SIGBUS.
//
// Nothing in the file is trusted. A packet whose header is impossible is skipped whole; an event
// that does not fit, is unknown, or steps out of its packet's time ends its packet there.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "analyzer/trace_event.h"

namespace ftprof {

// What could not be read of one stream, for one line of warning.
struct StreamDamage {
  uint64_t packets = 0;         // damaged, in whole or from some event on
  uint64_t first_offset = 0;    // of the first of them
  uint64_t unknown_events = 0;  // packets left early for an event of a newer kind
  bool truncated = false;       // the file ends inside a packet
};

// Called with the bytes of each packet that is read.
using OnPacket = std::function<void(uint64_t bytes)>;

class TraceStream {
 public:
  // Throws BadInput when the file cannot be opened.
  TraceStream(const std::filesystem::path& path, trace::StreamClass stream,
              const OnPacket* on_packet = nullptr);
  ~TraceStream();
  TraceStream(TraceStream&& other) noexcept;
  TraceStream& operator=(TraceStream&&) = delete;

  // The current event; valid while next() returned true last.
  const RawEvent& event() const { return event_; }
  bool next() {
    while (true) {
      if (at_ != content_end_ && take_event()) return true;
      if (!next_packet()) break;
    }
    ended_ = true;
    return false;
  }
  bool at_end() const { return ended_; }

  const StreamDamage& damage() const { return damage_; }
  uint64_t discarded() const { return discarded_; }  // events that the writer dropped
  uint64_t events() const { return events_; }
  uint64_t bytes_read() const { return offset_; }
  std::string file_name() const { return name_; }

 private:
  bool take_event();
  bool next_packet();
  size_t fill();
  bool accept(const trace::PacketHeader& header, size_t bytes);
  void mark_damaged(uint64_t offset);

  int fd_ = -1;
  const OnPacket* on_packet_ = nullptr;
  trace::StreamClass stream_;
  std::string name_;
  std::unique_ptr<uint8_t[]> buffer_;
  uint64_t offset_ = 0;          // in the file, of the packet behind the current one
  const uint8_t* at_ = nullptr;  // in buffer_
  const uint8_t* content_end_ = nullptr;
  uint64_t latest_ = 0;      // timestamps may not run backwards
  uint64_t packet_end_ = 0;  // nor past this
  RawEvent event_;
  StreamDamage damage_;
  uint64_t discarded_ = 0, events_ = 0;
  bool ended_ = false;
};

}  // namespace ftprof
