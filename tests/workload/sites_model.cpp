#include "tests/workload/sites_model.h"

#include <algorithm>

#include "tests/workload/machine.h"

namespace ftprof::workload {
namespace {

uintptr_t address_of(Steps steps, size_t i) {
  return reinterpret_cast<uintptr_t>(steps.first) + i * steps.step;
}

}  // namespace

bool History::overlaps(uintptr_t begin, uintptr_t end) const {
  return std::any_of(ranges_.begin(), ranges_.end(),
                     [&](const auto& range) { return range.first < end && begin < range.second; });
}

BlockModel::BlockModel(SiteAnswer& site, size_t pages) : site_(&site) {
  pages_.reserve(pages);
}

void BlockModel::begin(void* address, size_t bytes) {
  address_ = reinterpret_cast<uintptr_t>(address);
  bytes_ = bytes;
  pages_.assign(page_of(address_ + bytes - 1) + 1, PageState::untouched);
}

// Numbers run from the page that holds the block's first byte.
size_t BlockModel::page_of(uintptr_t address) const {
  return address / page_bytes() - address_ / page_bytes();
}

bool BlockModel::whole(size_t page) const {
  uintptr_t begin = (address_ / page_bytes() + page) * page_bytes();
  return begin >= address_ && begin + page_bytes() <= address_ + bytes_;
}

uint64_t BlockModel::count_whole(PageState state) const {
  uint64_t count = 0;
  for (size_t i = 0; i < pages_.size(); ++i) count += whole(i) && pages_[i] == state;
  return count;
}

void BlockModel::resident_before(uintptr_t address) {
  size_t page = page_of(address);
  if (address / page_bytes() >= address_ / page_bytes() && page < pages_.size())
    pages_[page] = PageState::resident;
}

void BlockModel::inherit(const BlockModel& old) {
  std::copy_n(old.pages_.begin(), std::min(old.pages_.size(), pages_.size()), pages_.begin());
}

void BlockModel::fault_in_call(uintptr_t begin, uintptr_t end, const std::string& thread) {
  for (uintptr_t page = begin / page_bytes(); page <= (end - 1) / page_bytes(); ++page) {
    size_t number = page - address_ / page_bytes();
    if (number >= pages_.size() || pages_[number] != PageState::untouched) continue;
    pages_[number] = PageState::resident;
    ++site_->faults.in_call;
    ++site_->touch_threads[thread];
  }
}

void BlockModel::hand_out(History& history) {
  uint64_t all = 0, warm = count_whole(PageState::resident);
  for (size_t i = 0; i < pages_.size(); ++i) all += whole(i);
  ++site_->blocks;
  site_->bytes += bytes_;
  site_->handed_out_pages += all;
  site_->reuse.warm_pages += warm;
  if (warm * 10 >= all * 9)
    ++site_->reuse.warm;
  else if (warm * 10 > all)
    ++site_->reuse.partial;
  else
    ++(history.overlaps(address_, address_ + bytes_) ? site_->reuse.cold : site_->reuse.fresh);
  history.add(address_, address_ + bytes_);
}

uint64_t BlockModel::write(Steps steps, const std::string& thread) {
  uint64_t faults = 0;
  for (size_t i = 0; i < steps.count; ++i) {
    PageState& page = pages_[page_of(address_of(steps, i))];
    if (page == PageState::untouched) ++faults, ++site_->faults.write;
    if (page == PageState::zero) ++faults, ++site_->faults.write_after_zero_read;
    if (page != PageState::huge) page = PageState::resident;
  }
  if (faults) site_->touch_threads[thread] += faults;
  return faults;
}

uint64_t BlockModel::read(Steps steps, const std::string& thread) {
  uint64_t faults = 0;
  for (size_t i = 0; i < steps.count; ++i) {
    PageState& page = pages_[page_of(address_of(steps, i))];
    if (page != PageState::untouched) continue;
    page = PageState::zero;
    ++faults;
  }
  site_->faults.zero_read += faults;
  if (faults) site_->touch_threads[thread] += faults;
  return faults;
}

uint64_t BlockModel::write_huge(Steps steps, const std::string& thread) {
  for (size_t i = 0; i < steps.count; ++i) pages_[page_of(address_of(steps, i))] = PageState::huge;
  ++site_->faults.huge;
  ++site_->touch_threads[thread];
  return 1;
}

uint64_t BlockModel::populate(const std::string& thread) {
  uint64_t before = site_->faults.in_call;
  fault_in_call(address_, address_ + bytes_, thread);
  return site_->faults.in_call - before;
}

uint64_t BlockModel::kernel_copy() {
  uint64_t faults = 0;
  for (PageState& page : pages_) {
    faults += page == PageState::untouched;
    page = PageState::resident;
  }
  site_->faults.kernel_copy += faults;
  return faults;
}

void BlockModel::drop() {
  std::fill(pages_.begin(), pages_.end(), PageState::untouched);
}

void BlockModel::give_back() {
  uint64_t zero = count_whole(PageState::zero), huge = count_whole(PageState::huge);
  site_->touched_pages += count_whole(PageState::resident) + zero + huge;
  site_->zero_pages += zero;
  site_->huge_pages += huge;
}

uint64_t BlockModel::resident() const {
  return pages_.size() -
         static_cast<uint64_t>(std::count(pages_.begin(), pages_.end(), PageState::untouched));
}

uint64_t BlockModel::zero() const {
  return static_cast<uint64_t>(std::count(pages_.begin(), pages_.end(), PageState::zero));
}

}  // namespace ftprof::workload
