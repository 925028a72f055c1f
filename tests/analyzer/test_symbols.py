"""Names in the report of real runs: code made at run time, and hostile names."""
import json
import pathlib
import subprocess

from conftest import FTPROF, VICTIMS


def report(folder):
    done = subprocess.run([FTPROF, "report", folder, "--format", "json"], capture_output=True, text=True,
                          timeout=120, check=True)
    return json.loads(done.stdout)


def test_code_made_at_run_time_has_its_name_also_after_the_map_is_gone(tmp_path):
    folder = tmp_path / "run"
    done = subprocess.run([FTPROF, "run", "-q", "-o", folder, "--set", "faults.period=1", "--",
                           VICTIMS / "jitted"], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0 and done.stdout == "ok jitted\n"
    image = next(folder.glob("*/metadata")).parent
    pathlib.Path(f"/tmp/perf-{image.name.rsplit('.', 1)[1]}.map").unlink()
    touches = [t for s in report(folder)["sites"] for t in s["touch_sites"]]
    by_name = {t["function"]: t["faults"] for t in touches}
    # malloc's own header touched the first of the 256 pages
    assert by_name.get("jitted_store /app.js:7") == 255, by_name
