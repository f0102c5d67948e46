"""Formats whose readers go on to the end of the file, whatever their header counts."""

from __future__ import annotations

import io
import struct

import numpy as np
import pytest

from extractors.audio import AudioError, decode
from extractors.framing.extents import Extent, extents
from tests.support.encoded import RATE, encoded

_COUNTED = ("NIST/PCM_16", "NIST/ULAW", "AVR/PCM_16", "SVX/PCM_16")


@pytest.mark.parametrize("channels", [1, 2])
@pytest.mark.parametrize("kind", ["NIST/PCM_16", "NIST/ULAW", "AVR/PCM_16"])
def test_whole_files_are_read_as_before(kind: str, channels: int) -> None:
    clip = decode(encoded(kind, 1.0, channels=channels))
    assert clip.samples.shape == (RATE, channels)
    assert clip.cut is None


@pytest.mark.parametrize("kind", _COUNTED)
def test_a_missing_end_is_a_finding(kind: str) -> None:
    clip = decode(encoded(kind, 2.0)[:20_000])
    assert clip.cut is not None
    assert clip.cut.startswith("its header counts 2.00 s")


def test_of_psion_what_follows_is_left_out() -> None:
    one = encoded("WVE/ALAW", 1.0, rate=8000)
    assert decode(one + b"a text of a program " * 500).seconds == 1.0
    assert decode(one + one).seconds == 2.0


@pytest.mark.parametrize("count", [0, RATE // 2])
def test_a_count_of_the_last_flush_does_not_end_the_sound(count: int) -> None:
    whole = encoded("NIST/PCM_16", 2.0)
    flushed = whole.replace(b"sample_count -i 32000", b"sample_count -i %05d" % count)
    assert flushed != whole
    np.testing.assert_array_equal(decode(flushed).samples, decode(whole).samples)


def test_a_count_of_all_channels_is_no_missing_end() -> None:
    per_channel = encoded("NIST/PCM_16", 1.0, channels=2)
    in_all = per_channel.replace(b"sample_count -i 16000", b"sample_count -i 32000")
    assert in_all != per_channel
    clip = decode(in_all)
    assert (clip.seconds, clip.cut) == (1.0, None)


@pytest.mark.parametrize("digits", [19, 400, 5_000])
@pytest.mark.parametrize("field", ["sample_count", "sample_rate", "channel_count"])
def test_a_number_without_end_is_not_read(field: str, digits: int) -> None:
    header = b"NIST_1A\n   8192\n%s -i %s\n" % (field.encode(), b"9" * digits)
    file = header.ljust(8192, b"\0") + bytes(32_000)
    assert extents(io.BytesIO(file), len(file)) == [Extent(0, len(file))]


@pytest.mark.parametrize("form", ["MAT4", "MPC2K", "SDS", "XI"])
def test_samples_of_instruments_are_refused_with_a_remedy(form: str) -> None:
    subtype = "DPCM_16" if form == "XI" else "PCM_16"
    with pytest.raises(AudioError, match=rf"samples of an instrument .*\({form}\)"):
        decode(encoded(f"{form}/{subtype}", 1.0))


def test_samples_that_look_like_a_header_begin_no_recording() -> None:
    """Of formats that count nothing another recording begins with the same header."""
    whole = bytearray(encoded("IRCAM/PCM_16", 1.0))
    whole[20_000:20_004] = b"\x64\xa3\3\0"
    struct.pack_into("<f", whole, 20_004, 44_100.0)
    assert decode(bytes(whole)).seconds == 1.0
