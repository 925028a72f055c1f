#include "preload/stacks.h"

#include <string.h>

#include <atomic>

#include "preload/life.h"
#include "preload/memory.h"
#include "preload/modules.h"
#include "preload/slots.h"
#include "preload/stack_walk.h"
#include "preload/thread_state.h"

namespace ftprof {
namespace {

struct Stack {
  uint64_t hash;
  uint32_t id;
  uint32_t depth;
  std::atomic<uint32_t> image;  // in whose trace it stands (image_number())
  uintptr_t frames[];
};

constexpr size_t kSlots = 1 << 16, kMostStacks = kSlots / 4 * 3, kWindow = 32;
constexpr size_t kChunkBytes = 64 * 1024;
constinit std::atomic<Stack*>* g_by_hash = nullptr;  // kSlots of them, then kMostStacks by id
constinit std::atomic<uint32_t> g_count{0};

// The table is large and few stacks are met: its pages are made present one by one, each counted as
// the profiler's fault.
constexpr size_t kTableBytes = (kSlots + kMostStacks) * sizeof(std::atomic<Stack*>);
constinit std::atomic<bool> g_present[kTableBytes / 4096]{};

void make_present(std::atomic<Stack*>* entry) {
  auto offset =
      static_cast<size_t>(reinterpret_cast<char*>(entry) - reinterpret_cast<char*>(g_by_hash));
  std::atomic<bool>& present = g_present[offset / 4096];
  if (present.load(std::memory_order_relaxed) || g_state.sealed.load(std::memory_order_relaxed))
    return;
  populate(entry, sizeof *entry);
  present.store(true, std::memory_order_relaxed);
}

std::atomic<Stack*>* by_id() {
  return g_by_hash + kSlots;
}

// Chunks are never freed; the word holds the current one's address and how much of it is used.
struct Chunk {
  std::atomic<size_t> used;
};
constinit std::atomic<Chunk*> g_chunk{nullptr};

Chunk* new_chunk(Chunk* full) {
  auto* chunk = static_cast<Chunk*>(own_memory(kChunkBytes));
  if (chunk == nullptr) return nullptr;
  chunk->used.store(sizeof(Chunk), std::memory_order_relaxed);
  if (!g_chunk.compare_exchange_strong(full, chunk)) sys::unmap(chunk, kChunkBytes), chunk = full;
  return chunk;
}

Stack* get_room(size_t depth) {
  size_t bytes = sizeof(Stack) + depth * sizeof(uintptr_t);
  Chunk* chunk = g_chunk.load(std::memory_order_acquire);
  for (int attempt = 0; attempt < 4; ++attempt) {
    if (chunk != nullptr) {
      size_t at = chunk->used.fetch_add(bytes, std::memory_order_relaxed);
      if (at + bytes <= kChunkBytes)
        return reinterpret_cast<Stack*>(reinterpret_cast<char*>(chunk) + at);
    }
    chunk = new_chunk(chunk);
    if (chunk == nullptr) return nullptr;
  }
  return nullptr;
}

uint64_t hash_of(const uintptr_t* frames, size_t depth) {
  uint64_t hash = 0x9E3779B97F4A7C15u * (depth + 1) + unload_count();
  for (size_t i = 0; i < depth; ++i) {
    hash = (hash ^ frames[i]) * 0xff51afd7ed558ccdu;
    hash ^= hash >> 32;
  }
  return hash;
}

bool write_stack(Stack* stack) {
  for (uint32_t i = 0; i < stack->depth; ++i) note_code(stack->frames[i] - 1);
  trace::Stack event{stack->id, stack->depth};
  return emit_block(event, {stack->frames, stack->depth * sizeof(uintptr_t)}) != 0;
}

void announce(Stack* stack) {
  uint32_t image = image_number();
  if (stack->image.load(std::memory_order_acquire) == image) return;
  if (write_stack(stack)) stack->image.store(image, std::memory_order_release);
}

Stack* create(uint64_t hash, const uintptr_t* frames, size_t depth) {
  if (g_count.load(std::memory_order_relaxed) + 1 >= kMostStacks) return nullptr;
  Stack* stack = get_room(depth);
  if (stack == nullptr) return nullptr;
  stack->hash = hash;
  stack->id = g_count.fetch_add(1, std::memory_order_relaxed) + 1;
  if (stack->id >= kMostStacks) return nullptr;
  stack->depth = static_cast<uint32_t>(depth);
  stack->image.store(0, std::memory_order_relaxed);
  memcpy(stack->frames, frames, depth * sizeof *frames);
  make_present(&by_id()[stack->id]);
  by_id()[stack->id].store(stack, std::memory_order_release);
  return stack;
}

// The stack with this hash, or the empty place where it belongs; both null when there is no room.
struct Place {
  Stack* stack = nullptr;
  std::atomic<Stack*>* empty = nullptr;
};
Place find(uint64_t hash) {
  size_t first = hash & (kSlots - 1) & ~(kWindow - 1);
  make_present(&g_by_hash[first]);
  for (size_t i = first; i < first + kWindow; ++i) {
    Stack* stack = g_by_hash[i].load(std::memory_order_acquire);
    if (stack == nullptr) return {nullptr, &g_by_hash[i]};
    if (stack->hash == hash) return {stack, nullptr};
  }
  return {};
}

// Written before it is published: whoever finds it may use its id at once.
Stack* intern(const uintptr_t* frames, size_t depth) {
  uint64_t hash = hash_of(frames, depth);
  Place place = find(hash);
  if (place.stack != nullptr) {
    announce(place.stack);
    return place.stack;
  }
  if (place.empty == nullptr) return nullptr;
  Stack* stack = create(hash, frames, depth);
  if (stack == nullptr) return nullptr;
  announce(stack);
  Stack* none = nullptr;
  place.empty->compare_exchange_strong(none, stack, std::memory_order_acq_rel);
  return stack;
}

}  // namespace

uint32_t intern_this_stack() {
  uintptr_t frames[kMostFrames];
  size_t most = g_state.settings.blocks_stack_depth;
  size_t depth = walk_stack(frames, most < kMostFrames ? most : kMostFrames, own_code(),
                            &t_thread.stack_bounds, !g_state.sealed.load());
  Stack* stack = depth == 0 ? nullptr : intern(frames, depth);
  return stack == nullptr ? trace::kNoStack : stack->id;
}

void announce_stack(uint32_t id) {
  if (id == trace::kNoStack || id >= kMostStacks) return;
  Stack* stack = by_id()[id].load(std::memory_order_acquire);
  if (stack != nullptr) announce(stack);
}

bool prepare_stacks() {
  if (g_by_hash == nullptr)
    g_by_hash = static_cast<std::atomic<Stack*>*>(sys::map_private(kTableBytes));
  return g_by_hash != nullptr;
}

}  // namespace ftprof
