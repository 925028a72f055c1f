#include "preload/stream.h"

#include "preload/state.h"

namespace ftprof {
namespace {

using trace::kPacketBytes;

// Whether a file may grow to `length`: beyond RLIMIT_FSIZE the kernel would send SIGXFSZ.
bool within_limits(uint64_t length) {
  rlimit limit{};
  if (!sys::failed(sys::get_limit(RLIMIT_FSIZE, &limit)) && length > limit.rlim_cur) return false;
  uint64_t most = g_state.settings.trace_max_size;
  return most == 0 || g_state.trace_bytes.load(std::memory_order_relaxed) + kPacketBytes <= most;
}

// For file systems without fallocate: writing zeros reserves as well, but moves the length.
long write_zeros(int fd, uint64_t offset) {
  static const char kZeros[4096] = {};
  for (size_t done = 0; done < kPacketBytes; done += sizeof kZeros) {
    long wrote = sys::pwrite(fd, kZeros, sizeof kZeros, offset + done);
    if (wrote != static_cast<long>(sizeof kZeros)) return wrote < 0 ? wrote : -ENOSPC;
  }
  return 0;
}

}  // namespace

StreamError StreamFile::create(int dir, const char* name, trace::StreamClass stream, uint32_t cpu) {
  fd_ = sys::open_at(dir, name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW, 0600);
  stream_ = stream;
  cpu_ = cpu;
  length_ = 0;
  return fd_ < 0 ? StreamError::open : StreamError::none;
}

StreamError StreamFile::reopen(int dir, const char* name) {
  fd_ = sys::open_at(dir, name, O_RDWR | O_NOFOLLOW);
  return fd_ < 0 ? StreamError::open : StreamError::none;
}

void StreamFile::close() {
  if (fd_ >= 0) sys::close(fd_);
  fd_ = -1;
}

StreamError StreamFile::reserve(uint64_t offset) const {
  if (!within_limits(offset + kPacketBytes)) return StreamError::limit;
  long result = sys::fallocate(fd_, FALLOC_FL_KEEP_SIZE, offset, kPacketBytes);
  while (result == -EINTR) result = sys::fallocate(fd_, FALLOC_FL_KEEP_SIZE, offset, kPacketBytes);
  if (result == -EOPNOTSUPP || result == -ENOSYS) result = write_zeros(fd_, offset);
  return sys::failed(result) ? StreamError::full_disk : StreamError::none;
}

void* StreamFile::begin_packet(uint64_t now, uint64_t discarded, StreamError* error) {
  *error = fd_ < 0 ? StreamError::open : reserve(length_);
  if (*error != StreamError::none) return nullptr;
  trace::PacketHeader header = Packet::header(g_state.trace_uuid, stream_, cpu_, now, discarded);
  void* memory = sys::map(nullptr, kPacketBytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd_, length_);
  *error = sys::failed(memory) ? StreamError::memory : StreamError::none;
  if (*error != StreamError::none) return nullptr;
  if (sys::pwrite(fd_, &header, sizeof header, length_) != sizeof header ||
      sys::failed(sys::ftruncate(fd_, length_ + kPacketBytes))) {
    sys::ftruncate(fd_, length_);
    sys::unmap(memory, kPacketBytes);
    *error = StreamError::full_disk;
    return nullptr;
  }
  length_ += kPacketBytes;
  g_state.trace_bytes.fetch_add(kPacketBytes, std::memory_order_relaxed);
  // Now, not at the first store: the pages' faults are then this call's, not some record's.
  sys::advise(memory, kPacketBytes, MADV_POPULATE_WRITE);
  return memory;
}

void StreamFile::drop_packet() {
  if (fd_ < 0 || length_ == 0) return;
  if (!sys::failed(sys::ftruncate(fd_, length_ - kPacketBytes))) length_ -= kPacketBytes;
}

bool Stream::open(int dir, const char* name, trace::StreamClass stream, uint32_t cpu) {
  error_ = file_.create(dir, name, stream, cpu);
  newest_ = discarded_ = 0;
  return error_ == StreamError::none;
}

void Stream::close() {
  if (packet_.open()) sys::unmap(packet_.release(), kPacketBytes);
  file_.close();
}

bool Stream::begin_packet(uint64_t now) {
  StreamError error = StreamError::none;
  void* memory = file_.begin_packet(now, discarded_, &error);
  if (memory == nullptr) {
    error_ = error;
    return false;
  }
  if (packet_.open()) sys::unmap(packet_.release(), kPacketBytes);
  packet_.adopt(memory);
  return true;
}

bool Stream::emit(uint8_t id, uint64_t timestamp, const void* fixed, size_t fixed_bytes, Span a,
                  Span b) {
  if (timestamp > newest_) newest_ = timestamp;
  size_t bytes = event_bytes(fixed_bytes, a, b);
  if (!packet_.fits(bytes) && (error_ != StreamError::none || !begin_packet(newest_))) {
    ++discarded_;
    if (packet_.open()) packet_.set_discarded(discarded_);
    return false;
  }
  packet_.append(id, newest_, fixed, fixed_bytes, a, b);
  return true;
}

}  // namespace ftprof
