"""Whether an answer is in the language that was asked for."""

from __future__ import annotations

import re
from collections.abc import Mapping

from blueprints import (
    LANGUAGES,
    Blueprint,
    Signal,
    Spoken,
    Transcript,
    find_language,
    language_name,
)
from trace_eval.measures.measure import Measure

UNIT = "1 yes, 0 no"

#: Another language than the one asked for is a fault only where it was heard with at least this
#: probability, in so many seconds of speech: odd voices are heard as odd languages.
NO_PROBABILITY, NO_SPEECH_S = 0.85, 3.0

#: An order to speak a language; what is to be translated or pronounced may be one word of it.
_ORDER = re.compile(
    r"\b(?:answer|reply|respond|speak|talk|tell|explain|describe|continue|continuing)\b"
    r"(?P<between>[^.?!:;]{0,60}?)\bin (?P<language>"
    + "|".join(sorted(LANGUAGES.values(), key=len, reverse=True))
    + r"|Mandarin|Farsi)\b",
    re.IGNORECASE,
)
_ABOUT_A_WORD = re.compile(r"\b(?:say|said|pronounced?|mean|word|phrase|called|how)\b", re.I)


def ordered_language(text: str | None) -> str | None:
    """Code of the language in which a request wants to be answered; None: it does not say.

    >>> ordered_language("Please answer in Spanish: what is rain?")
    'es'
    >>> ordered_language("Tell me how to say rain in Spanish.")
    """
    for match in _ORDER.finditer(text or ""):
        if not _ABOUT_A_WORD.search(match["between"]):
            return find_language(match["language"])
    return None


def asked_language(text: str | None, request: Blueprint | None) -> str | None:
    """The language that the request orders, else the one in which it is spoken; None: unknown.

    Args:
        text: of the request, where it is written.
        request: its blueprint, where it is spoken.
    """
    heard = request.transcript if request else None
    if not isinstance(heard, Transcript):
        return ordered_language(text)
    ordered = ordered_language(text or heard.text)
    return ordered or (heard.spoken.language if heard.spoken and heard.spoken.sure else None)


def answers_in_language(asked: str, answer: Blueprint) -> Measure:
    """1: the answer is in the language that was asked for; 0: it is in another one.

    Null where no language was heard, or not with certainty.
    """
    heard = answer.transcript
    if not isinstance(heard, Transcript):
        return Measure.without(UNIT, f"group transcript: {heard.reason}")
    spoken = heard.spoken
    if spoken is None:
        return Measure.without(UNIT, "its language was not heard (needs the extra base)")
    if spoken.language == asked and spoken.sure:
        return Measure(value=1, unit=UNIT)
    if spoken.language != asked and _is_certain(spoken, answer):
        return Measure(value=0, unit=UNIT)
    return Measure.without(UNIT, f"asked for {language_name(asked)}; {spoken.render()}")


def is_unsure(blueprint: Blueprint | None) -> bool:
    """Whether the words of a clip were written in a language that was not heard with certainty."""
    heard = blueprint.transcript if blueprint else None
    return isinstance(heard, Transcript) and "unsure_language" in heard.suspect


def told_language(blueprint: Blueprint | None) -> str | None:
    """The language of a clip in words, e.g. ``Spanish`` or ``unsure: Spanish or Portuguese``.

    None where there are no words, or their language is only assumed: nobody heard or gave it.
    """
    heard = blueprint.transcript if blueprint else None
    if not isinstance(heard, Transcript):
        return None
    written, spoken = language_name(heard.language), heard.spoken
    if spoken is None:
        return None if heard.language_source == "model" else written
    told = language_name(spoken.language)
    if not spoken.sure:
        other = spoken.runner_up and language_name(spoken.runner_up)
        told = f"unsure: {told} or {other}" if other else f"unsure: {told}"
    return told if spoken.language == heard.language else f"{told}, transcribed as {written}"


def languages_of(
    text: str | None, request: Blueprint | None, answers: Mapping[str, Blueprint]
) -> dict[str, str]:
    """``asked`` and each answer's role -> language in words, where an answer's is known.

    Args:
        text: of the request, where it is written.
        request: its blueprint, where it is spoken.
        answers: role -> blueprint.
    """
    told = {role: told for role, b in answers.items() if (told := told_language(b))}
    asked = asked_language(text, request)
    if asked is None:
        return told
    for role in told:
        if answers_in_language(asked, answers[role]).value == 0:
            told[role] += " (not the one asked for)"
    return {"asked": language_name(asked), **told} if told else {}


def _is_certain(spoken: Spoken, answer: Blueprint) -> bool:
    speech_s = answer.signal.speech_s if isinstance(answer.signal, Signal) else 0.0
    return spoken.probability >= NO_PROBABILITY and speech_s >= NO_SPEECH_S
