"""The allocators' policies for large blocks, below the hooks: each shows in the report, and its knob
changes the report as it should. The program counts its own faults in every round, so the classes and
the refaults of the report are held against getrusage."""
import json

import pytest

from conftest import VICTIMS, WORKLOAD

EXACT = "faults.source=perf,faults.period=1,overhead.budget=100%"
NEVER = 1 << 30  # a threshold that no block reaches


def tunables(**values):
    return {"GLIBC_TUNABLES": ":".join(f"glibc.malloc.{key}={value}" for key, value in values.items())}


def malloc_conf(text):
    return {"MALLOC_CONF": text}


def site_of(report, function):
    return next(site for site in report["sites"] if site["function"] == function)


def recycled(profile_whole, allocator, knob, mib=4, rounds=5, options=EXACT):
    """(what each round paid, the site, the report) of blocks that malloc hands out, one at a time."""
    run, report = profile_whole(WORKLOAD, "recycled", "--policy", "malloc", "--mib", mib, "--rounds",
                                rounds, "--json", "-", allocator=allocator, env=knob, options=options)
    assert report["run"]["allocator"]["name"] == allocator
    return [r["faults"] for r in json.loads(run.stdout)["rounds"]], site_of(report, "recycled_malloc"), report


def classes(site):
    return {name: site["reuse"][name] for name in ["fresh", "warm", "partial", "cold"]
            if site["reuse"][name]}


KEPT = {"fresh": 1, "warm": 4}
DROPPED = {"fresh": 1, "cold": 4}
POLICIES = [
    # The first free of a mapped block moves the threshold above it: from then on the heap has it.
    ("glibc", {}, 4, {"fresh": 2, "warm": 3}),
    ("glibc", {}, 40, DROPPED),  # above M_MMAP_THRESHOLD_MAX: a mapping each time
    ("glibc", tunables(mmap_threshold=1 << 20), 4, DROPPED),
    ("glibc", tunables(mmap_threshold=NEVER, trim_threshold=NEVER), 4, KEPT),
    ("glibc", tunables(mmap_max=0, trim_threshold=NEVER), 40, KEPT),
    ("jemalloc", malloc_conf("dirty_decay_ms:-1"), 4, KEPT),
    ("jemalloc", malloc_conf("dirty_decay_ms:0,muzzy_decay_ms:0"), 4, DROPPED),
    # Blocks from 8 MiB on have an arena of their own, which purges at once.
    ("jemalloc", {}, 16, DROPPED),
    ("jemalloc", malloc_conf("oversize_threshold:0,dirty_decay_ms:-1"), 16, KEPT),
    ("jemalloc", malloc_conf("oversize_threshold:1048576"), 4, DROPPED),
    ("mimalloc", {"MIMALLOC_DECOMMIT_DELAY": "100000"}, 4, KEPT),
    ("mimalloc", {"MIMALLOC_DECOMMIT_DELAY": "0"}, 4, DROPPED),
    ("mimalloc", {"MIMALLOC_RESET_DELAY": "0"}, 4, DROPPED),  # its name in earlier versions
    ("mimalloc", {"MIMALLOC_DECOMMIT_DELAY": "0", "MIMALLOC_ALLOW_DECOMMIT": "0"}, 4, KEPT),
    # Above half a segment a block is a segment, mapped and unmapped with it wherever there is room.
    ("mimalloc", {"MIMALLOC_ALLOW_DECOMMIT": "0"}, 32, {"fresh": 5}),
    ("tcmalloc", {}, 4, KEPT),
    ("tcmalloc", {"TCMALLOC_AGGRESSIVE_DECOMMIT": "1"}, 4, DROPPED),
]


@pytest.mark.parametrize("allocator, knob, mib, expected", POLICIES,
                         ids=[f"{p[0]}-{'-'.join(p[1].values())}-{p[2]}" for p in POLICIES])
def test_each_policy_shows(profile_whole, allocator, knob, mib, expected):
    paid, site, report = recycled(profile_whole, allocator, knob, mib)
    assert classes(site) == expected
    reuse, pages = site["reuse"], mib * 256
    ends = 2 * len(paid)  # pages that a block shares with its neighbours belong to none of them
    # Two of the allocators hand out the second block some pages further on, once.
    shift = 16 if allocator in ("mimalloc", "tcmalloc") else 0
    assert sum(paid) == pytest.approx(site["faults"]["count"], abs=ends)
    refaulted = sum(paid[expected["fresh"]:])
    assert reuse["refaulted_after_purge_pages"] == pytest.approx(refaulted, abs=ends + shift)
    purged = sum(1 for faults in paid if faults > pages / 2)  # rounds that found nothing
    if expected.get("warm", 0) == 0:
        assert reuse["purged_pages"] == pytest.approx(purged * pages, abs=ends)
        assert any("gives the" in words for words in report["pool"]["verdicts"])
    else:
        assert reuse["warm_pages"] == pytest.approx(expected["warm"] * pages, abs=ends + shift)
        assert any("keeps the" in words for words in report["pool"]["verdicts"])


@pytest.mark.parametrize("knob, expected", [
    (tunables(mmap_max=0), DROPPED),  # the heap's end goes back at every free
    (tunables(mmap_max=0, trim_threshold=NEVER), KEPT),
])
def test_glibc_trims_the_end_of_its_heap(profile_whole, knob, expected):
    _, report = profile_whole(VICTIMS / "pays", "again", 4, 5, env=knob, options=EXACT)
    assert classes(site_of(report, "again")) == expected


def test_a_trim_that_no_call_shows_is_found_at_the_next_hand_out(profile_whole):
    """Four blocks at a time are freed; the third free trims the heap below the first two."""
    run, report = profile_whole(WORKLOAD, "recycled", "--policy", "malloc", "--mib", 1, "--blocks", 4,
                                "--json", "-", options=EXACT)
    paid = [r["faults"] for r in json.loads(run.stdout)["rounds"]]
    reuse = site_of(report, "recycled_malloc")["reuse"]
    assert reuse["refaulted_after_purge_pages"] == pytest.approx(sum(paid[2:]), abs=8)
    assert report["pool"]["idle_at_end_bytes"] < 1 << 20


@pytest.mark.parametrize("arenas, crosses", [(8, 0), (1, 1)])
def test_glibc_arenas_keep_threads_apart(profile_whole, arenas, crosses):
    knob = tunables(mmap_max=0, trim_threshold=NEVER, arena_max=arenas)
    run, report = profile_whole(VICTIMS / "arenas", env=knob, options=EXACT)
    pool = report["pool"]
    assert (pool["warm"], pool["cross_thread"]) == (crosses, crosses)
    paid_by_the_second = int(run.stdout.split()[-1])
    assert paid_by_the_second == pytest.approx(0 if crosses else 2048, abs=8)


@pytest.mark.parametrize("retain", ["true", "false"])
def test_jemalloc_retains_addresses(profile_whole, retain):
    """Purged either way. Retained addresses serve the next block; unmapped ones may come back or not."""
    knob = malloc_conf(f"dirty_decay_ms:0,muzzy_decay_ms:0,retain:{retain}")
    _, site, _ = recycled(profile_whole, "jemalloc", knob)
    assert site["reuse"]["warm"] == 0 and site["reuse"]["purged_pages"] >= 5 * 1000
    if retain == "true":
        assert classes(site) == DROPPED


def test_mimalloc_resets_pages_lazily(profile_whole):
    """MADV_FREE: given back, yet resident until the kernel needs them."""
    knob = {"MIMALLOC_PAGE_RESET": "1", "MIMALLOC_ALLOW_DECOMMIT": "0"}
    paid, site, _ = recycled(profile_whole, "mimalloc", knob)
    assert classes(site) == KEPT and sum(paid) < 1.1 * 1024
    assert site["reuse"]["purged_pages"] >= 4 * 1000


@pytest.mark.parametrize("rate, released", [("0", 0), ("1", 1), ("10000000", 5)])
def test_tcmalloc_releases_at_its_rate(profile_whole, rate, released):
    """It begins after 2 GiB were freed, 32 rounds here, and waits the longer the lower the rate."""
    paid, site, _ = recycled(profile_whole, "tcmalloc", {"TCMALLOC_RELEASE_RATE": rate}, mib=64, rounds=36)
    assert site["reuse"]["cold"] == released
    assert sum(paid[1:]) == pytest.approx(released * 64 * 256, abs=100)
    assert site["reuse"]["refaulted_after_purge_pages"] == pytest.approx(sum(paid[2:]), abs=100)
