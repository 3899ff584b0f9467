"""The app in Chromium, from matrices to a significant subgraph: with clicks, with keys, without scripts."""

import importlib.resources
import itertools
import time

import pytest
from app_client import write_study
from app_process import App, kill_runs
from report.headless_browser import DESKTOP, PHONE, Browser, start_chromium

from dugraph.app.jobs import ENDED, Runs
from dugraph.cli import main
from dugraph.words import RUNS_FOLDER

AXE = """const done = arguments[0];
axe.run(document, {resultTypes: ['violations']}).then(r => done(r.violations.map(
  v => [v.impact, v.id, v.nodes.slice(0, 3).map(n => n.html.slice(0, 200) + ' ' + n.failureSummary)])));"""
FIND = """return [...document.querySelectorAll('a, button, summary')].filter(
  e => e.checkVisibility() && e.textContent.trim().startsWith(arguments[0]))[0]"""
FOUND = "Insula_L--Thalamus_L"


class Walker:
    """A person in front of the browser, who sees texts and clicks on them, or uses the keyboard alone."""

    def __init__(self, browser, app, keyboard=False):
        self.browser, self.driver, self.app, self.keyboard = browser, browser.driver, app, keyboard

    def arrive(self, size=DESKTOP, dark=False, scripts=True):
        command = self.driver.execute_cdp_cmd
        screen = {"width": size[0], "height": size[1], "deviceScaleFactor": 1, "mobile": False}
        command("Emulation.setDeviceMetricsOverride", screen)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        command("Emulation.setEmulatedMedia", {"features": [scheme]})
        command("Emulation.setScriptExecutionDisabled", {"value": False})
        command("Network.clearBrowserCookies", {})
        self.driver.get("about:blank")
        self.driver.get_log("browser")
        self.driver.get(self.app.link)
        self.sees("Your study")
        command("Emulation.setScriptExecutionDisabled", {"value": not scripts})
        return self

    def text(self):
        return self.browser.script("return document.body ? document.body.innerText : ''")

    def sees(self, text):
        self.browser.wait_until(lambda: text in self.text(), True)

    def choose(self, text):
        """Click on what is called so, or move there with the tabulator and press Enter."""
        self.browser.wait_until(lambda: self.browser.script(FIND, text) is not None, True)
        if not self.keyboard:
            self.browser.script(FIND, text).click()
            return
        keys = self.driver.switch_to.active_element
        for _ in range(200):
            keys.send_keys("\ue004")
            keys = self.driver.switch_to.active_element
            if keys.text.strip().startswith(text):
                keys.send_keys("\ue007")
                return
        raise AssertionError(f"the tabulator does not lead to {text!r}")

    def walk(self):
        """From the first page to the result of a test."""
        self.choose("Choose the files")
        self.sees("Which files")
        self.choose("matrices")
        self.sees("24 files such as P001_conn.csv")
        self.choose("Use id pattern")
        self.browser.wait_until(self.n_matched, "24")
        self.choose("Read the files")
        self.sees("What was read")
        self.choose("Look at the cohort")
        self.sees("What do you want to know?")
        self.choose("Compare groups")
        self.sees("among all participants")
        self.choose("Use site for blocks")
        self.sees("only among participants with the same site")
        self.choose("Start")
        self.sees("Open the report")
        self.sees(FOUND)

    def n_matched(self):
        return self.browser.script("return (document.querySelector('.facts dd') || {}).textContent")


@pytest.fixture(scope="module")
def browser():
    driver = start_chromium()
    yield Browser(driver)
    driver.quit()


@pytest.fixture
def app(tmp_path):
    write_study(tmp_path / "study")
    made = App(tmp_path / "study")
    made.study = tmp_path / "study"
    yield made
    made.kill()
    kill_runs(made.study)


def command_runs(app):
    return Runs(app.study / RUNS_FOLDER, app.study).all()


def test_from_matrices_to_a_significant_subgraph_with_clicks(browser, app, tmp_path):
    saved = tmp_path / "downloads"
    saved.mkdir()
    allow = {"behavior": "allow", "downloadPath": str(saved)}
    browser.driver.execute_cdp_cmd("Browser.setDownloadBehavior", allow)
    person = Walker(browser, app).arrive()
    person.walk()
    person.choose("Draw the figure")
    person.sees("Save the figure")
    picture = "return (document.querySelector('img.picture') || {}).naturalWidth > 0"
    browser.wait_until(lambda: browser.script(picture), True)
    person.choose("Save the figure")
    browser.wait_until(lambda: [one.name for one in saved.iterdir()], ["figure.png"])
    figure, run = command_runs(app)[:2]
    assert (saved / "figure.png").read_bytes() == figure.result.read_bytes()
    browser.driver.get(f"{app.base}/runs/{run.name}")
    person.choose("Open the report")
    person.sees("What distinguishes patient from control")
    assert browser.script("return document.documentElement.classList.contains('scripted')")
    browser.driver.back()
    person.sees("Repeat with changes")
    person.choose("Repeat with changes")
    person.sees("only among participants with the same site")
    assert browser.console() == []


def test_by_keyboard_alone(browser, app):
    Walker(browser, app, keyboard=True).arrive().walk()


def test_without_scripts(browser, app):
    person = Walker(browser, app).arrive(scripts=False)
    person.walk()
    person.choose("Open the report")
    person.sees("What distinguishes patient from control")


def test_the_form_answers_while_it_is_filled_in(browser, app):
    person = Walker(browser, app).arrive()
    person.choose("Choose the files")
    person.choose("matrices")
    person.sees("24 files such as P001_conn.csv")
    field = browser.driver.find_element("id", "id_pattern")
    field.send_keys("{id}_conn")
    browser.wait_until(person.n_matched, "24")
    focused = "return [document.activeElement.id, document.activeElement.selectionStart]"
    assert browser.script(focused) == ["id_pattern", 9]
    person.sees("--id-pattern={id}_conn")


@pytest.fixture
def pages(app):
    """Addresses of every kind of page, of a study that has a cohort, a test and a failed run."""
    flags = ["--participants", str(app.study / "participants.tsv"), "--id-pattern", "{id}_conn"]
    data = str(app.study / "cohort.npz")
    assert main(["convert", str(app.study / "matrices"), *flags, "-o", data]) == 0
    for name in ("one", "two"):
        assert main(["test", data, "--n-permutations", "99", "--report", "-o", str(app.study / name)]) == 0
    app.open()
    app.post("/runs", ask="compare", data="cohort.npz", n_permutations="99")
    app.post("/runs", ask="compare", data="cohort.npz", blocks="nowhere")
    while not all(run.state in ENDED for run in command_runs(app)):
        time.sleep(0.01)
    app.link = announced(app)
    return [
        *("/", "/data", "/data?path=matrices", "/cohort?file=cohort.npz&count=1"),
        *(
            f"/question?data=cohort.npz&ask={kind}"
            for kind in ("compare", "phenotype", "replicate", "predict")
        ),
        *("/runs/001-test", "/runs/002-test", "/result?folder=one", "/compare?a=one&b=two", "/nowhere"),
    ]


def announced(app):
    """The link for another browser."""
    return app.process.stderr.readline().split()[-1]


LOOKS = [(DESKTOP, False), (PHONE, True)]


@pytest.mark.parametrize(("size", "dark"), LOOKS)
def test_axe_finds_nothing_serious_and_no_page_is_wider_than_the_screen(browser, app, pages, size, dark):
    axe = (importlib.resources.files("axe_core_python") / "axe.min.js").read_text(encoding="utf-8")
    Walker(browser, app).arrive(size, dark)
    for address in pages:
        browser.driver.get(app.base + address)
        browser.script("document.querySelectorAll('details').forEach(d => d.open = true)")
        ground = browser.script("return getComputedStyle(document.body).backgroundColor")
        assert (sum(map(int, ground[4:-1].split(","))) < 300) is dark
        assert browser.script("return document.documentElement.scrollWidth <= window.innerWidth"), address
        # By the protocol, since the policy of the pages does not allow scripts from elsewhere.
        browser.driver.execute_cdp_cmd("Runtime.evaluate", {"expression": axe})
        found = browser.driver.execute_async_script(AXE)
        assert [one for one in found if one[0] in ("serious", "critical")] == [], address
        levels = browser.script("return [...document.querySelectorAll('h1, h2, h3')].map(h => +h.tagName[1])")
        assert levels[0] == 1
        assert all(after - before <= 1 for before, after in itertools.pairwise(levels)), address


def test_two_browsers_at_once_are_not_mixed(browser, app):
    first = Walker(browser, app).arrive()
    driver = start_chromium()
    try:
        app.link = announced(app)
        second = Walker(Browser(driver), app).arrive()
        for person, pattern in ((first, "{id}_conn"), (second, "{id}_*")):
            person.choose("Choose the files")
            person.choose("matrices")
            person.sees("24 files such as P001_conn.csv")
            person.driver.find_element("id", "id_pattern").send_keys(pattern)
            person.browser.wait_until(person.n_matched, "24")
        for person in (first, second):
            person.choose("Read the files")
            person.sees("What was read")
        assert first.driver.current_url != second.driver.current_url
        patterns = [one.job.settings for one in command_runs(app)]
        assert [one[-1] for one in patterns] == ["--id-pattern={id}_*", "--id-pattern={id}_conn"]
        first.browser.script("location.href = '/'")
        first.sees("002-convert")
    finally:
        driver.quit()
