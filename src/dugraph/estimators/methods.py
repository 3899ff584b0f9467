"""The 22 methods of the paper's tables by name, and variants of each with uncorrelated subgraphs."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from sklearn.pipeline import Pipeline
from sklearn.svm import SVC

from dugraph.estimators.selector import SubgraphSelector
from dugraph.exceptions import InputError
from dugraph.words import FREQUENCY, MEASURES, PAPER_MEASURES, PAPER_SCORES, SCORES, method_name

# The certain-graph baselines treat edges of at least this probability as present.
_THRESHOLD = 0.5


def _settings(measures: Iterable[str], scores: Iterable[str]) -> dict[str, dict[str, Any]]:
    """Selector parameters of each method. On certain graphs every measure equals the score."""
    return {
        **{method_name(m, score): {"score_func": score, "measure": m} for m in measures for score in scores},
        method_name(FREQUENCY, ""): {"measure": FREQUENCY},
        "freq": {"measure": FREQUENCY, "binarize_at": _THRESHOLD},
        **{score: {"score_func": score, "binarize_at": _THRESHOLD} for score in scores},
    }


METHODS: tuple[str, ...] = tuple(_settings(PAPER_MEASURES, PAPER_SCORES))
"""The paper's methods; `make_method` also accepts each of them with "+div" appended."""
# A name cannot specify the level of a quantile.
_SETTINGS = _settings([m for m, words in MEASURES.items() if words.parameter != "quantile"], SCORES)

DIVERSE = "+div"
"""Appended to the name of a method: its subgraphs do not correlate above `DIVERSE_MAX_CORRELATION`."""
DIVERSE_MAX_CORRELATION = 0.5


def is_method(name: object) -> bool:
    """Whether a name is a method of `make_method`."""
    return isinstance(name, str) and name.removesuffix(DIVERSE) in _SETTINGS


def make_method(
    name: str | None = None,
    *,
    score: str | Callable[..., Any] | None = None,
    measure: str = "expectation",
    n_subgraphs: int = 100,
    min_expected_frequency: float = 0.2,
    phi: float | None = None,
    C: float = 1.0,
    **selector_parameters: Any,
) -> Pipeline:
    """Make one of the paper's methods: subgraph features, then a linear support vector machine (LibSVM).

    Parameters
    ----------
    name : str
        One of `METHODS`: a measure ("exp", "med", "mod", "phi") and a score ("hsic", "frequency_ratio",
        "g_test", "confidence") joined by a hyphen; "exp-freq", the most frequent subgraphs; or, on graphs
        whose edges are certain at a probability of at least 0.5, "freq", "hsic", "frequency_ratio", "g_test",
        "confidence". Other scores and measures are named in the same way, such as "exp-information_gain". Any
        of these with "+div" appended, such as "exp-hsic+div", takes subgraphs that complement each other:
        ``max_correlation=0.5``. The paper has no such methods. None: use `score` and `measure`.
    score : str or callable, default None
        Instead of a name: a score function of `mine_subgraphs`, or your own, a vectorised f(a, b, p, q).
    measure : str, default "expectation"
        With `score`: the measure of `mine_subgraphs`.
    n_subgraphs : int, default 100
        Number of features (t).
    min_expected_frequency : float in [0, 1), default 0.2
        Subgraphs are admitted if their expected frequency exceeds this (min_sup).
    phi : float, default None
        For the "phi" methods; None: the default of the score. The others do not use it.
    C : float, default 1.0
        Inverse regularisation of the support vector machine.
    **selector_parameters :
        Further parameters of `SubgraphSelector`, such as `edges`, `node_labels` or `n_jobs`; they override
        those that the name implies.

    Returns
    -------
    sklearn.pipeline.Pipeline
        Steps "selector" and "classifier".

    Examples
    --------
    >>> from dugraph.estimators import METHODS, make_method
    >>> len(METHODS)
    22
    >>> method = make_method("phi-g_test", n_subgraphs=50)
    >>> method["selector"].measure, method["selector"].n_subgraphs
    ('phi_probability', 50)
    >>> make_method("exp-hsic+div")["selector"].max_correlation
    0.5

    Your own score function: how much larger the share of positive graphs with the subgraph is.

    >>> own = make_method(score=lambda a, b, p, q: abs(a / p - b / q), n_subgraphs=20)
    >>> own["selector"].measure
    'expectation'
    """
    if (name is None) == (score is None):
        raise InputError(
            f"A method is given either by name or by score: got name {name!r} and score {score!r}."
        )
    if name is not None and not is_method(name):
        raise InputError(
            f"A method must be one of {', '.join(METHODS)}, or one of these with {DIVERSE} appended; got "
            f"{name!r}."
        )
    settings = {
        **_named_settings(name),
        **({} if score is None else {"score_func": score, "measure": measure}),
        "n_subgraphs": n_subgraphs,
        "min_expected_frequency": min_expected_frequency,
        "phi": phi,
        **selector_parameters,
    }
    selector = SubgraphSelector()
    known = selector.get_params(deep=False)
    unknown = [key for key in settings if key not in known]
    if unknown:
        raise InputError(
            f"Parameters must be those of SubgraphSelector; {unknown[0]!r} is not one of {', '.join(known)}."
        )
    return Pipeline(
        [("selector", selector.set_params(**settings)), ("classifier", SVC(kernel="linear", C=C))]
    )


def _named_settings(name: str | None) -> dict[str, Any]:
    if name is None:
        return {}
    limit = DIVERSE_MAX_CORRELATION if name.endswith(DIVERSE) else None
    return {**_SETTINGS[name.removesuffix(DIVERSE)], "max_correlation": limit}
