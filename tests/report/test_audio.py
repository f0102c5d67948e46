from __future__ import annotations

from pathlib import Path
from urllib.parse import unquote

import pytest

from blueprints import UserError
from extractors.audio import decode
from tests.support.audio import tone, write
from trace_eval.data.answers import Recording
from trace_eval.report.audio import AudioAssets
from trace_eval.report.envelope import POINTS, envelope
from trace_eval.runs.outcomes import ClipRecord


def test_links_are_relative_and_quoted(tmp_path: Path) -> None:
    path = write(tmp_path / "50% #1 a?" / 'b"c.wav', tone())
    record = ClipRecord(source=str(path), clip="c" * 64)
    inside = AudioAssets(tmp_path / "report.html").sound(Recording(audio=path), record)
    beside = AudioAssets(tmp_path / "run" / "report.html").sound(Recording(audio=path), record)
    assert inside.href == "./50%25%20%231%20a%3F/b%22c.wav"
    assert beside.href == "../50%25%20%231%20a%3F/b%22c.wav"
    assert (tmp_path / unquote(beside.href)[3:]).is_file()
    # a colon is no scheme
    path = write(tmp_path / "javascript:alert(1).wav", tone())
    sound = AudioAssets(tmp_path / "report.html").sound(Recording(audio=path), None)
    assert sound.href.startswith("./")
    assert ":" not in sound.href


def test_copies_are_named_by_hash_and_made_once(tmp_path: Path) -> None:
    first, second = (write(tmp_path / name, tone()) for name in ("a.WAV", "b.wav"))
    clip = decode(first).sha256
    assets = AudioAssets(tmp_path / "out" / "mine.html", copy=True)
    sounds = [
        assets.sound(Recording(audio=path), ClipRecord(source=str(path), clip=clip))
        for path in (first, second)
    ]
    assert [sound.href for sound in sounds] == [f"./mine_audio/{clip}.wav"] * 2
    assert [p.name for p in (tmp_path / "out" / "mine_audio").iterdir()] == [f"{clip}.wav"]
    assert decode(tmp_path / "out" / "mine_audio" / f"{clip}.wav").sha256 == clip
    # a strange suffix is not copied into a name
    path = first.rename(tmp_path / "a.wav<b>")
    record = ClipRecord(source=str(path), clip="c" * 64)
    assert assets.sound(Recording(audio=path), record).href == f"./mine_audio/{'c' * 64}"


def test_what_cannot_be_played_says_why(tmp_path: Path) -> None:
    gone = tmp_path / "gone.wav"
    assets = AudioAssets(tmp_path / "report.html", copy=True)
    sound = assets.sound(Recording(audio=gone), ClipRecord(source=str(gone), clip="c" * 64))
    assert sound.href is None
    assert sound.note == f"{gone}: no such file any more"
    broken = write(tmp_path / "broken.wav", tone())
    record = ClipRecord(source=str(broken), error="broken.wav: cannot be decoded")
    assert assets.sound(Recording(audio=broken), record).href is None  # it has no hash
    assert assets.sound(Recording(audio=broken), record).note == "broken.wav: cannot be decoded"
    assert assets.sound(Recording(), None).note == "no recording"


def test_a_copy_that_cannot_be_written_stops_the_report(tmp_path: Path) -> None:
    path = write(tmp_path / "a.wav", tone())
    (tmp_path / "report_audio").write_text("in the way")
    with pytest.raises(UserError, match="report_audio: cannot be written"):
        AudioAssets(tmp_path / "report.html", copy=True).sound(Recording(audio=path), None)


def test_the_envelope_is_of_the_recording_that_was_judged(tmp_path: Path) -> None:
    path = write(tmp_path / "a.wav", tone(seconds=0.5))
    clip = decode(path).sha256
    assert len(envelope(path, clip, 60).peaks) == POINTS
    changed = f"no waveform: {path} has changed since it was judged"
    assert envelope(path, "0" * 64, 60).note == changed
    assert envelope(path, clip, 0.1).note.startswith("no waveform: ")
    assert envelope(None, clip, 60).peaks == ()
