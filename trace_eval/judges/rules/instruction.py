"""The requests in an instruction, as far as rules for English can read them."""

from __future__ import annotations

from dataclasses import dataclass

from blueprints import UNSURE, Transcript, language_name, written_language
from extractors import guessed
from trace_eval.judges.base import Case
from trace_eval.judges.rules.requests import find_requests

#: The language whose requests, refusals, fillers and stop words are known here.
LANGUAGE = "en"


@dataclass(frozen=True)
class RuleInstruction:
    """The words of a request.

    Attributes:
        text: that can be read; None: there is none.
        unread: why, for people, as the beginning of a sentence.
        exists: there are words, though they may not be read.
    """

    text: str | None
    unread: str = "No words of the instruction are known"
    exists: bool = False


def instruction_text(case: Case) -> RuleInstruction:
    """The request of a pair: as it is written, else as it was heard."""
    text, provided = case.item.instruction.text, case.item.language
    if text:
        written = written_language(text)
        language = provided if provided and written in (None, UNSURE) else written
    else:
        recognised = case.instruction.transcript if case.instruction else None
        if case.instruction is None or not isinstance(recognised, Transcript):
            return RuleInstruction(None)
        if why := guessed(case.instruction):
            return RuleInstruction(
                None, f"The recogniser guessed the words of the instruction: {why}", True
            )
        text, language = recognised.text, recognised.language
    if not text:
        return RuleInstruction(None)
    # Who orders in English may quote at length what is to be said in another language.
    if language in (None, LANGUAGE) or find_requests(text):
        return RuleInstruction(text, exists=True)
    name = "another language" if language == UNSURE else language_name(language)
    return RuleInstruction(
        None, f"The instruction is in {name}, in which requests are not known", True
    )
