"""Joining a system's answers with the questions that they answer."""

from __future__ import annotations

import re
from collections.abc import Mapping

from blueprints import UserError
from trace_eval.datasets.rows import Row

#: Least share of equal texts at which a join by number is believed.
MIN_EQUAL = 0.99

_NUMBER = re.compile(r"(\d+)\D*\Z")


def join(
    answers: Mapping[str, Row], questions: Mapping[str, Row], check: tuple[str, str], what: str
) -> tuple[dict[str, str], str | None]:
    """The question of each answer, by id; where no id is shared, by the number in it.

    Args:
        answers, questions: by their ids.
        check: column of the answers and column of the questions that must hold the same text
            where numbers are joined.
        what: the answers, for messages.

    Returns:
        (id of an answer -> id of its question, what a reader must know of the join or None).

    Raises:
        UserError: joined by number, the texts differ too often, or cannot be compared.
    """
    if not answers or answers.keys() & questions.keys():
        return {name: name for name in answers if name in questions}, None
    numbers: dict[int, str] = {}
    for name in questions:
        if result := _NUMBER.search(name):
            numbers[int(result[1])] = name
    joined = {
        name: numbers[int(result[1])]
        for name in answers
        if (result := _NUMBER.search(name)) and int(result[1]) in numbers
    }
    texts = [
        (said, requested)
        for name, question in joined.items()
        if (said := answers[name].text(check[0]))
        and (requested := questions[question].text(check[1]))
    ]
    if not texts:
        raise UserError(
            f"{what}: no id is shared with the questions ({next(iter(answers))!r:.40} and"
            f" {next(iter(questions), '')!r:.40}), and there is no text to compare; give the"
            " questions that belong to them"
        )
    equal = sum(said == requested for said, requested in texts)
    if equal < MIN_EQUAL * len(texts):
        raise UserError(
            f"{what}: joined by number, only {equal} of {len(texts)} texts are those of the"
            " questions; give the questions that belong to them"
        )
    return joined, (
        f"{what}: ids differ from those of the questions ({next(iter(answers))},"
        f" {next(iter(joined.values()))}), joined by number; {equal} of {len(texts)} texts equal"
    )
