"""What holds for the whole suite."""

import signal


def pytest_configure() -> None:
    # A shell that starts the suite in the background lets it ignore Ctrl-C, which some tests send.
    signal.signal(signal.SIGINT, signal.default_int_handler)
