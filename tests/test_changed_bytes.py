"""A file in which any one byte was changed, added, lost or cut off is refused, or loads as it was saved."""

import os

import numpy as np
import pytest

from dugraph import InputError, SubgraphSelector, UncertainGraphs, load_cohort, save_cohort

N_DAMAGES = 10_000 if os.environ.get("DUGRAPH_SOAK") else 400
Y = ["control", "patient"] * 3


@pytest.fixture
def graphs():
    rng = np.random.default_rng(0)
    return UncertainGraphs(
        rng.random((6, 10)),
        node_labels=["Amygdala", "Thalamus", "Hippocampus", "Précuneus", "Insula"],
        node_coordinates=rng.normal(size=(5, 3)),
        edge_layers=["fmri", "dti"] * 5,
        participants={"age": [20.5, 30, 40, 50, np.nan, 60], "sex": list("fmfmfm")},
    )


def changed(content, place, rng):
    return content[:place] + bytes([content[place] ^ int(rng.integers(1, 256))]) + content[place + 1 :]


def added(content, place, rng):
    return content[:place] + bytes([int(rng.integers(256))]) + content[place:]


def lost(content, place, _rng):
    return content[:place] + content[place + 1 :]


def cut(content, place, _rng):
    return content[:place]


# Changes are what a bad disk or a bad copy makes most often.
DAMAGES = (changed, changed, changed, changed, changed, changed, changed, added, lost, cut)


def refused(path, loads_as_saved):
    """Damage a file in many ways and tell, by the name of the damage, how often it was refused."""
    content = path.read_bytes()
    rng = np.random.default_rng(20130502)
    counts = dict.fromkeys((damage.__name__ for damage in DAMAGES), 0)
    for number in range(N_DAMAGES):
        damage = DAMAGES[number % len(DAMAGES)]
        path.write_bytes(damage(content, int(rng.integers(len(content))), rng))
        try:
            assert loads_as_saved(), f"{damage.__name__}: a silent change, number {number}"
        except InputError:
            counts[damage.__name__] += 1
    return counts


def test_a_cohort_never_changes_in_silence(graphs, tmp_path):
    path = tmp_path / "cohort.npz"
    save_cohort(path, graphs, Y)

    def loads_as_saved():
        loaded, y = load_cohort(path)
        return loaded == graphs and y.tolist() == Y

    counts = refused(path, loads_as_saved)
    # Some bytes of a zip file, such as dates and versions, say nothing about its content, and it may have a
    # byte before its beginning.
    assert counts["changed"] > 0.5 * 0.7 * N_DAMAGES
    assert counts["added"] > 0.9 * 0.1 * N_DAMAGES
    assert counts["lost"] == counts["cut"] == N_DAMAGES // 10


def test_a_model_never_changes_in_silence(graphs, tmp_path):
    path = tmp_path / "model.json"
    SubgraphSelector(n_subgraphs=6).fit(graphs, Y).to_json(path)
    counts = refused(path, lambda: SubgraphSelector.from_json(path) is None)
    assert sum(counts.values()) == N_DAMAGES  # every byte says something
