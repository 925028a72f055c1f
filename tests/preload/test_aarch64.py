"""The library on 64-bit ARM: built by the cross compiler, run in qemu's user mode. That has no perf
events and another process's idea of page faults, so blocks, stacks and page counts are what is held
against the truth here, not the faults."""
import os
import shutil
import subprocess
import sys
import pathlib

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import trace as traces  # noqa: E402
from conftest import BUILD, ROOT  # noqa: E402

TOOLS = {"aarch64-linux-gnu-g++": "g++-aarch64-linux-gnu", "qemu-aarch64": "qemu-user"}
SYSROOT = "/usr/aarch64-linux-gnu"


@pytest.fixture(scope="module")
def built():
    missing = [package for tool, package in TOOLS.items() if shutil.which(tool) is None]
    if missing:
        pytest.skip(f"needs {', '.join(missing)} (scripts/setup installs them)")
    folder = BUILD / "aarch64"
    environment = {k: v for k, v in os.environ.items() if k not in ("CC", "CXX")}
    if not (folder / "build.ninja").exists():
        subprocess.run(["meson", "setup", folder, ROOT, "--cross-file", ROOT / "scripts/aarch64.ini",
                        "-Dlibrary_only=true"], check=True, capture_output=True, env=environment)
    done = subprocess.run(["ninja", "-C", folder], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout[-2000:]
    return folder


def profiled(folder, tmp_path, victim, *arguments, status=0):
    """(what it wrote, its trace)"""
    options = "overhead.budget=100%,residency.probe=full"
    command = ["qemu-aarch64", "-L", SYSROOT, "-E", f"LD_PRELOAD={folder}/preload/libftprof.so",
               "-E", f"FTPROF_OUTPUT={tmp_path}/run", "-E", f"FTPROF_OPTIONS={options}",
               folder / "tests/victims" / victim, *arguments]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert done.returncode == status, done.stderr
    [image] = (tmp_path / "run").iterdir()
    return done.stdout, traces.Trace(image)


def test_pages_are_counted(built, tmp_path):
    output, trace = profiled(built, tmp_path, "first_touches", "read_write")
    assert output.endswith("ok first_touches read_write\n")
    begin, size = map(int, output.split()[:2])
    last = [e for e in trace.named("Residency") if e.addr <= begin < e.addr + e.size][-1]
    assert last.resident_pages == size // 4096


def test_stacks_reach_main_from_every_entry(built, tmp_path):
    output, trace = profiled(built, tmp_path, "every_entry")
    assert output.endswith("ok every_entry\n")
    depths = {e.id: e.depth for e in trace.named("Stack")}
    blocks = trace.named("Block")
    assert len(blocks) == 18
    assert all(depths[block.stack] >= 3 for block in blocks)
    assert len(trace.named("Release")) == 18


@pytest.mark.parametrize("victim", ["coroutine", "many_threads", "reallocs", "small_stacks"])
def test_programs_survive(built, tmp_path, victim):
    output, _ = profiled(built, tmp_path, victim)
    assert output.splitlines()[-1].startswith(f"ok {victim}")


def test_exceptions_pass_through(built, tmp_path):
    output, _ = profiled(built, tmp_path, "throws", status=6)
    assert output == "ok throws\n"
