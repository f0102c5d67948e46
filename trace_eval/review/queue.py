"""The screening queue: the pairs that annotators see, their order and sampling.

The pairs that need a person most are taken with certainty, as many as the budget has
room for; the rest of the budget is a simple random sample, without replacement, of all
other pairs. Any prefix of that sample is a simple random sample too, so raters may stop
early and a larger budget may extend it. :mod:`trace_eval.review.estimate` undoes the
selection.
"""

from __future__ import annotations

import random
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

from pydantic import Field

from blueprints import Strict, UserError, counted
from fusion import DIMENSIONS, entropy
from trace_eval.data import strict_json
from trace_eval.data.judgement import UNSURE_BITS, Judgement, Overall
from trace_eval.data.rubrics.single import ScoreRubric
from trace_eval.review.forms import RUBRIC
from trace_eval.review.material import Material
from trace_eval.review.options import QueueOptions
from trace_eval.review.store import Store

#: Threshold in a verdict's evidence -> (the value of an answer that it cuts, how close
#: is near, in the value's unit). The distances are about the noise of the measurement.
NEAR: Mapping[str, tuple[str, float]] = {
    "min_ovrl": ("ovrl", 0.2),
    "min_p808": ("p808", 0.2),
    "max_clipping": ("clipping_ratio", 0.005),
    "min_bandwidth_hz": ("bandwidth_hz", 250.0),
    "min_level_dbfs": ("rms_dbfs", 3.0),
    "min_literal_share": ("literal_share", 0.1),
    "off_topic_overlap": ("overlap", 0.05),
}

#: A delivery check whose strength (in units of its own uncertainty) is below this is
#: near.
NEAR_STRENGTH = 0.5


class Need(StrEnum):
    """Reasons for a review, the most urgent first."""

    UNSCORED = "unscored"  # there is no rating at all
    LOW_CONFIDENCE = "low_confidence"  # the votes are spread
    # the judge changed its mind with the order of A and B
    INCONSISTENT = "inconsistent"
    # a measured value is close to the cut that decided
    NEAR_THRESHOLD = "near_threshold"


@dataclass(frozen=True)
class Needed:
    """The need of one pair."""

    #: In the order of Need; empty: nothing speaks against the judgement.
    reasons: tuple[Need, ...]
    #: The highest entropy of its distributions, 0 to 2; 0 where there are none.
    bits: float

    @property
    def order(self) -> tuple[int, float]:
        """Return a sort key: urgent first, then falling entropy, then most reasons."""
        rank = len(Need)
        if self.reasons:
            rank = list(Need).index(self.reasons[0])
        return rank, -self.bits - 0.001 * len(self.reasons)


def need_of(judgement: Judgement | None, overall: Overall | None) -> Needed:
    """Say why a person should look at this pair."""
    if judgement is None or judgement.status != "scored":
        return Needed(reasons=(Need.UNSCORED,), bits=0.0)
    verdicts = list(filter(None, map(judgement.dimensions.get, DIMENSIONS)))
    bits = 0.0
    for verdict in verdicts:
        if verdict.distribution:
            bits = max(bits, entropy(verdict.distribution))
    if overall is not None and overall.entropy_bits is not None:
        bits = max(bits, overall.entropy_bits)
    speaks_against = {
        Need.LOW_CONFIDENCE: bits >= UNSURE_BITS,
        Need.INCONSISTENT: any(verdict.consistent is False for verdict in verdicts),
        Need.NEAR_THRESHOLD: any(_near(verdict.evidence) for verdict in verdicts),
    }
    reasons = tuple(need for need, speaks in speaks_against.items() if speaks)
    return Needed(reasons=reasons, bits=bits)


def _near(evidence: Mapping[str, Any]) -> bool:
    """Tell whether a measurement lies near its cut, or a finding is weak."""
    thresholds = evidence.get("thresholds")
    if not isinstance(thresholds, Mapping):
        return False
    for name, (measure, close) in NEAR.items():
        for cut in _numbers(thresholds, name):
            values = _of_sides(evidence, measure)
            if any(abs(value - cut) <= close for value in values):
                return True
    findings = evidence.get("findings")
    if not isinstance(findings, list):
        return False
    for finding in findings:
        strengths = _of_sides(finding, "strength")
        if any(0 < abs(strength) <= NEAR_STRENGTH for strength in strengths):
            return True
    return False


def _of_sides(record: Any, name: str) -> list[float]:
    """Return the numbers of this name that are known of A and B."""
    if not isinstance(record, Mapping):
        return []
    return _numbers(record.get("a"), name) + _numbers(record.get("b"), name)


def _numbers(record: Any, name: str) -> list[float]:
    """Return the number of this name; none where the record has no such number."""
    if not isinstance(record, Mapping):
        return []
    value = record.get(name)
    if isinstance(value, bool) or not isinstance(value, int | float):
        return []
    return [value]


class ReviewPlan(Strict):
    """The queue as stored, fixed when a review starts, to keep the estimate honest."""

    population: list[str] = Field(description="ids of all pairs that could be reviewed")
    needed: list[str] = Field(
        description="pairs taken with certainty, most urgent first"
    )
    others: list[str] = Field(description="all other pairs in random order")
    drawn: int = Field(0, ge=0, description="how many of them are in the queue")
    reasons: dict[str, list[Need]] = Field({}, description="needed pair -> why")
    repeats: list[str] = Field(
        [], description="pairs shown a second time, in that order"
    )
    repeat: int = 0
    random_share: float = 0
    overall_first: bool = False
    confidence: bool = False
    traps: list[str] = Field(
        [],
        exclude_if=lambda value: not value,
        description="items with a known right answer, which are no part of the population",
    )
    training: list[str] = Field(
        [],
        exclude_if=lambda value: not value,
        description="items that come first and never count",
    )
    seed: int

    @property
    def items(self) -> list[str]:
        """The distinct pairs of the queue in order, the random sample last."""
        return list(self.needed) + list(self.others[: self.drawn])

    @property
    def apart(self) -> list[str]:
        """The items shown beside the queue: traps, and those of the training."""
        return list(self.traps) + list(self.training)

    def inclusion(self, reviewed: Collection[str]) -> dict[str, float | None]:
        """Return the probability, in (0, 1], with which each reviewed pair was chosen.

        Needed pairs are taken with certainty; None while some are open, because those
        that are done were not drawn, and while of the others none is done, because
        needed pairs alone stand for nothing else. Of the others any prefix is a simple
        random sample.
        """
        seen = set(reviewed)
        drawn = sum(item in seen for item in self.others)
        complete = all(item in seen for item in self.needed) and (
            drawn > 0 or not self.others
        )
        results: dict[str, float | None] = dict.fromkeys(
            (item for item in self.needed if item in seen), 1.0 if complete else None
        )
        return results | dict.fromkeys(
            (item for item in self.others if item in seen),
            drawn / max(len(self.others), 1),
        )

    def tasks(self) -> list[tuple[str, int]]:
        """List (item, repetition) in their given order.

        The training comes first, and the traps are spread evenly.
        """
        items = self.items
        for number, trap in enumerate(self.traps, start=1):
            rated_before = round(number * len(self.items) / (len(self.traps) + 1))
            traps_before = number - 1
            items.insert(rated_before + traps_before, trap)
        first_views = [(item, 0) for item in self.training + items]
        return first_views + [(item, 1) for item in self.repeats]

    def extended(self, budget: int) -> ReviewPlan:
        """Extend the plan along the random order; UserError for a smaller budget."""
        budget = min(budget, len(self.population))
        if budget < len(self.items):
            raise UserError(
                f"--budget {budget}: this review was planned for"
                f" {counted(len(self.items), 'pair')}; raters may stop at any time, or"
                " start another review with --db"
            )
        return self.model_copy(update={"drawn": budget - len(self.needed)})


def make_plan(material: Material, options: QueueOptions) -> ReviewPlan:
    """Choose the items; without a judge none needs a person more than another."""
    traps = _traps(material)
    training = _training(material)
    apart = set(traps + training)
    ids = [item.id for item in material.items if item.id not in apart]
    listening, protocol = material.listening, material.protocol
    budget = options.budget if options.budget is not None else listening.items
    repeat = options.repeat or listening.repeat
    if not ids:
        raise UserError(
            f"{material.source}: all of its items are traps or training; add some to"
            " rate"
        )
    asked = min(len(ids), budget or len(ids))
    if options.repeat == 0 and repeat > asked:
        raise UserError(
            f"protocol {protocol.name}: repeat = {repeat}, but only"
            f" {counted(asked, 'item is', 'items are')} rated; repeat fewer"
        )
    if isinstance(protocol, ScoreRubric):
        rng = random.Random(f"queue:{options.seed}")
        if protocol.listening is not None and budget is not None and budget < len(ids):
            ids = rng.sample(ids, len(ids))
        needed = ids[:budget]
        others = ids[len(needed) :]
        return ReviewPlan(
            population=ids,
            needed=needed,
            others=others,
            repeats=rng.sample(needed, min(repeat, len(needed))),
            repeat=repeat,
            traps=traps,
            training=training,
            seed=options.seed,
        )
    needs: dict[str, Needed] = {}
    for pair in material.pairs:
        if pair.id in apart:
            continue
        needs[pair.id] = Needed(reasons=(), bits=0.0)
        if material.judged:
            judgement = material.judgements.get(pair.id)
            needs[pair.id] = need_of(judgement, material.overall.get(pair.id))
    plan = plan_from_needs(needs, replace(options, budget=budget, repeat=repeat))
    return plan.model_copy(update={"traps": traps, "training": training})


def _training(material: Material) -> list[str]:
    """Return the items of the training; raises UserError for one that is not there."""
    ids = {item.id for item in material.items}
    training = list(material.listening.training)
    if unknown := [name for name in training if name not in ids]:
        kind = "question" if material.pages else "item"
        raise UserError(
            f"protocol {material.protocol.name}: training {unknown[0]!r} is no {kind} of"
            f" {material.source}; correct it, or leave it out"
        )
    return training


def _traps(material: Material) -> list[str]:
    """Return the ids of the items that are traps; on pages, single answers are.

    Raises UserError for a trap that is no item, or no system, of the material.
    """
    ids = {item.id for item in material.items}
    systems: set[str | None] = {item.system for item in material.singles}
    if material.pages:
        ids = set()
    for page in material.pages:
        ids.update(page.members)
        systems.update(answer.system for answer in page.members.values())
    items: list[str] = []
    for trap in material.listening.traps:
        if trap.item is not None:
            kind = "item"
            is_known = trap.item in ids
            items.append(trap.item)
        else:
            kind = "system"
            is_known = not systems.isdisjoint(trap.system)
        if not is_known:
            raise UserError(
                f"protocol {material.protocol.name}: trap {trap.name!r} is no {kind} of"
                f" {material.source}; correct it, or leave the trap out"
            )
    return [] if material.pages else items


def plan_from_needs(needs: Mapping[str, Needed], options: QueueOptions) -> ReviewPlan:
    """Plan a review of pairs with these needs, see :func:`make_plan`."""
    ids = list(needs)
    rng = random.Random(f"queue:{options.seed}")
    shuffled = rng.sample(ids, len(ids))
    doubtful = [item for item in shuffled if needs[item].reasons]
    doubtful.sort(key=lambda item: needs[item].order)
    budget = len(ids) if options.budget is None else min(options.budget, len(ids))
    certain = len(doubtful)
    if budget < len(ids) or options.random_share == 1:
        # The random slice gets its share, and at least one pair.
        least_drawn = max(1, round(budget * options.random_share))
        certain = min(certain, budget - least_drawn)
    needed = doubtful[:certain]
    taken = set(needed)
    others = [item for item in shuffled if item not in taken]
    drawn = budget - len(needed)
    queue = needed + others[:drawn]
    return ReviewPlan(
        population=ids,
        needed=needed,
        others=others,
        drawn=drawn,
        reasons={item: list(needs[item].reasons) for item in needed},
        repeats=rng.sample(queue, min(options.repeat, budget)),
        repeat=options.repeat,
        random_share=options.random_share,
        overall_first=options.overall_first,
        confidence=options.confidence,
        seed=options.seed,
    )


def check_same_items(plan: ReviewPlan, material: Material) -> None:
    """Raise UserError where an item of the review is gone, or there are new ones."""
    was = set(plan.population) | set(plan.apart)
    now = {item.id for item in material.items}
    strays = sorted(was ^ now)
    if strays:
        kind = "pair" if material.pairs else "item"
        how = "gone" if strays[0] in was else "new"
        raise UserError(
            f"{material.source}: {kind} {strays[0]!r} is {how} since this review began"
            f" ({len(strays)} differ); start another one with --db"
        )


def stored_plan(
    store: Store, material: Material, provided: Mapping[str, Any]
) -> ReviewPlan:
    """Return the database's plan: made if missing, extended by a larger budget.

    Raises UserError for an option that is not that of the review, or a protocol that
    has changed.
    """
    name = "plan" if store.rubric == RUBRIC else f"plan {store.rubric}"
    _check_same_question(store, material)
    if (stored := store.meta(name)) is None:
        made = make_plan(material, QueueOptions(**provided)).model_dump_json()
        return strict_json.own(ReviewPlan, store.set_first(name, made), store.path)
    plan = strict_json.own(ReviewPlan, stored, store.path)
    check_same_items(plan, material)
    if plan.training != list(material.listening.training):
        raise UserError(
            f"{store.path}: this review began with training"
            f" {', '.join(plan.training) or 'on no item'}; restore that, or start"
            " another review with --db"
        )
    for option in ("random_share", "overall_first", "confidence", "seed", "repeat"):
        if provided.get(option, getattr(plan, option)) != getattr(plan, option):
            raise UserError(
                f"{store.path}: this review has --{option.replace('_', '-')}"
                f" {getattr(plan, option)}, not {provided[option]}; start another one"
                " with --db"
            )
    if provided.get("budget") is not None:
        plan = plan.extended(provided["budget"])
        store.set_meta(name, plan.model_dump_json())
    return plan


def _check_same_question(store: Store, material: Material) -> None:
    """Raise UserError where raters were asked something else before."""
    if store.rubric == RUBRIC:
        return  # its words alone may change
    now = material.protocol.sha256
    if store.set_first(f"protocol {store.rubric}", now) != now:
        raise UserError(
            f"{store.path}: this review began with another version of protocol"
            f" {material.protocol.name}; restore that file, or start another review"
            " with --db"
        )
