"""Text from files on drawings: as it is, in one line, within its room; colours that stay apart."""

from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib.cbook import is_math_text
from matplotlib.font_manager import FontProperties

from dugraph.plot.colours import COLOURS, INK, NEGATIVE, POSITIVE, line_styles, luminance
from dugraph.plot.text import plain, text_width


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


def test_classes_differ_in_grey_marker_dashes_and_hatch():
    lighter, darker = sorted((luminance(POSITIVE.colour), luminance(NEGATIVE.colour)), reverse=True)
    # Contrast as WCAG defines it: 3 is its limit for graphics beside each other.
    assert (lighter + 0.05) / (darker + 0.05) > 2.2
    assert all(a != b for a, b in zip(POSITIVE, NEGATIVE, strict=True))


def test_luminance_of_known_colours():
    assert luminance("#777777") == pytest.approx(0.184475, abs=1e-6)
    assert luminance("#ff0000") == pytest.approx(0.2126)
    assert 1.05 / (luminance(INK) + 0.05) > 7


def test_any_two_lines_differ_in_at_least_two_of_colour_marker_and_dashes():
    styles = line_styles(12)
    for a, b in combinations(styles, 2):
        assert sum(a[key] != b[key] for key in a) >= 2
    assert len({tuple(style.values()) for style in line_styles(200)}) == 200
    assert len(set(COLOURS)) == len(COLOURS)
