"""ftprof check on real runs: each seeded regression is caught with the right site named, and runs
without one raise no alarm. tests/victims/warm_up.c says what each regression is."""
import json
import subprocess
import xml.etree.ElementTree

import pytest

from conftest import FTPROF, VICTIMS

EXACT = "faults.period=1,overhead.budget=100%"


def ftprof(*arguments, **how):
    return subprocess.run([FTPROF, *map(str, arguments)], capture_output=True, text=True,
                          timeout=300, **how)


@pytest.fixture
def warm_up(profile):
    def run(mode="plain"):
        done = profile(VICTIMS / "warm_up", mode, options=EXACT)
        assert done.status == 0 and done.stdout.startswith("ok"), done.stderr
        return done.folder
    return run


@pytest.fixture
def baseline(warm_up, tmp_path):
    path = tmp_path / "baseline.json"
    done = ftprof("check", warm_up(), "--baseline", path, "--update-baseline")
    assert done.returncode == 0, done.stderr
    return path


def exceeded(folder, baseline):
    """The findings that exceed, from a check that must fail."""
    done = ftprof("check", folder, "--baseline", baseline, "--format", "json")
    assert done.returncode == 1, done.stdout + done.stderr
    return [one for one in json.loads(done.stdout)["findings"] if one["exceeded"]]


@pytest.mark.parametrize("mode, site, changed", [
    ("one-more", "load_model", "blocks 4 → 5"),
    ("drop-pool", "take_frame", "blocks 1 → 12"),
    ("memset-first", "make_picture", "first touched by memset"),
    ("moved", "load_index", "blocks 2 → 6"),
])
def test_a_seeded_regression_is_caught_with_its_site(warm_up, baseline, mode, site, changed):
    found = exceeded(warm_up(mode), baseline)
    sites = [one["site"] for one in found if one["subject"] != "the whole run"]
    assert len(sites) == 1, found
    assert site in sites[0]["label"] and site in sites[0]["stack"]
    assert changed in sites[0]["changed"]


def test_a_renamed_function_is_the_same_site(warm_up, baseline):
    done = ftprof("check", warm_up("renamed"), "--baseline", baseline)
    assert done.returncode == 0, done.stdout
    diff = json.loads(ftprof("diff", baseline, warm_up("renamed"), "--format", "json").stdout)
    renamed = [one for one in diff["sites"] if "load_model_v2" in one["site"]]
    assert renamed[0]["matched"] == "callers"
    assert any("was load_model" in words for words in renamed[0]["changes"])


def test_twenty_runs_without_a_regression_raise_no_alarm(warm_up, baseline):
    for _ in range(20):
        done = ftprof("check", warm_up(), "--baseline", baseline)
        assert done.returncode == 0, done.stdout


BUDGET = """
[run]
max_faults = {all}
min_accounted = "98%"
[warmup]
until = "mark:ready"
max_faults = {warm}
[[site]]
match = "take_frame"
max_faults = {frames}
"""


def test_a_budget_by_run_warmup_and_site(warm_up, tmp_path):
    folder = warm_up()
    budget, junit = tmp_path / "ci.toml", tmp_path / "junit.xml"
    budget.write_text(BUDGET.format(all=20000, warm=16000, frames=300))
    done = ftprof("check", folder, "--budget", budget, "--junit", junit)
    assert done.returncode == 0, done.stdout + done.stderr
    # 32 + 4 + 8 MiB are 11,264 pages: more than this.
    budget.write_text(BUDGET.format(all=20000, warm=11000, frames=200))
    done = ftprof("check", folder, "--budget", budget, "--junit", junit,
                  env={"GITHUB_ACTIONS": "true"})
    assert done.returncode == 1
    assert "load_model" in done.stdout and "take_frame" in done.stdout
    suites = xml.etree.ElementTree.parse(junit).getroot()
    assert suites.get("failures") == "2"
    assert done.stderr.count("::error ") == 2 and "warm_up.c" in done.stderr


def test_unusable_input_is_one_line_and_status_2(warm_up, tmp_path):
    folder = warm_up()
    budget = tmp_path / "ci.toml"

    def refusal(text, *arguments):
        budget.write_text(text)
        done = ftprof("check", folder, "--budget", budget, *arguments)
        assert done.returncode == 2 and done.stdout == ""
        assert done.stderr.count("\n") == 1
        return done.stderr

    assert "ci.toml:2" in refusal("[run]\nmax_fault = 1") and "max_faults" in refusal(
        "[run]\nmax_fault = 1")
    assert "reday" in refusal('[warmup]\nuntil = "mark:reday"\nmax_faults = 1')
    cut = tmp_path / "cut.json"
    cut.write_text('{"schema": "ftprof.report/1", "run": {')
    assert "cut.json" in refusal("", "--baseline", cut)
