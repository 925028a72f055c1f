"""The folders depend on each other as DESIGN.md says, and the project speaks only of itself."""
import pathlib
import re
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]
INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.M)


def tracked(*patterns):
    listing = subprocess.run(["git", "ls-files", "--", *patterns], cwd=ROOT, check=True,
                             capture_output=True, text=True).stdout
    return [ROOT / line for line in listing.splitlines()]


def includes(path):
    return INCLUDE.findall(path.read_text(errors="replace"))


def test_analyzer_sees_only_the_trace_format_of_preload():
    for path in tracked("analyzer/*.h", "analyzer/*.cpp"):
        foreign = [i for i in includes(path)
                   if i.startswith("preload/") and i != "preload/trace_format.h"]
        assert not foreign, f"{path}: {foreign}"


def test_preload_sees_nothing_of_analyzer():
    for path in tracked("preload/*.h", "preload/*.cpp"):
        assert not [i for i in includes(path) if i.startswith("analyzer/")], path


def test_preload_uses_no_library_but_libc_and_libunwind():
    allowed_by_pattern = re.compile(r"^\s*#\s*include\s+<(spdlog|toml|nlohmann|CLI|elfutils|gelf)", re.M)
    for path in tracked("preload/*.h", "preload/*.cpp"):
        assert not allowed_by_pattern.search(path.read_text()), path


def test_scripts_say_their_usage_in_their_head():
    for path in tracked("scripts"):
        head = "".join(path.read_text().splitlines(True)[:3])
        assert path.name in head or "Sourced" in head, f"{path} has no usage in its first lines"


def test_every_source_header_guards_itself():
    for path in tracked("*.h"):
        text = path.read_text()
        assert "#pragma once" in text or "#ifndef" in text, path
