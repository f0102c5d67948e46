"""The card as Markdown and as one HTML file; several judges make one table."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from html import escape
from itertools import groupby
from pathlib import Path

from trace_eval.data.files import make_folder, replace_file
from trace_eval.judges.naturalness.outcome import TASK
from trace_eval.judges.naturalness.published import published
from trace_eval.stats.agreement.interval import Range
from trace_eval.stats.agreement.tabular import NOTHING, Table, p_value, table
from trace_eval.stats.inference.calibrate import Calibration
from trace_eval.stats.inference.card import Card
from trace_eval.stats.inference.forest import svg
from trace_eval.stats.inference.probes import ProbeReport
from trace_eval.stats.inference.reliability import diagram
from trace_eval.stats.inference.tables import bounded
from trace_eval.stats.inference.verdict import RULES

#: Title of the section that the reliability diagram belongs to.
AGREEMENT = "Agreement with people"

_INTERVAL = re.compile(r"\[[-\d., ]+\]")

_STYLE = """
:root{color-scheme:light dark;--text:#222;--page:#fff;--line:#ddd;--quiet:#666;--blue:#06c}
@media(prefers-color-scheme:dark){:root{--text:#ddd;--page:#181818;--line:#444;--quiet:#aaa;
--blue:#5aa9ff}}
body{font:15px/1.5 system-ui,sans-serif;max-width:76em;margin:2em auto;padding:0 1em;
color:var(--text);background:var(--page)}
h1{font-size:1.6em}h2{font-size:1.15em;margin-top:1.6em}h3{font-size:1em}
p{margin:.4em 0}ul{margin:.2em 0;padding-left:1.2em;color:var(--quiet)}
.wide{overflow-x:auto}table{border-collapse:collapse}
th,td{border-bottom:1px solid var(--line);padding:4px 14px 4px 0;text-align:left;
vertical-align:top;font-variant-numeric:tabular-nums}
.range{white-space:nowrap;color:var(--quiet)}
.verdict{font-size:1.2em;border-left:4px solid var(--blue);padding-left:.7em}
.wide svg{width:100%;max-width:660px;min-width:440px}
svg{font-size:11px}svg text{fill:var(--text)}.reliability{width:300px;max-width:100%}
figure{margin:1em 0}figcaption{color:var(--quiet)}
.null{stroke:#888;stroke-dasharray:3 3}.frame{fill:none;stroke:var(--line)}
circle.s0{fill:var(--blue)}line.s0{stroke:var(--blue)}circle.s1{fill:#999}line.s1{stroke:#999}
.name{text-anchor:end}.axis{text-anchor:middle}
"""


def comparison(cards: Sequence[Card]) -> Table:
    """One row per judge."""
    return table(
        "Judges",
        (
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
        ),
        [
            (
                card.name,
                card.policy,
                f"{card.scored}/{card.items}",
                card.main.scored if card.main else None,
                bounded(*card.accuracy),
                f"{card.rule[0]} {card.rule[1]:.3f}" if card.rule else None,
                card.main.metrics["kappa"] if card.main else None,
                _consistency(card),
                _cost(card),
                card.verdict.use,
            )
            for card in cards
        ],
    )


def _cost(card: Card) -> str | None:
    cost = card.operation.cost_usd if card.operation else None
    return None if cost is None else f"{cost:.4f}"


def _consistency(card: Card) -> str | None:
    same = card.same_in_both_orders
    return f"{same[0]}/{same[1]}" if same else None


def sections(card: Card) -> Iterator[tuple[str, list[str], list[Table]]]:
    """(title, sentences, tables) of one card."""
    yield f"Fit for: {card.verdict.use}", [f"{card.verdict.why}.", *_rules()], []
    yield "What was judged", list(_what(card)), []
    yield AGREEMENT, list(_agreement_words(card)), list(_agreement_tables(card))
    yield "Bias and consistency", [], [_bias(card)]
    if card.probes:
        left_out = [f"Left out: {text}." for text in card.probes.left_out]
        yield "Sanity probes", left_out, [probe_table(card.probes)]
    if card.limits:
        yield (
            "Known limits of what was measured",
            [],
            [table("", ("extractor", "limit"), list(card.limits.items()))],
        )
    if card.operation and card.operation.task == TASK:
        facts = published()
        yield (
            f"Published of such judges: {facts.source}",
            [*facts.known, *facts.unknown],
            [
                table(
                    "Right pairs of the publication's benchmark, %",
                    ("judge", "regular", "expressive", "all"),
                    [(who, *map(str, shares)) for who, *shares in facts.accuracy],
                )
            ],
        )
    if card.unknown:
        yield "Not known", [f"{text}." for text in card.unknown], []


def _rules() -> list[str]:
    return ["The rules, in order:", *(f"* {rule}" for rule in RULES)]


def _what(card: Card) -> Iterator[str]:
    yield f"{card.items} pairs of {card.source}, {card.scored} scored ({card.coverage:.1%})."
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
            f"{ran.calls} calls: {ran.failed} unreadable, {ran.repaired} repaired at the second"
            f" attempt; {_or(ran.call_seconds, '{:.2f} s a call')}."
        )
    yield (
        f"Cost {_or(ran.cost_usd, 'US$ {:.4f}')};"
        f" all sessions {_or(ran.run_seconds, '{:.1f} s')}"
        + (
            f", {ran.run_seconds / ran.pairs:.2f} s a pair."
            if ran.run_seconds and ran.pairs
            else "."
        )
    )


def _policy(card: Card) -> str:
    return f"Policy of the overall label: {card.policy or 'none'}."


def _count(number: int | None, what: str) -> str:
    return f"{what}s unknown" if number is None else f"{number} {what}{'' if number == 1 else 's'}"


def _or(value: float | None, text: str) -> str:
    return "unknown" if value is None else text.format(value)


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
            f"Human ceiling: two of {ceiling.raters} raters agree on {ceiling.agreement:.1%} of"
            f" {ceiling.pairs} shared opinions (kappa {_or(ceiling.kappa, '{:.3f}')})."
        )


def _agreement_tables(card: Card) -> Iterator[Table]:
    report = card.agreement
    if report is None:
        return
    drawn = report.drawn.replace("items", "pairs")
    yield table(
        f"{report.options.bootstrap.level:.0%} intervals over {drawn}; overall label:"
        f" {card.policy or 'none'}",
        ("dimension", "labelled", *(metric.title for metric in report.metrics)),
        [
            (s.dimension, s.scored, *(s.metrics.get(metric.name) for metric in report.metrics))
            for s in report.scores
        ],
    )
    if card.main:
        yield table(
            f"Trivial rules on {card.main.dimension}",
            ("rule", "pairs", "rule's accuracy", "judge's there"),
            [(b.name, b.items, b.accuracy, b.judge) for b in card.main.baselines],
        )
    if card.calibration:
        yield table(
            "P(people prefer A), held out",
            ("method", "Brier", "ECE", "accuracy"),
            [
                (m.method, *(bounded(v.value, v.interval) for v in (m.brier, m.ece, m.accuracy)))
                for m in (card.calibration.chosen, *card.calibration.methods)
            ],
        )


def _bias(card: Card) -> Table:
    rows: list[tuple[object, ...]] = []
    report = card.agreement
    for row in card.position:
        b = row.bias
        what = (
            f"first {b.first}, second {b.second}, same answer {b.stable}, tie in both orders"
            f" {b.tied_both}, in one {b.tied - b.tied_both}"
        )
        rows.append((f"position, {row.dimension} ({row.basis})", b.pairs, what, p_value(b.p)))
    for found in report.length if report else ():
        n = found.bias
        what = f"longer {n.longer}, shorter {n.shorter}, tie {n.tied}"
        rows.append((f"length, {found.dimension}", n.human_ties, what, p_value(n.p)))
    if card.loudness:
        loud = card.loudness
        what = f"louder {loud.louder}, quieter {loud.quieter}, tie {loud.tied}"
        rows.append(("loudness, overall", loud.human_ties, what, p_value(loud.p)))
    for noise in report.noise if report else ():
        if noise.judge != "people":
            again = noise.noise
            what = f"equal {again.pairwise:.1%}" if again.pairwise is not None else NOTHING
            rows.append((f"repeats, {noise.dimension} ({noise.basis})", again.items, what, None))
    ran = card.operation
    if ran and ran.both_orders:
        what = f"same in both orders {ran.consistent / ran.both_orders:.1%}"
        rows.append(("swap, all dimensions", ran.both_orders, what, None))
    if not rows:
        rows.append(("nothing could be tested", None, None, None))
    return table("", ("what", "pairs", "seen", "p"), rows)


def probe_table(probes: ProbeReport) -> Table:
    """How often a verdict was as it must be, with 95 % intervals (Wilson)."""
    rows = (
        (
            *(row.name, row.expected, row.held.count, row.held.of, row.held.value),
            *row.held.interval(),
            row.unscored,
        )
        for row in probes.rows
    )
    return table(
        f"{probes.pairs} pairs, changed so that the verdict of {probes.judge} is known",
        ("probe", "expected", "held", "of", "share", "low", "high", "unscored"),
        rows,
    )


def markdown(cards: Sequence[Card]) -> str:
    """The page as Markdown."""
    lines = ["# Judge card" if len(cards) == 1 else "# Judge cards", ""]
    if len(cards) > 1:
        lines += _markdown_table(comparison(cards))
    for card in cards:
        lines += [f"{'#' * (1 if len(cards) == 1 else 2)}# {_plain(card.name)}", ""]
        for title, sentences, tables in sections(card):
            lines += [f"### {title}", ""]
            lines += _paragraphs(sentences)
            for shown in tables:
                lines += _markdown_table(shown)
    return "\n".join(lines).rstrip() + "\n"


def _paragraphs(sentences: Iterable[str]) -> list[str]:
    lines: list[str] = []
    for text in sentences:
        lines.append(_plain(text) if not text.startswith("* ") else f"* {_plain(text[2:])}")
        if not text.startswith("* "):
            lines.append("")
    return [*lines, ""] if lines and lines[-1] else lines


def _plain(text: str) -> str:
    """Text that Markdown takes literally."""
    return "".join(f"\\{c}" if c in "\\`*_[]<>|#" else c for c in " ".join(text.split()))


def _markdown_table(shown: Table) -> list[str]:
    head = f"| {' | '.join(map(_plain, shown.columns))} |"
    rows = [f"| {' | '.join(map(_plain, row))} |" for row in shown.rows]
    title = [f"{_plain(shown.title)}:", ""] if shown.title else []
    return [*title, head, "|" + "---|" * len(shown.columns), *rows, ""]


def html(cards: Sequence[Card]) -> str:
    """The page as one HTML file that needs nothing else."""
    name = "Judge card" if len(cards) == 1 else "Judge cards"
    out = [
        f'<!doctype html><html lang="en"><meta charset="utf-8"><title>{name}</title>'
        f'<meta name="viewport" content="width=device-width"><style>{_STYLE}</style>'
        f"<h1>{name}</h1>"
    ]
    if len(cards) > 1:
        out.append(_html_table(comparison(cards)))
    rows: list[tuple[str, list[tuple[float | None, Range | None]]]] = [
        (card.name, [card.accuracy, (card.rule[1] if card.rule else None, None)])
        for card in cards
        if card.main
    ]
    if rows:
        plot = svg(rows, ["accuracy", "best trivial rule"], 0, 1, 0.5)
        out.append(f'<div class="wide">{plot}</div>')
    for card in cards:
        out.append(f"<h1>{escape(card.name)}</h1>")
        for number, (title, sentences, tables) in enumerate(sections(card)):
            kind = ' class="verdict"' if number == 0 else ""
            out.append(f"<h2{kind}>{escape(title)}</h2>")
            out += _html_sentences(sentences)
            out += [_html_table(shown) for shown in tables]
            if title == AGREEMENT and card.calibration:
                out.append(_reliability(card.calibration))
    return "".join([*out, "</html>\n"])


def _html_sentences(sentences: Sequence[str]) -> Iterator[str]:
    for starred, texts in groupby(sentences, lambda text: text.startswith("* ")):
        if starred:
            items = "".join(f"<li>{escape(text.removeprefix('* '))}" for text in texts)
            yield f"<ul>{items}</ul>"
        else:
            yield from (f"<p>{escape(text)}</p>" for text in texts)


def _reliability(found: Calibration) -> str:
    best = found.chosen
    return (
        f"<figure>{diagram(best)}<figcaption>How often people prefer A (up) where {best.method}"
        f" predicts it (across); {found.pairs} held-out pairs, ties as halves</figcaption></figure>"
    )


def _html_table(shown: Table) -> str:
    head = "".join(f"<th>{escape(name)}" for name in shown.columns)
    body = "".join(
        "<tr>" + "".join(f"<td>{_html_cell(cell)}" for cell in row) for row in shown.rows
    )
    title = f"<h3>{escape(shown.title)}</h3>" if shown.title else ""
    table = f"<table><thead><tr>{head}</thead><tbody>{body}</tbody></table>"
    return f'{title}<div class="wide">{table}</div>'


def _html_cell(text: str) -> str:
    """An interval is not broken."""
    return _INTERVAL.sub(r'<span class="range">\g<0></span>', escape(text))


def write_pages(cards: Sequence[Card], folder: Path) -> list[Path]:
    """Write ``card.md`` and ``card.html``.

    Raises:
        UserError: the folder cannot be written.
    """
    make_folder(folder)
    paths = [folder / "card.md", folder / "card.html"]
    for path, text in zip(paths, (markdown(cards), html(cards)), strict=True):
        replace_file(path, text)
    return paths
