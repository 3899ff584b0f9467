"""
Comparison of methods
=====================

Which method makes the fewest errors on a small cohort, and does the number of subgraphs matter? The paper's
studies of phi, of pruning and of the number of graphs are scripts in the folder ``examples/paper``.
"""

import matplotlib.pyplot as plt

import dugraph as dg

graphs, y, _ = dg.simulate("adhd", n_graphs=80, random_state=0)

# %%
# Methods on the same splits
# --------------------------
# Error and F1 against the number of subgraphs t, and average ranks: a bar joins methods within the
# critical difference of each other. Six splits are too few to separate many.

methods = ["exp-hsic", "med-hsic", "phi-hsic", "exp-frequency_ratio", "exp-freq"]
result = dg.evaluate(graphs, y, methods, n_subgraphs=[5, 10, 20, 40], cv=dg.RandomSplits(6))
print(result)
figure, axes = plt.subplots(1, 3, figsize=(12.5, 3.4), layout="constrained")
dg.plot.plot_metric(result, metric="error", ax=axes[0])
dg.plot.plot_metric(result, metric="f1", ax=axes[1])
dg.plot.plot_ranks(result, ax=axes[2])
plt.show()
