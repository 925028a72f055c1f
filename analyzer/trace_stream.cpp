#include "analyzer/trace_stream.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "analyzer/bad_input.h"

namespace ftprof {
namespace {

bool all_zero(const uint8_t* bytes, size_t count) {
  return std::all_of(bytes, bytes + count, [](uint8_t byte) { return byte == 0; });
}

}  // namespace

TraceStream::TraceStream(const std::filesystem::path& path, trace::StreamClass stream,
                         const OnPacket* on_packet)
    : fd_(open(path.c_str(), O_RDONLY | O_CLOEXEC)),
      on_packet_(on_packet),
      stream_(stream),
      name_(path.filename()) {
  if (fd_ < 0) throw BadInput("cannot read " + path.string() + ": " + std::strerror(errno));
  posix_fadvise(fd_, 0, 0, POSIX_FADV_SEQUENTIAL);
  buffer_ = std::make_unique_for_overwrite<uint8_t[]>(trace::kPacketBytes);
}

TraceStream::TraceStream(TraceStream&& other) noexcept
    : fd_(std::exchange(other.fd_, -1)),
      on_packet_(other.on_packet_),
      stream_(other.stream_),
      name_(std::move(other.name_)),
      buffer_(std::move(other.buffer_)),
      offset_(other.offset_),
      at_(other.at_),
      content_end_(other.content_end_),
      latest_(other.latest_),
      packet_end_(other.packet_end_),
      event_(other.event_),
      damage_(other.damage_),
      discarded_(other.discarded_),
      events_(other.events_),
      ended_(other.ended_) {}

TraceStream::~TraceStream() {
  if (fd_ >= 0) close(fd_);
}

bool TraceStream::take_event() {
  bool known;
  const uint8_t* behind = read_event(stream_, at_, content_end_, event_, known);
  if (behind && event_.timestamp >= latest_ && event_.timestamp <= packet_end_) {
    latest_ = event_.timestamp;
    at_ = behind;
    ++events_;
    return true;
  }
  // A cut packet ends in the middle of an event; that is not damage beside the cut.
  if (!known)
    ++damage_.unknown_events;
  else if (!damage_.truncated)
    mark_damaged(offset_ - trace::kPacketBytes);
  at_ = content_end_;
  return false;
}

void TraceStream::mark_damaged(uint64_t offset) {
  if (damage_.packets++ == 0) damage_.first_offset = offset;
}

size_t TraceStream::fill() {
  size_t have = 0;
  while (have < trace::kPacketBytes) {
    ssize_t got = pread(fd_, buffer_.get() + have, trace::kPacketBytes - have, offset_ + have);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    have += got;
  }
  return have;
}

bool TraceStream::next_packet() {
  while (size_t bytes = fill()) {
    uint64_t begin = offset_;
    offset_ += trace::kPacketBytes;
    if (on_packet_ && *on_packet_) (*on_packet_)(bytes);
    trace::PacketHeader header;
    if (bytes < sizeof header) {
      damage_.truncated = true;
      return false;
    }
    std::memcpy(&header, buffer_.get(), sizeof header);
    if (accept(header, bytes)) return true;
    // Reserved and not begun: nothing was written here.
    if (!all_zero(buffer_.get(), bytes)) mark_damaged(begin);
  }
  return false;
}

bool TraceStream::accept(const trace::PacketHeader& header, size_t bytes) {
  uint64_t content = header.content_size / 8;
  if (header.magic != trace::kCtfMagic || header.stream_id != stream_ ||
      header.packet_size != trace::kPacketBytes * 8 || header.content_size % 8 != 0 ||
      content < sizeof header || content > trace::kPacketBytes ||
      header.timestamp_end < header.timestamp_begin)
    return false;
  // A packet held ready and never used may have been begun before the last event of the one in use.
  if (content > sizeof header && header.timestamp_begin < latest_) return false;
  // The writer's files are whole packets: a short one was cut, here or further on.
  if (bytes < trace::kPacketBytes) damage_.truncated = true;
  at_ = buffer_.get() + sizeof header;
  content_end_ = buffer_.get() + std::min<uint64_t>(content, bytes);
  packet_end_ = header.timestamp_end;
  discarded_ = std::max<uint64_t>(discarded_, +header.events_discarded);
  return true;
}

}  // namespace ftprof
