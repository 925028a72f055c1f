#include "preload/slots.h"

#include "preload/message.h"
#include "preload/state.h"
#include "preload/stream.h"
#include "preload/text.h"

namespace ftprof {

constinit std::atomic<uint32_t> g_slots_wanted{0};

namespace {

using trace::kPacketBytes;

constexpr unsigned kMostSlots = 256;
constexpr unsigned kExtraSlots = 4;  // beyond the CPUs: holders that were interrupted or preempted
constexpr unsigned kFirstSlots = 2;  // a signal handler may interrupt the holder of one
constexpr unsigned kRounds = 64;
constexpr size_t kLowBytes = kPacketBytes / 4;  // used of a packet: high time for a spare one

enum class SlotState : uint8_t { absent, wanted, ready, failed };

class Slot {
 public:
  bool try_lock() {
    return !locked_.load(std::memory_order_relaxed) &&
           !locked_.exchange(true, std::memory_order_acquire);
  }
  void unlock() { locked_.store(false, std::memory_order_release); }

  bool ready() const { return state_.load(std::memory_order_acquire) == SlotState::ready; }
  bool wanted() const {
    return state_.load(std::memory_order_relaxed) == SlotState::wanted ||
           (ready() && low_.load(std::memory_order_relaxed) &&
            spare_.load(std::memory_order_relaxed) == nullptr && may_grow());
  }
  // Cleared by the first packet that could not be reserved ahead; the one in use is still filled.
  bool may_grow() const { return error_.load(std::memory_order_acquire) == StreamError::none; }
  bool being_refilled() const { return reserving_.load(std::memory_order_relaxed); }
  void want() {
    SlotState absent = SlotState::absent;
    state_.compare_exchange_strong(absent, SlotState::wanted);
  }

  // With the lock held.
  uint64_t append(uint8_t id, const void* fixed, size_t fixed_bytes, Span a, Span b);

  // With the lock held: one event more is lost; false when there is no packet to say so in.
  bool discard() {
    if (!packet_.open()) return false;
    packet_.set_discarded(++discarded_);
    return true;
  }

  // Makes the file if need be, and a spare packet. One thread at a time; others skip.
  bool prepare(unsigned number, int dir);
  void trim(unsigned number, int dir);
  void forget();

 private:
  bool next_packet(uint64_t now);
  void ask_for_spare();
  void* reserve(unsigned number, int dir, StreamError* error);
  void* reserve_by_path(StreamError* error);
  void publish(void* spare);
  void fail(StreamError error);
  static Text<16> name_of(unsigned number) {
    Text<16> name;
    name.add("blocks_").add_number(number);
    return name;
  }

  std::atomic<bool> locked_;
  std::atomic<bool> reserving_;
  std::atomic<SlotState> state_;
  Packet packet_;
  StreamFile file_;
  std::atomic<void*> spare_;
  std::atomic<bool> low_;
  uint64_t newest_ = 0;
  uint64_t discarded_ = 0;
  std::atomic<StreamError> error_;
};

constinit Slot g_slots[kMostSlots]{};

unsigned slot_count() {
  unsigned wanted = g_state.cpus + kExtraSlots;
  return wanted < kMostSlots ? wanted : kMostSlots;
}

unsigned number_of(const Slot* slot) {
  return static_cast<unsigned>(slot - g_slots);
}

void say_why(StreamError error) {
  static constinit std::atomic<bool> disk{false}, limit{false}, other{false};
  if (error == StreamError::full_disk)
    say(Level::warn, &disk, "no room on the disk for ", g_state.image_dir,
        ": recording of blocks stops here");
  else if (error == StreamError::limit)
    say(Level::warn, &limit, "trace.max_size or the file size limit is reached in ",
        g_state.image_dir, ": recording of blocks stops here");
  else
    say(Level::warn, &other, "cannot write to ", g_state.image_dir, ": events are lost");
}

// Reserving costs page faults, which are the profiler's.
class Reserving {
 public:
  explicit Reserving(std::atomic<bool>* flag) : flag_(flag), held_(!flag->exchange(true)) {}
  ~Reserving() {
    if (held_) flag_->store(false, std::memory_order_release);
  }
  bool held() const { return held_; }

 private:
  std::atomic<bool>* flag_;
  bool held_;
};

void* Slot::reserve(unsigned number, int dir, StreamError* error) {
  rusage before{}, after{};
  sys::getrusage(RUSAGE_THREAD, &before);
  Text<16> name = name_of(number);
  bool fresh = state_.load() != SlotState::ready;
  *error = fresh ? file_.create(dir, name.c_str(), trace::kBlockStream, number)
                 : file_.reopen(dir, name.c_str());
  void* memory = nullptr;
  if (*error == StreamError::none)
    memory = file_.begin_packet(sys::monotonic_ns(), discarded_, error);
  file_.close();
  sys::getrusage(RUSAGE_THREAD, &after);
  add_self_faults(static_cast<uint64_t>(after.ru_minflt - before.ru_minflt));
  return memory;
}

void Slot::fail(StreamError error) {
  error_.store(error, std::memory_order_release);
  state_.store(SlotState::failed, std::memory_order_release);
  say_why(error);
}

// For a program thread, which keeps no descriptor of the folder.
void* Slot::reserve_by_path(StreamError* error) {
  *error = StreamError::open;
  int dir = sys::open_at(AT_FDCWD, g_state.image_dir, O_DIRECTORY | O_NOFOLLOW | O_PATH);
  if (dir < 0) return nullptr;
  void* memory = reserve(number_of(this), dir, error);
  sys::close(dir);
  return memory;
}

// Under the slot's lock when it can be had: its stamp then is not before the last event's.
void Slot::publish(void* spare) {
  for (unsigned i = 0; i < kRounds && !try_lock(); ++i) {
    if (i + 1 == kRounds) {
      spare_.store(spare, std::memory_order_release);
      return;
    }
    sys::yield();
  }
  Packet packet;
  packet.adopt(spare);
  packet.restamp(sys::monotonic_ns());
  spare_.store(spare, std::memory_order_release);
  unlock();
}

bool Slot::prepare(unsigned number, int dir) {
  Reserving turn(&reserving_);
  if (!turn.held() || spare_.load() != nullptr || state_.load() == SlotState::failed)
    return ready();
  StreamError error = StreamError::none;
  void* memory = reserve(number, dir, &error);
  if (memory == nullptr) {
    ready() ? error_.store(error, std::memory_order_release) : fail(error);
    return ready();
  }
  publish(memory);
  state_.store(SlotState::ready, std::memory_order_release);
  return true;
}

bool Slot::next_packet(uint64_t now) {
  void* next = spare_.exchange(nullptr, std::memory_order_acquire);
  if (next == nullptr) {
    Reserving turn(&reserving_);
    if (!turn.held() || g_state.sealed.load() || state_.load() != SlotState::ready) return false;
    StreamError error = error_.load(std::memory_order_acquire);
    if (error == StreamError::none) next = reserve_by_path(&error);
    if (next == nullptr) {
      fail(error);
      return false;
    }
  }
  if (packet_.open()) sys::unmap(packet_.release(), kPacketBytes);
  packet_.adopt(next);
  packet_.restamp(now);
  packet_.set_discarded(discarded_);
  low_.store(false, std::memory_order_relaxed);
  return true;
}

// Not before it is needed: most processes of a build write a few records.
void Slot::ask_for_spare() {
  low_.store(true, std::memory_order_relaxed);
  g_slots_wanted.fetch_add(1, std::memory_order_relaxed);
  if (!g_state.sealed.load()) sys::futex_wake(&g_slots_wanted, 1);
}

uint64_t Slot::append(uint8_t id, const void* fixed, size_t fixed_bytes, Span a, Span b) {
  uint64_t now = sys::monotonic_ns();
  newest_ = now = now > newest_ ? now : newest_;
  if (!packet_.fits(event_bytes(fixed_bytes, a, b)) && !next_packet(now)) return 0;
  // A spare that is never used ends the file all the same: its time must not lie before ours.
  if (void* spare = spare_.load(std::memory_order_acquire)) {
    Packet packet;
    packet.adopt(spare);
    packet.restamp(now);
  }
  packet_.append(id, now, fixed, fixed_bytes, a, b);
  if (packet_.used() >= kLowBytes && !low_.load(std::memory_order_relaxed)) ask_for_spare();
  return now;
}

void Slot::trim(unsigned number, int dir) {
  Reserving turn(&reserving_);
  if (!turn.held()) return;
  void* spare = spare_.exchange(nullptr);
  if (spare == nullptr) return;
  sys::unmap(spare, kPacketBytes);
  if (file_.reopen(dir, name_of(number).c_str()) == StreamError::none) file_.drop_packet();
  file_.close();
}

void Slot::forget() {
  if (packet_.open()) sys::unmap(packet_.release(), kPacketBytes);
  if (void* spare = spare_.exchange(nullptr)) sys::unmap(spare, kPacketBytes);
  file_ = StreamFile();
  newest_ = discarded_ = 0;
  reserving_.store(false);
  low_.store(false);
  error_.store(StreamError::none);
  state_.store(SlotState::absent);
  locked_.store(false, std::memory_order_release);
}

}  // namespace

// One look at every slot from this CPU's on. *busy: waiting a little may help.
static uint64_t try_slots(unsigned count, uint8_t id, const void* fixed, size_t fixed_bytes, Span a,
                          Span b, bool* busy) {
  unsigned first = sys::cpu() % count;
  for (unsigned i = 0; i < count; ++i) {
    Slot& slot = g_slots[(first + i) % count];
    if (!slot.ready()) {
      if (i == 0) slot.want();
      continue;
    }
    if (!slot.try_lock()) {
      *busy = true;
      continue;
    }
    uint64_t timestamp = slot.append(id, fixed, fixed_bytes, a, b);
    slot.unlock();
    if (timestamp != 0) return timestamp;
    if (slot.being_refilled()) *busy = true;
  }
  return 0;
}

// Counts a lost event where a reader finds it: in the header of some packet.
static void count_lost() {
  g_state.lost_block_records.fetch_add(1, std::memory_order_relaxed);
  bool counted = false;
  for (unsigned i = 0; i < slot_count() && !counted; ++i) {
    if (!g_slots[i].try_lock()) continue;
    counted = g_slots[i].discard();
    g_slots[i].unlock();
  }
}

uint64_t emit_block_event(uint8_t id, const void* fixed, size_t fixed_bytes, Span a, Span b) {
  bool busy = true;
  for (unsigned round = 0; round < kRounds && busy; ++round) {
    busy = false;
    uint64_t timestamp = try_slots(slot_count(), id, fixed, fixed_bytes, a, b, &busy);
    if (timestamp != 0) return timestamp;
    if (round >= 2 && !g_state.sealed.load(std::memory_order_relaxed)) sys::yield();
  }
  count_lost();
  return 0;
}

bool open_slots(int dir) {
  unsigned now = g_state.settings.collector_thread ? 1 : kFirstSlots;
  for (unsigned i = 0; i < kFirstSlots; ++i) g_slots[i].want();
  for (unsigned i = 0; i < now; ++i)
    if (!g_slots[i].prepare(i, dir)) return false;
  return true;
}

void refill_slots(int dir) {
  for (unsigned i = 0; i < slot_count(); ++i)
    if (g_slots[i].wanted()) g_slots[i].prepare(i, dir);
}

void trim_slots(int dir) {
  for (unsigned i = 0; i < slot_count(); ++i) g_slots[i].trim(i, dir);
}

void forget_slots() {
  for (Slot& slot : g_slots) slot.forget();
}

}  // namespace ftprof
