"""Tables on stdout: the results of a run, its summary, and what doctor found."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from rich.markup import escape
from rich.table import Table

from blueprints import counted
from fusion import DIMENSIONS, Numbers
from trace_eval.commands.console import MAX_ROWS, ConsoleRows, by_cause, messages, results, warn
from trace_eval.commands.json_option import QUIET
from trace_eval.runs.guesses import guesses_in
from trace_eval.runs.outcomes import NOT_JUDGED, NOT_SCORED, ScoreRow, VerdictRow
from trace_eval.runs.run import Run

if TYPE_CHECKING:  # the LLM clients take half a second to import
    from rich.console import Console

    from trace_eval.api.doctor import Diagnosis
    from trace_eval.judges.ask.batch import BatchWritten
    from trace_eval.judges.ask.estimate import CostEstimate
    from trace_eval.judges.registry.create import Check
    from trace_eval.judges.registry.listing import ListedOption
    from trace_eval.runs.listing import ListedRun
    from trace_eval.runs.summary import Summary

#: Column titles of the three dimensions.
_TITLES = {"content": "C", "voice_quality": "VQ", "paralinguistics": "P"}

#: Marks a rating on which the two orders contradict each other.
_INCONSISTENT = "!"


def print_results(folder: Path) -> None:
    """The table of a run: pair, C, VQ, P, overall, why; and where the run is."""
    run = Run.open(folder)
    outcomes, overall = run.outcomes(), run.overall()
    titles = ("pair", *(_TITLES[name] for name in DIMENSIONS), "overall", "why")
    table = ConsoleRows(titles, folder / "results.csv")
    for pair, fused in overall.items():
        outcome = outcomes.get(pair, NOT_JUDGED)
        marks = [name in outcome.inconsistent for name in DIMENSIONS]
        shown = [
            f"{rating or '-'}{_INCONSISTENT if doubtful else ''}"
            for rating, doubtful in zip(
                (*outcome.ratings, fused.rating), (*marks, any(marks)), strict=True
            )
        ]
        # In words it stands below, once for all that have the same reason.
        why = f"unscored, {outcome.reason}" if outcome.status != "scored" else fused.why
        table.add(escape(pair), *shown, escape(why))
    for bad in run.problems():
        table.add(escape(bad.pair or bad.where), *"----", escape(f"unreadable: {bad.what}"))
    console = results()
    table.print(console)
    _print_reasons([o for o in outcomes.values() if o.status != "scored"], console)
    _print_notes(run, [outcome.caveats for outcome in outcomes.values()], console)
    _print_orders(outcomes, console)
    policies = {fused.policy for fused in overall.values()}
    console.print(f"\npolicy {', '.join(sorted(policies))}; run: {escape(str(folder))}")


def _print_reasons(outcomes: Sequence[VerdictRow | ScoreRow], console: Console) -> None:
    """Why there is no rating, in words: once for all that have the same reason, with a count."""
    same = by_cause(f"{outcome.reason}: {outcome.detail or 'no detail'}" for outcome in outcomes)
    for details in same[:MAX_ROWS]:
        console.print(f"\nunscored {len(details)}: {details[0]}", markup=False)
    if left := sum(map(len, same[MAX_ROWS:])):
        console.print(f"\nunscored {left}: for other reasons", markup=False)


def _print_notes(run: Run, caveats: Sequence[Sequence[str]], console: Console) -> None:
    """What every reader must know; a count where it is not about all items."""
    if QUIET.get():
        return
    if line := guesses_in(run).line:
        console.print(f"\nnote: {line}", markup=False)
    counts = Counter(caveat for texts in caveats for caveat in set(texts))
    for caveat, count in sorted(counts.items()):
        share = f" ({count} of {len(caveats)})" if count < len(caveats) else ""
        console.print(f"\n[dim]note{share}: {escape(caveat)}[/]")


def _print_orders(outcomes: dict[str, VerdictRow], console: Console) -> None:
    """What the order of the answers did to the ratings."""
    if not any(outcome.both_orders for outcome in outcomes.values()):
        return
    from trace_eval.runs.first_position import first_position_test

    if any(outcome.inconsistent for outcome in outcomes.values()):
        console.print(
            f"\n{_INCONSISTENT} inconsistent: the two orders contradict each other, so this is no"
            " verdict on the answers"
        )
    if result := first_position_test(outcomes.values()):
        console.print(f"\norders: {result.line}")
        if result.warning:
            warn(result.warning)


def print_scores(folder: Path) -> None:
    """The table of a rating: item, system, and per rubric the score and its spread."""
    run = Run.open(folder)
    scales = {name: rubric.numbers for name, rubric in run.rubrics().items()}
    outcomes = run.score_outcomes()
    numbers = [title for name in scales for title in (name, "spread")]
    table = ConsoleRows(("item", "system", *numbers), folder / "results.csv", numbers, numbers)
    for item in run.singles():
        made = [
            (outcomes.get((item.id, name), NOT_SCORED), scale) for name, scale in scales.items()
        ]
        cells = [cell for outcome, scale in made for cell in _score_cells(outcome, scale)]
        table.add(escape(item.id), escape(item.system or "-"), *cells)
    console = results()
    table.print(console)
    _print_reasons([o for o in outcomes.values() if o.status != "scored"], console)
    _print_notes(run, [[_kind_of(text) for text in o.caveats] for o in outcomes.values()], console)
    judge = run.record().judge.spec
    console.print(
        f"\nrubric {', '.join(scales)}; judge {escape(judge)}; run: {escape(str(folder))}"
    )


def _score_cells(outcome: ScoreRow, scale: Numbers) -> tuple[str, str]:
    """The value, and one standard deviation of its distribution, both on the scale."""
    if outcome.value is None:
        return f"[yellow]{outcome.reason}[/]", "-"
    if outcome.variance is None:
        return f"{outcome.value:.2f}", "-"
    return f"{outcome.value:.2f}", f"{outcome.variance**0.5 * (scale.high - scale.low):.2f}"


def _kind_of(caveat: str) -> str:
    """A caveat without the values of one item, so that equal caveats can be counted."""
    return re.sub(
        r"\d{1,9} of \d{1,9} samples failed: .*", "some samples failed; see scores.jsonl", caveat
    )


def print_summary(
    summary: Summary, folder: Path, what: str = "pair", details: str = "judgements.jsonl"
) -> None:
    """How many items were scored, why the others were not, and what it took (stderr)."""
    console = messages()
    console.print(
        f"{summary.scored} of {counted(summary.total, what)} scored ({summary.coverage:.1%});"
        f" {counted(summary.clips, 'clip')},"
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
        console.print(f"known on their own: {each}; rank --dimension NAME uses one of them")
    files = {"unreadable_record": "problems.jsonl"}
    for name in sorted({files.get(reason, details) for reason in summary.unscored}):
        again = "" if name in files.values() else "; the same command tries them again"
        console.print(f"details: {escape(str(folder / name))}{again}")


def print_outcomes(summary: Summary, folder: Path, noun: str) -> None:
    """The table of a run of pairs, or of items, and what it took."""
    if noun == "pair":
        print_results(folder)
        print_summary(summary, folder)
    else:
        print_scores(folder)
        print_summary(summary, folder, noun, "scores.jsonl")


def print_runs(runs: Sequence[ListedRun]) -> None:
    """One line per run."""
    console = results()
    if not runs:
        messages().print("no runs here; trace-eval judge PAIRS makes one")
        return
    titles = ("run", "input", "judge", "policy", "scored", "started (UTC)", "tag")
    table = ConsoleRows(titles, fixed=("scored", "started (UTC)"))
    for run in runs:
        if run.record is None:
            warn(run.problem)
            continue
        record = run.record
        counted = record.coverage
        table.add(
            escape(str(run.folder)),
            escape(Path(record.input).name),
            escape(record.judge.spec),
            "-" if record.rubrics else escape(record.policy),
            f"{counted.scored}/{counted.total}" if counted else "-",
            record.started[:16].replace("T", " "),
            escape(record.tag or ""),
        )
    table.print(console)


def print_estimate(estimate: CostEstimate, what: str = "pair") -> None:
    """Print the requests and the cost of a run that has not started."""
    console = results()
    several = (
        f" for {counted(estimate.replies, 'sample')}" if estimate.replies > estimate.calls else ""
    )
    console.print(
        f"{counted(estimate.cases, what)}, {counted(estimate.calls, 'call')} to make{several}"
        f" ({estimate.cached} in the reply cache,"
        f" {counted(estimate.unscored, f'{what} lacks', f'{what}s lack')} evidence)"
    )
    if estimate.guessed is not None:
        unknown = counted(estimate.guessed, "duration is", "durations are")
        guessed = f"; {unknown} unknown and guessed" if estimate.guessed else ""
        console.print(f"from durations, with imagined speech; nothing was extracted{guessed}")
    table = Table(box=None, pad_edge=False)
    for title in ("", "input tokens", "output tokens", "US dollars"):
        table.add_column(title, justify="right" if title else "left")
    for name, sent, got, cost in (
        ("expected", estimate.input_tokens, estimate.output_tokens, estimate.cost_usd),
        (
            "at most",
            estimate.input_tokens_at_most,
            estimate.output_tokens_at_most,
            estimate.cost_usd_at_most,
        ),
    ):
        price = "unknown" if cost is None else f"{cost:.4f}"
        table.add_row(name, f"{sent:,}", f"{got:,}", price)
    console.print(table)
    if estimate.audio_s:
        _print_sound(estimate)


def _print_sound(result: CostEstimate) -> None:
    """Sound in the requests, in all and per order; examples apart."""
    table = Table(box=None, pad_edge=False)
    titles = (
        "sound",
        "seconds",
        "of them examples",
        "parts",
        "MB of base64",
        "tokens",
        "US dollars",
    )
    for title in titles:
        table.add_column(title, justify="left" if title == "sound" else "right")
    for name, share in (("per order", result.orders), ("in all", 1)):
        cost = "unknown" if result.cost_usd is None else f"{result.cost_usd / share:.4f}"
        table.add_row(
            name,
            f"{result.audio_s / share:,.1f}",
            f"{result.example_audio_s / share:,.1f}",
            f"{result.audio_parts // share:,}",
            f"{result.audio_bytes / share / 1e6:,.2f}",
            f"{result.audio_tokens // share:,}" if result.audio_tokens else "unknown",
            cost,
        )
    results().print(table)
    results().print(
        "an unusable reply is asked again once, and pays for all sound of its call anew"
    )


def print_batch(batch: BatchWritten, what: str = "pair") -> None:
    """Which batch files were written."""
    console = results()
    files = ", ".join(map(str, batch.files))
    console.print(
        f"{counted(batch.requests, 'request')} -> {escape(files)}"
        f" ({batch.cached} in the reply cache,"
        f" {counted(batch.unscored, f'{what} lacks', f'{what}s lack')} evidence);"
        " send them, then --batch-results FILE"
    )


def print_diagnosis(diagnosis: Diagnosis) -> None:
    """Print what is installed and what can run here."""
    console = results()
    console.print(f"[bold]trace-eval {diagnosis.version}[/], {diagnosis.machine}")
    for title, checks in diagnosis.sections.items():
        console.print()
        print_checks(title, checks)


def print_checks(title: str, checks: Iterable[Check]) -> None:
    """Checks as a table: yes or no, what, and the details."""
    every = list(checks)
    for start in range(0, len(every), MAX_ROWS):  # nobody looks a check up in a file
        shown = None if start else escape(title)
        table = Table(title=shown, title_justify="left", box=None, show_header=False)
        for check in every[start : start + MAX_ROWS]:
            mark = "[green]yes[/]" if check.ok else "[yellow]no[/]"
            table.add_row(mark, escape(check.name), escape(check.detail))
        results().print(table)


def print_options(options: Sequence[ListedOption]) -> None:
    """The options of a judge: name, default, what for, meaning."""
    if not options:
        results().print("\nit has no options")
        return
    message = "\noptions: -J OPTION=VALUE, or OPTION = VALUE below [judge] in a file for --config"
    results().print(message, markup=False)
    for start in range(0, len(options), MAX_ROWS):  # nobody looks an option up in a file
        table = ConsoleRows(("option", "default", "for", "meaning"), fixed=("option",))
        for each in options[start : start + MAX_ROWS]:
            table.add(*map(escape, (each.name, each.default, each.items, each.meaning)))
        table.print()
