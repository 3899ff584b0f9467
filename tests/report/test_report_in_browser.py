"""The report in Chromium: it loads nothing, logs nothing, sorts, filters, moves, reads without scripts."""

import json

import pytest
from headless_browser import DESKTOP, PHONE

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
    found = json.loads((mined / "results" / "results.json").read_text())["subgraphs"]
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
    found = json.loads((mined / "results" / "results.json").read_text())["subgraphs"]

    def nodes(subgraph):
        return {label for edge in subgraph["edges"] for label in edge["node_labels"]}

    field = browser.driver.find_element("id", "filter-text")
    field.send_keys("region_3")
    wanted = [s["rank"] for s in found if "Region_3" in nodes(s)]
    assert 0 < len(wanted) < 30
    wait_for_ranks(browser, wanted)
    assert browser.driver.find_element("id", "count").text == f"{len(wanted)} of 30 shown"
    field.clear()
    field.send_keys("nowhere")
    wait_for_ranks(browser, [])
    field.clear()
    field.send_keys(" ")
    wait_for_ranks(browser, list(range(1, 31)))
    browser.script(
        "const side = document.getElementById('filter-side');"
        "side.value = 'neg'; side.dispatchEvent(new Event('change'))"
    )
    lower = [s["rank"] for s in found if s["expected_frequency_positive"] < s["expected_frequency_negative"]]
    assert 0 < len(lower) < 30
    wait_for_ranks(browser, lower)


def press(browser, element, key):
    """Press a key, and wait until the page has heard it: only then is it known that nothing came of it."""
    heard = "return window.nHeard"
    browser.script("window.nHeard ??= (document.addEventListener('keydown', () => window.nHeard++), 0)")
    before = browser.script(heard)
    element.send_keys(key)
    browser.wait_until(lambda: browser.script(heard), before + 1)


def test_links_keys_and_addresses_move_between_subgraphs(browser, page):
    left, right = "\ue012", "\ue014"
    browser.open(page)
    assert current(browser) == ["subgraph-1"]
    browser.driver.find_element("css selector", "#subgraph-1 a[rel=next]").click()
    wait_for(browser, "subgraph-2")
    browser.wait_until(lambda: browser.script("return document.activeElement.id"), "subgraph-2")
    body = browser.driver.find_element("tag name", "body")
    press(browser, body, right)
    assert current(browser) == ["subgraph-3"]
    press(browser, body, left)
    press(browser, body, left)
    assert current(browser) == ["subgraph-1"]
    press(browser, body, left)
    assert current(browser) == ["subgraph-1"]
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
        assert len(current(browser)) == 30
        assert not browser.driver.find_element("id", "tools").is_displayed()
        assert browser.driver.find_elements("css selector", "th button") == []
        assert len(ranks(browser)) == 30
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
