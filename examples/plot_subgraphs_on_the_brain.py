"""
Subgraphs on the brain
======================

Where are the regions that a search found? Seen from above and from the side, the best ones all together, as a
network, and in a brain that you can rotate.
"""

import matplotlib.pyplot as plt

import dugraph as dg

graphs, y, planted = dg.simulate("adhd", random_state=3)
result = dg.mine_subgraphs(graphs, y, n_subgraphs=30)
best = max(result.subgraphs, key=len)
print("drawn:", graphs.subgraph_name(best))

# %%
# One subgraph, and many
# ----------------------
# Every plotting function draws into the axes it is given and returns them. Without nilearn the outline is
# that of all regions; without coordinates, or with ``view="network"``, the drawing is a network layout.
# In a union, the more subgraphs contain an edge, the wider and darker it is.

figure, axes = plt.subplots(2, 2, figsize=(9, 6.5), layout="constrained")
dg.plot.plot_subgraph(graphs, best, ax=axes[0, 0]).set_title("one subgraph, from above")
dg.plot.plot_subgraph(graphs, best, view="right", ax=axes[0, 1]).set_title("the same, from the right")
dg.plot.plot_subgraph_union(graphs, result.subgraphs, top=30, ax=axes[1, 0]).set_title("the best 30")
dg.plot.plot_subgraph(graphs, best, view="network", ax=axes[1, 1]).set_title("as a network")

# %%
# In three dimensions
# -------------------
# A page for the browser, with the names of the regions at their places. In a notebook, ``view`` as the
# last line of a cell shows it.

view = dg.plot.view_subgraph(graphs, result.subgraphs[:30])
print(f"a page of {len(view.html) / 1e6:.1f} MB; view.open_in_browser() shows it")
plt.show()
