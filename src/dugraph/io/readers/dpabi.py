"""DPABI and DPARSF: `ROISignals_SUBJECT` and `ROICorrelation_[FisherZ_]SUBJECT`, each as .mat and .txt."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from dugraph.data.wording import counted
from dugraph.exceptions import InputError
from dugraph.io.connectomes import Connectomes, Floats, Sample, joined
from dugraph.io.delimited import read_numbers, read_square
from dugraph.io.format import Format
from dugraph.io.options import ReadOptions
from dugraph.io.readers.matrices import is_square
from dugraph.io.readers.series_files import is_table
from dugraph.io.readers.variables import read_variable
from dugraph.io.source import Source

# y_ExtractROISignal.m saves all three, without a header, rows being time points.
_SIGNALS = re.compile(r"ROISignals_(?P<sub>.+)\.(mat|txt)")
_FISHER = re.compile(r"ROICorrelation_FisherZ_(?P<sub>.+)\.(mat|txt)")
_CORRELATION = re.compile(r"ROICorrelation_(?!FisherZ_)(?P<sub>.+)\.(mat|txt)")


def finds_signals(source: Source) -> str | None:
    """Return whether there are series, by name."""
    return _finds(source, _SIGNALS, "ROISignals_*")


def finds_correlations(source: Source) -> str | None:
    """Return whether there are matrices, by name."""
    return _finds(source, _CORRELATION, "ROICorrelation_*") or _finds(
        source, _FISHER, "ROICorrelation_FisherZ_*"
    )


def read_signals(source: Source, options: ReadOptions) -> Connectomes:
    """Read the series of each subject; rows are time points."""
    options.check_for_series()
    files = _subjects(source, _SIGNALS, "ROISignals_SUBJECT", options)
    return joined(_samples(files, options, series=True), "series", options.budget, options.atlas)


def read_correlations(source: Source, options: ReadOptions) -> Connectomes:
    """Read one matrix per subject: correlations, or Fisher z if these are asked for or all there is."""
    fisher = options.values == "fisher_z" or not _found(source, _CORRELATION)
    if options.values == "correlation" and fisher:
        raise InputError(
            f"{source.path}: correlations must be named ROICorrelation_SUBJECT, but there are only "
            "ROICorrelation_FisherZ_SUBJECT. Do not state what the values are.",
            parameter="values",
        )
    name = "ROICorrelation_FisherZ_SUBJECT" if fisher else "ROICorrelation_SUBJECT"
    files = _subjects(source, _FISHER if fisher else _CORRELATION, name, options)
    kind = options.values or ("fisher_z" if fisher else "correlation")
    return joined(_samples(files, options, series=False), kind, options.budget, options.atlas)


def _finds(source: Source, pattern: re.Pattern[str], name: str) -> str | None:
    subjects = {match["sub"] for file in source.files if (match := pattern.fullmatch(file.name))}
    return f"{name} of {counted(len(subjects), 'subject')}" if subjects else None


def _found(source: Source, pattern: re.Pattern[str]) -> dict[str, Path]:
    """Subject -> file; of .mat and .txt of one name the .mat, which is exact."""
    found: dict[str, Path] = {}
    for file in source.files:
        match = pattern.fullmatch(file.name)
        if match is None:
            continue
        first = found.setdefault(match["sub"], file)
        if first.parent != file.parent:
            raise InputError(
                f"A subject must have one file, but {match['sub']} has two: {first} and {file}. Name the "
                "intended folder."
            )
        if file.suffix == ".mat":
            found[match["sub"]] = file
    return found


def _subjects(source: Source, pattern: re.Pattern[str], name: str, options: ReadOptions) -> dict[str, Path]:
    found = _found(source, pattern)
    if not found:
        raise InputError(
            f"{source.path}: files of DPABI must be named {name}.mat or .txt, but there are none among "
            f"{source.seen()}. Check the path."
        )
    if options.select:
        raise InputError("select must be left out for DPABI: every file is one subject.", parameter="select")
    options.budget.check_files(found.values())
    return dict(sorted(found.items()))


def _samples(files: dict[str, Path], options: ReadOptions, series: bool) -> Iterator[Sample]:
    for subject, file in files.items():
        yield Sample(subject, file, _values(file, options, series))


def _values(file: Path, options: ReadOptions, series: bool) -> Floats:
    if file.suffix == ".mat":
        what = "a table of series" if series else "a square matrix"
        return read_variable(file, options, is_table if series else is_square, what).values
    if series:
        return read_numbers(file, options.budget, header=False).numbers
    return read_square(file, options.budget).numbers


SIGNALS = Format(
    "dpabi-signals",
    "DPABI, DPARSF: ROISignals_SUBJECT, the series of all regions per subject",
    finds_signals,
    read_signals,
    takes=("variable",),
)
CORRELATIONS = Format(
    "dpabi-correlations",
    "DPABI, DPARSF: ROICorrelation_SUBJECT or ROICorrelation_FisherZ_SUBJECT",
    finds_correlations,
    read_correlations,
    takes=("variable",),
)
