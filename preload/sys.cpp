#include "preload/sys.h"

#include <elf.h>
#include <link.h>
#include <sys/auxv.h>

#include "preload/symbols.h"

namespace ftprof::sys {
namespace {

using ClockGettime = int (*)(clockid_t, timespec*);
using Getcpu = int (*)(unsigned*, unsigned*, void*);

constinit ClockGettime g_clock = nullptr;
constinit Getcpu g_getcpu = nullptr;

#if defined(__x86_64__)
constexpr const char* kClockName = "__vdso_clock_gettime";
constexpr const char* kGetcpuName = "__vdso_getcpu";
#else
constexpr const char* kClockName = "__kernel_clock_gettime";
constexpr const char* kGetcpuName = "__kernel_getcpu";
#endif

const ElfW(Dyn) * dynamic_of(const ElfW(Ehdr) * header, uintptr_t* bias) {
  auto base = reinterpret_cast<uintptr_t>(header);
  auto segments = reinterpret_cast<const ElfW(Phdr)*>(base + header->e_phoff);
  const ElfW(Dyn)* dynamic = nullptr;
  for (int i = 0; i < header->e_phnum; ++i) {
    if (segments[i].p_type == PT_LOAD && segments[i].p_offset == 0)
      *bias = base - segments[i].p_vaddr;
    if (segments[i].p_type == PT_DYNAMIC)
      dynamic = reinterpret_cast<const ElfW(Dyn)*>(base + segments[i].p_offset);
  }
  return dynamic;
}

uint64_t read_clock(clockid_t clock) {
  timespec now{};
  if (g_clock == nullptr || g_clock(clock, &now) != 0)
    call(SYS_clock_gettime, clock, as_long(&now));
  return static_cast<uint64_t>(now.tv_sec) * 1000000000 + static_cast<uint64_t>(now.tv_nsec);
}

}  // namespace

void find_clock() {
  auto header = reinterpret_cast<const ElfW(Ehdr)*>(getauxval(AT_SYSINFO_EHDR));
  if (header == nullptr) return;
  uintptr_t bias = 0;
  const ElfW(Dyn)* dynamic = dynamic_of(header, &bias);
  SymbolTable vdso(bias, dynamic);
  g_clock = reinterpret_cast<ClockGettime>(vdso.find(kClockName));
  g_getcpu = reinterpret_cast<Getcpu>(vdso.find(kGetcpuName));
}

uint64_t monotonic_ns() {
  return read_clock(CLOCK_MONOTONIC);
}
uint64_t realtime_ns() {
  return read_clock(CLOCK_REALTIME);
}

unsigned cpu() {
  unsigned number = 0;
  if (g_getcpu != nullptr) g_getcpu(&number, nullptr, nullptr);
  return number;
}

unsigned node() {
  unsigned number = 0;
  if (g_getcpu != nullptr) g_getcpu(nullptr, &number, nullptr);
  return number;
}

}  // namespace ftprof::sys
