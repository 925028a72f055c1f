"""Stops one thread of another process, so that a test decides when the collector may go on."""
import contextlib
import ctypes
import os
import pathlib

SEIZE, INTERRUPT, DETACH = 0x4206, 0x4207, 17
WALL = 0x40000000
libc = ctypes.CDLL(None, use_errno=True)
libc.ptrace.argtypes = [ctypes.c_long, ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p]


def ptrace(request, tid):
    if libc.ptrace(request, tid, None, None):
        raise OSError(ctypes.get_errno(), f"ptrace {request} of {tid}")


def thread_named(pid, name):
    tasks = pathlib.Path(f"/proc/{pid}/task").iterdir()
    return next(int(task.name) for task in tasks if (task / "comm").read_text().strip() == name)


@contextlib.contextmanager
def held(pid, name):
    """The thread `name` of `pid` stands still within this context."""
    tid = thread_named(pid, name)
    ptrace(SEIZE, tid)
    ptrace(INTERRUPT, tid)
    os.waitpid(tid, WALL)
    try:
        yield
    finally:
        ptrace(DETACH, tid)
