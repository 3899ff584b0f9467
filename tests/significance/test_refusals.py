"""Hazards and wrong input: each is refused, with the whole message."""

import re

import numpy as np
import pytest
from refusals import refusal

from dugraph import UncertainGraphs, significant_subgraphs
from dugraph.exceptions import UnfinishedTestError
from dugraph.search import limits

RANDOM = np.random.default_rng(0)
N = np.arange(24)
X = RANDOM.random((24, 6))
Y = N % 2
TABLE = {"age": RANDOM.random(24), "site": np.array(["A", "B"])[N // 12]}
IDS = [f"sub-{i:02}" for i in range(24)]
GRAPHS = UncertainGraphs(X, graph_ids=IDS, participants=TABLE)
INFINITE = np.where(N == 2, np.inf, TABLE["age"])
UNEVEN = np.repeat(np.arange(3), [3, 8, 13])
UNKNOWN = (
    "must be known for every graph, but it is missing for {}. Leave these graphs out, or fill in the values."
)


def with_column(name, values):
    return UncertainGraphs(X, graph_ids=IDS, participants={name: values})


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        (
            {"blocks": N // 2, "n_permutations": 9999, "alpha": 0.0005},
            "alpha = 0.0005 cannot be reached: the labels have 4,096 distinct permutations within blocks, "
            "and 4 size classes share alpha, so no p-value is below 0.000977. Use coarser blocks, fewer "
            "size_classes, or more graphs.",
        ),
        (
            {"n_permutations": 78},
            "alpha = 0.05 cannot be reached: with 78 permutations and 4 size classes no p-value is below "
            "0.0506. Use n_permutations of at least 79.",
        ),
        (
            {"covariates": Y * 3.5 + 2},
            "y must not be a linear combination of blocks and covariates: there is no residual to test. "
            "Leave out the covariate that repeats y.",
        ),
        (
            {"covariates": RANDOM.random((24, 15))},
            "Covariates must leave at least 10 residual degrees of freedom: 24 units in 1 cells with 15 "
            "independent covariate columns leave 8. Use fewer covariates, or coarser blocks.",
        ),
        (
            {"X": with_column("age", np.where(N == 3, np.nan, TABLE["age"])), "covariates": "age"},
            f"covariates: age {UNKNOWN.format('1 graph: sub-03')}",
        ),
        (
            {"X": with_column("site", ["" if i in (5, 7) else "A" for i in N]), "blocks": "site"},
            f"blocks: site {UNKNOWN.format('2 graphs: sub-05, sub-07')}",
        ),
        ({"y": np.where(N == 3, np.nan, Y)}, f"y {UNKNOWN.format('1 graph: sub-03')}"),
        (
            {"covariates": ["age", "sex"]},
            "covariates must name columns of participants: there is no sex. The columns are age, site.",
        ),
        (
            {"X": X, "blocks": "site"},
            "blocks names site, but the graphs carry no participants table. Pass the values themselves, or "
            "an UncertainGraphs with participants.",
        ),
        (
            {"covariates": INFINITE},
            "A covariate must be finite: covariates of sub-02 is inf. Drop the graph, or correct its value.",
        ),
        (
            {"y": INFINITE},
            "A phenotype must be finite: that of sub-02 is inf. Drop the graph, or correct its value.",
        ),
        (
            {"y": np.zeros(24)},
            "y must take at least two values: every graph has 0.0. Without a difference in y there is "
            "nothing to test.",
        ),
        (
            {"blocks": Y},
            "Labels are permuted within blocks, so y must vary within a block, but it is constant in each of "
            '2 blocks. Use coarser blocks; if blocks are subjects with several graphs, permute="whole".',
        ),
        (
            {"y": UNEVEN % 2, "blocks": UNEVEN, "permute": "whole"},
            'permute="whole" permutes labels among blocks with the same number of graphs, but no two of 3 '
            "blocks with the same number differ in y. Keep the same number of graphs in each block, or "
            "average them.",
        ),
        (
            {"blocks": N // 2, "permute": "whole"},
            'permute="whole" permutes the labels of whole blocks, so y must be constant within each block, '
            'but block 0 has several values. Use permute="within" to compare graphs within blocks.',
        ),
        (
            {"y": [f"t{i:02}" for i in N]},
            "A group must have several graphs, but each of the 24 values of y (t00, t01, t02, ..., t23) "
            "belongs to one graph. If y is a phenotype, pass numbers instead of text.",
        ),
        (
            {"min_expected_frequency": 0.9},
            "No subgraph has an expected frequency above min_expected_frequency = 0.9; the most frequent "
            f"edge has {X.mean(axis=0).max():.6g}. Lower the limit.",
        ),
        ({"statistic": "f"}, "statistic must be one of z, difference, t, but is 'f'."),
        (
            {"alternative": "two_sided"},
            "alternative must be one of two-sided, greater, less, but is 'two_sided'.",
        ),
        ({"permute": "some"}, "permute must be one of within, whole, but is 'some'."),
        (
            {"alpha": 5},
            "alpha must be a number above 0 and below 1, but is 5. It is the probability of any false "
            "discovery that you are willing to accept: 0.05 means 5 %.",
        ),
        (
            {"random_state": -1},
            "random_state must be a whole number of at least 0 and below 2**63, a Generator, a "
            "RandomState or None, but is -1. Give a number for a result that can be computed again.",
        ),
        ({"size_classes": 0}, "size_classes must be a whole number of at least 1 and below 2**62, but is 0."),
        (
            {"covariates": np.zeros((23, 1))},
            "covariates must have one value per graph: covariates[0] has 23 values for 24 graphs. Align it "
            "with the graphs first.",
        ),
        (
            {"blocks": np.zeros((24, 2, 2))},
            "blocks must be a flat sequence, one value per graph: its shape is (24, 2, 2). Pass one column, "
            "for example with numpy.ravel.",
        ),
    ],
)
def test_hazards_and_wrong_input_are_refused(settings, message):
    assert refusal(significant_subgraphs, **{"X": GRAPHS, "y": Y, **settings}) == message


def test_a_time_limit_gives_no_p_values():
    with pytest.raises(UnfinishedTestError) as caught:
        significant_subgraphs(GRAPHS, Y, time_limit=1e-9)
    # The number of subgraphs before the clock is read depends on the machine.
    assert re.sub(r"after \d+ subgraphs?", "after N subgraphs", str(caught.value)) == (
        "The time limit was reached after N subgraphs, so there are no p-values: the largest statistics "
        "over only part of the subgraphs are too small, and so would be p-values computed from them. Raise "
        "time_limit or min_expected_frequency, or set max_edges."
    )


def test_weights_beyond_memory(monkeypatch):
    monkeypatch.setattr(limits, "available_memory", lambda: 2**20)
    assert refusal(significant_subgraphs, GRAPHS, Y, n_permutations=99_999) == (
        "The test needs about 0.1 GiB for 100,000 permutations of 24 graphs, but 0.0 GiB is available. Use a "
        "smaller n_permutations."
    )


def test_the_smallest_number_of_permutations():
    assert significant_subgraphs(GRAPHS, Y, n_permutations=79).n_permutations == 80


def test_covariates_that_nearly_determine_y():
    found = refusal(significant_subgraphs, GRAPHS, Y, covariates=Y + RANDOM.normal(size=24) * 0.001)
    assert found.startswith("The covariates nearly determine y: ")
    assert found.endswith(" Leave out the covariate that repeats y.")


def test_redundant_covariates_count_once():
    one = RANDOM.random(24)
    table = np.column_stack([one, 2 * one - 1, np.ones(24), one**2])
    result, plain = (significant_subgraphs(GRAPHS, Y, covariates=c) for c in (table, table[:, [0, 3]]))
    np.testing.assert_allclose(result.null_maxima[0], plain.null_maxima[0], rtol=1e-9)
