"""Rules that name a winner by one number, e.g. the lower word error rate."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from blueprints import UserError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from trace_eval.opinions.codes import Codes

#: What follows the colon of a baseline's spec.
DIRECTIONS = ("higher", "lower")


@dataclass(frozen=True)
class NumberRule:
    """The answer with the higher, or the lower, number is called the winner.

    Attributes:
        name: of the rule, for people.
        number: its facts are ``NUMBER_a`` and ``NUMBER_b``.
        lower: the lower one wins, as of error rates and chances of being fake.
    """

    name: str
    number: str
    lower: bool = False

    @property
    def facts(self) -> tuple[str, str]:
        """Names of the facts of A and of B."""
        return f"{self.number}_a", f"{self.number}_b"

    def codes(self, facts: Mapping[str, NDArray[Any]]) -> Codes | None:
        """Codes of 1 or 2; missing where unknown or equal; None without the facts."""
        import numpy as np  # late: options of commands hold rules

        from trace_eval.opinions.codes import MISSING

        if any(name not in facts for name in self.facts):
            return None
        a, b = (facts[name] for name in self.facts)
        codes = np.full(len(a), MISSING, np.int8)
        codes[a < b if self.lower else a > b] = 0
        codes[b < a if self.lower else b > a] = 1
        return codes


def number_rule(spec: str) -> NumberRule:
    """``NUMBER:higher`` or ``NUMBER:lower``, e.g. ``wer:lower``.

    Raises:
        UserError: there is no direction.
    """
    number, _, direction = spec.rpartition(":")
    if not number or direction not in DIRECTIONS:
        raise UserError(
            f"baseline {spec!r}: write NUMBER:higher or NUMBER:lower, e.g. wer:lower; only you"
            " know which of two numbers is the better one"
        )
    return NumberRule(f"{direction} {number}", number, direction == "lower")
