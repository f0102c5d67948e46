"""The sentences on a ranking: which system is better, by a judge and by annotators."""

from __future__ import annotations

from blueprints import counted
from trace_eval.show.lists import listed
from trace_eval.stats.agreement.judges import under
from trace_eval.stats.inference.ppi import LEAST_LABELS, PPIEstimate
from trace_eval.stats.ranking.report import RankReport
from trace_eval.stats.sentences import (
    MOST,
    ahead_of,
    first_labels,
    head_to_head,
    is_shown,
    labels_to_tell,
    mean_score,
    rate,
    same,
    splits,
)

_NO_LABELS = "Nobody labelled these pairs: what annotators would say is unknown."


def rank_answer(report: RankReport) -> tuple[str, ...]:
    """Say which system is better, by the judge and by human labels."""
    if len(report.means) > 1:
        return _by_scores(report)
    if not report.judged or report.judged[0].rate.labels is None:
        return ()
    sentences = _two(report) if len(report.judged) == 2 else _several(report)
    return sentences[:MOST]


def _two(report: RankReport) -> tuple[str, ...]:
    options = report.options
    best, other = report.judged
    names = best.system, other.system
    if report.unchanged:
        first, second = sorted(names)
        pairs = counted(report.unchanged, "pair")
        return (
            f"No change: {first} and {second} gave the same recording in each of the"
            f" {pairs}.",
        )
    level = options.bootstrap.level
    judged = best.rate
    assert judged.labels is not None
    pairs = counted(judged.labelled, "pair")
    by_judge = head_to_head(
        names,
        (judged.labels, judged.labels_interval, judged.p),
        of=f"of {pairs} by {report.who}{under(options.policy)}",
        level=level,
        test=_test(judged),
    )
    rows = report.people
    if not rows:
        return f"{by_judge}.", *_unknown(report, judged.labelled)
    if options.typed:
        shares: list[str] = []
        for row in rows:
            share = rate(row.rate.both or 0.0, row.rate.interval)
            shares.append(f"{row.system} {share}")
        return f"{by_judge}.", f"By annotators: {', '.join(shares)} (both may lose)."
    if len(rows) > len(names):  # the judge scored no comparison of the others
        return f"{by_judge}.", *_human_of_several(report)
    result = next((row.rate for row in rows if row.system == names[0]), None)
    if result is None or result.both is None:
        return f"{by_judge}.", _NO_LABELS, first_labels(judged.labelled, level)
    by_people = head_to_head(
        names,
        (result.both, result.interval, result.p),
        of=_basis(result, report),
        level=level,
        test=_test(result),
    )
    rest = _next_step(result, judged.labels, level, report.powered is not None)
    return f"{by_judge}.", f"{by_people}.", *rest


def _test(result: PPIEstimate) -> str:
    return "exact sign test" if result.exact else "score test"


def _basis(result: PPIEstimate, report: RankReport) -> str:
    details = splits(report.powered.split if report.powered else report.split)
    if report.powered and report.powered.unscored:
        details += (
            f", {report.powered.unscored:,} of them on pairs that the judge did not"
            " score"
        )
    if result.weight:
        labels = counted(result.labelled, "label")
        return f"by annotators, from {labels}{details} and all judgements"
    pairs = counted(result.labelled, "pair") if result.labelled > 1 else "one pair"
    return f"by the {pairs} that annotators labelled{details}"


def _next_step(
    result: PPIEstimate, judged: float, level: float, open_pairs: bool
) -> tuple[str, ...]:
    """Name the next step, or warn that judge and labels name different winners."""
    value = result.both
    assert value is not None
    if is_shown(result.p, level):
        if not same(judged, 0.5) and (value > 0.5) != (judged > 0.5):
            return ("Judge and annotators name different winners: believe annotators.",)
        return ()
    if result.interval is None:
        few = counted(result.labelled, "label is", "labels are")
        more = ""
        if result.labelled + result.open >= LEAST_LABELS:
            more = "; five are needed, each of an instruction of its own"
        return (f"{few} too few for an interval{more}.",)
    left = result.open if open_pairs else None
    needed = labels_to_tell(result.labelled, (value, 0.5, result.interval), level, left)
    if needed is None:
        needed = (
            "Annotators see no difference at all, so no number of labels can be named."
        )
    return (needed,)


def _unknown(report: RankReport, pairs: int) -> tuple[str, ...]:
    """Say why there is no sentence on human labels."""
    if report.human:
        return ()
    if report.silent:
        return ("The human labels cannot speak for these pairs, see the note.",)
    return _NO_LABELS, first_labels(pairs, report.options.bootstrap.level)


def _several(report: RankReport) -> tuple[str, ...]:
    best, *rest = report.judged
    top = best.rate.labels or 0.0
    equal = [row.system for row in report.judged if same(row.rate.labels or 0.0, top)]
    verb = "win" if len(equal) > 1 else "wins"
    figure = rate(top, best.rate.labels_interval)
    number = counted(best.rate.labelled, "comparison")
    judge = f"{report.who}{under(report.options.policy)}"
    if len(equal) == len(report.judged):
        nobody = f"No system wins more than another by {judge}: {figure} of {number}."
        return nobody, *_human_of_several(report)
    first = f"{listed(equal)} {verb} most by {judge}, {figure} of {number}"
    places = {one.system: one for one in report.places if one.method == "win_rate"}
    place = places[best.system]
    if len(equal) > 1:
        message = f"{first}."
    elif place.low is None:
        message = f"{first}; ranks have no intervals here, so nothing is shown."
    else:
        behind: list[str] = []
        beside: list[str] = []
        for row in rest:
            if row.system in place.ahead:
                behind.append(row.system)
            else:
                beside.append(row.system)
        message = f"{first}: {ahead_of(behind, beside)}."
    return message, *_human_of_several(report)


def _human_of_several(report: RankReport) -> tuple[str, ...]:
    rows = report.people
    ppi = report.powered
    level = report.options.bootstrap.level
    if not rows:
        return _unknown(report, sum(row.rate.labelled for row in report.judged) // 2)
    top = rows[0]
    best = top.rate.both
    if best is None:
        return (_NO_LABELS,)
    equal: list[str] = []
    for row in rows:
        if row.rate.both is not None and same(row.rate.both, best):
            equal.append(row.system)
    are = "are" if len(equal) > 1 else "is"
    figure = rate(best, top.rate.interval)
    message = f"{listed(equal)} {are} first {_basis(top.rate, report)}, {figure}"
    if len(equal) > 1:
        return (f"{message}.",)
    if ppi is None:
        return (f"{message}; not tested against the others.",)
    behind: list[str] = []
    for difference in ppi.differences:
        if difference.first == top.system and is_shown(difference.p_holm, level):
            behind.append(difference.second)
    rest = [row.system for row in rows[1:] if row.system not in behind]
    return (f"{message}: {ahead_of(behind, rest)}.",)


def _by_scores(report: RankReport) -> tuple[str, ...]:
    """Say which system has the higher mean score, by the judge and by human ratings."""
    rows = sorted(report.means, key=lambda row: -(row.mean.value or 0.0))
    best, *others = rows
    over = f"by {report.who} over {counted(sum(row.scored for row in rows), 'answer')}"
    highest = best.mean.value or 0.0
    equal = [row.system for row in rows if same(row.mean.value or 0.0, highest)]
    if len(equal) > 1:
        how = "the same" if len(equal) == len(rows) else "highest"
        message = (
            f"{listed(equal)} score {how}, {mean_score(best.mean)} on average {over}."
        )
        return message, *_ratings_of(report)
    place = next(place for place in report.places if place.system == best.system)
    # a mean without an interval comes from too few questions to show anything
    shown = [row.system for row in others if row.mean.interval and best.mean.interval]
    behind = [name for name in shown if name in place.ahead]
    mean = mean_score(best.mean)
    if len(rows) == 2:
        better = "shown to be better" if behind else "not shown to be better"
        beside = f"{others[0].system} {mean_score(others[0].mean)}"
        message = f"{best.system} scores {mean} on average, {beside}, {over}: {better}."
    else:
        rest = [row.system for row in others if row.system not in behind]
        first = f"{best.system} scores highest, {mean} on average {over}"
        message = f"{first}: {ahead_of(behind, rest)}."
    return message, *_ratings_of(report)


def _ratings_of(report: RankReport) -> tuple[str, ...]:
    """Mean human ratings beside those of the judge, reported without a test."""
    rated = [(row.people, row.system) for row in report.means if row.people is not None]
    if not rated:
        if report.human:
            return ()
        return ("Nobody rated these answers: what annotators would say is unknown.",)
    rated.sort(key=lambda row: -row[0])
    high, best = rated[0]
    if len(rated) == 1:
        return (f"Annotators rated answers of {best} alone.",)
    equal = [name for value, name in rated if same(value, high)]
    if len(equal) > 1:
        return (f"Human ratings put {listed(equal)} first, {high:.3g} on average.",)
    second, other = rated[1]
    return (
        f"Human ratings put {best} first, {high:.3g} on average, {other} {second:.3g}"
        " (not tested).",
    )
