"""The report in Chromium: it loads nothing, sorts, filters, moves, is accessible, reads without scripts."""

import itertools
import json
import os
import shutil
import sys

import pytest
from headless_browser import DESKTOP, PHONE, start_chromium

SOAK = bool(os.environ.get("DUGRAPH_SOAK"))
ROWS = "return [...document.querySelectorAll('#ranking tbody tr')].filter(r => !r.hidden)"


def ranks(browser):
    return [int(rank) for rank in browser.script(f"{ROWS}.map(r => r.cells[0].textContent)")]


def heading(browser, key):
    return browser.driver.find_element("css selector", f"th[data-sort={key}]")


def current(browser):
    return browser.script(
        "return [...document.querySelectorAll('.subgraph')]"
        ".filter(e => getComputedStyle(e).display !== 'none').map(e => e.id)"
    )


def wait_for(browser, name):
    browser.wait_until(lambda: current(browser), [name])


def wait_for_ranks(browser, wanted):
    browser.wait_until(lambda: ranks(browser), wanted)


def subgraphs_of(mined):
    return json.loads((mined / "results" / "results.json").read_text())["subgraphs"]


def test_nothing_is_loaded_and_nothing_is_logged(browser, page):
    browser.open(page)
    assert browser.script("return document.readyState") == "complete"
    asked = browser.requests()
    assert asked, "the log must at least have the page itself"
    assert {address for address in asked if not address.startswith("data:")} == {page.resolve().as_uri()}
    assert browser.script("return performance.getEntriesByType('resource').length") == 0
    assert browser.console() == []


def test_the_policy_forbids_what_is_not_ours(browser, page):
    browser.open(page)
    policy = browser.script("return document.querySelector('meta[http-equiv]').content")
    assert policy.startswith("default-src 'none'; ")
    assert "unsafe" not in policy
    refused = browser.driver.execute_async_script(
        """const done = arguments[0], seen = [];
        document.addEventListener('securitypolicyviolation', e => {
          seen.push(e.effectiveDirective);
          if (seen.length === 3) done([window.ran === undefined, seen.sort()]);
        });
        const script = document.createElement('script');
        script.textContent = 'window.ran = true';
        document.body.append(script);
        const image = new Image();
        image.src = 'http://127.0.0.1:9/pixel.png';
        document.body.append(image);
        fetch('http://127.0.0.1:9/').catch(() => 0);"""
    )
    assert refused == [True, ["connect-src", "img-src", "script-src-elem"]]


def test_the_table_sorts_by_every_column(browser, page, mined):
    browser.open(page)
    found = subgraphs_of(mined)
    assert ranks(browser) == list(range(1, 31))
    keys = {
        "value": lambda s: s["value"],
        "pos": lambda s: s["expected_frequency_positive"],
        "neg": lambda s: s["expected_frequency_negative"],
        "size": lambda s: len(s["edges"]),
        "gap": lambda s: s["expected_frequency_positive"] - s["expected_frequency_negative"],
    }
    for name, key in keys.items():
        for order in ("descending", "ascending"):
            heading(browser, name).find_element("tag name", "button").click()
            browser.wait_until(lambda name=name: heading(browser, name).get_attribute("aria-sort"), order)
            wanted = sorted(found, key=key, reverse=order == "descending")
            wait_for_ranks(browser, [s["rank"] for s in wanted])
    assert browser.script("return document.querySelectorAll('th[aria-sort]').length") == 1
    heading(browser, "name").find_element("tag name", "button").click()
    browser.wait_until(lambda: heading(browser, "name").get_attribute("aria-sort"), "ascending")
    names = browser.script(f"{ROWS}.map(r => r.cells[2].textContent.trim())")
    assert names == sorted(names, key=str.lower)
    heading(browser, "rank").find_element("tag name", "button").click()
    wait_for_ranks(browser, list(range(1, 31)))


def test_the_table_filters_by_names_and_class(browser, page, mined):
    browser.open(page)
    found = subgraphs_of(mined)
    field = browser.driver.find_element("id", "filter-text")
    field.send_keys("region_3")
    labels = {s["rank"]: {label for edge in s["edges"] for label in edge["node_labels"]} for s in found}
    wanted = [rank for rank, names in labels.items() if "Region_3" in names]
    assert 0 < len(wanted) < 30
    wait_for_ranks(browser, wanted)
    assert browser.driver.find_element("id", "count").text == f"{len(wanted)} of 30 shown"
    for typed, wanted in (("nowhere", []), (" ", list(range(1, 31)))):
        field.clear()
        field.send_keys(typed)
        wait_for_ranks(browser, wanted)
    browser.script(
        "const side = document.getElementById('filter-side');"
        "side.value = 'neg'; side.dispatchEvent(new Event('change'))"
    )
    lower = [s["rank"] for s in found if s["expected_frequency_positive"] < s["expected_frequency_negative"]]
    assert 0 < len(lower) < 30
    wait_for_ranks(browser, lower)


def press(browser, element, key):
    """Press a key, and wait until the page has received it: only then is its effect, or none, certain."""
    received = "return window.nKeys"
    browser.script("window.nKeys ??= (document.addEventListener('keydown', () => window.nKeys++), 0)")
    before = browser.script(received)
    element.send_keys(key)
    browser.wait_until(lambda: browser.script(received), before + 1)


def test_links_keys_and_addresses_move_between_subgraphs(browser, page):
    left, right = "\ue012", "\ue014"
    browser.open(page)
    assert current(browser) == ["subgraph-1"]
    browser.driver.find_element("css selector", "#subgraph-1 a[rel=next]").click()
    wait_for(browser, "subgraph-2")
    browser.wait_until(lambda: browser.script("return document.activeElement.id"), "subgraph-2")
    body = browser.driver.find_element("tag name", "body")
    for key, n in ((right, 3), (left, 2), (left, 1), (left, 1)):
        press(browser, body, key)
        assert current(browser) == [f"subgraph-{n}"]
    press(browser, browser.driver.find_element("id", "filter-text"), right)
    assert current(browser) == ["subgraph-1"], "in a field, arrows move the cursor"
    browser.driver.back()
    wait_for(browser, "subgraph-2")
    browser.driver.find_element("css selector", "#ranking a[href='#subgraph-12']").click()
    wait_for(browser, "subgraph-12")
    browser.open(page, address="#subgraph-30")
    assert current(browser) == ["subgraph-30"]
    assert browser.driver.find_elements("css selector", "#subgraph-30 a[rel=next]") == []


def test_keys_pressed_faster_than_the_address_changes_all_count(browser, page):
    browser.open(page)
    browser.script(
        "for (let i = 0; i < 5; i++)"
        " document.body.dispatchEvent(new KeyboardEvent('keydown', {key: 'ArrowRight', bubbles: true}))"
    )
    assert current(browser) == ["subgraph-6"]
    assert browser.script("return location.hash") == "#subgraph-6"


def test_without_scripts_everything_can_be_read(browser, page):
    browser.open(page, scripts=False)
    try:
        assert len(current(browser)) == len(ranks(browser)) == 30
        assert not browser.driver.find_element("id", "tools").is_displayed()
        assert browser.driver.find_elements("css selector", "th button") == []
    finally:
        browser.open("/dev/null")


@pytest.mark.parametrize("size", [DESKTOP, PHONE], ids=["desktop", "phone"])
def test_the_page_never_scrolls_sideways(browser, page, size):
    for address in ("", "#subgraph-1", "#subgraph-25"):
        browser.open(page, size, address=address)
        browser.script("document.querySelectorAll('details').forEach(d => d.open = true)")
        assert browser.script("return document.documentElement.scrollWidth") <= size[0]


def test_on_paper_the_charted_subgraphs_and_the_whole_table_are_there(browser, page):
    browser.open(page)
    browser.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print", "features": []})
    browser.wait_until(lambda: current(browser), [f"subgraph-{i}" for i in range(1, 21)])
    scroll = "const s = document.querySelector('.scroll'); return [s.scrollHeight, s.clientHeight]"
    whole, seen = browser.script(scroll)
    assert whole == seen
    assert not browser.driver.find_element("css selector", "nav").is_displayed()
    browser.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "", "features": []})


# ---------------------------------------------------------------- accessibility

# Each colour and each size once; the other two pairs behind `make soak`.
LOOKS = [(DESKTOP, False), (PHONE, True), *([(DESKTOP, True), (PHONE, False)] if SOAK else [])]


@pytest.mark.parametrize(("size", "dark"), LOOKS)
def test_axe_finds_nothing_serious(browser, page, size, dark):
    browser.open(page, size, dark)
    ground = browser.script("return getComputedStyle(document.body).backgroundColor")
    assert (sum(map(int, ground[4:-1].split(","))) < 300) is dark
    browser.script("document.querySelectorAll('details').forEach(d => d.open = true)")
    assert browser.serious_faults() == []


@pytest.mark.parametrize(
    ("name", "table"),
    [
        *(("three", "significant"), ("phenotype", "significant"), ("groups", "significant")),
        *(("tested_ranking", "ranking"), ("sparse", "ranking"), ("judged", "")),
    ],
)
def test_axe_finds_nothing_serious_on_a_phone_in_the_dark(browser, pages, request, name, table):
    browser.open(request.getfixturevalue("judged") if name == "judged" else pages(name)[1], PHONE, True)
    assert (
        not table
        or browser.script("return document.querySelectorAll(arguments[0]).length", f"#{table} tr") > 1
    )
    assert browser.console() == []
    assert browser.script("return document.documentElement.scrollWidth <= window.innerWidth")
    assert browser.serious_faults() == []


@pytest.mark.parametrize("name", ["module", "groups", "plain_network"])
def test_axe_finds_nothing_serious_in_the_linked_view(browser, pages, name):
    browser.open(pages(name)[1], DESKTOP, dark=True)
    browser.script("document.querySelector('#view .item').click()")
    selected = "return document.getElementById('view').dataset.selected"
    browser.wait_until(lambda: browser.script(selected), "0")
    assert browser.serious_faults() == []


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


# ---------------------------------------------------------------- without Chromium


@pytest.mark.system
@pytest.mark.parametrize(
    ("program", "words"),
    [(None, "NOT TESTED IN A BROWSER: Chromium is missing"), (sys.executable, "does not start: .+")],
)
def test_the_skip_says_what_is_missing_or_does_not_start(monkeypatch, program, words):
    monkeypatch.setattr(shutil, "which", lambda _name: program)
    with pytest.raises(pytest.skip.Exception, match=words):
        start_chromium()
