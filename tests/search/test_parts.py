"""A search in parts gives the bytes of one search, however it is stopped, resumed, distributed and merged."""

import shutil

import numpy as np
import pytest
from random_cohorts import SOAK, random_cohort, random_problems
from refusals import refusal
from slicings import UnreliableWorkers, in_slices, same

import dugraph as dg
from dugraph.cluster.parts import read_part
from dugraph.exceptions import FewerSubgraphsWarning, LimitReachedWarning, NoneAdmitted
from dugraph.search import parts
from dugraph.search.mining import mine_within
from dugraph.words import SCORES

N_COHORTS = 3_000 if SOAK else 12
TWENTY = ("expectation", "median", "mode", "phi_probability")
VARIANTS = [(measure, score) for measure in TWENTY for score in SCORES]
GRAPHS, Y, _ = dg.simulate("hiv", n_graphs=20, random_state=1)
SETTINGS = {"min_expected_frequency": 0.55 if SOAK else 0.6, "n_subgraphs": 10}
SHARDED = {"min_expected_frequency": 0.5, "n_subgraphs": 10}

pytestmark = [
    pytest.mark.filterwarnings("ignore", category=category)
    for category in (FewerSubgraphsWarning, LimitReachedWarning)
]


def with_workers(monkeypatch, random):
    pools = []

    def make(client, subject):
        pools.append(UnreliableWorkers(subject, random))
        return pools[-1]

    monkeypatch.setattr(parts, "make_pool", make)
    return pools


@pytest.mark.parametrize("seed", range(N_COHORTS))
def test_stopped_and_distributed_searches_give_identical_results(seed, tmp_path, monkeypatch):
    random = np.random.default_rng(seed)
    cohort = random_cohort(random)
    for k, problem in enumerate(random_problems(random, cohort, 4)):
        options = problem.keywords()
        try:
            whole = dg.mine_subgraphs(cohort.graphs, cohort.y, **options)
        except NoneAdmitted:
            continue
        other = cohort.shuffled(random)
        sliced = in_slices(tmp_path / f"{k}.npz", random, 60, cohort.graphs, cohort.y, **options)
        assert same(sliced, whole)
        with monkeypatch.context() as patch:
            pools = with_workers(patch, random)
            assert same(dg.mine_subgraphs(cohort.graphs, cohort.y, **options), whole)
            assert pools[0].most_tasks <= 10
        # A checkpoint does not depend on the order of graphs and edges.
        again = dg.mine_subgraphs(other.graphs, other.y, **options, checkpoint=tmp_path / f"{k}.npz")
        assert again.values.tobytes() == whole.values.tobytes()
        assert [sorted(other.made_as[list(g)]) for g in again.subgraphs] == [
            sorted(cohort.made_as[list(g)]) for g in whole.subgraphs
        ]


@pytest.mark.parametrize("seed", range(5 if SOAK else 1))  # of all twenty, a hundred slicings
@pytest.mark.parametrize(("measure", "score"), VARIANTS)
def test_all_variants_of_a_larger_cohort(measure, score, seed, tmp_path, monkeypatch):
    random = np.random.default_rng(7 + seed)
    options = {**SETTINGS, "measure": measure, "score": score, "pos_label": 1}
    whole = dg.mine_subgraphs(GRAPHS, Y, **options)
    most = max(2, whole.n_visited // (int(random.integers(3, 40)) if SOAK else 3))
    assert same(in_slices(tmp_path / "search.npz", random, most, GRAPHS, Y, **options), whole)
    with_workers(monkeypatch, random)
    monkeypatch.setattr(UnreliableWorkers.__init__, "__defaults__", (max(2, most // 4),))
    assert same(dg.mine_subgraphs(GRAPHS, Y, **options), whole)


@pytest.mark.parametrize("n_parts", range(1, 6))
def test_a_search_interrupted_in_any_part_resumes(n_parts, tmp_path, monkeypatch):
    """Ctrl-C comes in part `n_parts` of each run; parts are short enough for several runs."""
    options, file = {**SETTINGS, "measure": "mode"}, tmp_path / "search.npz"
    whole, search_part = dg.mine_subgraphs(GRAPHS, Y, **options), parts.search_part
    n_done, n_interrupts = 0, 0

    def short(problem, tasks, limits, *more):
        nonlocal n_done
        n_done += 1
        found = search_part(problem, tasks, limits._replace(n_nodes=max(1, whole.n_visited // 10)), *more)
        return found._replace(status=dg.search.Status.INTERRUPTED) if n_done % n_parts == 0 else found

    monkeypatch.setattr(parts, "search_part", short)
    for _ in range(100):
        try:
            result = dg.mine_subgraphs(GRAPHS, Y, **options, checkpoint=file)
            break
        except dg.SearchInterrupted as interrupt:
            stopped, n_interrupts = interrupt.result, n_interrupts + 1
            assert stopped.status is dg.search.Status.INTERRUPTED
            assert stopped.best_open_bound >= stopped.threshold
        except KeyboardInterrupt:
            continue  # in the part that finished the search
    assert same(result, whole)
    assert n_interrupts >= 1


@pytest.mark.parametrize("n_changes", [1_000 if SOAK else 120])
def test_a_damaged_checkpoint_is_refused_or_gives_the_same_answer(n_changes, tmp_path):
    whole = dg.mine_subgraphs(GRAPHS, Y, **SETTINGS)
    file, random = tmp_path / "search.npz", np.random.default_rng(5)
    mine_within(whole.n_visited // 2, GRAPHS, Y, **SETTINGS, checkpoint=file)
    intact, n_refused = file.read_bytes(), 0
    for _ in range(n_changes):
        content = bytearray(intact)
        content[random.integers(len(content))] ^= int(random.integers(1, 256))
        file.write_bytes(content)
        try:
            assert same(dg.mine_subgraphs(GRAPHS, Y, **SETTINGS, checkpoint=file), whole)
        except dg.InputError:
            n_refused += 1
    assert n_refused > 0.6 * n_changes  # the other bytes mean nothing
    for length in random.integers(0, len(intact), 10):
        file.write_bytes(intact[:length])
        with pytest.raises(dg.InputError, match=r"search\.npz: .* Nothing was computed. Without the file"):
            dg.mine_subgraphs(GRAPHS, Y, **SETTINGS, checkpoint=file)


@pytest.mark.parametrize("with_checkpoint", [False, True])
def test_a_limit_reached_together_with_the_end_leaves_the_answer_proven(with_checkpoint, tmp_path):
    options = {**SETTINGS, "bound": "frequency"}
    whole = dg.mine_subgraphs(GRAPHS, Y, **options)
    more = {"checkpoint": tmp_path / "c.npz"} if with_checkpoint else {}
    found = mine_within(whole.n_visited, GRAPHS, Y, **options, **more)
    assert found.status is dg.search.Status.OPTIMAL
    assert same(found, whole)


def test_rounds_of_max_correlation_resume(tmp_path):
    random = np.random.default_rng(3)
    options = {**SETTINGS, "n_subgraphs": 4, "max_correlation": 0.3}
    whole = dg.mine_subgraphs(GRAPHS, Y, **options)
    sliced = in_slices(tmp_path / "search.npz", random, whole.n_visited // 3, GRAPHS, Y, **options)
    assert (sliced.subgraphs, sliced.message) == (whole.subgraphs, whole.message)
    assert sliced.values.tobytes() == whole.values.tobytes()


def test_counters_and_seconds_are_sums_over_all_runs(tmp_path):
    file, random = tmp_path / "search.npz", np.random.default_rng(0)
    whole = dg.mine_subgraphs(GRAPHS, Y, **SETTINGS)
    sliced = in_slices(file, random, max(2, whole.n_visited // 2), GRAPHS, Y, **SETTINGS)
    once_more = dg.mine_subgraphs(GRAPHS, Y, **SETTINGS, checkpoint=file)
    assert once_more.n_visited == sliced.n_visited >= whole.n_visited
    assert once_more.seconds > 0


def own_score(factor):
    def own(a, b, p, q):
        return factor * a

    return own


def test_a_checkpoint_of_another_search_is_refused_with_all_that_differs(tmp_path):
    file = tmp_path / "search.npz"
    dg.mine_subgraphs(GRAPHS, Y, **SETTINGS, checkpoint=file)
    before = file.read_bytes()
    other = GRAPHS.edge_probability.copy()
    other[0, 0] /= 2
    changed = {**SETTINGS, "n_subgraphs": 9, "measure": "median", "checkpoint": file}
    assert refusal(dg.mine_subgraphs, other, 1 - Y, **changed) == (
        f"checkpoint must belong to the same computation, but in {file} the graphs differ; the labels "
        'differ; its measure is "expectation", not "median"; its n_subgraphs is 10, not 9. Use the settings '
        "of that file, name another file, or remove this one."
    )
    assert file.read_bytes() == before
    # A score of one's own is identified by its values.
    own = tmp_path / "own.npz"
    dg.mine_subgraphs(GRAPHS, Y, **SETTINGS, score=own_score(1.0), checkpoint=own)
    with pytest.raises(dg.InputError, match="the score differ"):
        dg.mine_subgraphs(GRAPHS, Y, **SETTINGS, score=own_score(2.0), checkpoint=own)
    dg.save_cohort(tmp_path / "cohort.npz", GRAPHS, Y)
    with pytest.raises(dg.InputError, match="must hold a part of a computation"):
        dg.mine_subgraphs(GRAPHS, Y, **SETTINGS, checkpoint=tmp_path / "cohort.npz")


def run_shards(folder, n_shards, *given, node_limit=10**12, **options):
    files = [folder / f"{k}.npz" for k in range(1, n_shards + 1)]
    for k, file in enumerate(files, start=1):
        mine_within(node_limit, *given, **options, shard=f"{k}/{n_shards}", checkpoint=file)
    return files


@pytest.mark.parametrize("seed", range(1_000 if SOAK else 8))
def test_merged_shards_give_the_result_of_one_search(seed, tmp_path, monkeypatch):
    random = np.random.default_rng(seed)
    cohort = random_cohort(random)
    monkeypatch.setattr(parts, "OPEN_PER_SHARD", int(random.integers(1, 65)))
    for k, problem in enumerate(random_problems(random, cohort, 2)):
        options, merged = problem.keywords(), tmp_path / f"merged {k}.npz"
        try:
            whole = dg.mine_subgraphs(cohort.graphs, cohort.y, **options)
        except NoneAdmitted:
            continue
        files = run_shards(tmp_path, int(random.choice([1, 3, 16])), cohort.graphs, cohort.y, **options)
        assert dg.results.merge_shards(random.permutation(files), merged) == ("mine", True)
        assert same(dg.mine_subgraphs(cohort.graphs, cohort.y, **options, checkpoint=merged), whole)
        for file in files:
            file.unlink()


@pytest.mark.parametrize("n_shards", [1, 3, 16])
@pytest.mark.parametrize(
    ("measure", "score"), VARIANTS if SOAK else [("expectation", "g_test"), ("mode", "hsic")]
)
def test_work_is_divided_among_shards(n_shards, measure, score, tmp_path):
    options = {**SHARDED, "measure": measure, "score": score}
    files = run_shards(tmp_path, n_shards, GRAPHS, Y, **options)
    dg.results.merge_shards(files, tmp_path / "merged.npz")
    merged = dg.mine_subgraphs(GRAPHS, Y, **options, checkpoint=tmp_path / "merged.npz")
    assert same(merged, dg.mine_subgraphs(GRAPHS, Y, **options))
    assert merged.n_visited == sum(int(read_part(file)[1]["counters"][0]) for file in files)


def test_shards_stopped_by_a_limit_are_merged_to_the_best_so_far_and_resume(tmp_path):
    options, merged = {**SHARDED, "measure": "mode"}, tmp_path / "merged.npz"
    whole = dg.mine_subgraphs(GRAPHS, Y, **options)
    files = run_shards(tmp_path, 2, GRAPHS, Y, **options, node_limit=1)
    assert not dg.results.merge_shards(files, merged).is_done
    stopped = mine_within(1, GRAPHS, Y, **options, checkpoint=merged)
    assert stopped.status is dg.search.Status.NODE_LIMIT
    assert stopped.best_open_bound >= stopped.threshold
    assert same(dg.mine_subgraphs(GRAPHS, Y, **options, checkpoint=merged), whole)
    assert dg.results.merge_shards(run_shards(tmp_path, 2, GRAPHS, Y, **options), merged).is_done  # resumed
    assert same(dg.mine_subgraphs(GRAPHS, Y, **options, checkpoint=merged), whole)


def test_missing_duplicate_and_foreign_shards_are_refused_by_name(tmp_path, monkeypatch):
    one, two, three = run_shards(tmp_path, 3, GRAPHS, Y, **SHARDED)
    merged, copy = tmp_path / "merged.npz", tmp_path / "copy.npz"
    missing = "All 3 shards are needed, but 1 is missing: 2/3. Run these first."
    assert refusal(dg.results.merge_shards, [one, three], merged) == missing
    shutil.copy(three, copy)
    assert refusal(dg.results.merge_shards, [one, two, three, copy], merged) == (
        f"{copy}: each shard must appear once, but this is shard 3/3, and so is {three}. Leave one of them "
        "out."
    )
    copy.unlink()
    dg.mine_subgraphs(GRAPHS, Y, **{**SHARDED, "n_subgraphs": 9}, shard="3/4", checkpoint=copy)
    assert refusal(dg.results.merge_shards, [one, two, copy], merged) == (
        f"{copy}: the shards must belong to one computation, but this one differs from {one}: its "
        "n_subgraphs is 9, not 10; it is one of 4 shards, not of 3. Merge only shards that belong "
        "together."
    )
    dg.mine_subgraphs(GRAPHS, Y, **SHARDED, checkpoint=merged)
    assert refusal(dg.results.merge_shards, [one, two, merged], copy) == (
        f"{merged}: the file must be a shard, but is a checkpoint of a whole computation."
    )
    with pytest.raises(dg.InputError, match="At least one shard is needed to merge, but none is named"):
        dg.results.merge_shards([], copy)
    three.unlink()
    monkeypatch.setattr(parts, "OPEN_PER_SHARD", 10**6)
    dg.mine_subgraphs(GRAPHS, Y, **SHARDED, shard="3/3", checkpoint=three)
    with pytest.raises(dg.InputError, match="all shards must divide the work in the same way, but this one"):
        dg.results.merge_shards([one, two, three], merged)


@pytest.mark.parametrize("wrong", ["0/3", "4/3", "3", "1/100001", "a/b", 3])
def test_an_invalid_shard_is_refused(wrong, tmp_path):
    with pytest.raises(dg.InputError, match=r"shard must be like 3/16, the third of 16 parts"):
        dg.mine_subgraphs(GRAPHS, Y, shard=wrong, checkpoint=tmp_path / "one.npz")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"checkpoint": ""}, "checkpoint must name a file, but {0} is a folder. Add the name of the file."),
        (
            {"checkpoint": "none/search.npz"},
            "checkpoint must name a file in a writable folder, but {0}/none is not one.",
        ),
        (
            {"shard": "1/2"},
            "shard needs a file to save its part in, but none is given. Give checkpoint too, a file for each "
            "shard.",
        ),
        (
            {"shard": "1/2", "checkpoint": "one.npz", "max_correlation": 0.5},
            "max_correlation needs the ranking of the whole search, which a shard does not have. Leave out "
            "shard.",
        ),
        (
            {"y": np.array(["a", "b", "c", "c"] * 5), "multi_class": "ovr", "checkpoint": "one.npz"},
            "checkpoint applies to one search, but each class is compared with the rest in its own search. "
            "Leave it out, or give two classes.",
        ),
    ],
)
def test_what_cannot_be_saved_or_divided_is_refused_before_the_search(options, message, tmp_path):
    if "checkpoint" in options:
        options = {**options, "checkpoint": tmp_path / options["checkpoint"]}
    assert refusal(dg.mine_subgraphs, **{"X": GRAPHS, "y": Y, **options}) == message.format(tmp_path)


def test_shards_of_a_phenotype(tmp_path):
    random = np.random.default_rng(0)
    age, motion = random.normal(50, 10, len(Y)), random.random(len(Y))
    options = {"min_expected_frequency": 0.6, "n_subgraphs": 5, "covariates": motion}
    whole = dg.mine_subgraphs(GRAPHS, age, **options)
    dg.results.merge_shards(run_shards(tmp_path, 3, GRAPHS, age, **options), tmp_path / "merged.npz")
    merged = dg.mine_subgraphs(GRAPHS, age, **options, checkpoint=tmp_path / "merged.npz")
    assert same(merged, whole)
    assert merged.effects.tobytes() == whole.effects.tobytes()
    for other in (2 * age, age**2):
        with pytest.raises(dg.InputError, match="the phenotype, groups or covariates differ"):
            dg.mine_subgraphs(GRAPHS, other, **options, checkpoint=tmp_path / "merged.npz")
