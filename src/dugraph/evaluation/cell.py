"""One cell of the protocol: one method on one split, for every number of subgraphs."""

from __future__ import annotations

import math
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.svm import SVC

from dugraph.evaluation.features import Array, Features, Subjects, make_features
from dugraph.evaluation.metrics import measure_metrics
from dugraph.exceptions import InputError
from dugraph.words import METRIC_WORDS

# A name that is none of these is no cell's.
_METRIC_NAMES = {name: name for name in METRIC_WORDS}


@dataclass(frozen=True)
class Cell:
    """What one method did on one split.

    Attributes
    ----------
    method : str
    split : int
    metrics : dict of int to dict
        The metrics by number of subgraphs (t); empty when the method has no features in this split.
    n_found : int or None
        Number of subgraphs mined; None for the comparisons.
    proven : bool
        Whether these are proven to be the best.
    failure : str
        Why there are no metrics; else empty.
    mining_seconds, svm_seconds : float
        Time of finding the features, and of training and testing the support vector machines.
    observed : list of float
        What covariates leave of a phenotype in the test graphs; empty for classes and groups.
    forecasts : dict of int to list of float
        What was forecast of it, by number of subgraphs; empty as well.
    """

    method: str
    split: int
    metrics: dict[int, dict[str, float]]
    n_found: int | None
    proven: bool
    failure: str
    mining_seconds: float
    svm_seconds: float
    observed: list[float] = field(default_factory=list)
    forecasts: dict[int, list[float]] = field(default_factory=dict)

    def as_record(self) -> dict[str, Any]:
        """Return the cell as what JSON can hold; NaN becomes None."""
        record = asdict(self)
        record["metrics"] = {
            str(t): {name: value if value == value else None for name, value in row.items()}
            for t, row in self.metrics.items()
        }
        if not self.forecasts:
            del record["observed"], record["forecasts"]
        return record

    @classmethod
    def from_record(cls, record: Mapping[str, Any]) -> Cell:
        """Read what `as_record` gave; KeyError, TypeError or ValueError if it is something else."""
        metrics = {
            int(t): {_METRIC_NAMES[name]: math.nan if v is None else float(v) for name, v in row.items()}
            for t, row in record["metrics"].items()
        }
        forecasts = {int(t): list(map(float, row)) for t, row in record.get("forecasts", {}).items()}
        observed = list(map(float, record.get("observed", [])))
        return cls(**{**record, "metrics": metrics, "observed": observed, "forecasts": forecasts})


def run_cell(
    subjects: Subjects,
    method: str,
    split: int,
    train: NDArray[np.intp],
    test: NDArray[np.intp],
    n_subgraphs: Sequence[int],
    settings: Mapping[str, Any],
) -> Cell:
    """Find features in the training graphs, train a linear SVM on them, and measure it on the test graphs.

    Parameters
    ----------
    subjects : Subjects
    method : str
        A name that `dugraph.evaluation.features` knows.
    split : int
        Number of the split.
    train, test : ndarray of int
        Positions of the graphs.
    n_subgraphs : sequence of int
        Numbers of features (t).
    settings : mapping
        Parameters of `make_method`.

    Returns
    -------
    Cell
    """
    try:
        features = make_features(method, subjects, train, test, n_subgraphs, settings)
    except InputError as error:
        # The limit may leave a method without any subgraph in one split; the others go on.
        return Cell(method, split, {}, 0, True, str(error), 0.0, 0.0)
    begin, y = time.perf_counter(), subjects.cohort.target
    metrics: dict[int, dict[str, float]] = {}
    done: dict[tuple[bytes, bytes], dict[str, float]] = {}
    for t, trained, tested in features:
        # When there are fewer features than asked for; models of the same features may decide differently.
        same = trained.tobytes(), b"" if features.decisions is None else features.decisions[t].tobytes()
        if same not in done:
            done[same] = measure_metrics(y[test], *_decide(features, t, trained, tested, y[train]))
        metrics[t] = done[same]
    n_found = len(features.subgraphs) or None
    svm_seconds = time.perf_counter() - begin
    return Cell(method, split, metrics, n_found, features.proven, "", features.seconds, svm_seconds)


def _decide(features: Features, t: int, trained: Array, tested: Array, y: Array) -> tuple[Array, Array]:
    """Classes (1 is positive) and decision values of test graphs."""
    if features.decisions is None and trained.shape[1] > 0:
        machine = SVC(kernel="linear").fit(trained, y)
        return machine.predict(tested), machine.decision_function(tested)
    # Without any feature there is nothing to learn from: the more frequent class.
    decision = np.full(len(tested), y.mean() - 0.5) if features.decisions is None else features.decisions[t]
    return (decision > 0).astype(np.int64), decision
