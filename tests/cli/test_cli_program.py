"""The program: help, version, citation, exit codes, streams, lazy imports."""

import io
import os
import resource
import signal
import subprocess
import sys

import pytest

import dugraph
from dugraph._citation import CITATION
from dugraph.cli import main
from dugraph.cli import program as program_module
from dugraph.cli.output import ExitCode

COMMANDS = list(program_module.COMMANDS)


SHOW_WHAT_IS_LOADED = """
import sys
before = set(sys.modules)
from dugraph.cli import main
try:
    main(["--help"])
except SystemExit:
    pass
print("loaded:", *{name.partition(".")[0] for name in set(sys.modules) - before})
"""


def processor_seconds():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


@pytest.mark.system
def test_help_loads_nothing_but_itself_and_the_standard_library():
    answer = subprocess.run(
        [sys.executable, "-c", SHOW_WHAT_IS_LOADED], capture_output=True, text=True, check=True
    )
    assert all(command in answer.stdout for command in COMMANDS)
    loaded = set(answer.stdout.rpartition("loaded: ")[2].split())
    assert loaded - sys.stdlib_module_names == {"dugraph"}


@pytest.mark.system
@pytest.mark.skipif(not os.environ.get("DUGRAPH_SOAK"), reason="seconds are for a quiet machine: make soak")
def test_help_is_quick():
    seconds = []
    for _ in range(3):
        begin = processor_seconds()
        subprocess.run([sys.executable, "-m", "dugraph", "--help"], capture_output=True, check=True)
        seconds.append(processor_seconds() - begin)
    assert min(seconds) < 0.3


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help_with_an_example(command, capsys):
    with pytest.raises(SystemExit) as end:
        main([command, "--help"])
    assert end.value.code == 0
    assert f"example:\n  dugraph {command}" in capsys.readouterr().out


def test_version_and_citation(capsys):
    with pytest.raises(SystemExit) as end:
        main(["--version"])
    assert end.value.code == 0
    assert main(["--cite"]) == 0
    shown = capsys.readouterr().out
    assert shown == f"dugraph {dugraph.__version__}\n{CITATION}\n"
    assert "Kong" in shown
    assert f"version = {{{dugraph.__version__}}}" in shown


def test_the_program_alone_is_wrong_usage(capsys):
    with pytest.raises(SystemExit) as end:
        main([])
    assert end.value.code == 2
    said = "which command? Try `dugraph --help`, or start with `dugraph demo`."
    assert capsys.readouterr().err.endswith(f"\ndugraph: error: {said}\n")


@pytest.mark.system
@pytest.mark.parametrize("streams", [">&-", "2>&- <&-"])
def test_a_command_does_not_need_its_streams(streams, make_cohort, tmp_path):
    make_cohort()
    asked = "simulate --like hiv --n-graphs 4 -o new.npz"
    shell = f'exec "{sys.executable}" -m dugraph {asked} {streams}'
    answer = subprocess.run(["sh", "-c", shell], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (answer.returncode, answer.stderr) == (0, "")
    assert dugraph.load_cohort(tmp_path / "new.npz")[0].n_graphs == 4


def test_an_interruption_exits_with_130(monkeypatch, capsys):
    def interrupted(_arguments):
        raise KeyboardInterrupt

    monkeypatch.setattr(program_module, "_run", interrupted)
    assert main(["demo"]) == 130
    assert capsys.readouterr().err.count("\n") == 1


@pytest.mark.system
def test_a_reader_that_is_gone_is_no_error(make_cohort):
    command = [sys.executable, "-m", "dugraph", "info", make_cohort()]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    process.stdout.close()
    errors = process.stderr.read()
    process.stderr.close()
    assert process.wait() == 0
    assert errors == b""


@pytest.mark.parametrize(
    "asked",
    [
        "mine --n-subgraphs 5 --report",
        "sparse --alpha 0.05 --report",
        "evaluate --methods exp-hsic --n-subgraphs 3 --n-splits 2",
    ],
)
def test_files_are_written_though_the_reader_of_the_table_is_gone(make_cohort, tmp_path, monkeypatch, asked):
    command, *flags = asked.split()
    reading, writing = os.pipe()
    os.close(reading)
    with open(writing, "w", buffering=1) as pipe:  # every line is written at once
        monkeypatch.setattr(sys, "stdout", pipe)
        assert main([command, make_cohort(), *flags, "-o", str(tmp_path / "out")]) == 0
        monkeypatch.undo()
    expected = {"config.toml", "results.csv"} | ({"report.html"} if "--report" in flags else set())
    assert expected <= {path.name for path in (tmp_path / "out").iterdir()}


def test_a_poor_terminal_shows_codes(make_cohort, monkeypatch):
    path = make_cohort(node_labels=["é", "漢", "c", "d", "e"])
    poor = io.TextIOWrapper(io.BytesIO(), encoding="ascii")  # as with PYTHONIOENCODING=ascii
    monkeypatch.setattr(sys, "stdout", poor)
    assert main(["mine", path, "--n-subgraphs", "3"]) == 0
    shown = poor.buffer.getvalue()
    assert b"\\xe9" in shown
    assert b"\\u6f22" in shown


@pytest.mark.system
def test_public_names_come_at_first_use():
    code = "import sys, dugraph; assert 'numpy' not in sys.modules; dugraph.UncertainGraphs; import numpy"
    subprocess.run([sys.executable, "-c", code], check=True)
    for name in dugraph.__all__:
        assert getattr(dugraph, name) is not None
        assert name in dir(dugraph)
    assert dugraph.search.mine_subgraphs is dugraph.mine_subgraphs
    with pytest.raises(AttributeError, match="no attribute 'mine_subgraph'"):
        _ = dugraph.mine_subgraph


def test_the_codes_are_those_that_are_promised():
    assert {code.name: int(code) for code in ExitCode} == {
        "DONE": 0,
        "BAD_INPUT": 1,
        "USAGE": 2,
        "LIMIT_REACHED": 3,
        "INTERRUPTED": 130,
    }


def test_a_lack_of_memory_ends_in_a_sentence(monkeypatch, capsys):
    def full(path):
        raise MemoryError

    monkeypatch.setattr("dugraph.cli.cohort.load_cohort", full)
    assert main(["info", "cohort.npz"]) == 1
    assert capsys.readouterr().err == (
        "dugraph: out of memory. Ask for fewer subgraphs, a higher expected frequency, or fewer jobs.\n"
    )


RUNS = [
    (0, ["info", "cohort.npz"]),
    (1, ["info", "absent.npz"]),
    (2, ["mine"]),
    (3, ["mine", "large.npz", "--time-limit", "1e-9", "--min-expected-frequency", "0.01"]),
]


@pytest.mark.system
@pytest.mark.parametrize(("code", "arguments"), RUNS)
def test_a_process_ends_with_its_code(code, arguments, make_cohort, tmp_path):
    make_cohort()
    graphs, y, _ = dugraph.simulate("hiv", n_graphs=40, random_state=0)  # 10^8 admitted subgraphs
    dugraph.save_cohort(tmp_path / "large.npz", graphs, y)
    command = [sys.executable, "-m", "dugraph", *arguments]
    answer = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, check=False)
    assert answer.returncode == code, answer.stderr
    assert bool(answer.stdout) == (code in (0, 3))
    assert (answer.stderr.count("\n"), answer.stderr[:9]) == (1, "dugraph: ") or code in (0, 2)


@pytest.mark.system
def test_an_interrupted_process_ends_with_130(tmp_path):
    # It waits for its input, a pipe into which nobody writes, until the signal comes.
    code = "import os, signal, sys; from dugraph.cli import main, cohort\n"
    code += "def waiting(options): os.kill(os.getpid(), signal.SIGINT); signal.pause()\n"
    code += "cohort.info = waiting; sys.exit(main(['info', 'c.npz']))"
    answer = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert answer.returncode == 130
    assert answer.stderr == "dugraph: interrupted; nothing was written after this point.\n"
    assert signal.SIGINT + 128 == 130
