"""Signals that end a program are answered, wherever in Python they come."""

import signal
import threading
import time
import weakref

import pytest

from dugraph.cli.signals import Ending


class Thing:
    """What can be referred to weakly."""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_an_interruption_that_python_drops_is_raised_again(number: signal.Signals) -> None:
    """While an object is removed no error can be raised: Python prints it and goes on."""

    def interrupted() -> None:
        thing = Thing()
        reference = weakref.ref(thing, lambda _: signal.raise_signal(number))
        del thing
        assert reference() is None
        for _ in range(100_000):  # the work that would go on
            time.sleep(0.001)

    ending = Ending()
    with ending, pytest.raises(KeyboardInterrupt):
        interrupted()
    assert ending.code(130) == 128 + number


class HalfMade:
    """As a ZipFile is when a signal comes before it has all of its parts."""

    def __init__(self, number: signal.Signals) -> None:
        signal.raise_signal(number)
        self.whole = True

    def __del__(self) -> None:
        assert self.whole


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_an_object_whose_making_was_interrupted_goes_in_silence(
    number: signal.Signals, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[object] = []
    monkeypatch.setattr("sys.unraisablehook", told.append)
    with pytest.raises(KeyboardInterrupt), Ending():
        HalfMade(number)
    assert told == []
    with Ending():
        HalfMade.__new__(HalfMade)  # without any signal it is told of
    assert [one.exc_type for one in told] == [AttributeError]  # type: ignore[attr-defined]


def test_other_threads_and_other_errors_are_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[object] = []
    monkeypatch.setattr("sys.unraisablehook", told.append)

    class Faulty:
        def __del__(self) -> None:
            raise ValueError

    with Ending():
        Faulty()
    assert [one.exc_type for one in told] == [ValueError]  # type: ignore[attr-defined]
    thread = threading.Thread(target=lambda: Ending().__enter__().__exit__(None, None, None))
    thread.start()
    thread.join()
