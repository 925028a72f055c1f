"""The ring's behaviours as a program sees them, and the settings that change them."""
import signal
import subprocess

import pytest

from conftest import BUILD, LIBMALLOC

RING = BUILD / "tests/libmalloc/libmalloc-ring"

BEHAVIOURS = [
    ("same_block", ""),
    ("best_fit", ""),
    ("best_fit", "policy=classic"),
    ("newest_first", ""),
    ("newest_first", "policy=classic"),
    ("oldest_leaves", "entries=2"),
    ("oldest_leaves", "policy=classic,entries=2"),
    ("large_leaves", "entry_limit=2MiB"),
    ("large_leaves", "entries=0"),
    ("short_of_memory", "reserve=1000TiB"),
    ("hoard_is_marked", "hoard=4MiB"),
    ("hoard_is_marked", "policy=classic,hoard=4MiB"),
    ("cleared_by_calloc", ""),
    ("cleared_by_calloc", "hoard=0"),
    ("trim_empties", ""),
    ("realloc_moves_pages", ""),
    ("realloc_of_a_split_mapping", ""),
    ("address_space_limit", ""),
    ("foreign_pages", ""),
    ("many_blocks", ""),
    ("many_blocks", "policy=classic"),
]


def run(behaviour, settings):
    return subprocess.run(["env", f"LD_PRELOAD={LIBMALLOC}", f"FTPROF_LIBMALLOC={settings}", RING,
                           behaviour], capture_output=True, text=True, timeout=60)


@pytest.mark.parametrize("behaviour,settings", BEHAVIOURS)
def test_behaviour(behaviour, settings):
    done = run(behaviour, settings)
    assert (done.returncode, done.stdout, done.stderr) == (0, f"ok {behaviour}\n", "")


def test_a_second_free_ends_the_program_with_one_line():
    done = run("double_free", "")
    assert done.returncode == -signal.SIGABRT
    assert done.stderr == "libftprof-libmalloc: a block was freed that had been freed before\n"


@pytest.mark.parametrize("setting", ["policy=fast", "entries=9999", "hoard=5MB", "colour=\x1b[31m"])
def test_a_bad_setting_costs_one_line(setting):
    done = run("same_block", setting)
    assert (done.returncode, done.stdout) == (0, "ok same_block\n")
    assert done.stderr.count("\n") == 1
    assert done.stderr.startswith("libftprof-libmalloc: FTPROF_LIBMALLOC: ")
    assert setting.replace("\x1b", "?") in done.stderr
