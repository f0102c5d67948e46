"""No test reaches another machine: attempts fail, and are kept for assertions."""

from __future__ import annotations

import ipaddress
import socket
from typing import Any

import pytest


def is_loopback(host: object) -> bool:
    """Tell whether an address is this machine's own."""
    name = host.decode() if isinstance(host, bytes) else host
    if name in (None, "", "localhost"):
        return True
    try:
        return ipaddress.ip_address(str(name)).is_loopback
    except ValueError:
        return False


def refuse_network(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Refuse look-ups of and connections to other machines; return the attempts."""
    attempts: list[str] = []
    look_up, connect, connect_ex = (
        socket.getaddrinfo,
        socket.socket.connect,
        socket.socket.connect_ex,
    )

    def refused(target: object) -> OSError:
        attempts.append(str(target))
        return OSError(f"this test has no network: {target}")

    def guarded_look_up(host: Any, *rest: Any, **options: Any) -> Any:
        if not is_loopback(host):
            raise refused(host)
        return look_up(host, *rest, **options)

    def guard(method: Any) -> Any:
        def guarded(self: socket.socket, address: Any) -> Any:
            if self.family in (socket.AF_INET, socket.AF_INET6) and not is_loopback(
                address[0]
            ):
                raise refused(address)
            return method(self, address)

        return guarded

    monkeypatch.setattr(socket, "getaddrinfo", guarded_look_up)
    monkeypatch.setattr(socket.socket, "connect", guard(connect))
    monkeypatch.setattr(socket.socket, "connect_ex", guard(connect_ex))
    return attempts
