"""Notes for a judge beside the evidence: the languages, and whose words are guesses."""

from __future__ import annotations

from blueprints import Blueprint, Transcript
from extractors import guessed, weak
from trace_eval.data.measures.directions import spoken_directions
from trace_eval.data.measures.language import languages_of
from trace_eval.data.outcome import Order
from trace_eval.judges.base import Case
from trace_eval.judges.views.text.fencing import neutralise


def words_note(whose: str, blueprint: Blueprint) -> str | None:
    """Say what to make of words that are guesses, or in a badly written language."""
    if why := guessed(blueprint):
        return (
            f"The words of {whose} are guesses of the speech recogniser"
            f" ({neutralise(why)}): they are no evidence of what was said. Never call"
            " the content bad, or worse, because of them."
        )
    if why := weak(blueprint):
        return (
            f"Single words of {whose} may not be what was said: {neutralise(why)}."
            " Judge the content by the sense of the whole, and never call it bad, or"
            " worse, because of single words."
        )
    return None


def aloud_line(request: str | None, blueprint: Blueprint) -> str | None:
    """Return the line on directions of the request that an answer speaks; None: none.

    It quotes what was heard, so it belongs inside the answer's fence.
    """
    transcript = blueprint.transcript
    if not isinstance(transcript, Transcript) or guessed(blueprint):
        return None
    spoken = spoken_directions(request, blueprint)
    if not spoken:
        return None
    words = neutralise(", ".join(f'"{each}"' for each in spoken))
    return f"directions read aloud: {words}, said as words instead of followed"


def notes_of(case: Case) -> dict[Order, list[str]]:
    """Return notes on a pair by order, harmless and one sentence each.

    In ``ba`` the pair's B is answer 1.
    """
    return {
        "ab": _numbered_notes(case, ("a", "b")),
        "ba": _numbered_notes(case, ("b", "a")),
    }


def _numbered_notes(case: Case, sides: tuple[str, str]) -> list[str]:
    """Return the notes on a pair whose sides are answers 1 and 2."""
    languages = _languages(case)
    notes: list[str | None] = []
    if "a" in languages or "b" in languages:
        spoken = [languages.get(side, "unknown") for side in sides]
        notes.append(
            f"Languages: asked for {languages.get('asked', 'unknown')};"
            f" answer 1 {spoken[0]}; answer 2 {spoken[1]}."
        )
    notes.append(_request(case))
    for number, side in enumerate(sides, start=1):
        notes.append(words_note(f"answer {number}", case.blueprints[side]))
    return list(filter(None, notes))


def written_request(case: Case) -> str | None:
    """Return the words of the request, or None where the recogniser guessed them."""
    if _request(case) and not case.item.instruction.text:
        return None
    return case.instruction_text


def single_note(case: Case) -> str | None:
    """Note a single answer's language and its request, in sentences."""
    languages = _languages(case)
    language_of_request = languages.pop("asked", "unknown")
    notes: list[str | None] = []
    if languages:
        spoken = [f"{role} {language}" for role, language in languages.items()]
        notes.append(
            f"Languages: asked for {language_of_request}; {'; '.join(spoken)}."
        )
    notes.append(_request(case))
    return " ".join(filter(None, notes)) or None


def _request(case: Case) -> str | None:
    if case.item.instruction.text or not case.instruction:
        return None
    if why := guessed(case.instruction):
        return (
            "The words of the request are guesses of the speech recogniser"
            f" ({neutralise(why)}): what was asked may be something else."
        )
    if why := weak(case.instruction):
        return (
            f"Single words of the request may not be what was said: {neutralise(why)}."
        )
    return None


def _languages(case: Case) -> dict[str, str]:
    item = case.item
    result = languages_of(
        item.instruction.text, case.instruction, case.answers, item.language
    )
    return {role: neutralise(language) for role, language in result.items()}
