"""A cohort with all that one can have."""

import numpy as np
import pytest

from dugraph import UncertainGraphs


@pytest.fixture
def graphs():
    rng = np.random.default_rng(0)
    return UncertainGraphs(
        rng.random((6, 10)),
        node_labels=["Amygdala", "Thalamus", "Hippocampus", "Précuneus", "Insula"],
        node_coordinates=rng.normal(size=(5, 3)),
        edge_layers=["fmri"] * 10,
        participants={"age": [20.5, 30, 40, 50, np.nan, 60], "sex": list("fmfmfm")},
    )
