"""The errors of word times, syllable counts and clipped shares are on the page."""

from __future__ import annotations

import numpy as np

from benchmarks.report import stored
from benchmarks.word_times import SYLLABLES, VOICES
from extractors.signal import clipping_ratio
from tests.support.cli import ROOT


def _short(value: float) -> str:
    return f"{abs(value):.2f}".removeprefix("0")


def test_the_page_has_the_measured_figures() -> None:
    page = " ".join((ROOT / "docs" / "reference" / "extractors.md").read_text().split())
    rows = {row["what"]: row for row in stored("word_times")["rows"]}
    starts, ends = rows["word starts, s"], rows["word ends, s"]
    assert f"Of {starts['n']} words whose times are known" in page
    assert (
        f"starts are {_short(starts['median'])} s off in the median and"
        f" {_short(starts['p90'])} s"
    ) in page
    assert f"its ends {_short(ends['median'])} and {_short(ends['p90'])} s" in page
    running = rows["syllables of running speech, relative error"]
    assert running["n"] == len(VOICES) * len(SYLLABLES)
    assert (
        f"{-100 * running['median']:.0f} % short in the median of {running['n']}"
        in page
    )
    clipped = rows["clipped share over the share at full scale"]
    assert (
        f"{_short(clipped['median'])} of the samples at full scale in {clipped['n']}"
        in page
    )


def test_the_page_has_the_figures_of_people() -> None:
    page = " ".join((ROOT / "docs" / "reference" / "extractors.md").read_text().split())
    rows = {row["who"]: row for row in stored("people_syllables")["rows"]}
    everyone, neutral = rows["all"], rows["neutral"]
    missed = (
        f"{-100 * everyone['median']:.0f} % in the median of {everyone['n']} acted"
        " German"
    )
    assert f"with people they miss more: {missed}" in page
    assert (
        f"{-100 * neutral['median']:.0f} % in the {neutral['n']} neutral ones" in page
    )


def test_the_clipped_share_counts_samples_in_runs() -> None:
    """Two samples of a peak are no flat top: the share is under that of all peaks."""
    time = np.arange(16_000) / 16_000
    peaks = np.clip(2.0 * np.sin(2 * np.pi * 200 * time), -1, 1).astype(np.float32)[
        :, None
    ]
    at_full_scale = float(np.mean(np.abs(peaks) >= 1))
    assert 0.9 * at_full_scale <= clipping_ratio(peaks) <= at_full_scale
    lone = np.zeros((16_000, 1), np.float32)
    lone[::100] = 1.0
    assert np.mean(lone >= 1) == 0.01
    assert clipping_ratio(lone) == 0.0
