#include "preload/life.h"

#include <string.h>
#include <sys/auxv.h>

#include "preload/allocator_name.h"
#include "preload/blocks.h"
#include "preload/calls.h"
#include "preload/collector.h"
#include "preload/environment.h"
#include "preload/facts.h"
#include "preload/message.h"
#include "preload/metadata.h"
#include "preload/modules.h"
#include "preload/names.h"
#include "preload/next.h"
#include "preload/private_api.h"
#include "preload/sampling.h"
#include "preload/scope.h"
#include "preload/slots.h"
#include "preload/stacks.h"
#include "preload/thread_state.h"
#include "preload/tracked.h"

namespace ftprof {
namespace {

constexpr uint64_t kCredit = 5000000;  // ns, see sampling.h
constexpr int kStartWaits = 200;        // of 1 ms: how long others wait for the beginning

constinit std::atomic<bool> g_initialised{false};
constinit std::atomic<bool> g_initialising{false};
constinit std::atomic<uint32_t> g_image{1};
// The collector ended for a call (exec, unshare) that did not end the process.
constinit std::atomic<bool> g_paused{false};

// A page that the kernel gives to a fork's child as zeros (MADV_WIPEONFORK), and to a vfork's child
// as it is. One load tells a child; no atfork handler, which a bare clone would pass by.
constinit uint32_t* g_wiped_in_child = nullptr;
constexpr uint32_t kNotWiped = 0x46745072;

void watch_for_fork() {
  g_wiped_in_child = static_cast<uint32_t*>(sys::map_private(g_state.page_bytes));
  if (g_wiped_in_child == nullptr) return;
  sys::advise(g_wiped_in_child, g_state.page_bytes, MADV_WIPEONFORK);
  *g_wiped_in_child = kNotWiped;
}

bool is_new_child() {
  return g_wiped_in_child != nullptr && *g_wiped_in_child != kNotWiped;
}

// Everything of the parent's that is about its trace, not about memory: the tables stay.
void become_child() {
  *g_wiped_in_child = kNotWiped;
  uint64_t now = sys::monotonic_ns();
  g_state.pid = sys::getpid();
  g_state.start_ns = now;
  g_state.self_ns = g_state.self_faults = 0;
  g_state.lost_block_records = g_state.trace_bytes = 0;
  g_image.fetch_add(1);
  g_paused = false;
  t_thread.tid = 0;
  g_ranges.break_lock();
  forget_slots();
  forget_modules();
  collector_forget();
  configure_sampling(now);
  if (g_state.phase.load() != Phase::given_up) g_state.phase.store(Phase::idle);
}

void notice_child() {
  if (is_new_child()) become_child();
}

void report_setting(const SettingError& error, void*) {
  // Each bad pair has its own line: the flag is per call.
  std::atomic<bool> said{false};
  char text[128] = {};
  memcpy(text, error.text, error.bytes < sizeof text ? error.bytes : sizeof text - 1);
  say(Level::warn, &said,
      error.unknown_key ? "FTPROF_OPTIONS: unknown setting in \""
                        : "FTPROF_OPTIONS: bad value in \"",
      text, "\": the default is used");
}

void read_options() {
  read_settings(&g_state.settings, nullptr, nullptr, nullptr);
  read_settings(&g_state.settings, find_in_environment("FTPROF_OPTIONS"), report_setting, nullptr);
  if (g_state.settings.blocks_min_size < g_state.page_bytes)
    g_state.settings.blocks_min_size = g_state.page_bytes;
  g_state.credit_ns = kCredit;
}

void open_for_business() {
  g_next.wrap_from = g_state.settings.calls_count ? 0 : g_state.settings.blocks_min_size;
}

bool write_metadata(int dir) {
  auto* text = static_cast<MetadataText*>(own_memory(sizeof(MetadataText)));
  if (text == nullptr) return false;
  MetadataFacts facts{};
  memcpy(facts.uuid, g_state.trace_uuid, sizeof facts.uuid);
  facts.clock_offset_ns = static_cast<int64_t>(sys::realtime_ns() - sys::monotonic_ns());
  describe_trace(facts, text);
  rlimit limit{};
  bool fits = sys::failed(sys::get_limit(RLIMIT_FSIZE, &limit)) || text->size() <= limit.rlim_cur;
  int fd = !fits ? -EFBIG
                 : sys::open_at(dir, "metadata", O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0600);
  bool good =
      fd >= 0 && sys::write(fd, text->c_str(), text->size()) == static_cast<long>(text->size());
  if (fd >= 0) sys::close(fd);
  sys::unmap(text, sizeof(MetadataText));
  return good;
}

// RFC 4122: random, version 4.
void make_uuid() {
  uint64_t words[2] = {sys::monotonic_ns(), static_cast<uint64_t>(g_state.pid)};
  sys::getrandom(words, sizeof words);
  memcpy(g_state.trace_uuid, words, sizeof words);
  g_state.trace_uuid[6] = (g_state.trace_uuid[6] & 0x0f) | 0x40;
  g_state.trace_uuid[8] = (g_state.trace_uuid[8] & 0x3f) | 0x80;
}

bool give_up(const char* what, const char* where) {
  static constinit std::atomic<bool> said{false};
  say(Level::warn, &said, what, where, ": this process is not profiled");
  g_state.phase.store(Phase::given_up);
  return false;
}

// Blocks of the parent that this child was born with.
void write_inherited(const LiveBlock& block, void*) {
  announce_stack(block.stack);
  trace::Block event{};
  event.tid = t_thread.tid;
  event.stack = block.stack;
  event.api = trace::Api::inherited;
  event.flags = block.flags;
  event.addr = block.address;
  event.size = block.bytes;
  event.probed_pages = event.resident_pages = trace::kUnknownPages;
  event.weight = block.weight;
  emit_block(event);
}

bool make_trace() {
  make_uuid();
  int dir = make_folders();
  if (dir < 0) return give_up("cannot write into ", g_state.run_dir);
  bool good = write_metadata(dir) && open_slots(dir);
  if (!good) remove_folder(dir);
  sys::close(dir);
  return good || give_up("cannot write into ", g_state.image_dir);
}

bool begin_image() {
  Inside inside;
  if (g_state.sealed.load()) return false;
  populate(g_filter.memory(), sizeof g_filter);
  if (!prepare_stacks()) return give_up("no memory for ", "its tables");
  if (!make_trace()) return false;
  write_facts();
  write_scope_notes();
  visit_live_blocks(write_inherited, nullptr);
  collector_start();
  configure_sampling(sys::monotonic_ns());
  g_state.phase.store(Phase::running, std::memory_order_release);
  return true;
}

bool wait_for_beginning() {
  for (int i = 0; i < kStartWaits && g_state.phase.load() == Phase::starting; ++i)
    sys::sleep_ns(1000000);
  return running();
}

// The collector was stopped for a call that failed or that the process survived.
void resume() {
  if (!g_paused.load(std::memory_order_relaxed) || t_thread.inside) return;
  if (g_state.sealed.load() || !g_paused.exchange(false)) return;
  Inside inside;
  collector_start();
}

// The image that a call is about to end or to change is this process's own, and begun.
bool owns_running_image() {
  return initialised() && running() && !is_new_child() && !t_thread.inside &&
         (g_state.sealed.load() || sys::getpid() == g_state.pid);
}

void finish_image() {
  Inside inside;
  write_calls();
  collector_finish();
  if (g_state.sealed.load()) return;
  int dir = sys::open_at(AT_FDCWD, g_state.image_dir, O_DIRECTORY | O_NOFOLLOW | O_PATH);
  if (dir < 0) return;
  trim_slots(dir);
  sys::close(dir);
}

}  // namespace

bool initialised() {
  return g_initialised.load(std::memory_order_acquire);
}

void initialise() {
  if (initialised() || !environment_is_there() || g_initialising.exchange(true)) return;
  Inside inside;
  resolve_next();
  sys::find_clock();
  remember_standard_error();
  find_machine();
  g_state.pid = sys::getpid();
  g_state.start_ns = sys::monotonic_ns();
  read_options();
  const char* output = find_in_environment("FTPROF_OUTPUT");
  find_names(output);
  if (output == nullptr) add_output_to_environment(g_state.run_dir);
  const void* allocator = find_scope(reinterpret_cast<const void*>(g_next.malloc));
  find_code_ranges(reinterpret_cast<uintptr_t>(allocator));
  find_allocator_name(allocator);
  wrap_private_entries();
  watch_for_fork();
  configure_sampling(g_state.start_ns);
  open_for_business();
  g_initialised.store(true, std::memory_order_release);
}

bool ensure_running() {
  if (!initialised() || t_thread.inside) return false;
  notice_child();
  if (running()) {
    resume();
    return true;
  }
  Phase idle = Phase::idle;
  if (g_state.phase.compare_exchange_strong(idle, Phase::starting)) {
    if (begin_image()) return true;
    Phase starting = Phase::starting;
    g_state.phase.compare_exchange_strong(starting, Phase::idle);
    return false;
  }
  return idle == Phase::starting && wait_for_beginning();
}

bool running_here() {
  return initialised() && running() && !is_new_child();
}

void before_exit() {
  if (owns_running_image()) finish_image();
}

void before_exec() {
  if (!owns_running_image()) return;
  finish_image();
  g_paused.store(true);
}

void before_unshare(bool alone) {
  if (!alone || !owns_running_image()) return;
  Inside inside;
  collector_stop();
  g_paused.store(true);
}

void before_seccomp(bool all_threads) {
  if (!initialised()) return;
  if (all_threads && owns_running_image()) {
    Inside inside;
    collector_stop();
  }
  // For good, whether the call succeeds or not: a filter cannot be seen without asking the kernel.
  g_state.sealed.store(true);
}

uint32_t image_number() {
  return g_image.load(std::memory_order_relaxed);
}

}  // namespace ftprof
