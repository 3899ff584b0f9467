"""
Your own score function
=======================

Any function of the two supports can be the score: how many positive graphs contain a subgraph (``a`` of
``p``), and how many negative ones (``b`` of ``q``). It is tabulated once, so it may be slow, and the search
stays exact.
"""

import matplotlib.pyplot as plt
import numpy as np

import dugraph as dg

graphs, y, planted = dg.simulate("adhd", n_graphs=100, random_state=3)

# %%
# Youden's index
# --------------
# Sensitivity plus specificity minus one for the rule "positive if the subgraph is present", written with
# NumPy operations, because ``a`` and ``b`` are arrays.


def youden(a, b, p, q):
    """Share of positive graphs with the subgraph minus share of negative ones."""
    return a / p - b / q


own = dg.SubgraphSelector(score_func=youden, n_subgraphs=20).fit(graphs, y)
print(own.result_)

# %%
# Its expectation has a closed form, the difference between the mean containment probabilities: a check of the
# search.

features = own.transform(graphs)
difference = features[y == 1].mean(axis=0) - features[y == 0].mean(axis=0)
np.testing.assert_allclose(own.values_, difference, rtol=1e-9)

# %%
# The same subgraphs under HSIC, which is two-sided: subgraphs typical of controls count too.

hsic = dg.SubgraphSelector(n_subgraphs=20).fit(graphs, y)
print(len(set(own.subgraphs_) & set(hsic.subgraphs_)), "of 20 subgraphs are in both lists")

figure, axis = plt.subplots(figsize=(5, 3), layout="constrained")
axis.plot(np.arange(1, 21), own.values_, "o-")
axis.set(xlabel="rank", ylabel="expected Youden index")
plt.show()
