"""``python -m dugraph``: the command line without its script."""

import sys

from dugraph.cli import main

if __name__ == "__main__":
    sys.exit(main())
