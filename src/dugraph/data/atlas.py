"""Names and approximate centres of the AAL regions, the node set of the paper's brain networks."""

import numbers
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dugraph.exceptions import InputError

# One row per left/right pair, in the atlas' order: name, |x|, y, z (mm, MNI, even numbers), lobe. The first
# 45 pairs are AAL-90; the cerebellar pairs and the vermis, which lies on the midline, complete AAL-116.
_PAIRS = """
Precentral 40 -8 52 Frontal
Frontal_Sup 20 34 42 Frontal
Frontal_Sup_Orb 18 48 -14 Frontal
Frontal_Mid 36 32 34 Frontal
Frontal_Mid_Orb 32 52 -10 Frontal
Frontal_Inf_Oper 50 14 20 Frontal
Frontal_Inf_Tri 48 30 14 Frontal
Frontal_Inf_Orb 38 32 -12 Frontal
Rolandic_Oper 50 -8 14 Frontal
Supp_Motor_Area 8 2 62 Frontal
Olfactory 8 16 -12 Frontal
Frontal_Sup_Medial 8 50 30 Frontal
Frontal_Med_Orb 6 52 -8 Frontal
Rectus 6 36 -18 Frontal
Insula 36 6 2 Insula
Cingulum_Ant 6 36 14 Limbic
Cingulum_Mid 6 -12 40 Limbic
Cingulum_Post 6 -42 24 Limbic
Hippocampus 26 -20 -10 Limbic
ParaHippocampal 22 -16 -20 Limbic
Amygdala 24 0 -18 Limbic
Calcarine 12 -76 8 Occipital
Cuneus 10 -80 28 Occipital
Lingual 16 -68 -4 Occipital
Occipital_Sup 20 -82 30 Occipital
Occipital_Mid 34 -80 18 Occipital
Occipital_Inf 36 -80 -8 Occipital
Fusiform 32 -40 -20 Occipital
Postcentral 42 -24 50 Parietal
Parietal_Sup 24 -58 60 Parietal
Parietal_Inf 44 -46 48 Parietal
SupraMarginal 56 -32 32 Parietal
Angular 44 -60 38 Parietal
Precuneus 8 -56 46 Parietal
Paracentral_Lobule 8 -28 68 Parietal
Caudate 12 10 10 Subcortical
Putamen 26 4 2 Subcortical
Pallidum 20 0 0 Subcortical
Thalamus 12 -18 8 Subcortical
Heschl 44 -18 10 Temporal
Temporal_Sup 56 -20 6 Temporal
Temporal_Pole_Sup 44 16 -18 Temporal
Temporal_Mid 56 -36 -2 Temporal
Temporal_Pole_Mid 40 14 -34 Temporal
Temporal_Inf 52 -30 -24 Temporal
Cerebelum_Crus1 36 -68 -30 Cerebellum
Cerebelum_Crus2 30 -74 -38 Cerebellum
Cerebelum_3 10 -36 -20 Cerebellum
Cerebelum_4_5 16 -44 -18 Cerebellum
Cerebelum_6 24 -60 -24 Cerebellum
Cerebelum_7b 32 -62 -46 Cerebellum
Cerebelum_8 26 -56 -48 Cerebellum
Cerebelum_9 10 -50 -46 Cerebellum
Cerebelum_10 24 -34 -42 Cerebellum
"""
_VERMIS = """
Vermis_1_2 0 -38 -20 Cerebellum
Vermis_3 0 -40 -12 Cerebellum
Vermis_4_5 0 -52 -8 Cerebellum
Vermis_6 0 -68 -16 Cerebellum
Vermis_7 0 -72 -26 Cerebellum
Vermis_8 0 -64 -34 Cerebellum
Vermis_9 0 -54 -36 Cerebellum
Vermis_10 0 -46 -32 Cerebellum
"""


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
    rows: list[tuple[str, int, int, int, str, str]] = []
    for line in _PAIRS.split("\n")[1:-1]:
        name, x, y, z, lobe = line.split()
        rows.append((f"{name}_L", -int(x), int(y), int(z), lobe, "L"))
        rows.append((f"{name}_R", int(x), int(y), int(z), lobe, "R"))
    for line in _VERMIS.split("\n")[1:-1]:
        name, x, y, z, lobe = line.split()
        rows.append((name, int(x), int(y), int(z), lobe, "M"))
    labels, xs, ys, zs, lobes, hemisphere = zip(*rows[:n_regions], strict=True)
    return Atlas(labels, np.column_stack([xs, ys, zs]).astype(np.float64), lobes, hemisphere)
