"""The server of the app: access control and startup.

A loopback address alone protects neither against pages of other sites nor against other users of the machine.
Every request therefore needs a loopback name as its host, the origin of the app if it names one, and a cookie
that is issued once for each printed link; every form contains a token.
"""

from __future__ import annotations

import contextlib
import itertools
import secrets
import socket
import threading
from collections.abc import Awaitable, Callable
from urllib.parse import urlsplit

import uvicorn
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.middleware.base import BaseHTTPMiddleware
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response

from dugraph.app.jobs import Runs
from dugraph.app.pages import routes
from dugraph.app.study import RefusedError, Study
from dugraph.exceptions import InputError

HOSTS = ("127.0.0.1", "localhost", "::1")
OPEN = "/open"
"""Exchanges the one-time token of a link for a cookie."""
_HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; connect-src 'self'; "
        "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    ),
    "Cache-Control": "no-store",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    # Not "no-referrer", with which browsers send "Origin: null" from forms.
    "Referrer-Policy": "same-origin",
    "X-Content-Type-Options": "nosniff",
}
_OPENED = """<!doctype html>
<html lang="en"><meta charset="utf-8"><meta http-equiv="refresh" content="0; url=/"><link rel="icon"
href="data:,"><title>dugraph</title> <p><a href="/">Continue to dugraph</a></p></html>
"""


class Sessions:
    """The link that is still valid, and the browsers that opened one; `announce` receives each new token.

    Browsers share cookies between ports, so the name of the cookie contains the port.
    """

    def __init__(self, announce: Callable[[str], None], cookie: str = "dugraph") -> None:
        self.announce, self.cookie = announce, cookie
        self._token = ""
        self._browsers: dict[str, str] = {}

    def new_link(self) -> str:
        """Create and announce a link, which invalidates an older unused one."""
        self._token = secrets.token_urlsafe(32)
        self.announce(self._token)
        return self._token

    def open(self, request: Request) -> Response:
        """Answer a link, whose token then becomes invalid, with a cookie."""
        token = request.query_params.get("token", "") if request.method == "GET" else ""
        if not (self._token and secrets.compare_digest(token.encode(), self._token.encode())):
            raise RefusedError(
                403, "This link has already been used. Open the one that dugraph printed last."
            )
        key = secrets.token_urlsafe(32)
        self._browsers[key] = secrets.token_urlsafe(32)
        self.new_link()
        # Not a redirect: after a link in another program, the browser would not send a strict cookie along.
        answer = Response(_OPENED, media_type="text/html")
        answer.set_cookie(self.cookie, key, httponly=True, samesite="strict", path="/")
        return answer

    def form_token(self, request: Request) -> str | None:
        """The token in the forms of a browser; None if the browser is unknown."""
        return self._browsers.get(request.cookies.get(self.cookie, ""))

    async def guard(self, request: Request, answer: Callable[[Request], Awaitable[Response]]) -> Response:
        """Answer only requests of a browser that opened a link of this app, and add the security headers."""
        try:
            self._check_address(request)
            if request.url.path == OPEN:
                answered = self.open(request)
            else:
                self._check_browser(request)
                answered = await answer(request)
        except RefusedError as error:
            answered = PlainTextResponse(f"{error}\n", error.status)
        for name, value in _HEADERS.items():
            answered.headers.setdefault(name, value)
        return answered

    def _check_address(self, request: Request) -> None:
        hosts, origins = (request.headers.getlist(name) for name in ("host", "origin"))
        if len(hosts) != 1 or _name_of(hosts[0]) not in HOSTS:
            raise RefusedError(421, "This is not the address of the app. Open the link that dugraph printed.")
        if origins not in ([], [f"http://{hosts[0]}"]):
            raise RefusedError(403, "The request comes from another page.")
        if request.method not in ("GET", "HEAD", "POST"):
            raise RefusedError(405, "The app has no such method.")

    def _check_browser(self, request: Request) -> None:
        if request.headers.get("sec-fetch-site", "none") not in ("none", "same-origin"):
            why = "The request comes from another page. Type the address, or open the link again."
            raise RefusedError(403, why)
        token = self.form_token(request)
        if token is None:
            why = "This browser has not opened the app. Open the link that dugraph printed last; each link "
            raise RefusedError(403, f"{why}works once.")
        if request.method == "POST" and "origin" not in request.headers:
            raise RefusedError(403, "The request does not state which page it comes from.")
        request.scope["form_token"] = token


def _name_of(host: str) -> str | None:
    """The name in a Host header, without the port, which differs behind `ssh -L`."""
    try:
        parts = urlsplit(f"//{host}")
        _ = parts.port  # raises if it is not a number
    except ValueError:
        return None
    return parts.hostname if parts.netloc == host and parts.username is None else None


def create_app(study: Study, runs: Runs, sessions: Sessions) -> Starlette:
    """The ASGI application on the folders of a study."""
    app = Starlette(routes=routes(), middleware=[Middleware(BaseHTTPMiddleware, dispatch=sessions.guard)])
    app.state.study, app.state.runs = study, runs
    return app


def serve(
    study: Study, runs: Runs, *, port: int, say: Callable[[str], None], show: Callable[[str], object]
) -> None:
    """Serve the app until it is interrupted; `say` prints a line, and `show` opens the first link."""
    sockets = listening(port)
    port = sockets[0].getsockname()[1]
    numbers = itertools.count()

    def announce(token: str) -> None:
        link = f"http://127.0.0.1:{port}{OPEN}?token={token}"
        if next(numbers):
            say(f"for another browser: {link}")
            return
        say(f"open in a browser: {link}")
        # The sockets are already listening, so the browser can connect.
        threading.Thread(target=show, args=(link,), daemon=True).start()

    sessions = Sessions(announce, f"dugraph-{port}")
    config = uvicorn.Config(
        create_app(study, runs, sessions),
        log_level="warning",
        access_log=False,
        server_header=False,
        date_header=False,
        proxy_headers=False,
        ws="none",
        timeout_graceful_shutdown=1,
    )
    with runs.in_background(), contextlib.suppress(KeyboardInterrupt):
        sessions.new_link()
        uvicorn.Server(config).run(sockets=sockets)


def listening(port: int) -> list[socket.socket]:
    """Sockets on the loopback addresses of IPv4 and, where there is one, IPv6, with the same port."""
    try:
        sockets = [socket.create_server((HOSTS[0], port), backlog=128)]
    except OSError as error:
        raise InputError(
            f"port {port} cannot be used: {error.strerror}. Leave it out, or choose another.",
            parameter="port",
        ) from error
    with contextlib.suppress(OSError):
        address = HOSTS[2], sockets[0].getsockname()[1]
        sockets.append(socket.create_server(address, family=socket.AF_INET6, backlog=128))
    return sockets
