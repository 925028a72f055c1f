"""Runs of many processes read as one report: a parallel build, a pipeline, MPI and Slurm ranks."""
import json
import os
import pathlib
import subprocess

from conftest import FTPROF, VICTIMS, Profiled

MAKEFILE = """
OBJECTS = a.o b.o c.o d.o
prog: $(OBJECTS)
\tgcc -o $@ $(OBJECTS)
%.o: %.c
\tgcc -O2 -c -o $@ $<
"""
SOLVER = """
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

__attribute__((noinline)) static void assemble(int rank) {
  /* rank 2 is the outlier: four times the others' matrix */
  size_t size = (size_t)(rank == 2 ? 32 : 8) << 20;
  char *matrix = malloc(size);
  memset(matrix, 1, size);
  MPI_Barrier(MPI_COMM_WORLD);
  free(matrix);
}

int main(int argc, char **argv) {
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  assemble(rank);
  MPI_Finalize();
  return 0;
}
"""


def run_ftprof(folder, *words, **how):
    return subprocess.run([FTPROF, "run", "-o", folder, *words], capture_output=True, text=True,
                          timeout=300, **how)


def assert_balanced(report):
    ledger = report["ledger"]
    assert sum(row["faults"] for row in ledger["rows"]) == ledger["minor_faults"] + ledger["major_faults"]
    assert sum(p["minor_faults"] + p["major_faults"] for p in report["processes"]) == \
        ledger["minor_faults"] + ledger["major_faults"]


def write_project(folder):
    folder.mkdir()
    (folder / "Makefile").write_text(MAKEFILE)
    for name in "abcd":
        body = "int main(void) { return 0; }" if name == "a" else ""
        (folder / f"{name}.c").write_text(f"#include <stdio.h>\nint {name}(void) {{ return 1; }}\n{body}\n")


def test_parallel_build_is_one_report(tmp_path, need):
    need("make")
    write_project(tmp_path / "project")
    done = run_ftprof(tmp_path / "run", "--", "make", "-j2", "-C", tmp_path / "project")
    assert done.returncode == 0, done.stderr
    report = Profiled(0, "", "", tmp_path / "run").report()
    names = [p["name"] for p in report["processes"]]
    # Each of the four compilations, the assembler's and the linker's big blocks included
    assert names.count("cc1") == 4
    assert len({p["pid"] for p in report["processes"]}) == len(names)
    assert report["run"]["complete"] and report["run"]["processes"] == len(names)
    assert_balanced(report)
    by_process = subprocess.run([FTPROF, "report", tmp_path / "run", "--by", "process"],
                                capture_output=True, text=True, timeout=60)
    assert by_process.returncode == 0 and "cc1" in by_process.stdout
    # make, the shells and the drivers have no big block: the kernel's count of the whole tree has them.
    ledger, kept = report["ledger"], json.loads((tmp_path / "run/run.json").read_text())
    assert report["run"]["command"][0] == "make"
    assert ledger["run_faults"] == kept["minor_faults"] + kept["major_faults"]
    assert ledger["untraced_faults"] == \
        ledger["run_faults"] - ledger["minor_faults"] - ledger["major_faults"] > 1000
    assert "without a trace" in by_process.stdout


def test_a_damaged_run_json_is_a_warning(tmp_path):
    run_ftprof(tmp_path / "run", "--", VICTIMS / "refaults")
    for text in ("", "[]", '{"schema": "ftprof.run/1", "minor_faults": -1}', "[" * 500000):
        (tmp_path / "run/run.json").write_text(text)
        report = Profiled(0, "", "", tmp_path / "run").report()
        assert report["ledger"]["run_faults"] is None and report["run"]["command"] == [str(VICTIMS / "refaults")]
        assert any("run.json" in warning for warning in report["run"]["warnings"])


def test_pipeline_is_one_report(tmp_path):
    big = "import sys; b = bytearray(4 << 20); sys.stdout.buffer.write(b)"
    script = f"/usr/bin/python3 -c '{big}' | /usr/bin/python3 -c 'import sys; d = sys.stdin.buffer.read(); print(len(d))'"
    done = run_ftprof(tmp_path / "run", "--", "sh", "-c", script)
    assert (done.returncode, done.stdout) == (0, f"{4 << 20}\n")
    report = Profiled(0, "", "", tmp_path / "run").report()
    assert [p["name"] for p in report["processes"]].count("python3") == 2
    assert_balanced(report)


def test_two_folders_are_merged(profile):
    runs = [profile(VICTIMS / "refaults") for _ in range(2)]
    merged = runs[0].report(runs[1].folder)
    assert merged["run"]["processes"] == 2
    single = runs[0].report()
    assert merged["pool"]["handouts"] == 2 * single["pool"]["handouts"]
    assert_balanced(merged)


def test_mpi_ranks_name_the_processes(tmp_path, need):
    need("mpicc"), need("mpirun")
    (tmp_path / "solver.c").write_text(SOLVER)
    subprocess.run(["mpicc", "-g", "-O1", tmp_path / "solver.c", "-o", tmp_path / "solver"], check=True)
    environment = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
    words = ["mpirun", "-np", "4", "--oversubscribe", FTPROF, "run", "-o", tmp_path / "run", "--",
             tmp_path / "solver"]
    done = subprocess.run(words, capture_output=True, text=True, timeout=120, env=environment)
    assert done.returncode == 0, done.stderr
    report = Profiled(0, "", "", tmp_path / "run").report()
    ranks = sorted(p["rank"] for p in report["processes"] if p["name"] == "solver")
    assert ranks == ["0", "1", "2", "3"]
    assert_balanced(report)
    text = subprocess.run([FTPROF, "report", tmp_path / "run", "--by", "process"],
                          capture_output=True, text=True, timeout=60).stdout
    assert "rank 2" in text


def test_slurm_rank_names_the_process(profile):
    run = profile(VICTIMS / "refaults", env={"SLURM_PROCID": "17", "SLURM_JOB_ID": "4"})
    assert [p["rank"] for p in run.report()["processes"]] == ["17"]


def test_run_json_keeps_the_kernels_totals(tmp_path):
    run_ftprof(tmp_path / "run", "--", VICTIMS / "refaults")
    kept = json.loads(pathlib.Path(tmp_path / "run/run.json").read_text())
    assert kept["command"] == [str(VICTIMS / "refaults")]
