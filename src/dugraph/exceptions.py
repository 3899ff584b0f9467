"""Every exception and warning that dugraph raises on purpose."""

__all__ = ["FewerSubgraphsWarning", "InputError", "LimitReachedWarning"]


class InputError(ValueError):
    """The input breaks a rule; the message gives the rule, the value received and the way out."""


class LimitReachedWarning(UserWarning):
    """A search stopped at a limit: its answer is valid, but not proven to be the best."""


class FewerSubgraphsWarning(UserWarning):
    """Fewer subgraphs were admitted than were asked for; all of them are returned."""
