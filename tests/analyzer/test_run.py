"""ftprof run and ftprof env: how a program is started, not what is recorded. A stand-in for the
library lies beside a copy of the command and notes what it was started with."""
import json
import os
import pathlib
import pty
import re
import shutil
import signal
import stat
import subprocess
import sys

import pytest

from conftest import ALLOCATORS, FTPROF, ROOT, as_ordinary_user, open_to_all

FAKE = ROOT / "tests/support/fake_library.c"


class Command:
    """A folder with the command and the stand-in, and a place to run in."""

    def __init__(self, folder, fake):
        self.folder = folder
        self.ftprof = folder / "bin/ftprof"
        self.library = folder / "bin/libftprof.so"
        self.log = folder / "log"
        self.work = folder / "work"
        for path in (folder / "bin", self.work):
            path.mkdir()
        shutil.copy(FTPROF, self.ftprof)
        shutil.copy(fake, self.library)

    def environment(self, **more):
        clean = {k: v for k, v in os.environ.items()
                 if not k.startswith(("FTPROF_", "LD_PRELOAD", "OMPI_", "PMI", "SLURM_"))}
        return {**clean, "FAKE_LOG": str(self.log), "FAKE_TRACE": "1", **more}

    def __call__(self, *words, env=None, **how):
        how = dict(cwd=self.work, capture_output=True, text=True, errors="replace", timeout=60, **how)
        return subprocess.run([self.ftprof, *map(str, words)], env=self.environment(**(env or {})), **how)

    def start(self, *words, **how):
        return subprocess.Popen([self.ftprof, *map(str, words)], env=self.environment(), cwd=self.work,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **how)

    def noted(self):
        """What the stand-in saw, one dict a process."""
        images = []
        for line in self.log.read_text().splitlines() if self.log.exists() else []:
            name, equals, value = line.partition("=")
            if equals and images:
                images[-1][name] = value
            else:
                pid, program = line.split(" ", 1)
                images.append({"pid": int(pid), "program": program})
        return images


@pytest.fixture(scope="module")
def fake(tmp_path_factory):
    path = tmp_path_factory.mktemp("fake") / "libftprof.so"
    subprocess.run(["gcc", "-D_GNU_SOURCE", "-shared", "-fPIC", "-o", path, FAKE], check=True)
    return path


@pytest.fixture
def command(tmp_path, fake):
    return Command(tmp_path, fake)


def compile_c(path, source, *flags, compiler="gcc"):
    subprocess.run([compiler, *flags, "-x", "c++" if compiler == "g++" else "c", "-o", path, "-"],
                   input=source, text=True, check=True)
    return path


def one_line(text):
    assert text.count("\n") == 1 and text.startswith("ftprof: "), text
    return text


# ---- starting


def test_the_library_is_preloaded_and_told_where_to_write(command):
    done = command("run", "-o", "out", "--set", "faults.period=1", "--", "sh", "-c", "echo hello")
    assert (done.returncode, done.stdout) == (0, "hello\n")
    seen = command.noted()[0]
    assert seen["preload"] == str(command.library)
    assert seen["output"] == str(command.work / "out")
    assert seen["options"] == "faults.period=1"
    line = one_line(done.stderr)
    assert f"ftprof report {command.work}/out" in line


def test_the_folder_is_named_by_program_and_process(command):
    done = command("run", "sh", "-c", "echo $$")
    folder = command.work / f"ftprof.sh.{done.stdout.strip()}"
    assert folder.is_dir() and str(folder) in done.stderr
    assert stat.S_IMODE((folder / "run.json").stat().st_mode) == 0o600


def test_everything_behind_the_program_is_the_programs(command):
    words = ["--set", "a b", "", "[x,y]", "--", "-o", "-q", "--help", "%%", "*", "run"]
    for before in ([], ["--"], ["-q"], ["-o", "d"], ["-od", "--"], ["--output=d"]):
        done = command("run", *before, "printf", "<%s>", *words)
        assert done.stdout == "".join(f"<{w}>" for w in words), before
        assert done.returncode == 0


def test_commands_of_ours_are_programs_behind_run(command):
    done = command("run", "-q", "env")
    assert "FTPROF_OUTPUT=" in done.stdout and done.returncode == 0


def test_the_users_own_preload_stays_behind_ours_and_the_allocator(command, tmp_path):
    theirs = compile_c(tmp_path / "theirs.so", "int theirs;", "-shared", "-fPIC")
    command("run", "--allocator", "jemalloc", "true", env={"LD_PRELOAD": str(theirs)})
    assert command.noted()[-1]["preload"] == f"{command.library}:{ALLOCATORS['jemalloc']}:{theirs}"


@pytest.mark.parametrize("name", ["jemalloc", "mimalloc", "tcmalloc"])
def test_allocators_are_found_by_name(command, name):
    done = command("run", "-q", "--allocator", name, "cat", "/proc/self/maps")
    assert str(ALLOCATORS[name].resolve()) in done.stdout


def test_an_allocator_by_path(command, tmp_path):
    library = compile_c(tmp_path / "mine.so", "int mine;", "-shared", "-fPIC")
    done = command("run", "-q", "--allocator", library, "cat", "/proc/self/maps")
    assert str(library) in done.stdout


@pytest.mark.parametrize("name, says", [
    ("jemaloc", "did you mean jemalloc?"),
    ("/no/such.so", "is not there"),
    ("zzz", "unknown allocator zzz"),
])
def test_an_allocator_that_is_none(command, name, says):
    done = command("run", "--allocator", name, "true")
    assert done.returncode == 2 and says in one_line(done.stderr)
    assert not command.noted()


def test_settings_come_from_the_environment_the_file_and_the_line_in_that_order(command):
    (command.work / "c.toml").write_text("[faults]\nperiod = 2\nsource = 'perf'\n")
    command("run", "-c", "c.toml", "--set", "faults.source=pagemap", "true",
            env={"FTPROF_OPTIONS": "faults.period=9,calls.count=true"})
    assert command.noted()[0]["options"] == "calls.count=true,faults.period=2,faults.source=pagemap"


def test_env_prints_what_run_sets(command):
    done = command("env", "-c", "/dev/null", "--set", "faults.source=perf", "--set", "output.dir=d")
    assert done.stdout.splitlines() == [
        "FTPROF_OPTIONS=faults.source=perf", "FTPROF_OUTPUT=d", f"LD_PRELOAD={command.library}"]


# ---- refusals: one line, status 2, nothing started


@pytest.mark.parametrize("words, says", [
    ([], "no command given"),
    (["rnu"], "did you mean run?"),
    (["run"], "no program given"),
    (["run", "-o"], "-o"),
    (["run", "--ouptut", "d", "true"], "did you mean --output?"),
    (["run", "--set", "faults.sorce=perf", "true"], "did you mean faults.source?"),
    (["run", "--set", "faults.source=ebpf", "true"], "one of auto, perf, pagemap"),
    (["run", "--set", "faults.source", "true"], "is not KEY=VALUE"),
    (["run", "-c", "missing.toml", "true"], "missing.toml: cannot be read"),
    (["run", "-c", "bad.toml", "true"], "bad.toml:2: unknown setting faults.perid"),
    (["run", "-o", "/proc/x", "true"], "cannot be used"),
    (["run", "-o", "file", "true"], "cannot be used"),
    (["env", "x"], "unexpected argument x"),
    (["run", "--set", "log.level=\x1b[31m", "true"], "\\x1b[31m"),
])
def test_refusals(command, words, says):
    (command.work / "bad.toml").write_text("[faults]\nperid = 1\n")
    (command.work / "file").write_text("")
    done = command(*words)
    assert done.returncode == 2 and done.stdout == ""
    assert says in one_line(done.stderr)
    assert not command.noted()


def test_without_the_library_nothing_runs(command):
    command.library.unlink()
    done = command("run", "touch", "ran")
    assert done.returncode == 2 and "libftprof.so is not beside the command" in one_line(done.stderr)
    assert not (command.work / "ran").exists()


def test_a_library_that_the_preload_variable_cannot_name(tmp_path, fake):
    place = tmp_path / "with space"
    place.mkdir()
    command = Command(place, fake)
    done = command("run", "true")
    assert done.returncode == 2 and "space or a colon" in one_line(done.stderr)


def test_an_unwritable_folder_as_an_ordinary_user(command):
    open_to_all(command.folder)
    locked = command.work / "locked"
    locked.mkdir(mode=0o700)
    words = [*as_ordinary_user(), command.ftprof, "run", "-o", locked, "--", "true"]
    done = subprocess.run(words, capture_output=True, text=True, cwd=command.work,
                          env=command.environment())
    assert done.returncode == 2 and "it is not writable" in one_line(done.stderr)


def test_help_has_an_example_and_goes_to_standard_output(command):
    top = command("--help")
    assert top.returncode == 0 and top.stderr == ""
    names = re.findall(r"^  (\w+) {2,}", top.stdout.partition("Subcommands:")[2], re.M)
    assert "run" in names and "env" in names
    for name in names:
        done = command(name, "--help")
        assert done.returncode == 0 and "Example:\n" in done.stdout and done.stderr == "", name


# ---- ending


@pytest.mark.parametrize("script, status", [
    ("exit 0", 0), ("exit 7", 7), ("exit 255", 255), ("kill -KILL $$", 137), ("kill -SEGV $$", 139),
    ("kill -TERM $$", 143)])
def test_it_exits_as_the_program_exits(command, script, status):
    assert command("run", "sh", "-c", script).returncode == status


def test_not_found_and_not_executable(command):
    done = command("run", "no-such-program")
    assert done.returncode == 127 and "is not there" in one_line(done.stderr)
    (command.work / "data").write_text("#!/bin/sh\n")
    for path in ("./data", "/"):
        done = command("run", path)
        assert done.returncode == 126 and "cannot be executed" in one_line(done.stderr)
    broken = command.work / "broken"
    broken.write_text("#!/no/such/interpreter\n")
    broken.chmod(0o755)
    assert command("run", "./broken").returncode == 127
    assert not list(command.work.glob("ftprof.*"))


def test_run_json_says_what_only_the_parent_knows(command):
    command("run", "-o", "out", "--allocator", "jemalloc", "--set", "faults.period=1", "--",
            sys.executable, "-c", "import sys; x = bytearray(8 << 20); sys.exit(3)")
    record = json.loads((command.work / "out/run.json").read_text())
    assert record["schema"] == "ftprof.run/1"
    assert record["command"][0] == sys.executable and record["exit_status"] == 3
    assert record["signal"] is None and record["rank"] is None
    assert record["allocator"] == "jemalloc" and record["settings"]["faults.period"] == "1"
    assert record["minor_faults"] > 2048 and record["peak_resident_bytes"] > 8 << 20
    assert record["wall_ns"] > 0 and record["user_ns"] + record["system_ns"] > 0


def test_run_json_of_a_killed_program_and_hostile_arguments(command):
    command("run", "-o", "out", "sh", "-c", "kill -9 $$", os.fsdecode(b"\xff\x1b[2J"))
    record = json.loads((command.work / "out/run.json").read_text())
    assert (record["exit_status"], record["signal"]) == (137, 9)


def test_a_program_that_records_nothing_says_so(command):
    environment = command.environment()
    del environment["FAKE_TRACE"]
    done = subprocess.run([command.ftprof, "run", "-o", "out", "true"], cwd=command.work,
                          env=environment, capture_output=True, text=True)
    assert "nothing was recorded" in one_line(done.stderr) and "128KiB" in done.stderr
    assert done.returncode == 0


@pytest.mark.parametrize("quiet", [["-q"], ["--set", "log.level=off"]])
def test_quiet(command, quiet):
    assert command("run", *quiet, "true").stderr == ""


def test_nothing_is_left_over(command):
    before = set(pathlib.Path("/tmp").iterdir())
    command("run", "-o", "out", "true")
    left = {p.name for p in command.work.iterdir()}
    assert left == {"out"}
    assert not [p for p in set(pathlib.Path("/tmp").iterdir()) - before if "ftprof" in p.name.lower()]


def test_descriptors_and_signals_are_as_without_ftprof(command):
    script = ("import os, signal; print(sorted(os.listdir('/proc/self/fd')), "
              "[s for s in signal.valid_signals() if s not in (9, 19) and signal.getsignal(s) == signal.SIG_IGN],"
              "signal.pthread_sigmask(signal.SIG_BLOCK, []), os.getpgrp() == os.getpgid(os.getppid()))")
    words = [sys.executable, "-c", script]
    bare = subprocess.run(words, capture_output=True, text=True)
    assert command("run", *words).stdout == bare.stdout


# ---- signals


READY = "import signal, sys, time\n{handlers}\nprint('ready', flush=True)\nsignal.pause()\n"


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGUSR1])
def test_a_signal_sent_to_us_reaches_the_program(command, number):
    handler = f"signal.signal({int(number)}, lambda *_: sys.exit(42))"
    running = command.start("run", sys.executable, "-c", READY.format(handlers=handler))
    assert running.stdout.readline() == "ready\n"
    running.send_signal(number)
    assert running.wait(timeout=30) == 42


def test_a_deadly_signal_kills_the_program_and_the_status_tells(command):
    running = command.start("run", sys.executable, "-c", READY.format(handlers=""))
    running.stdout.readline()
    running.send_signal(signal.SIGTERM)
    assert running.wait(timeout=30) == 128 + signal.SIGTERM


def test_the_terminals_interrupt_arrives_once(command):
    """Ctrl-C goes to the whole group: we must neither die of it nor pass it on a second time."""
    code = ("import signal, sys\ncount = 0\n"
            "def on(*_):\n global count\n count += 1\n"
            "signal.signal(signal.SIGINT, on)\nsignal.signal(signal.SIGTERM, lambda *_: sys.exit(count))\n"
            "print('ready', flush=True)\n"
            "while True:\n signal.pause()\n print('got', count, flush=True)\n")
    pid, terminal = pty.fork()
    if pid == 0:
        os.chdir(command.work)
        os.execve(command.ftprof, ["ftprof", "run", "-q", sys.executable, "-c", code],
                  command.environment())
    text = b""
    while b"ready" not in text:
        text += os.read(terminal, 1000)
    os.write(terminal, b"\x03")
    while b"got 1" not in text:
        text += os.read(terminal, 1000)
    os.kill(pid, signal.SIGTERM)
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 1
    os.close(terminal)


def test_an_ignored_signal_stays_ignored(command):
    def ignore():
        signal.signal(signal.SIGHUP, signal.SIG_IGN)
    code = "import signal, sys; sys.exit(signal.getsignal(signal.SIGHUP) == signal.SIG_IGN)"
    done = command("run", sys.executable, "-c", code, preexec_fn=ignore)
    assert done.returncode == 1


# ---- ranks


def test_ranks_write_into_one_folder_at_once(command):
    ranks = []
    for rank in range(4):
        words = [command.ftprof, "run", "-o", "out", "--", "sh", "-c", "exit 0"]
        environment = dict(command.environment(), OMPI_COMM_WORLD_RANK=str(rank))
        ranks.append(subprocess.Popen(words, cwd=command.work, env=environment,
                                      stderr=subprocess.DEVNULL))
    assert [r.wait(timeout=60) for r in ranks] == [0] * 4
    records = [json.loads(p.read_text()) for p in (command.work / "out").glob("run*.json")]
    assert sorted(r["rank"] for r in records) == list("0123")
    assert len(list((command.work / "out").glob("*/metadata"))) == 4


# ---- out of reach: said before, and run all the same


@pytest.fixture
def programs(command):
    return command.work


def expect_said(command, program, *says, status=0):
    done = command("run", "-q", program)
    assert done.returncode == status, done.stderr
    line = one_line(done.stderr)
    for words in says:
        assert words in line
    return done


def test_a_static_program(command, programs):
    app = compile_c(programs / "app", "int main(void) { return 0; }", "-static")
    expect_said(command, app, "app is statically linked", "nothing is recorded")


def test_a_static_pie(command, programs):
    app = compile_c(programs / "app", "int main(void) { return 0; }", "-static-pie")
    expect_said(command, app, "app is statically linked")


def test_a_program_with_its_own_malloc(command, programs):
    source = """#include <stddef.h>
    static char heap[1 << 20]; static size_t used;
    void* malloc(size_t size) { void* at = heap + used; used += (size + 15) & ~15ul; return at; }
    void free(void* at) { (void)at; }
    int main(void) { return malloc(8) == NULL; }"""
    app = compile_c(programs / "app", source, "-fno-builtin")
    expect_said(command, app, "app defines malloc itself", "annotate.h")


def test_an_allocator_under_a_prefix(command, programs):
    source = "#include <stdlib.h>\nvoid* je_malloc(size_t n) { return malloc(n); }\nint main(void) { return 0; }"
    app = compile_c(programs / "app", source)
    expect_said(command, app, "app defines je_malloc itself")


def test_a_go_program(command, programs):
    source = ('__attribute__((section(".note.go.buildid"), used)) static const char id[] = "x";'
              "int main(void) { return 0; }")
    app = compile_c(programs / "app", source)
    expect_said(command, app, "app is a Go program", "other_anonymous")


def test_a_setuid_program(command, programs):
    app = compile_c(programs / "app", "int main(void) { return 0; }")
    open_to_all(command.work)
    app.chmod(0o4755)
    user = [word for word in as_ordinary_user() if word != "--no-new-privs"]
    words = [*user, command.ftprof, "run", "-q", "-o", command.work / "out", "--", app]
    done = subprocess.run(words, capture_output=True, text=True, cwd=command.work,
                          env=command.environment(FAKE_LOG="/dev/null"))
    assert done.returncode == 0 and "app is setuid" in one_line(done.stderr)


def test_a_program_built_with_the_address_sanitizer(command, programs):
    app = compile_c(programs / "app", "int main(void) { return 0; }", "-fsanitize=address")
    done = command("run", "-q", app)
    assert "AddressSanitizer" in done.stderr and "verify_asan_link_order=0" in done.stderr


def test_a_script_with_such_an_interpreter(command, programs):
    compile_c(programs / "interpreter", "int main(void) { return 5; }", "-static")
    script = programs / "script"
    script.write_text(f"#!{programs}/interpreter\n")
    script.chmod(0o755)
    expect_said(command, script, "interpreter (it runs script) is statically linked", status=5)


def test_a_script_by_env(command, programs):
    compile_c(programs / "interpreter", "int main(void) { return 5; }", "-static")
    script = programs / "script"
    script.write_text("#!/usr/bin/env interpreter\n")
    script.chmod(0o755)
    done = command("run", "-q", script, env={"PATH": f"{programs}:{os.environ['PATH']}"})
    assert "interpreter (it runs script) is statically linked" in one_line(done.stderr)


def test_ordinary_programs_are_said_nothing_about(command, programs):
    script = programs / "script"
    script.write_text("#!/bin/sh\nexit 0\n")
    script.chmod(0o755)
    cpp = compile_c(programs / "cpp", "#include <vector>\nint main() { return std::vector<int>(9)[0]; }",
                    "-static-libstdc++", compiler="g++")
    for program in (script, cpp, sys.executable, "/bin/true"):
        words = ["-c", ""] if program == sys.executable else []
        assert command("run", "-q", program, *words).stderr == "", program


# ---- code made at run time


def test_the_map_of_a_jit_is_kept_with_the_image(command):
    code = "import os; p = f'/tmp/perf-{os.getpid()}.map'; open(p, 'w').write('1000 10 jitted\\n'); print(p)"
    done = command("run", "-o", "out", sys.executable, "-c", code)
    path = pathlib.Path(done.stdout.strip())
    try:
        kept = list((command.work / "out").glob(f"*/{path.name}"))
        assert [p.read_text() for p in kept] == ["1000 10 jitted\n"]
    finally:
        path.unlink()
