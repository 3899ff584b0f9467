"""Builds and runs the bare product loop of bare_loop.cpp: the physical limit to compare a search with."""

import subprocess
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


class BareLoop:
    """The compiled loop; `start` runs it beside other work."""

    def __init__(self) -> None:
        self._folder = tempfile.TemporaryDirectory()
        self.program = Path(self._folder.name) / "bare_loop"
        sources = [ROOT / "benchmarks" / "bare_loop.cpp", ROOT / "cpp" / "search" / "kernels.cpp"]
        flags = ["-O3", "-std=c++20", "-ffp-contract=off", "-Wno-psabi", f"-I{ROOT / 'cpp'}"]
        subprocess.run(["g++", *flags, *map(str, sources), "-o", str(self.program)], check=True)

    def start(self, n_graphs: int, seconds: float) -> "subprocess.Popen[str]":
        arguments = map(str, (self.program, n_graphs, seconds))
        return subprocess.Popen(list(arguments), stdout=subprocess.PIPE, text=True)

    @staticmethod
    def rate(running: "subprocess.Popen[str]") -> float:
        """Candidates per second of a running loop."""
        count, seconds, _ = running.communicate()[0].split()
        return int(count) / float(seconds)
