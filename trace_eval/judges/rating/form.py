"""What replies about a single answer come to: samples of a score on the rubric's scale."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from pydantic import JsonValue

from trace_eval.data.items import Item
from trace_eval.data.outcome import Outcome, Reason
from trace_eval.data.scores import ScoreOpinion
from trace_eval.judges.aggregate import unreasoned
from trace_eval.judges.base import unscored
from trace_eval.judges.chat.view import AnswerForm, AskedQuestion, Replies
from trace_eval.judges.hearing import check_heard
from trace_eval.judges.options.judge_options import JudgeOptions
from trace_eval.judges.rating.parse import ScoreReply, read_score, reply_schema
from trace_eval.judges.rating.score import lowest_score, score_of
from trace_eval.judges.views.conversation import NO_POLICY
from trace_eval.rubrics.single import ScoreRubric

_MISSING = "the reply rates this turn not once"


class ScoreForm(AnswerForm[ScoreReply]):
    """Replies with a score, and with sub-scores or turns where the rubric has them.

    Args:
        rubric: what is rated, on which scale.
        options: how many samples must be usable, and whether a plain line may be read.
        listens: refuse replies which say that nothing was heard.
    """

    def __init__(self, rubric: ScoreRubric, options: JudgeOptions, listens: bool = False) -> None:
        self.rubric: ScoreRubric = rubric
        self.schema = reply_schema(rubric)
        self._options = options
        self._listens = listens

    def parameters(self) -> dict[str, JsonValue]:
        """The rubric."""
        return {"rubric": self.rubric.sha256}

    def read(self, text: str) -> ScoreReply:
        """A reply -> a score."""
        if self._listens:
            check_heard(text)
        return read_score(text, self.rubric, plain=self._options.structure == "text")

    def of_nothing(self, item: Item, judge: str, reason: Reason) -> Outcome | None:
        """What the rubric says of an answer that is empty or silent."""
        if self.rubric.silent == "ask":
            return None
        if self.rubric.silent == "unscored":
            told = "there is nothing to rate in the answer"
            return unscored(item, self.rubric, judge, reason, told)
        return lowest_score(item, self.rubric, judge, reason)

    def outcome(self, replies: Replies[ScoreReply]) -> Outcome:
        """The score of the samples."""
        item, caveats = replies.item, list(replies.caveats)
        if self.rubric.unit == "turn":
            opinions = [one for each in replies.asked for one in _of_turns(each)]
        else:
            unknown = {"policy"} if any(c.startswith(NO_POLICY) for c in caveats) else set()
            opinions = [_opinion(each, self.rubric, unknown) for each in replies.asked]
            said = [each.outcome.value for each in replies.asked]
            stated = [reply.score if reply else None for reply in said]
            if self.rubric.overall and stated != [opinion.score for opinion in opinions]:
                caveats.append("total_differs: a reply's own total is not what its elements say")
        caveats += unreasoned(one.reasoning for one in opinions if one.score is not None)
        if not opinions:
            told = "no turn of the agent"
            return unscored(item, self.rubric, replies.judge, Reason.EMPTY_CANDIDATE, told)
        return score_of(
            *(item, self.rubric, replies.judge, opinions, self._options.min_samples),
            caveats=caveats,
            cropped=replies.cropped,
        )


def _of_turns(asked: AskedQuestion[ScoreReply]) -> Iterator[ScoreOpinion]:
    """An opinion for every turn that was asked about; the first one has the usage."""
    reply = asked.outcome.value
    record = asked.record
    for position, number in enumerate(asked.question.turns):
        said = reply.turns.get(number) if reply else None
        if position:
            record = {**record, "usage": None, "raw": None, "seconds": None}
        told = {} if said or not reply else {"reason": Reason.UNPARSEABLE, "detail": _MISSING}
        yield ScoreOpinion(
            choice=asked.outcome.choice,
            turn=number,
            score=said.score if said else None,
            reasoning=said.reasoning if said else "",
            **{**record, **told},
        )


def _opinion(
    asked: AskedQuestion[ScoreReply], rubric: ScoreRubric, unknown: Collection[str] = ()
) -> ScoreOpinion:
    """What a reply says; the score follows from the elements where the rubric says so."""
    reply = asked.outcome.value
    given = reply.elements if reply else {}
    elements = {name: None if name in unknown else value for name, value in given.items()}
    total = rubric.total(elements)
    stated = reply.score if reply else None
    return ScoreOpinion(
        choice=asked.outcome.choice,
        score=stated if total is None else rubric.numbers.parse(total),
        elements=elements,
        reasoning=reply.reasoning if reply else "",
        **asked.record,
    )
