// Figures as people read them: "65,536", "43.8 ms", "8.0 MiB", "97.5 %". Exact ones, to be read
// back, are in quantity.h.
#pragma once

#include <cstdint>
#include <string>

namespace ftprof {

std::string count_figure(double count);  // thousands separated; rounded to whole numbers
std::string time_figure(double ns);      // three digits and the unit that suits: ns, µs, ms, s
std::string bytes_figure(double bytes);  // B, KiB, MiB, GiB, TiB
std::string share_figure(double share);  // 0.975 is "97.5 %"

std::string exact_figure(double value);  // shortest text that reads back the same

// "+12" or "-12"; zero has no sign. `figure` is one of the above.
std::string signed_figure(double value, std::string (*figure)(double));

}  // namespace ftprof
