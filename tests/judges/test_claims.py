"""Reasons are checked: numbers, comparisons and quotations against both blueprints."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Iterable
from itertools import chain
from typing import Any

import pytest

from benchmarks.report import stored
from fusion import DIMENSIONS
from tests.support import blueprints as make
from tests.support.cases import verdict
from tests.support.claimed import REQUEST, fast, findings, slow
from tests.support.cli import ROOT
from tests.support.llm_judges import reading_judge
from tests.support.speed import once, within
from trace_eval.data.answers import Answer, Instruction
from trace_eval.data.items import Pair
from trace_eval.data.judgement import Judgement, VerdictOpinion
from trace_eval.judges.ask.base import Reply, Request, Tokens
from trace_eval.judges.ask.prices import FREE
from trace_eval.judges.ask.scripted import ScriptedClient
from trace_eval.judges.base import Case
from trace_eval.judges.beside.steps import LOUDNESS, PITCH, RATE, Step
from trace_eval.judges.claims.check import check, check_all
from trace_eval.judges.claims.finding import ShownAnswers
from trace_eval.judges.claims.follows import parts_about, stance_of
from trace_eval.judges.claims.plain import plain
from trace_eval.judges.claims.read import claims_of
from trace_eval.judges.claims.reasons import checked
from trace_eval.judges.options.judge_options import JudgeOptions

TRUE = """
Answer 1 speaks at about 210 words per minute, twice as fast as answer 2.
A has a higher P808 (3.7 vs 3.1) than B.
P808 is 372 for answer 1 and 311 for answer 2.
Answer 2 is quieter by 6 dB.
Answer 1's bandwidth is 7.9 kHz, answer 2 only reaches 3.9 kHz.
Answer 1 (214 WPM) is faster than answer 2 (104 WPM).
The second is slower than the first.
Both are under 4 in P808.
Neither exceeds 250 WPM.
Answer 1 has no clipping, while answer 2 clips 3%.
Answer 2's pitch is lower, 118 against 181 Hz.
Answer 1 never says "friend".
Answer 1 says "good night ... sleep well", answer 2 says "my dear friend."
The user asked for "whisper".
The latter is half as long as the former.
Neither response exceeds a rate of 230 WPM.
The gap in P808 amounts to 0.61 in favour of answer 1.
In P808, answer 1 (3.72) outperforms answer 2 (3.11).
The pitch rises from 118 Hz in answer 2 to 181 Hz in answer 1.
In neither case was a P808 above 4.11 observed.
The pitch was found to differ by 63 Hz, in favour of answer 1.
a1 has the higher pitch btw
Answer 1, being longer, suits the request.
Because answer 2 has a lower P808 than answer 1, I rate it lower.
Neither one tops 4.1 on P808.
But where is "my dear friend" in answer 1? It isn't there.
Zero mentions of "friend" in answer 1.
The words "my dear friend" are in answer 2 and occur zero times in answer 1.
Answer 1 has 63 Hz on answer 2 in pitch.
Answer 1 gains 63 Hz on answer 2 in pitch.
Pitch: 181 Hz - 118 Hz = 63 Hz
Pitch of answer 2: -63 Hz
Pitch diff 63 Hz
Neither P808 adds up to 4.1.
Answer 2 is nowhere near as fast as answer 1.
By P808: 3.72 for answer 1, 3.11 for answer 2.
By rate: 214 WPM for answer 1.
Rate (1 - 2): 214 - 104 = 110 WPM
What I was expecting, given the request, and what answer 1 does not say, is "my dear friend".
""".strip().splitlines()

FALSE = """
Answer 1 speaks at about 150 words per minute.
In neither case was a P808 above 3.5 observed.
a2 has the higher pitch btw
Answer 2 is faster than its opponent.
B has a higher P808 than A.
P808 is 342 for answer 1.
Answer 2 is quieter by 12 dB.
Answer 2 is louder.
Answer 2's bandwidth is 7.9 kHz.
The first is slower than the second.
Both are under 3.5 in P808.
Both are equally fast.
Neither clips.
Answer 2 never says "friend".
Answer 2 says "I cannot whisper".
Answer 1 says "as an artificial intelligence".
The former is half as long as the latter.
Answer 1 is not louder than answer 2.
Neither response exceeds a rate of 190 WPM.
The gap in P808 amounts to 0.61 in favour of answer 2.
The pitch rises from 118 Hz in answer 1 to 181 Hz in answer 2.
Answer 2, being longer, suits the request better than answer 1 does.
There is nothing between them in P808.
There is hardly anything between them in P808.
The rate does not separate them.
Neither one tops 3.2 on P808.
Whoever cares for loudness gets more of it with answer 2 than with answer 1.
But where is "good night" in answer 1? It isn't there.
Switching from answer 1 to answer 2 costs me 110 Hz in pitch.
Zero mentions of "friend" in answer 2.
Answer 2 has 63 Hz on answer 1 in pitch.
Pitch: 181 Hz - 118 Hz = 93 Hz
Pitch of answer 2: -123 Hz
Answer 1 is nowhere near as fast as answer 2.
By P808: 3.11 for answer 1, 3.72 for answer 2.
Rate (1 - 2): 214 - 104 = 150 WPM
What I was expecting, given the request, and what answer 2 does not say, is "my dear friend".
""".strip().splitlines()

NOT_CHECKABLE = """
Answer 1 sounds more natural than answer 2.
Answer 2 is better.
Answer 1 is clearer and more engaging.
""".strip().splitlines()


#: Wishes, norms, differences within a recording, and numbers of which no side is said.
AMBIGUOUS = """
Answer 1 would be better if it were slower.
A rate under 100 WPM is considered slow.
The user requested less than 90 words per minute.
Answer 2 takes longer to get to the point.
Answer 2 gets louder towards the end.
Had answer 2 been faster, it would fit.
The longer answer 1 talks, the better it gets.
Answer 2 counts from 1 to 10 and lists 3 steps.
In 9 of 10 cases answer 2 is fine.
5 of the 20 words look odd.
Neither one clears 4.5 in P808.
Answer 1 does not clear 4.5 in P808.
The odd word 'zebra' in answer 2 is doubtful, likely a mishearing.
One expects something like "of course, dear friend" here.
P808 3.1 v 3.7 for answer 1.
Answer 1 has that "je ne sais quoi".
Given the request, what answer 1 does not say, is "my dear friend".
""".strip().splitlines()


@pytest.mark.parametrize("reason", AMBIGUOUS)
def test_what_can_be_read_in_two_ways_is_neither_true_nor_false(reason: str) -> None:
    assert set(findings(reason)) <= {None}


def test_sides_may_be_called_by_their_number_alone() -> None:
    assert findings("1 is faster (214 v 104 WPM).") == [True, True]
    assert False in findings("2 is faster.")
    assert findings("The low BAK of 2 may be creak.") == []


def test_a_long_reason_of_nothing_but_numbers_is_read_in_no_time() -> None:
    started = time.process_time()
    for piece in (
        "1 ",
        "2.1, ",
        "P808 3.7 v 3.1 for A, ",
        "(",
        '"a',
        "answer 1 is faster than ",
    ):
        claims_of(piece * (6000 // len(piece)))
    assert within(time.process_time() - started, 10)


@pytest.mark.parametrize("blank", [" ", "\t", "\n", " \n", "\u00a0"])
def test_blanks_are_read_in_no_time(blank: str) -> None:
    reason = "Answer 1 is faster." + 6000 * blank
    assert once(lambda: within(_seconds_of(reason), 0.05))


def _seconds_of(reason: str) -> float:
    """Return the processor seconds that reading a reason takes."""
    plain.cache_clear()
    started = time.process_time()
    claims_of(reason)
    return time.process_time() - started


@pytest.mark.parametrize("reason", TRUE)
def test_what_the_blueprints_say_is_true(reason: str) -> None:
    results = findings(reason)
    assert results
    assert all(results)


@pytest.mark.parametrize("reason", FALSE)
def test_what_the_blueprints_contradict_is_false(reason: str) -> None:
    assert False in findings(reason)


@pytest.mark.parametrize("reason", NOT_CHECKABLE)
def test_a_claim_that_names_no_measure_is_not_checkable_and_never_true(
    reason: str,
) -> None:
    assert set(findings(reason)) == {None}


def test_in_swapped_order_answer_1_is_the_pairs_b() -> None:
    assert findings("Answer 1 is faster, at 214 WPM.") == [True, True]
    assert findings("Answer 1 is faster, at 214 WPM.", swapped=True) == [False, False]
    assert findings("Answer 2 is faster, at 214 WPM.", swapped=True) == [True, True]


def test_a_printed_number_may_be_rounded_by_its_own_precision_alone() -> None:
    for printed, holds in (
        ("214", True),
        ("214.2", True),
        ("214.4", False),
        ("216", False),
    ):
        assert findings(f"Answer 1 has {printed} WPM.") == [holds], printed
    assert findings("Answer 1 has a P808 of 3.7.") == [True]
    assert findings("Answer 1 has a P808 of 3.70.") == [False]  # it has 3.72


@pytest.mark.parametrize(
    ("measure", "step", "other"),
    [
        ("rate", RATE, {"rate": make.rate(wpm=160 * 1.17, articulation_wpm=300.0)}),
        ("loudness", LOUDNESS, {"loudness": make.loudness(integrated_lufs=-20.5)}),
        ("pitch", PITCH, {"pitch": make.pitch(mean_hz=300.0, median_hz=120 * 1.15)}),
    ],
)
def test_the_same_is_what_judges_are_told_is_under_a_step(
    measure: str, step: Step, other: dict[str, Any]
) -> None:
    """A reason that repeats the prompt's own steps is not called false."""
    usual = make.answer(
        rate=make.rate(wpm=160.0, articulation_wpm=180.0),
        loudness=make.loudness(integrated_lufs=-23.0),
        pitch=make.pitch(mean_hz=120.0, median_hz=120.0),
    )
    shown = ShownAnswers({"1": usual, "2": make.answer(**other)})
    (claim,) = claims_of(f"Both answers have the same {measure}.")
    assert claim.measure is not None
    assert claim.measure.step is step
    assert check(claim, shown).holds is True
    slower = ShownAnswers({"1": fast(), "2": slow()})
    assert check(claim, slower).holds is False


def test_a_measure_that_is_absent_is_not_checkable() -> None:
    bare = make.answer(rate=make.absent())
    shown = ShownAnswers({"1": bare, "2": slow()})
    claims = check_all(claims_of("Answer 1 has 200 WPM."), shown)
    assert [finding.holds for _, finding in claims] == [None]


# --- in a judgement -------------------------------------------------------------------


def pair() -> Case:
    return Case.of(
        pair=Pair(
            id="p",
            instruction=Instruction(text=REQUEST),
            a=Answer(audio="a.wav"),
            b=Answer(audio="b.wav"),
        ),
        a=fast(),
        b=slow(),
    )


def judgement(replies: list[Any], **options: Any) -> tuple[Judgement, ScriptedClient]:
    client = ScriptedClient(replies)
    chosen = JudgeOptions(backoff_s=0, retries=0, **options)
    judge = reading_judge("scripted:x", client, chosen, FREE)
    return asyncio.run(judge.judge(pair())), client  # type: ignore[arg-type]


def test_opinions_hold_their_claims_in_the_order_that_was_shown() -> None:
    reply = verdict(reasoning="Answer 1 is faster.")
    made, _ = judgement([reply, reply])
    first, second = made.opinions
    # the same reasons in both orders: in the second, answer 1 is the slow one
    assert {claim.holds for claim in first.claims} == {True}
    assert {claim.holds for claim in second.claims} == {False}
    assert made.opinions[1].claims[0].text == "Answer 1 is faster"


def _untimed(made: Judgement) -> Any:
    return made.model_dump(exclude={"opinions": {"__all__": {"seconds"}}})


def test_records_without_claims_are_as_they_were() -> None:
    reply = verdict(reasoning="It sounds right.")
    off, _ = judgement([reply, reply], reasons="off")
    on, _ = judgement([reply, reply])
    assert _untimed(off) == _untimed(on)
    assert '"claims"' not in on.model_dump_json()


def test_a_verdict_that_its_reason_contradicts_does_not_follow() -> None:
    reply = verdict("1", "1", "1")
    reply["content"]["reasoning"] = "Answer 2 is clearly better."
    reply["voice_quality"]["reasoning"] = "Answer 2 has less noise."
    made, _ = judgement([reply], swap="off")
    stated = [claim for claim in made.opinions[0].claims if claim.kind == "verdict"]
    assert [(claim.about, claim.holds) for claim in stated] == [
        ("content", False),
        ("voice_quality", False),
    ]


@pytest.mark.parametrize(
    ("reason", "stances"),
    [
        (
            "Audio 1 is better in content, but Audio 2 is better in voice quality."
            " Delivery: both are good.",
            ("1", "2", "both_good"),
        ),
        (
            (
                "Content: Audio 2 lists them and is better. Voice quality: neither is"
                " acceptable."
            ),
            ("2", "both_bad", None),
        ),
        (
            "On content the first is better, and on delivery the second is better.",
            ("1", None, "2"),
        ),
        ("Audio 2 is better in content and voice quality.", ("2", "2", None)),
        ("Audio 1 is better overall.", (None, None, None)),
    ],
)
def test_one_reason_for_all_dimensions_is_read_dimension_by_dimension(
    reason: str, stances: tuple[str | None, ...]
) -> None:
    parts = [parts_about(reason, about) for about in DIMENSIONS]
    assert tuple(map(stance_of, parts)) == stances


def test_a_flat_verdict_that_the_one_reason_contradicts_does_not_follow() -> None:
    reply = {
        "reasoning": "Audio 2 is better in content. Both are good in delivery.",
        **{"content": "1", "voice_quality": "1", "paralinguistics": "both_good"},
    }
    made, _ = judgement([reply], swap="off", elicitation="flat")
    stated = [claim for claim in made.opinions[0].claims if claim.kind == "verdict"]
    assert [(claim.about, claim.holds) for claim in stated] == [
        ("content", False),
        ("paralinguistics", True),
    ]


def test_retry_asks_once_more_where_a_reason_is_false_and_takes_what_is_borne_out() -> (
    None
):
    false = verdict("2", "2", "2", reasoning="Answer 2 is faster.")
    true = verdict("1", "1", "1", reasoning="Answer 1 is faster.")
    made, client = judgement([false, true], swap="off", reasons="retry")
    assert made.rating("content") == "1"
    assert len(client.history) == 2
    again = str(client.history[1].messages[-1].text)
    assert "Answer 2 is faster" in again
    assert all(claim.holds for claim in made.opinions[0].claims)

    made, client = judgement([true], swap="off", reasons="retry")
    assert len(client.history) == 1


def test_retry_keeps_the_first_verdict_where_the_second_is_no_better() -> None:
    false = verdict("2", "2", "2", reasoning="Answer 2 is faster.")
    for second in (
        verdict("1", "1", "1", reasoning="Answer 1 is slower."),
        "no verdict",
    ):
        made, _ = judgement([false, second, second], swap="off", reasons="retry")
        assert made.rating("content") == "2"
        assert made.status == "scored"


class Priced(ScriptedClient):
    """A scripted client that counts 10 tokens in and 5 out."""

    async def chat(self, request: Request) -> Reply:
        reply = await super().chat(request)
        return Reply(reply.text, Tokens(input=10, output=5))


def test_the_one_and_the_other_are_the_answers_in_their_order() -> None:
    reasons = {
        "content": "The other is faster than the one.",
        "voice_quality": "The one has P808 372.",
    }
    pair_ = Pair(
        id="p",
        instruction=Instruction(text=REQUEST),
        a=Answer(audio="a.wav"),
        b=Answer(audio="b.wav"),
    )
    case = Case.of(pair_, fast(), slow())

    def held(reasons: dict[str, str]) -> list[bool | None]:
        opinion = VerdictOpinion(order="ab", reasoning=reasons)
        return [claim.holds for claim in checked(opinion, case)]

    assert held(reasons) == [False, True]
    named = reasons | {"voice_quality": "A is the one with P808 372."}
    assert False not in held(named)
    assert held({"content": "The one is faster than the other."}) == [True]


def test_the_cost_of_a_retry_is_counted() -> None:
    false = json.dumps(verdict("2", "2", "2", reasoning="Answer 2 is faster."))
    true = json.dumps(verdict("1", "1", "1", reasoning="Answer 1 is faster."))
    options = JudgeOptions(backoff_s=0, retries=0, swap="off", reasons="retry")
    judge = reading_judge("scripted:x", Priced([false, true]), options, FREE)
    judgement: Any = asyncio.run(judge.judge(pair()))
    assert judgement.usage.input_tokens == 20
    assert judgement.usage.output_tokens == 10


def test_every_stored_style_has_the_promised_shares() -> None:
    for name, row in stored("reasons")["styles"].items():
        assert row["recalled"] >= 0.95 * row["planted"], name
        assert row["flagged_rightly"] >= 0.95 * row["flagged"], name
        assert row["without_a_measure_called_true"] == 0, name


def test_the_page_has_the_range_of_all_first_looks_and_of_the_last() -> None:
    page = " ".join((ROOT / "docs" / "explanation" / "judging.md").read_text().split())
    looks = list(stored("reasons")["first_looks"].values())
    every = list(chain.from_iterable(look.values() for look in looks))
    last = list(chain.from_iterable(look.values() for look in looks[-2:]))
    assert f"new to it, {_range(every)} of what it called false was false" in page
    assert f"({_range(last)} in the last four)" in page
    assert len(last) == 4


def _range(styles: Iterable[dict[str, int]]) -> str:
    """Return the least and the greatest precision of styles, as pages print them."""
    shares = sorted(style["flagged_rightly"] / style["flagged"] for style in styles)
    least, most = (
        f"{share:.2f}".removeprefix("0") for share in (shares[0], shares[-1])
    )
    return f"{least} to {most}"
