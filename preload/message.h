// The library's own words: one line each, once per process, to the standard error that the program
// was started with (if that descriptor has become something else, nothing is written).
#pragma once

#include <stdint.h>

#include <atomic>

namespace ftprof {

enum class Level : uint8_t { off, error, warn, info, debug };

// Remembers what descriptor 2 is. The constructor calls it.
void remember_standard_error();

// "ftprof: <a><b><c>\n" if log.level admits `level` and `said` was not set yet.
void say(Level level, std::atomic<bool>* said, const char* a, const char* b = "",
         const char* c = "");

// An Attribute "note" in the trace: a sentence for whoever reads the report.
void note(const char* a, const char* b = "", const char* c = "");

// Both, once.
void say_and_note(Level level, std::atomic<bool>* said, const char* a, const char* b = "",
                  const char* c = "");

}  // namespace ftprof
