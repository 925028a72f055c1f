// One stream file of the trace (blocks_N or faults_N) and the packet being filled.
//
// A Stream has one writer: the collector for faults_N, whoever holds the slot's lock for blocks_N
// (slots.h). It uses sys.h only, so the collector's bare thread can use it: no TLS, no errno.
// Errors never reach the program: a stream that cannot go on counts what it discards.
#pragma once

#include "preload/packet.h"
#include "preload/sys.h"

namespace ftprof {

enum class StreamError : uint8_t { none, open, full_disk, limit, memory };

// The file behind a stream. Its length is always a whole number of begun packets: space is reserved
// first (a full disk is an error here, not a SIGBUS later), beyond the end of the file, then the
// header is written, then the length moves.
class StreamFile {
 public:
  // Creates `name` in the folder `dir`, 0600, never through a link, never an existing file.
  StreamError create(int dir, const char* name, trace::StreamClass stream, uint32_t cpu);
  // Opens what create() made, by another thread with other descriptors.
  StreamError reopen(int dir, const char* name);
  void close();

  // A new packet at the end, mapped and populated; nullptr and `*error` when there can be none.
  void* begin_packet(uint64_t now, uint64_t discarded, StreamError* error);

  // Takes the last packet, to which nothing was written, off the file. Its mapping is gone already.
  void drop_packet();

  bool open() const { return fd_ >= 0; }
  trace::StreamClass stream() const { return stream_; }

 private:
  StreamError reserve(uint64_t offset) const;

  int fd_ = -1;
  trace::StreamClass stream_ = trace::kBlockStream;
  uint32_t cpu_ = 0;
  uint64_t length_ = 0;
};

// A file with its current packet: what the collector writes faults with.
class Stream {
 public:
  bool open(int dir, const char* name, trace::StreamClass stream, uint32_t cpu);
  void close();
  bool good() const { return file_.open() && error_ == StreamError::none; }
  StreamError error() const { return error_; }
  uint64_t discarded() const { return discarded_; }

  // Appends an event that happened at `timestamp`; false (and counted) when it had to be dropped.
  // Timestamps of one stream must not run backwards: an older one is lifted to the newest.
  template <class Event>
  bool emit(uint64_t timestamp, const Event& event, Span a = {}, Span b = {}) {
    return emit(Event::kId, timestamp, &event, trace::kFixedBytes<Event>, a, b);
  }
  bool emit(uint8_t id, uint64_t timestamp, const void* fixed, size_t fixed_bytes, Span a, Span b);

  // Begins the next packet now; emit() does it by itself.
  bool begin_packet(uint64_t now);

 private:
  StreamFile file_;
  Packet packet_;
  uint64_t newest_ = 0;
  uint64_t discarded_ = 0;
  StreamError error_ = StreamError::none;
};

}  // namespace ftprof
