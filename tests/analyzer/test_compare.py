"""ftprof compare on real runs: allocators side by side, failures named, advice held to its word.
Counts only; the times that go with them are in docs/compare.md."""
import json
import subprocess

import pytest

from conftest import FTPROF, VICTIMS, WORKLOAD

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


def off_by(trial):
    return abs(trial["predicted_faults"] / trial["measured_faults"] - 1)


def trial_of(found, kind):
    return next(one for one in found["trials"] if one["kind"] == kind)


def test_advice_to_keep_saves_what_it_predicts():
    found = compare("--try-advice", "--runs", 1, *EXACT, "--", VICTIMS / "pays", "again", 40, 5)
    assert off_by(trial_of(found, "keep")) < 0.2


def test_advice_of_huge_pages_saves_what_it_predicts():
    with open("/sys/kernel/mm/transparent_hugepage/enabled") as setting:
        if "[madvise]" not in setting.read():
            pytest.skip("transparent_hugepage/enabled is not madvise on this machine")
    found = compare("--try-advice", "--runs", 1, *EXACT, "--", VICTIMS / "pays", "again", 64, 1)
    assert off_by(trial_of(found, "huge")) < 0.2


def test_advice_not_to_read_first_saves_what_it_predicts(profile):
    def run(mode):
        return profile(VICTIMS / "pays", mode, 32, options="faults.period=1,overhead.budget=100%").report()
    before, after = run("read-first"), run("once")
    site = next(one for one in before["sites"] if one["function"] == "map_block")
    advice = next(one for one in site["advice"] if one["kind"] == "no_read_first")
    saved = site["faults"]["count"] - next(
        one for one in after["sites"] if one["function"] == "map_block")["faults"]["count"]
    assert abs(advice["saves_faults"] / saved - 1) < 0.2


def test_cycles_side_by_side():
    found = compare("--allocator", "glibc", "--allocator", "libmalloc", "--runs", 1, *EXACT, "--",
                    WORKLOAD, "cycles", "--mib", 8, "--reps", 5)
    assert all(one["failures"] == [] for one in found["variants"])
    assert any("output" in note for note in found["notes"])  # it prints times
