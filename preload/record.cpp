#include "preload/record.h"

#include "preload/blocks.h"
#include "preload/life.h"
#include "preload/placement.h"
#include "preload/residency.h"
#include "preload/sampling.h"
#include "preload/slots.h"
#include "preload/stacks.h"
#include "preload/threads.h"
#include "preload/tracked.h"

namespace ftprof {
namespace {

bool sealed() {
  return g_state.sealed.load(std::memory_order_relaxed);
}

uint32_t narrow(uint64_t value) {
  return value < 0xFFFFFFFF ? static_cast<uint32_t>(value) : 0xFFFFFFFF;
}

// How thoroughly the pages of a block are looked up before it is given back. By default every page
// with its kind while the budget is in good health, and of small blocks always: there it costs less
// than the rest of the record.
Effort effort_for(size_t bytes) {
  constexpr size_t kSmall = 256 * 1024;
  const Choice& probe = g_state.settings.residency_probe;
  if (sealed() || probe.is("off")) return Effort::none;
  if (probe.is("full")) return Effort::full;
  if (probe.is("sample")) return Effort::sample;
  return bytes <= kSmall || budget_is_easy() ? Effort::full : Effort::sample;
}

// At hand-out and after the give-back only presence matters, which is cheap.
Effort presence_effort() {
  const Choice& probe = g_state.settings.residency_probe;
  if (sealed() || probe.is("off")) return Effort::none;
  return probe.is("sample") ? Effort::sample : Effort::presence;
}

// Kinds cost an open of pagemap: nobody asks for the kinds of no pages.
PageCounts count_with_kinds(uintptr_t address, size_t bytes) {
  Effort effort = effort_for(bytes);
  if (effort == Effort::none) return {};
  PageCounts pages = count_pages(address, bytes, Effort::presence);
  if (pages.resident == 0) {
    pages.zero = pages.huge = 0;
    return pages;
  }
  return count_pages(address, bytes, effort);
}

uintptr_t page_up(uintptr_t address) {
  return (address + g_state.page_bytes - 1) & ~(g_state.page_bytes - 1);
}

bool still_mapped(uintptr_t address) {
  if (sealed()) return true;
  unsigned char resident = 0;
  return sys::mincore(reinterpret_cast<void*>(page_up(address)), g_state.page_bytes, &resident) !=
         -ENOMEM;
}

// Where resident pages are; of none there is nothing to ask.
void note_placement(trace::PlacementMoment moment, uintptr_t address, size_t bytes,
                    uint32_t resident) {
  if (resident != 0) record_placement({this_thread(), sys::node()}, moment, address, bytes);
}

void fill(trace::Block* event, const NewBlock& block, const CallMeter& meter) {
  event->tid = this_thread();
  event->api = block.api;
  event->flags = block.flags;
  event->addr = block.address;
  event->size = block.bytes;
  event->moved_from = block.moved_from;
  event->call_ns = meter.call_ns();
  event->in_call_minor = meter.minor();
  event->in_call_major = meter.major();
  event->weight = block.weight;
}

void track_in(BlockTable* table, uintptr_t address, const TrackedBlock& block) {
  if (table == &g_blocks) g_filter.add(address);
  if (!table->add(address, block) && table == &g_blocks) g_filter.remove(address);
}

void track(const NewBlock& block, uint32_t stack) {
  auto weight = static_cast<float>(block.weight);
  TrackedBlock tracked{block.bytes, stack, static_cast<uint8_t>(block.api), block.flags, weight};
  if (block.home == Home::range)
    g_ranges.add({block.address, page_up(block.address + block.bytes), stack, block.flags, weight});
  else
    track_in(block.home == Home::heap ? &g_blocks : &g_pool_blocks, block.address, tracked);
}

}  // namespace

CallMeter::CallMeter(CallFaults faults) : faults_(faults), entered_(sys::monotonic_ns()) {
  announce_this_thread();
}

void CallMeter::read_usage(uint32_t* minor, uint32_t* major) const {
  if (faults_ == CallFaults::ignore || sealed()) return;
  rusage usage{};
  sys::getrusage(RUSAGE_THREAD, &usage);
  *minor = static_cast<uint32_t>(usage.ru_minflt);
  *major = static_cast<uint32_t>(usage.ru_majflt);
}

void CallMeter::before_call() {
  read_usage(&minor_, &major_);
  begun_ = sys::monotonic_ns();
}

void CallMeter::after_call() {
  ended_ = sys::monotonic_ns();
  uint32_t minor = minor_, major = major_;
  read_usage(&minor, &major);
  minor_ = minor - minor_;
  major_ = major - major_;
}

uint32_t CallMeter::call_ns() const {
  return narrow(ended_ - begun_);
}

void CallMeter::finish(uint64_t bytes, double weight, Charge charge) const {
  // What is longer than any record takes was a preemption, not work.
  constexpr uint64_t kLongest = 30000, kLongestPerPage = 60;
  uint64_t longest = kLongest + kLongestPerPage * (bytes >> g_state.page_shift);
  uint64_t now = sys::monotonic_ns(), self = (now - ended_) + (begun_ - entered_);
  account_record(now, self < longest ? self : longest, bytes, weight, charge);
}

bool can_record(bool begin) {
  return begin ? ensure_running() : running_here();
}

void record_block(const NewBlock& block, const CallMeter& meter) {
  trace::Block event{};
  fill(&event, block, meter);
  PageCounts pages = count_pages(block.address, block.bytes, presence_effort());
  event.probed_pages = pages.probed;
  event.resident_pages = pages.resident;
  event.stack = intern_this_stack();
  track(block, event.stack);
  emit_block(event);
  note_placement(trace::PlacementMoment::hand_out, block.address, block.bytes, pages.resident);
}

bool take_block(uintptr_t address, TrackedBlock* block) {
  if (!g_blocks.take(address, block)) return false;
  g_filter.remove(address);
  return true;
}

bool take_pool_block(uintptr_t address, TrackedBlock* block) {
  return g_pool_blocks.take(address, block);
}

void reinstate_block(uintptr_t address, const TrackedBlock& block) {
  track_in(&g_blocks, address, block);
  if (!running_here()) return;
  trace::Block event{};
  event.tid = this_thread();
  event.stack = block.stack;
  event.api = static_cast<trace::Api>(block.api);
  event.flags = block.flags | trace::kReinstated;
  event.addr = address;
  event.size = block.bytes;
  event.probed_pages = event.resident_pages = trace::kUnknownPages;
  event.weight = static_cast<double>(block.weight);
  emit_block(event);
}

void record_release(trace::Api api, uintptr_t address, size_t bytes) {
  PageCounts pages = count_with_kinds(address, bytes);
  emit_block(trace::Release{this_thread(), api, address, pages.probed, pages.resident, pages.zero,
                            pages.huge});
  note_placement(trace::PlacementMoment::give_back, address, bytes, pages.resident);
}

void record_released(uintptr_t address, size_t bytes, const CallMeter& meter) {
  trace::Released event{this_thread(),
                        address,
                        bytes,
                        meter.call_ns(),
                        still_mapped(address),
                        trace::kUnknownPages,
                        trace::kUnknownPages};
  if (event.still_mapped) {
    PageCounts pages = count_pages(address, bytes, presence_effort());
    event.probed_pages = pages.probed;
    event.resident_pages = pages.resident;
    note_idle(address, bytes);
  }
  emit_block(event);
}

Overlap look_at_ranges(uintptr_t begin, size_t bytes, TrackedRange* whole) {
  return g_ranges.look(begin, page_up(begin + bytes), whole);
}

size_t cut_ranges(uintptr_t begin, size_t bytes, TrackedRange* cut, size_t most) {
  return g_ranges.cut(begin, page_up(begin + bytes), cut, most);
}

void reinstate_range(const TrackedRange& range) {
  g_ranges.add(range);
  trace::Block event{};
  event.tid = this_thread();
  event.stack = range.stack;
  event.api = trace::Api::mmap;
  event.flags = range.flags | trace::kReinstated;
  event.addr = range.begin;
  event.size = range.end - range.begin;
  event.probed_pages = event.resident_pages = trace::kUnknownPages;
  event.weight = static_cast<double>(range.weight);
  emit_block(event);
}

trace::RangeOp look_before(const RangeChange& change) {
  bool changes_pages =
      change.kind != trace::RangeKind::map && change.kind != trace::RangeKind::protect;
  PageCounts pages;
  if (changes_pages) pages = count_with_kinds(change.address, page_up(change.bytes));
  return {this_thread(),  change.kind,    change.by,  change.detail,
          change.address, change.bytes,   0,          0,
          pages.probed,   pages.resident, pages.zero, pages.huge};
}

void record_range(trace::RangeOp event) {
  emit_block(event);
}

void record_range(trace::RangeOp event, const CallMeter& meter) {
  event.call_ns = meter.call_ns();
  event.minor = meter.minor();
  emit_block(event);
}

}  // namespace ftprof
