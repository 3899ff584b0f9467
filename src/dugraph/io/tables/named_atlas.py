"""Atlases known by name: names and positions of regions that are at hand without a download."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from dugraph.data.atlas import aal_atlas
from dugraph.data.wording import shown
from dugraph.exceptions import InputError
from dugraph.io.tables.atlas import AtlasTable


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
