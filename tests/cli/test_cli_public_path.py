"""From the series of a pipeline to an error table by files and commands: the numbers of the API, exactly."""

import importlib.util
from pathlib import Path

import numpy as np
import pytest

from dugraph.cli import main

SCRIPT = Path(__file__).parents[2] / "benchmarks" / "public_path.py"


@pytest.fixture(scope="module")
def script():
    spec = importlib.util.spec_from_file_location("public_path", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def recorded(script):
    """Twenty-four subjects; in the patients three regions move together; one region never changes in one."""
    rng = np.random.default_rng(0)
    groups = ["patient" if i % 2 else "control" for i in range(24)]
    series = []
    for group in groups:
        one = rng.standard_normal((50 + len(series), 7)) + 0.5 * rng.standard_normal((50 + len(series), 1))
        one[:, :3] += (1.5 if group == "patient" else 0.2) * rng.standard_normal((len(one), 1))
        series.append(one)
    series[3][:, 6] = 2.5
    return script.Recorded(
        series, [f"sub-{i:03}" for i in range(24)], groups, [f"region {i}" for i in range(7)], "patient"
    )


def test_every_step_gives_the_same_numbers(script, recorded, tmp_path, capsys):
    def shell(words):
        assert main(words) == 0, capsys.readouterr().err
        return capsys.readouterr().out

    found = dict(script.differences(tmp_path, recorded, shell, n_subgraphs=5, n_splits=2))
    assert found == dict.fromkeys(("convert", "info", "mine", "transform", "evaluate"), 0.0)


def test_other_numbers_are_noticed(script, recorded, tmp_path, capsys):
    """The comparison itself: with the classes turned round, only what does not know classes is the same."""

    def shell(words):
        turned = ["control" if word == "patient" else word for word in words]
        assert main(turned) == 0, capsys.readouterr().err
        return capsys.readouterr().out

    found = dict(script.differences(tmp_path, recorded, shell, n_subgraphs=5, n_splits=2))
    assert found["convert"] == np.inf
    assert found["info"] == 0.0
