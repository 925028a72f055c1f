"""seeds.py RUN CORPUS REPORT: makes the seed corpus from a run's folder and its JSON report: what the
real library wrote, in the form that the targets take."""
import pathlib
import struct
import sys

HEADER = struct.Struct("<I16sIQQQQQI")  # PacketHeader of preload/trace_format.h


def content(path):
    """The events of a stream's first packet."""
    data = path.read_bytes()
    if len(data) < HEADER.size:
        return b""
    bits = HEADER.unpack_from(data)[5]
    return data[HEADER.size:bits // 8]


def fullest(image, kind):
    """The stream file of a kind that holds most: threads write to the slot of their CPU."""
    return max(image.glob(f"{kind}_*"), key=lambda path: len(content(path)))


def trace_seed(image):
    blocks = content(fullest(image, "blocks"))[:0xFFFF]
    faults = content(fullest(image, "faults"))[:0xFFFF]
    return b"\0" + struct.pack("<H", len(blocks)) + blocks + faults


def main():
    run, corpus, report = map(pathlib.Path, sys.argv[1:])
    for target in ("trace", "report_json", "run_json", "settings", "budget", "perf_map"):
        (corpus / target).mkdir(parents=True, exist_ok=True)
    for number, image in enumerate(sorted(p.parent for p in run.glob("*/metadata"))):
        (corpus / "trace" / f"run{number}").write_bytes(trace_seed(image))
        raw = fullest(image, "blocks").read_bytes()[:4096]
        (corpus / "trace" / f"raw{number}").write_bytes(b"\1" + struct.pack("<H", len(raw)) + raw)
    (corpus / "report_json" / "report").write_bytes(report.read_bytes())
    (corpus / "run_json" / "run").write_bytes((run / "run.json").read_bytes())
    configs = pathlib.Path(__file__).resolve().parents[2] / "configs"
    for name in ("default", "ci", "variants"):
        text = (configs / f"{name}.toml").read_bytes()
        (corpus / "settings" / name).write_bytes(text)
        (corpus / "budget" / name).write_bytes(text)
    (corpus / "perf_map" / "one").write_bytes(b"7f0000001000 40 jit::add(int, int)\n7f0000002000 8 b\n")


main()
