"""Labels of judges beside human labels: all that the two say about each other."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np

from blueprints import UserError, counted
from fusion import DEFAULT_POLICY, POLICIES, Policy
from trace_eval.data.measures.numbers import NUMBERS, TEXT_ERRORS
from trace_eval.data.policies import load_policy
from trace_eval.data.settings import nearest
from trace_eval.opinions.codes import LABEL_COLUMNS, MISSING, Codes, is_untyped
from trace_eval.opinions.opinions import DataWarning, Opinions
from trace_eval.opinions.units import WholeNumbers
from trace_eval.stats.agreement.alpha import (
    alpha,
    annotator_noise,
    noise_rows,
    with_each_judge,
)
from trace_eval.stats.agreement.bias import (
    BiasRow,
    LengthBias,
    Verbosity,
    bias_rows,
    difficulty_rows,
    length_bias,
    verbosity,
)
from trace_eval.stats.agreement.drawn import drawn_units
from trace_eval.stats.agreement.dropped import (
    compared_items,
    silent_labels,
    unjudged,
)
from trace_eval.stats.agreement.findings import label_warnings
from trace_eval.stats.agreement.judges import (
    Aligned,
    JudgeOpinions,
    align,
    facts_of,
    prepare_judges,
    with_preference,
)
from trace_eval.stats.agreement.learn import Learned, learn
from trace_eval.stats.agreement.levels import (
    Masks,
    by_level,
    categories,
    level_rows,
    pairwise_rows,
    reliability_rows,
)
from trace_eval.stats.agreement.linear import score_error
from trace_eval.stats.agreement.metrics import Comparison, compare_all
from trace_eval.stats.agreement.parts import (
    Forced,
    category_rows,
    forced,
    labels_rows,
    whole,
)
from trace_eval.stats.agreement.policies import (
    Mechanism,
    fuse_codes,
    has_dimensions,
    mechanisms,
)
from trace_eval.stats.agreement.position import (
    PositionRow,
    positions,
    self_rows,
    widest,
)
from trace_eval.stats.agreement.reasons import reasons_note
from trace_eval.stats.agreement.score import JudgeScore, guesses_of, score_judge
from trace_eval.stats.inference.calibrate import Calibration
from trace_eval.stats.inference.win_rates import calibrations_of, policy_of, shares_of
from trace_eval.stats.options import ALL_POLICIES, AgreeOptions, settled
from trace_eval.stats.report import (
    AgreeReport,
    AlphaRow,
    TruthRow,
)

_Part = TypeVar("_Part")
_Row = TypeVar("_Row")

#: Why nothing was drawn in a comparison of labels.
_NOT_DRAWN = (
    "it orders the labels of 'Accuracy by number of labels', which needs 6 of them, and"
    " the folds of --calibrated"
)


@dataclass(frozen=True)
class _Compared:
    """Judges and labels, joined.

    Attributes:
        columns: truth and prediction of each judge, by dimension.
        described: the labelled items, with what labels and judges know of them.
        cluster: items that are drawn together, as ``drawn`` says; None: there are none.
        shown: policies whose mechanism is shown.
        groups: subsets of the items by category.
    """

    labels: Opinions
    items: Opinions
    judges: Sequence[JudgeOpinions]
    columns: Sequence[Sequence[Aligned]]
    described: Opinions
    cluster: WholeNumbers | None
    drawn: str
    shown: Mapping[str, Policy]
    groups: Masks
    options: AgreeOptions


def _numbers_in(judges: Sequence[JudgeOpinions], asked: str) -> str:
    """Name the numbers of both answers that a rule could go by, the likeliest alone."""
    present: set[str] = set()
    for judge in judges:
        facts = judge.joined.facts
        for name in facts:
            number = name.removesuffix("_a")
            is_number = facts[name].dtype.kind == "f"
            if number != name and is_number and f"{number}_b" in facts:
                present.add(number)
        if "clip_a" in facts:  # a run, whose blueprints have more
            present.update(NUMBERS, TEXT_ERRORS)
    known = sorted(present - {asked})
    if not known:
        return "no number of both answers is there"
    return nearest(asked, known)


def agree_labels(
    sources: Sequence[Opinions], present: Opinions, options: AgreeOptions
) -> AgreeReport:
    """See :func:`trace_eval.decide.agree.agree`."""
    it = _compared(sources, present, options)
    judges = it.judges
    items = it.items
    raters = len(present.raters())
    human = items.codes if raters > 1 else ()
    shares, design, left_out = shares_of(sources, present, items, options)
    main = whole(it.columns)
    unknown: list[str] = []
    for rule in options.baselines:
        if not any(set(rule.facts) <= judge.joined.facts.keys() for judge in judges):
            first, second = rule.facts
            unknown.append(
                f"baseline {rule.name} left out: nothing has {first} and {second};"
                f" {_numbers_in(judges, rule.number)}"
            )
    errors = [score_error(judge, items) for judge in judges]
    by_labels = tuple(labels_rows(main, it.cluster, options.bootstrap))
    # Of all labels in any order there is nothing to draw.
    is_drawn = options.calibrated
    is_drawn |= len(by_labels) > len({row.judge for row in by_labels})
    warnings: list[DataWarning] = []
    for source in sources:
        warnings.extend(source.warnings)
    warnings.extend(present.warnings)
    warnings.extend(label_warnings(items, judges, it.columns, it.cluster))
    notes = unknown + list(left_out)
    if options.missing == "drop":
        notes.extend(silent_labels(items))
        for judge, aligned in zip(judges, it.columns, strict=True):
            notes.extend(compared_items(judge, aligned, items))
    notes.extend(filter(None, map(reasons_note, judges)))
    policies: dict[str, str] = {}
    for judge in judges:
        if judge.own.policy is not None:
            policies[judge.name] = judge.own.policy

    def positions_of(judge: JudgeOpinions) -> Iterable[PositionRow]:
        return positions(judge.name, widest(judge, "clip_a"))

    def length_of(judge: JudgeOpinions) -> Iterable[BiasRow[LengthBias]]:
        return bias_rows(
            judge, items, fact="duration", bias=length_bias, unit=it.cluster
        )

    def verbosity_of(judge: JudgeOpinions) -> Iterable[BiasRow[Verbosity]]:
        return bias_rows(judge, items, fact="tokens", bias=verbosity, unit=it.cluster)

    learned: tuple[Learned, ...] = ()
    if options.learn:
        learned = tuple(_learned(it))
    calibrations: tuple[Calibration, ...] = ()
    if options.calibrated:
        calibrations = tuple(calibrations_of(sources, present, options))
    return AgreeReport(
        labels=present.source,
        items=len(items),
        raters=raters,
        options=replace(
            options, bootstrap=settled(options.bootstrap, is_drawn, _NOT_DRAWN)
        ),
        warnings=tuple(warnings),
        truth=tuple(_truth(items)),
        scores=tuple(_scores(it)),
        score_errors=tuple(error for error in errors if error is not None),
        comparisons=tuple(
            compare_all(it.columns, it.cluster, options.bootstrap, options.against)
        ),
        alphas=tuple(_alphas(present, raters, judges)),
        mechanisms=tuple(_mechanisms(it)),
        policy_comparisons=tuple(_policy_comparisons(it)),
        position=_rows_of(judges, positions_of),
        length=_rows_of(judges, length_of),
        verbosity=_rows_of(judges, verbosity_of),
        difficulty=_rows_of(judges, difficulty_rows),
        self_comparisons=_rows_of(judges, self_rows),
        noise=tuple(annotator_noise(present)) + _rows_of(judges, noise_rows),
        learned=learned,
        notes=tuple(notes),
        drawn=it.drawn,
        policies=policies,
        levels=_rows_of(human, lambda name: level_rows(present, name, it.groups)),
        pairwise=_rows_of(human, lambda name: pairwise_rows(present, name, it.groups)),
        reliability=_rows_of(human, lambda name: reliability_rows(present, name)),
        forced=tuple(_forced(it)),
        shares=shares,
        design=design,
        calibrations=calibrations,
        by_category=tuple(
            category_rows(main, it.groups, it.cluster, options.bootstrap)
        ),
        by_labels=by_labels,
    )


def _rows_of(
    parts: Iterable[_Part], rows: Callable[[_Part], Iterable[_Row]]
) -> tuple[_Row, ...]:
    """Return the rows of all judges or label columns, one after the other."""
    of_all: list[_Row] = []
    for part in parts:
        of_all.extend(rows(part))
    return tuple(of_all)


def _compared(
    sources: Sequence[Opinions], labels: Opinions, options: AgreeOptions
) -> _Compared:
    items = labels.per_item
    for name, codes in items.codes.items():
        silent = np.flatnonzero(codes == MISSING)
        if len(silent) and options.missing == "error":
            of = f"of {counted(len(items), 'item')}"
            raise UserError(
                f"{items.source}: {counted(len(silent), f'{of} has', f'{of} have')} no"
                f" {name} label, first {items.ids[silent[0]]!r}; label them, or pass"
                " --missing drop"
            )
    fused_with, shown = _policies(options.policy)
    judges = prepare_judges(sources, items, fused_with, options.missing)
    if not judges:
        raise UserError(
            "there is nothing to compare with the labels; name a run or a file"
        )
    columns = []
    for judge in judges:
        truth = dict(items.codes)
        predicted = dict(judge.joined.codes)
        # where one side alone has preferences, the other's are its overall labels, ties
        # collapsed
        if "preference" in truth or "preference" in predicted:
            truth = with_preference(truth)
            predicted = with_preference(predicted)
        both = [name for name in LABEL_COLUMNS if name in truth and name in predicted]
        columns.append(
            [align(judge.name, name, truth[name], predicted[name]) for name in both]
        )
    described = _described(judges, items)
    if options.cluster and not _knows_instructions(described):
        raise UserError(
            "--cluster draws whole instructions: give every item an instruction_id, in"
            " the labels or in the judgements"
        )
    cluster, drawn = drawn_units(described)
    return _Compared(
        labels=labels,
        items=items,
        judges=judges,
        columns=columns,
        described=described,
        cluster=cluster,
        drawn=drawn,
        shown=shown,
        groups=categories(items),
        options=options,
    )


def _truth(items: Opinions) -> Iterator[TruthRow]:
    for name, codes in items.codes.items():
        agreed = int((items.agreed[name] != MISSING).sum())
        silent = int((codes == MISSING).sum())
        split = len(codes) - agreed - silent
        yield TruthRow(dimension=name, labelled=agreed, split=split, silent=silent)


def _scores(it: _Compared) -> Iterator[JudgeScore]:
    for judge, aligned in zip(it.judges, it.columns, strict=True):
        guesses = guesses_of(judge.joined, it.options)
        for column in aligned:
            score = score_judge(column, guesses, it.cluster, it.options)
            yield replace(score, unjudged=unjudged(judge, column, it.items))


def _forced(it: _Compared) -> Iterator[Forced]:
    for aligned in it.columns:
        for column in aligned:
            if column.dimension not in ("overall", "preference"):
                continue
            labels = column.dimension
            if labels not in it.labels.codes:
                labels = "overall"  # of which a preference is made
            yield from forced(column, {**it.groups, **by_level(it.labels, labels)})


def _policies(spec: str | None) -> tuple[Policy | None, Mapping[str, Policy]]:
    """Return the policy to re-fuse with, and the policies whose mechanism is shown."""
    if spec == ALL_POLICIES:
        return None, POLICIES
    if spec is None:
        return None, {DEFAULT_POLICY: POLICIES[DEFAULT_POLICY]}
    policy = load_policy(spec)
    return policy, {policy.name: policy}


def _described(judges: Sequence[JudgeOpinions], items: Opinions) -> Opinions:
    """Give items every fact; instructions are the labels', else any judge's."""
    facts = facts_of(judges)
    tables = [items]
    tables.extend(judge.joined for judge in judges)
    for table in tables:
        if _knows_instructions(table):
            facts["instruction_id"] = table.facts["instruction_id"]
            break
    return replace(items, facts=facts)


def _knows_instructions(table: Opinions) -> bool:
    instruction = table.facts.get("instruction_id")
    return instruction is not None and None not in instruction.tolist()


def _alphas(
    labels: Opinions, human: int, judges: Sequence[JudgeOpinions]
) -> Iterator[AlphaRow]:
    """Compute alpha of several raters, and with each judge as one more."""
    number = len(labels.per_item)
    for name, codes in labels.codes.items():
        if human > 1:
            yield AlphaRow(
                who="people",
                dimension=name,
                alpha=alpha(labels.item, codes, number, human),
            )
        own = {j.name: j.joined.codes[name] for j in judges if name in j.joined.codes}
        for who, rows, both in with_each_judge(labels.item, codes, own):
            yield AlphaRow(
                who=who, dimension=name, alpha=alpha(rows, both, number, human + 1)
            )


def _sides(it: _Compared) -> list[tuple[str, Mapping[str, Codes]]]:
    """Return annotators and judges with three dimensions for a policy, by name."""
    sides = [("people", it.items.agreed)]
    sides.extend((judge.name, judge.joined.codes) for judge in it.judges)
    return [(name, codes) for name, codes in sides if has_dimensions(codes)]


def _mechanisms(it: _Compared) -> Iterator[Mechanism]:
    truth = it.items.agreed.get("overall")
    if truth is not None and not is_untyped(truth):
        for name, codes in _sides(it):
            yield from mechanisms(it.shown, name, codes, truth)


def _policy_comparisons(it: _Compared) -> Iterator[Comparison]:
    """Compare every two policies on each judge's ratings, as if they were judges."""
    options = it.options
    truth = it.items.codes.get("overall")
    if truth is None or len(it.shown) < 2:
        return
    for judge in it.judges:
        if has_dimensions(judge.joined.codes):
            ratings = judge.joined.codes
            fused = {
                name: fuse_codes(policy, ratings) for name, policy in it.shown.items()
            }
            columns = [
                [align(f"{judge.name}, {name}", "overall", truth, codes)]
                for name, codes in fused.items()
            ]
            yield from compare_all(columns, it.cluster, options.bootstrap)


def _learned(it: _Compared) -> list[Learned]:
    options = it.options
    usable = _sides(it)
    truth = it.items.agreed.get("overall")
    if truth is None or is_untyped(truth) or not usable:
        raise UserError(
            "--learn-policy needs true overall labels, and content, voice_quality and"
            " paralinguistics of annotators or of a judge, all with typed ties"
        )
    fallback = load_policy(policy_of(options) or DEFAULT_POLICY)
    groups = it.described.units() if _knows_instructions(it.described) else None
    return [
        learn(side, truth, instruction=groups, fallback=fallback, folds=options.folds)
        for side in usable
    ]
