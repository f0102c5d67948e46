"""Labels against people's: everything that the two can say about each other."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from blueprints import UserError, counted
from fusion import DEFAULT_POLICY, POLICIES, Policy
from trace_eval.opinions.codes import LABEL_COLUMNS, MISSING, Codes
from trace_eval.opinions.opinions import Opinions
from trace_eval.runs.fuse import load_policy
from trace_eval.stats.agreement.align import Aligned, Items, align, items_of
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
from trace_eval.stats.agreement.compare import Comparison, compare_all
from trace_eval.stats.agreement.copies import units
from trace_eval.stats.agreement.counts import is_untyped
from trace_eval.stats.agreement.findings import label_warnings
from trace_eval.stats.agreement.forced import Forced, forced
from trace_eval.stats.agreement.groups import Masks, by_level, categories
from trace_eval.stats.agreement.judges import JudgeData, prepare_judges, with_preference
from trace_eval.stats.agreement.levels import level_rows
from trace_eval.stats.agreement.policies.learn import Learned, learn
from trace_eval.stats.agreement.policies.mechanism import Mechanism, mechanisms
from trace_eval.stats.agreement.policies.policy import fuse_codes, has_dimensions
from trace_eval.stats.agreement.reliability import pairwise_rows, reliability_rows
from trace_eval.stats.agreement.score import JudgeScore, score_judge
from trace_eval.stats.agreement.score_mse import score_error
from trace_eval.stats.few_labels import calibrations_of, shares_of
from trace_eval.stats.options import AgreeOptions, Missing
from trace_eval.stats.report import (
    ALL_POLICIES,
    INSTRUCTIONS,
    ITEMS,
    TOGETHER,
    AgreeReport,
    AlphaRow,
    TruthRow,
)


@dataclass(frozen=True)
class _Compared:
    """Judges and labels, joined.

    Attributes:
        columns: truth and prediction of each judge, by dimension.
        facts: what is known of each labelled item.
        cluster: items that are drawn together; None: there are none.
        shown: policies whose mechanism is shown.
        groups: subsets of the items by category.
    """

    labels: Opinions
    items: Items
    judges: Sequence[JudgeData]
    columns: Sequence[Sequence[Aligned]]
    facts: Mapping[str, NDArray[Any]]
    cluster: NDArray[np.int64] | None
    shown: Mapping[str, Policy]
    groups: Masks
    options: AgreeOptions


def agree_labels(
    sources: Sequence[Opinions], labels: Opinions | None, options: AgreeOptions
) -> AgreeReport:
    """See :func:`trace_eval.stats.agree_sources.agree`."""
    known = labels or next((source.labels for source in sources if source.labels), None)
    if known is None:
        raise UserError("there are no labels to agree with; pass --labels FILE")
    it = _compared(sources, known, options)
    judges, items = it.judges, it.items
    people = items.codes if len(known.raters()) > 1 else ()
    shares, design, left_out = shares_of(sources, known, items, options)
    return AgreeReport(
        labels=known.source,
        items=len(items.ids),
        raters=len(known.raters()),
        options=options,
        warnings=(
            *(warning for source in sources for warning in source.warnings),
            *label_warnings(items, judges, it.columns),
        ),
        truth=tuple(_truth(items)),
        scores=tuple(_scores(it)),
        score_errors=tuple(e for judge in judges if (e := score_error(judge, items)) is not None),
        comparisons=tuple(compare_all(it.columns, it.cluster, options.bootstrap, options.against)),
        alphas=tuple(_alphas(items, judges)),
        mechanisms=tuple(_mechanisms(items, judges, it.shown)),
        policy_comparisons=tuple(_policy_comparisons(it)),
        position=tuple(row for judge in judges for row in position_rows(judge)),
        length=tuple(row for judge in judges for row in length_rows(judge, items)),
        verbosity=tuple(row for judge in judges for row in verbosity_rows(judge, items)),
        difficulty=tuple(row for judge in judges for row in difficulty_rows(judge, items)),
        self_comparisons=tuple(row for judge in judges for row in self_rows(judge)),
        noise=(*people_noise(known), *(row for judge in judges for row in noise_rows(judge))),
        learned=tuple(_learned(it)) if options.learn else (),
        notes=(*_unknown_numbers(judges, options), *left_out),
        drawn=_drawn(it.cluster, options),
        policies={judge.name: judge.policy for judge in judges if judge.policy is not None},
        levels=tuple(row for name in people for row in level_rows(items, name, it.groups)),
        pairwise=tuple(row for name in people for row in pairwise_rows(items, name, it.groups)),
        reliability=tuple(row for name in people for row in reliability_rows(items, name)),
        forced=tuple(_forced(it)),
        shares=shares,
        design=design,
        calibrations=tuple(calibrations_of(sources, known, options)) if options.calibrated else (),
    )


def _compared(sources: Sequence[Opinions], labels: Opinions, options: AgreeOptions) -> _Compared:
    items = items_of(labels)
    _refuse_silent(items, options.missing)
    fused_with, shown = _policies(options.policy)
    judges = prepare_judges(sources, items, fused_with, options.missing)
    if not judges:
        raise UserError("there is nothing to compare with the labels; name a run or a file")
    columns = [align_judge(judge, items) for judge in judges]
    facts = _facts_of_all(judges, items)
    cluster = _clusters(facts, options)
    groups = categories(items)
    return _Compared(labels, items, judges, columns, facts, cluster, shown, groups, options)


def _truth(items: Items) -> Iterator[TruthRow]:
    for name, codes in items.codes.items():
        labelled = int((codes != MISSING).sum())
        yield TruthRow(name, labelled, int(items.split(name).sum()), items.silent[name])


def _scores(it: _Compared) -> Iterator[JudgeScore]:
    for judge, aligned in zip(it.judges, it.columns, strict=True):
        yield from score_judge(
            aligned,
            judge.facts,
            judge.codes.get("content"),
            it.cluster,
            it.options.bootstrap,
            it.options.baselines,
        )


def _forced(it: _Compared) -> Iterator[Forced]:
    for aligned in it.columns:
        for column in aligned:
            if column.dimension in ("overall", "preference"):
                yield from forced(
                    column.judge,
                    column.dimension,
                    column.agreed,
                    column.predicted,
                    {**it.groups, **_levels(it.items, column.dimension)},
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
        align(judge.name, name, items, predicted[name])
        for name in LABEL_COLUMNS
        if name in truth and name in predicted
    ]


def _refuse_silent(items: Items, missing: Missing) -> None:
    for name, number in items.silent.items():
        if number and missing == "error":
            row = int(np.flatnonzero(items.codes[name] == MISSING)[0])
            of = f"of {counted(len(items.ids), 'item')}"
            raise UserError(
                f"{items.table.source}: {counted(number, f'{of} has', f'{of} have')} no {name}"
                f" label, first {items.ids[row]!r}; label them, or pass --missing drop"
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


def _policy_comparisons(it: _Compared) -> Iterator[Comparison]:
    """Every two policies on the ratings of each judge, as if they were two judges."""
    options = it.options
    if "overall" not in it.items.codes or len(it.shown) < 2:
        return
    for judge in it.judges:
        if has_dimensions(judge.codes):
            fused = {name: fuse_codes(policy, judge.codes) for name, policy in it.shown.items()}
            columns = [
                [align(f"{judge.name}, {name}", "overall", it.items, codes)]
                for name, codes in fused.items()
            ]
            yield from compare_all(columns, it.cluster, options.bootstrap)


def _learned(it: _Compared) -> list[Learned]:
    truth, options = it.items.codes.get("overall"), it.options
    sides = [("people", it.items.codes), *((judge.name, judge.codes) for judge in it.judges)]
    usable = [(name, codes) for name, codes in sides if has_dimensions(codes)]
    if truth is None or is_untyped(truth) or not usable:
        raise UserError(
            "--learn-policy needs true overall labels, and content, voice_quality and"
            " paralinguistics of people or of a judge, all with typed ties"
        )
    spec = DEFAULT_POLICY if options.policy in (None, ALL_POLICIES) else options.policy
    fallback = load_policy(spec or DEFAULT_POLICY)
    groups = units(it.facts) if _knows_instructions(it.facts) else None
    return [
        learn(name, codes, truth, groups, POLICIES, fallback, options.folds)
        for name, codes in usable
    ]
