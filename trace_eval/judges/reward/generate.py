"""Sampled replies of a model that writes its reasons (GRM)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from extractors import untouched
from trace_eval.judges.options.judge_options import JudgeOptions
from trace_eval.judges.reward.inputs import RewardTurn, assemble
from trace_eval.judges.reward.load import RewardModel
from trace_eval.judges.reward.score import on_device

#: Likeliest tokens that the published judge samples from.
TOP_K = 50


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
    """Replies to one conversation, and the tokens of its prompt.

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
            drawn = {
                "temperature": 1.0 if options.temperature is None else options.temperature,
                "top_p": 1.0 if options.top_p is None else options.top_p,
                "top_k": TOP_K if options.top_k is None else options.top_k,
            }
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
