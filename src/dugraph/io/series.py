"""Time series of regions: loaded, correlated or resampled."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator
from dataclasses import replace
from itertools import chain
from pathlib import Path

import numpy as np

from dugraph.data.arguments import abbreviate, counted, listed
from dugraph.estimators import TimeSeriesEdgeProbability
from dugraph.exceptions import ConstantRegionWarning, InputError, Setting, either
from dugraph.io.arrays import ARRAY_FILES, is_table, read_variable
from dugraph.io.connectomes import (
    Connectomes,
    Floats,
    Sample,
    checked_series,
    correlations_of_series,
    stack_subjects,
)
from dugraph.io.delimited import read_numbers, read_series
from dugraph.io.input_files import InputFiles, NamedFile, ReadOptions, Subjects, one_per_subject
from dugraph.io.matrix_files import names_or_none
from dugraph.words import TIME_AXES


def bootstrap_probability(connectomes: Connectomes, threshold: float, random_state: int) -> Floats:
    """Return the share of resamples in which each correlation exceeds the threshold, by subjects and pairs.

    NaN as in `correlations_of_series`.
    """
    series = [checked_series(*one) for one in _series_of(connectomes)]
    step = TimeSeriesEdgeProbability("bootstrap", threshold=threshold, random_state=random_state)
    with warnings.catch_warnings():
        # Edges of constant regions are missing here, with a rule of their own.
        warnings.simplefilter("ignore", ConstantRegionWarning)
        probability = np.asarray(step.fit_transform(series))
    probability[np.isnan(correlations_of_all(connectomes))] = np.nan
    return probability


def correlations_of_all(connectomes: Connectomes) -> Floats:
    """Return the correlations of all pairs of regions, NaN as in `correlations_of_series`."""
    return np.stack([correlations_of_series(*one) for one in _series_of(connectomes)])


def _series_of(connectomes: Connectomes) -> Iterator[tuple[Floats, Path, tuple[str, ...] | None]]:
    assert connectomes.series is not None
    for one, file in zip(connectomes.series, connectomes.files, strict=True):
        yield one, file, connectomes.node_labels


# Tables of series in files: BIDS derivatives, C-PAC, ADHD-200, DPABI, or any folder.


def load_series(file: Path, options: ReadOptions) -> Sample:
    """Load a text table, one column per region, with or without a header."""
    table = read_series(file, options.budget)
    return Sample(file, table.numbers, names_or_none(table.columns))


def load_dpabi_series(file: Path, options: ReadOptions) -> Sample:
    """Load series of DPABI, without a header; rows are time points."""
    if file.suffix == ".mat":
        return read_variable(file, options, is_table, "a table of series")[0]
    return Sample(file, read_numbers(file, options.budget, header=False).numbers)


# C-PAC and ABIDE Preprocessed: folders are {pipeline}/{strategy}/rois_{atlas}/.
_CPAC_FOLDERS = {
    "pipeline": re.compile(r"ccs|cpac|dparsf|niak"),
    "strategy": re.compile(r"(no)?filt_(no)?global"),
}


def cpac_subjects(found: InputFiles, named: list[NamedFile], options: ReadOptions) -> Subjects:
    """Take subjects and atlases from names, pipelines and strategies from folders."""
    for one in named:
        for part in one.file.parts[:-1]:
            one.entities.update({key: part for key, known in _CPAC_FOLDERS.items() if known.fullmatch(part)})
    return one_per_subject(named, options.select)


def load_cpac(file: Path, options: ReadOptions) -> Sample:
    """Load a table whose header, if it has one, numbers the regions: ``#2001``."""
    table = read_series(file, options.budget)
    labels = table.columns
    if labels is not None:
        numbers = tuple(label.removeprefix("#").strip() for label in labels)
        if not (labels[0].startswith("#") or labels[0].isdecimal()) or not all(numbers):
            raise InputError(
                f"{file}, line 1: the header must number the regions, #2001 and so on, or be left out, "
                f"but begins with {abbreviate(labels[0])!r}. Copy the file again."
            )
        labels = numbers
    return Sample(file, table.numbers, labels)


# ADHD-200 Preprocessed, Athena pipeline, tables of AFNI's 3dROIstats.
_ADHD200_DIGITS = 7
_BEFORE = ("File", "Sub-brick")
_MEAN = "Mean_"


def adhd200_subjects(found: InputFiles, named: list[NamedFile], options: ReadOptions) -> Subjects:
    """Take subjects, sessions and runs from names; phenotype files have 10001 for 0010001."""
    for one in named:
        one.entities["filtered"] = "yes" if one.entities["filtered"] else "no"
    return replace(one_per_subject(named, options.select), id_digits=_ADHD200_DIGITS)


def load_adhd200(file: Path, options: ReadOptions) -> Sample:
    """Load a table of 3dROIstats; regions by the numbers in the header, ``Mean_2001``."""
    table = read_numbers(file, options.budget, header=True, delimiter="\t", text_columns=_BEFORE)
    labels = table.columns or ()
    for column, label in enumerate(labels, len(_BEFORE) + 1):
        # Other statistics, such as NZMean_ and Sigma_, would be other series of the same region.
        if not label.startswith(_MEAN) or label == _MEAN:
            raise InputError(
                f"{file}, line 1: every column after {', '.join(_BEFORE)} must be the mean of a region, "
                f"{_MEAN}2001 and so on, but column {column} is {abbreviate(label)!r}. Drop it from all "
                "files."
            )
    return Sample(file, table.numbers, tuple(label.removeprefix(_MEAN) for label in labels))


# Any folder of series, one table of time points by regions per subject, as text or as an array.


def read_series_files(subjects: Subjects, options: ReadOptions) -> Connectomes:
    """Read the series of each subject; the time axis is stated, or follows from names and shapes."""
    tables: Iterator[Sample] = (_load_table(file, options) for file in subjects.files)
    read = [next(tables)]
    # The first file decides if it can: then one series is in memory at a time.
    if read[0].node_labels is None and options.time_axis is None:
        for table in options.each(tables, len(subjects.files)):
            options.budget.claim(table.values.nbytes, table.file)
            read.append(table)
    axis, why = _time_axis(read, options)
    samples = (_turned(one, axis) for one in chain(read, tables))
    return stack_subjects(subjects, samples, "series", options, {"time_axis": f"{axis}, {why}"})


def _turned(one: Sample, axis: str) -> Sample:
    if axis == "rows":
        return one
    if one.node_labels is not None:
        raise InputError(
            f"time_axis must not be columns if the columns have names, as in {one.file}: named columns are "
            "regions.",
            parameter="time_axis",
        )
    return replace(one, values=np.ascontiguousarray(one.values.T))


def _load_table(file: Path, options: ReadOptions) -> Sample:
    """Load a table of series in either orientation; a matrix of connectivity is refused."""
    if file.suffix.lower() in ARRAY_FILES:
        sample = read_variable(file, options, is_table, "a table of series")[0]
    else:
        sample = load_series(file, options)
    values = sample.values
    if values.shape[0] == values.shape[1] and np.array_equal(values, values.T, equal_nan=True):
        raise InputError(
            f"{file}: series must be time points by regions, but this is a symmetric matrix of shape "
            f"{values.shape}, as connectivity is.",
            parameter="format",
            way_out=("Say ", Setting("format", "matrices"), "."),
        )
    return sample


def _time_axis(tables: list[Sample], options: ReadOptions) -> tuple[str, str]:
    """Return the axis of time, and the reason; refuse if nothing decides."""
    if options.time_axis != "columns" and any(table.node_labels is not None for table in tables):
        return "rows", "because the columns have names"
    if options.time_axis is not None:
        return options.time_axis, "as stated"
    shapes = [table.values.shape for table in tables]
    n_regions = None if options.atlas is None else options.atlas.n_regions
    # All subjects have the same regions, but their series may differ in length.
    fitting = [
        word
        for word, axis in zip(TIME_AXES, (1, 0), strict=True)
        if len({shape[axis] for shape in shapes}) == 1 and n_regions in (None, shapes[0][axis])
    ]
    if len(fitting) == 1:
        return fitting[0], "because only then do all subjects have the same regions"
    found = listed(dict.fromkeys(f"{rows} x {columns}" for rows, columns in shapes), 4)
    but = "either axis may be" if fitting else "neither axis has one length"
    raise InputError(
        f"It must be known whether rows or columns are time points, but {but}: the "
        f"{counted(len(tables), 'file')} have {found} rows and columns.",
        parameter="time_axis",
        way_out=("Say ", *either([Setting("time_axis", word) for word in TIME_AXES]), "."),
    )
