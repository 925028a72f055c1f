"""Ordinary programs are unchanged: same standard output, standard error and exit status with the
library as without."""
import os
import signal
import subprocess
import time

import pytest

from conftest import VICTIMS, preload_for

SHELL_PIPES = """
set -e
printf 'c\\nb\\na\\n' | sort | while read -r line; do echo "[$line]"; done
seq 1 200000 | awk '{s += $1} END {print s}'
echo to-stderr >&2
exit 3
"""
PYTHON = "import sys; l=[bytes(1<<20) for _ in range(20)]; print(sum(map(len,l))); sys.exit(5)"
PERL = 'my @a = map { "x" x 300000 } 1..40; print length(join("", @a)), "\\n"; warn "w\\n"; exit 4'
SQL = """
create table t(a integer, b text);
with recursive n(i) as (select 1 union all select i+1 from n where i<50000)
insert into t select i, hex(i*7919) from n;
create index ti on t(b);
select count(*), max(b) from t;
"""

PROGRAMS = {
    "sh": ["sh", "-c", SHELL_PIPES],
    "python3": ["/usr/bin/python3", "-c", PYTHON],
    "perl": ["perl", "-e", PERL],
    "sqlite3": ["sqlite3", ":memory:", SQL],
    "sort": ["sh", "-c", "seq 1 300000 | sort -R --random-source=/dev/zero | sort -n | md5sum"],
    "tar": ["sh", "-c", "tar cJf - -C /usr/share/doc/bash . | tar xJOf - | md5sum"],
    "git": ["sh", "-c", "git init -q r && cd r && seq 1 9999 >f && git add f && "
            "git -c user.name=a -c user.email=a@b commit -qm m --date=2020-01-01T00:00:00Z && "
            "git log --format=%s && git gc -q && git fsck"],
    "gcc": ["sh", "-c", "printf '#include <stdio.h>\\nint main(){puts(\"hi\");}' >a.c && "
            "gcc -O2 -Wall -c a.c -o a.o && md5sum <a.o"],
    "gcc fails": ["sh", "-c", "echo 'int main( {' >b.c; gcc -c b.c"],
    "grep": ["grep", "-c", "root", "/etc/passwd", "/nonexistent"],
    "find": ["sh", "-c", "find /usr/include -name '*.h' | LC_ALL=C sort | md5sum"],
    "killed": ["sh", "-c", "kill -TERM $$"],
}


def outcome(command, folder, preload):
    environment = dict(os.environ, FTPROF_OUTPUT=str(folder / "out"))
    environment.pop("LD_PRELOAD", None)
    work = folder / "work"
    work.mkdir()
    words = ["env", f"LD_PRELOAD={preload}", *command] if preload else ["env", *command]
    done = subprocess.run(words, cwd=work, env=environment, capture_output=True, timeout=120)
    return done.returncode, done.stdout, done.stderr


def assert_unchanged(command, tmp_path):
    outcomes = []
    for kind, preload in (("bare", None), ("profiled", preload_for())):
        folder = tmp_path / kind
        folder.mkdir()
        outcomes.append(outcome(command, folder, preload))
    assert outcomes[0] == outcomes[1]


@pytest.mark.parametrize("name", PROGRAMS)
def test_program_is_unchanged(name, tmp_path, need):
    need(PROGRAMS[name][0])
    assert_unchanged(PROGRAMS[name], tmp_path)


def test_throwing_program_is_unchanged(tmp_path):
    assert_unchanged([str(VICTIMS / "throws")], tmp_path)


def wait_for_redis(cli, server):
    while subprocess.run([*cli, "ping"], capture_output=True, text=True).stdout != "PONG\n":
        assert server.poll() is None, "redis-server ended early"
        time.sleep(0.01)


def redis_session(folder, preload):
    """Starts redis-server on a socket, runs commands, stops it; what the client saw, and how it ended."""
    folder.mkdir()
    socket = folder / "s"
    words = ["redis-server", "--port", "0", "--unixsocket", str(socket), "--dir", str(folder),
             "--save", "", "--logfile", str(folder / "log")]
    environment = dict(os.environ, FTPROF_OUTPUT=str(folder / "out"))
    if preload:
        words = ["env", f"LD_PRELOAD={preload}", *words]
    server = subprocess.Popen(words, env=environment)
    cli = ["redis-cli", "-s", str(socket)]
    wait_for_redis(cli, server)
    seen = [subprocess.run([*cli, *command], capture_output=True, text=True).stdout for command in (
        ["setrange", "k", "2000000", "v"], ["strlen", "k"], ["debug", "reload"], ["strlen", "k"],
        ["bgsave"], ["eval", "return 7", "0"])]
    server.send_signal(signal.SIGTERM)
    return seen, server.wait(timeout=30)


def test_redis_is_unchanged(tmp_path, need):
    need("redis-server")
    assert redis_session(tmp_path / "a", None) == redis_session(tmp_path / "b", preload_for())
