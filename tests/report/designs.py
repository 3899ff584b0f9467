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


def with_probabilities(graphs, X):
    """The same graphs with other probabilities."""
    parts = ("node_labels", "node_coordinates", "node_networks", "graph_ids", "participants")
    same = {name: getattr(graphs, name) for name in parts}
    return dg.UncertainGraphs(np.clip(X, 0.01, 0.99), graphs.edges, **same)


def _cohort(seed, shifts=(), n_graphs=60, per_network=6, y=None, **participants):
    """Graphs with shifts of some edges: each as (network, edges of this network, class, size)."""
    rng = np.random.default_rng(seed)
    y = np.repeat(["control", "patient"], n_graphs // 2) if y is None else y
    sites = np.array(["Oslo", "Turku", "Gent"])[rng.integers(0, 3, n_graphs)]
    table = {"site": sites, "age": np.round(rng.normal(40, 9, n_graphs)), **participants}
    graphs, networks = brain(n_graphs, rng, per_network, **table)
    X = np.asarray(graphs.edge_probability).copy()
    for network, edges, group, size in shifts:
        within = np.flatnonzero((networks[graphs.edges] == network).all(axis=1))[edges]
        X[np.ix_(y == group, within)] = np.clip(X[np.ix_(y == group, within)] + size, 0.01, 0.99)
    return (with_probabilities(graphs, X) if shifts else graphs), y, networks, rng


def _test(graphs, y, **more):
    asked = {"n_permutations": 199, "max_edges": 3, "min_expected_frequency": 0.08, **more}
    return {"result": dg.significant_subgraphs(graphs, y, **asked), "X": graphs, "y": y}


DEFAULT = ("Default mode", slice(1), "patient", -0.26)
THREE = [DEFAULT, ("Visual", slice(3, 4), "patient", 0.24), ("Control", slice(2, 3), "patient", 0.3)]
RANKED = ("Default mode", slice(3), "patient", -0.26)


def module():
    """Two networks shifted in opposite directions: more than two thousand significant subgraphs."""
    shifts = [("Default mode", slice(None), "patient", -0.24), ("Salience", slice(None), "patient", 0.14)]
    graphs, y, *_ = _cohort(1, shifts, n_graphs=120, per_network=7)
    return _test(graphs, y, min_expected_frequency=0.022, n_permutations=99)


def three():
    """Three significant subgraphs."""
    return _test(*_cohort(2, THREE)[:2], blocks="site", max_edges=1)


def null():
    """Nothing differs."""
    return _test(*_cohort(3)[:2], blocks="site")


def phenotype():
    """A score instead of classes."""
    graphs, _, networks, rng = _cohort(4)
    score = np.round(rng.normal(20, 6, graphs.n_graphs), 1)
    X = np.asarray(graphs.edge_probability).copy()
    within = np.flatnonzero((networks[graphs.edges] == "Limbic").all(axis=1))
    X[:, within[:2]] += 0.025 * (score - 20)[:, None]
    return _test(with_probabilities(graphs, X), score, covariates=["age"])


def groups():
    """Three arms."""
    arm = np.array(["placebo", "low dose", "high dose"])[np.arange(60) % 3]
    return _test(*_cohort(5, [("Visual", slice(2), "high dose", 0.3)], y=arm)[:2])


def one_site():
    """All from one scanner, with age as covariate."""
    return _test(*_cohort(6, [DEFAULT], site=np.repeat("Oslo", 60))[:2], covariates=["age"])


def motion():
    """Patients move more, and this was adjusted for."""
    fd = np.repeat([0.12, 0.2], 30) + np.random.default_rng(0).normal(0, 0.04, 60)
    shifts = [("Default mode", slice(2), "patient", -0.3)]
    return _test(*_cohort(7, shifts, mean_fd=np.round(fd, 3))[:2], covariates=["mean_fd"])


def ranking():
    """A search without a test."""
    graphs, y, *_ = _cohort(2, [RANKED])
    result = dg.mine_subgraphs(graphs, y, n_subgraphs=100, max_edges=3, min_expected_frequency=0.05)
    return {"result": result, "X": graphs, "y": y}


def tested_ranking():
    """A search, a test and an evaluation on one page."""
    first = ranking()
    cohort = first["X"], first["y"]
    evaluation = dg.evaluate(*cohort, ["exp-hsic", "all-edges"], n_subgraphs=[2, 5], cv=dg.RandomSplits(3))
    return {**first, "test": _test(*cohort)["result"], "evaluation": evaluation}


def sparse():
    """A sparse classifier."""
    graphs, y, *_ = _cohort(2, [RANKED])
    model = dg.SparseSubgraphClassifier(n_nonzero=6, n_alphas=8, max_edges=2, min_expected_frequency=0.05)
    return {"result": model.fit(graphs, y), "X": graphs, "y": y}


def plain_network():
    """Nodes without coordinates."""
    graphs, y, *_ = _cohort(2, THREE)
    X = np.asarray(graphs.edge_probability)
    bare = dg.UncertainGraphs(X, graphs.edges, node_labels=graphs.node_labels)
    return {"result": dg.significant_subgraphs(bare, y, max_edges=1, n_permutations=199), "X": bare, "y": y}


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
