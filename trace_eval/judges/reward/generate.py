"""Sampled replies of a model that writes its reasons (GRM)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from extractors import untouched
from trace_eval.judges.reward.inputs import RewardTurn, assemble
from trace_eval.judges.reward.load import RewardModel
from trace_eval.judges.reward.score import on_device


@dataclass(frozen=True)
class Sampling:
    """How replies are drawn; defaults are those of the published judge."""

    temperature: float = 1.0
    top_p: float = 1.0
    top_k: int = 50
    max_tokens: int = 1024


@dataclass(frozen=True)
class WrittenReply:
    """One reply.

    Attributes:
        text: without special tokens.
        tokens: of the reply, its end included.
        cut: it ran into the limit of tokens.
    """

    text: str
    tokens: int
    cut: bool


def replies(
    model: RewardModel,
    turns: Sequence[RewardTurn],
    samples: int = 1,
    seed: int = 0,
    sampling: Sampling | None = None,
) -> tuple[list[WrittenReply], int]:
    """Replies to one conversation, and the tokens of its prompt.

    Args:
        model: that writes replies.
        turns: the conversation; the recordings are encoded once for all samples.
        samples: how many replies.
        seed: of the draws; equal seeds give equal replies on one device.
        sampling: default: :class:`Sampling`. Temperature 0 is greedy.

    Raises:
        ValueError: prompt and reply together are longer than the model can read.
    """
    import torch

    sampling = sampling or Sampling()
    with untouched(seed), torch.inference_mode():
        tensors = assemble([turns], model.tokenizer, model.features)
        prompt = tensors.lengths[0]
        if prompt + sampling.max_tokens > model.positions:
            raise ValueError(
                f"the prompt has {prompt} tokens and the reply may have {sampling.max_tokens};"
                f" the model reads {model.positions}"
            )
        drawn = {} if sampling.temperature == 0 else _drawn(sampling)
        output = model.thinker.generate(
            **on_device(model, tensors.values),
            **drawn,
            do_sample=bool(drawn),
            num_return_sequences=samples,
            max_new_tokens=sampling.max_tokens,
            eos_token_id=model.tokenizer.eos_token_id,
            pad_token_id=model.tokenizer.pad_token_id,
        )
    return [_reply(model, row[prompt:].tolist()) for row in output], prompt


def _drawn(sampling: Sampling) -> dict[str, float | int]:
    return {
        "temperature": sampling.temperature,
        "top_p": sampling.top_p,
        "top_k": sampling.top_k,
    }


def _reply(model: RewardModel, ids: list[int]) -> WrittenReply:
    end = model.tokenizer.eos_token_id
    cut = end not in ids
    kept = ids if cut else ids[: ids.index(end) + 1]
    text = model.tokenizer.decode(kept, skip_special_tokens=True)
    return WrittenReply(text, len(kept), cut)
