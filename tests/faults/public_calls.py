"""Call every public function and method with one invalid argument; the other arguments are valid."""

import inspect
import time
import traceback
import warnings
from collections.abc import Callable, Iterator
from enum import Enum
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from public_world import World
from sklearn.base import BaseEstimator

import dugraph as dg
from dugraph.exceptions import ClusterError, InputError, UnfinishedTestError

OURS = (InputError, ClusterError, UnfinishedTestError, OSError, ImportError)
"""Exceptions that a call may raise: our own, and those for missing files and packages."""
MOST_SECONDS = 10.0
"""Processor time, so that a busy machine changes nothing."""


class Call(NamedTuple):
    """A call that should return or raise one of `OURS`."""

    name: str
    function: Callable[..., Any]
    arguments: dict[str, Any]
    wrong: str
    """The parameter with the invalid value."""


def _deep() -> list[Any]:
    nested: list[Any] = []
    for _ in range(500):
        nested = [nested]
    return nested


# Functions, because some values can be used only once.
HOSTILE: dict[str, Callable[[], Any]] = {
    "None": lambda: None,
    "empty text": lambda: "",
    "text": lambda: "x",
    "null character": lambda: "a\0b",
    "long text": lambda: "x" * 5000,
    "bytes": lambda: b"x",
    "0": lambda: 0,
    "-1": lambda: -1,
    "2**70": lambda: 2**70,
    "1.5": lambda: 1.5,
    "nan": lambda: float("nan"),
    "inf": lambda: float("inf"),
    "complex": lambda: 1j,
    "True": lambda: True,
    "[]": lambda: [],
    "[[]]": lambda: [[]],
    "ragged": lambda: [[1, 2], [3]],
    "deep": _deep,
    "{}": lambda: {},
    "dict": lambda: {"x": [1]},
    "set": lambda: {1, 2},
    "object": lambda: object(),
    "type": lambda: int,
    "function": lambda: lambda *_, **__: None,
    "generator": lambda: (k for k in range(3)),
    "empty array": lambda: np.zeros(0),
    "3-d array": lambda: np.zeros((2, 2, 2)),
    "wrong shape": lambda: np.full((7, 2), 0.5),
    "negative": lambda: np.full((12, 3), -1.0),
    "nans": lambda: np.full((12, 3), np.nan),
    "complex array": lambda: np.full((12, 3), 1j),
    "text array": lambda: np.array(["a", "b"] * 6),
    "object array": lambda: np.array([object(), None, {}] * 4, dtype=object),
    "records": lambda: np.zeros(12, dtype=[("a", "f8")]),
    "dates": lambda: np.array(["2020-01-01"] * 12, dtype="datetime64[D]"),
    "path": lambda: Path("nothing/there"),
}
# Optional parameters that are given nevertheless, to keep the calls fast.
QUICK = ("y", "n_splits", "n_subgraphs", "n_permutations", "methods", "n_repeats", "n_folds", "cv")
# Exceptions of the user's own functions are passed on.
NOT_OURS = ("progress",)


def _public(kind: Callable[[Any], bool]) -> dict[str, Any]:
    """Public objects of the package and its subpackages, each under its shortest name."""
    found: dict[str, Any] = {}
    for room in ("dugraph", *dg._LAYERS):
        module = import_module(room)
        for name in module.__all__:
            one = getattr(module, name)
            if kind(one) and not any(one is other for other in found.values()):
                found[f"{room}.{name}".removeprefix("dugraph.")] = one
    return found


def public_functions() -> dict[str, Callable[..., Any]]:
    """Public functions."""
    return _public(inspect.isfunction)


def public_classes() -> dict[str, type]:
    """Public classes except exceptions and enumerations."""
    return _public(lambda one: inspect.isclass(one) and not issubclass(one, (BaseException, Enum)))


def public_methods(kind: type) -> list[str]:
    """Methods defined in dugraph, not in scikit-learn."""
    named = {name: getattr(kind, name) for name in dir(kind) if not name.startswith("_")}
    return [
        name
        for name, one in named.items()
        if callable(one) and str(getattr(one, "__module__", "")).startswith("dugraph.")
    ]


def right_call(world: World, name: str, function: Callable[..., Any], more: str = "") -> Call:
    """The call with valid values of all required parameters; `more` names a class with other values."""
    own, of_class = world.special.get(name, {}), world.special.get(more, {})
    right = {**world.right, **of_class}
    needed = [p for p in _parameters(function) if p.default is p.empty or p.name in (*QUICK, *of_class)]
    return Call(name, function, {p.name: right[p.name] for p in needed if p.name in right} | own, "")


def _parameters(function: Callable[..., Any]) -> list[inspect.Parameter]:
    parameters = inspect.signature(function).parameters.values()
    return [p for p in parameters if p.kind not in (p.VAR_KEYWORD, p.VAR_POSITIONAL)]


def calls(world: World, name: str, function: Callable[..., Any], more: str = "") -> Iterator[Call]:
    """One call for each parameter and each invalid value."""
    right = right_call(world, name, function, more).arguments
    for one in (p for p in _parameters(function) if p.name not in NOT_OURS):
        for kind, make in HOSTILE.items():
            yield Call(name, function, {**right, one.name: make()}, f"{one.name}: {kind}")


def functions_of(world: World, name: str, kind: type) -> dict[str, Callable[..., Any]]:
    """Methods of an object, and its constructor if users call it.

    Estimators check their parameters in `fit`, so the constructor and `fit` are one call.
    """
    # A new object for each method, because fitting changes it.
    found = {f"{name}.{method}": getattr(world.made(name), method) for method in public_methods(kind)}
    if issubclass(kind, BaseEstimator):
        X, y = world.fit_with(name)

        def fitted(**parameters: Any) -> None:
            kind(**parameters).fit(X, y)

        fitted.__signature__ = inspect.signature(kind)  # type: ignore[attr-defined]
        found[f"{name}()"] = fitted
    elif name in world.MADE_BY_USERS:
        found[f"{name}()"] = kind
    return found


def answered(call: Call) -> str | None:
    """The unexpected exception of a call, or None."""
    begin = time.process_time()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            call.function(**call.arguments)
        except OURS as error:
            return None if str(error) else f"{type(error).__name__} without a message"
        except (ValueError, TypeError) as error:
            if not from_scikit_learn(error):
                return _described(error)
        except Exception as error:
            return _described(error)
    took = time.process_time() - begin
    return f"took {took:.0f} s" if took > MOST_SECONDS else None


def from_scikit_learn(error: Exception) -> bool:
    """Whether the error comes from a check of scikit-learn."""
    raised = [frame.filename for frame in traceback.extract_tb(error.__traceback__)][-1]
    return "/sklearn/" in raised


def _described(error: Exception) -> str:
    frame = traceback.extract_tb(error.__traceback__)[-1]
    ours = [f for f in traceback.extract_tb(error.__traceback__) if "/dugraph/" in f.filename]
    place = (ours or [frame])[-1]
    where = f"{place.filename.rpartition('dugraph/')[2]}:{place.lineno}"
    return f"{type(error).__name__}: {str(error)[:150]} ({where})"
