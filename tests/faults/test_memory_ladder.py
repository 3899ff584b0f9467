"""Every command with less and less memory ends with its result or a sentence, never by a signal."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import dugraph as dg

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")
SOAK = bool(os.environ.get("DUGRAPH_SOAK"))
KILOBYTES = range(0, 64_000, 500) if SOAK else (0, 1_000, 8_000)
SAME = ["cohort.npz", "--min-expected-frequency", "0.2", "-o"]
COMMANDS = {
    "mine": ["mine", *SAME, "mined", "--n-subgraphs", "20000", "--max-edges", "4", "--report"],
    "test": ["test", *SAME, "tested", "--n-permutations", "199", "--max-edges", "3", "--n-jobs", "2"],
    "sparse": ["sparse", *SAME, "fitted", "--alpha", "0.03", "--max-edges", "3"],
    "evaluate": [
        "evaluate",
        *SAME,
        "out",
        "--methods",
        "exp-hsic,sparse",
        "--n-subgraphs",
        "50",
        "--n-splits",
        "1",
    ],
    "report": ["report", "mined"],
}
# Forks of one process in which all is imported: what is short is the memory of the command itself.
PROGRAM = """
import contextlib, io, json, os, resource, shutil, sys
from dugraph.cli import main

def run(command):
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()) as told:
        code = main(command)
    return code, told.getvalue()

command, rungs = json.loads(sys.argv[1]), json.loads(sys.argv[2])
first = run(command)
assert first[0] == 0, first
shutil.rmtree("out", ignore_errors=True)
for kilobytes in rungs:
    reader, writer = os.pipe()
    if (child := os.fork()) == 0:
        used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
        most = used + kilobytes * 1000
        resource.setrlimit(resource.RLIMIT_AS, (most, most))
        code, told = run(command)
        os.write(writer, told[-4000:].encode())
        os._exit(code)
    os.close(writer)
    told = open(reader, "rb").read().decode()
    print(json.dumps([kilobytes, os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), told]))
"""


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_without_memory_says_so(name: str, tmp_path: Path) -> None:
    graphs, y, _ = dg.simulate("hiv", n_graphs=30, random_state=0)
    dg.save_cohort(tmp_path / "cohort.npz", graphs, y)
    if name == "report":
        dg.save_result(dg.mine_subgraphs(graphs, y), tmp_path / "mined", data=tmp_path / "cohort.npz")
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, json.dumps(COMMANDS[name]), json.dumps(list(KILOBYTES))],
        cwd=tmp_path,
        env={**os.environ, "OPENBLAS_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    ends = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(ends) == len(KILOBYTES)
    print(name, {code: sum(one[1] == code for one in ends) for code in {one[1] for one in ends}})
    for kilobytes, code, told in ends:
        assert code in (0, 1, 3), (kilobytes, code, told)
        assert "Traceback" not in told, (kilobytes, told)
        if code == 1:
            assert told.startswith("dugraph: "), (kilobytes, told)
    assert ends[0][1] == 1  # there was none at all
