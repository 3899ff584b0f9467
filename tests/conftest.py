"""What holds for the whole suite."""

import signal

from hypothesis import HealthCheck, settings

# What a test asserts holds on a slow machine too, and on one that does other work.
settings.register_profile("dugraph", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("dugraph")


def pytest_configure() -> None:
    # A shell that starts the suite in the background lets it ignore Ctrl-C, which some tests send.
    signal.signal(signal.SIGINT, signal.default_int_handler)
