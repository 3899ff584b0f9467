"""Text in the report: escaped, read back as it was, and never shown like another."""

import html

import pytest
from hostile_labels import as_shown
from hypothesis import given
from hypothesis import strategies as st

from dugraph.report.charts import carried, element, escaped, number, path, ticks

TEXT = st.text(st.characters(exclude_categories=()))


@given(TEXT)
def test_escaped_text_reads_back(text):
    shown = str(escaped(text))
    assert not set(shown) & set("<>\"'\r\0")
    assert html.unescape(shown) == carried(text) == as_shown(text)
    shown.encode()  # which UTF-8 can hold


@given(TEXT, TEXT)
def test_texts_with_codes_are_never_shown_alike(a, b):
    a, b = a + "\0", b + "\0"
    assert (carried(a) == carried(b)) is (a == b)


def test_elements():
    drawn = element("a", "<b>", element("c", x=1.25, y=None), class_="d", stroke_width="'\"")
    assert drawn == '<a class="d" stroke-width="&#39;&#34;">&lt;b&gt;<c x="1.2"/></a>'
    assert path([(0, 1.04), (-0.01, 2)], closed=True) == "M0 1L0 2Z"
    assert number(-0.0) == "0"


@given(st.floats(-1e9, 1e9), st.floats(1e-6, 1e9))
def test_ticks_are_few_round_and_within(low, width):
    high = low + width
    marks = ticks(low, high)
    assert len(marks) <= 7
    slack = 1e-6 * width + 1e-9 * max(abs(low), abs(high))
    assert all(low - slack <= mark <= high + slack for mark in marks)
    assert marks == sorted(marks)


@pytest.mark.parametrize(("low", "high", "count"), [(0, 1, 6), (0.0123, 0.0345, 4), (1e-15, 9e-15, 4)])
def test_there_are_ticks(low, high, count):
    assert len(ticks(low, high)) == count
