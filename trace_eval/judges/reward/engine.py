"""The model behind the reward judges: decoding, limits, cached rewards, batches."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import NamedTuple

from pydantic import JsonValue

from blueprints import UserError
from extractors import GPU_BATCH, Clip, Samples, expects_gpu
from trace_eval.judges.ask.replies import ReplyCache, StoredReply, reply_key
from trace_eval.judges.options.groups import ModelOptions, names_of
from trace_eval.judges.options.judge_options import JudgeOptions
from trace_eval.judges.reward.inputs import MAX_CLIP_S, RewardTurn
from trace_eval.judges.reward.load import PACKAGES, RewardModel, load, locate
from trace_eval.judges.scorer.batcher import Batcher
from trace_eval.judges.scorer.checkpoint import check_packages
from trace_eval.judges.scorer.model import dtype_of
from trace_eval.judges.views.pair.naturalness import NaturalnessPrompt
from trace_eval.judges.views.sound.limits import check_clip
from trace_eval.judges.views.text.tasks import NATURALNESS

#: Options of judges in this process, whatever the model does.
SHARED_OPTIONS = names_of(ModelOptions) | {
    *("template", "transcripts", "max_clip_seconds", "concurrency", "task"),
}

#: Where a reward is computed does not decide it; this stands where servers have their address.
_HERE = "in process"


class _Request(NamedTuple):
    text: str
    samples: Samples
    style: str | None


class RewardEngine:
    """One model and its prompts.

    Args:
        spec: what the user typed, for messages.
        model: path or hub name.
        options: of the judge.
        structure: how the model is asked to reply.

    Raises:
        UserError: a package or the model is missing, or the template cannot be used.
    """

    def __init__(self, spec: str, model: str, options: JudgeOptions, structure: str) -> None:
        if not model:
            raise UserError("judge reward: name the model, e.g. reward:PATH_OR_HUB_NAME")
        check_packages("reward", PACKAGES)
        if "task" in options.changed() and options.task != NATURALNESS:
            raise UserError(
                f"judge {spec}: task {options.task!r} is not what such a model was trained on; it"
                f" judges {NATURALNESS} only"
            )
        self.files = locate(model, options.base)
        self.options = options
        self.prompt = NaturalnessPrompt(options.template, "text" if structure == "text" else "json")
        self.batch = GPU_BATCH if expects_gpu(options.device) else 1
        self._kept = ReplyCache(options.cache) if options.cache else None
        self._batcher = Batcher(self._score, self.batch)

    @property
    def concurrency(self) -> int:
        """Cases in flight: enough to fill the next batch while one is computed."""
        return self.options.concurrency or 2 * self.batch

    def parameters(self) -> dict[str, JsonValue]:
        """What decides its output: files, words and number type, not where they lie or run."""
        return {
            "model": self.files.sha256,
            "prompt": self.prompt.sha256,
            "dtype": dtype_of("cuda" if expects_gpu(self.options.device) else "cpu"),
        }

    def model(self) -> RewardModel:
        """The model, loaded on first use."""
        return load(self.files, self.options.device)

    def turns(self, user: Sequence[str | Samples]) -> list[RewardTurn]:
        """A conversation with one user turn."""
        system = [RewardTurn("system", (self.prompt.system,))] if self.prompt.system else []
        return [*system, RewardTurn("user", tuple(user))]

    def samples(self, clip: Clip) -> Samples:
        """A clip as the model hears it.

        Raises:
            ClipRefused: it is too long, too short or silent.
        """
        check_clip(clip, min(self.options.max_clip_seconds, MAX_CLIP_S))
        return clip.speech

    async def reward(self, clip: Clip, text: str, style: str | None) -> float:
        """The reward of one recording of a text, from the cache where it holds one.

        Raises:
            ClipRefused: see :meth:`samples`.
        """
        samples = self.samples(clip)
        digest = hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()
        details = {"clip": clip.sha256, "text": digest, "style": style, **self.parameters()}
        key = reply_key(_HERE, self.files.sha256, details)
        if self._kept and (kept := self._kept.get(key)):
            return float(kept.text)
        value = await self._batcher.ask(_Request(text, samples, style))
        if self._kept:
            self._kept.put(key, StoredReply(text=repr(value)))
        return value

    def _score(self, requests: Sequence[_Request]) -> list[float]:
        from trace_eval.judges.reward.score import rewards

        conversations = [
            self.turns(self.prompt.single(each.text, each.samples, each.style)) for each in requests
        ]
        return rewards(self.model(), conversations, self.batch)

    async def close(self) -> None:
        """Release the model; the model stays for other judges of this process."""
        if self._kept:
            self._kept.close()
