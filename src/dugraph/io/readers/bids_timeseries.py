"""BIDS derivatives `*_timeseries.tsv`: one series per region (XCP-D, giga_connectome, HALFpipe)."""

from __future__ import annotations

from dugraph.data.wording import counted
from dugraph.exceptions import InputError
from dugraph.io.connectomes import Connectomes, joined
from dugraph.io.delimited import read_series
from dugraph.io.format import Format
from dugraph.io.options import ReadOptions
from dugraph.io.readers.bids_names import BidsFile, bids_files, one_per_subject
from dugraph.io.readers.table_samples import series_sample
from dugraph.io.source import Source


def finds(source: Source) -> str | None:
    """Return whether there are series of subjects, by name."""
    found = [f for f in source.files if f.name.startswith("sub-") and f.name.endswith("_timeseries.tsv")]
    # Confounds of fMRIPrep have the same ending, but neither atlas nor segmentation.
    found = [file for file in found if "_atlas-" in file.name or "_seg-" in file.name]
    return f"{counted(len(found), 'file')} sub-*_timeseries.tsv of an atlas" if found else None


def read(source: Source, options: ReadOptions) -> Connectomes:
    """Read the series of each subject; regions by the header, if there is one, or by the atlas table."""
    options.check_for_series()
    files = one_per_subject(_found(source), options.select)
    options.budget.check_files(one.file for one in files)
    samples = (series_sample(read_series(one.file, options.budget), one.subject, one.file) for one in files)
    return joined(samples, "series", options.budget, options.atlas)


def _found(source: Source) -> list[BidsFile]:
    files = bids_files(source.files, ("timeseries",))
    files = [one for one in files if "atlas" in one.entities or "seg" in one.entities]
    if not files:
        raise InputError(
            f"{source.path}: series of subjects must be named sub-*_atlas-*_timeseries.tsv or "
            f"sub-*_seg-*_timeseries.tsv, but there are none among {source.seen()}. Check the path."
        )
    return files


FORMAT = Format(
    "bids-timeseries",
    "BIDS derivatives with the series of all regions per subject: XCP-D, giga_connectome, HALFpipe",
    finds,
    read,
)
