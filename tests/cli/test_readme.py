"""What README.md shows is so: its examples run, its files are there, its table is what the demo prints."""

import re
import shlex
from pathlib import Path

import pytest

from dugraph import load_cohort, mine_subgraphs
from dugraph.cli import main

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text()


def block(language, which=0):
    return re.findall(rf"```{language}\n(.*?)```", README, re.DOTALL)[which]


def test_the_example_in_python(capsys):
    code = block("python")
    assert len([line for line in code.splitlines() if line]) <= 10
    exec(compile(code, "README.md", "exec"), {})
    shown = capsys.readouterr().out
    assert "OPTIMAL" in shown
    assert "expected in 70% of the patients, 26% of the controls" in shown


def test_the_example_of_a_pipeline(capsys):
    code = block("python", 1)
    assert len([line for line in code.splitlines() if line]) <= 10  # the formatter asks for empty ones
    exec(compile(code, "README.md", "exec"), {})
    accuracy, first = capsys.readouterr().out.strip().split(" ", 1)
    assert f"an accuracy of {float(accuracy):.3f} and `{first}`" in README


def test_installing_comes_before_the_first_command():
    assert README.index("pip install") < README.index("$ dugraph")


def test_every_example_is_linked():
    linked = re.findall(r"\]\((examples/\w+\.py)\)", README)
    assert sorted(linked) == sorted(f"examples/{path.name}" for path in (ROOT / "examples").glob("*.py"))


def test_the_example_on_the_command_line(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    lines = block("console").splitlines()
    assert len(lines) <= 10
    for line in lines:
        prompt, program, *arguments = shlex.split(line)
        assert (prompt, program) == ("$", "dugraph")
        if "--help" in arguments:
            with pytest.raises(SystemExit, match="0"):
                main(arguments)
        else:
            assert main(arguments) == 0, line
    assert (tmp_path / "results" / "results.json").exists()


def test_the_table_of_the_demo_is_what_it_prints(tmp_path, capsys):
    path = tmp_path / "cohort.npz"
    assert main(["simulate", "--like", "adhd", "--random-state", "3", "-o", str(path)]) == 0
    result = mine_subgraphs(*load_cohort(path))
    rows = re.findall(r"^ +(\d+) +([\d.]+) .*?  (\w+--.*)$", block("text"), re.MULTILINE)
    assert len(rows) >= 5
    for rank, value, edges in rows:
        assert result.names[int(rank) - 1] == f"{{{edges}}}"
        assert f"{result.values[int(rank) - 1]:#.4g}" == value


@pytest.mark.parametrize("name", ["demo.png", "report.png"])
def test_the_pictures_are_there_and_small(name):
    picture = ROOT / "docs" / "images" / name
    assert f"]({picture.relative_to(ROOT)})" in README
    assert 10_000 < picture.stat().st_size < 300_000
