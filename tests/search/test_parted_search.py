"""A search in parts gives the bytes of one search, however it is sliced, dealt out, stopped and taken up."""

import numpy as np
import pytest
from random_cohorts import SOAK, random_cohort, random_problems
from slicings import UnreliableWorkers, in_slices, same

import dugraph as dg
from dugraph.exceptions import FewerSubgraphsWarning, LimitReachedWarning, NoneAdmitted
from dugraph.search import in_parts
from dugraph.words import SCORES

N_COHORTS = 3_000 if SOAK else 12
TWENTY = ("expectation", "median", "mode", "phi_probability")
VARIANTS = [(measure, score) for measure in TWENTY for score in SCORES]
GRAPHS, Y, _ = dg.simulate("hiv", n_graphs=20, random_state=1)
ASKED = {"min_expected_frequency": 0.55 if SOAK else 0.6, "n_subgraphs": 10}

pytestmark = [
    pytest.mark.filterwarnings("ignore", category=category)
    for category in (FewerSubgraphsWarning, LimitReachedWarning)
]


def with_workers(monkeypatch: pytest.MonkeyPatch, random: np.random.Generator) -> list[UnreliableWorkers]:
    pools: list[UnreliableWorkers] = []

    def make(subject: object) -> UnreliableWorkers:
        pools.append(UnreliableWorkers(subject, random))
        return pools[-1]

    monkeypatch.setattr(in_parts, "InThisProcess", make)
    return pools


@pytest.mark.parametrize("seed", range(N_COHORTS))
def test_slices_and_workers_give_what_one_search_gives(seed, tmp_path, monkeypatch):
    random = np.random.default_rng(seed)
    cohort = random_cohort(random)
    for k, problem in enumerate(random_problems(random, cohort, 4)):
        asked = problem.keywords()
        try:
            whole = dg.mine_subgraphs(cohort.graphs, cohort.y, **asked)
        except NoneAdmitted:
            continue
        other = cohort.shuffled(random)
        sliced = in_slices(tmp_path / f"{k}.npz", random, 60, cohort.graphs, cohort.y, **asked)
        assert same(sliced, whole)
        with monkeypatch.context() as patch:
            pools = with_workers(patch, random)
            assert same(dg.mine_subgraphs(cohort.graphs, cohort.y, **asked), whole)
            assert pools[0].most_tasks <= 10
        # A checkpoint knows graphs and edges by what they are, not by their places.
        again = dg.mine_subgraphs(other.graphs, other.y, **asked, checkpoint=tmp_path / f"{k}.npz")
        assert again.values.tobytes() == whole.values.tobytes()
        assert [sorted(other.made_as[list(g)]) for g in again.subgraphs] == [
            sorted(cohort.made_as[list(g)]) for g in whole.subgraphs
        ]


@pytest.mark.parametrize("seed", range(5 if SOAK else 1))  # of all twenty, a hundred slicings
@pytest.mark.parametrize(("measure", "score"), VARIANTS)
def test_all_variants_of_a_larger_cohort(measure, score, seed, tmp_path, monkeypatch):
    random = np.random.default_rng(7 + seed)
    asked = {**ASKED, "measure": measure, "score": score, "pos_label": 1}
    whole = dg.mine_subgraphs(GRAPHS, Y, **asked)
    most = max(2, whole.n_visited // (int(random.integers(3, 40)) if SOAK else 3))
    assert same(in_slices(tmp_path / "search.npz", random, most, GRAPHS, Y, **asked), whole)
    with_workers(monkeypatch, random)
    monkeypatch.setattr(UnreliableWorkers.__init__, "__defaults__", (max(2, most // 4),))
    assert same(dg.mine_subgraphs(GRAPHS, Y, **asked), whole)


def test_rounds_of_max_correlation_are_taken_up(tmp_path):
    random = np.random.default_rng(3)
    asked = {**ASKED, "n_subgraphs": 4, "max_correlation": 0.3}
    whole = dg.mine_subgraphs(GRAPHS, Y, **asked)
    sliced = in_slices(tmp_path / "search.npz", random, whole.n_visited // 3, GRAPHS, Y, **asked)
    assert sliced.subgraphs == whole.subgraphs
    assert sliced.values.tobytes() == whole.values.tobytes()
    assert sliced.message == whole.message


def test_counters_and_seconds_are_those_of_all_runs(tmp_path):
    file, random = tmp_path / "search.npz", np.random.default_rng(0)
    whole = dg.mine_subgraphs(GRAPHS, Y, **ASKED)
    sliced = in_slices(file, random, max(2, whole.n_visited // 2), GRAPHS, Y, **ASKED)
    once_more = dg.mine_subgraphs(GRAPHS, Y, **ASKED, checkpoint=file)
    assert sliced.n_visited >= whole.n_visited
    assert once_more.n_visited == sliced.n_visited
    assert once_more.seconds > 0


def test_an_interrupted_search_is_kept_and_its_answer_is_the_best_so_far(tmp_path):
    file = tmp_path / "search.npz"

    def press(now):
        raise KeyboardInterrupt

    with pytest.raises(dg.SearchInterrupted) as raised:
        dg.mine_subgraphs(GRAPHS, Y, min_expected_frequency=0.2, checkpoint=file, progress=press)
    stopped = raised.value.result
    assert stopped.status is dg.Status.INTERRUPTED
    assert file.exists()
    more = dg.mine_subgraphs(GRAPHS, Y, min_expected_frequency=0.2, checkpoint=file, node_limit=10**5)
    assert more.n_visited > stopped.n_visited


def test_a_checkpoint_of_another_search_is_refused_with_all_that_differs(tmp_path):
    file = tmp_path / "search.npz"
    dg.mine_subgraphs(GRAPHS, Y, **ASKED, checkpoint=file)
    before = file.read_bytes()
    other = GRAPHS.edge_probability.copy()
    other[0, 0] /= 2
    with pytest.raises(dg.InputError) as raised:
        dg.mine_subgraphs(other, 1 - Y, **{**ASKED, "n_subgraphs": 9}, measure="median", checkpoint=file)
    assert str(raised.value) == (
        f"checkpoint must belong to the same computation, but in {file} the graphs differ; the labels "
        'differ; its measure is "expectation", not "median"; its n_subgraphs is 10, not 9. Use the settings '
        "of that file, name another file, or remove this one."
    )
    assert raised.value.parameter == "checkpoint"
    assert file.read_bytes() == before


def test_own_scores_are_told_apart_by_their_values(tmp_path):
    def make(factor):
        def own(a, b, p, q):
            return factor * a

        return own

    file = tmp_path / "search.npz"
    dg.mine_subgraphs(GRAPHS, Y, **ASKED, score=make(1.0), checkpoint=file)
    with pytest.raises(dg.InputError, match="the score differ"):
        dg.mine_subgraphs(GRAPHS, Y, **ASKED, score=make(2.0), checkpoint=file)


@pytest.mark.parametrize("n_changes", [1_000 if SOAK else 120])
def test_a_damaged_checkpoint_is_refused_or_gives_the_same_answer(n_changes, tmp_path):
    whole = dg.mine_subgraphs(GRAPHS, Y, **ASKED)
    file, random = tmp_path / "search.npz", np.random.default_rng(5)
    dg.mine_subgraphs(GRAPHS, Y, **ASKED, checkpoint=file, node_limit=whole.n_visited // 2)
    intact, n_refused = file.read_bytes(), 0
    for _ in range(n_changes):
        content = bytearray(intact)
        content[random.integers(len(content))] ^= int(random.integers(1, 256))
        file.write_bytes(content)
        try:
            assert same(dg.mine_subgraphs(GRAPHS, Y, **ASKED, checkpoint=file), whole)
        except dg.InputError:
            n_refused += 1
    assert n_refused > 0.6 * n_changes  # the other bytes mean nothing
    for length in random.integers(0, len(intact), 10):
        file.write_bytes(intact[:length])
        with pytest.raises(dg.InputError, match=r"search\.npz: .* Nothing was computed. Without the file"):
            dg.mine_subgraphs(GRAPHS, Y, **ASKED, checkpoint=file)


@pytest.mark.parametrize(
    ("place", "told"),
    [
        ("", "checkpoint must name a file, but {place} is a folder. Add the name of the file."),
        (
            "none/search.npz",
            "checkpoint must name a file in a writable folder, but {parent} is none.",
        ),
    ],
)
def test_a_place_that_cannot_be_written_is_refused_before_the_search(place, told, tmp_path):
    path = tmp_path / place
    with pytest.raises(dg.InputError) as raised:
        dg.mine_subgraphs(GRAPHS, Y, checkpoint=path)
    assert str(raised.value) == told.format(place=path, parent=path.parent)


def test_other_files_are_not_taken_for_checkpoints(tmp_path):
    file = tmp_path / "cohort.npz"
    dg.save_cohort(file, GRAPHS, Y)
    with pytest.raises(dg.InputError, match="must hold a part of a computation"):
        dg.mine_subgraphs(GRAPHS, Y, **ASKED, checkpoint=file)


@pytest.mark.parametrize("kept", [False, True])
def test_a_limit_that_comes_with_the_end_has_left_nothing_out(kept, tmp_path):
    asked = {**ASKED, "bound": "frequency"}
    whole = dg.mine_subgraphs(GRAPHS, Y, **asked)
    more = {"checkpoint": tmp_path / "c.npz"} if kept else {}
    found = dg.mine_subgraphs(GRAPHS, Y, **asked, **more, node_limit=whole.n_visited)
    assert found.status is dg.Status.OPTIMAL
    assert same(found, whole)
