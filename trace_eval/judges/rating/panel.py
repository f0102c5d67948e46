"""Several rubrics and several judges as one rater: a record per rubric, judges pooled."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Sequence
from typing import Any

from pydantic import JsonValue

from blueprints import UserError
from trace_eval.data.items import Single
from trace_eval.data.outcome import Reason
from trace_eval.data.scores import Score
from trace_eval.judges.base import Activity, Evidence, JudgeUnreachable, Rater, SingleCase
from trace_eval.judges.chat.judge import ChatJudge
from trace_eval.judges.rating.score import JOINED, pooled
from trace_eval.rubrics import ScoreRubric

#: (item, rubric) of a score.
Key = tuple[str, str]


class Panel(Rater):
    """Raters that look at the same answers.

    Args:
        raters: each with one rubric; those of one rubric are pooled.
        done: scores that exist already; they are not made again.

    Raises:
        UserError: a judge is named twice for one rubric.
    """

    def __init__(self, raters: Sequence[Rater], done: Collection[Key] = ()) -> None:
        self.raters = tuple(raters)
        self.rubrics = list({r.sha256: r for rater in raters for r in rater.rubrics}.values())
        self.spec = JOINED.join(dict.fromkeys(rater.spec for rater in raters))
        self.done = set(done)
        self.reads = frozenset[Evidence]().union(*(rater.reads for rater in raters))  # type: ignore[misc]
        self._by_rubric = {
            rubric.name: [rater for rater in raters if rubric in rater.rubrics]
            for rubric in self.rubrics
        }
        if len(self._by_rubric) < len(self.rubrics):
            raise UserError("rubric: two different ones have the same name; rename one of them")
        for name, group in self._by_rubric.items():
            specs = [rater.spec for rater in group]
            if len(set(specs)) < len(specs):
                twice = next(spec for spec in specs if specs.count(spec) > 1)
                raise UserError(
                    f"judge {twice}: is named twice for rubric {name}; use --samples for more"
                    " opinions of one judge"
                )
        _share_purse(self.chats)

    @property
    def chats(self) -> list[ChatJudge[Any]]:
        """Those that send messages."""
        return [rater.chat for rater in self.raters if rater.chat]

    @property
    def concurrency(self) -> int:
        """As many items as the most cautious rater allows."""
        return min(rater.concurrency for rater in self.raters)

    def parameters(self) -> dict[str, JsonValue]:
        """What each rater says of itself."""
        if len(self.raters) == 1:
            return self.raters[0].parameters()
        return {"raters": [{"judge": r.spec, **r.parameters()} for r in self.raters]}

    def observed(self) -> dict[str, JsonValue]:
        """What each found out; money is one purse."""
        found: dict[str, JsonValue] = {}
        for rater in reversed(self.raters):
            found |= rater.observed()
        return found

    def activity(self) -> Activity:
        """Calls of all, and what they have spent together."""
        activities = [chat.activity() for chat in self.chats]
        if not activities:
            return Activity()
        callers = {id(chat.asker.caller): chat for chat in self.chats}.values()
        calls = sum(chat.activity().calls or 0 for chat in callers)
        costs = [activity.cost_usd for activity in activities if activity.cost_usd is not None]
        return Activity(calls, max(costs) if costs else None)

    def roles(self, item: Single) -> list[str]:
        """What any of them needs."""
        wanted = {role for rater in self.raters for role in rater.roles(item)}
        return [role for role in item.recordings() if role in wanted]

    async def rate(self, case: SingleCase) -> list[Score]:
        """A record for every rubric that has none yet."""
        groups = [
            (rubric, self._by_rubric[rubric.name])
            for rubric in self.rubrics
            if (case.item.id, rubric.name) not in self.done
        ]
        asked = [rater for _, group in groups for rater in group]
        if self.concurrency == 1:  # a script's replies come in order
            scores = [await _safely(rater, case) for rater in asked]
        else:
            scores = await asyncio.gather(*(_safely(rater, case) for rater in asked))
        given = iter(scores)
        records = []
        for rubric, group in groups:
            parts = [next(given) for _ in group]
            records.append(self.combined(case.item, rubric, parts))
        return records

    def combined(self, item: Single, rubric: ScoreRubric, parts: Sequence[Score]) -> Score:
        """One record for what several raters say."""
        return parts[0] if len(parts) == 1 else pooled(item, rubric, parts)

    def unscored(self, item: Single, reason: Reason, detail: str) -> list[Score]:
        """For the rubrics that have no score yet."""
        every = super().unscored(item, reason, detail)
        return [score for score in every if score.key not in self.done]

    async def close(self) -> None:
        """Release what all of them hold."""
        for rater in self.raters:
            await rater.close()


async def _safely(rater: Rater, case: SingleCase) -> Score:
    """One rater's score; a judge that raises costs its own score only."""
    try:
        (score,) = await rater.rate(case)
    except JudgeUnreachable:
        raise
    except Exception as error:
        told = f"{type(error).__name__}: {error}"
        (score,) = rater.unscored(case.item, Reason.JUDGE_FAILED, told)
    return score


def _share_purse(chats: Sequence[ChatJudge[Any]]) -> None:
    """One budget for the run, and one bound on calls in flight per client."""
    callers: dict[int, Any] = {}
    for chat in chats:
        chat.asker.budget = chats[0].asker.budget
        chat.asker.caller = callers.setdefault(id(chat.client), chat.asker.caller)
