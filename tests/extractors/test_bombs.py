"""Small files that hold much are refused before decoding, or read in bounded memory."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import soundfile

from extractors.audio import AudioError, decode
from tests.support.audio import tone, write
from tests.support.processes import python

_DECODE = """
import resource, sys, time
from extractors.audio import AudioError, decode
from extractors.stream import channel_blocks
used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (used + (300 << 20),) * 2)
try:
    decode(sys.argv[1])
except AudioError as error:
    print(error)
blocks = channel_blocks(sys.argv[1], [None])
print(*map(sum, zip(*((len(block), abs(block).max(initial=0)) for (block,) in blocks))))
"""


def _flac(path: Path, rate: int, channels: int, seconds: int) -> Path:
    with soundfile.SoundFile(path, "w", rate, channels, "PCM_16") as file:
        for _ in range(seconds):
            file.write(np.zeros((rate, channels), np.float32))
    return path


def _claiming(path: Path) -> Path:
    """Write a second whose header claims 2 GB."""
    soundfile.write(path, tone(1.0), 16_000, subtype="PCM_16")
    data = bytearray(path.read_bytes())
    data[4:8] = data[40:44] = b"\xff\xff\xff\x7f"
    path.write_bytes(bytes(data))
    return path


def test_many_channels_at_a_high_rate_take_no_memory(tmp_path: Path) -> None:
    path = _flac(tmp_path / "bomb.flac", 192_000, 8, 60)  # 369 MB of samples
    assert path.stat().st_size < 500_000
    refused, streamed = python(_DECODE, path).splitlines()
    assert (
        "more than 86400000 samples in 8 channels at 192000 Hz; mix it down" in refused
    )
    assert streamed == f"{60 * 16_000} 0.0"


def test_a_rate_that_nobody_records_at_takes_no_work(tmp_path: Path) -> None:
    # 86.4 million samples at 48 kHz are 6,328,221 at 655,350 Hz, the highest rate of
    # FLAC.
    path = _flac(tmp_path / "bomb.flac", 655_350, 1, 10)
    with pytest.raises(
        AudioError, match="more than 6328221 samples in 1 channels at 655350 Hz"
    ):
        decode(path)
    assert decode(_flac(tmp_path / "fine.flac", 96_000, 2, 2)).seconds == 2


def test_a_header_that_claims_too_much_is_not_believed(tmp_path: Path) -> None:
    assert decode(_claiming(tmp_path / "streamed.wav"), max_seconds=5).seconds == 1


def test_more_seconds_allow_more_samples(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("extractors.audio.MAX_SAMPLES_PER_S", 10)
    path = _flac(tmp_path / "x.flac", 9_000, 2, 1)
    assert decode(path).channels == 2
    path = _flac(tmp_path / "y.flac", 9_001, 2, 1)
    with pytest.raises(AudioError, match="or raise -X max_seconds"):
        decode(path)
    assert decode(path, max_seconds=2000).channels == 2


#: Prints what each recording came to, and the worker's peak after it, kilobytes.
_EXTRACT = """
import multiprocessing, sys
from pathlib import Path
from trace_eval import ExtractOptions, extract

def look(found):
    (worker,) = multiprocessing.active_children()
    status = Path(f"/proc/{worker.pid}/status").read_text()
    peak = next(line.split()[1] for line in status.splitlines() if line.startswith("VmHWM"))
    print(peak, found.error or "fine")

if __name__ == "__main__":
    unheard = dict.fromkeys(("transcript", "rate", "quality", "pitch"), "none")
    options = ExtractOptions(workers=1, overrides=unheard, cache=Path(sys.argv[1]))
    extract(sys.argv[2:], options, look)
"""

#: Beside what a worker takes of its own, bytes; the bombs hold 369 MB and claim 2 GB.
MOST = 100 << 20


def test_bombs_take_no_memory_of_a_worker(tmp_path: Path) -> None:
    plain = write(tmp_path / "plain.wav", tone(1.0))
    bomb = _flac(tmp_path / "bomb.flac", 192_000, 8, 60)
    claims = _claiming(tmp_path / "claims.wav")
    told = python(_EXTRACT, tmp_path / "cache", plain, bomb, claims)
    (own, fine), (after, refused), (last, claimed) = (
        line.split(maxsplit=1) for line in told.splitlines()
    )
    assert "fine" in fine
    assert "more than 86400000 samples in 8 channels" in refused
    assert "fine" in claimed
    more = (max(int(after), int(last)) - int(own)) * 1024
    assert more < MOST, f"{more:,} bytes beside {own} kB"
