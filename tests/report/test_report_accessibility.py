"""axe-core finds nothing serious, in light and dark, on a desk and on a phone; headings are in order."""

import importlib.resources
import itertools
import os

import pytest
from headless_browser import DESKTOP, PHONE

SOAK = bool(os.environ.get("DUGRAPH_SOAK"))
RUN = """const done = arguments[0];
axe.run(document, {resultTypes: ['violations']}).then(r => done(r.violations.map(
  v => [v.impact, v.id, v.nodes.slice(0, 3).map(n => n.html.slice(0, 200) + ' ' + n.failureSummary)])));"""


@pytest.fixture(scope="module")
def axe():
    return (importlib.resources.files("axe_core_python") / "axe.min.js").read_text(encoding="utf-8")


# Each colour and each size once; the other two pairs behind `make soak`.
LOOKS = [(DESKTOP, False), (PHONE, True), *([(DESKTOP, True), (PHONE, False)] if SOAK else [])]


@pytest.mark.parametrize(("size", "dark"), LOOKS)
def test_axe_finds_nothing_serious(browser, page, axe, size, dark):
    browser.open(page, size, dark)
    ground = browser.script("return getComputedStyle(document.body).backgroundColor")
    assert (sum(map(int, ground[4:-1].split(","))) < 300) is dark
    browser.script("document.querySelectorAll('details').forEach(d => d.open = true)")
    browser.script(axe)
    found = browser.driver.execute_async_script(RUN)
    assert [violation for violation in found if violation[0] in ("serious", "critical")] == []


@pytest.mark.parametrize(("size", "dark"), LOOKS if SOAK else [(PHONE, True)])
def test_axe_finds_nothing_serious_in_a_test(browser, tested_page, axe, size, dark):
    browser.open(tested_page, size, dark)
    assert browser.script("return document.querySelectorAll('#significant tbody tr').length") > 0
    assert browser.script("return document.documentElement.scrollWidth <= window.innerWidth")
    browser.script(axe)
    found = browser.driver.execute_async_script(RUN)
    assert [violation for violation in found if violation[0] in ("serious", "critical")] == []


@pytest.mark.parametrize("name", ["page", "tested_page"])
def test_landmarks_headings_and_names(browser, request, name):
    browser.open(request.getfixturevalue(name))
    levels = [int(level) for level in browser.script(
        "return [...document.querySelectorAll('h1, h2, h3, h4')].map(h => h.tagName[1])"
    )]  # fmt: skip
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(after - before <= 1 for before, after in itertools.pairwise(levels))
    for landmark in ("header", "nav", "main", "footer"):
        assert browser.script("return document.querySelectorAll(arguments[0]).length", landmark) == 1
    unnamed = "svg[role=img]:not(:has(> title)), svg:not([role]):not([aria-hidden])"
    assert browser.driver.find_elements("css selector", unnamed) == []
    first = "document.body.focus(); return document.querySelector('a, button, input').textContent"
    assert browser.script(first) == "Skip to the report"


@pytest.mark.parametrize("name", ["module", "groups", "plain_network"])
def test_axe_finds_nothing_serious_in_the_linked_view(browser, pages, axe, name):
    browser.open(pages(name)[1], DESKTOP, dark=True)
    browser.script("document.querySelector('#view .item').click()")
    selected = "return document.getElementById('view').dataset.selected"
    browser.wait_until(lambda: browser.script(selected), "0")
    browser.script(axe)
    found = browser.driver.execute_async_script(RUN)
    assert [violation for violation in found if violation[0] in ("serious", "critical")] == []
