"""``agree``: everything that stored judgements and labels can say about each other."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from blueprints import UserError
from fusion import DEFAULT_POLICY, POLICIES, Policy
from trace_eval.data.labels import LABEL_COLUMNS, MISSING, TEXT_FACTS, Codes, LabelTable
from trace_eval.runs.fuse import load_policy
from trace_eval.stats.agreement.align import Aligned, Items, Missing, align, items_of
from trace_eval.stats.agreement.alpha import alpha
from trace_eval.stats.agreement.bias.effects import (
    difficulty_rows,
    length_rows,
    noise_rows,
    people_noise,
    position_rows,
    self_rows,
    verbosity_rows,
)
from trace_eval.stats.agreement.bias.self_comparison import self_mask
from trace_eval.stats.agreement.checks import (
    DataWarning,
    copied_ties,
    label_sets,
    other_column,
    repeated,
    self_compared,
    swapped,
    two_opinions,
)
from trace_eval.stats.agreement.compare import Comparison, compare_all
from trace_eval.stats.agreement.copies import units
from trace_eval.stats.agreement.counts import is_untyped
from trace_eval.stats.agreement.forced import forced
from trace_eval.stats.agreement.groups import Masks, by_level, categories
from trace_eval.stats.agreement.judges import (
    JudgeData,
    prepare_judges,
    with_preference,
)
from trace_eval.stats.agreement.levels import level_rows
from trace_eval.stats.agreement.mirrored import exchanged_sides, mirrored_truth
from trace_eval.stats.agreement.policies.learn import Learned, learn
from trace_eval.stats.agreement.policies.mechanism import Mechanism, mechanisms
from trace_eval.stats.agreement.policies.policy import fuse_codes, has_dimensions
from trace_eval.stats.agreement.reliability import pairwise_rows, reliability_rows
from trace_eval.stats.agreement.report import (
    ALL_POLICIES,
    INSTRUCTIONS,
    ITEMS,
    TOGETHER,
    AgreeOptions,
    AgreeReport,
    AlphaRow,
    TruthRow,
)
from trace_eval.stats.agreement.score import score_judge
from trace_eval.stats.agreement.scores_given import score_error
from trace_eval.stats.agreement.source import JudgedSource

__all__ = ["ALL_POLICIES", "AgreeOptions", "AgreeReport", "agree", "align_judge"]


def agree(
    sources: Sequence[JudgedSource],
    labels: LabelTable | None = None,
    options: AgreeOptions | None = None,
) -> AgreeReport:
    """Compare judges with people.

    Args:
        sources: runs or files of judgements; several judges are compared with each other.
        labels: what people said; null: the labels inside the first run that has some.
        options: default: :class:`AgreeOptions`.

    Raises:
        UserError: there are no labels, ids do not match, or labels are missing and the
            policy for that is ``error``.
    """
    options = options or AgreeOptions()
    if labels is None:
        labels = next((source.labels for source in sources if source.labels), None)
    if labels is None:
        raise UserError("there are no labels to agree with; pass --labels FILE")
    items = items_of(labels)
    _refuse_silent(items, options.missing)
    fused_with, shown = _policies(options.policy)
    judges = prepare_judges(sources, items, fused_with, options.missing)
    if not judges:
        raise UserError("there is nothing to compare with the labels; name a run or a file")
    columns = [align_judge(judge, items) for judge in judges]
    facts = _facts_of_all(judges, items)
    cluster = _clusters(facts, options)
    notes: list[str] = _unknown_numbers(judges, options)
    groups = categories(items)
    people = items.codes if len(labels.raters()) > 1 else ()
    return AgreeReport(
        labels=labels.source,
        items=len(items.ids),
        raters=len(labels.raters()),
        options=options,
        warnings=(
            *(warning for source in sources for warning in source.warnings),
            *_warnings(items, judges, columns),
        ),
        truth=tuple(
            TruthRow(name, int((codes != MISSING).sum()), items.split[name], items.silent[name])
            for name, codes in items.codes.items()
        ),
        scores=tuple(
            score
            for judge, aligned in zip(judges, columns, strict=True)
            for score in score_judge(
                aligned,
                judge.facts,
                judge.codes.get("content"),
                cluster,
                options.bootstrap,
                options.baselines,
                together=options.cluster,
            )
        ),
        score_errors=tuple(
            error for judge in judges if (error := score_error(judge, items)) is not None
        ),
        comparisons=tuple(
            compare_all(columns, cluster, options.bootstrap, options.against, options.cluster)
        ),
        alphas=tuple(_alphas(items, judges)),
        mechanisms=tuple(_mechanisms(items, judges, shown)),
        policy_comparisons=tuple(_policy_comparisons(items, judges, shown, cluster, options)),
        position=tuple(row for judge in judges for row in position_rows(judge)),
        length=tuple(row for judge in judges for row in length_rows(judge, items)),
        verbosity=tuple(row for judge in judges for row in verbosity_rows(judge, items)),
        difficulty=tuple(row for judge in judges for row in difficulty_rows(judge, items)),
        self_comparisons=tuple(row for judge in judges for row in self_rows(judge)),
        noise=(*people_noise(labels), *(row for judge in judges for row in noise_rows(judge))),
        learned=tuple(_learned(items, judges, facts, options)) if options.learn else (),
        notes=tuple(notes),
        drawn=_drawn(cluster, options),
        policies={judge.name: judge.policy for judge in judges if judge.policy is not None},
        levels=tuple(row for name in people for row in level_rows(items, name, groups)),
        pairwise=tuple(row for name in people for row in pairwise_rows(items, name, groups)),
        reliability=tuple(row for name in people for row in reliability_rows(items, name)),
        forced=tuple(
            row
            for aligned in columns
            for column in aligned
            if column.dimension in ("overall", "preference")
            for row in forced(
                column.judge,
                column.dimension,
                column.truth,
                column.predicted,
                {**groups, **_levels(items, column.dimension)},
            )
        ),
    )


def _unknown_numbers(judges: Sequence[JudgeData], options: AgreeOptions) -> list[str]:
    """Baselines that no run and no file has the numbers for."""
    return [
        f"baseline {rule.name} left out: nothing has {rule.facts[0]} and {rule.facts[1]}"
        for rule in options.baselines
        if not any(set(rule.facts) <= judge.facts.keys() for judge in judges)
    ]


def _levels(items: Items, dimension: str) -> Masks:
    """Subsets by how far people agree on a dimension; a preference may be made of overall."""
    column = dimension if dimension in items.codes else "overall"
    return by_level(items, column)


def align_judge(judge: JudgeData, items: Items) -> list[Aligned]:
    """Truth and prediction on every dimension that both have.

    ``preference`` is a dimension of its own when one side has that column; the other side's
    is then its overall label with ties collapsed.
    """
    truth, predicted = dict(items.codes), dict(judge.codes)
    if "preference" in truth or "preference" in predicted:
        truth, predicted = with_preference(truth), with_preference(predicted)
    return [
        align(judge.name, name, truth[name], predicted[name])
        for name in LABEL_COLUMNS
        if name in truth and name in predicted
    ]


def _refuse_silent(items: Items, missing: Missing) -> None:
    for name, number in items.silent.items():
        if number and missing == "error":
            row = int(np.flatnonzero(items.codes[name] == MISSING)[0])
            raise UserError(
                f"{items.table.source}: {number} of {len(items.ids)} items have no {name} label,"
                f" first {items.ids[row]!r}; label them, or pass --missing drop"
            )


def _policies(spec: str | None) -> tuple[Policy | None, Mapping[str, Policy]]:
    """(policy to re-fuse with, policies whose mechanism is shown)."""
    if spec == ALL_POLICIES:
        return None, POLICIES
    if spec is None:
        return None, {DEFAULT_POLICY: POLICIES[DEFAULT_POLICY]}
    policy = load_policy(spec)
    return policy, {policy.name: policy}


def _facts_of_all(judges: Sequence[JudgeData], items: Items) -> dict[str, NDArray[Any]]:
    """What is known of each labelled item; its instruction by the labels, else by any judge."""
    facts: dict[str, NDArray[Any]] = {}
    for judge in judges:
        facts = {**judge.facts, **facts}
    for told in (items.fact("instruction_id"), *(j.facts.get("instruction_id") for j in judges)):
        if told is not None and None not in told.tolist():
            facts["instruction_id"] = told
            break
    return facts


def _clusters(facts: Mapping[str, NDArray[Any]], options: AgreeOptions) -> NDArray[np.int64] | None:
    """Items that are drawn together: of one instruction, or copies; None: there are none."""
    if options.cluster and not _knows_instructions(facts):
        raise UserError(
            "--cluster draws whole instructions: give every item an instruction_id, in the"
            " labels or in the judgements"
        )
    return units(facts, instructions=options.cluster)


def _knows_instructions(facts: Mapping[str, NDArray[Any]]) -> bool:
    instruction = facts.get("instruction_id")
    return instruction is not None and None not in instruction.tolist()


def _drawn(cluster: NDArray[np.int64] | None, options: AgreeOptions) -> str:
    if options.cluster:
        return INSTRUCTIONS
    return ITEMS if cluster is None else TOGETHER


def _warnings(
    items: Items, judges: Sequence[JudgeData], columns: Sequence[Sequence[Aligned]]
) -> list[DataWarning]:
    facts: dict[str, NDArray[Any]] = {}
    for judge in judges:
        facts = {**judge.facts, **facts}
    found = repeated(items.ids, facts) + self_compared(items.ids, self_mask(facts, len(items.ids)))
    ids, truth = items.ids, items.codes
    found += two_opinions(ids, truth, "the labels")
    for name, codes in truth.items():
        found += mirrored_truth(ids, facts, codes, f"labels, {name}")
    if "overall" in truth and "preference" in truth:
        for one, other in (("overall", "preference"), ("preference", "overall")):
            found += copied_ties(ids, truth[one], truth[other], f"labels, {one}", other)
    for judge, aligned in zip(judges, columns, strict=True):
        found += two_opinions(ids, judge.codes, judge.name)
        found += other_column(ids, truth, judge.codes, judge.name)
        found += exchanged_sides(ids, _own_facts(judge), _facts_of(items), judge.name)
        for column in aligned:
            who = f"{judge.name}, {column.dimension}"
            name = column.dimension
            if name in truth and name in judge.codes:  # not a preference made from overall
                found += label_sets(ids, truth[name], judge.codes[name], who)
            found += swapped(ids, column.truth, column.predicted, who)
            found += copied_ties(ids, column.predicted, column.truth, who, "the labels")
            found += copied_ties(ids, column.truth, column.predicted, f"labels, {name}", who)
    return found


def _own_facts(judge: JudgeData) -> dict[str, NDArray[Any]]:
    """What the judge's own file says of each labelled item."""
    unknown: Any = None
    return {
        name: np.where(judge.rows >= 0, column[judge.rows], unknown)
        for name, column in judge.first.facts.items()
        if name in TEXT_FACTS
    }


def _facts_of(items: Items) -> dict[str, NDArray[Any]]:
    return {name: column for name in TEXT_FACTS if (column := items.fact(name)) is not None}


def _alphas(items: Items, judges: Sequence[JudgeData]) -> Iterator[AlphaRow]:
    """Alpha of the people where there are several, and with each judge as one more rater."""
    people = len(items.table.raters())
    number = len(items.ids)
    for name, codes in items.table.codes.items():
        if people > 1:
            yield AlphaRow("people", name, alpha(items.row, codes, number, people))
        for judge in judges:
            if name in judge.codes:
                rows = np.concatenate([items.row, np.arange(number)])
                both: Codes = np.concatenate([codes, judge.codes[name]])
                result = alpha(rows, both, number, people + 1)
                yield AlphaRow(f"people and {judge.name}", name, result)


def _mechanisms(
    items: Items, judges: Sequence[JudgeData], policies: Mapping[str, Policy]
) -> list[Mechanism]:
    truth = items.codes.get("overall")
    if truth is None or is_untyped(truth):
        return []
    found = []
    if has_dimensions(items.codes):
        found += mechanisms(policies, "people", items.codes, truth)
    for judge in judges:
        if has_dimensions(judge.codes):
            found += mechanisms(policies, judge.name, judge.codes, truth)
    return found


def _policy_comparisons(
    items: Items,
    judges: Sequence[JudgeData],
    policies: Mapping[str, Policy],
    cluster: NDArray[np.int64] | None,
    options: AgreeOptions,
) -> list[Comparison]:
    """Every two policies on the ratings of each judge, as if they were two judges."""
    truth = items.codes.get("overall")
    found: list[Comparison] = []
    if truth is None or len(policies) < 2:
        return found
    for judge in judges:
        if has_dimensions(judge.codes):
            columns = [
                [align(f"{judge.name}, {name}", "overall", truth, fuse_codes(policy, judge.codes))]
                for name, policy in policies.items()
            ]
            found += compare_all(columns, cluster, options.bootstrap, together=options.cluster)
    return found


def _learned(
    items: Items,
    judges: Sequence[JudgeData],
    facts: Mapping[str, NDArray[Any]],
    options: AgreeOptions,
) -> list[Learned]:
    truth = items.codes.get("overall")
    sides = [("people", items.codes), *((judge.name, judge.codes) for judge in judges)]
    usable = [(name, codes) for name, codes in sides if has_dimensions(codes)]
    if truth is None or is_untyped(truth) or not usable:
        raise UserError(
            "--learn-policy needs true overall labels, and content, voice_quality and"
            " paralinguistics of people or of a judge, all with typed ties"
        )
    spec = DEFAULT_POLICY if options.policy in (None, ALL_POLICIES) else options.policy
    fallback = load_policy(spec or DEFAULT_POLICY)
    groups = units(facts) if _knows_instructions(facts) else None
    return [
        learn(name, codes, truth, groups, POLICIES, fallback, options.folds)
        for name, codes in usable
    ]
