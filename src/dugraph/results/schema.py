"""The schema of a result's files: results.json, evaluation.json and the tables, read and checked here."""

from __future__ import annotations

import csv
import json
import reprlib
import sys
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar

import msgspec
import numpy as np
from msgspec import UNSET, Meta, Struct, UnsetType
from numpy.typing import NDArray

from dugraph.exceptions import InputError
from dugraph.files.atomic import open_file
from dugraph.files.text import run_id
from dugraph.settings import METHOD, OF_RESULTS
from dugraph.significance.families import irreducible_subgraphs, subgraph_families
from dugraph.words import FREQUENCY, MEASURES

Content = TypeVar("Content")
Number = Annotated[float, Meta(ge=-sys.float_info.max, le=sys.float_info.max)]
Positive = Annotated[float, Meta(gt=0, le=sys.float_info.max)]
Share = Annotated[float, Meta(ge=0, le=1)]
Statistic = Annotated[float, Meta(ge=0, le=1e100)]
Count = Annotated[int, Meta(ge=0, le=2**63 - 1)]
# The number of permutations may exceed the integers of JSON readers: then hexadecimal digits.
LARGEST_COUNT = 2**63 - 1
Digits = Annotated[str, Meta(pattern="^0x[0-9a-f]+$")]

TABLE = "results.csv"
"""The file that is replaced first when results are written; the record is replaced last."""


class Input(Struct, omit_defaults=True, kw_only=True):
    """The cohort of a result: its file, hash, classes, and sizes."""

    file: str
    path: str
    sha256: str
    positive_class: str | None = None
    labels: Literal["groups", "phenotype"] | None = None
    phenotype: str | None = None
    graphs: list[Count] | None = None  # of the file; None: all
    where: str | None = None  # the condition that chose them
    n_edges: int | None = None
    n_graphs: int | None = None
    n_nodes: int | None = None
    n_pos: int | None = None
    n_neg: int | None = None
    negative_class: str | None = None
    positive_name: str | None = None
    negative_name: str | None = None
    groups: dict[str, int] | None = None
    smallest: float | None = None
    largest: float | None = None
    provenance: Any = None

    def __post_init__(self) -> None:
        if (self.positive_class is None) == (self.labels is None):
            raise ValueError("Expected either `positive_class` or `labels`")


class Edge(Struct, omit_defaults=True):
    """An edge by its index in the cohort and by the names of its nodes."""

    index: Count
    nodes: list[int] = []
    node_labels: list[str] = []
    layer: str | None = None


class Subgraph(Struct, omit_defaults=True, kw_only=True):
    """The fields of every subgraph; the first result of a replication has no ranks and frequencies."""

    rank: int = 0
    edges: Annotated[list[Edge], Meta(min_length=1)]
    expected_frequency: Share | None = None
    expected_frequency_positive: Share | None = None
    expected_frequency_negative: Share | None = None
    expected_frequency_by_group: dict[str, Share] | None = None


class MinedSubgraph(Subgraph, omit_defaults=True, kw_only=True):
    """A subgraph of a search; `p_value` is null if the test of ``mine --test`` found it not significant."""

    value: Number
    effect: Number | None = None
    contrast: str | None = None
    p_value: Share | UnsetType | None = UNSET
    score_distribution: dict[str, Any] | None = None


class FittedSubgraph(Subgraph, omit_defaults=True, kw_only=True):
    """A subgraph of a sparse model."""

    coefficient: Number
    coefficient_by_group: dict[str, Number] | None = None


class TestedSubgraph(Subgraph, omit_defaults=True, kw_only=True):
    """A significant subgraph.

    `family` numbers the families from 1, in the order of their representatives. Files of earlier versions
    have neither `family` nor `irreducible`; `read_results` adds them.
    """

    p_value: Share
    statistic: Statistic
    effect: Number
    effect_lower: Number | None
    effect_upper: Number | None
    partial_correlation: Number | UnsetType | None = UNSET  # earlier versions have none
    contrast: str
    representative: bool
    family: Count | None = None
    irreducible: bool | None = None


class ReplicatedSubgraph(Struct, omit_defaults=True, kw_only=True):
    """A subgraph of a first cohort in a second one; `first_rank` is its place in the discovery."""

    rank: int
    first_rank: Annotated[int, Meta(ge=1)]
    edges: list[Edge]
    p_value: Share
    conjunction_p_value: Share
    replicated: bool
    statistic: Number
    effect: Number
    effect_lower: Number
    effect_upper: Number
    first_effect: Number
    first_p_value: Share
    contrast: str


class BlockEffects(Struct):
    """The effects within a block, such as a site: [effect, lower, upper] of each subgraph."""

    name: str
    n_graphs: Count
    effects: list[Annotated[list[Number], Meta(min_length=3, max_length=3)]]


class SearchProof(Struct):
    """How a search ended; infinite numbers are null."""

    success: bool
    status: Literal["OPTIMAL", "TIME_LIMIT", "NODE_LIMIT", "INTERRUPTED", "MEMORY_LIMIT", "PRECISION_LIMIT"]
    message: str
    gap: Number | None
    threshold: Number | None
    best_open_bound: Number | None


class FitProof(Struct, omit_defaults=True):
    """How a fit ended; with several groups, sums over their models."""

    success: bool
    message: str
    objective: Number
    duality_gap: Number
    status: str = ""


class Covariate(Struct):
    """A covariate of a sparse model."""

    name: str
    coefficient: Number


class Model(Struct):
    """The model of one of several groups, without the coefficients of subgraphs."""

    group: str
    alpha: Positive
    objective: Number
    duality_gap: Number
    intercept: Number
    covariates: list[Covariate]


class PermutationCounts(Struct):
    """How many permutations there were."""

    exact: bool
    n_distinct: Count | Digits
    n_blocks: Count
    n_informative_blocks: Count
    n_used: Count


class SizeClass(Struct):
    """Subgraphs of one size, or of a size and above."""

    name: str
    n_admitted: Count
    critical_value: Statistic | None
    critical_effect: Number | None
    best_p_value: Share | None
    best_subgraph: list[Edge] | None = None


class MinedFile(Struct, omit_defaults=True, kw_only=True, tag_field="command", tag="mine"):
    """results.json of a search."""

    input: Input
    parameters: dict[str, Any]
    proof: SearchProof
    counters: dict[str, Count]
    subgraphs: list[MinedSubgraph]
    versions: dict[str, str]
    run_id: str | None = None


class FittedFile(Struct, omit_defaults=True, kw_only=True, tag_field="command", tag="sparse"):
    """results.json of a sparse model, or of the models of several groups."""

    input: Input
    parameters: dict[str, Any]
    proof: FitProof
    counters: dict[str, Count]
    subgraphs: list[FittedSubgraph]
    versions: dict[str, str]
    intercept: Number | None = None
    covariates: list[Covariate] = []
    models: list[Model] = []
    run_id: str | None = None


class PlanRef(Struct):
    """The plan that a test carried out: its date, and the checksum in its file."""

    date: str
    checksum: str


class Test(Struct, omit_defaults=True, kw_only=True):
    """A test of significance, without its cohort."""

    message: str
    parameters: dict[str, Any]
    permutations: PermutationCounts
    phenotype: str | None
    size_classes: Annotated[list[SizeClass], Meta(min_length=1)]
    subgraphs: list[TestedSubgraph]


class TestedFile(Test, omit_defaults=True, kw_only=True, tag_field="command", tag="test"):
    """results.json of a test of significance."""

    input: Input
    versions: dict[str, str]
    plan: PlanRef | None = None
    run_id: str | None = None


class ReplicatedFile(Struct, omit_defaults=True, kw_only=True, tag_field="command", tag="replicate"):
    """results.json of a replication; `input` is the second cohort, `first_input` the first if it is known."""

    input: Input
    first_input: Input | None = None
    discovery: Test
    message: str
    parameters: dict[str, Any]
    permutations: PermutationCounts
    phenotype: str | None
    subgraphs: list[ReplicatedSubgraph]
    blocks: list[BlockEffects] = []
    versions: dict[str, str]
    run_id: str | None = None


ResultsFile = MinedFile | FittedFile | TestedFile | ReplicatedFile


class EvaluationFile(Struct, kw_only=True):
    """evaluation.json; the values of each split are in results.csv."""

    parameters: dict[str, Any]
    skipped: dict[str, str]
    failures: dict[str, str]
    run_id: str | None = None


class EvaluationParameters(Struct, kw_only=True):
    """The parameters of an evaluation that are used when it is read."""

    task: Literal["classes", "phenotype", "groups"] = "classes"
    test_size: Share | None = None
    n_folds: Count | None = None
    n_repeats: Count | None = None
    cv: str | None = None
    covariates: list[str] = []
    n_groups: Count | None = None
    scoring: list[str] = []

    def __post_init__(self) -> None:
        if self.test_size is None and self.n_folds is None and self.cv is None:
            raise ValueError("Expected one of `test_size`, `n_folds` and `cv`")
        if self.n_folds is not None and self.n_repeats is None:
            raise ValueError("Expected `n_repeats` beside `n_folds`")
        if self.task == "groups" and self.n_groups is None:
            raise ValueError("Expected `n_groups`")


class Penalty(Struct, rename={"loss": "cv_loss_mean", "spread": "cv_loss_sd"}):
    """A penalty of a path: the model there, and the held-out loss if it was cross-validated.

    A row of path.csv, which names the group if there are several.
    """

    alpha: Positive
    n_nonzero: Count
    objective: Number
    duality_gap: Number
    loss: Number | None
    spread: Number | None
    group: str | None = None


class SplitRow(Struct):
    """A row of the results.csv of an evaluation, without its metrics."""

    method: str
    split: Count
    t: Count
    n_found: Count | None
    proven: bool


# ---------------------------------------------------------------- numbers of all subgraphs

TEST_NUMBERS = {
    "p_value": "p_values",
    "statistic": "statistics",
    "effect": "effects",
    "effect_lower": "effect_intervals",
    "effect_upper": "effect_intervals",
    "partial_correlation": "partial_correlations",
}
"""Fields of `TestedSubgraph`, in the order of results.csv, and the arrays of the result that have them."""
REPLICATION_NUMBERS = {
    "first_p_value": "first_p_values",
    "p_value": "p_values",
    "conjunction_p_value": "conjunction_p_values",
    "statistic": "statistics",
    "first_effect": "first_effects",
    "effect": "effects",
    "effect_lower": "effect_intervals",
    "effect_upper": "effect_intervals",
}
"""The same of `ReplicatedSubgraph`."""


def number_columns(result: Any, names: dict[str, str]) -> dict[str, list[float]]:
    """The numbers of a result by field, for all subgraphs."""
    arrays = {one: getattr(result, many) for one, many in names.items()}
    arrays |= dict(zip(("effect_lower", "effect_upper"), result.effect_intervals.T, strict=True))
    return {name: array.tolist() for name, array in arrays.items()}


def number_arrays(entries: Sequence[Struct], names: dict[str, str]) -> dict[str, Any]:
    """The arrays of a result, from the fields of its subgraphs; null becomes NaN."""
    columns = {one: as_numbers([getattr(entry, one) for entry in entries]) for one in names}
    both = np.column_stack([columns["effect_lower"], columns["effect_upper"]])
    return {**{names[one]: column for one, column in columns.items()}, "effect_intervals": both}


def as_numbers(values: Any) -> NDArray[np.float64]:
    """Numbers as an array; None and absent ones become NaN."""
    return np.array([None if one is UNSET else one for one in values], dtype=np.float64)


# ---------------------------------------------------------------- reading


def damaged(file: Path, what: str) -> InputError:
    """The error that says what is wrong with a file, and the way out."""
    return InputError(
        f"{file}: the results must be as `dugraph mine`, `sparse`, `test`, `replicate` or `evaluate` wrote "
        f"them, but {what}. Run it again."
    )


def convert(file: Path, content: Any, kind: Any, name: str = "", *, text: bool = False) -> Any:
    """Convert content of a file to a type of the schema; the error names the field.

    `name` is the place of the content in the file; with `text`, numbers are written as text, as in tables.
    """
    try:
        return msgspec.convert(content, kind, strict=not text)
    except (msgspec.ValidationError, RecursionError) as error:
        message, _, place = str(error).partition(" - at `$")
        field = f"{name}{place.rstrip('`')}".lstrip(".")
        what = message[:1].lower() + message[1:200]
        if str(sys.float_info.max) in what:
            what = "expected a finite number"
        if not place and not isinstance(content, (dict, list)):
            what = f"{what.partition(', got')[0]}, got {reprlib.repr(content)}"
        raise damaged(file, f"{field[:200]}: {what}" if field else what) from error


def read_json(file: Path, kind: type[Content]) -> Content:
    """Read a file of JSON that has this type."""
    content: Content = convert(file, _read_object(file), kind)
    return content


def read_results(file: Path) -> ResultsFile:
    """Read results.json of this release or an older one; missing `parameters` get their defaults."""
    content = _read_object(file)
    if "relabelings" in content:  # as earlier versions called permutations
        content["permutations"] = content.pop("relabelings")
    results: ResultsFile = convert(file, content, ResultsFile)
    _check_parameters(file, content["command"], results.parameters)
    if isinstance(results, ReplicatedFile):
        _check_parameters(file, "test", results.discovery.parameters, "discovery.")
    if isinstance(results, TestedFile) and any(one.family is None for one in results.subgraphs):
        _find_families(results.subgraphs)
    return results


def _find_families(entries: list[TestedSubgraph]) -> None:
    """Complete the subgraphs of an older test."""
    subgraphs = [tuple(edge.index for edge in one.edges) for one in entries]
    irreducible = irreducible_subgraphs(subgraphs, np.array([one.statistic for one in entries]))
    for number, family in enumerate(subgraph_families(subgraphs, irreducible), 1):
        for k in family.members:
            entries[k].family, entries[k].irreducible = number, bool(irreducible[k])
            entries[k].representative = k == family.irreducible[0]


def command_of(file: Path) -> str | None:
    """The command that wrote a results.json; None if the file does not say so."""
    try:
        content = _read_object(file)
    except InputError:
        return None
    command = content.get("command")
    return command if isinstance(command, str) else None


def _read_object(file: Path) -> dict[str, Any]:
    try:
        with open_file(file) as opened:
            content = json.loads(opened.read())
    except FileNotFoundError:
        raise _missing(file) from None
    except (ValueError, RecursionError) as error:
        raise InputError(f"{file}: the file must be JSON, but is damaged ({error}). Run it again.") from error
    if not isinstance(content, dict):
        raise InputError(f"{file}: the file must hold a JSON object, but does not. Run it again.")
    return content


# Parameters that are not options, and options that are recorded only if they were used.
_LABELS = Literal["classes", "phenotype", "groups"]
_OTHERS: dict[str, dict[str, Any]] = {
    "mine": {"labels": str},
    "sparse": {"alpha_in_use": Positive | None},
    "test": {"labels": _LABELS},
    "replicate": {"labels": _LABELS},
}
_IF_USED = {"covariates", "multi_class"}
# A function or an object of the user's is recorded by its name; a list of subgraphs as "chosen".
_BY_NAME: dict[str, Any] = {"score": str, "cv": int | str, "subgraphs": str}


def _check_parameters(file: Path, command: str, parameters: dict[str, Any], place: str = "") -> None:
    """Check the parameters by the settings of the command; unknown names are errors."""
    options = {name: one for name, one in OF_RESULTS[command].options().items() if one.group == METHOD}
    parameters.pop("p_values", None)  # an option of earlier versions
    others = _OTHERS[command]
    for name, value in parameters.items():
        if name in others:
            convert(file, value, others[name], f"{place}parameters.{name}")
        elif name not in options:
            known = ", ".join((*options, *others))
            raise damaged(file, f"{place}parameters.{name} is unknown to this version, which has {known}")
        elif name in _BY_NAME:
            convert(file, value, _BY_NAME[name], f"{place}parameters.{name}")
        else:
            convert(file, value, options[name].kind, f"{place}parameters.{name}")
            try:
                options[name].check(value)
            except ValueError as error:
                raise damaged(file, f"{place}parameters.{name} {error} and is {value!r}") from error
    for name, option in options.items():
        if name not in _IF_USED:
            parameters.setdefault(name, option.default)
    if command in ("test", "replicate") and "labels" not in parameters:
        raise damaged(file, f"{place}parameters has no labels")
    if command == "mine" and parameters["measure"] != FREQUENCY:
        needed = MEASURES[parameters["measure"]].parameter
        if needed is not None and parameters[needed] is None:
            raise damaged(file, f"the measure {parameters['measure']} has no {needed}")


def read_table(file: Path) -> tuple[list[str], list[dict[str, str]]]:
    """Read a CSV file: its heading, and its rows, which are as long."""
    try:
        with open(file, newline="", encoding="utf-8") as opened:
            heading, *rows = [row for row in csv.reader(opened) if row] or [[]]
    except FileNotFoundError:
        raise _missing(file) from None
    except (csv.Error, UnicodeDecodeError) as error:
        raise InputError(
            f"{file}: the file must be a CSV table in UTF-8, but is damaged ({error}). Run it again."
        ) from error
    for number, row in enumerate(rows, start=1):
        if len(row) != len(heading):
            raise damaged(file, f"row {number} has {len(row)} cells below {len(heading)} names")
    return heading, [dict(zip(heading, row, strict=True)) for row in rows]


def read_rows(file: Path, kind: type[Content], rows: list[dict[str, str]]) -> list[Content]:
    """Convert the rows of a table; empty cells are null."""
    nulls = [{name: cell or None for name, cell in row.items()} for row in rows]
    return [convert(file, row, kind, f"row {k}", text=True) for k, row in enumerate(nulls, start=1)]


def _missing(file: Path) -> InputError:
    return InputError(f"{file}: the file belongs to the results, but is missing. Run it again.")


def check_run_id(file: Path, expected: str | None) -> None:
    """Warn if the table of a folder is not the one that was written with its record, `file`.

    `expected` is the id in the record; None if an older release wrote it.
    """
    table = file.with_name(TABLE)
    if expected is None or not table.is_file():
        return
    with open_file(table) as opened:
        found = run_id(opened.read())
    if found != expected:
        warnings.warn(
            f"{file.parent}: the files must be of one run, but {TABLE} is not the table that was written "
            f"with {file.name}: a later run was stopped while it replaced the files, or the table was "
            "edited. Run it again.",
            stacklevel=3,
        )


def as_json(content: Struct) -> dict[str, Any]:
    """The content of a file as dictionaries and lists."""
    plain: dict[str, Any] = msgspec.to_builtins(content)
    return plain
