#include "preload/message.h"

#include "preload/slots.h"
#include "preload/state.h"
#include "preload/sys.h"
#include "preload/text.h"

namespace ftprof {
namespace {

// What descriptor 2 was when the program started; inode 0: it was closed.
constinit struct stat g_standard_error {};

bool still_standard_error() {
  struct stat now {};
  return g_standard_error.st_ino != 0 && !sys::failed(sys::fstat(2, &now)) &&
         now.st_ino == g_standard_error.st_ino && now.st_dev == g_standard_error.st_dev &&
         now.st_rdev == g_standard_error.st_rdev;
}

bool admitted(Level level) {
  const Choice& admits = g_state.settings.log_level;
  static constexpr const char* kNames[] = {"off", "error", "warn", "info", "debug"};
  for (uint8_t i = 0; i < 5; ++i)
    if (admits.is(kNames[i])) return static_cast<uint8_t>(level) <= i;
  return true;
}

// Control bytes of a path or of a setting must not reach a terminal.
void add_clean(Text<600>* line, const char* text) {
  for (; *text != 0; ++text)
    line->add(static_cast<unsigned char>(*text) < 32 || *text == 127 ? '?' : *text);
}

}  // namespace

void remember_standard_error() {
  if (sys::failed(sys::fstat(2, &g_standard_error))) g_standard_error.st_ino = 0;
}

void say(Level level, std::atomic<bool>* said, const char* a, const char* b, const char* c) {
  if (!admitted(level) || said->load(std::memory_order_relaxed)) return;
  // The collector has no descriptors: what it cannot say is left to a program thread.
  if (g_state.sealed.load(std::memory_order_relaxed) || !still_standard_error()) return;
  if (said->exchange(true, std::memory_order_relaxed)) return;
  Text<600> line;
  line.add("ftprof: ");
  for (const char* part : {a, b, c}) add_clean(&line, part);
  line.add('\n');
  sys::write(2, line.c_str(), line.size());
}

void note(const char* a, const char* b, const char* c) {
  Phase phase = g_state.phase.load();
  if (phase != Phase::starting && phase != Phase::running) return;
  Text<600> sentence;
  sentence.add(a).add(b).add(c);
  emit_block(trace::Attribute{}, text_span("note"), text_span(sentence.c_str()));
}

void say_and_note(Level level, std::atomic<bool>* said, const char* a, const char* b,
                  const char* c) {
  if (said->load(std::memory_order_relaxed)) return;
  say(level, said, a, b, c);
  said->store(true, std::memory_order_relaxed);
  note(a, b, c);
}

}  // namespace ftprof
