#include "preload/raw_thread.h"

#include <sched.h>
#include <signal.h>

#include "preload/memory.h"
#include "preload/sys.h"

namespace ftprof {
namespace {

struct ThreadControl {  // what code compiled for x86-64 expects at the thread pointer
  void* self;
  void* dtv;
  void* also_self;
};

constexpr long kFlags = CLONE_VM | CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM | CLONE_FILES |
                        CLONE_SETTLS | CLONE_PARENT_SETTID | CLONE_CHILD_CLEARTID;

// In the new thread it never returns: run(argument), then the exit of this thread alone.
#if defined(__x86_64__)
long clone_and_run(long flags, void* stack, void* tid, void* tls, void (*run)(void*),
                   void* argument) {
  long result;
  register void* r10 asm("r10") = tid;
  register void* r8 asm("r8") = tls;
  register void (*r12)(void*) asm("r12") = run;
  register void* r13 asm("r13") = argument;
  asm volatile(
      "syscall\n\t"
      "test %%rax, %%rax\n\t"
      "jnz 1f\n\t"
      "xor %%ebp, %%ebp\n\t"
      "mov %%r13, %%rdi\n\t"
      "call *%%r12\n\t"
      "mov %[exit], %%eax\n\t"
      "xor %%edi, %%edi\n\t"
      "syscall\n\t"
      "hlt\n\t"
      "1:"
      : "=a"(result)
      : "a"(SYS_clone), "D"(flags), "S"(stack), "d"(tid), "r"(r10), "r"(r8), "r"(r12),
        "r"(r13), [exit] "i"(SYS_exit)
      : "rcx", "r11", "memory", "cc");
  return result;
}
#else
long clone_and_run(long flags, void* stack, void* tid, void* tls, void (*run)(void*),
                   void* argument) {
  register long x8 asm("x8") = SYS_clone;
  register long x0 asm("x0") = flags;
  register void* x1 asm("x1") = stack;
  register void* x2 asm("x2") = tid;
  register void* x3 asm("x3") = tls;
  register void* x4 asm("x4") = tid;
  register void (*x9)(void*) asm("x9") = run;
  register void* x10 asm("x10") = argument;
  asm volatile(
      "svc 0\n\t"
      "cbnz x0, 1f\n\t"
      "mov x29, xzr\n\t"
      "mov x0, x10\n\t"
      "blr x9\n\t"
      "mov x8, %[exit]\n\t"
      "mov x0, xzr\n\t"
      "svc 0\n\t"
      "1:"
      : "+r"(x0)
      : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x9), "r"(x10), [exit] "i"(SYS_exit)
      : "memory", "cc");
  return x0;
}
#endif

// All signals blocked around the clone: the new thread is born with them blocked.
class SignalsBlocked {
 public:
  SignalsBlocked() {
    sys::call(SYS_rt_sigprocmask, SIG_SETMASK, sys::as_long(&all_), sys::as_long(&before_), 8);
  }
  ~SignalsBlocked() { sys::call(SYS_rt_sigprocmask, SIG_SETMASK, sys::as_long(&before_), 0, 8); }

 private:
  uint64_t all_ = ~0ULL, before_ = 0;
};

}  // namespace

bool RawThread::start(void (*run)(void*), void* argument) {
  if (memory_ != nullptr && !join(0)) return false;
  void* memory = own_lazy_memory(kStackBytes + 2 * kTlsBytes);
  if (memory == nullptr) return false;
  memory_ = memory;
  char* stack_end = static_cast<char*>(memory) + kStackBytes;
  auto control = reinterpret_cast<ThreadControl*>(stack_end + kTlsBytes);
  control->self = control->also_self = control;
  // Set before the thread can run, so that it never looks dead while it is not.
  tid_.store(-1, std::memory_order_relaxed);
  long result;
  {
    SignalsBlocked blocked;
    result = clone_and_run(kFlags, stack_end, &tid_, control, run, argument);
  }
  if (!sys::failed(result)) return true;
  tid_.store(0, std::memory_order_relaxed);
  release();
  return false;
}

bool RawThread::join(uint64_t ns) {
  uint64_t end = sys::monotonic_ns() + ns;
  for (int tid; (tid = tid_.load(std::memory_order_acquire)) != 0;) {
    uint64_t now = sys::monotonic_ns();
    if (now >= end) return false;
    // The kernel's wake-up at a thread's end is for waiters that could be in other processes.
    timespec left{static_cast<time_t>((end - now) / 1000000000),
                  static_cast<long>((end - now) % 1000000000)};
    sys::call(SYS_futex, sys::as_long(&tid_), FUTEX_WAIT, tid, sys::as_long(&left));
  }
  release();
  return true;
}

void RawThread::forget() {
  tid_.store(0, std::memory_order_relaxed);
  release();
}

void RawThread::release() {
  if (memory_ != nullptr) sys::unmap(memory_, kStackBytes + 2 * kTlsBytes);
  memory_ = nullptr;
}

}  // namespace ftprof
