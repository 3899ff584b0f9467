"""Errors know their parameter and their way out; Python reads API words, the command line flags."""

import pickle

import numpy as np
import pytest

from dugraph import InputError, mine_subgraphs
from dugraph.cli.program import in_flags
from dugraph.exceptions import NoneAdmitted, Setting, Spoken, either
from dugraph.search.limits import check_time_limit

KNOWN = {"values", "select", "intersect", "time_limit"}
WAY_OUT = (
    *("Say ", Setting("values", "fisher_z"), " or ", Setting("select", {"run": "a b"}), ", take "),
    *(Setting("intersect", True), ", or leave out ", Setting("edge_layers", None), "."),
)


def test_the_same_error_in_both_languages():
    error = InputError("values must be known.", parameter="values", way_out=WAY_OUT)
    assert isinstance(error, ValueError)
    assert str(error) == (
        'values must be known. Say values="fisher_z" or select={"run": "a b"}, take intersect=True, or leave '
        "out edge_layers=None."
    )
    assert in_flags(error, KNOWN) == (
        "--values must be known. Say --values fisher_z or --select 'run=a b', take --intersect, or leave "
        "out edge_layers=None."
    )


def test_a_plain_message_stays_as_it_is():
    error = InputError("values --values None, but is 3.")
    assert (str(error), in_flags(error, KNOWN)) == ("values --values None, but is 3.",) * 2
    assert (error.parameter, error.way_out) == (None, ())


def test_only_a_parameter_at_the_beginning_becomes_a_flag():
    error = InputError("values_of_a_file must be values.", parameter="values")
    assert in_flags(error, KNOWN) == "values_of_a_file must be values."


def test_none_is_a_word_of_python_only():
    with pytest.raises(InputError) as caught:
        check_time_limit(-1)
    assert str(caught.value) == "time_limit must be a positive number of seconds or None, but is -1."
    assert in_flags(caught.value, KNOWN) == "--time-limit must be a positive number of seconds, but is -1."


def test_text_that_does_not_print_is_shown_by_its_code():
    error = InputError("x", way_out=("Say ", Setting("values", "a\n\u202e"), "."))
    assert str(error) == 'x Say values="a\\n\\u202e".'
    assert in_flags(error, KNOWN) == "x Say --values a\\n\\u202e."


def test_an_error_keeps_its_structure_where_it_is_placed_renamed_and_sent():
    error = NoneAdmitted("values must be known.", parameter="values", way_out=WAY_OUT)
    placed = error.placed("cohort.npz")
    assert type(placed) is NoneAdmitted
    assert str(placed) == f"cohort.npz: {error}"
    assert in_flags(placed, KNOWN).startswith("cohort.npz: --values must be known. Say --values fisher_z")
    renamed = error.renamed("kind")
    assert (str(renamed).split(" Say")[0], renamed.parameter) == ("kind must be known.", "kind")
    back = pickle.loads(pickle.dumps(error))
    assert (type(back), str(back), back.way_out) == (NoneAdmitted, str(error), error.way_out)


def test_choices():
    assert either([Setting("a", 1), "b", Spoken("c")]) == (Setting("a", 1), " or ", "b", " or ", Spoken("c"))


def test_a_limit_that_admits_nothing_is_an_error_of_its_own():
    with pytest.raises(NoneAdmitted, match="No subgraph has an expected frequency above") as caught:
        mine_subgraphs(np.full((4, 3), 0.1), [0, 1, 0, 1], min_expected_frequency=0.9)
    assert caught.value.parameter == "min_expected_frequency"
    assert caught.value.way_out == ("Lower the limit.",)
