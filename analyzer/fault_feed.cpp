#include "analyzer/fault_feed.h"

#include <algorithm>

namespace ftprof {
namespace {

FaultPiece from_run(const RawEvent& event) {
  auto run = event.as<trace::FaultRun>();
  FaultPiece piece;
  piece.tid = run.tid;
  piece.ip = run.ip;
  piece.addr = run.addr;
  piece.faults = run.length / 2;
  piece.begin_ns = event.timestamp;
  piece.samples = event.tail;
  return piece;
}

FaultPiece from_fault(const RawEvent& event) {
  auto fault = event.as<trace::Fault>();
  FaultPiece piece;
  piece.tid = fault.tid;
  piece.ip = fault.ip;
  piece.addr = fault.addr;
  piece.faults = 1;
  piece.begin_ns = event.timestamp;
  piece.single_cost_ns = fault.cost_ns;
  piece.major = fault.major;
  return piece;
}

}  // namespace

FaultFeed::FaultFeed(std::vector<TraceStream>& streams, uint32_t page_bytes, const Bursts* bursts)
    : page_bytes_(page_bytes), bursts_(bursts) {
  uint32_t number = 0;
  for (TraceStream& stream : streams) {
    Head head;
    head.stream = &stream;
    head.number = number++;
    advance(head);
    if (head.more) earliest_ = std::min(earliest_, head.next_ns);
    heads_.push_back(head);
  }
}

void FaultFeed::advance(Head& head) {
  if (head.in_run) head.zero.clear();
  head.in_run = false;
  head.more = head.stream->next();
  if (head.more) head.next_ns = head.stream->event().timestamp;
}

void FaultFeed::drain_all(uint64_t limit, FaultSink& sink) {
  earliest_ = std::numeric_limits<uint64_t>::max();
  for (Head& head : heads_) {
    drain_head(head, limit, sink);
    if (head.more) earliest_ = std::min(earliest_, head.next_ns);
  }
}

void FaultFeed::drain_head(Head& head, uint64_t limit, FaultSink& sink) {
  while (head.more && head.next_ns < limit) {
    if (!head.in_run) begin_event(head, sink);
    if (head.in_run)
      give(head, limit, sink);
    else
      advance(head);
  }
}

void FaultFeed::begin_event(Head& head, FaultSink& sink) {
  const RawEvent& event = head.stream->event();
  switch (event.id) {
    case trace::FaultRun::kId:
      head.rest = from_run(event);
      break;
    case trace::Fault::kId:
      head.rest = from_fault(event);
      break;
    case trace::Window::kId: {
      auto window = event.as<trace::Window>();
      head.period = std::max<uint32_t>(1, +window.period);
      sink.on_window(head.number, event.timestamp, window);
      return;
    }
    case trace::ZeroPages::kId:
      head.zero.push_back(event.as<trace::ZeroPages>());
      return;
    case trace::Lost::kId:
      sink.on_lost(event.timestamp, event.as<trace::Lost>().records);
      return;
  }
  head.rest.period = head.period;
  head.in_run = head.rest.faults != 0;
}

// Says whether the first page of the rest was a zero page, and how many pages from there are alike.
uint32_t FaultFeed::label_read(Head& head) const {
  FaultPiece& rest = head.rest;
  uint64_t page = rest.addr / page_bytes_, alike = rest.faults;
  rest.read = false;
  for (const trace::ZeroPages& zero : head.zero) {
    uint64_t begin = zero.addr / page_bytes_, end = begin + zero.pages;
    if (page >= end) continue;
    rest.read = page >= begin;
    alike = std::min(alike, (rest.read ? end : begin) - page);
    break;
  }
  return static_cast<uint32_t>(alike);
}

// Hands out the faults of the run that lie before `limit` and stand for the same. next_ns is the
// first one's time.
void FaultFeed::give(Head& head, uint64_t limit, FaultSink& sink) {
  FaultPiece& rest = head.rest;
  if (bursts_) rest.gap = bursts_->at(rest.begin_ns);
  limit = std::min(limit, rest.gap.until_ns);
  uint64_t now = rest.begin_ns;
  uint32_t taken = 1, alike = head.zero.empty() ? rest.faults : label_read(head);
  while (taken < alike && now + rest.gap_ns(taken) < limit) now += rest.gap_ns(taken++);
  FaultPiece piece = rest;
  piece.faults = taken;
  piece.end_ns = now;
  sink.on_faults(piece);
  if (taken == rest.faults) return advance(head);
  rest.addr = (rest.addr & ~uint64_t{page_bytes_ - 1}) + uint64_t{page_bytes_} * taken;
  rest.begin_ns = head.next_ns = now + rest.gap_ns(taken);
  rest.samples += 4 * static_cast<size_t>(taken);
  rest.faults -= taken;
}

}  // namespace ftprof
