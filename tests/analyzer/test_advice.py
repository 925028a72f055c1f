"""Advice held to its word: what a report predicts against what following it saves, in faults. The times
that go with them are in docs/report.md, from scripts/advice."""
import json
import os
import subprocess

import pytest

from conftest import FTPROF, VICTIMS, WORKLOAD

EXACT = "faults.source=perf,faults.period=1,overhead.budget=100%"
PAYS = VICTIMS / "pays"


def largest(report):
    return max(report["sites"], key=lambda site: site["faults"]["count"])


def advice_of(site, kind):
    return next(one for one in site["advice"] if one["kind"] == kind)


@pytest.mark.parametrize("kind, before, after", [
    ("no_read_first", "read-first", "once"),
    ("calloc", "cleared", "calloc"),
    ("populate", "once", "populate"),
])
def test_a_change_of_code_saves_what_was_predicted(profile, kind, before, after):
    had, has = (largest(profile(PAYS, mode, 32, options=EXACT).report()) for mode in (before, after))
    advice = advice_of(had, kind)
    saved = had["faults"]["count"] - has["faults"]["count"]
    assert advice["saves_faults"] == pytest.approx(saved, rel=0.2, abs=2)
    assert advice["saves_ns"] > 0
    if kind == "populate":  # the same pages, in the call
        assert has["faults"]["in_call"] == has["faults"]["count"] == 32 * 256


@pytest.mark.parametrize("kind, rounds", [("keep", 5), ("huge", 1)])
def test_a_setting_saves_what_was_predicted(kind, rounds):
    if kind == "huge" and "[madvise]" not in open("/sys/kernel/mm/transparent_hugepage/enabled").read():
        pytest.skip("transparent_hugepage/enabled is not madvise on this machine")
    options = [word for pair in EXACT.split(",") for word in ("--set", pair)]
    done = subprocess.run([FTPROF, "compare", "--try-advice", "--runs", "1", *options, "--format", "json",
                           "--", PAYS, "again", "40", str(rounds)],
                          capture_output=True, text=True, timeout=120, env=dict(os.environ))
    assert done.returncode == 0, done.stderr
    trial = next(one for one in json.loads(done.stdout)["trials"] if one["kind"] == kind)
    assert trial["predicted_faults"] == pytest.approx(trial["measured_faults"], rel=0.2)
    # No huge page had been priced yet.
    assert (trial["predicted_ns"] is None) == (kind == "huge")


@pytest.mark.parametrize("allocator, knob, keeps", [
    ("jemalloc", {"MALLOC_CONF": "dirty_decay_ms:0,muzzy_decay_ms:0"}, 4),
    ("jemalloc", {}, 16),
    ("mimalloc", {"MIMALLOC_DECOMMIT_DELAY": "0"}, 4),
    ("tcmalloc", {"TCMALLOC_AGGRESSIVE_DECOMMIT": "1"}, 4),
])
def test_the_setting_that_keeps_blocks_works_for_each_allocator(profile, allocator, knob, keeps):
    def run(extra):
        return largest(profile(PAYS, "again", keeps, 5, allocator=allocator, options=EXACT,
                               env={**knob, **extra}).report())
    had = run({})
    advice = advice_of(had, "keep")
    setting = {name: f"{knob[name]},{value}" if name == "MALLOC_CONF" and knob else value
               for name, value in advice["try"]["env"].items()}
    saved = had["faults"]["count"] - run(setting)["faults"]["count"]
    assert saved == pytest.approx(advice["saves_faults"], rel=0.2)


def test_no_huge_pages_are_advised_where_the_process_turned_them_off(profile):
    """recycled does (PR_SET_THP_DISABLE), as redis does."""
    report = profile(WORKLOAD, "recycled", "--mib", 16, "--policy", "malloc", options=EXACT).report()
    assert report["huge_pages"]["could_be_huge_pages"] == 0
    assert not any(one["kind"] == "huge" for one in largest(report)["advice"])
