"""The settings of every command, each declared once.

The flags, `--config`, config.toml, `parameters` in results.json and the report's table of the method are
derived from these classes. Without NumPy, since `dugraph --help` needs them.
"""

from __future__ import annotations

import dataclasses
import json
import tomllib
import typing
from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, ClassVar, Self

from dugraph._version import __version__
from dugraph.exceptions import InputError
from dugraph.files.atomic import open_file
from dugraph.words import (
    ALTERNATIVES,
    ATLAS_NAMES,
    BOUNDS,
    CLASS_WEIGHTS,
    FAMILIES,
    FIGURE_KINDS,
    FIGURE_WIDTHS,
    LOSSES,
    MATRIX_VALUES,
    MISSING,
    MULTI_CLASS,
    PAPER_DATASETS,
    PERMUTE,
    PROBABILITIES,
    RANKINGS,
    REFITS,
    RUNS_FOLDER,
    SCORES,
    SQUARED,
    STATISTICS,
    TABLE_FORMATS,
    TARGETS,
    TIME_AXES,
    TRIANGLES,
)

INPUT, METHOD, COMPUTING, OUTPUT = _GROUPS = ("input", "method", "computing", "output")
_LARGEST_CONFIG = 2**20  # bytes


def _parse_list(kind: type, words: str) -> Callable[[str], list[Any]]:
    def parse(text: str) -> list[Any]:
        found = [word.strip() for word in text.split(",")]
        try:
            if all(found):
                return [kind(word) for word in found]
        except ValueError:
            pass
        raise ValueError(f"must be {words} separated by commas, but is {text!r}")

    return parse


def _parse_phi(text: str) -> float | dict[str, float]:
    """Read one number, or several by score: `0.03` or `hsic=0.03,g_test=200`."""
    try:
        if "=" not in text:
            return float(text)
        pairs = (word.split("=") for word in text.split(","))
        return {name.strip(): float(value) for name, value in pairs}
    except ValueError as error:
        raise ValueError(
            f"a number, or numbers by name such as hsic=0.03,g_test=200, are needed; got {text!r}"
        ) from error


def _parse_penalty(text: str) -> float | str:
    try:
        return text if text == "cv" else float(text)
    except ValueError:
        raise ValueError(f"must be a number or cv, but is {text!r}") from None


def _parse_family(text: str) -> str | int:
    return int(text) if text.isascii() and text.isdigit() else text


def _parse_key_and_value(text: str) -> tuple[str, str]:
    key, equals, value = text.partition("=")
    if not (key and equals and value):
        raise ValueError(f"must be KEY=VALUE, such as run=1, but is {text!r}")
    return key, value


def _parse_bytes(text: str) -> int:
    units = {"K": 2**10, "M": 2**20, "G": 2**30, "T": 2**40}
    number, unit = (text[:-1], units[text[-1].upper()]) if text[-1:].upper() in units else (text, 1)
    if not (number.isascii() and number.isdigit() and int(number) > 0):
        raise ValueError(f"must be a number of bytes, such as 500M or 8G, but is {text!r}")
    return int(number) * unit


_PARSERS: dict[Any, Callable[[str], Any]] = {
    int: int,
    float: float,
    list[str]: _parse_list(str, "names"),
    list[int]: _parse_list(int, "whole numbers"),
    list[float]: _parse_list(float, "numbers"),
}


@dataclass(frozen=True)
class Option:
    """One option of a command, as its settings class declares it.

    Attributes
    ----------
    name : str
        Its name in the API; the flag is the same name in kebab case.
    kind : type
        Its annotation: ``int``, ``list[str]``, ``float | None``.
    default : object
        ``...`` if the option is required.
    help : str
    metavar : str or None
    choices : tuple of str or None
    least, most : float or None
        The range of a number, or of each number of a list.
    group : {"input", "method", "computing", "output"}
        Its section of ``--help``. The options of "method", and those of "computing" that are kept, are
        arguments of the function that the command calls; "method" is recorded in results.json.
    kept : bool
        Whether config.toml has it. False for what belongs to one run, such as where to write.
    parse : callable or None
        Reads the text of the flag; raises ValueError.
    report : str
        Its description in the report's table of the method; empty: it is not in the table.
    positional : bool
        Whether it is an argument without a flag that can be left out; required input always is one.
    """

    name: str
    kind: Any
    default: Any
    help: str
    metavar: str | None = None
    choices: tuple[str, ...] | None = None
    least: float | None = None
    most: float | None = None
    group: str = METHOD
    kept: bool = True
    parse: Callable[[str], Any] | None = None
    report: str = ""
    positional: bool = False

    @property
    def flag(self) -> str:
        """The flag on the command line."""
        return f"--{self.name.replace('_', '-')}"

    @property
    def is_positional(self) -> bool:
        """Whether it is an argument without a flag."""
        required = self.default is ... or self.kind == Sequence[str]
        return self.positional or (self.group == INPUT and required)

    @property
    def is_switch(self) -> bool:
        """Whether it is on or off."""
        return self.kind in (bool, bool | None)

    @property
    def takes_several(self) -> bool:
        """Whether its value is a list, separated by commas on the command line."""
        return any(typing.get_origin(one) is list for one in (self.kind, *typing.get_args(self.kind)))

    def check(self, value: Any) -> None:
        """Raise ValueError, with the rule, if a value of the right type is not allowed."""
        for one in (
            value.values() if isinstance(value, dict) else value if isinstance(value, list) else [value]
        ):
            if self.choices is not None and one is not None and one not in self.choices:
                raise ValueError(f"must be one of {', '.join(self.choices)}")
            if isinstance(one, (int, float)) and not isinstance(one, bool):
                if self.least is not None and not one >= self.least:
                    raise ValueError(f"must be at least {self.least:g}")
                if self.most is not None and not one <= self.most:
                    raise ValueError(f"must be at most {self.most:g}")


def option(default: Any, help: str, metavar: str | None = None, **declared: Any) -> Any:
    """Declare a field of a settings class; further keywords are attributes of `Option`."""
    metadata = {"help": help, "metavar": metavar, **declared}
    if default is ...:
        return dataclasses.field(metadata=metadata)
    if isinstance(default, list):
        return dataclasses.field(default_factory=lambda: list(default), metadata=metadata)
    return dataclasses.field(default=default, metadata=metadata)


@typing.dataclass_transform(kw_only_default=True, frozen_default=True)
@dataclass(frozen=True, kw_only=True)
class Settings:
    """The settings of one command; a subclass for each, whose fields are made by `option`."""

    command: ClassVar[str]
    work: ClassVar[str] = "options"
    """The heading of the options of the group "method" in ``--help``."""
    is_checked: ClassVar[bool] = False
    """Whether the command checks ranges itself, since no function that it calls does."""

    def __init_subclass__(cls) -> None:
        dataclass(frozen=True, kw_only=True)(cls)

    @classmethod
    @cache
    def options(cls) -> dict[str, Option]:
        """The options by name, in the order of their declaration."""
        kinds, found = typing.get_type_hints(cls), {}
        for field in dataclasses.fields(cls):
            default: Any = field.default
            if field.default_factory is not dataclasses.MISSING:
                default = field.default_factory()
            elif default is dataclasses.MISSING:
                default = ...
            kind = kinds[field.name]
            plain = next((one for one in (kind, *typing.get_args(kind)) if one in _PARSERS), None)
            declared = {"parse": _PARSERS.get(plain), **field.metadata}
            found[field.name] = Option(field.name, kind, default, **declared)
        return found

    @classmethod
    def kept_options(cls) -> list[Option]:
        """The options that config.toml has."""
        return [one for one in cls.options().values() if one.kept]

    @classmethod
    def of(cls, values: Mapping[str, Any]) -> Self:
        """Make settings from values by name; an unknown name is an error, a missing one gets its default.

        Required options, which belong to one run, are empty unless given.
        """
        unknown = next((name for name in values if name not in cls.options()), None)
        if unknown is not None:
            raise InputError(
                f"settings must be options of `dugraph {cls.command}`, but one is called {unknown!r}. Known "
                f"are {', '.join(one.name for one in cls.kept_options())}.",
                parameter="settings",
            )
        required = {one.name: "" for one in cls.options().values() if one.default is ...}
        return cls(**{**required, **values})

    def check(self) -> None:
        """Raise InputError if a number is outside its range or a word is not one of the choices."""
        for name, one in self.options().items():
            try:
                one.check(getattr(self, name))
            except ValueError as error:
                shown = option_text(getattr(self, name))
                raise InputError(f"{name} {error}, but is {shown}.", parameter=name) from error

    def arguments(self) -> dict[str, Any]:
        """The arguments of the function that the command calls."""
        return {
            one.name: getattr(self, one.name)
            for one in self.options().values()
            if one.group == METHOD or (one.group == COMPUTING and one.kept)
        }

    def kept_values(self) -> dict[str, Any]:
        """The settings that config.toml has, by name."""
        return {one.name: getattr(self, one.name) for one in self.kept_options()}

    def to_toml(self, without: Container[str] = ()) -> bytes:
        """The content of config.toml, which repeats the run; settings that are None are left out."""
        kept = {name: one for name, one in self.kept_values().items() if name not in without}
        lines = [toml_line(name, value) for name, value in kept.items() if value is not None]
        return ("\n".join([f"# dugraph {__version__} {self.command}", *lines]) + "\n").encode()

    @classmethod
    def flags_in(cls, path: str) -> list[str]:
        """The settings of a configuration file as flags, checked like those on the command line."""
        return cls.flags_of(read_toml(path, 'e.g. `score = "hsic"`'), path)

    @classmethod
    def flags_of(cls, values: Mapping[str, Any], path: str) -> list[str]:
        """Settings read from a file, as flags."""
        options = {
            name: one for name, one in cls.options().items() if name != "config" and not one.is_positional
        }
        for name, value in values.items():
            if name not in options:
                # In the order of --help.
                known = sorted(options, key=lambda one: _GROUPS.index(options[one].group))
                raise InputError(
                    f"{path}: a setting must be a flag of `dugraph {cls.command}` without dashes; got "
                    f"{name!r}. Known are {', '.join(known)}."
                )
            if options[name].is_switch != isinstance(value, bool):
                rule = "true or false" if options[name].is_switch else "a number or a text"
                raise InputError(f"{path}: {name} must be {rule}; got {value!r}.")
            if not isinstance(value, (str, int, float)):
                raise InputError(f"{path}: {name} must be a number or a text; got {value!r}.")
        return [flag_word(name, value) for name, value in values.items()]


def flag_word(name: str, value: object) -> str:
    """An option as one argument, so that a class such as "-1" is not taken for a flag."""
    flag = name.replace("_", "-")
    if isinstance(value, bool):
        return f"--{flag}" if value else f"--no-{flag}"
    return f"--{flag}={option_text(value)}"


def option_text(value: object) -> object:
    """Several values as their flag expects them, separated by commas; other values unchanged."""
    if isinstance(value, dict):
        return ",".join(f"{name}={number!r}" for name, number in value.items())
    if isinstance(value, (list, tuple)):
        return ",".join(map(str, value))
    return value


def setting_text(value: object) -> str:
    """The value of an option as a form expects it: on for True, KEY=VALUE for a choice among files."""
    if isinstance(value, dict):
        return ",".join(f"{key}={one}" for key, one in value.items())
    return "on" if value is True else str(value)


def toml_line(name: str, value: object) -> str:
    """A setting as a line of TOML."""
    text = option_text(value)
    if isinstance(text, float):
        return f"{name} = {text!r}"  # infinity has no JSON form
    # JSON and TOML write integers, booleans and quoted text alike, except for one control character.
    try:
        return f"{name} = " + json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
    except TypeError as error:
        raise InputError(
            f"settings must be text, numbers, truth values or lists of these, but {name} is {value!r}.",
            parameter="settings",
        ) from error


def read_toml(path: str, example: str) -> dict[str, Any]:
    """Read a file of TOML; dashes in the names of settings become underscores."""
    with open_file(path, _LARGEST_CONFIG) as file:
        try:
            content = tomllib.load(file)
        except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
            raise InputError(f"{path}: it must be a TOML file, {example}: {error}.") from error
    return {name.replace("-", "_"): value for name, value in content.items()}


# ---------------------------------------------------------------- options shared by several commands


def _grouped(group: str, kept: bool) -> Callable[..., Any]:
    def declare(default: Any, help: str, metavar: str | None = None, **declared: Any) -> Any:
        return option(default, help, metavar, group=group, kept=kept, **declared)

    return declare


_input, _computing, _output = (_grouped(group, True) for group in (INPUT, COMPUTING, OUTPUT))
# Options that belong to one run, which config.toml does not have.
_input_of_run, _computing_of_run, _output_of_run = (
    _grouped(group, False) for group in (INPUT, COMPUTING, OUTPUT)
)
_CONFIG = _output_of_run(None, "defaults for these flags, e.g. the line alpha = 0.01", "FILE.toml")
_OUTPUT_FOLDER = _output_of_run(None, "folder for the results; see above", "FOLDER")
_PROGRESS = _computing_of_run(None, "show progress on stderr (default: if it is a terminal)")
_N_JOBS = _computing(1, "number of threads, -1 for all processors", "N")
_TEST_LIMIT = _computing(None, "stop with an error after this time, without p-values", "SECONDS", least=0)
_MAX_EDGES = option(
    None,
    "only subgraphs of at most N edges (default: any)",
    "N",
    least=1,
    report="largest number of edges in a subgraph",
)


class FolderSettings(Settings):
    """The commands that write a folder of results."""

    config: str | None = _CONFIG
    report: bool = _output_of_run(False, "also write FOLDER/report.html, to open in a browser")
    output: str | None = _OUTPUT_FOLDER


_WHERE = _input(
    None, "use only participants for whom this is true, e.g. \"site == 'NYU' and age < 18\"", "CONDITION"
)


class LabelledSettings(Settings):
    """The cohort of an analysis, its labels, and the restrictions that every analysis supports."""

    data: str = _input_of_run(..., "cohort file (.npz)", "DATA")
    phenotype: str | None = _input(
        None,
        "use this column of the participants instead of the classes: numbers, or names of groups",
        "COLUMN",
    )
    pos_label: str | None = _input(None, "the positive class (default: the last in sorted order)", "CLASS")
    where: str | None = _WHERE
    target: str | None = _input(
        None,
        "how to interpret numbers with more than two values: as group codes or as a phenotype (default: "
        "a phenotype, if they have fractions or more than 20 values, or are the column of --phenotype)",
        choices=TARGETS,
    )
    covariates: list[str] | None = option(
        None,
        "adjust for these columns of the participants, e.g. age,sex (default: none)",
        "COLUMNS",
        report="covariates adjusted for",
    )
    max_edges: int | None = _MAX_EDGES


class CohortSettings(LabelledSettings, FolderSettings):
    """The commands that analyse a cohort and write a folder of results."""

    n_jobs: int = _N_JOBS
    time_limit: float | None = _computing(
        None, "stop after this time with the best result so far; exit code 3", "SECONDS", least=0
    )
    progress: bool | None = _PROGRESS


class ParallelSettings(CohortSettings):
    """The commands whose work a cluster can share."""

    dask: str | None = _computing_of_run(
        None,
        "use the Dask cluster with this scheduler address, or N workers on this machine",
        "ADDRESS|local:N",
    )


class PartedSettings(ParallelSettings):
    """The commands whose work can be interrupted and divided into shards."""

    checkpoint: str | None = _computing_of_run(
        None, "checkpoint file; the same command resumes from it", "FILE"
    )
    shard: str | None = _computing_of_run(
        None,
        "compute part I of N, for a job array: -o is the folder of this part, `dugraph merge` combines the "
        "parts",
        "I/N",
    )


def _min_expected_frequency(default: float | None, verb: str = "admit") -> Any:
    return option(
        default,
        f"{verb} subgraphs above this expected frequency",
        "F",
        least=0,
        most=1,
        report="a subgraph is admitted above this expected frequency",
    )


_FEATURES = _output(
    "csv", "file format for the containment probabilities of all graphs", choices=(*TABLE_FORMATS, "none")
)


def _random_state(default: int = 0, of: str = "seed") -> Any:
    return option(default, of, "SEED", least=0)


_BLOCKS = option(
    None,
    "permute labels only among graphs that agree in these columns, e.g. site,sex (default: among all)",
    "COLUMNS",
)
_N_PERMUTATIONS = option(999, "number of permutations", "N", least=1)
_ALPHA = option(0.05, "family-wise error rate", "P", least=0, most=1)
_ALTERNATIVE = option(
    "two-sided",
    "find only subgraphs with a positive effect (greater) or a negative one (less) (default: both)",
    choices=ALTERNATIVES,
)
_SIZE_CLASSES = option(4, "separate thresholds for subgraphs of 1, 2, ..., and K or more edges", "K", least=1)
_PERMUTE = option(
    "within",
    "permute labels within blocks or, for repeated scans, the labels of whole blocks",
    choices=PERMUTE,
)


_POSITIVE_SHARE = option(
    0.5, "for the power: share of graphs in the positive class", "SHARE", least=0, most=1
)
_PLANNED = (INPUT, METHOD)


# ---------------------------------------------------------------- one class for each command


class MineSettings(PartedSettings):
    """The options of `dugraph mine`: the parameters of `dugraph.mine_subgraphs`."""

    command = "mine"
    work = "search"

    score: str = option(
        "hsic",
        "score function",
        choices=SCORES,
        report="score function, which compares a subgraph's presence between the classes",
    )
    measure: str = option(
        "expectation",
        "summary of the distribution of the score",
        choices=RANKINGS,
        report="the number that summarises the score's distribution",
    )
    phi: float | None = option(
        None,
        "minimum score that counts as discriminative, for phi_probability",
        report="score that counts as discriminative (φ)",
    )
    quantile: float | None = option(
        0.5, "quantile for --measure quantile", "Q", least=0, most=1, report="quantile"
    )
    n_subgraphs: int = option(
        100, "number of subgraphs to find", "N", least=1, report="subgraphs requested (t)"
    )
    min_expected_frequency: float = _min_expected_frequency(0.2)
    max_correlation: float | None = option(
        None,
        "skip subgraphs whose correlation with a better one exceeds R, to avoid redundancy",
        "R",
        report="subgraphs that correlate more than this with a better one are left out",
    )
    score_cap: float | None = option(
        None,
        "cap scores at S (default: max(1000, largest finite score))",
        "S",
        least=0,
        report="scores are capped at this value",
    )
    multi_class: str | None = option(
        None,
        "compare each of several classes with the rest, with any score and measure",
        choices=MULTI_CLASS,
        report="each class compared with the rest",
    )
    bound: str = option(
        "mass",
        "bound used for pruning; affects the running time, not the result",
        choices=BOUNDS,
        report="pruning, which changes the work but not the answer",
    )
    test: bool = _output(
        False,
        "test all subgraphs for significance, as `dugraph test` does by default, with the same "
        "--min-expected-frequency and --max-edges, and mark the significant ones in the list",
    )
    features: str = _FEATURES


class TestOptions(LabelledSettings):
    """The options of a test that a plan fixes."""

    __test__ = False  # not a test case of pytest

    holdout: str | None = _input(
        None,
        "find subgraphs in one part of the cohort and test them in the other: the share of graphs to hold "
        "out, e.g. 0.5, or a condition on the participants, e.g. \"site == 'NYU'\"",
        "SHARE|CONDITION",
    )
    blocks: list[str] | None = _BLOCKS
    statistic: str = option(
        "z",
        "the difference over its standard deviation (z), the difference itself, or the partial correlation "
        "(t)",
        choices=STATISTICS,
    )
    alternative: str = _ALTERNATIVE
    n_permutations: int = _N_PERMUTATIONS
    alpha: float = _ALPHA
    size_classes: int = _SIZE_CLASSES
    step_down: bool = option(
        False, "remove significant subgraphs and repeat the test until no more are found"
    )
    permute: str = _PERMUTE
    min_expected_frequency: float = _min_expected_frequency(0.1, "test")
    random_state: int = _random_state(0, "seed of the permutations")

    @classmethod
    def planned(cls) -> list[str]:
        """The names of the options that a plan fixes."""
        return [name for name, one in TestSettings.options().items() if one.kept and one.group in _PLANNED]


class TestSettings(TestOptions, PartedSettings):
    """The options of `dugraph test`: the parameters of `dugraph.significant_subgraphs`."""

    command = "test"
    work = "test"

    plan: str | None = _input_of_run(
        None,
        "carry out this plan, written by `dugraph plan`: its settings apply, and deviations are rejected",
        "FILE.toml",
    )
    time_limit: float | None = _TEST_LIMIT


class PlanSettings(TestOptions):
    """The options of `dugraph plan`: those of `dugraph test` that a plan fixes, and an expected effect."""

    command = "plan"
    work = "test"
    is_checked = True

    n_edges: int | None = option(
        None, "for the power: number of edges of the expected subgraph", "N", least=1
    )
    frequencies: list[float] | None = option(
        None,
        "for the power: its expected frequencies in the positive and in the negative class, e.g. 0.5,0.3",
        "P,Q",
    )
    positive_share: float = _POSITIVE_SHARE
    output: str = _output_of_run(..., "plan to write (.toml)", "FILE")


class ReplicateSettings(FolderSettings):
    """The options of `dugraph replicate`: the parameters of `dugraph.replicate`."""

    command = "replicate"
    work = "replication"

    result: str = _input_of_run(
        ...,
        "folder of the first cohort's test, written by `dugraph test -o`; the cohort itself is not needed",
        "RESULT",
    )
    data: str = _input_of_run(..., "second cohort (.npz)", "COHORT")
    phenotype: str | None = _input(
        None,
        "column of the second cohort that contains the phenotype (default: its name in the first cohort)",
        "COLUMN",
    )
    where: str | None = _WHERE
    subgraphs: str = option(
        "irreducible",
        "significant subgraphs of the first cohort to test: the irreducible ones, those of them that share "
        "no edge (representative), or all",
        choices=FAMILIES,
    )
    blocks: list[str] | None = option(
        None,
        "permute labels only among graphs that agree in these columns, e.g. site,sex; none: among all "
        "(default: those of the test, if the second cohort has them)",
        "COLUMNS",
    )
    covariates: list[str] | None = option(
        None,
        "adjust for these columns of the participants, e.g. age,sex; or none (default: those of the test, "
        "if the second cohort has them)",
        "COLUMNS",
    )
    statistic: str = option(
        "t",
        "the partial correlation (t), the difference over its standard deviation (z), or the difference "
        "itself",
        choices=STATISTICS,
    )
    n_permutations: int = _N_PERMUTATIONS
    alpha: float = _ALPHA
    permute: str = _PERMUTE
    random_state: int = _random_state(0, "seed of the permutations")


class PowerSettings(Settings):
    """The options of `dugraph power`: the parameters of `dugraph.power_analysis`."""

    command = "power"
    work = "power"

    data: str | None = _input_of_run(
        None, "pilot cohort (.npz), whose labels are not used", "COHORT", positional=True
    )
    like: str | None = _input(
        None,
        "instead of reading a pilot cohort, simulate one like this dataset of the paper (default: none)",
        choices=PAPER_DATASETS,
    )
    n_edges: int | None = option(None, "number of edges of the subgraph to detect (required)", "N", least=1)
    frequencies: list[float] | None = option(
        None,
        "its expected frequencies in the positive and in the negative class, e.g. 0.5,0.3 (required)",
        "P,Q",
    )
    n_graphs: list[int] = option(
        [40, 60, 80, 120, 160, 240, 320, 480], "numbers of graphs, both classes together", "NUMBERS", least=4
    )
    power: float = option(0.8, "target power", "SHARE", least=0, most=1)
    positive_share: float = _POSITIVE_SHARE
    ratios: list[float] | None = option(
        None,
        "variance of the containment probability between graphs divided by m (1 - m), where m is its mean, "
        "in each class, e.g. 0.8,0.8 (default: estimated from the pilot)",
        "R,S",
    )
    alternative: str = _ALTERNATIVE
    n_permutations: int = option(9999, "permutations of random labels on the pilot", "N", least=1)
    alpha: float = _ALPHA
    size_classes: int = _SIZE_CLASSES
    min_expected_frequency: float = _min_expected_frequency(0.1, "test")
    max_edges: int | None = _MAX_EDGES
    random_state: int = _random_state(0, "seed of the labels and the simulation")
    n_jobs: int = _N_JOBS
    time_limit: float | None = _TEST_LIMIT
    progress: bool | None = _PROGRESS
    config: str | None = _CONFIG
    output: str | None = _OUTPUT_FOLDER


class SensitivitySettings(LabelledSettings):
    """The options of `dugraph sensitivity`: the parameters of `dugraph.sensitivity_analysis`."""

    command = "sensitivity"
    work = "settings"

    also: list[str] | None = _input(
        None,
        "cohort files of the same participants with other probabilities, converted with other maps or "
        "thresholds (default: none)",
        "FILES",
    )
    min_expected_frequencies: list[float] = option(
        [0.2, 0.1, 0.05], "limits on the expected frequency", "NUMBERS", least=0, most=1
    )
    statistics: list[str] = option(["z", "t"], "statistics: z, difference, t", "WORDS")
    thresholds: list[float] = option(
        [0.0], "edge probabilities below a threshold are set to 0", "NUMBERS", least=0, most=1
    )
    blocks: list[str] | None = _BLOCKS
    alternative: str = _ALTERNATIVE
    n_permutations: int = _N_PERMUTATIONS
    alpha: float = _ALPHA
    size_classes: int = _SIZE_CLASSES
    permute: str = _PERMUTE
    random_state: int = _random_state(0, "seed of the permutations")
    n_jobs: int = _N_JOBS
    time_limit: float | None = _TEST_LIMIT
    progress: bool | None = _PROGRESS
    config: str | None = _CONFIG
    output: str | None = _OUTPUT_FOLDER


class SparseSettings(CohortSettings):
    """The options of `dugraph sparse`: the parameters of `dugraph.SparseSubgraphClassifier`."""

    command = "sparse"
    work = "model"

    alpha: float | str | None = option(
        None,
        "penalty, or cv to choose it by cross-validation (default: cv, or chosen by --n-nonzero if given)",
        "A",
        parse=_parse_penalty,
        report="how the penalty was chosen: a number, or cv for cross-validation",
    )
    n_nonzero: int | None = option(
        None, "at most this many subgraphs", "N", report="largest number of subgraphs in the model"
    )
    loss: str | None = option(
        None,
        "loss function (default: logistic for classes, which gives probabilities; squared for a phenotype)",
        choices=(*LOSSES, SQUARED),
        report="what is minimised, together with the penalty on the coefficients",
    )
    l1_ratio: float = option(
        1.0,
        "share of the L1 penalty; values below 1 (elastic net) select more of several similar subgraphs",
        "R",
        report="share of the L1 penalty; the rest is the L2 penalty of the elastic net",
    )
    refit: str | None = option(
        None,
        "refit the coefficients of the chosen subgraphs, with an L2 penalty chosen in the folds of --cv",
        choices=REFITS,
        report="how the coefficients of the chosen subgraphs were fitted again",
    )
    class_weight: str | None = option(
        None,
        "balanced: each class has the same total weight in the loss",
        choices=CLASS_WEIGHTS,
        report="weights of the classes in the loss",
    )
    min_expected_frequency: float = _min_expected_frequency(0.2)
    n_alphas: int = option(20, "number of penalties on the path", "N", report="penalties on the path")
    alpha_min_ratio: float = option(
        0.05,
        "smallest penalty as a share of the largest",
        "R",
        report="smallest penalty on the path, as a share of the largest",
    )
    cv: int = option(5, "number of folds for --alpha cv", "N", report="cross-validation folds")
    tol: float = option(
        1e-4,
        "target duality gap, as a share of the loss without subgraphs",
        "T",
        report="duality gap to reach, as a share of the loss without subgraphs",
    )
    features: str = _FEATURES


class EvaluateSettings(ParallelSettings):
    """The options of `dugraph evaluate`: the parameters of `dugraph.evaluate`."""

    command = "evaluate"
    work = "comparison"

    phenotype: str | None = _input(
        None, "predict this column of the participants instead of the classes", "COLUMN"
    )
    covariates: list[str] | None = option(
        None,
        "with --phenotype: adjust for these columns in each training fold, e.g. site,sex (default: none)",
        "COLUMNS",
    )
    methods: list[str] = option(
        ["all"],
        "names separated by commas: those in the paper's tables, such as exp-hsic; with +div appended, for "
        "subgraphs that complement each other (correlation at most 0.5); sparse (an elastic net of subgraphs "
        "with a ridge refit), l1-edges (single edges chosen by L1), all-edges, select-k-best, "
        "all-edges-logistic, elastic-net, cpm; for cohorts with signed layers signed-edges and "
        "signed-edges-logistic; or paper, comparisons, baselines, all (default: all). With --phenotype: "
        "exp-hsic, sparse, l1-edges, all-edges, select-k-best, signed-edges, and for numbers cpm and "
        "elastic-net",
        "NAMES",
    )
    n_subgraphs: list[int] = option(
        [100, 200, 300, 400, 500], "numbers of features to compare", "NUMBERS", least=1
    )
    n_splits: int = option(20, "number of random splits", "N", least=1)
    test_size: float = option(0.2, "share of graphs for testing", "SHARE", least=0, most=1)
    stratify: bool = option(True, "keep the class proportions in training and testing")
    n_folds: int | None = option(None, "with --phenotype: number of folds (default: 5)", "N", least=2)
    n_repeats: int | None = option(
        None, "with --phenotype: number of times to draw the folds (default: 20)", "N", least=1
    )
    groups: str | None = option(
        None,
        "column of the participants, such as site, whose groups are never split between training and "
        "testing; --test-size is then a share of the groups",
        "COLUMN",
    )
    min_expected_frequency: float | None = option(
        None,
        "admit subgraphs above this expected frequency (default: 0.2, or that of --like-paper)",
        "F",
        least=0,
        most=1,
    )
    phi: float | dict[str, float] | None = option(
        None,
        "for the phi methods: a number, or one per score, e.g. hsic=0.03,g_test=200 (default: the paper's)",
        parse=_parse_phi,
    )
    like_paper: str | None = option(
        None,
        "follow the paper's protocol for this dataset: min_sup of 20 % for adhd, where 100 + 100 graphs are "
        "drawn, and of 40 % for adni and hiv",
        choices=PAPER_DATASETS,
    )
    regions: int | None = option(
        None, "keep only the first N nodes; 90 keeps the cerebral regions of AAL-116", "N", least=1
    )
    random_state: int = _random_state()
    n_jobs: int = _computing(1, "number of processes, -1 for all processors", "N")
    time_limit: float | None = _computing(
        None, "time limit for each search; exit code 3 if any reaches it", "SECONDS", least=0
    )
    config: str | None = _output_of_run(None, "defaults for these flags", "FILE.toml")
    output: str = _output_of_run(..., "folder for the results", "FOLDER")

    of_classes: ClassVar = ("phi", "like_paper", "regions", "pos_label")
    of_random_splits: ClassVar = ("n_splits", "test_size", "stratify")
    of_folds: ClassVar = ("covariates", "n_folds", "n_repeats")

    @classmethod
    def unused(cls, classes: bool) -> tuple[str, ...]:
        """The options that do not apply to two classes, or that apply only to them."""
        return cls.of_folds if classes else (*cls.of_classes, *cls.of_random_splits)


class ConvertSettings(Settings):
    """The options of `dugraph convert`: the parameters of `dugraph.read_cohort`."""

    command = "convert"
    work = "reading"

    path: str = _input_of_run(..., "folder or file written by the pipeline", "PATH")
    format: str | None = option(
        None,
        "format of the files, one of those above (default: detected from file names and content)",
        "NAME",
    )
    participants: str | None = option(
        None,
        "participants table, .tsv or .csv, or none (default: participants.tsv or participants.csv in PATH)",
        "FILE|none",
    )
    id_column: str | None = option(
        None, "id column of the participants table (default: detected by its usual name)", "NAME"
    )
    group_column: str | None = option(
        None,
        "group column of the participants table; if given, all groups are used (default: detected by its "
        "usual name; two groups)",
        "NAME",
    )
    id_pattern: str | None = option(
        None, "position of the id in file names, e.g. '{id}_REST1*' (default: the whole name)", "PATTERN"
    )
    positive: str | None = option(None, "positive class (default: the last name in sorted order)", "GROUP")
    negative: str | None = option(
        None, "negative class; with --positive, subjects of other groups are left out", "GROUP"
    )
    intersect: bool = option(False, "keep only subjects that have both a file and a row")
    where: str | None = option(
        None,
        "keep only participants for whom this is true, e.g. \"site == 'NYU' and age < 18\"",
        "CONDITION",
    )
    values: str | None = option(
        None, "kind of values in the files (default: depends on the format)", choices=MATRIX_VALUES
    )
    probability: str | None = option(
        None,
        "how values become probabilities (default: positive; fraction for counts)",
        choices=tuple(PROBABILITIES),
    )
    threshold: float | None = option(
        None, "set probabilities below P to 0; with bootstrap, the correlation to exceed", "P"
    )
    density: float | None = option(
        None, "share of edges to keep in each graph, strongest first", "D", least=0, most=1
    )
    n_timepoints: int | None = option(
        None, "for fisher on matrices: length of the underlying time series", "N", least=1
    )
    missing: str = option(
        "refuse",
        "edges without a value (n/a, constant region): refused, absent, or dropped with their regions or "
        "subjects",
        choices=MISSING,
    )
    max_missing: float | None = option(
        None,
        "largest share that may be dropped or absent (default: 0.1 of regions or subjects; no limit for "
        "absent)",
        "SHARE",
        least=0,
        most=1,
    )
    select: dict[str, str] | None = option(
        None,
        "which of a subject's files to read, e.g. atlas=4S156Parcels; may be repeated",
        "KEY=VALUE",
        parse=_parse_key_and_value,
    )
    atlas: str | None = option(
        None,
        "names for numbered regions: a table, optionally with x, y, z; a text file with one name per line; "
        f"or {ATLAS_NAMES}",
        "FILE|NAME",
    )
    variable: str | None = option(
        None, "variable of a .mat or .npz file, or matrix of a .netcc, to read", "NAME"
    )
    names_variable: str | None = option(None, "variable that contains the region names", "NAME")
    edge_attribute: str | None = option(None, "edge attribute to read from GraphML files", "NAME")
    time_axis: str | None = option(
        None, "time axis of plain time series (default: inferred from the shapes)", choices=TIME_AXES
    )
    triangle: str | None = option(
        None, "which triangle of the matrix each row contains, row by row", choices=TRIANGLES
    )
    random_state: int = _random_state(0, "seed of the bootstrap")
    max_memory: int = option(
        8 * 2**30,
        "limit on the memory for reading, e.g. 500M or 16G (default: 8G)",
        "BYTES",
        parse=_parse_bytes,
    )
    progress: bool | None = _computing_of_run(None, "show progress on stderr (default: if it is a terminal)")
    output: str = _output_of_run(..., "cohort file to write (.npz)", "FILE")


class SimulateSettings(Settings):
    """The options of `dugraph simulate`: the parameters of `dugraph.simulate`."""

    command = "simulate"
    work = "simulation"

    like: str = option("adhd", "dataset of the paper's Table 3 to imitate", choices=PAPER_DATASETS)
    n_graphs: int | None = option(None, "even number of graphs (default: as in Table 3)", "N", least=2)
    n_planted: int = option(3, "number of planted subgraphs", "N", least=0)
    effect: float | None = option(
        None,
        "difference between patients and controls in the share with an intact planted subgraph, from 0 to 1 "
        "(default: 0.5, 0.85, 0.75 for adhd, adni, hiv)",
        "E",
        least=0,
        most=1,
    )
    random_state: int = _random_state()
    output: str = _output_of_run(..., "cohort file to write (.npz)", "FILE")


class DemoSettings(Settings):
    """The options of `dugraph demo`."""

    command = "demo"
    is_checked = True

    # With this seed the planted subgraphs do not overlap, which makes the picture clear.
    random_state: int = _random_state(3)
    n_jobs: int = _computing(1, "number of threads", "N")
    output: str = _output_of_run("dugraph-demo", "folder for the results (default: ./dugraph-demo)", "FOLDER")


class InfoSettings(Settings):
    """The options of `dugraph info`."""

    command = "info"

    data: str = _input_of_run(..., "cohort file (.npz)", "DATA")
    where: str | None = _WHERE


class TransformSettings(Settings):
    """The options of `dugraph transform`."""

    command = "transform"

    model: str = _input_of_run(
        ..., "folder written by `dugraph mine -o`, `sparse -o` or `test -o`, or a model.json", "MODEL"
    )
    data: str = _input_of_run(..., "cohort file (.npz)", "DATA")
    output: str = _output_of_run(..., "table to write (.csv or .parquet)", "FILE")


class ReportSettings(Settings):
    """The options of `dugraph report`."""

    command = "report"

    folder: str = _input_of_run(
        ..., "folder written by `dugraph mine -o`, `sparse -o`, `test -o` or `evaluate -o`", "FOLDER"
    )
    data: str | None = option(None, "cohort file (default: the path recorded in the results)", "FILE")
    evaluation: str | None = option(
        None, "also show the evaluation in this folder, written by `evaluate -o`", "FOLDER"
    )
    test: str | None = option(None, "also show the test in this folder, written by `test -o`", "FOLDER")
    with_ids: bool = option(False, "show the ids of participants, which are otherwise left out")
    output: str | None = _output_of_run(None, "page to write, .html (default: FOLDER/report.html)", "FILE")


class PlotSettings(Settings):
    """The options of `dugraph plot`: the parameters of `dugraph.plot.subgraph_figure`."""

    command = "plot"
    work = "figure"

    folder: str = _input_of_run(
        ...,
        "folder written by `dugraph test -o`, `mine -o`, `sparse -o`, `replicate -o` or `evaluate -o`",
        "RESULT",
    )
    data: str | None = _input(None, "cohort file (default: the path recorded in the results)", "FILE")
    kind: str = option(
        "brain",
        "views of the brain, or, for many edges, a matrix or a circle of regions",
        choices=FIGURE_KINDS,
    )
    view: list[str] | None = option(
        None,
        "viewpoints, separated by commas: above, left, right, front, behind, or network for a layout without "
        "coordinates (default: left,right, with --width two also above and "
        "front; above for small multiples)",
        "VIEWS",
    )
    family: str | int = option(
        "auto",
        "all families in one drawing, each in its own panel, or only family N; for a search "
        "or a model, its subgraphs (default: each if a test has more than four families)",
        "all|each|N",
        parse=_parse_family,
    )
    labels: bool = option(True, "show region names")
    width: str = option("one", "width for one column (88 mm) or two (180 mm)", choices=tuple(FIGURE_WIDTHS))
    dpi: int = _output(300, "resolution of a .png, in dots per inch", "N", least=10, most=2400)
    output: str = _output_of_run(..., "figure to write (.pdf, .svg or .png)", "FIGURE")


class MergeSettings(Settings):
    """The options of `dugraph merge`."""

    command = "merge"

    shards: Sequence[str] = _input_of_run(..., "folders of all shards", "SHARD")
    data: str | None = option(
        None, "cohort file, if it has been moved since the shards were computed", "FILE"
    )
    report: bool = _output_of_run(False, "also write FOLDER/report.html, to open in a browser")
    output: str = _output_of_run(..., "folder for the results", "FOLDER")


class AppSettings(Settings):
    """The options of `dugraph app`."""

    command = "app"
    is_checked = True

    folders: Sequence[str] = _input_of_run(
        ["."], "folder of the study, and others that the app may read (default: the current folder)", "FOLDER"
    )
    port: int = _computing(0, "port on this machine (default: any free one)", "N", least=0, most=65535)
    browser: bool = _computing(True, "open a browser; the link is printed in any case")
    output: str | None = _output_of_run(
        None, f"folder for the runs (default: {RUNS_FOLDER} in the first folder)", "FOLDER"
    )


class DoctorSettings(Settings):
    """`dugraph doctor` has no options."""

    command = "doctor"


OF_RESULTS: dict[str, type[FolderSettings]] = {
    one.command: one
    for one in (MineSettings, TestSettings, ReplicateSettings, SparseSettings, EvaluateSettings)
}
"""The settings of the commands that write a folder of results."""
