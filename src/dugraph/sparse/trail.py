"""The state of penalty paths, in a file: a fit that was stopped or killed resumes from it.

A fit follows one path over all graphs and one over the training graphs of each fold. A path begins each
penalty where the last one ended, so the last state is enough to go on as if nothing had happened.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from dugraph.cluster.checkpoint import Checkpoint, Identity, digest
from dugraph.data import UncertainGraphs
from dugraph.estimators.plain_values import decode, encode
from dugraph.exceptions import InputError
from dugraph.sparse.column_generation import Standing
from dugraph.sparse.model import SparseModel
from dugraph.sparse.model_members import model_members, restored_model
from dugraph.sparse.refit import Fit

_FILE = {"paths": "|u1 1"}
Step = tuple[float, float]
"""A penalty, and the one that searches looked ahead to."""


@dataclass
class Trail:
    """One path, as far as it was followed.

    Attributes
    ----------
    largest : float or None
        The largest penalty that matters, if it is known.
    steps : list of Step
    models : list of SparseModel
        One for each step.
    standing : Standing or None
        Where the path is after the last step; None if it is done.
    n_searches : int
    is_open : bool
        Whether time was up before its end.
    """

    largest: float | None = None
    steps: list[Step] = field(default_factory=list)
    models: list[SparseModel] = field(default_factory=list)
    standing: Standing | None = None
    n_searches: int = 0
    is_open: bool = False

    def model(self, number: int, step: Step) -> SparseModel | None:
        """The model of this step, if it is the trail's, too."""
        return self.models[number] if number < len(self.steps) and self.steps[number] == step else None

    def cut(self, n_steps: int) -> None:
        """Forget what came after so many steps."""
        self.steps, self.models, self.standing = self.steps[:n_steps], self.models[:n_steps], None


class Trails:
    """The paths of one fit, kept in a checkpoint.

    Parameters
    ----------
    checkpoint : Checkpoint

    Raises
    ------
    InputError
        If the file is damaged, or of another fit.
    """

    def __init__(self, checkpoint: Checkpoint) -> None:
        self._checkpoint = checkpoint
        self._trails: dict[str, Trail] = {}
        self._stored: dict[str, Any] = {}
        saved = checkpoint.load(_FILE)
        if saved is not None:
            with checkpoint.refuse_damaged():
                self._stored = _paths(saved["paths"])

    def __bool__(self) -> bool:
        return bool(self._checkpoint)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._checkpoint and self._trails:
            self._save()  # whatever ends the fit, what was found is not lost

    def of(self, inputs: str, n_edges: int, n_covariates: int) -> Trail:
        """The trail of the path over these inputs, which are told by their digest."""
        for other in self._trails.values():
            if not other.is_open:
                other.standing = None  # it has come to its end, or the next one would not begin
        stored = self._stored.pop(inputs, None)
        if inputs not in self._trails:
            with self._checkpoint.refuse_damaged():
                self._trails[inputs] = Trail() if stored is None else _restored(stored, n_edges, n_covariates)
        return self._trails[inputs]

    def save(self) -> None:
        """Write the file, if it is time to."""
        if self._checkpoint.is_due:
            self._save()

    def _save(self) -> None:
        members = {inputs: _members(trail) for inputs, trail in self._trails.items()}
        text = json.dumps({**self._stored, **members}, sort_keys=True).encode()
        self._checkpoint.save({"paths": np.frombuffer(text, dtype=np.uint8)})


def fit_identity(
    parameters: Mapping[str, Any],
    graphs: UncertainGraphs,
    targets: Sequence[NDArray[np.float64]],
    covariates: NDArray[np.float64],
) -> Identity:
    """What a fit is about; folds are not in it, since each has a path of its own."""
    return Identity(
        command="sparse",
        parameters=dict(parameters),
        inputs={
            "graphs": digest(graphs.edges, graphs.edge_probability),
            "labels or phenotype": digest(*targets),
            "covariates": digest(covariates),
        },
    )


def _paths(content: NDArray[np.uint8]) -> dict[str, Any]:
    try:
        paths = json.loads(content.tobytes())
    except ValueError as error:
        raise _other() from error
    if not isinstance(paths, dict):
        raise _other()
    return paths


def _other() -> InputError:
    return InputError("The file of a fit must hold its paths, but holds something else.")


def _members(trail: Trail) -> dict[str, Any]:
    standing = trail.standing
    return {
        "largest": encode(trail.largest, "largest"),
        "steps": encode(trail.steps, "steps"),
        "models": [model_members(model) for model in trail.models],
        "n_searches": trail.n_searches,
        "is_open": trail.is_open,
        "standing": None
        if standing is None
        else {
            "subgraphs": [list(subgraph) for subgraph in standing.subgraphs],
            **{name: encode(getattr(standing.fit, name), name) for name in ("coef", "free", "decision")},
        },
    }


def _restored(stored: Any, n_edges: int, n_covariates: int) -> Trail:
    try:
        models = [restored_model(one, n_edges, n_covariates) for one in stored["models"]]
        steps = [(float(a), float(b)) for a, b in decode(stored["steps"])]
        n_searches, largest = int(stored["n_searches"]), decode(stored["largest"])
        if len(steps) != len(models) or not (largest is None or math.isfinite(largest)):
            raise ValueError("there must be as many steps as models")
        standing = None
        if stored["standing"] is not None:
            fit = Fit(*(decode(stored["standing"][name]) for name in ("coef", "free", "decision")))
            subgraphs = [tuple(map(int, subgraph)) for subgraph in stored["standing"]["subgraphs"]]
            standing = Standing(subgraphs, fit, n_searches)
        return Trail(largest, steps, models, standing, n_searches, bool(stored["is_open"]))
    except (LookupError, TypeError, ValueError, AttributeError) as error:
        raise _other() from error
