"""Subgraphs as arguments: names, results and indices; indices of another cohort are matched by region."""

import pickle
import time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import dugraph as dg
from dugraph.data.subgraphs import Subgraph, Subgraphs, check_subgraph, check_subgraphs
from dugraph.exceptions import InputError

REGIONS = ["Cuneus", "Insula, left", "Thalamus", "Vermis"]
PAIRS = [(1, 0), (2, 0), (2, 1), (3, 0), (3, 1), (3, 2)]


def cohort(order=(0, 1, 2, 3), seed=0, **parts):
    """Six graphs with the same probabilities between the same regions, whatever their order."""
    rng = np.random.default_rng(seed)
    matrices = rng.random((6, 4, 4))
    matrices = (matrices + matrices.transpose(0, 2, 1)) / 2
    places = list(order)
    labels = [REGIONS[k] for k in places]
    return dg.UncertainGraphs.from_matrices(matrices[:, places][:, :, places], labels, **parts)


Y = [1, 1, 1, 0, 0, 0]
SHUFFLED = (2, 0, 3, 1)


def two_edges(graphs):
    """The best subgraph of two edges of a search."""
    result = dg.mine_subgraphs(graphs, Y, n_subgraphs=30, min_expected_frequency=0)
    return next(one for one in result.subgraphs if len(one) == 2)


def by_regions(graphs, name_pairs):
    """Product of the probabilities between named regions, by its definition."""
    product = np.ones(graphs.n_graphs)
    for pair in name_pairs:
        for e, (u, v) in enumerate(graphs.edges):
            if {graphs.node_labels[u], graphs.node_labels[v]} == set(pair):
                product *= graphs.edge_probability[:, e]
    return product


def test_a_result_used_with_regions_in_another_order_is_matched_by_name():
    first, second = cohort(), cohort(SHUFFLED, seed=1)
    result = dg.mine_subgraphs(first, Y, n_subgraphs=8, min_expected_frequency=0)
    pairs = [[tuple(first.node_labels[n] for n in first.edges[e]) for e in g] for g in result.subgraphs]
    expected = np.column_stack([by_regions(second, one) for one in pairs])
    by_position = np.column_stack(
        [second.edge_probability[:, list(g)].prod(axis=1) for g in result.subgraphs]
    )
    assert not np.allclose(expected, by_position)
    for several in (result, result.subgraphs, list(result.subgraphs), result.names, result.subgraphs[0:]):
        np.testing.assert_allclose(dg.containment_probability(second, several), expected, rtol=1e-15)
        np.testing.assert_allclose(dg.expected_frequency(second, several), expected.mean(axis=0), rtol=1e-15)
    for k, one in enumerate(result.subgraphs):
        np.testing.assert_allclose(dg.containment_probability(second, one), expected[:, k], rtol=1e-15)
        assert second.subgraph_name(one).count("--") == len(one)
        assert {frozenset(p) for p in pairs[k]} == {
            frozenset(name.split("--")) for name in map(second.edge_name, check_subgraph(one, second.naming))
        }


def test_measures_and_distributions_match_regions_too():
    first, second = cohort(), cohort(SHUFFLED)  # the same probabilities between the same regions
    one = two_edges(first)
    assert dg.probability.measure_subgraph(first, Y, one) == pytest.approx(
        dg.probability.measure_subgraph(second, Y, one), rel=1e-12
    )
    ours, theirs = (dg.score_distribution(graphs, Y, one) for graphs in (first, second))
    np.testing.assert_allclose(ours.probabilities, theirs.probabilities, rtol=1e-12)
    assert dg.probability.measure_subgraph(second, Y, tuple(one)) != pytest.approx(
        dg.probability.measure_subgraph(first, Y, one)
    )


def test_a_data_frame_with_named_columns_is_matched_by_name():
    import pandas as pd

    first, second = cohort(), cohort(SHUFFLED, seed=1)
    one = two_edges(first)
    names = [second.edge_name(e) for e in range(second.n_edges)]
    frame = pd.DataFrame(second.edge_probability, columns=names)
    expected = dg.containment_probability(second, one)
    np.testing.assert_array_equal(dg.containment_probability(frame, one), expected)
    np.testing.assert_array_equal(dg.containment_probability(frame[names[::-1]], one), expected)


def test_every_source_of_subgraphs_knows_its_regions():
    simulated = dg.simulate("hiv", n_graphs=20, random_state=0)
    graphs, y = simulated.graphs, simulated.y
    few = dg.UncertainGraphs(graphs.edge_probability[:, :6], graphs.edges[:6], graphs.node_labels)
    selector = dg.SubgraphSelector(n_subgraphs=2, min_expected_frequency=0).fit(graphs, y)
    sparse = dg.SparseSubgraphClassifier(alpha=0.05, max_edges=1).fit(graphs, y)
    test = dg.significant_subgraphs(graphs, y, max_edges=1, n_permutations=39, min_expected_frequency=0.1)
    sources = [
        simulated.planted,
        dg.search.enumerate_subgraphs(few, y, min_expected_frequency=0)[0],
        selector.subgraphs_,
        sparse.subgraphs_,
        sparse.model_.subgraphs,
        [one for one in test.best_subgraphs if one is not None],
    ]
    for source in sources:
        assert len(source), source
        assert isinstance(source[0], Subgraph)
        assert source[0].naming.edge_name(source[0][0]) in source[0].naming.subgraph_name(source[0])


def test_lists_stay_lists_of_tuples():
    naming = cohort().naming
    found = Subgraphs([(0, 1), (2,)], naming)
    assert found == [(0, 1), (2,)]
    assert found[0] == (0, 1)
    assert repr(found) == "[(0, 1), (2,)]"
    assert {found[0]: 1}[0, 1] == 1
    assert sorted(found) == [(0, 1), (2,)]
    assert found.index((2,)) == 1
    assert isinstance(found[:1], Subgraphs)
    assert all(isinstance(one, Subgraph) for one in found)
    stored = pickle.dumps(found)
    assert naming.edges_called
    assert naming.edge_of
    assert pickle.dumps(found) == stored  # without what was computed on demand
    again = pickle.loads(stored)
    assert again == found
    assert again.naming == naming
    assert isinstance(again[1], Subgraph)
    one = pickle.loads(pickle.dumps(found[0]))
    assert one == (0, 1)
    assert one.naming == naming


@pytest.mark.parametrize(
    ("given", "edges"),
    [
        ("Cuneus--Insula, left", [(0, 1)]),
        ("Insula, left--Cuneus", [(0, 1)]),
        (["Thalamus--Cuneus", " Vermis--Thalamus "], [(0, 2), (2, 3)]),
        ("{Cuneus--Insula, left, Insula, left--Thalamus}", [(0, 1), (1, 2)]),
        ("Cuneus--Insula, left, Insula, left--Thalamus", [(0, 1), (1, 2)]),
        (np.array(["Thalamus--Vermis"]), [(2, 3)]),
    ],
)
def test_names_are_edges(given, edges):
    graphs = cohort(SHUFFLED)
    expected = by_regions(graphs, [(REGIONS[a], REGIONS[b]) for a, b in edges])
    np.testing.assert_allclose(dg.containment_probability(graphs, given), expected, rtol=1e-15)


def test_names_of_layers():
    edges, layers = dg.signed_edges([(1, 0), (2, 0)])
    X = np.random.default_rng(0).random((3, 4))
    graphs = dg.UncertainGraphs(X, edges, ["A", "B", "C"], edge_layers=layers)
    found = dg.containment_probability(graphs, ["A--B [positive]", "C--A [negative]"])
    np.testing.assert_allclose(found, X[:, 1] * X[:, 2], rtol=1e-15)
    with pytest.raises(InputError) as caught:
        dg.containment_probability(graphs, "A--B")
    assert str(caught.value) == (
        "The name of an edge must include its layer, negative, positive, but 'A--B' does not. Write 'A--B "
        "[negative]'."
    )


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (
            "Cuneus--Talamus",
            "No edge is called 'Cuneus--Talamus': there is no region 'Talamus' (similar: 'Thalamus'). Use "
            "names of node_labels.",
        ),
        (["Cuneus"], "A subgraph is named by its edges, A--B, but 'Cuneus' names none. Write both regions."),
        ("Cuneus--Cuneus", "No edge is called 'Cuneus--Cuneus'. Use the names of graphs.edge_name."),
        (
            ["Cuneus--Vermis", "Vermis--Cuneus"],
            "A subgraph contains each edge once, but edge 3 appears twice in (3, 3). Remove one.",
        ),
    ],
)
def test_an_unknown_name_is_refused(given, message):
    with pytest.raises(InputError) as caught:
        dg.containment_probability(cohort(), given)
    assert str(caught.value) == message


def test_an_ambiguous_name_is_refused():
    graphs = dg.UncertainGraphs([[0.5, 0.4]], [(1, 0), (3, 2)], ["a", "b--c", "a--b", "c"])
    with pytest.raises(InputError) as caught:
        dg.containment_probability(graphs, "a--b--c")
    assert str(caught.value) == (
        "A name must identify its edges, but 'a--b--c' can be read in more than one way. Give edge indices."
    )


def refusal(graphs, subgraph):
    with pytest.raises(InputError) as caught:
        dg.containment_probability(graphs, subgraph)
    return str(caught.value)


def test_what_cannot_be_matched_is_refused():
    one = Subgraphs([(0, 1)], cohort().naming)[0]
    renamed = dg.UncertainGraphs(np.full((1, 6), 0.5), node_labels=["Cuneus", "Insula", "Thalamus", "Vermis"])
    assert refusal(renamed, one) == (
        "The graphs must have every region of the subgraph, but 'Insula, left' of its edge 'Cuneus--Insula, "
        "left' cannot be found by name (similar: 'Insula'). Name regions as in the cohort of the result."
    )
    fewer = dg.UncertainGraphs([[0.5]], [(1, 0)], node_labels=REGIONS)
    assert refusal(fewer, one) == (
        "The graphs must have every edge of the subgraph, but 'Cuneus--Thalamus' is missing. If no "
        "graph has this edge, add it with probability 0."
    )
    assert refusal(np.full((1, 3), 0.5), one) == (
        "The subgraph was found among 6 edges, but X is an array of 3 columns without names. Give "
        "UncertainGraphs or a DataFrame with columns A--B, whose edges are matched by name."
    )
    assert refusal(np.full((1, 6), 0.5), "Cuneus--Vermis") == (
        "'Cuneus--Vermis' is a name, but X is an array of 6 columns without names. Give UncertainGraphs or a "
        "DataFrame with columns A--B."
    )


def test_regions_without_names_are_positions_of_the_same_edges_only():
    named, nameless = cohort(), dg.UncertainGraphs(np.full((1, 6), 0.5))
    other = dg.UncertainGraphs(np.full((1, 6), 0.5), np.array(PAIRS)[::-1])
    of_nameless, of_named = (Subgraphs([(0, 1)], graphs.naming)[0] for graphs in (nameless, named))
    np.testing.assert_allclose(
        dg.containment_probability(named, of_nameless), named.edge_probability[:, :2].prod(axis=1), rtol=1e-15
    )
    assert dg.containment_probability(nameless, of_named).tolist() == [0.25]
    assert refusal(other, of_named) == (
        "The subgraph was found among other edges, and its regions cannot be matched, because those of these "
        "graphs have no names. Give node_labels to both cohorts."
    )
    assert "because those of its cohort have no names" in refusal(cohort(), Subgraph((0,), other.naming))


def test_one_subgraph_is_asked_for_where_only_one_can_be_used():
    with pytest.raises(InputError) as caught:
        dg.probability.measure_subgraph(cohort(), Y, [(0, 1), (2,)])
    assert str(caught.value) == (
        "One subgraph is needed, but 2 subgraphs were given. Choose one, for example result.subgraphs[0]."
    )


def test_no_subgraphs_make_no_columns():
    empty = Subgraphs([], cohort().naming)
    assert dg.containment_probability(cohort(), empty).shape == (6, 0)
    assert check_subgraphs([], 3) == []


def test_replication_takes_names():
    graphs, y, _ = dg.simulate("adhd", n_graphs=120, random_state=1)
    asked = {"min_expected_frequency": 0.25, "n_permutations": 199}
    first = dg.significant_subgraphs(graphs[:60], y[:60], **asked)
    by_indices = dg.replicate(first, graphs[60:], y[60:], subgraphs=first.subgraphs[:2])
    by_names = dg.replicate(first, graphs[60:], y[60:], subgraphs=first.names[:2])
    assert by_names.subgraphs == by_indices.subgraphs == first.subgraphs[:2]
    np.testing.assert_array_equal(by_names.p_values, by_indices.p_values)


def test_plots_draw_the_same_regions():
    pytest.importorskip("matplotlib")
    first, second = cohort(), cohort(SHUFFLED)
    one = two_edges(first)
    drawn = []
    for graphs in (first, second):
        ax = dg.plot.plot_subgraph(graphs, one, view="network")
        drawn.append({text.get_text() for text in ax.texts})
    assert drawn[0] == drawn[1]
    assert drawn[0]
    assert {t.get_text() for t in dg.plot.plot_subgraph(second, first.subgraph_name(one)).texts} == drawn[0]


def test_a_result_is_not_saved_with_graphs_of_another_order(tmp_path):
    first, second = cohort(), cohort(SHUFFLED)
    mined = dg.mine_subgraphs(first, Y, n_subgraphs=2, min_expected_frequency=0)
    tested = dg.significant_subgraphs(first, Y, n_permutations=19, min_expected_frequency=0, max_edges=1)
    for result in (mined, tested):
        with pytest.raises(InputError) as caught:
            dg.save_result(result, tmp_path / "results", second, Y)
        assert str(caught.value) == (
            "The graphs must be those of the result, with 6 edges, but these have 6, or other regions, or "
            "another order. Pass the graphs from which the result was computed."
        )


@given(st.data())
def test_names_are_read_back_also_with_commas_in_regions(data):
    labels = data.draw(st.lists(st.sampled_from(["a", "b,", "c, d", ", e", "f,,g"]), min_size=3, unique=True))
    n_pairs = len(labels) * (len(labels) - 1) // 2
    graphs = dg.UncertainGraphs(np.full((1, n_pairs), 0.5), node_labels=labels)
    edges = data.draw(st.lists(st.integers(0, n_pairs - 1), min_size=1, unique=True))
    assert check_subgraph(graphs.subgraph_name(edges), graphs.naming) == tuple(sorted(edges))


@pytest.mark.parametrize("text", ["," * 100_000, "--" * 100_000, ", ".join(["Cuneus--Vermis", "x"] * 50_000)])
def test_long_names_are_read_in_linear_time(text):
    begin = time.monotonic()
    refusal(cohort(), text)
    assert time.monotonic() - begin < 5  # seconds; a second at most
