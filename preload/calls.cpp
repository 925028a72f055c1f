#include "preload/calls.h"

#include <atomic>

#include "preload/slots.h"
#include "preload/state.h"
#include "preload/thread_state.h"

namespace ftprof {
namespace {

constexpr size_t kShards = 16, kApis = 32;
struct alignas(64) Shard {
  std::atomic<uint64_t> calls[kApis];
};
constinit Shard g_shards[kShards]{};

size_t shard_of_thread() {
  auto thread = reinterpret_cast<uintptr_t>(&t_thread);
  return (thread * 0x9E3779B97F4A7C15u) >> 60;
}

}  // namespace

void count_call(trace::Api api) {
  g_shards[shard_of_thread()].calls[static_cast<size_t>(api)].fetch_add(1,
                                                                        std::memory_order_relaxed);
}

void write_calls() {
  if (!g_state.settings.calls_count) return;
  for (size_t api = 0; api < kApis; ++api) {
    uint64_t calls = 0;
    for (const Shard& shard : g_shards) calls += shard.calls[api].load(std::memory_order_relaxed);
    if (calls > 0) emit_block(trace::Calls{static_cast<trace::Api>(api), calls});
  }
}

}  // namespace ftprof
