"""
Choosing score and measure by grid search
=========================================

Which score, and which measure of its distribution, suits a cohort best? The selector is an ordinary
scikit-learn transformer, so ``GridSearchCV`` can answer, and the subgraphs are mined again in every training
fold: nothing leaks from the test graphs.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.pipeline import Pipeline
from sklearn.svm import SVC

import dugraph as dg

graphs, y, _ = dg.simulate("adhd", n_graphs=100, random_state=1)

# %%
# A pipeline and its grid
# -----------------------

pipeline = Pipeline([("selector", dg.SubgraphSelector(n_subgraphs=30)), ("classifier", SVC(kernel="linear"))])
scores = ["hsic", "frequency_ratio", "g_test", "confidence"]
measures = ["expectation", "median", "mode"]
search = GridSearchCV(
    pipeline,
    {"selector__score_func": scores, "selector__measure": measures},
    cv=StratifiedKFold(5, shuffle=True, random_state=0),
)
search.fit(graphs, y)
print("best:", search.best_params_, f"accuracy {search.best_score_:.2f}")

# %%
# All combinations
# ----------------

accuracy = {
    (p["selector__score_func"], p["selector__measure"]): value
    for p, value in zip(search.cv_results_["params"], search.cv_results_["mean_test_score"], strict=True)
}
table = np.array([[accuracy[score, measure] for measure in measures] for score in scores])
figure, axis = plt.subplots(figsize=(5, 3.5), layout="constrained")
image = axis.imshow(table, cmap="viridis")
axis.set_xticks(range(len(measures)), measures)
axis.set_yticks(range(len(scores)), scores)
for (row, column), value in np.ndenumerate(table):
    axis.text(column, row, f"{value:.2f}", ha="center", va="center", color="white")
figure.colorbar(image, label="accuracy")
plt.show()

# %%
# The accuracy of the winner is the largest of twelve, so it is optimistic. For an honest one, put the whole
# search into ``cross_val_score``.
