"""
A symptom score, and what the site has to do with it
====================================================

Subgraphs ranked by a continuous phenotype, unadjusted and adjusted for a covariate. Symptoms depend on one
planted subgraph; they are also worse at one site, whose scanner sees two connections better than the others.
"""

import matplotlib.pyplot as plt
import numpy as np

import dugraph as dg

simulated, _, planted = dg.simulate("adhd", n_graphs=80, random_state=1)
rng = np.random.default_rng(0)
site = np.array(["Berlin", "Lyon", "Oslo"])[rng.integers(0, 3, 80)]
truth = dg.containment_probability(simulated, planted[0])
symptoms = 10 + 12 * truth + 15 * (site == "Lyon") + rng.normal(scale=2, size=80)
names = [simulated.edge_name(edge) for edge in range(simulated.n_edges)]
X = simulated.edge_probability.copy()
for name in ("Calcarine_L--Calcarine_R", "Calcarine_L--Cuneus_L"):
    X[:, names.index(name)] = np.where(site == "Lyon", 0.95, 0.3)
graphs = dg.UncertainGraphs(X, node_labels=simulated.node_labels, participants={"site": site})

# %%
# Unadjusted and adjusted
# -----------------------
# Unadjusted, the scanner comes first. Adjusted for the site, the subgraph on which symptoms depend does.

plain = dg.mine_subgraphs(graphs, symptoms, n_subgraphs=5)
adjusted = dg.mine_subgraphs(graphs, symptoms, covariates="site", n_subgraphs=5)
print("unadjusted:", plain.names[0])
print("adjusted:", adjusted.names[0], "(planted)" if adjusted.subgraphs[0] == planted[0] else "")
print(f"slope: {adjusted.effects[0]:.3f} per point")

# %%
# The slopes
# ----------
# Each graph is a dot. On the right, what the site explains is removed from both axes, and the slope of the
# scanner's subgraph disappears with it.

figure, axes = plt.subplots(2, 2, figsize=(9, 6.5), layout="constrained")
for row, subgraph in zip(axes, (plain.subgraphs[0], adjusted.subgraphs[0]), strict=True):
    dg.plot.plot_phenotype(graphs, symptoms, subgraph, name="symptoms", ax=row[0])
    dg.plot.plot_phenotype(graphs, symptoms, subgraph, covariates="site", name="symptoms", ax=row[1])
    row[0].set_title(graphs.subgraph_name(subgraph), fontsize="small", loc="left")

# %%
# Groups
# ------
# The three sites are groups like any others: the scanner distinguishes them.

found = dg.mine_subgraphs(graphs, site, n_subgraphs=1)
print("sites:", found.names[0])
dg.plot.plot_containment(graphs, site, found.subgraphs[0])
plt.show()
