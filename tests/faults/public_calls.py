"""Every public function, found by itself, called with one wrong value at a time and right ones besides."""

import inspect
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import dugraph as dg
from dugraph.exceptions import ClusterError, InputError, UnfinishedTestError

OURS = (InputError, ClusterError, UnfinishedTestError, OSError, ImportError)
"""What a call may raise: sentences of ours, and that a file or a package is missing."""


class Call(NamedTuple):
    """A call that is to give an answer or a sentence."""

    name: str
    function: Callable[..., Any]
    arguments: dict[str, Any]
    wrong: str
    """Which parameter has a wrong value."""


def _deep() -> list[Any]:
    nested: list[Any] = []
    for _ in range(500):
        nested = [nested]
    return nested


# Made anew for each call: some are used up.
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


def public_functions() -> dict[str, Callable[..., Any]]:
    """All functions of the package itself, by their names."""
    found = {name: getattr(dg, name) for name in dg.__all__}
    return {name: one for name, one in found.items() if inspect.isfunction(one)}


class World:
    """Right values, by the names of parameters."""

    def __init__(self, folder: Path) -> None:
        rng = np.random.default_rng(0)
        self.X, self.y = rng.uniform(0.3, 0.9, (12, 3)), np.arange(12) % 2
        self.graphs = dg.UncertainGraphs(
            self.X, node_coordinates=np.eye(3), participants={"age": np.arange(12.0)}
        )
        self.cohort = dg.LabelledGraphs(self.graphs, self.y)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            self.mined = dg.mine_subgraphs(self.cohort, n_subgraphs=3)
        self.file, self.results = folder / "cohort.npz", folder / "results"
        dg.save_cohort(self.file, self.graphs, self.y)
        dg.save_result(self.mined, self.results, self.cohort)
        self.right: dict[str, Any] = {
            **{"X": self.X, "y": self.y, "graphs": self.graphs, "subgraph": (0, 1), "score": "hsic"},
            **{"measure": "expectation", "result": self.mined, "edges": np.array([[1, 0], [2, 0], [2, 1]])},
            **{"folder": self.results, "files": [], "checkpoint": folder / "merged.npz", "array": self.X},
            **{"methods": ["all-edges"], "n_splits": 2, "n_folds": 2, "n_repeats": 1, "n_subgraphs": 2},
            **{"n_permutations": 59, "max_edges": 2, "probabilities": self.X[0], "like": "hiv"},
        }
        # Of a parameter that means something else, or that takes long where it is as usual.
        self.special: dict[str, dict[str, Any]] = {
            "evaluate_methods": {"n_subgraphs": [2]},
            "evaluate_phenotype": {"n_subgraphs": [2], "y": np.arange(12.0)},
            "save_cohort": {"path": folder / "saved.npz"},
            "load_cohort": {"path": self.file},
            "read_cohort": {"path": self.file},
            "save_result": {"folder": folder / "written"},
            "write_report": {"output": folder / "page.html"},
            "simulate": {"n_graphs": 4},
        }

    def calls(self, name: str, function: Callable[..., Any]) -> Iterator[Call]:
        """One call for each parameter and each wrong value."""
        named = [p for p in inspect.signature(function).parameters.values() if p.kind is not p.VAR_KEYWORD]
        special = self.special.get(name, {})
        right = {**self.right, **special}
        # What is optional is left out, unless it would take long.
        quick = ("n_splits", "n_subgraphs", "n_permutations", "methods", "n_repeats", "n_folds", "max_edges")
        base = {
            p.name: right[p.name]
            for p in named
            if p.name in right and (p.default is p.empty or p.name in (*quick, *special))
        }
        # What a function of the user's raises is theirs.
        for one in (p for p in named if p.name != "progress"):
            for kind, make in HOSTILE.items():
                unknown = {p.name: make() for p in named if p.default is p.empty and p.name not in base}
                yield Call(name, function, {**unknown, **base, one.name: make()}, f"{one.name}: {kind}")


def answered(call: Call) -> str | None:
    """What went wrong in a call: an exception that is not ours; None if nothing did."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            call.function(**call.arguments)
        except OURS as error:
            return None if str(error) else f"{type(error).__name__} without a word"
        except Exception as error:
            return f"{type(error).__name__}: {str(error)[:150]}"
    return None
