"""Folders that are reported: what belongs together, where the cohort is, and any damage to their files."""

import csv
import io
import json
import os
import shutil

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dugraph import InputError, UncertainGraphs, save_cohort, write_report
from dugraph.cli import main

pytestmark = pytest.mark.filterwarnings("ignore:.*the files must be of one run")
COMMANDS = {
    "mine": ["--n-subgraphs", "3", "--measure", "phi_probability"],
    "sparse": ["--n-alphas", "4", "--cv", "2"],
    "evaluate": ["--methods", "exp-hsic,all-edges", "--n-subgraphs", "3", "--n-splits", "2"],
    "test": ["--n-permutations", "99", "--blocks", "site"],
}
FILES = [
    *(("mine", "results.json"), ("sparse", "results.json")),
    *(("test", "results.json"), ("test", "null_maxima.csv")),
    *(("evaluate", "evaluation.json"), ("evaluate", "input.json"), ("evaluate", "results.csv")),
]
# Written as they are, so that they need not be values of Python.
TEXTS = [
    *(
        "null",
        "true",
        "[]",
        "{}",
        "[[1, 2]]",
        '{"index": 9}',
        '""',
        '"x"',
        '"{0}"',
        '"\\ud800"',
        '"quantile"',
    ),
    *("0", "-1", "3", "0.5", "1e308", "1e400", "NaN", "9" * 400, "9" * 5000),
    *("[" * depth + "]" * depth for depth in (50, 400, 100_000)),
]
CELLS = ["", "x", "nan", "inf", "-1", "0.5", "1e308", "9" * 400, "9" * 5000, "x" * 200_000, '"', "\0"]
PLACE = "@here@"
WAYS_OUT = (
    *("Run it again.", 'Name it with data="FILE".', 'Name the right one with data="FILE", or mine again.'),
    *('name it with evaluation="FOLDER".',),
)


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    """A small cohort that was mined, fitted, tested and evaluated."""
    home = tmp_path_factory.mktemp("small")
    rng = np.random.default_rng(0)
    y = np.arange(20) % 2
    X = rng.uniform(0.2, 0.6, (20, 10))
    X[:, :2] = np.where(y[:, None] == 1, 0.95, 0.3)
    save_cohort(home / "cohort.npz", UncertainGraphs(X, participants={"site": list("abba") * 5}), y)
    for command, flags in COMMANDS.items():
        assert main([command, str(home / "cohort.npz"), *flags, "-o", str(home / command)]) == 0
        assert write_report(home / command).exists()
    return home


@pytest.fixture
def copy(mined, tmp_path):
    """A cohort with its results, to be changed."""
    shutil.copytree(mined, tmp_path / "study")
    return tmp_path / "study"


# ---------------------------------------------------------------- what belongs together


def test_the_parts_that_exist_are_reported(copy):
    pages = {
        (True, True): write_report(copy / "results", evaluation=copy / "evaluation").read_text(),
        (True, False): write_report(copy / "results").read_text(),
        (False, True): write_report(copy / "evaluation").read_text(),
    }
    shutil.copy(copy / "results" / "results.json", copy / "evaluation")  # one folder may have both
    for (mining, evaluation), page in [
        *pages.items(),
        ((True, True), write_report(copy / "evaluation").read_text()),
    ]:
        assert ('id="ranking"' in page) is ('id="mining"' in page) is mining
        assert ('id="classification"' in page) is evaluation
        assert 'id="cohort"' in page


def test_the_page_is_the_same_again_and_replaces_the_older(copy, tmp_path):
    first = write_report(copy / "results").read_bytes()
    (copy / "results" / "report.html").write_text("old")
    assert write_report(copy / "results").read_bytes() == first
    assert [name for name in os.listdir(copy / "results") if name.endswith(".tmp")] == []
    shutil.move(copy, tmp_path / "moved")
    assert write_report(tmp_path / "moved" / "results").read_bytes() == first


def test_a_cohort_that_is_gone_is_asked_for_and_another_one_refused(copy):
    (copy / "cohort.npz").rename(copy / "elsewhere.npz")
    with pytest.raises(InputError, match=r'cohort.npz: the cohort .* is missing. Name it with data="FILE".'):
        write_report(copy / "results")
    assert write_report(copy / "results", data=copy / "elsewhere.npz").exists()
    (copy / "results" / "report.html").unlink()
    save_cohort(copy / "cohort.npz", UncertainGraphs(np.full((4, 3), 0.5)), [0, 1, 0, 1])
    with pytest.raises(InputError, match="must be the file that was mined, but its SHA-256 is not"):
        write_report(copy / "results")
    assert not (copy / "results" / "report.html").exists()


def test_folders_that_cannot_be_joined(copy, tmp_path):
    message = r"nor evaluation\.json\. Its folders results(, test)? do: name one of them\."
    with pytest.raises(InputError, match=message):
        write_report(copy)
    with pytest.raises(InputError, match="there is no such folder"):
        write_report(tmp_path / "nowhere")
    with pytest.raises(InputError, match="must contain what `dugraph evaluate` writes, but does not"):
        write_report(copy / "results", evaluation=tmp_path)
    with pytest.raises(InputError, match="but this is an evaluation itself"):
        write_report(copy / "evaluation", evaluation=copy / "results")
    record = json.loads((copy / "evaluation" / "input.json").read_text())
    (copy / "evaluation" / "input.json").write_text(json.dumps({**record, "sha256": "0" * 64}))
    with pytest.raises(InputError, match="must use the same cohort file, but their hashes differ"):
        write_report(copy / "results", evaluation=copy / "evaluation")


def test_fewer_subgraphs_than_features_are_reported(copy):
    table = copy / "evaluation" / "results.csv"
    table.write_text(table.read_text().replace("exp-hsic,2,6,6,", "exp-hsic,2,6,5,"))
    page = write_report(copy / "evaluation").read_text()
    assert "<p>Fewer subgraphs than t were found (smallest number in a split): 5 by exp-hsic for t=6." in page
    assert "Fewer subgraphs" not in write_report(copy / "results").read_text()


def test_a_method_without_a_value_in_some_split_is_not_compared(copy):
    table = copy / "evaluation" / "results.csv"
    whole = [line for line in table.read_text().splitlines() if not line.startswith("exp-hsic,2,")]
    table.write_text("\n".join([*whole, "exp-hsic,2,3,0,True,,,,", "exp-hsic,2,6,0,True,,,,"]) + "\n")
    page = write_report(copy / "evaluation").read_text()
    assert "Fewer subgraphs" not in page
    assert "all-edges, all features; guessing" in page
    chart = page.split('<figure class="folds">')[1].split("</figure>")[0]
    # Dots of both methods, means of one.
    assert (chart.count('class="dots plain"'), chart.count('class="line mean"')) == (3, 1)


# ---------------------------------------------------------------- damage


def places(value, above=()):
    """Where the values of JSON are."""
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, one in inner:
        yield (*above, key)
        yield from places(one, (*above, key))


def damaged_json(content, draw):
    record = json.loads(content)
    *above, last = draw(st.sampled_from(list(places(record))))
    parent = record
    for key in above:
        parent = parent[key]
    damage = draw(st.sampled_from([None, *TEXTS]))
    if damage is None:
        del parent[last]
        return json.dumps(record).encode()
    parent[last] = PLACE
    return json.dumps(record).replace(f'"{PLACE}"', damage).encode()


def damaged_table(content, draw):
    rows = list(csv.reader(io.StringIO(content.decode())))
    row = draw(st.sampled_from(rows))
    column = draw(st.integers(0, len(row) - 1))
    damage = draw(st.sampled_from([None, *CELLS]))
    row[column : column + 1] = [] if damage is None else [damage]
    return "\n".join(",".join(row) for row in rows).encode()


def damaged_bytes(content, draw):
    begin = draw(st.integers(0, len(content)))
    end = draw(st.sampled_from([begin, begin + 1, begin + 20, len(content)]))
    return content[:begin] + draw(st.sampled_from([b"", b"\xff", b"\0", b"0", b'"', b","])) + content[end:]


@settings(max_examples=10_000 if os.environ.get("DUGRAPH_SOAK") else 40)
@given(data=st.data())
def test_damage_gives_a_page_or_an_input_error(folders, data):
    command, name = data.draw(st.sampled_from(FILES))
    by_value = damaged_json if name.endswith(".json") else damaged_table
    damage = data.draw(st.sampled_from([by_value, by_value, damaged_bytes]))
    file, page = folders / command / name, folders / command / "report.html"
    whole = file.read_bytes()
    page.unlink(missing_ok=True)
    refusal = ""
    try:
        file.write_bytes(damage(whole, data.draw))
        write_report(folders / command)
    except InputError as error:
        refusal = str(error)
    finally:
        file.write_bytes(whole)
    assert page.exists() == (not refusal)
    if refusal:
        assert refusal.startswith(str(folders))
        assert len(refusal) < 1000
        assert refusal.endswith(WAYS_OUT)


def edges_of_first(*edges):
    return {
        "subgraphs": lambda found: [{**found[0], "edges": [{"index": edge} for edge in edges]}, *found[1:]]
    }


def of_first(**values):
    return {"subgraphs": lambda found: [{**found[0], **values}, *found[1:]]}


def merged(name, **values):
    return {name: lambda known: {**known, **values}}


def without(name, member):
    return {name: lambda known: {key: value for key, value in known.items() if key != member}}


@pytest.mark.parametrize(
    ("command", "change", "words"),
    [
        ("sparse", {"versions": []}, "versions: expected `object`, got `array`"),
        ("mine", {"input": {}}, "input: object missing required field `file`"),
        ("mine", {"subgraphs": {}}, "subgraphs: expected `array`, got `object`"),
        ("mine", merged("parameters", measure="quantile"), "the measure quantile has no quantile"),
        ("mine", merged("parameters", phi=None), "the measure phi_probability has no phi"),
        ("mine", merged("parameters", measure="{0}"), "parameters.measure must be one of expectation, "),
        ("mine", merged("parameters", score_cap=-1), "parameters.score_cap must be at least 0 and is -1"),
        ("mine", merged("parameters", score_cap="much"), "the results must be as"),
        ("mine", merged("parameters", measure=3), "the results must be as"),
        ("mine", merged("parameters", alternativ=1), "alternativ is unknown to this version"),
        ("mine", merged("parameters", bound=[[]]), "parameters.bound: expected `str`, got `array`"),
        ("mine", merged("proof", message=None), "the results must be as"),
        ("mine", {"proof": []}, "the results must be as"),
        ("mine", merged("counters", n_visited=0.5), "the results must be as"),
        ("mine", without("counters", "n_visited"), "the results must be as"),
        ("mine", edges_of_first(0, 9), "subgraph 1 .*is not a connected set"),
        ("mine", edges_of_first(0, 0), "subgraph 1 .*is not a connected set"),
        ("mine", edges_of_first(10), "subgraph 1 .*beyond the 10 of the cohort"),
        ("mine", edges_of_first(), "the results must be as"),
        ("mine", edges_of_first(-1), "the results must be as"),
        ("mine", edges_of_first("x"), "the results must be as"),
        ("mine", of_first(edges=[{}]), "the results must be as"),
        ("mine", of_first(edges=None), "the results must be as"),
        ("mine", of_first(value=float("nan")), "the results must be as"),
        ("mine", merged("input", positive_class="7"), "the cohort has no graph of the class 7"),
    ],
)  # fmt: skip
def test_the_refusal_says_what_is_wrong(folders, command, change, words, tmp_path):
    record = json.loads((folders / command / "results.json").read_text())
    for name, value in change.items():
        record[name] = value(record[name]) if callable(value) else value
    (tmp_path / "results.json").write_text(json.dumps(record))
    with pytest.raises(InputError, match=words):
        write_report(tmp_path, data=folders / "cohort.npz")


@pytest.mark.parametrize(
    "content", [b"", b"{", b"[]", b"{}", b'{"input": 3}', b"\xff\xfe", b'{"input": {"file": 1}}']
)
def test_damaged_results_are_refused(copy, content):
    (copy / "results" / "results.json").write_bytes(content)
    with pytest.raises(InputError, match=r"(damaged|must hold a JSON object|must be as `dugraph mine`)"):
        write_report(copy / "results")


@pytest.mark.parametrize(
    ("name", "content"),
    [("evaluation.json", "{}"), ("results.csv", "x"), ("input.json", "{}"), ("input.json", None)],
)
def test_a_damaged_evaluation_is_refused(copy, name, content):
    (copy / "evaluation" / name).unlink()
    if content is not None:
        (copy / "evaluation" / name).write_text(content)
    with pytest.raises(InputError, match="evaluation"):
        write_report(copy / "evaluation")


def test_a_table_of_mining_in_the_place_of_the_splits_is_refused(copy):
    shutil.copy(copy / "results" / "results.csv", copy / "evaluation" / "results.csv")
    with pytest.raises(InputError, match='name it with evaluation="FOLDER"'):
        write_report(copy / "evaluation")


@pytest.mark.parametrize("kind", [np.float32, np.float64, np.int8, np.bool_, np.str_])
def test_the_class_is_known_by_labels_of_any_kind(kind, tmp_path):
    X = np.random.default_rng(0).uniform(0.2, 0.9, (20, 3))
    labels = np.array([0.1, 0.7] if kind is np.float32 else [0, 1]).astype(kind)
    save_cohort(tmp_path / "cohort.npz", UncertainGraphs(X), np.repeat(labels, 10))
    for command in ("mine", "evaluate"):
        flags = [*COMMANDS[command], "-o", str(tmp_path / command)]
        assert main([command, str(tmp_path / "cohort.npz"), *flags]) == 0
        assert write_report(tmp_path / command).exists()
