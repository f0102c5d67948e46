"""A Ray cluster of two nodes on this machine, the second one to be killed and replaced."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

from tests.support.ray_nodes import Nodes

#: Read when Ray is imported or a node is started.
os.environ |= {
    "RAY_AUTH_MODE": "disabled",
    "RAY_USAGE_STATS_ENABLED": "0",
    "RAY_DEDUP_LOGS_SKIP_REGEX": ".",
}


@pytest.fixture(scope="package")
def nodes() -> Iterator[Nodes]:
    result = Nodes()
    yield result
    result.stop()
