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
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response

from dugraph.app.jobs import Runs
from dugraph.app.pages import routes
from dugraph.app.study import Study
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

Scope = dict[str, Any]
Receive = Callable[[], Awaitable[dict[str, Any]]]
Send = Callable[[dict[str, Any]], Awaitable[None]]


@dataclass
class Sessions:
    """The link that is still valid, and the browsers that opened one; `announce` receives each new token."""

    announce: Callable[[str], None]
    _token: str = ""
    _browsers: dict[str, str] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def new_link(self) -> str:
        """Create and announce a link, which invalidates an older unused one."""
        self._token = secrets.token_urlsafe(32)
        self.announce(self._token)
        return self._token

    def exchange(self, token: str) -> str | None:
        """Return the cookie for a valid token, which then becomes invalid; None for any other text."""
        with self._lock:
            if not (self._token and secrets.compare_digest(token.encode(), self._token.encode())):
                return None
            key = secrets.token_urlsafe(32)
            self._browsers[key] = secrets.token_urlsafe(32)
            self.new_link()
            return key

    def form_token(self, key: str) -> str | None:
        """The token in the forms of a browser; None if the browser is unknown."""
        known = self._browsers.items()
        tokens = [
            token
            for one, token in known
            if secrets.compare_digest(one.encode(), key.encode("utf-8", "replace"))
        ]
        return tokens[0] if tokens else None


class Guard:
    """Answer only requests of a browser that opened a link of this app, and add the security headers.

    Cookies do not differ by port, so the name of the cookie contains it.
    """

    def __init__(self, app: Any, sessions: Sessions, cookie: str) -> None:
        self._app, self._sessions, self._cookie = app, sessions, cookie

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
        elif scope["type"] == "http":
            answer = self._own_answer(Request(scope)) or self._app
            await answer(scope, receive, _with_headers(send))

    def _own_answer(self, request: Request) -> Response | None:
        """A refusal, or the answer to a link; None if the app may answer."""
        hosts, origins = (request.headers.getlist(name) for name in ("host", "origin"))
        if len(hosts) != 1 or _name_of(hosts[0]) not in HOSTS:
            return _refuse(421, "This is not the address of the app. Open the link that dugraph printed.")
        if origins not in ([], [f"http://{hosts[0]}"]):
            return _refuse(403, "The request comes from another page.")
        if request.method not in ("GET", "HEAD", "POST"):
            return _refuse(405, "The app has no such method.")
        if request.url.path == OPEN:
            return self._opened(request)
        if request.headers.get("sec-fetch-site", "none") not in ("none", "same-origin"):
            return _refuse(
                403, "The request comes from another page. Type the address, or open the link again."
            )
        token = self._sessions.form_token(request.cookies.get(self._cookie, ""))
        if token is None:
            return _refuse(
                403,
                "This browser has not opened the app. Open the link that dugraph printed last; each link "
                "works once.",
            )
        if request.method == "POST" and not origins:
            return _refuse(403, "The request does not state which page it comes from.")
        request.scope["form_token"] = token
        return None

    def _opened(self, request: Request) -> Response:
        token = request.query_params.get("token", "") if request.method == "GET" else ""
        key = self._sessions.exchange(token)
        if key is None:
            return _refuse(403, "This link has already been used. Open the one that dugraph printed last.")
        # Not a redirect: after a link in another program, the browser would not send a strict cookie along.
        answer = Response(_OPENED, media_type="text/html")
        answer.set_cookie(self._cookie, key, httponly=True, samesite="strict", path="/")
        return answer


def _name_of(host: str) -> str | None:
    """The name in a Host header, without the port, which differs behind `ssh -L`."""
    try:
        parts = urlsplit(f"//{host}")
        _ = parts.port  # raises if it is not a number
    except ValueError:
        return None
    return parts.hostname if parts.netloc == host and parts.username is None else None


def _refuse(status: int, why: str) -> Response:
    return PlainTextResponse(f"{why}\n", status)


def _with_headers(send: Send) -> Send:
    async def sending(message: dict[str, Any]) -> None:
        if message["type"] == "http.response.start":
            added = {name.lower().encode(): value.encode() for name, value in _HEADERS.items()}
            message["headers"] = [*{**added, **dict(message["headers"])}.items()]
        await send(message)

    return sending


def create_app(study: Study, runs: Runs, sessions: Sessions, cookie: str = "dugraph") -> Any:
    """The ASGI application on the folders of a study."""
    app = Starlette(routes=routes())
    app.state.study, app.state.runs = study, runs
    return Guard(app, sessions, cookie)


def serve(
    study: Study, runs: Runs, *, port: int, say: Callable[[str], None], show: Callable[[str], object]
) -> None:
    """Serve the app until it is interrupted.

    Parameters
    ----------
    study : Study
    runs : Runs
    port : int
        0: any free one.
    say : callable
        Prints a line.
    show : callable
        Opens the first link.
    """
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

    sessions = Sessions(announce)
    config = uvicorn.Config(
        create_app(study, runs, sessions, f"dugraph-{port}"),
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
    if not 0 <= port <= 65535:
        raise InputError(f"port must be from 0, any free one, to 65535, but is {port}.", parameter="port")
    try:
        first = _bound(socket.AF_INET, HOSTS[0], port)
    except OSError as error:
        raise InputError(
            f"port {port} cannot be used: {error.strerror}. Leave it out, or choose another.",
            parameter="port",
        ) from error
    sockets = [first]
    with contextlib.suppress(OSError):
        sockets.append(_bound(socket.AF_INET6, HOSTS[2], first.getsockname()[1]))
    return sockets


def _bound(family: socket.AddressFamily, address: str, port: int) -> socket.socket:
    made = socket.socket(family, socket.SOCK_STREAM)
    try:
        made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        made.bind((address, port))
        made.listen(128)
    except OSError:
        made.close()
        raise
    return made
