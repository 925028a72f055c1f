"""A site of mixed kinds, two touching functions and two threads: kinds, touch sites, threads and phases
each add up to what the site cost, however many of its faults carry their time."""
import pytest

from conftest import VICTIMS

ROUNDS = 5
ALL_TIMED = "faults.source=perf,faults.period=1,faults.timed=all,overhead.budget=100%"
SOME_TIMED = "faults.source=perf,faults.period=1,overhead.budget=20%"
NONE_TIMED = "faults.source=perf,faults.period=1,faults.timed=none"


def mixed_site(report):
    return next(site for site in report["sites"] if site["function"] == "mixed_block")


@pytest.mark.parametrize("options", [ALL_TIMED, SOME_TIMED, NONE_TIMED], ids=["all", "some", "none"])
def test_every_part_of_a_mixed_site_adds_up(profile_whole, options):
    _, report = profile_whole(VICTIMS / "mixed", ROUNDS, options=options)
    site = mixed_site(report)
    faults, cost = site["faults"], site["cost"]["total_ns"]
    assert [faults[kind] for kind in ("write", "zero_read", "write_after_zero_read")] == \
        [600 * ROUNDS, 900 * ROUNDS, 300 * ROUNDS]
    for parts in ("touch_sites", "touch_threads", "phases"):
        assert sum(part["faults"] for part in site[parts]) == faults["count"], parts
        assert sum(part["cost_ns"] for part in site[parts]) == pytest.approx(cost, rel=1e-6), parts
    assert {part["function"] for part in site["touch_sites"]} >= {"load", "store"}
    kinds = site["cost"]["by_kind_ns"]
    if options == ALL_TIMED and "zero_read" in kinds:  # Linux 6.7
        assert sum(kinds.values()) == pytest.approx(cost, rel=1e-6)
        assert {"write", "zero_read", "write_after_zero_read"} <= set(kinds)
    assert sum(kinds.values()) <= cost * (1 + 1e-6)
    rows = {row["owner"]: row for row in report["ledger"]["rows"]}
    assert sum(s["cost"]["total_ns"] for s in report["sites"]) == pytest.approx(rows["blocks"]["cost_ns"])
