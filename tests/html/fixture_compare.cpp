#include "tests/html/fixture.h"

namespace ftprof::fixture {

namespace {

// The run with the faults of its dearest site scaled, and a little noise of its own.
GoodRun scaled(double by, double noise) {
  GoodRun run;
  run.result = rich();
  Site& site = run.result.sites[0];
  auto faults = static_cast<uint64_t>(static_cast<double>(site.faults.count) * by);
  uint64_t less = site.faults.count - faults;
  site.faults.count = faults;
  site.cost.total_ns *= by;
  run.result.ledger.minor_faults -= less;
  run.result.ledger.rows[0].faults -= less;
  run.result.ledger.cost_ns *= by;
  run.wall_ns = (10 + 2 * by + noise) * 1e9;
  run.cpu_ns = (31 + 2 * by + 2 * noise) * 1e9;
  run.peak_resident_bytes = (1.9 - 0.3 * by) * (1 << 30);
  return run;
}

VariantRuns variant(const std::string& name, double by) {
  VariantRuns runs;
  runs.variant.name = name;
  for (double noise : {0.0, 0.12, 0.31, 0.2}) runs.runs.push_back(scaled(by, noise));
  return runs;
}

}  // namespace

Comparison comparison() {
  std::vector<VariantRuns> all = {variant("glibc", 1), variant("glibc-retain", 0.06),
                                  variant("</script><b>\u202Ejemalloc", 1.0)};
  all[2].failures = {"run 2 exited with status 1, <b>not 0</b>"};
  return compare_variants({"./render-server", "--scene", "city of glass.scene"}, 4, all);
}

}  // namespace ftprof::fixture
