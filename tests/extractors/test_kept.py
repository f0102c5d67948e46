"""What is kept in a folder is made again where it is damaged."""

from pathlib import Path

import pytest

from extractors.kept import kept

#: A folder of Linux in which not even root removes files.
_READ_ONLY = Path("/proc/self")


@pytest.mark.skipif(not (_READ_ONLY / "comm").is_file(), reason="needs Linux")
def test_damaged_file_that_cannot_be_removed_is_passed_over() -> None:
    assert kept(_READ_ONLY, "com", "m", lambda: b"made") == b"made"
    assert (_READ_ONLY / "comm").is_file()
