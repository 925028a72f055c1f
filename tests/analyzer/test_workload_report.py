"""Reports of the experiments: kinds, classes of hand-outs, touch sites and phases must be what the
experiment did. Perf mode with period 1, so that every count is exact."""
import json

import pytest

from conftest import WORKLOAD

EXACT = "faults.source=perf,faults.period=1,overhead.budget=100%"  # no block is sampled
COLD_MALLOC = {"GLIBC_TUNABLES": "glibc.malloc.mmap_threshold=1048576"}
WARM_MALLOC = {"GLIBC_TUNABLES": "glibc.malloc.mmap_max=0:glibc.malloc.trim_threshold=1073741824"}


def run_workload(profile, *arguments, **how):
    """(what the workload printed, {function: site}, the report), of a run that lost no record."""
    for _ in range(5):
        run = profile(WORKLOAD, *arguments, "--json", "-", options=EXACT, timeout=600, **how)
        assert run.status == 0, run.stderr
        report = run.report()
        assert report["run"]["fault_source"] == "perf"
        if report["run"]["lost_fault_records"] == 0:
            break
    else:
        pytest.fail("records were lost in each of five runs")
    sites = {(site["function"] or "").split("(")[0]: site for site in report["sites"]}
    return json.loads(run.stdout), sites, report


def kinds(site):
    """The kinds that are not zero."""
    names = ["write", "zero_read", "write_after_zero_read", "huge", "in_call", "kernel_copy"]
    return {name: site["faults"][name] for name in names if site["faults"][name]}


def classes(site):
    return {name: site["reuse"][name] for name in ["fresh", "warm", "partial", "cold"]
            if site["reuse"][name]}


def touchers(site):
    return {touch["function"].split("(")[0]: touch["faults"] for touch in site["touch_sites"]}


@pytest.mark.parametrize("threads", [1, 3])
def test_walks_kinds_and_touch_sites(profile, threads):
    answer, sites, _ = run_workload(profile, "walks", "--mib", 16, "--threads", threads)
    pages = answer["pages"]
    assert kinds(sites["walk_region_a"]) == {"write": pages}
    assert kinds(sites["walk_region_c"]) == {"zero_read": pages, "write_after_zero_read": pages}
    assert touchers(sites["walk_region_a"]) == {"walk_a_first_write": pages}
    assert touchers(sites["walk_region_c"]) == {"walk_c_first_read": pages,
                                                "walk_d_write_after_read": pages}


def test_touch_kinds(profile):
    answer, sites, _ = run_workload(profile, "touch", "all", "--mib", 16)
    pages = answer["pages"]
    huge = {row["mode"]: row["huge_bytes"] for row in answer["modes"]}
    assert kinds(sites["touch_map_no_huge"]) == {"write": pages}
    if not any(huge[mode] for mode in huge if mode != "hugepage"):
        assert kinds(sites["touch_map"]) == {"write": pages}
        assert kinds(sites["touch_map_populate"]) == {"in_call": pages}
        assert kinds(sites["touch_map_populate_write"]) == {"in_call": pages}
        # The header's page is touched in the call; the block's end lies in one page more.
        for name in ["touch_malloc_memset", "touch_vector_zero", "touch_vector_one"]:
            assert kinds(sites[name]) == {"in_call": 1, "write": pages}
        assert kinds(sites["touch_calloc"]) == {"in_call": 1, "write": pages - 1}
    if huge["hugepage"] == 16 << 20:
        assert kinds(sites["touch_map_huge"]) == {"huge": 8}


def test_cycles_tell_cold_from_kept(profile):
    cycles = ["cycles", "--mib", 40, "--reps", 2, "--thp", "never"]
    pages = 40 << 20 >> 12
    _, sites, report = run_workload(profile, *cycles)
    mapped, allocated = sites["cycle_a_map"], sites["cycle_d_malloc"]
    assert "warm" not in classes(mapped) and mapped["blocks"]["count"] == 3
    assert touchers(mapped) == {"cycle_a_first_pass": 3 * pages}
    assert "warm" not in classes(allocated) and allocated["blocks"]["count"] == 3
    assert allocated["faults"]["count"] == 3 * pages
    assert {"cycle A", "cycle B", "cycle C", "cycle D"} <= {phase["name"] for phase in report["phases"]}


def test_cycles_behind_libmalloc_are_warm(profile):
    cycles = ["cycles", "--mib", 40, "--reps", 2, "--thp", "never"]
    answer, sites, _ = run_workload(profile, *cycles, allocator="libmalloc")
    assert answer["recycling"]["same_block"] == 2
    allocated = sites["cycle_d_malloc"]
    # The first may lie where a mapping of cycles A to C lay: cold, not fresh.
    assert classes(allocated) in ({"fresh": 1, "warm": 2}, {"cold": 1, "warm": 2})
    assert allocated["faults"]["count"] == 40 << 20 >> 12


def paid_again(answer):
    """What getrusage counted in all rounds but the first."""
    return sum(round["faults"] for round in answer["rounds"][1:])


def test_recycled_munmap_is_cold(profile):
    answer, sites, _ = run_workload(profile, "recycled", "--mib", 4)
    site = sites["recycled_map"]
    assert site["blocks"]["count"] == 5
    assert site["faults"]["write"] == 5 * answer["pages_per_block"]
    same = sum(round["same_addresses"] for round in answer["rounds"])
    assert classes(site) == {"fresh": 5 - same, **({"cold": same} if same else {})}


@pytest.mark.parametrize("hand_over", [[], ["--hand-over"]])
def test_recycled_pool_is_warm(profile, hand_over):
    answer, sites, report = run_workload(profile, "recycled", "--mib", 4, "--policy", "pool", *hand_over)
    site = sites["ftprof::workload::KeepingPool::take"]
    assert site["api"] == "pool"
    assert classes(site) == {"fresh": 1, "warm": 4}
    assert site["faults"]["write"] == answer["pages_per_block"]
    assert site["reuse"]["warm_pages"] == 4 * answer["pages_per_block"]
    assert site["reuse"]["cross_thread"] == (4 if hand_over else 0)
    assert {f"round {i}" for i in range(1, 6)} <= {phase["name"] for phase in report["phases"]}


def test_recycled_malloc_that_gives_back_is_cold(profile):
    answer, sites, _ = run_workload(profile, "recycled", "--mib", 4, "--policy", "malloc", env=COLD_MALLOC)
    site = sites["recycled_malloc"]
    assert "warm" not in classes(site)
    assert site["faults"]["count"] == 5 * answer["pages_per_block"]


def test_recycled_malloc_that_keeps_is_warm(profile):
    answer, sites, _ = run_workload(profile, "recycled", "--mib", 4, "--policy", "malloc", env=WARM_MALLOC)
    site = sites["recycled_malloc"]
    assert classes(site) == {"fresh": 1, "warm": 4}
    assert paid_again(answer) <= 4
