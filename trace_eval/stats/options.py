"""Options on verdicts and on scores; some are for labels or for scores alone.

The fields are the options of the commands, see
:func:`trace_eval.data.settings.option_field`.
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields, replace
from typing import Any, Literal, TypeVar

from blueprints import UserError
from trace_eval.data.columns import Missing, parse_sides
from trace_eval.data.settings import option_field, with_groups
from trace_eval.estimate.options import BootstrapOptions, SeedOptions

#: Words that name a maker's models; a judge and a system with the same one are one
#: family.
FAMILIES = (
    "gpt",
    "gemini",
    "gemma",
    "claude",
    "qwen",
    "llama",
    "glm",
    "kimi",
    "phi",
    "mistral",
)

#: What a source holds: a label per pair, or a score per answer.
LABELS, SCORES = "labels", "scores"

#: ``policy`` that compares every built-in policy.
ALL_POLICIES = "all"

#: Headings of the help pages.
_PANELS = {LABELS: "Of labels of pairs", SCORES: "Of scores of single answers"}


def only(kind: str, default: Any, flag: str, **how: Any) -> Any:
    """Make an options field for one kind of source, :data:`LABELS` or :data:`SCORES`.

    ``flag`` is its name on the command line; ``how`` as of
    :func:`trace_eval.data.settings.option_field`.
    """
    return option_field(default, kind=kind, flag=flag, panel=_PANELS[kind], **how)


def check(options: Any, kind: str) -> None:
    """Raise UserError for options that mean nothing for sources of ``kind``."""
    for option in fields(options):
        of = option.metadata.get("kind", kind)
        if of != kind and getattr(options, option.name) != option.default:
            raise UserError(
                f"{option.metadata['flag']} means nothing for {kind}, and the sources"
                f" hold {kind}; leave it out"
            )


#: Numbers of a draw, and what they are where none was chosen.
DRAWN = {
    option.name: option.metadata["drawn"]
    for option in fields(BootstrapOptions)
    if "drawn" in option.metadata
}

#: Options of what a call drew.
Chosen = TypeVar("Chosen", bound=SeedOptions)


def settled(options: Chosen, drawn: bool, why: str) -> Chosen:
    """Fill in the seed and the resamples that something was drawn with.

    Args:
        drawn: whether this call drew anything at random.
        why: says what would have been drawn, and why it was not.

    Raises:
        UserError: nothing was drawn, and one of them was chosen.
    """
    names = [name for name in DRAWN if hasattr(options, name)]
    for name in names:
        chosen = getattr(options, name)
        if chosen is not None and not drawn and (name, chosen) != ("resamples", 0):
            raise UserError(
                f"--{name} {chosen} means nothing here: {why}; leave it out"
            )
    if not drawn:
        return options
    defaults: dict[str, Any] = {
        name: DRAWN[name] for name in names if getattr(options, name) is None
    }
    return replace(options, **defaults)


#: What follows the colon of a baseline's spec.
DIRECTIONS = ("higher", "lower")


@dataclass(frozen=True)
class NumberRule:
    """The answer with the higher, or the lower, number is called the winner.

    Attributes:
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


def number_rule(spec: str) -> NumberRule:
    """Parse ``NUMBER:higher`` or ``NUMBER:lower``, e.g. ``wer:lower``.

    Raises UserError for anything else.
    """
    number, _, direction = spec.rpartition(":")
    if not number or direction not in DIRECTIONS:
        raise UserError(
            f"baseline {spec!r}: write NUMBER:higher or NUMBER:lower, e.g. wer:lower;"
            " only you know which of two numbers is the better one"
        )
    return NumberRule(f"{direction} {number}", number, direction == "lower")


def _names(more: list[str]) -> tuple[str, ...]:
    return FAMILIES + tuple(more)


def _rules(specs: list[str]) -> tuple[NumberRule, ...]:
    return tuple(map(number_rule, specs))


@with_groups
@dataclass(frozen=True)
class AgreeOptions:
    """Options of ``agree``.

    Attributes:
        bootstrap: level of the intervals, and seed of folds and of the order of labels.
        cluster: labels: refuse items whose instruction is unknown. Known instructions
            are drawn whole in any case.
        missing: items or labels that one side lacks: ``error`` refuses them, ``drop``
            leaves them out; coverage is reported either way.
        policy: labels: re-fuse the overall label with this policy; ``all`` compares the
            built-in ones; None: the stored label.
        learn: labels: fit policies, cross-validated by instruction.
        folds: labels: folds of that cross-validation.
        against: labels: compare the other judges with this one only; None: compare
            every two.
        baselines: labels: also beat a number, e.g. wer:lower, p808:higher,
            distillmos:higher, or a column NUMBER_a, NUMBER_b of the labels; may be
            repeated.
        calibrated: labels: also fit P(annotators prefer A) of every judge from margins,
            votes and scores, and compare it with the rules that need no fit.
        rubric: scores: name or file of the rubric, where the sources have several.
        split: scores: only items of this split, e.g. test; constants are fitted on the
            split ``train`` where there is one; None: all items.
        families: scores: words that name one maker's judges and systems, for
            self-preference; those typed come on top of the well-known ones.
        leave_out: count no label of this rater; may be repeated.
    """

    bootstrap: SeedOptions = field(default_factory=SeedOptions)
    cluster: bool = only(LABELS, False, "--cluster")
    missing: Missing = "error"
    policy: str | None = only(LABELS, None, "--policy")
    learn: bool = only(LABELS, False, "--learn-policy")
    folds: int = only(LABELS, 5, "--folds", min=2)
    against: str | None = only(LABELS, None, "--against", metavar="JUDGE")
    baselines: tuple[NumberRule, ...] = only(
        LABELS, (), "--beat", metavar="NUMBER:higher|lower", read=_rules
    )
    calibrated: bool = only(LABELS, False, "--calibrated")
    rubric: str | None = only(SCORES, None, "--rubric")
    split: str | None = only(SCORES, None, "--split")
    families: tuple[str, ...] = only(
        SCORES, FAMILIES, "--family", metavar="WORD", read=_names
    )
    leave_out: tuple[str, ...] = option_field(
        (), flag="--leave-out", metavar="RATER", read=tuple
    )

    @property
    def numbers(self) -> list[str]:
        """Return the numbers of each answer that the baselines look at."""
        return [rule.number for rule in self.baselines]


@with_groups
@dataclass(frozen=True)
class RankOptions:
    """Options of ``rank``.

    Attributes:
        bootstrap: level of the intervals, resamples and seed of the ranks.
        cluster: labels: refuse comparisons whose instruction is unknown. Known
            instructions are drawn whole in any case, and so are questions of scores.
        typed: labels: count typed ties as evidence; both_bad is evidence against both
            systems.
        prior: labels: games of every system against an average opponent, half won; 0:
            none.
        baseline: labels: also give win rates against this system.
        dimension: labels: rank by this label column, e.g. voice_quality; None: overall,
            else preference.
        policy: labels: re-fuse the overall label with this policy; None: the stored
            label.
        judge: judge whose verdicts count, where the source has several.
        systems: labels: names of the systems of A and B, where the pairs name none;
            None: ``A`` and ``B``.
        orders: labels: ``reconciled``, or ``separate``: each order of a run by itself.
        keep_inconsistent: labels: keep pairs on which a judge that answers by position
            contradicts itself.
        missing: human labels of items that were not judged: ``error`` refuses them,
            ``drop`` leaves them out.
        rubric: scores: name or file of the rubric, where the source has several.
    """

    bootstrap: BootstrapOptions = field(default_factory=BootstrapOptions)
    cluster: bool = only(LABELS, False, "--cluster")
    typed: bool = only(LABELS, False, "--typed")
    prior: float = only(LABELS, 0.0, "--prior", min=0.0)
    baseline: str | None = only(LABELS, None, "--baseline")
    dimension: str | None = only(LABELS, None, "--dimension")
    policy: str | None = only(LABELS, None, "--policy")
    judge: str | None = None
    systems: tuple[str, str] | None = only(
        LABELS, None, "--systems", metavar="A,B", read=parse_sides
    )
    orders: Literal["reconciled", "separate"] = only(LABELS, "reconciled", "--orders")
    keep_inconsistent: bool = only(LABELS, False, "--keep-inconsistent")
    missing: Missing = "error"
    rubric: str | None = only(SCORES, None, "--rubric")


@dataclass(frozen=True)
class ScreenOptions:
    """Options of ``screen``: the promise that it keeps.

    Attributes:
        agree: agreement with human labels that the decided part must reach, 0 to 1.
        confidence: probability that the decided part reaches it, 0 to 1.
        by: signs of certainty to use: confidence, entropy, consistent, margin, repeats,
            judges; may be repeated. None: all that are known; they share the error.
        cluster: items of one instruction are not independent; where instructions are
            unknown there is nothing to respect.
        as_sampled: proceed although the labelled pairs do not look like a random
            sample.
    """

    agree: float = 0.9
    confidence: float = 0.95
    by: tuple[str, ...] = ()
    cluster: bool = option_field(True, shown=False)
    as_sampled: bool = False

    def __post_init__(self) -> None:
        for name, value in (("--agree", self.agree), ("--confidence", self.confidence)):
            if not 0 < value < 1:
                raise UserError(f"{name} {value:g}: give a share between 0 and 1")


@dataclass(frozen=True)
class LabelChoice:
    """The labels of a source that are used.

    Attributes:
        judge: which judge, where the file has several.
        policy: re-fuse the judge's overall label with this policy; None: the stored
            label.
        dimension: which labels, e.g. content; None: overall, else preference.
        leave_out: count no label of this rater; may be repeated.
    """

    judge: str | None = None
    policy: str | None = None
    dimension: str | None = None
    leave_out: tuple[str, ...] = option_field(
        (), flag="--leave-out", metavar="RATER", read=tuple
    )


@dataclass(frozen=True)
class PlanOptions(SeedOptions):
    """Options of ``plan``: the interval that labels must give.

    Attributes:
        width: full width that the interval may have, in (0, 1); 0.05 shows a difference
            of 7 points between two systems.
        goal: whose interval must be narrow; None: win rates where systems are named,
            else accuracy.
        cluster: warn where no instruction is known. Pairs of a known instruction are
            not independent in any case.
    """

    width: float = 0.05
    goal: Literal["win rates", "accuracy"] | None = option_field(None, flag="--for")
    cluster: bool = False


@dataclass(frozen=True)
class FusionOptions:
    """Options of ``train fusion``.

    Attributes:
        rubric: name or file of the rubric, where there are several.
        seed: seed of the questions that are held out where there is no split.
        force: write the fusion even where it is no better than its rivals.
    """

    rubric: str | None = None
    seed: int = 0
    force: bool = False
