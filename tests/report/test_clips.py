"""What is heard and drawn of a clip: its player, timeline, and spectrum read back."""

from __future__ import annotations

import base64
import struct
import zlib
from pathlib import Path
from urllib.parse import unquote

import numpy as np
import pytest

from benchmarks.synthetic_run import blueprint
from blueprints import Absent, Blueprint, Extension, Status, UserError
from extractors.audio import decode
from tests.support.audio import tone, write
from trace_eval.conversations.sound.peaks import outline
from trace_eval.data.answers import Recording
from trace_eval.report.audio import AudioAssets
from trace_eval.report.timeline import (
    BANDS,
    COLUMNS,
    HEIGHT,
    POINTS,
    SHADES,
    Envelope,
    curve,
    envelope,
    mirrored,
    spectrogram,
    ticks,
    timeline,
    widened,
)
from trace_eval.runs.outcomes import ClipRecord


def test_links_are_relative_and_quoted(tmp_path: Path) -> None:
    path = write(tmp_path / "50% #1 a?" / 'b"c.wav', tone())
    record = ClipRecord(source=str(path), clip=decode(path).sha256)
    inside = AudioAssets(tmp_path / "report.html").sound(Recording(audio=path), record)
    beside = AudioAssets(tmp_path / "run" / "report.html").sound(
        Recording(audio=path), record
    )
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
    assert [p.name for p in (tmp_path / "out" / "mine_audio").iterdir()] == [
        f"{clip}.wav"
    ]
    assert decode(tmp_path / "out" / "mine_audio" / f"{clip}.wav").sha256 == clip
    # a strange suffix is not copied into a name
    path = write(tmp_path / "c.wav", tone(hz=300)).rename(tmp_path / "a.wav<b>")
    clip = decode(path).sha256
    record = ClipRecord(source=str(path), clip=clip)
    assert assets.sound(Recording(audio=path), record).href == f"./mine_audio/{clip}"


def test_what_cannot_be_played_says_why(tmp_path: Path) -> None:
    gone = tmp_path / "gone.wav"
    assets = AudioAssets(tmp_path / "report.html", copy=True)
    sound = assets.sound(
        Recording(audio=gone), ClipRecord(source=str(gone), clip="c" * 64)
    )
    assert sound.href is None
    assert sound.note == f"{gone}: no such file any more"
    broken = write(tmp_path / "broken.wav", tone())
    record = ClipRecord(source=str(broken), error="broken.wav: cannot be decoded")
    assert assets.sound(Recording(audio=broken), record).href is None  # it has no hash
    assert (
        assets.sound(Recording(audio=broken), record).note
        == "broken.wav: cannot be decoded"
    )
    assert assets.sound(Recording(), None).note == "no recording"


def test_a_copy_that_cannot_be_written_stops_the_report(tmp_path: Path) -> None:
    path = write(tmp_path / "a.wav", tone())
    (tmp_path / "report_audio").write_text("in the way")
    with pytest.raises(UserError, match="report_audio: cannot be written"):
        AudioAssets(tmp_path / "report.html", copy=True).sound(
            Recording(audio=path), None
        )


def test_the_envelope_is_of_the_recording_that_was_judged(tmp_path: Path) -> None:
    path = write(tmp_path / "a.wav", tone(seconds=0.5))
    clip = decode(path).sha256
    assert len(envelope(path, clip, 60).peaks) == POINTS
    changed = f"no waveform: {path} has changed since it was judged"
    assert envelope(path, "0" * 64, 60).note == changed
    assert envelope(path, clip, 0.1).note.startswith("no waveform: ")
    assert envelope(None, clip, 60).peaks == ()


def test_curve_breaks_where_there_is_no_value_and_moves_by_differences() -> None:
    # 10 -> 12 is down by 2, 12 -> 12 is level; the lone 5 after the gap is a dot
    path = curve([None, 10.0, 12.0, 12.0, None, 5.0], lambda y: y)
    assert path == "M1.5 10h0l1 2h1M5.5 5h0"
    values = [0.4 * i for i in range(300)]
    moves = curve(list(values), lambda y: y)
    steps = sum(
        int(part.split(" ")[1]) for part in moves.replace("h1", "").split("l")[1:]
    )
    assert steps == round(
        values[-1]
    )  # the differences add up to the last rounded height


def test_waveform_is_upright_lines_around_the_middle() -> None:
    # lane from 10, 100 high: middle 60; half lengths 50 and 25; from the first line's
    # lower end (110) to the second's upper end (35) is 75 up
    assert mirrored((1.0, 0.5), 10, 100) == "M.5 10v100m1 -75v50"


def test_outline_is_the_peak_of_each_stretch_over_the_largest() -> None:
    samples = np.array([0.1, -0.2, 0.0, 0.4, 0.1, 0.1], np.float32)
    assert outline(samples, 3) == pytest.approx((0.5, 1.0, 0.25))
    for silent in (np.zeros(5, np.float32), np.zeros(0, np.float32)):
        assert outline(silent, 2).tolist() == [0.0, 0.0]
    assert len(outline(samples, 50)) == 50  # shorter than its drawing


@pytest.mark.parametrize(
    ("seconds", "step", "last"),
    [(0.35, "0.1", "0.3"), (9.47, "2", "8"), (103.0, "20", "100")],
)
def test_ticks_are_round_and_few(seconds: float, step: str, last: str) -> None:
    labels = [label for _, label in ticks(seconds)]
    assert labels[0] == "0"
    assert labels[1] == step
    assert labels[-1] == last


def test_scales_grow_for_a_clip_that_leaves_them_and_never_shrink() -> None:
    assert widened((50.0, 500.0), [100.0, None]) == (50.0, 500.0)
    assert widened((50.0, 500.0), [900.0, 40.0]) == (40.0, 900.0)


def test_a_clip_has_three_lanes_on_one_axis() -> None:
    drawn = timeline(blueprint("0" * 64, 1, 4.0), Envelope((1.0,) * POINTS))
    assert drawn.seconds == 4.0
    assert [lane.name for lane in drawn.lanes] == ["waveform", "pitch", "loudness"]
    assert all(lane.path.startswith("M") for lane in drawn.lanes)
    assert drawn.lanes[-1].top + drawn.lanes[-1].height == HEIGHT
    # equal tones are equally far apart: the pitch scale is logarithmic
    heights = [y for y, _ in drawn.lanes[1].grid]
    assert heights[0] - heights[1] == pytest.approx(heights[1] - heights[2])


def test_what_is_missing_is_said() -> None:
    absent = Absent(status=Status.SILENT, reason="nothing to hear")
    known = blueprint("0" * 64, 1, 4.0).model_copy(update={"pitch": absent})
    drawn = timeline(known, Envelope(note="no waveform: gone"))
    assert [lane.note for lane in drawn.lanes] == [
        "no waveform: gone",
        "no pitch: nothing to hear",
        "",
    ]
    assert timeline(Blueprint(clip="0" * 64), Envelope()) is None


def test_events_of_an_extension_are_marked_and_named() -> None:
    event = {"kind": "drop_out", "start_s": 0.5, "end_s": 0.75, "strength": 2.0}
    late = {"kind": "click", "start_s": 99, "end_s": 99}
    group = Extension(values={"events": [event, late]})
    bp = blueprint("c", 0, 3.0).model_copy(update={"extensions": {"defects": group}})
    drawn = timeline(bp, Envelope((0.5,) * POINTS))
    assert [str(event) for event in drawn.events] == ["drop out 0.5-0.8 s"]
    # what is no list of events is no mark
    odd = Extension(values={"events": [{"kind": "x"}], "n": 1})
    assert odd.events is None
    assert odd.render(None) == '{"events":[{"kind":"x"}],"n":1}'
    assert Extension(values={"events": []}).render(None) == "none"
    # a plug-in's values have the digits that ours have
    long = Extension(values={"peak": 0.1 + 0.2, "at": [123456.78, 3], "p": 1e-7 / 3})
    assert long.render(None) == '{"peak":0.3,"at":[123457.0,3],"p":3.3333e-08}'


def shades(address: str) -> np.ndarray:
    """Cells of the picture [shape=(BANDS, COLUMNS)], the lowest band first."""
    data = base64.b64decode(address.removeprefix("data:image/png;base64,"))
    at, packed = 8, b""
    while at < len(data):
        (size,) = struct.unpack(">I", data[at : at + 4])
        kind, body = data[at + 4 : at + 8], data[at + 8 : at + 8 + size]
        (sum_,) = struct.unpack(">I", data[at + 8 + size : at + 12 + size])
        assert sum_ == zlib.crc32(kind + body)
        packed += body if kind == b"IDAT" else b""
        at += 12 + size
    rows = np.frombuffer(zlib.decompress(packed), np.uint8).reshape(
        BANDS, 1 + COLUMNS // 2
    )
    cells = np.stack([rows[:, 1:] >> 4, rows[:, 1:] & 15], axis=-1).reshape(
        BANDS, COLUMNS
    )
    return cells[::-1]


@pytest.mark.parametrize("rate", [8_000, 16_000, 44_100])
def test_a_tone_stands_in_its_band_while_it_sounds(rate: int) -> None:
    # 2,000 Hz in the second half: of 48 bands of 166.7 Hz, 2,000 / 166.7 = 12 begins
    # there.
    time = np.arange(2 * rate) / rate
    tone = np.where(time < 1, 0, np.sin(2 * np.pi * 2_000 * time)).astype(np.float32)
    drawn = shades(spectrogram(tone, rate))
    assert (drawn[:, : COLUMNS // 2 - 4] == 0).all()
    loudest = drawn[:, COLUMNS // 2 + 4 :].argmax(axis=0)
    assert set(loudest.tolist()) <= {11, 12}
    assert drawn.max() == SHADES - 1
    # Half of 8,000 Hz is the half of the picture: nothing is above it.
    assert rate > 8_000 or (drawn[BANDS // 2 :] == 0).all()


def test_silence_and_a_click_have_no_picture_and_noise_a_small_one() -> None:
    assert spectrogram(np.zeros(16_000, np.float32), 16_000) == ""
    assert spectrogram(np.ones(10, np.float32), 16_000) == ""
    noise = np.random.default_rng(0).normal(size=96_000).astype(np.float32)
    assert (
        len(spectrogram(noise * np.linspace(0, 1, 96_000, dtype=np.float32), 16_000))
        < 9_400
    )
