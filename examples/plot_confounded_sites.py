"""
A phenotype and a diagnosis that depend only on the site
========================================================

Scanners differ, and so do the people sent to them. If one site sees older people and more patients, and its
scanner strengthens some edges, every method "finds" age and diagnosis in the graphs. After adjusting for the
site, nothing is left to find.
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from sklearn.model_selection import StratifiedKFold, cross_val_score
from sklearn.pipeline import make_pipeline

import dugraph as dg

# %%
# Two sites. The second one strengthens five of 28 edges, has older people, and more patients. Apart from
# that, the graphs carry no information about age or diagnosis.

rng = np.random.default_rng(0)
n = 200
second = rng.random(n) < 0.5
X = rng.uniform(0.1, 0.6, (n, 28))
X[:, :5] += 0.3 * second[:, None]
age = np.where(second, 45.0, 30.0) + rng.normal(0, 8, n)
patient = rng.random(n) < np.where(second, 0.8, 0.2)
site = np.where(second, "Zurich", "Boston")
graphs = dg.UncertainGraphs(X, participants={"site": site})

# %%
# Age
# ---
#
# The same folds with and without the site as a covariate. With adjustment, r is the correlation between what
# the site leaves of age and the forecast of it from the graphs.

methods = ["sparse", "all-edges", "cpm"]
settings = {"n_subgraphs": [10], "max_edges": 2, "min_expected_frequency": 0.1}
settings["cv"] = dg.RepeatedFolds(5, n_repeats=2)
found = dg.evaluate(graphs, age, methods, **settings)
adjusted = dg.evaluate(graphs, age, methods, covariates="site", **settings)
for method, before, after in zip(methods, found.mean("r")[:, 0], adjusted.mean("r")[:, 0], strict=True):
    print(f"{method}: r = {before:+.2f} unadjusted, {after:+.2f} beyond the site")

# %%
# Diagnosis
# ---------
#
# A classifier that may use the site for free needs no subgraph for it: its coefficients show what the graphs
# add.

frame = pd.DataFrame(X, columns=[f"{a}--{b}" for a in "ABCDEFGH" for b in "ABCDEFGH" if a < b])
path = {"n_alphas": 6, "max_edges": 2, "min_expected_frequency": 0.1, "cv": 3}
plain = dg.SparseSubgraphClassifier(**path).fit(frame, patient)
honest = dg.SparseSubgraphClassifier(**path, covariates="site").fit(frame.assign(site=site), patient)
for name, model in {"unadjusted": plain, "adjusted": honest}.items():
    print(f"{name}: absolute coefficients of subgraphs sum to {np.abs(model.subgraph_coef_).sum():.1f}")

# %%
# Alternatively, remove the site from the edges before anything else sees them, learning from training graphs
# only.

folds = StratifiedKFold(5, shuffle=True, random_state=0)
classifier = dg.SparseSubgraphClassifier(
    alpha=None, n_nonzero=5, max_edges=2, on_invalid="clip", min_expected_frequency=0.1
)
steps = make_pipeline(dg.Deconfound("site"), classifier).set_output(transform="pandas")
accuracy = cross_val_score(classifier, frame, patient, cv=folds).mean()
without_site = cross_val_score(steps, frame.assign(site=site), patient, cv=folds).mean()
print(f"accuracy: {accuracy:.2f} with the site in the edges, {without_site:.2f} without")

figure, axis = plt.subplots(figsize=(5, 3), layout="constrained")
places = np.arange(len(methods))
axis.bar(places - 0.2, found.mean("r")[:, 0], 0.4, label="unadjusted")
axis.bar(places + 0.2, adjusted.mean("r")[:, 0], 0.4, label="beyond the site")
axis.axhline(0, color="black", linewidth=0.8)
axis.set_xticks(places, methods)
axis.set(ylabel="correlation with age", title="age that only the site tells")
axis.legend()
plt.show()
