"""Conversations with recordings -> the tensors of a Qwen2.5-Omni Thinker.

Assembled here from tokenizer and feature extractor: the library's processor needs
torchvision even for sound, and pads every clip to 300 s of features. The token ids are
the processor's, and so are the features, because each clip is followed by silence as it
is there.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from extractors import SPEECH_RATE, Samples

#: Samples between two frames of features, and between the last one and the clip's end.
HOP = 160

#: Silence after every clip, samples: at least half a window of the features.
_TAIL = 400

#: Longer clips are refused, seconds: the feature extractor cuts there and says nothing.
MAX_CLIP_S = 300.0

#: Special tokens of the chat format and around a recording.
TURN_START, TURN_END = "<|im_start|>", "<|im_end|>"
AUDIO_START, AUDIO, AUDIO_END = "<|audio_bos|>", "<|AUDIO|>", "<|audio_eos|>"


@dataclass(frozen=True)
class RewardTurn:
    """One turn of a conversation."""

    role: str  # ``system``, ``user`` or ``assistant``
    parts: tuple[
        str | Samples, ...
    ]  # texts, and recordings at 16 kHz mono [shape=(samples,)]


@dataclass(frozen=True)
class Tensors:
    """A batch for the model, padded on the left."""

    values: dict[str, Any]  # keyword arguments of the model's forward pass
    lengths: tuple[int, ...]  # tokens of each conversation


def audio_frames(samples: int) -> int:
    """Count the frames of features of a clip at 16 kHz, 100 per second."""
    return -(-samples // HOP)


def audio_tokens(samples: int) -> int:
    """Count the tokens of a clip at 16 kHz; each stands for 40 ms of it."""
    convolved = (audio_frames(samples) - 1) // 2 + 1
    return (convolved - 2) // 2 + 1


def assemble(
    conversations: Sequence[Sequence[RewardTurn]], tokenizer: Any, features: Any
) -> Tensors:
    """Make tensors of conversations, each followed by the start of the model's turn.

    There is at least one conversation; ``features`` is the feature extractor of the
    model.
    """
    import torch
    from torch.nn.utils.rnn import pad_sequence

    rows = [torch.tensor(token_ids(turns, tokenizer)) for turns in conversations]
    left: dict[str, Any] = {"batch_first": True, "padding_side": "left"}
    ids = pad_sequence(rows, padding_value=tokenizer.pad_token_id, **left)
    mask = pad_sequence([torch.ones_like(row) for row in rows], **left)
    clips = [clip for turns in conversations for clip in recordings(turns)]
    values = {"input_ids": ids, "attention_mask": mask}
    if clips:
        values |= _features(clips, features)
    return Tensors(values, tuple(map(len, rows)))


def recordings(turns: Sequence[RewardTurn]) -> list[Samples]:
    """List the recordings of a conversation in order."""
    samples: list[Samples] = []
    for turn in turns:
        for part in turn.parts:
            if not isinstance(part, str):
                samples.append(part)
    return samples


def token_ids(turns: Sequence[RewardTurn], tokenizer: Any) -> list[int]:
    """Return the token ids of a conversation; special tokens in its texts are plain."""
    special = {
        name: tokenizer.convert_tokens_to_ids(name)
        for name in (TURN_START, TURN_END, AUDIO_START, AUDIO, AUDIO_END)
    }
    ids: list[int] = []

    def text(words: str) -> None:
        ids.extend(
            tokenizer(
                words, add_special_tokens=False, split_special_tokens=True
            ).input_ids
        )

    for turn in turns:
        ids.append(special[TURN_START])
        words = f"{turn.role}\n"
        for part in turn.parts:
            if isinstance(part, str):
                words += part
                continue
            text(words)  # as one piece up to here: a tokenizer joins across our parts
            ids.append(special[AUDIO_START])
            ids.extend([special[AUDIO]] * audio_tokens(len(part)))
            ids.append(special[AUDIO_END])
            words = ""
        text(words)
        ids.append(special[TURN_END])
        text("\n")
    ids.append(special[TURN_START])
    text("assistant\n")
    return ids


def _features(clips: Sequence[Samples], features: Any) -> dict[str, Any]:
    longest = max(map(len, clips))
    batch = features(
        [np.asarray(clip, dtype=np.float32) for clip in clips],
        sampling_rate=SPEECH_RATE,
        padding="max_length",
        max_length=HOP * audio_frames(longest + _TAIL),
        truncation=False,
        return_attention_mask=True,
        return_tensors="pt",
    )
    frames = batch["attention_mask"].sum(-1).tolist()
    expected = [audio_frames(len(clip)) for clip in clips]
    if (
        frames != expected
    ):  # the model would put the sound of one clip into another's place
        raise RuntimeError(
            f"features have {frames} frames, the tokens stand for {expected}"
        )
    return {
        "input_features": batch["input_features"],
        "feature_attention_mask": batch["attention_mask"],
    }
