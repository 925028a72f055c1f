// Blocks of whole pages: from the ring or the kernel, and back.
//
// Shared state (ring, registry) changes under the lock; the kernel is asked, and memory cleared,
// without it. A block between two owners belongs to the one thread that took it out of the ring or
// has not yet put it in.
#pragma once

#include <cstddef>

namespace ftprof::libmalloc::large {

// Above this many bytes a request is ours. Set once, before the program's first line.
extern size_t threshold;

inline bool wants(size_t bytes) {
  return __builtin_expect(bytes > threshold, 0);
}

// Reads FTPROF_LIBMALLOC; before, the defaults hold with an empty ring limit.
void configure(const char* settings_text);

// For pthread_atfork.
void prepare_fork();
void parent_after_fork();
void child_after_fork();

// A block of at least `bytes` at a multiple of `alignment`; null with errno ENOMEM if there is
// none.
void* allocate(size_t bytes, size_t alignment);
void* allocate_zeroed(size_t bytes);

// May p be one of ours? Never no for one that is.
bool maybe_ours(const void* p);

// Bytes that its owner may use; 0 if it is not ours.
size_t usable_bytes(const void* p);

// Gives p back. False: it is not ours. A block that was given back already ends the program, as
// with any allocator that notices.
bool release(void* p);

// p with room for `bytes`, perhaps elsewhere; null with errno ENOMEM, and p as before, if there is
// no memory. p is ours and bytes is above the threshold.
void* resize(void* p, size_t bytes);

// Gives every resting block to the kernel. False: there was none.
bool relieve();

}  // namespace ftprof::libmalloc::large
