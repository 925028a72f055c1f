"""The self-checks of real programs pass under the library as they do without it."""
import os
import subprocess

from conftest import ROOT, preload_for


def run(command, folder, preload, timeout=300, **environment):
    words = [f"FTPROF_OUTPUT={folder}/out", *(f"{k}={v}" for k, v in environment.items())]
    if preload:
        words.append(f"LD_PRELOAD={preload}")
    return subprocess.run(["env", *words, *command], cwd=folder, capture_output=True, text=True,
                          errors="replace", timeout=timeout)


def assert_passes(command, folder, **how):
    done = run(command, folder, preload_for(), **how)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    return done.stdout


def assert_same(command, tmp_path):
    outcomes = []
    for kind, preload in (("bare", None), ("profiled", preload_for())):
        folder = tmp_path / kind
        folder.mkdir()
        done = run(command, folder, preload)
        outcomes.append((done.returncode, done.stdout, done.stderr))
    assert outcomes[0] == outcomes[1]
    assert outcomes[0][0] == 0, outcomes[0]


def test_python_test_suite(tmp_path):
    modules = ["test_list", "test_bytes", "test_mmap", "test_array", "test_zlib", "test_thread",
               "test_fork1", "test_wait4", "test_memoryview", "test_posix"]
    assert_passes(["/usr/bin/python3", "-m", "test", "-q", *modules], tmp_path)


def test_sqlite_checks_its_own_database(tmp_path):
    script = """
    pragma journal_mode=wal;
    create table t(id integer primary key, a text, b blob);
    with recursive n(i) as (select 1 union all select i+1 from n where i<40000)
    insert into t(a, b) select printf('%08d', (i*7919)%40000), zeroblob(i%500) from n;
    create index ta on t(a);
    delete from t where id%3=0;
    vacuum;
    pragma integrity_check;
    pragma foreign_key_check;
    select count(*), sum(length(b)), min(a), max(a) from t;
    .dump t
    """
    assert_same(["sh", "-c", f"sqlite3 db <<'X' | md5sum\n{script}\nX"], tmp_path)


def test_perl_modules(tmp_path):
    script = r"""
    use strict; use Test::More; use List::Util qw(sum shuffle); use Storable qw(dclone freeze thaw);
    use Digest::SHA qw(sha256_hex); use MIME::Base64; use Encode; use threads;
    my @big = map { "k$_" x 1000 } 1 .. 2000;
    is(scalar @{dclone(\@big)}, 2000); is(sum(map { length } @{thaw(freeze(\@big))}), sum(map { length } @big));
    is(decode_base64(encode_base64(join '', @big)), join('', @big));
    is(length(sha256_hex(join '', @big)), 64); is(decode('UTF-8', encode('UTF-8', "\x{263a}" x 99)), "\x{263a}" x 99);
    is(sum(map { $_->join } map { my $n = $_; threads->create(sub { my $s = "x" x 1e6; length($s) * $n }) } 1 .. 8), 36e6);
    is(join('', sort { $a cmp $b } shuffle('a' .. 'z')), join('', 'a' .. 'z'));
    done_testing;
    """
    assert_same(["perl", "-e", script], tmp_path)


def test_git_gc_and_repack(tmp_path):
    script = f"""
    git clone -q --no-local '{ROOT}' copy && cd copy && git gc -q --aggressive && git repack -adfq &&
    git fsck --strict && git log --oneline | md5sum && git archive HEAD | md5sum
    """
    assert_same(["sh", "-c", script], tmp_path)


def test_gcc_builds_the_same_objects(tmp_path):
    script = f"""
    for f in '{ROOT}'/tests/bench/*.c; do gcc -O2 -g0 -c "$f" -o x.o && md5sum <x.o; done
    for f in '{ROOT}'/tests/victims/throws.cpp; do g++ -std=c++20 -O2 -g0 -c "$f" -o x.o && md5sum <x.o; done
    """
    assert_same(["sh", "-c", script], tmp_path)


def test_node_and_npm(tmp_path, need):
    need("npm")
    script = """
    const test = require('node:test'); const assert = require('assert'); const zlib = require('zlib');
    const { Worker } = require('worker_threads');
    test('buffers', () => { const b = Buffer.alloc(32 << 20, 7); assert.strictEqual(zlib.gunzipSync(zlib.gzipSync(b)).compare(b), 0); });
    test('workers', async () => { await Promise.all([1, 2, 3, 4].map(n => new Promise((ok, no) => {
      const w = new Worker('require("worker_threads").parentPort.postMessage(new Array(1e6).fill(1).length)', { eval: true });
      w.on('message', ok); w.on('error', no); }))); });
    """
    (tmp_path / "check.js").write_text(script)
    assert_passes(["node", "--test", "check.js"], tmp_path)
    (tmp_path / "package.json").write_text('{"name":"a","version":"1.0.0","scripts":{"hi":"echo hi-there"}}')
    assert "hi-there" in assert_passes(["npm", "run", "--offline", "hi"], tmp_path)
    assert_passes(["npm", "pack", "--offline", "--ignore-scripts"], tmp_path)


def redis_commands(folder, preload):
    server = ["redis-server", "--port", "0", "--unixsocket", f"{folder}/s", "--dir", str(folder),
              "--daemonize", "yes", "--pidfile", f"{folder}/pid", "--logfile", f"{folder}/log",
              "--appendonly", "yes"]
    assert run(server, folder, preload).returncode == 0
    script = """
    until redis-cli -s s ping >/dev/null 2>&1; do :; done
    c() { redis-cli -s s "$@"; }
    c eval "for i=1,20000 do redis.call('set','k'..i,string.rep('v',i%3000)) end return 1" 0
    c eval "for i=1,2000 do redis.call('rpush','l',string.rep('x',i)); redis.call('zadd','z',i,'m'..i); redis.call('hset','h','f'..i,i); redis.call('sadd','s'..(i%10),i) end return 1" 0
    c sort l alpha limit 0 1; c zrangebyscore z 1990 2000; c hlen h; c sunionstore u s1 s2 s3
    c debug reload; c bgrewriteaof >/dev/null; c debug loadaof; c dbsize
    c debug digest; c object encoding l; c shutdown save
    """
    done = subprocess.run(["bash", "-c", script], cwd=folder, capture_output=True, text=True, timeout=120)
    return done.stdout


def test_redis_commands(tmp_path, need):
    need("redis-server")
    seen = []
    for kind, preload in (("bare", None), ("profiled", preload_for())):
        folder = tmp_path / kind
        folder.mkdir()
        seen.append(redis_commands(folder, preload))
    assert seen[0] == seen[1]
    assert "20014" in seen[0], seen[0]
