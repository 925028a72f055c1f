#include "preload/stack_walk.h"

#include <signal.h>
#include <ucontext.h>

#include "preload/frame_rule.h"
#include "preload/sys.h"

namespace ftprof {
namespace {

struct Registers {
  uintptr_t pc, sp, fp;
  bool exact;  // pc is where it stopped, not a return address
};

constexpr uintptr_t kProbeStep = 4096;  // the smallest page; larger ones are probed more often
constexpr uintptr_t kFarthest = 64 * kProbeStep;

// What is read through: the known bounds, moved by probes.
class Memory {
 public:
  Memory(StackBounds* bounds, uintptr_t sp, bool may_probe) : bounds_(bounds), probes_(may_probe) {
    uintptr_t page = sp & ~(kProbeStep - 1);
    // The page of the stack pointer is in use. A stack that is not the known one starts anew.
    if (sp < bounds->low && bounds->low - page <= kFarthest && reach_down(page)) return;
    if (sp < bounds->low || sp >= bounds->high) *bounds = {page, page + kProbeStep};
  }
  bool read(uintptr_t address, uintptr_t* to) {
    if (address % 8 != 0 || address < bounds_->low || !reach_up(address)) return false;
    *to = *reinterpret_cast<const uintptr_t*>(address);
    return true;
  }

 private:
  bool reach_up(uintptr_t address) {
    if (address < bounds_->high) return true;
    if (!probes_ || address - bounds_->high > kFarthest) return false;
    while (bounds_->high <= address) {
      if (!probe_readable(bounds_->high)) return false;
      bounds_->high += kProbeStep;
    }
    return true;
  }
  bool reach_down(uintptr_t page) {
    while (probes_ && bounds_->low > page) {
      if (!probe_readable(bounds_->low - kProbeStep)) return false;
      bounds_->low -= kProbeStep;
    }
    return bounds_->low <= page;
  }

  StackBounds* bounds_;
  bool probes_;
};

#if defined(__x86_64__)

// The kernel left the interrupted registers where the handler's frame ended.
bool step_signal(Memory* memory, Registers* at) {
  uintptr_t context = at->sp + offsetof(ucontext_t, uc_mcontext) + offsetof(mcontext_t, gregs);
  Registers next{0, 0, 0, true};
  if (!memory->read(context + REG_RIP * 8, &next.pc) ||
      !memory->read(context + REG_RSP * 8, &next.sp) ||
      !memory->read(context + REG_RBP * 8, &next.fp))
    return false;
  // A handler on an alternate stack: the interrupted one is elsewhere and is not walked.
  if (next.sp < at->sp) return false;
  *at = next;
  return true;
}

// Code without information: believed only where a frame pointer stands a little above.
FrameRule by_frame_pointer(const Registers& at) {
  if (at.fp < at.sp || at.fp - at.sp > (1 << 20) || at.fp % 8 != 0) return {};
  return {CfaRule::from_fp, FpRule::at_cfa, 16, -16};
}

bool find_cfa(Memory* memory, const FrameRule& rule, const Registers& at, uintptr_t* cfa) {
  auto offset = static_cast<uintptr_t>(static_cast<intptr_t>(rule.cfa_offset));
  switch (rule.cfa) {
    case CfaRule::from_sp:
      *cfa = at.sp + offset;
      return true;
    case CfaRule::from_fp:
      *cfa = at.fp + offset;
      return true;
    case CfaRule::from_fp_deref:
      return memory->read(at.fp + offset, cfa);
    default:
      return false;
  }
}

bool step(Memory* memory, Registers* at) {
  FrameRule rule = frame_rule_at(at->exact ? at->pc : at->pc - 1);
  if (rule.cfa == CfaRule::signal) return step_signal(memory, at);
  if (rule.cfa == CfaRule::unknown) rule = by_frame_pointer(*at);
  uintptr_t cfa = 0;
  Registers next{0, 0, at->fp, false};
  if (!find_cfa(memory, rule, *at, &cfa) || cfa <= at->sp) return false;
  auto offset = static_cast<uintptr_t>(static_cast<intptr_t>(rule.fp_offset));
  if (rule.fp == FpRule::at_cfa && !memory->read(cfa + offset, &next.fp)) return false;
  if (rule.fp == FpRule::at_fp && !memory->read(at->fp + offset, &next.fp)) return false;
  if (!memory->read(cfa - 8, &next.pc)) return false;
  next.sp = cfa;
  *at = next;
  return next.pc > 4096;
}

__attribute__((always_inline)) inline Registers here() {
  Registers at{0, 0, 0, true};
  asm volatile("lea 0(%%rip), %0\n\tmov %%rsp, %1\n\tmov %%rbp, %2"
               : "=r"(at.pc), "=r"(at.sp), "=r"(at.fp));
  return at;
}

#else

// aarch64 keeps frame records: {caller's x29, return address} at x29.
bool step(Memory* memory, Registers* at) {
  Registers next{0, at->fp + 16, 0, false};
  if (at->fp < at->sp || !memory->read(at->fp, &next.fp) || !memory->read(at->fp + 8, &next.pc))
    return false;
  *at = next;
  return next.pc > 4096;
}

__attribute__((always_inline)) inline Registers here() {
  Registers at{0, 0, 0, true};
  asm volatile("adr %0, .\n\tmov %1, sp\n\tmov %2, x29" : "=r"(at.pc), "=r"(at.sp), "=r"(at.fp));
  return at;
}

#endif

}  // namespace

bool probe_readable(uintptr_t address) {
  // An impossible `how`: the kernel reads the set first (EFAULT), then refuses (EINVAL).
  return sys::call(SYS_rt_sigprocmask, -1, static_cast<long>(address), 0, 8) != -EFAULT;
}

__attribute__((noinline)) size_t walk_stack(uintptr_t* frames, size_t most, CodeRange own,
                                            StackBounds* bounds, bool may_probe) {
  Registers at = here();
  Memory memory(bounds, at.sp, may_probe);
  size_t count = 0;
  while (count < most && step(&memory, &at)) {
    if (count == 0 && at.pc >= own.begin && at.pc < own.end) continue;
    frames[count++] = at.pc;
  }
  return count;
}

}  // namespace ftprof
