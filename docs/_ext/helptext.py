"""The help of the commands, as the program prints it: the page of commands cannot fall behind the program."""

import argparse
import os
from unittest import mock

from docutils import nodes
from docutils.parsers.rst import Directive
from sphinx.application import Sphinx

from dugraph.cli.program import build_parser

_WIDTH = "92"


def help_of(command: str) -> str:
    """What `dugraph COMMAND --help` prints, at one width on every machine."""
    (commands,) = [a for a in build_parser()._actions if isinstance(a, argparse._SubParsersAction)]
    with mock.patch.dict(os.environ, {"COLUMNS": _WIDTH}):
        return str(commands.choices[command].format_help())


class CommandHelp(Directive):
    """A block with the help of the command that it names."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        text = help_of(self.arguments[0])
        return [nodes.literal_block(text, text, language="none")]


def setup(app: Sphinx) -> dict[str, object]:
    """Register the directive."""
    app.add_directive("command-help", CommandHelp)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
