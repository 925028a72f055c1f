#include "analyzer/try_advice.h"

#include <algorithm>
#include <cstdlib>

namespace ftprof {

namespace {

bool is_of(const Advice& advice, const Trial& trial) {
  return advice.kind == trial.kind && advice.try_env == trial.env;
}

Trial& trial_for(std::vector<Trial>& trials, const Advice& advice) {
  for (Trial& trial : trials)
    if (is_of(advice, trial)) return trial;
  Trial made;
  made.kind = advice.kind;
  made.env = advice.try_env;
  return trials.emplace_back(std::move(made));
}

// A sum with an unknown part is unknown.
void add(std::optional<double>& sum, double share, const std::optional<double>& part) {
  sum = sum && part ? std::optional(*sum + share * *part) : std::nullopt;
}

void predict(Trial& trial, const std::vector<GoodRun>& runs) {
  trial.predicted_faults = 0;
  trial.predicted_ns = 0;
  double share = 1 / static_cast<double>(runs.size());
  for (const GoodRun& run : runs)
    for (const Site& site : run.result.sites)
      for (const Advice& advice : site.advice) {
        if (!is_of(advice, trial)) continue;
        trial.predicted_faults += share * static_cast<double>(advice.saves_faults);
        add(trial.predicted_ns, share, advice.saves_ns);
      }
}

// Settings of one variable that takes a list are added to those that it has, in the variant or in
// the environment that compare was started in.
void set_on_top(std::map<std::string, std::string>& env, const std::string& name,
                const std::string& value) {
  const char* inherited = std::getenv(name.c_str());
  std::string& now = env.try_emplace(name, inherited ? inherited : "").first->second;
  const char* between = name == "GLIBC_TUNABLES" ? ":" : name == "MALLOC_CONF" ? "," : nullptr;
  now = between && !now.empty() ? now + between + value : value;
}

double middle(const std::vector<GoodRun>& runs, double (*of)(const Result&)) {
  std::vector<double> values;
  for (const GoodRun& run : runs) values.push_back(of(run.result));
  return median(values);
}

double faults(const Result& result) {
  return static_cast<double>(program_faults(result.ledger));
}
double cost(const Result& result) {
  return program_cost_ns(result.ledger);
}

}  // namespace

std::vector<Trial> trials_of(const Result& result) {
  std::vector<Trial> trials;
  for (const Site& site : result.sites)
    for (const Advice& advice : site.advice) {
      if (advice.try_env.empty()) continue;
      Trial& trial = trial_for(trials, advice);
      trial.predicted_faults += static_cast<double>(advice.saves_faults);
      add(trial.predicted_ns, 1, advice.saves_ns);
      trial.sites.push_back(site_label(site));
    }
  std::stable_sort(trials.begin(), trials.end(), [](auto& a, auto& b) {
    return a.predicted_ns.value_or(0) > b.predicted_ns.value_or(0);
  });
  return trials;
}

std::vector<Variant> trial_variants(const Variant& base, const std::vector<Trial>& trials) {
  std::vector<Variant> variants = {base};
  for (const Trial& trial : trials) {
    Variant& variant = variants.emplace_back(base);
    variant.name = trial.variant_name();
    variant.description = "the environment that the advice \"" + trial.kind + "\" names";
    for (const auto& [name, value] : trial.env) set_on_top(variant.env, name, value);
  }
  return variants;
}

void fill_in(std::vector<Trial>& trials, const std::vector<VariantRuns>& variants) {
  const std::vector<GoodRun>& base = variants.at(0).runs;
  if (base.empty()) return;
  for (size_t i = 0; i < trials.size(); ++i) {
    predict(trials[i], base);
    const std::vector<GoodRun>& tried = variants.at(i + 1).runs;
    if (tried.empty()) continue;
    trials[i].measured_faults = middle(base, faults) - middle(tried, faults);
    trials[i].measured_ns = middle(base, cost) - middle(tried, cost);
  }
}

}  // namespace ftprof
