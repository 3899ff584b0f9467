"""Tables read to the last digit by any pandas, as the readers do."""

from typing import Any

import pandas as pd

# pandas reads floats to the last bit from 3.1 on, before only on request.
_VERSION = tuple(map(int, pd.__version__.split(".")[:2]))
EXACT = {"float_precision": "round_trip"} if _VERSION < (3, 1) else {}


def read_csv(*args: Any, **asked: Any) -> pd.DataFrame:
    return pd.read_csv(*args, **asked, **EXACT)
