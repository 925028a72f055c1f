#include "preload/perf_refusal.h"

#include <errno.h>
#include <stdlib.h>

#include "preload/tasks.h"

namespace ftprof {
namespace {

// kernel.perf_event_paranoid, or -100 where it cannot be read.
int paranoid_level() {
  char text[16];
  if (read_small_file("/proc/sys/kernel/perf_event_paranoid", text, sizeof text) <= 0) return -100;
  bool negative = text[0] == '-';
  int value = 0;
  for (const char* c = text + negative; *c >= '0' && *c <= '9'; ++c)
    value = value * 10 + (*c - '0');
  return negative ? -value : value;
}

const char* name_of(int error) {
  switch (-error) {
    case EPERM:
      return "EPERM";
    case EACCES:
      return "EACCES";
    case ENOSYS:
      return "ENOSYS";
    case EMFILE:
      return "EMFILE";
    case ENOMEM:
      return "ENOMEM";
    case EINVAL:
      return "EINVAL";
    case ENOBUFS:
      return "EPERM for the ring";
    case ENOENT:
      return "ENOENT";
    default:
      return nullptr;
  }
}

const char* remedy(int error, int paranoid) {
  switch (-error) {
    case EPERM:
    case EACCES:
      return paranoid > 2
                 ? "sysctl kernel.perf_event_paranoid=2, or CAP_PERFMON, would allow them."
                 : "A seccomp filter or a security module stands in the way: a container wants "
                   "--cap-add PERFMON and a seccomp profile that lets perf_event_open pass.";
    case ENOBUFS:
      return "Locked memory is short: a higher ulimit -l or kernel.perf_event_mlock_kb would allow "
             "them.";
    case ENOSYS:
      return "The kernel, or a sandbox around it, has no perf events.";
    case EMFILE:
      return "A higher ulimit -n would allow them.";
    case ENOMEM:
      return "More memory, or a higher ulimit -l, would allow them.";
    case EINVAL:
      return "They want Linux 5.13 or newer.";
    default:
      return "";
  }
}

}  // namespace

PerfRefusal::PerfRefusal(int error) {
  int paranoid = paranoid_level();
  text_.add("perf events are refused (");
  if (const char* name = name_of(error))
    text_.add(name);
  else
    text_.add("error ").add_number(static_cast<uint64_t>(-error));
  if (paranoid > -100)
    text_.add(", kernel.perf_event_paranoid is ")
        .add(paranoid < 0 ? "-" : "")
        .add_number(static_cast<uint64_t>(abs(paranoid)));
  text_.add("): faults are counted by residency and priced by calibration. ");
  text_.add(remedy(error, paranoid));
}

}  // namespace ftprof
