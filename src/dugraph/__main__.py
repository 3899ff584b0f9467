"""``python -m dugraph``: the command line without its script."""

import sys

from dugraph.cli import main

sys.exit(main())
