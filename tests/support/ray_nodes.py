"""What the tests of conftest and others share."""

from __future__ import annotations

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
