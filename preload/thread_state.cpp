#include "preload/thread_state.h"

namespace ftprof {

constinit thread_local ThreadState t_thread{};

}  // namespace ftprof
