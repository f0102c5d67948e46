"""Scores of an emotion2vec: by funasr, or for several equally long stretches at once."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any, NamedTuple

from blueprints import UserError
from extractors.audio import Samples
from extractors.device import is_gpu
from extractors.guard import untouched
from extractors.model_backed import equal_lengths

#: Scores of one clip add up to 1 within this; half precision is that inexact.
_SUM_TOLERANCE = 1e-2

#: Labels that funasr leaves out of its results begin with this.
_UNUSED = "unuse"


class Loaded(NamedTuple):
    """A model on its device; funasr has no types."""

    model: Any
    device: str


def score(loaded: Loaded, parts: Sequence[Samples], at_most: int) -> list[dict[str, float]]:
    """Label -> score of each part.

    Args:
        loaded: the model.
        parts: sound at 16 kHz, each float32 [shape=(n,)]; equally long ones share a forward
            pass.
        at_most: parts in a forward pass; with 1 all is funasr's doing.
    """
    stacks = equal_lengths(parts, at_most)
    lone = [stack[0] for stack in stacks if len(stack) == 1]
    results: dict[int, dict[str, float]] = {}
    with untouched(), _precision(loaded.device):
        if lone:  # as the library does it
            each = loaded.model.generate(
                [parts[i] for i in lone],
                granularity="utterance",
                extract_embedding=False,
                disable_pbar=True,
            )
            scores = [named_scores(one["labels"], one["scores"]) for one in each]
            results.update(zip(lone, scores, strict=True))
        for stack in stacks:
            if len(stack) > 1:
                results.update(zip(stack, _at_once(loaded, [parts[i] for i in stack]), strict=True))
    return [results[index] for index in range(len(parts))]


def _at_once(loaded: Loaded, parts: list[Samples]) -> list[dict[str, float]]:
    """The steps of funasr's ``Emotion2vec.inference`` (1.4) for a stack of equal lengths.

    The library loops over its input. Here normalisation, mean over time and softmax are each
    part's own, as there.
    """
    import torch

    network, labels = loaded.model.model, loaded.model.kwargs["tokenizer"].token_list
    used = [index for index, label in enumerate(labels) if not label.startswith(_UNUSED)]
    with torch.no_grad():
        sound = torch.stack([torch.from_numpy(part) for part in parts]).to(loaded.device)
        if network.cfg.normalize:
            sound = torch.nn.functional.layer_norm(sound, sound.shape[1:])
        features = network.extract_features(sound, padding_mask=None)["x"]
        logits = network.proj(features.mean(dim=1))[:, used]
        shares = torch.softmax(logits, dim=-1).tolist()
    return [named_scores([labels[index] for index in used], share) for share in shares]


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
