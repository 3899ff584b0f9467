"""The schema of a result's files: results.json, evaluation.json and input.json, read and checked here.

A `Struct` declares the members that are read. A member that an array of a result has, such as `p_value` in
`p_values`, is also written from it and read into it.
"""

from __future__ import annotations

import json
import re
import reprlib
import sys
import warnings
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar, get_args, get_type_hints

import msgspec
import numpy as np
from msgspec import UNSET, Meta, Struct, UnsetType, field

from dugraph.exceptions import InputError
from dugraph.files.atomic import open_file
from dugraph.files.text import finite, run_id
from dugraph.settings import METHOD, OF_RESULTS
from dugraph.significance.result import irreducible_subgraphs, subgraph_families
from dugraph.words import FREQUENCY, MEASURES

Content = TypeVar("Content")
Number = Annotated[float, Meta(ge=-sys.float_info.max, le=sys.float_info.max)]
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


class Edge(Struct, omit_defaults=True):
    """An edge by its index in the cohort and by the names of its nodes."""

    index: Count
    nodes: list[int] = []
    node_labels: list[str] = []
    layer: str | None = None


class Subgraph(Struct, kw_only=True):
    """The members of every subgraph; the first result of a replication has no ranks."""

    rank: int = 0
    edges: Annotated[list[Edge], Meta(min_length=1)]


class MinedSubgraph(Subgraph, kw_only=True):
    """A subgraph of a search; `p_value` is null if the test of ``mine --test`` found it not significant."""

    value: Number
    effect: Number | None = None
    contrast: str | None = None
    p_value: Share | UnsetType | None = UNSET


class FittedSubgraph(Subgraph, kw_only=True):
    """A subgraph of a sparse model."""

    coefficient: Number


class DiscoveredSubgraph(Subgraph, kw_only=True):
    """A significant subgraph, as a replication records it."""

    p_value: Share
    statistic: Statistic
    effect: Number
    effect_lower: Number | None
    effect_upper: Number | None
    partial_correlation: Number | None = None
    contrast: str
    representative: bool


class TestedSubgraph(DiscoveredSubgraph, kw_only=True):
    """A significant subgraph; `family` numbers the families from 1, in the order of their representatives.

    Files of earlier versions have neither `family` nor `irreducible`; `read_results` adds them.
    """

    family: Count | None = None
    irreducible: bool | None = None


class ReplicatedSubgraph(Subgraph, kw_only=True):
    """A subgraph of a first cohort in a second one; `first_rank` is its place in the discovery."""

    first_rank: Annotated[int, Meta(ge=1)]
    first_p_value: Share
    p_value: Share
    conjunction_p_value: Share
    statistic: Number
    first_effect: Number
    effect: Number
    effect_lower: Number
    effect_upper: Number
    contrast: str
    replicated: bool


class BlockEffects(Struct):
    """The effects within a block, such as a site: [effect, lower, upper] of each subgraph."""

    name: str
    n_graphs: Count
    effects: list[Annotated[list[Number], Meta(min_length=3, max_length=3)]]


class SearchProof(Struct):
    """How a search ended; infinite numbers are null."""

    status: Literal["OPTIMAL", "TIME_LIMIT", "NODE_LIMIT", "INTERRUPTED", "MEMORY_LIMIT", "PRECISION_LIMIT"]
    message: str
    threshold: Number | None
    best_open_bound: Number | None


class FitProof(Struct):
    """How a fit ended."""

    message: str


class Counters(Struct):
    """The work of a search."""

    n_visited: Count
    n_candidates: Count
    n_evaluated: Count
    n_pruned_by_frequency: Count
    n_pruned_by_bound: Count


class PermutationCounts(Struct, kw_only=True):
    """How many permutations there were; the names are those of a result."""

    exact: bool
    n_distinct_permutations: Count | Digits = field(name="n_distinct")
    n_blocks: Count
    n_informative_blocks: Count
    n_permutations: Count = field(name="n_used")

    @classmethod
    def of(cls, result: Any) -> PermutationCounts:
        """The counts of a test or a replication."""
        counts = cls(**{name: getattr(result, name) for name in cls.__struct_fields__})
        if result.n_distinct_permutations > LARGEST_COUNT:
            counts.n_distinct_permutations = hex(result.n_distinct_permutations)
        return counts

    def arguments(self) -> dict[str, Any]:
        """The counts as arguments of a result."""
        n_distinct, counts = self.n_distinct_permutations, msgspec.structs.asdict(self)
        if isinstance(n_distinct, str):
            counts["n_distinct_permutations"] = int(n_distinct, 16)
        return counts


class SizeClass(Struct):
    """Subgraphs of one size, or of a size and above."""

    name: str
    n_admitted: Count
    critical_value: Statistic | None
    critical_effect: Number | None
    best_p_value: Share | None
    best_subgraph: Annotated[list[Edge], Meta(min_length=1)] | None = None


class PlanRef(Struct):
    """The plan that a test carried out: its date, and the checksum in its file."""

    date: str
    checksum: str


class _Results(Struct, kw_only=True):
    """Members of every results.json."""

    input: Input
    parameters: dict[str, Any]
    versions: dict[str, str]
    run_id: str | None = None


class MinedFile(_Results, kw_only=True, tag_field="command", tag="mine"):
    """results.json of a search."""

    proof: SearchProof
    counters: Counters
    subgraphs: list[MinedSubgraph]


class FittedFile(_Results, kw_only=True, tag_field="command", tag="sparse"):
    """results.json of a sparse model; model.json has the rest."""

    proof: FitProof
    subgraphs: list[FittedSubgraph]


class Test(Struct, kw_only=True):
    """A test of significance, without its cohort."""

    message: str
    parameters: dict[str, Any]
    permutations: PermutationCounts
    phenotype: str | None
    size_classes: Annotated[list[SizeClass], Meta(min_length=1)]
    subgraphs: list[TestedSubgraph]


class TestedFile(Test, kw_only=True, tag_field="command", tag="test"):
    """results.json of a test of significance."""

    input: Input
    versions: dict[str, str]
    plan: PlanRef | None = None
    run_id: str | None = None


class ReplicatedFile(_Results, kw_only=True, tag_field="command", tag="replicate"):
    """results.json of a replication; `input` is the second cohort, `first_input` the first if it is known."""

    first_input: Input | None = None
    discovery: Test
    message: str
    permutations: PermutationCounts
    phenotype: str | None
    subgraphs: list[ReplicatedSubgraph]
    blocks: list[BlockEffects] = []


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
        if self.test_size is None and self.cv is None and None in (self.n_folds, self.n_repeats):
            raise ValueError("Expected `test_size`, `n_folds` and `n_repeats`, or `cv`")
        if self.task == "groups" and self.n_groups is None:
            raise ValueError("Expected `n_groups`")


# ---------------------------------------------------------------- members and the arrays of a result

# Members and attributes of results with other names: the rest have the same name, or its plural.
_ATTRIBUTES = {
    "effect_lower": "effect_intervals",
    "effect_upper": "effect_intervals",
    "family": "family_numbers",
    "name": "size_classes",
}
_DTYPES: dict[Any, Any] = {float: np.float64, int: np.int64, bool: np.bool_, str: object}


def _members(kind: type[Struct], result: type[Any]) -> Iterator[tuple[str, str, type[Any]]]:
    """The members of a Struct that a result has, each with the attribute and the type of its values."""
    for member, hint in get_type_hints(kind).items():
        value_type = next((one for one in (hint, *get_args(hint)) if one in _DTYPES), None)
        names = (_ATTRIBUTES.get(member, ""), f"{member}s", member)
        known = (name for name in names if name in result.__dataclass_fields__ or hasattr(result, name))
        if value_type is not None and (name := next(known, "")):
            yield member, name, value_type


def columns(result: Any, kind: type[Struct], only: type[Any] | None = None) -> dict[str, list[Any]]:
    """The values of the members that a result has, or of those of one type, as lists of equal length."""
    found = {}
    for member, name, value_type in _members(kind, type(result)):
        if (values := getattr(result, name)) is not None and only in (None, value_type):
            array = np.asarray(values)
            if name == "effect_intervals":
                array = array[:, int(member == "effect_upper")]
            found[member] = array.tolist()
    return found


def rows(columns: Mapping[str, Sequence[Any]]) -> list[dict[str, Any]]:
    """An object for each place in columns of equal length; infinite numbers and NaN become null."""
    return [
        {name: finite(one) if isinstance(one, float) else one for name, one in zip(columns, row, strict=True)}
        for row in zip(*columns.values(), strict=True)
    ]


def arrays(entries: Sequence[Struct], kind: type[Struct], result: type[Any]) -> dict[str, Any]:
    """The inverse of `columns`, as arguments of a result; null becomes NaN, or None for an optional array."""
    found: dict[str, Any] = {}
    for member, name, value_type in _members(kind, result):
        field, values = result.__dataclass_fields__.get(name), [getattr(one, member) for one in entries]
        if field is None:
            continue
        if field.default is None and (not values or None in values):
            found[name] = None
        elif value_type is str:
            found[name] = values
        else:
            array = np.array(values, dtype=_DTYPES[value_type])
            # The upper ends of intervals follow the lower ones.
            found[name] = np.column_stack([found[name], array]) if name in found else array
    return found


# ---------------------------------------------------------------- reading


def damaged(file: Path, what: str) -> InputError:
    """The error that says what is wrong with a file, and the way out."""
    return InputError(
        f"{file}: the results must be as `dugraph mine`, `sparse`, `test`, `replicate` or `evaluate` wrote "
        f"them, but {what}. Run it again."
    )


def convert(file: Path, content: Any, kind: Any, name: str = "") -> Any:
    """Convert content of a file to a type of the schema; the error names the member below `name`."""
    try:
        return msgspec.convert(content, kind)
    except (msgspec.ValidationError, RecursionError) as error:
        message, _, place = str(error).partition(" - at `$")
        member = f"{name}{place.rstrip('`')}".lstrip(".")
        what = message[:1].lower() + message[1:200]
        if not place and not isinstance(content, (dict, list)):
            what = f"{what.partition(', got')[0]}, got {reprlib.repr(content)}"
        raise damaged(file, f"{member[:200]}: {what}" if member else what) from error


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


# The beginning of results.json, whose keys are sorted: a long file need not be read.
_COMMAND = re.compile(rb'\{\s*"command":\s*"([a-z]+)"')


def command_of(file: Path) -> str | None:
    """The command that wrote a results.json; None if there is no such file, or it does not begin with it."""
    if not file.is_file():
        return None
    with open_file(file) as opened:
        begin = _COMMAND.match(opened.read(100))
    return begin[1].decode() if begin else None


def _read_object(file: Path) -> dict[str, Any]:
    try:
        with open_file(file) as opened:
            content = json.loads(opened.read())
    except FileNotFoundError:
        raise missing(file) from None
    except (ValueError, RecursionError) as error:
        raise InputError(f"{file}: the file must be JSON, but is damaged ({error}). Run it again.") from error
    if not isinstance(content, dict):
        raise InputError(f"{file}: the file must hold a JSON object, but does not. Run it again.")
    return content


def missing(file: Path) -> InputError:
    """The error for a file of the folder that is not there."""
    return InputError(f"{file}: the file belongs to the results, but is missing. Run it again.")


# Parameters that are not options, and options that are recorded only if they were used.
_LABELS = Literal["classes", "phenotype", "groups"]
_OTHERS: dict[str, dict[str, Any]] = {
    "mine": {"labels": _LABELS},
    "sparse": {"alpha_in_use": float | None},
    "test": {"labels": _LABELS},
    "replicate": {"labels": _LABELS},
}
_IF_USED = {"covariates", "multi_class"}
# A function or an object of the user's is recorded by its name; a list of subgraphs as "chosen".
_BY_NAME: dict[str, Any] = {"score": str, "cv": int | str, "subgraphs": str}


def _check_parameters(file: Path, command: str, parameters: dict[str, Any], place: str = "") -> None:
    """Check the parameters by the settings of the command; unknown names are errors."""
    options = {name: one for name, one in OF_RESULTS[command].options().items() if one.group == METHOD}
    kinds = {name: one.kind for name, one in options.items()} | _BY_NAME | _OTHERS[command]
    parameters.pop("p_values", None)  # an option of earlier versions
    for name, value in parameters.items():
        if name not in kinds:
            raise damaged(file, f"{place}parameters.{name} is unknown to this version")
        convert(file, value, kinds[name], f"{place}parameters.{name}")
        if name in options and name not in _BY_NAME:
            try:
                options[name].check(value)
            except ValueError as error:
                raise damaged(file, f"{place}parameters.{name} {error} and is {value!r}") from error
    defaults = {name: one.default for name, one in options.items() if name not in _IF_USED}
    parameters |= {**defaults, **parameters}
    if command in ("test", "replicate") and "labels" not in parameters:
        raise damaged(file, f"{place}parameters has no labels")
    if command == "mine" and parameters["measure"] != FREQUENCY:
        needed = MEASURES[parameters["measure"]].parameter
        if needed is not None and parameters[needed] is None:
            raise damaged(file, f"the measure {parameters['measure']} has no {needed}")


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
