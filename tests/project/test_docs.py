"""The documentation keeps up with the command: every option is in docs/commands.md, every key of a
report in docs/report.md."""
import json
import re
import subprocess

from conftest import FTPROF, ROOT
from test_manual import commands, options

# Their keys are names from elsewhere: settings, functions, environment variables, kinds of faults.
OPEN_MAPS = {"settings", "calls", "env", "prices_ns"}


def section(text, command):
    return re.split(r"^## ", text.partition(f"\n## {command}\n")[2], maxsplit=1, flags=re.M)[0]


def test_every_command_has_its_options_and_an_example():
    text = (ROOT / "docs/commands.md").read_text()
    for command in commands():
        described = section(text, command)
        assert re.search(rf"^(\$ |.*\$\()?.*ftprof {command}\b", described, re.M), f"{command}: no example"
        for option in set(options(command)) - {"--help"}:
            assert f"`{option}" in described or f"{option} " in described or f"{option}`" in described, \
                f"{command} {option}"
        shown = subprocess.run([FTPROF, command, "--help"], capture_output=True, text=True, check=True).stdout
        assert "Example:\n  " in shown and f"ftprof {command}" in shown.partition("Example:")[2]


def keys(value):
    if isinstance(value, list):
        for item in value:
            yield from keys(item)
    elif isinstance(value, dict):
        for name, inner in value.items():
            yield name
            if name not in OPEN_MAPS:
                yield from keys(inner)


def test_every_key_of_a_report_is_described():
    """The golden report, and one field by field from the code, for what that small run lacks."""
    text = (ROOT / "docs/report.md").read_text()
    code = (ROOT / "analyzer/report_fields.h").read_text()
    names = set(re.findall(r'io\.(?:field|known|object|list|owner|environment|by_phase)\("(\w+)"', code))
    names |= set(keys(json.loads((ROOT / "tests/golden/small.json").read_text())))
    described = set(re.findall(r"\w+", " ".join(re.findall(r"`([^`]+)`", text))))
    assert len(names) > 150 and names <= described, sorted(names - described)
