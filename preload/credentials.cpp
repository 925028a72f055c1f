#include "preload/credentials.h"

#include <stdint.h>
#include <string.h>
#include <sys/prctl.h>

#include <initializer_list>

#include "preload/sys.h"
#include "preload/tasks.h"
#include "preload/text.h"

namespace ftprof {
namespace {

struct Ids {
  uint32_t real, effective, saved;
  bool operator==(const Ids&) const = default;
};

// Reads "Uid:\t1000\t1000\t1000\t1000".
bool ids_in(const char* status, const char* name, Ids* ids) {
  const char* at = strstr(status, name);
  if (at == nullptr) return false;
  at += strlen(name);
  for (uint32_t* id : {&ids->real, &ids->effective, &ids->saved}) {
    while (*at == '\t' || *at == ' ') ++at;
    if (*at < '0' || *at > '9') return false;
    for (*id = 0; *at >= '0' && *at <= '9'; ++at) *id = *id * 10 + static_cast<uint32_t>(*at - '0');
  }
  return true;
}

size_t groups_in(const char* status, uint32_t* groups, size_t most) {
  const char* at = strstr(status, "\nGroups:");
  size_t count = 0;
  if (at == nullptr) return 0;
  for (at += 8; *at != '\n' && *at != 0 && count < most;) {
    if (*at < '0' || *at > '9') {
      ++at;
      continue;
    }
    for (groups[count] = 0; *at >= '0' && *at <= '9'; ++at)
      groups[count] = groups[count] * 10 + static_cast<uint32_t>(*at - '0');
    ++count;
  }
  return count;
}

Ids own_ids(long number) {
  Ids ids{};
  sys::call(number, sys::as_long(&ids.real), sys::as_long(&ids.effective),
            sys::as_long(&ids.saved));
  return ids;
}

void take_on(const char* status, const Ids& uid, const Ids& gid) {
  uint32_t groups[256];
  size_t count = groups_in(status, groups, 256);
  // Changing ids makes the whole process undumpable again; the program may have said otherwise.
  long dumpable = sys::call(SYS_prctl, PR_GET_DUMPABLE);
  sys::call(SYS_setgroups, static_cast<long>(count), sys::as_long(groups));
  sys::call(SYS_setresgid, gid.real, gid.effective, gid.saved);
  sys::call(SYS_setresuid, uid.real, uid.effective, uid.saved);
  if (dumpable == 1) sys::call(SYS_prctl, PR_SET_DUMPABLE, 1);
}

}  // namespace

void follow_credentials(int main_tid) {
  Text<64> path;
  path.add("/proc/self/task/").add_number(static_cast<uint64_t>(main_tid)).add("/status");
  char status[4096];
  Ids uid, gid;
  if (read_small_file(path.c_str(), status, sizeof status) <= 0 ||
      !ids_in(status, "\nUid:", &uid) || !ids_in(status, "\nGid:", &gid))
    return;
  if (uid == own_ids(SYS_getresuid) && gid == own_ids(SYS_getresgid)) return;
  take_on(status, uid, gid);
}

}  // namespace ftprof
