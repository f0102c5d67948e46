"""Emotion by emotion2vec through funasr: scores by the model's own labels."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

from pydantic import JsonValue

from blueprints import Absent, Blueprint, Emotion, EmotionWindow, Signal, Span, UserError
from extractors.audio import SPEECH_RATE, Clip, Samples
from extractors.base import speech_gate
from extractors.device import is_gpu
from extractors.emotion2vec_folder import CONFIG, FILES, WEIGHTS, load_folder
from extractors.guard import untouched
from extractors.model_backed import ModelExtractor
from extractors.models import model_folder

#: A window with less speech is left out of the trajectory, seconds.
MIN_WINDOW_SPEECH_S = 0.5

#: The model's attention is quadratic: longer clips are scored window by window, seconds.
WHOLE_MAX_S = 60.0

#: Scores of one clip add up to 1 within this; half precision is that inexact.
_SUM_TOLERANCE = 1e-2


class Loaded(NamedTuple):
    """A model on its device; funasr has no types."""

    model: Any
    device: str


@dataclass(frozen=True)
class Emotion2vecExtractor(ModelExtractor):
    """Fills ``emotion`` from the whole clip, with a trajectory for long ones.

    The scores of a clip over a minute are those of its windows, weighted by their speech.

    Attributes:
        model: a model of ModelScope or Hugging Face, or the path of its folder.
        device: ``auto``, ``cpu``, ``cuda`` or ``cuda:N``; half precision on a GPU.
        window_s: length of the windows of the trajectory, seconds; a clip of less than one
            and a half windows has none.
    """

    name: ClassVar[str] = "emotion2vec"
    group: ClassVar[str] = "emotion"
    version: ClassVar[str] = "1"
    needs: ClassVar[tuple[str, ...]] = ("signal",)
    packages: ClassVar[dict[str, str]] = {
        "funasr": "funasr",
        "torch": "torch",
        "torchaudio": "torchaudio",
    }
    what: ClassVar[str] = "an emotion2vec folder"

    model: str = "iic/emotion2vec_plus_large"
    window_s: float = 10.0

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 1 <= self.window_s <= WHOLE_MAX_S:
            raise UserError(
                f"{self.name}: window_s {self.window_s:g}; give 1 to {WHOLE_MAX_S:g} seconds"
            )

    def parameters(self) -> dict[str, JsonValue]:
        """Windows; which model it is, the revision says."""
        return {"window_s": self.window_s, "whole_max_s": WHOLE_MAX_S}

    def locate(self) -> Path | None:
        """The folder."""
        return model_folder(self.model, (WEIGHTS, CONFIG))

    def model_files(self) -> list[Path]:
        """Weights, configuration and labels."""
        folder = self.locate()
        found = [folder / name for name in FILES] if folder else []
        return [path for path in found if path.is_file()]

    def open_model(self, path: Path, device: str) -> Loaded:
        """Load and check the folder."""
        return Loaded(load_folder(path, device), device)

    def extract(self, clip: Clip, known: Blueprint) -> Emotion | Absent:
        """Score one clip with speech in it."""
        gate = speech_gate(known)
        if gate:
            return gate
        assert isinstance(known.signal, Signal)  # the gate has seen it
        speech, spans = clip.speech, known.signal.speech
        windows = [
            window
            for window in split(clip.seconds, self.window_s)
            if speech_within(window, spans) >= MIN_WINDOW_SPEECH_S
        ]
        whole = clip.seconds <= WHOLE_MAX_S or not windows
        parts = [speech[: round(WHOLE_MAX_S * SPEECH_RATE)]] if whole else []
        parts += [cut(speech, window) for window in windows]
        scores = self._score(parts)
        overall = scores.pop(0) if whole else weighted(scores, windows, spans)
        return Emotion(
            scores=overall,
            top=max(overall, key=overall.__getitem__),
            trajectory=[
                EmotionWindow(start_s=window.start_s, end_s=window.end_s, scores=each)
                for window, each in zip(windows, scores, strict=True)
            ],
        )

    def _score(self, parts: list[Samples]) -> list[dict[str, float]]:
        """Label -> score of each part; funasr runs them one after the other."""
        model, device = self.opened()
        with untouched(), _precision(device):
            results = model.generate(
                parts, granularity="utterance", extract_embedding=False, disable_pbar=True
            )
        return [named_scores(result["labels"], result["scores"]) for result in results]


def split(seconds: float, window_s: float) -> list[Span]:
    """Windows of equal length, about ``window_s``, that fill the clip; none for a short one."""
    count = round(seconds / window_s)
    if count < 2 or seconds < 1.5 * window_s:
        return []
    edges = [round(index * seconds / count, 4) for index in range(count + 1)]
    return [Span(start_s=start, end_s=end) for start, end in pairwise(edges)]


def speech_within(window: Span, spans: Sequence[Span]) -> float:
    """Seconds of speech in a window."""
    return sum(
        max(0.0, min(window.end_s, span.end_s) - max(window.start_s, span.start_s))
        for span in spans
    )


def cut(speech: Samples, window: Span) -> Samples:
    """Samples of a window at 16 kHz."""
    return speech[round(window.start_s * SPEECH_RATE) : round(window.end_s * SPEECH_RATE)]


def weighted(
    scores: Sequence[dict[str, float]], windows: Sequence[Span], spans: Sequence[Span]
) -> dict[str, float]:
    """Mean of the windows' scores, weighted by the seconds of speech in each."""
    weights = [speech_within(window, spans) for window in windows]
    total = sum(weights)
    return {
        label: sum(w * each[label] for w, each in zip(weights, scores, strict=True)) / total
        for label in scores[0]
    }


def english(label: str) -> str:
    """The label in English, lower case.

    >>> english("生气/angry"), english("<unk>"), english("happy")
    ('angry', 'unknown', 'happy')
    """
    label = label.strip().rpartition("/")[2]
    return "unknown" if label == "<unk>" else label.casefold()


def named_scores(labels: Sequence[str], scores: Sequence[float]) -> dict[str, float]:
    """Scores by English label, as the model itself names them.

    Raises:
        UserError: as many labels as scores are expected, each with a name of its own, and
            shares that add up to 1.
    """
    if len(labels) != len(scores):
        raise UserError(
            f"emotion2vec: {len(scores)} scores for {len(labels)} labels; fetch the model again"
        )
    named = {english(label): float(score) for label, score in zip(labels, scores, strict=True)}
    if len(named) != len(labels):
        raise UserError(
            f"emotion2vec: labels {', '.join(labels)} are not all different; mend tokens.txt"
        )
    if not abs(sum(named.values()) - 1) < _SUM_TOLERANCE:  # NaN is not either
        raise UserError(
            f"emotion2vec: scores add up to {sum(named.values()):g}, not 1; the model's weights"
            " are broken, fetch it again"
        )
    return named


def _precision(device: str) -> AbstractContextManager[Any]:
    if not is_gpu(device):
        return nullcontext()
    import torch

    half: AbstractContextManager[Any] = torch.autocast("cuda", dtype=torch.float16)
    return half
