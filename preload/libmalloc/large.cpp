#include "preload/libmalloc/large.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "preload/libmalloc/lock.h"
#include "preload/libmalloc/memory.h"
#include "preload/libmalloc/pages.h"
#include "preload/libmalloc/registry.h"
#include "preload/libmalloc/ring.h"
#include "preload/libmalloc/settings.h"

namespace ftprof::libmalloc::large {

size_t threshold = Settings{}.threshold;

namespace {

constinit Lock lock;
constinit Registry registry;
constinit Ring ring;
constinit MemoryWatch watch{{available_bytes, coarse_now_ns}};

uintptr_t address_of(const void* p) {
  return reinterpret_cast<uintptr_t>(p);
}
void* pointer_to(Block block) {
  return reinterpret_cast<void*>(block.address);
}

void* no_memory() {
  errno = ENOMEM;
  return nullptr;
}

[[noreturn]] void die_of_double_free() {
  constexpr char kLine[] = "libftprof-libmalloc: a block was freed that had been freed before\n";
  if (write(STDERR_FILENO, kLine, sizeof kLine - 1) < 0) abort();
  abort();
}

// ---- resting blocks

Block from_ring(size_t bytes, size_t alignment) {
  Held held(lock);
  Block block = ring.take(held, bytes, alignment);
  if (block.address) registry.set_state(held, block.address, BlockState::in_use);
  return block;
}

Block oldest_from_ring() {
  Held held(lock);
  Block block = ring.take_oldest(held);
  if (block.address) registry.erase(held, block.address);
  return block;
}

// Oldest first, until `bytes` went. Returns what went.
size_t give_to_kernel(size_t bytes) {
  size_t given = 0;
  while (given < bytes) {
    Block block = oldest_from_ring();
    if (!block.address) break;
    pages::unmap(block);
    given += block.bytes;
  }
  return given;
}

// ---- new blocks

constexpr size_t kAddresses = size_t{1} << 47;  // no request of more is worth emptying the ring for

void grow_registry(size_t bytes) {
  Block memory = pages::map(bytes, pages::size());
  if (!memory.address) return;  // it fills up further instead
  Block unused;
  {
    Held held(lock);
    unused = registry.adopt(held, memory);
  }
  if (unused.address) pages::unmap(unused);
}

size_t registry_wants() {
  Held held(lock);
  return registry.wanted_bytes(held);
}

bool enter(Block block) {
  if (size_t bytes = registry_wants()) grow_registry(bytes);
  Held held(lock);
  return registry.insert(held, block);
}

Block map_and_enter(size_t bytes, size_t alignment) {
  Block block = pages::map(bytes, alignment);
  if (!block.address || enter(block)) return block;
  pages::unmap(block);
  return {};
}

Block fresh(size_t bytes, size_t alignment) {
  Block block = map_and_enter(bytes, alignment);
  bool possible = bytes < kAddresses && alignment < kAddresses;
  if (!block.address && possible && relieve()) block = map_and_enter(bytes, alignment);
  return block;
}

// ---- giving back

struct Farewell {
  Ring::Verdict verdict = Ring::Verdict::unmap;
  Block block;    // none: it is not ours
  Block evicted;  // leaves the ring for it
};

// A block below the threshold is a left-over of the start, which no request would ever take.
Ring::Verdict verdict_on(const Held& held, Block block) {
  return wants(block.bytes) ? ring.judge(held, block.bytes) : Ring::Verdict::unmap;
}

void rest(const Held& held, Farewell& farewell, bool marked) {
  farewell.evicted = ring.put(held, farewell.block, marked);
  if (farewell.evicted.address) registry.erase(held, farewell.evicted.address);
}

Farewell take_from_owner(uintptr_t address) {
  Held held(lock);
  auto [state, bytes] = registry.find(held, address);
  if (state == BlockState::foreign) return {};
  if (state == BlockState::resting) die_of_double_free();
  Farewell farewell{Ring::Verdict::unmap, {address, bytes}, {}};
  farewell.verdict = verdict_on(held, farewell.block);
  if (farewell.verdict == Ring::Verdict::unmap) {
    registry.erase(held, address);
  } else {
    registry.set_state(held, address, BlockState::resting);
  }
  if (farewell.verdict == Ring::Verdict::keep) rest(held, farewell, false);
  return farewell;
}

// Marked before the ring gets it: a mark set later could hit the pages of the next owner.
void mark_and_rest(Farewell& farewell) {
  pages::mark_free(farewell.block);
  Held held(lock);
  rest(held, farewell, true);
}

// ---- resizing

// In place while it would waste less than half; a block that would waste more gives its end back.
void shrink(Block block, size_t bytes) {
  if (bytes > block.bytes / 2) return;
  {
    Held held(lock);
    registry.set_bytes(held, {block.address, bytes});
  }
  pages::unmap({block.address + bytes, block.bytes - bytes});
}

// The block is out of the registry while it moves: once the kernel took it from its old addresses,
// another thread may get and enter them before this one is back.
Block grow_by_mapping(Block block, size_t bytes) {
  {
    Held held(lock);
    registry.erase(held, block.address);
  }
  Block grown = pages::resize(block, bytes);
  Held held(lock);
  registry.move_in(held, grown.address ? grown : block);
  return grown;
}

// Where the kernel would not: a program that protected or locked a part of its block split the
// mapping, which cannot be resized as one.
void* grow_by_copying(Block block, size_t bytes) {
  void* p = allocate(bytes, pages::size());
  if (!p) return nullptr;
  memcpy(p, pointer_to(block), block.bytes);
  release(pointer_to(block));
  return p;
}

Block owned(const void* p) {
  Held held(lock);
  auto [state, bytes] = registry.find(held, address_of(p));
  if (state == BlockState::resting) die_of_double_free();
  return {address_of(p), bytes};
}

}  // namespace

void configure(const char* settings_text) {
  size_t memory = memory_bytes();
  Settings settings = parse_settings(settings_text, memory, complain_on_stderr);
  threshold = settings.threshold;
  watch.configure(settings.reserve, memory / 64);
  Held held(lock);
  ring.set_limits(held, settings.ring);
}

void prepare_fork() {
  lock.hold_for_fork();
}
void parent_after_fork() {
  lock.release_in_parent();
}
void child_after_fork() {
  lock.release_in_child();
}

void* allocate(size_t bytes, size_t alignment) {
  if (bytes > PTRDIFF_MAX) return no_memory();
  size_t whole = pages::round_up(bytes);
  Block block = from_ring(whole, alignment);
  if (!block.address) block = fresh(whole, alignment);
  return block.address ? pointer_to(block) : no_memory();
}

void* allocate_zeroed(size_t bytes) {
  if (bytes > PTRDIFF_MAX) return no_memory();
  size_t whole = pages::round_up(bytes);
  Block block = from_ring(whole, 1);
  if (block.address) return memset(pointer_to(block), 0, bytes);
  block = fresh(whole, 1);
  return block.address ? pointer_to(block) : no_memory();
}

bool maybe_ours(const void* p) {
  return registry.maybe_ours(p);
}

size_t usable_bytes(const void* p) {
  return maybe_ours(p) ? owned(p).bytes : 0;
}

bool release(void* p) {
  if (!maybe_ours(p)) return false;
  Farewell farewell = take_from_owner(address_of(p));
  if (!farewell.block.address) return false;
  size_t bytes = farewell.block.bytes;
  if (farewell.verdict == Ring::Verdict::unmap) pages::unmap(farewell.block);
  if (farewell.verdict == Ring::Verdict::mark_and_keep) mark_and_rest(farewell);
  if (farewell.evicted.address) pages::unmap(farewell.evicted);
  if (size_t lacking = watch.lacking_after(bytes)) give_to_kernel(lacking);
  return true;
}

void* resize(void* p, size_t bytes) {
  if (bytes > PTRDIFF_MAX) return no_memory();
  size_t whole = pages::round_up(bytes);
  Block block = owned(p);
  if (whole <= block.bytes) {
    shrink(block, whole);
    return p;
  }
  Block grown = grow_by_mapping(block, whole);
  return grown.address ? pointer_to(grown) : grow_by_copying(block, whole);
}

// No more than rests now: a hook in front of munmap may allocate and fill the ring again.
bool relieve() {
  size_t resting = 0;
  {
    Held held(lock);
    resting = ring.bytes(held);
  }
  return give_to_kernel(resting) > 0;
}

}  // namespace ftprof::libmalloc::large
