"""
Leaving one site out
====================

With several scanners, a model should be judged on sites that it did not see in training. ``LeaveOneGroupOut``
does this; the subgraphs are mined only on the other sites.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.model_selection import LeaveOneGroupOut, cross_validate

import dugraph as dg

graphs, y, _ = dg.simulate("adhd", n_graphs=120, random_state=2)

# %%
# Four sites; the scanner of the third blurs every edge.

rng = np.random.default_rng(0)
site = rng.permutation(np.arange(len(y)) % 4)
X = graphs.edge_probability.copy()
X[site == 2] *= 0.8

# %%
# One fit per site left out
# -------------------------

method = dg.evaluation.make_method("exp-hsic", n_subgraphs=50, node_labels=graphs.node_labels)
outcome = cross_validate(method, X, y, cv=LeaveOneGroupOut(), groups=site, return_estimator=True)
for name, accuracy in enumerate(outcome["test_score"]):
    print(f"site {name} left out: accuracy {accuracy:.2f}")

# %%
# Subgraphs that every fit finds do not depend on one site.

selected = [set(fitted["selector"].get_feature_names_out()) for fitted in outcome["estimator"]]
common = set.intersection(*selected)
print(f"{len(common)} of 50 subgraphs are found whichever site is left out, such as")
for name in sorted(common, key=len)[:3]:
    print(" ", name)

figure, axis = plt.subplots(figsize=(5, 3), layout="constrained")
axis.bar([f"site {name}" for name in range(4)], outcome["test_score"])
axis.axhline(0.5, color="black", linestyle=":", label="chance")
axis.set(ylabel="accuracy", title="tested on the site left out", ylim=(0, 1))
axis.legend()
plt.show()
