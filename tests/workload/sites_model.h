// The truth of `sites`: a page table kept by hand, beside the real one.
//
// Every step that the experiment takes on a block is taken on its BlockModel too, which says how
// many faults the step must cost and books them on the site's answer. docs/workload.md defines the
// words (whole page, in_call, zero_read, ...); this file is those definitions as code.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "tests/workload/sites_code.h"

namespace ftprof::workload {

struct SiteFaults {
  uint64_t write = 0, zero_read = 0, write_after_zero_read = 0, huge = 0, in_call = 0,
           kernel_copy = 0;
  // kernel_copy stands beside it: the ledger has a row of its own for those.
  uint64_t count() const { return write + zero_read + write_after_zero_read + huge + in_call; }
};

struct SiteReuse {
  uint64_t fresh = 0, warm = 0, partial = 0, cold = 0, warm_pages = 0;
};

struct SiteAnswer {
  std::string function, touch_function, api;
  uint64_t blocks = 0, bytes = 0;
  uint64_t handed_out_pages = 0, touched_pages = 0, zero_pages = 0, huge_pages = 0;
  SiteFaults faults;
  SiteReuse reuse;
  std::map<std::string, uint64_t> touch_threads;
};

enum class PageState : uint8_t { untouched, resident, zero, huge };

// Every address range that was ever a block, to tell fresh hand-outs from cold ones.
class History {
 public:
  bool overlaps(uintptr_t begin, uintptr_t end) const;
  void reserve(size_t blocks) { ranges_.reserve(blocks); }
  void add(uintptr_t begin, uintptr_t end) { ranges_.emplace_back(begin, end); }

 private:
  std::vector<std::pair<uintptr_t, uintptr_t>> ranges_;
};

// One block, from hand-out to give-back. Pages are numbered over all pages that hold a byte of the
// block; those that lie in it entirely are its whole pages.
class BlockModel {
 public:
  // Room for `pages` pages is made here, so that modelling allocates nothing afterwards.
  BlockModel(SiteAnswer& site, size_t pages);

  // Hand-out, in this order: begin(), what was resident before the call, hand_out() which decides
  // the class by that, then the faults in the call.
  void begin(void* address, size_t bytes);
  void resident_before(uintptr_t address);
  void inherit(const BlockModel& old);  // pages that moved along, or stayed since the give-back
  void hand_out(History& history);
  void fault_in_call(uintptr_t begin, uintptr_t end, const std::string& thread);

  // Steps; each returns the faults that it must cost.
  uint64_t write(Steps steps, const std::string& thread);
  uint64_t read(Steps steps, const std::string& thread);
  uint64_t write_huge(Steps steps, const std::string& thread);  // one huge page, mapped by a fault
  uint64_t populate(const std::string& thread);                 // every page not yet resident
  uint64_t kernel_copy();                                       // likewise
  void drop();                                                  // MADV_DONTNEED on the block

  void give_back();  // books touched, zero and huge pages

  uint64_t resident() const;  // of all its pages, the partial ones too
  uint64_t zero() const;
  char* address() const { return reinterpret_cast<char*>(address_); }
  size_t bytes() const { return bytes_; }
  SiteAnswer& site() const { return *site_; }

 private:
  size_t page_of(uintptr_t address) const;
  bool whole(size_t page) const;
  uint64_t count_whole(PageState state) const;

  SiteAnswer* site_;
  uintptr_t address_ = 0;
  size_t bytes_ = 0;
  std::vector<PageState> pages_;
};

}  // namespace ftprof::workload
