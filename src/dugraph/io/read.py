"""`read_cohort`, `read_study`, `from_array`: files of a pipeline, or matrices in memory, to a cohort.

The path: layout -> matrices -> participants -> missing values -> probabilities -> cohort.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dugraph.data import LabelledGraphs, UncertainGraphs
from dugraph.data.arguments import abbreviate, as_list, real_array
from dugraph.data.graphs import Owned
from dugraph.exceptions import InputError, Setting
from dugraph.files.atomic import check_path
from dugraph.files.npz import MAX_BYTES
from dugraph.io.atlas import AtlasTable, named_atlas, read_atlas
from dugraph.io.connectomes import Connectomes, stack_subjects
from dugraph.io.detection import choose_layout, other_format, read_layout
from dugraph.io.guards import MemoryBudget
from dugraph.io.input_files import InputFiles, ReadOptions, Subjects
from dugraph.io.matrix_files import array_samples, ids_in_order, subjects_first
from dugraph.io.participants import Labels, SubjectFilter, read_participants
from dugraph.io.probabilities import ProbabilityStep
from dugraph.search.limits import progress_reporter
from dugraph.words import MOTION_COLUMNS, SITE_COLUMNS

PathLike = str | os.PathLike[str]

# The significance level at which a difference between classes or sites is reported as a caution.
_LEVEL = 0.05


def read_cohort(
    path: PathLike,
    *,
    format: str | None = None,
    participants: PathLike | Any | None = None,
    id_column: str | None = None,
    group_column: str | None = None,
    id_pattern: str | None = None,
    positive: str | None = None,
    negative: str | None = None,
    intersect: bool = False,
    where: str | None = None,
    values: str | None = None,
    probability: str | None = None,
    threshold: float | None = None,
    density: float | None = None,
    n_timepoints: int | None = None,
    missing: str = "refuse",
    max_missing: float | None = None,
    select: Mapping[str, str] | None = None,
    atlas: PathLike | None = None,
    variable: str | None = None,
    names_variable: str | None = None,
    edge_attribute: str | None = None,
    time_axis: str | None = None,
    triangle: str | None = None,
    random_state: int = 0,
    max_memory: int = MAX_BYTES,
    progress: bool | Callable[[dict[str, Any]], object] | None = None,
) -> tuple[UncertainGraphs, Labels | None]:
    """Read the connectomes written by a pipeline, and the table of its subjects, as a cohort.

    Subjects are aligned by the names of their regions, never by position if there are names. Nothing is left
    out or repaired silently: input that breaks a rule is refused with the file, the rule and the way out, and
    ``graphs.provenance`` records what was done.

    Parameters
    ----------
    path : path-like
        A folder or a file; docs/files.md lists the formats.
    format : str, optional
        The name of the format; by default it is detected from the names and the content of the files.
    participants : path-like or pandas.DataFrame, optional
        A .tsv or .csv, or a table in memory, with one row per subject; all its columns are kept as
        ``graphs.participants``.
    id_column, group_column : str, optional
        Columns of `participants`; by default those with a usual name, if there is only one. More than two
        groups are kept if their column is named here.
    id_pattern : str, optional
        Where the file names contain the id, such as "{id}_REST1*"; files with other names are left
        out. By default the whole name is the id.
    positive, negative : str, optional
        The groups that form the classes; with both, subjects of other groups are left out. By default the
        only two groups, the last name in sorted order being positive.
    intersect : bool, default False
        Keep only subjects that have both a file and a row; otherwise the others are refused.
    where : str, optional
        A condition on columns of `participants`, such as "site == 'NYU' and age < 18"; other participants are
        left out.
    values : {"correlation", "fisher_z", "count", "probability"}, optional
        What the matrix entries are; by default as the format says.
    probability : str, optional
        How values become probabilities: "positive", "signed", "absolute", "fisher", "rank", "bootstrap",
        "fraction", "largest" or "none", see docs/files.md; by default "positive" for correlations, Fisher z
        values and series, "fraction" for counts, "none" for probabilities.
    threshold : float, optional
        Probabilities below it become 0; for "bootstrap", the correlation to exceed.
    density : float, optional
        The share of edges to keep in each graph, strongest first.
    n_timepoints : int, optional
        For "fisher" on correlations: the length of the underlying time series.
    missing : {"refuse", "absent", "drop-regions", "drop-subjects"}, default "refuse"
        Whether edges without a value (NaN, n/a, a region that never changes) are refused, made absent, or
        dropped with the regions that some subject lacks entirely, or with the subjects that lack any.
    max_missing : float, optional
        The largest share of values that may be made absent, of regions or of subjects that may be dropped;
        by default 0.1 for what is dropped, and no limit for what is absent.
    select : mapping of str to str, optional
        Which of a subject's files to read, e.g. ``{"atlas": "4S156Parcels", "run": "1"}``.
    atlas : path-like or str, optional
        Names for files that only number their regions: a table, one row each, with positions if it has x, y,
        z; a text file with one name in each line; or one of "AAL90", "AAL116", "Power264", "Dosenbach160",
        "Seitzman300", whose regions and positions need no file.
    variable, names_variable : str, optional
        Which variable of a .mat or .npz file holds the values, and which the names of the regions; which
        matrix of a .netcc file.
    edge_attribute : str, optional
        Which attribute of the edges of a GraphML file holds the values.
    time_axis : {"rows", "columns"}, optional
        The time axis of a plain table of series, if its shape does not decide.
    triangle : {"lower", "upper"}, optional
        Which half of each matrix the numbers are, row by row, if each subject has one row.
    random_state : int, default 0
        For "bootstrap".
    max_memory : int, default 8 GiB
        Bytes that reading may use.
    progress : bool or callable, optional
        True shows the number of files read on stderr; a function is called with a dict of n_read, n_files and
        seconds instead.

    Returns
    -------
    graphs : UncertainGraphs
    y : ndarray of shape (n_graphs,), or None
        1 for the positive class, 0 for the negative one; the names of more than two groups; None without
        labels.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> from dugraph import read_cohort
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     for subject, r in (("01", 0.8), ("02", -0.1)):
    ...         text = f"Insula,Thalamus\\n1,{r}\\n{r},1\\n"
    ...         _ = pathlib.Path(folder, f"sub-{subject}.csv").write_text(text)
    ...     table = pathlib.Path(folder, "participants.tsv")
    ...     _ = table.write_text("participant_id\\tgroup\\nsub-01\\tpatient\\nsub-02\\tcontrol\\n")
    ...     graphs, y = read_cohort(folder, participants=table)
    >>> graphs.edge_probability.tolist(), y.tolist(), graphs.provenance["positive"]
    ([[0.8], [0.0]], [1, 0], 'patient')
    """
    budget = MemoryBudget(max_memory)
    if select is not None and not isinstance(select, Mapping):
        raise InputError(
            f'select must be a mapping such as {{"task": "rest"}}, but is {abbreviate(repr(select))}. Name '
            "parts of the file names and their values.",
            parameter="select",
        )
    beside = [Path(file) for file in (participants, atlas) if isinstance(file, (str, os.PathLike))]
    found = InputFiles.of(path, without=beside)
    layout, reason = choose_layout(found, format)
    step = ProbabilityStep(probability, threshold, density, n_timepoints, missing, max_missing, random_state)
    regions = None if atlas is None else _regions(atlas, budget)
    table = None
    if participants is not None:
        table = read_participants(participants, budget, id_column, group_column)
    everyone = None if table is None else table.ids
    if where is not None:
        if table is None:
            raise InputError(
                "where needs a table of participants, but the cohort has none.",
                parameter="where",
                way_out=("Give it with ", Setting("participants"), "."),
            )
        table = table.select(where)
    subjects = SubjectFilter(table, id_pattern, positive, negative, intersect)
    options = ReadOptions(
        budget,
        values,
        dict(select or {}),
        regions,
        subjects=everyone,
        id_pattern=id_pattern,
        choose=subjects.choose,
        variable=variable,
        names_variable=names_variable,
        edge_attribute=edge_attribute,
        time_axis=time_axis,
        triangle=triangle,
        keeps_series=probability == "bootstrap",
    )
    with progress_reporter(progress, reading_line) as report:
        try:
            connectomes = read_layout(layout, found, replace(options, progress=report))
        except InputError as error:
            if format is not None and (other := other_format(layout, found)):
                raise error.followed_by(other) from error
            raise
    n_files = len(set(connectomes.files))
    connectomes = subjects.select(connectomes)
    record: dict[str, Any] = {
        "source": found.path.resolve().name,
        "format": layout.name,
        "format_reason": reason,
        "n_files": n_files,
        **subjects.record,
    }
    if select:
        record["select"] = dict(select)
    return build_cohort(connectomes, step, subjects, record)


def reading_line(now: dict[str, Any]) -> str:
    """Put the progress of reading into words."""
    return f"{now['n_read']:,} of {now['n_files']:,} files, {now['seconds']:.0f} s"


def _regions(atlas: PathLike, budget: MemoryBudget) -> AtlasTable:
    if isinstance(atlas, str) and not os.path.exists(atlas):
        return named_atlas(atlas)
    return read_atlas(Path(check_path(atlas, "table of regions")), budget)


def read_study(path: PathLike, participants: PathLike | Any | None = None, **options: Any) -> LabelledGraphs:
    """Read a folder of connectomes and its participants table as graphs with their classes.

    The same as `dugraph convert`, for notebooks: every function that takes `X` and `y` accepts the result.

    Parameters
    ----------
    path : path-like
        A folder or a file, as for `read_cohort`.
    participants : path-like or pandas.DataFrame, optional
        One row per subject; needed unless the files themselves contain the classes.
    **options
        All other parameters of `read_cohort`, such as `positive`, `where`, `atlas` and `probability`.

    Returns
    -------
    LabelledGraphs
        The classes have the names of the groups; ``.graphs.participants`` holds the columns of the table.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> import dugraph as dg
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     for subject, r in (("01", 0.8), ("02", -0.1)):
    ...         text = f"Insula,Thalamus\\n1,{r}\\n{r},1\\n"
    ...         _ = pathlib.Path(folder, f"sub-{subject}.csv").write_text(text)
    ...     table = pathlib.Path(folder, "participants.tsv")
    ...     _ = table.write_text("participant_id\\tgroup\\nsub-01\\tpatient\\nsub-02\\tcontrol\\n")
    ...     dg.read_study(folder, table)
    LabelledGraphs: 2 graphs, 1 edge over 2 nodes; positive: patient (1), negative: control (1)
    """
    graphs, y = read_cohort(path, participants=participants, **options)
    if y is None:
        raise InputError(
            "read_study needs the class of each subject, but there are none.",
            parameter="participants",
            way_out="Give the table of subjects, or use read_cohort for graphs without classes.",
        )
    provenance = graphs.provenance or {}
    if "positive" not in provenance:
        return LabelledGraphs.of_any(graphs, y)
    names = np.array([provenance["negative"], provenance["positive"]])[y]
    return LabelledGraphs(graphs, names, provenance["positive"])


def from_array(
    array: ArrayLike,
    participants: str | os.PathLike[str] | Any | None = None,
    *,
    node_labels: Sequence[str] | None = None,
    node_coordinates: ArrayLike | None = None,
    id_column: str | None = None,
    group_column: str | None = None,
    positive: str | None = None,
    negative: str | None = None,
    values: str = "correlation",
    probability: str | None = None,
    threshold: float | None = None,
    density: float | None = None,
    n_timepoints: int | None = None,
    missing: str = "refuse",
    max_missing: float | None = None,
    max_memory: int = MAX_BYTES,
) -> tuple[UncertainGraphs, Labels | None]:
    """Make a cohort from one array of connectivity matrices; row i of the table is matrix i.

    Parameters
    ----------
    array : array-like of shape (n_subjects, n_regions, n_regions) or (n_regions, n_regions, n_subjects)
        Symmetric matrices.
    participants : path-like or pandas.DataFrame, optional
        The table of subjects, in the order of the matrices, with one row for each.
    node_labels : sequence of str, optional
        Names of the regions.
    node_coordinates : array-like of shape (n_regions, 3), optional
    id_column, group_column, positive, negative : str, optional
        As for `read_cohort`.
    values : {"correlation", "fisher_z", "count", "probability"}, default "correlation"
        What the numbers are.
    probability, threshold, density, n_timepoints, missing, max_missing, max_memory
        As for `read_cohort`.

    Returns
    -------
    graphs : UncertainGraphs
    y : ndarray of int, shape (n_graphs,), or None
        1 for the positive class, 0 for the negative one; None without a table.

    Examples
    --------
    >>> import numpy as np, pandas as pd
    >>> from dugraph.io import from_array
    >>> matrices = np.ones((2, 3, 3))
    >>> matrices[1] = [[1, 0.5, 0.2], [0.5, 1, -0.1], [0.2, -0.1, 1]]
    >>> table = pd.DataFrame({"id": ["a", "b"], "group": ["patient", "control"]})
    >>> graphs, y = from_array(matrices, table, node_labels=["Insula", "Cuneus", "Thalamus"])
    >>> graphs.edge_probability.tolist(), y.tolist()
    ([[1.0, 1.0, 1.0], [0.5, 0.2, 0.0]], [1, 0])
    """
    budget = MemoryBudget(max_memory)
    options = ReadOptions(budget, values)
    try:
        numbers = np.asarray(array, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InputError(f"array must hold numbers: {error}.", parameter="array") from error
    stack, axis = subjects_first(numbers, "array")
    table = None
    if participants is not None:
        table = read_participants(participants, budget, id_column, group_column)
    ids, order = ids_in_order(len(stack), None if table is None else table.ids, "array")
    labels = None
    if node_labels is not None:
        labels = tuple(map(str, as_list(node_labels, "node_labels", "names")))
    places = None
    if node_coordinates is not None:
        places = real_array(node_coordinates, "node_coordinates", 2, "(n_nodes, 3)")
    samples = array_samples(stack, "array", labels, places)
    notes = {"subjects": order, "subject_axis": axis}
    connectomes = stack_subjects(Subjects(ids, ()), samples, values, options, notes)
    step = ProbabilityStep(probability, threshold, density, n_timepoints, missing, max_missing)
    subjects = SubjectFilter(table, positive=positive, negative=negative)
    return build_cohort(subjects.select(connectomes), step, subjects, {"source": "array"})


def build_cohort(
    connectomes: Connectomes, step: ProbabilityStep, subjects: SubjectFilter, record: dict[str, Any]
) -> tuple[UncertainGraphs, Labels | None]:
    """Label the chosen subjects, and turn their values into probabilities; `record` begins the provenance."""
    connectomes, y, labels = subjects.labelled(connectomes)
    table = subjects.participants
    columns = {} if table is None else {name: one[subjects.rows] for name, one in table.columns.items()}
    classes = None if y is None else y.astype(np.str_)
    if y is not None and "positive" in labels:
        classes = np.array([labels["negative"], labels["positive"]], dtype=np.str_)[y]
    connectomes, kept, probability, done = step.applied(connectomes)
    done |= missingness_bias(kept.incomplete, classes, columns)
    columns = {name: one[kept.graphs] for name, one in columns.items()}
    if y is not None and classes is not None:
        if len(np.unique(y[kept.graphs])) < len(np.unique(y)):
            raise InputError(
                "Every class must keep at least one subject with all values, but one class keeps none.",
                parameter="missing",
                way_out=("Choose another rule, such as ", Setting("missing", "drop-regions"), "."),
            )
        y, classes = y[kept.graphs], classes[kept.graphs]
    motion = motion_by_class(classes, columns)
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
        participants=columns or None,
        provenance={**record, **connectomes.notes, **done, **motion, **labels},
    )
    return graphs, y


# --- Confounds: missing values or motion that differ between classes ----------------------------------------


def missingness_bias(
    incomplete: NDArray[np.bool_],
    classes: NDArray[np.str_] | None,
    columns: Mapping[str, NDArray[Any]],
) -> dict[str, Any]:
    """Count the incomplete graphs of each class and each site, and warn if their shares differ."""
    if not incomplete.any():
        return {}
    groups = {} if classes is None else {"class": classes}
    site = next((name for name in columns if name.lower() in SITE_COLUMNS), None)
    if site is not None:
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


def motion_by_class(classes: NDArray[np.str_] | None, columns: Mapping[str, NDArray[Any]]) -> dict[str, Any]:
    """Summarise head motion by class, if a column has a usual name for it, and warn if it differs."""
    usual = (name for name in columns if re.sub(r"[\s.-]+", "_", name.lower()) in MOTION_COLUMNS)
    name = next(usual, None)
    if classes is None or name is None or columns[name].dtype.kind not in "iuf":
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
