"""A card in sections and tables; several judges make one table."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from pathlib import Path

from blueprints import Strict, counted
from trace_eval.data import strict_toml
from trace_eval.decide.card import Card
from trace_eval.decide.verdict import RULES
from trace_eval.estimate.interval import IntervalEstimate, methods_of
from trace_eval.estimate.share import digits
from trace_eval.runs.probe.report import LIMITS_BY, ProbeReport
from trace_eval.show.table import NOTHING, Table, grid, p_value, table

#: Title of the section that the reliability diagram belongs to.
AGREEMENT = "Agreement with human labels"


def comparison(cards: Sequence[Card]) -> Table:
    """Compare judges, a row each."""
    titles = (
        "judge",
        "policy",
        "scored",
        "labelled",
        "accuracy",
        "best trivial rule",
        "kappa",
        "same in both orders",
        "US$",
        "fit for",
    )
    return grid("Judges", titles, map(_of_judge, cards))


def _of_judge(card: Card) -> tuple[object, ...]:
    """Return the row of one judge."""
    labelled = kappa = cost = None
    if card.main:
        labelled = card.main.scored
        kappa = card.main.metrics["kappa"]
    if card.operation:
        cost = card.operation.cost_usd
    in_both_orders = "/".join(map(str, card.same_in_both_orders or ()))
    return (
        card.name,
        card.policy,
        f"{card.scored}/{card.items}",
        labelled,
        IntervalEstimate(*card.accuracy),
        _rule(card),
        kappa,
        in_both_orders or None,
        _or(cost, "{:.4f}", NOTHING),
        card.verdict.use,
    )


def _rule(card: Card) -> str | None:
    if card.rule is None or card.main is None:
        return None
    return f"{card.rule[0]} {card.rule[1]:.{min(digits(card.main.scored), 3)}f}"


def sections(card: Card) -> Iterator[tuple[str, list[str], list[Table]]]:
    """Yield (title, sentences, tables) of one card."""
    why = card.verdict.why
    sentences = [f"{why[:1].upper()}{why[1:]}."]
    if card.saving is not None:
        sentences.append(card.saving.sentence)
    sentences.append("The rules, in order:")
    sentences.extend(f"* {rule}" for rule in RULES)
    yield f"Fit for: {card.verdict.use}", sentences, []
    yield "What was judged", list(_what(card)), []
    yield AGREEMENT, list(_agreement_words(card)), list(_agreement_tables(card))
    tested = list(_tested(card)) or [("nothing could be tested", None, None, None)]
    yield "Bias and consistency", [], [grid("", ("what", "pairs", "seen", "p"), tested)]
    if card.probes:
        sentences = [card.probes.sentence]
        sentences.extend(f"Left out: {text}." for text in card.probes.left_out)
        yield "Sanity probes", sentences, [probe_table(card.probes)]
    if card.limits:
        limits = grid("", ("extractor", "limit"), card.limits.items())
        yield "Known limits of what was measured", [], [limits]
    if card.operation and card.operation.task == "naturalness":
        facts = published()
        shares = grid(
            "Right pairs of the publication's benchmark, %",
            ("judge", "regular", "expressive", "all"),
            [(who, *map(str, shares)) for who, *shares in facts.accuracy],
        )
        title = f"Published of such judges: {facts.source}"
        yield title, list(facts.known) + list(facts.unknown), [shares]
    if card.unknown:
        yield "Not known", [f"{text}." for text in card.unknown], []


def _what(card: Card) -> Iterator[str]:
    yield (
        f"{_count(card.items, 'pair')} of {card.source}, {card.scored} scored"
        f" ({card.coverage:.1%})."
    )
    yield (
        f"{_count(card.systems, 'system')}, {_count(card.instructions, 'instruction')}."
        f" Judge: {card.judge}."
    )
    ran = card.operation
    if ran is None:
        yield _policy(card)
        yield "A file of judgements: calls, cost, time and extractors are not known."
        return
    when = f", begun {ran.started}" if ran.started else ""
    yield f"{_policy(card)[:-1]}; trace-eval {ran.version or 'unknown'}{when}."
    if ran.unscored:
        reasons = ", ".join(f"{name} {n}" for name, n in sorted(ran.unscored.items()))
        yield f"Unscored: {reasons}."
    if ran.calls:
        yield (
            f"{_count(ran.calls, 'call')}: {ran.failed} unreadable, {ran.repaired}"
            " repaired at the second attempt;"
            f" {_or(ran.call_seconds, '{:.2f} s a call')}."
        )
    each = ran.run_seconds / ran.pairs if ran.run_seconds and ran.pairs else None
    a_pair = f", {each:.2f} s a pair" if each else ""
    cost = f"Cost {_or(ran.cost_usd, 'US$ {:.4f}')}"
    if not ran.calls:
        cost = "No model was called, so there is no cost"
    yield f"{cost}; all sessions {_or(ran.run_seconds, '{:.1f} s')}{a_pair}."


def _policy(card: Card) -> str:
    return f"Policy of the overall label: {card.policy or 'none'}."


def _count(number: int | None, what: str) -> str:
    return f"{what}s unknown" if number is None else counted(number, what)


def _or(value: float | None, text: str, otherwise: str = "unknown") -> str:
    return otherwise if value is None else text.format(value)


def _agreement_words(card: Card) -> Iterator[str]:
    if card.agreement is None:
        yield "Not known: there are no labels."
        return
    for score in card.agreement.scores:
        yield score.verdict
    for warning in card.agreement.warnings:
        yield f"Data warning ({warning.check}): {warning.text}."
    ceiling = card.ceiling
    if ceiling is None:
        yield "Human ceiling: not known, no item has two raters."
    else:
        yield (
            f"Human ceiling: two of {ceiling.raters} raters agree on"
            f" {ceiling.agreement:.1%} of {_count(ceiling.pairs, 'shared opinion')}"
            f" (kappa {_or(ceiling.kappa, '{:.3f}')})."
        )


def _agreement_tables(card: Card) -> Iterator[Table]:
    report = card.agreement
    if report is None:
        return
    drawn = report.drawn.replace("items", "pairs")
    by = methods_of(estimate for s in report.scores for estimate in s.metrics.values())
    names = [metric.name for metric in report.metrics]
    titles = [metric.title for metric in report.metrics]
    rows = [(s.dimension, s.scored, *map(s.metrics.get, names)) for s in report.scores]
    yield grid(
        f"{report.options.bootstrap.level:.0%} intervals over"
        f" {drawn}{by and f': {by}'}; overall label: {card.policy or 'none'}",
        ("dimension", "labelled", *titles),
        rows,
    )
    if card.main:
        yield table(
            f"Trivial rules on {card.main.dimension}",
            card.main.baselines,
            "name items accuracy judge",
            name="rule",
            items="pairs",
            accuracy="rule's accuracy",
            judge="judge's there",
        )
    if card.calibration:
        yield table(
            "P(annotators prefer A), held out",
            (card.calibration.chosen, *card.calibration.methods),
            "method brier ece accuracy",
            number=card.calibration.pairs,
        )


def _tested(card: Card) -> Iterator[tuple[str, int | None, str | None, str | None]]:
    """Yield what was tested, on how many pairs, the counts there, and p."""
    report, ran = card.agreement, card.operation
    for row in card.position:
        b = row.bias
        counts = (
            f"first {b.first}, second {b.second}, same answer {b.stable}, tie in both"
            f" orders {b.tied_both}, in one {b.tied - b.tied_both}"
        )
        title = f"position, {row.dimension} ({row.basis})"
        yield title, b.pairs, counts, p_value(b.p, b.pairs)
    for result in report.length if report else ():
        n = result.bias
        counts = f"longer {n.longer}, shorter {n.shorter}, tie {n.tied}"
        yield (
            f"length, {result.dimension}",
            n.human_ties,
            counts,
            p_value(n.p, n.human_ties),
        )
    if loud := card.loudness:
        counts = f"louder {loud.louder}, quieter {loud.quieter}, tie {loud.tied}"
        yield (
            "loudness, overall",
            loud.human_ties,
            counts,
            p_value(loud.p, loud.human_ties),
        )
    for noise in report.noise if report else ():
        if noise.judge != "people":
            again = noise.noise
            share = (
                f"equal {again.pairwise:.1%}" if again.pairwise is not None else NOTHING
            )
            yield (
                f"repeats, {noise.dimension} ({noise.basis})",
                again.items,
                share,
                None,
            )
    if ran and ran.both_orders:
        share = f"same in both orders {ran.consistent / ran.both_orders:.1%}"
        yield "swap, all dimensions", ran.both_orders, share, None


def probe_table(probes: ProbeReport) -> Table:
    """Show how often a verdict was right on probes, with limits over instructions."""
    rows: list[tuple[object, ...]] = []
    for row in probes.rows:
        low, high = row.ends
        cells = (
            row.name,
            row.expected,
            row.held.count,
            row.held.of,
            row.held.value,
            low,
            high,
            row.unscored,
        )
        rows.append(cells)
    return grid(
        (
            f"{_count(probes.pairs, 'pair')}, changed so that the verdict of"
            f" {probes.judge} is known"
        ),
        ("probe", "expected", "held", "of", "share", "low", "high", "unscored"),
        rows,
        f"low, high: {LIMITS_BY}",
    )


class Published(Strict):
    """The published accuracy of judges of naturalness, for the cards of such judges."""

    source: str
    # who, regular, expressive, all: % of right pairs
    accuracy: tuple[tuple[str, float, float, float], ...]
    known: tuple[str, ...]  # what its readers must know
    unknown: tuple[str, ...]  # what it does not say


@lru_cache(maxsize=1)
def published() -> Published:
    """Load the figures and sentences of the publication."""
    file = Path(__file__).with_name("published.toml")
    return Published.model_validate(strict_toml.loads(file.read_bytes()))
