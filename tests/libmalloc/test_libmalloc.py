"""The bundled allocator's contract: alone, in front of other allocators, behind the profiler."""
import os
import re
import subprocess

import pytest

from conftest import ALLOCATORS, BUILD, LIBMALLOC, LIBRARY, ROOT

VICTIMS = BUILD / "tests/libmalloc"

# What stands around it in LD_PRELOAD: {} is the allocator.
ORDERS = {"alone": "{}", "behind the profiler": f"{LIBRARY} {{}}"}
ORDERS |= {f"before {name}": f"{{}} {path}" for name, path in ALLOCATORS.items() if path}


# mimalloc's operators end the program where others throw.
CASES = [(victim, order, "deferred") for victim in ("contract", "threads", "forks", "operators")
         for order in ORDERS if (victim, order) != ("operators", "before mimalloc")]
CASES += [(victim, "alone", "classic") for victim in ("contract", "threads", "forks")]


def run(order, *command, settings="", timeout=120):
    preload = ORDERS[order].format(LIBMALLOC)
    for library in preload.split():
        if not os.path.exists(library):
            pytest.skip(f"{library} is not there")
    words = ["env", f"LD_PRELOAD={preload}", f"FTPROF_LIBMALLOC={settings}", *map(str, command)]
    return subprocess.run(words, capture_output=True, text=True, timeout=timeout)


@pytest.mark.parametrize("victim,order,policy", CASES)
def test_contract(victim, order, policy, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    done = run(order, VICTIMS / f"libmalloc-{victim}", settings=f"policy={policy}")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == f"ok {victim}\n"


@pytest.mark.parametrize("settings", ["entries=2", "entries=0", "hoard=0", "threshold=4KiB",
                                      "entries=3,hoard=1MiB,threshold=1MiB"])
def test_threads_under_odd_settings(settings):
    done = run("alone", VICTIMS / "libmalloc-threads", settings=settings)
    assert (done.returncode, done.stdout, done.stderr) == (0, "ok threads\n", "")


def test_exports_only_the_interface():
    """exports.map and the library have the same names, and the library needs only libc."""
    text = (ROOT / "preload/libmalloc/exports.map").read_text()
    promised = set(re.findall(r"(\w+);", text.split("local:")[0]))
    listing = subprocess.run(["nm", "-D", "--defined-only", LIBMALLOC], capture_output=True,
                             text=True, check=True).stdout
    exported = {line.split()[-1] for line in listing.splitlines()}
    assert exported == promised
    dynamic = subprocess.run(["readelf", "-dW", LIBMALLOC], capture_output=True, text=True,
                             check=True).stdout
    assert re.findall(r"NEEDED.*\[(.*)\]", dynamic) == ["libc.so.6"]


def test_has_no_thread_local_storage():
    headers = subprocess.run(["readelf", "-lW", LIBMALLOC], capture_output=True, text=True,
                             check=True).stdout
    assert "TLS" not in headers


def test_hooks_in_front_may_allocate():
    """The calls to the kernel pass a preload in front of it, made without the lock held."""
    preload = f"{VICTIMS}/libmalloc-hooks.so {LIBMALLOC}"
    for victim in ("contract", "threads"):
        done = subprocess.run(["env", f"LD_PRELOAD={preload}", "FTPROF_LIBMALLOC=entries=5,hoard=0",
                               VICTIMS / f"libmalloc-{victim}"], capture_output=True, text=True,
                              timeout=120)
        assert (done.returncode, done.stdout, done.stderr) == (0, f"ok {victim}\n", "hooked some\n")
