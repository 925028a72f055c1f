// How much memory the machine has, and whether it is short of it.
//
// Short means: of the memory that the kernel calls available (MemAvailable of /proc/meminfo; in a
// control group with a limit, what is left below it, page cache aside) less than `reserve` is left.
// Stall times (PSI) would tell later, once programs already wait, and are off on many kernels.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace ftprof::libmalloc {

// Bytes of memory. One system call, no file.
size_t memory_bytes();

// Bytes available now; SIZE_MAX if nobody can tell. About 50 µs: a few files are read.
size_t available_bytes();

// Decides when to look and how much is lacking. Looking costs, so it happens only after `step`
// bytes were given back since the last time, and not sooner than 100 ms after it.
class MemoryWatch {
 public:
  struct Senses {  // tests have their own
    size_t (*available)();
    uint64_t (*now_ns)();
  };
  static constexpr uint64_t kLeastIntervalNs = 100'000'000;

  constexpr explicit MemoryWatch(Senses senses) : senses_(senses) {}

  // reserve 0: never looks.
  void configure(size_t reserve, size_t step);

  // To be called with every block given back. Returns how many bytes to give to the kernel.
  // The counting is approximate between threads; only one of them looks at a time.
  size_t lacking_after(size_t given_back_bytes);

 private:
  bool due();

  Senses senses_;
  std::atomic<size_t> reserve_{0};
  std::atomic<size_t> step_{0};
  std::atomic<size_t> since_look_{0};
  std::atomic<uint64_t> next_look_ns_{0};
};

uint64_t coarse_now_ns();

// The number that follows `key` at the beginning of a line of `text`; SIZE_MAX when there is none.
size_t number_after(const char* text, const char* key);

}  // namespace ftprof::libmalloc
