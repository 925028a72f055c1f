"""A machine of two nodes and an older kernel, in qemu: pages, nodes and threads are reported as they
are. One boot for all tests; the workload's own account (move_pages, getcpu) is the truth."""
import json
import os
import shutil
import subprocess

import pytest

from conftest import BUILD, FTPROF, LIBMALLOC, LIBRARY, ROOT, WORKLOAD

HERE = ROOT / "tests/numa"
ROUNDS, PAGES = 4, 4096  # of 16 MiB
RECYCLED = f"{WORKLOAD} recycled --hand-over --rounds {ROUNDS} --mib 16"

# run NAME "LD_PRELOAD" COMMAND...: its trace in NAME, what it printed beside it.
SCRIPT = f"""
run() {{
  name=$1 preload=$2; shift 2
  env LD_PRELOAD="$preload" FTPROF_OUTPUT=$PWD/$name FTPROF_OPTIONS="$options" "$@" \\
    >$name.stdout 2>$name.stderr || echo "$name: status $?" >>failed
  echo "$name ended after $(cut -d' ' -f1 /proc/uptime) s" >/dev/console
}}
# Balancing would move pages in the middle of a round.
echo 0 >/proc/sys/kernel/numa_balancing
uname -r >kernel
cat /sys/devices/system/node/online >nodes
options=faults.period=1
run mapped "{LIBRARY}" {RECYCLED} --policy munmap --json mapped.json
options=
run kept "{LIBRARY} {LIBMALLOC}" {RECYCLED} --policy malloc --json kept.json
run pooled "{LIBRARY}" {RECYCLED} --policy pool --json pooled.json
options=faults.source=pagemap
run counted "{LIBRARY}" {RECYCLED} --policy munmap --json counted.json
test ! -e failed
"""


@pytest.fixture(scope="module")
def machine(tmp_path_factory):
    """The folder of results that the machine left."""
    for program in ("qemu-system-x86_64", "busybox", "cpio"):
        if not shutil.which(program):
            pytest.skip(f"{program} is not installed")
    kernel = subprocess.run([HERE / "fetch-kernel", BUILD / "numa"], capture_output=True, text=True)
    if kernel.returncode == 77:
        pytest.skip(kernel.stderr.strip())
    assert kernel.returncode == 0, kernel.stderr
    folder = tmp_path_factory.mktemp("numa")
    script = folder / "script"
    script.write_text(SCRIPT)
    results = folder / "results"
    boot = subprocess.run([HERE / "boot", kernel.stdout.strip(), results, script, WORKLOAD, LIBRARY,
                           LIBMALLOC], capture_output=True, text=True,
                          env=dict(os.environ, NUMA_TIMEOUT="300"))
    assert boot.returncode == 0, boot.stderr
    failed = results / "failed"
    assert not failed.exists(), failed.read_text()
    return results


class Run:
    def __init__(self, results, name):
        self.truth = json.loads((results / f"{name}.json").read_text())
        self.stderr = (results / f"{name}.stderr").read_text()
        done = subprocess.run([FTPROF, "report", results / name, "--format", "json"],
                              capture_output=True, text=True, timeout=120)
        assert done.returncode == 0, done.stderr
        self.report = json.loads(done.stdout)

    def site(self, function, api=None):
        """The site that asked for the rounds' blocks."""
        sites = [site for site in self.report["sites"] if api in (None, site["api"])
                 and any(frame["function"] == function for frame in site["stack"])]
        assert len(sites) == 1, [site["function"] for site in self.report["sites"]]
        return sites[0]


@pytest.fixture(params=["mapped", "kept", "pooled", "counted"])
def any_run(request, machine):
    return Run(machine, request.param)


def test_machine(machine):
    assert (machine / "kernel").read_text().startswith("6.1.")
    assert (machine / "nodes").read_text() == "0-1\n"


def test_nothing_is_said_and_the_nodes_are_counted(any_run):
    assert any_run.stderr == ""
    assert any_run.report["run"]["numa_nodes"] == 2
    assert any_run.report["run"]["kernel"].startswith("6.1.")


def pages_by_node(site):
    return {entry["node"]: entry["pages"] for entry in site["placement"]}


@pytest.mark.parametrize("name", ["mapped", "counted"])
def test_a_fresh_block_lies_where_its_toucher_runs(machine, name):
    run = Run(machine, name)
    assert [r["page_node"] for r in run.truth["rounds"]] == [0, 1] * (ROUNDS // 2)
    site = run.site("recycled_map")
    assert site["pages"]["touched"] == ROUNDS * PAGES
    assert pages_by_node(site) == {0: ROUNDS // 2 * PAGES, 1: ROUNDS // 2 * PAGES}
    assert site["reuse"]["cross_node"] == 0
    assert site["reuse"]["warm"] == 0


def test_faults_are_exact_and_by_thread(machine):
    site = Run(machine, "mapped").site("recycled_map")
    assert site["faults"]["count"] == ROUNDS * PAGES
    threads = {thread["name"]: thread["faults"] for thread in site["touch_threads"]}
    assert threads == {f"round-{i + 1}": PAGES for i in range(ROUNDS)}


def test_a_kept_block_stays_on_its_first_touchers_node(machine):
    """Behind the allocator that keeps the block, every second holder runs on the other node."""
    run = Run(machine, "kept")
    assert [r["page_node"] for r in run.truth["rounds"]] == [0] * ROUNDS
    assert [r["thread_node"] for r in run.truth["rounds"]] == [0, 1] * (ROUNDS // 2)
    site = run.site("recycled_malloc")
    assert site["faults"]["count"] == PAGES
    assert site["reuse"]["warm"] == ROUNDS - 1
    assert site["reuse"]["cross_thread"] == ROUNDS - 1
    assert site["reuse"]["cross_node"] == ROUNDS // 2
    assert pages_by_node(site) == {0: ROUNDS * PAGES}
    assert run.report["pool"]["cross_node"] == ROUNDS // 2


def test_the_feeding_site_is_named_with_the_pages_across(machine):
    run = Run(machine, "kept")
    site = run.site("recycled_malloc")
    feeds = [feed for feed in run.report["pool"]["feeds"] if feed["to_site"] == site["id"]]
    assert [(feed["from_site"], feed["handouts"], feed["cross_node_pages"]) for feed in feeds] == [
        (site["id"], ROUNDS - 1, ROUNDS // 2 * PAGES)]


def test_a_pool_of_the_program_hands_pages_across(machine):
    run = Run(machine, "pooled")
    assert [r["page_node"] for r in run.truth["rounds"]] == [0] * ROUNDS
    site = run.site("recycled_pool_take", api="pool")
    assert site["reuse"]["warm"] == ROUNDS - 1
    assert site["reuse"]["cross_node"] == ROUNDS // 2
    assert pages_by_node(site) == {0: ROUNDS * PAGES}


def test_the_ledger_balances(any_run):
    ledger = any_run.report["ledger"]
    assert sum(row["faults"] for row in ledger["rows"]) == ledger["minor_faults"]
    assert ledger["accounted_share"] >= 0.98
