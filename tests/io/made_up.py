"""Made-up subjects, regions and values, and makers of writers of one file per subject."""

from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from dugraph import read_cohort
from dugraph.exceptions import InputError

REGIONS = ("LH_Vis_1", "LH_Default_PFC_1", "RH_Vis_1", "RH_SomMot_2", "Amygdala")
SUBJECTS = ("sub-01", "sub-02", "sub-03", "sub-10")
GROUPS = ("patient", "control", "patient", "control")


@dataclass
class Expected:
    """Values per subject in the order of `regions`, before they become probabilities.

    `participants` is the table of subjects in the folder, `id_column` its column of ids if there are several;
    `words` are further arguments of `read_cohort`.
    """

    matrices: np.ndarray
    regions: tuple[str, ...] | None = REGIONS
    subjects: tuple[str, ...] = SUBJECTS
    series: list[np.ndarray] | None = None
    participants: str = "participants.tsv"
    id_column: str | None = None
    groups: tuple[str, ...] = GROUPS
    words: dict[str, object] = field(default_factory=dict)

    @property
    def edges(self) -> np.ndarray:
        rows, columns = np.tril_indices(self.matrices.shape[1], -1)
        return self.matrices[:, rows, columns]


def correlation_matrices(seed=0):
    """Correlations of random series, some negative."""
    return correlations(random_series(seed))


def correlations(series):
    with np.errstate(invalid="ignore"):  # constant regions
        return np.stack([np.corrcoef(one, rowvar=False) for one in series])


def random_series(seed=0):
    rng = np.random.default_rng(seed)
    signs = np.array([1, 1, -1, 1, -1])
    lengths = [30 + i for i in range(len(SUBJECTS))]
    return [rng.standard_normal((n, len(REGIONS))) + rng.normal(size=(n, 1)) * signs for n in lengths]


def write_participants(folder: Path, subjects=SUBJECTS, groups=GROUPS) -> Path:
    file = folder / "participants.tsv"
    rows = [f"{s}\t{20 + i}\tF\t{g}" for i, (s, g) in enumerate(zip(subjects, groups, strict=True))]
    file.write_text("\n".join(["participant_id\tage\tsex\tgroup", *rows]) + "\n")
    return file


def write_text_matrix(file: Path, matrix, **how) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    np.savetxt(file, matrix, **how)


def write_names_and_matrix(file: Path, matrix, index_name=None, **how) -> None:
    """A table with the names of the regions, as pandas writes it."""
    file.parent.mkdir(parents=True, exist_ok=True)
    pd.DataFrame(matrix, pd.Index(REGIONS, name=index_name), REGIONS).to_csv(file, **how)


def matrix_layout(write_one, seed, make=correlation_matrices, beside=None, subjects=SUBJECTS, **expected):
    """Make the writer of a layout from `write_one(folder, subject, matrix, **how)` and `beside(folder)`."""

    def write(folder: Path, matrices=None, **how) -> Expected:
        matrices = make(seed) if matrices is None else matrices
        for subject, matrix in zip(subjects, matrices, strict=True):
            write_one(folder, subject, matrix, **how)
        write_participants(folder, subjects)
        if beside:
            beside(folder)
        return Expected(matrices, subjects=subjects, **expected)

    return write


def series_layout(write_one, seed, make=random_series, beside=None, **expected):
    """The same for `write_one(folder, subject, series)`."""

    def write(folder: Path, series=None) -> Expected:
        series = make(seed) if series is None else series
        for subject, one in zip(SUBJECTS, series, strict=True):
            write_one(folder, subject, one)
        write_participants(folder)
        if beside:
            beside(folder)
        return Expected(correlations(series), series=series, **expected)

    return write


def refused(message, *arguments, by=read_cohort, **words):
    """Check that a call is refused with a message that matches."""
    with pytest.raises(InputError, match=message):
        by(*arguments, **words)
