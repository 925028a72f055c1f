// Why perf events were refused, and what would allow them, as one sentence.
#pragma once

#include "preload/text.h"

namespace ftprof {

class PerfRefusal {
 public:
  // error: -errno of perf_event_open or of its ring's mmap.
  explicit PerfRefusal(int error);
  const char* sentence() const { return text_.c_str(); }

 private:
  Text<400> text_;
};

}  // namespace ftprof
