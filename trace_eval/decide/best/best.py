"""``best``: the most preferred of several recordings of one text, group by group."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from typing import cast

from blueprints import UserError
from trace_eval.data import jsonl
from trace_eval.data.manifests import Manifest
from trace_eval.data.outputs import claimed
from trace_eval.decide.best.candidates import TextGroup, groups_of, measure
from trace_eval.decide.best.options import DEFAULT_BY, BestOptions, Scheme
from trace_eval.decide.best.pickers import (
    PairPicker,
    Picker,
    number_picker,
    rating_picker,
)
from trace_eval.decide.best.ranking import Ranking, comparisons
from trace_eval.decide.best.summary import (
    CHECKED,
    UNCHECKED,
    SelectionSummary,
    gain_by_scores,
)
from trace_eval.decide.best.verdicts import Comparing, estimate_first_round, scheduled
from trace_eval.judges.ask.estimate import CostEstimate
from trace_eval.judges.registry.scores_only import scores_only
from trace_eval.runs.options import Options, RateOptions, usual_rubrics

#: Files of a selection.
BEST_FILE, SUMMARY_FILE = "best.jsonl", "summary.json"

#: Of their folder, see :func:`trace_eval.data.claimed`.
_KIND = "best"


@dataclass(frozen=True)
class SelectionReport:
    """The result of a selection.

    Attributes:
        rankings: one per group, in the order of the file.
        summary: counts and gains.
    """

    rankings: tuple[Ranking, ...]
    summary: SelectionSummary


@dataclass(frozen=True)
class BestEstimate:
    """Estimate of the requests of a selection.

    Attributes:
        comparisons, first: in all rounds, and in the first, which ``cost`` is of.
        calls, cost_usd: of all rounds, at the mean of the first; None: no price is
            known.
    """

    comparisons: int
    first: int
    cost: CostEstimate
    calls: int
    cost_usd: float | None


def select_best(
    manifest: Manifest, out: Path, options: BestOptions | None = None
) -> SelectionReport:
    """Find the best candidate of every group; go on with an interrupted selection.

    Every comparison is an ordinary judged pair, in the runs ``OUT/rounds/round-N``.
    Writes ``OUT/best.jsonl`` and ``OUT/summary.json``.

    Raises:
        UserError: see :class:`BestOptions` and
            :class:`trace_eval.runs.session.Session`; ``out`` holds something else.
    """
    options = options or BestOptions()
    picker, checks = _pickers(manifest, out, options)
    with claimed(out, _KIND, private=True):
        groups = _groups(manifest, options, (picker, *checks))
        rankings = picker.rank(groups)
        gains = [check.check(groups, rankings, options.seed) for check in checks]
        scores = _human_scores(groups)
        if any(value is not None for value in scores.values()):
            gains.append(
                gain_by_scores(
                    "people",
                    rankings,
                    scores=scores,
                    seed=options.seed,
                    instructions={group.name: group.instruction for group in groups},
                )
            )
        candidates = 0
        for group in groups:
            candidates += len(group.candidates) + len(group.unscored) + len(group.same)
        scheme = "scores"
        if isinstance(picker, PairPicker):
            scheme = picker.scheme
        summary = SelectionSummary(
            judge=picker.name,
            scheme=scheme,
            groups=len(groups),
            selected=sum(ranking.winner is not None for ranking in rankings),
            tied=sum(ranking.tied for ranking in rankings),
            candidates=candidates,
            unscored=sum(len(ranking.unscored) for ranking in rankings),
            same=sum(len(group.same) for group in groups),
            comparisons=sum(ranking.comparisons for ranking in rankings),
            undecided=sum(ranking.undecided for ranking in rankings),
            gains=gains,
            note=CHECKED if gains else UNCHECKED,
        )
        jsonl.write_all(
            out / BEST_FILE, (r.model_dump_json(exclude_none=True) for r in rankings)
        )
        jsonl.write_all(out / SUMMARY_FILE, [summary.model_dump_json(indent=2)])
    return SelectionReport(tuple(rankings), summary)


def estimate_best(manifest: Manifest, out: Path, options: BestOptions) -> BestEstimate:
    """Estimate a selection's comparisons, tokens and cost by a judge; send nothing.

    Raises UserError for a selection by anything else.
    """
    picker, _ = _pickers(manifest, out, options)
    if not isinstance(picker, PairPicker):
        raise UserError(f"estimate: {picker.name} sends nothing; name an LLM judge")
    with claimed(out, _KIND, private=True):
        groups = _groups(manifest, options, (picker,))
        first, cost = estimate_first_round(picker.how, scheduled(groups, picker.scheme))
    total = sum(comparisons(picker.scheme, len(group.candidates)) for group in groups)
    share = total / first if first else 0.0
    calls = round((cost.calls + cost.cached) * share)
    usd = None if cost.cost_usd is None else cost.cost_usd * share
    return BestEstimate(
        comparisons=total, first=first, cost=cost, calls=calls, cost_usd=usd
    )


def _pickers(
    manifest: Manifest, out: Path, options: BestOptions
) -> tuple[Picker, list[Picker]]:
    picker: Picker | None = number_picker(options.by)
    if picker is None:
        picker = _judge(
            manifest,
            options.options,
            by=options.by,
            folder=out / "rounds",
            best=options,
        )
    # a judge that checks is asked with the defaults; replies are kept in the same place
    defaults = replace(Options().judging, cache=options.options.judging.cache)
    checks: list[Picker] = []
    for number, spec in enumerate(options.checks, start=1):
        check: Picker | None = number_picker(spec)
        if check is None:
            check = _judge(
                manifest,
                replace(options.options, judge=spec, judging=defaults),
                by=DEFAULT_BY,
                folder=out / f"check-{number}",
                best=options,
            )
        checks.append(check)
    for check in checks:
        if _identity(check) == _identity(picker):
            raise UserError(
                f"check {check.name}: a judge cannot vouch for its own pick; name"
                " another one"
            )
    return picker, checks


def _identity(picker: Picker) -> object:
    """Return a picker's place: it is what it is, as a number can have several names."""
    return getattr(picker, "place", None) or picker.name


def _judge(
    manifest: Manifest, options: Options, by: str, folder: Path, best: BestOptions
) -> Picker:
    judge = options.only_judge
    spec = judge if isinstance(judge, str) else judge.spec
    if best.rubric or scores_only(spec):
        rating = RateOptions(
            extract=options.extract,
            judging=options.judging,
            judge=(spec,),
            rubrics=(best.rubric,) if best.rubric else usual_rubrics([spec]),
        )
        return rating_picker(
            spec, manifest, options=rating, folder=folder, listener=best.listener
        )
    how = Comparing(options, by, folder, best.listener)
    return PairPicker(spec, how, cast(Scheme, best.scheme))


def _human_scores(groups: list[TextGroup]) -> dict[str, float | None]:
    """Return mean human scores by id, where the candidates came with some."""
    values: dict[str, float | None] = {}
    for group in groups:
        for candidate in group.candidates:
            ratings = candidate.item.labels.ratings if candidate.item.labels else {}
            mean = sum(ratings.values()) / len(ratings) if ratings else None
            values[candidate.id] = mean
    return values


def _groups(
    manifest: Manifest, options: BestOptions, pickers: tuple[Picker, ...]
) -> list[TextGroup]:
    wanted = tuple(chain.from_iterable(picker.groups for picker in pickers))
    candidates = measure(manifest.singles, options.options.extract, wanted)
    return groups_of(candidates, options.seed)
