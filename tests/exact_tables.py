"""Tables read to the last digit, which pandas before 3.1 does only when asked."""

from typing import Any

import pandas as pd
from packaging.version import parse


def read_csv(*args: Any, **asked: Any) -> pd.DataFrame:
    if parse(pd.__version__) < parse("3.1"):
        asked["float_precision"] = "round_trip"
    return pd.read_csv(*args, **asked)
