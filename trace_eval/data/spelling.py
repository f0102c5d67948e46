"""Accepted spellings of labels: sides, names of systems, ties, wins and losses."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

from fusion import TRACE

#: What names the sides, with ``a`` or ``1``, ``b`` or ``2`` behind it or before it.
_NOUNS = (
    "model",
    "system",
    "response",
    "answer",
    "audio",
    "assistant",
    "option",
    "side",
    "output",
)

#: Labels that need no typed ties.
PLAIN = frozenset(("1", "2", "tie"))

#: Spelling, in lower case and with ``_`` for all that is no letter, digit, ``>``, ``<``
#: or ``=``, -> label. ``both`` says that neither was better.
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
    **dict.fromkeys(("the_same", "roughly_the_same", "almost_the_same", "about_equal"), "tie"),
    **dict.fromkeys(("roughly_equal", "no_clear_preference", "no_clear_winner"), "tie"),
    **dict.fromkeys(("both_the_same", "both_equal", "both_are_equal", "both_are_the_same"), "tie"),
    **dict.fromkeys(("both_good", "bothgood"), "both_good"),
    **dict.fromkeys(("both_bad", "bothbad"), "both_bad"),
}  # fmt: skip

#: Every label by its code: the four ratings in their declared order, then an untyped
#: tie.
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

#: How much better or worse, which a label does not say.
_DEGREE = (
    "(?:(?:very_)?much|far|a_little|a_bit|a_lot|slightly|somewhat|clearly|strongly|significantly"
    "|considerably|moderately|marginally|substantially|definitely|weakly|mildly)_"
)

#: What may be said of a side or a system: that it won or lost, and against whom.
_SAID = (
    (True, re.compile(
        rf"\A(?P<side>.+?)_(?:(?:is|was|sounds)_)?(?:{_DEGREE})?(?:wins?|won|better|preferred)"
        r"(?:_than_(?P<other>.+))?"
    )),
    (True, re.compile(rf"(?:i_)?(?:{_DEGREE})?(?:prefer|preferred|better)_(?P<side>.+)")),
    (False, re.compile(
        rf"\A(?P<side>.+?)_(?:(?:is|was|sounds)_)?(?:{_DEGREE})?(?:worse|lost|loses)"
        r"(?:_than_(?P<other>.+))?"
    )),
)  # fmt: skip

#: Each side -> the other one.
_OTHER = {"1": "2", "2": "1"}

#: (system of A, system of B, system whose column a win or loss is); None: unknown.
SideNames = tuple[object, object, object]

NOBODY: SideNames = (None, None, None)

#: What may stand around a spelling without a meaning of its own.
_AROUND = "()[]{}\"'`\u201c\u201d\u201e\u2018\u2019\u00ab\u00bb "

#: What separates words: a hyphen, slash, comma, dot or bracket counts only between two
#: of them. A sign, a negation or a question mark stands elsewhere, and is kept.
_BETWEEN = re.compile(
    r"(?<=[^\W\d_])[.,:;]+(?=\s|\Z)|[\s_()\[\]{}]+|(?<=\w)[-\u2010\u2011](?=\w)"
)

#: A dot, comma, colon, semicolon or exclamation mark at the end of a spelling.
_END = re.compile(r"(?<=[\w)\]])[.,:;!]\Z")


#: Characters that nobody sees, in classes of :mod:`re`: fillers, joiners, selectors,
#: and marks of direction and byte order.
_UNSEEN = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e"
    "\u2060-\u206f\u2800\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff9-\ufffc\U00016fe4"
    "\U0001d173-\U0001d17a\U000e0000-\U000e0fff\x00-\x08\x0e-\x1b\x7f]"
)


def visible(text: object) -> str:
    """Normalise a text: one Unicode form, no invisible characters, single blanks."""
    form = unicodedata.normalize("NFKC", _UNSEEN.sub("", str(text)))
    return " ".join(_UNSEEN.sub("", form).split())


def plain(value: object) -> str:
    """Drop what does not matter in a spelling: case, spaces, hyphens between words, brackets.

    What carries meaning stays, so that ``-1``, ``~1`` or ``A?`` is not taken for ``1``
    or ``A``.
    """
    text = _END.sub("", visible(value).casefold().strip(_AROUND))
    return re.sub("_+", "_", _BETWEEN.sub("_", text.strip(_AROUND))).strip("_")


_IN_BRACKETS = re.compile(r"\(\s*[\d.,]+\s*\)")

#: Why a number in brackets is no label.
MAY_BE_NEGATIVE = "it may be a negative number: others of this column have no brackets"


def negative_numbers(values: Iterable[object]) -> frozenset[object]:
    """Return the numbers in brackets, which in accounts are negative, where others have none.

    Where all have brackets they are the choices of a form.
    """
    texts = {value for value in values if isinstance(value, str)}
    bracketed = {text for text in texts if _IN_BRACKETS.fullmatch(visible(text))}
    has_bare = any(visible(text).replace(".", "", 1).isdecimal() for text in texts)
    return frozenset(bracketed) if has_bare else frozenset()


class Declared(str):
    """A label that the user says a value means, whatever the systems are called."""


#: Why a value is no label: it names both answers, in two ways.
EITHER_SIDE = "it is a side and the name of the other side's system"


def spelled(value: object, names: SideNames = NOBODY, typed: bool = True) -> str:
    """Read a value as a label: ``1``, ``2``, ``tie``, ``both_good`` or ``both_bad``.

    Args:
        names: of the item's systems.
        typed: the column may hold typed ties; in others these are plain ties.

    Raises:
        ValueError: it is none, or it may mean either side; says which.
    """
    word = plain(value)
    names = NOBODY if isinstance(value, Declared) else names
    result = WORDS.get(word) or TYPED_TIES.get(word)
    if not typed and result in ("both_good", "both_bad"):
        result = "tie"
    by_name = _side(word, names)
    if not result and not by_name:
        result = _said(word, names)
    if by_name == "same":
        raise ValueError("both answers are of that system")
    if by_name and result and by_name != result:
        raise ValueError(EITHER_SIDE)
    if result or by_name:
        return str(result or by_name)
    if word in FARED:
        if names[2] in (None, ""):
            raise ValueError(
                "it does not say whose; name the system in a column 'system'"
            )
        own = plain(names[2])
        side = _side(own, names) or {"a": "1", "b": "2"}.get(own)
        if side not in ("1", "2"):
            raise ValueError(
                f"{names[2]!r} in column 'system' is neither of the two systems"
            )
        return side if FARED[word] else _OTHER[side]
    systems = [str(name) for name in names[:2] if name not in (None, "")]
    raise ValueError(f"it is no label, and neither {' nor '.join(systems)}" if systems
                     else "it is no label")  # fmt: skip


def _said(word: str, names: SideNames) -> str | None:
    """Return the side that a phrase says won; None if it is no such phrase."""
    for won, phrase in _SAID:
        if said := phrase.fullmatch(word):
            side, other = (
                part and (_side(part, names) or WORDS.get(part))
                for part in (said["side"], said.groupdict().get("other"))
            )
            if side == "same":
                raise ValueError("both answers are of that system")
            if side in _OTHER and other in (None, _OTHER[side]):
                return side if won else _OTHER[side]
    return None


def _side(word: str, names: SideNames) -> str | None:
    sides = [
        label
        for label, name in zip(("1", "2"), names[:2], strict=True)
        if name not in (None, "") and plain(name) == word
    ]
    return "same" if len(sides) > 1 else sides[0] if sides else None


def names_are_words(names: object) -> bool:
    """Whether a system is called like a side, so that its name must be told from one."""
    return plain(names) in WORDS


#: What stands in a cell of which nothing is known, in lower case.
_MISSING = frozenset((
    "", "-", "--", "---", "\u2013", "\u2014", "\u2212", ".", "..", "...", "\u2026", "?", "/", "//",
    "#null!", "#div/0!", "#ref!", "#value!", "#num!", "#name?",  # of spreadsheets
    "na", "n/a", "n.a.", "n. a.", "n.a", "#n/a", "#na", "n/a.", "#n/a n/a", "<na>", "(na)", "nan",
    "-nan", "1.#qnan", "-1.#ind", "1.#ind", "nat", "null", "(null)", "<null>", "nil", "undefined",
    "missing", "<missing>", "(missing)", "empty", "(empty)", "blank", "(blank)", "<none>",
    "not available", "not applicable", "not answered", "not rated", "no answer", "no response",
    "no rating", "no label", "unanswered", "unrated", "unlabeled", "unlabelled", "skip",
    "skipped", "(skipped)", "no data", "prefer not to say",
    "k.a.", "k. a.", "ka", "keine angabe", "fehlt", "fehlend", "nicht beantwortet",
    "entfällt", "nicht verfügbar", "s.o.", "s/o", "sans objet", "sans réponse",
    "non renseigné", "non disponible", "manquant", "nd", "n.d.", "n/d", "n.r.", "nr", "n/r",
    "n/c", "ns/nc", "sin respuesta", "sin dato", "sin datos", "s/d", "no contesta",
    "no disponible", "no aplica", "non risponde", "non disponibile", "mancante", "sem resposta",
    "não se aplica", "não disponível", "sem dados", "nvt", "n.v.t.", "geen antwoord",
    "ontbreekt", "saknas", "ej svar", "mangler", "ingen svar", "ei tietoa", "puuttuu", "brak",
    "brak danych", "b.d.", "bd", "nie dotyczy", "neuvedeno", "chybí", "yok", "cevap yok",
    "нет данных", "н/д",
    "нет ответа", "пропуск",
    "缺失", "空", "无数据", "不适用", "未回答", "未评分",
    "無資料", "不適用", "無回答", "欠損", "該当なし",
    "未記入", "無記入", "결측", "해당 없음", "무응답",
))  # fmt: skip

#: The label of a value that a user declares to be missing, see ``--map``.
NO_LABEL = "missing"


def is_missing(value: object) -> bool:
    """Whether a cell says that there is no value; ``none`` may be an answer, and is no such cell.

    NFKC alone would keep a spelling such as ``N/A`` in full-width letters apart.
    """
    return value is None or visible(value).casefold() in _MISSING
