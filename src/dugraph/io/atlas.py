"""Atlases, as a file or by name: names, positions and networks of regions that connectome files number."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from importlib import import_module, resources
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dugraph.data.arguments import abbreviate, counted, listed
from dugraph.data.atlas import aal_atlas
from dugraph.exceptions import InputError
from dugraph.io.connectomes import Regions, check_regions, networks_in
from dugraph.io.delimited import MISSING, is_number, read_records
from dugraph.io.guards import MemoryBudget, library, read_text
from dugraph.words import ATLAS_NAMES, ATLASES

NAME_COLUMNS = ("name", "label", "region", "roi", "node", "roi name")
_INDEX_COLUMNS = ("index", "roi label", "roi id", "parcelid", "number")
_AXES = (("x", "y", "z"), ("mni x", "mni y", "mni z"), ("x mni", "y mni", "z mni"), ("r", "a", "s"))
_NETWORK_COLUMNS = ("network", "network label", "network name", "community", "yeo7", "lobe")
_BACKGROUND = ("background", "unlabeled", "unknown", "none", "???", "????")

_NAME = r"(?P<name>\S*[^\W\d_]\S*)"  # with a letter
_NUMBER = r"[-+.\deE]+"
# Lines of tables without a header.
_HEADERLESS = tuple(
    map(
        re.compile,
        (
            # FreeSurfer and CBIG: 1 name R G B A. MRtrix: 1 short name R G B A; the second name is taken.
            rf"(?P<number>\d+)\s+(?:\S+\s+)?{_NAME}\s+\d+\s+\d+\s+\d+(?:\s+\d+)?",
            # FSL: 1 0.47 0.07 0.52 name.
            rf"(?P<number>\d+)\s+[\d.]+\s+[\d.]+\s+[\d.]+\s+{_NAME}",
            # BrainNet Viewer: x y z colour size name.
            rf"(?P<x>{_NUMBER})\s+(?P<y>{_NUMBER})\s+(?P<z>{_NUMBER})\s+{_NUMBER}\s+{_NUMBER}\s+{_NAME}",
            # Numbered names: 1 name.
            r"(?P<number>\d+)[\s,;]+(?P<name>[^\s,;]*[^\W\d_][^\s,;]*)",
        ),
    )
)


@dataclass(frozen=True)
class AtlasTable:
    """Regions of an atlas in its order."""

    file: Path
    names: tuple[str, ...] | None  # None: the table only has positions
    coordinates: NDArray[np.float64] | None
    numbers: tuple[str, ...] | None = None  # of the regions in the image of the atlas
    networks: tuple[str, ...] | None = None  # or lobes; empty where a region has none

    @property
    def n_regions(self) -> int:
        """The number of regions."""
        rows = self.names if self.names is not None else self.coordinates
        assert rows is not None  # a table has names or positions
        return len(rows)

    def rows(self, rows: Sequence[int]) -> AtlasTable:
        """Return some regions, by position."""

        def chosen(values: tuple[str, ...] | None) -> tuple[str, ...] | None:
            return None if values is None else tuple(values[i] for i in rows)

        coordinates = None if self.coordinates is None else self.coordinates[list(rows)]
        networks = chosen(self.networks)
        return AtlasTable(self.file, chosen(self.names), coordinates, chosen(self.numbers), networks)

    def applied(self, names: tuple[str, ...] | None, n_regions: int, file: Path) -> Regions:
        """Return names, positions and networks of the regions of a file.

        Without names in the file, regions are matched by order. Numbers, such as 2001, are looked up in the
        column index if there is one; otherwise they count the rows from 0 or from 1.
        """
        if names is None:
            if n_regions != self.n_regions:
                raise InputError(
                    f"The atlas table must have one row per region: {self.file} has "
                    f"{counted(self.n_regions, 'region')}, but {file} has {n_regions}. Give the table "
                    "of the atlas that was used."
                )
            return Regions(self.names, self.coordinates, self.networks)
        found = self.rows(self._rows_of(names, file))
        check_regions(found.names, self.file, len(names))
        return Regions(found.names or names, found.coordinates, found.networks)

    def _rows_of(self, names: tuple[str, ...], file: Path) -> list[int]:
        row, where = {name: i for i, name in enumerate(self.names or ())}, ""
        if all(name.isdecimal() and name not in row for name in names):
            by_index = {number: i for i, number in enumerate(self.numbers or ())}
            if self.numbers is not None and len(by_index) < len(self.numbers):
                raise InputError(
                    f"{self.file}: the column index must hold different whole numbers, since {file} numbers "
                    "its regions. Correct it."
                )
            plain = self.numbers is None or ("0" in names and self.numbers == _ordinals(self.n_regions))
            if plain and self._counted(names):
                begin = self._first_number(names, file)
                return [int(name) - begin for name in names]
            row, where = by_index, " in its column index" if by_index else ""
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
        return [row[name] for name in names]

    def _counted(self, names: tuple[str, ...]) -> bool:
        numbers = [int(name) for name in names]
        return min(numbers) >= 0 and max(numbers) - (min(numbers) > 0) < self.n_regions

    def _first_number(self, names: tuple[str, ...], file: Path) -> int:
        """Return whether numbers that count the rows begin at 0 or at 1."""
        numbers = {int(name) for name in names}
        from_zero, from_one = 0 in numbers, self.n_regions in numbers
        if from_zero != from_one:
            return 0 if from_zero else 1
        some = min(numbers)
        labels = self.names or tuple(f"row {i + 1}" for i in range(self.n_regions))
        raise InputError(
            f"{file}: it must be clear whether its region numbers count from 0 or from 1, but they run from "
            f"{some} to {max(numbers)}, and {self.file} has {counted(self.n_regions, 'region')}: {some} is "
            f"{abbreviate(labels[some])!r} counted from 0, and {abbreviate(labels[some - 1])!r} counted from "
            "1. Add a column index with the numbers to the table."
        )


def _ordinals(n: int) -> tuple[str, ...]:
    return tuple(map(str, range(1, n + 1)))


def read_atlas(file: Path, budget: MemoryBudget) -> AtlasTable:
    """Read the regions of an atlas; background is left out.

    The file is a list with one name per line; a table with a header that has names (name, label, region, roi,
    node or ROI Name), positions (x, y, z or R, A, S), or both, such as a ``dseg.tsv`` of BIDS or the
    centroids of CBIG; a lookup table of FreeSurfer, CBIG, MRtrix or FSL; or a .node file of BrainNet Viewer.
    A column index orders the rows; a column network, community or lobe is kept.
    """
    content = read_text(file, budget).decode()
    lines = [line.strip() for line in content.splitlines()]
    lines = [line for line in lines if line and not line.startswith("#")]
    rows = _rows_without_header(lines)
    if content.lstrip().startswith("<"):
        table = _fsl_xml(file, content)
    elif rows:
        table = _headerless(file, rows)
    elif (names := _plain_list(file, lines)) is not None:
        table = AtlasTable(file, names, None)
    else:
        table = _table(file, read_records(file, budget).table)
    # The table of FreeSurfer lists all its atlases: names without a header are checked when they are used.
    if table.names is not None and not rows:
        check_regions(table.names, file, len(table.names))
    return table if table.networks is not None else replace(table, networks=networks_in(table.names))


def _rows_without_header(lines: list[str]) -> list[dict[str, str]]:
    for pattern in _HEADERLESS:
        matches = [pattern.fullmatch(line) for line in lines]
        if all(matches):
            return [match.groupdict() for match in matches if match is not None]
    return []


def _headerless(file: Path, rows: list[dict[str, str]]) -> AtlasTable:
    rows = [row for row in rows if row["name"].lower() not in _BACKGROUND and int(row.get("number", 1))]
    if not rows:
        raise InputError(f"{file}: an atlas must list regions, but lists background only. Check the path.")
    return _table(file, library("pandas").DataFrame(rows, dtype=str))


def _table(file: Path, table: Any) -> AtlasTable:
    """Return the regions of a pandas.DataFrame of text."""
    given = list(table.columns)
    column_of: dict[str, str] = {}
    for name in given:
        column_of.setdefault(re.sub(r"[\s_.-]+", " ", name.lower()).strip(), name)

    def first(usual: Sequence[str]) -> str | None:
        return next((column_of[name] for name in usual if name in column_of), None)

    name, index, network = first(NAME_COLUMNS), first(_INDEX_COLUMNS), first(_NETWORK_COLUMNS)
    axes = next(([column_of[one] for one in axes] for axes in _AXES if set(axes) <= set(column_of)), None)
    if name is None and axes is None and (index is None or network is None):
        raise InputError(
            f"{file}: an atlas table must have one of the columns {', '.join(NAME_COLUMNS)}, or x, y and z, "
            f"but has {listed(given, 8)}. Rename the columns."
        )
    if index is not None:
        # 2001 and 2001.0 are one number; where small regions are left out, numbers have gaps.
        table[index] = _floats(table[[index]].to_numpy().tolist(), [index], file)[:, 0]
        table = table.sort_values(index, kind="stable")
    if name is not None:
        # Segmentations list their background, which is not a region.
        table = table[~table[name].str.lower().isin(_BACKGROUND)]
    numbers = None if index is None else tuple(f"{number:.0f}" for number in table[index])
    names = None if name is None else tuple(table[name].tolist())
    networks = None
    if network is not None:
        networks = tuple("" if one in MISSING else one for one in table[network])
    if names is None and numbers is not None and networks is not None:
        names = tuple(f"{one or 'None'}_{number}" for one, number in zip(networks, numbers, strict=True))
    coordinates = None if axes is None else _floats(table[axes].to_numpy().tolist(), axes, file)
    return AtlasTable(file, names, coordinates, numbers, networks)


def _plain_list(file: Path, lines: list[str]) -> tuple[str, ...] | None:
    """Return the lines of a file without delimiters and without a heading; None if it is a table."""
    if lines and all(len(line.split()) == 3 and all(map(is_number, line.split())) for line in lines):
        raise InputError(
            f"{file}: a list of regions must have names, but every line has three numbers, which look like "
            "positions. Write x, y and z above them, separated by tabs or commas like the numbers."
        )
    heading = lines[0].lower().split() if lines else []
    if len({line.split()[0].lower() for line in lines}) == 1:
        heading = []  # Region 1, Region 2, ...
    if (
        not lines
        or set(heading) & {*NAME_COLUMNS, *_AXES[0]}
        or any(c in line for line in lines for c in "\t,;")
    ):
        return None
    return tuple(line for line in lines if line.lower() not in _BACKGROUND)


def _fsl_xml(file: Path, content: str) -> AtlasTable:
    """Read the labels of an atlas of FSL; in its images, the first region has the number 1."""
    tree = library("defusedxml.ElementTree")
    try:
        labels = tree.fromstring(content).findall("./data/label")
        rows = sorted((int(label.get("index")), str(label.text).strip()) for label in labels)
    except Exception as error:  # defusedxml and expat raise many kinds
        raise InputError(f"{file}: the atlas must be XML of FSL, but: {abbreviate(error)}.") from error
    names = tuple(name for _, name in rows)
    return AtlasTable(file, names, None, tuple(str(index + 1) for index, _ in rows))


def _floats(rows: list[list[Any]], columns: Sequence[str], file: Path) -> NDArray[np.float64]:
    try:
        numbers = np.array(rows, dtype=np.float64).reshape(len(rows), len(columns))
    except ValueError as error:
        raise InputError(f"{file}: the columns {', '.join(columns)} must be numbers: {error}.") from error
    if not np.isfinite(numbers).all():
        raise InputError(f"{file}: the columns {', '.join(columns)} must be finite numbers.")
    return numbers


# --- Atlases by name ----------------------------------------------------------------------------------------


def _aal(name: str) -> AtlasTable:
    atlas = aal_atlas(int(name.removeprefix("AAL")))
    return AtlasTable(Path(name), atlas.labels, atlas.coordinates, networks=atlas.lobes)


def _desikan(name: str) -> AtlasTable:
    with resources.as_file(resources.files("dugraph.data") / "desikan.tsv") as file:
        return replace(read_atlas(file, MemoryBudget()), file=Path(name))


_NILEARN = {
    "Power264": "fetch_coords_power_2011",
    "Dosenbach160": "fetch_coords_dosenbach_2010",
    "Seitzman300": "fetch_coords_seitzman_2018",
}


def _of_nilearn(name: str) -> AtlasTable:
    try:
        datasets = import_module("nilearn.datasets")
    except ImportError as error:
        raise InputError(
            "The positions of this atlas come with nilearn, which is not installed: "
            "pip install 'dugraph[report]'.",
            parameter="atlas",
        ) from error
    atlas = getattr(datasets, _NILEARN[name])()
    networks = tuple(map(str, atlas.networks)) if "networks" in atlas else None
    if name == "Power264":
        numbers = [f"{number:.0f}" for number in atlas.rois["roi"]]
        names = [f"Power_{number}" for number in numbers]
    elif name == "Dosenbach160":
        names = list(atlas.labels)
        numbers = [label.split()[-1] for label in names]  # "inf cerebellum 155"
    else:
        numbers = [str(place + 1) for place in atlas.rois.index]
        names = [
            "_".join(map(str, parts)) for parts in zip(atlas.networks, atlas.regions, numbers, strict=True)
        ]
    coordinates = np.array(atlas.rois[["x", "y", "z"]], dtype=np.float64)
    return AtlasTable(Path(name), tuple(names), coordinates, tuple(numbers), networks)


# Folders of atlases by program: environment variable, and the default.
_HOMES = {
    "nilearn": ("NILEARN_DATA", "~/nilearn_data"),
    "templateflow": ("TEMPLATEFLOW_HOME", "~/.cache/templateflow"),
    "cbig": ("CBIG_CODE_DIR", "~/CBIG"),
    "fsl": ("FSLDIR", "/usr/local/fsl"),
}


def _on_disk(name: str) -> AtlasTable:
    """Read an atlas that another program has installed or downloaded; nothing is downloaded here."""
    places, fetch = _files_of(name)
    for home, pattern in places:
        variable, usual = _HOMES[home]
        folder = Path(os.environ.get(variable) or usual).expanduser()
        for file in sorted(folder.glob(pattern)):
            table = read_atlas(file, MemoryBudget())
            names = table.names or ()
            table = table.rows([i for i, one in enumerate(names) if "medial_wall" not in one.lower()])
            if table.n_regions == int(re.findall(r"\d+", name)[0]):
                return replace(table, file=Path(name))
    raise InputError(
        f"{name} is an atlas whose names are not part of dugraph, and it was not found in the folders of "
        f"{', '.join(dict.fromkeys(home for home, _ in places))}. Download it once with {fetch}, or give its "
        "table as atlas: the file that came with the atlas, or a list with one name per line.",
        parameter="atlas",
    )


def _files_of(name: str) -> tuple[list[tuple[str, str]], str]:
    """Return the places of an atlas, the one with positions first, and the call that downloads it."""
    if name == "Destrieux148":
        fetch = "nilearn.datasets.fetch_atlas_destrieux_2009()"
        return [("nilearn", "destrieux_2009/*labels_lateralized.csv")], fetch
    if name == "HarvardOxford48":
        fetch = 'nilearn.datasets.fetch_atlas_harvard_oxford("cort-maxprob-thr25-2mm")'
        xml = "data/atlases/HarvardOxford-Cortical.xml"
        return [("fsl", xml), ("nilearn", f"fsl/{xml}")], fetch
    n, _, k = name.removeprefix("Schaefer").partition("-")
    k = k or "7"
    stem = f"Schaefer2018_{n}Parcels_{k}Networks_order"
    folder = "stable_projects/brain_parcellation/Schaefer2018_LocalGlobal/Parcellations/MNI"
    fetch = f"nilearn.datasets.fetch_atlas_schaefer_2018(n_rois={n}, yeo_networks={k})"
    return [
        ("cbig", f"{folder}/Centroid_coordinates/{stem}_FSLMNI152_2mm.Centroid_RAS.csv"),
        ("nilearn", f"schaefer_2018/{stem}.txt"),
        ("templateflow", f"tpl-MNI152*/*atlas-Schaefer2018_desc-{n}Parcels{k}Networks_dseg.tsv"),
    ], fetch


_LOADERS: dict[str, Callable[[str], AtlasTable]] = {
    "AAL90": _aal,
    "AAL116": _aal,
    "Desikan68": _desikan,
    **dict.fromkeys(_NILEARN, _of_nilearn),
}


def named_atlas(name: str) -> AtlasTable:
    """Return an atlas by its name, which is case-insensitive.

    AAL and Desikan are part of dugraph, the coordinates of AAL being approximate; Power, Dosenbach and
    Seitzman are part of nilearn. The others are read from the folders of programs that have installed them.
    """
    key = {one.lower(): one for one in ATLASES}.get(name.lower())
    if key is None:
        raise InputError(
            f"atlas must be a file or one of {ATLAS_NAMES}; there is no file {abbreviate(name)!r}. For other "
            "atlases, such as Gordon333, give the table that came with the atlas, or one name per line.",
            parameter="atlas",
        )
    return _LOADERS.get(key, _on_disk)(key)
