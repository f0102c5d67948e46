"""The judgement: a rating per dimension with its reasons, or the reason without one."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Literal

from pydantic import Field, model_validator

from blueprints import FiniteJson, Strict
from fusion import (
    LABEL_SETS,
    SUM_TOLERANCE,
    TRACE,
    Dimension,
    LabelSet,
    Pooling,
    Rating,
)
from trace_eval.data.answers import is_none
from trace_eval.data.outcome import Opinion, Order, Outcome, Reason

#: Version of the judgement's JSON; a change that an old reader would misread raises it.
SCHEMA_VERSION = "1"

#: Entropy from which votes count as spread, bits. A split of 68 to 32 has 0.9; two
#: votes to one have 0.918, so any dissent among three samples counts.
UNSURE_BITS = 0.9

#: One verdict: a typed tie, an untyped one, or (of a match) true or false.
Label = Rating | Literal["tie", "true", "false"]

#: What a verdict is about: a dimension, or the pair as a whole where the task asks for
#: that.
About = Dimension | Literal["overall", "match"]


def check_shares(
    shares: Mapping[Label, float] | Mapping[str, float], where: str
) -> None:
    """Raise ``ValueError`` unless these are probabilities that sum to 1."""
    for label, share in shares.items():
        if not 0 <= share <= 1:
            raise ValueError(
                f"{where}.distribution: {label!r} has {share:g}; shares are 0 to 1"
            )
    total = math.fsum(shares.values())
    if abs(total - 1) > SUM_TOLERANCE:
        raise ValueError(f"{where}.distribution: sums to {total:.6g}, not to 1")


class CheckedClaim(Strict):
    """A number, comparison, quotation or verdict of a reason, and if it holds."""

    about: str = Field(description="dimension or criterion whose reason it stands in")
    kind: Literal["number", "comparison", "quotation", "verdict"]
    text: str = Field(description="the words that state it; of a verdict its label")
    holds: bool | None = Field(
        description="whether the blueprints bear it out, or the verdict follows; null: not"
        " checkable"
    )
    why: str = Field(description="what was measured, or why it is not checkable")


class VerdictOpinion(Opinion):
    """One call of a judge of pairs, already mapped back to the pair's own A and B."""

    order: Order = Field(description="which answer was shown first")
    part: str | None = Field(
        None, description="question of a rubric that asks several", exclude_if=is_none
    )
    ratings: dict[About, Label] = Field(default_factory=dict)
    score_a: float | None = Field(
        None, description="score of A, where answers are scored", exclude_if=is_none
    )
    score_b: float | None = Field(None, exclude_if=is_none)
    reasoning: dict[str, str] = Field(default_factory=dict, description="by dimension")
    claims: list[CheckedClaim] = Field(
        default_factory=list,
        description="what its reasons say of the blueprints, checked; places as it was shown",
        exclude_if=lambda value: not value,
    )


class DimensionVerdict(Strict):
    """The rating of one dimension and what decided it."""

    rating: Label
    reasoning: str
    evidence: dict[str, FiniteJson] = Field(
        default_factory=dict, description="the values that decided it"
    )
    distribution: dict[Label, float] | None = Field(
        None, description="shares of the votes, where several opinions were asked"
    )
    consistent: bool | None = Field(
        None, description="both orders agree; null: only one order was asked"
    )
    margin: float | None = Field(
        None,
        exclude_if=is_none,
        description="how far A is ahead of B (negative: behind), in units of what the judge"
        " takes for a difference; null: the judge does not measure one",
    )


class PairScores(Strict):
    """The scores of both answers behind a preference, kept beside the deciding vote."""

    task: str
    low: float | None = Field(
        None, description="end of the scale; null: any real number"
    )
    high: float | None = None
    a: list[float] = Field(
        description="one per usable opinion; of a reward model one in all"
    )
    b: list[float]
    mean_a: float
    mean_b: float
    margin: float = Field(description="mean of A minus mean of B")
    p_a: float = Field(
        ge=0,
        le=1,
        description="share of A plus half the ties; of rewards sigmoid(A - B)",
    )


class Judgement(Outcome):
    """The opinion of one judge on one pair."""

    schema_version: str = SCHEMA_VERSION
    pair: str = Field(description="id of the pair")
    label_set: LabelSet = Field(
        "typed",
        description="what its verdicts may say",
        exclude_if=lambda value: value == "typed",  # TRACE's records stay as they were
    )
    pooling: Pooling | None = Field(
        None,
        description="how votes became one label; null: not recorded, and typed ties go by mode",
        exclude_if=is_none,
    )
    dimensions: dict[About, DimensionVerdict] = Field(
        default_factory=dict,
        description=(
            "all three when scored by TRACE's rubric; those that the task asks"
            " otherwise"
        ),
    )
    pair_scores: PairScores | None = Field(
        None, description="where the answers were scored first", exclude_if=is_none
    )
    opinions: list[VerdictOpinion] = Field(
        default_factory=list, description="every call behind it"
    )

    @property
    def key(self) -> tuple[str, str]:
        """(pair, rubric): unique in a run; a run of pairs has one rubric."""
        return self.pair, ""

    def check(self) -> None:
        """Refuse values that no judge can give; stored judgements may have been edited.

        Raises:
            ValueError: scored without a verdict, a label that its label set does not
                hold, or a distribution that is none.
        """
        if self.status == "scored" and not self.dimensions:
            raise ValueError("status: 'scored' without a verdict on anything")
        offered = LABEL_SETS[self.label_set].verdicts()
        for name, verdict in self.dimensions.items():
            where = f"dimensions.{name}"
            for label in (verdict.rating, *(verdict.distribution or ())):
                if label not in offered:
                    message = f"{self.label_set} label ({', '.join(sorted(offered))})"
                    raise ValueError(f"{where}: {str(label)!r} is not a {message}")
            if verdict.distribution is not None:
                check_shares(verdict.distribution, where)

    @model_validator(mode="after")
    def _winners_only(self) -> Judgement:
        """Check that a forced choice is 1 or 2, and ties only where votes are even."""
        if self.label_set != "forced":
            return self
        stated = [each for opinion in self.opinions for each in opinion.ratings.items()]
        for about, verdict in self.dimensions.items():
            shares = verdict.distribution or {}
            stated += [(about, label) for label in shares]
            even = bool(shares) and shares.get(Rating.A) == shares.get(Rating.B)
            if not (even and verdict.rating == "tie"):
                stated.append((about, verdict.rating))
        for about, label in stated:
            if label not in ("1", "2"):
                raise ValueError(
                    f"pair {self.pair}: {about} is {label!s}, and forced labels are 1"
                    " and 2; only an even split of them is a tie"
                )
        return self

    def label(self, about: About) -> Label | None:
        """Return the label of a dimension, of the pair as a whole, or of a match."""
        verdict = self.dimensions.get(about)
        return verdict.rating if verdict else None

    def rating(self, dimension: Dimension) -> Rating | None:
        """Return a dimension's typed rating; None for a plain label such as ``1``."""
        label = self.label(dimension) if self.label_set == "typed" else None
        return label if isinstance(label, Rating) else None

    def margin(self, dimension: Dimension) -> float | None:
        """Return how far A is ahead on one dimension, if the judge measures that."""
        verdict = self.dimensions.get(dimension)
        return verdict.margin if verdict else None

    @property
    def inconsistent(self) -> tuple[About, ...]:
        """Dimensions on which the two orders contradict each other: place decided."""
        return tuple(
            n for n, result in self.dimensions.items() if result.consistent is False
        )

    @property
    def consistent(self) -> bool | None:
        """Whether both orders agree on every dimension; None if one order was asked."""
        consistent = [
            v.consistent for v in self.dimensions.values() if v.consistent is not None
        ]
        return all(consistent) if consistent else None

    @classmethod
    def unscored(cls, pair: str, judge: str, reason: Reason, detail: str) -> Judgement:
        """Make a judgement without ratings that says why it has none."""
        return cls(
            pair=pair, judge=judge, status="unscored", reason=reason, detail=detail
        )

    @classmethod
    def scored(
        cls,
        pair: str,
        judge: str,
        dimensions: Mapping[Dimension, DimensionVerdict],
        caveats: tuple[str, ...] = (),
    ) -> Judgement:
        """Make a judgement with all dimensions of TRACE."""
        missing = [name for name in TRACE.dimensions if name not in dimensions]
        if missing:
            raise ValueError(f"judgement of {pair}: no verdict on {', '.join(missing)}")
        return cls(
            pair=pair,
            judge=judge,
            status="scored",
            dimensions={**dimensions},
            caveats=list(caveats),
        )


class Overall(Strict):
    """The fused rating of one pair under one policy."""

    pair: str = Field(description="id of the pair")
    policy: str
    rating: Label | None = Field(description="null: the judgement is unscored")
    why: str = Field(description="how the policy came to it, or why there is none")
    distribution: dict[Label, float] | None = Field(
        None,
        description="overall distribution, where the dimensions have distributions",
    )
    entropy_bits: float | None = Field(
        None, ge=0, le=2, description="of that distribution"
    )

    def check(self) -> None:
        """Refuse, by a ``ValueError``, a distribution that is none."""
        if self.distribution is not None:
            check_shares(self.distribution, "overall")
