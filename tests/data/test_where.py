"""Conditions on participants: against pandas' query, missing values, and what is refused."""

import contextlib

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dugraph import InputError
from dugraph.data.columns import select_participants

TABLE = {
    "site": np.array(["NYU", "KKI", "NYU", "", "UCLA 1"]),
    "age": np.array([12, 15, 30, 17, 9]),
    "fd": np.array([0.1, np.nan, 0.3, 0.2, 0.05]),
    "scanner site": np.array(["a", "b", "a", "b", "b"]),
}
FRAME = pd.DataFrame(TABLE)


@pytest.mark.parametrize(
    "where",
    [
        "site == 'NYU'",
        "site == 'NYU' and age < 18",
        "age >= 15 or fd < 0.1",
        "not age >= 15 and not fd > 0.06",
        "10 < age <= 17",
        "site in ['NYU', 'KKI']",
        "`scanner site` == 'b' and age > -1e3",
        'site == "UCLA 1"',
        "(age == 12 or age == 30) and site == 'NYU'",
        "18 > age",
    ],
)
def test_it_selects_what_pandas_does(where):
    expected = np.zeros(len(FRAME), dtype=bool)
    expected[FRAME.query(where).index] = True
    assert select_participants(TABLE, where).tolist() == expected.tolist()
    assert select_participants(FRAME, where).tolist() == expected.tolist()


comparison = st.tuples(
    st.sampled_from(["age", "fd"]), st.sampled_from(["<", "<=", "==", "!=", ">"]), st.integers(-1, 31)
).map(lambda part: f"{part[0]} {part[1]} {part[2]}")
condition = st.recursive(
    comparison,
    lambda inner: st.one_of(
        inner.map(lambda one: f"not ({one})"),
        st.tuples(inner, st.sampled_from(["and", "or"]), inner).map(lambda p: f"({p[0]}) {p[1]} ({p[2]})"),
    ),
    max_leaves=6,
)


@given(condition)
def test_a_condition_and_its_negation_share_no_row_and_miss_only_missing_values(where):
    def rows(text):
        # The last row is always true, so that some row is.
        return set(np.flatnonzero(select_participants(more, f"({text}) or last == 1"))) - {5}

    more = {name: np.append(column, column[0]) for name, column in TABLE.items()}
    more["last"] = np.array([0, 0, 0, 0, 0, 1])
    true, false = rows(where), rows(f"not ({where})")
    assert not true & false
    assert set(range(5)) - true - false <= {1}  # fd is missing in row 1 only
    complete = FRAME.drop(index=1)
    assert true - {1} == set(complete.query(where).index)


def test_a_missing_value_is_neither_equal_nor_different():
    assert select_participants(TABLE, "site != 'NYU'").tolist() == [False, True, False, False, True]
    assert select_participants(TABLE, "site not in ['NYU']").tolist() == [False, True, False, False, True]
    assert select_participants(TABLE, "not fd > 0.1").tolist() == [True, False, False, False, True]


@pytest.mark.parametrize(
    ("where", "message"),
    [
        ("", "must be a condition such as site == 'NYU', but is ''"),
        ("age", "contains 'age', which is not a comparison. A condition compares columns"),
        ("site = 'NYU'", "cannot be parsed. Compare with ==, not with ="),
        ("__import__('os').system('x')", "which is not a comparison"),
        ("age < __import__('os')", "not a column, a number or a quoted word"),
        ("age.__class__ == 1", r"contains 'age.__class__', not a column"),
        ("age == (lambda: 1)()", "not a column, a number"),
        ("age < 10 ** 9 ** 9", "not a column, a number"),
        ("[x for x in age] == 1", "not a column, a number"),
        ("age is 12", "compares by something else"),
        ("age == True", "not a column, a number"),
        ("1 < 2", "compares 1 with 2, not a column"),
        ("Age < 18", "'Age' is not one of site, age, fd, scanner site. Did you mean age"),
        ("site == NYU", "'NYU' is not one of .* Put text in quotes"),
        ("site == 'NYu'", "'NYu' is not one of those of site: KKI, NYU, UCLA 1"),
        ("site == 7", "compares site, which is text, with 7, which is a number"),
        ("age == '12'", "compares '12', which is text, with age, which is a number"),
        ("age in 12", "needs a list such as"),
        ("age > 99", "must select some participants, but 'age > 99' is true for none of 5"),
        ("(" * 300 + "age > 1" + ")" * 300, "cannot be parsed"),
        ("not " * 480 + "age > 99", "cannot be parsed|is true for none"),
        ("age > " + "1" * 3000, "has 3,006 characters"),
        ("age > 1; age < 2", "cannot be parsed"),
    ],
)
def test_anything_else_is_refused(where, message):
    with pytest.raises(InputError, match=message) as error:
        select_participants(TABLE, where)
    assert error.value.parameter == "where"


@given(st.text("agefdsite()[]'\"`<>=!.,+-*0123456789 _andorti\\\n", max_size=60))
def test_any_text_is_a_condition_or_is_refused(text):
    with contextlib.suppress(InputError):
        assert select_participants(TABLE, text).any()
