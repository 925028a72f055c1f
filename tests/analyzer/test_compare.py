"""ftprof compare on real runs: allocators side by side, failures named, advice held to its word.
Counts only; the times that go with them are in docs/compare.md."""
import json
import subprocess
import tomllib

import pytest

from conftest import FTPROF, ROOT, VICTIMS, WORKLOAD

EXACT = ["--set", "faults.period=1", "--set", "overhead.budget=100%"]


def compare(*arguments, status=0):
    done = subprocess.run([FTPROF, "compare", "--format", "json", *map(str, arguments)],
                          capture_output=True, text=True, timeout=600)
    assert done.returncode == status, done.stdout + done.stderr
    return json.loads(done.stdout) if status < 2 else done.stderr


def median(found, variant, measure):
    return next(one for one in found["variants"] if one["name"] == variant)["measures"][measure]


def test_a_block_that_glibc_drops_and_libmalloc_keeps():
    found = compare("--allocator", "glibc", "--allocator", "libmalloc", "--runs", 2, *EXACT, "--",
                    VICTIMS / "pays", "again", 40, 5)
    pages = 40 * 256
    assert median(found, "glibc", "faults")["median"] >= 5 * pages
    assert median(found, "libmalloc", "faults")["median"] < 1.2 * pages
    assert median(found, "libmalloc", "warm")["median"] == 4
    assert median(found, "libmalloc", "faults")["beyond_noise"] is True
    assert found["sites"][0]["label"].startswith("again")
    assert "libmalloc against glibc: faults -" in found["sentences"][0]


def test_variants_come_in_the_order_given():
    found = compare("--variant", "glibc-retain", "--allocator", "glibc", "--runs", 1, *EXACT, "--",
                    VICTIMS / "pays", "again", 40, 3)
    assert [one["name"] for one in found["variants"]] == ["glibc-retain", "glibc"]
    assert median(found, "glibc-retain", "faults")["median"] < median(
        found, "glibc", "faults")["median"] / 2
    assert median(found, "glibc", "faults")["beyond_noise"] is None


def test_a_failing_variant_is_named_and_the_others_stand(tmp_path):
    variants = tmp_path / "mine.toml"
    variants.write_text('[variant.broken]\nallocator = "glibc"\nenv = { BREAK = "1" }\n')
    script = tmp_path / "program"
    script.write_text(f'#!/bin/sh\n[ -z "$BREAK" ] || {{ echo no luck >&2; exit 7; }}\n'
                      f'exec {VICTIMS / "pays"} again 2 1\n')
    script.chmod(0o755)
    found = compare("--allocator", "glibc", "--variant", "broken", "-c", variants, "--runs", 1,
                    "--", script, status=1)
    good, broken = found["variants"]
    assert good["runs"] == 1 and good["failures"] == []
    assert broken["runs"] == 0 and "status 7" in broken["failures"][0]
    assert "no luck" in broken["failures"][0]


def test_output_that_only_one_variant_changes_is_a_failure(tmp_path):
    variants = tmp_path / "mine.toml"
    variants.write_text('[variant.loud]\nenv = { LOUD = "1" }\n')
    script = tmp_path / "program"
    script.write_text(f'#!/bin/sh\necho "$LOUD"\nexec {VICTIMS / "pays"} again 2 1\n')
    script.chmod(0o755)
    found = compare("--allocator", "glibc", "--variant", "loud", "-c", variants, "--runs", 2,
                    "--", script, status=1)
    assert "another output" in found["variants"][1]["failures"][0]


@pytest.mark.parametrize("arguments, says", [
    (["--allocator", "glibc"], "two"),
    (["--allocator", "glibc", "--allocator", "jemaloc"], "jemalloc"),
    (["--allocator", "glibc", "--variant", "glibc-retian"], "glibc-retain"),
])
def test_unusable_arguments_are_one_line(arguments, says):
    said = compare(*arguments, "--", "true", status=2)
    assert says in said and said.count("\n") == 1


def test_cycles_side_by_side():
    found = compare("--allocator", "glibc", "--allocator", "libmalloc", "--runs", 1, *EXACT, "--",
                    WORKLOAD, "cycles", "--mib", 8, "--reps", 5)
    assert all(one["failures"] == [] for one in found["variants"])
    assert any("output" in note for note in found["notes"])  # it prints times


def variants_of(path=ROOT / "configs/variants.toml"):
    return tomllib.loads(path.read_text())["variant"]


# What five rounds of one block of 12 MiB find, after the first: (warm, cold); None: it depends.
RECYCLED = {
    "glibc-retain": (4, 0), "glibc-thp": (3, 0), "glibc-retain-thp": (4, 0), "glibc-one-arena": (3, 0),
    "jemalloc-retain": (4, 0), "jemalloc-eager": (0, 4), "jemalloc-thp": (0, 4),
    "jemalloc-background": (0, 4), "mimalloc-eager": (4, 0), "mimalloc-large-pages": None,
    "tcmalloc-retain": (4, 0), "tcmalloc-eager": (0, 4),
}


def test_each_variant_does_what_its_name_says(tmp_path):
    """And its allocator says nothing about it on standard error."""
    assert RECYCLED.keys() == variants_of().keys()
    chosen = [word for name in RECYCLED for word in ("--variant", name)]
    found = compare(*chosen, "--runs", 1, *EXACT, "--keep", tmp_path, "--", VICTIMS / "pays", "again", 12, 5)
    for variant in found["variants"]:
        measures = {name: each["median"] for name, each in variant["measures"].items()}
        if expected := RECYCLED[variant["name"]]:
            assert (measures["warm"], measures["cold"]) == expected, variant["name"]
    said = {path: path.read_text() for path in tmp_path.glob("*.err") if path.stat().st_size}
    assert not said
    if huge_pages_on_advice():
        for name in ["glibc-thp", "glibc-retain-thp", "jemalloc-thp", "mimalloc-large-pages"]:
            assert median(found, name, "faults")["median"] < 3 * 1024, name


def huge_pages_on_advice():
    with open("/sys/kernel/mm/transparent_hugepage/enabled") as setting:
        return "[madvise]" in setting.read()


def test_a_script_with_large_arrays_under_every_allocator():
    names = ["glibc", "jemalloc", "mimalloc", "tcmalloc", "libmalloc"]
    chosen = [word for name in names for word in ("--allocator", name)]
    found = compare(*chosen, "--runs", 1, *EXACT, "--", "/usr/bin/python3",
                    ROOT / "scripts/examples/arrays.py", 2, 4)
    assert [one["name"] for one in found["variants"]] == names
    assert all(one["failures"] == [] for one in found["variants"]) and found["notes"] == []
    assert len(found["sentences"]) == 1  # one run each: said once, not for each variant
    # The arrays are the array module's, not of the wrappers that it asks through.
    assert not any("PyObject_Malloc" in site["label"] for site in found["sites"])
    assert median(found, "libmalloc", "faults")["median"] < median(found, "glibc", "faults")["median"]


def test_glibc_is_glibc_for_a_program_that_is_linked_with_another(need):
    """redis-server of Debian is linked with jemalloc."""
    need("redis-server")
    found = compare("--allocator", "glibc", "--allocator", "jemalloc", "--runs", 1, "--",
                    ROOT / "scripts/examples/redis-load", 2, 1)
    assert all(one["failures"] == [] for one in found["variants"]) and found["notes"] == []
