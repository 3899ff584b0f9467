"""`dugraph simulate`."""

import json

from dugraph import load_cohort, simulate
from dugraph.cli import main


def test_the_cohort_and_its_planted_subgraphs(tmp_path, capsys):
    path = tmp_path / "c.npz"
    arguments = ["simulate", "--like", "hiv", "--n-graphs", "10", "--n-planted", "2", "--effect", "0.9"]
    assert main([*arguments, "--random-state", "5", "-o", str(path)]) == 0
    assert capsys.readouterr().out.count("\n") == 2
    expected = simulate("hiv", n_graphs=10, n_planted=2, effect=0.9, random_state=5)
    graphs, y = load_cohort(path)
    assert graphs == expected.graphs
    assert y.tolist() == expected.y.tolist()
    record = json.loads((tmp_path / "c.planted.json").read_text())
    assert [tuple(subgraph["edge_index"]) for subgraph in record["planted"]] == expected.planted
    assert record["planted"][0]["edges"] == [graphs.edge_name(edge) for edge in expected.planted[0]]
    assert record["simulated_with"]["random_state"] == 5
    first = path.read_bytes()
    assert main([*arguments, "--random-state", "5", "-o", str(path)]) == 0
    assert path.read_bytes() == first
