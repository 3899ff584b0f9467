"""The program `dugraph`: its parser, made from the settings of the commands, errors and exit codes."""

import argparse
import difflib
import inspect
import json
import os
import shlex
import signal
import sys
import textwrap
from collections.abc import Callable, Container, Sequence
from importlib import import_module
from typing import Any, NoReturn

from dugraph import settings as of
from dugraph._citation import CITATION
from dugraph._version import __version__
from dugraph.cli.output import ExitCode, reports_json
from dugraph.exceptions import InputError, Setting, Spoken
from dugraph.files.atomic import unreadable
from dugraph.files.text import escaped
from dugraph.io.layouts import FORMATS
from dugraph.settings import Option, Settings, option_text, read_toml, suggestions

# In the order of `dugraph --help`, with the module of dugraph.cli that has a function of the command's name.
_MODULES: dict[type[Settings], str] = {
    of.DemoSettings: "demo",
    of.ConvertSettings: "cohort",
    of.InfoSettings: "cohort",
    of.SimulateSettings: "cohort",
    of.MineSettings: "mine",
    of.PowerSettings: "test",
    of.PlanSettings: "test",
    of.TestSettings: "test",
    of.ReplicateSettings: "test",
    of.SensitivitySettings: "test",
    of.SparseSettings: "mine",
    of.TransformSettings: "cohort",
    of.EvaluateSettings: "mine",
    of.ReportSettings: "app",
    of.PlotSettings: "app",
    of.MergeSettings: "mine",
    of.AppSettings: "app",
    of.DoctorSettings: "doctor",
}
COMMANDS = {settings.command: settings for settings in _MODULES}
_DESCRIPTION = """\
Exact search for the connected subgraphs that best separate two classes of uncertain graphs.
Results go to stdout and files, progress and messages to stderr."""
_EXIT_CODES = (
    "exit codes: 0 success, 1 invalid input, 2 usage error, 3 limit reached (valid, not proven), "
    "130 interrupted"
)


def run(settings: Settings) -> int:
    """Carry out a command, whose module is imported only now; returns the exit code."""
    module = import_module(f"dugraph.cli.{_MODULES[type(settings)]}")
    return int(getattr(module, settings.command)(settings))


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command, by default with the arguments of the process; returns an `ExitCode`.

    Wrong usage raises SystemExit(2), as argparse does.
    """
    if argv is None:
        _end_on_signals()
    _open_closed_streams()
    for stream in (sys.stdout, sys.stderr):
        # A terminal that cannot show a character of a name shows its code instead of stopping the program.
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    try:
        return _run(list(sys.argv[1:] if argv is None else argv))
    except BrokenPipeError:
        # `dugraph mine ... | head` is not an error; Python would complain once more while closing stdout.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return ExitCode.DONE
    except KeyboardInterrupt:
        return _fail(ExitCode.INTERRUPTED, "interrupted; nothing was written after this point.")
    except MemoryError:
        message = "out of memory. Ask for fewer subgraphs, a higher expected frequency, or fewer jobs."
    except FileNotFoundError as error:
        message = str(unreadable(error.filename, error))
    except OSError as error:
        place = f"{error.filename}: " if error.filename is not None else ""
        message = f"{place}{error.strerror}." if error.strerror else str(error)
    except InputError as error:
        message = str(error)
    return _fail(ExitCode.BAD_INPUT, message)


def _open_closed_streams() -> None:
    """Redirect closed standard streams to the null device, so no file or pipe gets their descriptor."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            descriptor = os.open(os.devnull, os.O_RDWR)  # the lowest free number, that of the stream
            os.set_inheritable(descriptor, True)
            setattr(sys, name, open(descriptor, mode, encoding="utf-8", closefd=False))  # noqa: SIM115


def _end_on_signals() -> None:
    """Let SIGTERM and SIGHUP interrupt the program as Ctrl-C does, unless they are ignored (nohup)."""
    for name in ("SIGTERM", "SIGHUP"):
        number = getattr(signal, name, None)  # SIGHUP is missing on Windows
        if number is not None and signal.getsignal(number) is signal.SIG_DFL:
            signal.signal(number, signal.default_int_handler)


def _run(arguments: list[str]) -> int:
    parser = build_parser()
    first = next((word for word in arguments if not word.startswith("-")), None)
    if first not in (None, *COMMANDS) and (close := difflib.get_close_matches(str(first), COMMANDS, n=1)):
        parser.error(f"unknown command: {first}. Did you mean {close[0]}? Try `dugraph --help`.")
    options, unknown = parser.parse_known_args(arguments)
    if unknown:
        _refuse_unknown(unknown, getattr(options, "parser", parser), options.command, arguments)
    if options.cite:
        print(CITATION)
        return ExitCode.DONE
    if options.command is None:
        parser.error("which command? Try `dugraph --help`, or start with `dugraph demo`.")
    settings = COMMANDS[options.command]
    at = arguments.index(options.command) + 1
    if getattr(options, "config", None) is not None:  # flags given directly come later and take precedence
        given = read_toml(options.config, 'e.g. `score = "hsic"`')
        arguments[at:at] = settings.flags_of(given, options.config)
        options = parser.parse_args(arguments)
    if getattr(options, "plan", None) is not None:
        from dugraph.results.plan import read_plan

        # Before the others, which may contradict the plan and are then refused as deviations.
        arguments[at:at] = settings.flags_of(read_plan(options.plan).settings, options.plan)
        options = parser.parse_args(arguments)
    try:
        code = run(settings_from(options, settings))
    except InputError as error:
        known = settings.options()
        message = in_flags(error, known)
        if not reports_json():
            return _fail(ExitCode.BAD_INPUT, message, error.details)
        # For a program, with the options and values that the message suggests.
        suggested = [(name, text) for name, text in suggestions(error) if name in known]
        content = {"error": message, "details": error.details, "settings": suggested}
        print(json.dumps(content), file=sys.stderr)
        return ExitCode.BAD_INPUT
    sys.stdout.flush()  # here, where a reader that is gone is not an error
    return code


# ---------------------------------------------------------------- the parser


def build_parser() -> argparse.ArgumentParser:
    """The parser of the whole command line."""
    texts = {name: help_texts(settings) for name, settings in COMMANDS.items()}
    first_examples = [examples.splitlines()[0] for _, examples in texts.values()]
    layout: dict[str, Any] = {
        "allow_abbrev": False,
        "formatter_class": argparse.RawDescriptionHelpFormatter,
    }
    epilog = "\n".join([f"{_EXIT_CODES}\n\nexamples:", *first_examples])
    parser = argparse.ArgumentParser(prog="dugraph", description=_DESCRIPTION, epilog=epilog, **layout)
    parser.add_argument("--version", action="version", version=f"dugraph {__version__}")
    parser.add_argument(
        "--cite", action="store_true", help="show the references to cite, as BibTeX, and exit"
    )
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", dest="command")
    for name, (text, examples) in texts.items():
        summary, epilog = text.partition("\n")[0], f"example:\n{examples}"
        command = commands.add_parser(name, help=summary, description=text, epilog=epilog, **layout)
        command.set_defaults(parser=command)
        titles = {of.METHOD: COMMANDS[name].work, of.COMPUTING: "computation"}
        for group in (of.INPUT, of.METHOD, of.COMPUTING, of.OUTPUT):
            section = command.add_argument_group(titles.get(group, group))
            for one in COMMANDS[name].options().values():
                if one.group == group:
                    _add_option(section, one)
    return parser


def help_texts(settings: type[Settings]) -> tuple[str, str]:
    """Description and examples of a command."""
    text, _, examples = inspect.cleandoc(settings.__doc__ or "").partition("\n\nexample:\n")
    formats = textwrap.wrap(f"Formats: {', '.join(FORMATS)}.", 100, break_on_hyphens=False)
    return text.replace("\n\n", "\n", 1).replace("{formats}", "\n".join(formats)), examples


def _add_option(section: Any, option: Option) -> None:
    text, default = option.help, option.default
    if "default: " not in text and default is not None and default is not ...:
        shown = ("yes" if default else "no") if option.is_switch else option_text(default)
        text += f" (default: {shown:g})" if isinstance(shown, float) else f" (default: {shown})"
    given: dict[str, Any] = {"help": text.replace("%", "%%"), "metavar": option.metavar}
    if option.is_positional:
        if default is not ...:
            given |= {"nargs": "?" if default is None else "*", "default": default}
        elif option.kind is not str:
            given["nargs"] = "+"
        section.add_argument(option.name, **given)
        return
    given |= {"required": True} if default is ... else {"default": default}
    if option.is_switch:
        given["action"] = argparse.BooleanOptionalAction
        del given["metavar"]  # deprecated there
    else:
        given["choices"] = option.choices
        if option.parse is not None:
            given["type"] = _typed(option.parse)
        if option.name == "select":
            given["action"] = "append"
    section.add_argument(*(["-o"] if option.name == "output" else []), option.flag, **given)


def _typed(parse: Callable[[str], Any]) -> Callable[[str], Any]:
    """Let argparse show the message of the parser."""

    def read(text: str) -> Any:
        try:
            return parse(text)
        except ValueError as error:
            message = str(error)
            if parse in (int, float):
                rule = "must be a whole number in digits" if parse is int else "must be a number"
                message = f"{rule}, but is {text!r}"
            raise argparse.ArgumentTypeError(message) from error

    return read


def settings_from(options: argparse.Namespace, settings: type[Settings]) -> Settings:
    """The settings that were parsed."""
    values = {name: getattr(options, name) for name in settings.options()}
    if values.get("select") is not None:
        values["select"] = dict(values["select"])
    return settings(**values)


def _refuse_unknown(
    unknown: list[str], parser: argparse.ArgumentParser, command: str | None, arguments: list[str]
) -> NoReturn:
    """Exit with 2 for arguments that the parser does not know; the message suggests what was meant."""
    options = COMMANDS[command].options().values() if command is not None else ()
    flag, hint = unknown[0].partition("=")[0], ""
    if flag.startswith("-"):
        known = [one.flag for one in options] or ["--version", "--cite", "--help"]
        if close := difflib.get_close_matches(flag, known, n=1, cutoff=0.7):
            hint = f" Did you mean {close[0]}?"
    else:
        before = [word.partition("=")[0] for word in arguments[: arguments.index(unknown[0])]]
        last = next((word for word in reversed(before) if word.startswith("-")), None)
        if last in [one.flag for one in options if one.takes_several]:
            hint = f" Separate the values of {last} with commas, without spaces."
    parser.error(f"unrecognized arguments: {' '.join(unknown)}.{hint} Try `{parser.prog} --help`.")


# ---------------------------------------------------------------- errors


def in_flags(error: InputError, known: Container[str]) -> str:
    """Phrase an error with the parameters as flags that the command knows; others keep their names."""

    def say(part: Setting | Spoken) -> str:
        if isinstance(part, Spoken):
            return part.shell
        if part.parameter not in known:
            return str(part)
        return _flag(f"--{part.parameter.replace('_', '-')}", part.value)

    return error.sentence_with(say)


def _flag(flag: str, value: object) -> str:
    if value is ... or value is True:
        return flag
    if isinstance(value, dict):
        return " ".join(_flag(flag, f"{key}={one}") for key, one in value.items())
    text = str(value)
    return f"{flag} {shlex.quote(text) if text.isprintable() else escaped(text)}"


def _fail(code: ExitCode, message: str, details: Sequence[str] = ()) -> int:
    for line in (f"dugraph: {message}", *details):
        print(escaped(line), file=sys.stderr)
    return code
