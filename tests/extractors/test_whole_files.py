"""All sound that a file holds is decoded, or the file is refused; no part is lost."""

from __future__ import annotations

import base64
import io
import pickle
import struct
import time
from fractions import Fraction
from pathlib import Path

import av
import numpy as np
import pytest
import soundfile
from scipy.signal import resample_poly

from extractors.audio import AudioError, decode
from extractors.containers import decoded
from extractors.stream import channel_blocks
from tests.support.encoded import RATE, encoded, sweep
from tests.support.processes import python
from tests.support.speed import within

_KINDS = (
    *(
        "WAV/PCM_16",
        "WAV/FLOAT",
        "RF64/PCM_16",
        "AIFF/PCM_16",
        "AU/PCM_16",
        "CAF/PCM_16",
        "W64/PCM_16",
        "VOC/PCM_16",
        "VOC/ULAW",
        "NIST/PCM_16",
        "AVR/PCM_16",
        "SVX/PCM_16",
        "IRCAM/PCM_16",
        "PAF/PCM_16",
        "PVF/PCM_16",
    ),
    *("FLAC", "OGG/VORBIS", "OGG/OPUS", "MP3"),
    *("ipod:aac", "adts:aac", "webm:libopus", "matroska:libopus"),
)


@pytest.mark.parametrize("kind", _KINDS)
def test_files_that_are_joined_are_decoded_to_the_end(
    kind: str, tmp_path: Path
) -> None:
    lengths = (0.8, 1.1, 0.6)
    parts = [
        encoded(kind, s, rate=RATE, channels=1, seed=n) for n, s in enumerate(lengths)
    ]
    path = tmp_path / "joined.audio"
    path.write_bytes(b"".join(parts))
    clip = decode(path)
    alone = sum(decode(part).seconds for part in parts)
    assert clip.seconds == pytest.approx(alone, abs=0.06)
    assert clip.seconds >= sum(lengths) - 0.1
    assert decode(path.read_bytes()).sha256 == clip.sha256
    (streamed,) = zip(*channel_blocks(path, [0]), strict=True)
    assert sum(map(len, streamed)) == pytest.approx(clip.seconds * RATE, abs=2)


@pytest.mark.parametrize("kind", ["WAV/PCM_16", "FLAC", "OGG/OPUS", "MP3", "adts:aac"])
def test_parts_of_other_rates_and_channels_are_heard_at_the_highest_rate(
    kind: str, tmp_path: Path
) -> None:
    path = tmp_path / "joined.audio"
    path.write_bytes(
        encoded(kind, 1.0) + encoded(kind, 1.0, 24_000, 2) + encoded(kind, 1.0, 8_000)
    )
    clip = decode(path)
    assert clip.seconds == pytest.approx(
        3.0, abs=0.5
    )  # encoders pad by up to .13 s each
    assert clip.channels == 2
    assert clip.rate >= 24_000


def test_thousands_of_headers_are_refused_at_once() -> None:
    """Each was looked for to the end of a MB: a file of that size took minutes."""
    before = time.process_time()
    with pytest.raises(AudioError, match="it holds over 4096 recordings"):
        decode((b"fLaC\0\0\0\x22" + bytes(20)) * 40_000)
    assert within(time.process_time() - before, 5)


def test_parts_may_be_of_other_formats(tmp_path: Path) -> None:
    path = tmp_path / "mixed.mp3"
    for first, second in (
        ("MP3", "WAV/PCM_16"),
        ("FLAC", "OGG/OPUS"),
        ("OGG/VORBIS", "FLAC"),
    ):
        path.write_bytes(encoded(first, 1.0) + encoded(second, 0.7))
        assert decode(path).seconds == pytest.approx(1.7, abs=0.12)


def test_a_part_that_cannot_be_decoded_refuses_the_file(tmp_path: Path) -> None:
    second = bytearray(encoded("FLAC", 1.0))
    second[300:900] = bytes(600)
    path = tmp_path / "joined.flac"
    path.write_bytes(encoded("FLAC", 1.0) + bytes(second))
    with pytest.raises(
        AudioError, match="2 recordings, one behind the other, and of number 2"
    ):
        decode(path)


#: How the size of the samples is written: mark before it, bytes behind the mark, and
#: its form.
_SIZES = {
    "WAV/PCM_16": (b"data", 4, "<I"),
    "WAV/FLOAT": (b"data", 4, "<I"),
    "WAV/PCM_24": (b"data", 4, "<I"),
    "RF64/PCM_16": (b"ds64", 16, "<Q"),
    "AU/PCM_16": (b".snd", 8, ">I"),
    "AIFF/PCM_16": (b"SSND", 4, ">I"),
    "CAF/PCM_16": (b"data", 4, ">q"),
}


@pytest.mark.parametrize("flushed", [0.0, 0.5, 0.9])
@pytest.mark.parametrize("kind", _SIZES)
def test_a_size_of_the_last_flush_does_not_end_the_sound(
    kind: str, flushed: float, tmp_path: Path
) -> None:
    data = bytearray(encoded(kind, 2.0))
    mark, behind, form = _SIZES[kind]
    at = data.index(mark) + behind
    (size,) = struct.unpack_from(form, data, at)
    struct.pack_into(form, data, at, int(size * flushed) // 8 * 8)
    path = tmp_path / "killed.wav"
    path.write_bytes(bytes(data))
    whole = encoded(kind, 2.0)
    assert decode(path).samples.shape == (2 * RATE, 1)
    assert np.array_equal(decode(path).samples, decode(whole).samples)


def test_further_chunks_of_samples_are_heard() -> None:
    """Programs that append write another chunk of samples after the one header."""
    whole = encoded("WAV/PCM_16", 1.0)
    chunk = whole[whole.index(b"data") :]
    data = bytearray(whole + b"note\x04\x00\x00\x00abcd" + chunk + chunk)
    struct.pack_into("<I", data, 4, len(data) - 8)
    heard = decode(bytes(data)).samples
    assert np.array_equal(heard, np.tile(decode(whole).samples, (3, 1)))


@pytest.mark.parametrize("total", [0, RATE, 4 * RATE])
def test_a_count_of_flac_that_its_frames_contradict_is_not_believed(total: int) -> None:
    data = bytearray(encoded("FLAC", 2.0))
    info = int.from_bytes(data[18:26], "big")
    data[18:26] = ((info >> 36 << 36) | total).to_bytes(8, "big")
    assert np.array_equal(
        decode(bytes(data)).samples, decode(encoded("FLAC", 2.0)).samples
    )


def _uncounted(kind: str, seconds: float) -> bytes:
    """Encode a recording of MP3 without the frame that counts its frames."""
    one = encoded(kind, seconds)
    info = one.index(b"Info") if b"Info" in one else one.index(b"Xing")
    start = one.rindex(b"\xff", 0, info)
    second = one.index(one[start : start + 2], start + 4)
    return one[second:]


def test_mp3_without_a_count_of_frames_is_read_to_its_end() -> None:
    assert decode(_uncounted("MP3", 3.0)).seconds >= 3.0


def test_streaming_servers_sizes_of_all_ones_end_where_the_next_file_begins() -> None:
    parts = []
    for number in range(3):
        data = bytearray(encoded("WAV/PCM_16", 0.5, rate=RATE, channels=1, seed=number))
        data[4:8] = data[40:44] = b"\xff\xff\xff\xff"
        parts.append(bytes(data))
    assert decode(b"".join(parts)).samples.shape == (3 * RATE // 2, 1)


_TAILS = {
    "ID3v1": b"TAG" + b"title".ljust(125, b"\0"),
    "APE": b"APETAGEX" + struct.pack("<IIII8x", 2000, 96, 1, 0) + bytes(64),
    "zeros": bytes(6000),
    "text": b"<x:xmpmeta xmlns:x='adobe:ns:meta/'>" * 200,
    "random": np.random.default_rng(0).bytes(20_000),
    "chunk": b"LIST" + struct.pack("<I", 4000) + b"INFO" + bytes(3996),
}


@pytest.mark.parametrize("tail", _TAILS)
@pytest.mark.parametrize(
    "kind",
    [
        *("WAV/PCM_16", "FLAC", "OGG/OPUS", "MP3", "ipod:aac", "AU/PCM_16"),
        *("W64/PCM_16", "VOC/PCM_16", "VOC/ULAW"),
        *("NIST/PCM_16", "NIST/ULAW", "AVR/PCM_16", "SVX/PCM_16"),
    ],
)
def test_what_stands_behind_a_recording_is_no_part_of_it(kind: str, tail: str) -> None:
    if tail == "chunk" and kind != "WAV/PCM_16":
        pytest.skip("chunks follow in WAV alone")
    one = encoded(kind, 1.5)
    assert decode(one + _TAILS[tail]).seconds == pytest.approx(
        decode(one).seconds, abs=0.02
    )


def _id3(size: int) -> bytes:
    """Return a tag of ID3v2 with a picture of so many bytes."""
    seven_bits = bytes(size >> shift & 0x7F for shift in (21, 14, 7, 0))
    return b"ID3\3\0\0" + seven_bits + np.random.default_rng(1).bytes(size)


@pytest.mark.parametrize(
    "kind",
    [
        "WAV/PCM_16",
        "WAV/ULAW",
        "RF64/PCM_16",
        "AIFF/PCM_16",
        "CAF/PCM_16",
        "MP3",
        "mp3:mp3",
        "ipod:aac",
        "webm:libopus",
    ],
)
def test_a_tag_in_front_costs_no_sound(kind: str) -> None:
    """Of WAV and AIFF as many bytes were lost at the end as the tag has."""
    one = encoded(kind, 1.5) if kind != "mp3:mp3" else _uncounted(kind, 1.5)
    tagged = decode(_id3(20_000) + one)
    assert tagged.cut is None
    np.testing.assert_array_equal(tagged.samples, decode(one).samples)


def _live(kind: str, seconds: float) -> bytes:
    """Encode a recording as browsers write it: of a segment without a size."""
    one = encoded(kind, seconds)
    segment = one.index(b"\x18\x53\x80\x67") + 4
    assert one[segment] == 1  # seven bytes of size follow
    return one[: segment + 1] + b"\xff" * 7 + one[segment + 8 :]


@pytest.mark.parametrize("first", ["ipod:aac", "webm:libopus", "live"])
@pytest.mark.parametrize("second", ["WAV/PCM_16", "MP3", "OGG/OPUS"])
def test_what_follows_a_container_is_heard(first: str, second: str) -> None:
    container = _live("webm:libopus", 1.0) if first == "live" else encoded(first, 1.0)
    both = decode(container + encoded(second, 1.5))
    assert both.seconds == pytest.approx(2.5, abs=0.2)


def test_a_live_recording_behind_one_that_broke_off_is_heard() -> None:
    one = _live("webm:libopus", 1.0)
    assert decode(one[:-70] + one).seconds == pytest.approx(2.0, abs=0.1)


def _with_gap(path: Path, second_s: int) -> Path:
    """Write a second of sound at once, and again where the second packet begins."""
    wave = (20_000 * sweep(1.0)[:, 0]).astype(np.int16)
    with av.open(path, "w") as file:
        stream = file.add_stream("pcm_s16le", rate=RATE)
        stream.layout = "mono"
        for start_s in (0, second_s):
            frame = av.AudioFrame.from_ndarray(wave[None], format="s16", layout="mono")
            frame.sample_rate, frame.pts = RATE, start_s * RATE
            frame.time_base = Fraction(1, RATE)
            file.mux(stream.encode(frame))
        file.mux(stream.encode(None))
    return path


@pytest.mark.parametrize("second_s", [3, 90])
def test_what_is_missing_between_two_packets_is_silent(
    tmp_path: Path, second_s: int
) -> None:
    """A server lost fragments; what follows must not come earlier than it was said.

    A track of somebody who muted himself for a minute and a half is one, too.
    """
    path = _with_gap(tmp_path / "call.mka", second_s)
    clip = decode(path)
    assert clip.seconds == pytest.approx(second_s + 1, abs=0.01)
    loud = np.abs(clip.mono) > 0.01
    assert not loud[RATE : second_s * RATE].any()
    np.testing.assert_allclose(clip.mono[:RATE], clip.mono[-RATE:], atol=1e-6)
    with pytest.raises(AudioError, match="longer than 2 s"):
        decode(path, max_seconds=2)


def test_days_between_two_packets_are_no_recording(tmp_path: Path) -> None:
    path = _with_gap(tmp_path / "call.mka", 86_400)
    with pytest.raises(AudioError, match="over 4 h are missing between its packets"):
        list(channel_blocks(path, [0]))


def test_a_size_of_all_ones_in_64_bits_is_no_bug() -> None:
    one = bytearray(encoded("RF64/PCM_16", 1.0))
    at = one.index(b"ds64")
    one[at + 8 : at + 32] = b"\xff" * 24
    with pytest.raises(AudioError, match="cannot be decoded"):
        decode(bytes(one))


def test_mp3_before_zeros_is_not_called_samples_without_a_header() -> None:
    """The remedy for samples of mu-law made noise of it."""
    with pytest.raises(AudioError, match="cannot be decoded"):
        decode(_uncounted("mp3:mp3", 3.0) + bytes(65_536))


def test_samples_without_a_header_are_never_a_moment_of_mpeg(tmp_path: Path) -> None:
    """Small numbers look like headers of MPEG audio: .03 to .09 s of it were heard."""
    path = tmp_path / "answer.pcm"
    named = 0
    for seed in range(30):
        rng = np.random.default_rng(seed)
        wave = np.concatenate(
            [rng.normal(0, 1.2, 600), 6000 * sweep(1.0, seed=seed % 5)[:, 0]]
        )
        path.write_bytes(wave.astype("<i2").tobytes())
        with pytest.raises(AudioError) as refused:
            decode(path)
        named += "ffmpeg -f s16le -ar 16000 -ac 1 -i IN OUT.wav" in str(refused.value)
    assert named == 30


@pytest.mark.parametrize("first", [640, 896, -29_921])
def test_samples_without_a_header_are_no_other_file_by_their_first_one(
    first: int,
) -> None:
    """The first sample may be the first two bytes of another file."""
    wave = (6000 * sweep(1.0)[:, 0]).astype("<i2")
    wave[0] = first
    with pytest.raises(AudioError, match="samples without a header"):
        decode(wave.tobytes())


_RAW = {
    "mulaw": ("ULAW", None),
    "alaw": ("ALAW", None),
    "u8": ("PCM_U8", None),
    "s16be": ("PCM_16", "BIG"),
    "s24le": ("PCM_24", "LITTLE"),
    "f32le": ("FLOAT", "LITTLE"),
}


@pytest.mark.parametrize("form", _RAW)
def test_samples_without_a_header_are_called_by_their_own_form(form: str) -> None:
    """Mu-law was called 16-bit: the printed command made noise of it."""
    subtype, endian = _RAW[form]
    raw = io.BytesIO()
    wave = resample_poly(sweep(1.0)[:, 0], 1, 2)
    soundfile.write(raw, wave, 8_000, subtype, endian, format="RAW")
    with pytest.raises(AudioError, match=f"which look like {form}; ffmpeg -f {form} "):
        decode(raw.getvalue())


def test_a_damaged_recording_is_not_taken_for_samples_without_a_header() -> None:
    """A hole in an MP3 was called mu-law."""
    whole = b"ID3\x04" + bytes(6) + encoded("MP3", 3.0)
    third = len(whole) // 3
    with pytest.raises(AudioError, match="cannot be decoded"):
        decode(whole[:third] + bytes(2 * third) + whole[third:])


_NO_SOUND = {
    "a page of HTML": b"<!DOCTYPE html><html><title>502 Bad Gateway</title></html>",
    "JSON": b'{"error": {"message": "Rate limit reached", "type": "requests"}}',
    "XML": b'<?xml version="1.0"?><Error><Code>AccessDenied</Code></Error>',
    "a pointer of Git LFS": b"version https://git-lfs.github.com/spec/v1\noid sha256:1\nsize 2\n",
    "a pointer of git-annex": b"/annex/objects/SHA256E-s2-1.wav\n",
    "a zip archive": b"PK\x03\x04" + bytes(60),
    "a gzip archive": b"\x1f\x8b\x08" + bytes(60),
    "text": b"Service Unavailable\n",
    "a playlist": b"#EXTM3U\nhttp://127.0.0.1/a.wav\n",
    "nothing but zeros": bytes(9000),
    "nothing but blanks": b"\n\n  \n",
    "a picture (PNG)": b"\x89PNG\r\n\x1a\n" + bytes(40),
    "an array of numpy": b"\x93NUMPY\x01\x00" + bytes(40),
    "a reply with its headers": b"HTTP/1.1 200 OK\r\nContent-Type: audio/wav\r\n\r\nRIFF",
    "events of a stream": b'data: {"type": "audio.delta", "delta": "UklGRg=="}\n\n',
    "a link that Git wrote as text": b"../common/answer.wav",
    "numbers written as text": b"0.01\n-0.02\n3e-4\n" * 90,
    "sound written as hexadecimals": (b"RIFF$\0\0\0WAVEfmt " + bytes(90))
    .hex()
    .encode(),
    "what macOS notes": b"\0\5\x16\7\0\2\0\0Mac OS X" + bytes(90),
    "a pickle of Python": pickle.dumps([0.5] * 40),
    "a pickle": pickle.dumps({"rate": 16_000, "samples": [0.5] * 40}, protocol=2),
    "a picture or a film": b"RIFF\x40\0\0\0WEBPVP8 " + bytes(90),
    "6 other bytes and one behind them": b"utt1 \0RIFF\x40\0\0\0WAVEfmt " + bytes(90),
    "sound written as base64": base64.b64encode(b"RIFF$\0\0\0WAVEfmt " + bytes(90)),
}


@pytest.mark.parametrize("suffix", [".wav", ".mp3", ".ogg", ".m4a"])
@pytest.mark.parametrize("what", _NO_SOUND)
def test_what_is_no_recording_is_called_what_it_is(
    what: str, suffix: str, tmp_path: Path
) -> None:
    path = tmp_path / f"answer{suffix}"
    path.write_bytes(_NO_SOUND[what])
    with pytest.raises(AudioError) as refused:
        decode(path)
    assert f"{path}: is not a recording but {what}" in str(refused.value)
    assert "; " in str(refused.value).partition(what)[2]  # a remedy follows


def test_keys_in_an_error_body_are_not_shown(tmp_path: Path) -> None:
    path = tmp_path / "answer.wav"
    path.write_bytes(
        b'{"error": "Incorrect API key provided: sk-proj-' + b"a1B2" * 12 + b'"}'
    )
    with pytest.raises(AudioError, match="is not a recording but JSON") as refused:
        decode(path)
    assert "a1B2" not in str(refused.value)


def test_zeros_of_gigabytes_are_refused_at_once(tmp_path: Path) -> None:
    path = tmp_path / "answer.mp3"
    with path.open("wb") as file:
        file.truncate(8 << 30)
    script = """
import sys, time
from extractors.audio import AudioError, decode
from tests.support.memory import peak_kb
before, used = time.process_time(), peak_kb()
try:
    decode(sys.argv[1])
except AudioError as error:
    print(error)
print(time.process_time() - before < 5)
print(peak_kb() - used < 100_000)
"""
    said, quick, small = python(script, path).splitlines()
    assert "is not a recording but nothing but zeros" in said
    assert (quick, small) == ("True", "True")


def test_a_stream_that_changes_its_rate_is_decoded_at_its_first_one() -> None:
    joined = io.BytesIO(encoded("adts:aac", 1.0) + encoded("adts:aac", 1.0, 24_000, 2))
    with decoded(joined) as sound:
        assert soundfile.info(sound).duration == pytest.approx(2.2, abs=0.2)
