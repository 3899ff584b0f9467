"""From connectomes and a participants table to a cohort with class labels and its provenance."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dugraph.data import UncertainGraphs
from dugraph.data.arguments import abbreviate, counted, listed
from dugraph.data.graphs import Owned
from dugraph.exceptions import InputError, Setting
from dugraph.io.connectomes import Connectomes
from dugraph.io.matching import Match, SubjectFilter
from dugraph.io.participants import NO_FILE, check_no_group_missing, two_classes
from dugraph.io.probabilities import ProbabilityStep
from dugraph.words import MOTION_COLUMNS, SITE_COLUMNS

Labels = NDArray[Any]
"""1 and 0 for the positive and the negative class, or the names of more groups."""

# The significance level at which a difference between classes or sites is reported as a caution.
_LEVEL = 0.05


@dataclass(frozen=True)
class Selection:
    """The labels of the subjects, their columns of the table, and the record of both for the provenance."""

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
        """Return some subjects, by position; every class must stay."""
        y = None if self.y is None else self.y[rows]
        if self.y is not None and len(np.unique(self.y[rows])) < len(np.unique(self.y)):
            raise InputError(
                "Every class must keep at least one subject with all values, but one class keeps none.",
                parameter="missing",
                way_out=("Choose another rule, such as ", Setting("missing", "drop-regions"), "."),
            )
        columns = None if self.columns is None else {name: one[rows] for name, one in self.columns.items()}
        return Selection(y, columns, self.record)


def build_cohort(
    connectomes: Connectomes, step: ProbabilityStep, subjects: SubjectFilter, record: dict[str, Any]
) -> tuple[UncertainGraphs, Labels | None]:
    """Make the cohort: label the subjects, then turn their values into probabilities.

    Parameters
    ----------
    connectomes : Connectomes
        Those of the chosen subjects.
    step : ProbabilityStep
    subjects : SubjectFilter
        After the choice, with the table that was matched, if there is one.
    record : dict
        What is known about the origin so far.

    Returns
    -------
    graphs : UncertainGraphs
    y : ndarray of shape (n_graphs,), or None
        1 for the positive class, 0 for the negative one; or the names of several groups.
    """
    connectomes, chosen = _labelled(connectomes, subjects)
    connectomes, kept, probability, done = step.applied(connectomes)
    done |= missingness_bias(kept.incomplete, chosen.classes, chosen.columns)
    chosen = chosen.subset(kept.graphs)
    motion = motion_by_class(chosen.classes, chosen.columns)
    if "caution" in done and "caution" in motion:
        motion["caution"] = f"{done['caution']}; {motion['caution']}"
    graphs = UncertainGraphs(
        probability.view(Owned),
        edges=connectomes.edges,
        node_labels=connectomes.node_labels,
        node_coordinates=connectomes.node_coordinates,
        node_networks=connectomes.node_networks,
        graph_ids=connectomes.graph_ids,
        edge_layers=connectomes.edge_layers,
        participants=chosen.columns,
        provenance={**record, **connectomes.notes, **done, **motion, **chosen.record},
    )
    return graphs, chosen.y


def _labelled(connectomes: Connectomes, subjects: SubjectFilter) -> tuple[Connectomes, Selection]:
    """Return the connectomes of all classes, and their labels: those of the table, else of the files."""
    positive, negative = subjects.positive, subjects.negative
    if subjects.match is not None:
        return connectomes, _by_table(connectomes, subjects.match, positive, negative)
    if connectomes.y is not None:
        where = connectomes.y_file or connectomes.files[0]
        classes = two_classes(connectomes.y, connectomes.graph_ids, positive, negative, where)
        others = classes.others(connectomes.y, connectomes.graph_ids)
        record = {**classes._asdict(), **({"left_out": others} if others else {})}
        # Excluded subjects go first: their values need not be valid.
        connectomes = connectomes.subset([i for i, group in enumerate(connectomes.y) if group in classes])
        return connectomes, Selection(classes.y(connectomes.y or ()), None, record)
    if positive is not None or negative is not None or subjects.intersect:
        raise InputError(
            "positive, negative and intersect need class labels, but there are none.",
            parameter="participants",
            way_out=("Give the table of subjects (", Setting("participants"), ")."),
        )
    return connectomes, Selection(None, None, {})


def _by_table(
    connectomes: Connectomes, match: Match, positive: str | None, negative: str | None
) -> Selection:
    table, rows, ids = match.participants, match.rows, connectomes.graph_ids
    groups = [table.groups[row] for row in rows]
    if connectomes.y is not None:
        _check_agree(connectomes.y, groups, ids, table.file)
    left_out = dict(match.left_out)
    named: dict[str, str] = {}
    if table.keeps_all(groups) and positive is None and negative is None:
        check_no_group_missing(groups, ids, table.file)
        y: Labels = np.array(groups, dtype=np.str_)
    else:
        classes = two_classes(groups, ids, positive, negative, table.file)
        if positive is not None and negative is not None:
            left_out |= classes.others(table.groups, table.ids)
        y, named = classes.y(groups), classes._asdict()
    if table.excluded:
        left_out["not selected by where"] = list(table.excluded)
    if table.no_file:
        left_out[f"{table.id_column} {NO_FILE}"] = list(table.no_file)
    record: dict[str, Any] = {
        "participants": table.file.name,
        "id_column": table.id_column,
        "group_column": table.group_column,
        **table.record,
        **named,
    }
    if match.n_restored:
        restored = f"ids of {counted(match.n_restored, 'row')}, to {connectomes.id_digits} digits"
        record["restored_zeros"] = restored
    if left_out:
        record["left_out"] = left_out
    return Selection(y, {name: column[rows] for name, column in table.columns.items()} or None, record)


def _check_agree(own: Sequence[str], groups: Sequence[str], ids: Sequence[str], file: Path) -> None:
    """Refuse a table that puts a subject into another class than its file or folder does."""
    differing = [i for i, (a, b) in enumerate(zip(own, groups, strict=True)) if a != b]
    # The table may use other names for the classes.
    if differing and set(own) == set(groups):
        i = differing[0]
        raise InputError(
            f"{file}: a subject must have one class, but {counted(len(differing), 'subject')} "
            f"({listed((ids[k] for k in differing), 8)}) {'is' if len(differing) == 1 else 'are'} of another "
            f"class in the connectomes: {abbreviate(ids[i])} is {abbreviate(groups[i])!r} in the table and "
            f"{abbreviate(own[i])!r} there. Correct one of them, or leave out the table."
        )


# --- Confounds: missing values or motion that differ between classes ----------------------------------------


def missingness_bias(
    incomplete: NDArray[np.bool_],
    classes: NDArray[np.str_] | None,
    columns: Mapping[str, NDArray[Any]] | None,
) -> dict[str, Any]:
    """Count the incomplete graphs of each class and each site, and warn if their shares differ."""
    if not incomplete.any():
        return {}
    groups = {} if classes is None else {"class": classes}
    site = next((name for name in columns or {} if name.lower() in SITE_COLUMNS), None)
    if columns is not None and site is not None:
        groups["site"] = np.asarray(columns[site]).astype(str)
    record: dict[str, Any] = {}
    unequal = []
    for name, values in groups.items():
        sizes = {
            str(one): (int(incomplete[values == one].sum()), int((values == one).sum()))
            for one in np.unique(values)
        }
        parts = [
            f"{abbreviate(one)} {n} of {total}" for one, (n, total) in sizes.items() if n or name == "class"
        ]
        record[f"incomplete_by_{name}"] = ", ".join(parts)
        p_value = _p_value(np.array(list(sizes.values())))
        if p_value < _LEVEL:
            unequal.append(f"{'classes' if name == 'class' else 'sites'} (p = {p_value:.2g})")
    if unequal:
        record["caution"] = (
            f"the shares of incomplete subjects differ between {' and '.join(unequal)}: missing values may "
            "be what separates the classes"
        )
    return record


def _p_value(sizes: NDArray[np.int64]) -> float:
    """Test whether all groups have the same share: Fisher's exact test for two, chi-squared for more."""
    from scipy.stats import chi2_contingency, fisher_exact

    table = np.stack([sizes[:, 0], sizes[:, 1] - sizes[:, 0]])
    if len(sizes) < 2 or not table.sum(axis=1).all():
        return 1.0
    return float(fisher_exact(table)[1] if len(sizes) == 2 else chi2_contingency(table)[1])


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
        if p_value < _LEVEL:
            record["caution"] = (
                f"head motion ({abbreviate(name)}) differs between the classes (p = {p_value:.2g}) and "
                "changes connectivity: give it as a covariate"
            )
    return record
