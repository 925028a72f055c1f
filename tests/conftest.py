"""Fixtures that every pytest file shares: where the build is, and one way to run a program under
the real library. Build folder: environment FTPROF_BUILD, default build/."""
import dataclasses
import json
import os
import pathlib
import shutil
import signal
import subprocess

import pytest

# A shell starts background jobs with interrupts ignored, and programs inherit that.
signal.signal(signal.SIGINT, signal.default_int_handler)

ROOT = pathlib.Path(__file__).resolve().parents[1]
BUILD = pathlib.Path(os.environ.get("FTPROF_BUILD", ROOT / "build")).resolve()
LIBRARY = BUILD / "preload/libftprof.so"
LIBMALLOC = BUILD / "preload/libmalloc/libftprof-libmalloc.so"
FTPROF = BUILD / "analyzer/ftprof"
WORKLOAD = BUILD / "tests/workload/ftprof-workload"
VICTIMS = BUILD / "tests/victims"

DEBIAN_LIBRARIES = pathlib.Path("/usr/lib/x86_64-linux-gnu")
ALLOCATORS = {
    "glibc": None,
    "jemalloc": DEBIAN_LIBRARIES / "libjemalloc.so.2",
    "mimalloc": DEBIAN_LIBRARIES / "libmimalloc.so.2.0",
    "tcmalloc": DEBIAN_LIBRARIES / "libtcmalloc_minimal.so.4",
}
ORDINARY_USER = "ftproftest"


@dataclasses.dataclass
class Profiled:
    """One finished run. images: the folder of each process image that wrote a trace."""
    status: int
    stdout: str
    stderr: str
    folder: pathlib.Path

    @property
    def images(self):
        return sorted(p.parent for p in self.folder.glob("*/metadata"))

    def report(self, *arguments):
        """The JSON report of the run."""
        done = subprocess.run([FTPROF, "report", self.folder, "--format", "json", *arguments],
                              capture_output=True, text=True, errors="replace", timeout=300)
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)


def preload_for(allocator="glibc", library=LIBRARY):
    """The value of LD_PRELOAD: the library first, then the allocator."""
    behind = LIBMALLOC if allocator == "libmalloc" else ALLOCATORS[allocator]
    if behind and not behind.exists():
        pytest.skip(f"{allocator}: {behind} is not installed")
    return " ".join(str(p) for p in (library, behind) if p)


def as_ordinary_user():
    """The words before a command that run it as a user without any privilege."""
    if os.geteuid() != 0:
        return []
    if subprocess.run(["id", ORDINARY_USER], capture_output=True).returncode:
        subprocess.run(["useradd", "--system", "--no-create-home", ORDINARY_USER], check=True)
    return ["setpriv", f"--reuid={ORDINARY_USER}", f"--regid={ORDINARY_USER}", "--clear-groups",
            "--bounding-set=-all", "--inh-caps=-all", "--ambient-caps=-all", "--no-new-privs"]


@pytest.fixture
def profile(tmp_path):
    """profile(COMMAND..., options="k=v,k=v", allocator="glibc", user=False, env={}, timeout=120,
    stdin=None) runs COMMAND under the library and gives a Profiled. user: as an ordinary user."""
    serial = iter(range(1000))

    def run(*command, options="", allocator="glibc", user=False, env=None, timeout=120, **how):
        folder = tmp_path / f"run{next(serial)}"
        environment = dict(os.environ, **(env or {}))
        environment.pop("LD_PRELOAD", None)
        assignments = [f"LD_PRELOAD={preload_for(allocator)}", f"FTPROF_OUTPUT={folder}",
                       f"FTPROF_OPTIONS={options}"]
        before = []
        if user:
            before = as_ordinary_user()
            open_to_all(tmp_path)
        # env last: neither setpriv nor timeout is itself preloaded
        words = [*before, "env", *assignments, *map(str, command)]
        done = subprocess.run(words, env=environment, capture_output=True, text=True,
                              errors="replace", timeout=timeout, **how)
        return Profiled(done.returncode, done.stdout, done.stderr, folder)

    return run


def open_to_all(folder):
    """Lets an ordinary user write in `folder` and pass through the folders above it."""
    folder.chmod(0o777)
    for parent in folder.parents:
        if parent == pathlib.Path("/tmp"):
            break
        if parent.stat().st_uid == os.geteuid() and parent != pathlib.Path("/"):
            parent.chmod(parent.stat().st_mode | 0o011)


@pytest.fixture
def profile_whole(profile):
    """As profile, but gives (what it gives, its report) of a run that lost no record: a loaded machine
    may make the collector late."""
    def run(*command, **how):
        for _ in range(5):
            done = profile(*command, **how)
            assert done.status == 0, done.stderr
            report = done.report()
            if report["run"]["lost_fault_records"] + report["run"]["lost_block_records"] == 0:
                return done, report
        pytest.fail("records were lost in each of five runs")
    return run


@pytest.fixture(params=list(ALLOCATORS))
def allocator(request):
    """Each allocator that the library must work in front of."""
    preload_for(request.param)
    return request.param


@pytest.fixture(params=["perf", "pagemap"])
def source(request):
    """Both sources of faults; use as options=f"faults.source={source}"."""
    return request.param


@pytest.fixture
def need():
    """need("redis-server") is the path of a program, or a skip with the reason."""
    def find(program):
        path = shutil.which(program)
        if not path:
            pytest.skip(f"{program} is not installed")
        return path
    return find
