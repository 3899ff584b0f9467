"""Headless Chromium with what the tests of the report ask of it."""

import importlib.resources
import json
import shutil
import time
from pathlib import Path

import pytest

FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-background-networking",
    "--hide-scrollbars",
)
DESKTOP, PHONE = (1200, 900), (390, 844)
# Seconds that the driver gives a page: more than any machine needs, even one that stops all for minutes.
PATIENCE = 3600
# What does not come is a fault after so many questions, a hundredth of a second apart. Not after so many
# seconds: those go by while a busy machine lets nothing of this run.
_QUESTIONS = 30_000
_TRIES = 5
_AXE = """const done = arguments[0];
axe.run(document, {resultTypes: ['violations']}).then(r => done(r.violations.map(
  v => [v.impact, v.id, v.nodes.slice(0, 3).map(n => n.html.slice(0, 200) + ' ' + n.failureSummary)])));"""


class Browser:
    """Headless Chromium with what the tests ask of it."""

    def __init__(self, driver):
        driver.set_page_load_timeout(PATIENCE)
        driver.set_script_timeout(PATIENCE)
        self.driver = driver
        self.script = driver.execute_script

    def wait_until(self, fact, expected):
        """Ask until the answer is the expected one: a page tells of keys, links and history by events."""
        for _ in range(_QUESTIONS):
            if (found := fact()) == expected:
                return
            time.sleep(0.01)
        assert found == expected

    def open(self, page, size=DESKTOP, dark=False, scripts=True, address=""):
        """Open a file with a size, a colour scheme, scripts or none; what was logged before is forgotten."""
        command = self.driver.execute_cdp_cmd
        screen = {"width": size[0], "height": size[1], "deviceScaleFactor": 1, "mobile": False}
        command("Emulation.setDeviceMetricsOverride", screen)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        command("Emulation.setEmulatedMedia", {"features": [scheme]})
        command("Emulation.setScriptExecutionDisabled", {"value": not scripts})
        self._load("about:blank")
        self.driver.get_log("browser")
        self.driver.get_log("performance")
        self._load(Path(page).resolve().as_uri() + address)

    def _load(self, address):
        """Go to an address and wait for all of it: on a busy machine the driver's `get` ends too early."""
        self.script("window.isLeft = true")
        self.driver.get(address)
        state = "return [window.isLeft === undefined, document.readyState]"
        self.wait_until(lambda: self.script(state), [True, "complete"])

    def serious_faults(self):
        """What axe-core finds serious or critical on the page as it is."""
        self.script((importlib.resources.files("axe_core_python") / "axe.min.js").read_text(encoding="utf-8"))
        found = self.driver.execute_async_script(_AXE)
        return [violation for violation in found if violation[0] in ("serious", "critical")]

    def console(self):
        """What the page wrote to the console."""
        return [entry["message"] for entry in self.driver.get_log("browser")]

    def requests(self):
        """Addresses that the page asked for."""
        events = [json.loads(entry["message"])["message"] for entry in self.driver.get_log("performance")]
        sent = [event["params"] for event in events if event["method"] == "Network.requestWillBeSent"]
        return [params["request"]["url"] for params in sent]

    def texts(self, selector):
        """The text of every element that fits, hidden or not, exactly."""
        return self.script(
            "return [...document.querySelectorAll(arguments[0])].map(e => e.textContent)", selector
        )


def start_chromium():
    """A driver of Chromium; where there is none, or none that starts, the tests are skipped, loudly."""
    chromium = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    driver = shutil.which("chromedriver")
    if not (chromium and driver):
        pytest.skip(
            "NOT TESTED IN A BROWSER: Chromium is missing. Do apt-get install chromium chromium-driver."
        )
    # After the check, so that a skip needs no selenium.
    from selenium import webdriver
    from selenium.common.exceptions import WebDriverException

    options = webdriver.ChromeOptions()
    options.binary_location = chromium
    for flag in FLAGS:
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    for _ in range(_TRIES):  # the driver waits a minute for Chromium, which a busy machine may exceed
        try:
            return webdriver.Chrome(options=options, service=webdriver.ChromeService(driver))
        except WebDriverException as error:
            cause = error.msg
    pytest.skip(f"NOT TESTED IN A BROWSER: {chromium} does not start: {cause}")
