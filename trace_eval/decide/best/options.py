"""Options of ``best``; the command reads it, so that its help imports no judge."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, get_args

from blueprints import UserError
from trace_eval.data.settings import option_field
from trace_eval.runs.options import Options

if TYPE_CHECKING:
    from trace_eval.runs.events import Listener

#: What decides where nothing else is named.
DEFAULT_BY = "overall"

#: Which candidates are compared: all, those of a knockout, or by their number.
Scheme = Literal["auto", "all", "knockout"]
SCHEMES: tuple[str, ...] = get_args(Scheme)

_HIDDEN: Any = {"shown": False}


@dataclass(frozen=True)
class BestOptions:
    """Options of the search for the best.

    Attributes:
        options: options of the judge, the extraction and the policy.
        by: what decides: overall or a dimension of the judge's verdicts; or a number of
            the blueprint, e.g. quality.p808 or loudness:lower, and then no judge is
            asked.
        scheme: which candidates a judge of pairs compares: all, knockout, or auto (all
            up to 8).
        rubric: let the judge score each candidate by this rubric instead of comparing
            two; None: only judges that cannot compare do so.
        checks: another judge or number that measures the gain; may be repeated.
        seed: seed of the brackets, the drawn opponents and the intervals.
        listener: gets an event of every clip and pair that is judged.

    Raises:
        UserError: the scheme is unknown, or a judge would vouch for its own pick.
    """

    options: Options = field(default_factory=Options, metadata=_HIDDEN)
    by: str = DEFAULT_BY
    scheme: str = "auto"
    rubric: str | None = None
    checks: tuple[str, ...] = option_field((), flag="--check")
    seed: int = option_field(0, shown=False)
    listener: Listener | None = field(default=None, metadata=_HIDDEN)

    def __post_init__(self) -> None:
        if self.scheme not in SCHEMES:
            schemes = ", ".join(SCHEMES)
            raise UserError(f"scheme {self.scheme!r} is unknown; use one of {schemes}")
