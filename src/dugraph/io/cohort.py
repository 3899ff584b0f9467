"""From connectomes and a participants table to a cohort with class labels and its provenance."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dugraph.data import UncertainGraphs
from dugraph.data.arguments import abbreviate, counted, listed
from dugraph.exceptions import InputError, Setting
from dugraph.io.connectomes import Connectomes
from dugraph.io.matching import match_subjects
from dugraph.io.missing import LEVEL, missingness_bias
from dugraph.io.participants import (
    NO_FILE,
    Classes,
    Participants,
    check_no_group_missing,
    two_classes,
)
from dugraph.io.probabilities import ProbabilityStep
from dugraph.words import MOTION_COLUMNS

Labels = NDArray[Any]
"""1 and 0 for the positive and the negative class, or the names of more groups."""


@dataclass(frozen=True)
class Selection:
    """Who is in the cohort.

    Attributes
    ----------
    graphs : list of int
        Positions in the connectomes.
    y : ndarray of int, shape (n_graphs,), or None
    columns : dict of str to ndarray of shape (n_graphs,), or None
    record : dict
        For the provenance.
    """

    graphs: list[int]
    y: Labels | None
    columns: dict[str, Any] | None
    record: dict[str, Any]

    @property
    def classes(self) -> NDArray[np.str_] | None:
        """The name of the class or group of each graph."""
        if self.y is None or "positive" not in self.record:
            return None if self.y is None else self.y.astype(np.str_)
        return np.array([self.record["negative"], self.record["positive"]], dtype=np.str_)[self.y]

    def subset(self, rows: NDArray[np.intp]) -> Selection:
        """Return some of them, by position; every class must stay."""
        y = None if self.y is None else self.y[rows]
        if self.y is not None and len(np.unique(self.y[rows])) < len(np.unique(self.y)):
            raise InputError(
                "Every class must keep at least one subject with all values, but one class keeps none.",
                parameter="missing",
                way_out=("Choose another rule, such as ", Setting("missing", "drop-regions"), "."),
            )
        columns = None if self.columns is None else {name: one[rows] for name, one in self.columns.items()}
        return Selection([self.graphs[i] for i in rows], y, columns, self.record)


def build_cohort(
    connectomes: Connectomes,
    step: ProbabilityStep,
    participants: Participants | None = None,
    positive: str | None = None,
    negative: str | None = None,
    intersect: bool = False,
    record: dict[str, Any] | None = None,
) -> tuple[UncertainGraphs, Labels | None]:
    """Make the cohort: choose the subjects, then turn their values into probabilities.

    Parameters
    ----------
    connectomes : Connectomes
    step : ProbabilityStep
    participants : Participants, optional
    positive, negative : str, optional
        Names of groups.
    intersect : bool, default False
        Whether subjects on one side only are left out instead of refused.
    record : dict, optional
        What is known about the origin so far.

    Returns
    -------
    graphs : UncertainGraphs
    y : ndarray of shape (n_graphs,), or None
        1 for the positive class, 0 for the negative one; or the names of several groups.
    """
    chosen = _selection(connectomes, participants, positive, negative, intersect)
    # Only now, so that a subject who is left out cannot break a rule for values.
    everyone = connectomes.subset(chosen.graphs)
    connectomes, kept, probability, done = step.applied(everyone)
    done |= missingness_bias(kept.incomplete, chosen.classes, chosen.columns)
    chosen = chosen.subset(kept.graphs)
    motion = motion_by_class(chosen.classes, chosen.columns)
    if "caution" in done and "caution" in motion:
        motion["caution"] = f"{done['caution']}; {motion['caution']}"
    done |= motion
    provenance = {**(record or {}), **connectomes.notes, **done, **chosen.record}
    # Files that were not opened are not among the connectomes.
    left_out = {**(record or {}).get("left_out", {}), **chosen.record.get("left_out", {})}
    if left_out:
        provenance["left_out"] = left_out
    graphs = UncertainGraphs._owning(
        probability,
        edges=connectomes.edges,
        node_labels=connectomes.node_labels,
        node_coordinates=connectomes.node_coordinates,
        node_networks=connectomes.node_networks,
        graph_ids=connectomes.graph_ids,
        edge_layers=connectomes.edge_layers,
        participants=chosen.columns,
        provenance=provenance,
    )
    return graphs, chosen.y


def _selection(
    connectomes: Connectomes,
    participants: Participants | None,
    positive: str | None,
    negative: str | None,
    intersect: bool,
) -> Selection:
    if participants is not None:
        return _by_table(connectomes, participants, positive, negative, intersect)
    everyone = list(range(len(connectomes.graph_ids)))
    if connectomes.y is not None:
        where = connectomes.y_file or connectomes.files[0]
        classes = two_classes(connectomes.y, connectomes.graph_ids, positive, negative, where)
        kept = [i for i in everyone if connectomes.y[i] in (classes.positive, classes.negative)]
        others = _others(connectomes.y, connectomes.graph_ids, classes)
        record = {"positive": classes.positive, "negative": classes.negative}
        return Selection(
            kept,
            classes.y([connectomes.y[i] for i in kept]),
            None,
            record | ({"left_out": others} if others else {}),
        )
    if positive is not None or negative is not None or intersect:
        raise InputError(
            "positive, negative and intersect need class labels, but there are none.",
            parameter="participants",
            way_out=("Give the table of subjects (", Setting("participants"), ")."),
        )
    return Selection(everyone, None, None, {})


def _by_table(
    connectomes: Connectomes,
    participants: Participants,
    positive: str | None,
    negative: str | None,
    intersect: bool,
) -> Selection:
    match = match_subjects(
        connectomes.graph_ids, participants, positive, negative, intersect, connectomes.id_digits
    )
    participants, graphs, rows = match.participants, match.files, match.rows
    left_out = match.left_out
    groups = [participants.groups[row] for row in rows]
    ids = [connectomes.graph_ids[i] for i in graphs]
    if connectomes.y is not None:
        _check_agree([connectomes.y[i] for i in graphs], groups, ids, participants)
    named: dict[str, str] = {}
    if participants.keeps_all(groups) and positive is None and negative is None:
        check_no_group_missing(groups, ids, participants.file)
        y: Labels = np.array(groups, dtype=np.str_)
    else:
        classes = two_classes(groups, ids, positive, negative, participants.file)
        if positive is not None and negative is not None:
            left_out |= _others(participants.groups, participants.ids, classes)
        y, named = classes.y(groups), {"positive": classes.positive, "negative": classes.negative}
    if participants.excluded:
        left_out["not selected by where"] = list(participants.excluded)
    if participants.no_file:
        left_out[f"{participants.id_column} {NO_FILE}"] = list(participants.no_file)
    columns = {name: column[rows] for name, column in participants.columns.items()}
    record: dict[str, Any] = {
        "participants": participants.file.name,
        "id_column": participants.id_column,
        "group_column": participants.group_column,
        **participants.record,
        **named,
    }
    if match.n_restored:
        restored = f"ids of {counted(match.n_restored, 'row')}, to {connectomes.id_digits} digits"
        record["restored_zeros"] = restored
    if left_out:
        record["left_out"] = left_out
    return Selection(graphs, y, columns or None, record)


def motion_by_class(
    classes: NDArray[np.str_] | None, columns: Mapping[str, NDArray[Any]] | None
) -> dict[str, Any]:
    """Summarise head motion by class, if a column has a usual name for it, and warn if it differs."""
    usual = (name for name in columns or {} if re.sub(r"[\s.-]+", "_", name.lower()) in MOTION_COLUMNS)
    name = next(usual, None)
    if classes is None or columns is None or name is None or columns[name].dtype.kind not in "iuf":
        return {}
    values = columns[name].astype(np.float64)
    by_class = {str(one): values[(classes == one) & ~np.isnan(values)] for one in np.unique(classes)}
    known = {one: some for one, some in by_class.items() if len(some)}
    parts = (f"{abbreviate(one)} {np.median(some):.3g}" for one, some in known.items())
    record = {"motion": f"median {abbreviate(name)}: {', '.join(parts)}"}
    if len(known) > 1 and np.ptp(np.concatenate(list(known.values()))) > 0:
        from scipy.stats import kruskal

        p_value = float(kruskal(*known.values()).pvalue)
        record["motion"] += f" (Kruskal-Wallis p = {p_value:.2g})"
        if p_value < LEVEL:
            record["caution"] = (
                f"head motion ({abbreviate(name)}) differs between the classes (p = {p_value:.2g}) and "
                "changes connectivity: give it as a covariate"
            )
    return record


def _check_agree(own: list[str], groups: list[str], ids: list[str], participants: Participants) -> None:
    """Refuse a table that puts a subject into another class than its file or folder does."""
    differing = [one for one, a, b in zip(ids, own, groups, strict=True) if a != b]
    # Other words for the classes are no contradiction.
    if differing and set(own) == set(groups):
        one = ids.index(differing[0])
        raise InputError(
            f"{participants.file}: a subject must have one class, but {counted(len(differing), 'subject')} "
            f"({listed(differing, 8)}) {'is' if len(differing) == 1 else 'are'} of another class in the "
            f"connectomes: {abbreviate(ids[one])} is {abbreviate(groups[one])!r} in the table and "
            f"{abbreviate(own[one])!r} there. Correct one of them, or leave out the table."
        )


def _others(groups: tuple[str, ...], ids: tuple[str, ...], classes: Classes) -> dict[str, list[str]]:
    others: dict[str, list[str]] = {}
    for one, group in zip(ids, groups, strict=True):
        if group not in (classes.positive, classes.negative):
            others.setdefault(f"of group {group}" if group else "without a group", []).append(one)
    return others
