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

#: Label -> its spellings, in lower case and with ``_`` for all that is no letter, digit,
#: ``>``, ``<`` or ``=``. ``both`` says that neither was better.
_SPELLINGS: dict[str, tuple[str, ...]] = {
    "1": (
        "1",
        "a",
        "left",
        "first",
        "a_wins",
        "a_is_better",
        "a>b",
        "b<a",
        "a>>b",
        "b<<a",
        *(f"{noun}{end}" for noun in _NOUNS for end in ("a", "_a", "1", "_1")),
        *(f"a_{noun}" for noun in _NOUNS),
    ),
    "2": (
        "2",
        "b",
        "right",
        "second",
        "b_wins",
        "b_is_better",
        "b>a",
        "a<b",
        "b>>a",
        "a<<b",
        *(f"{noun}{end}" for noun in _NOUNS for end in ("b", "_b", "2", "_2")),
        *(f"b_{noun}" for noun in _NOUNS),
    ),
    "tie": (
        "tie",
        "tied",
        "ties",
        "draw",
        "drawn",
        "equal",
        "same",
        "both",
        "a=b",
        "even",
        "a_b_tie",
        "no_preference",
        "no_difference",
        "no_winner",
        "equivalent",
        "about_the_same",
        "equally_good",
        "the_same",
        "roughly_the_same",
        "almost_the_same",
        "about_equal",
        "roughly_equal",
        "no_clear_preference",
        "no_clear_winner",
        "both_the_same",
        "both_equal",
        "both_are_equal",
        "both_are_the_same",
    ),
    "both_good": ("both_good", "bothgood"),
    "both_bad": ("both_bad", "bothbad"),
}

#: Spelling -> label.
WORDS: dict[str, str] = {
    spelling: label for label, words in _SPELLINGS.items() for spelling in words
}

#: Every label by its code: the four ratings in their declared order, then an untyped
#: tie.
LABELS: tuple[str, ...] = (*map(str, TRACE.scale.labels), "tie")

#: Ties of arenas that say which kind of tie they are.
TYPED_TIES: dict[str, str] = {
    "tie_bothgood": "both_good",
    "tie_both_good": "both_good",
    "tie_bothbad": "both_bad",
    "tie_both_bad": "both_bad",
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
    """Drop what spelling does not decide: case, spaces, hyphens, brackets.

    What carries meaning stays, so that ``-1``, ``~1`` or ``A?`` is not taken for ``1``
    or ``A``.
    """
    text = _END.sub("", visible(value).casefold().strip(_AROUND))
    return re.sub("_+", "_", _BETWEEN.sub("_", text.strip(_AROUND))).strip("_")


_IN_BRACKETS = re.compile(r"\(\s*[\d.,]+\s*\)")

#: Why a number in brackets is no label.
MAY_BE_NEGATIVE = "it may be a negative number: others of this column have no brackets"


def negative_numbers(values: Iterable[object]) -> frozenset[object]:
    """Return bracketed numbers, which in accounts are negative, if others are bare.

    Where all have brackets they are the choices of a form.
    """
    bracketed: set[object] = set()
    has_bare = False
    for value in {value for value in values if isinstance(value, str)}:
        text = visible(value)
        if _IN_BRACKETS.fullmatch(text):
            bracketed.add(value)
        elif text.replace(".", "", 1).isdecimal():
            has_bare = True
    return frozenset(bracketed) if has_bare else frozenset()


class Declared(str):
    """A label whose meaning is known, whatever the systems are called."""


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
    if isinstance(value, Declared):
        names = NOBODY
    label = WORDS.get(word) or TYPED_TIES.get(word)
    if not typed and label in ("both_good", "both_bad"):
        label = "tie"
    side = _side(word, names)
    if not label and not side:
        label = _said(word, names)
    if side == _BOTH_SIDES:
        raise ValueError("both answers are of that system")
    if side and label and side != label:
        raise ValueError(EITHER_SIDE)
    if label or side:
        return str(label or side)
    if word in FARED:
        winner = _side_of_column(names)
        return winner if FARED[word] else _OTHER[winner]
    systems = [str(name) for name in names[:2] if name not in (None, "")]
    if systems:
        raise ValueError(f"it is no label, and neither {' nor '.join(systems)}")
    raise ValueError("it is no label")


def label_of(value: object, names: SideNames = NOBODY) -> str | None:
    """Return the label that a value means, see :func:`spelled`; None: it means none."""
    try:
        return spelled(value, names)
    except ValueError:
        return None


def _side_of_column(names: SideNames) -> str:
    """Return the side of the system whose win or loss a column says."""
    system = names[2]
    if system in (None, ""):
        raise ValueError("it does not say whose; name the system in a column 'system'")
    word = plain(system)
    side = _side(word, names) or {"a": "1", "b": "2"}.get(word)
    if side not in _OTHER:
        raise ValueError(f"{system!r} in column 'system' is neither of the two systems")
    return side


def _said(word: str, names: SideNames) -> str | None:
    """Return the side that a phrase says won; None if it is no such phrase."""
    for won, phrase in _SAID:
        phrase_match = phrase.fullmatch(word)
        if not phrase_match:
            continue
        side = _side(phrase_match["side"], names) or WORDS.get(phrase_match["side"])
        if side == _BOTH_SIDES:
            raise ValueError("both answers are of that system")
        if side not in _OTHER:
            continue
        against = phrase_match.groupdict().get("other")
        if against is None:
            other = _OTHER[side]
        else:
            other = _side(against, names) or WORDS.get(against) or _OTHER[side]
        if other == _OTHER[side]:
            return side if won else _OTHER[side]
    return None


#: What a name is that both systems have.
_BOTH_SIDES = "both sides"


def _side(word: str, names: SideNames) -> str | None:
    """Return the side whose system a word names; None if it names neither."""
    system_a, system_b, _ = names
    is_a = system_a not in (None, "") and plain(system_a) == word
    is_b = system_b not in (None, "") and plain(system_b) == word
    if is_a and is_b:
        return _BOTH_SIDES
    if is_a:
        return "1"
    return "2" if is_b else None


def names_are_words(names: object) -> bool:
    """Whether a system is called like a side, so that both must be told apart."""
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

#: Letter of each answer -> its label.
LETTERS = {"A": "1", "B": "2"}


def is_missing(value: object) -> bool:
    """Whether a cell says that it has no value; ``none`` may be an answer.

    NFKC alone would keep a spelling such as ``N/A`` in full-width letters apart.
    """
    return value is None or visible(value).casefold() in _MISSING
