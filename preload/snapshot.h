// What the process is like right now, as events: its usage, its mappings, the residency of what is
// alive. Taken by the collector at each snapshot.interval, and once more at the end.
#pragma once

#include <stdint.h>

#include "preload/calibration.h"
#include "preload/maps.h"

namespace ftprof {

class Snapshots {
 public:
  // The first words about faults: Opening, and the mappings.
  void begin();

  // Residency of live blocks and of ranges given back, mappings if they changed.
  void look_at_pages(bool final);
  // The same and Usage.
  void take(bool final);

  // Usage, and a sample of the pages of the largest live blocks: how far they are touched, and how
  // many are still the zero page. For the gaps in which no fault is recorded.
  void look();

  // CPU time and faults at the last snapshot, to tell an idle process by.
  bool idle_since_last(uint64_t program_ns) const;
  void remember(uint64_t program_ns);

 private:
  void write_residency(bool final);
  void write_maps();
  void tell_sight();
  void tell_huge_pages();

  MapReader maps_;
  uint64_t maps_due_ns_ = 0;
  uint64_t program_ns_ = 0;
  bool told_sight_ = false, told_huge_pages_ = false;
};

// getrusage and the profiler's own account, now. `brief`: the machine's counts of huge pages, which
// take longer than all the rest, are those of the last time.
void write_usage(bool final, bool brief = false);
void write_price(trace::PriceKind kind, const Price& price, double raw_excess_ns);
// A Price for each kind that was found out.
void write_prices(const Calibration& found);
// An Attribute.
void write_attribute(const char* key, const char* value);

}  // namespace ftprof
