"""The judges that a session calls: one, several at once, or several fused."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from hashlib import sha256
from itertools import islice
from pathlib import Path
from typing import Any

from pydantic import JsonValue

from blueprints import JudgeError
from trace_eval.data.fused_scores import FILE, FusionModel, spread_over
from trace_eval.data.items import Pair, Single
from trace_eval.data.outcome import Outcome, Reason
from trace_eval.data.rubrics.single import ScoreRubric
from trace_eval.data.scores import Score
from trace_eval.judges.ask.calls import together
from trace_eval.judges.ask.judge import LLMJudge
from trace_eval.judges.base import (
    Activity,
    Case,
    Judge,
    JudgeUnreachable,
    Modality,
    refuses,
    unscored,
)
from trace_eval.judges.combine.samples import JOINED, pooled, shares

#: (item, rubric) of an outcome.
Key = tuple[str, str]


class Panel:
    """Judges of the same items, with an outcome per rubric; judges of one are pooled.

    Args:
        judges: each with one rubric; several of one rubric give scores.
        done: scores that exist already and are not made again.

    Raises:
        UserError: a judge is named twice for one rubric.
    """

    def __init__(self, judges: Sequence[Judge], done: Collection[Key] = ()) -> None:
        self.judges = tuple(judges)
        self.spec = JOINED.join(dict.fromkeys(judge.spec for judge in judges))
        self.done = set(done)
        named = [judge.groups for judge in judges if judge.groups is not None]
        self.groups = (
            frozenset[str]().union(*named) if len(named) == len(judges) else None
        )
        self.reads = frozenset[Modality]().union(*(judge.reads for judge in judges))
        self._groups: dict[str, list[Judge]] = {}
        for judge in judges:
            rubric = _score_rubric(judge)
            self._groups.setdefault(rubric.name if rubric else "", []).append(judge)
        for name, group in self._groups.items():
            if (
                len({rubric.sha256 for rubric in map(_score_rubric, group) if rubric})
                > 1
            ):
                raise JudgeError(
                    "rubric: two different ones have the same name; rename one of them"
                )
            specs = [judge.spec for judge in group]
            if len(set(specs)) < len(specs):
                twice = next(spec for spec in specs if specs.count(spec) > 1)
                raise JudgeError(
                    f"judge {twice}: is named twice for rubric {name}; use --samples"
                    " for more opinions of one judge"
                )
        # One budget for the run, and one bound on calls in flight per client.
        callers: dict[int, Any] = {}
        for chat in self.chats:
            asker = chat.sender.asker
            asker.budget = self.chats[0].budget
            asker.caller = callers.setdefault(id(chat.client), asker.caller)

    @property
    def rubrics(self) -> list[ScoreRubric]:
        """The rubrics of its scores; none of judges of pairs."""
        first = (group[0] for group in self._groups.values())
        return [rubric for rubric in map(_score_rubric, first) if rubric]

    def rubric_records(self) -> dict[str, dict[str, JsonValue]]:
        """Return all fields of each rubric, for the run's record."""
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
        """Record the parameters of each judge."""
        if len(self.judges) == 1:
            return self.judges[0].parameters()
        return {"raters": [{"judge": j.spec, **j.parameters()} for j in self.judges]}

    def observed(self) -> dict[str, JsonValue]:
        """Record the observations of all judges; money is shared."""
        values: dict[str, JsonValue] = {}
        for judge in reversed(self.judges):
            values |= judge.observed()
        return values

    def load(self) -> None:
        """Load the models of all."""
        for judge in self.judges:
            judge.load()

    def activity(self) -> Activity:
        """Add up the calls and costs of all judges."""
        if len(self.judges) == 1 or not self.chats:
            return self.judges[0].activity() if len(self.judges) == 1 else Activity()
        callers = {id(chat.sender.asker.caller): chat for chat in self.chats}.values()
        calls = sum(chat.activity().calls or 0 for chat in callers)
        costs = [chat.activity().cost_usd for chat in self.chats]
        known_costs = [cost for cost in costs if cost is not None]
        return Activity(calls, max(known_costs, default=None))

    def roles(self, item: Pair | Single) -> list[str]:
        """Name the recordings of an item whose blueprints any judge needs."""
        able = [judge for judge in self.judges if not refuses(judge, item)]
        wanted = {role for judge in able for role in judge.roles(item)}
        return [role for role in item.recordings() if role in wanted]

    async def outcomes(self, case: Case) -> list[Outcome]:
        """Return a judge for each rubric without one; raised errors are outcomes."""
        groups = [
            group
            for name, group in self._groups.items()
            if (case.item.id, name) not in self.done
        ]
        requested = [judge for group in groups for judge in group]
        if self.concurrency == 1:  # a script's replies come in order
            outcomes = [await _safely(judge, case) for judge in requested]
        else:
            outcomes = await together(_safely(judge, case) for judge in requested)
        left = iter(outcomes)
        return [self._one(case, list(islice(left, len(group)))) for group in groups]

    def _one(self, case: Case, parts: list[Outcome]) -> Outcome:
        scores = [part for part in parts if isinstance(part, Score)]
        if not scores:  # a pair has one judge
            return parts[0]
        rubric = self._groups[scores[0].rubric][0].rubric
        return self.combined(case.single, rubric, scores)

    def combined(
        self, item: Single, rubric: ScoreRubric, parts: Sequence[Score]
    ) -> Score:
        """Combine the scores of several judges into one."""
        return parts[0] if len(parts) == 1 else pooled(item, rubric, parts)

    def unscored(
        self, item: Pair | Single, reason: Reason, detail: str
    ) -> list[Outcome]:
        """Return outcomes of the rubrics that have none yet."""
        rubrics = [group[0].rubric for group in self._groups.values()]
        whole = [
            unscored(item, rubric, judge=self.spec, reason=reason, detail=detail)
            for rubric in rubrics
        ]
        return [outcome for outcome in whole if outcome.key not in self.done]

    async def close(self) -> None:
        """Release the connections of all."""
        for judge in self.judges:
            await judge.close()


def _score_rubric(judge: Judge) -> ScoreRubric | None:
    return judge.rubric if isinstance(judge.rubric, ScoreRubric) else None


async def _safely(judge: Judge, case: Case) -> Outcome:
    """Return one judge's outcome; a judge that raises costs its own only."""
    if why := refuses(judge, case.item):
        return unscored(
            case.item,
            judge.rubric,
            judge=judge.spec,
            reason=Reason.EVIDENCE_MISSING,
            detail=why,
        )
    try:
        return await judge.judge(case)
    except JudgeUnreachable:
        raise
    except Exception as error:
        detail = f"{type(error).__name__}: {error}"
        return unscored(
            case.item,
            judge.rubric,
            judge=judge.spec,
            reason=Reason.JUDGE_FAILED,
            detail=detail,
        )


#: How the judge is written: ``fusion:DIR``.
KIND = "fusion"


class FusedPanel(Panel):
    """The judges of a fused judge as a panel, with their scores fused by its model.

    ``folder`` is what ``train fusion`` wrote; ``create_scorers`` makes the raters of a
    spec.

    Raises:
        UserError: the folder holds no model, or one of another scale or rubric.
    """

    def __init__(
        self,
        folder: Path,
        rubrics: Sequence[ScoreRubric],
        create_scorers: Callable[[str], list[Judge]],
        done: Collection[Key] = (),
    ) -> None:
        self.model = FusionModel.load(folder)
        for rubric in rubrics:
            labels = tuple(float(label) for label in rubric.numbers.labels)
            if labels != self.model.labels or self.model.rubric not in (
                None,
                rubric.name,
            ):
                raise JudgeError(
                    f"judge {KIND}:{folder}: was trained on scores of rubric"
                    f" {self.model.rubric or 'unknown'} from {self.model.labels[0]:g}"
                    f" to {self.model.labels[-1]:g}, not of {rubric.name}; use that"
                    " rubric, or train another"
                )
        specs = [member.judge for member in self.model.members if member.weight > 0]
        super().__init__(
            [rater for spec in specs for rater in create_scorers(spec)], done
        )
        self.spec = f"{KIND}:{folder}"
        self._sha256 = sha256((folder / FILE).read_bytes()).hexdigest()

    def parameters(self) -> dict[str, JsonValue]:
        raters: list[JsonValue] = [
            {"judge": r.spec, **r.parameters()} for r in self.judges
        ]
        return {"fusion": self._sha256, "raters": raters}

    def combined(
        self, item: Single, rubric: ScoreRubric, parts: Sequence[Score]
    ) -> Score:
        mixture = pooled(item, rubric, parts)
        scored = {
            p.judge: p.estimate for p in parts if p.status == "scored" and p.estimate
        }
        fused = self.model.fuse(scored)
        if fused is None:
            return mixture.model_copy(update={"judge": self.spec})
        scale = rubric.numbers
        spread = None
        if fused.variance is not None:
            labels = [float(label) for label in scale.labels]
            spread = shares(spread_over(labels, fused.mean, fused.variance), scale)
        total = sum(m.weight for m in self.model.members if m.judge in scored)
        weights = {
            m.judge: m.weight / total for m in self.model.members if m.judge in scored
        }
        return mixture.model_copy(
            update={
                "judge": self.spec,
                "value": scale.value(fused.mean),
                "majority": None,
                "distribution": spread,
                "estimate": fused,
                "parts": [
                    part.model_copy(update={"weight": weights.get(part.judge)})
                    for part in mixture.parts
                ],
            }
        )
