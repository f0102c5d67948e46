"""Recordings in containers of sound and pictures, as phones and platforms make them."""

from __future__ import annotations

import os
from pathlib import Path

import av
import numpy as np
import pytest

from extractors import opening
from extractors.audio import AudioError, Part, decode
from extractors.containers import Unreadable, decoded
from extractors.formats import FORMATS
from tests.support.audio import container, tone
from trace_eval.data.manifests import read_manifest
from trace_eval.data.recordings import check_audio, find_recordings
from trace_eval.data.sources import RecordTable


def _container(path: Path, form: str, codec: str) -> Path:
    path.write_bytes(container(codec, form, tone(1.0, hz=190).repeat(3), 48_000))
    return path


@pytest.mark.parametrize(
    ("name", "kind", "codec"),
    [("x.m4a", "ipod", "aac"), ("x.mp4", "mp4", "aac"), ("x.webm", "webm", "libopus")],
)
def test_containers_are_recordings(
    name: str, kind: str, codec: str, tmp_path: Path
) -> None:
    path = _container(tmp_path / name, kind, codec)
    clip = decode(path)
    assert (clip.rate, clip.channels) == (48_000, 1)
    assert clip.seconds == pytest.approx(
        1, abs=0.05
    )  # an encoder pads its first and last block
    assert clip.sha256 == decode(path.read_bytes()).sha256
    assert find_recordings(tmp_path) == [path]
    item = {"id": "1", "a": str(path), "b": str(path)}
    assert not check_audio(read_manifest(RecordTable([item])).pairs)
    with pytest.raises(AudioError, match=r"longer than 0\.5 s"):
        decode(path, max_seconds=0.5)


def test_a_container_is_decoded_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A call of an hour has hundreds of turns, the last far behind the longest clip."""
    path, calls = _container(tmp_path / "x.m4a", "ipod", "aac"), []
    real = opening.decoded
    monkeypatch.setattr(
        opening, "decoded", lambda *told: calls.append(told) or real(*told)
    )
    whole = decode(path).samples
    for start in (0.7, 0.1, 0.3):
        result = decode(
            path, max_seconds=0.25, part=Part(0, start, start + 0.2)
        ).samples
        first = round(start * 48_000)
        np.testing.assert_array_equal(result, whole[first : first + 9600])
    assert len(calls) == 2  # as a whole, and for all of its parts
    _container(path, "ipod", "aac")  # written anew
    os.utime(path, ns=(1, 1))
    decode(path, part=Part(0, 0.1, 0.2))
    assert len(calls) == 3


def test_a_container_without_sound_is_said_to_have_none(tmp_path: Path) -> None:
    path = tmp_path / "silent film.mp4"
    with av.open(str(path), "w") as file:
        stream = file.add_stream("mpeg4", rate=25)
        stream.width = stream.height = 16
        file.mux(stream.encode(av.VideoFrame(16, 16, "yuv420p")))
        file.mux(stream.encode(None))
    with pytest.raises(
        AudioError, match=r"cannot be decoded \(it has no audio stream\); convert"
    ):
        decode(path)
    path.write_bytes(_container(tmp_path / "x.mp4", "mp4", "aac").read_bytes()[:600])
    with pytest.raises(
        AudioError, match=r"cannot be decoded \(FFmpeg: Invalid data found"
    ):
        decode(path)


def test_a_container_opens_no_other_file_and_the_error_has_the_table(
    tmp_path: Path,
) -> None:
    sound = _container(tmp_path / "x.mp4", "mp4", "aac")
    lists = {
        "hls.m4a": f"#EXTM3U\n#EXT-X-TARGETDURATION:9\n#EXTINF:1,\nfile://{sound}\n#EXT-X-ENDLIST\n",
        "concat.mp4": f"ffconcat version 1.0\nfile {sound}\n",
    }
    for name, text in lists.items():
        (tmp_path / name).write_text(text)
        with pytest.raises(
            AudioError, match=r"is not a recording but (a playlist|text)"
        ):
            decode(tmp_path / name)
        with pytest.raises(
            Unreadable, match=r"no audio stream|FFmpeg: |no format of"
        ):  # nor does FFmpeg
            decoded(str(tmp_path / name))
    (tmp_path / "damaged.mp4").write_bytes(sound.read_bytes()[:40])
    with pytest.raises(AudioError, match="cannot be decoded") as caught:
        decode(tmp_path / "damaged.mp4")
    assert all(each.name in str(caught.value) for each in FORMATS)
