"""Atlases, by name or as a table: names and positions of the regions of connectome files."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dugraph.data.atlas import aal_atlas
from dugraph.data.wording import counted, listed, shown
from dugraph.exceptions import InputError
from dugraph.io.delimited import is_number, read_records
from dugraph.io.guards import MemoryBudget, read_text
from dugraph.io.regions import check_regions

NAME_COLUMNS = ("name", "label", "region", "roi", "node")
_BACKGROUND = ("background", "unlabeled", "???")
_AXES = (("x", "y", "z"), ("mni_x", "mni_y", "mni_z"), ("x.mni", "y.mni", "z.mni"))


@dataclass(frozen=True)
class AtlasTable:
    """Regions of an atlas in its order.

    Attributes
    ----------
    file : Path
    names : tuple of str, or None
        None if the table only has positions.
    coordinates : ndarray of shape (n_regions, 3), or None
    numbers : tuple of str, or None
        The column index: the numbers of the regions in the image of the atlas.
    """

    file: Path
    names: tuple[str, ...] | None
    coordinates: NDArray[np.float64] | None
    numbers: tuple[str, ...] | None = None

    @property
    def n_regions(self) -> int:
        """The number of regions."""
        rows = self.names if self.names is not None else self.coordinates
        assert rows is not None  # a table has names or positions
        return len(rows)

    def applied(
        self, names: tuple[str, ...] | None, n_regions: int, file: Path
    ) -> tuple[tuple[str, ...] | None, NDArray[np.float64] | None]:
        """Return names and positions of the regions of a file: by its names, or by their order if it has
        none.

        Parameters
        ----------
        names : tuple of str, or None
            Names that are all numbers, such as 2001, are looked up in the column index if it has one.
        n_regions : int
        file : Path
            For messages.
        """
        if names is None:
            if n_regions != self.n_regions:
                raise InputError(
                    f"The atlas table must have one row per region: {self.file} has "
                    f"{counted(self.n_regions, 'region')}, but {file} has {n_regions}. Give the table "
                    "of the atlas that was used."
                )
            return self.names, self.coordinates
        row, where = {name: i for i, name in enumerate(self.names or ())}, ""
        if self.numbers is not None and all(name.isdecimal() and name not in row for name in names):
            row, where = {number: i for i, number in enumerate(self.numbers)}, " in its column index"
            if len(row) < len(self.numbers):
                raise InputError(
                    f"{self.file}: the column index must hold different whole numbers, since {file} numbers "
                    "its regions. Correct it."
                )
        elif self.names is None:
            raise InputError(
                f"{self.file}: an atlas table must name the regions, since {file} does, but it has only "
                "positions, without saying which region each belongs to. Add a column name."
            )
        unknown = [name for name in names if name not in row]
        if unknown:
            raise InputError(
                f"Every region must be in the atlas table: {self.file} lacks {listed(unknown, 8)} of {file}"
                f"{where}. Give the table of the atlas that was used."
            )
        rows = [row[name] for name in names]
        coordinates = None if self.coordinates is None else self.coordinates[rows]
        return names if self.names is None else tuple(self.names[i] for i in rows), coordinates


def read_atlas(file: Path, budget: MemoryBudget) -> AtlasTable:
    """Read a table with one row per region, such as a ``dseg.tsv`` of BIDS, or a plain list of names.

    Parameters
    ----------
    file : Path
        A list has one name in each line and nothing else. A table has a column of names (name, label,
        region, roi or node) or positions, x, y, z, or both; rows are ordered by the column index if it has
        one. A row named background is left out.
    budget : MemoryBudget

    Returns
    -------
    AtlasTable
    """
    listed_names = _plain_list(file, budget)
    if listed_names is not None:
        check_regions(listed_names, file, len(listed_names))
        return AtlasTable(file, listed_names, None)
    table, _ = read_records(file, budget)
    table.columns = [name.lower() for name in table.columns]
    column = next((name for name in NAME_COLUMNS if name in table.columns), None)
    axes = next((list(axes) for axes in _AXES if set(axes) <= set(table.columns)), None)
    if column is None and axes is None:
        raise InputError(
            f"{file}: an atlas table must have one of the columns {', '.join(NAME_COLUMNS)}, or x, y and z, "
            f"but has {listed(table.columns, 8)}. Rename the columns."
        )
    if "index" in table.columns:
        # 2001 and 2001.0 are one number; with small regions left out, numbers may have gaps.
        table["index"] = _numbers(table[["index"]], file)[:, 0]
        table = table.sort_values("index", kind="stable")
    if column is None:
        return AtlasTable(file, None, _numbers(table[axes], file), _index(table))
    # Segmentations count their background too; it is no region, and no connectome has it.
    table = table[~table[column].str.lower().isin(_BACKGROUND)]
    names = tuple(table[column].tolist())
    check_regions(names, file, len(names))
    return AtlasTable(file, names, None if axes is None else _numbers(table[axes], file), _index(table))


def _index(table: Any) -> tuple[str, ...] | None:
    return tuple(f"{number:.0f}" for number in table["index"]) if "index" in table.columns else None


def _plain_list(file: Path, budget: MemoryBudget) -> tuple[str, ...] | None:
    """The lines of a file without any separator of columns and without a heading; None if it is a table."""
    lines = [line.strip() for line in read_text(file, budget).decode().splitlines()]
    lines = [line for line in lines if line and not line.startswith("#")]
    if lines and all(len(line.split()) == 3 and all(map(is_number, line.split())) for line in lines):
        raise InputError(
            f"{file}: a list of regions must have names, but every line has three numbers, which look like "
            "positions. Write x, y and z above them, separated by tabs or commas like the numbers."
        )
    heading = lines[0].lower().split() if lines else []
    if (
        not lines
        or set(heading) & {*NAME_COLUMNS, *_AXES[0]}
        or any(c in line for line in lines for c in "\t,;")
    ):
        return None
    return tuple(line for line in lines if line.lower() not in _BACKGROUND)


def _numbers(table: Any, file: Path) -> NDArray[np.float64]:
    try:
        numbers = np.array(table.to_numpy().tolist(), dtype=np.float64).reshape(table.shape)
    except ValueError as error:
        raise InputError(
            f"{file}: the columns {', '.join(table.columns)} must be numbers: {error}."
        ) from error
    if not np.isfinite(numbers).all():
        raise InputError(f"{file}: the columns {', '.join(table.columns)} must be finite numbers.")
    return numbers


def _aal(n_regions: int) -> Callable[[str], AtlasTable]:
    def table(name: str) -> AtlasTable:
        atlas = aal_atlas(n_regions)
        return AtlasTable(Path(name), atlas.labels, atlas.coordinates)

    return table


def _power(name: str) -> AtlasTable:
    rois = _nilearn("fetch_coords_power_2011").rois
    numbers = tuple(f"{number:.0f}" for number in rois["roi"])
    return _table(name, [f"Power_{number}" for number in numbers], rois, numbers)


def _dosenbach(name: str) -> AtlasTable:
    atlas = _nilearn("fetch_coords_dosenbach_2010")
    # Its labels end with the number of the region: "inf cerebellum 155".
    return _table(name, list(atlas.labels), atlas.rois, [label.split()[-1] for label in atlas.labels])


def _seitzman(name: str) -> AtlasTable:
    atlas = _nilearn("fetch_coords_seitzman_2018")
    numbers = [str(place + 1) for place in atlas.rois.index]
    parts = zip(atlas.networks, atlas.regions, numbers, strict=True)
    return _table(name, ["_".join(map(str, part)) for part in parts], atlas.rois, numbers)


def _nilearn(fetch: str) -> Any:
    try:
        datasets = import_module("nilearn.datasets")
    except ImportError as error:
        raise InputError(
            "The positions of this atlas come with nilearn, which is not installed: "
            "pip install 'dugraph[report]'.",
            parameter="atlas",
        ) from error
    return getattr(datasets, fetch)()


def _table(name: str, labels: Sequence[str], rois: Any, numbers: Sequence[str]) -> AtlasTable:
    coordinates = np.array(rois[["x", "y", "z"]], dtype=np.float64)
    return AtlasTable(Path(name), tuple(labels), coordinates, tuple(numbers))


NAMED_ATLASES: dict[str, Callable[[str], AtlasTable]] = {
    "AAL90": _aal(90),
    "AAL116": _aal(116),
    "Power264": _power,
    "Dosenbach160": _dosenbach,
    "Seitzman300": _seitzman,
}
"""Those of AAL with approximate centres of ours; the others as nilearn ships them, in its order."""


def named_atlas(name: str) -> AtlasTable:
    """Return an atlas by its name, in any case of letters; refuse others with the list of names."""
    known = {key.lower(): key for key in NAMED_ATLASES}
    key = known.get(name.lower())
    if key is None:
        raise InputError(
            f"atlas must be a file or one of {', '.join(NAMED_ATLASES)}; there is no file {shown(name)!r}. "
            "Other atlases would have to be downloaded: give their table or a list of their regions.",
            parameter="atlas",
        )
    return NAMED_ATLASES[key](key)
