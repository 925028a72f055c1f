#include "analyzer/blame.h"

#include "analyzer/figures.h"

namespace ftprof {

namespace {

Blame named(const Site& site) {
  Blame found;
  found.id = site.id;
  found.site = site_label(site);
  found.stack = stack_line(site, 8);
  if (site.top < site.stack.size()) {
    found.file = site.stack[site.top].file;
    found.line = site.stack[site.top].line;
  }
  return found;
}

}  // namespace

Blame blame(const Site& site) {
  Blame found = named(site);
  found.changed = count_figure(static_cast<double>(site.faults.count)) + " faults, " +
                  count_figure(static_cast<double>(site.blocks.count)) +
                  (site.blocks.count == 1 ? " block of " : " blocks of ") +
                  bytes_figure(static_cast<double>(site.blocks.bytes)) + " in all";
  return found;
}

Blame blame(const SiteDiff& site) {
  Blame found = named(*site.pair.any().site);
  found.changed = "faults " + change_figure(site.faults());
  for (const std::string& clause : site.why) found.changed += "; " + clause;
  return found;
}

}  // namespace ftprof
