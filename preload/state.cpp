#include "preload/state.h"

namespace ftprof {

constinit State g_state{};

}  // namespace ftprof
