"""ftprof diff on real runs, and what the JSON report keeps of them."""
import json
import subprocess

from conftest import FTPROF, VICTIMS


EXACT = "faults.period=1,overhead.budget=100%"


def diff(before, after, *arguments):
    done = subprocess.run([FTPROF, "diff", before, after, "--format", "json", *arguments],
                          capture_output=True, text=True, timeout=300)
    assert done.returncode in (0, 1), done.stderr
    return done.returncode, json.loads(done.stdout)


def run(profile, mode):
    return profile(VICTIMS / "warm_up", mode, options=EXACT).folder


def report_of(folder, path):
    with open(path, "w") as out:
        subprocess.run([FTPROF, "report", folder, "--format", "json"], stdout=out, check=True)
    return path


def test_a_run_is_the_same_as_itself_and_as_its_report(profile, tmp_path):
    folder = run(profile, "plain")
    report = report_of(folder, tmp_path / "report.json")
    for before, after in [(folder, folder), (folder, report), (report, folder)]:
        status, found = diff(before, after, "--tolerance", "0%", "--slack", "0")
        assert status == 0 and not found["differs"]
        for measures in [found["totals"], *(site["measures"] for site in found["sites"])]:
            assert all(not one["change"] for one in measures.values())
        assert all(site["changes"] == [] for site in found["sites"])


def test_the_other_way_round_is_the_negative(profile):
    plain, more = run(profile, "plain"), run(profile, "one-more")
    status, forth = diff(plain, more)
    _, back = diff(more, plain)
    assert status == 1
    assert forth["totals"]["faults"]["change"] == -back["totals"]["faults"]["change"]
    changes = {site["id"]: site["measures"]["faults"]["change"] for site in forth["sites"]}
    assert changes == {site["id"]: -site["measures"]["faults"]["change"] for site in back["sites"]}
    assert forth["sites"][0]["site"].startswith("load_model")
    assert forth["sites"][0]["measures"]["faults"]["change"] in (2047, 2048)  # the ends of a block share pages


def test_csv_and_markdown_reports_print(profile):
    folder = run(profile, "plain")
    for by in ["site", "touch", "thread", "module", "process", "phase", "pool"]:
        for form in ["csv", "markdown"]:
            done = subprocess.run([FTPROF, "report", folder, "--format", form, "--by", by],
                                  capture_output=True, text=True, timeout=300)
            assert done.returncode == 0, done.stderr
            assert "faults" in done.stdout
    done = subprocess.run([FTPROF, "report", folder, "--format", "csv"], capture_output=True,
                          text=True)
    names, *rows = [line.split(",") for line in done.stdout.splitlines()]
    by_function = {row[names.index("function")]: row for row in rows}
    # Four blocks of 2,048 pages; the library may leave out the pages that their ends share.
    assert 8188 <= int(by_function["load_model"][names.index("faults")]) <= 8192
