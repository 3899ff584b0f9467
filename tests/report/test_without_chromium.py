"""Where Chromium is missing or does not start, the tests in the browser are skipped and say so."""

import shutil
import sys

import pytest
from headless_browser import start_chromium

pytestmark = pytest.mark.system


def test_the_skip_says_what_is_missing(monkeypatch):
    monkeypatch.setattr(shutil, "which", lambda _name: None)
    with pytest.raises(pytest.skip.Exception, match="NOT TESTED IN A BROWSER: Chromium is missing"):
        start_chromium()


def test_the_skip_says_what_does_not_start(monkeypatch):
    monkeypatch.setattr(shutil, "which", lambda _name: sys.executable)
    with pytest.raises(pytest.skip.Exception, match=r"NOT TESTED IN A BROWSER: .* does not start: .+"):
        start_chromium()
