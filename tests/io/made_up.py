"""Made-up subjects, regions and series, and what must come out of the folders that layouts are made of."""

from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pytest

from dugraph import read_cohort
from dugraph.exceptions import InputError

REGIONS = ("LH_Vis_1", "LH_Default_PFC_1", "RH_Vis_1", "RH_SomMot_2", "Amygdala")
SUBJECTS = ("sub-01", "sub-02", "sub-03", "sub-10")
GROUPS = ("patient", "control", "patient", "control")


@dataclass
class Expected:
    """What must come out: values per subject in the order of `regions`, before they become probabilities.

    `participants` is the table of subjects in the folder, `id_column` its column of ids if there are several;
    `words` is what `read_cohort` must be told besides.
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
    # A constant region has none.
    with np.errstate(invalid="ignore"):
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


def refused(message, *path, **words):
    """Check that `read_cohort` refuses to read, with a message that matches."""
    with pytest.raises(InputError, match=message):
        read_cohort(*path, **words)
