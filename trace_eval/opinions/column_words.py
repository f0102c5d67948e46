"""What the names of columns say of their cells: that they are labels, or are none."""

from __future__ import annotations

import re
from collections.abc import Sequence

#: What columns are called that number parts of a study: their 1 and 2 are no labels.
_DESIGN = frozenset((
    "session", "part", "group", "block", "batch", "page", "trial", "set", "order", "list", "gender",
    "sex", "age", "run", "round", "day", "week", "version", "condition", "level", "class", "fold",
    "split", "repeat", "count", "number", "nr", "no", "n", "position", "side", "hand", "task",
    "section", "phase", "study", "wave", "form", "note", "notes", "remark", "comment", "room",
    "site", "channel", "speaker", "turn", "turns", "question", "stage", "step", "seed", "rank",
    "length", "duration", "difficulty", "num", "priority", "cluster", "visit", "experiment",
    "screen", "attempt", "attempts", "blocks", "trials", "randomise", "randomize", "timestamp",
    "timezone", "index", "row", "zone", "spreadsheet", "incorrect", "dishonest",
))  # fmt: skip


#: What columns are called that sum up raters.
_SUMS = frozenset((
    "majority", "final", "consensus", "gold", "aggregate", "aggregated", "adjudicated", "resolved",
))  # fmt: skip

#: A column of one rater, whatever it holds.
RATER = re.compile(
    r"(r|rater|annotator|listener|worker|participant|evaluator|subject|judge|assessor|user|p|l)"
    r"[\s_-]*\d+",
    re.I,
)

#: What columns are called that say how sure a rater was, or what the right answer is.
_OF_NO_RATER = frozenset((
    "confidence", "confident", "certainty", "certain", "sure", "truth", "expected", "correct",
    "agreement", "intensity", "strength", "familiarity",
))  # fmt: skip

#: A rater with a number, as in ``rater_final_1``: the column of one rater.
_ONE_RATER = re.compile(
    r"(rater|annotator|listener|judge|worker|reviewer)(?!s)\D*\d", re.IGNORECASE
)

#: Words in names of columns that hold one part of an opinion.
_PARTS_OF_OPINIONS = frozenset((
    "content", "voice", "quality", "paralinguistics", "overall", "naturalness", "prosody",
    "emotion", "accuracy", "fluency", "helpfulness",
))  # fmt: skip

#: Words in names of columns that hold the answer that lost: read as a rater's, or as the
#: label, they would turn every label round.
_WORSE = frozenset((
    "worse", "worst", "loser", "loses", "lost", "rejected", "dispreferred", "unpreferred",
    "disliked", "dislikes", "dislike", "least", "inferior", "weaker", "weakest",
))  # fmt: skip

#: Words in names of columns that hold an answer of any kind.
_ANSWERS = frozenset((
    "response", "responses", "answer", "answers", "rating", "ratings", "score", "scores",
    "opinion", "mos", "quality", "naturalness", "slider", "value", "keys", "key", "choice",
    "selected", "grade", "grades", "points", "stars",
))  # fmt: skip

#: Words in names of columns that say which of two answers is the better one.
_CHOICES = frozenset((
    "better", "best", "winner", "winning", "wins", "won", "prefer", "prefers", "preferred",
    "preference", "choice", "chosen", "choose", "chose", "pick", "picked", "select", "selected",
    "vote", "voted", "verdict", "favourite", "favorite", "superior", "decision", "judgement",
    "judgment", "label", "stronger", "nicer",
))  # fmt: skip

#: Words of measures that may also stand in the name of a column of choices.
_OF_CHOICES = frozenset(("id", "index", "number", "position", "order"))

#: Words in names of columns that hold times, places and counts of a session.
_MEASURES = frozenset((
    "rt", "time", "elapsed", "start", "started", "end", "ended", "latitude", "longitude", "rate",
    "seconds", "id", "node", "progress", "click", "year", "years", "date", "width", "height",
    "index", "trial", "thisn", "repn", "age", "session", "seed", "number", "count", "position",
    "page", "block", "run", "order", "duration", "runtime", "delay", "reward", "max",
))  # fmt: skip

#: Words in names of columns that hold what was played.
_ITEMS = frozenset((
    "item", "items", "stimulus", "stimuli", "clip", "audio", "sound", "file", "filename", "wav",
    "utterance", "sentence", "sample", "recording", "url",
))  # fmt: skip

#: Words in names of columns that hold who took part.
_PEOPLE = frozenset((
    "subject", "subjects", "participant", "worker", "user", "username", "listener", "respondent",
))  # fmt: skip


def names_an_answer(name: str) -> bool:
    """Tell whether a column is called like an answer, and like no time of one."""
    return not _ANSWERS.isdisjoint(_words(name)) and not names_a_measure(name)


def names_a_choice(name: str) -> bool:
    """Tell whether a column is called like the better of two answers, and no time."""
    words = set(_words(name))
    is_other = not words.isdisjoint(_MEASURES - _OF_CHOICES) or names_worse(name)
    return not words.isdisjoint(_CHOICES) and not is_other


def names_a_measure(name: str) -> bool:
    """Tell whether a column is called like a time, a place or a count."""
    return not _MEASURES.isdisjoint(_words(name))


def names_an_item(name: str) -> bool:
    """Tell whether a column is called like what was played, and like no count of it."""
    return _names_one_of(_ITEMS, name)


def names_somebody(name: str) -> bool:
    """Tell whether a column is called like who took part."""
    return _names_one_of(_PEOPLE, name)


def _names_one_of(words: frozenset[str], name: str) -> bool:
    """Tell whether a name has one of these words, and none of a measure but ``id``."""
    words_of_name = set(_words(name))
    has_measure = not _MEASURES.isdisjoint(words_of_name - {"id"})
    return not words.isdisjoint(words_of_name) and not has_measure


def sums_up(name: str) -> bool:
    """Tell whether a column is called like a sum of raters, or how sure one was."""
    words = _words(name)
    if not _OF_NO_RATER.isdisjoint(words):
        return True
    return not _SUMS.isdisjoint(words) and not _ONE_RATER.search(name)


def of_one_opinion(names: Sequence[str]) -> list[str]:
    """Leave out columns of parts of an opinion, where there are several parts."""
    parts_of_names: set[frozenset[str]] = set()
    of_whole_opinions: list[str] = []
    for name in names:
        parts = _PARTS_OF_OPINIONS.intersection(_words(name))
        parts_of_names.add(parts)
        if not parts:
            of_whole_opinions.append(name)
    if len(parts_of_names) < 2:
        return list(names)
    return of_whole_opinions


def names_a_part(name: str) -> bool:
    """Tell whether a column is called like a part of a study, or has no word at all."""
    words = _words(name)
    return not words or not _DESIGN.isdisjoint(words)


def names_worse(name: str) -> bool:
    """Tell whether a column is called like that of the answer that lost."""
    return not _WORSE.isdisjoint(_words(name))


def _words(name: str) -> list[str]:
    """Split a column's name into words, also where capitals begin them."""
    spaced = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name)
    words = re.findall(r"[^\W\d_]+", spaced)
    return [word.casefold() for word in words]
