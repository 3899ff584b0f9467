"""Take docs/images/app-*.png: the way through the app from a folder of matrices to a report, in headless
Chromium.

Needs Debian's packages chromium and chromium-driver, and selenium.
"""

import io
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

from dugraph import simulate

IMAGES = Path(__file__).parent.parent / "images"
SIZE = (1200, 980)
FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--hide-scrollbars",
)
PATIENCE = 60  # seconds for a page
SHOWN = "/home/mira/study"
RENAME = """const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
while (texts.nextNode()) {
  const text = texts.currentNode;
  if (text.data.includes(arguments[0])) text.data = text.data.replaceAll(arguments[0], arguments[1]);
}"""


def write_study(folder: Path) -> None:
    """Write the cohort of the demo as a laboratory has it: a matrix for each participant, and a table."""
    graphs, y, _ = simulate("adhd", n_graphs=120, random_state=3)
    names, edges = list(graphs.node_labels), np.asarray(graphs.edges)
    (folder / "matrices").mkdir(parents=True)
    rng = np.random.default_rng(0)
    rows = ["participant_id\tdiagnosis\tage\tsite"]
    for i, sick in enumerate(y.tolist()):
        matrix = np.eye(len(names))
        matrix[edges[:, 0], edges[:, 1]] = matrix[edges[:, 1], edges[:, 0]] = graphs.edge_probability[i]
        lines = [",".join(names), *(",".join(f"{value:.3f}" for value in row) for row in matrix)]
        (folder / "matrices" / f"P{i + 1:03d}_conn.csv").write_text("\n".join(lines) + "\n")
        site = rng.choice(["Oslo", "Turku"])
        rows.append(f"P{i + 1:03d}\t{'patient' if sick else 'control'}\t{rng.integers(20, 60)}\t{site}")
    (folder / "participants.tsv").write_text("\n".join(rows) + "\n")


def walk(link: str, images: Path, study: Path) -> None:
    """Click through the steps and photograph each; the study is shown below a home folder."""
    from PIL import Image
    from selenium import webdriver
    from selenium.webdriver.common.by import By
    from selenium.webdriver.support.select import Select
    from selenium.webdriver.support.wait import WebDriverWait

    options = webdriver.ChromeOptions()
    options.binary_location = shutil.which("chromium") or "chromium"
    for flag in (*FLAGS, f"--window-size={SIZE[0]},{SIZE[1]}"):
        options.add_argument(flag)
    driver = webdriver.Chrome(options=options, service=webdriver.ChromeService(shutil.which("chromedriver")))

    def sees(text: str) -> None:
        shown = "return document.body ? document.body.innerText : ''"
        WebDriverWait(driver, PATIENCE).until(lambda _: text in driver.execute_script(shown))

    def choose(text: str) -> None:
        place = f"//*[self::a or self::button or self::summary][starts-with(normalize-space(), '{text}')]"
        WebDriverWait(driver, PATIENCE).until(lambda _: driver.find_elements(By.XPATH, place))[0].click()

    def photograph(name: str, at: str = "") -> None:
        driver.execute_script(RENAME, str(study), SHOWN)
        if at:
            place = driver.find_element(By.XPATH, f"//*[normalize-space()='{at}']")
            driver.execute_script("arguments[0].scrollIntoView()", place)
        picture = Image.open(io.BytesIO(driver.get_screenshot_as_png())).convert("RGB")
        picture.quantize(128).save(images / f"app-{name}.png", optimize=True)

    try:
        screen = {"width": SIZE[0], "height": SIZE[1], "deviceScaleFactor": 1, "mobile": False}
        driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", screen)
        driver.get(link)
        choose("Choose the files")
        choose("matrices")
        sees("Use id pattern")
        photograph("data")
        choose("Use id pattern")
        sees("--id-pattern")
        Select(driver.find_element(By.ID, "atlas")).select_by_value("AAL116")
        sees("--atlas=AAL116")
        choose("What the choices of probability mean")
        photograph("maps", at="What the choices of probability mean")
        choose("Read the files")
        choose("Look at the cohort")
        sees("minimum expected frequency")
        photograph("cohort")
        photograph("network", at="Mean network")
        choose("Compare groups")
        sees("among all participants")
        choose("Use site for blocks")
        sees("with the same site")
        driver.find_element(By.ID, "n_permutations").send_keys("9999")
        sees("permuted 9,999 times")
        sees("On this computer")
        photograph("question")
        choose("Start")
        sees("subgraphs tested")
        photograph("run")
        sees("Open the report")
        photograph("result")
        choose("Open the report")
        sees("What distinguishes")
        photograph("report")
    finally:
        driver.quit()


def main(images: Path = IMAGES) -> None:
    """Start the app on a study of its own and walk through it."""
    with tempfile.TemporaryDirectory() as temporary:
        study = Path(temporary) / "study"
        write_study(study)
        command = [sys.executable, "-m", "dugraph", "app", str(study), "--no-browser"]
        with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as app:
            assert app.stderr is not None
            try:
                links = (re.search(r"http://\S+", line) for line in app.stderr)
                walk(next(link[0] for link in links if link), images, study.resolve())
            finally:
                app.terminate()


if __name__ == "__main__":
    main()
