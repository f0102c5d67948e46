"""Tables on stdout: the results of a run, its summary, and what doctor found."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from rich.markup import escape
from rich.table import Table

from blueprints import counted
from fusion import DIMENSIONS, Numbers
from trace_eval.commands.console import (
    MAX_ROWS,
    by_cause,
    messages,
    print_rows,
    results,
    say,
    say_note,
    warn,
)
from trace_eval.commands.result_files import QUIET
from trace_eval.data.items import instruction_of
from trace_eval.runs.findings import findings_in
from trace_eval.runs.outcomes import (
    NOT_JUDGED,
    NOT_SCORED,
    ScoreRow,
    VerdictRow,
    first_position_test,
)
from trace_eval.runs.run import Run

if TYPE_CHECKING:  # the LLM clients take half a second to import
    from trace_eval.data.judgement import Overall
    from trace_eval.judges.ask.batch import BatchWritten
    from trace_eval.judges.ask.estimate import CostEstimate
    from trace_eval.judges.registry.create import Check
    from trace_eval.judges.registry.doctor import ListedOption
    from trace_eval.runs.folders import ListedRun
    from trace_eval.runs.summary import Summary

#: Column titles of the three dimensions.
_TITLES = {"content": "C", "voice_quality": "VQ", "paralinguistics": "P"}

#: A caveat with the values of one item, and without them.
_FAILED = re.compile(r"\d{1,9} of \d{1,9} samples failed: .*")
_SOME_FAILED = "some samples failed; see scores.jsonl"

#: Marks a rating on which the two orders contradict each other.
_INCONSISTENT = "!"


def print_results(folder: Path) -> None:
    """Print the table of a run (pair, C, VQ, P, overall, why) and where the run is."""
    run = Run.open(folder)
    outcomes, overall = run.outcomes(), run.overall()
    titles = ("pair", *(_TITLES[name] for name in DIMENSIONS), "overall", "why")
    print_rows(titles, _verdict_rows(run, outcomes, overall), folder / "results.csv")
    _print_reasons([o for o in outcomes.values() if o.status != "scored"])
    _print_notes(run, [outcome.caveats for outcome in outcomes.values()])
    _print_orders(run, outcomes)
    policies = {fused.policy for fused in overall.values()}
    say(f"\npolicy {', '.join(sorted(policies))}; run: {folder}")


def _verdict_rows(
    run: Run, outcomes: Mapping[str, VerdictRow], overall: Mapping[str, Overall]
) -> Iterator[tuple[str, ...]]:
    for pair, fused in overall.items():
        outcome = outcomes.get(pair, NOT_JUDGED)
        cells = [pair]
        doubtful = False
        for name, rating in zip(DIMENSIONS, outcome.ratings, strict=True):
            differs = name in outcome.inconsistent
            doubtful = doubtful or differs
            cells.append(_rating_cell(rating, differs))
        cells.append(_rating_cell(fused.rating, doubtful))
        # The detail is printed below the table, once for all pairs that share it.
        if outcome.status == "scored":
            cells.append(fused.why)
        else:
            cells.append(f"unscored, {outcome.reason}")
        yield tuple(cells)
    for bad in run.problems():
        yield bad.pair or bad.where, *"----", f"unreadable: {bad.what}"


def _rating_cell(rating: object, doubtful: bool) -> str:
    """Print a rating, marked where the orders of presentation differ."""
    mark = _INCONSISTENT if doubtful else ""
    return f"{rating or '-'}{mark}"


def _print_reasons(outcomes: Sequence[VerdictRow | ScoreRow]) -> None:
    """Print why there is no rating, once for all that share a reason, with a count."""
    same = by_cause(
        f"{outcome.reason}: {outcome.detail or 'no detail'}" for outcome in outcomes
    )
    for details in same[:MAX_ROWS]:
        say(f"\nunscored {len(details)}: {details[0]}")
    if left := sum(map(len, same[MAX_ROWS:])):
        say(f"\nunscored {left}: for other reasons")


def _print_notes(run: Run, caveats: Sequence[Sequence[str]]) -> None:
    """Print the caveats of a run, with a count where one is not about all items."""
    if QUIET.get():
        return
    from trace_eval.runs.voices import voices_of  # brings numpy

    voices = [row.sentence for row in voices_of(run) if not row.unknown]
    for line in findings_in(run) + voices:
        say(f"\nnote: {line}")
    counts = Counter(caveat for texts in caveats for caveat in set(texts))
    for caveat, count in sorted(counts.items()):
        share = f" ({count} of {len(caveats)})" if count < len(caveats) else ""
        say(f"\nnote{share}: {caveat}")


def _print_orders(run: Run, outcomes: Mapping[str, VerdictRow]) -> None:
    """Print the effect of the order of the answers on the ratings."""
    if not any(outcome.both_orders for outcome in outcomes.values()):
        return
    instructions = {pair.id: instruction_of(pair) for pair in run.pairs()}
    if any(outcome.inconsistent for outcome in outcomes.values()):
        say(
            f"\n{_INCONSISTENT} inconsistent: the two orders contradict each other, so"
            " this is no verdict on the answers"
        )
    if result := first_position_test(
        outcomes.values(), map(instructions.get, outcomes)
    ):
        say(f"\norders: {result.line}")
        if result.warning:
            warn(result.warning)


def print_scores(folder: Path) -> None:
    """Print the table of scores: item, system, and by rubric the score and spread."""
    run = Run.open(folder)
    scales = {name: rubric.numbers for name, rubric in run.rubrics().items()}
    outcomes = run.score_outcomes()
    numbers = [title for name in scales for title in (name, "spread")]

    def rows() -> Iterator[list[str]]:
        for item in run.singles():
            cells = [item.id, item.system or "-"]
            for name, scale in scales.items():
                outcome = outcomes.get((item.id, name), NOT_SCORED)
                cells += _score_cells(outcome, scale)
            yield cells

    print_rows(
        ("item", "system", *numbers),
        rows(),
        everything=folder / "results.csv",
        fixed=numbers,
        right=numbers,
    )
    _print_reasons([o for o in outcomes.values() if o.status != "scored"])
    # Without the values of one item, equal caveats can be counted.
    caveats: list[list[str]] = []
    for outcome in outcomes.values():
        caveats.append([_FAILED.sub(_SOME_FAILED, text) for text in outcome.caveats])
    _print_notes(run, caveats)
    say(f"\nrubric {', '.join(scales)}; judge {run.record().judge.spec}; run: {folder}")


def _score_cells(outcome: ScoreRow, scale: Numbers) -> tuple[str, str]:
    """Write the value and one standard deviation of its distribution, on the scale."""
    if outcome.value is None:
        return str(outcome.reason), "-"
    if outcome.variance is None:
        return f"{outcome.value:.2f}", "-"
    return (
        f"{outcome.value:.2f}",
        f"{outcome.variance**0.5 * (scale.high - scale.low):.2f}",
    )


def print_summary(summary: Summary, folder: Path | str, what: str = "pair") -> None:
    """Print a run's coverage, why items are unscored, and what it took, on stderr."""
    console = messages()
    console.print(
        f"{summary.scored} of {counted(summary.total, what)} scored"
        f" ({summary.coverage:.1%}); {counted(summary.clips, 'clip')},"
        f" {summary.audio_s:.0f} s of audio in {summary.seconds:.1f} s"
    )
    if (spending := summary.spending) and (spending.spent or spending.calls):
        console.print(escape(spending.line))
    for reason, count in summary.unscored.most_common():
        console.print(f"[yellow]unscored[/] {count}: {escape(reason)}")
    available = {summary.dimensions[name] for name in DIMENSIONS}
    if len(available) > 1 and (min(available) or summary.unscored):
        names = (name for name in DIMENSIONS if name in summary.dimensions)
        each = ", ".join(f"{name} of {summary.dimensions[name]}" for name in names)
        console.print(
            f"known on their own: {each}; rank --dimension NAME uses one of them"
        )
    details = "judgements.jsonl" if what == "pair" else "scores.jsonl"
    files = {"unreadable_record": "problems.jsonl"}
    for name in sorted({files.get(reason, details) for reason in summary.unscored}):
        again = "" if name in files.values() else "; the same command tries them again"
        console.print(f"details: {escape(f'{folder}/{name}')}{again}")


def print_runs(runs: Sequence[ListedRun]) -> None:
    """Print one line per run."""
    if not runs:
        messages().print("no runs here; trace-eval judge PAIRS makes one")
        return
    titles = ("run", "input", "judge", "policy", "scored", "started (UTC)", "tag")
    rows = []
    for run in runs:
        if run.record is None:
            warn(run.problem)
            continue
        record = run.record
        coverage = "-"
        if record.coverage:
            coverage = f"{record.coverage.scored}/{record.coverage.total}"
        row = (
            str(run.folder),
            Path(record.input).name,
            record.judge.spec,
            "-" if record.rubrics else record.policy,
            coverage,
            record.started[:16].replace("T", " "),
            record.tag or "",
        )
        rows.append(row)
    print_rows(titles, rows, fixed=("scored", "started (UTC)"))


def print_estimate(estimate: CostEstimate, what: str = "pair") -> None:
    """Print the requests and the cost of a run that has not started."""
    several = ""
    if estimate.replies > estimate.calls:
        several = f" for {counted(estimate.replies, 'sample')}"
    cases, calls = counted(estimate.cases, what), counted(estimate.calls, "call")
    say(f"{cases}, {calls} to make{several} {_not_sent(estimate, what)}")
    if estimate.guessed is not None:
        unknown = counted(estimate.guessed, "duration is", "durations are")
        guessed = f"; {unknown} unknown and guessed" if estimate.guessed else ""
        say(f"from durations, with imagined speech; nothing was extracted{guessed}")
    numbers = ["input tokens", "output tokens", "US dollars"]
    each = (
        ("expected", estimate.input_tokens, estimate.output_tokens, estimate.cost_usd),
        (
            "at most",
            estimate.input_tokens_at_most,
            estimate.output_tokens_at_most,
            estimate.cost_usd_at_most,
        ),
    )
    rows = [
        [name, f"{sent:,}", f"{got:,}", _price(cost)] for name, sent, got, cost in each
    ]
    in_dollars = estimate.hours is None and estimate.no_hours is None
    if not in_dollars:
        numbers, rows = numbers[:-1], [row[:-1] for row in rows]
    print_rows(("", *numbers), rows, right=numbers)
    if in_dollars and estimate.cost_usd is None:
        say_note("no price is known for these calls; name a table with -J prices=FILE")
    if estimate.hours is not None:
        measured = counted(estimate.measured_calls, "call")
        say(
            f"time: {_hours(estimate.hours)} on this machine; {measured} took"
            f" {estimate.measured_s:g} s, {estimate.in_flight} at a time"
        )
    elif estimate.no_hours is not None:
        say(f"time: unknown; {estimate.no_hours}")
    if estimate.audio_s:
        _print_sound(estimate)


def _hours(hours: float) -> str:
    if hours >= 1:
        return f"{hours:,.1f} hours"
    return f"{hours * 60:.0f} minutes" if hours * 60 > 1 else "a minute or less"


def _price(cost: float | None, share: int = 1) -> str:
    return "unknown" if cost is None else f"{cost / share:.4f}"


def _print_sound(result: CostEstimate) -> None:
    """Print the sound in the requests, in all and per order; examples apart."""
    numbers = (
        "seconds",
        "of them examples",
        "parts",
        "MB of base64",
        "tokens",
        "US dollars",
    )
    rows: list[tuple[str, ...]] = []
    for name, share in (("per order", result.orders), ("in all", 1)):
        tokens = "unknown"
        if result.audio_tokens:
            tokens = f"{result.audio_tokens // share:,}"
        row = (
            name,
            f"{result.audio_s / share:,.1f}",
            f"{result.example_audio_s / share:,.1f}",
            f"{result.audio_parts // share:,}",
            f"{result.audio_bytes / share / 1e6:,.2f}",
            tokens,
            _price(result.cost_usd, share),
        )
        rows.append(row)
    print_rows(("sound", *numbers), rows, right=numbers)
    say(
        "an unusable reply is asked again once, and pays for all sound of its call anew"
    )


def print_batch(batch: BatchWritten, what: str = "pair") -> None:
    """Print which batch files were written."""
    files = ", ".join(map(str, batch.files))
    say(
        f"{counted(batch.requests, 'request')} -> {files} {_not_sent(batch, what)};"
        " send them, then --batch-results FILE"
    )


def _not_sent(planned: CostEstimate | BatchWritten, what: str) -> str:
    lacking = counted(planned.unscored, f"{what} lacks", f"{what}s lack")
    return f"({planned.cached} in the reply cache, {lacking} evidence)"


def print_checks(title: str, checks: Sequence[Check]) -> None:
    """Print checks as a table: yes or no, what, and the details."""
    table = Table(
        title=escape(title), title_justify="left", box=None, show_header=False
    )
    for check in checks:  # all of them: nobody looks a check up in a file
        mark = "[green]yes[/]" if check.ok else "[yellow]no[/]"
        table.add_row(mark, escape(check.name), escape(check.detail))
    if checks:
        results().print(table)


def print_options(options: Sequence[ListedOption]) -> None:
    """Print the options of a judge: name, default, what for, meaning."""
    if not options:
        say("\nit has no options")
        return
    say(
        "\noptions: -J OPTION=VALUE, or OPTION = VALUE below [judge] in a file for"
        " --config"
    )
    titles = ("option", "default", "for", "meaning")
    rows = [(each.name, each.default, each.items, each.meaning) for each in options]
    print_rows(titles, rows, fixed=("option",), most=None)
