"""The program `dugraph`: its commands, its options and its exit codes."""

import argparse
import json
import os
import signal
import sys
from collections.abc import Container, Sequence

from dugraph._citation import CITATION
from dugraph._version import __version__
from dugraph.cli.commands import COMMANDS
from dugraph.cli.options import add_options, in_flags, refuse_unknown, settings_from, with_config
from dugraph.cli.output import ExitCode, reports_json
from dugraph.exceptions import InputError, Setting
from dugraph.files.text import escaped
from dugraph.settings import setting_text

_DESCRIPTION = """\
Exact search for the connected subgraphs that best separate two classes of uncertain graphs.
Results go to stdout and files, progress and messages to stderr."""

_EPILOG = "\n".join(
    [
        "exit codes: 0 success, 1 invalid input, 2 usage error, 3 limit reached (valid, not proven), "
        "130 interrupted\n\nexamples:",
        *(command.example.splitlines()[0] for command in COMMANDS.values()),
    ]
)


def build_parser() -> argparse.ArgumentParser:
    """The parser of the whole command line."""
    parser = argparse.ArgumentParser(
        prog="dugraph",
        allow_abbrev=False,
        description=_DESCRIPTION,
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"dugraph {__version__}")
    parser.add_argument(
        "--cite", action="store_true", help="show the references to cite, as BibTeX, and exit"
    )
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", dest="command")
    for name, command in COMMANDS.items():
        sub = commands.add_parser(
            name,
            help=command.description.partition("\n")[0],
            allow_abbrev=False,
            description=command.description.rstrip(),
            epilog=f"example:\n{command.example.rstrip()}",
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        add_options(sub, command.settings)
        sub.set_defaults(run=command.run, settings=command.settings, parser=sub)
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command, by default with the arguments of the process; returns an `ExitCode`.

    Wrong usage raises SystemExit(2), as argparse does.
    """
    if argv is None:
        _end_on_signals()
    _open_closed_streams()
    if sys.stdout is None:
        return _fail(
            ExitCode.BAD_INPUT,
            "stdout must be open, but it is closed. Redirect it to a file or to /dev/null.",
        )
    for stream in (sys.stdout, sys.stderr):
        # A terminal that cannot show a character of a name shows its code instead of stopping the program.
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    arguments = list(sys.argv[1:] if argv is None else argv)
    try:
        return _run(arguments)
    except (InputError, OSError) as error:
        if isinstance(error, BrokenPipeError):
            return _reader_gone()
        return _fail(ExitCode.BAD_INPUT, _sentence(error))
    except MemoryError:
        return _fail(
            ExitCode.BAD_INPUT,
            "out of memory. Ask for fewer subgraphs, a higher expected frequency, or fewer jobs.",
        )
    except KeyboardInterrupt:
        return _fail(ExitCode.INTERRUPTED, "interrupted; nothing was written after this point.")


def _open_closed_streams() -> None:
    """Open closed standard streams to the null device, so that no file or pipe gets their number."""
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.set_inheritable(os.open(os.devnull, os.O_RDWR), True)  # the lowest free number, this one
    if sys.stderr is None:  # print would write to stdout
        sys.stderr = open(2, "w", closefd=False)  # noqa: SIM115 (it stays open to the end)


def _end_on_signals() -> None:
    """Let SIGTERM and SIGHUP interrupt the program as Ctrl-C does, unless they are ignored (nohup)."""
    for name in ("SIGTERM", "SIGHUP"):
        number = getattr(signal, name, None)  # SIGHUP is missing on Windows
        if number is not None and signal.getsignal(number) is signal.SIG_DFL:
            signal.signal(number, signal.default_int_handler)


def _run(arguments: list[str]) -> int:
    parser = build_parser()
    options, unknown = parser.parse_known_args(arguments)
    if unknown:
        known = getattr(options, "settings", None)
        refuse_unknown(unknown, getattr(options, "parser", parser), known, arguments)
    if options.cite:
        print(CITATION)
        return ExitCode.DONE
    if options.command is None:
        parser.error("which command? Try `dugraph --help`, or start with `dugraph demo`.")
    flags: list[str] = []
    if getattr(options, "config", None) is not None:
        flags = options.settings.flags_in(options.config)
        options = parser.parse_args(with_config(arguments, options.command, flags))
    if getattr(options, "plan", None) is not None:
        from dugraph.results.plan import read_plan

        planned = options.settings.flags_of(read_plan(options.plan).settings, options.plan)
        # Before the others, which may contradict it and are then refused as deviations.
        options = parser.parse_args(with_config(arguments, options.command, [*planned, *flags]))
    try:
        code = int(options.run(settings_from(options, options.settings)))
    except InputError as error:
        known = options.settings.options()
        if reports_json():
            return _fail_json(error, in_flags(error, known), known)
        return _fail(ExitCode.BAD_INPUT, in_flags(error, known), error.details)
    sys.stdout.flush()  # here, where a reader that is gone is not an error
    return code


def _sentence(error: Exception) -> str:
    if isinstance(error, OSError) and error.strerror:
        place = f"{error.filename}: " if error.filename is not None else ""
        return f"{place}{error.strerror}."
    return str(error)


def _fail(code: ExitCode, message: str, details: Sequence[str] = ()) -> int:
    for line in (f"dugraph: {message}", *details):
        print(escaped(line), file=sys.stderr)
    return code


def _fail_json(error: InputError, message: str, known: Container[str]) -> int:
    """Report an error to a program, with the options and values that the message suggests."""
    parts = [one for one in error.way_out if isinstance(one, Setting) and one.value is not ...]
    settings = [(one.parameter, setting_text(one.value)) for one in parts if one.parameter in known]
    content = {"error": message, "details": error.details, "settings": settings}
    print(json.dumps(content), file=sys.stderr)
    return ExitCode.BAD_INPUT


def _reader_gone() -> int:
    # `dugraph mine ... | head` is not an error; Python would complain once more while closing stdout.
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return ExitCode.DONE
