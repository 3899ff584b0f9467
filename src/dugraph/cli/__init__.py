"""The command line: parse, call one public function, write. Heavy imports wait until a command runs."""

from dugraph.cli.program import main

__all__ = ["main"]
