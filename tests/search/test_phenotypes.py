"""Expected HSIC of phenotypes, groups and adjusted labels: against possible worlds and exhaustive search."""

import warnings

import numpy as np
import pytest
from phenotype_oracle import expectation_by_worlds, quadratic, random_phenotyped, subgraphs_with_presence
from random_cohorts import SOAK, random_limit

import dugraph as dg
from dugraph.exceptions import FewerSubgraphsWarning, NoneAdmitted
from dugraph.search.mining import mine_within

BATCHES = 10
WORLDS = 20_000 if SOAK else 200
SEARCHES = 3_000 if SOAK else 120


def mine(case, **settings):
    """The answer in the edges as the cohort was made; nothing if nothing is admitted."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FewerSubgraphsWarning)
        try:
            result = dg.mine_subgraphs(case.cohort.graphs, case.y, covariates=case.covariates, **settings)
        except NoneAdmitted:
            return [], np.empty(0)
    assert result.status is dg.search.Status.OPTIMAL
    made = case.cohort.made_as
    return [tuple(sorted(made[list(g)].tolist())) for g in result.subgraphs], result.values


def cases(batch, first_seed, count, largest=None):
    """Random cases of a batch that have something to rank by, each with the generator that made it."""
    found = []
    for number in range(2 * count // BATCHES):
        random = np.random.default_rng([first_seed + batch, number])
        case = random_phenotyped(random, largest)
        if case is not None:
            found.append((case, random))
    assert len(found) >= count // BATCHES
    return found[: count // BATCHES]


@pytest.mark.parametrize("batch", range(BATCHES))
def test_values_are_expectations_over_possible_worlds(batch):
    for case, _ in cases(batch, 0, WORLDS, largest=8):
        largest = np.abs(case.label_kernel).sum()
        for subgraph, value in zip(*mine(case, n_subgraphs=4, min_expected_frequency=0), strict=True):
            x = np.prod(case.cohort.edge_probability[:, list(subgraph)], axis=1)
            truth = expectation_by_worlds(x, case.label_kernel)
            assert value == pytest.approx(truth, rel=1e-12, abs=1e-14 * largest), case


@pytest.mark.parametrize("batch", range(BATCHES))
def test_same_answer_as_exhaustive_search(batch):
    """Every bound, one to four threads, shuffled graphs and edges: the same bytes, and the true ranking."""
    for case, random in cases(batch, 1000, SEARCHES):
        settings = {
            "min_expected_frequency": random_limit(random, case.cohort.edge_probability),
            "n_subgraphs": int(random.choice([1, 2, 3, 5, 10, 1000])),
            "max_edges": None if random.random() < 0.7 else int(random.integers(1, 5)),
        }
        found, values = mine(case, **settings)
        for bound in ("frequency", "worldwise", "mass"):
            n_jobs = int(random.choice([1, 2, 4]))
            again, values_again = mine(case.shuffled(random), **settings, bound=bound, n_jobs=n_jobs)
            assert again == found, (case, bound)
            assert values_again.tobytes() == values.tobytes(), (case, bound)
        assert_ranking(found, values, case, **settings)


def assert_ranking(found, values, case, min_expected_frequency, n_subgraphs, max_edges):
    beyond = {g: x.mean() - min_expected_frequency - 1e-12 for g, x in subgraphs_with_presence(case).items()}
    if min(map(abs, beyond.values())) < 1e-13:
        return  # rounding may decide which subgraphs are admitted
    truth = {
        g: quadratic(x, case.label_kernel)
        for g, x in subgraphs_with_presence(case).items()
        if beyond[g] > 0 and (max_edges is None or len(g) <= max_edges)
    }
    slack = 1e-14 * np.abs(case.label_kernel).sum()
    assert len(found) == len(set(found)) == min(n_subgraphs, len(truth))
    assert values == pytest.approx([truth[g] for g in found], rel=1e-12, abs=slack)
    pairs = np.sort(case.cohort.edges, axis=1)[:, ::-1]

    def key(value, subgraph):
        return -value, len(subgraph), sorted((*pairs[e].tolist(), case.cohort.layers[e]) for e in subgraph)

    keys = [key(value, g) for value, g in zip(values.tolist(), found, strict=True)]
    assert keys == sorted(keys)
    for g in truth.keys() - set(found):
        assert truth[g] <= values[-1] * (1 + 1e-12) + slack


def cohort(random, n=40, m=15):
    return random.random((n, m)) ** 0.5


def test_two_classes_have_the_value_of_the_paper():
    """A covariate that never varies leaves the labels as they are: both paths, the same number."""
    for seed in range(20):
        random = np.random.default_rng(seed)
        X, y = cohort(random), random.permutation(np.repeat([0, 1], [25, 15]))
        plain = dg.mine_subgraphs(X, y, n_subgraphs=30, max_edges=3)
        weighed = dg.mine_subgraphs(X, y, n_subgraphs=30, max_edges=3, covariates=np.ones(40))
        assert weighed.subgraphs == plain.subgraphs
        assert weighed.values == pytest.approx(plain.values, rel=1e-12)
        assert weighed.positive_class == plain.positive_class == 1


def test_the_value_of_a_certain_subgraph_is_the_squared_covariance():
    random = np.random.default_rng(0)
    X, y = (random.random((50, 1)) < 0.5) * 1.0, random.normal(size=50)
    result = dg.mine_subgraphs(X, y, n_subgraphs=1)
    assert result.values[0] == pytest.approx(np.cov(X[:, 0], y)[0, 1] ** 2, rel=1e-12)


def test_units_and_offset_of_a_phenotype_do_not_change_the_ranking():
    random = np.random.default_rng(1)
    X, y = cohort(random), random.normal(size=40)
    once = dg.mine_subgraphs(X, y, n_subgraphs=20)
    again = dg.mine_subgraphs(X, 1000 - 365.25 * y, n_subgraphs=20)
    assert again.subgraphs == once.subgraphs
    assert again.values == pytest.approx(365.25**2 * once.values, rel=1e-9)


def test_effects_of_covariates_are_removed():
    """y plus any sum of covariates is ranked as y is."""
    random = np.random.default_rng(2)
    X, y, site = cohort(random), random.normal(size=40), random.integers(0, 3, 40)
    graphs = dg.UncertainGraphs(X, participants={"site": [f"s{k}" for k in site], "age": np.arange(40.0)})
    once = dg.mine_subgraphs(graphs, y, n_subgraphs=20, covariates=["site", "age"])
    moved = y + np.array([5.0, -3.0, 8.0])[site] + 0.7 * np.arange(40)
    again = dg.mine_subgraphs(graphs, moved, n_subgraphs=20, covariates=["site", "age"])
    assert again.subgraphs == once.subgraphs
    assert again.values == pytest.approx(once.values, rel=1e-9)
    assert once.parameters["covariates"] == ["site", "age"]
    assert once.parameters["labels"] == "phenotype"


def test_groups_may_be_called_anything():
    random = np.random.default_rng(3)
    X, groups = cohort(random), random.integers(0, 4, 40)
    once = dg.mine_subgraphs(X, np.array(list("abcd"))[groups], n_subgraphs=20)
    again = dg.mine_subgraphs(X, np.array(list("zbyq"))[groups], n_subgraphs=20)
    assert again.subgraphs == once.subgraphs
    assert again.values == pytest.approx(once.values, rel=1e-12)
    assert once.positive_class is None
    assert "y: groups" in repr(once)


@pytest.mark.parametrize("labels", ["phenotype", "groups", "adjusted"])
def test_limits_and_counters_of_a_phenotype_search(labels):
    """Limits give valid gaps, progress is reported, and max_correlation applies."""
    random = np.random.default_rng(4)
    X = random.random((60, 45)) ** 0.3
    y = random.normal(size=60) if labels != "groups" else np.array(list("abc"))[random.integers(0, 3, 60)]
    settings = {"n_subgraphs": 10, "min_expected_frequency": 0.3}
    settings |= {"covariates": random.normal(size=60)} if labels == "adjusted" else {}
    whole = dg.mine_subgraphs(X, y, **settings)
    with pytest.warns(dg.exceptions.LimitReachedWarning):
        part = mine_within(50, X, y, **settings)
    assert part.status is dg.search.Status.NODE_LIMIT
    assert whole.values[0] <= max(part.values[0], part.best_open_bound)
    seen = []
    again = dg.mine_subgraphs(X, y, progress=seen.append, n_jobs=2, **settings)
    assert again.subgraphs == whole.subgraphs
    assert seen[-1]["n_visited"] > 0
    several = dg.mine_subgraphs(X, y, max_correlation=0.4, **settings)
    features = np.column_stack([X[:, list(g)].prod(axis=1) for g in several.subgraphs])
    assert np.abs(np.corrcoef(features.T) - np.eye(10)).max() <= 0.4
    assert several.subgraphs[0] == whole.subgraphs[0]
