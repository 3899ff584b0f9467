"""Every public name has a docstring with its parameters and an example; pytest runs the examples."""

import enum
import inspect
import re

import pytest

import dugraph

# Users do not call exceptions, nor classes whose objects only a search creates.
RECEIVED = (
    dugraph.ReplicationResult,
    dugraph.PowerResult,
    dugraph.SensitivityResult,
    Exception,
    enum.Enum,
    dugraph.MiningResult,
    dugraph.SignificanceResult,
    dugraph.sparse.SparseModel,
)
PUBLIC = [
    name
    for name in dugraph.__all__
    if callable(thing := getattr(dugraph, name))
    and not (isinstance(thing, type) and issubclass(thing, RECEIVED))
]


@pytest.mark.parametrize("name", PUBLIC)
def test_public_names_are_explained_by_parameters_and_an_example(name: str):
    thing = getattr(dugraph, name)
    text = inspect.getdoc(thing) or ""
    assert text.splitlines(), f"{name} has no docstring"
    assert ">>> " in text, f"{name} has no example"
    parameters = inspect.signature(thing).parameters
    if not parameters:
        return
    assert "Parameters\n----------\n" in text
    section = text.split("Parameters\n----------\n")[1].split("\n\n")[0]
    heads = [line.split(":")[0] for line in section.splitlines() if not line.startswith(" ")]
    explained = {word for head in heads for word in re.split(r"[,\s*]+", head)}
    assert set(parameters) <= explained, f"{name} does not explain {set(parameters) - explained}"
