"""What judges by a model in this process share: limits, cached rewards, batches."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any, NamedTuple

from pydantic import JsonValue

from blueprints import JudgeError
from extractors import GPU_BATCH, AudioError, Clip, Samples, expects_gpu
from fusion import preference_rubric
from trace_eval.data.items import Item
from trace_eval.data.outcome import Outcome, Reason
from trace_eval.judges.ask.replies import ReplyCache, StoredReply, reply_key
from trace_eval.judges.base import Judge, listening
from trace_eval.judges.options.groups import ModelOptions, names_of
from trace_eval.judges.options.judge_options import JudgeOptions
from trace_eval.judges.reward import outputs
from trace_eval.judges.reward.inputs import MAX_CLIP_S, RewardTurn
from trace_eval.judges.reward.load import (
    PACKAGES,
    RewardFiles,
    RewardModel,
    load,
    locate,
)
from trace_eval.judges.scorer.batcher import Batcher
from trace_eval.judges.scorer.checkpoint import check_packages
from trace_eval.judges.scorer.model import dtype_of
from trace_eval.judges.views.pair.naturalness import NaturalnessPrompt
from trace_eval.judges.views.sound.layout import check_clip
from trace_eval.judges.views.text.tasks import NATURALNESS

#: Options of judges in this process, whatever the model does.
SHARED_OPTIONS = names_of(ModelOptions) | {
    "template",
    "transcripts",
    "max_clip_seconds",
    "concurrency",
    "task",
}

#: Where a reward is computed does not decide it; this stands where servers have their
#: address.
_HERE = "in process"


def files_of(argument: str, options: JudgeOptions) -> RewardFiles:
    """Find the files of the model that ``reward:ARGUMENT`` names.

    Raises:
        UserError: a package or the model is missing, or another task is chosen.
    """
    if not argument:
        raise JudgeError("judge reward: name the model, e.g. reward:PATH_OR_HUB_NAME")
    check_packages("reward", PACKAGES)
    if "task" in options.changed() and options.task != NATURALNESS:
        raise JudgeError(
            f"judge reward:{argument}: task {options.task!r} is not what such a model"
            f" was trained on; it judges {NATURALNESS} only"
        )
    return locate(argument, options.base)


class _Request(NamedTuple):
    text: str
    samples: Samples
    style: str | None


class InProcessJudge(Judge):
    """One model and its prompts; no extractors run for it but a recogniser.

    ``spec`` is what the user typed, ``structure`` how the model is asked to reply.
    UserError where the template or the cache cannot be used.
    """

    rubric: Any = preference_rubric("naturalness")

    def __init__(
        self, spec: str, files: RewardFiles, options: JudgeOptions, structure: str
    ) -> None:
        self.spec, self.files, self.options = spec, files, options
        self.reads = listening(options.transcripts)  # type: ignore[misc]
        self.prompt = NaturalnessPrompt(
            options.template, "text" if structure == "text" else "json"
        )
        self._batch = GPU_BATCH if expects_gpu(options.device) else 1
        self._kept = ReplyCache(options.cache) if options.cache else None
        self._batcher = Batcher(self._score, self._batch)

    @property
    def concurrency(self) -> int:
        """Cases in flight: enough to fill the next batch while one is computed."""
        return self.options.concurrency or 2 * self._batch

    def parameters(self) -> dict[str, JsonValue]:
        used = (self.uses or frozenset()) - {
            "base"
        }  # the files are in it by their hash
        return {"task": NATURALNESS, **self._identity(), **self.options.deciding(used)}

    def _identity(self) -> dict[str, JsonValue]:
        """Record what decides a reward: files, prompt and number type."""
        return {
            "model": self.files.sha256,
            "prompt": self.prompt.sha256,
            "dtype": dtype_of("cuda" if expects_gpu(self.options.device) else "cpu"),
        }

    def load(self) -> None:
        self.model()

    def model(self) -> RewardModel:
        """Load the model on first use; it stays for other judges of this process."""
        return load(self.files, self.options.device)

    def unheard(self, item: Item, error: AudioError) -> Outcome:
        """Return the outcome of a recording over a limit or beyond decoding."""
        reason = (
            Reason.SILENT if getattr(error, "silent", False) else Reason.CLIP_FAILED
        )
        return self.unscored(item, reason, str(error))

    def turns(self, user: Sequence[str | Samples]) -> list[RewardTurn]:
        """Make a conversation with one user turn."""
        system = (
            [RewardTurn("system", (self.prompt.system,))] if self.prompt.system else []
        )
        return system + [RewardTurn("user", tuple(user))]

    def samples(self, clip: Clip) -> Samples:
        """Return a clip as the model hears it.

        Raises:
            ClipRefused: the clip is too long, too short or silent.
        """
        check_clip(clip, min(self.options.max_clip_seconds, MAX_CLIP_S))
        return clip.speech

    async def reward(self, clip: Clip, text: str, style: str | None) -> float:
        """Return the reward of one recording of a text, from the cache if it is there.

        Raises:
            ClipRefused: the clip is too long, too short or silent.
        """
        samples = self.samples(clip)
        digest = hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()
        details = {
            "clip": clip.sha256,
            "text": digest,
            "style": style,
            **self._identity(),
        }
        key = reply_key(_HERE, self.files.sha256, details)
        if self._kept and (kept := self._kept.get(key)):
            return float(kept.text)
        value = await self._batcher.ask(_Request(text, samples, style))
        if self._kept:
            self._kept.put(key, StoredReply(text=repr(value)))
        return value

    def _score(self, requests: Sequence[_Request]) -> list[float]:
        shown = (
            self.prompt.single(each.text, each.samples, each.style) for each in requests
        )
        return outputs.rewards(
            self.model(), [self.turns(user) for user in shown], self._batch
        )

    async def close(self) -> None:
        if self._kept:
            self._kept.close()
