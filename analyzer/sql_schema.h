// The tables of the sqlite and csv exports; docs/sql.md is their guide. Names are promises: add
// columns at the end, never change a meaning. Units are in the names, times count from the run's
// start, an unknown value is NULL.
#pragma once

namespace ftprof {

inline constexpr const char* kSqlSchema = R"sql(
CREATE TABLE run (key TEXT PRIMARY KEY, value TEXT);
CREATE TABLE ledger (owner TEXT PRIMARY KEY, faults INTEGER, cost_ns REAL);
CREATE TABLE processes (process_id INTEGER PRIMARY KEY, pid INTEGER, ppid INTEGER, name TEXT,
  rank TEXT, command TEXT, start_ns REAL, duration_ns REAL, minor_faults INTEGER,
  major_faults INTEGER, cost_ns REAL, peak_resident_bytes INTEGER, complete INTEGER);
CREATE TABLE threads (thread_id INTEGER PRIMARY KEY, process_id INTEGER REFERENCES processes,
  tid INTEGER, name TEXT, faults INTEGER, cost_ns REAL);
CREATE TABLE phases (phase_id INTEGER PRIMARY KEY, name TEXT, begin_ns REAL, end_ns REAL,
  faults INTEGER, cost_ns REAL);
CREATE TABLE frames (frame_id INTEGER PRIMARY KEY, function TEXT, file TEXT, line INTEGER,
  module TEXT, module_offset INTEGER, inlined INTEGER, nearest INTEGER);
CREATE TABLE sites (site_id INTEGER PRIMARY KEY, id TEXT, process_id INTEGER REFERENCES processes,
  function TEXT, file TEXT, line INTEGER, module TEXT, api TEXT,
  blocks INTEGER, bytes INTEGER, peak_live_bytes INTEGER, live_at_end INTEGER, sampled_one_in REAL,
  handed_out_pages INTEGER, touched_pages INTEGER, untouched_pages INTEGER, zero_pages INTEGER,
  huge_pages INTEGER, could_be_huge_pages INTEGER,
  faults INTEGER, write INTEGER, zero_read INTEGER, write_after_zero_read INTEGER, huge INTEGER,
  in_call INTEGER, kernel_copy INTEGER, major INTEGER, other INTEGER,
  cost_ns REAL, error_ns REAL, p50_ns REAL, p90_ns REAL, p99_ns REAL, max_ns REAL,
  alloc_ns REAL, free_ns REAL,
  fresh INTEGER, warm INTEGER, partial INTEGER, cold INTEGER, warm_pages INTEGER,
  cross_thread INTEGER, cross_node INTEGER, purged_pages INTEGER,
  refaulted_after_purge_pages INTEGER);
CREATE TABLE stacks (site_id INTEGER REFERENCES sites, depth INTEGER,
  frame_id INTEGER REFERENCES frames, PRIMARY KEY (site_id, depth)) WITHOUT ROWID;
CREATE TABLE touch_sites (site_id INTEGER REFERENCES sites, touch_site INTEGER,
  frame_id INTEGER REFERENCES frames, faults INTEGER, cost_ns REAL,
  PRIMARY KEY (site_id, touch_site)) WITHOUT ROWID;
CREATE TABLE touch_threads (site_id INTEGER REFERENCES sites, tid INTEGER, name TEXT,
  faults INTEGER, cost_ns REAL);
CREATE TABLE placement (site_id INTEGER REFERENCES sites, node INTEGER, pages INTEGER);
CREATE TABLE advice (site_id INTEGER REFERENCES sites, kind TEXT, text TEXT, saves_faults INTEGER,
  saves_ns REAL, environment TEXT);
CREATE TABLE faults (begin_ns REAL, end_ns REAL, faults INTEGER, cost_ns REAL, owner TEXT,
  process_id INTEGER REFERENCES processes, thread_id INTEGER REFERENCES threads,
  site_id INTEGER REFERENCES sites, touch_site INTEGER, phase_id INTEGER REFERENCES phases);
CREATE TABLE blocks (block_id INTEGER PRIMARY KEY, site_id INTEGER REFERENCES sites,
  process_id INTEGER REFERENCES processes, thread_id INTEGER REFERENCES threads, bytes INTEGER,
  pages INTEGER, touched_pages INTEGER, faults INTEGER, cost_ns REAL, born_ns REAL, gone_ns REAL,
  weight REAL);
CREATE TABLE handouts (block_id INTEGER REFERENCES blocks, at_ns REAL, class TEXT,
  resident_pages INTEGER, idle_ns REAL, previous_site_id INTEGER REFERENCES sites);
CREATE TABLE touches (map_row INTEGER, site TEXT, block_bytes INTEGER, first_page INTEGER,
  pages INTEGER, at_ns REAL, tid INTEGER, cost_ns REAL);
CREATE TABLE timeline (begin_ns REAL, faults INTEGER, fault_ns REAL, resident_bytes INTEGER,
  fresh INTEGER, warm INTEGER, partial INTEGER, cold INTEGER, idle_bytes INTEGER);
)sql";

}  // namespace ftprof
