"""What the tests of the page and of the exports share: made-up results in every format, and the
packages from npm, put into the build folder once."""
import os
import pathlib
import shutil
import subprocess

import pytest

from conftest import BUILD, ROOT

MAKE_REPORT = BUILD / "tests/html/make_report"
NPM = BUILD / "tests/html/npm"
HAS_PAGE = (BUILD / "analyzer/html/page.html").exists()


@pytest.fixture(scope="session")
def made(tmp_path_factory):
    """made("rich", "pprof") is the path of that result in that format."""
    folder = tmp_path_factory.mktemp("made")

    def make(kind, form):
        path = folder / f"{kind}.{form}"
        if not path.exists():
            subprocess.run([MAKE_REPORT, kind, form, path], check=True)
        return path

    return make


@pytest.fixture(scope="session")
def node():
    """node(SCRIPT, ARGUMENT...) runs a script of this folder with the packages at hand."""
    if not shutil.which("npm"):
        pytest.skip("npm is not installed, which brings the browser's driver")
    here = pathlib.Path(__file__).parent
    subprocess.run(["node", ROOT / "analyzer/html/install.mjs", NPM, here], check=True)

    def run(script, *arguments, timeout=300):
        return subprocess.run(["node", here / script, *arguments], capture_output=True, text=True,
                              env=dict(os.environ, FTPROF_NPM=str(NPM)), timeout=timeout)

    return run
