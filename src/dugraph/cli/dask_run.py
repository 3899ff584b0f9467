"""`--dask` of `mine`, `test` and `evaluate`: the work is done by a cluster."""

import argparse
from contextlib import AbstractContextManager, nullcontext
from typing import Any


def add_dask_argument(parser: argparse.ArgumentParser) -> None:
    """Declare the flag."""
    parser.add_argument(
        "--dask",
        metavar="ADDRESS|local:N",
        help="use the Dask cluster with this scheduler address, or N workers on this machine",
    )


def dask_client(options: argparse.Namespace) -> AbstractContextManager[Any]:
    """The Dask client, as a context; None without the flag."""
    if options.dask is None:
        return nullcontext()
    from dugraph.cluster.dask import open_client

    return open_client(options.dask)
