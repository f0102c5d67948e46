"""Names of raters, of which several may be the same one, spelt in several ways."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from typing import Any

from trace_eval.data.spelling import visible
from trace_eval.opinions.cells import Texts, texts_of


def raters_of(
    values: Sequence[Any] | None, ids: Sequence[Any]
) -> tuple[Texts | None, tuple[str, ...]]:
    """Read a column of raters, with sentences on names that look alike.

    Names that differ in what nobody sees or types on purpose (forms of Unicode,
    invisible characters, blanks, capitals, letters of other alphabets that look the
    same) are one rater, called as it is spelt first. They stay apart where both rated
    one item. An empty cell is a rater without a name.
    """
    if values is None:
        return None, ()
    names = [
        "" if value is None or not str(value).strip() else value for value in values
    ]
    spellings: dict[str, list[Any]] = {}
    for name in dict.fromkeys(names):
        if name != "":
            spellings.setdefault(_look(name), []).append(name)
    first_spellings: dict[Any, Any] = {}
    notes: list[str] = []
    for alike in spellings.values():
        if len(alike) < 2:
            continue
        shown = ", ".join(map(_distinct, alike))
        if _share_an_item(alike, names, ids):
            notes.append(
                f"raters {shown} look alike and rated the same items: they are kept"
                " apart"
            )
        else:
            notes.append(f"raters {shown} look alike and are read as one")
            first_spellings.update(dict.fromkeys(alike, alike[0]))
    raters = [first_spellings.get(name, name) for name in names]
    return texts_of(raters), tuple(notes)


def _share_an_item(
    raters: Collection[Any], names: Sequence[Any], ids: Sequence[Any]
) -> bool:
    """Tell whether several of some raters gave an opinion of one item."""
    rater_of: dict[Any, Any] = {}
    for name, id_ in zip(names, ids, strict=True):
        if name in raters and rater_of.setdefault(id_, name) != name:
            return True
    return False


def _distinct(name: object) -> str:
    """Quote a name, with escapes for what nobody sees in it."""
    return repr(name) if str(name) == visible(name) else ascii(name)


#: Letters of Cyrillic and Greek that look like Latin ones, in small letters.
_ALIKE = str.maketrans(
    "\u0430\u0432\u0435\u043a\u043c\u043d\u043e\u0440\u0441\u0442\u0443\u0445\u0456\u0458\u0455"
    "\u03b1\u03bf\u03c1\u03bd\u03b9\u03ba",
    "abekmhopctyxijsaopvik",
)


#: Quotes and hyphens of word processors -> those of keyboards.
_TYPED = str.maketrans("\u2018\u2019\u02bc\u00b4`\u2010\u2011\u2013\u2212", "'''''----")


#: A number as spreadsheets and data frames rewrite it: without its first zeros, or with
#: a fraction of zeros.
_WHOLE = re.compile(r"\A0*(\d+?)(?:\.0+)?\Z")


def _look(name: object) -> str:
    """Return how a name looks, without case; equal for indistinguishable names."""
    text = visible(name).casefold()
    text = _WHOLE.sub(r"\1", text.replace("i\u0307", "i").translate(_TYPED))
    mixed = any("a" <= letter <= "z" for letter in text)
    return text.translate(_ALIKE) if mixed else text
