#include "preload/placement.h"

#include <string.h>

#include "preload/slots.h"
#include "preload/state.h"
#include "preload/sys.h"

namespace ftprof {
namespace {

constinit unsigned g_nodes = 1;

bool may_ask() {
  return g_nodes > 1 && !g_state.sealed.load(std::memory_order_relaxed) &&
         !g_state.settings.residency_probe.is("off");
}

void tally(NodeCounts* counts, int node) {
  if (node < 0 || node >= static_cast<int>(kMostNodes)) return;  // not resident, or the zero page
  ++counts->sampled;
  ++counts->counts[node];
  if (static_cast<uint32_t>(node) >= counts->nodes) counts->nodes = static_cast<uint32_t>(node) + 1;
}

}  // namespace

void set_nodes(unsigned nodes) {
  g_nodes = nodes;
}

size_t pick_pages(size_t pages, size_t (&picked)[kPlacedPages]) {
  size_t count = pages < kPlacedPages ? pages : kPlacedPages;
  uint64_t mixed = 0;
  for (size_t i = 0; i < count; ++i) {
    // Each page out of a stretch of its own; one stretch is one page when all are asked.
    size_t begin = i * pages / count, end = (i + 1) * pages / count;
    mixed += 0x9E3779B97F4A7C15u;
    picked[i] = begin + (mixed >> 32) % (end - begin);
  }
  return count;
}

NodeCounts count_nodes(uintptr_t address, size_t bytes) {
  NodeCounts counts;
  uintptr_t first = (address + g_state.page_bytes - 1) >> g_state.page_shift;
  uintptr_t end = (address + bytes) >> g_state.page_shift;
  if (end <= first) return counts;
  size_t picked[kPlacedPages];
  size_t asked = pick_pages(end - first, picked);
  void* pages[kPlacedPages];
  int nodes[kPlacedPages];
  for (size_t i = 0; i < asked; ++i)
    pages[i] = reinterpret_cast<void*>((first + picked[i]) << g_state.page_shift);
  if (sys::failed(sys::where_pages(asked, pages, nodes))) return counts;
  for (size_t i = 0; i < asked; ++i) tally(&counts, nodes[i]);
  return counts;
}

void record_placement(const Asker& asker, trace::PlacementMoment moment, uintptr_t address,
                      size_t bytes) {
  if (!may_ask()) return;
  NodeCounts counts = count_nodes(address, bytes);
  if (counts.sampled == 0) return;
  trace::Placement event{
      asker.tid,      asker.cpu_node, address, bytes, static_cast<uint8_t>(moment),
      counts.sampled, counts.nodes};
  emit_block(event, {counts.counts, counts.nodes * sizeof counts.counts[0]});
}

}  // namespace ftprof
