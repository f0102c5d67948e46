"""Policies: pure functions (content, voice quality, paralinguistics) -> overall rating.

Every built-in policy is symmetric: when A and B change places in its inputs, they
change places in its output. None of them looks at anything but the three ratings.
A user's own is a 64-row table in CSV or JSON, or an entry point.

Source: TRACE (Textual Reasoning over Audio Cues for Evaluation), Algorithms 1 to 3.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from importlib.metadata import entry_points
from itertools import product
from pathlib import Path

from fusion.ratings import DIMENSIONS, RATINGS, Rating, rating_min

#: All 64 inputs (content, voice quality, paralinguistics) in the declared order.
CELLS: tuple[tuple[Rating, Rating, Rating], ...] = tuple(
    product(RATINGS, RATINGS, RATINGS)
)

#: The policy used when none is named.
DEFAULT_POLICY = "content_first"


@dataclass(frozen=True)
class Decision:
    """An overall rating and the sentence that explains it."""

    rating: Rating
    why: str


DecisionRule = Callable[[Rating, Rating, Rating], Decision]


@dataclass(frozen=True)
class Policy:
    """A named rule: call it for a rating, or :meth:`decide` for one with its reason."""

    name: str
    summary: str
    rule: DecisionRule

    def __call__(
        self, content: Rating, voice_quality: Rating, paralinguistics: Rating
    ) -> Rating:
        """Return the overall rating."""
        return self.decide(content, voice_quality, paralinguistics).rating

    def decide(
        self, content: Rating, voice_quality: Rating, paralinguistics: Rating
    ) -> Decision:
        """Return the overall rating with its explanation."""
        return self.rule(content, voice_quality, paralinguistics)

    def possible(self, *ratings: Rating | None) -> tuple[Rating, ...]:
        """Return the overall ratings that are possible where some dimensions are None.

        They come in the declared order. A single one means that the policy decides
        alike whatever the missing ratings are; only then is the overall rating known.
        """
        choices: list[Sequence[Rating]] = []
        for rating in ratings:
            choices.append(RATINGS if rating is None else (rating,))
        outcomes = {self(*cell) for cell in product(*choices)}
        return tuple(rating for rating in RATINGS if rating in outcomes)

    def table(self) -> dict[tuple[Rating, Rating, Rating], Rating]:
        """Return the whole policy as a table from its 64 inputs to overall ratings."""
        return {cell: self(*cell) for cell in CELLS}


#: What tied before a dimension could decide, by the dimension.
_TIED_BEFORE = {
    "content": "",
    "paralinguistics": "content ties, ",
    "voice quality": "content and paralinguistics tie, ",
}


def _first_winner(c: Rating, vq: Rating, p: Rating) -> tuple[str, Rating] | None:
    """Return the first of content, paralinguistics and voice quality with a winner."""
    for name, rating in (("content", c), ("paralinguistics", p), ("voice quality", vq)):
        if rating.is_winner:
            return name, rating
    return None


def content_first(c: Rating, vq: Rating, p: Rating) -> Decision:
    """Let content decide, else paralinguistics, else voice quality (Algorithm 1)."""
    winner = _first_winner(c, vq, p)
    if winner is None:
        return Decision(c, "tie")
    name, rating = winner
    return Decision(rating, f"{_TIED_BEFORE[name]}{name} prefers {rating}")


def content_first_strict(c: Rating, vq: Rating, p: Rating) -> Decision:
    """Apply Algorithm 1, but call both bad what is so in content and paralinguistics.

    The gate is in the TRACE authors' released code and not in the printed algorithm.
    """
    if c is p is Rating.BOTH_BAD:
        return Decision(c, "content and paralinguistics are both_bad")
    return content_first(c, vq, p)


def acceptability_cap(c: Rating, vq: Rating, p: Rating) -> Decision:
    """Let no answer win that fails in content or paralinguistics (Algorithm 2)."""
    cap = rating_min(c, p)
    winner = _first_winner(c, vq, p)
    if winner is None:
        return Decision(rating_min(c, cap), f"tie under the cap {cap}")
    name, rating = winner
    capped = rating_min(rating, cap)
    verb = "stands" if capped is rating else f"is cut to {capped}"
    return Decision(
        capped, f"{name} prefers {rating}, which {verb} under the cap {cap}"
    )


def acceptability_cap_lenient(c: Rating, vq: Rating, p: Rating) -> Decision:
    """Apply Algorithm 2, but a winner stands unless a decisive part is both bad.

    The decisive parts are content and paralinguistics.
    """
    winner = _first_winner(c, vq, p)
    if winner is None or Rating.BOTH_BAD in (c, p):
        return acceptability_cap(c, vq, p)
    name, rating = winner
    return Decision(rating, f"{name} prefers {rating}, neither C nor P is both_bad")


def majority_vote(c: Rating, vq: Rating, p: Rating) -> Decision:
    """Let two equal ratings win; three different ones go by answer.

    Tie rule: an answer is acceptable overall when two of the three dimensions find it
    acceptable. The same rule also reproduces every plain majority, so it is the whole
    policy; no dimension and no position is preferred.
    """
    ratings = (c, vq, p)
    accept_a = sum(rating.acceptability[0] for rating in ratings)
    accept_b = sum(rating.acceptability[1] for rating in ratings)
    rating = Rating.from_acceptability(accept_a >= 2, accept_b >= 2)
    if len(set(ratings)) < len(ratings):
        return Decision(rating, f"at least two dimensions say {rating}")
    return Decision(
        rating, f"three different ratings: by answer, two of three give {rating}"
    )


def summary(rule: Callable[..., object]) -> str:
    """Return the first line of a rule's docstring, which lists of policies print."""
    lines = (rule.__doc__ or "").splitlines()  # python -OO has none
    return lines[0] if lines else rule.__name__


#: Built-in policies by name.
POLICIES: dict[str, Policy] = {
    rule.__name__: Policy(rule.__name__, summary(rule), rule)
    for rule in (
        content_first,
        content_first_strict,
        acceptability_cap,
        acceptability_cap_lenient,
        majority_vote,
    )
}

#: Entry-point group through which an installed package offers policies.
ENTRY_POINT_GROUP = "trace_eval.policies"

_COLUMNS = (*DIMENSIONS, "overall")


def policy_from_rows(
    name: str, rows: Iterable[Mapping[str, object]], where: str | None = None
) -> Policy:
    """Build a policy from 64 rows ``content, voice_quality, paralinguistics, overall``.

    Raises:
        ValueError: a label is unknown, a column or an input is missing, or an input
            stands twice. The message names ``where`` and the row (from 1).
    """
    where = where or name
    table: dict[tuple[Rating, ...], Rating] = {}
    for number, row in enumerate(rows, start=1):
        missing = [column for column in _COLUMNS if row.get(column) is None]
        if missing:
            raise ValueError(
                f"{where}, row {number}: no {missing[0]!r}; columns are"
                f" {', '.join(_COLUMNS)}"
            )
        place = f"{where}, row {number}"
        *ratings, overall = [
            Rating.parse(row[column], f"{place}, {column}") for column in _COLUMNS
        ]
        cell = tuple(ratings)
        if cell in table:
            raise ValueError(f"{place}: {_show(cell)} is given twice; delete one")
        table[cell] = overall
    absent = [cell for cell in CELLS if cell not in table]
    if absent:
        raise ValueError(
            f"{where}: {len(absent)} of {len(CELLS)} inputs are missing, first"
            f" {_show(absent[0])}"
        )

    def rule(c: Rating, vq: Rating, p: Rating) -> Decision:
        return Decision(table[c, vq, p], f"table {name}: {_show((c, vq, p))}")

    return Policy(name, f"{len(CELLS)}-row table {where}", rule)


def _row(items: list[tuple[str, object]]) -> dict[str, object]:
    """Make an object of its items, whose keys must differ.

    JSON readers do not agree on which of two equal keys counts.
    """
    row = dict(items)
    if len(row) != len(items):
        raise ValueError("a row names a column twice")
    return row


def _show(cell: Iterable[Rating]) -> str:
    return "(" + ", ".join(cell) + ")"


def read_policy(path: Path) -> Policy:
    """Read a table of ``.csv`` (with a header) or ``.json`` (a list of objects).

    Raises ValueError for any other.
    """
    try:
        text = path.read_bytes().decode("utf-8-sig")
        if path.suffix == ".json":
            rows = json.loads(text, object_pairs_hook=_row)
        else:
            rows = list(csv.DictReader(io.StringIO(text, newline="")))
    except (OSError, ValueError, csv.Error) as error:
        raise ValueError(f"{path}: not a readable policy table ({error})") from error
    except RecursionError:
        raise ValueError(
            f"{path}: not a readable policy table (nested too deeply)"
        ) from None
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise ValueError(
            f"{path}: expected a list of objects with {', '.join(_COLUMNS)}"
        )
    return policy_from_rows(path.stem, rows, str(path))


def load_policy(spec: str) -> Policy:
    """Find a policy by built-in name, table file (``.csv``, ``.json``) or entry point.

    Raises:
        ValueError: nothing of that name exists, or the table is not valid.
    """
    if spec in POLICIES:
        return POLICIES[spec]
    if spec.endswith((".csv", ".json")):
        return read_policy(Path(spec))
    for entry in entry_points(group=ENTRY_POINT_GROUP, name=spec):
        try:
            policy = entry.load()
        except Exception as error:  # whatever an installed package raises on import
            raise ValueError(
                f"policy {spec}: cannot import {entry.value} ({error})"
            ) from error
        if isinstance(policy, Policy):
            return policy
        raise ValueError(f"policy {spec}: {entry.value} is not a fusion.Policy")
    near = get_close_matches(spec, POLICIES, n=1, cutoff=0.5)
    suggestion = f"did you mean {near[0]}? Else " if near else ""
    raise ValueError(
        f"policy {spec!r} is unknown; {suggestion}use one of {', '.join(POLICIES)}, a 64-row"
        f" .csv or .json table, or an entry point of group {ENTRY_POINT_GROUP!r}"
    )
