"""URLs as text: told from paths, joined, and shown without what gives access."""

from __future__ import annotations

import hashlib
import os
import posixpath
import re
from pathlib import Path, PurePosixPath
from urllib.parse import parse_qsl, quote, unquote, urlencode

from blueprints import InputError
from trace_eval.data.files import utf8_name

# Bounded, so that a text of letters costs no more than its length: protocols are short.
_PROTOCOL = "[a-z][a-z0-9+._-]{0,30}"
_URL = re.compile(rf"(?:{_PROTOCOL}::){{0,8}}{_PROTOCOL}://", re.IGNORECASE)
_PARTS = re.compile(r"([^:/?#]{1,31})://([^/?#]*)([^?#]*)(\??[^#]*)(.*)", re.DOTALL)
# What ends a sentence does not belong to a URL.
_IN_TEXT = re.compile(
    rf"({_PROTOCOL}):/{{1,2}}([^\s'\"<>)]*[^\s'\"<>).,:;])", re.IGNORECASE
)

# A password may hold what ends a host or a URL elsewhere, e.g. a question mark or a
# quote. A path that was made of a URL has one slash of the two, and a slip of the hand
# three.
_LOGIN = re.compile(
    rf"({_PROTOCOL}):/{{1,4}}([^\s/\"<>?#:@]*:[^\s/\"<>]*)@", re.IGNORECASE
)

# A login whose password holds a slash. What follows the colon of a host is its port, and
# of a Windows drive a path without an at sign.
_WITH_SLASH = re.compile(
    rf"({_PROTOCOL}):/{{1,4}}([^\s/\"<>?#:@]{{1,99}}:(?!\d{{0,9}}/)[^\s\"<>@]{{0,255}})@",
    re.IGNORECASE,
)

# A login of a URL whose protocol was cut off, or is left to the reader.
_WITHOUT_PROTOCOL = re.compile(r"(?<![:\w/])//[^\s/\"<>?#:@]*:[^\s/\"<>@]*@")

# A login behind a protocol that was typed without slashes.
_WITHOUT_SLASHES = re.compile(
    r"\b(https?|wss?|s?ftps?|s3|gs|rtmps?):[^\s/\"<>?#:@]*:[^\s/\"<>@]*@", re.IGNORECASE
)

#: Between the links of a chained URL, e.g. ``zip://a.wav::s3://b/all.zip``; not in
#: ``[::1]``.
_CHAIN = re.compile(rf"::(?={_PROTOCOL}(?:://|::))", re.IGNORECASE)

_LOCAL = ("file://", "local://")
_WEB = ("http", "https")

#: Of these the user is shown, who is a person's name. Elsewhere he may be the key, or
#: its id.
_PERSONAL = ("sftp", "ssh", "scp", "ftp", "ftps", "smb", "hdfs", "webhdfs")

#: Of these the name before ``@`` is a container, and behind it stands its account.
_CONTAINERS = ("abfs", "abfss", "wasb", "wasbs", "adl", "az")

#: Query parameters that sign a request for one object and say nothing of which object:
#: names that only mean this beside the signature that is their key, and prefixes that
#: always do.
_SIGNING = {
    "signature": {
        "expires",
        "policy",
        "key-pair-id",
        "awsaccesskeyid",
        "googleaccessid",
    },
    "sig": {"sv", "ss", "srt", "sp", "se", "st", "spr", "sr", "sip"}
    | {"skoid", "sktid", "skt", "ske", "sks", "skv"},
}
_SIGNED = ("x-amz-", "x-goog-")

#: What stands in the place of such a value; it is not hashed again.
_HASHED = re.compile("sha256-[0-9a-f]{16}")

#: Query parameters whose value is nobody's business, though it may name the object.
_SECRET = re.compile(
    r"token|secret|passw|passphrase|auth|credential|signature|session|apikey|access_?key|accessid"
    r"|key-pair|bearer|hmac|hdne?a|hdnts|jwt"
    r"|(^|[_-])(sig|sign|signed|key|keyid|pwd|pass|pw|sas|otp|code|verify|ticket)($|[_-])",
    re.IGNORECASE,
)

#: Parts of a URL under this length are words of a text as well.
_SHORTEST_SECRET = 4

#: How known keys and signed texts look, whatever the parameter is called.
_LOOKS_SECRET = re.compile(
    r"eyJ[\w-]{8,}\.[\w-]+|(?:AKIA|ASIA|AROA|AIDA)[A-Z0-9]{12,}|AIza[\w-]{20,}|sk-[\w-]{12,}"
    r"|hf_\w{12,}|gh[pousr]_\w{12,}|github_pat_\w+|glpat-[\w-]+|xox[a-z]-[\w-]+"
)

#: What every URL holds that is not shown as it is.
_TO_BE_LOOKED_AT = re.compile(r"[?#@;]|::")

#: A parameter of a part of a path, e.g. ``;jsessionid=1``.
_OF_PATH = re.compile(r";([\w-]{1,40})=([^/;]+)")


def is_url(text: object) -> bool:
    """Tell whether a text is ``protocol://...``, chained URLs included."""
    return isinstance(text, str) and _URL.match(text) is not None


def is_chained(url: str) -> bool:
    """Tell whether a URL names a file in another, e.g. ``zip://a.wav::s3://b.zip``."""
    return _CHAIN.search(url) is not None


def protocol_of(url: str) -> str:
    """Return the protocol, of a chained URL that of its first link with one."""
    return url.partition("://")[0].rpartition("::")[2].lower()


def location(text: Path | str) -> Path | str:
    """Return a path, or a URL as a string; a ``file://`` URL is a path.

    Refused are one of another host, and a path that is not UTF-8.
    """
    if isinstance(text, Path) or not is_url(text):
        return utf8_name(Path(text))
    if not text[:8].lower().startswith(_LOCAL):
        return text
    parts = _PARTS.fullmatch(text)
    if parts is None:
        return text
    if parts[2] not in ("", "localhost"):
        raise InputError(f"{text}: names the host {parts[2]!r}; write file:///PATH")
    return Path(unquote(text.partition("://")[2].removeprefix(parts[2])))


def joined(root: Path | str, name: str) -> Path | str:
    """Join a relative name to a root; an absolute path or a URL stays what it is.

    Backslashes, as tables made on Windows have them, are slashes unless such a file is
    there.
    """
    if is_url(name):
        return location(name)
    # os.path, because Path.exists raises where a name is too long
    if "\\" in name and not (isinstance(root, Path) and os.path.exists(root / name)):  # noqa: PTH110
        name = name.replace("\\", "/")
    if isinstance(root, Path) or Path(name).is_absolute():
        return root / Path(name) if isinstance(root, Path) else Path(name)
    base, mark, query = root.partition("?")
    protocol, _, folder = base.partition("://")
    if protocol.lower() in _WEB:
        name = quote(name)
    return (
        f"{protocol}://{posixpath.normpath(posixpath.join(folder, name))}{mark}{query}"
    )


def parent(url: str) -> str:
    """Return the folder of a URL; a signed query stays."""
    base, mark, query = url.partition("?")
    return base.rpartition("/")[0] + mark + query


def name_of(url: str) -> str:
    """Return the last part of a URL's path, e.g. ``a.wav``."""
    return PurePosixPath(unquote(_CHAIN.split(url)[0].partition("?")[0])).name


def glob_base(url: str) -> str | None:
    """Return the folder before a URL's first ``*`` or ``[``; None without any."""
    parts = _PARTS.fullmatch(url)
    result = re.search(r"[*\[]", parts[3]) if parts else None
    if parts is None or result is None:
        return None
    return f"{parts[1]}://{parts[2]}{parts[3][: result.start()].rpartition('/')[0]}"


def names_secret(name: str) -> bool:
    """Tell whether a parameter or variable of this name holds what nobody may see."""
    return _SECRET.search(name) is not None


def redacted(url: str) -> str:
    """Remove from a URL what gives access; equal ones are the same object.

    Passwords go, and with them the user of ``https://`` and the key id of ``s3://``,
    and so do the parameters of signed requests: a recording keeps its identity when it
    is signed anew. Values of other parameters that look secret are replaced by a hash,
    because they may tell objects apart.
    """
    if not _TO_BE_LOOKED_AT.search(url):
        return url
    return "::".join(_shown(part) for part in _CHAIN.split(url))


def redact_urls(text: str) -> str:
    """Redact every URL in a text, e.g. of an error, as :func:`redacted`."""
    if "@" in text:
        text = _WITHOUT_SLASHES.sub(r"\1:", text)
    if ":/" not in text and "//" not in text:
        return text
    text = _WITH_SLASH.sub(_without_login, _LOGIN.sub(_without_login, text))
    text = _WITHOUT_PROTOCOL.sub("//", text)
    return _IN_TEXT.sub(_shown_in_text, text)


def without_secrets_of(url: str, text: str) -> str:
    """Remove from a text, e.g. an error of a library, what gives access to a URL.

    Libraries quote parts of a URL in sentences of their own, in which no protocol says
    that they are such.
    """
    parts = _PARTS.fullmatch(url)
    shown = redacted(url)
    if parts is None or shown == url:
        return redact_urls(text)
    _, host, _, query, fragment = parts.groups()
    login, at, _ = host.rpartition("@")
    values = [value for _, value in parse_qsl(f"{query[1:]}&{fragment[1:]}")]
    secrets = [login + at, login, *login.split(":"), *values]
    secrets += [unquote(secret) for secret in secrets]
    for secret in sorted(set(secrets), key=len, reverse=True):
        if len(secret) >= _SHORTEST_SECRET and secret not in shown:
            text = text.replace(secret, "...")
    return redact_urls(text)


def _without_login(match: re.Match[str]) -> str:
    return f"{match[1]}://{_public(match[1], match[2])}"


def _shown_in_text(match: re.Match[str]) -> str:
    url = f"{match[1]}://{match[2]}"
    shown = redacted(url)
    return match[0] if shown == url else shown


def url_of_path(path: Path | str) -> str | None:
    """Return the URL that a path was made of, which lost a slash; None: a path."""
    match = re.match(r"([a-z][a-z0-9+._-]{1,30}):/{1,2}(?=.)", str(path), re.IGNORECASE)
    if match is None:
        return None
    scheme = match[1]
    behind = str(path)[match.end() :]
    return f"{scheme}://{behind}"


def _public(protocol: str, login: str) -> str:
    """Return what may be shown of ``USER:PASSWORD`` or ``USER``, with its ``@``."""
    name, protocol = unquote(login), protocol.lower()
    if protocol == "github":  # github://ORGANISATION:REPOSITORY@COMMIT/... is no login
        return f"{login}@"
    if protocol in _CONTAINERS and ":" not in name:
        return f"{login}@"
    if protocol in _PERSONAL:
        return f"{name.partition(':')[0]}@" if ":" in name else f"{login}@"
    return ""


def _shown(url: str) -> str:
    url = _WITH_SLASH.sub(_without_login, url)
    parts = _PARTS.fullmatch(url)
    if parts is None:
        return url
    protocol, host, path, query, fragment = parts.groups()
    web = protocol.lower() in _WEB
    login, at, host = host.rpartition("@")
    shown = _public(protocol, login) if at else ""
    path = _OF_PATH.sub(_shown_parameter, path)
    return f"{protocol}://{shown}{host}{path}{_unsigned(query, web)}{_masked(fragment)}"


def _masked(fragment: str) -> str:
    """Return a fragment without secrets: pages give tokens in it, as in a query."""
    if "=" not in fragment:
        return fragment
    pairs = parse_qsl(fragment[1:], keep_blank_values=True)
    shown = [(name, _shown_value(name, value)) for name, value in pairs]
    return fragment if shown == pairs else f"#{urlencode(shown)}"


def _shown_parameter(parameter: re.Match[str]) -> str:
    name, value = parameter.groups()
    return f";{name}={_shown_value(name, value)}"


def _shown_value(name: str, value: str) -> str:
    """Return the value of a parameter, or a hash of it where it looks secret."""
    value = _OF_PATH.sub(
        _shown_parameter, value
    )  # some separate parameters by semicolons
    is_secret = _SECRET.search(name) or _LOOKS_SECRET.search(value)
    if not is_secret or _HASHED.fullmatch(value):
        return value
    return "sha256-" + hashlib.sha256(value.encode()).hexdigest()[:16]


def _unsigned(query: str, web: bool) -> str:
    parameters = parse_qsl(query[1:], keep_blank_values=True)
    names = {name.lower() for name, _ in parameters}
    signing: set[str] = set()
    for key, others in _SIGNING.items():
        if web and key in names:
            signing.add(key)
            signing.update(others)
    kept = []
    for name, value in parameters:
        if name.lower() in signing or (web and name.lower().startswith(_SIGNED)):
            continue
        kept.append((name, _shown_value(name, value)))
    if kept == parameters:
        return query
    return f"?{urlencode(kept)}" if kept else ""
