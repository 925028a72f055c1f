"""A short run of every fuzz target; scripts/fuzz SECONDS runs them for longer."""
import os
import shutil
import subprocess

import pytest

from conftest import BUILD, ROOT


def test_nothing_is_found_in_a_short_run():
    if not shutil.which("clang++-14"):
        pytest.skip("clang++-14 is not installed")
    environment = dict(os.environ, FTPROF_BUILD=str(BUILD), FTPROF_FUZZ_BUILD=str(BUILD.parent / "build-fuzz-short"),
                       FTPROF_FUZZ_OPTIMIZATION="0")
    done = subprocess.run([ROOT / "scripts/fuzz", "10"], env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout[-5000:] + done.stderr[-2000:]
    assert done.stdout.count("nothing found") == 6, done.stdout
