// Names of the threads that fault, as Thread events.
//
// A thread is named when its first fault is seen, and again when it names itself. A thread that is
// gone by then has the program's name, which it had inherited. Ids come again: what the kernel says
// of a thread's end makes its id a new thread's.
//
// The collector's alone.
#pragma once

#include <stdint.h>

namespace ftprof {

class ThreadNames {
 public:
  // Memory for the table; without it every call does nothing.
  void begin();

  void saw(uint32_t tid);
  void named(uint32_t tid, const char* name);
  void ended(uint32_t tid);

 private:
  // Linear probing; a table that is three quarters full is emptied and fills again.
  static constexpr uint32_t kCapacity = 8192;
  enum State : uint8_t { kFree, kNamed, kEnded };
  struct Entry {
    uint32_t tid;
    State state;
  };
  Entry* find(uint32_t tid);
  static void write(uint32_t tid, const char* name, bool fresh);

  Entry* entries_ = nullptr;
  uint32_t used_ = 0;
  uint32_t latest_ = 0;
};

}  // namespace ftprof
