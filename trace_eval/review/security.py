"""Access to the server: bound address, token, session, CSRF, headers.

The server holds private recordings and opinions on a machine whose browser also visits
other sites. What each check is against:

- ``Host`` must be the bound address: a foreign name that resolves to it (DNS
  rebinding);
- ``Origin`` must be this server, and every form carries its session's token: forms that
  another site sends (CSRF);
- the token, wherever the address is not loopback: everybody else on the network;
- the content security policy: markup that slipped through escaping could not run.
"""

from __future__ import annotations

import hmac
import ipaddress
import secrets
from dataclasses import dataclass
from hashlib import sha256

from starlette.datastructures import URL, Headers, MutableHeaders
from starlette.requests import Request
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

#: Largest body of a form, bytes; the longest comment fits several times.
BODY_LIMIT = 64 * 1024

#: Sent with every response.
HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:;"
        " media-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none';"
        " frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    # Not no-referrer: browsers then send "Origin: null" with forms.
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}


def is_loopback(host: str) -> bool:
    """Tell whether only this machine reaches an address."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


@dataclass(frozen=True)
class Access:
    """How the server is reached."""

    host: str
    port: int
    secret: bytes
    # needed once per browser; None: not at all (loopback only)
    token: str | None = None

    @property
    def cookie(self) -> str:
        """Return the session cookie's name; cookies are shared by a machine's ports."""
        return "trace_review_" + sha256(b"name" + self.secret).hexdigest()[:8]

    @property
    def url(self) -> str:
        """The address to open in a browser, the token included."""
        host = "127.0.0.1" if self.host in ("0.0.0.0", "::") else self.host
        query = f"/?token={self.token}" if self.token else "/"
        host = f"[{host}]" if ":" in host else host
        return f"http://{host}:{self.port}{query}"

    def knows_host(self, header: str) -> bool:
        """Tell whether a ``Host`` header names the bound address.

        Bound to all addresses, any address in digits will do: only names can be
        rebound.
        """
        try:
            url = URL(f"http://{header}")
            name, port = url.hostname or "", url.port or 80
        except ValueError:
            return False
        if port != self.port or url.username is not None or url.path not in ("", "/"):
            return False
        if name == self.host.lower() or (is_loopback(self.host) and is_loopback(name)):
            return True
        if self.host not in ("0.0.0.0", "::"):
            return False
        try:
            ipaddress.ip_address(name)
        except ValueError:
            return name == "localhost"
        return True


@dataclass(frozen=True)
class Visitor:
    """A browser session: a random id and, once given, the rater's name."""

    id: str
    rater: str = ""

    @classmethod
    def new(cls) -> Visitor:
        """Start a session with a random token."""
        return cls(secrets.token_hex(16))

    def csrf(self, access: Access) -> str:
        """Return the token of this session's forms."""
        return _sign(access, f"csrf:{self.id}")

    def owns(self, csrf: str, access: Access) -> bool:
        """Tell whether a form was made for this session."""
        return hmac.compare_digest(csrf.encode(), self.csrf(access).encode())

    def pack(self, access: Access) -> str:
        """Return the cookie's value, signed: it needs no table and outlives servers."""
        body = f"{self.id}.{self.rater.encode().hex()}"
        return f"{body}.{_sign(access, 'session:' + body)}"

    @classmethod
    def unpack(cls, value: str, access: Access) -> Visitor | None:
        """Return a cookie's session; None if this key did not sign it."""
        body, _, signature = value.rpartition(".")
        if not hmac.compare_digest(
            signature.encode(), _sign(access, "session:" + body).encode()
        ):
            return None
        id_, _, rater = body.partition(".")
        return cls(id_, bytes.fromhex(rater).decode())


def _sign(access: Access, text: str) -> str:
    # The token is part of the key: a new token ends all sessions of the old one.
    key = access.secret + (access.token or "").encode()
    return hmac.new(key, text.encode(), "sha256").hexdigest()


def set_visitor(response: Response, visitor: Visitor, access: Access) -> None:
    """Send the session's cookie. No Secure flag: the server speaks plain HTTP."""
    response.set_cookie(
        access.cookie, visitor.pack(access), httponly=True, samesite="strict", path="/"
    )


class Guard:
    """ASGI middleware that refuses strangers, finds the visitor and adds headers."""

    def __init__(self, app: ASGIApp, access: Access) -> None:
        self.app, self.access = app, access

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one request."""
        if scope["type"] != "http":
            if scope["type"] == "lifespan":
                await self.app(scope, receive, send)
            return

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers[name] = value
            await send(message)

        request = Request(scope)
        refusal = self._refusal(request.method, request.headers) or self._admit(request)
        await (refusal or self.app)(scope, receive, send_with_headers)

    def _refusal(self, method: str, headers: Headers) -> Response | None:
        host = headers.get("host", "")
        if not self.access.knows_host(host):
            return PlainTextResponse("this server does not have that name\n", 421)
        if method in ("GET", "HEAD"):
            return None
        if method != "POST":
            return PlainTextResponse("use GET or POST\n", 405)
        origin = headers.get("origin")
        if origin is not None and origin != f"http://{host}":
            return PlainTextResponse("forms of other sites are refused\n", 403)
        if headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none"):
            return PlainTextResponse("forms of other sites are refused\n", 403)
        length = headers.get("content-length", "")
        if not (length.isascii() and length.isdigit()):
            return PlainTextResponse("say how long the form is\n", 411)
        if int(length) > BODY_LIMIT:
            return PlainTextResponse(f"forms hold at most {BODY_LIMIT} bytes\n", 413)
        return None

    def _admit(self, request: Request) -> Response | None:
        """Put the visitor into the request's state, or send the browser elsewhere."""
        cookie = request.cookies.get(self.access.cookie)
        visitor = Visitor.unpack(cookie, self.access) if cookie else None
        if self.access.token is not None and visitor is None:
            provided = request.query_params.get("token", "")
            if not hmac.compare_digest(provided.encode(), self.access.token.encode()):
                return PlainTextResponse(
                    "open the address with its token, as printed\n", 401
                )
            response = RedirectResponse(
                "/", 303
            )  # takes the token out of the address bar
            set_visitor(response, Visitor.new(), self.access)
            return response
        request.state.new_visitor = visitor is None
        request.state.visitor = visitor or Visitor.new()
        return None
