from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from blueprints import Absent, Accent, Emotion, Extension
from extractors.audio import Clip
from extractors.base import Item
from extractors.emotion2vec import Emotion2vecExtractor, equal_cuts, split
from extractors.model_backed import MAX_STACK_S, equal_lengths
from extractors.voices import EcapaBased, EcapaExtractor, SpeakerExtractor
from tests.support.model_parts import known, silence, spoken_in, voice
from tests.support.tiny_emotion2vec import LABELS, write_emotion2vec


def noisy(seconds: float, level: float) -> Clip:
    """Return a voice that no other level gives."""
    clip = voice(seconds)
    noise = np.random.default_rng(round(1000 * level)).normal(
        0, 0.02, clip.samples.shape
    )
    return Clip((level * (clip.samples + noise)).astype(np.float32), clip.rate, "noisy")


def items(*clips: Clip) -> list[Item]:
    return [Item(clip, known(clip)) for clip in clips]


def count_stacks(
    owner: Any, method: str, monkeypatch: pytest.MonkeyPatch
) -> list[tuple[int, ...]]:
    """Shapes of what a method is given from now on."""
    shapes: list[tuple[int, ...]] = []
    original = getattr(owner, method)

    def counting(heard: Any, *rest: Any, **options: Any) -> Any:
        shapes.append(tuple(heard.shape))
        return original(heard, *rest, **options)

    monkeypatch.setattr(owner, method, counting)
    return shapes


def test_only_equal_lengths_share_a_stack() -> None:
    parts = [np.zeros(n, np.float32) for n in (3, 4, 3, 3, 5, 4)]
    assert equal_lengths(parts, 8) == [[0, 2, 3], [1, 5], [4]]
    assert equal_lengths(parts, 2) == [[0, 2], [3], [1, 5], [4]]
    assert equal_lengths(parts, 1) == [[0], [2], [3], [1], [5], [4]]
    assert equal_lengths([], 8) == []


def test_a_stack_of_long_clips_is_small() -> None:
    # 240 s hold four clips of a minute; a longer one goes alone.
    minute = np.zeros(60 * 16_000, np.float32)
    assert [len(stack) for stack in equal_lengths([minute] * 9, 8)] == [4, 4, 1]
    longer = np.zeros(round(MAX_STACK_S * 16_000) + 1, np.float32)
    assert equal_lengths([longer] * 2, 8) == [[0], [1]]


@pytest.mark.parametrize("kind", [EcapaExtractor, SpeakerExtractor])
def test_equally_long_clips_share_a_pass_of_an_ecapa(
    accent_folder: Path, monkeypatch: pytest.MonkeyPatch, kind: type[EcapaBased]
) -> None:
    extractor = kind(model=str(accent_folder), device="cpu", batch=8)
    clips = (
        noisy(3.0, 1.0),
        noisy(4.0, 0.9),
        noisy(3.0, 0.1),
        silence(),
        noisy(70.0, 0.8),
    )
    batch = items(*clips, noisy(65.0, 0.7), noisy(3.0, 0.6))
    alone = [extractor.extract(item.clip, item.known) for item in batch]
    shapes = count_stacks(extractor.opened(), "encode_batch", monkeypatch)
    together = extractor.extract_batch(batch)
    # Of each of the two clips over a minute, a minute is heard.
    assert shapes == [(3, 48_000), (1, 64_000), (2, 960_000)]
    assert together[3] == alone[3]
    assert isinstance(together[3], Absent)
    vectors = [
        list(numbers(found).values())
        for found in together
        if not isinstance(found, Absent)
    ]
    for found, wanted in zip(together, alone, strict=True):
        if not isinstance(wanted, Absent):
            assert numbers(found) == pytest.approx(numbers(wanted), abs=1e-5)
    # They are all different, so that a swap would be seen.
    assert min(np.abs(np.subtract(a, b)).max() for a, b in pairwise(vectors)) > 1e-3


def numbers(found: Any) -> dict[str, float]:
    if isinstance(found, Accent):
        return found.similarities
    assert isinstance(found, Extension)
    embedding: Any = found.values["embedding"]
    return {str(index): value for index, value in enumerate(embedding)}


def test_a_batch_keeps_the_gates(accent_folder: Path) -> None:
    extractor = EcapaExtractor(model=str(accent_folder), batch=8)
    clip = voice()
    german = known(clip).model_copy(update={"transcript": spoken_in("de")})
    english = known(clip).model_copy(update={"transcript": spoken_in("en")})
    groups = extractor.extract_batch([Item(clip, german), Item(clip, english)])
    assert [type(each) for each in groups] == [Absent, Accent]
    (absent,) = extractor.extract_batch(items(silence()))
    assert isinstance(absent, Absent)


def test_windows_of_an_emotion_share_a_pass(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = write_emotion2vec(tmp_path / "random", favours=None)
    batch = items(
        noisy(16.1, 1.0), noisy(4.0, 0.1), silence(), noisy(61.0, 0.5), noisy(4.0, 0.8)
    )
    # One at a time, all is funasr's doing.
    alone = Emotion2vecExtractor(model=str(folder), device="cpu", window_s=5, batch=1)
    wanted = [alone.extract(item.clip, item.known) for item in batch]
    extractor = replace(alone, batch=8)
    network = extractor.opened().model.model
    shapes = count_stacks(network, "extract_features", monkeypatch)
    groups = extractor.extract_batch(batch)
    # Alone: 16.1 s as a whole. Together: its three windows of 5.3667 s (85866 or 85867
    # samples once their ends are rounded), the twelve of 61 s (5.0833 s, 81333 or 81334
    # samples), the two clips of 4 s.
    assert sorted(shapes) == [
        (1, 257_600),
        (2, 64_000),
        (3, 85_866),
        (4, 81_333),
        (8, 81_333),
    ]
    assert isinstance(groups[2], Absent)
    for one, other in zip(groups, wanted, strict=True):
        if isinstance(one, Emotion) and isinstance(other, Emotion):
            assert one.scores == pytest.approx(other.scores, abs=1e-5)
            for a, b in zip(one.trajectory, other.trajectory, strict=True):
                assert (a.start_s, a.end_s) == (b.start_s, b.end_s)
                assert a.scores == pytest.approx(b.scores, abs=1e-5)
    present = [
        list(each.scores.values()) for each in groups if isinstance(each, Emotion)
    ]
    assert len(present) == 4
    assert min(np.abs(np.subtract(a, b)).max() for a, b in pairwise(present)) > 1e-4


def test_unused_labels_vanish_from_a_stack_too(tmp_path: Path) -> None:
    labels = [*LABELS[:5], "unuse_0", *LABELS[6:]]
    folder = write_emotion2vec(tmp_path / "unused", labels=labels, favours=None)
    batch = items(noisy(3.0, 1.0), noisy(3.0, 0.5))
    groups = Emotion2vecExtractor(model=str(folder), batch=2).extract_batch(batch)
    single = Emotion2vecExtractor(model=str(folder), batch=1).extract_batch(batch)
    for one, other in zip(groups, single, strict=True):
        assert isinstance(one, Emotion)
        assert isinstance(other, Emotion)
        assert list(one.scores) == list(other.scores)
        assert len(one.scores) == 8
        assert one.scores == pytest.approx(other.scores, abs=1e-5)


@pytest.mark.parametrize("seconds", [31.0, 47.3712, 25.00003, 1799.999])
def test_cuts_are_equally_long_and_inside(seconds: float) -> None:
    speech = np.zeros(round(seconds * 16_000), np.float32)
    windows = split(seconds, 10.0)
    cuts = equal_cuts(speech, windows)
    (length,) = {len(cut) for cut in cuts}
    # Two rounded ends of 0.1 ms and of a sample: at most 3 samples are lost.
    assert 0 <= seconds * 16_000 / len(windows) - length <= 3
    assert equal_cuts(speech, []) == []
