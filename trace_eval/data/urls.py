"""URLs as text: told from paths, joined, and shown without what gives access."""

from __future__ import annotations

import hashlib
import posixpath
import re
from pathlib import Path, PurePosixPath
from urllib.parse import parse_qsl, quote, unquote, urlencode

from blueprints import UserError
from trace_eval.data.files import utf8_name

# Bounded, so that a text of letters costs no more than its length: protocols are short.
_PROTOCOL = "[a-z][a-z0-9+._-]{0,30}"
_URL = re.compile(rf"(?:{_PROTOCOL}::){{0,8}}{_PROTOCOL}://", re.IGNORECASE)
_PARTS = re.compile(r"([^:/?#]{1,31})://([^/?#]*)([^?#]*)(\??[^#]*)(.*)", re.DOTALL)
_IN_TEXT = re.compile(rf"({_PROTOCOL}):/{{1,2}}([^\s'\"<>)]+)", re.IGNORECASE)

# A password may hold what ends a host or a URL elsewhere, e.g. a question mark or a quote.
# A path that was made of a URL has one slash of the two.
_LOGIN = re.compile(rf"({_PROTOCOL}):/{{1,2}}([^\s/\"<>?#:@]*:[^\s/\"<>]*)@", re.IGNORECASE)

#: Between the links of a chained URL, e.g. ``zip://a.wav::s3://b/all.zip``; not in ``[::1]``.
_CHAIN = re.compile(rf"::(?={_PROTOCOL}(?:://|::))", re.IGNORECASE)

_LOCAL = ("file", "local")
_WEB = ("http", "https")

#: Of these not even the user is shown, who may be the key itself.
_ANONYMOUS = (*_WEB, "socks", "socks4", "socks4a", "socks5", "socks5h")

#: Query parameters that sign a request for one object and say nothing of which object: names
#: that only mean this beside the signature that is their key, and prefixes that always do.
_SIGNING = {
    "signature": {"expires", "policy", "key-pair-id", "awsaccesskeyid", "googleaccessid"},
    "sig": {"sv", "ss", "srt", "sp", "se", "st", "spr", "sr", "sip"}
    | {"skoid", "sktid", "skt", "ske", "sks", "skv"},
}
_SIGNED = ("x-amz-", "x-goog-")

#: What stands in the place of such a value; it is not hashed again.
_HASHED = re.compile("sha256-[0-9a-f]{16}")

#: Query parameters whose value is nobody's business, though it may name the object.
_SECRET = re.compile(
    r"token|secret|passw|auth|credential|signature|session|apikey|(^|[_-])(sig|key)($|[_-])",
    re.IGNORECASE,
)


def is_url(text: object) -> bool:
    """True for ``protocol://...``, the chained URLs of fsspec included."""
    return isinstance(text, str) and _URL.match(text) is not None


def is_chained(url: str) -> bool:
    """True for a file inside another one, e.g. ``zip://a.wav::s3://bucket/all.zip``."""
    return _CHAIN.search(url) is not None


def protocol_of(url: str) -> str:
    """The protocol, of a chained URL that of its first link with one."""
    return url.partition("://")[0].rpartition("::")[2].lower()


def location(text: Path | str) -> Path | str:
    """A path, or a URL as a string; a ``file://`` URL is a path.

    Refused are one of another host, and a path that is not UTF-8.
    """
    if isinstance(text, Path) or not is_url(text):
        return utf8_name(Path(text))
    parts = _PARTS.fullmatch(text)
    if parts is None or parts[1].lower() not in _LOCAL:
        return text
    if parts[2] not in ("", "localhost"):
        raise UserError(f"{text}: names the host {parts[2]!r}; write file:///PATH")
    return Path(unquote(text.partition("://")[2].removeprefix(parts[2])))


def joined(root: Path | str, name: str) -> Path | str:
    """A relative name below a root; an absolute path or a URL stays what it is.

    Backslashes, as tables made on Windows have them, are slashes unless such a file is there.
    """
    if is_url(name):
        return location(name)
    if "\\" in name and not (isinstance(root, Path) and (root / name).exists()):
        name = name.replace("\\", "/")
    if isinstance(root, Path) or Path(name).is_absolute():
        return root / Path(name) if isinstance(root, Path) else Path(name)
    base, mark, query = root.partition("?")
    protocol, _, folder = base.partition("://")
    if protocol.lower() in _WEB:
        name = quote(name)
    return f"{protocol}://{posixpath.normpath(posixpath.join(folder, name))}{mark}{query}"


def parent(url: str) -> str:
    """The folder of a URL; a signed query stays."""
    base, mark, query = url.partition("?")
    return base.rpartition("/")[0] + mark + query


def name_of(url: str) -> str:
    """The last part of a URL's path, e.g. ``a.wav``."""
    return PurePosixPath(unquote(_CHAIN.split(url)[0].partition("?")[0])).name


def glob_base(url: str) -> str | None:
    """The folder before the first ``*`` or ``[`` of a URL's path; None: there is none."""
    parts = _PARTS.fullmatch(url)
    result = re.search(r"[*\[]", parts[3]) if parts else None
    if parts is None or result is None:
        return None
    return f"{parts[1]}://{parts[2]}{parts[3][: result.start()].rpartition('/')[0]}"


def redacted(url: str) -> str:
    """A URL without what gives access; equal ones are the same object.

    Passwords go, with the user of ``https://``, and so do the parameters of signed requests:
    a recording keeps its identity when it is signed anew. Values of other parameters that look
    secret are replaced by a hash, because they may tell objects apart.
    """
    return "::".join(_shown(part) for part in _CHAIN.split(url))


def redact_urls(text: str) -> str:
    """A text, e.g. of an error, with every URL in it as :func:`redacted`."""
    if ":/" not in text:
        return text
    text = _LOGIN.sub(lambda login: f"{login[1]}://{_public(login[1], login[2])}", text)
    return _IN_TEXT.sub(_shown_in_text, text)


def _shown_in_text(match: re.Match[str]) -> str:
    url = f"{match[1]}://{match[2]}"
    shown = redacted(url)
    return match[0] if shown == url else shown


def url_of_path(path: Path | str) -> str | None:
    """The URL that a path was made of, which took one slash of its two; None: it is a path."""
    match = re.match(r"([a-z][a-z0-9+._-]{1,30}):/{1,2}(?=.)", str(path), re.IGNORECASE)
    return f"{match[1]}://{str(path)[match.end() :]}" if match else None


def _public(protocol: str, login: str) -> str:
    """What may be shown of ``USER:PASSWORD``, or of ``USER``, with the ``@`` behind it."""
    if protocol.lower() == "github":  # github://ORGANISATION:REPOSITORY@COMMIT/... is no login
        return f"{login}@"
    if protocol.lower() in _ANONYMOUS:
        return ""
    return f"{login.partition(':')[0]}@"


def _shown(url: str) -> str:
    parts = _PARTS.fullmatch(url)
    if parts is None:
        return url
    protocol, host, path, query, fragment = parts.groups()
    web = protocol.lower() in _WEB
    login, at, host = host.rpartition("@")
    shown = _public(protocol, login) if at else ""
    return f"{protocol}://{shown}{host}{path}{_unsigned(query, web)}{fragment}"


def _unsigned(query: str, web: bool) -> str:
    provided = parse_qsl(query[1:], keep_blank_values=True)
    names = {name.lower() for name, _ in provided}
    signing = {
        name for key, others in _SIGNING.items() if web and key in names for name in (key, *others)
    }
    kept = []
    for name, value in provided:
        if name.lower() in signing or (web and name.lower().startswith(_SIGNED)):
            continue
        if _SECRET.search(name) and not _HASHED.fullmatch(value):
            value = "sha256-" + hashlib.sha256(value.encode()).hexdigest()[:16]
        kept.append((name, value))
    if kept == provided:
        return query
    return f"?{urlencode(kept)}" if kept else ""
