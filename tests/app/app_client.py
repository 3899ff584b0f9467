"""A browser of the app without a socket, a study to read, and processes that a test ends."""

import asyncio
import os
import re
from urllib.parse import quote, unquote, urlencode

import numpy as np

from dugraph.app.jobs import LOCK, lock

ORIGIN = "http://127.0.0.1:8000"
NAMES = ["Insula_L", "Insula_R", "Thalamus_L", "Thalamus_R", "Cuneus_L", "Cuneus_R"]


def write_study(folder, n=24, seed=0):
    """Matrices in a folder of their own, named P001_conn.csv; patients have two strong edges."""
    rng = np.random.default_rng(seed)
    rows = ["participant_id\tdiagnosis\tage\tsite"]
    (folder / "matrices").mkdir(parents=True)
    for i in range(n):
        matrix = rng.uniform(0.1, 0.5, (6, 6))
        matrix = (matrix + matrix.T) / 2
        np.fill_diagonal(matrix, 1)
        if i % 2:
            for a, b in ((0, 2), (2, 4)):
                matrix[a, b] = matrix[b, a] = rng.uniform(0.8, 0.95)
        lines = [",".join(NAMES), *(",".join(f"{value:.4f}" for value in row) for row in matrix)]
        (folder / "matrices" / f"P{i + 1:03d}_conn.csv").write_text("\n".join(lines) + "\n")
        group = "patient" if i % 2 else "control"
        rows.append(f"P{i + 1:03d}\t{group}\t{rng.integers(20, 60)}\t{['Oslo', 'Turku'][i // 2 % 2]}")
    (folder / "participants.tsv").write_text("\n".join(rows) + "\n")


READ = {"path": "matrices", "participants": "participants.tsv", "id_pattern": "{id}_conn"}
CONVERT = {"ask": "convert", **READ}


class FakeProcess:
    """A process of a run that ends when the test ends it."""

    pid = 1  # never signalled

    def __init__(self, run, home):
        self.run, self.home, self.code = run, home, None
        self._lock = lock(run.folder / LOCK)
        os.write(self._lock, str(self.pid).encode())

    def end(self, code):
        self.code = code
        os.close(self._lock)

    def poll(self):
        return self.code


class Page(str):
    """The text of an answer, with the token of its forms."""

    @property
    def token(self):
        return re.search(r'name="token" value="([^"]+)"', self)[1]


class Answer:
    """An answer of the application."""

    def __init__(self, messages):
        start = next(one for one in messages if one["type"] == "http.response.start")
        self.status_code = start["status"]
        self.headers = {name.decode().lower(): value.decode() for name, value in start["headers"]}
        self.content = b"".join(one.get("body", b"") for one in messages if "body" in one["type"])
        self.text = self.content.decode()


class Client:
    """A browser that has opened the app, unless `opened` is False; without a socket."""

    def __init__(self, app, sessions, opened=True):
        self.app, self.sessions, self.cookie = app, sessions, ""
        if opened:
            assert self.get(f"/open?token={sessions.new_link()}").status_code == 200

    def request(self, method, address, body=b"", **headers):
        """Call the application; a header that is None is not sent."""
        path, _, query = address.partition("?")
        sent = {"host": ORIGIN.removeprefix("http://"), "cookie": self.cookie or None, **headers}
        scope = {
            "type": "http",
            "method": method,
            "path": unquote(path),
            "query_string": quote(query, safe="=&%/+").encode(),
            "headers": [(name.encode(), one.encode()) for name, one in sent.items() if one is not None],
            "scheme": "http",
            "server": ("127.0.0.1", 8000),
            "client": ("127.0.0.1", 50_000),
        }
        messages = []

        async def receive():
            if messages or receive.asked:
                await asyncio.Event().wait()  # the browser stays
            receive.asked = True
            return {"type": "http.request", "body": body}

        async def send(message):
            messages.append(message)

        receive.asked = False
        asyncio.run(self.app(scope, receive, send))
        answer = Answer(messages)
        if "set-cookie" in answer.headers:
            self.cookie = answer.headers["set-cookie"].partition(";")[0]
        return answer

    def get(self, address, **headers):
        return self.request("GET", address, **headers)

    def page(self, address):
        answer = self.get(address)
        assert answer.status_code == 200, answer.text
        return Page(answer.text)

    def post(self, address, token, origin=ORIGIN, **form):
        body = urlencode({"token": token, **form}, doseq=True).encode()
        return self.request("POST", address, body, origin=origin)

    def send(self, address, **form):
        """Post a form with the token of a page."""
        return self.post(address, self.page("/data").token, **form)
