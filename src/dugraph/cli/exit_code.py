"""What the program tells the shell."""

import enum


class ExitCode(enum.IntEnum):
    """Exit codes of every command."""

    DONE = 0
    BAD_INPUT = 1
    """A file or a value breaks a rule; one sentence on stderr says which."""
    USAGE = 2
    """The command line itself is wrong; argparse exits with it."""
    LIMIT_REACHED = 3
    """The results are valid, but not proven to be the best."""
    INTERRUPTED = 130
