"""Text from files on drawings, labels that keep apart, and colours that stay apart."""

from itertools import combinations, pairwise
from pathlib import Path

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from matplotlib.cbook import is_math_text
from matplotlib.colors import to_rgb
from matplotlib.font_manager import FontProperties

import dugraph
from dugraph.plot.style import (
    COLOURS,
    INK,
    NEGATIVE,
    POSITIVE,
    line_styles,
    plain,
    shorten,
    spread,
    text_width,
)

CSS = Path(dugraph.__file__).parent / "report" / "templates" / "report.css"


@given(st.text(max_size=400))
def test_text_is_one_line_of_drawable_characters_and_no_formula(text):
    shown = plain(text)
    assert shown.isprintable()
    assert not is_math_text(shown)
    assert len(shown) <= 2 * 201


@given(st.text(st.characters(min_codepoint=33, max_codepoint=126), max_size=150))
def test_plain_text_reads_back_exactly(text):
    assert plain(text).replace(r"\$", "$") == text


@given(st.text(max_size=60), st.floats(0.2, 3))
def test_text_keeps_to_its_room(text, inches):
    assert text_width(plain(text, inches).replace(r"\$", "$")) <= max(inches, text_width("…")) + 1e-6


def test_a_long_name_keeps_beginning_and_end():
    assert plain("Frontal_Superior_Orbital_L", 1.0).startswith("Frontal")
    assert plain("Frontal_Superior_Orbital_L", 1.0).endswith("_L")
    assert plain("Frontal_L", 1.0) == "Frontal_L"
    assert len(plain("x" * 10**6)) < 300


def test_what_the_font_lacks_is_a_box_and_what_it_has_is_not():
    assert FontProperties().get_name() == "DejaVu Sans"
    assert plain("α漢ß") == "α□ß"


@given(st.text(max_size=60), st.integers(1, 50))
def test_short_names_stay_and_long_ones_lose_their_middle(text, most):
    short = shorten(text, most)
    assert len(short) == min(len(text), most)
    assert short == text or text.startswith(short.split("…")[0])


def luminance(colour: str) -> float:
    """Relative luminance as WCAG defines it: what is left of a colour in grey."""
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in to_rgb(colour)]
    return float(np.dot((0.2126, 0.7152, 0.0722), linear))


def test_classes_differ_in_grey_marker_dashes_and_hatch():
    lighter, darker = sorted((luminance(POSITIVE.colour), luminance(NEGATIVE.colour)), reverse=True)
    # Contrast as WCAG defines it: 3 is its limit for graphics beside each other.
    assert (lighter + 0.05) / (darker + 0.05) > 2.2
    assert 1.05 / (luminance(INK) + 0.05) > 7
    assert all(a != b for a, b in zip(POSITIVE, NEGATIVE, strict=True))


def test_any_two_lines_differ_in_at_least_two_of_colour_marker_and_dashes():
    styles = line_styles(12)
    for a, b in combinations(styles, 2):
        assert sum(a[key] != b[key] for key in a) >= 2
    assert len({tuple(style.values()) for style in line_styles(200)}) == 200
    assert len(set(COLOURS)) == len(COLOURS)


def test_classes_look_the_same_in_plots_and_report():
    text = CSS.read_text().lower()
    light = text.split("@media")[0]
    assert f"--pos: {POSITIVE.colour.lower()};" in light
    assert f"--neg: {NEGATIVE.colour.lower()};" in light
    # Circles and squares: those of the report are round and square swatches.
    assert (POSITIVE.marker, NEGATIVE.marker) == ("o", "s")
    assert ".swatch.neg { background: var(--neg); border-radius: 1px;" in text


@given(st.lists(st.floats(-100, 100), max_size=12), st.floats(0.1, 20))
def test_names_keep_their_distance_and_their_order(wanted, gap):
    placed = spread(wanted, gap)
    order = np.argsort(wanted, kind="stable")
    assert np.all(np.diff(placed[order]) >= gap - 1e-9)
    assert abs(placed.sum() - sum(wanted)) < 1e-6 * (1 + len(wanted) * 100)
    apart = sorted(wanted)
    if all(b - a >= gap for a, b in pairwise(apart)):
        np.testing.assert_allclose(placed, wanted, atol=1e-9)
