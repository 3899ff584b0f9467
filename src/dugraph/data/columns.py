"""Names, and columns of plain values about the graphs: labels, participants, covariates, conditions."""

from __future__ import annotations

import ast
import contextlib
import difflib
import math
import operator
import re
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray

from dugraph.data.arguments import abbreviate, counted, is_real, listed, refuse_masked
from dugraph.exceptions import InputError, Setting, Spoken

if TYPE_CHECKING:
    from dugraph.data.graphs import UncertainGraphs

Column = NDArray[Any]
Columns = dict[str, Column]
Floats = NDArray[np.float64]

RANK_TOLERANCE = 1e-8
"""Directions below this share of the largest, and residuals below this share of y, are rounding."""

# Text, numbers, booleans and times; a column that mixes them has kind "O".
PLAIN_KINDS = "biufUmM"

# bool comes before int, of which it is a subclass.
_PLAIN_TYPES: dict[type, tuple[type, ...]] = {
    bool: (bool, np.bool_),
    int: (int, np.integer),
    float: (float, np.floating),
    str: (str,),
    np.datetime64: (np.datetime64,),
    np.timedelta64: (np.timedelta64,),
}


def check_names(
    names: object, argument: str, count: int | None = None, noun: str = "entry", unique: bool = True
) -> tuple[str, ...]:
    """Return names as a tuple of str; integers, such as subject numbers, become text.

    There must be `count` names, each of one `noun` ("node", "graph" or "edge" in messages).
    """
    if isinstance(names, (str, bytes)) or not isinstance(names, Iterable):
        raise InputError(
            f"{argument} must be a sequence of names: got {abbreviate(repr(names))}. Pass a list of str."
        )
    checked = tuple(_check_name(name, argument, noun, i) for i, name in enumerate(names))
    if count is not None and len(checked) != count:
        raise InputError(
            f"{argument} must have one name per {noun}: got {counted(len(checked), 'name')} for "
            f"{counted(count, noun)}. Give exactly {counted(count, 'name')}, or leave {argument} out."
        )
    first: dict[str, int] = {}
    for i, name in enumerate(checked if unique else ()):
        if first.setdefault(name, i) != i:
            raise InputError(
                f"{argument} must be unique: {abbreviate(name)} names both {noun} {first[name]} and "
                f"{noun} {i}. Rename or drop one of them."
            )
    return checked


def _check_name(name: object, argument: str, noun: str, i: int) -> str:
    if isinstance(name, (int, np.integer)) and not isinstance(name, bool):
        return str(int(name))
    if not isinstance(name, str):
        raise InputError(
            f"{argument} must be text or integers: {noun} {i} is {abbreviate(repr(name))} "
            f"of type {type(name).__name__}. Convert every name with str first."
        )
    # NumPy's text arrays drop trailing NULs, and UTF-8 has no lone surrogates: neither survives a file.
    if "\0" in name or any("\ud800" <= character <= "\udfff" for character in name):
        raise InputError(
            f"{argument} must be valid Unicode without NUL characters: {noun} {i} is {abbreviate(name)}. "
            "Correct the name, or decode it with its right encoding."
        )
    return str(name)


def as_column(values: object, name: str) -> Column:
    """Return a flat sequence as an array, of a plain dtype wherever its values allow one.

    A pandas column of text has dtype object; if all entries are text (or all are numbers) it becomes a plain
    array, which can be sorted and stored. Mixed columns keep dtype object.
    """
    if values is None:
        raise InputError(f"{name} must have one value per graph, but has no values.")
    refuse_masked(values, name)
    try:
        # NumPy would turn ["patient", nan] into text silently; as objects they stay distinct.
        column = np.array(values, dtype=object if isinstance(values, (list, tuple)) else None)
    except ValueError as error:
        raise InputError(f"{name} must be a flat sequence, one value per graph: {error}.") from error
    if column.ndim != 1:
        raise InputError(
            f"{name} must be a flat sequence, one value per graph: its shape is {column.shape}. "
            "Pass one column, for example with numpy.ravel."
        )
    if column.dtype.kind == "O":
        types = {_plain_type(value) for value in column}
        if None not in types and (len(types) == 1 or types == {int, float}):
            column = np.array(column.tolist())  # integers beyond 64 bits keep dtype object
    if column.dtype.kind not in PLAIN_KINDS + "O":
        raise InputError(
            f"{name} must hold text, numbers, booleans or times: its dtype is {column.dtype}. "
            "Convert it first."
        )
    return column.astype(column.dtype.newbyteorder("="), copy=False)


def _plain_type(value: object) -> type | None:
    return next((plain for plain, kinds in _PLAIN_TYPES.items() if isinstance(value, kinds)), None)


def is_missing(value: object) -> bool:
    """Return whether a value stands for a missing one: None, NaN, NaT or pandas' NA."""
    if value is None:
        return True
    try:
        return bool(value != value)
    except (TypeError, ValueError):  # pandas' NA has no truth value
        return True


def check_present(column: Column, what: str, graph_ids: Sequence[str], parameter: str) -> None:
    """Refuse a column with missing values or empty text; `what` may begin with the name of the parameter."""
    pairs = zip(column.tolist(), graph_ids, strict=True)
    without = [graph for value, graph in pairs if is_missing(value) or value == ""]
    if without:
        missing = f"it is missing for {counted(len(without), 'graph')}: {listed(without)}."
        known = f"{what.removeprefix(parameter)} must be known for every graph, but {missing}"
        raise InputError(
            (Setting(parameter), known),
            parameter=parameter,
            way_out=Spoken(
                "Leave these graphs out, or fill in the values.",
                "Fill in the values, or leave these graphs out: in --where, comparisons with missing values "
                "are false.",
            ),
        )


def check_participants(participants: object, n_graphs: int) -> Columns | None:
    """Return a table about the participants, a mapping or DataFrame, as read-only columns by name."""
    if participants is None:
        return None
    if not hasattr(participants, "columns") and not isinstance(participants, Mapping):
        raise InputError(
            f"participants must map column names to columns: got {type(participants).__name__}. "
            "Pass a dict or a pandas.DataFrame.",
            parameter="participants",
        )
    table: Any = participants
    keys = list(getattr(table, "columns", table))
    names = check_names(keys, "participants column names")
    columns = {
        name: as_column(table[key], f"participants[{abbreviate(name)!r}]")
        for name, key in zip(names, keys, strict=True)
    }
    for name, column in columns.items():
        if len(column) != n_graphs:
            raise InputError(
                f"participants[{abbreviate(name)!r}] must have one value per graph: got {len(column)} values "
                f"for {n_graphs} graphs. Align the table with the graphs first."
            )
        column.flags.writeable = False
    return columns


def tables_equal(a: Columns | None, b: Columns | None) -> bool:
    """Compare two participant tables; the order of columns counts, and missing values are equal."""
    if a is None or b is None:
        return a is b
    import pandas

    return bool(pandas.DataFrame(a).equals(pandas.DataFrame(b)))


def named_columns(given: Any, argument: str, cohort: UncertainGraphs) -> Columns:
    """Return the columns that blocks or covariates stand for, each with one present value per graph.

    A text, and a list of texts that are all names of columns, stand for columns of ``participants``; a
    mapping, a data frame or an array holds the values. `argument`, "blocks" or "covariates", names columns
    without a name.
    """
    known = cohort.participants or {}
    if isinstance(given, str):
        given = [given]
    if isinstance(given, list | tuple) and given and all(isinstance(name, str) for name in given):
        unknown = [name for name in given if name not in known]
        if not unknown:
            columns = {name: known[name] for name in given}
        elif len(given) == cohort.n_graphs:  # a column of categories
            columns = {argument: as_column(given, argument)}
        else:
            raise _unknown_columns(argument, unknown, known)
    else:
        columns = _table(given, argument)
    if not columns:
        raise InputError(
            f"{argument} must have at least one column: got none. Pass None to go without.",
            parameter=argument,
        )
    for name, column in columns.items():
        if len(column) != cohort.n_graphs:
            raise InputError(
                f"{argument} must have one value per graph: {abbreviate(name)} has "
                f"{counted(len(column), 'value')} for {counted(cohort.n_graphs, 'graph')}. Align it with the "
                "graphs first.",
                parameter=argument,
            )
        check_present(column, f"{argument}: {abbreviate(name)}", cohort.graph_ids, argument)
    return columns


def column_names(given: Any, argument: str, cohort: UncertainGraphs) -> list[str] | None:
    """Return the names of the columns that `given` stands for, to be recorded; None for None."""
    return None if given is None else list(named_columns(given, argument, cohort))


def _table(given: Any, argument: str) -> Columns:
    if hasattr(given, "columns") or isinstance(given, Mapping):
        names = list(getattr(given, "columns", given))
        return {str(name): as_column(given[name], f"{argument}: {abbreviate(name)}") for name in names}
    if getattr(given, "name", None) is not None:  # a column of pandas
        return {str(given.name): as_column(given, argument)}
    try:
        # As objects, so that NumPy does not turn a table of numbers and text into text.
        array = np.array(given, dtype=object) if isinstance(given, list | tuple) else np.asarray(given)
    except ValueError as error:
        raise InputError(
            f"{argument} must be a column or a table, one row per graph: {error}.", parameter=argument
        ) from error
    if array.ndim == 2:
        return {f"{argument}[{j}]": as_column(array[:, j], argument) for j in range(array.shape[1])}
    return {argument: as_column(array, argument)}


def _unknown_columns(argument: str, unknown: list[str], known: Mapping[str, Any]) -> InputError:
    if not known:
        return InputError(
            f"{argument} names {listed(unknown)}, but the graphs carry no participants table.",
            parameter=argument,
            way_out=Spoken(
                "Pass the values themselves, or an UncertainGraphs with participants.",
                "Convert the cohort again with --participants FILE.",
            ),
        )
    return InputError(
        f"{argument} must name columns of participants: there is no {listed(unknown)}. The columns are "
        f"{listed(known, most=12)}.",
        parameter=argument,
    )


# --- Covariates as numbers ----------------------------------------------------------------------------------


def covariate_matrix(covariates: Any, cohort: UncertainGraphs) -> Floats:
    """Return all covariates side by side, shape (n_graphs, n_columns); no column for None."""
    columns = {} if covariates is None else named_columns(covariates, "covariates", cohort)
    parts = [_numbers(one, _categories(name, one, cohort.graph_ids)) for name, one in columns.items()]
    return np.column_stack([np.empty((cohort.n_graphs, 0)), *parts])


def _categories(name: str, column: NDArray[Any], graph_ids: Sequence[str]) -> NDArray[Any] | None:
    """Return the sorted categories of text or booleans, None for numbers; refuse anything else."""
    if column.dtype.kind in "bU":
        return np.unique(column)
    if column.dtype.kind not in "iuf":
        raise InputError(
            f"A covariate must be all numbers, all text or all booleans: {abbreviate(name)} has dtype "
            f"{column.dtype}. Convert it first.",
            parameter="covariates",
        )
    for value, graph_id in zip(column.tolist(), graph_ids, strict=True):
        if not math.isfinite(value):
            raise InputError(
                f"A covariate must be finite: {abbreviate(name)} of {abbreviate(graph_id)} is {value!r}. "
                "Drop the graph, or correct its value.",
                parameter="covariates",
            )
    return None


def _numbers(column: NDArray[Any], categories: NDArray[Any] | None) -> Floats:
    if categories is None:
        return column.astype(np.float64)[:, np.newaxis]
    # One indicator per category except the first, which the intercept represents.
    return np.asarray(column[:, np.newaxis] == categories[np.newaxis, 1:], dtype=np.float64)


def covariate_basis(covariates: Floats, cells: NDArray[np.int64]) -> Floats:
    """Return orthonormal columns that span the covariates within cells, without redundant ones.

    `cells` numbers the cell of each graph from 0. Each has its own intercept: columns are centred within it.
    """
    columns = covariates - covariates.mean(axis=0)  # a large offset would hide small variation
    spread = np.sqrt((columns**2).sum(axis=0))
    scale = np.maximum(np.abs(covariates).max(axis=0, initial=0.0), 1e-300)
    varies = spread > RANK_TOLERANCE * scale
    columns = columns[:, varies] / spread[varies]
    member = np.eye(int(cells.max()) + 1)[cells]
    columns = columns - member @ ((member.T @ columns) / member.sum(axis=0)[:, None])
    left, singular, _ = np.linalg.svd(columns, full_matrices=False)
    return np.asarray(left[:, : int((singular > RANK_TOLERANCE).sum())])


@dataclass(frozen=True)
class CodedColumn:
    """How one covariate becomes numbers: by its sorted categories, None for numbers, minus training means."""

    name: str
    categories: NDArray[Any] | None
    mean: Floats

    @property
    def titles(self) -> list[str]:
        """Names of its numbers: that of the column, or ``column: category``."""
        if self.categories is None:
            return [self.name]
        return [f"{self.name}: {category}" for category in self.categories[1:].tolist()]

    def numbers(self, column: NDArray[Any], graph_ids: Sequence[str]) -> Floats:
        """Return the numbers minus their training means; all 0 for a category unknown in training."""
        if (_categories(self.name, column, graph_ids) is None) != (self.categories is None):
            kinds = "categories" if self.categories is not None else "numbers"
            raise InputError(
                f"A covariate must be what it was in fit: {abbreviate(self.name)} was a column of {kinds}, "
                f"but is of dtype {column.dtype}. Convert it.",
                parameter="covariates",
            )
        numbers = _numbers(column, self.categories) - self.mean
        if self.categories is not None:
            numbers[~np.isin(column, self.categories)] = 0.0
        return numbers


@dataclass(frozen=True)
class CovariateCode:
    """How covariates become numbers: what a fit must remember of them.

    A category that no training graph had, such as a new site, counts as the average of the training graphs.

    Examples
    --------
    >>> code = CovariateCode.of({"age": np.array([20.0, 40.0]), "site": np.array(["A", "B"])}, ["s1", "s2"])
    >>> code.numbers({"age": np.array([50.0, 30.0]), "site": np.array(["B", "C"])}, ["s3", "s4"]).tolist()
    [[20.0, 0.5], [0.0, 0.0]]
    """

    columns: tuple[CodedColumn, ...]

    @property
    def titles(self) -> list[str]:
        """Names of the numbers, in their order."""
        return [title for column in self.columns for title in column.titles]

    @property
    def n_numbers(self) -> int:
        """Number of numbers per graph."""
        return len(self.titles)

    @classmethod
    def of(cls, columns: Mapping[str, NDArray[Any]], graph_ids: Sequence[str]) -> Self:
        """Learn the code of covariates; `graph_ids` are for messages."""
        kinds = {name: _categories(name, column, graph_ids) for name, column in columns.items()}
        return cls(
            tuple(
                CodedColumn(name, kinds[name], _numbers(column, kinds[name]).mean(axis=0))
                for name, column in columns.items()
            )
        )

    def numbers(self, columns: Mapping[str, NDArray[Any]], graph_ids: Sequence[str]) -> Floats:
        """Return all covariates side by side, shape (n_graphs, n_numbers)."""
        parts = [one.numbers(columns[one.name], graph_ids) for one in self.columns]
        return np.column_stack([np.empty((len(graph_ids), 0)), *parts])


# --- Conditions on columns, such as ``site == 'NYU' and age < 18`` ------------------------------------------

_COMPARISONS: dict[type[ast.cmpop], Callable[[Any, Any], Any]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
}
_ALLOWED = (
    "A condition compares columns with numbers or quoted words by ==, !=, <, <=, >, >=, in and not in, "
    "joined by and, or, not and parentheses: site == 'NYU' and age < 18. A column with spaces is written in "
    "`backticks`."
)
_LONGEST = 2_000


def select_participants(table: Mapping[str, Sequence[Any] | NDArray[Any]], where: str) -> NDArray[np.bool_]:
    """Mark the rows of a table for which a condition is true; refuse one that is true for none.

    Columns, of numbers or text, numbers and quoted words are compared by ==, !=, <, <=, >, >=, in and not in,
    joined by and, or, not and parentheses. The condition is parsed, never evaluated as Python. A comparison
    with a missing value (NaN, or an empty text) is neither true nor false, nor is its negation, so that such
    rows are not selected.

    Examples
    --------
    >>> table = {"site": ["NYU", "KKI", "NYU"], "age": [12, 15, 30]}
    >>> select_participants(table, "site == 'NYU' and age < 18").tolist()
    [True, False, False]
    """
    if not isinstance(where, str) or not where.strip():
        raise InputError(
            f"where must be a condition such as site == 'NYU', but is {abbreviate(repr(where))}.",
            parameter="where",
        )
    condition = _Condition({str(name): _nullable(column) for name, column in table.items()}, where)
    try:
        found = condition.judge(condition.parsed())
    except (SyntaxError, MemoryError, RecursionError) as error:
        hint = " Compare with ==, not with =." if re.search(r"[^=<>!]=[^=]", where) else ""
        raise condition.error(f"cannot be parsed.{hint}") from error
    true = np.asarray(found.to_numpy(dtype=np.bool_, na_value=False))
    if not true.any():
        raise InputError(
            f"where must select some participants, but {abbreviate(where)!r} is true for none of "
            f"{len(true):,}.",
            parameter="where",
        )
    return true


class _Condition:
    """A condition on columns of pandas with missing values, for which a comparison is missing too."""

    def __init__(self, columns: dict[str, Any], where: str) -> None:
        self.columns, self.where = columns, where
        self.quoted: dict[str, str] = {}  # names in backticks, by the word that stands for them

    def error(self, problem: str) -> InputError:
        return InputError(
            f"where must be a condition on columns, but {abbreviate(self.where)!r} {problem.rstrip('.')}.",
            parameter="where",
            way_out=_ALLOWED,
        )

    def parsed(self) -> ast.expr:
        """Parse the condition, in which backticks quote the names of columns, as in pandas."""
        if len(self.where) > _LONGEST:
            raise self.error(f"has {len(self.where):,} characters, more than {_LONGEST:,}")

        def word(match: re.Match[str]) -> str:
            self.quoted[f"_column_{len(self.quoted)}_"] = match[1]
            return f" _column_{len(self.quoted) - 1}_ "

        pieces = re.split(r"('[^']*'|\"[^\"]*\")", self.where)
        pieces[::2] = [re.sub(r"`([^`]*)`", word, piece) for piece in pieces[::2]]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of backslashes in quoted words
            try:
                return ast.parse("".join(pieces).strip(), mode="eval").body
            except ValueError as error:  # NUL characters
                raise SyntaxError from error

    def text(self, node: ast.expr) -> str:
        """Return a part of the condition as the user wrote it, for messages."""
        written = re.sub(r"_column_\d+_", lambda at: self.quoted.get(at[0], at[0]), ast.unparse(node))
        return abbreviate(written)

    def judge(self, node: ast.expr) -> Any:
        """Return an array of True, False and missing."""
        if isinstance(node, ast.BoolOp):
            combine = operator.and_ if isinstance(node.op, ast.And) else operator.or_
            return reduce(combine, map(self.judge, node.values))
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            return ~self.judge(node.operand)
        if isinstance(node, ast.Compare):
            sides = zip([node.left, *node.comparators], node.ops, node.comparators, strict=False)
            return reduce(operator.and_, [self.compare(*side) for side in sides])
        raise self.error(f"contains {self.text(node)!r}, which is not a comparison")

    def compare(self, left: ast.expr, op: ast.cmpop, right: ast.expr) -> Any:
        if isinstance(op, (ast.In, ast.NotIn)):
            if not isinstance(right, (ast.List, ast.Tuple, ast.Set)) or not right.elts:
                raise self.error("needs a list such as ['NYU', 'KKI'] after in")
            among = reduce(operator.or_, [self.compare(left, ast.Eq(), one) for one in right.elts])
            return ~among if isinstance(op, ast.NotIn) else among
        compare = _COMPARISONS.get(type(op))
        if compare is None:
            raise self.error("compares by something else than ==, !=, <, <=, >, >=, in, not in")
        one, other = self.value(left), self.value(right)
        if isinstance(one, (str, float)) and isinstance(other, (str, float)):
            raise self.error(f"compares {self.text(left)} with {self.text(right)}, not a column")
        if _is_text(one) != _is_text(other):
            text, number = (left, right) if _is_text(one) else (right, left)
            raise self.error(
                f"compares {self.text(text)}, which is text, with {self.text(number)}, which is a number"
            )
        for column, word, node in ((one, other, left), (other, one, right)):
            if isinstance(word, str) and word not in (known := {*column.dropna()}):
                raise InputError(
                    f"where must compare with values of the column, but {abbreviate(word)!r} is not one of "
                    f"those of {self.text(node)}: {listed(sorted(known), 12)}.",
                    parameter="where",
                )
        return compare(one, other)

    def value(self, node: ast.expr) -> Any:
        """Return a column, a number or a text."""
        if isinstance(node, ast.Name):
            name = self.quoted.get(node.id, node.id)
            if name in self.columns:
                return self.columns[name]
            close = difflib.get_close_matches(name, self.columns, 1, 0.6)
            hint = f" Did you mean {abbreviate(close[0])}?" if close else " Put text in quotes."
            raise InputError(
                f"where must name columns of the table, but {abbreviate(name)!r} is not one of "
                f"{listed(self.columns, 12)}.{hint}",
                parameter="where",
            )
        with contextlib.suppress(ValueError, OverflowError):
            value = ast.literal_eval(node)
            if isinstance(value, str):
                return value
            if is_real(value):
                return float(value)
        raise self.error(f"contains {self.text(node)!r}, not a column, a number or a quoted word")


def _nullable(column: Any) -> Any:
    """Return a column as numbers or as text; NaN, None and empty text are missing."""
    import pandas

    values = np.asarray(column)
    if values.dtype.kind in "bf":
        return pandas.array(values.astype(np.float64), dtype="Float64")
    if values.dtype.kind in "iu":
        return pandas.array(values)
    texts = [None if is_missing(one) else str(one) or None for one in values]
    return pandas.array(texts, dtype=pandas.StringDtype("python"))


def _is_text(value: Any) -> bool:
    return isinstance(value, str) or getattr(value, "dtype", None) == "string"
