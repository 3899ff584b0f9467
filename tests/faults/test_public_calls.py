"""No call of a public function ends in an exception but ours, whatever it is given."""

import os
from pathlib import Path

import pytest
from public_calls import World, answered, public_functions

SOAK = bool(os.environ.get("DUGRAPH_SOAK"))
EVERY = 1 if SOAK else 8  # one of so many calls in the suite


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> World:
    return World(tmp_path_factory.mktemp("world"))


def test_functions_are_found() -> None:
    assert {"mine_subgraphs", "read_cohort", "write_report", "merge_shards"} < public_functions().keys()


@pytest.mark.parametrize("name", public_functions())
def test_wrong_values_are_answered_by_a_sentence(
    name: str, world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)  # some write where they are told to
    calls = [*world.calls(name, public_functions()[name])]
    chosen = calls[sum(map(ord, name)) % EVERY :: EVERY]
    print(name, len(chosen), "calls")
    wrong = {f"{call.wrong}": told for call in chosen if (told := answered(call)) is not None}
    assert wrong == {}
