"""A real S3 server on this machine, and what a process needs to know to reach it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

BUCKET = "s3://bucket"


@contextmanager
def object_store() -> Iterator[dict[str, str]]:
    """Run a server with an empty bucket; yields the environment of those who use it."""
    import boto3
    from moto.server import ThreadedMotoServer

    server = ThreadedMotoServer("127.0.0.1", 0, verbose=False)
    server.start()
    try:
        host, port = server.get_host_and_port()
        environment = {
            "AWS_ENDPOINT_URL": f"http://{host}:{port}",
            "AWS_ACCESS_KEY_ID": "test",
            "AWS_SECRET_ACCESS_KEY": "test",
            "AWS_DEFAULT_REGION": "us-east-1",
        }
        client = boto3.client(
            "s3",
            endpoint_url=environment["AWS_ENDPOINT_URL"],
            aws_access_key_id="test",
            aws_secret_access_key="test",
            region_name="us-east-1",
        )
        client.create_bucket(Bucket="bucket")
        yield environment
    finally:
        server.stop()
