"""Accepted spellings of labels: sides, names of systems, ties, wins and losses."""

from __future__ import annotations

import re
from collections.abc import Sequence

from fusion import TRACE
from trace_eval.data.drafts import without_drafts

#: What names the sides, with ``a`` or ``1``, ``b`` or ``2`` behind it or before it.
_NOUNS = ("model", "system", "response", "answer", "audio", "assistant", "option", "side", "output")

#: Labels that need no typed ties.
PLAIN = frozenset(("1", "2", "tie"))

#: Spelling, in lower case and with ``_`` for all that is no letter, digit, ``>``, ``<`` or ``=``,
#: -> label. ``both`` says that neither was better.
WORDS: dict[str, str] = {
    **dict.fromkeys(("1", "a", "left", "first", "a_wins", "a_is_better", "a>b", "b<a"), "1"),
    **dict.fromkeys(("a>>b", "b<<a"), "1"),
    **dict.fromkeys(("b>>a", "a<<b"), "2"),
    **dict.fromkeys(("2", "b", "right", "second", "b_wins", "b_is_better", "b>a", "a<b"), "2"),
    **{f"{noun}{join}{end}": label for noun in _NOUNS for join in ("", "_")
       for end, label in (("a", "1"), ("1", "1"), ("b", "2"), ("2", "2"))},
    **{f"{end}_{noun}": label for noun in _NOUNS for end, label in (("a", "1"), ("b", "2"))},
    **dict.fromkeys(("tie", "tied", "ties", "draw", "drawn", "equal", "same", "both"), "tie"),
    **dict.fromkeys(("a=b", "even", "a_b_tie", "no_preference", "no_difference"), "tie"),
    **dict.fromkeys(("no_winner", "equivalent", "about_the_same", "equally_good"), "tie"),
    **dict.fromkeys(("both_good", "bothgood"), "both_good"),
    **dict.fromkeys(("both_bad", "bothbad"), "both_bad"),
}  # fmt: skip

#: Every label by its code: the four ratings in their declared order, then an untyped tie.
LABELS: tuple[str, ...] = (*map(str, TRACE.scale.labels), "tie")

#: Ties of arenas that say which kind of tie they are.
TYPED_TIES: dict[str, str] = {
    **dict.fromkeys(("tie_bothgood", "tie_both_good"), "both_good"),
    **dict.fromkeys(("tie_bothbad", "tie_both_bad"), "both_bad"),
}

#: What says how the system of another column fared -> whether it won.
FARED: dict[str, bool] = {
    **dict.fromkeys(("win", "wins", "won", "winner", "better", "preferred"), True),
    **dict.fromkeys(("loss", "lose", "loses", "lost", "loser", "worse"), False),
}

#: What may stand behind a side or a system that won.
_BETTER = re.compile(r"_(wins?|won|(is_)?(better|preferred))\Z")

#: (system of A, system of B, system whose column a win or loss is); None: unknown.
Names = tuple[object, object, object]

NOBODY: Names = (None, None, None)

_MARK = re.compile(r"\[\[([ABC])\]\]")
_MEANING = {"A": "1", "B": "2", "C": "tie"}


def plain(value: object) -> str:
    """A spelling without what does not matter: case, spaces, hyphens, brackets."""
    return re.sub(r"[^\w><=]+|_+", "_", str(value).strip().casefold()).strip("_")


def spelled(value: object, names: Names = NOBODY, typed: bool = True) -> str:
    """The label that a value is: ``1``, ``2``, ``tie``, ``both_good`` or ``both_bad``.

    Args:
        names: of the item's systems.
        typed: the column may hold typed ties; in others these are plain ties.

    Raises:
        ValueError: it is none, or it may mean either side; says which.
    """
    word = plain(value)
    if word not in WORDS and not _side(word, names) and (won := _BETTER.search(word)):
        word = word[: won.start()]
    result = WORDS.get(word) or TYPED_TIES.get(word)
    if not typed and result in ("both_good", "both_bad"):
        result = "tie"
    by_name = _side(word, names)
    if by_name == "same":
        raise ValueError("both answers are of that system")
    if by_name and result and by_name != result:
        raise ValueError("it is a side and the name of the other side's system")
    if result or by_name:
        return str(result or by_name)
    if word in FARED:
        if names[2] in (None, ""):
            raise ValueError("it does not say whose; name the system in a column 'system'")
        own = plain(names[2])
        side = _side(own, names) or {"a": "1", "b": "2"}.get(own)
        if side not in ("1", "2"):
            raise ValueError(f"{names[2]!r} in column 'system' is neither of the two systems")
        return side if FARED[word] else {"1": "2", "2": "1"}[side]
    systems = [str(name) for name in names[:2] if name not in (None, "")]
    raise ValueError(f"it is no label, and neither {' nor '.join(systems)}" if systems
                     else "it is no label")  # fmt: skip


def _side(word: str, names: Names) -> str | None:
    sides = [
        label
        for label, name in zip(("1", "2"), names[:2], strict=True)
        if name not in (None, "") and plain(name) == word
    ]
    return "same" if len(sides) > 1 else sides[0] if sides else None


def names_are_words(names: object) -> bool:
    """Whether a system is called like a side, so that its name must be told from one."""
    return plain(names) in WORDS


def verdict(reply: str, tail: int | None = None) -> str | None:
    """Return the verdict of a reply: ``1``, ``2`` or ``tie``; None: nothing is marked.

    The last mark outside of thinking counts, in so many last characters as ``tail`` says.
    """
    answer, _ = without_drafts(reply)
    marks = _MARK.findall(answer if tail is None else answer[-tail:])
    return _MEANING[marks[-1]] if marks else None


def are_replies(values: Sequence[str | None]) -> bool:
    """True where a column holds marked verdicts."""
    return any(value is not None and _MARK.search(value) for value in values)
