"""Take docs/images/report.png: the first screen of the report of `dugraph demo`, in headless Chromium.

Needs Debian's packages chromium and chromium-driver, and selenium.
"""

import shutil
import tempfile
from pathlib import Path

from dugraph.cli import main

IMAGE = Path(__file__).parent.parent / "images" / "report.png"
SIZE = (1200, 980)
FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--hide-scrollbars",
)


def photograph(page: Path, image: Path) -> None:
    """Write a PNG of what a page shows at first."""
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
        driver.save_screenshot(str(image))
    finally:
        driver.quit()


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        if main(["demo", "-o", folder]) != 0:
            raise SystemExit("The demo failed.")
        photograph(Path(folder) / "report.html", IMAGE)
