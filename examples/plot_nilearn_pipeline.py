"""
From time series to classes with nilearn
========================================

nilearn's ``ConnectivityMeasure`` turns the series of brain regions into correlations; ``EdgeProbability``
turns these into probabilities, by a named rule; ``SubgraphSelector`` finds the subgraphs. All three form one
pipeline.

This example needs nilearn: ``pip install 'dugraph[report]'``.
"""

import matplotlib.pyplot as plt
import numpy as np
from nilearn.connectome import ConnectivityMeasure
from sklearn.model_selection import StratifiedKFold, cross_val_score
from sklearn.pipeline import Pipeline
from sklearn.svm import SVC

import dugraph as dg

# %%
# Series of 60 subjects
# ---------------------
# Twelve regions, 120 volumes. In patients the first three regions follow a common signal; in controls one of
# the three, chosen at random, does not.

rng = np.random.default_rng(0)
regions = [f"region {v}" for v in range(12)]
y = np.arange(60) % 2
series = []
for label in y:
    one = rng.standard_normal((120, 12)) + 0.7 * rng.standard_normal((120, 1))
    members = np.arange(3) if label else rng.permutation(3)[:2]
    one[:, members] += 2 * rng.standard_normal((120, 1))
    series.append(one)

# %%
# The pipeline
# ------------
# ``vectorize=True, discard_diagonal=True`` gives the order of edges that dugraph expects by default.

pipeline = Pipeline(
    [
        (
            "connectivity",
            ConnectivityMeasure(
                kind="correlation", vectorize=True, discard_diagonal=True, standardize="zscore_sample"
            ),
        ),
        ("probability", dg.EdgeProbability("positive", threshold=0.1)),
        ("selector", dg.SubgraphSelector(node_labels=regions, n_subgraphs=10)),
        ("classifier", SVC(kernel="linear")),
    ]
)
folds = StratifiedKFold(5, shuffle=True, random_state=0)
accuracy = cross_val_score(pipeline, series, y, cv=folds)
print(f"accuracy {accuracy.mean():.2f}")
assert accuracy.mean() > 0.7

# %%
# What was found
# --------------

pipeline.fit(series, y)
selector = pipeline["selector"]
for name, value in zip(selector.get_feature_names_out(), selector.values_, strict=True):
    print(f"{value:.4f}  {name}")

# %%
# Other rules from series to probabilities
# ----------------------------------------
# ``TimeSeriesEdgeProbability`` takes the series themselves. Its bootstrap computes the share of resamples,
# with blocks of time kept together, in which a correlation exceeds a threshold.

bootstrap = dg.TimeSeriesEdgeProbability("bootstrap", threshold=0.4, n_resamples=200, random_state=0)
share = bootstrap.fit_transform(series)
r = pipeline["connectivity"].transform(series)
figure, axis = plt.subplots(figsize=(5, 3.5), layout="constrained")
axis.scatter(r.ravel(), share.ravel(), s=4, alpha=0.4)
axis.set(xlabel="correlation", ylabel="share of resamples above 0.4")
plt.show()
