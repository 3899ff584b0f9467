"""Every word that users write or read, once: scores, measures, bounds, ends of a search, metrics.

Only the standard library is imported here, so that `dugraph --help` waits for nothing. What a word stands for
is in the room that does the work, under the same word; `tests/test_words.py` compares the two.
"""

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
"""How people write them, in pictures and reports."""
PAPER_SCORES = ("hsic", "frequency_ratio", "g_test", "confidence")
"""Those of the paper, in the order of its tables."""


class MeasureWords(NamedTuple):
    """How a measure is written.

    Attributes
    ----------
    short : str
        In the name of a method, before the score: ``exp`` in ``exp-hsic``.
    said : str
        Of a value, with the parameters of the search in braces.
    parameter : str or None
        What the measure needs besides the distribution.
    """

    short: str
    said: str
    parameter: str | None = None


MEASURES = {
    "expectation": MeasureWords("exp", "expected {score}"),
    "median": MeasureWords("med", "median {score}"),
    "quantile": MeasureWords("quantile", "{quantile:g}-quantile of {score}", "quantile"),
    "mode": MeasureWords("mod", "most likely {score}"),
    "phi_probability": MeasureWords("phi", "probability of {score} ≥ {phi:g}", "phi"),
}
"""The measures of a score's distribution; see `probability/measures.py`."""
FREQUENCY = "frequency"
"""Ranks subgraphs by expected frequency, which no score enters: a search takes it in place of a measure."""
RANKINGS = (*MEASURES, FREQUENCY)
PAPER_MEASURES = ("expectation", "median", "mode", "phi_probability")
"""Those of the paper, in the order of its tables."""

BOUNDS = ("frequency", "worldwise", "mass")
"""Pruning by expected frequency alone, by the paper's bounds too, by ours too."""

MULTI_CLASS = ("ovr",)
"""How scores of two classes see several: each against the rest; see `search/mining.py`."""


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
    """`max_correlation` left too few of all that memory can list; the answer is the beginning."""
    PRECISION_LIMIT = "PRECISION_LIMIT"
    """A sparse fit cannot reach its `tol` in double precision; the answer is the best that can be had."""


STATISTICS = ("z", "difference", "t")
"""Statistics of the test; see `significance/statistics.py`."""
ALTERNATIVES = ("two-sided", "greater", "less")
"""What a test looks for: any difference, or one of one sign."""
PERMUTE = ("within", "whole")
"""What is permuted: labels within blocks, or whole blocks; see `significance/design.py`."""
FAMILIES = ("irreducible", "representative", "all")
"""Which subgraphs of a test are tested in a second cohort."""

LOSSES = ("logistic", "squared_hinge")
"""Of sparse models of classes; see `sparse/losses.py`."""
SQUARED = "squared"
"""That of sparse models of a phenotype."""
REFITS = ("ridge",)
"""How coefficients of the chosen subgraphs are fitted again; see `sparse/choice.py`."""
CLASS_WEIGHTS = ("balanced",)
"""Weights of classes in the loss of sparse models, beside those by class."""


class MetricWords(NamedTuple):
    """What a metric is called in tables, pictures and reports, and whether its largest value is the best."""

    title: str
    largest_first: bool = True


METRICS = {
    "error": MetricWords("error rate", largest_first=False),
    "f1": MetricWords("F1"),
    "balanced_accuracy": MetricWords("balanced accuracy"),
    "auc": MetricWords("AUC"),
}
"""How a classifier did on test graphs; see `evaluation/cells.py`."""
PHENOTYPE_METRICS = {
    "r": MetricWords("correlation"),
    "r2": MetricWords("R2"),
    "mae": MetricWords("mean absolute error", largest_first=False),
}
"""How a forecast of a phenotype did."""
GROUP_METRICS = {
    "error": METRICS["error"],
    "macro_f1": MetricWords("macro F1"),
    "balanced_accuracy": METRICS["balanced_accuracy"],
}
"""How a classifier of more than two groups did."""
METRIC_WORDS = {**METRICS, **PHENOTYPE_METRICS, **GROUP_METRICS}


class TaskWords(NamedTuple):
    """What an evaluation of one kind measures, what ranks methods, and the metric reported first."""

    metrics: dict[str, MetricWords]
    ranked: tuple[str, ...]
    first: str


TASKS = {
    "classes": TaskWords(METRICS, ("error", "f1", "auc"), "error"),
    "phenotype": TaskWords(PHENOTYPE_METRICS, ("r", "r2", "mae"), "r"),
    "groups": TaskWords(GROUP_METRICS, ("macro_f1", "balanced_accuracy"), "balanced_accuracy"),
}
"""Kinds of evaluations: the paper's, of a continuous phenotype, of several groups."""

TARGETS = ("groups", "phenotype")
"""What whole numbers with few values can be."""

PAPER_DATASETS = ("adhd", "adni", "hiv")
"""Those of the paper's Table 3."""

MATRIX_VALUES = ("correlation", "fisher_z", "count", "probability")
"""What the numbers of a matrix in a file may be."""
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
"""How values become edge probabilities; see `io/probabilities.py`."""
ATLASES = (
    *("AAL90", "AAL116", "Desikan68", "Power264", "Dosenbach160", "Seitzman300"),
    *("Destrieux148", "HarvardOxford48"),
    *(f"Schaefer{n}{networks}" for networks in ("", "-17") for n in range(100, 1001, 100)),
)
"""Atlases that may be given by name; see `io/atlas.py`."""
ATLAS_NAMES = f"{', '.join(ATLASES[:8])}, Schaefer100 to Schaefer1000 (-17 for 17 networks)"
"""The same in fewer words."""
SITE_COLUMNS = ("site", "site_id", "siteid", "site_name", "centre", "center", "scanner", "scanner_id")
"""Usual names, in lower case, of the column of sites in a participants table."""
MOTION_COLUMNS = (
    *("mean_fd", "meanfd", "fd_mean", "func_mean_fd", "mean_fd_power", "mean_fd_jenkinson", "fd"),
    *("mean_framewise_displacement", "framewise_displacement", "mean_motion", "head_motion", "motion"),
)
"""Usual names, in lower case, of a column of head motion (mean framewise displacement)."""
MISSING = ("refuse", "absent", "drop-regions", "drop-subjects")
"""What becomes of edges without a value."""
TIME_AXES = ("rows", "columns")
"""Along which axis of a plain table of series time runs."""
TRIANGLES = ("lower", "upper")
"""Which half of a matrix a row of numbers holds, row by row."""
TABLE_FORMATS = ("csv", "parquet")
"""Of a table of features."""
FIGURE_FORMATS = ("pdf", "svg", "png")
"""What figures are written as."""
FIGURE_KINDS = ("brain", "matrix", "chord")
"""How a figure shows the subgraphs of a result."""
FIGURE_WIDTHS = {"one": 88.0, "two": 180.0}
"""Millimetres of a figure of one column, and of two."""


NONE = "none"
"""The value of an option that turns off what is found by default."""
RUNS_FOLDER = "dugraph-runs"
"""Where `dugraph app` keeps its runs, within the folder of a study; readers of connectomes pass it over."""


def method_name(measure: str, score: str) -> str:
    """Name a method as the paper's tables do: ``exp-hsic``, ``med-confidence``, ``exp-freq``."""
    return "exp-freq" if measure == FREQUENCY else f"{MEASURES[measure].short}-{score}"


def score_title(score: object) -> str:
    """How people write the name of a score; one that is none of ours stays as it is."""
    return SCORE_TITLES.get(str(score), str(score))


EXTRAS = {
    "io": "files of other programs: tables, GraphML, Parquet, MATLAB 7.3, CIFTI, BIDS",
    "plot": "pictures, and subgraphs on the brain",
    "report": "the report, one HTML page",
    "app": "the pages of `dugraph app` in a browser",
    "cli": "progress bars and coloured tables in a terminal",
    "dask": "the workers of a Dask cluster (--dask)",
    "harmonize": "sites harmonised by ComBat (Deconfound)",
}
"""What can be installed along with dugraph, `pip install 'dugraph[NAME]'`, and what it enables."""
