"""Every example in a docstring runs and prints what it says; every public name has one."""

import doctest
import enum
import importlib
import inspect
import pkgutil
import re
from types import ModuleType

import matplotlib as mpl
import matplotlib.pyplot as plt
import pytest

import dugraph

mpl.use("agg")

MODULES = sorted({m.name for m in pkgutil.walk_packages(dugraph.__path__, "dugraph.")} - {"dugraph._core"})
# What is raised, and what only a search makes, is not called by a user.
RECEIVED = (Exception, enum.Enum, dugraph.MiningResult, dugraph.SignificanceResult, dugraph.SparseModel)
PUBLIC = [
    name
    for name in dugraph.__all__
    if callable(thing := getattr(dugraph, name))
    and not (isinstance(thing, type) and issubclass(thing, RECEIVED))
]


@pytest.mark.parametrize("name", ["dugraph", *MODULES])
def test_examples_run(name: str):
    module: ModuleType = importlib.import_module(name)
    failed, _ = doctest.testmod(module)
    plt.close("all")  # what examples of plots leave open
    assert failed == 0


def test_examples_are_found():
    finder = doctest.DocTestFinder(exclude_empty=True)
    examples = sum(len(t.examples) for m in MODULES for t in finder.find(importlib.import_module(m)))
    assert examples > 20


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
