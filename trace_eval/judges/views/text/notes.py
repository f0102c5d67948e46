"""Notes for a judge beside the evidence: the languages, and whose words are guesses."""

from __future__ import annotations

from dataclasses import dataclass

from blueprints import Blueprint
from extractors import guessed, weak
from trace_eval.data.outcome import Order
from trace_eval.judges.base import Case
from trace_eval.judges.views.text.fencing import neutralise
from trace_eval.measures.language import languages_of


@dataclass(frozen=True)
class Notes:
    """Notes on a pair, in words; None: there is nothing to say.

    Attributes:
        asked: the language in which the request wants to be answered.
        languages: of A and B, as they were heard.
        answers: A and B, of whose words there may be something to say.
        request: what to make of the words of the request, where they are not written, as a
            sentence.
    """

    asked: str | None = None
    languages: tuple[str | None, str | None] = (None, None)
    answers: tuple[Blueprint, ...] = ()
    request: str | None = None

    def lines(self, order: Order) -> list[str]:
        """One sentence each; in order ``ba`` the pair's B is answer 1."""
        step = 1 if order == "ab" else -1
        languages, answers = self.languages[::step], self.answers[::step]
        notes = []
        if any(languages):
            of = [f"answer {n} {name or 'unknown'}" for n, name in enumerate(languages, start=1)]
            notes.append(f"Languages: asked for {self.asked or 'unknown'}; {'; '.join(of)}.")
        notes += [self.request] if self.request else []
        lines = (words_note(f"answer {n}", answer) for n, answer in enumerate(answers, start=1))
        return [*notes, *filter(None, lines)]


def words_note(whose: str, blueprint: Blueprint) -> str | None:
    """What to make of words that are guesses, or in a language that is written badly."""
    if why := guessed(blueprint):
        return (
            f"The words of {whose} are guesses of the speech recogniser ({neutralise(why)}): they"
            " are no evidence of what was said. Never call the content bad, or worse, because of"
            " them."
        )
    if why := weak(blueprint):
        return (
            f"Single words of {whose} may not be what was said: {neutralise(why)}. Judge the"
            " content by the sense of the whole, and never call it bad, or worse, because of"
            " single words."
        )
    return None


def notes_of(case: Case) -> Notes:
    """The notes on a pair, harmless."""
    details = _languages(case)
    return Notes(
        asked=details.get("asked"),
        languages=(details.get("a"), details.get("b")),
        answers=(case.a, case.b),
        request=_request(case),
    )


def single_note(case: Case) -> str | None:
    """Notes on a single answer's language and its request, as sentences."""
    details = _languages(case)
    requested = details.pop("asked", "unknown")
    of = "; ".join(f"{role} {language}" for role, language in details.items())
    lines = [f"Languages: asked for {requested}; {of}."] if details else []
    return " ".join([*lines, *filter(None, [_request(case)])]) or None


def _request(case: Case) -> str | None:
    if case.item.instruction.text or not case.instruction:
        return None
    if (why := guessed(case.instruction)) is None:
        clause = weak(case.instruction)
        return clause and (
            f"Single words of the request may not be what was said: {neutralise(clause)}."
        )
    return (
        f"The words of the request are guesses of the speech recogniser ({neutralise(why)}): what"
        " was asked may be something else."
    )


def _languages(case: Case) -> dict[str, str]:
    item = case.item
    result = languages_of(item.instruction.text, case.instruction, case.answers, item.language)
    return {role: neutralise(language) for role, language in result.items()}
