// Small results for the tests of what reads a Result: one call a site, quantities by hand.
#pragma once

#include <string>
#include <vector>

#include "analyzer/result.h"

namespace ftprof::testing {

inline Frame frame(const std::string& function, const std::string& file = "app.cpp",
                   uint32_t line = 10) {
  Frame made;
  made.function = function;
  made.file = file;
  made.line = line;
  made.module = "/usr/bin/app";
  return made;
}

// A site whose stack is `names`, innermost first; its id is the names joined.
inline Site site(const std::vector<std::string>& names, uint64_t faults, uint64_t blocks = 1) {
  Site made;
  for (const std::string& name : names) {
    made.id += name + ";";
    made.stack.push_back(frame(name));
  }
  made.api = "malloc";
  made.blocks.count = blocks;
  made.blocks.bytes = faults * 4096;
  made.pages.handed_out = made.pages.touched = faults;
  made.faults.count = made.faults.write = faults;
  made.cost.total_ns = 1000.0 * static_cast<double>(faults);
  made.reuse.fresh = blocks;
  made.touch_sites.push_back({frame("fill"), faults, made.cost.total_ns});
  return made;
}

// A balanced result of these sites and `others` faults that no block owns, over ten seconds.
inline Result result(std::vector<Site> sites, uint64_t others = 500) {
  Result made;
  made.run.command = {"./app"};
  made.run.duration_ns = 10e9;
  made.run.fault_source = "perf";
  made.run.fault_cost = "measured";
  made.run.allocator_name = "glibc";
  made.run.processes = 1;
  made.processes.emplace_back().name = "app";
  uint64_t blocks = 0;
  for (const Site& one : sites) {
    blocks += one.faults.count;
    made.pool.handouts += one.blocks.count;
    made.pool.fresh += one.reuse.fresh;
    made.pool.warm += one.reuse.warm;
    made.pool.cold += one.reuse.cold;
  }
  made.sites = std::move(sites);
  made.ledger.rows = {{Owner::blocks, blocks, 1000.0 * static_cast<double>(blocks)},
                      {Owner::file, others, 500.0 * static_cast<double>(others)}};
  made.ledger.minor_faults = blocks + others;
  made.ledger.cost_ns = *made.ledger.rows[0].cost_ns + *made.ledger.rows[1].cost_ns;
  made.ledger.accounted_share = 1;
  return made;
}

}  // namespace ftprof::testing
