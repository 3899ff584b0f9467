"""`dugraph transform`: the API's numbers, graphs in any order of nodes, what is missing is named."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from exact_tables import read_csv

from dugraph import SubgraphSelector, UncertainGraphs, load_cohort, load_result, save_cohort
from dugraph.cli import main


@pytest.fixture
def model(make_cohort, tmp_path):
    path = make_cohort()
    assert main(["mine", path, "--n-subgraphs", "4", "-o", str(tmp_path / "out")]) == 0
    return str(tmp_path / "out" / "model.json")


@pytest.fixture
def new(tmp_path):
    """Graphs that the model has not seen, and the file that holds them."""
    rng = np.random.default_rng(5)
    graphs = UncertainGraphs(
        rng.random((6, 10)),
        node_labels=[f"region-{i}" for i in range(5)],
        graph_ids=[f"00{i}" for i in range(6)],
    )
    save_cohort(tmp_path / "new.npz", graphs)
    return graphs, str(tmp_path / "new.npz")


def shuffled(graphs):
    """The same graphs with nodes, edges and ends of edges in another order, and one more node."""
    rng = np.random.default_rng(1)
    order = rng.permutation(graphs.n_nodes + 1)  # new number of each node
    labels = [None] * len(order)
    for node, label in enumerate([*graphs.node_labels, "another"]):
        labels[order[node]] = label
    columns = rng.permutation(graphs.n_edges)
    edges = [*order[graphs.edges[columns]].tolist(), [int(order[0]), int(order[-1])]]
    probability = np.column_stack([graphs.edge_probability[:, columns], np.full(graphs.n_graphs, 0.5)])
    return UncertainGraphs(probability, edges=edges, node_labels=labels, graph_ids=graphs.graph_ids)


def read(path):
    if str(path).endswith("parquet"):
        return pd.read_parquet(path)
    return read_csv(path, dtype={"graph_id": str})


@pytest.mark.parametrize("suffix", ["csv", "parquet", "CSV"])
def test_the_numbers_are_those_of_the_api(suffix, model, new, tmp_path, capsys):
    graphs, path = new
    table = tmp_path / f"features.{suffix}"
    assert main(["transform", model, path, "-o", str(table)]) == 0
    assert capsys.readouterr().out.endswith(f"features.{suffix}: 6 graphs, 4 subgraphs\n")
    frame = read(table.rename(str(table).lower()))
    selector = SubgraphSelector.from_json(model)
    assert list(frame) == ["graph_id", *selector.get_feature_names_out()]
    assert frame["graph_id"].tolist() == [f"00{i}" for i in range(6)]
    np.testing.assert_array_equal(frame.iloc[:, 1:].to_numpy(), selector.transform(graphs))


def test_another_order_of_nodes_gives_the_same_bytes(model, new, tmp_path):
    save_cohort(tmp_path / "shuffled.npz", shuffled(new[0]))
    for name in ("new", "shuffled"):
        assert (
            main(["transform", model, str(tmp_path / f"{name}.npz"), "-o", str(tmp_path / f"{name}.csv")])
            == 0
        )
    assert (tmp_path / "new.csv").read_bytes() == (tmp_path / "shuffled.csv").read_bytes()


def test_classes_are_the_second_column(model, make_cohort, tmp_path):
    assert main(["transform", model, make_cohort(), "-o", str(tmp_path / "f.csv")]) == 0
    assert (tmp_path / "f.csv").read_bytes() == (tmp_path / "out" / "features.csv").read_bytes()
    _, y = load_cohort(make_cohort())
    assert read(tmp_path / "f.csv")["class"].tolist() == y.tolist()


def test_a_selector_of_the_api_fitted_on_a_frame(new, tmp_path, recwarn):
    graphs, path = new
    frame = pd.DataFrame(np.random.default_rng(2).random((8, 10)), columns=[f"e{i}" for i in range(10)])
    selector = SubgraphSelector(node_labels=graphs.node_labels, n_subgraphs=3).fit(frame, [0, 1] * 4)
    selector.to_json(tmp_path / "own.json")
    recwarn.clear()  # the fit warns of columns that do not name their edges
    assert main(["transform", str(tmp_path / "own.json"), path, "-o", str(tmp_path / "f.csv")]) == 0
    assert not recwarn.list  # scikit-learn would warn of missing names of columns
    expected = selector.transform(pd.DataFrame(graphs.edge_probability, columns=frame.columns))
    np.testing.assert_array_equal(read(tmp_path / "f.csv").iloc[:, 1:].to_numpy(), expected)


@pytest.fixture
def tested(make_cohort, tmp_path):
    """The folder of a test, without its cohort file."""
    graphs, y = load_cohort(make_cohort())
    strong = np.where(y[:, None] == "patient", 0.9, 0.1) * np.ones((1, 3))
    X = np.column_stack([strong, graphs.edge_probability[:, 3:]])
    cohort = UncertainGraphs(X, graphs.edges, graphs.node_labels, graph_ids=graphs.graph_ids)
    save_cohort(tmp_path / "tested.npz", cohort, y)
    folder = tmp_path / "test"
    assert main(["test", str(tmp_path / "tested.npz"), "--n-permutations", "99", "-o", str(folder)]) == 0
    result = load_result(folder).result
    (tmp_path / "tested.npz").unlink()
    return folder, result


def test_the_folder_of_a_test_gives_its_irreducible_subgraphs(tested, new, tmp_path):
    (folder, result), (graphs, path) = tested, new
    assert 0 < result.irreducible.sum() < len(result)
    assert main(["transform", str(folder), path, "-o", str(tmp_path / "f.csv")]) == 0
    frame = read(tmp_path / "f.csv").set_index("graph_id")
    chosen = [g for g, kept in zip(result.subgraphs, result.irreducible, strict=True) if kept]
    assert list(frame) == result.naming.subgraph_names(chosen)
    expected = np.column_stack([graphs.edge_probability[:, list(g)].prod(axis=1) for g in chosen])
    np.testing.assert_allclose(frame.to_numpy(), expected, rtol=1e-15)
    save_cohort(tmp_path / "shuffled.npz", shuffled(graphs))
    assert (
        main(["transform", str(folder), str(tmp_path / "shuffled.npz"), "-o", str(tmp_path / "g.csv")]) == 0
    )
    np.testing.assert_array_equal(read(tmp_path / "g.csv").set_index("graph_id"), frame)


def test_a_test_without_findings_has_no_features(make_cohort, new, tmp_path, refused):
    asked = ["--n-permutations", "19", "--alpha", "0.05", "--min-expected-frequency", "0.9"]
    folder, path = str(tmp_path / "test"), make_cohort()
    graphs, y = load_cohort(path)
    same = UncertainGraphs(np.full(graphs.shape, 0.95), graphs.edges, graphs.node_labels)
    save_cohort(path, same, y)
    main(["test", path, *asked, "--max-edges", "1", "-o", folder])
    assert "the test found no significant subgraph, so there are no features." in refused(
        "transform", folder, new[1], "-o", str(tmp_path / "f.csv")
    )


def test_the_folder_of_a_search_is_its_model(model, new, tmp_path):
    for given, table in ((model, "a.csv"), (str(Path(model).parent), "b.csv")):
        assert main(["transform", given, new[1], "-o", str(tmp_path / table)]) == 0
    assert (tmp_path / "a.csv").read_bytes() == (tmp_path / "b.csv").read_bytes()
