"""The output of a model: rewards of recordings (BTRM), or sampled replies (GRM).

A reward is ``r = w . h + b``, where ``h`` is the last layer's hidden state after the
final norm, at the last token of a prompt that ends where the model's turn begins.
Nothing is generated. A reward is any real number; only differences of two rewards of
the same model mean anything: ``P(A more natural) = sigmoid(r_A - r_B)`` (Bradley &
Terry 1952).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from blueprints import JudgeError
from extractors import untouched
from trace_eval.judges.options.judge_options import JudgeOptions
from trace_eval.judges.reward.inputs import RewardTurn, assemble, recordings
from trace_eval.judges.reward.load import RewardModel

#: Likeliest tokens that the published judge samples from.
TOP_K = 50


def rewards(
    model: RewardModel, conversations: Sequence[Sequence[RewardTurn]], batch: int = 1
) -> list[float]:
    """Return the reward of each conversation, in the order given.

    Args:
        conversations: each with one recording.
        batch: conversations that share a forward pass; those of similar length do. It
            changes values by rounding only.

    Raises:
        ValueError: the model has no head, or a conversation is longer than it can read.
    """
    if model.head is None:
        raise ValueError("this model writes replies; it has no reward head")
    samples = [sum(map(len, recordings(turns))) for turns in conversations]
    order = sorted(range(len(conversations)), key=samples.__getitem__)
    result = [math.nan] * len(conversations)
    for first in range(0, len(order), batch):
        members = order[first : first + batch]
        values = _forward(model, [conversations[n] for n in members])
        for number, value in zip(members, values, strict=True):
            result[number] = value
    if not all(map(math.isfinite, result)):
        raise JudgeError(
            "reward: the model gives no finite number; its files are damaged"
        )
    return result


def _forward(
    model: RewardModel, conversations: Sequence[Sequence[RewardTurn]]
) -> list[float]:
    import torch

    with untouched(), torch.inference_mode():
        tensors = assemble(conversations, model.tokenizer, model.features)
        longest = max(tensors.lengths)
        if longest > model.positions:
            raise ValueError(
                f"the prompt has {longest} tokens, the model reads {model.positions}"
            )
        values = on_device(model, tensors.values)
        # The inner model: it spares the logits of every token over the whole
        # vocabulary.
        hidden = model.thinker.model(**values).last_hidden_state
        last = hidden[torch.arange(len(hidden)), last_token(values["attention_mask"])]
        numbers: list[float] = model.head(last).float().squeeze(-1).tolist()
        return numbers


def on_device(model: RewardModel, values: dict[str, Any]) -> dict[str, Any]:
    """Move tensors to the model's device, features in the model's number type."""
    import torch

    moved: dict[str, Any] = {}
    for name, tensor in values.items():
        if tensor.is_floating_point():
            moved[name] = tensor.to(model.device, getattr(torch, model.dtype))
        else:
            moved[name] = tensor.to(model.device)
    return moved


def last_token(mask: Any) -> Any:
    """Find each row's last real token [shape=(rows, width), 1 for a token, 0 padding].

    Raises:
        ValueError: a row is empty, or padded on the right: then index -1, which is what
            the head was trained at with left padding, would be padding.
    """
    if not bool((mask[:, -1] == 1).all()):
        raise ValueError("inputs are padded on the right; pad them on the left")
    if bool((mask.diff(dim=1) < 0).any()):
        raise ValueError(
            "inputs have padding between their tokens; pad them on the left only"
        )
    return (mask.cumsum(1) * mask).argmax(1)


def probability(reward_a: float, reward_b: float) -> float:
    """Return the chance that A is the more natural one: ``sigmoid(r_A - r_B)``."""
    from scipy.special import expit

    return float(expit(reward_a - reward_b))


@dataclass(frozen=True)
class WrittenReply:
    """One reply."""

    text: str  # without special tokens
    tokens: int  # of the reply, its end included
    cut: bool  # it ran into the limit of tokens


def replies(
    model: RewardModel,
    turns: Sequence[RewardTurn],
    options: JudgeOptions,
    samples: int = 1,
    seed: int = 0,
) -> tuple[list[WrittenReply], int]:
    """Write replies to one conversation; return them and the tokens of its prompt.

    Args:
        turns: the conversation; the recordings are encoded once for all samples.
        options: how replies are drawn; by default as the published judge does.
        seed: of the draws; equal seeds give equal replies on one device.

    Raises:
        ValueError: prompt and reply together are longer than the model can read.
    """
    import torch

    most = options.reply_tokens
    with untouched(seed), torch.inference_mode():
        tensors = assemble([turns], model.tokenizer, model.features)
        prompt = tensors.lengths[0]
        if prompt + most > model.positions:
            raise ValueError(
                f"the prompt has {prompt} tokens and the reply may have {most};"
                f" the model reads {model.positions}"
            )
        drawn: dict[str, float | int] = {}
        if options.temperature != 0:
            drawn = {"temperature": 1.0, "top_p": 1.0, "top_k": TOP_K}
            for name in drawn:
                value = getattr(options, name)
                if value is not None:
                    drawn[name] = value
        output = model.thinker.generate(
            **on_device(model, tensors.values),
            **drawn,
            do_sample=bool(drawn),
            num_return_sequences=samples,
            max_new_tokens=most,
            eos_token_id=model.tokenizer.eos_token_id,
            pad_token_id=model.tokenizer.pad_token_id,
        )
    return [_reply(model, row[prompt:].tolist()) for row in output], prompt


def _reply(model: RewardModel, ids: list[int]) -> WrittenReply:
    end = model.tokenizer.eos_token_id
    cut = end not in ids
    kept = ids if cut else ids[: ids.index(end) + 1]
    text = model.tokenizer.decode(kept, skip_special_tokens=True)
    return WrittenReply(text, len(kept), cut)
