// `ftprof compare --try-advice`: what the advice promises beside what its environment brings.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "analyzer/compare.h"

namespace ftprof {

// Advice of one kind with one environment, over all sites.
struct Trial {
  std::string kind;
  std::map<std::string, std::string> env;
  std::vector<std::string> sites;  // labels, dearest first
  double predicted_faults = 0;
  std::optional<double> predicted_ns = 0;
  // Of the medians; absent until measured, or when no run ended as it should.
  std::optional<double> measured_faults, measured_ns;

  std::string variant_name() const { return "advice:" + kind; }
};

// What the result's advice can be tried with.
std::vector<Trial> trials_of(const Result& result);

// The variants to run: `base`, then one for each trial.
std::vector<Variant> trial_variants(const Variant& base, const std::vector<Trial>& trials);

// Predictions anew from the first variant's runs (their mean), measurements from all: variants[0]
// is the base, variants[i + 1] ran trials[i].
void fill_in(std::vector<Trial>& trials, const std::vector<VariantRuns>& variants);

}  // namespace ftprof
