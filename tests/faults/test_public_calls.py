"""No call of the public API ends in an exception but ours, whatever it is given."""

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from public_calls import (
    Call,
    answered,
    calls,
    functions_of,
    public_classes,
    public_functions,
    public_methods,
    right_call,
)
from public_world import World

SOAK = bool(os.environ.get("DUGRAPH_SOAK"))
EVERY = 1 if SOAK else 24  # one of so many calls in the suite


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> World:
    return World(tmp_path_factory.mktemp("world"))


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.chdir(tmp_path)  # some write where they are told to
    yield
    import matplotlib.pyplot as plt

    plt.close("all")


def wrong(name: str, made: Iterator[Call]) -> dict[str, str]:
    chosen = [*made][sum(map(ord, name)) % EVERY :: EVERY]
    print(name, len(chosen), "calls")
    return {call.wrong: told for call in chosen if (told := answered(call)) is not None}


def test_functions_classes_and_methods_are_found() -> None:
    assert {"mine_subgraphs", "results.merge_shards", "plot.plot_metric", "io.graphml_bytes"} < {
        *public_functions()
    }
    assert {"UncertainGraphs", "SubgraphSelector", "results.SubgraphRecord"} < {*public_classes()}
    assert {"fit", "transform", "predict", "to_json"} < {
        *public_methods(public_classes()["SparseSubgraphClassifier"])
    }


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", public_functions())
def test_a_function_answers_wrong_values_by_a_sentence(name: str, world: World) -> None:
    function = public_functions()[name]
    reached(right_call(world, name, function))
    assert wrong(name, calls(world, name, function)) == {}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", public_classes())
def test_a_class_answers_wrong_values_by_a_sentence(name: str, world: World) -> None:
    found: dict[str, Callable[..., Any]] = functions_of(world, name, public_classes()[name])
    for one, function in found.items():
        reached(right_call(world, one, function, name))
        assert wrong(one, calls(world, one, function, name)) == {}


def reached(call: Call) -> None:
    """Right values are taken: else a wrong one besides would never be looked at."""
    call.function(**call.arguments)
