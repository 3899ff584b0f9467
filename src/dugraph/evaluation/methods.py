"""The methods that are compared, by name, each as a scikit-learn estimator."""

from __future__ import annotations

import importlib.util
import re
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.dummy import DummyClassifier
from sklearn.feature_selection import f_classif, f_regression
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import FunctionTransformer

from dugraph.data.arguments import abbreviate, as_list, check_word, describe_value
from dugraph.estimators import SubgraphSelector
from dugraph.evaluation.adjusted import (
    SPARSE_PATH,
    AdjustedRegressor,
    BestEdges,
    EdgeSums,
    Features,
    SparseClassifier,
    SparseRegressor,
    linear_classifier,
    logistic_classifier,
)
from dugraph.exceptions import InputError
from dugraph.probability.scores import Score
from dugraph.search import Status
from dugraph.sparse import SparseSubgraphClassifier, SparseSubgraphRegressor
from dugraph.words import FREQUENCY, MEASURES, PAPER_MEASURES, PAPER_SCORES, SCORES, TASKS, method_name

Array = NDArray[Any]

# The certain-graph baselines take an edge for present from this probability on.
_THRESHOLD = 0.5
_L1_RATIO = 0.5


def _settings(measures: Iterable[str], scores: Iterable[str]) -> dict[str, dict[str, Any]]:
    """Parameters of the selector by name. On certain graphs every measure equals the score itself."""
    return {
        **{method_name(m, score): {"score_func": score, "measure": m} for m in measures for score in scores},
        method_name(FREQUENCY, ""): {"measure": FREQUENCY},
        "freq": {"measure": FREQUENCY, "binarize_at": _THRESHOLD},
        **{score: {"score_func": score, "binarize_at": _THRESHOLD} for score in scores},
    }


METHODS: tuple[str, ...] = tuple(_settings(PAPER_MEASURES, PAPER_SCORES))
"""The paper's methods; `make_method` also knows each of them with "+div" appended."""
# The name of a method has no place for the level of a quantile.
_SETTINGS = _settings([m for m, words in MEASURES.items() if words.parameter != "quantile"], SCORES)

DIVERSE = "+div"
"""Appended to the name of a method: its subgraphs do not correlate above `DIVERSE_MAX_CORRELATION`."""
DIVERSE_MAX_CORRELATION = 0.5

AT_MOST = ("sparse", "l1-edges")
"""Sparse models of subgraphs or of single edges, for which t is a limit."""
COMPARISONS = ("all-edges", "select-k-best")
BASELINES = (*COMPARISONS, "all-edges-logistic", "l1-edges", "elastic-net", "cpm")
SERIES_COMPARISONS = ("nilearn-correlation", "nilearn-tangent")
"""Connectivity of time series, by nilearn."""
SIGNED_COMPARISONS = ("signed-edges", "signed-edges-logistic")
"""All edges of the full signed matrices."""
WHOLE = ("all-edges", "all-edges-logistic", "cpm", "elastic-net", *SIGNED_COMPARISONS, *SERIES_COMPARISONS)
"""Methods that use all features, whatever t is."""
KNOWN = {
    "classes": (*METHODS, "sparse", *BASELINES, *SIGNED_COMPARISONS, *SERIES_COMPARISONS),
    "groups": ("exp-hsic", *AT_MOST, *COMPARISONS, "all-edges-logistic", *SIGNED_COMPARISONS),
    "phenotype": ("exp-hsic", *AT_MOST, *COMPARISONS, "cpm", "elastic-net", "signed-edges"),
}
"""Names by task; for classes, those of subgraphs may have "+div" appended."""
COLLECTIONS = {"paper": METHODS, "comparisons": COMPARISONS, "baselines": BASELINES}
COLLECTIONS["all"] = (*METHODS, *COMPARISONS)
"""Names that stand for several methods for two classes."""


def is_known(name: str, task: str = "classes") -> bool:
    """Whether `make_method` knows a name."""
    mined = task == "classes" and isinstance(name, str) and name.removesuffix(DIVERSE) in _SETTINGS
    return mined or name in KNOWN[task]


def score_of(name: str) -> tuple[str, str]:
    """The short name of the measure and the score in the name of a method, such as "exp" and "hsic"."""
    kind, _, score = name.removesuffix(DIVERSE).rpartition("-")
    return kind, score


def make_method(
    name: str | None = None,
    *,
    task: str = "classes",
    score: str | Callable[..., Any] | None = None,
    measure: str = "expectation",
    n_subgraphs: int = 100,
    min_expected_frequency: float = 0.2,
    phi: float | None = None,
    C: float | None = None,
    covariates: Sequence[str] | None = None,
    cv: Any = None,
    **selector_parameters: Any,
) -> Any:
    """Make a method by its name: the paper's, and those that `evaluate` compares them with.

    Parameters
    ----------
    name : str
        For two classes one of `METHODS`: a measure ("exp", "med", "mod", "phi") and a score ("hsic",
        "frequency_ratio", "g_test", "confidence") joined by a hyphen; "exp-freq", the most frequent
        subgraphs; or, on graphs whose edges are certain at a probability of at least 0.5, "freq", "hsic",
        "frequency_ratio", "g_test", "confidence". Other scores and measures are named in the same way, such
        as "exp-information_gain". Any of these with "+div" appended, such as "exp-hsic+div", takes subgraphs
        that complement each other: ``max_correlation=0.5``. The paper has no such methods. The other names
        are described in `evaluate`. None: use `score` and `measure`.
    task : {"classes", "groups", "phenotype"}, default "classes"
        The kind of labels: two classes, several groups or a continuous phenotype.
    score : str or callable, default None
        Instead of a name: a score function of `mine_subgraphs`, or your own, a vectorised f(a, b, p, q).
    measure : str, default "expectation"
        With `score`: the measure of `mine_subgraphs`.
    n_subgraphs : int, default 100
        Number of features (t).
    min_expected_frequency : float in [0, 1), default 0.2
        Subgraphs are admitted if their expected frequency exceeds this (min_sup).
        The default, 0.2, is the paper's for its largest cohort; `significant_subgraphs` has a lower one.
    phi : float, default None
        For the "phi" methods; None: the default of the score. The others do not use it.
    C : float, default None
        None: ridge classification, whose penalty is chosen in folds of the training graphs. A number: a
        support vector machine with linear kernel and this inverse regularisation; the paper's has 1.
    covariates : sequence of str, default None
        For groups and phenotypes: columns of the participants of the graphs to adjust for.
    cv : int, splitter or iterable, default None
        Folds of the training graphs in which penalties are chosen; None: 5.
    **selector_parameters :
        Further parameters of `SubgraphSelector`, such as `edges`, `node_labels` or `n_jobs`; they override
        those that the name implies. Methods without a selector use `max_edges`, `time_limit` and `n_jobs`.

    Returns
    -------
    estimator
        For two classes a `sklearn.pipeline.Pipeline` that ends with the step "classifier"; methods of
        subgraphs begin with "selector".

    Examples
    --------
    >>> import dugraph as dg
    >>> len(dg.evaluation.METHODS)
    22
    >>> method = dg.evaluation.make_method("phi-g_test", n_subgraphs=50)
    >>> method["selector"].measure, method["selector"].n_subgraphs
    ('phi_probability', 50)
    >>> dg.evaluation.make_method("exp-hsic+div")["selector"].max_correlation
    0.5

    Your own score function: how much larger the share of positive graphs with the subgraph is.

    >>> own = dg.evaluation.make_method(score=lambda a, b, p, q: abs(a / p - b / q), n_subgraphs=20)
    >>> own["selector"].measure
    'expectation'
    """
    check_word("task", task, tuple(TASKS))
    if (name is None) == (score is None):
        raise InputError(
            f"A method is given either by name or by score: got name {name!r} and score {score!r}."
        )
    if name is not None and not is_known(name, task):
        raise InputError(f"A method must be one of {known_words(task)}; got {name!r}.")
    mined = name is None or name.removesuffix(DIVERSE) in _SETTINGS
    settings: dict[str, Any] = {"score_func": score, "measure": measure} if name is None else {}
    if name is not None and mined:
        limit = DIVERSE_MAX_CORRELATION if name.endswith(DIVERSE) else None
        settings = {**_SETTINGS[name.removesuffix(DIVERSE)], "max_correlation": limit}
    settings |= {
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
    if mined:
        selector.set_params(**settings)
    columns = None if task == "classes" or covariates is None else list(covariates)
    if name in (*AT_MOST, "elastic-net"):
        model = _sparse_method(name, task, settings, columns, cv)
        return Pipeline([("classifier", model)]) if task == "classes" else model
    logistic = name is not None and name.endswith("-logistic")
    classifier = logistic_classifier(cv) if logistic else linear_classifier(C, cv)
    first: Any = selector if mined else None
    if name == "select-k-best":
        first = BestEdges(f_regression if task == "phenotype" else f_classif, n_subgraphs)
    if task != "classes":
        features = Features(first, n_subgraphs, columns)
        if task == "groups":
            return Pipeline([("features", features), ("classifier", classifier)])
        return AdjustedRegressor(features, "cpm" if name == "cpm" else "ridge", 5 if cv is None else cv)
    if name == "cpm":
        first = EdgeSums()
    steps: list[tuple[str, Any]] = [] if first is None else [("selector", first)]
    if name in SERIES_COMPARISONS:
        from nilearn.connectome import ConnectivityMeasure

        kind = name.removeprefix("nilearn-")
        measure_of = ConnectivityMeasure(kind=kind, vectorize=True, discard_diagonal=True)
        steps = [("connectivity", measure_of)]
    return Pipeline([*steps, ("classifier", classifier)])


def _sparse_method(
    name: str, task: str, settings: Mapping[str, Any], covariates: list[str] | None, cv: Any
) -> Any:
    """A sparse model; those of single edges admit all of them, however rare."""
    given = {"covariates": covariates, "cv": 5 if cv is None else cv, **SPARSE_PATH}
    numbers = task == "phenotype"
    if name == "elastic-net":
        model = SparseSubgraphRegressor if numbers else SparseSubgraphClassifier
        return model(max_edges=1, l1_ratio=_L1_RATIO, **given)
    names = ("min_expected_frequency", "max_edges", "time_limit", "n_jobs")
    given |= {key: settings[key] for key in names if key in settings}
    if name == "l1-edges":
        given |= {"min_expected_frequency": 0.0, "max_edges": 1}
    elif task == "classes":
        # Chosen on development splits of two cohorts by a rule fixed in advance: see docs/benchmarks.md.
        given |= {"alpha": None, "l1_ratio": _L1_RATIO}
    kind = SparseRegressor if numbers else SparseClassifier
    return kind(n_nonzero=settings["n_subgraphs"], refit="ridge", **given)


def known_words(task: str, missing: Iterable[str] = ()) -> str:
    """All names for a task, for messages, except those whose data are missing."""
    names = [name for name in KNOWN[task] if name not in [*missing]]
    diverse = f"; those of subgraphs may have {DIVERSE} appended" if task == "classes" else ""
    return ", ".join(names) + diverse


def nilearn_is_installed() -> bool:
    """Whether nilearn can be imported."""
    return importlib.util.find_spec("nilearn") is not None


Methods = str | Mapping[str, Any] | Sequence[str | Mapping[str, Any]]
_NEEDS_SIGNED = (
    "the signed matrices of the graphs are needed. They are taken from a cohort with signed layers (dugraph "
    "convert --probability signed) or, in Python, from evaluate(..., signed=...)."
)
_NEEDS_SERIES = (
    "time series of the graphs are needed, which a cohort file does not hold. Such methods are available "
    "only in Python: evaluate(..., series=...)."
)


def choose_methods(
    methods: Methods, task: str = "classes", has_series: bool = False, has_signed: bool = False
) -> tuple[tuple[str, ...], dict[str, str], dict[str, Any]]:
    """Resolve the argument `methods` of `evaluate`.

    Returns the names of the methods, each once and in the given order; methods left out, and why; estimators
    of the user, by the names given to them. "all" includes the methods for time series and for signed
    matrices where these are given.
    """
    missing = {
        **({} if has_signed else dict.fromkeys(SIGNED_COMPARISONS, _NEEDS_SIGNED)),
        **({} if has_series else dict.fromkeys(SERIES_COMPARISONS, _NEEDS_SERIES)),
    }
    further = [name for name in (*SIGNED_COMPARISONS, *SERIES_COMPARISONS) if name in KNOWN[task]]
    collections = COLLECTIONS if task == "classes" else {"all": KNOWN[task]}
    wanted = [methods] if isinstance(methods, str | Mapping) else as_list(methods, "methods", "names")
    names: list[str] = []
    own: dict[str, Any] = {}
    for name in wanted:
        if isinstance(name, Mapping):
            own |= _check_own(name, task, taken=(*collections, *own))
            names.extend(name)
        elif not isinstance(name, str):
            raise InputError(
                f"A method must be a name or a mapping of names to methods, but is {describe_value(name)}.",
                parameter="methods",
            )
        elif name == "all":
            names.extend(one for one in (*collections[name], *further) if one not in missing)
        else:
            names.extend(collections.get(name, (name,)))
    unknown = [name for name in names if name not in own and not is_known(name, task)]
    if unknown or not names:
        which = {"classes": "", "groups": " for groups", "phenotype": " for a phenotype"}[task]
        known = f"{', '.join(collections)}, {known_words(task, missing)}"
        got = repr(unknown[0]) if unknown else "none"
        raise InputError(f"A method{which} must be one of {known}; got {got}.", parameter="methods")
    for need in (_NEEDS_SIGNED, _NEEDS_SERIES):
        lacking = [name for name in dict.fromkeys(names) if missing.get(name) == need]
        if lacking:
            raise InputError(f"{', '.join(lacking)}: {need}", parameter="methods")
    skipped = {}
    if not nilearn_is_installed():
        without = "nilearn is missing: pip install 'dugraph[report]'"
        skipped = {name: without for name in dict.fromkeys(names) if name in SERIES_COMPARISONS}
    kept = tuple(name for name in dict.fromkeys(names) if name not in skipped)
    if not kept:
        raise InputError("At least one method must be left to evaluate. " + "; ".join(skipped.values()))
    return kept, skipped, own


# Characters that need no escaping in tables, LaTeX and HTML.
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.+-]{0,39}")


def _check_own(methods: Mapping[str, Any], task: str, taken: Iterable[str]) -> dict[str, Any]:
    for name, estimator in methods.items():
        if not isinstance(name, str) or not _NAME.fullmatch(name):
            raise InputError(
                "The name of a method must be 1 to 40 letters, digits, or _ . + -, beginning with a letter "
                f"or a digit; got {abbreviate(repr(name))}.",
                parameter="methods",
            )
        if is_known(name, task) or name in taken:
            raise InputError(
                f"The name of your own method must be new, but {name!r} is taken. Choose another.",
                parameter="methods",
            )
        if isinstance(estimator, type) or not all(
            hasattr(estimator, part) for part in ("fit", "predict", "get_params")
        ):
            kind = "regressor" if task == "phenotype" else "classifier"
            raise InputError(
                f"Your own method must be a scikit-learn {kind}, such as a Pipeline; {name!r} is "
                f"{abbreviate(repr(estimator))}. For your own score function, use make_method(score=...).",
                parameter="methods",
            )
    return dict(methods)


def leading_selector(method: Any) -> Any:
    """The first of several steps of a pipeline if it selects `n_subgraphs` features, else None."""
    first = method.steps[0][1] if isinstance(method, Pipeline) and len(method.steps) > 1 else None
    if isinstance(first, Features) and first.selector is None:
        return None
    return first if isinstance(first, SubgraphSelector | BestEdges | Features) else None


def own_scores(own: Mapping[str, Any]) -> list[Score]:
    """The score functions of the user's own methods that begin with a `SubgraphSelector`."""
    first = [leading_selector(one) for one in own.values()]
    return [one.score_func for one in first if isinstance(one, SubgraphSelector)]


class FittedSizes(NamedTuple):
    """A method fitted for several numbers of subgraphs (t).

    `n_found` is the number of subgraphs found for the largest t, None for methods without; `proven`, whether
    they are proven to be the best; `seconds`, the time spent on finding features.
    """

    models: dict[int, Any]
    n_found: int | None
    proven: bool
    seconds: float


def fit_sizes(method: Any, X: Any, y: Array, sizes: Sequence[int]) -> FittedSizes:
    """Fit clones of a method for each number of subgraphs; subgraphs are searched once, for the largest.

    Sparse models are fitted for each number; estimators without a selector once. `X` has training graphs or
    their time series.
    """
    begin = time.perf_counter()
    if isinstance(method, Pipeline) and len(method.steps) == 1:
        method = method.steps[0][1]
    if isinstance(method, SparseClassifier | SparseRegressor):
        sparse = {t: clone(method).set_params(n_nonzero=t).fit(X, y) for t in sizes}
        statuses = {model.status for one in sparse.values() for model in one.models_}
        proven = statuses == {Status.OPTIMAL} and all(one.finished_ for one in sparse.values())
        n_found = len(sparse[max(sizes)].subgraphs_)
        return FittedSizes(sparse, n_found, proven, time.perf_counter() - begin)
    if isinstance(method, AdjustedRegressor):
        largest = clone(method).set_params(features__n_subgraphs=max(sizes)).fit(X, y)
        adjusted = {t: largest.at_most(t) for t in sizes}
        return FittedSizes(adjusted, *_found(largest.features_), time.perf_counter() - begin)
    first = leading_selector(method)
    if first is None:
        return FittedSizes(dict.fromkeys(sizes, clone(method).fit(X, y)), None, True, 0.0)
    selector = clone(first).set_params(n_subgraphs=max(sizes)).fit(X, y)
    # Columns are sorted, best first: the first t are those that a selection of t would give.
    parts = {
        t: selector.at_most(t)
        if isinstance(selector, Features)
        else make_pipeline(selector, FunctionTransformer(partial(_first_columns, n=t)))
        for t in sizes
    }
    features = {t: part.transform(X) for t, part in parts.items()}
    seconds = time.perf_counter() - begin
    models: dict[int, Any] = {}
    fitted: dict[bytes, Any] = {}  # fewer features than t may be the same for several t
    for t, trained in features.items():
        key = trained.tobytes()
        if key not in fitted:
            # Without any feature: the most frequent class.
            rest = clone(method[1:]) if trained.shape[1] else make_pipeline(DummyClassifier())
            fitted[key] = rest.fit(trained, y).steps
        models[t] = Pipeline([("features", parts[t]), *fitted[key]])
    return FittedSizes(models, *_found(selector), seconds)


def _found(selector: Any) -> tuple[int | None, bool]:
    """The number of subgraphs of a selector, None for edges, and whether they are proven."""
    if isinstance(selector, Features):
        selector = selector.selector_
    if not isinstance(selector, SubgraphSelector):
        return None, True
    return len(selector.subgraphs_), bool(selector.result_.success)


def _first_columns(features: Array, n: int) -> Array:
    return features[:, :n]
