#include "analyzer/result.h"

namespace ftprof {

const char* owner_name(Owner owner) {
  static constexpr const char* kNames[kOwners] = {"blocks",   "small_heap",      "stack",
                                                  "file",     "other_anonymous", "kernel_copy",
                                                  "profiler", "unattributed"};
  return kNames[static_cast<int>(owner)];
}

}  // namespace ftprof
