"""Every victim survives the library: its last line still says ok, its status and output are what they
are bare, and babeltrace2 reads whatever trace it left to the end."""
import os
import pathlib
import signal
import subprocess

import pytest

from conftest import LIBRARY, VICTIMS, preload_for

PLUGINS = [VICTIMS / "plugin_first.so", VICTIMS / "plugin_other.so"]
ENDINGS = {"exit": 0, "_exit": 0, "_Exit": 0, "quick_exit": 0, "thread": 0, "last_thread": 0,
           "exec": 0, "abort": -signal.SIGABRT, "kill": -signal.SIGKILL, "term": -signal.SIGTERM,
           "segv": -signal.SIGSEGV}
# Victims with what stands behind their name; {tmp} is the test's folder.
EVERYWHERE = {
    "atfork_handlers": [], "cancelled": [], "coroutine": [], "early_blocks": [], "exchanged": [],
    "exec_self": [], "fork_threads": [], "fork_tree": [], "many_threads": [], "mapping_forms": [],
    "raw_fork": [], "signal_storm": [], "small_stacks": [], "spawn": [], "throws": [],
    "tsd_destructors": [], "unwinder": [],
}
ON_GLIBC = {
    "chdir_early": [], "close_all": [], "daemonize": ["{tmp}/own"], "descriptors": [],
    "dropped_privileges": [], "error_contract": [], "every_entry": [],
    "handler_on_alternate_stack": [], "jailed": ["{tmp}/jail"], "jailed before": ["{tmp}/jail", "1"],
    "loader_race": [], "mapping_errors": [], "namespaces": [], "no_unwind_info": [], "own_pool": [],
    "own_malloc": [], "private_entries": [], "program_break": [],
    "plugins": PLUGINS, "refaults": [], "sealed": [], "sealed before": ["before"],
    "sealed by syscall": ["after", "1"], "sigwait": [],
    **{f"low_limits {name}": [name] for name in ("nofile", "fsize", "as", "memlock", "nproc")},
}
EXPECTED_STATUS = {"throws": 6}


def command(name, arguments, tmp_path):
    (tmp_path / "jail").mkdir(exist_ok=True)
    return [VICTIMS / name.split()[0], *(str(a).format(tmp=tmp_path) for a in arguments)]


def assert_readable(run):
    for image in run.images:
        done = subprocess.run(["babeltrace2", "-o", "dummy", image], capture_output=True, text=True)
        assert done.returncode == 0 and not done.stderr, f"{image}: {done.stderr}"


def assert_survives(profile, name, arguments, tmp_path, **how):
    words = command(name, arguments, tmp_path)
    bare = subprocess.run(words, capture_output=True, text=True, timeout=120)
    run = profile(*words, **how)
    assert (run.status, run.stdout) == (bare.returncode, bare.stdout), run.stderr
    assert run.status == EXPECTED_STATUS.get(name.split()[0], 0)
    last = run.stdout.splitlines()[-1]
    assert last.startswith(f"ok {name.split()[0]}"), run.stdout[-500:]
    assert_readable(run)
    return run


@pytest.mark.parametrize("name", EVERYWHERE)
def test_survives_over_every_allocator(profile, allocator, name, tmp_path):
    assert_survives(profile, name, EVERYWHERE[name], tmp_path, allocator=allocator)


@pytest.mark.parametrize("name", ON_GLIBC)
def test_survives(profile, name, tmp_path):
    assert_survives(profile, name, ON_GLIBC[name], tmp_path)


@pytest.mark.parametrize("name", list(EVERYWHERE) + list(ON_GLIBC))
def test_survives_with_everything_on(profile, name, tmp_path):
    """Every page is a block, every fault is timed, every page is looked up, every call counted."""
    options = ("blocks.min_size=4KiB,faults.period=1,faults.timed=all,residency.probe=full,"
               "calls.count=true,overhead.budget=100%,snapshot.interval=20ms")
    arguments = {**EVERYWHERE, **ON_GLIBC}[name]
    assert_survives(profile, name, arguments, tmp_path, options=options)


@pytest.mark.parametrize("name", ["exchanged", "fork_threads", "signal_storm", "sealed"])
def test_survives_without_collector(profile, name, tmp_path):
    assert_survives(profile, name, [], tmp_path, options="collector.thread=false")


@pytest.mark.parametrize("how", ENDINGS)
def test_trace_is_complete_up_to_any_ending(profile, how):
    run = profile(VICTIMS / "endings", how)
    assert run.status == ENDINGS[how], run.stderr
    assert run.stdout == "ok endings\n"
    assert_readable(run)
    report = run.report()
    makers = [s for s in report["sites"] if any(f["function"] == "make_blocks" for f in s["stack"])]
    assert sum(site["blocks"]["count"] for site in makers) == 20
    assert report["run"]["complete"] == (how not in ("abort", "kill", "term", "segv"))


def test_processes_of_a_fork_tree_are_kept_apart(profile):
    run = profile(VICTIMS / "fork_tree")
    assert run.status == 0, run.stderr
    assert len(run.images) == 7
    report = run.report()
    assert len(report["processes"]) == 7
    # generation g makes 10 + g blocks: one parent, three children, three grandchildren
    made = sum(site["blocks"]["count"] for site in report["sites"]
               if site["api"] == "malloc" and any(f["function"] == "make_blocks" for f in site["stack"]))
    assert made == 10 + 3 * 11 + 3 * 12


def test_exec_makes_an_image_each_time(profile):
    run = profile(VICTIMS / "exec_self")
    assert run.status == 0, run.stderr
    assert len(run.images) == 4


@pytest.mark.parametrize("order", ["ours first", "ours last"])
def test_another_preload_whose_hooks_allocate(order, tmp_path):
    libraries = [str(LIBRARY), str(VICTIMS / "libnoisy_preload.so")]
    if order == "ours last":
        libraries.reverse()
    words = ["env", f"LD_PRELOAD={' '.join(libraries)}", f"FTPROF_OUTPUT={tmp_path}/run", "/bin/date", "+ok"]
    done = subprocess.run(words, capture_output=True, text=True, timeout=20)
    assert (done.returncode, done.stdout, done.stderr) == (0, "ok\n", "")


def test_environment_that_holds_nothing_else(tmp_path):
    for descriptors in ("", "2>&-", ">&- 2>&-"):
        script = f"exec env -i LD_PRELOAD='{preload_for()}' /bin/true {descriptors}"
        assert subprocess.run(["bash", "-c", script], cwd=tmp_path, timeout=20).returncode == 0
    assert list(tmp_path.iterdir()) == []


def mounted(tmp_path, mount, command):
    """Runs `command` in a mount namespace of its own after `mount`."""
    if os.geteuid():
        pytest.skip("mounting needs root")
    script = f"mount --make-rprivate / && {mount} && exec {command}"
    return subprocess.run(["unshare", "-m", "sh", "-c", script], capture_output=True, text=True,
                          cwd=tmp_path, timeout=60)


def test_without_proc(tmp_path):
    done = mounted(tmp_path, "mount -t tmpfs none /proc",
                   f"env LD_PRELOAD='{preload_for()}' FTPROF_OUTPUT={tmp_path}/run {VICTIMS}/exchanged")
    assert (done.returncode, done.stdout) == (0, "ok exchanged\n"), done.stderr
    assert len(done.stderr.splitlines()) <= 1


def test_disk_that_fills_up(tmp_path):
    disk = tmp_path / "disk"
    disk.mkdir()
    script = (f"mount -t tmpfs -o size=900k none {disk}",
              f"sh -c \"env LD_PRELOAD='{preload_for()}' FTPROF_OPTIONS=overhead.budget=100% "
              f"FTPROF_OUTPUT={disk}/run {VICTIMS}/exchanged && cp -r {disk}/run {tmp_path}/kept\"")
    done = mounted(tmp_path, *script)
    assert (done.returncode, done.stdout) == (0, "ok exchanged\n"), done.stderr
    assert len(done.stderr.splitlines()) == 1 and "ftprof" in done.stderr
    for metadata in pathlib.Path(tmp_path / "kept").glob("*/metadata"):
        read = subprocess.run(["babeltrace2", "-o", "dummy", metadata.parent], capture_output=True)
        assert read.returncode == 0, read.stderr


@pytest.mark.parametrize("output", ["/proc/forbidden", "/dev/full/x", "/etc/hostname"])
def test_output_that_cannot_be_made(output, tmp_path):
    words = ["env", f"LD_PRELOAD={preload_for()}", f"FTPROF_OUTPUT={output}", VICTIMS / "exchanged"]
    done = subprocess.run(words, capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout) == (0, "ok exchanged\n")
    assert len(done.stderr.splitlines()) == 1 and output in done.stderr


def test_a_link_in_the_way_is_not_followed(profile, tmp_path):
    target = tmp_path / "precious"
    target.mkdir()
    (tmp_path / "link").symlink_to(target)
    words = ["env", f"LD_PRELOAD={preload_for()}", f"FTPROF_OUTPUT={tmp_path}/link", VICTIMS / "exchanged"]
    done = subprocess.run(words, capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout) == (0, "ok exchanged\n")
    assert list(target.iterdir()) == []


def test_process_without_big_blocks_writes_nothing(profile):
    run = profile("/bin/echo", "hi")
    assert (run.status, run.stdout, run.stderr) == (0, "hi\n", "")
    assert not run.folder.exists()


def test_only_hooked_names_are_exported():
    names = subprocess.run(["nm", "-D", "--defined-only", LIBRARY], capture_output=True, text=True,
                           check=True).stdout
    assert len(names.splitlines()) > 40
    assert "_Unwind" not in names and "unw_" not in names
    needed = subprocess.run(["readelf", "-d", LIBRARY], capture_output=True, text=True, check=True).stdout
    assert "libunwind" not in needed and "libstdc++" not in needed
