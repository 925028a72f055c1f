"""A second reader of the trace, for tests that look at single events. It takes the layout from the
tables in preload/trace_format.h, so it knows each event by the same text as the writer."""
import dataclasses
import pathlib
import re
import struct

HEADER = pathlib.Path(__file__).resolve().parents[2] / "preload/trace_format.h"
CODES = {"u8": "B", "u16": "H", "u32": "I", "u64": "Q", "f64": "d", "Api": "B", "RangeKind": "B",
         "Caller": "B"}
PACKET = struct.Struct("<I16sIQQQQQI")
UNKNOWN = 0xFFFFFFFF
NOT_TIMED = 0xFFFF


@dataclasses.dataclass
class Event:
    name: str
    time: int
    cpu: int
    fields: dict

    def __getattr__(self, field):
        try:
            return self.fields[field]
        except KeyError:
            raise AttributeError(field) from None


@dataclasses.dataclass
class Layout:
    name: str
    fixed: struct.Struct
    fields: list
    tail: str
    tail_arguments: list


def layouts(table):
    """{id: Layout} of FTPROF_<table>_EVENTS."""
    text = HEADER.read_text().replace("\\\n", " ")
    found = {}
    events = re.search(rf"#define FTPROF_{table}_EVENTS\(EVENT\)(.*)", text)[1]
    for number, name, tail, arguments in re.findall(
            r"EVENT\((\d+), (\w+), (\w+)(?:\(([^)]*)\))?\)", events):
        row = re.search(rf"#define FTPROF_FIELDS_{name}\(FIELD\)(.*)", text)[1]
        fields = re.findall(r"FIELD\((\w+), (\w+)\)", row)
        fixed = struct.Struct("<" + "".join(CODES[kind] for kind, _ in fields))
        found[int(number)] = Layout(name, fixed, [field for _, field in fields], tail,
                                    [word.strip() for word in arguments.split(",")])
    return found


LAYOUTS = {0: layouts("BLOCK"), 1: layouts("FAULT")}


def read_tail(layout, fields, data, at):
    if layout.tail == "LIST":
        kind, name, length = layout.tail_arguments
        values = struct.Struct(f"<{fields[length]}{CODES[kind]}")
        fields[name] = list(values.unpack_from(data, at))
        return at + values.size
    if layout.tail.startswith("TEXT"):
        for name in layout.tail_arguments:
            end = data.index(b"\0", at)
            fields[name] = data[at:end].decode(errors="replace")
            at = end + 1
    return at


def read_packet(data, begin):
    """The events of the packet at `begin`, and where the next one begins."""
    magic, _, stream, _, _, content_bits, size_bits, _, cpu = PACKET.unpack_from(data, begin)
    assert magic == 0xC1FC1FC1, f"no packet at {begin}"
    at, end, events = begin + PACKET.size, begin + content_bits // 8, []
    while at < end:
        number, time = struct.unpack_from("<BQ", data, at)
        layout = LAYOUTS[stream][number]
        fields = dict(zip(layout.fields, layout.fixed.unpack_from(data, at + 9)))
        at = read_tail(layout, fields, data, at + 9 + layout.fixed.size)
        events.append(Event(layout.name, time, cpu, fields))
    assert at == end, "an event reaches beyond its packet's content"
    return events, begin + size_bits // 8


def read_stream(path):
    data, at, events = path.read_bytes(), 0, []
    while at < len(data):
        more, at = read_packet(data, at)
        events += more
    times = [event.time for event in events]
    assert times == sorted(times), f"{path}: time runs backwards"
    return events


@dataclasses.dataclass
class OneFault:
    time: int
    tid: int
    ip: int
    addr: int
    cost_ns: int  # None: not timed
    major: bool


def faults_of(event, page=4096):
    """The single faults of a Fault or FaultRun event."""
    if event.name == "Fault":
        cost = None if event.cost_ns == UNKNOWN else event.cost_ns
        return [OneFault(event.time, event.tid, event.ip, event.addr, cost, bool(event.major))]
    time, found = event.time, []
    first = event.addr // page
    for i in range(0, event.length, 2):
        time += event.samples[i]
        cost = None if event.samples[i + 1] == NOT_TIMED else event.samples[i + 1]
        addr = event.addr if i == 0 else (first + i // 2) * page
        found.append(OneFault(time, event.tid, event.ip, addr, cost, False))
    return found


class Trace:
    """All events of one image's folder, in order of time."""

    def __init__(self, image):
        self.streams = {path.name: read_stream(path) for path in sorted(image.glob("*_[0-9]*"))}
        self.events = sorted((e for stream in self.streams.values() for e in stream),
                             key=lambda event: event.time)

    def named(self, name):
        return [event for event in self.events if event.name == name]

    def attributes(self, key):
        return [event.value for event in self.named("Attribute") if event.key == key]

    def faults(self, begin=0, end=1 << 64):
        """Every recorded fault whose address lies in [begin, end)."""
        return [fault for event in self.events if event.name in ("Fault", "FaultRun")
                for fault in faults_of(event) if begin <= fault.addr < end]
