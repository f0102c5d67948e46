"""A Ray cluster of two nodes on this machine; the second is killed and replaced."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest
from s3fs import S3FileSystem

from tests.support.object_store import object_store
from tests.support.ray_nodes import Nodes

#: Read when Ray is imported or a node is started.
os.environ |= {
    "RAY_AUTH_MODE": "disabled",
    "RAY_USAGE_STATS_ENABLED": "0",
    "RAY_DEDUP_LOGS_SKIP_REGEX": ".",
}


@pytest.fixture(scope="package")
def nodes() -> Iterator[Nodes]:
    """Start the cluster; its workers and the tests' drivers know an object store."""
    with object_store() as environment, pytest.MonkeyPatch.context() as patch:
        for name, value in environment.items():
            patch.setenv(name, value)
        # A file system that another test made keeps what it knew of the environment.
        S3FileSystem.clear_instance_cache()
        result = Nodes()
        yield result
        result.stop()
