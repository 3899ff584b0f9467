"""
A subgraph in both classes
==========================

What makes a subgraph discriminative: its containment probabilities in patients and controls, the number
of graphs that contain it, its score, and its place among all edges. And do the best subgraphs carry the same
information?
"""

import matplotlib.pyplot as plt
import numpy as np

import dugraph as dg

graphs, y, planted = dg.simulate("adhd", random_state=3)
group = np.where(y == 1, "patient", "control")
result = dg.mine_subgraphs(graphs, group, n_subgraphs=40)
best = result.subgraphs[0]
print("drawn:", graphs.subgraph_name(best))

# %%
# From graphs to a score
# ----------------------
# Each graph is a dot: the probability that it contains the subgraph. The number of graphs of a class that
# contain it is random, and so is its score, a function of the two numbers. Expectation, median and mode
# summarise the score; the hatched part is the probability of at least phi.

figure, axes = plt.subplots(1, 3, figsize=(12.5, 3.4), layout="constrained")
dg.plot.plot_containment(graphs, group, best, ax=axes[0])
dg.plot.plot_support_distributions(graphs, group, best, ax=axes[1])
distribution = dg.score_distribution(graphs, group, best, "hsic")
print(
    f"expected HSIC {distribution.expectation():.4f}, at least 0.01: {distribution.phi_probability(0.01):.3f}"
)
dg.plot.plot_score_distribution(distribution, phi=0.01, ax=axes[2])

# %%
# Among all edges
# ---------------
# The difference between the classes in every edge, ordered by lobe; squares mark the edges of the ten best
# subgraphs. Single edges differ little: a subgraph joins those that differ together.

figure, ax = plt.subplots(figsize=(6, 5), layout="constrained")
dg.plot.plot_group_difference(graphs, group, result.subgraphs[:10], ax=ax)

# %%
# Which subgraphs carry the same information?
# -------------------------------------------
# Light blocks are subgraphs with nearly the same features. The union shows what they have in common.

figure, axes = plt.subplots(1, 2, figsize=(11, 4.5), layout="constrained")
dg.plot.plot_redundancy(graphs, result.subgraphs, ax=axes[0])
dg.plot.plot_subgraph_union(graphs, result.subgraphs, ax=axes[1])
plt.show()
