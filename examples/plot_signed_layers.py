"""
Negative as well as positive correlations
=========================================

Anticorrelation is information: ``layers="signed"`` gives every pair of regions a negative and a positive
link, so a subgraph may contain both kinds.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.model_selection import StratifiedKFold, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.svm import SVC

import dugraph as dg

# %%
# Series of 8 regions
# -------------------
# In patients region B is anticorrelated with A, in controls correlated. In patients D is anticorrelated with
# C, in controls the two are unrelated.

rng = np.random.default_rng(0)
labels = list("ABCDEFGH")
y = np.repeat([1, 0], 40)
series = []
for patient in y:
    one = rng.standard_normal((60, 8))
    one[:, 1] += (-0.2 if patient else 0.2) * one[:, 0]
    one[:, 3] += (-0.3 if patient else 0.0) * one[:, 2]
    series.append(one)

# %%
# Three ways to probabilities
# ---------------------------
# "absolute" cannot see the first difference, since A--B is equally strong in both classes; "positive" drops
# negative values, so it sees little of the second.

r = np.array([np.corrcoef(one.T)[np.tril_indices(8, -1)] for one in series])
ways = {
    "absolute": (dg.EdgeProbability("absolute"), None),
    "positive": (dg.EdgeProbability("positive"), None),
    "signed": (dg.EdgeProbability("positive", layers="signed"), "signed"),
}
folds = StratifiedKFold(5, shuffle=True, random_state=0)
accuracy = {}
for name, (mapping, layers) in ways.items():
    selector = dg.SubgraphSelector(
        edge_layers=layers,
        node_labels=labels,
        n_subgraphs=10,
        min_expected_frequency=0.02,
        max_edges=3,
        max_correlation=0.8,
    )
    pipeline = make_pipeline(mapping, selector, SVC(kernel="linear", C=10))
    accuracy[name] = cross_val_score(pipeline, r, y, cv=folds)
    best = pipeline.fit(r, y)[1].get_feature_names_out()[:3]
    print(f"{name}: accuracy {accuracy[name].mean():.2f}, best subgraphs {', '.join(best)}")

# %%
figure, axis = plt.subplots(figsize=(5, 3), layout="constrained")
for place, values in enumerate(accuracy.values()):
    axis.plot(place + np.linspace(-0.1, 0.1, 5), values, "o", color="#0072B2")
    axis.hlines(values.mean(), place - 0.25, place + 0.25, color="#D55E00")
axis.axhline(0.5, color="0.6", linestyle=":")
axis.set_xticks(range(len(accuracy)), list(accuracy))
axis.set(ylabel="accuracy in 5 folds, and mean", ylim=(0.4, 1.04))
plt.show()
