"""Blocks of small victims under the real library, read from the trace itself: each hand-out once,
under the name the program called, with its give-back."""
import pathlib
import re
import subprocess
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import trace as traces  # noqa: E402
from conftest import ALLOCATORS, LIBRARY, ROOT, VICTIMS, preload_for  # noqa: E402

EVERY_BLOCK = "overhead.budget=100%"
MIB = 1 << 20
FORMAT = (ROOT / "preload/trace_format.h").read_text()
API_TABLE = FORMAT[FORMAT.index("#define FTPROF_APIS"):FORMAT.index("enum class Api")]
API = {name: number for number, name in enumerate(re.findall(r"\bAPI\((\w+)\)", API_TABLE))}
NAMES = {number: name for name, number in API.items()}


def only_trace(run):
    assert run.status == 0, run.stdout + run.stderr
    assert len(run.images) == 1
    return traces.Trace(run.images[0])


def handed_out(trace, apis=None):
    """(name, size) of each block, in order."""
    return [(NAMES[e.api], e.size) for e in trace.named("Block")
            if apis is None or NAMES[e.api] in apis]


ENTRIES = ["malloc", "calloc", "realloc", "reallocarray", "posix_memalign", "aligned_alloc", "memalign",
           "valloc", "pvalloc", "operator_new", "operator_new_array", "operator_new",
           "operator_new_array", "operator_new", "operator_new_array", "operator_new",
           "operator_new_array", "mmap"]
WITHOUT = {"jemalloc": ["no-pvalloc"], "mimalloc": ["no-pvalloc,no-throw"]}


def test_every_entry_is_one_block(profile, allocator):
    run = profile(VICTIMS / "every_entry", *WITHOUT.get(allocator, []), allocator=allocator,
                  options=EVERY_BLOCK)
    trace = only_trace(run)
    expected = [(name, MIB + i * 65536) for i, name in enumerate(ENTRIES)
                if name != "pvalloc" or allocator not in WITHOUT]
    assert handed_out(trace) == expected
    live = {}
    for event in trace.events:
        if event.name == "Block":
            live[event.addr] = event
        elif event.name == "Release":
            given = NAMES[live.pop(event.addr).api]
            back = NAMES[event.api]
            wanted = {"operator_new": "operator_delete", "operator_new_array": "operator_delete_array",
                      "mmap": "munmap"}
            assert back == wanted.get(given, "free")
    assert not live


def test_calls_are_counted_when_asked_for(profile):
    trace = only_trace(profile(VICTIMS / "every_entry", options=EVERY_BLOCK + ",calls.count=true"))
    calls = {NAMES[e.api]: e.calls for e in trace.named("Calls")}
    for name in ("calloc", "reallocarray", "posix_memalign", "aligned_alloc", "memalign", "valloc",
                 "pvalloc", "mmap", "munmap"):
        assert calls[name] == 1, name
    assert calls["operator_new"] >= 4 and calls["operator_delete_array"] == 4


def test_realloc_in_every_form(profile):
    trace = only_trace(profile(VICTIMS / "reallocs", options=EVERY_BLOCK))
    events = [(e.name, e.size if e.name == "Block" else None, bool(e.fields.get("flags", 0) & 2))
              for e in trace.events if e.name in ("Block", "Release")]
    block = lambda mib, again=False: ("Block", mib * MIB, again)  # noqa: E731
    release = ("Release", None, False)
    assert events == [block(1), release, block(3), release, block(3, True), release, block(2), release,
                      block(4), release, block(5), release]


def test_ranges_are_cut_as_the_program_cut_them(profile):
    """Followed by the events alone, what is left of the tracked mappings is what the kernel has."""
    trace = only_trace(profile(VICTIMS / "mapping_forms", options=EVERY_BLOCK))
    pages = set()

    def span(begin, size):
        return range(begin // 4096, (begin + size + 4095) // 4096)

    sizes = {}
    for event in trace.events:
        if event.name == "Block" and NAMES[event.api] in ("mmap", "mremap"):
            pages.update(span(event.addr, event.size))
            sizes[event.addr] = event.size
        elif event.name == "Release" and NAMES[event.api] in ("munmap", "mremap"):
            pages.difference_update(span(event.addr, sizes[event.addr]))
        elif event.name == "RangeOp" and event.kind in (1, 4):  # unmap, replace
            pages.difference_update(span(event.addr, event.size))
    last = max(e.fields["pass"] for e in trace.named("Mapping"))
    mapped = set()
    for line in trace.named("Mapping"):
        if line.fields["pass"] == last:
            mapped.update(range(line.begin // 4096, line.end // 4096))
    assert pages and pages <= mapped
    # holes 764, spanning 200, remapping 512 + 2 shared views of 256 KiB
    assert len(pages) * 4 == 764 + 200 + 512 + 2 * 256


def test_the_program_break_is_followed(profile):
    """Raised, it is a block; lowered below a block's begin, that block's end."""
    run = profile(VICTIMS / "program_break", options=EVERY_BLOCK)
    trace = only_trace(run)
    assert run.stdout == "ok program_break\n"
    sizes = [size for name, size in handed_out(trace) if name == "brk"]
    assert [(size + 4095) // MIB for size in sizes] == [1, 2, 3]
    assert len(trace.named("Release")) == 2 and all(e.resident_pages > 500 for e in trace.named("Release"))
    assert run.report()["ledger"]["accounted_share"] > 0.98


@pytest.mark.parametrize("allocator", ["jemalloc", "mimalloc", "tcmalloc"])
def test_private_entries_of_an_allocator(profile, allocator):
    """Blocks asked for by names that only this allocator has, given back by either interface."""
    run = profile(VICTIMS / "private_entries", allocator=allocator, options=EVERY_BLOCK)
    trace = only_trace(run)
    assert run.stdout == f"ok private_entries {allocator}\n"
    blocks = [("allocator_private", n * MIB) for n in (1, 2, 3)]
    assert handed_out(trace) == blocks + [("malloc", 4 * MIB), ("allocator_private", 5 * MIB)]
    assert len(trace.named("Release")) == 5


def test_mappings_of_a_program_with_its_own_malloc(profile):
    run = profile(VICTIMS / "own_malloc", options=EVERY_BLOCK)
    trace = only_trace(run)
    assert run.stdout == "ok own_malloc\n"
    assert handed_out(trace, {"mmap"}) == [("mmap", 4 * MIB)]
    assert any("own_malloc" in e.fields["value"] for e in trace.named("Attribute")
               if e.fields["key"] == "note")


def test_no_allocator_is_pretended(profile):
    run = profile(VICTIMS / "private_entries")
    assert (run.status, run.stdout) == (0, "ok private_entries none\n")


def test_marks_and_a_pool_of_the_programs_own(profile):
    bare = subprocess.run([VICTIMS / "marks"], capture_output=True, text=True)
    assert (bare.returncode, bare.stdout) == (0, "ok marks\n")
    trace = only_trace(profile(VICTIMS / "marks", options=EVERY_BLOCK))
    assert [e.fields["name"] for e in trace.named("Mark")] == ["loading", "ready"]
    assert handed_out(trace, {"pool"}) == [("pool", MIB)] * 3
    given_back = [e for e in trace.named("Release") if NAMES[e.api] == "pool"]
    assert len(given_back) == 3 and all(e.resident_pages == e.probed_pages > 250 for e in given_back)


def test_a_failed_exec_changes_nothing(profile):
    trace = only_trace(profile(VICTIMS / "exec_fails", options=EVERY_BLOCK))
    assert len(handed_out(trace)) == 4
    assert trace.named("Usage")[-1].final == 1


def test_library_that_allocates_under_the_locale_lock(profile):
    run = profile(VICTIMS / "locale_in_constructor", timeout=20)
    assert (run.status, run.stdout) == (0, "ok locale_in_constructor\n")


def test_sampled_blocks_stand_for_all(profile):
    """One million pairs cannot be recorded within the budget; their number is still known."""
    trace = only_trace(profile(VICTIMS / "pairs", 1000000))
    blocks = [e for e in trace.named("Block") if NAMES[e.api] == "malloc"]
    assert len(blocks) < 100000
    assert 0.5e6 < sum(e.weight for e in blocks) < 2e6
    releases = [e for e in trace.named("Release") if NAMES[e.api] == "free"]
    assert len(releases) == len(blocks)


def test_a_trace_stays_within_its_size(profile):
    """Whatever the budget would allow, blocks are thinned out before trace.max_size is reached."""
    run = profile(VICTIMS / "pairs", 300000, options=EVERY_BLOCK + ",trace.max_size=2MiB")
    trace = only_trace(run)
    assert sum(file.stat().st_size for file in run.images[0].iterdir()) <= 2 * MIB
    weights = sum(e.weight for e in trace.named("Block") if NAMES[e.api] == "malloc")
    assert 0.5 * 300000 < weights < 2 * 300000


@pytest.mark.parametrize("name", ["jemalloc", "mimalloc", "tcmalloc"])
def test_an_allocator_in_front_is_said(name, tmp_path):
    preload_for(name)
    words = ["env", f"LD_PRELOAD={ALLOCATORS[name]}:{LIBRARY}", f"FTPROF_OUTPUT={tmp_path}/run",
             VICTIMS / "exchanged"]
    done = subprocess.run(words, capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout) == (0, "ok exchanged\n")
    assert len(done.stderr.splitlines()) == 1
    assert ALLOCATORS[name].name in done.stderr and "before libftprof.so" in done.stderr


def test_wrong_settings_are_named_and_the_program_runs(profile):
    run = profile(VICTIMS / "exchanged", options="blocks.min_siz=1MiB,faults.period=often")
    assert (run.status, run.stdout) == (0, "ok exchanged\n")
    lines = run.stderr.splitlines()
    assert len(lines) == 2 and all(line.startswith("ftprof: FTPROF_OPTIONS: ") for line in lines)
    assert "unknown setting" in lines[0] and "blocks.min_siz=1MiB" in lines[0]
    assert "bad value" in lines[1] and "faults.period=often" in lines[1]


def test_exports_are_the_hooks_and_nothing_else():
    names = re.findall(r"^HOOK\((\w+),", (ROOT / "preload/hooks.def").read_text(), re.M)
    table = subprocess.run(["nm", "-D", "--defined-only", LIBRARY], capture_output=True, text=True,
                           check=True).stdout
    assert sorted(line.split()[-1] for line in table.splitlines()) == sorted(names)


def test_the_library_needs_libc_alone():
    table = subprocess.run(["readelf", "-d", LIBRARY], capture_output=True, text=True, check=True).stdout
    assert re.findall(r"NEEDED.*\[(.*)\]", table) == ["libc.so.6"]
