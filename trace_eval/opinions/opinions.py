"""One table of what somebody said of items: people or judges, labels and what goes with them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from trace_eval.opinions.cells import Texts, texts_of
from trace_eval.opinions.codes import Codes

#: What the systems are called where nobody says: by their places.
SIDE_NAMES = ("A", "B")


@dataclass(frozen=True)
class DataWarning:
    """What is wrong with data, before any figure.

    Attributes:
        check: its short name, stable for programs.
        text: what was found and what to do.
        rows: ids of the items concerned, in file order.
    """

    check: str
    text: str
    rows: tuple[str, ...] = ()


@dataclass(frozen=True)
class Opinions:
    """Opinions in rows and columns, and what came with them.

    Attributes:
        source: where they come from, for messages.
        ids: item of each row [shape=(n,)].
        codes: label column -> code of :mod:`trace_eval.opinions.codes` [shape=(n,)].
        rater: who said it [shape=(n,)]; None: one rater throughout.
        repeat: which repetition [shape=(n,)]; None: none.
        facts: columns that describe the items: texts (object), numbers (float, NaN where
            unknown).
        labels: of judgements: the human labels that came with them; None: none.
        calls: of judgements: the single calls behind them, with the fact ``order`` (``ab``,
            ``ba``) and ``repeat``, already in the pair's own A and B; None: unknown.
        policy: that fused ``overall``; None: unknown.
        warnings: what stands in the way of using them at all.
    """

    source: str
    ids: Texts
    codes: Mapping[str, Codes]
    rater: Texts | None = None
    repeat: Texts | None = None
    facts: Mapping[str, NDArray[Any]] = field(default_factory=dict)
    labels: Opinions | None = None
    calls: Opinions | None = None
    policy: str | None = None
    warnings: tuple[DataWarning, ...] = ()

    def __len__(self) -> int:
        return len(self.ids)

    def take(self, rows: NDArray[Any]) -> Opinions:
        """The rows of a mask or an index array, in that order, with all that came with them."""
        return replace(
            self,
            ids=self.ids[rows],
            codes={name: column[rows] for name, column in self.codes.items()},
            rater=None if self.rater is None else self.rater[rows],
            repeat=None if self.repeat is None else self.repeat[rows],
            facts={name: column[rows] for name, column in self.facts.items()},
        )

    def beside(
        self,
        labels: Opinions | None = None,
        calls: Opinions | None = None,
        policy: str | None = None,
        warnings: tuple[DataWarning, ...] = (),
    ) -> Opinions:
        """A copy with what comes with it, in place of what did."""
        return replace(self, labels=labels, calls=calls, policy=policy, warnings=warnings)

    def with_codes(self, **columns: Codes) -> Opinions:
        """A copy with these label columns added or replaced."""
        return replace(self, codes={**self.codes, **columns})

    def raters(self) -> dict[str, Opinions]:
        """Who -> their rows and calls; without a column of raters the file's name is the one."""
        if self.rater is None:
            return {Path(self.source).stem: self}
        calls = {} if self.calls is None else self.calls.raters()
        return {
            name: replace(self.take(self.rater == name), calls=calls.get(name))
            for name in dict.fromkeys(self.rater.tolist())
        }

    def with_sides(self, names: tuple[str, str] = SIDE_NAMES) -> Opinions | None:
        """With systems called by their places, where no row names any; None: some do.

        Args:
            names: of the systems of A and B.
        """
        for side in "ab":
            known = self.facts.get(f"system_{side}")
            if known is not None and any(known.tolist()):
                return None
        facts = {
            f"system_{side}": texts_of([name] * len(self))
            for side, name in zip("ab", names, strict=True)
        }
        labels, calls = (t and (t.with_sides(names) or t) for t in (self.labels, self.calls))
        return replace(self, facts={**self.facts, **facts}, labels=labels, calls=calls)
