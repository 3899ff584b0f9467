"""Conditions on columns of a participants table, such as ``site == 'NYU' and age < 18``."""

from __future__ import annotations

import ast
import contextlib
import difflib
import operator
import re
import warnings
from collections.abc import Callable, Mapping, Sequence
from functools import reduce
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dugraph.data.arguments import abbreviate, is_real, listed
from dugraph.data.columns import is_missing
from dugraph.exceptions import InputError

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
