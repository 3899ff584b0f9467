"""Results as tables of pandas and graphs of networkx: every number is that of the result."""

import math

import networkx
import numpy as np
import pandas
import pytest

import dugraph as dg


def cohort(layers: bool = False) -> tuple[dg.UncertainGraphs, np.ndarray]:
    """40 graphs of five nodes; the first three edges are more frequent in the first class."""
    rng = np.random.default_rng(0)
    y = np.repeat(["patient", "control"], 20)
    X = rng.uniform(0.2, 0.5, (40, 10))
    X[:20, :3] += 0.4
    graphs = dg.UncertainGraphs(
        X,
        node_labels=["<b>", "B", "C", "D", "E"],
        node_coordinates=np.arange(15.0).reshape(5, 3),
        **({"edge_layers": ["thick", "thin"] * 5} if layers else {}),
    )
    return graphs, y


@pytest.fixture(scope="module")
def tested() -> dg.SignificanceResult:
    result = dg.significant_subgraphs(*cohort(), n_permutations=199, max_edges=2)
    assert len(result) > len(result.families) >= 1
    return result


def test_the_frame_of_a_test_has_a_row_for_each_significant_subgraph(tested):
    frame = tested.to_frame()
    assert frame["edges"].tolist() == tested.subgraphs
    assert frame["subgraph"].tolist() == tested.names
    assert frame["n_edges"].tolist() == [len(subgraph) for subgraph in tested.subgraphs]
    assert frame.loc[frame["representative"], "edges"].tolist() == [
        family.representative for family in tested.families
    ]
    assert frame["irreducible"].sum() == tested.irreducible.sum()
    for number, rows in frame.groupby("family"):
        assert rows.index.tolist() == sorted(tested.families[number - 1].members)
    numbers = frame[["p_value", "statistic", "effect", "effect_lower", "effect_upper", "partial_correlation"]]
    expected = np.column_stack(
        [
            *(tested.p_values, tested.statistics, tested.effects),
            *(tested.effect_intervals, tested.partial_correlations),
        ]
    )
    np.testing.assert_array_equal(numbers.to_numpy(), expected)


def test_the_frame_of_a_search_is_indexed_by_rank():
    result = dg.mine_subgraphs(*cohort(), n_subgraphs=7)
    frame = result.to_frame()
    assert frame.index.tolist() == list(range(1, 8))
    assert (frame.index.name, list(frame)) == ("rank", ["subgraph", "value", "n_edges", "edges"])
    assert (frame["edges"].tolist(), frame["value"].tolist()) == (result.subgraphs, result.values.tolist())
    graphs, y = cohort()
    adjusted = dg.mine_subgraphs(graphs, y, covariates={"age": np.arange(40.0)}, n_subgraphs=3).to_frame()
    assert adjusted["effect"].notna().all()


@pytest.mark.parametrize("layers", [False, True])
def test_a_network_has_the_edges_of_the_subgraphs_and_the_numbers_of_the_best_that_contains_each(layers):
    graphs, y = cohort(layers)
    result = dg.mine_subgraphs(graphs, y, n_subgraphs=12)
    network = result.to_networkx()
    assert network.is_multigraph() == layers
    drawn = {attributes["index"]: (a, b, attributes) for a, b, attributes in network.edges(data=True)}
    assert set(drawn) == {edge for subgraph in result.subgraphs for edge in subgraph}
    for edge, (a, b, attributes) in drawn.items():
        assert {a, b} == {graphs.node_labels[node] for node in graphs.edges[edge]}
        containing = [k for k, subgraph in enumerate(result.subgraphs) if edge in subgraph]
        assert attributes["n_subgraphs"] == len(containing)
        assert attributes["rank"] == containing[0] + 1
        assert attributes["value"] == result.values[containing[0]]
    if layers:
        assert {key for *_, key in network.edges(keys=True)} == {"thick", "thin"}
    for name, attributes in network.nodes(data=True):
        place = graphs.node_coordinates[graphs.node_labels.index(name)]
        assert [attributes[axis] for axis in "xyz"] == place.tolist()
    assert min(degree for _, degree in network.degree) >= 1


def test_the_network_of_a_test_can_be_written_and_read(tested, tmp_path):
    network = tested.to_networkx()
    networkx.write_graphml(network, tmp_path / "significant.graphml")
    again = networkx.read_graphml(tmp_path / "significant.graphml")
    assert set(again.nodes) == set(network.nodes)
    for a, b, attributes in network.edges(data=True):
        assert again.edges[a, b] == attributes
        k = attributes["rank"] - 1
        assert attributes["index"] in tested.subgraphs[k]
        assert (attributes["p_value"], attributes["effect"]) == (tested.p_values[k], tested.effects[k])
        assert attributes["family"] == tested.family_numbers[k]


def test_networks_of_nodes_are_attributes_where_they_are_known(tested):
    tested.naming.node_networks = ["V", "V", "M", "M", "M"]
    try:
        network = tested.to_networkx()
    finally:
        tested.naming.node_networks = None
    expected = dict(zip(cohort()[0].node_labels, ["V", "V", "M", "M", "M"], strict=True))
    assert {name: expected[name] for name in network.nodes} == dict(network.nodes(data="network"))


def test_an_empty_result_is_an_empty_frame_and_an_empty_network():
    noise = dg.UncertainGraphs(np.random.default_rng(1).random((20, 10)))
    result = dg.significant_subgraphs(noise, [0, 1] * 10, n_permutations=99)
    assert (len(result), len(result.to_frame()), len(result.to_networkx())) == (0, 0, 0)


def test_the_frame_of_an_evaluation_has_every_value(tmp_path):
    result = dg.evaluate(*cohort(), ["exp-hsic", "all-edges"], n_subgraphs=[3, 5], cv=dg.RandomSplits(2))
    frame = result.to_frame()
    assert len(frame) == 2 * 2 * 2
    for i, method in enumerate(result.methods):
        for j, t in enumerate(result.n_subgraphs):
            rows = frame[(frame["method"] == method) & (frame["t"] == t)].sort_values("split")
            np.testing.assert_array_equal(rows["error"], result.values("error")[i, j])
    result.save(tmp_path)
    saved = pandas.read_csv(tmp_path / "results.csv")
    assert list(frame) == list(saved)
    np.testing.assert_array_equal(frame["auc"], saved["auc"])
    assert frame["n_found"].isna().tolist() == saved["n_found"].isna().tolist()


def test_the_frame_of_a_sparse_model_has_its_coefficients():
    graphs, y = cohort()
    fitted = dg.SparseSubgraphClassifier(alpha=0.01).fit(graphs, y)
    frame = fitted.to_frame()
    assert frame["edges"].tolist() == fitted.subgraphs_
    assert frame["coefficient"].tolist() == fitted.subgraph_coef_.ravel().tolist()
    assert frame["subgraph"].tolist() == [graphs.subgraph_name(subgraph) for subgraph in fitted.subgraphs_]
    pandas.testing.assert_frame_equal(fitted.model_.to_frame(), frame.drop(columns="subgraph"))
    three = np.resize(["a", "b", "c"], 40)
    several = dg.SparseSubgraphClassifier(alpha=0.02).fit(graphs, three)
    frame = several.to_frame()
    assert set(frame["class"]) <= {"a", "b", "c"}
    for name, model in zip(several.classes_, several.models_, strict=True):
        assert frame.loc[frame["class"] == name, "edges"].tolist() == model.subgraphs
    assert not math.isnan(frame["coefficient"].sum())
