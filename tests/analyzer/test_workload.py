"""ftprof-workload: every experiment, at small sizes. Counts must hold; times are never compared."""
import json
import os
import subprocess

import pytest

from conftest import BUILD, ROOT, WORKLOAD, preload_for


def run(*arguments, status=0, **environment):
    result = subprocess.run([WORKLOAD, *map(str, arguments)], capture_output=True, text=True,
                            env={**os.environ, **environment})
    assert result.returncode == status, result.stderr
    if status == 0:
        for line in result.stdout.splitlines():
            assert len(line) <= 100 or line.startswith("RESULT ") or "--json" in arguments
    return result


def run_json(*arguments, **environment):
    return json.loads(run(*arguments, "--json", "-", **environment).stdout)


def by_function(answer):
    return {site["function"]: site for site in answer["sites"]}


def test_help_names_every_experiment():
    text = run("--help").stdout
    for name in ["cycles", "touch", "walks", "recycled", "pagebench", "sites"]:
        assert name in text


@pytest.mark.parametrize("arguments", [["sites", "--pages", 1], ["nothing"], [], ["sites", "--what"]])
def test_bad_arguments_are_refused(arguments):
    assert run(*arguments, status=2).stderr


def test_unwritable_json_is_refused():
    assert "/nowhere/x.json" in run("sites", "--json", "/nowhere/x.json", status=2).stderr


def test_sites_answer_is_fixed_by_its_options():
    options = ["sites", "--pages", 40, "--blocks", 2, "--threads", 3, "--rounds", 4]
    first, second = run_json(*options), run_json(*options)
    # Only where a mapping lands may differ: whether an address had a block before.
    for answer in first, second:
        for site in answer["sites"]:
            reuse = site["reuse"]
            reuse["cold"] = reuse["cold"] + reuse.pop("fresh")
    assert first == second


def test_sites_counts():
    pages, blocks, rounds = 40, 2, 4
    answer = run_json("sites", "--pages", pages, "--blocks", blocks, "--rounds", rounds)
    sites = by_function(answer)
    total = pages * 3  # blocks of 40 and of 80 pages
    assert sites["write_allocate"]["faults"]["write"] == total
    assert sites["partial_allocate"]["untouched_pages"] == total // 2
    assert sites["read_allocate"]["faults"]["zero_read"] == total
    assert sites["read_allocate"]["zero_pages"] == total
    assert sites["read_write_allocate"]["faults"]["write_after_zero_read"] == total // 2
    assert sites["read_write_allocate"]["zero_pages"] == total // 2
    assert sites["populate_allocate"]["faults"]["in_call"] == total
    assert sites["populate_write_allocate"]["faults"]["in_call"] == total
    assert sites["kernel_copy_allocate"]["faults"]["kernel_copy"] == total
    assert sites["remap_allocate"]["faults"]["write"] == rounds * pages
    assert sites["refault_allocate"]["faults"]["write"] == 2 * total
    assert sites["refault_allocate"]["touched_pages"] == total
    assert sites["malloc_allocate"]["faults"]["in_call"] == blocks
    assert sites["aligned_allocate"]["faults"]["in_call"] == 0
    assert sites["heap_allocate"]["reuse"]["warm"] == rounds - 1
    assert sites["heap_allocate"]["faults"]["count"] < 2 * pages
    if "huge pages" not in answer["skipped"]:
        assert sites["huge_allocate"]["faults"]["huge"] == 2


def test_sites_balance():
    for site in run_json("sites")["sites"]:
        faults = site["faults"]
        assert faults["count"] == sum(faults[kind] for kind in faults
                                      if kind not in ("count", "kernel_copy"))
        threads = sum(thread["faults"] for thread in site["touch_threads"])
        assert threads == faults["count"]
        assert site["handed_out_pages"] == site["touched_pages"] + site["untouched_pages"]
        reuse = site["reuse"]
        assert sum(reuse[kind] for kind in ("fresh", "warm", "partial", "cold")) == site["blocks"]


def test_sites_name_their_touchers():
    site = by_function(run_json("sites", "--threads", 3))["threads_allocate"]
    assert [thread["name"] for thread in site["touch_threads"]] == ["toucher-1", "toucher-2", "toucher-3"]


def test_sites_leave_out_what_another_allocator_does():
    answer = run_json("sites", LD_PRELOAD=preload_for("jemalloc", None))
    assert "malloc" in answer["skipped"]
    assert "malloc_allocate" not in by_function(answer)
    assert "write_allocate" in by_function(answer)


CYCLES = ["cycles", "--mib", 8, "--reps", 3, "--thp", "never"]
PAGES = 8 << 20 >> 12


def passes(result):
    return {row["name"]: row for row in result["passes"]}


def test_cycles_counts():
    rows = passes(run_json(*CYCLES))
    assert rows["A pass 1"]["faults"] == [PAGES] * 3
    assert rows["B fresh fill"]["faults"] == [PAGES] * 3
    assert rows["C pass 1, each timed"]["faults"] == [PAGES] * 3
    for name in ["A pass 2", "A pass 2 repeated", "A pass 3, touched fill", "C pass 2, each timed",
                 "D touch again"]:
        assert max(rows[name]["faults"]) == 0, name
    for row in rows.values():
        assert row["reps"] == 3 and len(row["ns"]) == 3


def test_cycles_malloc_is_cold_under_glibc():
    result = run_json(*CYCLES, GLIBC_TUNABLES="glibc.malloc.mmap_threshold=1048576")
    assert min(passes(result)["D touch"]["faults"]) >= PAGES - 1
    assert max(result["recycling"]["resident_pages_at_handout"]) <= 1


def test_cycles_malloc_is_warm_where_the_block_is_kept():
    result = run_json(*CYCLES, GLIBC_TUNABLES="glibc.malloc.mmap_max=0:glibc.malloc.trim_threshold=1073741824")
    assert passes(result)["D touch"]["faults"] == [0] * 3
    assert result["recycling"]["same_block"] == 3
    assert min(result["recycling"]["resident_pages_at_handout"]) >= PAGES


def test_cycles_prints_lines_for_machines():
    text = run(*CYCLES, "--clock-ghz", 3).stdout
    results = [line for line in text.splitlines() if line.startswith("RESULT ")]
    assert len([line for line in results if line.startswith('RESULT pass="')]) == 13
    assert len([line for line in results if line.startswith('RESULT ratio="')]) == 4
    assert "3.00 GHz" in text and "page 4096 bytes" in text


def test_cycles_refuses_more_memory_than_there_is():
    assert "choose a smaller size" in run("cycles", "--mib", 1 << 20, status=2).stderr


@pytest.mark.parametrize("threads", [1, 3])
def test_walks_fault_where_they_must(threads):
    result = run_json("walks", "--mib", 16, "--threads", threads)
    walks = {walk["name"][0]: walk for walk in result["walks"]}
    for name in "ACD":
        assert result["pages"] <= walks[name]["faults"] <= result["pages"] + 10 * threads
    assert walks["B"]["faults"] <= 10 * threads
    assert "A first write" in run("walks", "--mib", 8).stdout


def recycled(*arguments, **environment):
    result = run_json("recycled", "--mib", 2, *arguments, **environment)
    return result, [round["faults"] for round in result["rounds"]]


def test_recycled_munmap_pays_every_round():
    result, faults = recycled("--policy", "munmap", "--blocks", 2)
    assert len(faults) == 5
    assert min(faults) >= 2 * result["pages_per_block"]


@pytest.mark.parametrize("more", [[], ["--hand-over"]])
def test_recycled_pool_pays_once(more):
    result, faults = recycled("--policy", "pool", "--blocks", 3, *more)
    assert faults[0] >= 3 * result["pages_per_block"]
    assert max(faults[1:]) <= 12
    assert [round["same_addresses"] for round in result["rounds"]] == [0, 3, 3, 3, 3]
    assert {round["page_node"] for round in result["rounds"]} == {result["rounds"][0]["page_node"]}


def test_recycled_malloc_is_the_allocators_choice():
    keep = "glibc.malloc.mmap_max=0:glibc.malloc.trim_threshold=1073741824"
    assert max(recycled("--policy", "malloc", GLIBC_TUNABLES=keep)[1][1:]) <= 4
    give_back = "glibc.malloc.mmap_threshold=1048576"
    result, faults = recycled("--policy", "malloc", GLIBC_TUNABLES=give_back)
    assert min(faults) >= result["pages_per_block"] - 1


def test_recycled_threads_are_named():
    rounds = recycled("--hand-over", "--rounds", 2)[0]["rounds"]
    assert [round["thread"] for round in rounds] == ["round-1", "round-2"]


TOUCH_MODES = ["default", "nohugepage", "hugepage", "populate", "populate-write", "malloc-memset",
               "calloc", "vector-zero", "vector-one"]


def test_touch_pays_where_it_must():
    result = run_json("touch", "all", "--mib", 32)
    modes = {row["mode"]: row for row in result["modes"]}
    assert list(modes) == TOUCH_MODES
    pages = result["pages"]
    assert modes["nohugepage"]["first"]["faults"] >= pages
    for name in ["populate", "populate-write", "malloc-memset", "vector-zero", "vector-one"]:
        assert modes[name]["first"]["faults"] <= 10
        assert modes[name]["allocation"]["faults"] > 10
    for name in ["default", "nohugepage", "hugepage", "calloc"]:
        assert modes[name]["allocation"]["faults"] <= 10
        assert modes[name]["resident_pages_at_handout"] <= 1
        assert modes[name]["first"]["faults"] > 10
    for row in modes.values():
        assert row["second"]["faults"] <= 10
        assert row["rss_bytes"] >= 32 << 20


def test_touch_huge_pages_are_taken_or_refused():
    row = run_json("touch", "hugepage", "--mib", 32)["modes"][0]
    refused = row["thp_fault_fallback"] > 0
    with open("/sys/kernel/mm/transparent_hugepage/enabled") as setting:
        refused = refused or "[never]" in setting.read()
    assert refused or row["huge_bytes"] > 0
    assert refused or row["first"]["faults"] < 100


def test_touch_one_mode_as_a_table():
    text = run("touch", "populate", "--mib", 8).stdout
    assert "populate" in text and "vector-one" not in text


BENCHMARKS = {"alloc_free_pair": 9, "random_replace": 9, "alloc_memset_free": 9, "random_replace_mt8": 5}


def test_pagebench_rows_and_join(tmp_path):
    a, b = tmp_path / "a.txt", tmp_path / "b.txt"
    a.write_text(run("pagebench", "--scale", 0.001).stdout)
    b.write_text(run("pagebench", "--scale", 0.001, "--only", "^random_replace/").stdout)
    rows = [line.split()[0] for line in a.read_text().splitlines() if line.endswith(("ns/op", "GiB/s"))]
    for benchmark, count in BENCHMARKS.items():
        assert len([row for row in rows if row.split("/")[0] == benchmark]) == count
    assert "resident set" in a.read_text()
    joined = run("pagebench", "--join", a, b).stdout.splitlines()
    assert joined[0].split() == ["name", "a", "b", "(a-b)/b"]
    sizes = [int(line.split()[0].split("/")[1]) for line in joined[1:]]
    assert sizes == sorted(sizes) and len(sizes) == 9


def test_pagebench_names_its_allocator():
    text = run("pagebench", "--scale", 0.001, "--only", "pair/16$", LD_PRELOAD=preload_for("jemalloc", None)).stdout
    assert "allocator jemalloc" in text and "its page 4096 bytes" in text


def test_pagebench_bad_input(tmp_path):
    empty = tmp_path / "empty"
    empty.write_text("")
    assert "holds no row" in run("pagebench", "--join", empty, empty, status=2).stderr
    assert "regular expression" in run("pagebench", "--only", "(", status=2).stderr


def test_experiments_script_writes_its_summary(tmp_path):
    done = subprocess.run([ROOT / "scripts/experiments", "-q", tmp_path / "out"], capture_output=True,
                          text=True, env={**os.environ, "FTPROF_BUILD": str(BUILD)})
    assert done.returncode == 0, done.stderr
    summary = (tmp_path / "out/summary.md").read_text()
    for name in ["cycles", "touch", "walks", "recycled-pool", "pagebench", "sites"]:
        assert f"## {name}\n" in summary
        assert json.loads((tmp_path / f"out/{name}.json").read_text())
    assert "<cycle_a_first_pass>:" in summary and "memset" in summary


def test_experiments_script_writes_no_summary_when_a_check_fails(tmp_path):
    workload = tmp_path / "build/tests/workload/ftprof-workload"
    workload.parent.mkdir(parents=True)
    # As the real one, but a check of walks fails.
    workload.write_text(f'#!/bin/sh\n[ "$1" != walks ] || exit 1\nexec {WORKLOAD} "$@"\n')
    workload.chmod(0o755)
    done = subprocess.run([ROOT / "scripts/experiments", "-q", tmp_path / "out"], capture_output=True,
                          text=True, env={**os.environ, "FTPROF_BUILD": str(tmp_path / "build")})
    assert done.returncode == 1
    assert "no summary" in done.stderr
    assert not (tmp_path / "out/summary.md").exists()
