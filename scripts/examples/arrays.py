#!/usr/bin/env python3
"""scripts/examples/arrays.py [MIB [STEPS]]: a computation on large arrays, to compare allocators with.
Each step makes new arrays of MIB (4) MiB out of old ones and drops those, as numeric code does.

    ftprof compare --allocator glibc --allocator jemalloc -- python3 scripts/examples/arrays.py
"""
import array
import sys


def load(count):
    """A column of numbers, as if read from a file."""
    return array.array("d", range(1000)) * (count // 1000 + 1)


def differences(column):
    """Every second number; the copy is a new array."""
    return column[1::2] + column[0::2]


def running(column, window):
    """The column beside itself, shifted."""
    return column[window:] + column[:window]


def main():
    mib = int(sys.argv[1]) if len(sys.argv) > 1 else 4
    steps = int(sys.argv[2]) if len(sys.argv) > 2 else 10
    columns = [load((mib << 20) // 8) for _ in range(3)]
    for step in range(steps):
        columns = [running(differences(column), 8 * step + 1) for column in columns]
    print(sum(len(column) for column in columns), sum(column[100] for column in columns))


main()
