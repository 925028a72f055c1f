"""The counts of a report against witnesses that are not ours: the kernel's accounting of the child
(wait4), and perf stat around the same run."""
import os
import re
import subprocess

import pytest

from conftest import VICTIMS, WORKLOAD, Profiled, preload_for

PROGRAMS = [[VICTIMS / "refaults"], [VICTIMS / "every_entry"], [WORKLOAD, "cycles", "--quick"],
            [WORKLOAD, "walks", "--mib", "64"], ["/usr/bin/python3", "-c", "b = bytearray(64 << 20)"]]
EXACT = "faults.period=1,faults.timed=all"


def environment(folder):
    return dict(os.environ, LD_PRELOAD=preload_for(), FTPROF_OUTPUT=str(folder), FTPROF_OPTIONS=EXACT)


def rows(report):
    return {row["owner"]: row["faults"] for row in report["ledger"]["rows"]}


@pytest.mark.parametrize("command", PROGRAMS, ids=lambda c: os.path.basename(str(c[0])) + "".join(map(str, c[1:2]))[:8])
def test_total_is_what_wait4_says(command, tmp_path):
    words = [str(word) for word in command]
    with open(os.devnull, "w") as null:
        child = subprocess.Popen(words, env=environment(tmp_path / "run"), stdout=null)
        _, status, usage = os.wait4(child.pid, 0)
    assert status == 0
    report = Profiled(0, "", "", tmp_path / "run").report()
    # What the process pays after the last look is its own end: a few pages of the C library.
    late = usage.ru_minflt - report["ledger"]["minor_faults"]
    assert 0 <= late <= 64
    assert usage.ru_majflt == report["ledger"]["major_faults"]


def test_total_is_what_perf_stat_says(tmp_path, need):
    need("perf")
    counts = ["perf", "stat", "-x", ",", "-e", "minor-faults,major-faults", "-o", tmp_path / "stat", "--"]
    victim = ["env", *(f"{k}={v}" for k, v in environment(tmp_path / "run").items()
                       if k.startswith(("LD_", "FTPROF"))), VICTIMS / "refaults"]
    subprocess.run([*counts, *victim], check=True, capture_output=True)
    text = (tmp_path / "stat").read_text()
    counted = sum(int(n) for n in re.findall(r"^(\d+),,(?:minor|major)-faults", text, re.M))
    report = Profiled(0, "", "", tmp_path / "run").report()
    total = report["ledger"]["minor_faults"] + report["ledger"]["major_faults"]
    # perf stat also sees the profiler's own thread, and the end of the process.
    assert abs(counted - total) <= rows(report)["profiler"] + 64


def test_refaults_are_counted_one_by_one(profile, source):
    report = profile(VICTIMS / "refaults", options=f"faults.source={source},{EXACT}").report()
    assert rows(report)["blocks"] == 2560
    assert report["pool"]["refaulted_after_purge_pages"] == 9 * 256
