"""What the kernel drops while the collector stands still is stated, also where no record comes after
it that could say so: the test holds the collector until the program has nothing more to do."""
import os
import pathlib
import subprocess
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import trace as traces  # noqa: E402
from conftest import VICTIMS, Profiled, preload_for  # noqa: E402
from held_thread import held  # noqa: E402

MIB = 64  # more faults than the ring of a CPU holds


def run_while_held(folder, options):
    """The victim's run: the collector is held from its first touch until it is about to end."""
    options = f"faults.source=perf,faults.period=1,overhead.budget=100%,{options}"
    env = dict(os.environ, LD_PRELOAD=preload_for(), FTPROF_OUTPUT=str(folder), FTPROF_OPTIONS=options)
    # On one CPU: one ring has it all.
    victim = subprocess.Popen(["taskset", "-c", "0", VICTIMS / "held", str(MIB)], env=env, text=True,
                              stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    ready = victim.stdout.readline()
    with held(victim.pid, "ftprof"):
        go_on(victim)
        assert victim.stdout.readline() == "touched\n"
        go_on(victim)
    assert victim.wait(60) == 0
    return Profiled(0, ready, "", folder)


def go_on(victim):
    victim.stdin.write("\n")
    victim.stdin.flush()


def paid(run):
    return int(run.stdout.split()[2])


def test_each_record_is_there_or_stated_as_lost(tmp_path):
    run = run_while_held(tmp_path / "run", "faults.timed=none")
    trace = traces.Trace(run.images[0])
    lost = sum(event.records for event in trace.named("Lost"))
    blocks = [block for block in trace.named("Block") if block.size == MIB << 20]
    inside = sum(any(b.addr <= f.addr < b.addr + b.size for b in blocks) for f in trace.faults())
    assert lost > 0
    assert paid(run) == pytest.approx(inside + lost, abs=8)  # a few for the streams


def test_the_report_counts_the_pages_and_says_what_is_lost(tmp_path):
    run = run_while_held(tmp_path / "run", "faults.timed=all")
    report = run.report()
    assert report["run"]["lost_fault_records"] > 0
    assert any("were lost" in note for note in report["run"]["notes"])
    rows = {row["owner"]: row["faults"] for row in report["ledger"]["rows"]}
    assert rows["blocks"] == pytest.approx(paid(run), abs=8)
    assert rows["kernel_copy"] == 0 and rows["unattributed"] < 50


def test_a_fault_that_failed_holds_up_no_other(profile):
    """One CPU's faults are written in order; a thread that never faults again must not block them."""
    options = "faults.source=perf,faults.period=1,faults.timed=all,overhead.budget=100%"
    run = profile("taskset", "-c", "0", VICTIMS / "fails_and_waits", options=options)
    rows = {row["owner"]: row["faults"] for row in run.report()["ledger"]["rows"]}
    assert rows["blocks"] == pytest.approx(800, abs=2) and rows["kernel_copy"] == 0
