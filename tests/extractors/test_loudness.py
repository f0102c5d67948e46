"""Loudness against the EBU's test signals and ffmpeg, and on clips that have none."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pyloudnorm
import pytest

from blueprints import Absent, Blueprint, Loudness, Status
from extractors.audio import Clip, decode
from extractors.contours import Floats
from extractors.loudness import LoudnessExtractor
from tests.support.processes import python

NOTHING = Blueprint(clip="0")
RATE = 48_000


def sine(dbfs: float, seconds: float, rate: int = RATE) -> Floats:
    """Return a 1 kHz sine whose peak is ``dbfs``, as EBU Tech 3341 counts it."""
    time = np.arange(int(seconds * rate)) / rate
    return np.asarray(10 ** (dbfs / 20) * np.sin(2 * np.pi * 1000 * time))


def clip_of(wave: Floats, rate: int = RATE, channels: int = 2) -> Clip:
    return Clip(
        np.repeat(wave[:, np.newaxis], channels, axis=1).astype(np.float32), rate
    )


def measured(clip: Clip) -> Loudness:
    got = LoudnessExtractor().extract(clip, NOTHING)
    assert isinstance(got, Loudness), got
    return got


@pytest.mark.parametrize("rate", [8_000, 16_000, 24_000, 44_100, 48_000, 192_000])
@pytest.mark.parametrize("dbfs", [-23.0, -33.0])
def test_ebu_tech_3341_cases_1_and_2(dbfs: float, rate: int) -> None:
    # Stereo 1 kHz at -23 (-33) dBFS reads -23.0 (-33.0) +- 0.1 LUFS.
    got = measured(clip_of(sine(dbfs, 5, rate), rate))
    assert got.integrated_lufs == pytest.approx(dbfs, abs=0.1)
    assert got.std_lu < 0.1
    assert got.range_lu == pytest.approx(0, abs=0.1)
    assert abs(got.slope_lu_per_s) < 0.05


def test_ebu_tech_3341_case_3() -> None:
    # 10 s at -36, 60 s at -23, 10 s at -36 dBFS: the relative gate (-33) drops the
    # ends.
    wave = np.concatenate([sine(-36, 10), sine(-23, 60), sine(-36, 10)])
    assert measured(clip_of(wave)).integrated_lufs == pytest.approx(-23, abs=0.1)


@pytest.mark.parametrize(
    ("channels", "lu"),
    # Channel powers add: 10 lg 2 = 3.01 LU. Left, right, centre weigh 1, the surrounds
    # 1.41: 10 lg (3 + 2.82) = 7.65 LU over one.
    [(2, 3.01), (5, 7.65)],
)
def test_channels_add_their_weighted_powers(channels: int, lu: float) -> None:
    one, many = (measured(clip_of(sine(-30, 1), channels=n)) for n in (1, channels))
    assert many.integrated_lufs - one.integrated_lufs == pytest.approx(lu, abs=0.01)


def test_step_shows_in_the_contour() -> None:
    # 2 s at -40 dBFS, then 2 s at -20 dBFS. Blocks wholly before or after the step,
    # whose centres are 0.2 s away from it, read -40 and -20 LUFS; between them it only
    # rises.
    got = measured(clip_of(np.concatenate([sine(-40, 2), sine(-20, 2)])))
    line = got.contour
    assert line.start_s == pytest.approx(0.2)
    assert line.step_s == pytest.approx(0.1)
    assert len(line.values) == 37  # (4 - 0.4) / 0.1 + 1
    values = np.array(line.values, dtype=float)
    times = line.start_s + line.step_s * np.arange(len(values))
    assert np.allclose(values[times < 1.81], -40, atol=0.1)
    assert np.allclose(values[times > 2.19], -20, atol=0.1)
    assert (np.diff(values[(times > 1.75) & (times < 2.25)]) > 0).all()
    # A block that is half loud has half the power: 10 lg 0.505 = -2.97 LU.
    assert values[np.argmin(np.abs(times - 2))] == pytest.approx(-22.97, abs=0.1)


def test_fade_has_the_slope_of_the_fade() -> None:
    # 20 dB in 4 s are 5 LU/s.
    time = np.arange(4 * RATE) / RATE
    got = measured(clip_of(sine(-40, 4) * 10 ** (5 * time / 20)))
    assert got.slope_lu_per_s == pytest.approx(5, abs=0.05)
    # Uniform in dB over the block centres 0.2 to 3.8 s: 85 % of 3.6 s * 5 LU/s = 15.3
    # LU. The quietest block is at -39 and the mean near -26.6, so the range's gate
    # keeps all.
    assert got.range_lu == pytest.approx(15.3, abs=0.2)


def test_pause_is_null_in_the_contour() -> None:
    gap = np.zeros(RATE)
    got = measured(clip_of(np.concatenate([sine(-23, 1), gap, sine(-23, 1)])))
    times = got.contour.start_s + got.contour.step_s * np.arange(
        len(got.contour.values)
    )
    nulls = times[[value is None for value in got.contour.values]]
    # Blocks of 0.4 s wholly inside the pause from 1 to 2 s: centres 1.2 to 1.8 s.
    assert nulls.min() == pytest.approx(1.2, abs=0.11)
    assert nulls.max() == pytest.approx(1.8, abs=0.11)


def test_short_clips_have_no_range_and_one_block_is_enough() -> None:
    got = measured(clip_of(sine(-23, 0.5)))
    assert got.range_lu is None
    assert got.integrated_lufs == pytest.approx(-23, abs=0.2)
    shortest = measured(clip_of(sine(-23, 0.4)))
    assert (len(shortest.contour.values), shortest.std_lu) == (1, 0)


def test_clips_without_loudness() -> None:
    rng = np.random.default_rng(1)
    cases = {
        "empty": (clip_of(np.zeros(0)), Status.TOO_SHORT),
        "0.05 s": (clip_of(sine(-23, 0.05)), Status.TOO_SHORT),
        "0.39 s": (clip_of(sine(-23, 0.39)), Status.TOO_SHORT),
        "silence": (clip_of(np.zeros(RATE)), Status.SILENT),
        "only DC": (clip_of(np.full(RATE, 0.5)), Status.SILENT),
        # Its peaks are at -58 dBFS, but as a lone click per second it stays under the
        # gate.
        "clicks": (
            clip_of(np.where(np.arange(2 * RATE) % RATE, 0, 1.2e-3)),
            Status.SILENT,
        ),
        "8 channels": (clip_of(rng.normal(0, 0.1, RATE), channels=8), Status.FAILED),
    }
    for name, (clip, status) in cases.items():
        got = LoudnessExtractor().extract(clip, NOTHING)
        assert isinstance(got, Absent), name
        assert got.status is status, (name, got.reason)


def test_noise_and_dc_offset() -> None:
    noise = np.random.default_rng(1).normal(0, 0.05, 3 * RATE)
    plain, shifted = measured(clip_of(noise)), measured(clip_of(noise + 0.2))
    # The 38 Hz high-pass removes the offset but for its onset, which is in the first
    # block.
    assert shifted.integrated_lufs == pytest.approx(plain.integrated_lufs, abs=0.5)
    assert shifted.contour.values[5] == pytest.approx(plain.contour.values[5], abs=0.01)


def ffmpeg_lufs(path: Path) -> float:
    command = ["ffmpeg", "-nostats", "-hide_banner", "-i", str(path), "-af", "ebur128"]
    done = subprocess.run(
        [*command, "-f", "null", "-"], capture_output=True, text=True, check=True
    )
    summary = done.stderr[done.stderr.rindex("Summary:") :]
    match = re.search(r"I:\s+(-?[\d.]+) LUFS", summary)
    assert match, summary
    return float(match.group(1))


def test_every_shared_clip_agrees_with_ffmpeg(data: Path) -> None:
    if shutil.which("ffmpeg") is None:
        pytest.skip("ffmpeg is not installed; run: apt-get install ffmpeg")
    files = sorted(data.glob("*_pairs/*/*.wav")) + sorted(data.glob("prompts/*.wav"))
    assert len(files) > 30
    for file in files:
        got = measured(decode(file)).integrated_lufs
        assert got == pytest.approx(ffmpeg_lufs(file), abs=0.2), file


@pytest.mark.parametrize("rate", [4_000, 11_025, 16_000, 44_100, 192_000])
def test_equals_the_recursive_filters(rate: int) -> None:
    # pyloudnorm runs the filters of scipy.signal; blocks under the gate of -70 LUFS
    # count, too.
    meter = pyloudnorm.Meter(rate, filter_class="DeMan")
    rng = np.random.default_rng(rate)
    level = np.repeat(10 ** rng.uniform(-4, 0, 12), int(0.3 * rate))[:, np.newaxis]
    wave = rng.normal(0, 0.2, (len(level), 2)) * level + 0.3
    got = measured(Clip(wave.astype(np.float32), rate))
    want = meter.integrated_loudness(wave.astype(np.float32).astype(np.float64))
    assert got.integrated_lufs == pytest.approx(want, abs=1e-9)
    blocks = np.array(meter.blockwise_loudness[: len(got.contour.values)])
    heard = [np.nan if value is None else value for value in got.contour.values]
    assert heard == pytest.approx(
        np.where(blocks < -70, np.nan, blocks), abs=0.0051, nan_ok=True
    )


def test_a_rate_without_the_standards_filter_has_no_loudness() -> None:
    got = LoudnessExtractor().extract(clip_of(sine(-23, 1, 3_000), 3_000), NOTHING)
    assert isinstance(got, Absent)
    assert got.reason == "at 3000 Hz there is no shelf at 1682 Hz; record it at 8 kHz"


def test_no_slow_package_is_imported() -> None:
    # scipy.signal takes most of a second of CPU in every worker.
    script = (
        "import sys; import numpy as np\nfrom blueprints import Blueprint\n"
        "from extractors.audio import Clip; from extractors.loudness import"
        " LoudnessExtractor\n"
        "clip = Clip(np.ones((9000, 1), np.float32) * np.sin(np.arange(9000))[:, None],"
        " 9000)\n"
        "LoudnessExtractor().extract(clip, Blueprint(clip='0')); print('scipy' in"
        " sys.modules)"
    )
    assert python(script) == "False\n"
