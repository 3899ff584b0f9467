"""Size of a large report, time to write it, to open it in headless Chromium, and to turn its brain.

python benchmarks/report.py [--n-graphs 989] [--n-subgraphs 500] [--n-edges 1000]
"""

import argparse
import contextlib
import io
import shutil
import statistics
import tempfile
import time
from pathlib import Path
from typing import Any

import dugraph as dg
from dugraph.cli import main as dugraph

FLAGS = ("--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking")
ROUNDS = 5
# From the beginning of the navigation to the end of its load event, and to the first paint.
TIMES = """const [n] = performance.getEntriesByType('navigation'),
  paint = performance.getEntriesByName('first-contentful-paint')[0];
return [n.loadEventEnd, paint ? paint.startTime : NaN]"""
# Turns the brain by a key in each of a hundred frames: the time to draw, and from one frame to the next.
TURNS = """const done = arguments[0], brain = document.getElementById('view-brain'), drawn = [], between = [];
const view = document.getElementById('view');
let before = performance.now(), n = 0;
view.scrollIntoView();
function frame(now) {
  if (n) { drawn.push(Number(view.dataset.frame)); between.push(now - before); }
  before = now;
  if (n++ === 100) { done([drawn, between]); return; }
  brain.dispatchEvent(new KeyboardEvent('keydown', {key: 'ArrowLeft'}));
  requestAnimationFrame(frame);
}
requestAnimationFrame(frame);"""


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--n-graphs", type=int, default=989)
    parser.add_argument("--n-subgraphs", type=int, default=500)
    parser.add_argument("--n-edges", type=int, default=1000, help="of the brain that is turned")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        # Numbers of graphs are even in a simulation; one is left out again if need be.
        graphs, y, _ = dg.simulate(
            "adhd", n_graphs=options.n_graphs + options.n_graphs % 2, n_planted=14, random_state=0
        )
        dg.save_cohort(folder / "cohort.npz", graphs[: options.n_graphs], y[: options.n_graphs])
        flags = ["--n-subgraphs", str(options.n_subgraphs), "--min-expected-frequency", "0.05"]
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            dugraph(["mine", str(folder / "cohort.npz"), *flags, "-o", name])
        begin = time.perf_counter()
        page = dg.write_report(folder)
        seconds = time.perf_counter() - begin
        loaded, painted = opened(page)
        print("| graphs | nodes | subgraphs | size (MB) | written (s) | loaded (s) | first painted (s) |")
        print("|---:|---:|---:|---:|---:|---:|---:|")
        size = page.stat().st_size / 1e6
        listed = page.read_text(encoding="utf-8").count('<article class="subgraph')
        cells = f"{size:.2f} | {seconds:.1f} | {loaded / 1000:.2f} | {painted / 1000:.2f}"
        print(f"| {options.n_graphs} | {graphs.n_nodes} | {listed} | {cells} |\n")
        turned(folder, options.n_edges)


def turned(folder: Path, n_edges: int) -> None:
    """Print the drawing time of the linked view, with each of many edges as a subgraph."""
    graphs, y, _ = dg.simulate("adhd", random_state=0)
    result = dg.mine_subgraphs(graphs, y, n_subgraphs=n_edges, max_edges=1, min_expected_frequency=0.001)
    page = dg.write_report(result, graphs, y, output=folder / "edges.html")
    driver = chromium()
    try:
        driver.get(page.as_uri())
        drawn, between = driver.execute_async_script(TURNS)
    finally:
        driver.quit()
    print("| edges drawn | drawing (ms) | frame to frame (ms) | slowest of 100 (ms) |")
    print("|---:|---:|---:|---:|")
    cells = f"{statistics.median(drawn):.1f} | {statistics.median(between):.1f} | {max(between):.0f}"
    print(f"| {len({edge for g in result.subgraphs for edge in g}):,} | {cells} |")


def chromium() -> Any:
    """Return a driver of headless Chromium, which draws without a graphics processor."""
    from selenium import webdriver

    options = webdriver.ChromeOptions()
    options.binary_location = shutil.which("chromium") or "chromium"
    for flag in FLAGS:
        options.add_argument(flag)
    options.add_argument("--window-size=1200,1000")
    return webdriver.Chrome(options=options, service=webdriver.ChromeService(shutil.which("chromedriver")))


def opened(page: Path) -> tuple[float, float]:
    """Milliseconds until the page is loaded and until the first paint, medians of fresh navigations."""
    driver = chromium()
    try:
        times = []
        for _ in range(ROUNDS):
            driver.get("about:blank")
            driver.get(page.as_uri())
            time.sleep(0.5)
            times.append(driver.execute_script(TIMES))
        loaded, painted = zip(*times, strict=True)
        return statistics.median(loaded), statistics.median(painted)
    finally:
        driver.quit()


if __name__ == "__main__":
    main()
