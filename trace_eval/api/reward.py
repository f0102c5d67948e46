"""A judge as a reward of answers that a model in training has just made."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
from pydantic import ValidationError

from blueprints import InputError
from trace_eval.api.one_pair import ItemJudge
from trace_eval.api.python_words import python_words
from trace_eval.data.answers import Answer, Instruction
from trace_eval.data.items import Pair
from trace_eval.data.judgement import Judgement
from trace_eval.extracting.event_loop import complete
from trace_eval.extracting.options import ExtractOptions
from trace_eval.runs.fuse import fuse
from trace_eval.runs.options import Options
from trace_eval.runs.preferences import agreement_of, bands_of, preferences_of
from trace_eval.runs.run import Run

#: What is said of rewards whose judge nobody has compared with people.
UNKNOWN = "no run with human labels was named; give one as labelled=RUN"


@dataclass(frozen=True)
class Reward:
    """The reward of one clip among those that answer the same prompt.

    Attributes:
        reward: share of its comparisons that it won, a tie counting half; None: none
            was decided.
        comparisons: with the other answers that led to a verdict.
        unscored: comparisons without a verdict.
        reason: why there is no reward, or why comparisons are missing.
        agreement: how often annotators share this judge's preferences, with its limits
            and the number of labels; None: unknown.
        agreement_unknown: why that is not known.
    """

    clip: str
    reward: float | None
    comparisons: int
    unscored: int = 0
    reason: str | None = None
    agreement: Mapping[str, Any] | None = None
    agreement_unknown: str | None = UNKNOWN


class RewardFunction:
    """A judge that compares every two clips of a prompt; see :func:`reward`."""

    def __init__(self, options: Options, labelled: Path | None) -> None:
        self._options = options
        self._agreement: Mapping[str, Any] | None = None
        self._unknown: str | None = UNKNOWN
        if labelled is not None:
            self._agreement, self._unknown = _agreement(labelled, options)

    def __call__(
        self,
        clips: Sequence[str | os.PathLike[str] | bytes],
        prompts: Sequence[str | float | None],
    ) -> list[Reward]:
        """Compare a batch of clips; returns a row per clip, in their order.

        Args:
            clips: paths, URLs, or the bytes of files.
            prompts: of each clip, what was asked: clips of equal prompts are compared.

        Raises:
            UserError: there are more or fewer prompts than clips, or one is of another
                kind.
        """
        for what, batch in (("clips", clips), ("prompts", prompts)):
            if isinstance(batch, str | bytes) or not isinstance(
                batch, Sequence | np.ndarray
            ):
                raise InputError(
                    f"reward: {what} are of type {type(batch).__name__}; give a list"
                )
        if len(clips) != len(prompts):
            raise InputError(
                f"reward: {len(clips)} clips and {len(prompts)} prompts; give one"
                " prompt per clip"
            )
        groups: dict[str | None, list[int]] = defaultdict(list)
        for number, prompt in enumerate(prompts):
            groups[_text(number, prompt)].append(number)
        answers = [_answer(number, clip) for number, clip in enumerate(clips)]
        pairs: dict[tuple[int, int], Pair] = {}
        for prompt, members in groups.items():
            for one, other in combinations(members, 2):
                pairs[one, other] = Pair(
                    id=f"{one}-{other}",
                    instruction=Instruction(text=prompt),
                    a=answers[one],
                    b=answers[other],
                )
        results = complete(self._judged, pairs)
        return [
            self._row(number, answers[number], results) for number in range(len(clips))
        ]

    async def _judged(
        self, pairs: Mapping[tuple[int, int], Pair]
    ) -> dict[tuple[int, int], tuple[str | None, str]]:
        """Map two places to their comparison's overall label, and why it is missing."""
        judging = ItemJudge(self._options)
        results: dict[tuple[int, int], tuple[str | None, str]] = {}
        try:
            for places, pair in pairs.items():
                judgement = await judging.outcome(pair)
                assert isinstance(judgement, Judgement)
                fused = fuse(judgement, judging.policy)
                label = None if fused.rating is None else str(fused.rating)
                results[places] = label, judgement.detail or fused.why
        finally:
            await judging.close()
        return results

    def _row(
        self,
        number: int,
        answer: Answer,
        results: Mapping[tuple[int, int], tuple[str | None, str]],
    ) -> Reward:
        won, decided, missing = 0.0, 0, []
        for places, (label, why) in results.items():
            if number not in places:
                continue
            if label is None:
                missing.append(why)
                continue
            decided += 1
            winner = {"1": places[0], "2": places[1]}.get(label)
            won += 0.5 if winner is None else float(winner == number)
        alone = "no other clip answers its prompt, so there is nothing to compare"
        why_not = None
        if missing:
            why_not = missing[0]
        elif not decided:
            why_not = alone
        return Reward(
            clip=answer.source_id,
            reward=won / decided if decided else None,
            comparisons=decided,
            unscored=len(missing),
            reason=why_not,
            agreement=self._agreement,
            agreement_unknown=self._unknown,
        )


@python_words
def reward(
    judge: Any = None,
    *,
    labelled: str | os.PathLike[str] | None = None,
    options: Options | None = None,
) -> RewardFunction:
    """Make a judge into a reward for trainers: a callable on clips and their prompts.

    The clips of one prompt are compared, every two of them; the reward of a clip is the
    share that it wins, from 0 to 1. Each row says how often annotators share the
    preferences of this judge, or that nobody knows. A reward that rises while this is
    unknown may be a cue that the model has learnt to play: test the judge with
    ``trace-eval drill`` first.

    GRPO in TRL, which leaves out rewards that are None, takes it as ``lambda prompts,
    completions, **_: [row.reward for row in function(completions, prompts)]``, where
    completions are the paths of clips.

    Args:
        judge: a spec, or a judge of one's own; None: that of ``options``, ``rules``.
        labelled: a run of the same judge whose pairs have human labels.
        options: all options at once.

    Raises:
        UserError: an option is unknown, or the run is another judge's.
    """
    chosen = options or Options(extract=ExtractOptions(workers=0))
    if judge is not None:
        chosen = replace(chosen, judge=judge)
    return RewardFunction(chosen, None if labelled is None else Path(labelled))


def _text(number: int, prompt: object) -> str | None:
    """Return the words of a prompt, None for none; refuse a list of messages."""
    if prompt is None or isinstance(prompt, str):
        return prompt
    if isinstance(prompt, int | float):
        return str(prompt)
    remedy = "give the words that were asked"
    if isinstance(prompt, list):
        remedy += ", of a list of messages prompt[-1]['content']"
    raise InputError(
        f"reward: prompt {number} is of type {type(prompt).__name__}; {remedy}"
    )


def _answer(number: int, clip: object) -> Answer:
    """Make an answer of a clip; refuse what is neither a file nor a file's content."""
    if isinstance(clip, bytes):
        return Answer(data=clip)
    if not isinstance(clip, str | os.PathLike):
        raise InputError(
            f"reward: clip {number} is of type {type(clip).__name__}; give a path, a URL, or"
            " the bytes of a file (of samples: soundfile.write into a BytesIO)"
        )
    try:
        return Answer.model_validate({"audio": os.fspath(clip)})
    except ValidationError as error:
        why = error.errors()[0]["msg"].removeprefix("Value error, ")
        raise InputError(f"reward: clip {number}: {why}") from None


def _agreement(
    folder: Path, options: Options
) -> tuple[Mapping[str, Any] | None, str | None]:
    """Return how often a run's annotators share its preferences, or why none knows."""
    run = Run.open(folder)
    judge = options.only_judge
    spec = judge if isinstance(judge, str) else judge.spec
    stored = run.record().judge.spec
    if spec != stored:
        raise InputError(
            f"{folder}: was judged by {stored}, and the reward is {spec}'s; name a"
            f" run of {spec}"
        )
    return agreement_of(bands_of(list(preferences_of(run)), most=1))
