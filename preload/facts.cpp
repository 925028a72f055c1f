#include "preload/facts.h"

#include <gnu/libc-version.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/utsname.h>

#include "preload/allocator_name.h"
#include "preload/environment.h"
#include "preload/names.h"
#include "preload/placement.h"
#include "preload/slots.h"
#include "preload/state.h"
#include "preload/sys.h"
#include "preload/text.h"

namespace ftprof {
namespace {

void attribute(const char* key, const char* value) {
  if (value != nullptr && *value != 0)
    emit_block(trace::Attribute{}, text_span(key), text_span(value));
}

// "0-3" or "0,2-5": one more than the highest number. 1 when it cannot be read.
unsigned count_in_list(const char* path) {
  char text[256];
  unsigned highest = 0, number = 0;
  if (read_file(path, text, sizeof text) == 0) return 1;
  for (const char* c = text; *c != 0; ++c) {
    number = *c >= '0' && *c <= '9' ? number * 10 + static_cast<unsigned>(*c - '0') : 0;
    if (number > highest) highest = number;
  }
  return highest + 1;
}

uint32_t read_number(const char* path) {
  char text[32];
  uint64_t value = 0;
  read_file(path, text, sizeof text);
  for (const char* c = text; *c >= '0' && *c <= '9'; ++c)
    value = value * 10 + static_cast<uint64_t>(*c - '0');
  return static_cast<uint32_t>(value);
}

// argv as it was, from /proc: the program may have written over its own.
void write_arguments() {
  static char text[4096];
  size_t size = read_file("/proc/self/cmdline", text, sizeof text);
  for (size_t at = 0; at < size; at += strlen(text + at) + 1)
    emit_block(trace::Attribute{}, text_span("arg"), text_span(text + at));
}

// "always [madvise] never" is madvise.
void write_choice(const char* key, const char* path) {
  char text[256];
  read_file(path, text, sizeof text);
  const char* open = strchr(text, '[');
  char* close = open == nullptr ? nullptr : strchr(text, ']');
  if (close == nullptr) return;
  *close = 0;
  attribute(key, open + 1);
}

void write_kernel() {
  utsname names{};
  if (sys::failed(sys::call(SYS_uname, reinterpret_cast<long>(&names)))) return;
  attribute("kernel", names.release);
  attribute("host", names.nodename);
}

void write_rank() {
  for (const char* name : {"OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK", "SLURM_PROCID"})
    if (const char* value = find_in_environment(name)) {
      attribute("rank", value);
      return;
    }
}

void write_process() {
  trace::Process event{};
  event.pid = static_cast<uint32_t>(g_state.pid);
  event.ppid = static_cast<uint32_t>(sys::getppid());
  event.start_monotonic_ns = g_state.start_ns;
  event.start_unix_ns = sys::realtime_ns() - (sys::monotonic_ns() - g_state.start_ns);
  event.page_bytes = static_cast<uint32_t>(g_state.page_bytes);
  event.huge_page_bytes = read_number("/sys/kernel/mm/transparent_hugepage/hpage_pmd_size");
  event.cpus = g_state.cpus;
  event.numa_nodes = count_in_list("/sys/devices/system/node/online");
  emit_block(event);
}

void write_setting(const char* key, const char* value, void*) {
  Text<64> name;
  name.add("setting.").add(key);
  attribute(name.c_str(), value);
}

void write_free_memory() {
  static char text[4096];
  read_file("/proc/buddyinfo", text, sizeof text);
  attribute("buddyinfo", text);
}

}  // namespace

void find_machine() {
  g_state.page_bytes = getauxval(AT_PAGESZ);
  g_state.page_shift = static_cast<unsigned>(__builtin_ctzl(g_state.page_bytes));
  set_nodes(count_in_list("/sys/devices/system/node/online"));
  unsigned cpus = count_in_list("/sys/devices/system/cpu/possible");
  g_state.cpus = cpus < kMaxCpus ? cpus : kMaxCpus;
}

void write_facts() {
  write_process();
  write_arguments();
  attribute("exe", program_path());
  write_kernel();
  write_choice("thp.enabled", "/sys/kernel/mm/transparent_hugepage/enabled");
  write_choice("thp.defrag", "/sys/kernel/mm/transparent_hugepage/defrag");
  attribute("allocator.name", allocator_name());
  attribute("allocator.version", allocator_version());
  attribute("allocator.library", allocator_library());
  write_rank();
  visit_settings(g_state.settings, write_setting, nullptr);
  write_free_memory();
}

}  // namespace ftprof
