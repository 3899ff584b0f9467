"""Simulated results of many designs: for the tests of the sentences, and to look at every page.

``python tests/report/designs.py FOLDER [NAME ...]`` writes the pages.
"""

import sys
from pathlib import Path

import numpy as np

import dugraph as dg

NETWORKS = ("Visual", "Somatomotor", "Dorsal attention", "Salience", "Limbic", "Control", "Default mode")
_CENTRES = ((14, -84, 4), (36, -22, 46), (26, -56, 42), (36, 12, 4), (28, 6, -24), (36, 34, 22), (9, 44, 18))


def brain(n_graphs, rng, per_network=6, **participants):
    """Graphs without differences over regions of seven networks in both hemispheres."""
    places, names, networks = [], [], []
    for network, centre in zip(NETWORKS, _CENTRES, strict=True):
        for i in range(per_network):
            side = -1 if i % 2 == 0 else 1
            place = np.array(centre) + rng.normal(0, 6, 3)
            places.append((side * max(abs(place[0]), 4), place[1], place[2]))
            names.append(f"{'L' if side < 0 else 'R'} {network} {i // 2 + 1}")
            networks.append(network)
    n = len(places)
    edges = np.array([(v, u) for v in range(n) for u in range(v)])
    same = np.array([networks[v] == networks[u] for v, u in edges])
    base = np.where(same, 0.45, 0.12) + rng.normal(0, 0.03, len(edges))
    X = np.clip(base + rng.normal(0, 0.14, (n_graphs, len(edges))), 0.01, 0.99)
    graphs = dg.UncertainGraphs(
        X,
        edges,
        node_labels=names,
        node_coordinates=np.array(places),
        node_networks=networks,
        graph_ids=[f"sub-{i + 1:03d}" for i in range(n_graphs)],
        participants={name: np.asarray(values) for name, values in participants.items()},
    )
    return graphs, np.array(networks)


def shifted(graphs, rows, edges, by):
    """The same graphs with the probability of some edges shifted in some graphs."""
    X = np.asarray(graphs.edge_probability).copy()
    X[np.ix_(rows, edges)] += by
    return replaced(graphs, X)


def replaced(graphs, X):
    """The same graphs with other probabilities."""
    parts = {"node_labels": graphs.node_labels, "node_coordinates": graphs.node_coordinates}
    parts["node_networks"] = graphs.node_networks
    more = {"graph_ids": graphs.graph_ids, "participants": graphs.participants}
    return dg.UncertainGraphs(np.clip(X, 0.01, 0.99), graphs.edges, **parts, **more)


def _cohort(seed, n_graphs=60, per_network=6, **participants):
    rng = np.random.default_rng(seed)
    y = np.repeat(["control", "patient"], n_graphs // 2)
    sites = np.array(["Oslo", "Turku", "Gent"])[rng.integers(0, 3, n_graphs)]
    table = {"site": sites, "age": np.round(rng.normal(40, 9, n_graphs)), **participants}
    graphs, networks = brain(n_graphs, rng, per_network, **table)
    ends = networks[graphs.edges]
    within = {name: np.flatnonzero((ends == name).all(axis=1)) for name in NETWORKS}
    return graphs, y, within, rng


def _test(graphs, y, **more):
    asked = {"n_permutations": 199, "max_edges": 3, "min_expected_frequency": 0.08, **more}
    return {"result": dg.significant_subgraphs(graphs, y, **asked), "X": graphs, "y": y}


def module(n_graphs=120):
    """Two networks shifted in opposite directions: more than two thousand significant subgraphs."""
    graphs, y, within, _ = _cohort(1, n_graphs, per_network=7)
    graphs = shifted(graphs, y == "patient", within["Default mode"], -0.24)
    graphs = shifted(graphs, y == "patient", within["Salience"], 0.14)
    return _test(graphs, y, min_expected_frequency=0.022, n_permutations=99)


def three():
    """Three significant subgraphs."""
    graphs, y, within, _ = _cohort(2)
    graphs = shifted(graphs, y == "patient", within["Default mode"][:1], -0.26)
    graphs = shifted(graphs, y == "patient", within["Visual"][3:4], 0.24)
    graphs = shifted(graphs, y == "patient", within["Control"][2:3], 0.3)
    return _test(graphs, y, blocks="site", max_edges=1)


def null():
    """Nothing differs."""
    graphs, y, _, _ = _cohort(3)
    return _test(graphs, y, blocks="site")


def phenotype():
    """A score instead of classes."""
    graphs, _, within, rng = _cohort(4)
    score = np.round(rng.normal(20, 6, graphs.n_graphs), 1)
    X = np.asarray(graphs.edge_probability).copy()
    X[:, within["Limbic"][:2]] += 0.025 * (score - 20)[:, None]
    graphs = replaced(graphs, X)
    return _test(graphs, score, covariates=["age"])


def groups():
    """Three arms."""
    graphs, _, within, _ = _cohort(5)
    arm = np.array(["placebo", "low dose", "high dose"])[np.arange(graphs.n_graphs) % 3]
    graphs = shifted(graphs, arm == "high dose", within["Visual"][:2], 0.3)
    return _test(graphs, arm)


def one_site():
    """All from one scanner, with age as covariate."""
    graphs, y, within, _ = _cohort(6, site=np.repeat("Oslo", 60))
    graphs = shifted(graphs, y == "patient", within["Default mode"][:1], -0.26)
    return _test(graphs, y, covariates=["age"])


def motion():
    """Patients move more, and this was adjusted for."""
    rng = np.random.default_rng(0)
    fd = np.round(np.repeat([0.12, 0.2], 30) + rng.normal(0, 0.04, 60), 3)
    graphs, y, within, _ = _cohort(7, mean_fd=fd)
    graphs = shifted(graphs, y == "patient", within["Default mode"][:2], -0.3)
    return _test(graphs, y, covariates=["mean_fd"])


def ranking():
    """A search without a test."""
    graphs, y, within, _ = _cohort(2)
    graphs = shifted(graphs, y == "patient", within["Default mode"][:3], -0.26)
    result = dg.mine_subgraphs(graphs, y, n_subgraphs=100, max_edges=3, min_expected_frequency=0.05)
    return {"result": result, "X": graphs, "y": y}


def tested_ranking():
    """A search, a test and an evaluation on one page."""
    first = ranking()
    test = _test(first["X"], first["y"])["result"]
    methods = ["exp-hsic", "all-edges"]
    cv = dg.RandomSplits(3)
    evaluation = dg.evaluate(first["X"], first["y"], methods, n_subgraphs=[5], cv=cv)
    return {**first, "test": test, "evaluation": evaluation}


def sparse():
    """A sparse classifier."""
    graphs, y, within, _ = _cohort(2)
    graphs = shifted(graphs, y == "patient", within["Default mode"][:3], -0.26)
    model = dg.SparseSubgraphClassifier(n_nonzero=6, n_alphas=8, max_edges=2, min_expected_frequency=0.05)
    return {"result": model.fit(graphs, y), "X": graphs, "y": y}


def plain_network():
    """Nodes without coordinates."""
    one = three()
    graphs = one["X"]
    bare = dg.UncertainGraphs(
        np.asarray(graphs.edge_probability), graphs.edges, node_labels=graphs.node_labels
    )
    return {
        **one,
        "X": bare,
        "result": dg.significant_subgraphs(bare, one["y"], max_edges=1, n_permutations=199),
    }


DESIGNS = {
    function.__name__: function
    for function in (
        *(module, three, null, phenotype, groups, one_site, motion),
        *(ranking, tested_ranking, sparse, plain_network),
    )
}


def write(name, folder, design=None):
    """The page of a design, which is made if it is not given."""
    page = dict(design or DESIGNS[name]())
    cohort = page.pop("result"), page.pop("X"), page.pop("y")
    return dg.write_report(*cohort, output=Path(folder) / f"{name}.html", **page)


if __name__ == "__main__":
    for name in sys.argv[2:] or DESIGNS:
        path = write(name, sys.argv[1])
        print(path, f"{path.stat().st_size / 1e3:.0f} kB")
