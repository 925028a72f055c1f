"""Faults of small victims under the real library, read from the trace itself: counts are exact when
every fault is recorded, whoever runs them, and page counts when perf is refused."""
import os
import pathlib
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import trace as traces  # noqa: E402
from conftest import VICTIMS  # noqa: E402

PAGES = 1000
EVERY_FAULT = "faults.source=perf,faults.period=1,faults.timed=all,residency.probe=full"
WHO = pytest.mark.parametrize("user", [False, True], ids=["root", "ordinary user"])


def only_trace(run):
    assert run.status == 0, run.stderr
    assert len(run.images) == 1
    return traces.Trace(run.images[0])


def range_of(run):
    """Where the victim's mapping lies: begin and end."""
    begin, size = map(int, run.stdout.splitlines()[-2].split())
    return begin, begin + size


def last_residency(trace, begin, end):
    return [e for e in trace.named("Residency") if begin <= e.addr < end and not e.idle][-1]


# mode: faults that perf sees, resident pages at the end, zero pages of them
MODES = {"write": (PAGES, PAGES, 0), "read": (PAGES, PAGES, PAGES),
         "read_write": (2 * PAGES, PAGES, 0), "scattered": (PAGES, PAGES, 0),
         "populate": (0, PAGES, 0), "populate_write": (0, PAGES, 0), "copy": (0, PAGES, 0),
         "failed": (PAGES, PAGES, 0), "threads": (PAGES, PAGES, 0)}


@WHO
@pytest.mark.parametrize("mode", MODES)
def test_every_fault_is_recorded_once_and_timed(profile, mode, user):
    run = profile(VICTIMS / "first_touches", mode, options=EVERY_FAULT, user=user)
    trace = only_trace(run)
    begin, end = range_of(run)
    expected, resident, zero = MODES[mode]
    faults = trace.faults(begin, end)
    assert len(faults) == expected
    assert all(fault.cost_ns for fault in faults)
    residency = last_residency(trace, begin, end)
    assert (residency.resident_pages, residency.zero_pages) == (resident, zero)
    assert not trace.named("Lost")


@WHO
def test_huge_pages_fault_once_each(profile, user):
    run = profile(VICTIMS / "first_touches", "huge", options=EVERY_FAULT, user=user)
    trace = only_trace(run)
    begin, end = range_of(run)
    residency = last_residency(trace, begin, end)
    huge = residency.huge_pages // 512
    # Where memory is too fragmented the kernel gives small pages instead.
    assert len(trace.faults(begin, end)) == huge + (2 - huge) * 512
    assert residency.resident_pages == 1024


def test_faults_name_their_threads(profile):
    run = profile(VICTIMS / "first_touches", "threads", options=EVERY_FAULT)
    trace = only_trace(run)
    by_thread = {}
    for fault in trace.faults(*range_of(run)):
        by_thread[fault.tid] = by_thread.get(fault.tid, 0) + 1
    assert sorted(by_thread.values()) == [PAGES // 4] * 4
    named = {event.tid for event in trace.named("Thread")}
    assert set(by_thread) <= named


def test_the_code_that_faulted_is_in_a_known_module(profile):
    run = profile(VICTIMS / "first_touches", "write", options=EVERY_FAULT)
    trace = only_trace(run)
    modules = [(m.begin, m.end) for m in trace.named("Module") if m.path.endswith("first_touches")]
    assert modules
    ips = {fault.ip for fault in trace.faults(*range_of(run))}
    assert len(ips) == 1
    assert any(begin <= ip < end for ip in ips for begin, end in modules)


@pytest.mark.parametrize("timed", ["none", "all"])
def test_times_are_recorded_or_not_as_asked(profile, timed):
    options = f"faults.source=perf,faults.period=1,faults.timed={timed}"
    run = profile(VICTIMS / "first_touches", "write", options=options)
    faults = only_trace(run).faults(*range_of(run))
    assert len(faults) == PAGES
    assert sum(fault.cost_ns is not None for fault in faults) == (PAGES if timed == "all" else 0)


def test_a_sequential_touch_takes_little_more_than_four_bytes_a_fault(profile):
    run = profile(VICTIMS / "first_touches", "write", options=EVERY_FAULT)
    trace = only_trace(run)
    begin, end = range_of(run)
    events = [e for e in trace.events if e.name in ("Fault", "FaultRun") and begin <= e.addr < end]
    assert len(events) < PAGES / 20


@WHO
def test_nothing_is_lost_with_more_threads_than_cpus(profile, user):
    """Each of four threads faults as fast as it can; what the kernel dropped would be said."""
    run = profile(VICTIMS / "touch_forever", 4, 20, options=EVERY_FAULT, user=user)
    trace = only_trace(run)
    lost = sum(event.records for event in trace.named("Lost"))
    touched = int(run.stdout.split()[-1])
    faults = trace.faults()
    by_blocks = [b for b in trace.named("Block") if b.size == 4 << 20]
    inside = sum(any(b.addr <= f.addr < b.addr + b.size for b in by_blocks) for f in faults)
    assert inside + lost >= touched
    assert inside <= touched


@pytest.mark.parametrize("period", [3, 8, 31])
def test_one_fault_in_n(profile, period):
    run = profile(VICTIMS / "touch_forever", 1, 20, options=f"faults.period={period}")
    trace = only_trace(run)
    window = trace.named("Window")[0]
    assert window.period == period + (period % 2 == 0)
    touched = int(run.stdout.split()[-1])
    assert len(trace.faults()) == pytest.approx(touched / window.period, rel=0.05)


def test_the_whole_balances(profile):
    """Opening, recorded and the profiler's own are all that getrusage counted, but for the few
    faults inside the kernel that no event shows."""
    run = profile(VICTIMS / "first_touches", "write", options=EVERY_FAULT)
    trace = only_trace(run)
    usage, opening = trace.named("Usage")[-1], trace.named("Opening")[0]
    assert usage.final
    assert opening.stack + opening.heap + opening.other_anonymous + opening.file == opening.minor
    recorded = sum(not fault.major for fault in trace.faults())
    assert opening.minor + recorded + usage.self_faults == pytest.approx(usage.minor, abs=20)


@pytest.mark.parametrize("error", ["EPERM", "EACCES", "ENOSYS"])
@pytest.mark.parametrize("asked", ["auto", "perf"])
def test_perf_refused_is_said_once_and_pages_are_counted(profile, error, asked):
    run = profile(VICTIMS / "refuse_perf", error, VICTIMS / "first_touches", "read_write",
                  options=f"faults.source={asked},faults.period=1,residency.probe=full")
    trace = only_trace(run)
    assert trace.attributes("faults.source") == ["pagemap"]
    notes = [note for note in trace.attributes("note") if "perf" in note]
    assert len(notes) == 1 and error in notes[0]
    assert ("perf" in run.stderr) == (asked == "perf")
    assert len(run.stderr.splitlines()) <= 1
    assert not trace.faults()
    residency = last_residency(trace, *range_of(run))
    assert (residency.resident_pages, residency.zero_pages) == (PAGES, 0)
    assert {price.kind for price in trace.named("Price")} >= {0, 1, 2}


@WHO
@pytest.mark.parametrize("mode", MODES)
def test_pagemap_alone_counts_pages_exactly(profile, mode, user):
    run = profile(VICTIMS / "first_touches", mode, user=user,
                  options="faults.source=pagemap,residency.probe=full")
    trace = only_trace(run)
    residency = last_residency(trace, *range_of(run))
    assert (residency.resident_pages, residency.zero_pages) == MODES[mode][1:]
    assert run.stderr == ""


def test_by_default_events_are_closed_when_the_budget_is_spent(profile):
    """The credit first, then bursts: windows alternate, and each end says the usage."""
    run = profile(VICTIMS / "touch_forever", 1, 100)
    trace = only_trace(run)
    assert trace.attributes("faults.source") == ["perf"]
    # Every CPU's stream repeats the window.
    periods = [period for _, period in sorted({(e.time, e.period) for e in trace.named("Window")})]
    assert periods[:2] == [1, 0]
    assert len(trace.faults()) < 102400 / 2
    assert len(trace.named("Usage")) >= 2


def test_the_profiler_names_itself(profile):
    run = profile(VICTIMS / "first_touches", "write", options=EVERY_FAULT)
    trace = only_trace(run)
    [tid] = map(int, trace.attributes("profiler.tid"))
    assert all(fault.tid != tid for fault in trace.faults())
    assert trace.named("Usage")[-1].self_faults > 0


def test_a_process_that_is_over_at_once_is_not_held_up_by_perf(profile):
    """By default; its pages are counted all the same."""
    run = profile(VICTIMS / "first_touches", "read_write", options="residency.probe=full")
    trace = only_trace(run)
    residency = last_residency(trace, *range_of(run))
    assert (residency.resident_pages, residency.zero_pages) == (PAGES, 0)
    assert {price.kind for price in trace.named("Price")} >= {0, 1, 2}


def test_huge_pages_are_priced_once_they_are_seen(profile):
    run = profile(VICTIMS / "first_touches", "huge", options="faults.source=pagemap")
    trace = only_trace(run)
    seen = last_residency(trace, *range_of(run)).huge_pages > 0
    assert any(price.kind == 3 for price in trace.named("Price")) == seen


def test_with_many_threads_events_stay_and_are_switched(profile):
    """A hundred threads wait while one faults: windows alternate, nothing is said to be lost."""
    run = profile(VICTIMS / "touch_forever", 1, 200, 100)
    trace = only_trace(run)
    # Every CPU's stream repeats the window.
    periods = [period for _, period in sorted({(e.time, e.period) for e in trace.named("Window")})]
    assert periods[:2] == [1, 0]
    assert not trace.named("Lost")
    assert not [note for note in trace.attributes("note") if "descriptors" in note]


def test_a_trace_that_is_nearly_full_records_no_more_faults(profile):
    options = "faults.period=1,faults.timed=all,trace.max_size=2MiB"
    run = profile(VICTIMS / "touch_forever", 2, 500, options=options)
    trace = only_trace(run)
    assert sum(path.stat().st_size for path in run.images[0].glob("*_*")) <= 2 << 20
    assert trace.named("Window")[-1].period == 0
    assert trace.named("Usage")[-1].final


def test_dropped_privileges_drop_the_collectors(profile):
    if os.geteuid():
        pytest.skip("only root can drop privileges")
    run = profile(VICTIMS / "collector_ids", options="snapshot.interval=20ms")
    assert run.status == 0, run.stdout + run.stderr


@pytest.mark.parametrize("limit", ["-n 8", "-l 0"])
def test_low_limits_are_said_once(profile, limit):
    """Too few descriptors, or too little locked memory: one note at most, and pages are counted."""
    script = f"ulimit {limit}; exec {VICTIMS}/first_touches write"
    run = profile("sh", "-c", script, options="faults.period=1,residency.probe=full", user=True)
    trace = only_trace(run)
    assert last_residency(trace, *range_of(run)).resident_pages == PAGES
    assert len([note for note in trace.attributes("note") if "perf" in note]) <= 1
