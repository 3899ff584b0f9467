"""The settings of every command, each declared once.

The flags, the texts of `--help`, `--config`, config.toml, `parameters` in results.json and the report's table
of the method are derived from these classes. Without NumPy, since `dugraph --help` needs them.
"""

from __future__ import annotations

import dataclasses
import json
import tomllib
import typing
from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from math import inf
from typing import Annotated, Any, ClassVar, Self

from dugraph import words
from dugraph._version import __version__
from dugraph.exceptions import InputError, Setting
from dugraph.files.atomic import open_file

INPUT, METHOD, COMPUTING, OUTPUT = _GROUPS = ("input", "method", "computing", "output")
SHARE, NOT_NEGATIVE, FROM_1 = (0, 1), (0, inf), (1, inf)
_LARGEST_CONFIG = 2**20  # bytes


# ---------------------------------------------------------------- text of a flag to its value


def _list_of(kind: type, words: str) -> Callable[[str], list[Any]]:
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
    list[str]: _list_of(str, "names"),
    list[int]: _list_of(int, "whole numbers"),
    list[float]: _list_of(float, "numbers"),
}


# ---------------------------------------------------------------- options and settings


@dataclass(frozen=True)
class Option:
    """One option of a command: the name and type of a field of its settings, and what `option` declares."""

    name: str
    kind: Any
    default: Any  # ... if it is required
    help: str
    group: str = METHOD
    """Its section of ``--help``. Options of METHOD, and of COMPUTING if kept, are arguments of the function
    that the command calls; those of METHOD are recorded in results.json."""
    kept: bool = True
    """Whether config.toml has it. False for what belongs to one run, such as where to write."""
    metavar: str | None = None
    limits: tuple[float, float] | None = None
    """The range of a number, or of each number of a list."""
    choices: tuple[str, ...] | None = None
    parse: Callable[[str], Any] | None = None
    """Reads the text of the flag; raises ValueError."""
    is_positional: bool = False
    """Whether it is an argument without a flag."""

    @property
    def flag(self) -> str:
        """The flag on the command line."""
        return f"--{self.name.replace('_', '-')}"

    @property
    def report(self) -> str:
        """Its description in the report's table of the method; empty: it is not in the table."""
        return _REPORTED.get(self.name, "")

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
        several = value.values() if isinstance(value, dict) else value if isinstance(value, list) else [value]
        for one in several:
            if self.choices is not None and one is not None and one not in self.choices:
                raise ValueError(f"must be one of {', '.join(self.choices)}")
            if self.limits is not None and isinstance(one, (int, float)) and not isinstance(one, bool):
                least, most = self.limits
                if not one >= least:
                    raise ValueError(f"must be at least {least:g}")
                if not one <= most:
                    raise ValueError(f"must be at most {most:g}")


def option(help: str, default: Any = None, **declared: Any) -> Any:
    """Declare a field of a settings class; `...` is the default of a required one.

    Further keywords are attributes of `Option`; metavar and limits can be those of the type of the field.
    """
    metadata = {"help": help, "default": default, **declared}
    if default is ...:
        return dataclasses.field(metadata=metadata)
    if isinstance(default, list):
        return dataclasses.field(default_factory=lambda: list(default), metadata=metadata)
    return dataclasses.field(default=default, metadata=metadata)


@typing.dataclass_transform(kw_only_default=True, frozen_default=True)
@dataclass(frozen=True, kw_only=True)
class Settings:
    """The settings of one command; a subclass for each, whose fields are made by `option`.

    The docstring of a subclass is the text of its ``--help``, with lines that can be tried after "example:".
    `work` is the heading of the options of METHOD in it.
    """

    command: ClassVar[str]
    work: ClassVar[str]

    def __init_subclass__(cls, command: str = "", work: str = "options") -> None:
        cls.command, cls.work = command, work
        dataclass(frozen=True, kw_only=True)(cls)

    @classmethod
    @cache
    def options(cls) -> dict[str, Option]:
        """The options by name, in the order of their declaration."""
        kinds, annotated = (typing.get_type_hints(cls, include_extras=extras) for extras in (False, True))
        found = {}
        for field in dataclasses.fields(cls):
            kind, full = kinds[field.name], annotated[field.name]
            parse = next((_PARSERS[one] for one in (kind, *typing.get_args(kind)) if one in _PARSERS), None)
            types = (full, *typing.get_args(full))
            notes = next((one.__metadata__ for one in types if typing.get_origin(one) is Annotated), ())
            of_type = {"parse": parse, **dict(zip(("metavar", "limits"), notes, strict=False))}
            found[field.name] = Option(field.name, kind, **{**of_type, **field.metadata})
        return found

    @classmethod
    def of(cls, values: Mapping[str, Any]) -> Self:
        """Make settings from values by name; those missing get their defaults, or are empty if required."""
        options = cls.options().values()
        unknown = next((name for name in values if name not in cls.options()), None)
        if unknown is not None:
            raise InputError(
                f"settings must be options of `dugraph {cls.command}`, but one is called {unknown!r}. Known "
                f"options are {', '.join(one.name for one in options if one.kept)}.",
                parameter="settings",
            )
        return cls(**{**{one.name: "" for one in options if one.default is ...}, **values})

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
        kept = self.kept_values()
        return {
            name: getattr(self, name)
            for name, one in self.options().items()
            if one.group == METHOD or (one.group == COMPUTING and name in kept)
        }

    def kept_values(self) -> dict[str, Any]:
        """The settings that config.toml has, by name."""
        return {name: getattr(self, name) for name, one in self.options().items() if one.kept}

    def to_toml(self, without: Container[str] = ()) -> bytes:
        """The content of config.toml, which repeats the run; settings that are None are left out."""
        kept = {name: one for name, one in self.kept_values().items() if name not in without}
        lines = [toml_line(name, value) for name, value in kept.items() if value is not None]
        return ("\n".join([f"# dugraph {__version__} {self.command}", *lines]) + "\n").encode()

    @classmethod
    def flags_of(cls, values: Mapping[str, Any], path: str) -> list[str]:
        """Settings read from a file, as flags, which are checked like those on the command line."""
        options = {
            name: one for name, one in cls.options().items() if name != "config" and not one.is_positional
        }
        for name, value in values.items():
            if name not in options:
                # In the order of --help.
                known = sorted(options, key=lambda one: _GROUPS.index(options[one].group))
                raise InputError(
                    f"{path}: a setting must be a flag of `dugraph {cls.command}` without dashes; got "
                    f"{name!r}. Known options are {', '.join(known)}."
                )
            is_switch = options[name].is_switch
            if is_switch != isinstance(value, bool) or not isinstance(value, (str, int, float)):
                rule = "true or false" if is_switch else "a number or text"
                raise InputError(f"{path}: {name} must be {rule}; got {value!r}.")
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
        return ",".join(f"{name}={one}" for name, one in value.items())
    if isinstance(value, (list, tuple)):
        return ",".join(map(str, value))
    return value


def suggestions(error: InputError) -> list[tuple[str, str]]:
    """The options that a message suggests, with their values as a form expects them: on for True."""
    parts = [one for one in error.way_out if isinstance(one, Setting) and one.value is not ...]
    return [(one.parameter, "on" if one.value is True else str(option_text(one.value))) for one in parts]


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


# The descriptions of options in the report's table of the method.
_REPORTED = {
    "covariates": "covariates adjusted for",
    "max_edges": "largest number of edges in a subgraph",
    "min_expected_frequency": "a subgraph is admitted above this expected frequency",
    "score": "score function, which compares a subgraph's presence between the classes",
    "measure": "the number that summarises the score's distribution",
    "phi": "score that counts as discriminative (φ)",
    "quantile": "quantile",
    "n_subgraphs": "subgraphs requested (t)",
    "max_correlation": "subgraphs that correlate more than this with a better one are left out",
    "score_cap": "scores are capped at this value",
    "multi_class": "each class compared with the rest",
    "bound": "pruning, which changes the work but not the answer",
    "alpha": "how the penalty was chosen: a number, or cv for cross-validation",
    "n_nonzero": "largest number of subgraphs in the model",
    "loss": "what is minimised, together with the penalty on the coefficients",
    "l1_ratio": "share of the L1 penalty; the rest is the L2 penalty of the elastic net",
    "refit": "how the coefficients of the chosen subgraphs were fitted again",
    "class_weight": "weights of the classes in the loss",
    "n_alphas": "penalties on the path",
    "alpha_min_ratio": "smallest penalty on the path, as a share of the largest",
    "cv": "cross-validation folds",
    "tol": "duality gap to reach, as a share of the loss without subgraphs",
}


# ---------------------------------------------------------------- options shared by several commands


_input, _computing, _output = (partial(option, group=one) for one in (INPUT, COMPUTING, OUTPUT))
# Options that belong to one run, which config.toml does not have.
_argument = partial(option, default=..., group=INPUT, kept=False, is_positional=True)
_input_of_run, _computing_of_run, _output_of_run = (
    partial(option, group=one, kept=False) for one in (INPUT, COMPUTING, OUTPUT)
)
# Types with their metavar and limits.
Number = Annotated[int, "N"]
Count = Annotated[int, "N", FROM_1]
Seed = Annotated[int, "SEED", NOT_NEGATIVE]
Share = Annotated[float, "SHARE", SHARE]
Frequency = Annotated[float, "F", SHARE]
Seconds = Annotated[float, "SECONDS", NOT_NEGATIVE]
Name = Annotated[str, "NAME"]
File = Annotated[str, "FILE"]
Toml = Annotated[str, "FILE.toml"]
Folder = Annotated[str, "FOLDER"]
Column = Annotated[str, "COLUMN"]
Columns = Annotated[list[str], "COLUMNS"]

_DATA = _argument("cohort file (.npz)", metavar="DATA")
_CONFIG = _output_of_run("TOML file with defaults for these flags, e.g. the line alpha = 0.01")
_OUTPUT_FOLDER = _output_of_run("folder for the results; see above")
_REPORT = _output_of_run("also write FOLDER/report.html, to open in a browser", False)
_PROGRESS = _computing_of_run("show progress on stderr (default: if it is a terminal)")
_N_JOBS = _computing("number of threads, -1 for all processors", 1)
_TEST_LIMIT = _computing("stop with an error after this time, without p-values")
_MAX_EDGES = option("only subgraphs of at most N edges (default: any)")


class FolderSettings(Settings):
    """The commands that write a folder of results."""

    config: Toml | None = _CONFIG
    report: bool = _REPORT
    output: Folder | None = _OUTPUT_FOLDER


_WHERE = _input(
    "use only participants for whom this is true, e.g. \"site == 'NYU' and age < 18\"", metavar="CONDITION"
)


class LabelledSettings(Settings):
    """The cohort of an analysis, its labels, and the restrictions that every analysis supports."""

    data: str = _DATA
    phenotype: Column | None = _input(
        "use this column of the participants instead of the classes: numbers, or names of groups"
    )
    pos_label: str | None = _input("the positive class (default: the last in sorted order)", metavar="CLASS")
    where: str | None = _WHERE
    target: str | None = _input(
        "how to interpret numbers with more than two values: as group codes or as a phenotype (default: a "
        "phenotype, if they have fractions or more than 20 values, or are the column of --phenotype)",
        choices=words.TARGETS,
    )
    covariates: Columns | None = option(
        "adjust for these columns of the participants, e.g. age,sex (default: none)"
    )
    max_edges: Count | None = _MAX_EDGES


class CohortSettings(LabelledSettings, FolderSettings):
    """The commands that analyse a cohort and write a folder of results."""

    n_jobs: Number = _N_JOBS
    time_limit: Seconds | None = _computing("stop after this time with the best result so far; exit code 3")
    progress: bool | None = _PROGRESS


class ParallelSettings(CohortSettings):
    """The commands whose work a cluster can share."""

    dask: str | None = _computing_of_run(
        "use the Dask cluster with this scheduler address, or N workers on this machine",
        metavar="ADDRESS|local:N",
    )


class PartedSettings(ParallelSettings):
    """The commands whose work can be interrupted and divided into shards."""

    checkpoint: File | None = _computing_of_run("checkpoint file; the same command resumes from it")
    shard: str | None = _computing_of_run(
        "compute part I of N, for a job array: -o is the folder of this part, `dugraph merge` combines the "
        "parts",
        metavar="I/N",
    )


def _min_expected_frequency(default: float | None, verb: str = "admit") -> Any:
    return option(f"{verb} subgraphs above this expected frequency", default)


_FEATURES = _output(
    "file format for the containment probabilities of all graphs",
    "csv",
    choices=(*words.TABLE_FORMATS, "none"),
)


def _random_state(default: int = 0, of: str = "seed") -> Any:
    return option(of, default)


_BLOCKS = option(
    "permute labels only among graphs that agree in these columns, e.g. site,sex (default: among all)"
)
_N_PERMUTATIONS = option("number of permutations", 999)
_ALPHA = option("family-wise error rate", 0.05, metavar="P", limits=SHARE)
_ALTERNATIVE = option(
    "find only subgraphs with a positive effect (greater) or a negative one (less) (default: both)",
    "two-sided",
    choices=words.ALTERNATIVES,
)
_SIZE_CLASSES = option(
    "separate thresholds for subgraphs of 1, 2, ..., and K or more edges", 4, metavar="K", limits=FROM_1
)
_PERMUTE = option(
    "permute labels within blocks or, for repeated scans, the labels of whole blocks",
    "within",
    choices=words.PERMUTE,
)


_POSITIVE_SHARE = option("for the power: share of graphs in the positive class", 0.5)
_PLANNED = (INPUT, METHOD)


# ---------------------------------------------------------------- one class for each command


class MineSettings(PartedSettings, command="mine", work="search"):
    """Find the connected subgraphs that rank highest by a measure of their score (exact search).

    The labels are two classes; expected HSIC, the default, also supports several groups, a phenotype, and
    covariates. Prints a table. With -o, writes a folder with results.json, results.csv, results.graphml,
    BrainNet Viewer files (if the regions have coordinates), the features of all graphs, model.json for
    `dugraph transform`, and config.toml: see docs/results.md. With --test, the subfolder test contains the
    output of `dugraph test`.
    `--config FOLDER/config.toml` repeats a run; flags on the command line override the file.

    example:
      dugraph mine cohort.npz --score hsic --measure expectation --n-subgraphs 10 -o results
      dugraph mine cohort.npz --n-subgraphs 10 --max-correlation 0.5
      dugraph mine cohort.npz --min-expected-frequency 0.1 --checkpoint search.npz -o results
      dugraph mine cohort.npz --shard 3/16 -o shards/3
      dugraph mine cohort.npz --phenotype age --covariates site,sex -o age
      dugraph mine cohort.npz --score frequency_ratio --measure phi_probability --phi 1 --time-limit 60
    """

    score: str = option("score function", "hsic", choices=words.SCORES)
    measure: str = option("summary of the distribution of the score", "expectation", choices=words.RANKINGS)
    phi: float | None = option("minimum score that counts as discriminative, for phi_probability")
    quantile: float | None = option("quantile for --measure quantile", 0.5, metavar="Q", limits=SHARE)
    n_subgraphs: Count = option("number of subgraphs to find", 100)
    min_expected_frequency: Frequency = _min_expected_frequency(0.2)
    max_correlation: float | None = option(
        "skip subgraphs whose correlation with a better one exceeds R, to avoid redundancy", metavar="R"
    )
    score_cap: float | None = option(
        "cap scores at S (default: max(1000, largest finite score))", metavar="S", limits=NOT_NEGATIVE
    )
    multi_class: str | None = option(
        "compare each of several classes with the rest, with any score and measure", choices=words.MULTI_CLASS
    )
    bound: str = option(
        "bound used for pruning; affects the running time, not the result", "mass", choices=words.BOUNDS
    )
    test: bool = _output(
        "test all subgraphs for significance, as `dugraph test` does by default, with the same --covariates, "
        "--min-expected-frequency and --max-edges, and mark the significant ones in the list",
        False,
    )
    features: str = _FEATURES


class TestOptions(LabelledSettings):
    """The options of a test that a plan fixes."""

    __test__ = False  # not a test case of pytest

    holdout: str | None = _input(
        "find subgraphs in one part of the cohort and test them in the other: the share of graphs to hold "
        "out, e.g. 0.5, or a condition on the participants, e.g. \"site == 'NYU'\"",
        metavar="SHARE|CONDITION",
    )
    blocks: Columns | None = _BLOCKS
    statistic: str = option(
        "the difference over its standard deviation (z), the difference itself, or the partial correlation "
        "(t)",
        "z",
        choices=words.STATISTICS,
    )
    alternative: str = _ALTERNATIVE
    n_permutations: Count = _N_PERMUTATIONS
    alpha: float = _ALPHA
    size_classes: int = _SIZE_CLASSES
    step_down: bool = option(
        "remove significant subgraphs and repeat the test until no more are found", False
    )
    permute: str = _PERMUTE
    min_expected_frequency: Frequency = _min_expected_frequency(0.1, "test")
    random_state: Seed = _random_state(0, "seed of the permutations")

    @classmethod
    def planned(cls) -> list[str]:
        """The names of the options that a plan fixes."""
        return [name for name, one in TestSettings.options().items() if one.kept and one.group in _PLANNED]


class TestSettings(TestOptions, PartedSettings, command="test", work="test"):
    """Test all connected subgraphs at once for differences between the classes.

    This is a permutation test: the probability of listing any subgraph that does not differ is at most
    --alpha.
    Prints tables. With -o, writes a folder with results.json, results.csv, null_maxima.csv, config.toml, text
    for a paper (methods.md, results.md, references.bib), and results.graphml and BrainNet Viewer files of the
    subgraphs that share no edge: see docs/significance.md.
    With --holdout, subgraphs are found in one part of the cohort and tested again in the other; the results
    of the second test are in the subfolder replication.
    `--config FOLDER/config.toml` repeats a run; flags on the command line override the file.

    example:
      dugraph test cohort.npz --blocks site --covariates age,sex --report -o test
      dugraph test cohort.npz -o test
      dugraph test cohort.npz --phenotype age --blocks site -o age
      dugraph test cohort.npz --blocks site --holdout 0.5 --report -o both
    """

    plan: Toml | None = _input_of_run(
        "carry out this plan, written by `dugraph plan`: its settings apply, and deviations are rejected"
    )
    time_limit: Seconds | None = _TEST_LIMIT


class PlanSettings(TestOptions, command="plan", work="test"):
    """Write the plan of a test: its settings, the hash of the graphs, versions and the date.

    The labels are not used. `dugraph test COHORT --plan FILE` carries out the plan and rejects other settings
    and graphs; the error names each deviation. The message and report of the test state when it was planned.
    A plan is a short text file with a checksum, which can be registered. With --n-edges and --frequencies it
    states the expected power: see docs/significance.md.

    example:
      dugraph plan cohort.npz --blocks site --covariates age --n-edges 2 --frequencies 0.5,0.3 -o plan.toml
    """

    n_edges: Count | None = option("for the power: number of edges of the expected subgraph")
    frequencies: list[float] | None = option(
        "for the power: its expected frequencies in the positive and in the negative class, e.g. 0.5,0.3",
        metavar="P,Q",
    )
    positive_share: Share = _POSITIVE_SHARE
    output: File = _output_of_run("plan to write (.toml)", ...)


class ReplicateSettings(FolderSettings, command="replicate", work="replication"):
    """Test the subgraphs found in one cohort in another cohort.

    Regions and classes are matched by name. Each subgraph is tested in the direction found in the first
    cohort; the probability of confirming any subgraph that does not differ in the second one is at most
    --alpha.
    Blocks and covariates are those of the test, unless others are given. The graphs of the first cohort are
    not needed, only the folder of its test. Prints a table with the effects of both cohorts. With -o, writes
    a folder with results.json, results.csv, blocks.csv (with --blocks site, the effects in each site),
    null_maxima.csv of the first test, config.toml, and results.graphml and BrainNet Viewer files of the
    confirmed subgraphs: see docs/significance.md.

    example:
      dugraph replicate test second.npz --report -o replication
      dugraph replicate test second.npz --blocks site --covariates age,sex -o replication
    """

    result: str = _argument(
        "folder of the first cohort's test, written by `dugraph test -o`; the cohort itself is not needed",
        metavar="RESULT",
    )
    data: str = _argument("second cohort (.npz)", metavar="COHORT")
    phenotype: Column | None = _input(
        "column of the second cohort that contains the phenotype (default: its name in the first cohort)"
    )
    where: str | None = _WHERE
    subgraphs: str = option(
        "significant subgraphs of the first cohort to test: the irreducible ones, those of them that share "
        "no edge (representative), or all",
        "irreducible",
        choices=words.FAMILIES,
    )
    blocks: Columns | None = option(
        "permute labels only among graphs that agree in these columns, e.g. site,sex; none: among all "
        "(default: those of the test, if the second cohort has them)"
    )
    covariates: Columns | None = option(
        "adjust for these columns of the participants, e.g. age,sex; or none (default: those of the test, "
        "if the second cohort has them)"
    )
    statistic: str = option(
        "the partial correlation (t), the difference over its standard deviation (z), or the difference "
        "itself",
        "t",
        choices=words.STATISTICS,
    )
    n_permutations: Count = _N_PERMUTATIONS
    alpha: float = _ALPHA
    permute: str = _PERMUTE
    random_state: Seed = _random_state(0, "seed of the permutations")


class PowerSettings(Settings, command="power", work="power"):
    """Compute the power of a test to detect a subgraph, as a function of the number of graphs.

    The subgraph has --n-edges edges and the expected --frequencies in the two classes. The critical values
    come from a pilot cohort, real or simulated (--like), whose labels are not used. Do not take the
    frequencies from a subgraph that is significant in the pilot itself: they are inflated by selection; those
    that `dugraph replicate` estimates in a second cohort are not. Prints a table: the power; the probability
    that the subgraph is frequent enough to be tested; and the frequency in the positive class that is
    detected with the target power. With -o, writes a folder with results.json, results.csv, power.svg,
    detectable.svg and config.toml.

    example:
      dugraph power pilot.npz --n-edges 2 --frequencies 0.5,0.3 -o power
      dugraph power pilot.npz --n-edges 2 --frequencies 0.5,0.3 --n-graphs 80,90,100
      dugraph power --like adhd --n-edges 2 --frequencies 0.6,0.3 --min-expected-frequency 0.2
    """

    data: str | None = _argument(
        "pilot cohort (.npz), whose labels are not used", default=None, metavar="COHORT"
    )
    like: str | None = _input(
        "instead of reading a pilot cohort, simulate one like this dataset of the paper (default: none)",
        choices=words.PAPER_DATASETS,
    )
    n_edges: Count | None = option("number of edges of the subgraph to detect (required)")
    frequencies: list[float] | None = option(
        "its expected frequencies in the positive and in the negative class, e.g. 0.5,0.3 (required)",
        metavar="P,Q",
    )
    n_graphs: list[int] = option(
        "numbers of graphs, both classes together",
        [40, 60, 80, 120, 160, 240, 320, 480],
        metavar="NUMBERS",
        limits=(4, inf),
    )
    power: Share = option("target power", 0.8)
    positive_share: Share = _POSITIVE_SHARE
    ratios: list[float] | None = option(
        "variance of the containment probability between graphs divided by m (1 - m), where m is its mean, "
        "in each class, e.g. 0.8,0.8 (default: estimated from the pilot)",
        metavar="R,S",
    )
    alternative: str = _ALTERNATIVE
    n_permutations: Count = option("permutations of random labels on the pilot", 9999)
    alpha: float = _ALPHA
    size_classes: int = _SIZE_CLASSES
    min_expected_frequency: Frequency = _min_expected_frequency(0.1, "test")
    max_edges: Count | None = _MAX_EDGES
    random_state: Seed = _random_state(0, "seed of the labels and the simulation")
    n_jobs: Number = _N_JOBS
    time_limit: Seconds | None = _TEST_LIMIT
    progress: bool | None = _PROGRESS
    config: Toml | None = _CONFIG
    output: Folder | None = _OUTPUT_FOLDER


class SensitivitySettings(LabelledSettings, command="sensitivity", work="settings"):
    """Repeat a test under several settings and compare the edges that are found.

    Tests every combination of frequency limits, statistics and thresholds, and, with --also, of cohort files
    of the same participants that were converted with other probability maps. Prints what each setting finds,
    and the edges found by most settings. This is exploratory: it does not show which setting is right, and
    p-values are not valid for a setting that was chosen from these.
    With -o, writes a folder with results.json, results.csv (the edges), settings.csv, jaccard.csv,
    jaccard.svg, edges.svg and config.toml: see docs/significance.md.

    example:
      dugraph sensitivity cohort.npz --blocks site -o sensitivity
      dugraph sensitivity cohort.npz --min-expected-frequencies 0.1,0.2 --statistics z,difference,t
      dugraph sensitivity cohort.npz --also absolute.npz,threshold.npz --thresholds 0,0.3
    """

    also: list[str] | None = _input(
        "cohort files of the same participants with other probabilities, converted with other maps or "
        "thresholds (default: none)",
        metavar="FILES",
    )
    min_expected_frequencies: list[float] = option(
        "limits on the expected frequency", [0.2, 0.1, 0.05], metavar="NUMBERS", limits=SHARE
    )
    statistics: list[str] = option("statistics: z, difference, t", ["z", "t"], metavar="WORDS")
    thresholds: list[float] = option(
        "edge probabilities below a threshold are set to 0", [0.0], metavar="NUMBERS", limits=SHARE
    )
    blocks: Columns | None = _BLOCKS
    alternative: str = _ALTERNATIVE
    n_permutations: Count = _N_PERMUTATIONS
    alpha: float = _ALPHA
    size_classes: int = _SIZE_CLASSES
    permute: str = _PERMUTE
    random_state: Seed = _random_state(0, "seed of the permutations")
    n_jobs: Number = _N_JOBS
    time_limit: Seconds | None = _TEST_LIMIT
    progress: bool | None = _PROGRESS
    config: Toml | None = _CONFIG
    output: Folder | None = _OUTPUT_FOLDER


class SparseSettings(CohortSettings, command="sparse", work="model"):
    """\
    Fit a linear model over all connected subgraphs, with an L1 penalty that selects a few complementary ones.

    With two classes it is a classifier, and positive coefficients favour the positive class; with several
    groups there is one model for each group against the rest; for a numeric phenotype (more than two values)
    it is a regression. Covariates are not penalised and are also required for prediction.
    Prints a table. With -o, writes a folder with the files of `dugraph mine`, and path.csv with all
    penalties: see docs/sparse.md and docs/results.md.
    `--config FOLDER/config.toml` repeats a run; flags on the command line override the file.

    example:
      dugraph sparse cohort.npz --n-nonzero 10 --min-expected-frequency 0.3 -o model
      dugraph sparse cohort.npz --alpha 0.02
      dugraph sparse cohort.npz --alpha cv --cv 3 --n-alphas 10 --report -o model
      dugraph sparse cohort.npz --phenotype age --covariates site,sex -o age
      dugraph sparse cohort.npz --phenotype diagnosis --n-nonzero 5 -o diagnoses
    """

    alpha: float | str | None = option(
        "penalty, or cv to choose it by cross-validation (default: cv, or chosen by --n-nonzero if given)",
        metavar="A",
        parse=_parse_penalty,
    )
    n_nonzero: Number | None = option("at most this many subgraphs")
    loss: str | None = option(
        "loss function (default: logistic for classes, which gives probabilities; squared for a phenotype)",
        choices=(*words.LOSSES, words.SQUARED),
    )
    l1_ratio: float = option(
        "share of the L1 penalty; values below 1 (elastic net) select more of several similar subgraphs",
        1.0,
        metavar="R",
    )
    refit: str | None = option(
        "refit the coefficients of the chosen subgraphs, with an L2 penalty chosen in the folds of --cv",
        choices=words.REFITS,
    )
    class_weight: str | None = option(
        "balanced: each class has the same total weight in the loss", choices=words.CLASS_WEIGHTS
    )
    min_expected_frequency: Frequency = _min_expected_frequency(0.2)
    n_alphas: Number = option("number of penalties on the path", 20)
    alpha_min_ratio: float = option("smallest penalty as a share of the largest", 0.05, metavar="R")
    cv: Number = option("number of folds for --alpha cv", 5)
    tol: float = option("target duality gap, as a share of the loss without subgraphs", 1e-4, metavar="T")
    features: str = _FEATURES


class EvaluateSettings(ParallelSettings, command="evaluate", work="comparison"):
    """Compare methods on random 80/20 splits.

    Features are mined in the training graphs and used in a ridge classifier, whose penalty is also chosen
    there (with --like-paper, by the paper's linear SVM).
    Prints a table of error rates, F1, AUC and ranks. The folder contains table.csv, table.md, table.tex, all
    values in results.csv, times in timings.csv and the settings in config.toml. Finished parts are saved in
    FOLDER/cache: the same command resumes an interrupted run and gives identical results.
    With --phenotype, or with labels other than two classes, methods are compared by repeated
    cross-validation: phenotypes by correlation, R2 and mean absolute error, groups by macro F1 and balanced
    accuracy.
    A method without features in some split has no mean and no rank. Messages on stderr report this, fewer
    subgraphs than requested, and results not proven because of a limit (~ in the table).

    example:
      dugraph evaluate cohort.npz --methods exp-hsic,exp-hsic+div,med-confidence,comparisons -o evaluation
      dugraph evaluate cohort.npz --methods exp-hsic,sparse,baselines -o evaluation
      dugraph evaluate cohort.npz --like-paper adhd --methods all --n-jobs 2 -o evaluation
      dugraph evaluate cohort.npz --phenotype age --covariates site,sex --methods exp-hsic,cpm -o age
    """

    phenotype: Column | None = _input("predict this column of the participants instead of the classes")
    covariates: Columns | None = option(
        "with --phenotype: adjust for these columns in each training fold, e.g. site,sex (default: none)"
    )
    methods: list[str] = option(
        "names separated by commas: those in the paper's tables, such as exp-hsic; with +div appended, for "
        "subgraphs that complement each other (correlation at most 0.5); sparse (an elastic net of "
        "subgraphs with a ridge refit), l1-edges (single edges chosen by L1), all-edges, select-k-best, "
        "all-edges-logistic, elastic-net, cpm; for cohorts with signed layers signed-edges and "
        "signed-edges-logistic; or paper, comparisons, baselines, all (default: all). With --phenotype: "
        "exp-hsic, sparse, l1-edges, all-edges, select-k-best, signed-edges, and for numbers cpm and "
        "elastic-net",
        ["all"],
        metavar="NAMES",
    )
    n_subgraphs: list[int] = option(
        "numbers of features to compare", [100, 200, 300, 400, 500], metavar="NUMBERS", limits=FROM_1
    )
    n_splits: Count = option("number of random splits", 20)
    test_size: Share = option("share of graphs for testing", 0.2)
    stratify: bool = option("keep the class proportions in training and testing", True)
    n_folds: int | None = option(
        "with --phenotype: number of folds (default: 5)", metavar="N", limits=(2, inf)
    )
    n_repeats: Count | None = option("with --phenotype: number of times to draw the folds (default: 20)")
    groups: Column | None = option(
        "column of the participants, such as site, whose groups are never split between training and "
        "testing; --test-size is then a share of the groups"
    )
    min_expected_frequency: Frequency | None = option(
        "admit subgraphs above this expected frequency (default: 0.2, or that of --like-paper)"
    )
    phi: float | dict[str, float] | None = option(
        "for the phi methods: a number, or one per score, e.g. hsic=0.03,g_test=200 (default: the paper's)",
        parse=_parse_phi,
    )
    like_paper: str | None = option(
        "follow the paper's protocol for this dataset: min_sup of 20 % for adhd, where 100 + 100 graphs are "
        "drawn, and of 40 % for adni and hiv",
        choices=words.PAPER_DATASETS,
    )
    regions: Count | None = option("keep only the first N nodes; 90 keeps the cerebral regions of AAL-116")
    random_state: Seed = _random_state()
    n_jobs: Number = _computing("number of processes, -1 for all processors", 1)
    time_limit: Seconds | None = _computing("time limit for each search; exit code 3 if any reaches it")
    config: Toml | None = _output_of_run("TOML file with defaults for these flags")
    output: Folder = _output_of_run("folder for the results", ...)

    of_classes: ClassVar = ("phi", "like_paper", "regions", "pos_label")
    of_random_splits: ClassVar = ("n_splits", "test_size", "stratify")
    of_folds: ClassVar = ("covariates", "n_folds", "n_repeats")

    @classmethod
    def unused(cls, classes: bool) -> tuple[str, ...]:
        """The options that do not apply to two classes, or that apply only to them."""
        return cls.of_folds if classes else (*cls.of_classes, *cls.of_random_splits)


class ConvertSettings(Settings, command="convert", work="reading"):
    """Convert the output files of a pipeline and a table of participants into a cohort file.

    The format is recognised by file names and content; docs/files.md lists the command for each pipeline.
    The table is --participants, or participants.tsv or participants.csv in the folder.
    Matrices are aligned by region name. Ambiguous or invalid input is rejected; each step is printed and
    recorded in the cohort file.
    {formats}

    example:
      dugraph convert xcp_d --participants xcp_d/participants.tsv --positive patient -o xcp_d.npz
      dugraph convert xcp_d --participants none --select atlas=4S156Parcels --threshold 0.3 -o unlabelled.npz
    """

    path: str = _argument("folder or file written by the pipeline", metavar="PATH")
    format: Name | None = option(
        "format of the files, one of those above (default: detected from file names and content)"
    )
    participants: str | None = option(
        "participants table, .tsv or .csv, or none (default: participants.tsv or participants.csv in PATH)",
        metavar="FILE|none",
    )
    id_column: Name | None = option(
        "id column of the participants table (default: detected by its usual name)"
    )
    group_column: Name | None = option(
        "group column of the participants table; if given, all groups are used (default: detected by its "
        "usual name; two groups)"
    )
    id_pattern: str | None = option(
        "position of the id in file names, e.g. '{id}_REST1*' (default: the whole name)", metavar="PATTERN"
    )
    positive: str | None = option("positive class (default: the last name in sorted order)", metavar="GROUP")
    negative: str | None = option(
        "negative class; with --positive, subjects of other groups are left out", metavar="GROUP"
    )
    intersect: bool = option("keep only subjects that have both a file and a row", False)
    where: str | None = option(
        "keep only participants for whom this is true, e.g. \"site == 'NYU' and age < 18\"",
        metavar="CONDITION",
    )
    values: str | None = option(
        "kind of values in the files (default: depends on the format)", choices=words.MATRIX_VALUES
    )
    probability: str | None = option(
        "how values become probabilities (default: positive; fraction for counts)",
        choices=tuple(words.PROBABILITIES),
    )
    threshold: float | None = option(
        "set probabilities below P to 0; with bootstrap, the correlation to exceed", metavar="P"
    )
    density: float | None = option(
        "share of edges to keep in each graph, strongest first", metavar="D", limits=SHARE
    )
    n_timepoints: Count | None = option("for fisher on matrices: length of the underlying time series")
    missing: str = option(
        "edges without a value (n/a, constant region): refused, absent, or dropped with their regions or "
        "subjects",
        "refuse",
        choices=words.MISSING,
    )
    max_missing: Share | None = option(
        "largest share that may be dropped or absent (default: 0.1 of regions or subjects; no limit for "
        "absent)"
    )
    select: dict[str, str] | None = option(
        "which of a subject's files to read, e.g. atlas=4S156Parcels; may be repeated",
        metavar="KEY=VALUE",
        parse=_parse_key_and_value,
    )
    atlas: str | None = option(
        "names for numbered regions: a table, optionally with x, y, z; a text file with one name per line; "
        f"or {words.ATLAS_NAMES}",
        metavar="FILE|NAME",
    )
    variable: Name | None = option("variable of a .mat or .npz file, or matrix of a .netcc, to read")
    names_variable: Name | None = option("variable that contains the region names")
    edge_attribute: Name | None = option("edge attribute to read from GraphML files")
    time_axis: str | None = option(
        "time axis of plain time series (default: inferred from the shapes)", choices=words.TIME_AXES
    )
    triangle: str | None = option(
        "which triangle of the matrix each row contains, row by row", choices=words.TRIANGLES
    )
    random_state: Seed = _random_state(0, "seed of the bootstrap")
    max_memory: int = option(
        "limit on the memory for reading, e.g. 500M or 16G (default: 8G)",
        8 * 2**30,
        metavar="BYTES",
        parse=_parse_bytes,
    )
    progress: bool | None = _PROGRESS
    output: File = _output_of_run("cohort file to write (.npz)", ...)


class SimulateSettings(Settings, command="simulate", work="simulation"):
    """Simulate a cohort of brain networks with planted discriminative subgraphs.

    The planted subgraphs are written next to the cohort: cohort.planted.json for cohort.npz.

    example:
      dugraph simulate --like hiv --n-planted 3 --random-state 1 -o cohort.npz
    """

    like: str = option("dataset of the paper's Table 3 to imitate", "adhd", choices=words.PAPER_DATASETS)
    n_graphs: int | None = option(
        "even number of graphs (default: as in Table 3)", metavar="N", limits=(2, inf)
    )
    n_planted: int = option("number of planted subgraphs", 3, metavar="N", limits=NOT_NEGATIVE)
    effect: float | None = option(
        "difference between patients and controls in the share with an intact planted subgraph, from 0 to 1 "
        "(default: 0.5, 0.85, 0.75 for adhd, adni, hiv)",
        metavar="E",
        limits=SHARE,
    )
    random_state: Seed = _random_state()
    output: File = _output_of_run("cohort file to write (.npz)", ...)


class DemoSettings(Settings, command="demo"):
    """Simulate a cohort, mine and test it, cross-validate a classifier and write a report, in under a minute.

    The cohort resembles the paper's ADHD data: 200 brain networks of 116 regions, half of them patients,
    with three planted subgraphs to recover.

    example:
      dugraph demo -o dugraph-demo
    """

    # With this seed the planted subgraphs do not overlap, which makes the picture clear.
    random_state: Seed = _random_state(3)
    n_jobs: Number = _computing("number of threads", 1)
    output: Folder = _output_of_run("folder for the results (default: ./dugraph-demo)", "dugraph-demo")


class InfoSettings(Settings, command="info"):
    """Describe a cohort file: graphs, classes, nodes, edges, probabilities and provenance.

    The first table is a row of Table 3 of the paper: mean edges counts the edges with positive probability
    per graph, mean probability is the mean over these, expected edges is the sum of all probabilities.
    The second shows how many connected subgraphs exceed an expected frequency; counting stops at 100,000.

    example:
      dugraph info cohort.npz
    """

    data: str = _DATA
    where: str | None = _WHERE


class TransformSettings(Settings, command="transform"):
    """\
    Apply a saved model to new graphs: compute the probability that each contains each subgraph of the model.

    The model is the folder written by `dugraph mine -o`, `sparse -o` or `test -o`, or a model.json. For a
    test, the irreducible significant subgraphs are used. Regions, edges, layers and covariates are matched by
    name, in any order; if one that the model needs is missing, the error names it and nothing is written. The
    columns are the graph ids; the classes, if the cohort has any; for a sparse classifier, predicted_class,
    decision and the probability of the last class in sorted order (which positive decisions favour); for a
    sparse regression, forecast; and one column for each subgraph.

    example:
      dugraph transform results cohort.npz -o features.csv
      dugraph transform results/model.json cohort.npz -o features.parquet
    """

    model: str = _argument(
        "folder written by `dugraph mine -o`, `sparse -o` or `test -o`, or a model.json", metavar="MODEL"
    )
    data: str = _DATA
    output: File = _output_of_run("table to write (.csv or .parquet)", ...)


class ReportSettings(Settings, command="report"):
    """Write the results of a folder as one self-contained HTML page.

    The page shows the contents of the folder: the subgraphs of `dugraph mine -o` or `sparse -o`, the
    significant subgraphs of `test -o`, or the splits of `evaluate -o`. --test and --evaluation combine
    several of these. It also shows the cohort, which is read from the path in the results. Participants are
    numbered on the page; --with-ids shows their ids.

    example:
      dugraph report results
      dugraph report results --test test --evaluation evaluation -o for-the-clinic.html
    """

    folder: Folder = _argument("folder written by `dugraph mine -o`, `sparse -o`, `test -o` or `evaluate -o`")
    data: File | None = option("cohort file (default: the path recorded in the results)")
    evaluation: Folder | None = option("also show the evaluation in this folder, written by `evaluate -o`")
    test: Folder | None = option("also show the test in this folder, written by `test -o`")
    with_ids: bool = option("show the ids of participants, which are otherwise left out", False)
    output: File | None = _output_of_run("page to write, .html (default: FOLDER/report.html)")


class PlotSettings(Settings, command="plot", work="figure"):
    """Draw the results of a folder as a figure for a paper.

    Subgraphs of `dugraph test -o`, `mine -o`, `sparse -o` and `replicate -o` are drawn on the brain, as a
    matrix or as a circle of regions. For `evaluate -o`, the figure shows the first metric against the number
    of subgraphs. The extension, .pdf, .svg or .png, sets the format; text in .pdf and .svg can be edited.
    Regions and their coordinates are read from the cohort file. Requires matplotlib: pip install
    'dugraph[plot]'.

    example:
      dugraph plot test -o figure-1.pdf
      dugraph plot test -o families.svg --family each --view above,left --width two
      dugraph plot test -o circle.png --kind chord --dpi 600
    """

    folder: str = _argument(
        "folder written by `dugraph test -o`, `mine -o`, `sparse -o`, `replicate -o` or `evaluate -o`",
        metavar="RESULT",
    )
    data: File | None = _input("cohort file (default: the path recorded in the results)")
    kind: str = option(
        "views of the brain, or, for many edges, a matrix or a circle of regions",
        "brain",
        choices=words.FIGURE_KINDS,
    )
    view: list[str] | None = option(
        "viewpoints, separated by commas: above, left, right, front, behind, or network for a layout "
        "without coordinates (default: left,right, with --width two also above and front; above for small "
        "multiples)",
        metavar="VIEWS",
    )
    family: str | int = option(
        "all families in one drawing, each in its own panel, or only family N; for a search or a model, its "
        "subgraphs (default: each if a test has more than four families)",
        "auto",
        metavar="all|each|N",
        parse=_parse_family,
    )
    labels: bool = option("show region names", True)
    width: str = option(
        "width for one column (88 mm) or two (180 mm)", "one", choices=tuple(words.FIGURE_WIDTHS)
    )
    dpi: int = _output("resolution of a .png, in dots per inch", 300, metavar="N", limits=(10, 2400))
    output: str = _output_of_run("figure to write (.pdf, .svg or .png)", ..., metavar="FIGURE")


class MergeSettings(Settings, command="merge"):
    """Merge the shards of a job array into the results of one `dugraph mine` or `dugraph test`.

    Shards come from `dugraph mine cohort.npz --shard 1/2 -o shards/1` and so on. Name every shard of a run
    exactly once. If the search of a shard reached a limit, the merged list is the best so far. The files in
    -o are identical to those of a run without shards, except for the counters: see docs/clusters.md.

    example:
      dugraph merge shards/1 shards/2 -o merged
    """

    shards: Sequence[str] = _argument("folders of all shards", metavar="SHARD")
    data: File | None = option("cohort file, if it has been moved since the shards were computed")
    report: bool = _REPORT
    output: Folder = _output_of_run("folder for the results", ...)


class AppSettings(Settings, command="app"):
    """Analyse a study in the browser, from its files to the report.

    Serves pages on this computer only and opens them in a browser. Each step is a dugraph command, which the
    page shows; each run has a folder in dugraph-runs and continues when the browser or the app is closed.
    Requires the extra app: pip install 'dugraph[app]'.

    example:
      dugraph app study
      dugraph app study shared/atlases --no-browser
    """

    folders: Sequence[str] = _argument(
        "folder of the study, and others that the app may read (default: the current folder)",
        default=["."],
        metavar="FOLDER",
    )
    port: int = _computing("port on this machine (default: any free one)", 0, metavar="N", limits=(0, 65535))
    browser: bool = _computing("open a browser; the link is printed in any case", True)
    output: Folder | None = _output_of_run(
        f"folder for the runs (default: {words.RUNS_FOLDER} in the first folder)"
    )


class DoctorSettings(Settings, command="doctor"):
    """Show versions, compiler, instruction set, threads, memory, and missing extras.

    Also checks the compiled core against the NumPy reference on a small cohort. The exit code is 1 if dugraph
    cannot run here; a missing extra is only reported. Paste the output into bug reports.

    example:
      dugraph doctor
    """


OF_RESULTS: dict[str, type[FolderSettings]] = {
    one.command: one
    for one in (MineSettings, TestSettings, ReplicateSettings, SparseSettings, EvaluateSettings)
}
"""The settings of the commands that write a folder of results."""
