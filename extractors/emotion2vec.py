"""Emotion by emotion2vec through funasr: scores by the model's own labels."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from itertools import islice, pairwise
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

from pydantic import JsonValue

from blueprints import Absent, Emotion, EmotionWindow, Present, Span, UserError
from extractors.audio import SPEECH_RATE, Samples
from extractors.base import Item, past_gate, speech_gate
from extractors.device import is_gpu
from extractors.emotion2vec_folder import CONFIG, OPTIONAL, WEIGHTS, load_folder
from extractors.guard import untouched
from extractors.model_backed import ModelExtractor, equal_lengths

#: A window with less speech is left out of the trajectory, seconds.
MIN_WINDOW_SPEECH_S = 0.5

#: The model's attention is quadratic: longer clips are scored window by window,
#: seconds.
WHOLE_MAX_S = 60.0

#: Scores of one clip add up to 1 within this; half precision is that inexact.
_SUM_TOLERANCE = 1e-2

#: Labels that funasr leaves out of its results begin with this.
_UNUSED = "unuse"


@dataclass(frozen=True)
class Emotion2vecExtractor(ModelExtractor):
    """A score (0 to 1) of each of nine emotions, with a trajectory for long clips.

    The scores of a clip over a minute are those of its windows, weighted by their
    speech. A GPU computes in half precision.
    """

    name: ClassVar[str] = "emotion2vec"
    group: ClassVar[str] = "emotion"
    version: ClassVar[str] = "2"
    limits: ClassVar[str] = "nine acted emotions; mixed and weak ones fall to neutral."
    needs: ClassVar[tuple[str, ...]] = ("signal",)
    packages: ClassVar[dict[str, str]] = {
        "funasr": "funasr",
        "torch": "torch",
        "torchaudio": "torchaudio",
    }
    required: ClassVar[tuple[str, ...]] = (WEIGHTS, CONFIG)
    optional: ClassVar[tuple[str, ...]] = OPTIONAL
    what: ClassVar[str] = "an emotion2vec folder"

    model: str = "iic/emotion2vec_plus_large"
    #: Length of the windows of the trajectory, seconds; a clip under one and a half has
    #: none.
    window_s: float = 10.0

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 1 <= self.window_s <= WHOLE_MAX_S:
            raise UserError(
                f"{self.name}: window_s {self.window_s:g}; give 1 to"
                f" {WHOLE_MAX_S:g} seconds"
            )

    def parameters(self) -> dict[str, JsonValue]:
        """Return how windows are cut; which model it is, the revision says."""
        return {"window_s": self.window_s, "whole_max_s": WHOLE_MAX_S}

    def open_model(self, path: Path, device: str) -> Loaded:
        """Load the model from its folder, and check it."""
        return Loaded(load_folder(path, device), device)

    def extract_batch(self, items: Sequence[Item]) -> list[Present | Absent]:
        """Score several clips; equally long parts of all share a forward pass."""
        return past_gate(items, speech_gate, self._measure)

    def _measure(self, items: Sequence[Item]) -> list[Emotion]:
        inputs = [self._input_of(item) for item in items]
        parts: list[Samples] = []
        for each in inputs:
            parts.extend(each.parts)
        scores = iter(score(self.opened(), parts, self.batch_size))
        emotions: list[Emotion] = []
        for each in inputs:
            own_scores = list(islice(scores, len(each.parts)))
            emotions.append(each.emotion(own_scores))
        return emotions

    def _input_of(self, item: Item) -> ModelInput:
        """Return the model's input for a clip that has passed the gate."""
        speech, seconds = item.clip.speech, item.clip.seconds
        speech_s: dict[Span, float] = {}
        for window in split(seconds, self.window_s):
            within_s = speech_within(window, item.speech)
            if within_s >= MIN_WINDOW_SPEECH_S:
                speech_s[window] = within_s
        parts = equal_cuts(speech, list(speech_s))
        has_whole = seconds <= WHOLE_MAX_S or not speech_s
        if has_whole:
            parts.insert(0, speech[: round(WHOLE_MAX_S * SPEECH_RATE)])
        return ModelInput(has_whole, speech_s, parts)


class ModelInput(NamedTuple):
    """The model's input for a clip."""

    has_whole: bool  # the first part is the whole clip
    windows: dict[Span, float]  # seconds of speech in each window of the trajectory
    parts: list[Samples]  # the whole if so, then the windows, at 16 kHz

    def emotion(self, scores: list[dict[str, float]]) -> Emotion:
        """Make the group from the scores of the parts."""
        if self.has_whole:
            overall, of_windows = scores[0], scores[1:]
        else:
            overall, of_windows = weighted(scores, list(self.windows.values())), scores
        trajectory: list[EmotionWindow] = []
        for window, each in zip(self.windows, of_windows, strict=True):
            trajectory.append(
                EmotionWindow(start_s=window.start_s, end_s=window.end_s, scores=each)
            )
        return Emotion(
            scores=overall,
            top=max(overall, key=overall.__getitem__),
            trajectory=trajectory,
        )


def split(seconds: float, window_s: float) -> list[Span]:
    """Cut a clip into equal windows of about ``window_s``; a short one into none."""
    count = round(seconds / window_s)
    if count < 2 or seconds < 1.5 * window_s:
        return []
    edges = [round(index * seconds / count, 4) for index in range(count + 1)]
    return [Span(start_s=start, end_s=end) for start, end in pairwise(edges)]


def speech_within(window: Span, spans: Sequence[Span]) -> float:
    """Return the seconds of speech in a window."""
    total_s = 0.0
    for span in spans:
        common_s = min(window.end_s, span.end_s) - max(window.start_s, span.start_s)
        total_s += max(0.0, common_s)
    return total_s


def equal_cuts(speech: Samples, windows: Sequence[Span]) -> list[Samples]:
    """Cut windows of as many samples at 16 kHz each, so that they fit into one stack.

    Windows of equal length differ by a few samples once their ends are rounded.
    """
    cuts: list[Samples] = []
    for window in windows:
        start, end = (
            round(window.start_s * SPEECH_RATE),
            round(window.end_s * SPEECH_RATE),
        )
        cuts.append(speech[start:end])
    shortest = min(map(len, cuts), default=0)
    return [cut[:shortest] for cut in cuts]


def weighted(
    scores: Sequence[dict[str, float]], weights: Sequence[float]
) -> dict[str, float]:
    """Average the windows' scores, weighted by the seconds of speech in each."""
    total = sum(weights)
    means: dict[str, float] = {}
    for label in scores[0]:
        of_label = [each[label] for each in scores]
        weighed = [weight * x for weight, x in zip(weights, of_label, strict=True)]
        means[label] = sum(weighed) / total
    return means


class Loaded(NamedTuple):
    """A model on its device; funasr has no types."""

    model: Any
    device: str


def score(
    loaded: Loaded, parts: Sequence[Samples], at_most: int
) -> list[dict[str, float]]:
    """Return the scores by label of each part, sound at 16 kHz, float32 [shape=(n,)].

    Equally long parts share a forward pass, ``at_most`` so many; with 1 all is funasr's
    doing.
    """
    stacks = equal_lengths(parts, at_most)
    lone = [stack[0] for stack in stacks if len(stack) == 1]
    results: dict[int, dict[str, float]] = {}
    with untouched(), _precision(loaded.device):
        if lone:
            scores = _one_by_one(loaded, [parts[index] for index in lone])
            results.update(zip(lone, scores, strict=True))
        for stack in stacks:
            if len(stack) > 1:
                scores = _at_once(loaded, [parts[index] for index in stack])
                results.update(zip(stack, scores, strict=True))
    return [results[index] for index in range(len(parts))]


def _one_by_one(loaded: Loaded, parts: list[Samples]) -> list[dict[str, float]]:
    """Score parts as the library does it."""
    replies = loaded.model.generate(
        parts, granularity="utterance", extract_embedding=False, disable_pbar=True
    )
    return [named_scores(reply["labels"], reply["scores"]) for reply in replies]


def _at_once(loaded: Loaded, parts: list[Samples]) -> list[dict[str, float]]:
    """Run the steps of funasr's ``Emotion2vec.inference`` (1.4) on equal lengths.

    The library loops over its input. Here normalisation, mean over time and softmax are
    each part's own, as there.
    """
    import torch

    network = loaded.model.model
    labels = loaded.model.kwargs["tokenizer"].token_list
    used = [
        index for index, label in enumerate(labels) if not label.startswith(_UNUSED)
    ]
    used_labels = [labels[index] for index in used]
    with torch.no_grad():
        sound = torch.stack([torch.from_numpy(part) for part in parts]).to(
            loaded.device
        )
        if network.cfg.normalize:
            sound = torch.nn.functional.layer_norm(sound, sound.shape[1:])
        features = network.extract_features(sound, padding_mask=None)["x"]
        logits = network.proj(features.mean(dim=1))[:, used]
        shares = torch.softmax(logits, dim=-1).tolist()
    return [named_scores(used_labels, share) for share in shares]


def english(label: str) -> str:
    """Return the label in English, lower case.

    >>> english("生气/angry"), english("<unk>"), english("happy")
    ('angry', 'unknown', 'happy')
    """
    label = label.strip().rpartition("/")[2]
    return "unknown" if label == "<unk>" else label.casefold()


def named_scores(labels: Sequence[str], scores: Sequence[float]) -> dict[str, float]:
    """Return scores by English label, as the model itself names them.

    Raises:
        UserError: as many labels as scores are expected, each with a name of its own,
            and shares that add up to 1.
    """
    if len(labels) != len(scores):
        raise UserError(
            f"emotion2vec: {len(scores)} scores for {len(labels)} labels; fetch the"
            " model again"
        )
    named: dict[str, float] = {}
    for label, score in zip(labels, scores, strict=True):
        named[english(label)] = float(score)
    if len(named) != len(labels):
        raise UserError(
            f"emotion2vec: labels {', '.join(labels)} are not all different; mend"
            " tokens.txt"
        )
    if not abs(sum(named.values()) - 1) < _SUM_TOLERANCE:  # NaN is not either
        raise UserError(
            f"emotion2vec: scores add up to {sum(named.values()):g}, not 1; the model's"
            " weights are broken, fetch it again"
        )
    return named


def _precision(device: str) -> AbstractContextManager[Any]:
    if not is_gpu(device):
        return nullcontext()
    import torch

    half: AbstractContextManager[Any] = torch.autocast("cuda", dtype=torch.float16)
    return half
