"""Which URLs may be opened: one decision for manifests, recordings, folders and shards.

A manifest may come from somebody else, and fsspec opens whatever can be spelled: file
systems that render templates, that take their settings from another URL, or that store
what they fetch. So a URL is taken apart here and nowhere else; fsspec is never given a
chain. Nothing is imported or opened for the decision.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

from blueprints import InputError
from trace_eval.data.urls import is_chained, location, redacted

#: Protocols that are opened without being asked for.
PROTOCOLS = ("file", "http", "https", "s3", "gs", "gcs", "az", "abfs", "hf")

_NAME = re.compile(r"[a-z][a-z0-9+._-]{0,30}")


@dataclass(frozen=True)
class UrlAccess:
    """The rules for which URLs may be opened.

    Attributes:
        protocols: of fsspec, opened beside :data:`PROTOCOLS`.
        network: False: only what stays on this machine.

    Raises:
        UserError: a protocol that is no name.
    """

    protocols: Collection[str] = frozenset()
    network: bool = True

    def __post_init__(self) -> None:
        protocols = (
            (self.protocols,) if isinstance(self.protocols, str) else self.protocols
        )
        object.__setattr__(self, "protocols", frozenset(protocols))
        for name in self.protocols:
            if not _NAME.fullmatch(name):
                raise InputError(
                    f"protocol {name!r:.60}: give its name alone, e.g. sftp"
                )

    def refusal(self, protocol: str) -> str | None:
        """Say why a protocol (in lower case) is not opened; None: it is."""
        if protocol not in (*PROTOCOLS, "local", *self.protocols):
            return (
                f"protocol {protocol!r:.60} is unknown or not allowed; use"
                f" {', '.join(PROTOCOLS)}, or allow it by trace-eval --allow-protocol"
                " NAME COMMAND"
            )
        if not self.network and protocol not in ("file", "local", "memory"):
            return (
                f"protocol {protocol!r} needs the network, which --no-network forbids;"
                " copy the file to this machine"
            )
        return None


_access = UrlAccess()


def url_access() -> UrlAccess:
    """Return what this process may open now; workers get it with their plan."""
    return _access


def set_url_access(access: UrlAccess) -> UrlAccess:
    """Decide for this process and its workers what URLs may name; returns the last."""
    # not a context variable: threads that are started early must keep to it, too
    global _access
    before, _access = _access, access
    return before


def refusal(url: str) -> str | None:
    """Say why a URL is not opened, with the remedy; None: it is."""
    if is_chained(url):
        return (
            "chained URLs are not opened; unpack an archive first, and name the file"
            " itself (what was fetched is kept without a cache in the URL)"
        )
    name, separator, _ = url.partition("://")
    if not separator or not _NAME.fullmatch(name.lower()):
        return f"the part {redacted(url)!r:.60} has no protocol://; name one file"
    return _access.refusal(name.lower())


def allowed(url: str) -> Path | str:
    """Return what a URL names: a path, or a URL of one link with a lower-case protocol.

    Raises:
        UserError: it is no URL that may be opened.
    """
    if why := refusal(url):
        raise InputError(f"{redacted(url)}: {why}")
    name, mark, rest = url.partition("://")
    return location(f"{name.lower()}{mark}{rest}")
