// How to get from one frame to its caller: what the call frame information (.eh_frame) says about
// one code address, as far as walking a stack needs it.
//
// Only three registers matter on x86-64: the program counter, the stack pointer and rbp (as the
// frame pointer, or as whatever it is where code uses it freely). Frames whose rule needs more than
// that, which compilers do not make, end the walk.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "preload/object.h"

namespace ftprof {

// cfa, the canonical frame address, is the caller's stack pointer; the return address lies below
// it.
enum class CfaRule : uint8_t {
  unknown,        // no information
  end,            // the outermost frame
  from_sp,        // cfa = sp + offset
  from_fp,        // cfa = fp + offset
  from_fp_deref,  // cfa = *(fp + offset): functions that align their stack
  signal,         // the kernel's signal frame: everything is in the ucontext
};
enum class FpRule : uint8_t { same, at_cfa, at_fp };  // unchanged; at cfa + offset; at fp + offset

struct FrameRule {
  CfaRule cfa = CfaRule::unknown;
  FpRule fp = FpRule::same;
  int32_t cfa_offset = 0;
  int32_t fp_offset = 0;
};

// The rule at `pc`, read from the object's unwind tables. No lock, no allocation, no system call.
FrameRule read_frame_rule(const Object& object, uintptr_t pc);

// Rules already read, shared by all threads without a lock: address and rule are one word, so an
// entry is always whole. Emptied when an object is unloaded.
FrameRule frame_rule_at(uintptr_t pc);
void forget_frame_rules();

}  // namespace ftprof
