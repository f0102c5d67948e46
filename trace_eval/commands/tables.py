"""Tables on stdout: the results of a run, its summary, and what doctor found."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from rich.markup import escape
from rich.table import Table

from blueprints import counted
from fusion import DIMENSIONS, Numbers
from trace_eval.commands.console import messages, results, warn
from trace_eval.runs.guesses import guesses_in
from trace_eval.runs.outcomes import NOT_JUDGED, NOT_SCORED, ScoreRow, VerdictRow
from trace_eval.runs.run import Run

if TYPE_CHECKING:  # the LLM clients take half a second to import
    from rich.console import Console

    from trace_eval.api.doctor import Diagnosis
    from trace_eval.judges.chat.batch import BatchWritten
    from trace_eval.judges.chat.estimate import CostEstimate
    from trace_eval.judges.doctor import Check
    from trace_eval.judges.listing import ListedOption
    from trace_eval.runs.listing import Listed
    from trace_eval.runs.summary import Summary

#: Column titles of the three dimensions.
_TITLES = {"content": "C", "voice_quality": "VQ", "paralinguistics": "P"}

#: Marks a rating on which the two orders contradict each other.
_INCONSISTENT = "!"

#: Rows that a terminal is shown; the rest is in results.csv.
_MAX_ROWS = 200


def print_results(folder: Path) -> None:
    """The table of a run: pair, C, VQ, P, overall, why; and where the run is."""
    run = Run.open(folder)
    _warn_of_guesses(run)
    outcomes, overall = run.outcomes(), run.overall()
    table = Table(box=None, pad_edge=False)
    for title in ("pair", *(_TITLES[name] for name in DIMENSIONS), "overall", "why"):
        table.add_column(title, overflow="fold", no_wrap=title not in ("pair", "why"))
    for number, (pair, fused) in enumerate(overall.items()):
        if number == _MAX_ROWS:
            break
        outcome = outcomes.get(pair, NOT_JUDGED)
        marks = [name in outcome.inconsistent for name in DIMENSIONS]
        shown = [
            f"{rating or '-'}{_INCONSISTENT if doubtful else ''}"
            for rating, doubtful in zip(
                (*outcome.ratings, fused.rating), (*marks, any(marks)), strict=True
            )
        ]
        table.add_row(escape(pair), *shown, escape(fused.why))
    console = results()
    console.print(table)
    if len(overall) > _MAX_ROWS:
        console.print(f"... {counted(len(overall) - _MAX_ROWS, 'more row')} in results.csv")
    for caveat in sorted({caveat for o in outcomes.values() for caveat in o.caveats}):
        console.print(f"\n[dim]note: {escape(caveat)}[/]")
    _print_orders(outcomes, console)
    policies = {fused.policy for fused in overall.values()}
    console.print(f"\npolicy {', '.join(sorted(policies))}; run: {escape(str(folder))}")


def _warn_of_guesses(run: Run) -> None:
    """Warn that the words of some clips are guesses, before the ratings that might rest on them."""
    if line := guesses_in(run).line:
        warn(line)


def _print_orders(outcomes: dict[str, VerdictRow], console: Console) -> None:
    """What the order of the answers did to the ratings."""
    if not any(outcome.both_orders for outcome in outcomes.values()):
        return
    from trace_eval.stats.agreement.bias.first_position import first_position_test

    if any(outcome.inconsistent for outcome in outcomes.values()):
        console.print(
            f"\n{_INCONSISTENT} inconsistent: the two orders contradict each other, so this is no"
            " verdict on the answers"
        )
    if found := first_position_test(outcomes.values()):
        console.print(f"\norders: {found.line}")
        if found.warning:
            warn(found.warning)


def print_scores(folder: Path) -> None:
    """The table of a rating: item, system, and per rubric the score and its spread."""
    from trace_eval.runs.score_table import rubrics_of

    run = Run.open(folder)
    _warn_of_guesses(run)
    scales = {name: rubric.numbers for name, rubric in rubrics_of(run).items()}
    outcomes = run.score_outcomes()
    table = Table(box=None, pad_edge=False)
    table.add_column("item", overflow="fold")
    table.add_column("system", overflow="fold")
    for name in scales:
        table.add_column(name, justify="right", no_wrap=True)
        table.add_column("spread", justify="right", no_wrap=True)
    if why := any(outcome.detail for outcome in outcomes.values()):
        table.add_column("why", overflow="fold")
    console, rows = results(), 0
    for rows, item in enumerate(run.singles(), start=1):
        if rows <= _MAX_ROWS:
            cells = [
                cell
                for name, scale in scales.items()
                for cell in _score_cells(outcomes.get((item.id, name), NOT_SCORED), scale)
            ]
            if why:
                told = [outcomes.get((item.id, name), NOT_SCORED).detail for name in scales]
                cells.append(escape("; ".join(dict.fromkeys(filter(None, told)))))
            table.add_row(escape(item.id), escape(item.system or "-"), *cells)
    console.print(table)
    if rows > _MAX_ROWS:
        console.print(f"... {counted(rows - _MAX_ROWS, 'more row')} in results.csv")
    for caveat in sorted({_kind_of(caveat) for o in outcomes.values() for caveat in o.caveats}):
        console.print(f"\n[dim]note: {escape(caveat)}[/]")
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
    """A caveat without what is special to one item."""
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


def print_runs(runs: Sequence[Listed]) -> None:
    """One line per run."""
    console = results()
    if not runs:
        messages().print("no runs here; trace-eval judge PAIRS makes one")
        return
    table = Table(box=None, pad_edge=False)
    for title in ("run", "input", "judge", "policy", "scored", "started (UTC)", "tag"):
        table.add_column(title, overflow="fold", no_wrap=title in ("scored", "started (UTC)"))
    for run in runs:
        if run.record is None:
            warn(run.problem)
            continue
        record = run.record
        counted = record.coverage
        table.add_row(
            escape(str(run.folder)),
            escape(Path(record.input).name),
            escape(record.judge.spec),
            "-" if record.rubrics else escape(record.policy),
            f"{counted.scored}/{counted.total}" if counted else "-",
            record.started[:16].replace("T", " "),
            escape(record.tag or ""),
        )
    console.print(table)


def print_estimate(estimate: CostEstimate, what: str = "pair") -> None:
    """What a run would send and cost."""
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


def _print_sound(found: CostEstimate) -> None:
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
    for name, share in (("per order", found.orders), ("in all", 1)):
        cost = "unknown" if found.cost_usd is None else f"{found.cost_usd / share:.4f}"
        table.add_row(
            name,
            f"{found.audio_s / share:,.1f}",
            f"{found.example_audio_s / share:,.1f}",
            f"{found.audio_parts // share:,}",
            f"{found.audio_bytes / share / 1e6:,.2f}",
            f"{found.audio_tokens // share:,}" if found.audio_tokens else "unknown",
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
    """What is installed and what can run here."""
    console = results()
    console.print(f"[bold]trace-eval {diagnosis.version}[/], {diagnosis.machine}")
    for title, checks in diagnosis.sections.items():
        console.print()
        print_checks(title, checks)


def print_checks(title: str, checks: Iterable[Check]) -> None:
    """Checks as a table: yes or no, what, and the details."""
    table = Table(title=escape(title), title_justify="left", box=None, show_header=False)
    for check in checks:
        mark = "[green]yes[/]" if check.ok else "[yellow]no[/]"
        table.add_row(mark, escape(check.name), escape(check.detail))
    results().print(table)


def print_options(options: Sequence[ListedOption]) -> None:
    """The options of a judge: name, default, what for, meaning."""
    if not options:
        results().print("\nit has no options")
        return
    table = Table(box=None, pad_edge=False)
    for title in ("option", "default", "for", "meaning"):
        table.add_column(title, overflow="fold", no_wrap=title == "option")
    for each in options:
        row = (each.name, each.default, each.items, each.meaning)
        table.add_row(*map(escape, row))
    told = "\noptions: -J OPTION=VALUE, or OPTION = VALUE below [judge] in a file for --config"
    results().print(told, markup=False)
    results().print(table)
