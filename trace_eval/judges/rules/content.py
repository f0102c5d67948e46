"""Content: whether there is an answer at all; rules cannot tell whether it is right."""

from __future__ import annotations

import re
from dataclasses import dataclass

from pydantic import JsonValue

import trace_eval.judges.rules.text as text
from blueprints import Absent, Blueprint, Transcript, language_name
from extractors import GUESSED, guessed, tokens, weak
from trace_eval.data.judgement import DimensionVerdict
from trace_eval.data.measures.directions import read_aloud
from trace_eval.data.measures.stops import with_stops
from trace_eval.judges.rules.outcome import (
    AnswerStanding,
    MeasurementMissing,
    margin_of,
    missing,
    no_voice,
    verdict_of,
)
from trace_eval.judges.rules.requests import LANGUAGE, RuleInstruction
from trace_eval.judges.rules.thresholds import RuleThresholds
from trace_eval.judges.rules.vocabulary import WORD_SETS, RequestKind
from trace_eval.judges.rules.voice_quality import sounds_bad

NOT_CHECKED = "Only that there is an answer was checked, not whether it is correct."

#: An order to speak a given text; "when I say ..." is none.
_SAY = re.compile(
    r"(?:^|\b(?:please|can you|could you|and|then)\s|[,.]\s)"
    r"(?:say|repeat|recite|read|whisper|speak|shout)\b"
)

#: Speech recognisers mishear small words, so the patterns leave room around the core.
_ABILITY = (
    r"(?:help|assist|do|sing|whisper|speak|talk|change|alter|mimic|imitate|produce|generate|make"
    r"|perform|provide|pronounce|fulfil|fulfill|comply|process|hear|listen|play|create|answer"
    r"|respond|modify|simulate|adjust|use|offer|complete|access)"
)
REFUSALS: tuple[re.Pattern[str], ...] = tuple(
    re.compile(pattern)
    for pattern in (
        rf"\b(?:i|we) (?:can't|cannot|can not|am unable to|won't|will not|couldn't|could not"
        rf"|am not able to|don't know how to)(?: \w+){{0,2}} {_ABILITY}\b",
        rf"\bi'm (?:unable|not able|not allowed) to(?: \w+){{0,2}} {_ABILITY}\b",
        r"\b(?:as|i am|i'm)(?: just| only)? an? (?:ai|text|language|large language)\b(?=.{0,60}"
        r"\b(?:can't|cannot|not|unable|don't|model)\b)",
        r"\bi (?:don't|do not) have (?:the |an? )?(?:ability|capability|voice|access|audio)\b",
        r"\b(?:sorry|afraid) (?:but )?(?:that's|that is|this is) (?:not something|beyond)\b",
    )
)


#: What bad sound does to a recogniser.
_DROWNED = (GUESSED["low_confidence"], GUESSED["unsure_language"])


@dataclass(frozen=True)
class _AnswerText:
    """The words of one answer and their certainty."""

    # what its words say; without faults where they are guesses
    standing: AnswerStanding
    overlap: float | None  # share of the instruction's words in it; None: unknown
    # why its words are guesses of the recogniser; None: they are not
    guess: str | None = None


def judge_content(
    a: Blueprint, b: Blueprint, instruction: RuleInstruction, cuts: RuleThresholds
) -> DimensionVerdict:
    """Judge the typed tie on content.

    Raises:
        MeasurementMissing: a transcript is absent for a technical reason, or its words
            are guesses.
    """
    words_a, words_b = (
        _read_answer(n, x, instruction, cuts) for n, x in (("A", a), ("B", b))
    )
    _refuse_guesses((a, words_a), (b, words_b), cuts)
    one, other = words_a.standing, words_b.standing
    difference, lead, notes = 0.0, 0.0, []
    if words_a.overlap is not None and words_b.overlap is not None:
        difference = (words_a.overlap - words_b.overlap) / cuts.overlap_margin
        low, high = sorted((words_a.overlap, words_b.overlap))
        # Overlap is a weak sign: only no overlap at all against much of it counts.
        lead = difference if low < cuts.off_topic_overlap else 0.0
        if abs(lead) >= 1 and one.acceptable and other.acceptable:
            side = "A" if lead < 0 else "B"
            notes.append(
                f"{side} may be off topic: it takes up {low:.0%} of"
                f" the instruction's words, the other {high:.0%}"
            )
    thresholds = cuts.named(
        "min_words", "min_literal_share", "off_topic_overlap", "overlap_margin"
    )
    evidence = {"a": one.values, "b": other.values, "thresholds": thresholds}
    made = verdict_of(one, other, lead, *notes, evidence={**evidence})
    margin = margin_of(one, other, difference)
    update = {"reasoning": f"{made.reasoning} {NOT_CHECKED}", "margin": margin}
    return made.model_copy(update=update)


def _refuse_guesses(
    a: tuple[Blueprint, _AnswerText],
    b: tuple[Blueprint, _AnswerText],
    cuts: RuleThresholds,
) -> None:
    """Raise MeasurementMissing for guessed words, which prove nothing of content.

    One case is left to the other dimensions, by a tie: the words were lost in bad
    sound, and the other answer is acceptable. Voice quality then says what there is to
    say.
    """
    for name, blueprint, recognised, other in (("A", *a, b[1]), ("B", *b, a[1])):
        if recognised.guess is None:
            continue
        drowned = recognised.guess in _DROWNED and sounds_bad(blueprint, cuts)
        if other.guess or not other.standing.acceptable or not drowned:
            why = (
                f"the recogniser guessed the words of answer {name}: {recognised.guess}"
            )
            raise MeasurementMissing(why)  # the remedy is said once of the run


def _read_answer(
    name: str, blueprint: Blueprint, instruction: RuleInstruction, cuts: RuleThresholds
) -> _AnswerText:
    if silent := no_voice(blueprint, "transcript", cuts):
        return _AnswerText(AnswerStanding((silent,), values={"words": 0}), None)
    transcript = blueprint.transcript
    if isinstance(transcript, Absent):
        raise missing(name, "transcript", transcript)
    present = transcript.language == LANGUAGE
    split = text.words if present else tokens
    recognised = [
        word for word in split(transcript.text) if word not in WORD_SETS["hesitations"]
    ]
    guess = guessed(blueprint)
    # Guessed words say nothing of the topic, nor do those of another language.
    trusted = instruction.text if present and not guess else None
    topic, overlap = text.topic(trusted or ""), None
    if len(topic) >= cuts.min_instruction_words:
        overlap = text.coverage(topic, text.topic(transcript.text))
    literal = _literal_share(instruction, transcript.text, cuts) if trusted else None
    aloud = read_aloud(trusted, with_stops(blueprint) or transcript.text)
    faults: tuple[str, ...] = ()
    if not guess:
        faults = tuple(
            _faults(
                transcript,
                recognised,
                literal=literal,
                instruction=instruction,
                cuts=cuts,
            )
        )
    if aloud:
        spoken = ", ".join(f'"{words}"' for words in aloud)
        faults += (f"it reads directions aloud ({spoken}) instead of following them",)
    values: dict[str, JsonValue] = {
        "words": len(recognised),
        "overlap": None if overlap is None else round(overlap, 3),
        "literal_share": None if literal is None else round(literal, 3),
        "suspect": list(transcript.suspect),
    }
    if aloud:
        values["directions_read_aloud"] = list(aloud)
    summary = f"{len(recognised)} words"
    if overlap is not None:
        summary += f", {overlap:.0%} of the instruction's words among them"
    if not present:
        values["language"] = transcript.language
        summary += (
            f" of {language_name(transcript.language)}, in which refusals are not known"
        )
    if guess:
        summary += ", mostly guessed by the recogniser"
    elif clause := weak(blueprint):
        summary += f" ({clause})"
    return _AnswerText(AnswerStanding(faults, summary, values), overlap, guess)


def _faults(
    transcript: Transcript,
    recognised: list[str],
    literal: float | None,
    instruction: RuleInstruction,
    cuts: RuleThresholds,
) -> list[str]:
    if len(recognised) < cuts.min_words:
        return ["no words were recognised"]
    faults = []
    if transcript.language == LANGUAGE and (phrase := refusal(transcript.text, cuts)):
        faults.append(f'it refuses ("{phrase}")')
    # A request that cannot be read may ask for that.
    repeats = instruction.exists and (
        instruction.text is None
        or any(request.kind is RequestKind.REPEAT for request in instruction.requests)
    )
    if "repetition_loop" in transcript.suspect and not repeats:
        faults.append("its text loops")
    if literal is not None and literal < cuts.min_literal_share:
        faults.append(f"it has {literal:.0%} of the words that were to be said")
    return faults


def refusal(answer: str, cuts: RuleThresholds) -> str | None:
    """Return the words with which a short answer refuses early on, or None."""
    answer_words = text.words(answer)
    if not answer_words or len(answer_words) > cuts.refusal_max_words:
        return None
    line = " ".join(answer_words)
    for pattern in REFUSALS:
        match = pattern.search(line)
        if match and len(line[: match.start()].split()) <= cuts.refusal_within_words:
            return match[0]
    return None


def _literal_share(
    instruction: RuleInstruction, answer: str, cuts: RuleThresholds
) -> float | None:
    """Share of a literal text's words that are heard, if long enough to tell."""
    wanted = text.topic(" ".join(instruction.reading.literal))
    if (
        not _SAY.search(instruction.reading.body)
        or len(wanted) < cuts.min_literal_words
    ):
        return None
    return text.coverage(wanted, text.topic(answer))
