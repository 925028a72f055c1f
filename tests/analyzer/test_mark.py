"""ftprof mark: a phase set from outside. A mapping of a file named as the library names its streams
is all that makes a process recorded."""
import json
import mmap
import os
import subprocess
import sys
import time

import pytest

from conftest import FTPROF


@pytest.fixture
def recorded(tmp_path):
    """This very process, made to look recorded: its image's folder."""
    image = tmp_path / "run/python.1"
    image.mkdir(parents=True)
    (image / "metadata").write_text("")
    (image / "blocks_0").write_bytes(bytes(4096))
    with open(image / "blocks_0", "r+b") as file:
        mapping = mmap.mmap(file.fileno(), 4096)
    yield image
    mapping.close()


def mark(*words):
    return subprocess.run([FTPROF, "mark", *map(str, words)], capture_output=True, text=True, timeout=60)


def test_a_mark_has_the_time_and_the_name(recorded):
    before = time.monotonic_ns()
    for name in ("ready", "two words"):
        done = mark(os.getpid(), name)
        assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    lines = (recorded / "marks").read_text().splitlines()
    assert [line.split(" ", 1)[1] for line in lines] == ["ready", "two words"]
    times = [int(line.split()[0]) for line in lines]
    assert before <= times[0] <= times[1] <= time.monotonic_ns()
    assert (recorded / "marks").stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("name", ["", "a\nb", "\x1b[2J", "x" * 256])
def test_names_that_are_none(recorded, name):
    done = mark(os.getpid(), name)
    assert done.returncode == 2 and done.stderr.count("\n") == 1
    assert not (recorded / "marks").exists()


def test_never_through_a_symbolic_link(recorded, tmp_path):
    (recorded / "marks").symlink_to(tmp_path / "elsewhere")
    assert mark(os.getpid(), "ready").returncode == 2
    assert not (tmp_path / "elsewhere").exists()


@pytest.mark.parametrize("words, says", [
    ((os.getpid(), "x"), "is not being recorded"),
    ((4194304, "x"), "is not there"),
    (("abc", "x"), "PID"),
    ((), "PID is required"),
    ((os.getpid(),), "NAME is required"),
])
def test_refusals(words, says):
    done = mark(*words)
    assert done.returncode == 2 and says in done.stderr and done.stderr.count("\n") == 1


PROGRAM = """
import mmap, sys
def touch(mib):
    block = mmap.mmap(-1, mib << 20)
    for at in range(0, mib << 20, 4096):
        block[at] = 1
touch(1)
print('ready', flush=True)
sys.stdin.readline()
touch(2)
"""


def test_a_phase_that_began_from_outside_is_in_the_report(tmp_path):
    folder = tmp_path / "run"
    running = subprocess.Popen([FTPROF, "run", "-q", "-o", folder, "--set", "faults.period=1", "--",
                                sys.executable, "-c", PROGRAM], stdin=subprocess.PIPE,
                               stdout=subprocess.PIPE, text=True)
    assert running.stdout.readline() == "ready\n"
    image = next(folder.glob("*/metadata")).parent
    done = mark(image.name.rsplit(".", 1)[1], "second half")
    assert done.returncode == 0, done.stderr
    running.communicate("go\n", timeout=60)
    report = subprocess.run([FTPROF, "report", folder, "--format", "json"], capture_output=True, text=True,
                            timeout=120, check=True)
    phases = {p["name"]: p["faults"] for p in json.loads(report.stdout)["phases"]}
    assert 512 <= phases["second half"] < 512 + 200 and phases["start"] >= 256
