"""Files of other programs: readers that give cohorts, writers that take results."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dugraph.io.nilearn_bunch import from_nilearn
    from dugraph.io.read import from_array, read_cohort, read_study
    from dugraph.io.writers import brainnet_files, feature_table, graphml_bytes

__all__ = [
    "brainnet_files",
    "feature_table",
    "from_array",
    "from_nilearn",
    "graphml_bytes",
    "read_cohort",
    "read_study",
]

_MODULES = {
    "brainnet_files": "writers",
    "feature_table": "writers",
    "from_array": "read",
    "from_nilearn": "nilearn_bunch",
    "graphml_bytes": "writers",
    "read_cohort": "read",
    "read_study": "read",
}


def __getattr__(name: str) -> Any:
    # At first use: who writes a table need not wait for all readers and scikit-learn.
    if name not in _MODULES:
        raise AttributeError(f"module 'dugraph.io' has no attribute {name!r}")
    return getattr(import_module(f"dugraph.io.{_MODULES[name]}"), name)
