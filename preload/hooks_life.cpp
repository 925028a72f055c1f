// Functions that end or change the process: a look before, then a jump to the next definition with
// every register and the stack as the program left them. A jump, because some are variadic, exec
// does not return, and unshare's errno must be the kernel's.
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include "preload/allocator_name.h"
#include "preload/enter.h"
#include "preload/hooks.h"
#include "preload/life.h"

#ifndef CLONE_NEWTIME
#define CLONE_NEWTIME 0x80
#endif

namespace ftprof {

// Where each jump goes: filled by resolve_next(), read by the assembler below.
#define FTPROF_TARGET_wrap(name)
#define FTPROF_TARGET_jump(name) extern "C" void* ftprof_jump_##name;
#define HOOK(name, need, kind, result, parameters) FTPROF_TARGET_##kind(name)
#include "preload/hooks.def"
#undef HOOK

namespace {

void ready() {
  enter();
}

}  // namespace

extern "C" {

void ftprof_before__exit(int) {
  ready(), before_exit();
}
void ftprof_before__Exit(int) {
  ready(), before_exit();
}
void ftprof_before_quick_exit(int) {
  ready(), before_exit();
}

void ftprof_before_execve() {
  ready(), before_exec();
}
void ftprof_before_execv() {
  ready(), before_exec();
}
void ftprof_before_execvp() {
  ready(), before_exec();
}
void ftprof_before_execvpe() {
  ready(), before_exec();
}
void ftprof_before_execl() {
  ready(), before_exec();
}
void ftprof_before_execlp() {
  ready(), before_exec();
}
void ftprof_before_execle() {
  ready(), before_exec();
}
void ftprof_before_fexecve() {
  ready(), before_exec();
}
void ftprof_before_execveat() {
  ready(), before_exec();
}

void ftprof_before_unshare(int flags) {
  ready();
  before_unshare(flags & (CLONE_NEWUSER | CLONE_THREAD | CLONE_SIGHAND | CLONE_VM));
}

// Type 0 accepts whatever kind of namespace the descriptor is.
void ftprof_before_setns(int, int type) {
  ready();
  before_unshare(type == 0 || (type & (CLONE_NEWUSER | CLONE_NEWTIME)));
}

void ftprof_before_prctl(int option, unsigned long) {
  ready();
  if (option == PR_SET_SECCOMP) before_seccomp(false);
}

void ftprof_before_syscall(long number, unsigned long operation, unsigned long flags) {
  ready();
  if (number == SYS_seccomp && operation <= SECCOMP_SET_MODE_FILTER)
    before_seccomp(operation == SECCOMP_SET_MODE_FILTER && (flags & SECCOMP_FILTER_FLAG_TSYNC));
  if (number == SYS_exit_group) before_exit();
}

}  // extern "C"

#if defined(__x86_64__)
#define FTPROF_STUB_jump(name)                                                     \
  asm(".pushsection .text\n.globl " #name "\n.type " #name ", @function\n" #name   \
      ":\n"                                                                        \
      ".cfi_startproc\n"                                                           \
      "push %rdi\n.cfi_adjust_cfa_offset 8\npush %rsi\n.cfi_adjust_cfa_offset 8\n" \
      "push %rdx\n.cfi_adjust_cfa_offset 8\npush %rcx\n.cfi_adjust_cfa_offset 8\n" \
      "push %r8\n.cfi_adjust_cfa_offset 8\npush %r9\n.cfi_adjust_cfa_offset 8\n"   \
      "push %rax\n.cfi_adjust_cfa_offset 8\n"                                      \
      "call ftprof_before_" #name                                                  \
      "\n"                                                                         \
      "pop %rax\n.cfi_adjust_cfa_offset -8\npop %r9\n.cfi_adjust_cfa_offset -8\n"  \
      "pop %r8\n.cfi_adjust_cfa_offset -8\npop %rcx\n.cfi_adjust_cfa_offset -8\n"  \
      "pop %rdx\n.cfi_adjust_cfa_offset -8\npop %rsi\n.cfi_adjust_cfa_offset -8\n" \
      "pop %rdi\n.cfi_adjust_cfa_offset -8\n"                                      \
      "jmp *ftprof_jump_" #name                                                    \
      "(%rip)\n"                                                                   \
      ".cfi_endproc\n.size " #name ", .-" #name "\n.popsection\n");
#else
#define FTPROF_STUB_jump(name)                                                    \
  asm(".pushsection .text\n.globl " #name "\n.type " #name ", @function\n" #name  \
      ":\n"                                                                       \
      "stp x29, x30, [sp, #-80]!\nstp x0, x1, [sp, #16]\nstp x2, x3, [sp, #32]\n" \
      "stp x4, x5, [sp, #48]\nstp x6, x7, [sp, #64]\nmov x29, sp\n"               \
      "bl ftprof_before_" #name                                                   \
      "\n"                                                                        \
      "ldp x0, x1, [sp, #16]\nldp x2, x3, [sp, #32]\nldp x4, x5, [sp, #48]\n"     \
      "ldp x6, x7, [sp, #64]\nldp x29, x30, [sp], #80\n"                          \
      "adrp x16, ftprof_jump_" #name "\nldr x16, [x16, :lo12:ftprof_jump_" #name  \
      "]\n"                                                                       \
      "br x16\n.size " #name ", .-" #name "\n.popsection\n");
#endif
#define FTPROF_STUB_wrap(name)
#define HOOK(name, need, kind, result, parameters) FTPROF_STUB_##kind(name)
#include "preload/hooks.def"
#undef HOOK

namespace {

// After the constructors' counterparts of libraries that depend on nothing of ours, before the
// kernel ends the process: exit() runs this last of what we can know.
__attribute__((constructor)) void begin() {
  enter();
  find_allocator_version();
}
__attribute__((destructor)) void end() {
  before_exit();
}

}  // namespace
}  // namespace ftprof
