// The answer of `ftprof doctor`: what is allowed here, what it costs, how to allow more.
#pragma once

#include <string>
#include <vector>

#include "analyzer/machine.h"
#include "analyzer/perf_probe.h"
#include "analyzer/prices.h"

namespace ftprof {

struct Remedy {
  std::string why;      // a sentence: what is missing, and what it would give
  std::string command;  // the exact command, or the container's flag
};

struct Diagnosis {
  Machine machine;
  PerfVerdict perf;
  std::string source;    // what faults.source=auto comes to here: perf or pagemap
  std::string perf_why;  // why perf is refused; empty when it is not
  std::vector<Remedy> remedies;
  Prices prices;
};

Diagnosis examine();

// The pure part, for tests: from what was found to why and what to do.
void conclude(Diagnosis& diagnosis);

std::string doctor_text(const Diagnosis& diagnosis);
std::string doctor_json(const Diagnosis& diagnosis);

}  // namespace ftprof
