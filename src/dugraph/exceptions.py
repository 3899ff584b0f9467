"""Every exception and warning that dugraph raises on purpose."""

__all__ = [
    "AssumedClassWarning",
    "AssumedEdgesWarning",
    "ConstantRegionWarning",
    "FewerSubgraphsWarning",
    "InputError",
    "LimitReachedWarning",
    "OutOfRangeWarning",
    "UnfinishedTestError",
]


class InputError(ValueError):
    """The input breaks a rule; the message gives the rule, the value received and the way out."""


class UnfinishedTestError(TimeoutError):
    """A test of significance met its time limit; it has no p-values, since partial maxima are too small."""


class LimitReachedWarning(UserWarning):
    """A search stopped at a limit: its answer is valid, but not proven to be the best."""


class FewerSubgraphsWarning(UserWarning):
    """Fewer subgraphs were admitted than were asked for; all of them are returned."""


class AssumedClassWarning(UserWarning):
    """A score that asks what is typical of one class had to guess which of them is meant."""


class AssumedEdgesWarning(UserWarning):
    """A number of columns that fits no full set of pairs was read as the first pairs of nodes."""


class OutOfRangeWarning(UserWarning):
    """Connectivity beyond [-1, 1], which no correlation can be, was taken as -1 or 1."""


class ConstantRegionWarning(UserWarning):
    """A region's series never changes, so that its edges have no correlation; they became 0."""
