"""
Comparisons and studies
=======================

The paper's questions on a small cohort: which method makes the fewest errors, does the number of subgraphs
matter, how should phi be chosen, what does pruning save, and how does time grow with the number of graphs?
"""

import matplotlib.pyplot as plt

import dugraph as dg
from dugraph.evaluation import phi_study, pruning_study, scaling_study

graphs, y, _ = dg.simulate("adhd", n_graphs=80, random_state=0)
protocol = {"n_subgraphs": [5, 10, 20, 40], "n_splits": 6, "random_state": 0}

# %%
# Methods
# -------
# Error and F1 against the number of subgraphs t, and average ranks: a bar joins methods within the
# critical difference of each other. Six splits are too few to separate many.

methods = ["exp-hsic", "med-hsic", "phi-hsic", "exp-frequency_ratio", "exp-freq"]
result = dg.evaluate_methods(graphs, y, methods=methods, **protocol)
print(result)
figure, axes = plt.subplots(1, 3, figsize=(12.5, 3.4), layout="constrained")
dg.plot.plot_metric(result, metric="error", ax=axes[0])
dg.plot.plot_metric(result, metric="f1", ax=axes[1])
dg.plot.plot_ranks(result, ax=axes[2])

# %%
# Studies
# -------
# Those of ``dugraph sweep``, in the little time that an example has. A hollow mark would mean that a search
# was stopped by its time limit.

studies = [
    phi_study(graphs, y, phis=[0.01, 0.02, 0.03, 0.04], **protocol),
    pruning_study(graphs, y, min_expected_frequencies=[0.5, 0.4, 0.3, 0.2], time_limit=2.0),
    scaling_study(graphs, y, n_graphs=[4, 8, 12, 20, 40], time_limit=0.5),
]
figure, axes = plt.subplots(1, 3, figsize=(12.5, 3.4), layout="constrained")
dg.plot.plot_phi_study(studies[0], ax=axes[0])
dg.plot.plot_pruning_study(studies[1], work="n_evaluated", ax=axes[1])
dg.plot.plot_scaling_study(studies[2], ax=axes[2])
plt.show()
