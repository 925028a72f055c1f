#include "preload/fault_runs.h"

namespace ftprof {

using namespace trace;

namespace {

u16 short_cost(u32 cost_ns) {
  return cost_ns == kNotTimed32 ? kNotTimed : static_cast<u16>(cost_ns);
}
bool fits_run(u32 cost_ns) {
  return cost_ns == kNotTimed32 || cost_ns < kNotTimed;
}

u32 elapsed(u64 from, u64 to) {
  u64 ns = to > from ? to - from : 0;
  return ns < kNotTimed32 ? static_cast<u32>(ns) : kNotTimed32 - 1;
}

}  // namespace

bool RunBuilder::continues(const FaultEntry& entry, u64 page, u32 cost_ns) const {
  return faults_ > 0 && faults_ < kLongest && entry.tid == first_.tid && entry.ip == first_.ip &&
         page == next_page_ && entry.time - last_time_ <= 0xFFFF && fits_run(cost_ns);
}

void RunBuilder::append(const FaultEntry& entry, u64 page, u32 cost_ns) {
  samples_[2 * faults_] = static_cast<u16>(entry.time - last_time_);
  samples_[2 * faults_ + 1] = short_cost(cost_ns);
  ++faults_;
  last_time_ = entry.time;
  next_page_ = page + 1;
}

void RunBuilder::add(FaultSink& sink, u32 cpu, const FaultEntry& entry, u32 cost_ns, bool major,
                     int page_shift) {
  u64 page = entry.addr >> page_shift;
  if (!major && continues(entry, page, cost_ns)) return append(entry, page, cost_ns);
  finish(sink, cpu);
  if (major || !fits_run(cost_ns))
    return sink.fault(cpu, entry.time, {entry.tid, entry.ip, entry.addr, cost_ns, major});
  first_ = entry;
  last_time_ = entry.time;
  append(entry, page, cost_ns);
}

void RunBuilder::finish(FaultSink& sink, u32 cpu) {
  if (faults_ == 1) {
    u32 cost_ns = samples_[1] == kNotTimed ? kNotTimed32 : samples_[1];
    sink.fault(cpu, first_.time, {first_.tid, first_.ip, first_.addr, cost_ns, 0});
  } else if (faults_ > 1) {
    u16 length = static_cast<u16>(2 * faults_);
    sink.fault_run(cpu, first_.time, {first_.tid, first_.ip, first_.addr, length}, samples_);
  }
  faults_ = 0;
}

void FaultJoin::entry(u32 cpu, const FaultEntry& entry) {
  if (open_total_ > 0 && supersede(cpu, entry)) return;
  Lane& lane = lanes_[cpu];
  if (lane.tail - lane.head == kWaiting || lane.open_count == kOpen) give_up_oldest(cpu);
  Waiting& waiting = at(lane, lane.tail);
  waiting = {entry, kNotTimed32, kInKernel, false, false, 0};
  if (orphan_count_ == 0 || !take_orphan(entry, waiting)) {
    lane.open[lane.open_count++] = lane.tail;
    ++open_total_;
  }
  ++lane.tail;
  write_ready(cpu);
}

void FaultJoin::handled(u32 cpu, u32 tid, u64 addr, u64 time, bool major) {
  if (open_total_ == 0 || !settle_anywhere(cpu, tid, addr, time, major))
    keep_orphan(tid, addr, time, major);
}

// Calls matches(waiting) for the CPU's faults in the kernel; true ends the search, having settled
// it.
template <class Matches>
bool FaultJoin::settle(u32 cpu, Matches matches) {
  Lane& lane = lanes_[cpu];
  for (u32 i = lane.open_count; i-- > 0;) {
    Waiting& waiting = at(lane, lane.open[i]);
    if (!matches(waiting)) continue;
    close_open(lane, i, waiting.state);
    write_ready(cpu);
    return true;
  }
  return false;
}

bool FaultJoin::settle_anywhere(u32 cpu, u32 tid, u64 addr, u64 time, bool major) {
  auto matches = [&](Waiting& waiting) {
    if (waiting.entry.tid != tid || waiting.entry.addr != addr || waiting.entry.time > time)
      return false;
    waiting.cost_ns = elapsed(waiting.entry.time, time);
    waiting.major = major;
    waiting.state = kDone;
    return true;
  };
  if (settle(cpu, matches)) return true;
  for (u32 other = 0; other < cpus_ && open_total_ > 0; ++other)
    if (other != cpu && settle(other, matches)) return true;
  return false;
}

// A thread is in one fault at a time: an older one of the same thread that is still open has
// failed, or was not timed. True when `entry` is the same fault seen twice.
bool FaultJoin::supersede(u32 cpu, const FaultEntry& entry) {
  constexpr u64 kSameFaultNs = 1500;
  bool twice = false;
  auto matches = [&](Waiting& waiting) {
    if (waiting.entry.tid != entry.tid || waiting.entry.time > entry.time || waiting.followed)
      return false;
    // The same instruction: a load and the store after it are two faults on one byte.
    twice = waiting.entry.addr == entry.addr && waiting.entry.ip == entry.ip &&
            entry.time - waiting.entry.time < kSameFaultNs;
    if (twice) return false;
    if (!expects_handled(waiting)) {
      waiting.state = kDone;
      return true;
    }
    waiting.followed = true, waiting.followed_in = pass_;
    ++followed_total_;
    return false;
  };
  if (settle(cpu, matches) || twice) return twice;
  for (u32 other = 0; other < cpus_ && open_total_ > 0; ++other)
    if (other != cpu && (settle(other, matches) || twice)) return twice;
  return false;
}

void FaultJoin::end_of_pass(bool untimed) {
  ++pass_;
  for (u32 cpu = 0; untimed && cpu < cpus_; ++cpu)
    while (lanes_[cpu].open_count > 0) give_up_oldest(cpu);
  for (u32 cpu = 0; cpu < cpus_ && followed_total_ > 0; ++cpu) {
    auto over = [this](Waiting& waiting) {
      if (!waiting.followed || pass_ - waiting.followed_in < 2) return false;
      waiting.state = given_up(waiting);
      return true;
    };
    while (settle(cpu, over)) {
    }
  }
}

bool FaultJoin::take_orphan(const FaultEntry& entry, Waiting& waiting) {
  for (Orphan& orphan : orphans_) {
    if (!orphan.used || orphan.tid != entry.tid || orphan.addr != entry.addr ||
        orphan.time < entry.time)
      continue;
    waiting.cost_ns = elapsed(entry.time, orphan.time);
    waiting.major = orphan.major;
    waiting.state = kDone;
    orphan.used = false;
    --orphan_count_;
    return true;
  }
  return false;
}

void FaultJoin::keep_orphan(u32 tid, u64 addr, u64 time, bool major) {
  Orphan& orphan = orphans_[next_orphan_++ % kOrphans];
  if (!orphan.used) ++orphan_count_;
  orphan = {tid, addr, time, major, true};
}

void FaultJoin::close_open(Lane& lane, u32 index, State state) {
  Waiting& waiting = at(lane, lane.open[index]);
  waiting.state = state;
  followed_total_ -= waiting.followed;
  for (u32 i = index + 1; i < lane.open_count; ++i) lane.open[i - 1] = lane.open[i];
  --lane.open_count;
  --open_total_;
}

FaultJoin::State FaultJoin::given_up(const Waiting& waiting) const {
  return waiting.followed && expects_handled(waiting) ? kFailed : kDone;
}

void FaultJoin::set_complete(bool complete, u64 since) {
  if (complete && !complete_) complete_since_ = since;
  complete_ = complete;
}

bool FaultJoin::expects_handled(const Waiting& waiting) const {
  return complete_ && waiting.entry.time >= complete_since_;
}

void FaultJoin::give_up_oldest(u32 cpu) {
  Lane& lane = lanes_[cpu];
  if (lane.open_count > 0) close_open(lane, 0, given_up(at(lane, lane.open[0])));
  write_ready(cpu);
}

void FaultJoin::write_ready(u32 cpu) {
  Lane& lane = lanes_[cpu];
  while (lane.head != lane.tail && at(lane, lane.head).state != kInKernel)
    write(cpu, at(lane, lane.head++));
}

void FaultJoin::write(u32 cpu, const Waiting& waiting) {
  if (waiting.state == kFailed) {
    ++failed_;
    return;
  }
  ++faults_;
  if (waiting.cost_ns != kNotTimed32) ++timed_, raw_ns_ += waiting.cost_ns;
  lanes_[cpu].run.add(sink_, cpu, waiting.entry, waiting.cost_ns, waiting.major, page_shift_);
}

void FaultJoin::flush(u32 cpu) {
  lanes_[cpu].run.finish(sink_, cpu);
}

void FaultJoin::leave_open(u32 cpu) {
  Lane& lane = lanes_[cpu];
  while (lane.open_count > 0) close_open(lane, 0, kFailed);
  write_ready(cpu);
  flush(cpu);
}

void FaultJoin::close(u32 cpu) {
  while (lanes_[cpu].open_count > 0) give_up_oldest(cpu);
  flush(cpu);
}

}  // namespace ftprof
