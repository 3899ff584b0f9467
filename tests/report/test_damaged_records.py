"""Any damage to the files of a result: a page or an InputError that names the file and the way out."""

import csv
import io
import json
import os

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dugraph import InputError, UncertainGraphs, save_cohort, write_report
from dugraph.cli import main

COMMANDS = {
    "mine": ["--n-subgraphs", "3", "--measure", "phi_probability"],
    "sparse": ["--n-alphas", "4", "--cv", "2"],
    "evaluate": ["--methods", "exp-hsic,all-edges", "--n-subgraphs", "3", "--n-splits", "2"],
    "test": ["--n-permutations", "99", "--blocks", "site"],
}
FILES = [
    ("mine", "results.json"),
    ("sparse", "results.json"),
    ("sparse", "path.csv"),
    ("test", "results.json"),
    ("test", "null_maxima.csv"),
    ("evaluate", "evaluation.json"),
    ("evaluate", "input.json"),
    ("evaluate", "results.csv"),
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
    """A small cohort that was mined, fitted and evaluated."""
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


def places(value, above=()):
    """Where the values of JSON stand."""
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, one in inner:
        yield (*above, key)
        yield from places(one, (*above, key))


def damaged_json(content, draw):
    record = json.loads(content)
    *above, last = draw(st.sampled_from(list(places(record))))
    held = record
    for key in above:
        held = held[key]
    text = draw(st.sampled_from([None, *TEXTS]))
    if text is None:
        del held[last]
        return json.dumps(record).encode()
    held[last] = PLACE
    return json.dumps(record).replace(f'"{PLACE}"', text).encode()


def damaged_table(content, draw):
    rows = list(csv.reader(io.StringIO(content.decode())))
    row = draw(st.sampled_from(rows))
    column = draw(st.integers(0, len(row) - 1))
    text = draw(st.sampled_from([None, *CELLS]))
    row[column : column + 1] = [] if text is None else [text]
    return "\n".join(",".join(row) for row in rows).encode()


def damaged_bytes(content, draw):
    begin = draw(st.integers(0, len(content)))
    end = draw(st.sampled_from([begin, begin + 1, begin + 20, len(content)]))
    return content[:begin] + draw(st.sampled_from([b"", b"\xff", b"\0", b"0", b'"', b","])) + content[end:]


@pytest.mark.filterwarnings("ignore:.*the files must be of one run")
@settings(max_examples=10_000 if os.environ.get("DUGRAPH_SOAK") else 40)
@given(data=st.data())
def test_damage_gives_a_page_or_an_input_error(folders, data):
    command, name = data.draw(st.sampled_from(FILES))
    by_value = damaged_json if name.endswith(".json") else damaged_table
    damage = data.draw(st.sampled_from([by_value, by_value, damaged_bytes]))
    file, page = folders / command / name, folders / command / "report.html"
    whole = file.read_bytes()
    page.unlink(missing_ok=True)
    try:
        file.write_bytes(damage(whole, data.draw))
        refusal = ""
        try:
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


@pytest.mark.parametrize(
    ("command", "change", "told"),
    [
        ("sparse", {"intercept": None}, "intercept: expected `float`, got `null`"),
        ("sparse", {"versions": []}, "versions: expected `object`, got `array`"),
        (
            "sparse",
            {"parameters": {"alpha_in_use": 0, "loss": "logistic"}},
            "parameters.alpha_in_use: expected `float` > 0",
        ),
        ("mine", {"input": {}}, "input: object missing required field `file`"),
        ("mine", {"subgraphs": {}}, "subgraphs: expected `array`, got `object`"),
    ],
)
def test_the_refusal_says_what_is_wrong(folders, command, change, told, tmp_path):
    record = json.loads((folders / command / "results.json").read_text())
    (tmp_path / "results.json").write_text(json.dumps({**record, **change}))
    with pytest.raises(
        InputError, match=rf"results\.json: the results must be as .*, but {told}.*Run it again"
    ):
        write_report(tmp_path, data=folders / "cohort.npz")


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"measure": "quantile"}, "the measure quantile has no quantile"),
        ({"phi": None}, "the measure phi_probability has no phi"),
        ({"measure": "{0}"}, "parameters.measure must be one of expectation, "),
        ({"score_cap": -1}, "parameters.score_cap must be at least 0 and is -1"),
        ({"alternativ": 1}, "parameters.alternativ is unknown to this version, which has covariates, "),
        ({"bound": [[]]}, "parameters.bound: expected `str`, got `array`"),
    ],
)
def test_parameters_that_no_search_has_are_refused(folders, change, told, tmp_path):
    record = json.loads((folders / "mine" / "results.json").read_text())
    record["parameters"] |= change
    (tmp_path / "results.json").write_text(json.dumps(record))
    with pytest.raises(InputError, match=told):
        write_report(tmp_path, data=folders / "cohort.npz")


@pytest.mark.parametrize(
    ("edges", "told"),
    [
        ([0, 9], "is not a connected set"),
        ([0, 0], "is not a connected set"),
        ([10], "beyond the 10 of the cohort"),
    ],
)
def test_edges_that_are_no_subgraph_are_refused(folders, edges, told, tmp_path):
    record = json.loads((folders / "mine" / "results.json").read_text())
    record["subgraphs"][0]["edges"] = [{"index": edge} for edge in edges]
    (tmp_path / "results.json").write_text(json.dumps(record))
    with pytest.raises(InputError, match=f"subgraph 1 .*{told}"):
        write_report(tmp_path, data=folders / "cohort.npz")


def test_a_class_that_the_cohort_does_not_have_is_refused(folders, tmp_path):
    record = json.loads((folders / "mine" / "results.json").read_text())
    record["input"]["positive_class"] = "7"
    (tmp_path / "results.json").write_text(json.dumps(record))
    with pytest.raises(InputError, match="the cohort has no graph of the class 7"):
        write_report(tmp_path, data=folders / "cohort.npz")


@pytest.mark.parametrize("kind", [np.float32, np.float64, np.int8, np.bool_, np.str_])
def test_the_class_is_known_by_labels_of_any_kind(kind, tmp_path):
    X = np.random.default_rng(0).uniform(0.2, 0.9, (20, 3))
    labels = np.array([0.1, 0.7] if kind is np.float32 else [0, 1]).astype(kind)
    save_cohort(tmp_path / "cohort.npz", UncertainGraphs(X), np.repeat(labels, 10))
    for command in ("mine", "evaluate"):
        flags = [*COMMANDS[command], "-o", str(tmp_path / command)]
        assert main([command, str(tmp_path / "cohort.npz"), *flags]) == 0
        assert write_report(tmp_path / command).exists()
