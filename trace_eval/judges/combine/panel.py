"""The judges that a session calls: one, several at once, or several fused."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Sequence
from hashlib import sha256
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from pydantic import JsonValue

from blueprints import JudgeError
from trace_eval.data.fused_scores import FILE, FusionModel, spread_over
from trace_eval.data.items import Pair, Single
from trace_eval.data.outcome import Outcome, Reason
from trace_eval.data.rubrics.single import ScoreRubric
from trace_eval.data.scores import JudgeComponent, Score, ScoreEstimate
from trace_eval.judges.ask.calls import together
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

if TYPE_CHECKING:  # checks reasons, which judges without a model do not need
    from trace_eval.judges.ask.judge import LLMJudge

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
        self.groups: frozenset[str] | None = frozenset()
        self.reads: frozenset[Modality] = frozenset()
        self._groups: dict[str, list[Judge]] = {}
        for judge in judges:
            self.reads |= judge.reads
            if self.groups is None or judge.groups is None:
                self.groups = None
            else:
                self.groups |= judge.groups
            rubric = _score_rubric(judge)
            self._groups.setdefault(rubric.name if rubric else "", []).append(judge)
        for name, group in self._groups.items():
            _check_group(name, group)
        # One budget for the run, and one bound on calls in flight per client.
        callers: dict[int, Any] = {}
        for chat in self.chats:
            asker = chat.sender.asker
            asker.budget = self.chats[0].budget
            asker.caller = callers.setdefault(id(chat.client), asker.caller)

    @property
    def rubrics(self) -> list[ScoreRubric]:
        """The rubrics of its scores; none of judges of pairs."""
        first = [group[0] for group in self._groups.values()]
        return [rubric for rubric in map(_score_rubric, first) if rubric]

    def rubric_records(self) -> dict[str, dict[str, JsonValue]]:
        """Return all fields of each rubric, for the run's record."""
        records: dict[str, dict[str, JsonValue]] = {}
        for rubric in self.rubrics:
            records[rubric.name] = rubric.model_dump(mode="json")
            records[rubric.name]["sha256"] = rubric.sha256
        return records

    @property
    def chats(self) -> list[LLMJudge]:
        """The judges that send messages."""
        asking = [one for one in self.judges if getattr(one, "sends_messages", False)]
        return cast("list[LLMJudge]", asking)

    @property
    def concurrency(self) -> int:
        """As many items as the most cautious judge allows."""
        return min(judge.concurrency for judge in self.judges)

    def parameters(self) -> dict[str, JsonValue]:
        """Record the parameters of each judge."""
        if len(self.judges) == 1:
            return self.judges[0].parameters()
        return {"raters": self._raters()}

    def _raters(self) -> list[JsonValue]:
        """Record each judge with its parameters."""
        return [{"judge": judge.spec, **judge.parameters()} for judge in self.judges]

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
        if len(self.judges) == 1:
            return self.judges[0].activity()
        if not self.chats:
            return Activity()
        callers = {id(chat.sender.asker.caller): chat for chat in self.chats}.values()
        calls = sum(chat.activity().calls or 0 for chat in callers)
        costs = [chat.activity().cost_usd for chat in self.chats]
        known_costs = [cost for cost in costs if cost is not None]
        return Activity(calls, max(known_costs, default=None))

    def roles(self, item: Pair | Single) -> list[str]:
        """Name the recordings of an item whose blueprints any judge needs."""
        wanted: set[str] = set()
        for judge in self.judges:
            if not refuses(judge, item):
                wanted.update(judge.roles(item))
        return [role for role in item.recordings() if role in wanted]

    async def outcomes(self, case: Case) -> list[Outcome]:
        """Return an outcome for each rubric without one; raised errors are outcomes."""
        groups: list[list[Judge]] = []
        judges: list[Judge] = []
        for name, group in self._groups.items():
            if (case.item.id, name) not in self.done:
                groups.append(group)
                judges.extend(group)
        if self.concurrency == 1:  # a script's replies come in order
            outcomes = [await _safely(judge, case) for judge in judges]
        else:
            outcomes = await together(_safely(judge, case) for judge in judges)
        left = iter(outcomes)
        combined: list[Outcome] = []
        for group in groups:
            of_group = list(islice(left, len(group)))
            combined.append(self._one(case, of_group))
        return combined

    def _one(self, case: Case, parts: list[Outcome]) -> Outcome:
        """Return one outcome of several judges of a rubric; a pair has one judge."""
        scores = [part for part in parts if isinstance(part, Score)]
        if not scores:
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
        outcomes: list[Outcome] = []
        for group in self._groups.values():
            outcome = unscored(
                item, group[0].rubric, judge=self.spec, reason=reason, detail=detail
            )
            if outcome.key not in self.done:
                outcomes.append(outcome)
        return outcomes

    async def close(self) -> None:
        """Release the connections of all."""
        for judge in self.judges:
            await judge.close()


def _score_rubric(judge: Judge) -> ScoreRubric | None:
    return judge.rubric if isinstance(judge.rubric, ScoreRubric) else None


def _check_group(name: str, judges: Sequence[Judge]) -> None:
    """Refuse two rubrics of one name, and a judge that is named twice for a rubric."""
    rubrics = [rubric for rubric in map(_score_rubric, judges) if rubric]
    if len({rubric.sha256 for rubric in rubrics}) > 1:
        raise JudgeError(
            "rubric: two different ones have the same name; rename one of them"
        )
    (spec, times), *_ = Counter(judge.spec for judge in judges).most_common(1)
    if times > 1:
        raise JudgeError(
            f"judge {spec}: is named twice for rubric {name}; use --samples for more"
            " opinions of one judge"
        )


async def _safely(judge: Judge, case: Case) -> Outcome:
    """Return one judge's outcome; a judge that raises costs its own only."""
    reason = Reason.EVIDENCE_MISSING
    detail = refuses(judge, case.item)
    if not detail:
        try:
            return await judge.judge(case)
        except JudgeUnreachable:
            raise
        except Exception as error:
            reason = Reason.JUDGE_FAILED
            detail = f"{type(error).__name__}: {error}"
    return unscored(
        case.item, judge.rubric, judge=judge.spec, reason=reason, detail=detail
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
            is_its_rubric = self.model.rubric in (None, rubric.name)
            if labels != self.model.labels or not is_its_rubric:
                raise JudgeError(
                    f"judge {KIND}:{folder}: was trained on scores of rubric"
                    f" {self.model.rubric or 'unknown'} from {self.model.labels[0]:g}"
                    f" to {self.model.labels[-1]:g}, not of {rubric.name}; use that"
                    " rubric, or train another"
                )
        judges: list[Judge] = []
        for member in self.model.members:
            if member.weight > 0:
                judges.extend(create_scorers(member.judge))
        super().__init__(judges, done)
        self.spec = f"{KIND}:{folder}"
        self._sha256 = sha256((folder / FILE).read_bytes()).hexdigest()

    def parameters(self) -> dict[str, JsonValue]:
        return {"fusion": self._sha256, "raters": self._raters()}

    def combined(
        self, item: Single, rubric: ScoreRubric, parts: Sequence[Score]
    ) -> Score:
        mixture = pooled(item, rubric, parts)
        estimates: dict[str, ScoreEstimate] = {}
        for part in parts:
            if part.status == "scored" and part.estimate:
                estimates[part.judge] = part.estimate
        fused = self.model.fuse(estimates)
        if fused is None:
            return mixture.model_copy(update={"judge": self.spec})
        scale = rubric.numbers
        spread = None
        if fused.variance is not None:
            labels = [float(label) for label in scale.labels]
            spread = shares(spread_over(labels, fused.mean, fused.variance), scale)
        members = [one for one in self.model.members if one.judge in estimates]
        total = sum(member.weight for member in members)
        weights = {member.judge: member.weight / total for member in members}
        weighted: list[JudgeComponent] = []
        for component in mixture.parts:
            share = weights.get(component.judge)
            weighted.append(component.model_copy(update={"weight": share}))
        return mixture.model_copy(
            update={
                "judge": self.spec,
                "value": scale.value(fused.mean),
                "majority": None,
                "distribution": spread,
                "estimate": fused,
                "parts": weighted,
            }
        )
