"""The names of options, scores, measures, metrics and formats, each defined once.

Imports the standard library only, since `dugraph --help` needs this module. The package that does the work
uses the same names; `tests/test_words.py` compares the two.
"""

from collections.abc import Iterable
from enum import Enum
from typing import NamedTuple

DEFAULT_PHI = {
    "confidence": 0.5,
    "frequency_ratio": 1.0,
    "g_test": 200.0,
    "hsic": 0.03,
    "information_gain": 0.05,
    "odds_ratio": 2.0,
}
"""The score functions, each with the score that counts as discriminative; see `probability/scores.py`."""
SCORES = tuple(DEFAULT_PHI)
SCORE_TITLES = {
    "confidence": "confidence",
    "frequency_ratio": "frequency ratio",
    "g_test": "G-test",
    "hsic": "HSIC",
    "information_gain": "information gain",
    "odds_ratio": "odds ratio",
}
"""Titles in figures and reports."""
PAPER_SCORES = ("hsic", "frequency_ratio", "g_test", "confidence")
"""The scores of the paper, in the order of its tables."""


class MeasureWords(NamedTuple):
    """The names of a measure."""

    short: str  # its part of the name of a method: exp in exp-hsic
    said: str  # its name in a sentence, with the parameters of the search in braces
    parameter: str | None = None  # what it needs besides the distribution


MEASURES = {
    "expectation": MeasureWords("exp", "expected {score}"),
    "median": MeasureWords("med", "median {score}"),
    "quantile": MeasureWords("quantile", "{quantile:g}-quantile of {score}", "quantile"),
    "mode": MeasureWords("mod", "most likely {score}"),
    "phi_probability": MeasureWords("phi", "probability of {score} ≥ {phi:g}", "phi"),
}
"""The measures of a score's distribution; see `probability/measures.py`."""
FREQUENCY = "frequency"  # ranking by expected frequency, given in place of a measure; no score is computed
RANKINGS = (*MEASURES, FREQUENCY)
PAPER_MEASURES = ("expectation", "median", "mode", "phi_probability")
"""The measures of the paper, in the order of its tables."""

BOUNDS = ("frequency", "worldwise", "mass")
"""Pruning by expected frequency alone, with the bounds of the paper, and with the mass bound."""

MULTI_CLASS = ("ovr",)  # how a score for two classes is applied to several: each class against the rest


class Status(Enum):
    """How a search ended."""

    OPTIMAL = "OPTIMAL"
    """Proven: no connected subgraph is better than those listed."""
    TIME_LIMIT = "TIME_LIMIT"
    """`time_limit` was reached; the answer is the best so far."""
    NODE_LIMIT = "NODE_LIMIT"
    """`node_limit` was reached; the answer is the best so far."""
    INTERRUPTED = "INTERRUPTED"
    """Ctrl-C was pressed; the answer is the best so far."""
    MEMORY_LIMIT = "MEMORY_LIMIT"
    """`max_correlation` left too few of the subgraphs that fit into memory; the answer is incomplete."""
    PRECISION_LIMIT = "PRECISION_LIMIT"
    """A sparse fit cannot reach its `tol` in double precision; the answer is the best attainable."""


STATISTICS = ("z", "difference", "t")  # statistics of the test; see `significance/statistics.py`
ALTERNATIVES = ("two-sided", "greater", "less")
"""Differences that a test looks for: any, or those of one sign."""
PERMUTE = ("within", "whole")
"""Units of permutation: labels within blocks, or whole blocks; see `significance/design.py`."""
FAMILIES = ("irreducible", "representative", "all")
"""The subgraphs of a test that are tested in a second cohort."""

LOSSES = ("logistic", "squared_hinge")  # losses of sparse models of classes; see `sparse/losses.py`
SQUARED = "squared"  # the loss of sparse models of a phenotype
REFITS = ("ridge",)  # second fits of the coefficients of the chosen subgraphs; see `sparse/path.py`
CLASS_WEIGHTS = ("balanced",)  # class weights in the loss of sparse models, besides a number for each class


class MetricWords(NamedTuple):
    """The title of a metric in tables, figures and reports, and whether its largest value is the best."""

    title: str
    largest_first: bool = True


METRICS = {
    "error": MetricWords("error rate", largest_first=False),
    "f1": MetricWords("F1"),
    "balanced_accuracy": MetricWords("balanced accuracy"),
    "auc": MetricWords("AUC"),
}
"""Metrics of a classifier of two classes; see `evaluation/cells.py`."""
PHENOTYPE_METRICS = {
    "r": MetricWords("correlation"),
    "r2": MetricWords("R2"),
    "mae": MetricWords("mean absolute error", largest_first=False),
}
"""Metrics of a forecast of a phenotype."""
GROUP_METRICS = {
    "error": METRICS["error"],
    "macro_f1": MetricWords("macro F1"),
    "balanced_accuracy": METRICS["balanced_accuracy"],
}
"""Metrics of a classifier of more than two groups."""
METRIC_WORDS = {**METRICS, **PHENOTYPE_METRICS, **GROUP_METRICS}


class TaskWords(NamedTuple):
    """The metrics of an evaluation, those by which methods are ranked, and the one reported first."""

    metrics: dict[str, MetricWords]
    ranked: tuple[str, ...]
    first: str


TASKS = {
    "classes": TaskWords(METRICS, ("error", "f1", "auc"), "error"),
    "phenotype": TaskWords(PHENOTYPE_METRICS, ("r", "r2", "mae"), "r"),
    "groups": TaskWords(GROUP_METRICS, ("macro_f1", "balanced_accuracy"), "balanced_accuracy"),
}
"""Kinds of evaluations: two classes (as in the paper), a phenotype, several groups."""

TARGETS = ("groups", "phenotype")  # interpretations of labels that are whole numbers with few values

PAPER_DATASETS = ("adhd", "adni", "hiv")  # the datasets of the paper's Table 3

MATRIX_VALUES = ("correlation", "fisher_z", "count", "probability")  # kinds of values in matrix files
PROBABILITIES = {
    "positive": "the correlation itself, negative ones become 0",
    "signed": "the size of the correlation, as a negative or as a positive link: two edges for each pair",
    "absolute": "the absolute correlation",
    "fisher": "one minus the p-value of the one-sided test of a positive correlation",
    "rank": "the rank among the positive values of the graph, by their number",
    "bootstrap": "the share of resamples of the series in which the correlation exceeds the threshold",
    "fraction": "streamlines by those sent from the region, averaged over both directions",
    "largest": "streamlines by the largest number between two regions of the graph",
    "none": "the values themselves",
}
"""Rules by which values become edge probabilities; see `io/probabilities.py`."""
ATLASES = (
    *("AAL90", "AAL116", "Desikan68", "Power264", "Dosenbach160", "Seitzman300"),
    *("Destrieux148", "HarvardOxford48"),
    *(f"Schaefer{n}{networks}" for networks in ("", "-17") for n in range(100, 1001, 100)),
)
"""Atlases known by name; see `io/atlas.py`."""
ATLAS_NAMES = f"{', '.join(ATLASES[:8])}, Schaefer100 to Schaefer1000 (-17 for 17 networks)"
"""The same, abbreviated for help texts."""
SITE_COLUMNS = ("site", "site_id", "siteid", "site_name", "centre", "center", "scanner", "scanner_id")
"""Usual names, in lower case, of the column of sites in a participants table."""
MOTION_COLUMNS = (
    *("mean_fd", "meanfd", "fd_mean", "func_mean_fd", "mean_fd_power", "mean_fd_jenkinson", "fd"),
    *("mean_framewise_displacement", "framewise_displacement", "mean_motion", "head_motion", "motion"),
)
"""Usual names, in lower case, of a column of head motion (mean framewise displacement)."""
MISSING = ("refuse", "absent", "drop-regions", "drop-subjects")  # treatment of edges without a value
TIME_AXES = ("rows", "columns")  # the time axis of a plain table of time series
TRIANGLES = ("lower", "upper")  # the half of a matrix that a row of numbers contains, row by row
TABLE_FORMATS = ("csv", "parquet")  # formats of a table of features
FIGURE_FORMATS = ("pdf", "svg", "png")  # formats of figures
FIGURE_KINDS = ("brain", "matrix", "chord")  # kinds of figures of the subgraphs of a result
FIGURE_WIDTHS = {"one": 88.0, "two": 180.0}  # widths of figures of one and two columns, in millimetres


NONE = "none"  # the value of an option that turns off what is found by default
RUNS_FOLDER = "dugraph-runs"
"""The folder of the runs of `dugraph app` within a study; readers of connectomes skip it."""


def method_name(measure: str, score: str) -> str:
    """Name a method as the paper's tables do: ``exp-hsic``, ``med-confidence``, ``exp-freq``."""
    return "exp-freq" if measure == FREQUENCY else f"{MEASURES[measure].short}-{score}"


def and_joined(names: Iterable[str]) -> str:
    """Names in a sentence: ``age``, ``age and sex``, ``age, sex and site``."""
    *first, last = names
    return f"{', '.join(first)} and {last}" if first else last


def score_title(score: object) -> str:
    """The title of a score; an unknown name is returned unchanged."""
    return SCORE_TITLES.get(str(score), str(score))


EXTRAS = {
    "io": "files of other programs: tables, GraphML, Parquet, MATLAB 7.3, CIFTI, BIDS",
    "plot": "pictures, and subgraphs on the brain",
    "report": "the same as plot",
    "app": "the pages of `dugraph app` in a browser",
    "cli": "progress bars and coloured tables in a terminal",
    "dask": "the workers of a Dask cluster (--dask)",
    "harmonize": "sites harmonised by ComBat (Deconfound)",
}
"""Extras of `pip install 'dugraph[NAME]'`, and what they enable."""
