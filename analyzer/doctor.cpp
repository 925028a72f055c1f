#include "analyzer/doctor.h"

#include <cerrno>
#include <cstring>

#include "analyzer/quantity.h"

namespace ftprof {
namespace {

bool is_kubernetes(const Machine& machine) {
  return machine.container == "kubernetes";
}

// A container's own seccomp profile, or the sysctl of the machine: the two that refuse perf.
Remedy allow_perf(const Machine& machine) {
  if (machine.paranoid.value_or(0) > 2 && !machine.may_perf)
    return {
        "every fault could be recorded with its time if the machine let ordinary users use perf",
        "sudo sysctl kernel.perf_event_paranoid=2"};
  if (is_kubernetes(machine))
    return {"every fault could be recorded with its time if the pod were allowed perf_event_open",
            "securityContext: {capabilities: {add: [PERFMON]}}"};
  if (!machine.container.empty())
    return {
        "every fault could be recorded with its time if the container were allowed "
        "perf_event_open",
        (machine.container == "podman" ? "podman" : "docker") +
            std::string(" run --cap-add PERFMON …")};
  return {"every fault could be recorded with its time if perf_event_open were allowed",
          "sudo setcap cap_perfmon+ep COMMAND, or run as root"};
}

std::string why_refused(const Machine& machine, const PerfVerdict& perf) {
  std::string what = perf.call + ": " + (perf.error ? std::strerror(perf.error) : "nothing came");
  if (perf.error == EACCES || perf.error == EPERM) {
    if (perf.call == "mmap of a ring") return what + " (too little memory may be locked)";
    if (machine.paranoid.value_or(0) > 2 && !machine.may_perf)
      return what + " (kernel.perf_event_paranoid is " + std::to_string(*machine.paranoid) + ")";
    if (machine.seccomp == 2) return what + " (a seccomp filter refuses it)";
  }
  if (perf.error == ENOSYS) return what + " (the kernel or a sandbox has no perf)";
  if (perf.error == EINVAL) return what + " (the kernel is older than 5.13)";
  return what;
}

void advise_on_perf(Diagnosis& diagnosis) {
  const PerfVerdict& perf = diagnosis.perf;
  bool refused = perf.error == EACCES || perf.error == EPERM;
  bool short_of_memory =
      perf.permitted ? perf.ring_bytes < kWantedRing : refused && perf.call == "mmap of a ring";
  if (short_of_memory)
    diagnosis.remedies.push_back(
        {"rings of " + bytes_text(kWantedRing) + " per CPU lose no fault; here they come to " +
             bytes_text(perf.permitted ? perf.ring_bytes : 0),
         "sudo sysctl kernel.perf_event_mlock_kb=516, or ulimit -l unlimited"});
  else if (!perf.permitted && refused)
    diagnosis.remedies.push_back(allow_perf(diagnosis.machine));
  if (perf.error == EMFILE || perf.error == ENFILE)
    diagnosis.remedies.push_back(
        {"each thread and CPU needs three descriptors", "ulimit -n 65536"});
}

void advise_on_huge_pages(Diagnosis& diagnosis) {
  if (diagnosis.machine.thp_enabled != "never") return;
  diagnosis.remedies.push_back(
      {"transparent huge pages are off, so no first touch maps more than one page",
       "echo madvise | sudo tee /sys/kernel/mm/transparent_hugepage/enabled"});
}

void advise_on_pagemap(Diagnosis& diagnosis) {
  const Machine& machine = diagnosis.machine;
  if (!machine.pagemap_readable)
    diagnosis.remedies.push_back(
        {"/proc/self/pagemap cannot be read, so pages read first and huge pages are not told apart",
         "mount -t proc proc /proc"});
  else if (!machine.pagemap_scan)
    diagnosis.remedies.push_back(
        {"Linux 6.7 has PAGEMAP_SCAN, which looks residency up several times faster",
         "a newer kernel"});
}

}  // namespace

void conclude(Diagnosis& diagnosis) {
  diagnosis.source = diagnosis.perf.permitted ? "perf" : "pagemap";
  if (!diagnosis.perf.permitted)
    diagnosis.perf_why = why_refused(diagnosis.machine, diagnosis.perf);
  advise_on_perf(diagnosis);
  advise_on_pagemap(diagnosis);
  advise_on_huge_pages(diagnosis);
}

Diagnosis examine() {
  Diagnosis diagnosis;
  diagnosis.machine = look_at_machine();
  diagnosis.perf = try_perf();
  diagnosis.prices = measure_prices();
  conclude(diagnosis);
  return diagnosis;
}

}  // namespace ftprof
