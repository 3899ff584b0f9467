"""Shards, merged, give the bytes of one search; what does not belong together is refused by its name."""

import shutil

import numpy as np
import pytest
from random_cohorts import SOAK, random_cohort, random_problems
from slicings import same

import dugraph as dg
from dugraph.cluster.part_file import read_part
from dugraph.exceptions import FewerSubgraphsWarning, LimitReachedWarning, NoneAdmitted
from dugraph.search import shards
from dugraph.words import SCORES

GRAPHS, Y, _ = dg.simulate("hiv", n_graphs=20, random_state=1)
ASKED = {"min_expected_frequency": 0.5, "n_subgraphs": 10}
MEASURES = ("expectation", "median", "mode", "phi_probability")
VARIANTS = [(measure, score) for measure in MEASURES for score in SCORES]

pytestmark = [
    pytest.mark.filterwarnings("ignore", category=category)
    for category in (FewerSubgraphsWarning, LimitReachedWarning)
]


def run_shards(folder, n_shards, *given, **asked):
    files = [folder / f"{k}.npz" for k in range(1, n_shards + 1)]
    for k, file in enumerate(files, start=1):
        dg.mine_subgraphs(*given, **asked, shard=f"{k}/{n_shards}", checkpoint=file)
    return files


@pytest.mark.parametrize("seed", range(1_000 if SOAK else 8))
def test_merged_shards_give_what_one_search_gives(seed, tmp_path, monkeypatch):
    random = np.random.default_rng(seed)
    cohort = random_cohort(random)
    monkeypatch.setattr(shards, "PIECES_PER_SHARD", int(random.integers(1, 65)))
    for k, problem in enumerate(random_problems(random, cohort, 2)):
        asked, merged = problem.keywords(), tmp_path / f"merged {k}.npz"
        try:
            whole = dg.mine_subgraphs(cohort.graphs, cohort.y, **asked)
        except NoneAdmitted:
            continue
        n_shards = int(random.choice([1, 3, 16]))
        files = run_shards(tmp_path, n_shards, cohort.graphs, cohort.y, **asked)
        assert dg.merge_shards(random.permutation(files), merged) == ("mine", True)
        assert same(dg.mine_subgraphs(cohort.graphs, cohort.y, **asked, checkpoint=merged), whole)
        for file in files:
            file.unlink()


@pytest.mark.parametrize("n_shards", [1, 3, 16])
@pytest.mark.parametrize(
    ("measure", "score"), VARIANTS if SOAK else [("expectation", "g_test"), ("mode", "hsic")]
)
def test_work_is_divided_among_shards(n_shards, measure, score, tmp_path):
    asked = {**ASKED, "measure": measure, "score": score}
    whole = dg.mine_subgraphs(GRAPHS, Y, **asked)
    files = run_shards(tmp_path, n_shards, GRAPHS, Y, **asked)
    dg.merge_shards(files, tmp_path / "merged.npz")
    merged = dg.mine_subgraphs(GRAPHS, Y, **asked, checkpoint=tmp_path / "merged.npz")
    assert same(merged, whole)
    # Of all shards; in another order of work these may be fewer than those of one search.
    assert merged.n_visited == sum(int(read_part(file)[1]["counters"][0]) for file in files)


def test_shards_that_a_limit_ended_are_merged_to_the_best_so_far_and_taken_up(tmp_path):
    asked = {**ASKED, "measure": "mode"}
    whole = dg.mine_subgraphs(GRAPHS, Y, **asked)
    files = run_shards(tmp_path, 2, GRAPHS, Y, **asked, node_limit=1)
    merged = tmp_path / "merged.npz"
    assert not dg.merge_shards(files, merged).is_done
    stopped = dg.mine_subgraphs(GRAPHS, Y, **asked, checkpoint=merged, node_limit=1)
    assert stopped.status is dg.Status.NODE_LIMIT
    assert stopped.best_open_bound >= stopped.threshold
    assert same(dg.mine_subgraphs(GRAPHS, Y, **asked, checkpoint=merged), whole)
    files = run_shards(tmp_path, 2, GRAPHS, Y, **asked)  # which go on from where they stopped
    assert dg.merge_shards(files, merged).is_done
    assert same(dg.mine_subgraphs(GRAPHS, Y, **asked, checkpoint=merged), whole)


def test_missing_doubled_and_foreign_shards_are_refused_by_name(tmp_path):
    one, two, three = run_shards(tmp_path, 3, GRAPHS, Y, **ASKED)
    merged = tmp_path / "merged.npz"
    with pytest.raises(dg.InputError) as raised:
        dg.merge_shards([one, three], merged)
    assert str(raised.value) == "All 3 shards are needed, but 1 is missing: 2/3. Run these first."
    copy = tmp_path / "copy.npz"
    shutil.copy(three, copy)
    with pytest.raises(dg.InputError) as raised:
        dg.merge_shards([one, two, three, copy], merged)
    assert str(raised.value) == (
        f"{copy}: each shard must appear once, but this is shard 3/3, and so is {three}. Leave one of them "
        "out."
    )
    copy.unlink()
    dg.mine_subgraphs(GRAPHS, Y, **{**ASKED, "n_subgraphs": 9}, shard="3/4", checkpoint=copy)
    with pytest.raises(dg.InputError) as raised:
        dg.merge_shards([one, two, copy], merged)
    assert str(raised.value) == (
        f"{copy}: the shards must belong to one computation, but this one differs from {one}: its "
        "n_subgraphs is 9, not 10; it is one of 4 shards, not of 3. Merge only shards that belong "
        "together."
    )
    dg.mine_subgraphs(GRAPHS, Y, **ASKED, checkpoint=merged)
    with pytest.raises(dg.InputError) as raised:
        dg.merge_shards([one, two, merged], copy)
    assert str(raised.value) == (
        f"{merged}: the file must be a shard, but is a checkpoint of a whole computation."
    )
    with pytest.raises(dg.InputError, match="At least one shard is needed to merge, but none is named"):
        dg.merge_shards([], copy)


def test_shards_that_cut_the_work_differently_are_refused(tmp_path, monkeypatch):
    one, two = run_shards(tmp_path, 2, GRAPHS, Y, **ASKED)
    two.unlink()
    monkeypatch.setattr(shards, "PIECES_PER_SHARD", 10**6)
    dg.mine_subgraphs(GRAPHS, Y, **{**ASKED}, shard="2/2", checkpoint=two)
    with pytest.raises(
        dg.InputError, match="all shards must divide the work in the same way, but this one differs from"
    ):
        dg.merge_shards([one, two], tmp_path / "merged.npz")


@pytest.mark.parametrize("wrong", ["0/3", "4/3", "3", "1/0", "-1/3", "1/100001", "a/b", 3])
def test_what_is_no_shard_is_refused(wrong, tmp_path):
    with pytest.raises(dg.InputError, match=r"shard must be like 3/16, the third of 16 parts"):
        dg.mine_subgraphs(GRAPHS, Y, shard=wrong, checkpoint=tmp_path / "one.npz")


def test_a_shard_needs_a_file_and_the_whole_ranking_is_not_its_own(tmp_path):
    with pytest.raises(dg.InputError) as raised:
        dg.mine_subgraphs(GRAPHS, Y, shard="1/2")
    assert str(raised.value) == (
        "shard needs a file to save its part in, but none is given. Give checkpoint too, a file for each "
        "shard."
    )
    with pytest.raises(dg.InputError) as raised:
        dg.mine_subgraphs(GRAPHS, Y, shard="1/2", checkpoint=tmp_path / "one.npz", max_correlation=0.5)
    assert str(raised.value) == (
        "max_correlation needs the ranking of the whole search, which a shard does not have. Leave out shard."
    )


def test_phenotypes_are_searched_in_parts(tmp_path):
    random = np.random.default_rng(0)
    age, motion = random.normal(50, 10, len(Y)), random.random(len(Y))
    asked = {"min_expected_frequency": 0.6, "n_subgraphs": 5, "covariates": motion}
    whole = dg.mine_subgraphs(GRAPHS, age, **asked)
    dg.merge_shards(run_shards(tmp_path, 3, GRAPHS, age, **asked), tmp_path / "merged.npz")
    merged = dg.mine_subgraphs(GRAPHS, age, **asked, checkpoint=tmp_path / "merged.npz")
    assert same(merged, whole)
    assert merged.effects.tobytes() == whole.effects.tobytes()
    for other in (2 * age, age**2):
        with pytest.raises(dg.InputError, match="the phenotype, groups or covariates differ"):
            dg.mine_subgraphs(GRAPHS, other, **asked, checkpoint=tmp_path / "merged.npz")


def test_classes_one_by_one_are_several_searches(tmp_path):
    groups = np.array(["a", "b", "c", "c"] * 5)
    with pytest.raises(dg.InputError) as raised:
        dg.mine_subgraphs(GRAPHS, groups, **ASKED, multi_class="ovr", checkpoint=tmp_path / "one.npz")
    assert str(raised.value) == (
        "checkpoint applies to one search, but each class is compared with the rest in its own search. Leave "
        "it out, or give two classes."
    )
