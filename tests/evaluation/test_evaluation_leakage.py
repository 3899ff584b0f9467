"""Nothing of the test graphs reaches a fit: every method of every task, with and without covariates."""

import numpy as np
import pytest
from aged_cohort import AGE, GROUPS, LIMITS, RNG, SITE, X, folds

import dugraph as dg
from dugraph.evaluation import cells
from dugraph.evaluation.methods import KNOWN, METHODS, SERIES_COMPARISONS, fit_sizes
from dugraph.evaluation.splits import inner_folds

LABELS = {"classes": (np.median(AGE) < AGE).astype(int), "groups": GROUPS, "phenotype": AGE}
CASES = [
    (task, name, adjusted)
    for task in LABELS
    for name in KNOWN[task]
    for adjusted in ((False,) if task == "classes" else (False, True))
    # Single edges are the sparse model of other settings.
    if name not in ("l1-edges", *SERIES_COMPARISONS)
]


@pytest.mark.parametrize(("task", "name", "adjusted"), CASES)
@pytest.mark.filterwarnings("ignore::dugraph.exceptions.FewerSubgraphsWarning")
def test_predictions_do_not_depend_on_other_test_graphs_or_on_their_labels(task, name, adjusted, monkeypatch):
    (train, test), labels = folds()[0], LABELS[task]
    wrong, edges, site = labels.copy(), X.copy(), SITE.copy()
    wrong[test] = np.roll(labels[test], 1)
    edges[test[:5]] = RNG.integers(0, 2, (5, 10))
    site[test[:5]] = "Q"
    learned = []

    def watched(*arguments):
        learned.append(fit_sizes(*arguments))
        return learned[-1]

    monkeypatch.setattr(cells, "fit_sizes", watched)
    asked = {"covariates": ["site"] if adjusted else None, **LIMITS}
    decide = "decision_function" if task == "classes" else "predict"
    found = []
    for x, y, sites in ((X, labels, SITE), (edges, wrong, site)):
        graphs = dg.UncertainGraphs(x, participants={"site": sites})
        cohort = {"task": task, "cv": [(train, test)], "n_subgraphs": [3], "signed": 2 * x - 1}
        dg.evaluate(graphs, y, [name], **cohort, **asked)
        found.append(getattr(learned[-1].models[3], decide)(graphs[test]))
    ours, theirs = learned
    assert ours.n_found == theirs.n_found
    assert task != "classes" or (ours.n_found is not None) == (name in (*METHODS, "sparse"))
    inner = inner_folds(labels[train] if task == "phenotype" else labels[train].astype(str), None)
    method = dg.evaluation.make_method(name, task=task, n_subgraphs=3, cv=inner, **asked)
    graphs = dg.UncertainGraphs(X, participants={"site": SITE})
    by_hand = getattr(method.fit(graphs[train], labels[train]), decide)(graphs[test])
    if labels.dtype.kind == "U":
        assert found[0].tolist() == by_hand.tolist()
        assert found[0][5:].tolist() == found[1][5:].tolist()
    else:
        np.testing.assert_allclose(found[0], by_hand, rtol=1e-9, atol=1e-12)
        np.testing.assert_allclose(found[0][5:], found[1][5:], rtol=1e-9, atol=1e-12)
