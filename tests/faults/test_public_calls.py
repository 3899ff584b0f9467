"""Calls of the public API with any argument return or raise an exception of dugraph."""

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
EVERY = 1 if SOAK else 24  # the suite runs one call in 24


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> World:
    return World(tmp_path_factory.mktemp("world"))


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.chdir(tmp_path)  # some functions write files
    yield
    import matplotlib.pyplot as plt

    plt.close("all")


def wrong(name: str, made: Iterator[Call]) -> dict[str, str]:
    chosen = [*made][sum(map(ord, name)) % EVERY :: EVERY]
    print(name, len(chosen), "calls")
    return {call.wrong: message for call in chosen if (message := answered(call)) is not None}


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
def test_functions_refuse_invalid_values_with_a_message(name: str, world: World) -> None:
    function = public_functions()[name]
    reached(right_call(world, name, function))
    assert wrong(name, calls(world, name, function)) == {}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", public_classes())
def test_classes_refuse_invalid_values_with_a_message(name: str, world: World) -> None:
    found: dict[str, Callable[..., Any]] = functions_of(world, name, public_classes()[name])
    for one, function in found.items():
        reached(right_call(world, one, function, name))
        assert wrong(one, calls(world, one, function, name)) == {}


def reached(call: Call) -> None:
    """Valid values must be accepted; otherwise the invalid one would never be checked."""
    call.function(**call.arguments)
