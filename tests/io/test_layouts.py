"""Facts that hold for every row of the table of layouts."""

import os
from importlib import import_module
from inspect import signature

import pytest
from layouts import LAYOUTS as FOLDERS
from made_up import SUBJECTS, refused

from dugraph import read_cohort
from dugraph.exceptions import InputError
from dugraph.io.detection import choose_layout, matching
from dugraph.io.input_files import InputFiles
from dugraph.io.layouts import LAYOUTS

SPECIAL = ("variable", "names_variable", "edge_attribute", "time_axis", "triangle")
SPECIAL_VALUES = {"time_axis": "rows", "triangle": "lower"}
ARGUMENTS = {
    "accepts": ["found", "files"],
    "subjects": ["found", "named", "options"],
    "load": ["file", "options"],
    "kind": ["subjects", "options"],
    "read": ["subjects", "options"],
    "read_all": ["found", "files", "options"],
}

each_layout = pytest.mark.parametrize("layout", LAYOUTS, ids=lambda one: one.name)


@each_layout
def test_the_functions_of_a_row_exist(layout):
    for field, arguments in ARGUMENTS.items():
        name = getattr(layout, field)
        if "." in name:
            module, function = name.split(".")
            found = getattr(import_module(f"dugraph.io.{module}"), function)
            assert list(signature(found).parameters) == arguments
    assert bool(layout.load) + bool(layout.read) + bool(layout.read_all) == 1


@each_layout
def test_a_folder_without_such_files_is_refused_with_their_names(layout, tmp_path):
    (tmp_path / "notes.md").write_text("x")
    with pytest.raises(InputError) as error:
        read_cohort(tmp_path, format=layout.name)
    names = layout.files.split(";")[0].replace("`", "")
    begin = f"{tmp_path}: files of the format {layout.name} must be named {names}, but there are none among "
    assert str(error.value) == begin + "1 file (1 .md). Check the path."


@each_layout
def test_words_that_say_nothing_about_a_layout_are_refused(layout, tmp_path):
    (tmp_path / "notes.md").write_text("x")
    words = {word: "x" for word in SPECIAL if word not in layout.takes}
    words |= {word: value for word, value in SPECIAL_VALUES.items() if word in words}
    words |= {} if "select" in layout.takes else {"select": {"run": "1"}}
    for word, value in words.items():
        message = f"^{word} must be left out for the format {layout.name}, which"
        refused(message, tmp_path, format=layout.name, **{word: value})
    if layout.kind == "series":
        message = "^values must be left out for time series"
        refused(message, tmp_path, format=layout.name, values="correlation")


@pytest.mark.parametrize("name", FOLDERS)
def test_a_pipe_in_place_of_a_file_is_refused_and_never_waited_for(name, tmp_path):
    expected = FOLDERS[name](tmp_path)
    asked = expected.words.get("format")
    layout = choose_layout(InputFiles.of(tmp_path), asked)[0]
    for file in matching(layout, InputFiles.of(tmp_path)):
        file.unlink()
        os.mkfifo(file)
    table = next(iter(tmp_path.glob(expected.participants)), None)
    with pytest.raises(InputError):
        read_cohort(tmp_path, participants=table, id_column=expected.id_column, **expected.words)


def test_a_file_is_not_a_folder_of_subjects(tmp_path):
    FOLDERS["npy_folder"](tmp_path)
    message = r"sub-01\.npy: files of the format matrices must be named .*, but"
    message += r".*Name the folder that holds the files of all subjects\.$"
    refused(message, tmp_path / "sub-01.npy", format="matrices")


@pytest.mark.parametrize("name", ["npy_folder", "csv_edges", "series_txt", "graphml"])
def test_progress_begins_with_the_first_file(name, tmp_path):
    expected, reports = FOLDERS[name](tmp_path), []
    read_cohort(tmp_path, progress=reports.append, **expected.words)
    assert (reports[0]["n_read"], reports[0]["n_files"]) == (1, len(SUBJECTS))


def test_one_graphml_file_is_a_cohort_of_one(tmp_path):
    FOLDERS["graphml"](tmp_path)
    assert read_cohort(tmp_path / f"{SUBJECTS[0]}.graphml")[0].graph_ids == SUBJECTS[:1]


@pytest.mark.parametrize("separator", [" ", ",", "\t"], ids=["space", "comma", "tab"])
@pytest.mark.parametrize("header", ["", "i j r", "source target weight"])
@pytest.mark.parametrize("value", ["1e-3", "+.001"])
def test_tables_of_three_columns_are_edge_lists(separator, header, value, tmp_path):
    rows = ["2 1 0.25", "3 1 -0.5", f"3 2 {value}", "4 1 0", "4 2 0.125"]
    for subject in SUBJECTS:
        lines = [line.replace(" ", separator) for line in (*([header] if header else []), *rows)]
        (tmp_path / f"{subject}.txt").write_text("\n".join(lines) + "\n")
    graphs, _ = read_cohort(tmp_path, values="correlation", probability="absolute")
    assert graphs.provenance["format"] == "edge-lists"
    assert graphs.graph_ids == SUBJECTS
    found = {
        frozenset(graphs.node_labels[v] for v in edge): p
        for edge, p in zip(graphs.edges.tolist(), graphs.edge_probability[0].tolist(), strict=True)
    }
    assert found == {frozenset(line.split()[:2]): abs(float(line.split()[2])) for line in rows}
    refused(r"must be known what the numbers are|you mean the weights", tmp_path)


def test_other_tables_beside_files_with_endings_of_their_own_are_no_subjects(tmp_path):
    expected = FOLDERS["ssv"](tmp_path)
    (tmp_path / "regions.txt").write_text("1 Insula\n2 Cuneus\n")
    assert read_cohort(tmp_path, **expected.words)[0].graph_ids == SUBJECTS


@pytest.mark.parametrize(
    "text", ["0.1 0.2 0.3\n" * 9, "1 2 3\n" * 3, "a b c\n1 2 3\n4 5 6\n7 8 9\n", "1 2 3 4\n" * 9]
)
def test_other_tables_are_no_edge_lists(text, tmp_path):
    (tmp_path / "s.txt").write_text(text)
    assert choose_layout(InputFiles.of(tmp_path))[0].name == "matrices"


def test_a_first_row_with_a_wrong_value_is_no_header(tmp_path):
    rows = ["a b x", "a c 0.5", "b c 0.25", "d a 0.5", "d b 0.5"]
    (tmp_path / "s.txt").write_text("\n".join(rows) + "\n")
    message = r"s\.txt, line 1: the value of an edge must be a number, but is 'x'"
    refused(message, tmp_path, values="correlation")


@pytest.mark.parametrize("line", ["1 2", "1 2 0.5 7", "1 2 x", "1 1 0.5", "2 1 0.25", "3 4 nan"])
def test_a_wrong_line_of_an_edge_list_is_named(line, tmp_path):
    rows = ["2 1 0.25", "3 1 -0.5", "3 2 1e-3", "4 1 0", line]
    (tmp_path / "s.txt").write_text("\n".join(rows) + "\n")
    refused(r"s\.txt, line 5: ", tmp_path, format="edge-lists", values="correlation")


@pytest.mark.parametrize(
    "text",
    [
        '"A" "B" 0.5\n"A" "C" 0.25\n',
        '"A"\t"B"\t0.5\n"A"\t"C"\t0.25\n',
        '"source" "target" "probability"\n"A" "B" 0.5\n"A" "C" 0.25\n',
        "#made by a program\nA B 0.5\n# A D 0.5\n#A D 0.5\nA C 0.25\n",
        "#\nA B {'p': 0.5}\n# A D\nA C {'p': 0.25}\n",
        "A B 0.5\nB A 0.5\nA C 0.25\nC A 0.25\n",
    ],
)
def test_quotes_comments_and_both_directions_of_edge_lists(text, tmp_path):
    (tmp_path / "s.txt").write_text(text)
    graphs, _ = read_cohort(tmp_path, format="edge-lists", values="probability")
    assert graphs.node_labels == ("A", "B", "C")
    assert graphs.edge_probability.tolist() == [[0.5, 0.25]]


def test_names_of_networkx_contain_commas(tmp_path):
    (tmp_path / "s.edgelist").write_text("A,1 B {}\nA,1 C {}\nB C {}\n")
    assert read_cohort(tmp_path)[0].node_labels == ("A,1", "B", "C")


@pytest.mark.parametrize("text", ["A B\nB A\nA C\n", "A B 1\nA B 1\n", "A B 1\nB A 0.5\nA C 1\nC A 1\n"])
def test_directed_or_repeated_edges_are_refused(text, tmp_path):
    (tmp_path / "s.txt").write_text(text)
    values = None if text.startswith("A B\n") else "probability"
    refused("line 2: an edge of a graph must be given once", tmp_path, format="edge-lists", values=values)


@pytest.mark.parametrize("text", ["0\t1\t1\n0\t2\t0,5\n1\t2\t0,25\n", "0 1 1\n0 2 0,5\n"])
def test_decimal_commas_between_numbered_regions(text, tmp_path):
    (tmp_path / "s.txt").write_text(text)
    message = r"line 2: the value of an edge must be a number, but is '0,5'. This looks like a decimal comma"
    refused(message, tmp_path, format="edge-lists", values="count")
