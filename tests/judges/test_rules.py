"""Judge ``rules``: typed ties from hand-made blueprints, cuts from its thresholds."""

from __future__ import annotations

import asyncio
import json
import math
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from blueprints import Blueprint, Extension, Status, Word
from fusion import DIMENSIONS, Rating
from tests.support import blueprints as make
from tests.support.blueprints import answer
from tests.support.cases import judged
from tests.support.cli import trace_eval
from tests.support.speech import write_espeak
from trace_eval.data.answers import Answer
from trace_eval.data.items import Pair
from trace_eval.data.judgement import Judgement
from trace_eval.data.outcome import Reason
from trace_eval.judges.base import Case
from trace_eval.judges.beside.rate import NUCLEI_PER_WORD, words_per_minute
from trace_eval.judges.rules.judge import CAVEAT, RulesJudge
from trace_eval.runs.run import Run

REFUSAL = "i'm sorry but i can't help you with that"


def ratings(judgement: Judgement) -> dict[str, str]:
    return {name: str(verdict.rating) for name, verdict in judgement.dimensions.items()}


# -- the judge as such -----------------------------------------------------------------


def test_judging_through_the_interface_gives_all_dimensions_and_the_caveat() -> None:
    pair = Pair(id="x", a=Answer(audio="a.wav"), b=Answer(audio="b.wav"))
    judgement = asyncio.run(RulesJudge().judge(Case.of(pair, answer(), answer())))
    assert (judgement.pair, judgement.judge, judgement.status) == (
        "x",
        "rules",
        "scored",
    )
    assert ratings(judgement) == dict.fromkeys(DIMENSIONS, "both_good")
    assert judgement.caveats == [CAVEAT]
    assert all(v.reasoning and v.evidence for v in judgement.dimensions.values())


def test_silence_loses_everywhere_and_two_silences_are_both_bad() -> None:
    assert ratings(judged(make.silence(), answer())) == dict.fromkeys(DIMENSIONS, "2")
    both = judged(make.silence(), make.silence(), "Speak slowly.")
    assert ratings(both) == dict.fromkeys(DIMENSIONS, "both_bad")
    assert "no voice" in both.dimensions["voice_quality"].reasoning

    status = make.absent(Status.NO_SPEECH)  # sound, but nobody speaks
    noise = answer(
        signal=make.signal(speech_s=0.0, speech=[]),
        **dict.fromkeys(("transcript", "quality", "pitch", "rate"), status),
    )
    assert ratings(judged(answer(), noise)) == dict.fromkeys(DIMENSIONS, "1")


# -- content ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "rating"),
    [
        ("uh um", Rating.B),
        (REFUSAL, Rating.B),
        ("as an ai language model i cannot sing", Rating.B),
        ("I am unable to whisper that.", Rating.B),
        ("i don't have the ability to change my voice", Rating.B),
        ("paris", Rating.BOTH_GOOD),
        ("I'm sorry to hear that you cannot sleep, try warm milk.", Rating.BOTH_GOOD),
        ("you can't help but smile", Rating.BOTH_GOOD),
        ("i can't help smiling when i think of you", Rating.BOTH_GOOD),
        (
            REFUSAL
            + " "
            + "but here is a long answer about something else in many words " * 4,
            Rating.BOTH_GOOD,
        ),
    ],
)
def test_refusals_and_hesitations_are_no_answers(text: str, rating: Rating) -> None:
    said = answer(
        text, signal=make.signal(speech_s=12.0)
    )  # time enough for the longest
    verdict = judged(said, answer()).dimensions["content"]
    assert verdict.rating == rating
    assert "not whether it is correct" in verdict.reasoning


def test_a_sound_without_words_is_no_answer() -> None:
    hum = answer("", rate=make.rate(syllables=2))
    verdict = judged(hum, answer()).dimensions["content"]
    assert (verdict.rating, "no words were recognised" in verdict.reasoning) == (
        Rating.B,
        True,
    )


def test_a_loop_is_a_fault_unless_repetition_was_asked() -> None:
    loop = answer(transcript=make.transcript("hello world " * 3, "repetition_loop"))
    assert judged(loop, answer()).dimensions["content"].rating == Rating.B
    asked = judged(loop, loop, "Say 'hello world' three times.")
    assert asked.dimensions["content"].rating == Rating.BOTH_GOOD


# river, flow, through, london, paris
RIVERS = "Which rivers flow through London and Paris?"
ON_TOPIC = answer(
    "the rivers in london and paris are the thames and the seine"
)  # 3 of 5


def test_low_overlap_counts_only_against_a_much_higher_one() -> None:
    half = answer("there is one in london")  # 1 of 5: above the cut of 0.1
    off = answer("bananas are yellow")  # 0 of 5
    assert judged(ON_TOPIC, off, RIVERS).rating("content") == Rating.A
    assert judged(ON_TOPIC, half, RIVERS).rating("content") == Rating.BOTH_GOOD
    # The leader needs 0.25 more; 0.2 against 0 is less.
    assert judged(half, off, RIVERS).rating("content") == Rating.BOTH_GOOD


def _spoken(request: str, pause_s: float, rest: str) -> Blueprint:
    """Return an answer of words of 0.3 s, with a pause before the rest."""
    said, times, at = request.split(), [], 0.0
    for place, word in enumerate([*said, *rest.split()]):
        at += pause_s if place == len(said) else 0.0
        times.append(Word(text=word, start_s=at, end_s=at + 0.3))
        at += 0.3
    return answer(transcript=make.transcript(f"{request} {rest}", words=times))


@pytest.mark.parametrize(
    ("request_heard", "pause_s", "rest", "is_named"),
    [
        (
            "What is the capital of France, and which river runs through it?",
            0.5,
            "Paris",
            True,
        ),
        (
            "What is the capital of France and which river run through it?",
            0.3,
            "Paris",
            True,
        ),
        (
            "What is the capital of France, and which river runs through it?",
            0.0,
            "Paris",
            False,
        ),
        (
            "What is the capital of France, and which river runs through it?",
            0.5,
            "",
            False,
        ),
        ("The capital of France is Paris and the river is", 0.5, "the Seine", False),
    ],
)
def test_a_recording_that_begins_with_the_request_is_named(
    request_heard: str, pause_s: float, rest: str, is_named: bool
) -> None:
    asked = "What is the capital of France, and which river runs through it?"
    session = _spoken(request_heard, pause_s, rest)
    for pair, side in (((session, answer()), "A"), ((answer(), session), "B")):
        caveats = judged(*pair, asked).caveats
        named = [
            text
            for text in caveats
            if text.startswith(f"{side} begins with the request")
        ]
        assert bool(named) == is_named
    both = [
        text
        for text in judged(session, session, asked).caveats
        if "begins with" in text
    ]
    assert len(both) == 2 * is_named


def test_an_answer_that_was_to_repeat_the_request_is_not_named() -> None:
    order = "Repeat after me: 'the quick brown fox jumps over the lazy dog'"
    said = _spoken(
        "Repeat after me the quick brown fox jumps over the lazy dog", 0.5, "fine"
    )
    assert not any(
        "begins with" in text for text in judged(said, answer(), order).caveats
    )


def test_guessed_words_are_no_evidence_of_the_topic() -> None:
    guessed = answer(transcript=make.transcript("bananas are yellow", "low_confidence"))
    assert judged(ON_TOPIC, guessed, RIVERS).rating("content") is None
    # lost in bad sound: the tie leaves the decision to voice quality, which knows
    noisy = answer(transcript=guessed.transcript, quality=make.quality(p808=2.4))
    assert ratings(judged(ON_TOPIC, noisy, RIVERS)) == {
        "content": "both_good",
        "voice_quality": "1",
        "paralinguistics": "both_good",
    }
    # but it does not win: whether it answers at all is not known
    refusing = answer(REFUSAL)
    assert judged(refusing, noisy, RIVERS).rating("content") is None


@pytest.mark.parametrize(
    ("groups", "why"),
    [
        # without the flags of the extractor: blueprints of other recognisers
        (
            {
                "transcript": make.transcript("so " * 41),
                "signal": make.signal(speech_s=4.0),
            },
            "it wrote 41 words for 4.0 s of speech",
        ),
        (
            {
                "transcript": make.transcript("so " * 41),
                "rate": make.rate(syllables=20),
            },
            "it wrote 41 words for 20 syllables",
        ),
        ({"transcript": make.transcript("")}, "it understood no word of 34 syllables"),
        (
            {"transcript": make.transcript(REFUSAL, "text_over_silence")},
            "it wrote words where nobody speaks",
        ),
        (
            {"transcript": make.transcript(REFUSAL, "low_confidence")},
            "it is unsure of its words",
        ),
        (
            {"transcript": make.transcript(REFUSAL, "unsure_language")},
            "it is unsure of the language",
        ),
    ],
)
def test_words_known_to_be_bad_decide_nothing(groups: dict[str, Any], why: str) -> None:
    for other in (answer(), answer(REFUSAL), make.silence(), answer(**groups)):
        judgement = judged(other, answer(**groups), "Say it three times.")
        assert (judgement.status, judgement.reason) == (
            "unscored",
            Reason.EVIDENCE_MISSING,
        )
        assert set(judgement.dimensions) == {"voice_quality", "paralinguistics"}
        assert f"the recogniser guessed the words of answer B: {why}" in str(
            judgement.detail
        ) or (other == answer(**groups))


def test_what_is_known_of_english_is_not_looked_for_in_other_languages() -> None:
    refuses = answer(REFUSAL)
    german = refuses.transcript.model_copy(update={"language": "de"})
    judgement = judged(answer(), answer(transcript=german), RIVERS)
    assert judged(answer(), refuses, RIVERS).rating("content") == Rating.A
    assert judgement.rating("content") == Rating.BOTH_GOOD
    heard = judgement.dimensions["content"].evidence["b"]
    assert (heard["language"], heard["overlap"]) == ("de", None)  # type: ignore[index, call-overload]
    assert (
        "words of German, in which refusals"
        in judgement.dimensions["content"].reasoning
    )
    # the norms of a rate are of English words, and so are the thresholds
    rate = make.rate().model_copy(update={"language": "de"})
    assert "WPM (no norm for German)" in rate.render(10.0)
    hasty = answer(rate=make.rate(articulation_wpm=400.0, syllables_per_s=4.0))
    fast = hasty.model_copy(update={"transcript": german})
    assert words_per_minute(hasty)[0] == 400.0
    # 4 syllables a second are 4 * 6.19 / 5.97 English ones (Pellegrino et al. 2011)
    by_norm = 60 * 4.0 * 6.19 / 5.97 / NUCLEI_PER_WORD
    assert words_per_minute(fast)[0] == pytest.approx(by_norm, abs=1e-9)
    for language, flags, why in (
        ("cs", [], "no norm of syllable rates for Czech"),
        ("de", ["unsure_language"], "no norm of syllable rates for an unsure language"),
    ):
        update = {"language": language, "suspect": flags}
        said = hasty.transcript.model_copy(update=update)
        strange = hasty.model_copy(update={"transcript": said})
        assert words_per_minute(strange)[:2] == (None, why)
    # a script without spaces has words all the same
    chinese = answer(
        transcript=german.model_copy(update={"language": "zh", "text": "你好吗"})
    )
    assert judged(answer(), chinese).rating("content") == Rating.BOTH_GOOD


def test_requests_are_read_only_in_their_language_and_from_words_that_were_heard() -> (
    None
):
    """A Spanish request or a guessed one makes no answer bad or off topic."""
    loops = answer(transcript=make.transcript("hola " * 9, "repetition_loop"))
    stray = answer(REFUSAL.replace("help you with that", "wait"))
    about = answer("the museum of Madrid opens at nine")
    asked = (
        "Di tres veces cuándo y por qué abren el museo del Prado y el Retiro de Madrid."
    )
    slow = answer(rate=make.rate(articulation_wpm=100.0))
    for text, spoken, why in (
        (asked, None, "in Spanish, in which no requests can be read"),
        ("请慢慢地说三遍。", None, "in Chinese, in which no requests"),
        (None, _asks(asked, language="es"), "in Spanish, in which"),
        (
            None,
            _asks("Speak quickly, say Madrid museum opening three.", "low_confidence"),
            "guess",
        ),
    ):
        for a, b in ((loops, answer()), (about, stray), (slow, answer())):
            verdict = judged(a, b, text, spoken)
            assert verdict.rating("content") == Rating.BOTH_GOOD, (text, a, b)
            assert why in verdict.dimensions["paralinguistics"].reasoning
    # where nobody can tell from the words, the manifest's language is believed
    for text in ("Parla piano!", "Cosa c'è di aperto domani a Roma?"):
        verdict = judged(slow, answer(), text, language="it")
        assert (
            "is in Italian, in which" in verdict.dimensions["paralinguistics"].reasoning
        )
    # in English they are read, with a name of elsewhere among them
    english = "Speak quickly: when does the museo del Prado open?"
    assert (
        "fast"
        in judged(slow, answer(), english).dimensions["paralinguistics"].reasoning
    )
    assert judged(loops, answer(), english).rating("content") == Rating.B
    foreign = "Say this slowly: El perro de San Roque no tiene rabo, pues se lo comen."
    assert (
        "slow"
        in judged(slow, answer(), foreign).dimensions["paralinguistics"].reasoning
    )


def _asks(words: str, *flags: str, language: str = "en") -> Blueprint:
    said = make.transcript(words, *flags).model_copy(update={"language": language})
    return answer(transcript=said)


def test_words_that_were_to_be_said_must_be_heard() -> None:
    order = "Say the sentence 'Purple elephants dance under bright moonlight'."
    said = answer("purple elephant dance on the bright moonlight")
    assert judged(said, answer(), order).dimensions["content"].rating == Rating.A


def test_a_missing_transcript_leaves_content_unscored_and_keeps_the_rest() -> None:
    for status in (Status.NOT_REQUESTED, Status.UNAVAILABLE, Status.FAILED):
        judgement = judged(answer(transcript=make.absent(status)), answer())
        assert (judgement.status, judgement.reason) == (
            "unscored",
            Reason.EVIDENCE_MISSING,
        )
        assert set(judgement.dimensions) == {"voice_quality", "paralinguistics"}
        assert judgement.detail is not None
        assert status in judgement.detail
        assert judgement.caveats == [CAVEAT]


def test_too_short_is_a_finding_only_without_room_for_a_word() -> None:
    short = dict.fromkeys(("transcript", "quality"), make.absent(Status.TOO_SHORT))
    blip = answer(signal=make.signal(duration_s=0.05, speech_s=0.05), **short)
    assert judged(blip, answer()).dimensions["content"].rating == Rating.B
    word = answer(signal=make.signal(duration_s=0.5, speech_s=0.4), **short)
    assert judged(word, answer()).rating("content") is None


# -- voice quality ---------------------------------------------------------------------


@pytest.mark.parametrize(
    "fault",
    [
        {"quality": make.quality(p808=2.4)},
        {"signal": make.signal(clipping_ratio=0.02)},
        {"signal": make.signal(bandwidth_hz=1900.0)},
        {"signal": make.signal(rms_dbfs=-50.0)},
    ],
    ids=["p808", "clipping", "bandwidth", "level"],
)
def test_each_fault_of_the_voice_is_not_acceptable(fault: dict[str, Any]) -> None:
    assert judged(answer(**fault), answer()).rating("voice_quality") == Rating.B
    assert (
        judged(answer(**fault), answer(**fault)).rating("voice_quality")
        == Rating.BOTH_BAD
    )


@pytest.mark.parametrize(
    ("changes", "lead"),
    [
        ({"quality": make.quality(p808=4.1)}, 0.4 / 0.3),
        ({"quality": make.quality(p808=3.9)}, 0.2 / 0.3),
        (
            {"signal": make.signal(bandwidth_hz=9500.0)},
            math.log(9500 / 7000) / math.log(1.35),
        ),
        (
            {"signal": make.signal(bandwidth_hz=9400.0)},
            math.log(9400 / 7000) / math.log(1.35),
        ),
        # none decides alone, together they do
        (
            {
                "quality": make.quality(p808=3.9),
                "signal": make.signal(bandwidth_hz=8000.0),
            },
            0.2 / 0.3 + math.log(8 / 7) / math.log(1.35),
        ),
        # clipping that is heard, at equal scores
        ({"signal": make.signal(clipping_ratio=0.008)}, -0.008 / 0.005),
        # OVRL and SIG order enhanced speech backwards, BAK differs within one
        # recording: no lead
        ({"quality": make.quality(ovrl=1.4, sig=4.6, bak=5.0)}, 0.0),
    ],
)
def test_leads_add_up_in_their_margins_and_decide_from_one_on(
    changes: dict[str, Any], lead: float
) -> None:
    verdict = judged(answer(**changes), answer())
    assert verdict.margin("voice_quality") == pytest.approx(lead, abs=1e-3)
    winner = Rating.A if lead > 0 else Rating.B
    assert verdict.rating("voice_quality") == (
        winner if abs(lead) >= 1 else Rating.BOTH_GOOD
    )
    assert judged(answer(), answer(**changes)).margin("voice_quality") == pytest.approx(
        -lead, abs=1e-3
    )


def test_bandwidth_beyond_what_speech_needs_is_no_lead() -> None:
    def margin(first: float | None, second: float | None) -> float | None:
        sides = (answer(signal=make.signal(bandwidth_hz=hz)) for hz in (first, second))
        return judged(*sides).margin("voice_quality")

    assert margin(24_000.0, 14_000.0) == 0
    assert margin(24_000.0, 7_000.0) == pytest.approx(
        math.log(2) / math.log(1.35), abs=1e-3
    )
    assert margin(24_000.0, None) == 0


def test_distill_mos_takes_part_where_both_answers_have_it() -> None:
    def heard(mos: float, p808: float = 3.7, bak: float = 4.0) -> Blueprint:
        group = Extension(values={"mos": mos})
        said = answer(quality=make.quality(p808=p808, bak=bak))
        return said.model_copy(update={"extensions": {"distillmos": group}})

    # .6 / .8 + .2 / .5 = 1.15; BAK counts no more.
    found = judged(heard(4.0, p808=3.9, bak=3.0), heard(3.4))
    assert found.margin("voice_quality") == pytest.approx(1.15, abs=1e-3)
    assert "Distill-MOS +0.60" in found.dimensions["voice_quality"].reasoning
    # of one answer alone it is no comparison
    one = judged(heard(4.9), answer())
    assert one.margin("voice_quality") == 0


def test_a_loop_or_half_a_silence_is_not_accepted_and_the_reason_says_where() -> None:
    def with_defect(kind: str) -> Blueprint:
        event = {"kind": kind, "start_s": 1.24, "end_s": 3.5, "strength": 2.0}
        group = Extension(values={"events": [event], "counts": {kind: 1}})
        return answer().model_copy(update={"extensions": {"defects": group}})

    looped = judged(with_defect("loop"), answer())
    assert looped.rating("voice_quality") == Rating.B
    reasoning = looped.dimensions["voice_quality"].reasoning
    assert (
        "A is not acceptable: its sound repeats itself from 1.2 to 3.5 s" in reasoning
    )
    silent = judged(with_defect("silence"), with_defect("loop"))
    assert silent.rating("voice_quality") == Rating.BOTH_BAD
    # a click moves nothing
    assert judged(with_defect("click"), answer()).margin("voice_quality") == 0


def test_a_whistle_that_was_asked_for_is_not_known_rather_than_bad() -> None:
    tune = answer(signal=make.signal(speech_s=0.0, speech=[]))
    asked = judged(tune, answer(), "Please whistle a tune.")
    assert asked.status == "unscored"
    assert "'whistle'" in str(asked.detail)
    # Humming passes for speech, and no word is recognised in it.
    hummed = judged(answer(""), answer(), "Please hum a tune.")
    assert (hummed.status, "'hum'" in str(hummed.detail)) == ("unscored", True)
    # Silence is no tune, and whoever was asked for a sentence has to say one.
    assert (
        judged(make.silence(), answer(), "Please whistle a tune.").rating("content")
        == Rating.B
    )
    assert judged(tune, answer(), "Say hello.").rating("content") == Rating.B


def test_the_margin_says_how_near_it_was() -> None:
    # one answer alone is acceptable: a unit ahead at least, whatever was measured
    assert judged(make.silence(), answer()).margin("voice_quality") == -1.0
    # none is: the difference is still known, the tie is no statement of equality
    bad = (answer(quality=make.quality(p808=p)) for p in (1.5, 1.3))
    both = judged(*bad)
    assert both.rating("voice_quality") == Rating.BOTH_BAD
    assert both.margin("voice_quality") == pytest.approx(0.2 / 0.3, abs=1e-3)


def test_quality_that_was_not_measured_is_no_rating() -> None:
    judgement = judged(answer(quality=make.absent(Status.UNAVAILABLE)), answer())
    assert judgement.rating("voice_quality") is None
    assert set(judgement.dimensions) == {"content", "paralinguistics"}


# -- symmetry --------------------------------------------------------------------------

INSTRUCTIONS = [
    None,
    "What is the tallest mountain?",
    "Speak slowly and loudly.",
    "Whisper it.",
    "Say 'close the green door' three times.",
    "Say it first slowly and then fast.",
    "Speak in a deep voice with long pauses.",
    "Count, getting louder.",
    "Say it in a sad voice.",
]

TEXTS = st.sampled_from(
    [
        "",
        REFUSAL,
        "close the green door",
        "close the green door " * 3,
        "the tallest mountain rises",
    ]
)


def _maybe(strategy: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.one_of(strategy, st.sampled_from(list(Status)).map(make.absent))


def _between(low: float, high: float) -> st.SearchStrategy[float]:
    return st.floats(low, high, allow_nan=False)


BLUEPRINTS = st.builds(
    answer,
    transcript=_maybe(
        st.builds(
            make.transcript,
            TEXTS,
            st.sampled_from(["low_confidence", "repetition_loop"]),
        )
    ),
    signal=_maybe(
        st.builds(
            make.signal,
            clipping_ratio=_between(0, 0.02),
            bandwidth_hz=st.none() | _between(1000, 8000),
            rms_dbfs=st.none() | _between(-60, 0),
            peak_dbfs=st.none() | _between(-60, 0),
            speech_s=_between(0, 9),
        )
    ),
    quality=_maybe(st.builds(make.quality, _between(1, 5), _between(1, 5))),
    pitch=_maybe(
        st.builds(
            make.pitch,
            median_hz=_between(70, 400),
            std_semitones=_between(0, 6),
            slope_semitones_per_s=_between(-2, 2),
            voiced_ratio=_between(0.01, 1),
        )
    ),
    loudness=_maybe(
        st.builds(
            make.loudness,
            integrated_lufs=_between(-40, -5),
            range_lu=st.none() | _between(0, 40),
            slope_lu_per_s=_between(-3, 3),
        )
    ),
    rate=_maybe(
        st.builds(
            make.rate,
            articulation_wpm=_between(0, 400),
            syllables_per_s=_between(0, 8),
            trend=st.none() | _between(0, 3),
        )
    ),
    emotion=_maybe(st.builds(make.emotion, sad=_between(0, 1), happy=_between(0, 1))),
)


@settings(max_examples=150)
@given(a=BLUEPRINTS, b=BLUEPRINTS, instruction=st.sampled_from(INSTRUCTIONS))
def test_swapping_the_answers_swaps_the_ratings(
    a: Blueprint, b: Blueprint, instruction: str | None
) -> None:
    forth, back = judged(a, b, instruction), judged(b, a, instruction)
    assert (forth.status, forth.reason) == (back.status, back.reason)
    assert set(forth.dimensions) == set(back.dimensions)
    for name, verdict in forth.dimensions.items():
        swapped = back.dimensions[name]
        assert swapped.rating is verdict.rating.swapped
        assert verdict.margin is not None
        assert swapped.margin == pytest.approx(-verdict.margin, abs=1e-9)
        if verdict.rating.is_winner:
            assert verdict.margin * (1 if verdict.rating is Rating.A else -1) >= 1
    assert judged(a, b, instruction) == forth  # and the same again
    json.loads(forth.model_dump_json())


def test_another_language_decides_nothing_and_is_counted_first(tmp_path: Path) -> None:
    """An English recogniser writes Spanish as English words, as loops, or not."""
    said = {
        "en": ("en", "The capital of France is Paris, and its river is the Seine."),
        "lost": (
            "es",
            "La capital de Francia es París y el río que la atraviesa es el Sena.",
        ),
        "guessed": (
            "es",
            "Buenos días, quisiera saber a qué hora sale el próximo tren a Madrid.",
        ),
    }
    for name, (voice, words) in said.items():
        write_espeak(tmp_path / f"{name}.wav", voice, words)
    manifest = tmp_path / "pairs.csv"
    manifest.write_text(
        "id,instruction,a,b\n"
        "x,What is the capital?,lost.wav,guessed.wav\ny,What is the"
        " capital?,en.wav,lost.wav\n"
    )
    run = tmp_path / "run"
    english_only = [
        "-x",
        "transcript=faster-whisper:tiny.en",
        "--cache",
        tmp_path / "c",
    ]
    done = trace_eval("judge", manifest, "--out", run, "--workers", 0, *english_only)
    judgements = Run.open(run).judgements()
    assert [judgement.rating("content") for judgement in judgements.values()] == [
        None,
        None,
    ]
    assert "the recogniser guessed the words of answer B" in str(judgements["y"].detail)
    assert "pip install" not in str(judgements["y"].detail)  # said once of the run
    assert "guessed the words of 2 of 3 clips" in " ".join(done.out.split())
    assert "known on their own: voice_quality of 2, paralinguistics of 2" in done.err
    shown = trace_eval("report", run)
    assert shown.code == 0, shown.err
    head = (run / "report.html").read_text().partition('id="pairs"')[0]
    assert "guessed the words of 2 of 3 clips" in head
