"""A parameter whose name scikit-learn reserves for a method."""

from __future__ import annotations

from typing import Any, Self


class HiddenParameter:
    """Keep a parameter out of the attributes of an estimator, but in its `get_params` and `set_params`.

    scikit-learn takes every attribute called ``score`` for the method that scores predictions: it would call
    our parameter of that name. The value is stored under its own name in the estimator's ``__dict__``, as
    `clone`, pickling and the common checks expect; only reading it as an attribute is refused.

    Examples
    --------
    >>> from dugraph.estimators import SubgraphSelector
    >>> selector = SubgraphSelector(score="g_test")
    >>> hasattr(selector, "score"), selector.get_params()["score"]
    (False, 'g_test')
    """

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    def __get__(self, instance: object, owner: type) -> Self:
        if instance is None:
            return self
        raise AttributeError(
            f"{owner.__name__} has a parameter {self._name}, but no attribute of this name, which "
            f"scikit-learn would take for a method. Read it as get_params()[{self._name!r}]."
        )

    def __set__(self, instance: object, value: Any) -> None:
        vars(instance)[self._name] = value
