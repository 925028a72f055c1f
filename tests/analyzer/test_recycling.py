"""`recycled` and `cycles` under every allocator: the classes of the hand-outs, the faults and the
refaults of the report are those that the program counted itself, round by round (getrusage, mincore)."""
import json

import pytest

from conftest import ALLOCATORS, WORKLOAD

EXACT = "faults.source=perf,faults.period=1,overhead.budget=100%"
MIB, ROUNDS = 4, 5
PAGES = MIB * 256
ENDS = 2  # pages that a block may share with its neighbours
EVERY_ALLOCATOR = pytest.mark.parametrize("allocator", [*ALLOCATORS, "libmalloc"])


def run_workload(profile_whole, *arguments, options, allocator):
    run, report = profile_whole(WORKLOAD, *arguments, "--json", "-", allocator=allocator, options=options)
    return json.loads(run.stdout), report


def recycled(profile_whole, policy, allocator, options=EXACT):
    """(what each round paid, the report, the site of its blocks)"""
    answer, report = run_workload(profile_whole, "recycled", "--policy", policy, "--mib", MIB, "--rounds",
                                  ROUNDS, options=options, allocator=allocator)
    function = {"munmap": "recycled_map", "malloc": "recycled_malloc",
                "pool": "ftprof::workload::KeepingPool::take"}[policy]
    [site] = [site for site in report["sites"] if site["function"].split("(")[0] == function and
              site["api"] == {"munmap": "mmap"}.get(policy, policy)]
    return [r["faults"] for r in answer["rounds"]], report, site


def as_paid(paid, pages=PAGES):
    """The classes that rounds of one block must have, by what they paid."""
    return {"warm": sum(1 for faults in paid if faults <= 0.1 * pages),
            "partial": sum(1 for faults in paid if 0.1 * pages < faults < 0.9 * pages),
            "cold or fresh": sum(1 for faults in paid if faults >= 0.9 * pages)}


def as_reported(site):
    reuse = site["reuse"]
    return {"warm": reuse["warm"], "partial": reuse["partial"],
            "cold or fresh": reuse["cold"] + reuse["fresh"]}


@EVERY_ALLOCATOR
@pytest.mark.parametrize("policy", ["munmap", "pool", "malloc"])
def test_rounds_are_reported_as_they_were_paid(profile_whole, allocator, policy):
    paid, report, site = recycled(profile_whole, policy, allocator)
    assert as_reported(site) == as_paid(paid)
    if policy != "malloc":  # whole pages: nothing is shared
        # The thread's own stack may have grown beside the first round's pages.
        assert 0 <= sum(paid) - site["faults"]["count"] <= 4
        assert site["reuse"]["refaulted_after_purge_pages"] == 0
        return
    assert site["faults"]["count"] == pytest.approx(sum(paid), abs=ENDS * ROUNDS)
    # The fresh rounds came first; what they paid had not been purged.
    again = sum(paid[site["reuse"]["fresh"]:])
    shift = 16  # mimalloc and tcmalloc hand out the second block some pages further on
    assert site["reuse"]["refaulted_after_purge_pages"] == pytest.approx(again, abs=ENDS * ROUNDS + shift)
    pool = report["pool"]
    assert pool["refaulted_after_purge_pages"] == site["reuse"]["refaulted_after_purge_pages"]
    assert pool["handouts"] == sum(pool[name] for name in ["fresh", "warm", "partial", "cold", "unknown"])


@EVERY_ALLOCATOR
def test_cycle_d_is_as_the_allocator_made_it(profile_whole, allocator):
    """40 MiB: glibc and jemalloc give it back at once, mimalloc too, tcmalloc and libmalloc keep it."""
    mib, reps = 40, 3
    answer, report = run_workload(profile_whole, "cycles", "--mib", mib, "--reps", reps, "--thp", "never",
                                  options=EXACT, allocator=allocator)
    site = next(site for site in report["sites"] if site["function"] == "cycle_d_malloc")
    touches = next(one for one in answer["passes"] if one["name"] == "D touch")["faults"]
    calls = next(one for one in answer["passes"] if one["name"] == "D malloc")["faults"]
    paid = [call + touch for call, touch in zip(calls, touches)]  # of the timed ones
    expected = as_paid(paid, mib * 256)
    expected["cold or fresh"] += 1  # the warm-up's
    assert as_reported(site) == expected
    assert expected["warm"] == (reps if allocator in ("tcmalloc", "libmalloc") else 0)
    assert site["faults"]["count"] == pytest.approx(sum(paid) + mib * 256, abs=ENDS * (reps + 1) + 16)


@EVERY_ALLOCATOR
def test_default_settings_tell_the_same_classes(profile_whole, allocator):
    """Where the budget let every block be recorded; a loaded machine may use it up."""
    paid, _, site = recycled(profile_whole, "malloc", allocator, options="")
    if site["blocks"]["sampled_one_in"] == 1 and site["reuse"]["unknown"] == 0:
        assert as_reported(site) == as_paid(paid)
        assert site["faults"]["count"] == pytest.approx(sum(paid), abs=ENDS * ROUNDS + 16)
