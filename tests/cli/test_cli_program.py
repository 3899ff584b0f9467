"""The program: help, version, citation, exit codes, lazy imports."""

import resource
import subprocess
import sys

import pytest

import dugraph
from dugraph._citation import CITATION
from dugraph.cli import main
from dugraph.cli import program as program_module

COMMANDS = [command.__name__.rpartition(".")[2] for command in program_module.COMMANDS]


def run_process(*arguments, **options):
    return subprocess.run(
        [sys.executable, "-m", "dugraph", *arguments], capture_output=True, text=True, timeout=120, **options
    )


def processor_seconds():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def test_help_is_quick_and_loads_no_numpy():
    # Time of the processor, the best of three: the machine may be busy with something else.
    seconds = []
    for _ in range(3):
        begin = processor_seconds()
        answer = run_process("--help")
        seconds.append(processor_seconds() - begin)
    assert answer.returncode == 0
    assert all(command in answer.stdout for command in COMMANDS)
    assert min(seconds) < 0.3
    code = "import sys\nfrom dugraph.cli import main\ntry: main(['--help'])\nexcept SystemExit: pass\n"
    check = "print({'numpy', 'scipy', 'sklearn', 'rich'} & set(sys.modules))"
    loaded = subprocess.run([sys.executable, "-c", code + check], capture_output=True, text=True, check=True)
    assert loaded.stdout.endswith("set()\n")


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


@pytest.mark.parametrize(
    "arguments", [[], ["mien"], ["mine"], ["--colour"], ["simulate"], ["info"], ["demo", "extra"]]
)
def test_wrong_usage_exits_with_2(arguments, capsys):
    with pytest.raises(SystemExit) as end:
        main(arguments)
    assert end.value.code == 2
    shown = capsys.readouterr()
    assert shown.out == ""
    assert "usage: dugraph" in shown.err


@pytest.mark.parametrize(
    ("arguments", "program", "message"),
    [
        (["mine", "c.npz", "--t", "5"], "dugraph mine", "--t 5. Try `dugraph mine --help`."),
        (
            ["mine", "c.npz", "--n-sub=5"],
            "dugraph mine",
            "--n-sub=5. Did you mean --n-subgraphs? Try `dugraph mine --help`.",
        ),
        (["demo", "extra"], "dugraph demo", "extra. Try `dugraph demo --help`."),
        (["--versoin"], "dugraph", "--versoin. Did you mean --version? Try `dugraph --help`."),
    ],
)
def test_an_unknown_argument_is_told_by_the_command_it_was_given_to(arguments, program, message, capsys):
    with pytest.raises(SystemExit) as end:
        main(arguments)
    assert end.value.code == 2
    shown = capsys.readouterr().err
    assert shown.startswith(f"usage: {program} [-h]")
    assert shown.endswith(f"\n{program}: error: unrecognized arguments: {message}\n")


@pytest.mark.parametrize("command", ["info", "mine", "simulate", "--help"])
def test_a_closed_stdout_is_one_sentence(command, make_cohort, tmp_path):
    make_cohort()
    last = {"simulate": "-o new.npz", "--help": ""}.get(command, "cohort.npz")
    shell = f'exec "{sys.executable}" -m dugraph {command} {last} >&-'
    answer = subprocess.run(["sh", "-c", shell], stderr=subprocess.PIPE, text=True, cwd=tmp_path, timeout=60)
    assert answer.returncode == 1
    assert answer.stderr == ("dugraph: stdout must be open, but is closed. Send it to a file or /dev/null.\n")
    assert not (tmp_path / "new.npz").exists()


def test_a_closed_stderr_leaves_results_alone(make_cohort, tmp_path):
    make_cohort()
    shell = f'exec "{sys.executable}" -m dugraph mine cohort.npz --n-subgraphs 99 -o out'
    open_, closed = (
        subprocess.run(["sh", "-c", shell + end], capture_output=True, cwd=tmp_path, timeout=60)
        for end in ("", " 2>&-")
    )
    assert open_.stderr
    assert (closed.returncode, closed.stderr) == (0, b"")
    assert closed.stdout.splitlines()[:-1] == open_.stdout.splitlines()[:-1]  # the last tells the time


def test_an_interruption_exits_with_130(monkeypatch, capsys):
    def interrupted(_arguments):
        raise KeyboardInterrupt

    monkeypatch.setattr(program_module, "_run", interrupted)
    assert main(["demo"]) == 130
    assert capsys.readouterr().err.count("\n") == 1


def test_unreadable_places_are_one_sentence(tmp_path, capsys):
    assert main(["simulate", "--like", "hiv", "--n-graphs", "4", "-o", str(tmp_path / "no" / "c.npz")]) == 1
    shown = capsys.readouterr()
    assert shown.out == ""
    assert shown.err.startswith("dugraph: ")
    assert "existing folder" in shown.err
    assert shown.err.count("\n") == 1


def test_a_reader_that_is_gone_is_no_error(make_cohort):
    command = [sys.executable, "-m", "dugraph", "info", make_cohort()]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    process.stdout.close()
    errors = process.stderr.read()
    process.stderr.close()
    assert process.wait(60) == 0
    assert errors == b""


@pytest.mark.parametrize(
    "asked",
    [
        "mine --n-subgraphs 5 --report",
        "sparse --alpha 0.05 --report",
        "evaluate --methods exp-hsic --n-subgraphs 3 --n-splits 2",
    ],
)
def test_files_are_written_though_the_reader_of_the_table_is_gone(make_cohort, tmp_path, asked):
    command, *flags = asked.split()
    arguments = [command, make_cohort(), *flags, "-o", str(tmp_path / "out")]
    process = subprocess.Popen(
        [sys.executable, "-u", "-m", "dugraph", *arguments], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    )
    process.stdout.close()
    assert process.wait(120) == 0
    expected = {"config.toml", "results.csv"} | ({"report.html"} if "--report" in flags else set())
    assert expected <= {path.name for path in (tmp_path / "out").iterdir()}


def test_a_poor_terminal_shows_codes(make_cohort):
    path = make_cohort(node_labels=["é", "漢", "c", "d", "e"])
    answer = run_process("mine", path, "--n-subgraphs", "3", env={"PYTHONIOENCODING": "ascii"})
    assert answer.returncode == 0, answer.stderr
    assert "\\xe9" in answer.stdout
    assert "\\u6f22" in answer.stdout


def test_public_names_come_at_first_use():
    code = "import sys, dugraph; assert 'numpy' not in sys.modules; dugraph.UncertainGraphs; import numpy"
    subprocess.run([sys.executable, "-c", code], check=True)
    for name in dugraph.__all__:
        assert getattr(dugraph, name) is not None
        assert name in dir(dugraph)
    assert dugraph.search.mine_subgraphs is dugraph.mine_subgraphs
    with pytest.raises(AttributeError, match="no attribute 'mine_subgraph'"):
        _ = dugraph.mine_subgraph
