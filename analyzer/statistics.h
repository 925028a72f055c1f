// Whether two small samples differ by more than chance.
//
// With four values or more on each side: the two-sided Mann-Whitney test at 5 %, exact, with ties.
// It asks nothing of the distribution, which for times is skewed. With two or three values there is
// no such test below 5 %; the ranges must not overlap. With one there is no spread to compare with,
// and nothing is judged.
#pragma once

#include <vector>

namespace ftprof {

double median(std::vector<double> values);  // 0 without any
double smallest(const std::vector<double>& values);
double largest(const std::vector<double>& values);

// The probability that two samples of one distribution lie at least as far apart as these.
double mann_whitney(const std::vector<double>& a, const std::vector<double>& b);

enum class Noise { unknown, within, beyond };
Noise compare_samples(const std::vector<double>& a, const std::vector<double>& b);

}  // namespace ftprof
