"""ADHD-200 Preprocessed, Athena pipeline: `*_TCs.1D`, the tables of AFNI's 3dROIstats."""

from __future__ import annotations

import re

from dugraph.data.wording import counted, shown
from dugraph.exceptions import InputError
from dugraph.io.connectomes import Connectomes, Sample, joined
from dugraph.io.delimited import read_numbers
from dugraph.io.format import Format
from dugraph.io.options import ReadOptions
from dugraph.io.readers.bids_names import BidsFile, one_per_subject
from dugraph.io.source import Source

# The letters are the steps of the pipeline: f stands for the band-pass filter.
_NAME = re.compile(
    r"s(?P<filtered>f?)nwmrda(?P<sub>\d{7})_session_(?P<session>\d+)_rest_(?P<run>\d+)"
    r"_(?P<atlas>[A-Za-z0-9]+)_TCs\.1D"
)
ID_DIGITS = 7
_BEFORE = ("File", "Sub-brick")
_MEAN = "Mean_"


def finds(source: Source) -> str | None:
    """Return whether there are series of the Athena pipeline, by name."""
    n_files = sum(_NAME.fullmatch(file.name) is not None for file in source.files)
    return f"{counted(n_files, 'file')} s[f]nwmrda*_TCs.1D" if n_files else None


def read(source: Source, options: ReadOptions) -> Connectomes:
    """Read the series of each subject; regions by the numbers in the header, ``Mean_2001``."""
    options.check_for_series()
    files = one_per_subject(_found(source), options.select)
    options.budget.check_files(one.file for one in files)
    samples = (_sample(one, options) for one in files)
    # Phenotype files that went through a spreadsheet say 10001 for 0010001.
    return joined(samples, "series", options.budget, options.atlas, id_digits=ID_DIGITS)


def _found(source: Source) -> list[BidsFile]:
    found = []
    for file in source.files:
        match = _NAME.fullmatch(file.name)
        if match is not None:
            entities = match.groupdict() | {"filtered": "yes" if match["filtered"] else "no"}
            found.append(BidsFile(file, entities, prefix=""))
    if not found:
        raise InputError(
            f"{source.path}: series of ADHD-200 must be named sfnwmrdaID_session_1_rest_1_aal_TCs.1D "
            f"(unfiltered: snwmrda), but there are none among {source.seen()}. Check the path."
        )
    return found


def _sample(one: BidsFile, options: ReadOptions) -> Sample:
    table = read_numbers(one.file, options.budget, header=True, delimiter="\t", text_columns=_BEFORE)
    labels = table.columns or ()
    for column, label in enumerate(labels, len(_BEFORE) + 1):
        # Other statistics, such as NZMean_ and Sigma_, would be other series of the same region.
        if not label.startswith(_MEAN) or label == _MEAN:
            raise InputError(
                f"{one.file}, line 1: every column after {', '.join(_BEFORE)} must be the mean of a region, "
                f"{_MEAN}2001 and so on, but column {column} is {shown(label)!r}. Drop it from all files."
            )
    return Sample(one.subject, one.file, table.numbers, tuple(label.removeprefix(_MEAN) for label in labels))


FORMAT = Format(
    "adhd200-series",
    "series of all regions per subject: ADHD-200 Preprocessed, Athena pipeline",
    finds,
    read,
)
