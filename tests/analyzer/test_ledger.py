"""The ledger balances on programs that nobody here wrote: its rows add up to what getrusage counted
for the process, and at most 2 % have no owner. The witness is the kernel, asked by another process."""
import contextlib
import os
import pathlib
import signal
import subprocess
import time

import pytest

from conftest import FTPROF, Profiled, WORKLOAD, preload_for

EXACT = "faults.period=1,faults.timed=all"
SQL = """
create table t(a integer, b text);
with recursive n(i) as (select 1 union all select i+1 from n where i<200000)
insert into t select i, hex(randomblob(20)) from n;
create index ti on t(b);
select count(*) from t;
"""
PYTHON = """
import json
big = [bytearray(3 << 20) for _ in range(20)]
text = json.dumps([{"k%d" % i: i * 1.5} for i in range(60000)])
print(len(text), sum(map(len, big)), len(json.loads(text)))
"""
# As git does: one small file mapped, read and unmapped after the other.
SMALL_FILES = """
import mmap, sys
big = bytearray(1 << 20)
with open(sys.executable, 'rb') as file:
    for _ in range(2000):
        with mmap.mmap(file.fileno(), 16384, prot=mmap.PROT_READ) as view:
            view[0]
"""


def assert_balanced(report):
    ledger = report["ledger"]
    assert sum(row["faults"] for row in ledger["rows"]) == \
        ledger["minor_faults"] + ledger["major_faults"]
    blocks = next(row["faults"] for row in ledger["rows"] if row["owner"] == "blocks")
    assert sum(site["faults"]["count"] for site in report["sites"]) == blocks
    # Looking pages up shows whose the blocks' pages are; nobody saw the other faults.
    if report["run"]["fault_source"] == "perf":
        assert ledger["accounted_share"] >= 0.98, ledger


@pytest.mark.parametrize("options", ["", "faults.period=1", "faults.source=pagemap"])
def test_pages_of_a_pool_are_the_pools_alone(profile, options):
    """The mapping that the program's pool cuts its blocks from pays for none of them again."""
    report = profile(WORKLOAD, "recycled", "--policy", "pool", options=options).report()
    rows = {row["owner"]: row["faults"] for row in report["ledger"]["rows"]}
    assert (rows["blocks"], rows["kernel_copy"]) == (16384, 0)
    assert {site["api"] for site in report["sites"] if site["faults"]["count"]} == {"pool"}


def image(report, name):
    return next(p for p in report["processes"] if p["name"] == name)


@pytest.mark.parametrize("command", [
    ["/usr/bin/python3", "-c", PYTHON],
    ["sqlite3", ":memory:", SQL],
    ["/usr/bin/python3", "-c", SMALL_FILES],
    [WORKLOAD, "cycles", "--quick"],
    [WORKLOAD, "walks", "--mib", "64"],
], ids=["python3", "sqlite3", "small_files", "cycles", "walks"])
def test_ledger_balances(profile, command, source):
    run = profile(*command, options=f"faults.source={source},{EXACT}")
    assert run.status == 0, run.stderr
    report = run.report()
    assert report["run"]["fault_source"] == source
    assert_balanced(report)


def minor_faults(pid):
    return int(pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[7])


@contextlib.contextmanager
def redis(folder, options):
    """A profiled redis-server on a socket in `folder`; gives (process, the words of its client)."""
    environment = dict(os.environ, FTPROF_OUTPUT=str(folder / "run"), FTPROF_OPTIONS=options)
    socket = folder / "s"
    server = subprocess.Popen(
        ["env", f"LD_PRELOAD={preload_for()}", "redis-server", "--port", "0", "--unixsocket",
         str(socket), "--dir", str(folder), "--save", "", "--logfile", str(folder / "log")],
        env=environment)
    client = ["redis-cli", "-s", str(socket)]
    try:
        while subprocess.run([*client, "ping"], capture_output=True).stdout != b"PONG\n":
            assert server.poll() is None, (folder / "log").read_text()
            time.sleep(0.01)
        yield server, client
    finally:
        server.send_signal(signal.SIGTERM)
        server.wait(timeout=60)


def test_redis_under_load_balances(tmp_path, need, source):
    need("redis-server")
    with redis(tmp_path, f"faults.source={source},{EXACT}") as (server, client):
        subprocess.run(["redis-benchmark", "-s", str(tmp_path / "s"), "-t", "set,get", "-d",
                        str(1 << 20), "-n", "300", "-r", "50", "-c", "4", "-q"],
                       check=True, capture_output=True, timeout=120)
        seen = minor_faults(server.pid)
    report = Profiled(0, "", "", tmp_path / "run").report()
    assert_balanced(report)
    # Between the witness's look and the end of the server lies its shutdown.
    counted = report["ledger"]["minor_faults"]
    assert seen <= counted <= seen * 1.02 + 500
