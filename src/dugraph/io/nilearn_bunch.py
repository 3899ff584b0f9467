"""Data sets returned by the fetchers of nilearn, as a cohort."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from dugraph.data import UncertainGraphs
from dugraph.data.arguments import abbreviate, as_list, check_kind, counted, listed
from dugraph.exceptions import InputError
from dugraph.files.npz import MAX_BYTES
from dugraph.io.connectomes import Sample, stack_subjects
from dugraph.io.guards import MemoryBudget
from dugraph.io.input_files import ReadOptions, Subjects
from dugraph.io.participants import Labels, Participants, SubjectFilter, participants_of, text_table
from dugraph.io.probabilities import ProbabilityStep
from dugraph.io.read import build_cohort

# Columns of `phenotypic`: the id, the group, and the value of the group with the diagnosis.
_ABIDE = ("FILE_ID", "DX_GROUP", "1")
_ADHD = ("Subject", "adhd", "1")
_IMAGES = ("func_preproc", "func")
# Text after the id in the names of fetched images: .../0010042_rest_tshift_RPI_voreg_mni.nii.gz,
# .../Pitt_0050003_func_preproc.nii.gz.
_IMAGE_NAME = re.compile(r"(?P<id>.+?)_(rest_.*|func_preproc)\.nii(\.gz)?")


def from_nilearn(
    bunch: Mapping[str, Any],
    *,
    series: Sequence[ArrayLike] | None = None,
    derivative: str | None = None,
    node_labels: Sequence[str] | None = None,
    id_column: str | None = None,
    group_column: str | None = None,
    positive: str | None = None,
    negative: str | None = None,
    intersect: bool = False,
    probability: str | None = None,
    threshold: float | None = None,
    density: float | None = None,
    missing: str = "refuse",
    max_missing: float | None = None,
    random_state: int = 0,
    max_memory: int = MAX_BYTES,
) -> tuple[UncertainGraphs, Labels]:
    """Make a cohort from the data set that ``nilearn.datasets.fetch_abide_pcp`` or ``fetch_adhd`` returns.

    Parameters
    ----------
    bunch : mapping of str to values, such as sklearn.utils.Bunch
        With ``phenotypic``, a pandas.DataFrame or a record array, and time series such as ``rois_aal``, from
        ``fetch_abide_pcp(derivatives=["rois_aal"])``.
    series : sequence of ndarray of shape (n_timepoints_i, n_nodes), optional
        Time series from ``NiftiLabelsMasker.fit_transform``, in the order of the images in the bunch.
        Required if the bunch has images only.
    derivative : str, optional
        The time series of the bunch to use, such as "rois_aal", if it has several.
    node_labels : sequence of str, optional
        Names of the regions; nilearn drops the header that numbers them.
    id_column, group_column : str, optional
        Columns of ``phenotypic``; by default FILE_ID and DX_GROUP (ABIDE), Subject and adhd (ADHD-200), or
        those with a usual name.
    positive, negative : str, optional
        As for `read_cohort`; by default the class with the diagnosis, 1, in DX_GROUP and adhd is positive.
    intersect, probability, threshold, density, missing, max_missing, random_state, max_memory
        As for `read_cohort`.

    Returns
    -------
    graphs : UncertainGraphs
    y : ndarray of int, shape (n_graphs,)
        1 for the positive class, 0 for the negative one.

    Examples
    --------
    >>> import numpy as np, pandas as pd
    >>> from sklearn.utils import Bunch
    >>> from dugraph import from_nilearn
    >>> t = np.arange(8.0)
    >>> bunch = Bunch(  # as fetch_abide_pcp(derivatives=["rois_aal"]) gives it
    ...     rois_aal=[np.stack([t, t], axis=1), np.stack([t, -t], axis=1)],
    ...     phenotypic=pd.DataFrame({"FILE_ID": ["Pitt_0050003", "NYU_0051036"], "DX_GROUP": [1, 2]}),
    ... )
    >>> graphs, y = from_nilearn(bunch, node_labels=["Precentral_L", "Precentral_R"])
    >>> graphs.graph_ids, graphs.edge_probability.round(6).tolist(), y.tolist()
    (('Pitt_0050003', 'NYU_0051036'), [[1.0], [0.0]], [1, 0])
    """
    if not isinstance(bunch, Mapping) or "phenotypic" not in bunch:
        raise InputError(
            "bunch must be what fetch_abide_pcp or fetch_adhd returns, with the key phenotypic, but is "
            f"{type(bunch).__name__}{' with ' + listed(bunch, 12) if isinstance(bunch, Mapping) else ''}."
        )
    records = text_table(bunch["phenotypic"], "phenotypic")
    known = next((names for names in (_ABIDE, _ADHD) if set(names[:2]) <= set(records.table.columns)), None)
    for name, asked in (("id_column", id_column), ("group_column", group_column), ("derivative", derivative)):
        if asked is not None:
            check_kind(asked, str, name)
    if known is not None:
        id_column, group_column = id_column or known[0], group_column or known[1]
        if group_column == known[1] and positive is None and negative is None:
            positive = known[2]
    participants = participants_of(records, Path("bunch.phenotypic"), id_column, group_column)
    images = next((key for key in _IMAGES if key in bunch), None)
    if series is None:
        derivative = _derivative(bunch, derivative, images)
        series, ids, name = bunch[derivative], participants.ids, f"bunch.{derivative}"
    else:
        ids, name = _ids_of(bunch, images, participants), "series"
    series = as_list(series, name, "arrays")
    if len(series) != len(ids):
        raise InputError(
            f"There must be one series per subject: {name} has {len(series)}, but the bunch has "
            f"{counted(len(ids), 'subject')}. Give them in the order of its images."
        )
    labels = None if node_labels is None else tuple(map(str, as_list(node_labels, "node_labels", "names")))
    notes = {"series": name.removeprefix("bunch.")}
    # The table may leave out subjects later, whose values do not matter.
    options = ReadOptions(MemoryBudget(max_memory), keeps_series=True)
    connectomes = stack_subjects(Subjects(ids, ()), _samples(series, name, labels), "series", options, notes)
    step = ProbabilityStep(probability, threshold, density, None, missing, max_missing, random_state)
    record = {"source": "nilearn", "n_files": len(connectomes.files)}
    subjects = SubjectFilter(participants, None, positive, negative, intersect)
    graphs, y = build_cohort(subjects.select(connectomes), step, subjects, record)
    assert y is not None  # there is a table
    return graphs, y


def _samples(series: Sequence[ArrayLike], name: str, labels: tuple[str, ...] | None) -> Iterator[Sample]:
    for i, one in enumerate(series):
        where = Path(f"{name}[{i}]")
        try:
            values = np.array(one, dtype=np.float64)
        except (TypeError, ValueError) as error:
            raise InputError(
                f"{where}: a series must be an array of numbers, but is {abbreviate(one)}. Load it first."
            ) from error
        if values.ndim != 2:
            raise InputError(
                f"{where}: a series must have the shape (n_timepoints, n_regions), but has {values.shape}."
            )
        yield Sample(where, values, labels)


def _derivative(bunch: Mapping[str, Any], asked: str | None, images: str | None) -> str:
    there = [key for key in bunch if str(key).startswith("rois_")]
    if asked is not None and asked in bunch:
        return asked
    if asked is None and len(there) == 1:
        return there[0]
    if there:
        wish = "derivative is left out" if asked is None else f"derivative is {abbreviate(asked)!r}"
        raise InputError(
            f"derivative must name one of the series in the bunch, {listed(there, 8)}, but {wish}."
        )
    kind = "images" if images else "neither series nor images"
    raise InputError(
        f"The bunch must hold series (rois_*), but has {kind}: {listed(bunch, 12)}. Extract the series of "
        "each image with nilearn.maskers.NiftiLabelsMasker(labels_img).fit_transform(image, confounds=...) "
        "and give them as series=[...]; for ABIDE, "
        'fetch_abide_pcp(derivatives=["rois_aal"]) has them ready.'
    )


def _ids_of(bunch: Mapping[str, Any], images: str | None, participants: Participants) -> tuple[str, ...]:
    """Return the subjects by the names of the images: fetch_adhd has its table in another order."""
    if images is None:
        return participants.ids
    matches = [_IMAGE_NAME.fullmatch(Path(str(image)).name) for image in bunch[images]]
    if not all(matches):
        raise InputError(
            f"The images of the bunch must be named after their subjects, as nilearn does, but "
            f"bunch.{images} has {listed(bunch[images])}. Leave the images out of the bunch if the series "
            "are in the order of bunch.phenotypic."
        )
    return tuple(match["id"] for match in matches if match is not None)
