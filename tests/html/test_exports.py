"""Each export is read by the client it is made for, and its totals are the report's."""
import collections
import csv
import gzip
import json
import re
import sqlite3
import subprocess

import pytest
from conftest import BUILD, ROOT, VICTIMS
from made import made, node  # noqa: F401 (fixtures)
from prometheus_client.openmetrics.parser import text_string_to_metric_families as openmetrics
from prometheus_client.parser import text_string_to_metric_families as prometheus

FTPROF = BUILD / "analyzer/ftprof"
KINDS = ["rich", "hostile", "empty"]


@pytest.fixture
def report(made):
    return lambda kind: json.loads(made(kind, "json").read_text())


def faults(report):
    return report["ledger"]["minor_faults"] + report["ledger"]["major_faults"]


def cost(report):
    return sum(row["cost_ns"] or 0 for row in report["ledger"]["rows"])


def near(a, b, pieces=100):
    """Equal but for the rounding of that many pieces to whole nanoseconds."""
    return abs(a - b) <= pieces


def printable(value):
    """Nothing that acts on a terminal or reorders a line."""
    return not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2066-\u2069]", value)


# --- pprof -------------------------------------------------------------------------------------

def pprof(*arguments):
    done = subprocess.run(["go", "tool", "pprof", *map(str, arguments)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def raw_samples(path):
    """The values of every sample, as pprof's own dump shows them."""
    lines = pprof("-raw", path).splitlines()
    start, end = lines.index("Samples:"), lines.index("Locations")
    found = [re.match(r"\s*(-?\d+)\s+(-?\d+)\s+(-?\d+)\s+(-?\d+):", line) for line in lines[start:end]]
    return lines[start + 1], [[int(v) for v in m.groups()] for m in found if m]


@pytest.mark.parametrize("kind", KINDS)
def test_pprof_totals(made, report, kind):
    names, samples = raw_samples(made(kind, "pprof"))
    assert names.split() == ["faults/count", "fault_time/nanoseconds[dflt]", "first_touch/bytes", "warm/bytes"]
    assert sum(s[0] for s in samples) == faults(report(kind))
    assert near(sum(s[1] for s in samples), cost(report(kind)))
    page = report(kind)["run"]["page_bytes"]
    assert sum(s[3] for s in samples) == page * sum(s["reuse"]["warm_pages"] for s in report(kind)["sites"])


def test_pprof_top_names_the_dearest_site(made, report):
    site = report("rich")["sites"][0]
    top = pprof("-top", "-cum", "-unit=ns", "-nodefraction=0", made("rich", "pprof"))
    name = site["function"].split("(")[0]  # pprof leaves parameters out
    line = next(l for l in top.splitlines() if l.endswith(name))
    assert f"{site['cost']['total_ns']:.0f}ns" in line.split()
    assert "File: render-server" in top


def test_pprof_peek_shows_callers_and_inlined_frames(made):
    peek = pprof("-peek", "FrameBuffer::FrameBuffer", made("rich", "pprof"))
    assert "render::Worker::render" in peek and "std::vector" in peek
    raw = pprof("-raw", made("rich", "pprof"))
    assert "8d1f3a5be0c4472c9fd1e80b6a7f1c2d3e4f5a6b" in raw  # the build id
    # The inlined constructor and the function that holds it are one location of two lines.
    assert re.search(r"M=\d+ std::vector.*\n\s+render::FrameBuffer::FrameBuffer", raw)


@pytest.mark.parametrize("label,value", [("thread", "worker-2"), ("phase", "serve"), ("process", "render-server")])
def test_pprof_labels(made, label, value):
    assert f"{value}" in pprof("-tags", made("rich", "pprof")).split(f" {label}:")[1]
    focused = pprof("-top", f"-tagfocus={label}={value}", made("rich", "pprof"))
    assert "operator new" in focused


def test_pprof_diff_of_a_run_with_itself_is_nothing(made):
    path = made("rich", "pprof")
    assert "Showing nodes accounting for 0" in pprof("-top", f"-diff_base={path}", path)


def test_pprof_is_the_same_every_time(made, tmp_path):
    again = tmp_path / "again"
    subprocess.run([BUILD / "tests/html/make_report", "rich", "pprof", again], check=True)
    assert again.read_bytes() == made("rich", "pprof").read_bytes()


def test_pprof_hostile_names_are_printable(made):
    assert printable(pprof("-top", "-nodefraction=0", made("hostile", "pprof")))


# --- speedscope --------------------------------------------------------------------------------

@pytest.mark.parametrize("kind", KINDS)
def test_speedscope_totals(made, report, kind):
    document = json.loads(made(kind, "speedscope").read_text())
    for profile in document["profiles"]:
        assert len(profile["samples"]) == len(profile["weights"])
        assert sum(profile["weights"]) == profile["endValue"]
        assert all(0 <= f < len(document["shared"]["frames"]) for s in profile["samples"] for f in s)
    assert document["profiles"][0]["endValue"] == faults(report(kind))
    assert near(document["profiles"][1]["endValue"], cost(report(kind)))


@pytest.mark.parametrize("kind", ["rich", "hostile"])
def test_speedscope_opens_it(made, node, report, kind):
    done = node("speedscope.mjs", made(kind, "speedscope"), "/4)")
    assert done.returncode == 0, done.stderr
    seen = json.loads(done.stdout)
    assert seen["errors"] == []
    assert "Fault time (2/4)" in seen["text"]
    if kind == "rich":
        assert seen["title"].startswith("/opt/render/bin/render-server")
        assert "render::FrameBuffer::FrameBuffer(int, int)" in seen["text"]
        assert f"{report(kind)['sites'][0]['cost']['total_ns'] / 1e9:.2f}s" in seen["text"]


# --- folded ------------------------------------------------------------------------------------

def read_folded(path):
    """As flamegraph.pl reads it: the count is what follows the last space, frames part at ';'."""
    stacks = collections.Counter()
    for line in path.read_text().splitlines():
        stack, amount = re.fullmatch(r"(.+?) (\d+)", line).groups()
        stacks[tuple(stack.split(";"))] += int(amount)
    return stacks


@pytest.mark.parametrize("kind", KINDS)
def test_folded(made, report, kind):
    stacks = read_folded(made(kind, "folded"))
    assert near(sum(stacks.values()), cost(report(kind)))
    assert all(frame and printable(frame) for stack in stacks for frame in stack)


def test_folded_runs_from_the_root_to_the_allocator(made):
    stacks = read_folded(made("rich", "folded"))
    (dearest, _), = stacks.most_common(1)
    assert dearest[0] == "clone3" and dearest[-1] == "operator new(unsigned long)"


# --- perfetto ----------------------------------------------------------------------------------

# The Trace Event Format, as far as we write it: what each kind of event must have, and may have.
TIME = {"ts": (int, float), "pid": int, "name": str}
EVENTS = {
    "M": ({"name": str, "pid": int, "args": dict}, {"tid": int}),
    "X": (TIME | {"tid": int, "dur": (int, float)}, {"cat": str, "args": dict}),
    "C": (TIME | {"args": dict}, {"tid": int}),
    "i": (TIME | {"s": str}, {"tid": int, "cat": str, "args": dict}),
}
METADATA = {"process_name": {"name": str}, "thread_name": {"name": str}, "process_labels": {"labels": str},
            "process_sort_index": {"sort_index": int}, "thread_sort_index": {"sort_index": int}}


def assert_trace_event(event):
    must, may = EVENTS[event["ph"]]
    assert must.keys() | {"ph"} <= event.keys() <= must.keys() | may.keys() | {"ph"}, event
    for key, kind in (must | may).items():
        assert isinstance(event.get(key, event[key] if key in must else None), (kind, type(None))), event
    assert event.get("ts", 0) >= 0 and event.get("dur", 0) >= 0 and event["pid"] >= 0
    if event["ph"] == "M":
        assert {k: type(v) for k, v in event["args"].items()} == METADATA[event["name"]]
    if event["ph"] == "C":
        assert event["args"] and all(type(v) in (int, float) for v in event["args"].values())
    if event["ph"] == "i":
        assert event["s"] in ("g", "p", "t")


@pytest.mark.parametrize("kind", KINDS)
def test_perfetto(made, report, kind):
    refuse = lambda word: pytest.fail(f"{word} is no JSON")
    trace = json.loads(made(kind, "perfetto").read_text(), parse_constant=refuse)
    assert {"traceEvents"} <= trace.keys() <= {"traceEvents", "displayTimeUnit", "otherData"}
    assert trace.get("displayTimeUnit", "ms") in ("ms", "ns")
    by_kind = collections.defaultdict(list)
    for event in trace["traceEvents"]:
        assert_trace_event(event)
        by_kind[event["ph"]].append(event)
    slices = by_kind["X"]
    assert sum(s["args"]["faults"] for s in slices) == sum(s["faults"]["count"] for s in report(kind)["sites"])
    ends = {}
    for s in sorted(slices, key=lambda s: s["ts"]):  # no slice runs into the next of its track
        track = (s["pid"], s["tid"])
        assert s["ts"] >= ends.get(track, 0) - 1e-6 and s["dur"] >= 0
        ends[track] = s["ts"] + s["dur"]


def test_perfetto_has_tracks_counters_and_marks(made):
    events = json.loads(made("rich", "perfetto").read_text())["traceEvents"]
    threads = {e["tid"]: e["args"]["name"] for e in events if e["name"] == "thread_name"}
    assert threads[4713] == "worker-1"
    assert {e["tid"] for e in events if e["ph"] == "X"} == set(threads)
    assert {e["name"] for e in events if e["ph"] == "C"} == {
        "resident", "faults per interval", "idle in given-back blocks"}
    assert {e["name"] for e in events if e["ph"] == "i"} == {"load", "mark:ready", "serve", "warm-up ends"}


# The viewer of chrome://tracing, as Go ships it for `go tool trace`.
VIEWER = "src/cmd/trace/static"


@pytest.fixture
def trace_viewer(node):
    def view(trace):
        root = subprocess.run(["go", "env", "GOROOT"], capture_output=True, text=True, check=True).stdout.strip()
        done = node("trace_viewer.mjs", trace, f"{root}/{VIEWER}")
        assert done.returncode == 0, done.stderr
        seen = json.loads(done.stdout)
        assert seen["warnings"] == [] and seen["complaints"] == [] and not seen["ran"]
        return seen
    return view


def assert_the_run(seen, report, of):
    """What the viewer holds of each thread, counter and mark is the report's."""
    threads = {t["tid"]: t for t in seen["threads"]}
    for thread in report["threads"]:
        shown = threads[thread["tid"]]
        assert shown["name"] in seen["headings"] and printable(shown["name"])
        assert shown["name"] == thread["name"] or not printable(thread["name"]) or "\\x" in shown["name"]
        assert shown["faults"] == thread["faults"]
    assert sum(t["faults"] for t in threads.values()) == of["faults"]
    assert near(sum(t["fault_time_ns"] for t in threads.values()), of["cost_ns"], sum(t["slices"] for t in threads.values()))
    assert {p["pid"] for p in seen["processes"]} == {p["pid"] for p in report["processes"]}
    assert seen["counters"]["resident"] == report["timeline"]["resident_bytes"]
    assert seen["counters"]["faults per interval"] == report["timeline"]["faults"]


@pytest.mark.parametrize("kind", ["rich", "hostile"])
def test_the_trace_viewer_shows_the_made_up_run(trace_viewer, made, report, kind):
    seen, expected = trace_viewer(made(kind, "perfetto")), report(kind)
    of = {"faults": sum(s["faults"]["count"] for s in expected["sites"]),
          "cost_ns": sum(s["cost"]["total_ns"] for s in expected["sites"])}
    assert_the_run(seen, expected, of)
    # Of a real run not to the nanosecond: a site's slices are evened out to its cost.
    times = {t["tid"]: t["fault_time_ns"] for t in seen["threads"]}
    assert times == pytest.approx({t["tid"]: t["cost_ns"] for t in expected["threads"]}, rel=1e-4)
    if kind == "rich":
        marks = {phase["name"]: phase["begin_ns"] / 1e6 for phase in expected["phases"]}
        marks["warm-up ends"] = expected["timeline"]["warmup_end_ns"] / 1e6
        assert {m["name"]: m["at_ms"] for m in seen["marks"]} == pytest.approx(marks)


def test_the_trace_viewer_shows_a_real_run(trace_viewer, profile_whole, tmp_path):
    """Its thread names would make an element that the page could see, or a script."""
    names = ["worker", "<i id=pwned>", "<script>a=1;//"]
    run, report = profile_whole(VICTIMS / "named_threads", *names, options="faults.period=1")
    done = subprocess.run([FTPROF, "export", run.folder, "--format", "perfetto", "-o", tmp_path / "t.json"])
    assert done.returncode == 0
    seen = trace_viewer(tmp_path / "t.json")
    assert_the_run(seen, report, {"faults": faults(report), "cost_ns": cost(report)})
    assert set(names) <= {t["name"] for t in seen["threads"]}


def test_speedscope_opens_a_trace_of_events_too(made, node, report):
    done = node("speedscope.mjs", made("rich", "perfetto"), f"/{len(report('rich')['threads'])})")
    assert done.returncode == 0, done.stderr
    seen = json.loads(done.stdout)
    assert seen["errors"] == [] and "render-server (tid 4711) (1/6)" in seen["text"]


# --- openmetrics -------------------------------------------------------------------------------

@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("parser", [openmetrics, prometheus])
def test_openmetrics(made, report, kind, parser):
    text = made(kind, "openmetrics").read_text()
    families = {f.name: f for f in parser(text)}
    assert text.endswith("# EOF\n")
    owners = {s.labels["owner"]: s.value for s in families["ftprof_faults"].samples}
    assert owners == {row["owner"]: row["faults"] for row in report(kind)["ledger"]["rows"]}
    time = sum(s.value for s in families["ftprof_fault_time_seconds"].samples)
    assert time == pytest.approx(cost(report(kind)) / 1e9)
    sites = families["ftprof_site_faults"].samples
    assert [s.value for s in sites] == [s["faults"]["count"] for s in report(kind)["sites"]][:20]
    assert all(printable(v) for f in families.values() for s in f.samples for v in s.labels.values())


# --- sqlite and csv ----------------------------------------------------------------------------

@pytest.mark.parametrize("kind", KINDS)
def test_sqlite_totals(made, report, kind):
    db = sqlite3.connect(made(kind, "sqlite"))
    one = lambda sql: db.execute(sql).fetchone()[0] or 0
    assert one("PRAGMA integrity_check") == "ok"
    assert one("SELECT sum(faults) FROM ledger") == faults(report(kind))
    assert one("SELECT sum(faults) FROM sites") == sum(s["faults"]["count"] for s in report(kind)["sites"])
    assert one("SELECT sum(faults) FROM faults WHERE owner = 'blocks'") == one("SELECT sum(faults) FROM sites")
    assert one("SELECT count(*) FROM handouts") == report(kind)["pool"]["handouts"]
    assert one("SELECT count(*) FROM handouts WHERE class = 'warm'") == report(kind)["pool"]["warm"]
    assert not db.execute("PRAGMA foreign_key_check").fetchall()


def queries():
    return re.findall(r"```sql\n(.*?)```", (ROOT / "docs/sql.md").read_text(), re.S)


@pytest.mark.parametrize("query", queries())
def test_every_query_of_the_guide_answers(made, query):
    done = subprocess.run(["sqlite3", made("rich", "sqlite")], input=query, capture_output=True, text=True)
    assert done.returncode == 0 and done.stderr == "" and done.stdout.strip(), query


def export(made, tmp_path, *arguments):
    return subprocess.run([FTPROF, "export", made("rich", "json"), *arguments],
                          capture_output=True, text=True, cwd=tmp_path)


def test_csv_folder_and_table(made, report, tmp_path):
    assert export(made, tmp_path, "--format", "csv", "-o", "tables").returncode == 0
    rows = list(csv.DictReader((tmp_path / "tables/sites.csv").open()))
    assert sum(int(r["faults"]) for r in rows) == sum(s["faults"]["count"] for s in report("rich")["sites"])
    done = export(made, tmp_path, "--format", "csv", "--table", "sites", "-o", "-")
    assert done.stdout == (tmp_path / "tables/sites.csv").read_text()


def test_csv_refuses_an_unknown_table(made, tmp_path):
    done = export(made, tmp_path, "--format", "csv", "--table", "nonsense", "-o", "-")
    assert done.returncode == 2 and done.stdout == ""
    assert done.stderr.count("\n") == 1 and "sites" in done.stderr


# --- the command -------------------------------------------------------------------------------

@pytest.mark.parametrize("form", ["pprof", "speedscope", "folded", "perfetto", "openmetrics", "sqlite"])
def test_command_writes_every_format(made, tmp_path, form):
    """From the JSON report, which has no slices: the totals stay."""
    done = export(made, tmp_path, "--format", form, "-o", f"out.{form}")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert (tmp_path / f"out.{form}").stat().st_size > 100


def test_command_pprof_of_a_json_report_has_the_same_total(made, report, tmp_path):
    assert export(made, tmp_path, "--format", "pprof", "-o", "a.pb.gz").returncode == 0
    _, samples = raw_samples(tmp_path / "a.pb.gz")
    assert sum(s[0] for s in samples) == faults(report("rich"))
    assert gzip.decompress((tmp_path / "a.pb.gz").read_bytes())


def test_command_folded_by_faults(made, report, tmp_path):
    done = export(made, tmp_path, "--format", "folded", "--value", "faults", "-o", "-")
    assert sum(int(l.rsplit(" ", 1)[1]) for l in done.stdout.splitlines()) == faults(report("rich"))


@pytest.mark.parametrize("wrong", [["--format", "gif", "-o", "x"], ["--format", "pprof"],
                                   ["--format", "folded", "--value", "x", "-o", "-"],
                                   ["--format", "csv", "-o", "-"], ["--format", "pprof", "-o", "/nowhere/x"]])
def test_command_refuses_in_one_line(made, tmp_path, wrong):
    done = export(made, tmp_path, *wrong)
    assert done.returncode == 2 and done.stdout == "" and done.stderr.count("\n") == 1
