"""Names and approximate centres of the AAL regions, the node set of the paper's brain networks."""

import csv
import numbers
from importlib import resources
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dugraph.exceptions import InputError


class Atlas(NamedTuple):
    """Regions of a brain atlas, in the atlas' order.

    Attributes
    ----------
    labels : tuple of str
        Names of the regions.
    coordinates : ndarray of shape (n_regions, 3)
        Approximate centres in millimetres, MNI axes: x to the right, y to the front, z up.
    lobes : tuple of str
        Lobe of each region.
    hemisphere : tuple of str
        "L", "R", or "M" for the midline.
    """

    labels: tuple[str, ...]
    coordinates: NDArray[np.float64]
    lobes: tuple[str, ...]
    hemisphere: tuple[str, ...]


def aal_atlas(n_regions: int = 116) -> Atlas:
    """Return the regions of the AAL atlas in their standard order.

    The coordinates are approximate: rough anatomical centres, mirrored between the hemispheres and rounded to
    even millimetres. They serve simulation and drawing only; measure nothing with them.

    Parameters
    ----------
    n_regions : {116, 90}, default=116
        116 for the whole atlas, 90 for its cerebral regions, which are its first 90.

    Returns
    -------
    atlas : Atlas
        Named tuple ``(labels, coordinates, lobes, hemisphere)``.

    Examples
    --------
    >>> from dugraph.data.atlas import aal_atlas
    >>> aal_atlas(90).labels[:3]
    ('Precentral_L', 'Precentral_R', 'Frontal_Sup_L')
    """
    if not isinstance(n_regions, numbers.Integral) or n_regions not in (90, 116):
        raise InputError(
            f"n_regions must be 116 (the whole AAL atlas) or 90 (its cerebral part); got {n_regions!r}. "
            "Use one of the two."
        )
    rows: list[tuple[str, float, float, float, str, str]] = []
    # A row of the table is a left/right pair with |x|, or a region of the vermis, on the midline. The first
    # 45 pairs are AAL-90; the cerebellar pairs and the vermis complete AAL-116.
    with (resources.files("dugraph.data") / "aal.csv").open(encoding="ascii") as table:
        for region in csv.DictReader(table):
            x, y, z = (float(region[axis]) for axis in "xyz")
            sides = {"_L": -x, "_R": x} if x else {"": x}
            rows += [
                (region["name"] + side, at, y, z, region["lobe"], side[1:] or "M")
                for side, at in sides.items()
            ]
    labels, xs, ys, zs, lobes, hemisphere = zip(*rows[:n_regions], strict=True)
    return Atlas(labels, np.column_stack([xs, ys, zs]), lobes, hemisphere)
