"""Shards that share a threshold: less work, the same bytes, and never a true answer cut by a false file."""

import math

import numpy as np
import pytest
from random_cohorts import SOAK, random_cohort, random_problems
from slicings import same

import dugraph as dg
from dugraph.cluster.identity import Identity
from dugraph.cluster.part_file import read_part, write_part
from dugraph.exceptions import FewerSubgraphsWarning, LimitReachedWarning, NoneAdmitted
from dugraph.search import shards, shared_threshold
from dugraph.search.levels import NO_LEVEL, level_array, level_of

GRAPHS, Y, _ = dg.simulate("hiv", n_graphs=20, random_state=1)
ASKED = {"min_expected_frequency": 0.5, "n_subgraphs": 10, "measure": "mode"}

pytestmark = [
    pytest.mark.filterwarnings("ignore", category=category)
    for category in (FewerSubgraphsWarning, LimitReachedWarning)
]


@pytest.fixture(autouse=True)
def looked_at_often(monkeypatch):
    monkeypatch.setattr(shared_threshold, "SECONDS", 0.0)


def run_shards(folder, n_shards, *given, order=None, **asked):
    files = [folder / f"{k}.npz" for k in range(1, n_shards + 1)]
    shared = {"threshold_file": folder / "threshold.npz"}
    results = [
        dg.mine_subgraphs(*given, **asked, **shared, shard=f"{k + 1}/{n_shards}", checkpoint=files[k])
        for k in (range(n_shards) if order is None else order)
    ]
    return files, results


@pytest.mark.parametrize("seed", range(1_000 if SOAK else 8))
def test_merged_shards_give_what_one_search_gives(seed, tmp_path, monkeypatch):
    random = np.random.default_rng(seed)
    cohort = random_cohort(random)
    monkeypatch.setattr(shards, "PIECES_PER_SHARD", int(random.integers(1, 65)))
    for k, problem in enumerate(random_problems(random, cohort, 2)):
        folder, asked = tmp_path / str(k), problem.keywords()
        folder.mkdir()
        try:
            whole = dg.mine_subgraphs(cohort.graphs, cohort.y, **asked)
        except NoneAdmitted:
            continue
        n_shards = int(random.choice([2, 3, 16]))
        given, order = (cohort.graphs, cohort.y), random.permutation(n_shards).tolist()
        # Stopped anywhere, taken up, and one of them lost and done again with what it had told the others.
        stopped = {"node_limit": int(random.integers(1, 200))}
        run_shards(folder, n_shards, *given, order=order, **asked, **stopped)
        (folder / f"{order[0] + 1}.npz").unlink()
        files, _ = run_shards(folder, n_shards, *given, order=order, **asked)
        assert dg.merge_shards(files, folder / "merged.npz") == ("mine", True)
        assert same(dg.mine_subgraphs(*given, **asked, checkpoint=folder / "merged.npz"), whole)


def test_shards_spare_each_other_work(tmp_path):
    asked = {"min_expected_frequency": 0.4, "n_subgraphs": 50}
    _, helped = run_shards(tmp_path, 4, GRAPHS, Y, **asked)
    alone = [
        dg.mine_subgraphs(GRAPHS, Y, **asked, shard=f"{k}/4", checkpoint=tmp_path / f"alone {k}.npz")
        for k in range(1, 5)
    ]
    assert sum(one.n_visited for one in helped) < 0.95 * sum(one.n_visited for one in alone)


def rewrite(file, **threshold):
    identity, _ = read_part(file)
    write_part(file, identity, threshold)


def test_a_false_threshold_is_noticed_when_the_shards_are_joined(tmp_path):
    """Of the right search, with a true checksum, and wrong all the same: nothing is left out in silence."""
    whole = dg.mine_subgraphs(GRAPHS, Y, **ASKED)
    run_shards(tmp_path, 2, GRAPHS, Y, **ASKED, order=[0])
    (tmp_path / "1.npz").unlink()
    rewrite(tmp_path / "threshold.npz", threshold=np.array([whole.values[0] * 1.5, 1.0]))
    files, _ = run_shards(tmp_path, 2, GRAPHS, Y, **ASKED)
    with pytest.raises(dg.InputError, match="The threshold file said that 10 subgraphs reach") as raised:
        dg.merge_shards(files, tmp_path / "merged.npz")
    assert "Remove that file and the shards" in str(raised.value)
    assert not (tmp_path / "merged.npz").exists()


def test_a_false_threshold_is_noticed_by_the_search_that_ends_what_shards_began(tmp_path):
    asked = {**ASKED, "bound": "frequency"}  # by any other bound nothing is open beyond a false threshold
    whole = dg.mine_subgraphs(GRAPHS, Y, **asked)
    run_shards(tmp_path, 2, GRAPHS, Y, **asked, order=[0], node_limit=1)
    (tmp_path / "1.npz").unlink()
    rewrite(tmp_path / "threshold.npz", threshold=np.array([whole.values[0] * 1.5, 1.0]))
    files, _ = run_shards(tmp_path, 2, GRAPHS, Y, **asked, node_limit=1)
    assert not dg.merge_shards(files, tmp_path / "merged.npz").is_done
    with pytest.raises(dg.InputError, match="The threshold file said that 10 subgraphs reach"):
        dg.mine_subgraphs(GRAPHS, Y, **asked, checkpoint=tmp_path / "merged.npz")


def test_a_damaged_file_is_refused_or_says_the_same(tmp_path):
    run_shards(tmp_path, 2, GRAPHS, Y, **ASKED)
    file, random = tmp_path / "threshold.npz", np.random.default_rng(0)
    intact, asked = file.read_bytes(), {**ASKED, "shard": "1/2", "checkpoint": tmp_path / "1.npz"}
    n_refused, n = 0, 1_000 if SOAK else 60
    for _ in range(n):
        content = bytearray(intact)
        content[random.integers(len(content))] ^= int(random.integers(1, 256))
        file.write_bytes(content)
        try:
            dg.mine_subgraphs(GRAPHS, Y, **asked, threshold_file=file)
        except dg.InputError as error:
            n_refused += error.parameter == "threshold_file"
        else:
            assert read_part(file)[1]["threshold"].tobytes() == threshold_of(intact, tmp_path)
    assert n_refused > 0.6 * n


def threshold_of(content, folder):
    (folder / "copy.npz").write_bytes(content)
    return read_part(folder / "copy.npz")[1]["threshold"].tobytes()


def test_files_of_something_else_are_refused_and_left_alone(tmp_path):
    run_shards(tmp_path, 2, GRAPHS, Y, **ASKED, order=[0])
    file, asked = tmp_path / "threshold.npz", {**ASKED, "shard": "2/2", "checkpoint": tmp_path / "2.npz"}
    before = file.read_bytes()
    with pytest.raises(dg.InputError) as raised:
        dg.mine_subgraphs(GRAPHS, 1 - Y, **{**asked, "n_subgraphs": 9}, threshold_file=file)
    assert str(raised.value) == (
        f"threshold_file must belong to the same computation, but in {file} the labels differ; its "
        "n_subgraphs is 10, not 9. Use the settings of that file, name another file, or remove this one."
    )
    assert file.read_bytes() == before
    with pytest.raises(dg.InputError, match='its shard is "1/2", not null'):
        dg.mine_subgraphs(GRAPHS, Y, **asked, threshold_file=tmp_path / "1.npz")
    dg.mine_subgraphs(GRAPHS, Y, **ASKED, checkpoint=tmp_path / "whole.npz")
    with pytest.raises(dg.InputError, match="must hold a part of a computation"):
        dg.mine_subgraphs(GRAPHS, Y, **asked, threshold_file=tmp_path / "whole.npz")
    with pytest.raises(dg.InputError) as raised:
        dg.mine_subgraphs(GRAPHS, Y, **ASKED, threshold_file=file)
    assert str(raised.value) == (
        "threshold_file is shared by the shards of one search, but this is not a shard. Leave it out, or "
        "give shard too."
    )
    with pytest.raises(dg.InputError, match="threshold_file must name a file, but"):
        dg.mine_subgraphs(GRAPHS, Y, **asked, threshold_file=tmp_path)


def test_what_is_put_there_meanwhile_is_not_believed(tmp_path):
    identity = Identity("mine", {}, {})
    shared = shared_threshold.SharedThreshold(tmp_path / "threshold.npz", lambda: identity)
    assert shared.exchanged((1.0, 3)) == (1.0, 3)
    for content in (b"", b"damaged"):
        (tmp_path / "threshold.npz").write_bytes(content)
        assert shared.exchanged((2.0, 3)) == (1.0, 3)
    write_part(tmp_path / "threshold.npz", Identity("mine", {"score": "hsic"}, {}), {"threshold": np.ones(2)})
    assert shared.exchanged((2.0, 3)) == (1.0, 3)
    write_part(tmp_path / "threshold.npz", identity, {"threshold": level_array((1.5, 2))})
    assert shared.exchanged((1.5, 3)) == (1.5, 2)  # at equal value, fewer edges are better
    assert shared.exchanged((1.5, 1)) == (1.5, 1)
    assert read_part(tmp_path / "threshold.npz")[1]["threshold"].tolist() == [1.5, 1.0]


def test_levels_in_files():
    for level in ((0.25, 3), (-math.inf, 7), (math.inf, 1), NO_LEVEL):
        assert level_of(level_array(level)) == level
    for wrong in ([math.nan, 1.0], [1.0, math.nan], [1.0, 0.0], [1.0, -2.0], [1.0], [1.0, 2.0, 3.0]):
        assert level_of(np.array(wrong)) == NO_LEVEL
