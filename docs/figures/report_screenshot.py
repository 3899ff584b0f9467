"""Take docs/images/report.png and report_view.png, in headless Chromium.

The first screen of the report of `dugraph demo`, and the linked view of a simulated cohort, which
tests/report/designs.py makes. Needs Debian's packages chromium and chromium-driver, selenium and nilearn.
"""

import importlib
import shutil
import sys
import tempfile
import time
from pathlib import Path

from dugraph.cli import main

IMAGES = Path(__file__).parent.parent / "images"
DESIGNS = Path(__file__).parents[2] / "tests" / "report"
SIZE = (1200, 980)
# A family is unfolded and a subgraph selected, on the brain from above.
SELECT = """location.hash = '#view';
const choose = (id, value) => {
  const field = document.getElementById('view-' + id);
  field.value = value;
  field.dispatchEvent(new Event('change'));
};
choose('colour', 'network');
document.querySelector('button[data-from=top]').click();
document.querySelector('#view-rows .item:nth-child(5)').click();"""
FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--hide-scrollbars",
)


def photograph(page: Path, image: Path, script: str = "") -> None:
    """Write a PNG of what a page shows at first, or after a script."""
    from selenium import webdriver

    options = webdriver.ChromeOptions()
    options.binary_location = shutil.which("chromium") or "chromium"
    for flag in (*FLAGS, f"--window-size={SIZE[0]},{SIZE[1]}"):
        options.add_argument(flag)
    driver = webdriver.Chrome(options=options, service=webdriver.ChromeService(shutil.which("chromedriver")))
    try:
        screen = {"width": SIZE[0], "height": SIZE[1], "deviceScaleFactor": 1, "mobile": False}
        driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", screen)
        driver.get(page.resolve().as_uri())
        driver.execute_script(script)
        time.sleep(1)
        driver.save_screenshot(str(image))
    finally:
        driver.quit()


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        if main(["demo", "-o", folder]) != 0:
            raise SystemExit("The demo failed.")
        photograph(Path(folder) / "report.html", IMAGES / "report.png")
        sys.path.append(str(DESIGNS))
        designs = importlib.import_module("designs")
        photograph(designs.write("ranking", folder), IMAGES / "report_view.png", SELECT)
