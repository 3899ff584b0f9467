"""Distributions of supports with the table of a score, for the tests of score distributions."""

import numpy as np

from dugraph.data.labels import check_labels
from dugraph.search.distribution import scored_supports, scores_of


def support_distributions(X, y, subgraphs, score="hsic", *, score_cap=None, pos_label=None):
    positive, _ = check_labels(y, len(X), pos_label)
    table = scores_of(score, int(positive.sum()), int((~positive).sum()), score_cap)
    return scored_supports(np.asarray(X, dtype=float), positive, subgraphs, table)
