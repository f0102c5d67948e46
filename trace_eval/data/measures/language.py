"""Whether an answer is in the requested language."""

from __future__ import annotations

import re
from collections.abc import Mapping

from blueprints import (
    LANGUAGES,
    UNSURE,
    WEAK,
    Blueprint,
    Transcript,
    find_language,
    language_name,
    written_language,
)
from trace_eval.data.measures.numbers import PairMeasure

UNIT = "1 yes, 0 no"

_NAME = "|".join(
    [*sorted(LANGUAGES.values(), key=len, reverse=True), "Mandarin", "Farsi"]
)

#: Nearly all requests name no language; then no order of one and no mention is to be
#: found.
_NAMED = re.compile(rf"\b(?:{_NAME})\b", re.IGNORECASE)

#: An order to speak a language; what is to be translated or pronounced may be one word
#: of it.
_ORDER = re.compile(
    r"\b(?:answer|reply|respond|speak|talk|tell|explain|describe|continue|continuing)\b"
    rf"(?P<between>[^.?!:;]{{0,60}}?)\bin (?P<language>{_NAME})\b",
    re.IGNORECASE,
)
_ABOUT_A_WORD = re.compile(
    r"\b(?:say|said|pronounced?|mean|word|phrase|called|how)\b", re.I
)
_NOT = re.compile(
    r"\b(?:don'?t|do not|never|not|without|instead of)\b[^.?!:;]{0,20}$", re.I
)

#: A second language of an order: "in English and then in French".
_AND_ANOTHER = re.compile(rf"\b(?:and|or|then)\b[^.?!:;]{{0,20}}?\b(?:{_NAME})\b", re.I)

#: End of a clause, and letters around an order in which a "not" or a second language is
#: sought.
_END, NEAR = re.compile(r"[.?!:;]"), 60

#: A language that is spoken of, as in "translate it to French"; an accent of it is
#: English.
_MENTION = re.compile(rf"\b(?:{_NAME})\b(?! accents?\b)", re.I)

#: What English is called by those who do not speak it, as in "traduce al inglés".
_ENGLISH = re.compile(
    r"\b(?:ingl[eéê]s|inglesa?|anglais|englisch\w*|inglese|engels|engelska?|angielsk\w*|ingilizce"
    r"|английск\w*)\b|英语|英文|英語|영어",
    re.I,
)


def ordered_language(text: str | None) -> str | None:
    """Return the code of the language that a request asks for; None: it does not say.

    >>> ordered_language("Please answer in Spanish: what is rain?")
    'es'
    >>> ordered_language("Tell me how to say rain in Spanish.")
    >>> ordered_language("Answer in English and then in French.")
    """
    text = text or ""
    ordered: set[str | None] = set()
    for match in _ORDER.finditer(text):
        before = text[max(0, match.start() - NEAR) : match.start()]
        between = match["between"]
        behind = _END.split(text[match.end() : match.end() + NEAR], 1)[0]
        is_denied = _NOT.search(before) or _NOT.search(between)
        is_of_a_word = _ABOUT_A_WORD.search(between)
        if not (is_denied or is_of_a_word or _AND_ANOTHER.search(behind)):
            ordered.add(find_language(match["language"]))
    return next(iter(ordered)) if len(ordered) == 1 else None


def requested_language(
    text: str | None, request: Blueprint | None, provided: str | None = None
) -> str | None:
    """Return the language in which a request wants to be answered; None if unknown.

    That is the one that it orders. Else, where it speaks of no other language (what is
    translated or taught may be answered in either), it is the one that the manifest
    says, that is heard, or in which it is written.

    Args:
        text: of the request, where it is written.
        request: its blueprint, where it is spoken.
        provided: ISO 639-1 code of the language of the recordings, where the manifest
            says it.
    """
    transcript = request.transcript if request else None
    heard = transcript if isinstance(transcript, Transcript) else None
    words = text
    if not words:
        if heard is None or not set(heard.suspect) <= set(WEAK):
            return provided  # what it orders is not known
        words = heard.text
    named: set[str | None] = set()
    if _NAMED.search(words):
        ordered = ordered_language(words)
        if ordered:
            return ordered
        named.update(map(find_language, _MENTION.findall(words)))
    requested = provided
    if not requested and heard and heard.spoken and heard.spoken.sure:
        requested = heard.spoken.language
    if not requested:
        written = written_language(text or "")
        requested = None if written == UNSURE else written
    if _ENGLISH.search(words):
        named.add("en")
    return requested if named <= {requested} else None


def answers_in_language(requested: str, answer: Blueprint) -> PairMeasure:
    """Return 1 if the answer is in the requested language, 0 if in another.

    Null where no language was heard, or not with certainty.
    """
    transcript = answer.transcript
    if not isinstance(transcript, Transcript):
        return PairMeasure.without(UNIT, f"group transcript: {transcript.reason}")
    spoken = transcript.spoken
    if spoken is None:
        return PairMeasure.without(
            UNIT, "its language was not heard (needs the extra base)"
        )
    if spoken.language == requested and spoken.sure:
        return PairMeasure(value=1, unit=UNIT)
    if answer.certain_language not in (None, requested):
        return PairMeasure(value=0, unit=UNIT)
    return PairMeasure.without(
        UNIT, f"asked for {language_name(requested)}; {spoken.render()}"
    )


def is_unsure(blueprint: Blueprint | None) -> bool:
    """Whether a clip's words were written in a language not surely heard."""
    transcript = blueprint.transcript if blueprint else None
    return (
        isinstance(transcript, Transcript) and "unsure_language" in transcript.suspect
    )


def language_in_words(blueprint: Blueprint | None) -> str | None:
    """Name a clip's language: ``Spanish``, or ``unsure: Spanish or Portuguese``.

    None where there are no words, or their language is only assumed: nobody heard or
    gave it.
    """
    transcript = blueprint.transcript if blueprint else None
    if not isinstance(transcript, Transcript):
        return None
    written, spoken = language_name(transcript.language), transcript.spoken
    if spoken is None:
        return None if transcript.language_source == "model" else written
    message = language_name(spoken.language)
    if not spoken.sure:
        other = spoken.runner_up and language_name(spoken.runner_up)
        message = f"unsure: {message} or {other}" if other else f"unsure: {message}"
    same = spoken.language == transcript.language
    return message if same else f"{message}, transcribed as {written}"


def languages_of(
    text: str | None,
    request: Blueprint | None,
    answers: Mapping[str, Blueprint],
    provided: str | None = None,
) -> dict[str, str]:
    """Return ``asked`` and each role's language in words, where it is known.

    The others are as for :func:`requested_language`.
    """
    in_words = {role: language_in_words(answer) for role, answer in answers.items()}
    details = {role: words for role, words in in_words.items() if words}
    requested = requested_language(text, request, provided)
    if requested is None:
        return details
    for role in details:
        if answers_in_language(requested, answers[role]).value == 0:
            details[role] += " (not the one asked for)"
    return {"asked": language_name(requested), **details} if details else {}
