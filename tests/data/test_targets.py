"""Whole numbers with few values: groups or a phenotype, which the caller must say."""

import numpy as np
import pandas as pd
import pytest

import dugraph as dg
from dugraph.cli import main
from dugraph.data import LabelledGraphs
from dugraph.exceptions import InputError

CODES = np.arange(24) % 3
X = np.random.default_rng(0).random((24, 6))
SMALL = {"min_expected_frequency": 0.1, "max_edges": 1}
MESSAGE = (
    "Whole numbers with few values may be group codes or a phenotype, and y has the values 0, 1, 2. Say "
    'which: target="groups" or target="phenotype".'
)


def test_n(X, y, **more):
    """Test of significance, small."""
    return dg.significant_subgraphs(X, y, n_permutations=19, size_classes=1, **SMALL, **more)


test_n.__test__ = False

CALLS = {
    "mine": lambda y, **more: dg.mine_subgraphs(X, y, n_subgraphs=3, **SMALL, **more),
    "test": lambda y, **more: test_n(X, y, **more),
    "labels": lambda y, **more: LabelledGraphs.of_any(X, y, **more),
    "enumerate": lambda y, **more: dg.search.enumerate_subgraphs(X, y, **SMALL, **more),
    "holdout": lambda y, **more: dg.find_and_replicate(
        X, y, n_permutations=39, alpha=0.5, size_classes=1, **SMALL, **more
    ),
}


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
@pytest.mark.parametrize("y", [CODES, CODES.astype(float), pd.Series(CODES), CODES.tolist()], ids=str)
def test_codes_are_refused_without_a_target(call, y):
    with pytest.raises(InputError) as caught:
        call(y)
    assert str(caught.value) == MESSAGE


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
@pytest.mark.parametrize("target", ["groups", "phenotype"])
def test_either_target_is_taken(call, target):
    call(CODES, target=target)


def test_the_kinds():
    of = LabelledGraphs.of_any
    assert of(X, CODES, target="groups").kind == "groups"
    assert of(X, CODES.astype(float), target="groups").classes.tolist() == ["0", "1", "2"]
    assert of(X, CODES, target="phenotype").kind == "phenotype"
    assert of(X, CODES / 2).kind == of(X, np.arange(24)).kind == "phenotype"
    assert of(X, np.arange(24) % 2).kind == "classes"
    assert of(X, CODES.astype(str)).kind == "groups"
    for n_values, ambiguous in ((20, True), (21, False)):
        y = np.arange(24) % n_values
        if ambiguous:
            with pytest.raises(InputError, match="0, 1, 2"):
                of(X, y)
        else:
            assert of(X, y).kind == "phenotype"


def test_groups_and_numbers_give_the_results_of_text_and_fractions():
    by_codes, by_text = test_n(X, CODES, target="groups"), test_n(X, CODES.astype(str))
    np.testing.assert_array_equal(by_codes.null_maxima, by_text.null_maxima)
    halves = CODES / 2  # the statistic does not depend on the unit
    by_number, by_half = test_n(X, CODES, target="phenotype"), test_n(X, halves)
    np.testing.assert_allclose(by_number.null_maxima, by_half.null_maxima, rtol=1e-12)


def test_wrong_targets():
    with pytest.raises(InputError, match="A phenotype must be numeric, but y contains text: a, b, c"):
        LabelledGraphs.of_any(X, ["a", "b", "c"] * 8, target="phenotype")
    with pytest.raises(InputError, match="target must be one of groups, phenotype"):
        LabelledGraphs.of_any(X, CODES, target="classes")
    groups = LabelledGraphs.of_any(X, CODES, target="groups")
    with pytest.raises(InputError, match="target must be given once: X is a LabelledGraphs"):
        dg.mine_subgraphs(groups, target="groups")


def test_evaluate_asks_for_its_task():
    with pytest.raises(InputError) as caught:
        dg.evaluate(X, CODES, ["exp-hsic"])
    assert str(caught.value) == MESSAGE.replace("target=", "task=")


def test_the_selector_reads_codes_as_scikit_learn_does():
    asked = {"n_subgraphs": 3, **SMALL}
    selected = dg.SubgraphSelector(**asked).fit(X, CODES).result_.parameters["labels"]
    assert selected == "groups"
    numbers = dg.SubgraphSelector(target="phenotype", **asked).fit(X, CODES).result_
    assert numbers.parameters["labels"] == "phenotype"


def test_replication_reads_the_labels_of_the_first_cohort():
    strong = np.where(CODES[:, None] == 2, 0.9, 0.2) + 0.05 * X
    found = test_n(strong, CODES, target="groups")
    assert len(found)
    again = dg.replicate(found, strong[::-1].copy(), CODES[::-1].copy(), n_permutations=19)
    assert again.parameters["labels"] == "groups"


@pytest.fixture
def coded(tmp_path):
    graphs = dg.UncertainGraphs(X, participants={"score": np.arange(24) % 5, "dx": CODES})
    dg.save_cohort(tmp_path / "c.npz", graphs, CODES)
    return str(tmp_path / "c.npz")


@pytest.mark.parametrize("command", ["mine", "test", "sparse", "evaluate"])
def test_the_command_line_asks_with_its_flag(command, coded, tmp_path, capsys):
    assert main([command, coded, "-o", str(tmp_path / "out")]) == 1
    assert MESSAGE.replace("target=", "--target ").replace('"', "") in capsys.readouterr().err


@pytest.mark.parametrize(
    ("flags", "kind"),
    [
        (["--target", "groups"], "groups"),
        (["--target", "phenotype"], "phenotype"),
        (["--phenotype", "score"], "phenotype"),
        (["--phenotype", "dx", "--target", "groups"], "groups"),
    ],
)
def test_flags_decide_and_folders_load(flags, kind, coded, tmp_path):
    small = ["--min-expected-frequency", "0.1", "--max-edges", "1", *flags]
    for command, more in (("mine", ["--n-subgraphs", "3"]), ("test", ["--n-permutations", "39"])):
        folder = tmp_path / command
        assert main([command, coded, *small, *more, "-o", str(folder)]) == 0
        record = dg.load_result(folder)
        assert record.result.parameters["labels"] == kind
        again = tmp_path / f"{command}-again"
        repeat = [command, coded, "--config", str(folder / "config.toml"), "-o", str(again)]
        assert main(repeat) == 0
        assert (again / "results.json").read_bytes() == (folder / "results.json").read_bytes()
