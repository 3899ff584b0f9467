"""The linked view: its data, the thinned surface, and in Chromium selection, turning, limits and export."""

import base64
import json
import re
from xml.etree import ElementTree

import numpy as np
import pytest
from headless_browser import DESKTOP, PHONE
from selenium.webdriver import ActionChains
from selenium.webdriver.common.keys import Keys

from dugraph.report import view as view_module
from dugraph.report.view import N_BINS, N_POINTS


def data_of(page):
    found = re.search(
        r'<script type="application/json" id="view-data">(.*?)</script>', page.read_text(), re.DOTALL
    )
    return json.loads(found[1]) if found else None


# ---- Data ----


@pytest.mark.parametrize("name", ["three", "phenotype", "groups", "plain_network"])
def test_edges_families_and_distributions_are_those_of_the_result(pages, name):
    design, page = pages(name)
    result, graphs, y, data = design["result"], design["X"], np.asarray(design["y"]), data_of(page)
    (listing,) = data["listings"]
    named = data["nodes"]["names"]
    for subgraph, shown in zip(result.subgraphs, listing["edges"], strict=True):
        wanted = {frozenset(graphs.node_labels[v] for v in graphs.edges[e]) for e in subgraph}
        assert {frozenset(named[v] for v in data["edges"][e]) for e in shown} == wanted
    assert listing["values"] == [float(f"{p:.4g}") for p in result.p_values]
    for number, family in enumerate(result.families, 1):
        assert [k for k, f in enumerate(listing["family"]) if f == number] == sorted(family.members)
    assert [kept > 0 for kept in listing["kept"]] == result.irreducible.tolist()
    assert [kept == 2 for kept in listing["kept"]] == result.representative.tolist()
    # The distribution of the first one, counted by hand.
    x = np.asarray(graphs.edge_probability)[:, list(result.subgraphs[0])].prod(axis=1)
    if name == "phenotype":
        rows = [y <= np.quantile(y, 1 / 3), (y > np.quantile(y, 1 / 3)) & (y <= np.quantile(y, 2 / 3))]
        rows.append(y > np.quantile(y, 2 / 3))
    else:
        rows = [y == group for group in data["groups"]]
    counts = np.frombuffer(base64.b64decode(listing["counts"]), np.uint8).reshape(-1, len(rows), N_BINS)
    for g, chosen in enumerate(rows):
        wanted = np.histogram(x[chosen], bins=N_BINS, range=(0, x.max()))[0] / chosen.sum()
        assert np.abs(counts[0, g] / 255 - wanted).max() < 1 / 200
        assert listing["shares"][0][g] == pytest.approx(x[chosen].mean(), abs=1e-4)


def test_the_page_has_no_value_of_a_single_participant(pages):
    data = data_of(pages("three")[1])
    assert "sub-0" not in json.dumps(data)
    assert set(data) == {"nodes", "edges", "layers", "groups", "means", "bins", "listings", "mesh"}


def test_a_search_and_a_test_are_two_lists_and_without_subgraphs_there_is_no_view(pages):
    listings = data_of(pages("tested_ranking")[1])["listings"]
    assert [one["table"] for one in listings] == ["ranking", "significant"]
    page = pages("null")[1]
    assert data_of(page) is None
    assert 'id="view"' not in page.read_text()


def test_pages_stay_light(pages):
    assert pages("ranking")[1].stat().st_size < 1_000_000
    design, page = pages("module")
    assert len(design["result"]) > 2266
    assert page.stat().st_size < 1_000_000


def test_the_cortex_is_two_closed_surfaces_whose_faces_point_outward(pages):
    mesh = data_of(pages("three")[1])["mesh"]
    points = np.frombuffer(base64.b64decode(mesh["points"]), "<i2").reshape(-1, 3) / 10
    faces = np.frombuffer(base64.b64decode(mesh["faces"]), "<u2").reshape(-1, 3).astype(int)
    assert (len(points), len(faces)) == (2 * N_POINTS, 2 * (2 * N_POINTS - 4))
    assert (np.ptp(points, axis=0) > (120, 150, 100)).all()  # millimetres
    edges = {(a, b) for face in faces.tolist() for a, b in zip(face, face[1:] + face[:1], strict=True)}
    assert len(edges) == 3 * len(faces)
    assert edges == {(b, a) for a, b in edges}
    for left in (True, False):
        inside = (faces < N_POINTS).all(axis=1) == left
        assert np.linalg.det(points[faces[inside]] - points[faces[inside]].mean(axis=(0, 1))).sum() > 0


def test_without_nilearn_the_brain_has_no_surface(monkeypatch, pages):
    assert data_of(pages("three")[1])["mesh"] is not None
    monkeypatch.setattr(view_module, "find_spec", lambda name: None)
    view_module._cortex.cache_clear()
    try:
        assert view_module._cortex() is None
    finally:
        view_module._cortex.cache_clear()


# ---- In Chromium ----


def state(browser, name):
    return browser.script(f"return document.getElementById('view').dataset.{name}")


def selected(browser, k):
    """Wait until subgraph k is selected in the list, the description and the table."""
    browser.wait_until(lambda: state(browser, "selected"), str(k))
    active = "return document.getElementById('view-list').getAttribute('aria-activedescendant')"
    browser.wait_until(lambda: browser.script(active), f"view-item-{k}")
    assert f"Subgraph {k + 1} of " in browser.script(
        "return document.getElementById('view-said').textContent"
    )
    return browser.script("return [...document.querySelectorAll('tr[aria-current]')].map(r => r.dataset.k)")


def find(browser, selector):
    return browser.driver.find_element("css selector", selector)


def choose(browser, name, value):
    browser.script(
        "const s = document.getElementById('view-' + arguments[0]); s.value = arguments[1];"
        "s.dispatchEvent(new Event(s.type === 'range' ? 'input' : 'change'))",
        *(name, value),
    )


def test_selection_is_seen_everywhere(browser, pages):
    design, page = pages("three")
    browser.open(page)
    assert state(browser, "shown") == "3"
    find(browser, "#view-item-1").click()
    assert selected(browser, 1) == ["1"]
    browser.script("document.querySelector('#significant tr[data-k=\"2\"] td').click()")
    assert selected(browser, 2) == ["2"]
    said = find(browser, "#view-said").text
    edge = design["X"].edge_name(design["result"].subgraphs[2][0])
    assert all(part in said for part in edge.split("--"))
    pixels = "const c = document.getElementById('view-matrix'); return c.toDataURL()"
    before = browser.script(pixels)
    find(browser, "#view-item-0").click()
    selected(browser, 0)
    browser.wait_until(lambda: browser.script(pixels) != before, True)


def test_a_cell_of_the_matrix_selects_its_subgraph(browser, pages):
    browser.open(pages("three")[1])
    matrix = find(browser, "#view-matrix")
    browser.script("arguments[0].scrollIntoView({block: 'center'})", matrix)
    n = len({v for e in data_of(pages("three")[1])["edges"] for v in e})
    side = min(matrix.size["width"], matrix.size["height"])
    cell, hits = side / (n + 1), set()
    for i in range(n):
        for j in range(n):
            if i != j:
                at = [round(cell * (place - n / 2 + 0.5)) for place in (j, i)]
                ActionChains(browser.driver).move_to_element_with_offset(matrix, *at).click().perform()
                hits.add(state(browser, "selected"))
    assert hits == {"-1", "0", "1", "2"}


def test_keys_select_fold_and_turn(browser, pages):
    design, page = pages("module")
    result = design["result"]
    browser.open(page)
    assert state(browser, "shown") == str(len(result.families))
    tree = find(browser, "#view-list")
    tree.send_keys(Keys.ARROW_DOWN)
    selected(browser, result.families[0].irreducible[0])
    tree.send_keys(Keys.END)
    last = result.families[-1]
    selected(browser, last.irreducible[0])
    tree.send_keys(Keys.ARROW_RIGHT, Keys.ARROW_DOWN)
    selected(browser, sorted(set(last.irreducible) - {last.irreducible[0]})[0])
    tree.send_keys(Keys.ESCAPE)
    browser.wait_until(lambda: state(browser, "selected"), "-1")
    brain = find(browser, "#view-brain")
    yaw = float(state(browser, "yaw"))
    brain.send_keys(Keys.ARROW_LEFT)
    browser.wait_until(lambda: float(state(browser, "yaw")), yaw + 10)
    brain.send_keys(Keys.ARROW_UP)
    browser.wait_until(lambda: float(state(browser, "pitch")), 10.0)
    brain.send_keys("n")
    selected(browser, result.families[0].irreducible[0])
    find(browser, "button[data-from=top]").click()
    browser.wait_until(lambda: float(state(browser, "pitch")), 90.0)


def test_dragging_turns_and_does_not_select(browser, pages):
    browser.open(pages("three")[1])
    brain, yaw = find(browser, "#view-brain"), float(state(browser, "yaw"))
    ActionChains(browser.driver).move_to_element(brain).click_and_hold().move_by_offset(
        40, 0
    ).release().perform()
    browser.wait_until(lambda: float(state(browser, "yaw")) != yaw, True)
    assert state(browser, "selected") == "-1"


def test_all_subgraphs_are_listed_on_demand(browser, pages):
    design, page = pages("module")
    result = design["result"]
    browser.open(page)
    for which, n in (("all", len(result)), ("irreducible", int(result.irreducible.sum()))):
        choose(browser, "which", which)
        browser.wait_until(lambda: state(browser, "shown"), str(n))
    assert browser.script("return document.querySelectorAll('#view .item').length") < 100


def test_the_slider_limits_by_rank_and_by_p(browser, pages):
    design, page = pages("phenotype")
    p = design["result"].p_values
    browser.open(page)
    for name, value in (("which", "all"), ("by", "p"), ("limit", 0)):
        choose(browser, name, value)
    browser.wait_until(lambda: state(browser, "shown"), str(int((p == p.min()).sum())))
    assert find(browser, "#view-limit").get_attribute("aria-valuetext").startswith("p ≤ ")


def test_the_picture_is_saved_as_svg_and_png(browser, pages, tmp_path):
    browser.open(pages("three")[1])
    folder = {"behavior": "allow", "downloadPath": str(tmp_path)}
    browser.driver.execute_cdp_cmd("Browser.setDownloadBehavior", folder)
    find(browser, "#view-item-0").click()
    find(browser, "#view-svg").click()
    browser.wait_until(lambda: (tmp_path / "subgraphs.svg").is_file(), True)
    root = ElementTree.fromstring((tmp_path / "subgraphs.svg").read_text())
    assert root.find("{http://www.w3.org/2000/svg}title").text.startswith("Subgraph 1 of 3")
    find(browser, "#view-png").click()
    browser.wait_until(lambda: (tmp_path / "subgraphs.png").is_file(), True)
    assert (tmp_path / "subgraphs.png").read_bytes()[:4] == b"\x89PNG"
    assert browser.console() == []


def test_moving_between_subgraphs_moves_the_selection(browser, pages):
    browser.open(pages("ranking")[1], address="#subgraph-7")
    selected(browser, 6)
    find(browser, "body").send_keys(Keys.ARROW_RIGHT)
    selected(browser, 7)
    browser.script("document.getElementById('view-item-3').click()")
    current = "return document.querySelector('.subgraph.current').id"
    browser.wait_until(lambda: browser.script(current), "subgraph-4")


def test_hovering_shows_names_and_networks_have_colours(browser, pages):
    design, page = pages("three")
    browser.open(page)
    matrix, tip = find(browser, "#view-matrix"), find(browser, "#view-tip")
    assert not tip.is_displayed()
    browser.script("arguments[0].scrollIntoView({block: 'center'})", matrix)
    nodes = data_of(page)["nodes"]
    cell = min(matrix.size["width"], matrix.size["height"]) / (len(nodes["names"]) + 1)
    seen = set()
    for i in range(len(nodes["names"])):  # along the diagonal
        at = round(cell * (i - len(nodes["names"]) / 2 + 0.5))
        ActionChains(browser.driver).move_to_element_with_offset(matrix, at, at).perform()
        browser.wait_until(tip.is_displayed, True)
        seen.add(tip.text)
    assert seen == {f"{n} · {k}" for n, k in zip(nodes["names"], nodes["networks"], strict=True)}
    keys = "return [...document.querySelectorAll('#view-key span')].map(e => e.textContent.trim())"
    assert browser.script(keys) == [
        "more frequent in patient, adjusted",
        "more frequent in control, adjusted",
    ]
    choose(browser, "colour", "network")
    browser.wait_until(lambda: browser.script(keys), sorted(set(nodes["networks"])))
    assert set(nodes["networks"]) < set(design["X"].node_networks)


@pytest.mark.parametrize("size", [DESKTOP, PHONE], ids=["desktop", "phone"])
@pytest.mark.parametrize("name", ["module", "groups", "plain_network"])
def test_the_view_fits_the_screen(browser, pages, name, size):
    browser.open(pages(name)[1], size)
    assert browser.script("return document.documentElement.scrollWidth") <= size[0]
    assert find(browser, "#view-brain").size["width"] > 300
    assert browser.console() == []


def test_without_scripts_the_families_can_be_read(browser, pages):
    design, page = pages("module")
    browser.open(page, scripts=False)
    try:
        assert not find(browser, "#view").is_displayed()
        rows = browser.driver.find_elements("css selector", "#significant tbody tr")
        assert len(rows) == design["result"].irreducible.sum()
        assert all(row.is_displayed() for row in rows[-3:])
    finally:
        browser.open("/dev/null")


def test_on_paper_the_table_is_unfolded_and_the_view_left_out(browser, pages):
    browser.open(pages("module")[1], (720, 1000))  # A4 within its margins
    browser.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print", "features": []})
    browser.wait_until(lambda: find(browser, "#view").is_displayed(), False)
    assert find(browser, "#significant tbody:last-child tr:last-child").is_displayed()
    assert find(browser, "#significant").size["width"] <= 720
    browser.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "", "features": []})
