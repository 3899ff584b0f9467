"""
A few subgraphs that complement each other
==========================================

A sparse classifier chooses, out of all connected subgraphs, a few that together separate the classes. Here
the classes differ only in the joint presence of edges: no single edge carries any information.
"""

import matplotlib.pyplot as plt
import numpy as np

import dugraph as dg

# %%
# Edges that matter only together
# -------------------------------
# Two neighbouring edges are each high in half of the graphs of either class. In patients both are high or
# both are low, in controls exactly one is high; the other 26 edges are noise.


def joint_presence(random, n):
    """Probabilities of 28 edges between 8 regions, in `n` graphs, and their classes."""
    y = np.tile([1, 0], n // 2)
    X = 0.2 + 0.6 * random.random((n, 28))
    for label in (0, 1):
        members = np.flatnonzero(y == label)
        high = random.permutation(np.arange(len(members)) % 2 == 0)
        X[members, 0] = np.where(high, 0.9, 0.1)
        X[members, 1] = np.where(high == bool(label), 0.9, 0.1)
    return X, y


random = np.random.default_rng(0)
(X, y), (X_new, y_new) = joint_presence(random, 80), joint_presence(random, 400)
for edge in (0, 1):
    print(
        f"mean of edge {edge}: patients {X[y == 1, edge].mean():.2f}, controls {X[y == 0, edge].mean():.2f}"
    )

# %%
# The penalty, by cross-validation
# --------------------------------
# With one edge per subgraph there is nothing to learn; with all connected subgraphs there is.

settings = {"node_labels": list("ABCDEFGH"), "min_expected_frequency": 0.05, "n_alphas": 12, "cv": 4}
single = dg.SparseSubgraphClassifier(**settings, max_edges=1).fit(X, y)
together = dg.SparseSubgraphClassifier(**settings, max_edges=3).fit(X, y)
print(f"accuracy on new graphs: single edges {single.score(X_new, y_new):.2f}")
print(f"accuracy on new graphs: connected subgraphs {together.score(X_new, y_new):.2f}")
print(together.model_)

figure, axes = plt.subplots(1, 2, figsize=(10, 3.6), layout="constrained")
dg.plot.plot_sparse_path(together, ax=axes[0])
dg.plot.plot_coefficients(together, top=8, ax=axes[1])
plt.show()
