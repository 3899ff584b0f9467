"""Tables read to the last digit by any pandas, as the readers do."""

from typing import Any

import pandas as pd

from dugraph.io.delimited import exact_numbers


def read_csv(*args: Any, **asked: Any) -> pd.DataFrame:
    return pd.read_csv(*args, **asked, **exact_numbers(pd))
