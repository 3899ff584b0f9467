"""Networks of nodes: kept by selections, files, networkx, alignment and the reading of connectomes."""

import numpy as np
import pytest

import dugraph as dg
from dugraph.cli import main
from dugraph.estimators import aligned_graphs
from dugraph.exceptions import InputError

EDGES, LABELS = [(1, 0), (2, 1)], ["A", "B", "C"]


def cohort(networks=("Vis", "Default", ""), labels=LABELS, **parts):
    return dg.UncertainGraphs([[0.9, 0.8], [0.2, 0.3]], EDGES, labels, node_networks=networks, **parts)


def test_networks_are_kept(tmp_path):
    graphs = cohort()
    assert graphs.node_networks == ("Vis", "Default", "")
    assert graphs[1:].node_networks == graphs.naming.node_networks == graphs.node_networks
    assert "networks: Vis, Default" in repr(graphs)
    assert graphs != cohort(("Vis", "Vis", ""))
    dg.save_cohort(tmp_path / "c.npz", graphs)
    assert dg.load_cohort(tmp_path / "c.npz")[0] == graphs
    nodes = graphs.to_networkx()[0].nodes
    assert [nodes[name].get("network") for name in LABELS] == ["Vis", "Default", None]
    assert dg.UncertainGraphs.from_networkx(graphs.to_networkx()).node_networks == ("Vis", "Default", "")
    matrices = np.zeros((1, 3, 3))
    assert dg.UncertainGraphs.from_matrices(matrices, node_networks=["a", "b", "c"]).node_networks[2] == "c"


def test_numbers_of_networkx_are_names():
    made = cohort().to_networkx()
    for graph in made:
        for number, node in enumerate(graph.nodes):
            graph.nodes[node]["network"] = number
    assert dg.UncertainGraphs.from_networkx(made).node_networks == ("0", "1", "2")


@pytest.mark.parametrize("networks", [None, ["", "", ""]])
def test_no_networks_are_none(networks, tmp_path):
    graphs = cohort(networks)
    assert graphs.node_networks is None
    assert "networks" not in repr(graphs)
    dg.save_cohort(tmp_path / "c.npz", graphs)
    assert "node_networks" not in np.load(tmp_path / "c.npz")


def test_wrong_networks_are_refused():
    with pytest.raises(InputError) as caught:
        cohort(["Vis"])
    assert str(caught.value) == (
        "node_networks must have one name per node: got 1 name for 3 nodes. Give exactly 3 names, or leave "
        "node_networks out."
    )
    with pytest.raises(InputError, match=r"node_networks must be text or integers: node 1 is nan"):
        cohort(["Vis", float("nan"), "x"])


def test_alignment_takes_networks_by_region():
    selector = dg.SubgraphSelector(n_subgraphs=1).fit(cohort(), [1, 0])
    new = cohort(("Limbic", "Cont", "Vis"), ["C", "B", "A"], graph_ids=["x", "y"])
    assert aligned_graphs(selector, new).node_networks == ("Vis", "Cont", "Limbic")


def test_an_atlas_gives_networks(tmp_path, capsys):
    rng = np.random.default_rng(0)
    for k in range(4):
        r = np.corrcoef(rng.normal(size=(5, 30)))
        (tmp_path / "in").mkdir(exist_ok=True)
        np.savetxt(tmp_path / "in" / f"sub-{k}.csv", r, delimiter=",")
    (tmp_path / "p.csv").write_text("id,group\nsub-0,a\nsub-1,a\nsub-2,b\nsub-3,b\n")
    names = ["Vis_1", "SomMot_1", "Default_PFC_1", "Default_PFC_2"]
    lines = [*(f"7Networks_LH_{name}" for name in names), "Left-Thalamus"]
    (tmp_path / "atlas.txt").write_text("\n".join(lines) + "\n")
    out = tmp_path / "c.npz"
    asked = [tmp_path / "in", "--participants", tmp_path / "p.csv", "--positive", "a", "-o", out]
    assert main(["convert", *map(str, asked), "--atlas", str(tmp_path / "atlas.txt")]) == 0
    networks = ("Vis", "SomMot", "Default", "Default", "")
    assert dg.load_cohort(out)[0].node_networks == networks
    capsys.readouterr()
    assert main(["info", str(out)]) == 0
    assert "regions by network: Vis 1, SomMot 1, Default 2, none 1\n" in capsys.readouterr().out
