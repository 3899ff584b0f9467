"""The table of subjects: ids, groups, columns, and who is on one side only."""

import io

import numpy as np
import pandas as pd
import pytest
from layouts_labs import npy_matrices
from made_up import SUBJECTS, refused
from scipy.stats import mannwhitneyu

from dugraph import read_cohort, read_study
from dugraph.exceptions import InputError
from dugraph.io import from_array

TABLE = "participant_id\tgroup\tage\tsex\tsite\tcode\n"
TABLE += "sub-01\tADHD\t20\tF\tNYU\t007\nsub-02\tcontrol\tn/a\tM\tn/a\t008\n"
TABLE += "sub-03\tADHD\t22.5\tM\tKKI\t009\nsub-10\tcontrol\t23\tF\tKKI\t010\n"


def frame_of(text):
    return pd.read_csv(io.StringIO(text), sep="\t", dtype={"code": str})


@pytest.fixture
def read(tmp_path):
    """Read a folder of four subjects with a table: a text or a frame."""
    (tmp_path / "matrices").mkdir()
    npy_matrices(tmp_path / "matrices")

    def run(table, name="table.tsv", **words):
        if isinstance(table, str):
            (tmp_path / name).write_text(table)
            table = tmp_path / name
        return read_cohort(tmp_path / "matrices", participants=table, **words)

    return run


def test_columns_travel_along(read):
    graphs, y = read(TABLE)
    # The last name in sorted order is positive; small letters come after capitals.
    assert (y.tolist(), graphs.provenance["positive"]) == ([0, 1, 0, 1], "control")
    columns = graphs.participants
    assert list(columns) == ["group", "age", "sex", "site", "code"]
    np.testing.assert_array_equal(columns["age"], [20, np.nan, 22.5, 23])
    assert columns["site"].tolist() == ["NYU", "", "KKI", "KKI"]
    assert columns["code"].tolist() == ["007", "008", "009", "010"]
    graphs, y = read(TABLE, positive="ADHD")
    assert (y.tolist(), graphs.provenance["negative"]) == ([1, 0, 1, 0], "control")
    assert read(TABLE, negative="control")[1].tolist() == [1, 0, 1, 0]


def test_a_long_cell_is_refused(read):
    text = TABLE.replace("KKI", "K" * 20_000, 1)
    with pytest.raises(
        InputError, match=r"line \d: a cell may have 10000 characters, but one has 20000: KKK"
    ):
        read(text)


def test_rows_in_any_order_with_or_without_prefix(read):
    head, *rows = TABLE.splitlines()
    text = "\n".join([head, *(row.removeprefix("sub-") for row in reversed(rows))])
    graphs, y = read(text, positive="ADHD")
    assert graphs.graph_ids == SUBJECTS
    assert y.tolist() == [1, 0, 1, 0]
    assert graphs.participants["code"].tolist() == ["007", "008", "009", "010"]
    commas = "\n".join([head, *rows]).replace("\t", ",").replace("\n", "\r\n")
    assert read("\ufeff" + commas, "table.csv", positive="ADHD")[1].tolist() == [1, 0, 1, 0]


def test_subjects_on_one_side_only(read):
    text = TABLE.replace("sub-03", "sub-04")
    message = (
        r"no row for 1 subject \(sub-03\) and there is no file for 1 subject \(sub-04\). Complete them, or "
    )
    refused(message + "take the 3 common ones with intersect=True", text, by=read)
    graphs, y = read(text, intersect=True, positive="ADHD")
    assert graphs.graph_ids == ("sub-01", "sub-02", "sub-10")
    assert y.tolist() == [1, 0, 0]
    assert graphs.provenance["left_out"] == {"without a row": ["sub-03"], "without a file": ["sub-04"]}
    refused("No id matches: check id_column", TABLE.replace("sub-", "patient"), by=read, intersect=True)


@pytest.mark.parametrize("words", [{}, {"intersect": True}, {"positive": "ADHD", "negative": "control"}])
def test_no_two_graphs_take_one_row(read, tmp_path, words):
    np.save(tmp_path / "matrices" / "01.npy", np.eye(5))
    message = r"table.tsv: ids of graphs must differ without the prefix sub-, .* but 01 and sub-01 do not"
    refused(message, TABLE, by=read, **words)


def test_three_groups(read):
    text = TABLE.replace("ADHD\t22.5", "autism\t22.5")
    message = r"two groups, but there are ADHD \(1 subject\), autism \(1 subject\), control \(2 subjects\)"
    refused(message, text, by=read, positive="ADHD")
    graphs, y = read(text, positive="autism", negative="control")
    assert graphs.graph_ids == ("sub-02", "sub-03", "sub-10")
    assert y.tolist() == [0, 1, 0]
    assert graphs.provenance["left_out"] == {"of group ADHD": ["sub-01"]}


ONE_GROUP = r"exactly two groups, but there is ADHD \(4 subjects\). Check"
NEGATIVE = r"negative must name a group, but 'ctrl' is not one of ADHD \(2 subjects\), control \(2 subjects\)"


@pytest.mark.parametrize(
    ("old", "new", "words", "message"),
    [
        ("control", "ADHD", {}, ONE_GROUP),
        (
            "",
            "",
            {"positive": "adhd"},
            r"positive must name a group, but 'adhd' is not one of ADHD \(2 subjects\)",
        ),
        ("", "", {"positive": "ADHD", "negative": "ctrl"}, NEGATIVE),
        ("", "", {"positive": "ADHD", "negative": "ADHD"}, "different groups, but both are 'ADHD'"),
        (
            "",
            "",
            {"group_column": "dx"},
            "group_column must name a column, but 'dx' is not one of participant_id",
        ),
        ("sex", "diagnosis", {}, "but group, diagnosis could. Name it with group_column"),
        ("group", "arm", {}, "hold the group of each subject, but none of .* has a usual name"),
        ("control\t23", "n/a\t23", {}, "every subject must have a group, but 1 subject has none: sub-10"),
        ("participant_id", "who", {}, "none of who, group, .* Name it with id_column"),
        ("participant_id\tgroup\tage", "subject\tgroup\tid", {}, "but subject, id could"),
        ("sub-03", "01", {}, "line 4: a subject must have one row, but 01 is in line 2 too"),
        ("sub-03", "n/a", {}, "line 4: every row must have an id, but it is 'n/a'"),
        (
            "\t010\n",
            "\t010\n\t\t\t\t\t\n",
            {},
            "line 6: .* it is ''. Fill it in, or delete the row if it is empty",
        ),
        ("\tKKI\t009", "", {}, "table.tsv, line 4: every row must have as many cells as the first"),
        ("sub-03", "../../x", {}, r"no file for 1 subject \(\.\./\.\./x\)"),
        ("age", "sex", {}, "column names must be unique, but 'sex' appears twice"),
    ],
)
def test_broken_tables(read, old, new, words, message):
    refused(message, TABLE.replace(old, new), by=read, **words)


def test_a_table_in_memory(read):
    frame = frame_of(TABLE)
    graphs, y = read(frame, positive="ADHD")
    from_file, y_from_file = read(TABLE, positive="ADHD")
    assert y.tolist() == y_from_file.tolist()
    for name, column in from_file.participants.items():
        np.testing.assert_array_equal(graphs.participants[name], column)
    assert graphs.provenance == from_file.provenance | {"participants": "table in memory"}
    message = "^table in memory: one column must hold the group of each subject, but"
    refused(message, frame.drop(columns="group"), by=read)
    message = "^table in memory, line 1: .* but sub-01 is in line 0 too"
    refused(message, frame.assign(participant_id="sub-01"), by=read)
    message = "^participants: column names must be unique, but 'sex'"
    refused(message, frame.rename(columns={"age": "sex"}), by=read)
    message = "^participants must be a table with one row per subject, a pandas.DataFrame .* but is int"
    refused(message, 7, by=read)


def test_words_without_a_table(read):
    message = "where needs a table of participants, but the cohort has none"
    refused(message, None, by=read, where="age > 1")


def test_white_space_around_values_is_removed_and_counted(read):
    text = TABLE.replace("sub-02\tcontrol", "sub-02\tcontrol ").replace("\tNYU", "\t\u00a0NYU")
    expected = "removed around 2 values (group 1, site 1); 'control' and 'control ' are one group"
    for table in (text, frame_of(text)):
        graphs, y = read(table, positive="ADHD")
        assert y.tolist() == [1, 0, 1, 0]
        assert graphs.participants["site"].tolist()[0] == "NYU"
        assert graphs.provenance["white_space"] == expected
    assert "white_space" not in read(TABLE, positive="ADHD")[0].provenance


def test_a_condition_selects_rows_and_their_files(read):
    words = {"positive": "ADHD", "where": "age < 23 and participant_id != 'sub-02'"}
    graphs, y = read(TABLE.replace("ADHD\t22.5", "control\t22.5"), **words)
    assert graphs.graph_ids == ("sub-01", "sub-03")
    assert y.tolist() == [1, 0]
    assert graphs.provenance["where"] == words["where"]
    assert graphs.provenance["left_out"] == {"not selected by where": ["sub-02", "sub-10"]}
    message = "where must name columns of the table, but 'Age' is not one of"
    refused(message, TABLE, by=read, where="Age < 23")


@pytest.mark.parametrize("column", ["mean_fd", "func mean FD"])
def test_head_motion_is_summarised_by_class(column):
    rng = np.random.default_rng(0)
    group = np.repeat(["patient", "control"], 20)
    motion = rng.random(40) + (group == "patient")
    motion[0] = np.nan
    table = pd.DataFrame({"id": [f"s{i}" for i in range(40)], "group": group, column: motion})
    array = np.full((40, 3, 3), 0.5) + np.eye(3) / 2
    graphs, _ = from_array(array, table)
    medians = [np.nanmedian(motion[group == name]) for name in ("control", "patient")]
    p_value = mannwhitneyu(motion[1:20], motion[20:], method="asymptotic", use_continuity=False).pvalue
    by_class = f"control {medians[0]:.3g}, patient {medians[1]:.3g} (Kruskal-Wallis p = {p_value:.2g})"
    assert graphs.provenance["motion"] == f"median {column}: {by_class}"
    assert graphs.provenance["caution"].startswith(f"head motion ({column}) differs between the classes")
    table[column] = 0.1
    graphs, _ = from_array(array, table)
    assert graphs.provenance["motion"] == f"median {column}: control 0.1, patient 0.1"
    assert "caution" not in graphs.provenance


def test_a_study_has_the_names_of_its_groups(tmp_path):
    npy_matrices(tmp_path)
    table = tmp_path / "table.tsv"
    table.write_text(TABLE)
    cohort = read_study(tmp_path, table, positive="ADHD", where="age > 0")
    graphs, y = read_cohort(tmp_path, participants=table, positive="ADHD", where="age > 0")
    assert cohort.graphs == graphs
    assert cohort.y.tolist() == ["ADHD", "ADHD", "control"]
    assert cohort.positive.tolist() == (y == 1).tolist()
    table.write_text(TABLE.replace("control\t23", "other\t23"))
    cohort = read_study(tmp_path, table, group_column="group")
    assert cohort.classes.tolist() == ["ADHD", "control", "other"]
    table.unlink()
    refused("read_study needs the class of each subject, but there are none", tmp_path, by=read_study)
