"""The HTML report in a headless browser: every view of a made-up run, of a hostile one, of an empty
one and of a large one; and the page's source through the type checker."""
import json
import os
import subprocess

import pytest
from conftest import BUILD, FTPROF, ROOT, WORKLOAD
from made import HAS_PAGE, NPM, made, node  # noqa: F401 (fixtures)

pytestmark = pytest.mark.skipif(not HAS_PAGE, reason="ftprof was built without the HTML report")


@pytest.fixture
def walk(node, tmp_path):
    """Through every view; pictures go where FTPROF_PICTURES says."""
    def go(html, report):
        arguments = [html, report]
        if "FTPROF_PICTURES" in os.environ:
            arguments.append(os.environ["FTPROF_PICTURES"])
        done = node("page.mjs", *arguments, timeout=900)
        assert done.returncode == 0, done.stdout[-6000:] + done.stderr[-2000:]
    return go


@pytest.mark.parametrize("kind", ["rich", "hostile", "empty"])
def test_every_view(made, walk, kind):
    walk(made(kind, "html"), made(kind, "json"))


def test_a_real_program(profile, walk, tmp_path):
    run = profile(WORKLOAD, "recycled", "--policy", "pool", options="faults.period=1")
    for form in ("html", "json"):
        subprocess.run([FTPROF, "report", run.folder, "--format", form, "-o", tmp_path / f"r.{form}"],
                       check=True)
    walk(tmp_path / "r.html", tmp_path / "r.json")


def test_a_comparison(made, node):
    done = node("compare.mjs", made("compare", "html"), made("compare", "json"))
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-2000:]


def test_a_hundred_thousand_sites_and_ten_million_faults(made, node):
    """At most 20 MB, and a page whose elements do not grow with the sites."""
    html = made("big", "html")
    assert html.stat().st_size <= 20_000_000
    done = node("big.mjs", html, timeout=900)
    assert done.returncode == 0, done.stderr
    seen = json.loads(done.stdout)
    print(seen)
    assert seen["sites"] == "100,000 sites"
    assert seen["elements"] < 30_000 and seen["complaints"] == []


def test_one_file_that_refers_to_nothing(made):
    text = made("rich", "html").read_text()
    assert "@FTPROF_DATA@" not in text and "http-equiv=\"Content-Security-Policy\"" in text
    assert not [word for word in ("<link rel=\"stylesheet", "src=\"http", "url(http", "<iframe") if word in text]


def test_types(node, tmp_path):
    del node  # it has installed the packages; the page's own stand in the build folder
    source = ROOT / "analyzer/html"
    packages = BUILD / "analyzer/html/npm/node_modules"
    (tmp_path / "tsconfig.json").write_text(json.dumps({
        "extends": str(source / "tsconfig.json"), "include": [str(source / "src")],
        "compilerOptions": {"paths": {"*": [f"{packages}/*"]}}}))
    done = subprocess.run([NPM / "node_modules/.bin/tsc", "-p", tmp_path],
                          capture_output=True, text=True)
    assert done.returncode == 0, done.stdout


def test_locks_name_no_download_address():
    for lock in ROOT.rglob("package-lock.json"):
        if "node_modules" not in lock.parts and "build" not in lock.parts:
            assert "resolved" not in lock.read_text()
