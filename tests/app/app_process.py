"""`dugraph app` in a process of its own, and what it has started."""

import contextlib
import os
import re
import signal
import subprocess
import sys
import urllib.request
from urllib.parse import urlencode

from dugraph.app.jobs import Runs
from dugraph.words import RUNS_FOLDER


class App:
    """`dugraph app` in a process, and a browser that has opened it."""

    def __init__(self, folder):
        command = [sys.executable, "-m", "dugraph", "app", str(folder), "--no-browser"]
        self.process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
        while (found := re.search(r"http://\S+", self.process.stderr.readline())) is None:
            assert self.process.poll() is None
        self.link = found[0]
        self.base = self.link.partition("/open")[0]

    def open(self):
        """Exchange the link for a cookie, as a browser does."""
        self.http = urllib.request.build_opener(
            urllib.request.ProxyHandler({}), urllib.request.HTTPCookieProcessor()
        )
        self.get(self.link.removeprefix(self.base))
        return self

    def get(self, address):
        return self.http.open(self.base + address).read().decode()

    def post(self, address, **form):
        token = re.search(r'name="token" value="([^"]+)"', self.get("/data"))[1]
        body = urlencode({"token": token, **form}).encode()
        request = urllib.request.Request(self.base + address, body, {"Origin": self.base})
        return self.http.open(request).read().decode()

    def kill(self):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        self.process.stderr.close()


def kill_runs(folder):
    """Kill the runs of a study that are still running."""
    for run in Runs(folder / RUNS_FOLDER, folder).all():
        with contextlib.suppress(ProcessLookupError):
            if run.is_locked():
                os.killpg(int((run.folder / "lock").read_text()), signal.SIGKILL)
