"""The settings of every command: from the command line to config.toml, results.json and a repeated run."""

import inspect
import json
import tomllib
from pathlib import Path

import numpy as np
import pytest

import dugraph as dg
from dugraph.cli import main
from dugraph.cli.program import COMMANDS
from dugraph.settings import (
    METHOD,
    OF_RESULTS,
    ConvertSettings,
    MineSettings,
    PowerSettings,
    ReplicateSettings,
    SensitivitySettings,
    Settings,
    SimulateSettings,
    TestSettings,
    flag_word,
    option_text,
)

CLASSES = list(COMMANDS.values())
FOLDERS = {**OF_RESULTS, "power": PowerSettings, "sensitivity": SensitivitySettings}
KEPT = [(one.command, option) for one in FOLDERS.values() for option in one.options().values() if option.kept]
# Short runs, whatever the option.
SHORT = {
    "mine": {"n_subgraphs": 3, "features": "none"},
    "test": {"n_permutations": 39, "alpha": 0.2, "max_edges": 2},
    "replicate": {"n_permutations": 39, "alpha": 0.2},
    "sensitivity": {
        **{"min_expected_frequencies": [0.3], "statistics": ["z"], "n_permutations": 39},
        **{"alpha": 0.2, "max_edges": 2},
    },
    "power": {
        **{"n_edges": 1, "frequencies": [0.7, 0.3], "n_graphs": [40, 60], "n_permutations": 39},
        **{"alpha": 0.2, "size_classes": 2, "max_edges": 3},
    },
    "sparse": {"alpha": 0.1, "features": "none"},
    "evaluate": {"methods": ["exp-hsic"], "n_subgraphs": [2], "n_splits": 2},
}
PARTS = ("client", "checkpoint", "shard")
PHI_METHODS = ["phi-hsic", "phi-g_test"]
FOLDS = {"phenotype": "age", "n_folds": 3, "n_repeats": 1}
# Values that differ from the default where another number or the next choice would not do, and the options
# that they need beside them.
VALUES = {
    ("mine", "phenotype"): "age",
    ("mine", "multi_class"): ("ovr", {"phenotype": "severity"}),
    ("mine", "phi"): (0.012345678901234567, {"measure": "phi_probability"}),
    ("mine", "quantile"): (0.3, {"measure": "quantile"}),
    ("mine", "measure"): "mode",
    ("test", "phenotype"): ("age", {}),
    ("test", "holdout"): "0.5",
    ("test", "permute"): ("whole", {"blocks": ["family"]}),
    ("sensitivity", "min_expected_frequencies"): [0.3, 0.4],
    ("sensitivity", "statistics"): ["z", "difference"],
    ("sensitivity", "thresholds"): [0.0, 0.3],
    ("sensitivity", "phenotype"): "age",
    ("sensitivity", "permute"): ("whole", {"blocks": ["family"]}),
    ("sensitivity", "size_classes"): 1,
    ("sensitivity", "alpha"): 0.3,
    ("power", "n_edges"): 2,
    ("power", "n_graphs"): [60, 80],
    ("power", "power"): 0.9,
    ("power", "positive_share"): 0.4,
    ("power", "frequencies"): [0.3, 0.7],
    ("power", "ratios"): [0.8, 0.7],
    ("power", "alpha"): 0.3,
    ("power", "size_classes"): 1,
    ("power", "max_edges"): 2,
    ("power", "like"): ("adhd", {"min_expected_frequency": 0.3}),
    ("replicate", "phenotype"): "diagnosis",
    ("replicate", "alpha"): 0.3,
    ("replicate", "permute"): ("whole", {"blocks": ["family"]}),
    ("test", "size_classes"): 1,
    ("test", "alpha"): 0.3,
    ("evaluate", "n_subgraphs"): [2, 3],
    ("sparse", "alpha"): ("cv", {"cv": 2, "n_alphas": 3}),
    ("sparse", "cv"): (2, {"alpha": "cv", "n_alphas": 3}),
    ("sparse", "n_alphas"): (3, {"alpha": "cv", "cv": 2}),
    ("sparse", "alpha_min_ratio"): (0.5, {"alpha": None, "n_nonzero": 2, "n_alphas": 3}),
    ("sparse", "n_nonzero"): (2, {"alpha": None, "n_alphas": 3}),
    ("sparse", "loss"): "squared_hinge",
    ("sparse", "l1_ratio"): 0.5,
    ("sparse", "refit"): ("ridge", {"cv": 2}),
    ("sparse", "tol"): 1e-3,
    ("evaluate", "methods"): ["exp-hsic", "all-edges"],
    ("evaluate", "phenotype"): ("age", FOLDS),
    ("evaluate", "n_folds"): (4, FOLDS),
    ("evaluate", "n_repeats"): (2, FOLDS),
    ("evaluate", "covariates"): (["site"], FOLDS),
    ("evaluate", "groups"): "family",
    ("evaluate", "phi"): ({"hsic": 0.012345678901234567, "g_test": 3.0}, {"methods": PHI_METHODS}),
    ("evaluate", "like_paper"): "hiv",
    ("evaluate", "regions"): 4,
    ("evaluate", "stratify"): False,
}
BY_KIND = {
    "phenotype": "age",
    "pos_label": "control",
    "where": "age > 20 and site in ['Berlin', 'Oslo']",
    "covariates": ["site", "sex"],
    "blocks": ["site"],
    "max_edges": 1,
    "n_jobs": 2,
    "time_limit": 1000.0,
    "min_expected_frequency": 0.25,
    "max_correlation": 0.9,
    "score_cap": 5.0,
    "test_size": 0.3,
    "random_state": 7,
}


@pytest.fixture(scope="module")
def cohort(tmp_path_factory):
    """Twenty graphs whose participants have an age, a site, a family and a severity."""
    rng = np.random.default_rng(0)
    y = np.arange(20) % 2
    X = rng.uniform(0.2, 0.9, (20, 10))
    X[:, :2] = np.where(y[:, None] == 1, 0.95, 0.3)
    people = {
        "age": rng.integers(18, 60, 20),
        "site": np.array(["Berlin", "Oslo"])[np.arange(20) // 2 % 2],
        "sex": np.array(["F", "M"])[np.arange(20) // 4 % 2],
        "family": np.array([f"family {k % 10}" for k in range(20)]),
        "severity": np.array(["none", "mild", "severe"])[np.arange(20) % 3],
        "diagnosis": np.array(["control", "patient"])[y],
    }
    path = tmp_path_factory.mktemp("cohort") / "cohort.npz"
    graphs = dg.UncertainGraphs(X, participants=people)
    dg.save_cohort(path, graphs, np.array(["control", "patient"])[y])
    return str(path)


@pytest.fixture(scope="module")
def first(cohort, tmp_path_factory):
    """The folder of a test, for the commands that begin with one."""
    folder = tmp_path_factory.mktemp("first") / "test"
    words = [flag_word(name, value) for name, value in SHORT["test"].items()]
    assert main(["test", cohort, *words, "-o", str(folder)]) == 0
    return str(folder)


def other_value(command, option):
    """A value that is not the default, and the options that it needs."""
    chosen = VALUES.get((command, option.name), BY_KIND.get(option.name))
    if isinstance(chosen, tuple):
        return chosen
    if chosen is not None:
        return chosen, {}
    if option.is_switch:
        return not option.default, {}
    if option.choices is not None:
        return next(one for one in option.choices if one not in (option.default, "parquet")), {}
    return option.default + 1, {}


def recorded(folder):
    names = ("results.json", "evaluation.json")
    return json.loads(next(file for name in names if (file := folder / name).exists()).read_text())


@pytest.mark.parametrize(("command", "option"), KEPT, ids=[f"{c}-{o.name}" for c, o in KEPT])
def test_an_option_survives_in_the_files_and_repeats_the_run(command, option, cohort, first, tmp_path):
    begin = {"replicate": [command, first, cohort]}.get(command, [command, cohort])
    if option.name == "like":  # in place of a cohort
        begin.pop()
    value, beside = ([cohort], {}) if option.name == "also" else other_value(command, option)
    asked = {**SHORT[command], **beside, option.name: value}
    if command == "evaluate" and "phenotype" in asked:
        del asked["n_splits"]
    assert value != option.default
    words = [flag_word(name, one) for name, one in asked.items() if one is not None]
    first, again = tmp_path / "first", tmp_path / "again"
    assert main([*begin, *words, "-o", str(first)]) == 0
    assert tomllib.loads((first / "config.toml").read_text())[option.name] == option_text(value)
    if option.group == METHOD and option.name not in ("stratify", "like_paper", "regions"):
        parameter = recorded(first)["parameters"][option.name]
        assert parameter == (parameter | value if isinstance(value, dict) else value)
    assert main([*begin, "--config", str(first / "config.toml"), "-o", str(again)]) == 0
    contents = [
        {file.relative_to(folder): file.read_bytes() for file in folder.rglob("*") if file.is_file()}
        for folder in (first, again)
    ]
    for name in contents[0].keys() | contents[1].keys():
        if name != Path("timings.csv") and "cache" not in name.parts:
            assert contents[0][name] == contents[1][name], name


@pytest.mark.parametrize("settings", FOLDERS.values(), ids=FOLDERS)
def test_only_what_belongs_to_one_run_is_left_out_of_the_files(settings):
    left_out = {one.name for one in settings.options().values() if not one.kept}
    of_one_run = {"data", "result", "config", "report", "output", "progress", "plan"}
    of_one_run |= {"checkpoint", "shard", "dask"}
    assert left_out == of_one_run & set(settings.options())


@pytest.mark.parametrize(
    ("settings", "function", "of_api"),
    [
        (MineSettings, dg.mine_subgraphs, {"edges", "pos_label", "target", "progress", *PARTS}),
        (TestSettings, dg.significant_subgraphs, {"edges", "target", "progress", *PARTS}),
        (ReplicateSettings, dg.replicate, {"edges"}),
        (PowerSettings, dg.power_analysis, {"edges", "progress"}),
        (ConvertSettings, dg.read_cohort, {"progress"}),
    ],
)
def test_the_options_are_the_parameters_of_the_function(settings, function, of_api):
    defaults = {name: one.default for name, one in inspect.signature(function).parameters.items()}
    for name in settings.of({}).arguments():
        default = defaults.pop(name)
        if default is inspect.Parameter.empty:  # required there, and refused by the command if it is missing
            default = None
        default = list(default) if isinstance(default, tuple) else default
        assert settings.options()[name].default == default, name
    assert defaults.keys() - {"X", "y", "path", "result"} == of_api


def test_the_options_of_a_fit_are_the_parameters_of_the_estimator():
    ours, estimator = OF_RESULTS["sparse"].of({}).arguments(), dg.SparseSubgraphClassifier().get_params()
    assert ours.keys() <= estimator.keys()
    same = ours.keys() - {"alpha", "loss"}  # which depend on others and on the labels
    assert {name: ours[name] for name in same} == {name: estimator[name] for name in same}


@pytest.mark.parametrize(
    ("settings", "function", "words"),
    [
        (ConvertSettings, "read_cohort", ["convert", "FOLDER", "-o", "FOLDER/new.npz"]),
        (SimulateSettings, "simulate", ["simulate", "-o", "FOLDER/new.npz"]),
    ],
)
def test_every_option_reaches_the_function(settings, function, words, tmp_path, monkeypatch):
    values = {}
    for name, option in settings.options().items():
        if option.group == METHOD:
            text = {"like": "hiv", "max_memory": "500M", "select": "run=1", "atlas": "AAL90"}.get(name)
            shares = dict.fromkeys(("density", "effect", "max_missing"), 0.5)
            number = {"n_graphs": 4, "threshold": 0.25, **shares}.get(name)
            default = option.default
            plain = default + 1 if isinstance(default, int) else 3 if option.parse is int else "some text"
            choice = option.choices[-1] if option.choices else plain
            values[name] = True if option.is_switch else text or number or choice
    values |= {"participants": str(tmp_path)} if "participants" in values else {}
    received = {}

    def note(*_, **arguments):
        received.update(arguments)
        raise dg.InputError("enough")

    monkeypatch.setattr(dg, function, note)
    flags = [flag_word(name, value) for name, value in values.items()]
    assert main([word.replace("FOLDER", str(tmp_path)) for word in words] + flags) == 1
    parsed = {"max_memory": 500 * 2**20, "select": {"run": "1"}}
    received.pop("progress", None)
    assert received == {name: parsed.get(name, value) for name, value in values.items()}


@pytest.mark.parametrize("settings", CLASSES, ids=[one.command for one in CLASSES])
def test_a_declaration_is_complete(settings):
    for option in settings.options().values():
        assert option.help
        assert not option.help.endswith(".")
        default = option.default
        if default is not ... and default is not None:
            option.check(default)
    assert issubclass(settings, Settings)


@pytest.mark.parametrize(
    ("name", "value", "rule"),
    [
        ("score", "hsci", "must be one of confidence"),
        ("quantile", 2.0, "at most 1"),
        ("n_subgraphs", 0, "at least 1"),
    ],
)
def test_rules(name, value, rule):
    with pytest.raises(ValueError, match=rule):
        MineSettings.options()[name].check(value)


def test_an_unknown_setting_is_refused_by_name():
    with pytest.raises(dg.InputError) as caught:
        TestSettings.of({"alternativ": "greater"})
    assert str(caught.value).startswith(
        "settings must be options of `dugraph test`, but one is called 'alternativ'. Known options are "
        "phenotype, "
    )
