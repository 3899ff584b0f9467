"""The paper's own numbers go through our ranking: all its ranks come out, but for the slips in print."""

import csv
from pathlib import Path

import numpy as np
import pytest

from dugraph.evaluation import METHODS, average_ranks, competition_ranks

TABLES = ("adni", "adhd", "hiv")
COLUMNS = tuple(f"{metric}@{t}" for metric in ("error", "f1") for t in (100, 200, 300, 400, 500))
# (table, method, column): (printed, ours). In each the printed values themselves ask for another rank.
SLIPS = {
    ("adni", "exp-hsic", "f1@300"): (9, 10),
    ("adni", "exp-confidence", "error@100"): (7, 6),
    ("adni", "mod-confidence", "error@100"): (12, 13),
    ("adhd", "phi-hsic", "f1@300"): (13, 12),
    ("adhd", "med-frequency_ratio", "error@400"): (6, 5),
    ("adhd", "frequency_ratio", "f1@200"): (22, 21),
    ("adhd", "phi-g_test", "f1@300"): (12, 13),
}
# (table, method): (printed, mean of the printed ranks). The mean was computed wrongly.
AVERAGE_SLIPS = {
    ("adni", "hsic"): (18.1, 17.8),
    ("adni", "mod-frequency_ratio"): (9.9, 10.0),
    ("hiv", "exp-frequency_ratio"): (11.3, 11.7),
    ("hiv", "med-g_test"): (10.9, 13.5),
}


def read_paper():
    """A row for each cell of the tables, which print a value and its rank: 0.400 (9)."""
    with open(Path(__file__).with_name("paper_tables.csv"), newline="") as file:
        rows = list(csv.DictReader(file))
    cells = []
    for row in rows:
        for column in (*COLUMNS, "average_rank"):
            value, _, rank = row[column].rpartition(" ")
            place = {"table": row["table"], "method": row["method"], "column": column}
            cells.append({**place, "value": value, "printed_rank": rank.strip("()")})
    return cells


PAPER = read_paper()


def ranks_of(table):
    """Our ranks of one table, by method and column."""
    ranks = {}
    for column in COLUMNS:
        rows = [row for row in PAPER if (row["table"], row["column"]) == (table, column)]
        ours = competition_ranks([float(row["value"]) for row in rows], largest_first=column.startswith("f1"))
        ranks.update({(row["method"], column): int(rank) for row, rank in zip(rows, ours, strict=True)})
    return ranks


def test_the_tables_are_complete():
    places = {(row["table"], row["method"], row["column"]) for row in PAPER}
    columns = (*COLUMNS, "average_rank")
    assert places == {(t, m, c) for t in TABLES for m in METHODS for c in columns}
    assert len(PAPER) == len(places)


@pytest.mark.parametrize("table", TABLES)
def test_all_printed_ranks_are_reproduced_except_misprints(table):
    ours = ranks_of(table)
    rows = [row for row in PAPER if row["table"] == table and row["column"] != "average_rank"]
    assert len(rows) == 220
    different = {
        (table, row["method"], row["column"]): (int(row["printed_rank"]), ours[row["method"], row["column"]])
        for row in rows
        if int(row["printed_rank"]) != ours[row["method"], row["column"]]
    }
    assert different == {place: ranks for place, ranks in SLIPS.items() if place[0] == table}


@pytest.mark.parametrize("table", TABLES)
def test_printed_average_ranks_are_means_of_printed_ranks_except_misprints(table):
    printed = {(r["method"], r["column"]): float(r["printed_rank"]) for r in PAPER if r["table"] == table}
    means = average_ranks([[printed[method, column] for column in COLUMNS] for method in METHODS])
    different = {
        (table, method): (printed[method, "average_rank"], round(mean, 1))
        for method, mean in zip(METHODS, means.tolist(), strict=True)
        if printed[method, "average_rank"] != round(mean, 1)
    }
    assert different == {place: ranks for place, ranks in AVERAGE_SLIPS.items() if place[0] == table}


@pytest.mark.parametrize("table", TABLES)
def test_average_ranks_differ_only_at_misprints(table):
    ours = ranks_of(table)
    means = average_ranks([[ours[method, column] for column in COLUMNS] for method in METHODS])
    printed = {
        r["method"]: float(r["printed_rank"])
        for r in PAPER
        if r["table"] == table and r["column"] == "average_rank"
    }
    different = {m for m, mean in zip(METHODS, means.tolist(), strict=True) if round(mean, 1) != printed[m]}
    assert different == {place[1] for place in (*SLIPS, *AVERAGE_SLIPS) if place[0] == table}


def test_values_that_print_the_same_share_a_rank():
    assert competition_ranks([0.1234, 0.1226, 0.1, 0.5]).tolist() == [2, 2, 1, 4]


def test_missing_values_have_no_rank_and_take_none():
    ranks = competition_ranks([0.2, np.nan, 0.9, 0.2], largest_first=True)
    np.testing.assert_array_equal(ranks, [2, np.nan, 1, 2])
    np.testing.assert_array_equal(competition_ranks([np.nan, np.nan]), [np.nan, np.nan])
    np.testing.assert_array_equal(average_ranks([[1, 2], [np.nan, 1]]), [1.5, np.nan])
