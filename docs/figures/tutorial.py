"""Draw docs/images/tutorial.png: follow docs/tutorial.md line by line, and keep the picture that it saves."""

import contextlib
import io
import re
import shlex
import tempfile
from pathlib import Path

import matplotlib as mpl
import matplotlib.image as image

from dugraph.cli import main as dugraph

DOCS = Path(__file__).parent.parent


def main() -> None:
    mpl.use("Agg")
    blocks = re.findall(
        r"^```(pycon|console)\n(.*?)^```", (DOCS / "tutorial.md").read_text("utf-8"), re.S | re.M
    )
    names: dict[str, object] = {}
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        for language, text in blocks:
            if language == "pycon":
                code = [line[4:] for line in text.splitlines() if line.startswith((">>>", "..."))]
                with contextlib.redirect_stdout(io.StringIO()):
                    exec("\n".join(code), names)
            for command in re.findall(r"^\$ dugraph (.*)$", text, re.M):
                with contextlib.redirect_stdout(io.StringIO()):
                    assert dugraph(shlex.split(command)) == 0
        picture = image.imread("significant.png")
        out = DOCS / "images" / "tutorial.png"
        image.imsave(out, picture, metadata={"Software": None}, pil_kwargs={"optimize": True})


if __name__ == "__main__":
    main()
