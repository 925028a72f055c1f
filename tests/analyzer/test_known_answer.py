"""The known answer: `ftprof-workload sites` prints what its sites must cost; a report of the same run
must say so, number by number. docs/workload.md defines the numbers."""
import collections
import json

import pytest

from conftest import WORKLOAD

# Every fault and every block: a busy machine would else sample blocks to hold the budget.
EXACT = "faults.period=1,overhead.budget=100%"
OPTIONS = [[], ["--pages", 100, "--blocks", 4, "--threads", 5, "--rounds", 6, "--huge-ranges", 3]]
PAGES = {"handed_out": "handed_out_pages", "touched": "touched_pages",
         "untouched": "untouched_pages", "zero": "zero_pages", "huge": "huge_pages"}
KINDS = ["count", "write", "zero_read", "write_after_zero_read", "huge", "in_call", "kernel_copy"]
REUSE = ["fresh", "warm", "partial", "cold", "warm_pages"]


def the_truth(run):
    """{function: {number's name: value}} as the program printed it."""
    rows = {}
    for site in json.loads(run.stdout)["sites"]:
        row = {"api": site["api"], "blocks": site["blocks"], "bytes": site["bytes"]}
        row.update({f"pages.{name}": site[key] for name, key in PAGES.items()})
        row.update({f"faults.{kind}": site["faults"][kind] for kind in KINDS})
        row.update({f"reuse.{name}": site["reuse"][name] for name in REUSE})
        for thread in site["touch_threads"]:
            row[f"thread.{thread['name']}"] = thread["faults"]
        rows[site["function"]] = row
    return rows


def the_report(report):
    """The same from the report, for the sites of the workload; one function may have two stacks."""
    rows = collections.defaultdict(lambda: collections.Counter())
    apis = {}
    for site in report["sites"]:
        if not (site["function"] or "").endswith("_allocate"):
            continue
        row = rows[site["function"]]
        apis.setdefault(site["function"], set()).add(site["api"])
        row.update({"blocks": site["blocks"]["count"], "bytes": site["blocks"]["bytes"]})
        row.update({f"pages.{name}": site["pages"][name] for name in PAGES})
        row.update({f"faults.{kind}": site["faults"][kind] for kind in KINDS})
        row.update({f"reuse.{name}": site["reuse"][name] for name in REUSE})
        for thread in site["touch_threads"]:
            row[f"thread.{thread['name']}"] += thread["faults"]
    return {function: {"api": "+".join(sorted(apis[function])), **row}
            for function, row in rows.items()}


def differences(truth, report, wanted):
    """Lines "site: number: reported, must be", over the numbers whose names begin as `wanted`."""
    lines = [f"{name}: in one of them only" for name in sorted(set(truth) ^ set(report))]
    for function in sorted(set(truth) & set(report)):
        names = set(truth[function]) | set(report[function])
        for name in sorted(name for name in names if name.startswith(wanted)):
            must, says = truth[function].get(name, 0), report[function].get(name, 0)
            if says != must:
                lines.append(f"{function}: {name}: {says}, must be {must}")
    return lines


@pytest.fixture(params=OPTIONS, ids=["small", "larger"])
def options(request):
    return request.param


@pytest.fixture(params=[False, True], ids=["root", "user"])
def user(request):
    return request.param


def profiled_sites(profile, source, options, **how):
    """(the run, its report), of a run that lost nothing: a machine that starves the collector makes
    it lose records, which the report must state and which only another run can bring back."""
    for _ in range(5):
        run = profile(WORKLOAD, "sites", *options, "--json", "-", timeout=600,
                      options=f"faults.source={source},{EXACT}", **how)
        assert run.status == 0, run.stderr
        report = run.report()
        assert report["run"]["fault_source"] == source
        if report["run"]["lost_fault_records"] == report["run"]["lost_block_records"] == 0:
            return run, report
    pytest.fail("records were lost in each of five runs")


def test_perf_mode_knows_every_number(profile, options, user):
    run, report = profiled_sites(profile, "perf", options, user=user)
    wanted = ("api", "blocks", "bytes", "pages.", "faults.", "reuse.", "thread.")
    assert not differences(the_truth(run), the_report(report), wanted)


def test_pagemap_mode_knows_every_page(profile, options, user):
    run, report = profiled_sites(profile, "pagemap", options, user=user)
    assert not differences(the_truth(run), the_report(report), ("api", "blocks", "bytes", "pages."))


@pytest.mark.parametrize("allocator", ["jemalloc", "mimalloc", "tcmalloc"])
def test_mapped_sites_hold_before_any_allocator(profile, allocator):
    run, report = profiled_sites(profile, "perf", [], allocator=allocator)
    wanted = ("api", "blocks", "bytes", "pages.", "faults.", "thread.")
    assert not differences(the_truth(run), the_report(report), wanted)
