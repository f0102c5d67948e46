"""The judges that a session calls: one judge, or several judges and rubrics at once."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Sequence
from typing import Any

from pydantic import JsonValue

from blueprints import UserError
from trace_eval.data.items import Single
from trace_eval.data.outcome import Outcome, Reason
from trace_eval.data.pairs import Pair
from trace_eval.data.scores import Score
from trace_eval.judges.ask.judge import LLMJudge
from trace_eval.judges.base import Activity, Case, Judge, JudgeUnreachable, Modality, unscored
from trace_eval.judges.combine.samples import JOINED, pooled
from trace_eval.rubrics.single import ScoreRubric

#: (item, rubric) of an outcome.
Key = tuple[str, str]


class Panel:
    """Judges that look at the same items; an outcome per rubric, those of one rubric pooled.

    Args:
        judges: each with one rubric; several of one rubric give scores.
        done: scores that exist already; they are not made again.

    Raises:
        UserError: a judge is named twice for one rubric.
    """

    def __init__(self, judges: Sequence[Judge], done: Collection[Key] = ()) -> None:
        self.judges = tuple(judges)
        self.spec = JOINED.join(dict.fromkeys(judge.spec for judge in judges))
        self.done = set(done)
        groups = [getattr(judge, "groups", None) for judge in judges]
        available = [one for one in groups if one is not None]
        self.groups = frozenset[str]().union(*available) if len(available) == len(groups) else None
        self.reads = frozenset[Modality]().union(*(reads_of(judge) for judge in judges))
        self._groups: dict[str, list[Judge]] = {}
        for judge in judges:
            self._groups.setdefault(_rubric_name(judge), []).append(judge)
        for name, group in self._groups.items():
            if len({_identity(judge) for judge in group}) > 1:
                raise UserError("rubric: two different ones have the same name; rename one of them")
            specs = [judge.spec for judge in group]
            if len(set(specs)) < len(specs):
                twice = next(spec for spec in specs if specs.count(spec) > 1)
                raise UserError(
                    f"judge {twice}: is named twice for rubric {name}; use --samples for more"
                    " opinions of one judge"
                )
        _share_purse(self.chats)

    @property
    def rubrics(self) -> list[ScoreRubric]:
        """The rubrics of its scores; none of judges of pairs."""
        rubrics = [group[0].rubric for group in self._groups.values()]
        return [rubric for rubric in rubrics if isinstance(rubric, ScoreRubric)]

    def rubric_records(self) -> dict[str, dict[str, JsonValue]]:
        """Rubric -> everything it says, for the run's record."""
        return {
            rubric.name: {**rubric.model_dump(mode="json"), "sha256": rubric.sha256}
            for rubric in self.rubrics
        }

    @property
    def chats(self) -> list[LLMJudge]:
        """The judges that send messages."""
        return [judge for judge in self.judges if isinstance(judge, LLMJudge)]

    @property
    def concurrency(self) -> int:
        """As many items as the most cautious judge allows."""
        return min(judge.concurrency for judge in self.judges)

    def parameters(self) -> dict[str, JsonValue]:
        """What each judge says of itself."""
        if len(self.judges) == 1:
            return self.judges[0].parameters()
        return {"raters": [{"judge": j.spec, **j.parameters()} for j in self.judges]}

    def observed(self) -> dict[str, JsonValue]:
        """What each found out; money is one purse."""
        values: dict[str, JsonValue] = {}
        for judge in reversed(self.judges):
            values |= judge.observed()
        return values

    def load(self) -> None:
        """Load the models of all."""
        for judge in self.judges:
            judge.load()

    def activity(self) -> Activity:
        """Calls of all, and what they have spent together."""
        if len(self.judges) == 1:
            return self.judges[0].activity()
        activities = [chat.activity() for chat in self.chats]
        if not activities:
            return Activity()
        callers = {id(chat.sender.asker.caller): chat for chat in self.chats}.values()
        calls = sum(chat.activity().calls or 0 for chat in callers)
        costs = [activity.cost_usd for activity in activities if activity.cost_usd is not None]
        return Activity(calls, max(costs) if costs else None)

    def roles(self, item: Pair | Single) -> list[str]:
        """The recordings of an item whose blueprints any of them needs."""
        able = [judge for judge in self.judges if not refuses(judge, item)]
        wanted = {role for judge in able for role in judge.roles(item)}
        return [role for role in item.recordings() if role in wanted]

    async def outcomes(self, case: Case) -> list[Outcome]:
        """One for every rubric that has none yet. Whatever a judge raises is its outcome."""
        groups = [
            group for name, group in self._groups.items() if (case.item.id, name) not in self.done
        ]
        requested = [judge for group in groups for judge in group]
        if self.concurrency == 1:  # a script's replies come in order
            outcomes = [await _safely(judge, case) for judge in requested]
        else:
            outcomes = await asyncio.gather(*(_safely(judge, case) for judge in requested))
        left = iter(outcomes)
        return [self._one(case, [next(left) for _ in group]) for group in groups]

    def _one(self, case: Case, parts: list[Outcome]) -> Outcome:
        scores = [part for part in parts if isinstance(part, Score)]
        if not scores:  # a pair has one judge
            return parts[0]
        rubric = self._groups[scores[0].rubric][0].rubric
        return self.combined(case.single, rubric, scores)

    def combined(self, item: Single, rubric: ScoreRubric, parts: Sequence[Score]) -> Score:
        """One record for what several judges say."""
        return parts[0] if len(parts) == 1 else pooled(item, rubric, parts)

    def unscored(self, item: Pair | Single, reason: Reason, detail: str) -> list[Outcome]:
        """For the rubrics that have no outcome yet."""
        rubrics = [group[0].rubric for group in self._groups.values()]
        whole = [unscored(item, rubric, self.spec, reason, detail) for rubric in rubrics]
        return [outcome for outcome in whole if outcome.key not in self.done]

    async def close(self) -> None:
        """Release what all of them hold."""
        for judge in self.judges:
            await judge.close()


def reads_of(judge: Judge) -> frozenset[Modality]:
    """What a judge looks at; one that does not say reads blueprints."""
    return getattr(judge, "reads", Judge.reads)


def refuses(judge: Judge, item: Pair | Single) -> str | None:
    """Why a judge cannot look at an item at all; None: it can."""
    if not item.has_conversations or getattr(judge, "takes_conversations", False):
        return None
    return (
        f"the answer is a conversation, and judge {judge.spec} takes one recording or text; use"
        " a judge that reads (rules, openai:MODEL), and of single ones a rubric of conversations"
    )


def _rubric_name(judge: Judge) -> str:
    rubric = getattr(judge, "rubric", None)
    return rubric.name if isinstance(rubric, ScoreRubric) else ""


def _identity(judge: Judge) -> str:
    rubric = getattr(judge, "rubric", None)
    return rubric.sha256 if isinstance(rubric, ScoreRubric) else ""


async def _safely(judge: Judge, case: Case) -> Outcome:
    """One judge's outcome; a judge that raises costs its own only."""
    if why := refuses(judge, case.item):
        return unscored(case.item, judge.rubric, judge.spec, Reason.EVIDENCE_MISSING, why)
    try:
        return await judge.judge(case)
    except JudgeUnreachable:
        raise
    except Exception as error:
        detail = f"{type(error).__name__}: {error}"
        return unscored(case.item, judge.rubric, judge.spec, Reason.JUDGE_FAILED, detail)


def _share_purse(chats: Sequence[LLMJudge]) -> None:
    """One budget for the run, and one bound on calls in flight per client."""
    callers: dict[int, Any] = {}
    for chat in chats:
        chat.sender.asker.budget = chats[0].sender.asker.budget
        chat.sender.asker.caller = callers.setdefault(id(chat.client), chat.sender.asker.caller)
