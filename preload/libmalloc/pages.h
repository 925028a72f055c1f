// Every call to the kernel that the allocator makes for memory, in one place.
//
// Memory calls go through libc's own functions by the PLT, so that a library in front of this one
// (libftprof.so) sees them as the allocator's. None of them is made with the lock held, as such a
// hook may allocate. They report by value: the caller's errno is as before, whatever happened.
#pragma once

#include <cstddef>
#include <cstdint>

namespace ftprof::libmalloc {

struct Block {
  uintptr_t address = 0;  // 0: no block
  size_t bytes = 0;       // whole pages
};

// Keeps errno over a scope: free() must not change it, nor may a request that succeeded.
class ErrnoKept {
 public:
  ErrnoKept();
  ~ErrnoKept();
  ErrnoKept(const ErrnoKept&) = delete;
  ErrnoKept& operator=(const ErrnoKept&) = delete;

 private:
  int saved_;
};

namespace pages {

// Bytes of a base page.
size_t size();

// Whole pages that hold `bytes`; bytes is at most PTRDIFF_MAX. No bytes take one page.
size_t round_up(size_t bytes);

// Fresh zero pages at a multiple of `alignment` (a power of two, at least a page), or no block.
Block map(size_t bytes, size_t alignment);

// Gives the pages back. Where the kernel refuses (unmapping would split a mapping and there are too
// many), the addresses stay lost but the pages go.
void unmap(Block block);

// The same pages with another length, perhaps elsewhere; no block if the kernel refuses.
Block resize(Block block, size_t bytes);

// The kernel may take the pages when it is short; until a page is taken or written it keeps its
// bytes.
void mark_free(Block block);

}  // namespace pages
}  // namespace ftprof::libmalloc
