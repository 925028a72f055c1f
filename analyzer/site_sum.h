// A site over all processes of a run, as comparisons see it: what has the same stack of names is
// the same site, whatever its addresses, lines, or the allocator's frames below it.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "analyzer/result.h"

namespace ftprof {

struct SiteSum {
  const Site* site = nullptr;      // the dearest of those summed; belongs to the Result
  std::vector<std::string> names;  // of the program's own frames, innermost first
  uint64_t blocks = 0, bytes = 0;
  uint64_t handed_out_pages = 0, touched_pages = 0;
  FaultKinds faults;
  double cost_ns = 0;
  uint64_t fresh = 0, warm = 0, partial = 0, cold = 0;
  uint64_t purged_pages = 0, refaulted_pages = 0;
  std::map<std::string, uint64_t> touched_by;  // faults by the touching function
};

// The site of the first one stays.
SiteSum& operator+=(SiteSum& to, const SiteSum& more);

// In the order of the result's sites. `result` must outlive them.
std::vector<SiteSum> sum_sites(const Result& result);

// "load_model", "near load_model" when that is merely the nearest name before the code.
std::string shown_function(const Frame& frame);
// "load_model at app.cpp:10"
std::string site_label(const Site& site);
// "load_model < parse < main", at most `frames` of the program's own frames.
std::string stack_line(const Site& site, size_t frames = 5);

// A function's name as comparisons see it: libc's variants for one processor or another
// (__memset_avx2_unaligned_erms) are one function (memset).
std::string plain_function(const Frame& frame);

}  // namespace ftprof
