"""
Figures for a paper
===================

A test of a simulated cohort as a journal prints it: views of the brain, families one by one, a matrix and a
circle of regions, in one or two columns, as PDF or SVG.
"""

import matplotlib.pyplot as plt
import numpy as np

import dugraph as dg

# %%
# A cohort with differences in both directions
# --------------------------------------------
# The planted subgraphs are more frequent in patients. The values of one of them are exchanged between the
# classes. Regions have networks, here the lobes of the AAL atlas.

simulated, y, planted = dg.simulate("adhd", n_graphs=120, random_state=3)
X = simulated.edge_probability.copy()
patients, controls = np.flatnonzero(y == 1), np.flatnonzero(y == 0)
group = np.where(y == 1, "patient", "control")
for edge in planted[1]:
    X[patients, edge], X[controls, edge] = X[controls, edge], X[patients, edge]
graphs = dg.UncertainGraphs(
    X,
    simulated.edges,
    simulated.node_labels,
    node_coordinates=simulated.node_coordinates,
    node_networks=simulated.node_networks,
)
result = dg.significant_subgraphs(graphs, group, min_expected_frequency=0.25)
print(f"{len(result)} significant subgraphs in {len(result.families)} families")

# %%
# Views of the brain
# ------------------
# The result carries the names, places and networks of its regions. Views from the left and right show the
# edges with an end in their hemisphere.

dg.plot.subgraph_figure(result, family="all", width="two")

# %%
# One panel for each family
# -------------------------
# Wide lines are the edges of the representative, thin ones those of its variants.

dg.plot.subgraph_figure(result, family="each", width="two")

# %%
# Large results
# -------------
# A matrix or a circle of regions shows all edges of irreducible subgraphs, ordered by network.

dg.plot.subgraph_figure(result, kind="matrix")
circle = dg.plot.subgraph_figure(result, kind="chord")

# %%
# Files
# -----
# ``dg.plot.save_figure(circle, "figure-2.pdf")`` writes PDF, SVG or PNG. Text stays text, and the width is
# that of the column: 88 or 180 mm.

print(f"{circle.get_figwidth() * 25.4:.0f} mm wide")
plt.show()
