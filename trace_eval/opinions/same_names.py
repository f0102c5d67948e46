"""Names of items and of raters, of which several may be one in other spellings."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from typing import Any

import numpy as np

from trace_eval.data.file_names import one_form, stem, unpadded
from trace_eval.data.spelling import visible
from trace_eval.opinions.cells import Texts, texts_of
from trace_eval.opinions.opinions import DataWarning, Opinions

# ---- items, as the judgements beside labels call them


#: Parts of a recording's name that are compared at most.
_PARTS = 4


def as_judged(ids: Texts, about: Sequence[Opinions]) -> Texts:
    """Return ids as judgements have them: ``q1.wav`` is ``q1``, and ``7`` is ``007``.

    One Unicode form stands for the other, as archives of macOS have it. The name of a
    recording stands for the item whose recording it is, where only one is.
    """
    is_stray = np.full(len(ids), bool(about))
    for judgements in about:
        is_stray &= judgements.find(ids) < 0
    if not is_stray.any():
        return ids
    judged_names = _JudgedNames(about)
    ids = ids.copy()
    for row in np.flatnonzero(is_stray).tolist():
        ids[row] = judged_names.of(str(ids[row])) or ids[row]
    return ids


class _JudgedNames:
    """The ids of judged items, by the other ways in which they may be written."""

    def __init__(self, judgements_of_judges: Sequence[Opinions]) -> None:
        self._by_one_form: dict[str, str] = {}
        paths: set[tuple[str, str]] = set()
        for judgements in judgements_of_judges:
            names = judgements.ids.tolist()
            for name in names:
                self._by_one_form[one_form(str(name))] = str(name)
            recordings = judgements.facts.get("recording", ())
            for name, recording in zip(names, recordings, strict=False):
                paths.add((name, stem(str(recording))))
        self._by_unpadded = _by_unpadded(self._by_one_form.values())
        self._by_last_parts: dict[int, dict[str, str | None]] = {}
        for number_of_parts in range(1, _PARTS + 1):
            by_parts = _by_last_parts(paths, number_of_parts)
            self._by_last_parts[number_of_parts] = by_parts

    def of(self, name: str) -> str | None:
        """Return the id of the item that a name stands for; None for no single one."""
        plain = stem(name)
        if plain in self._by_one_form:
            return self._by_one_form[plain]
        if unpadded(plain) in self._by_unpadded:
            return self._by_unpadded[unpadded(plain)]
        parts = plain.split("/")[-_PARTS:]
        return self._by_last_parts[len(parts)].get("/".join(parts))


def _by_unpadded(names: Iterable[str]) -> dict[str, str]:
    """Map names without leading zeros of their numbers to names, where that is one."""
    names_of_short: dict[str, list[str]] = defaultdict(list)
    for name in names:
        names_of_short[unpadded(name)].append(name)
    only_names: dict[str, str] = {}
    for short, full_names in names_of_short.items():
        if len(full_names) == 1:
            only_names[short] = full_names[0]
    return only_names


def _by_last_parts(
    paths: Iterable[tuple[str, str]], number_of_parts: int
) -> dict[str, str | None]:
    """Map the last parts of each recording's path to its item; None if shared.

    Args:
        paths: item and path of each recording, the path without its ending.
    """
    items: dict[str, str | None] = {}
    for item, path in paths:
        last_parts = "/".join(path.split("/")[-number_of_parts:])
        is_shared = items.get(last_parts, item) != item
        items[last_parts] = None if is_shared else item
    return items


# ---- raters


def raters_of(
    source: str, values: Sequence[Any] | None, ids: Sequence[Any]
) -> tuple[Texts | None, tuple[DataWarning, ...]]:
    """Read a column of raters, with warnings of names that look alike.

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
    warnings: list[DataWarning] = []
    for alike in spellings.values():
        if len(alike) < 2:
            continue
        text = f"{source}: raters {', '.join(map(_distinct, alike))} look alike and"
        if _share_an_item(alike, names, ids):
            text += " rated the same items: they are kept apart"
        else:
            text += " are read as one"
            first_spellings.update(dict.fromkeys(alike, alike[0]))
        warnings.append(DataWarning("raters", text))
    raters = [first_spellings.get(name, name) for name in names]
    return texts_of(raters), tuple(warnings)


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
