"""Content: whether there is an answer at all; rules cannot tell whether it is right."""

from __future__ import annotations

import re
from dataclasses import dataclass

from pydantic import JsonValue

import trace_eval.judges.rules.text as text
from blueprints import Absent, Blueprint, Transcript, language_name
from extractors import GUESSED, guessed, tokens, weak
from trace_eval.data.judgement import DimensionVerdict
from trace_eval.data.measures.directions import spoken_directions
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
    r"(?:help(?! but\b| (?:laugh|smil|feel|think|wonder|notic|lov)ing\b)"
    r"|assist|do|sing|whisper|speak|talk|change|alter|mimic|imitate|produce|generate|make"
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

    #: What its words say; without faults where they are guesses.
    standing: AnswerStanding
    #: Share of the instruction's words in it; None: unknown.
    overlap: float | None
    #: Why its words are guesses of the recogniser; None: they are not.
    guess: str | None = None


def judge_content(
    a: Blueprint, b: Blueprint, instruction: RuleInstruction, cuts: RuleThresholds
) -> DimensionVerdict:
    """Judge the typed tie on content.

    Raises:
        MeasurementMissing: a transcript is absent for a technical reason, or its words
            are guesses.
    """
    words_a = _read_answer("A", a, instruction, cuts)
    words_b = _read_answer("B", b, instruction, cuts)
    _refuse_guesses("A", a, words_a, other=words_b, cuts=cuts)
    _refuse_guesses("B", b, words_b, other=words_a, cuts=cuts)
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
    evidence: dict[str, JsonValue] = {
        "a": one.values,
        "b": other.values,
        "thresholds": thresholds,
    }
    verdict = verdict_of(one, other, lead, notes=notes, evidence=evidence)
    margin = margin_of(one, other, difference)
    update = {"reasoning": f"{verdict.reasoning} {NOT_CHECKED}", "margin": margin}
    return verdict.model_copy(update=update)


def _refuse_guesses(
    name: str,
    blueprint: Blueprint,
    words: _AnswerText,
    other: _AnswerText,
    cuts: RuleThresholds,
) -> None:
    """Raise MeasurementMissing for guessed words, which prove nothing of content.

    One case is left to the other dimensions, by a tie: the words were lost in bad
    sound, and the other answer is acceptable. Voice quality then says what there is to
    say.
    """
    if words.guess is None:
        return
    is_drowned = words.guess in _DROWNED and sounds_bad(blueprint, cuts)
    if other.guess or not other.standing.acceptable or not is_drowned:
        why = f"the recogniser guessed the words of answer {name}: {words.guess}"
        raise MeasurementMissing(why)  # the remedy is said once of the run


def _read_answer(
    name: str, blueprint: Blueprint, instruction: RuleInstruction, cuts: RuleThresholds
) -> _AnswerText:
    """Read what the words of one answer say, and how far they can be trusted.

    Raises:
        MeasurementMissing: the transcript is absent for a technical reason.
    """
    silent = no_voice(blueprint, "transcript", cuts)
    if silent:
        standing = AnswerStanding(faults=(silent,), values={"words": 0})
        return _AnswerText(standing, overlap=None)
    transcript = blueprint.transcript
    if isinstance(transcript, Absent):
        raise missing(name, "transcript", transcript)
    is_known_language = transcript.language == LANGUAGE
    split = text.words if is_known_language else tokens
    words = split(transcript.text)
    spoken = [word for word in words if word not in WORD_SETS["hesitations"]]
    guess = guessed(blueprint)
    # Guessed words say nothing of the topic, nor do those of another language.
    trusted = instruction.text if is_known_language and not guess else None
    topic, overlap = text.topic(trusted or ""), None
    if len(topic) >= cuts.min_instruction_words:
        overlap = text.coverage(topic, text.topic(transcript.text))
    literal = _literal_share(instruction, transcript.text, cuts) if trusted else None
    faults: list[str] = []
    if not guess:
        faults = _faults(
            transcript, spoken, literal=literal, instruction=instruction, cuts=cuts
        )
    aloud = spoken_directions(trusted, blueprint)
    if aloud:
        quoted = ", ".join(f'"{directions}"' for directions in aloud)
        faults.append(f"it reads directions aloud ({quoted}) instead of following them")
    values: dict[str, JsonValue] = {
        "words": len(spoken),
        "overlap": None if overlap is None else round(overlap, 3),
        "literal_share": None if literal is None else round(literal, 3),
        "suspect": list(transcript.suspect),
    }
    if aloud:
        values["directions_read_aloud"] = list(aloud)
    summary = f"{len(spoken)} words"
    if overlap is not None:
        summary += f", {overlap:.0%} of the instruction's words among them"
    if not is_known_language:
        values["language"] = transcript.language
        language = language_name(transcript.language)
        summary += f" of {language}, in which refusals are not known"
    if guess:
        summary += ", mostly guessed by the recogniser"
    elif clause := weak(blueprint):
        summary += f" ({clause})"
    standing = AnswerStanding(faults=tuple(faults), summary=summary, values=values)
    return _AnswerText(standing, overlap=overlap, guess=guess)


def _faults(
    transcript: Transcript,
    words: list[str],
    literal: float | None,
    instruction: RuleInstruction,
    cuts: RuleThresholds,
) -> list[str]:
    """Say what makes certain words no answer.

    Args:
        words: of the transcript, without hesitations.
        literal: share of the words that were to be said as they are; None: unknown.
    """
    if len(words) < cuts.min_words:
        return ["no words were recognised"]
    faults: list[str] = []
    if transcript.language == LANGUAGE and (phrase := refusal(transcript.text, cuts)):
        faults.append(f'it refuses ("{phrase}")')
    if "repetition_loop" in transcript.suspect and not _may_ask_to_repeat(instruction):
        faults.append("its text loops")
    if literal is not None and literal < cuts.min_literal_share:
        faults.append(f"it has {literal:.0%} of the words that were to be said")
    return faults


def _may_ask_to_repeat(instruction: RuleInstruction) -> bool:
    """Tell whether an instruction asks to say something again; unread it may."""
    if not instruction.exists:
        return False
    if instruction.text is None:
        return True
    return any(request.kind is RequestKind.REPEAT for request in instruction.requests)


def refusal(answer: str, cuts: RuleThresholds) -> str | None:
    """Return the words with which a short answer refuses early on, or None."""
    answer_words = text.words(answer)
    if not answer_words or len(answer_words) > cuts.refusal_max_words:
        return None
    line = " ".join(answer_words)
    for pattern in REFUSALS:
        match = pattern.search(line)
        if match is None:
            continue
        words_before = len(line[: match.start()].split())
        if words_before <= cuts.refusal_within_words:
            return match[0]
    return None


def _literal_share(
    instruction: RuleInstruction, answer: str, cuts: RuleThresholds
) -> float | None:
    """Return the share of a literal text's words that are heard, if it can be told."""
    wanted = text.topic(" ".join(instruction.reading.literal))
    orders_to_say = _SAY.search(instruction.reading.body)
    if not orders_to_say or len(wanted) < cuts.min_literal_words:
        return None
    return text.coverage(wanted, text.topic(answer))
