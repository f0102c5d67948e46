"""The sources of recordings, which are made without a record."""

from __future__ import annotations

from pathlib import Path

import pytest

from blueprints import UserError
from trace_eval.data.answers import Recording
from trace_eval.extracting.source import source_from, source_of


@pytest.mark.parametrize(
    "named",
    [
        "a.wav",
        "./a/../b.wav",
        Path("x/y.wav"),
        "~/a.wav",
        "C:\\x\\y.wav",
        "s3://b/a b%20.wav",
        "https://user:word@host/x.wav?X-Amz-Signature=1",
        "file:///tmp/a%20b.wav",
        "FILE://localhost/tmp/a.wav",
        "zip://a.wav::s3://key:word@b.zip",
    ],
)
def test_a_source_is_that_of_its_record(named: Path | str) -> None:
    assert source_from(named) == source_of(Recording(audio=named))


@pytest.mark.parametrize(
    ("named", "words"),
    [
        ("file://other/x.wav", "names the host 'other'; write file:///PATH"),
        ("a\udcff.wav", "its name is not UTF-8"),
        ("https://host/\udcff.wav", "its name is not UTF-8"),
    ],
)
def test_a_name_that_cannot_be_one_is_refused_in_one_line(
    named: str, words: str
) -> None:
    with pytest.raises(UserError, match=words) as refused:
        source_from(named)
    assert "\n" not in str(refused.value)
