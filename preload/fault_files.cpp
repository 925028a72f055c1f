#include "preload/fault_files.h"

#include <new>

#include "preload/memory.h"
#include "preload/modules.h"
#include "preload/state.h"
#include "preload/sys.h"
#include "preload/text.h"

namespace ftprof {

using trace::Fault;
using trace::FaultRun;
using trace::kFaultStream;
using trace::Lost;
using trace::u16;
using trace::u32;
using trace::u64;

bool FaultFiles::begin(int dir, unsigned cpus, bool find_reads) {
  if (files_ == nullptr) files_ = static_cast<File*>(own_lazy_memory(cpus * sizeof *files_));
  if (files_ == nullptr) return false;
  for (unsigned cpu = 0; cpu < cpus; ++cpu) new (&files_[cpu]) File{};
  dir_ = dir;
  cpus_ = cpus;
  ++begun_;
  if (find_reads) zero_pages_.begin();
  forget_code();
  return true;
}

void FaultFiles::close() {
  zero_pages_.end();
  for (unsigned cpu = 0; cpu < cpus_; ++cpu)
    if (files_[cpu].stream.good()) files_[cpu].stream.close();
}

FaultFiles::File* FaultFiles::file_of(unsigned cpu) {
  File* file = &files_[cpu];
  if (!file->tried) {
    file->tried = true;
    Text<24> name;
    name.add("faults_").add_number(cpu + (begun_ - 1) * cpus_);
    if (file->stream.open(dir_, name.c_str(), kFaultStream, cpu)) write_window(file, window_since_);
  }
  return file->stream.good() ? file : nullptr;
}

void FaultFiles::write_window(File* file, uint64_t time) {
  file->stream.emit(time, window_);
  file->newest = time;
}

// Entries go on meanwhile, and some are still on their way here. A window stamped now would drag
// them along, past the end of the block that they touched.
void FaultFiles::set_timed(uint32_t timed_period) {
  window_.timed_period = timed_period;
  for (unsigned cpu = 0; cpu < cpus_; ++cpu)
    if (files_[cpu].stream.good()) write_window(&files_[cpu], files_[cpu].newest);
}

void FaultFiles::set_window(uint32_t period, uint32_t timed_period, uint64_t time) {
  window_ = {period, timed_period};
  window_since_ = time;
  for (unsigned cpu = 0; cpu < cpus_; ++cpu)
    if (files_[cpu].stream.good()) write_window(&files_[cpu], time);
  file_of(0);  // one file always: a reader learns since when, though no fault may come
}

// At the time of the latest record: a later one would drag the records that follow along.
void FaultFiles::lost(unsigned cpu, uint64_t records) {
  if (File* file = file_of(cpu)) file->stream.emit(file->newest, Lost{records});
}

void FaultFiles::forget_code() {
  for (uint64_t& page : code_pages_) page = 0;
}

void FaultFiles::note_code_of(uint64_t ip) {
  uint64_t page = ip >> g_state.page_shift;
  uint64_t& known = code_pages_[page % kCodePages];
  if (known == page) return;
  known = page;
  note_code(ip);
}

// A load leaves the zero page, a store a page of its own. A page that was stored to since then has
// its second fault in the same window.
void FaultFiles::note_reads(File* file, uint64_t time, uint64_t address, size_t pages) {
  constexpr size_t kMost = 16;
  ZeroRange ranges[kMost];
  size_t found = finds_reads() ? zero_pages_.find(address, pages, ranges, kMost) : 0;
  for (size_t i = 0; i < found; ++i)
    file->stream.emit(time, trace::ZeroPages{ranges[i].address, ranges[i].pages});
}

void FaultFiles::fault_run(u32 cpu, u64 time, const FaultRun& run, const u16* samples) {
  File* file = file_of(cpu);
  if (file == nullptr) return;
  note_code_of(run.ip);
  note_reads(file, time, run.addr, run.length / 2);
  file->stream.emit(time, run, {samples, run.length * sizeof *samples});
  file->newest = time;
}

void FaultFiles::fault(u32 cpu, u64 time, const Fault& fault) {
  File* file = file_of(cpu);
  if (file == nullptr) return;
  note_code_of(fault.ip);
  note_reads(file, time, fault.addr, 1);
  file->stream.emit(time, fault);
  file->newest = time;
}

}  // namespace ftprof
