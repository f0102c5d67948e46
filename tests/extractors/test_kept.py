"""What is kept in a folder is made again where it is damaged."""

import resource
import signal
from pathlib import Path

import pytest

from blueprints import Advice
from extractors.kept import kept

#: A folder of Linux in which not even root removes files.
_READ_ONLY = Path("/proc/self")


@pytest.mark.skipif(not (_READ_ONLY / "comm").is_file(), reason="needs Linux")
def test_damaged_file_that_cannot_be_removed_is_passed_over() -> None:
    assert kept(_READ_ONLY, "com", "m", lambda: b"made") == b"made"
    assert (_READ_ONLY / "comm").is_file()


def test_what_stands_in_the_way_is_named_and_no_part_is_left(tmp_path: Path) -> None:
    assert kept(tmp_path, "graph-", ".onnx", lambda: b"made") == b"made"
    [path] = tmp_path.iterdir()
    path.unlink()
    path.mkdir()
    with pytest.warns(Advice, match="is made anew by each command; remove that folder"):
        assert kept(tmp_path, "graph-", ".onnx", lambda: b"made") == b"made"
    assert list(tmp_path.iterdir()) == [path]
    path.rmdir()  # as the message says
    kept(tmp_path, "graph-", ".onnx", lambda: b"made")
    assert path.read_bytes() == b"made"


def test_a_full_disk_leaves_no_part(tmp_path: Path) -> None:
    """A file may grow to no more than 1,000 bytes, as on a disk that is nearly full."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    ignored = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1_000, hard))
    try:
        assert len(kept(tmp_path, "graph-", ".onnx", lambda: b"m" * 9_000)) == 9_000
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        signal.signal(signal.SIGXFSZ, ignored)
    assert list(tmp_path.iterdir()) == []
