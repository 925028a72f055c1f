#include "analyzer/doctor.h"

#include <gtest/gtest.h>

#include <cerrno>

namespace ftprof {
namespace {

Diagnosis machine_that_allows_all() {
  Diagnosis diagnosis;
  diagnosis.machine.paranoid = 2;
  diagnosis.machine.thp_enabled = "madvise";
  diagnosis.machine.pagemap_readable = diagnosis.machine.pagemap_scan = true;
  diagnosis.perf = {true, kWantedRing, 0, "", 16};
  return diagnosis;
}

Diagnosis refused(int error, const std::string& call = "perf_event_open") {
  Diagnosis diagnosis = machine_that_allows_all();
  diagnosis.perf = {false, 0, error, call, 0};
  if (call != "perf_event_open") diagnosis.perf.ring_bytes = 4096;
  return diagnosis;
}

bool remedies_name(const Diagnosis& diagnosis, const std::string& words) {
  for (const Remedy& remedy : diagnosis.remedies)
    if (remedy.command.find(words) != std::string::npos) return true;
  return false;
}

TEST(Doctor, NothingToImproveWhereAllIsAllowed) {
  Diagnosis diagnosis = machine_that_allows_all();
  conclude(diagnosis);
  EXPECT_EQ(diagnosis.source, "perf");
  EXPECT_TRUE(diagnosis.perf_why.empty());
  EXPECT_TRUE(diagnosis.remedies.empty());
}

TEST(Doctor, AParanoidMachine) {
  Diagnosis diagnosis = refused(EACCES);
  diagnosis.machine.paranoid = 3;
  conclude(diagnosis);
  EXPECT_EQ(diagnosis.source, "pagemap");
  EXPECT_NE(diagnosis.perf_why.find("perf_event_paranoid is 3"), std::string::npos);
  EXPECT_TRUE(remedies_name(diagnosis, "sudo sysctl kernel.perf_event_paranoid=2"));
}

TEST(Doctor, AContainersFilter) {
  Diagnosis diagnosis = refused(EPERM);
  diagnosis.machine.container = "docker";
  diagnosis.machine.seccomp = 2;
  conclude(diagnosis);
  EXPECT_NE(diagnosis.perf_why.find("seccomp"), std::string::npos);
  EXPECT_TRUE(remedies_name(diagnosis, "docker run --cap-add PERFMON"));
}

TEST(Doctor, APod) {
  Diagnosis diagnosis = refused(EPERM);
  diagnosis.machine.container = "kubernetes";
  conclude(diagnosis);
  EXPECT_TRUE(remedies_name(diagnosis, "securityContext"));
}

TEST(Doctor, TooLittleLockedMemory) {
  Diagnosis diagnosis = refused(EPERM, "mmap of a ring");
  conclude(diagnosis);
  EXPECT_TRUE(remedies_name(diagnosis, "perf_event_mlock_kb"));
  EXPECT_FALSE(remedies_name(diagnosis, "paranoid"));
}

TEST(Doctor, SmallerRingsStillWork) {
  Diagnosis diagnosis = machine_that_allows_all();
  diagnosis.perf.ring_bytes = 4096;
  conclude(diagnosis);
  EXPECT_EQ(diagnosis.source, "perf");
  EXPECT_TRUE(remedies_name(diagnosis, "perf_event_mlock_kb"));
}

TEST(Doctor, OldKernelsAndMissingFiles) {
  Diagnosis diagnosis = refused(EINVAL);
  diagnosis.machine.pagemap_scan = diagnosis.machine.pagemap_readable = false;
  diagnosis.machine.thp_enabled = "never";
  conclude(diagnosis);
  EXPECT_NE(diagnosis.perf_why.find("older than 5.13"), std::string::npos);
  EXPECT_TRUE(remedies_name(diagnosis, "mount -t proc"));
  EXPECT_TRUE(remedies_name(diagnosis, "transparent_hugepage/enabled"));
}

TEST(Doctor, EveryRefusalHasAReasonInTextAndJson) {
  for (int error : {EACCES, EPERM, ENOSYS, EINVAL, EMFILE, ENOENT, 0}) {
    Diagnosis diagnosis = refused(error);
    conclude(diagnosis);
    EXPECT_FALSE(diagnosis.perf_why.empty());
    EXPECT_NE(doctor_text(diagnosis).find("refused: "), std::string::npos);
    EXPECT_NE(doctor_json(diagnosis).find("\"permitted\": false"), std::string::npos);
  }
}

}  // namespace
}  // namespace ftprof
