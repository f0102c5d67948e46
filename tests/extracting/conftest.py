"""A Ray cluster of two nodes on this machine, the second one to be killed and replaced."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

#: Read when Ray is imported or a node is started.
os.environ |= {
    "RAY_AUTH_MODE": "disabled",
    "RAY_USAGE_STATS_ENABLED": "0",
    "RAY_DEDUP_LOGS_SKIP_REGEX": ".",
}

#: A dead node is noticed after about a second, not ten.
HEALTH = {
    "health_check_initial_delay_ms": 0,
    "health_check_period_ms": 300,
    "health_check_timeout_ms": 1000,
    "health_check_failure_threshold": 3,
}

NODE = {"num_cpus": 1, "object_store_memory": 80 * 2**20}


class Nodes:
    """The head, where the driver is, and a second node.

    One CPU each: an actor takes all of it, and nothing may wait for another one.
    """

    def __init__(self) -> None:
        from ray.cluster_utils import Cluster

        head = {**NODE, "include_dashboard": False, "_system_config": HEALTH}
        self._cluster = Cluster(initialize_head=True, head_node_args=head)
        self._second = self._cluster.add_node(**NODE, num_gpus=1)

    @property
    def address(self) -> str:
        return str(self._cluster.address)

    def kill_second(self) -> None:
        """As a spot node goes: every process of it, at once."""
        self._cluster.remove_node(self._second, allow_graceful=False)

    def replace_second(self) -> None:
        self._second = self._cluster.add_node(**NODE, num_gpus=1)

    def stop(self) -> None:
        self._cluster.shutdown()


@pytest.fixture(scope="package")
def nodes() -> Iterator[Nodes]:
    result = Nodes()
    yield result
    result.stop()
