"""The AAL table: order, symmetry, size."""

import numpy as np
import pytest

from dugraph.data.atlas import aal_atlas
from dugraph.exceptions import InputError


def test_standard_order():
    labels = aal_atlas().labels
    assert len(set(labels)) == 116
    assert labels[:4] == ("Precentral_L", "Precentral_R", "Frontal_Sup_L", "Frontal_Sup_R")
    assert labels[88:92] == ("Temporal_Inf_L", "Temporal_Inf_R", "Cerebelum_Crus1_L", "Cerebelum_Crus1_R")
    assert labels[107:110] == ("Cerebelum_10_R", "Vermis_1_2", "Vermis_3")
    assert labels[-1] == "Vermis_10"


def test_hemispheres_mirror_each_other():
    labels, coordinates, lobes, hemisphere = aal_atlas()
    np.testing.assert_array_equal(coordinates[1:108:2], coordinates[0:108:2] * [-1, 1, 1])
    assert (coordinates[108:, 0] == 0).all()
    assert (coordinates[0:108:2, 0] < 0).all()
    assert lobes[0:108:2] == lobes[1:108:2]
    assert hemisphere == ("L", "R") * 54 + ("M",) * 8
    assert all(
        label.endswith(f"_{side}") for label, side in zip(labels, hemisphere, strict=True) if side != "M"
    )


def test_centres_are_distinct_even_and_inside_the_head():
    coordinates = aal_atlas().coordinates
    assert len(np.unique(coordinates, axis=0)) == 116
    assert (coordinates % 2 == 0).all()
    assert (np.abs(coordinates) <= [70, 104, 74]).all()


def test_cerebral_part_is_the_first_90():
    whole, part = aal_atlas(116), aal_atlas(90)
    assert part.labels == whole.labels[:90]
    assert "Cerebellum" not in part.lobes
    np.testing.assert_array_equal(part.coordinates, whole.coordinates[:90])


def test_other_sizes_are_refused():
    with pytest.raises(
        InputError, match=r"n_regions must be 116 .* or 90 .*; got 100\. Use one of the two\."
    ):
        aal_atlas(100)
