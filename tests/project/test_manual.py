"""The manual page and the shell completions: made by the command itself, and understood by the
programs that they are for."""
import os
import pty
import re
import select
import subprocess

import pytest

from conftest import FTPROF, ROOT


def generated(*words):
    done = subprocess.run([FTPROF, "generate", *words], capture_output=True, text=True, check=True)
    return done.stdout


def commands():
    text = subprocess.run([FTPROF, "--help"], capture_output=True, text=True, check=True).stdout
    return re.findall(r"^  (\w+) {2,}", text.partition("Subcommands:")[2], re.M)


def options(command):
    text = subprocess.run([FTPROF, command, "--help"], capture_output=True, text=True, check=True).stdout
    return re.findall(r"^  (?:-\w,)?(--[\w-]+)", text, re.M)


@pytest.fixture(scope="module")
def manual(tmp_path_factory):
    path = tmp_path_factory.mktemp("man") / "ftprof.1"
    path.write_text(generated("man", "--template", str(ROOT / "man/ftprof.1.in")))
    return path


def test_the_manual_is_good_roff(manual, need):
    done = subprocess.run([need("groff"), "-man", "-Tutf8", "-ww", "-z", manual], capture_output=True, text=True)
    assert done.returncode == 0 and done.stderr == ""


def test_the_manual_has_every_command_option_and_setting(manual, need):
    shown = subprocess.run([need("groff"), "-man", "-Tascii", "-P-c", "-rLL=200n", manual],
                           capture_output=True, text=True, check=True).stdout
    shown = re.sub(".\b", "", shown)
    for command in commands():
        assert f"ftprof {command}" in shown
        for option in set(options(command)) - {"--help"}:
            assert option in shown, f"{command} {option}"
    for key in re.findall(r'^SETTING\(\w+, "([^"]+)"', (ROOT / "configs/settings.def").read_text(), re.M):
        assert key in shown
    assert "@" not in shown


def complete_in_bash(words, tmp_path):
    """What bash offers for the last word."""
    script = tmp_path / "completion"
    script.write_text(generated("bash"))
    line = " ".join(words)
    # Readline breaks words at '=' too.
    parts = [p for w in words for p in re.findall(r"[^=]+|=", w)] + ([] if words[-1] else [""])
    array = " ".join(f"'{p}'" for p in parts)
    code = (f"source {script}; compopt() {{ :; }}; COMP_WORDS=({array}); COMP_CWORD={len(parts) - 1}; "
            f"COMP_LINE='{line}'; _ftprof; printf '%s\\n' \"${{COMPREPLY[@]}}\"")
    done = subprocess.run(["bash", "-c", code], capture_output=True, text=True, check=True)
    return done.stdout.split()


@pytest.mark.parametrize("words, offered", [
    (["ftprof", "r"], {"run"}),
    (["ftprof", "run", "--set", "faults.s"], {"faults.source="}),
    (["ftprof", "run", "--set", "faults.source="], {"auto", "perf", "pagemap"}),
    (["ftprof", "run", "--set", "faults.source=p"], {"perf", "pagemap"}),
    (["ftprof", "run", "--set", "calls.count=t"], {"true"}),
    (["ftprof", "run", "--allocator", "je"], {"jemalloc"}),
    (["ftprof", "run", "--rep"], {"--report"}),
])
def test_bash_offers(words, offered, tmp_path):
    assert offered <= set(complete_in_bash(words, tmp_path))


def test_bash_offers_every_option(tmp_path):
    for command in commands():
        assert set(options(command)) <= set(complete_in_bash(["ftprof", command, "--"], tmp_path))


def test_zsh_understands_the_completion(tmp_path, need):
    script = tmp_path / "_ftprof"
    script.write_text(generated("zsh"))
    zsh = need("zsh")
    done = subprocess.run([zsh, "-n", script], capture_output=True, text=True)
    assert done.returncode == 0 and done.stderr == ""
    # In a terminal of its own zsh completes "ftprof doct" to "ftprof doctor".
    pid, terminal = pty.fork()
    if pid == 0:
        os.execve(zsh, ["zsh", "-f", "-i"], dict(os.environ, TERM="dumb", PS1=""))
    try:
        say(terminal, f"PS1=; fpath=({tmp_path} $fpath); autoload -U compinit; compinit -u -D; "
                      "echo re''ady\n", until="ready\r\n")
        say(terminal, "ftprof doct\t", until="doctor")
    finally:
        os.close(terminal)  # hangs up
        os.waitpid(pid, 0)


def say(terminal, text, until):
    os.write(terminal, text.encode())
    seen = ""
    while until not in seen:
        assert select.select([terminal], [], [], 30)[0], seen
        seen += os.read(terminal, 4096).decode(errors="replace")
