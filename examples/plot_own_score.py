"""
A score function of one's own
=============================

Any function of the two supports can be the score: in how many positive graphs a subgraph is (``a`` of ``p``),
and in how many negative ones (``b`` of ``q``). It is tabulated once, so it may be as slow as it likes, and
the search stays exact.
"""

import matplotlib.pyplot as plt
import numpy as np

import dugraph as dg

graphs, y, planted = dg.simulate("adhd", n_graphs=100, random_state=3)

# %%
# Youden's index
# --------------
# Sensitivity plus specificity minus one of the rule "positive, if the subgraph is there", written with NumPy
# operations, since ``a`` and ``b`` are arrays.


def youden(a, b, p, q):
    """Share of positive graphs with the subgraph minus share of negative ones."""
    return a / p - b / q


own = dg.SubgraphSelector(score_func=youden, n_subgraphs=20).fit(graphs, y)
print(own.result_)

# %%
# Its expectation is known in closed form, the difference of the mean containment probabilities: a test of
# the search.

features = own.transform(graphs)
difference = features[y == 1].mean(axis=0) - features[y == 0].mean(axis=0)
np.testing.assert_allclose(own.values_, difference, rtol=1e-9)

# %%
# The same subgraphs under HSIC, which is two-sided: those that are typical for controls count too.

hsic = dg.SubgraphSelector(n_subgraphs=20).fit(graphs, y)
print(len(set(own.subgraphs_) & set(hsic.subgraphs_)), "of 20 subgraphs are in both lists")

figure, axis = plt.subplots(figsize=(5, 3), layout="constrained")
axis.plot(np.arange(1, 21), own.values_, "o-")
axis.set(xlabel="rank", ylabel="expected Youden index")
plt.show()
