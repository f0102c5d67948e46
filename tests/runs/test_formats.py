"""Formats of recordings by system: told where a lossy one is not spread evenly."""

from __future__ import annotations

from pathlib import Path

from tests.support.reviewed import write_run
from trace_eval.data.answers import Answer, Instruction
from trace_eval.data.items import Pair
from trace_eval.runs.formats import formats_line
from trace_eval.runs.opinions import read_opinions


def _pairs(a: str, b: str, number: int = 10) -> list[Pair]:
    return [
        Pair(
            id=str(n),
            instruction=Instruction(text="Hi?"),
            a=Answer(audio=Path(f"/x/{n}.{a}"), system="nova"),
            b=Answer(audio=Path(f"/y/{n}.{b}"), system="atlas"),
        )
        for n in range(number)
    ]


def test_formats_that_differ_by_system_are_told() -> None:
    line = formats_line(_pairs("mp3", "wav"))
    assert "(atlas: 10 wav; nova: 10 mp3)" in line
    assert "give all of them one format" in line
    some = [*_pairs("mp3", "WAV", 3), *_pairs("wav", "wav", 7)]
    assert "(atlas: 10 wav; nova: 7 wav, 3 mp3)" in formats_line(some)


def test_formats_that_are_alike_or_lose_nothing_are_not() -> None:
    assert formats_line(_pairs("mp3", "mp3")) == ""
    assert formats_line(_pairs("flac", "wav")) == ""
    assert formats_line([*_pairs("mp3", "wav", 5), *_pairs("wav", "mp3", 5)]) == ""
    assert formats_line(_pairs("mp3", "wav", 4)) == ""  # too few to tell
    assert formats_line([]) == ""


def test_what_a_run_shows_says_so_too(tmp_path: Path) -> None:
    for name, formats in (("mixed", ("mp3", "wav")), ("alike", ("wav", "flac"))):
        run = write_run(tmp_path / name, _pairs(*formats))
        checks = [one.check for one in read_opinions(run).warnings]
        assert checks == (["formats"] if name == "mixed" else [])
