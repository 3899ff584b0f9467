"""Tables with and without rich; names that try to be more than names."""

import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dugraph.cli import output
from dugraph.cli.output import print_table, value_texts
from dugraph.files.text import escaped

ROWS = [(1, 0.5, "[red]x"), (20, 0.123456, "two\nlines")]


@pytest.fixture
def terminal(monkeypatch):
    monkeypatch.setattr(output, "_on_terminal", lambda: True)
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setenv("COLUMNS", "120")


PLAIN = """\
a title
rank   value  name
----  ------  ----------
   1  0.5000  [red]x
  20  0.1235  two\\nlines
"""


def test_plain_text_in_a_pipe(capsys):
    print_table("a title", ("rank", "value", "name"), ROWS)
    assert capsys.readouterr().out == PLAIN


def test_plain_text_without_rich(terminal, monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "rich.console", None)
    print_table("a title", ("rank", "value", "name"), ROWS)
    assert capsys.readouterr().out == PLAIN


def test_rich_on_a_terminal_reads_no_markup(terminal, capsys):
    print_table("a [b]title", ("rank", "value", "name"), ROWS)
    shown = capsys.readouterr().out
    assert "a [b]title" in shown
    assert "[red]x" in shown
    assert "two\\nlines" in shown
    assert "───" in shown


def test_a_narrow_terminal_breaks_heads_before_names(terminal, monkeypatch, capsys):
    row = ("0.006", "+0.11 to +0.56", "{Fusiform_R--Temporal_Inf_R}")
    for columns, broken in (("60", False), ("57", True)):
        monkeypatch.setenv("COLUMNS", columns)
        print_table("", ("adjusted p", "95 % interval", "subgraph"), [row])
        shown = capsys.readouterr().out
        assert all(cell in shown for cell in row)
        assert ("adjusted p" not in shown) == broken


def test_an_empty_table(capsys):
    print_table("nothing", ("a", "b"), [])
    assert capsys.readouterr().out == "nothing\na  b\n-  -\n"


LABELS = ("[b]healthy", "ill\\n\\u202e")
REGIONS = ("[red]x", "</script>", "two\\nlines", "\\u202eturned", "\\x1b[2J")


@pytest.mark.parametrize("on_terminal", [False, True])
@pytest.mark.parametrize(
    ("words", "names"),
    [
        ("mine --n-subgraphs 10 --max-edges 1 --min-expected-frequency 0", REGIONS),
        ("test --n-permutations 99", ("two\\nlines",)),
        ("info", LABELS),
    ],
)
def test_hostile_names_stay_names(words, names, on_terminal, request, hostile_cohort, shell):
    if on_terminal:
        request.getfixturevalue("terminal")
    command, *flags = words.split()
    shown = shell(command, hostile_cohort, *flags)
    assert all(name in shown.out for name in names)
    assert not [code for code in ("\u202e", "\x1b[2J") if code in shown.out + shown.err]


@pytest.mark.parametrize(
    ("values", "texts"),
    [
        ([0.5, 0.25], ["0.5000", "0.2500"]),
        ([0.0376104, 0.0376121], ["0.037610", "0.037612"]),  # five digits tell them apart
        ([1.0, 0.999987, 0.99, 0.5], ["1.000", "1 - 1.3e-05", "0.9900", "0.5000"]),
        ([0.9999987, 0.99999871], ["1 - 1.3e-06", "1 - 1.29e-06"]),
        ([0.1, 0.1 + 1e-16, 0.1 + 1e-15], ["0.1000"] * 3),  # rounding is no difference
        ([1 - 1e-15, 0.0], ["1.000", "0.000"]),
        ([1000.0, 12.345], ["1000", "12.35"]),
        ([], []),
    ],
)
def test_different_values_of_a_ranking_look_different(values, texts):
    assert value_texts(values) == texts


@given(st.lists(st.floats(0, 1), min_size=1))
def test_values_are_shown_in_their_order_and_1_is_1(values):
    shown = [1 - float(text[4:]) if text.startswith("1 - ") else float(text) for text in value_texts(values)]
    for value, read in zip(values, shown, strict=True):
        assert read == pytest.approx(value, rel=1e-3, abs=1e-300)
        assert (read == 1) == (value > 1 - 1e-12)
    assert sorted(shown) == [read for _, read in sorted(zip(values, shown, strict=True))]


def test_a_number_does_not_end_in_a_point(capsys):
    print_table("t", ("mean edges",), [(2908.2,), (12.5,)])
    assert capsys.readouterr().out == "t\nmean edges\n----------\n      2908\n     12.50\n"


def test_written_numbers_are_aligned_as_numbers(capsys):
    print_table("t", ("value",), [(text,) for text in value_texts([0.999987, 0.5])])
    assert capsys.readouterr().out == "t\n      value\n-----------\n1 - 1.3e-05\n     0.5000\n"


def test_wording():
    assert escaped("Précuneus \\ [x]") == "Précuneus \\ [x]"
    assert escaped("a\\n\n") == "a\\\\n\\n"
