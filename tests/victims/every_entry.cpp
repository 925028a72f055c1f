// Every entry of the allocation interface once, with a size of its own, touched in full, then given
// back. Prints nothing but the last line; the test reads the report for what each was.
#include <malloc.h>
#include <sys/mman.h>

#include <new>

#include "victim.h"

static void fill(void* block, size_t size) {
  require(block);
  memset(block, 1, size);
}

static size_t size_of(int entry) {
  return 1048576 + entry * 65536;
}

static void c_entries(bool with_pvalloc) {
  void* block = malloc(size_of(0));
  fill(block, size_of(0)), free(block);
  fill(block = calloc(1, size_of(1)), size_of(1)), free(block);
  fill(block = realloc(nullptr, size_of(2)), size_of(2)), free(block);
  fill(block = reallocarray(nullptr, 1, size_of(3)), size_of(3)), free(block);
  require(posix_memalign(&block, 4096, size_of(4)) == 0);
  fill(block, size_of(4)), free(block);
  fill(block = aligned_alloc(65536, size_of(5)), size_of(5)), free(block);
  fill(block = memalign(256, size_of(6)), size_of(6)), free(block);
  fill(block = valloc(size_of(7)), size_of(7)), free(block);
  if (with_pvalloc) fill(block = pvalloc(size_of(8)), size_of(8)), free(block);
}

static void cpp_entries() {
  using Aligned = std::align_val_t;
  void* block = ::operator new(size_of(9));
  fill(block, size_of(9)), ::operator delete(block);
  fill(block = ::operator new[](size_of(10)), size_of(10)), ::operator delete[](block);
  fill(block = ::operator new(size_of(11), std::nothrow), size_of(11));
  ::operator delete(block, std::nothrow);
  fill(block = ::operator new[](size_of(12), std::nothrow), size_of(12));
  ::operator delete[](block, std::nothrow);
  fill(block = ::operator new(size_of(13), Aligned(128)), size_of(13));
  ::operator delete(block, Aligned(128));
  fill(block = ::operator new[](size_of(14), Aligned(128)), size_of(14));
  ::operator delete[](block, Aligned(128));
  fill(block = ::operator new(size_of(15)), size_of(15)), ::operator delete(block, size_of(15));
  fill(block = ::operator new[](size_of(16)), size_of(16)), ::operator delete[](block, size_of(16));
}

static void throwing_new() {
  volatile size_t huge = static_cast<size_t>(-1) / 2;
  bool thrown = false;
  try {
    ::operator delete(::operator new(huge));
  } catch (const std::bad_alloc&) {
    thrown = true;
  }
  require(thrown);
  require(!::operator new(huge, std::nothrow));
}

int main(int argc, char** argv) {
  // Debian's jemalloc and mimalloc have no pvalloc and cannot free glibc's; mimalloc 2.0 aborts by
  // itself on an impossible operator new.
  const char* without = argc < 2 ? "" : argv[1];
  c_entries(!strstr(without, "no-pvalloc"));
  cpp_entries();
  if (!strstr(without, "no-throw")) throwing_new();
  void* range =
      mmap(nullptr, size_of(17), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  fill(range, size_of(17));
  munmap(range, size_of(17));
  puts("ok every_entry");
}
