"""
Which differences are real
==========================

A ranking has a first place in every cohort, even where nothing differs. A test of all connected subgraphs at
once says which of them really differ. Here three planted subgraphs differ between the classes, and patients
are scanned more often at one of two sites.
"""

import matplotlib.pyplot as plt
import numpy as np

import dugraph as dg

# %%
# A cohort of two sites
# ---------------------
# One edge is more frequent at site B, whatever the class.

simulated, y, planted = dg.simulate("adhd", n_graphs=120, random_state=3)
random = np.random.default_rng(0)
site = np.where(random.random(120) < np.where(y == 1, 0.8, 0.2), "B", "A")
X = simulated.edge_probability.copy()
edge = next(e for e in range(simulated.n_edges) if X[:, e].mean() > 0.4 and not any(e in g for g in planted))
X[:, edge] = np.where(site == "B", 0.9, 0.1)
graphs = dg.UncertainGraphs(
    X,
    simulated.edges,
    simulated.node_labels,
    node_coordinates=simulated.node_coordinates,
    participants={"site": site},
)

# %%
# Permuting labels within sites
# -----------------------------
# A free test mistakes the difference between the sites for one between the classes; within sites it is gone.

free = dg.significant_subgraphs(graphs, y, min_expected_frequency=0.25)
within = dg.significant_subgraphs(graphs, y, blocks="site", min_expected_frequency=0.25)
for name, result in {"free": free, "within sites": within}.items():
    found = sum(subgraph in result.subgraphs for subgraph in planted)
    print(
        f"{name}: {len(result)} significant, {found} of {len(planted)} planted subgraphs among them; "
        f"the edge of the site is {'' if (edge,) in result.subgraphs else 'not '}significant"
    )
print(within.message)

# %%
# What chance alone produces, and what is left
# --------------------------------------------

figure, axes = plt.subplots(1, 2, figsize=(11, 4), layout="constrained")
dg.plot.plot_null_maxima(within, ax=axes[0])
dg.plot.plot_significant_subgraphs(within, ax=axes[1])
plt.show()

# %%
# Are they confirmed in other subjects?
# -------------------------------------
# Subgraphs are found in one half of the cohort and tested in the other. On the left are both effects of each
# subgraph, on the right those of the first one at each site. The effects of the first half are inflated by
# selection.

halves = dg.find_and_replicate(graphs, y, holdout=0.5, blocks="site", min_expected_frequency=0.25)
print(halves)
figure, axes = plt.subplots(1, 2, figsize=(11, 4), layout="constrained")
dg.plot.plot_replication(halves, ax=axes[0])
dg.plot.plot_replication(halves, 0, ax=axes[1])
plt.show()

# %%
# Does the answer depend on the settings?
# ---------------------------------------
# The same question under other statistics and limits on the expected frequency: an exploration, which shows
# the edges that do not depend on such a choice.

sensitivity = dg.sensitivity_analysis(
    graphs, y, blocks="site", min_expected_frequencies=[0.3, 0.25], statistics=["z", "difference", "t"]
)
print(sensitivity.message)
figure, axes = plt.subplots(1, 2, figsize=(11, 4), layout="constrained")
dg.plot.plot_sensitivity(sensitivity, ax=axes[0])
dg.plot.plot_sensitivity(sensitivity, edges=True, ax=axes[1])
plt.show()

# %%
# How many graphs does a test need?
# ---------------------------------
# The effects in the second half are free of selection, so they may be planned with. The dashed line is the
# probability that the subgraph is frequent enough to be tested.

power = dg.power_analysis(graphs, n_edges=2, frequencies=(0.5, 0.25), min_expected_frequency=0.25)
print(power)
figure, axes = plt.subplots(1, 2, figsize=(11, 4), layout="constrained")
dg.plot.plot_power(power, ax=axes[0])
dg.plot.plot_power(power, detectable=True, ax=axes[1])
plt.show()
