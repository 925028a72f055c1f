"""ftprof doctor, on this machine as it is and where perf is refused."""
import json
import os
import resource
import subprocess

import pytest

from conftest import FTPROF, ROOT, as_ordinary_user, open_to_all


def doctor(*before, words=("--json",), **how):
    done = subprocess.run([*before, FTPROF, "doctor", *words], capture_output=True, text=True,
                          timeout=60, **how)
    assert done.returncode == 0 and done.stderr == ""
    return done.stdout


@pytest.fixture(scope="module")
def refuse_perf(tmp_path_factory):
    path = tmp_path_factory.mktemp("refuse") / "refuse_perf"
    subprocess.run(["gcc", "-o", path, ROOT / "tests/support/refuse_perf.c"], check=True)
    return path


def test_json_says_what_proc_says():
    said = json.loads(doctor())
    assert said["schema"] == "ftprof.doctor/1"
    with open("/proc/sys/kernel/perf_event_paranoid") as file:
        assert said["limits"]["perf_event_paranoid"] == int(file.read())
    assert said["limits"]["open_files"] == resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    assert said["machine"]["page_bytes"] == os.sysconf("SC_PAGESIZE")
    assert said["machine"]["kernel"] == os.uname().release


@pytest.mark.parametrize("before", [[], as_ordinary_user()], ids=["as we are", "ordinary user"])
def test_the_source_is_the_one_that_was_tried(before):
    open_to_all(FTPROF.parent)
    said = json.loads(doctor(*before))
    assert said["source"] == ("perf" if said["perf"]["permitted"] else "pagemap")
    assert (said["perf"]["why"] is None) == said["perf"]["permitted"]


def test_every_kind_has_a_price_with_its_error():
    prices = {p["kind"]: p for p in json.loads(doctor())["calibration"]["prices"]}
    assert list(prices) == ["write", "zero_read", "write_after_zero_read", "huge", "populate"]
    for kind in ("write", "zero_read", "write_after_zero_read", "populate"):
        assert 50 < prices[kind]["price_ns"] < 100_000 and prices[kind]["error_ns"] >= 0


def test_where_perf_is_refused_it_says_why_and_what_to_do(refuse_perf):
    said = json.loads(doctor(refuse_perf))
    assert said["source"] == "pagemap" and said["perf"]["errno"] == 1
    assert "Operation not permitted" in said["perf"]["why"]
    assert any("perfmon" in r["command"].lower() for r in said["remedies"])
    modes = {m["settings"]: m for m in said["calibration"]["modes"]}
    assert modes["faults.period=1 faults.timed=all"]["added_ns"] is None
    text = doctor(refuse_perf, words=())
    assert "refused: perf_event_open: Operation not permitted" in text and "To get more" in text


def test_few_descriptors_and_little_memory_are_survived():
    def few():
        resource.setrlimit(resource.RLIMIT_NOFILE, (7, 7))
    said = json.loads(doctor(preexec_fn=few))
    assert said["source"] == "pagemap" and said["perf"]["errno"] == 24
    assert any("ulimit -n" in r["command"] for r in said["remedies"])


def test_text_fits_a_hundred_columns():
    assert max(map(len, doctor(words=()).splitlines())) <= 100
