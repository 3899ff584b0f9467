"""Hundreds of hostile names, in a soak a thousand: none runs, none breaks the page, all read back."""

import dataclasses
import html
import json
import os

import numpy as np
import pytest
from headless_browser import DESKTOP, PHONE
from hostile_labels import PAYLOADS, UNFIT, as_shown, hostile_names
from hypothesis import given
from hypothesis import strategies as st

import dugraph as dg
from dugraph import UncertainGraphs, save_cohort, write_report
from dugraph.cli import main
from dugraph.files.html import carried, escaped_html
from dugraph.report.pictures import element, number, path, ticks

# Every payload in each of its three places, for nodes, graphs and sites; in a soak a thousand names.
SOAK = bool(os.environ.get("DUGRAPH_SOAK"))
N_NODES, N_GRAPHS, N_SITES, N_CLASSES = (400, 380, 188, 2) if SOAK else (121, 240, 120, 2)
FILES = [name.replace("/", "∕") for name in PAYLOADS if len(name.encode()) < 200 and "\0" not in name]
TEXT = st.text(st.characters(exclude_categories=()))


def test_every_payload_is_in_each_place():
    assert min(N_NODES, N_GRAPHS, N_SITES) >= 3 * len(PAYLOADS)
    assert not SOAK or N_NODES + N_GRAPHS + N_SITES + N_CLASSES + len(FILES) >= 1000


@pytest.fixture(scope="module")
def hostile(tmp_path_factory):
    """A path of hostile nodes, every edge of which is a subgraph of its own, in hostile layers."""
    folder = tmp_path_factory.mktemp("hostile")
    names = hostile_names(N_NODES + N_GRAPHS + N_SITES + N_CLASSES)
    nodes, names = names[:N_NODES], names[N_NODES:]
    ids, names = names[:N_GRAPHS], names[N_GRAPHS:]
    sites, classes = [*UNFIT, *names[len(UNFIT) : N_SITES]], names[N_SITES:]
    rng = np.random.default_rng(0)
    graphs = UncertainGraphs(
        rng.uniform(0.5, 1.0, (N_GRAPHS, N_NODES - 1)),
        edges=[(i + 1, i) for i in range(N_NODES - 1)],
        node_labels=nodes,
        graph_ids=ids,
        edge_layers=[PAYLOADS[0], PAYLOADS[2], PAYLOADS[26]] * (N_NODES // 3),
        participants={"site": [sites[i // 2 % N_SITES] for i in range(N_GRAPHS)]},
    )
    save_cohort(folder / "cohort.npz", graphs, [classes[i % 2] for i in range(N_GRAPHS)])
    arguments = ["--n-subgraphs", str(N_NODES - 1), "--max-edges", "1"]
    assert main(["mine", str(folder / "cohort.npz"), *arguments, "-o", str(folder / "out")]) == 0
    assert main(["report", str(folder / "out"), "--with-ids"]) == 0
    return folder / "out" / "report.html", nodes, ids, sites, classes


def assert_nothing_ran(browser):
    assert browser.script("return window.PWNED") is None
    assert browser.script("return document.title.endsWith(': subgraph report')")
    strange = "script, style, img, iframe, object, base, textarea, plaintext, h1"
    counts = "return [...document.querySelectorAll(arguments[0])].map(e => e.tagName).sort()"
    assert browser.script(counts, strange) == ["H1", *["SCRIPT"] * 4, "STYLE"]
    armed = """return [...document.querySelectorAll('*')].filter(e => [...e.attributes].some(
      a => a.name.startsWith('on') || /^\\s*javascript:/i.test(a.value))).length"""
    assert browser.script(armed) == 0
    assert browser.console() == []
    assert [address for address in browser.requests() if not address.startswith(("file:", "data:"))] == []


def test_nothing_runs_and_names_read_back_exactly(browser, hostile):
    page, nodes, ids, sites, classes = hostile
    browser.open(page)
    assert_nothing_ran(browser)
    assert set(browser.texts("#ranking td.edges li bdi:not(.layer)")) == set(nodes)
    assert set(browser.texts(".of-edges td:nth-child(-n+2) bdi")) == set(nodes)
    assert set(browser.texts("#ranking .layer")) == {PAYLOADS[0], PAYLOADS[2], PAYLOADS[26]}
    assert sorted(browser.texts(".ids bdi")) == sorted(ids)
    data = json.loads(browser.texts("#view-data")[0])
    assert set(data["nodes"]["names"]) == set(nodes)
    assert sorted(browser.texts("#sites bdi.clamp")) == sorted(map(as_shown, sites))
    assert sorted(browser.texts("#cohort .two td bdi.clamp")[:2]) == sorted(map(as_shown, classes))


@pytest.mark.parametrize("size", [DESKTOP, PHONE], ids=["desktop", "phone"])
def test_the_layout_is_not_broken(browser, hostile, size):
    browser.open(hostile[0], size)
    browser.script("document.querySelectorAll('details').forEach(d => d.open = true)")
    assert browser.script("return document.documentElement.scrollWidth") <= size[0]
    heights = "return Math.max(...[...document.querySelectorAll(arguments[0])].map(e => e.offsetHeight))"
    assert browser.script(heights, "#ranking tbody tr") < 300
    assert browser.script(heights, ".subgraph.current, header, .ids li") < 3 * size[1]
    for rank in (36, 37, 38, N_NODES - 1):
        browser.script("location.hash = arguments[0]", f"#subgraph-{rank}")
        current = "return document.querySelector('.subgraph.current').id"
        browser.wait_until(lambda current=current: browser.script(current), f"subgraph-{rank}")
        assert browser.script("return document.documentElement.scrollWidth") <= size[0]
        assert 0 < browser.script(heights, ".subgraph.current") < 4 * size[1]


@pytest.mark.parametrize("number", range(0, len(FILES), 1 if SOAK else 3))
def test_file_names(browser, tmp_path, number):
    name = FILES[number]
    graphs = UncertainGraphs([[0.9], [0.8], [0.2], [0.1]])
    save_cohort(tmp_path / name, graphs, [1, 1, 0, 0])
    assert main(["mine", os.fspath(tmp_path / name), "--n-subgraphs", "1", "-o", str(tmp_path / "out")]) == 0
    browser.open(write_report(tmp_path / "out"))
    assert_nothing_ran(browser)
    assert browser.texts("#file") == [as_shown(name)]
    assert browser.script("return document.documentElement.scrollWidth") <= DESKTOP[0]


def test_a_test_with_hostile_names_and_numbers_without_spread(browser, tmp_path):
    names = [*PAYLOADS[:3], "\u202ex", "\x1b\n", "x" * 4000]
    X = np.tile(np.where(np.arange(20)[:, None] % 2 == 1, 0.9, 0.1), (1, 15))
    y = np.array(["</script>ill", "<b>well"])[np.arange(20) % 2]
    graphs = UncertainGraphs(X, node_labels=names)
    result = dg.significant_subgraphs(graphs, y, max_edges=2)
    flat = dataclasses.replace(result, null_maxima=np.ones_like(result.null_maxima))
    browser.open(write_report(flat, graphs, y, output=tmp_path / "page.html"))
    browser.driver.find_element("id", "view-list").send_keys("\ue015")  # the arrow down
    folder = {"behavior": "allow", "downloadPath": str(tmp_path)}
    browser.driver.execute_cdp_cmd("Browser.setDownloadBehavior", folder)
    browser.driver.find_element("id", "view-svg").click()
    browser.wait_until(lambda: (tmp_path / "subgraphs.svg").is_file(), True)
    assert "<img" not in (tmp_path / "subgraphs.svg").read_text()
    assert_nothing_ran(browser)
    assert "<b>well against </script>ill" in browser.texts("#significance bdi")


# ---------------------------------------------------------------- text in SVG


@given(TEXT)
def test_escaped_text_reads_back(text):
    shown = str(escaped_html(text))
    assert not set(shown) & set("<>\"'\r\0")
    assert html.unescape(shown) == carried(text) == as_shown(text)
    shown.encode()  # which UTF-8 can represent


@given(TEXT, TEXT)
def test_texts_with_codes_are_never_shown_alike(a, b):
    a, b = a + "\0", b + "\0"
    assert (carried(a) == carried(b)) is (a == b)


def test_elements():
    drawn = element("a", "<b>", element("c", x=1.25, y=None), class_="d", stroke_width="'\"")
    assert drawn == '<a class="d" stroke-width="&#39;&#34;">&lt;b&gt;<c x="1.2"/></a>'
    assert path([(0, 1.04), (-0.01, 2)], closed=True) == "M0 1L0 2Z"
    assert number(-0.0) == "0"


@given(st.floats(-1e9, 1e9), st.floats(1e-6, 1e9))
def test_ticks_are_few_round_and_within(low, width):
    high = low + width
    marks = ticks(low, high)
    slack = 1e-6 * width + 1e-9 * max(abs(low), abs(high))
    assert len(marks) <= 7
    assert all(low - slack <= mark <= high + slack for mark in marks)
    assert marks == sorted(marks)


@pytest.mark.parametrize(("low", "high", "count"), [(0, 1, 6), (0.0123, 0.0345, 4), (1e-15, 9e-15, 4)])
def test_there_are_ticks(low, high, count):
    assert len(ticks(low, high)) == count
