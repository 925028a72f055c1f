#include "preload/sys.h"

#include <elf.h>
#include <link.h>
#include <string.h>
#include <sys/auxv.h>

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

// What of the vDSO's image is needed to look a name up.
struct Vdso {
  uintptr_t bias = 0;
  const ElfW(Sym) * symbols = nullptr;
  const char* strings = nullptr;
  uint32_t count = 0;
};

const void* dynamic_of(const ElfW(Ehdr) * header, uintptr_t* bias) {
  auto base = reinterpret_cast<uintptr_t>(header);
  auto segments = reinterpret_cast<const ElfW(Phdr)*>(base + header->e_phoff);
  const void* dynamic = nullptr;
  for (int i = 0; i < header->e_phnum; ++i) {
    if (segments[i].p_type == PT_LOAD && segments[i].p_offset == 0)
      *bias = base - segments[i].p_vaddr;
    if (segments[i].p_type == PT_DYNAMIC)
      dynamic = reinterpret_cast<const void*>(base + segments[i].p_offset);
  }
  return dynamic;
}

// The number of symbols of a GNU hash table: one past the last of the highest chain.
uint32_t gnu_hash_count(const uint32_t* table) {
  uint32_t buckets = table[0], first = table[1], bloom_words = table[2], highest = 0;
  const uint32_t* bucket = table + 4 + bloom_words * (sizeof(ElfW(Addr)) / 4);
  const uint32_t* chain = bucket + buckets;
  for (uint32_t i = 0; i < buckets; ++i) highest = bucket[i] > highest ? bucket[i] : highest;
  if (highest < first) return first;
  while (!(chain[highest - first] & 1)) ++highest;
  return highest + 1;
}

bool open_vdso(Vdso* vdso) {
  auto header = reinterpret_cast<const ElfW(Ehdr)*>(getauxval(AT_SYSINFO_EHDR));
  if (header == nullptr) return false;
  auto entry = static_cast<const ElfW(Dyn)*>(dynamic_of(header, &vdso->bias));
  if (entry == nullptr) return false;
  for (; entry->d_tag != DT_NULL; ++entry) {
    uintptr_t at = vdso->bias + entry->d_un.d_ptr;
    if (entry->d_tag == DT_SYMTAB) vdso->symbols = reinterpret_cast<const ElfW(Sym)*>(at);
    if (entry->d_tag == DT_STRTAB) vdso->strings = reinterpret_cast<const char*>(at);
    if (entry->d_tag == DT_HASH) vdso->count = reinterpret_cast<const uint32_t*>(at)[1];
    if (entry->d_tag == DT_GNU_HASH && vdso->count == 0)
      vdso->count = gnu_hash_count(reinterpret_cast<const uint32_t*>(at));
  }
  return vdso->symbols != nullptr && vdso->strings != nullptr;
}

uintptr_t find(const Vdso& vdso, const char* name) {
  for (uint32_t i = 0; i < vdso.count; ++i)
    if (vdso.symbols[i].st_shndx != SHN_UNDEF &&
        strcmp(vdso.strings + vdso.symbols[i].st_name, name) == 0)
      return vdso.bias + vdso.symbols[i].st_value;
  return 0;
}

uint64_t read_clock(clockid_t clock) {
  timespec now{};
  if (g_clock == nullptr || g_clock(clock, &now) != 0)
    call(SYS_clock_gettime, clock, as_long(&now));
  return static_cast<uint64_t>(now.tv_sec) * 1000000000 + static_cast<uint64_t>(now.tv_nsec);
}

}  // namespace

void find_clock() {
  Vdso vdso;
  if (!open_vdso(&vdso)) return;
  g_clock = reinterpret_cast<ClockGettime>(find(vdso, kClockName));
  g_getcpu = reinterpret_cast<Getcpu>(find(vdso, kGetcpuName));
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
