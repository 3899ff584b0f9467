"""What a fitted `SubgraphSelector` knows: after a fit, from a file, or from a search that is over."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from dugraph.data import LabelledGraphs, UncertainGraphs
from dugraph.data.class_labels import positive_class
from dugraph.estimators.fitted import FittedOnGraphs
from dugraph.estimators.plain_values import decode, encode
from dugraph.search import MiningResult, Status
from dugraph.search.result import COUNTERS

if TYPE_CHECKING:
    from dugraph.estimators.subgraph_selector import SubgraphSelector

_FLOATS = ("threshold", "best_open_bound", "seconds", "setup_seconds")


class FittedSelector(FittedOnGraphs):
    """Mixin of `SubgraphSelector`: the result of a search."""

    result_: MiningResult
    pos_label: object
    values_: NDArray[np.float64]
    _model_name = "SubgraphSelector"
    _earlier_names = {"score": "score_func"}  # noqa: RUF012 (declared as a class variable in the base)

    def _know(self, result: MiningResult, classes: NDArray[Any], graphs: UncertainGraphs) -> None:
        """Keep what was found; `classes` and `graphs` as for `_know_graphs`."""
        self.result_ = result
        self.subgraphs_, self.values_ = result.subgraphs, result.values
        self._know_graphs(classes, graphs)

    def _subgraph_names(self) -> Sequence[str]:
        return self.result_.names

    @classmethod
    def _check_stored_classes(cls, classes: Any) -> None:
        if classes is None or classes.ndim != 1:
            raise ValueError("classes must be a list, which may be empty")

    def _model_members(self) -> dict[str, Any]:
        result = self.result_
        # Of LabelledGraphs it is theirs, which no parameter tells.
        told = result.positive_class == _positive_class(self.classes_, self.pos_label)
        chosen = {} if told else {"positive_class": encode(result.positive_class, "positive_class")}
        return {
            "values": encode(self.values_, "values_"),
            "result": {
                "status": result.status.value,
                "message": result.message,
                "parameters": encode(result.parameters, "result_.parameters"),
                **chosen,
                **({} if result.contrasts is None else {"contrasts": list(result.contrasts)}),
                **{name: int(getattr(result, name)) for name in COUNTERS},
                **{name: encode(float(getattr(result, name)), name) for name in _FLOATS},
            },
        }

    def _restore(
        self,
        content: Mapping[str, Any],
        subgraphs: list[tuple[int, ...]],
        classes: NDArray[Any],
        graphs: UncertainGraphs,
    ) -> None:
        values, stored = decode(content["values"]), content["result"]
        if values.shape != (len(subgraphs),) or not subgraphs:
            raise ValueError("there must be as many values as subgraphs")
        label = decode(stored["positive_class"]) if "positive_class" in stored else self.pos_label
        numbers: dict[str, Any] = {name: int(stored[name]) for name in COUNTERS}
        numbers |= {name: float(decode(stored[name])) for name in _FLOATS}
        result = MiningResult(
            subgraphs=subgraphs,
            values=values,
            status=Status(stored["status"]),
            message=str(stored["message"]),
            parameters=decode(stored["parameters"]),
            naming=graphs.naming,
            positive_class=_positive_class(classes, label),
            contrasts=stored.get("contrasts"),
            **numbers,
        )
        self._know(result, classes, graphs)


def _positive_class(classes: NDArray[Any], pos_label: object) -> Any:
    """None where there are not two classes."""
    return positive_class(classes, pos_label) if len(classes) == 2 else None


def selector_of_result(cohort: LabelledGraphs, result: MiningResult, **parameters: Any) -> SubgraphSelector:
    """Make the selector that would have found a result, without searching again.

    Parameters
    ----------
    cohort : LabelledGraphs
        What was mined.
    result : MiningResult
        With at least one subgraph.
    **parameters
        Those that `mine_subgraphs` was called with.
    """
    from dugraph.estimators.subgraph_selector import SubgraphSelector

    if "score" in parameters:
        parameters["score_func"] = parameters.pop("score")
    selector = SubgraphSelector(**parameters)
    selector._know(result, cohort.classes, cohort.graphs)
    return selector
