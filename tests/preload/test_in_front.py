"""An allocator that stands before libftprof.so in LD_PRELOAD: the program runs as ever, and one line
says what is not seen and what to do."""
import os
import subprocess

import pytest

from conftest import ALLOCATORS, LIBMALLOC, LIBRARY, VICTIMS, preload_for

IN_FRONT = [name for name in ALLOCATORS if name != "glibc"] + ["libmalloc"]


@pytest.mark.parametrize("allocator", IN_FRONT)
def test_an_allocator_in_front_is_named_with_what_to_do(tmp_path, allocator):
    preload_for(allocator)  # or a skip
    library = LIBMALLOC if allocator == "libmalloc" else ALLOCATORS[allocator]
    environment = dict(os.environ, LD_PRELOAD=f"{library} {LIBRARY}", FTPROF_OUTPUT=str(tmp_path / "run"))
    done = subprocess.run([VICTIMS / "pays", "once", "4"], env=environment, capture_output=True,
                          text=True, timeout=60)
    assert done.returncode == 0 and done.stdout.startswith("ok")
    # tcmalloc takes mmap as well: there is nothing left to see.
    what = "malloc and mmap are those of" if allocator == "tcmalloc" else "malloc is that of"
    [line] = done.stderr.splitlines()
    assert line.startswith(f"ftprof: {what} {library}, which comes before libftprof.so")
    assert "Put libftprof.so first in LD_PRELOAD" in line
    assert (tmp_path / "run").exists() == (allocator != "tcmalloc")
