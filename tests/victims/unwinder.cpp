// The names of the unwinder still bind to the program's own libraries; longjmp, forced unwinding
// and exceptions pass through frames that hold blocks.
#include <dlfcn.h>
#include <pthread.h>
#include <setjmp.h>

#include <memory>
#include <stdexcept>

#include "victim.h"

static const char* object_of(const char* name) {
  Dl_info info;
  void* address = dlsym(RTLD_DEFAULT, name);
  require(address && dladdr(address, &info));
  const char* base = strrchr(info.dli_fname, '/');
  return base ? base + 1 : info.dli_fname;
}

static void names_bind_where_they_did() {
  for (const char* name : {"_Unwind_RaiseException", "_Unwind_Resume", "_Unwind_Backtrace"})
    require(!strncmp(object_of(name), "libgcc_s", 8));
  require(!strncmp(object_of("backtrace"), "libc.so", 7));
  require(!strncmp(object_of("__cxa_throw"), "libstdc++", 9));
}

static jmp_buf target;

[[gnu::noinline]] static void descend(int depth, bool jump) {
  std::unique_ptr<char[]> held(jump ? nullptr : new char[kBig]);
  if (depth) return descend(depth - 1, jump);
  free(touched(kBig));
  if (jump) longjmp(target, 1);
  throw std::runtime_error("bottom");
}

static void* leave(void*) {
  std::unique_ptr<char[]> held(new char[kBig]);
  pthread_exit(nullptr);
}

int main() {
  names_bind_where_they_did();
  for (int i = 0; i < 300; i++) {
    try {
      descend(8, false);
    } catch (const std::exception&) {
    }
    if (!setjmp(target)) descend(8, true);
  }
  for (int i = 0; i < 20; i++) {
    pthread_t thread;
    pthread_create(&thread, nullptr, leave, nullptr);
    pthread_join(thread, nullptr);
  }
  names_bind_where_they_did();
  puts("ok unwinder");
}
