"""Sentences that quote an answer or the request."""

from __future__ import annotations

import random
import re

from benchmarks.reasons.measured import text_of
from benchmarks.reasons.slots import Task, Written, fill, own
from benchmarks.reasons.worlds import INVENTED


def _piece(text: str, rng: random.Random, least: int = 3, most: int = 7) -> str:
    """Quote some words of one sentence, as they stand there."""
    sentence = rng.choice(re.split(r"(?<=[.!?]) ", text)).rstrip(".!?")
    words = sentence.split()
    size = min(len(words), rng.randint(least, most))
    start = rng.randint(0, len(words) - size)
    return " ".join(words[start : start + size]).strip(",.;:!?")


def quoted(task: Task) -> Written:
    """Quote an answer; a fault quotes the other answer or nobody."""
    place = task.rng.choice([1, 2])
    name = task.style[place - 1]
    text, other = text_of(task.it.at(place)), text_of(task.it.at(3 - place))
    words, planted = _piece(text, task.rng), ""
    first, second = _two_pieces(text)
    if task.fault:
        planted = task.rng.choice(["side", "quote"])
        words = (
            _piece(other, task.rng) if planted == "side" else task.rng.choice(INVENTED)
        )
        if words.lower() in text.lower():
            return None
        if "{qb}" in task.shape.words:
            second = words
        else:
            first = words
    if task.rng.random() < 0.3:
        words = words.lower()
    slots = {"X": name, "Xs": own(name), "q": words, "qa": first, "qb": second}
    return fill(task.shape, slots), planted


def _two_pieces(text: str) -> tuple[str, str]:
    sentences = [s.rstrip(".!?") for s in re.split(r"(?<=[.!?]) ", text)]
    return " ".join(sentences[0].split()[:3]).strip(","), " ".join(
        sentences[-1].split()[-3:]
    )


def said_missing(task: Task) -> Written:
    """Say that an answer lacks some words; a fault names words that it has."""
    place = task.rng.choice([1, 2])
    text, other = text_of(task.it.at(place)), text_of(task.it.at(3 - place))
    missing = task.rng.choice([other, task.rng.choice(INVENTED)])
    words = _piece(text if task.fault else missing, task.rng)
    if not task.fault and words.lower() in text.lower():
        return None
    name = task.style[place - 1]
    slots = {"X": name, "Xs": own(name), "q": words}
    return fill(task.shape, slots), "quote" if task.fault else ""


def of_the_request(task: Task) -> Written:
    """Quote the request; a fault quotes nobody."""
    words = (
        task.rng.choice(INVENTED) if task.fault else _piece(task.it.request, task.rng)
    )
    return fill(task.shape, {"u": words}), "quote" if task.fault else ""
