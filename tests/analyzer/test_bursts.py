"""The default settings: faults are recorded in bursts, and the report must tell the truth all the
same. docs/report.md, "Between bursts", says what is exact, what is estimated and how well."""
import sqlite3
import subprocess

import pytest

from conftest import FTPROF, Profiled, VICTIMS, WORKLOAD
from test_ledger import PYTHON, SQL, redis

ACCOUNTED = 0.98


def rows_of(report):
    return {row["owner"]: row for row in report["ledger"]["rows"]}


def site(report, function):
    return next(s for s in report["sites"] if s["function"] == function)


def assert_adds_up(run, report, tmp_path):
    """By owner, over time, by phase and by slice: the same bill."""
    ledger = report["ledger"]
    faults = ledger["minor_faults"] + ledger["major_faults"]
    assert sum(row["faults"] for row in ledger["rows"]) == faults
    assert sum(report["timeline"]["faults"]) == faults
    assert sum(phase["faults"] for phase in report["phases"]) == faults
    file = tmp_path / "run.sqlite"
    subprocess.run([FTPROF, "export", run.folder, "--format", "sqlite", "-o", file], check=True)
    slices, cost = sqlite3.connect(file).execute("select sum(faults), sum(cost_ns) from faults").fetchone()
    assert slices == faults
    for sum_of in (cost, sum(report["timeline"]["fault_ns"]),
                   sum(phase["cost_ns"] for phase in report["phases"])):
        assert sum_of == pytest.approx(ledger["cost_ns"], rel=1e-6)
    assert sum(thread["faults"] for thread in report["threads"]) <= faults + len(report["threads"])


def test_walks_are_accounted_for_with_their_kinds(profile, tmp_path):
    pages = 128 * 256
    run = profile(WORKLOAD, "walks", "--mib", "128")
    report = run.report()
    assert_adds_up(run, report, tmp_path)
    assert report["ledger"]["accounted_share"] >= ACCOUNTED, report["ledger"]
    written, read = site(report, "walk_region_a")["faults"], site(report, "walk_region_c")["faults"]
    assert (written["write"], written["zero_read"], written["error"]) == (pages, 0, None)
    error = 3 * read["error"] + 10
    for kind in ("zero_read", "write_after_zero_read"):
        assert abs(read[kind] - pages) <= error and error < 0.1 * pages, read


def test_small_owners_are_priced_like_small_pages(profile, tmp_path):
    """Huge pages cost a thousand times as much, and are none of the small heap's."""
    run = profile(WORKLOAD, "touch", "all", "--mib", "64", timeout=300)
    report = run.report()
    assert_adds_up(run, report, tmp_path)
    rows = rows_of(report)
    blocks = site(report, "touch_map_no_huge")
    each = blocks["cost"]["total_ns"] / blocks["faults"]["count"]
    for owner in ("small_heap", "stack", "file", "other_anonymous", "unattributed"):
        row = rows[owner]
        assert row["faults"] == 0 or row["cost_ns"] / row["faults"] < 20 * each, row


@pytest.mark.parametrize("command", [["/usr/bin/python3", "-c", PYTHON], ["sqlite3", ":memory:", SQL]],
                         ids=["python3", "sqlite3"])
def test_programs_are_accounted_for(profile, tmp_path, command):
    run = profile(*command)
    report = run.report()
    assert_adds_up(run, report, tmp_path)
    assert report["ledger"]["accounted_share"] >= ACCOUNTED, report["ledger"]


def test_redis_is_accounted_for(tmp_path, need):
    need("redis-server")
    with redis(tmp_path, "") as (_, client):
        subprocess.run([*client, "debug", "populate", "20000", "key", "1000"], check=True,
                       capture_output=True)
    run = Profiled(0, "", "", tmp_path / "run")
    report = run.report()
    assert_adds_up(run, report, tmp_path)
    assert report["ledger"]["accounted_share"] >= ACCOUNTED, report["ledger"]


def test_a_thread_that_names_itself_last_has_that_name(profile):
    run = profile(VICTIMS / "late_name", options="faults.source=perf,faults.period=1")
    report = run.report()
    touchers = [t for s in report["sites"] for t in s["touch_threads"] if t["faults"] == 512]
    assert [t["name"] for t in touchers] == ["late-name"]
