"""Tables, runs and replies that are odd but valid: a command ends with a code of ours.

Nothing here is damaged. Names are empty, systems meet themselves, a class never occurs,
a system has no usable comparison, everything is a copy of everything: such files come
from real studies. Every command that takes them answers, or says in one line why it
cannot. Commands run in this process: their work takes a tenth of the time of a process
of their own.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import random
import signal
import sys
import tempfile
from pathlib import Path

from benchmarks.drill.odd_commands import (
    commands_of_answers,
    commands_of_calls,
    commands_of_pairs,
    commands_of_scores,
    commands_of_sheets,
    commands_of_typed,
)
from benchmarks.drill.odd_tables import (
    OF_CALLS,
    OF_PAIRS,
    OF_SCORES,
    SHARED,
    plain_calls,
    plain_pairs,
    plain_scores,
)
from benchmarks.drill.outcome import Outcome
from benchmarks.drill.remedies import followed, unchanged, unknown
from tests.support.cases import verdict
from tests.support.forked import Done
from trace_eval.commands.cli import main
from trace_eval.judges.ask.unread_reply import ReplyError
from trace_eval.judges.read.labels import parse_reply

#: Codes that a command may end with.
OURS = (0, 1, 2, 3)

#: What is judged -> plain rows, kinds of oddness, and commands.
WORLDS = {
    "pairs": (plain_pairs, {**SHARED, **OF_PAIRS}, commands_of_pairs),
    "scores": (plain_scores, {**SHARED, **OF_SCORES}, commands_of_scores),
    "typed ties": (plain_pairs, {**SHARED, **OF_PAIRS}, commands_of_typed),
    "sheets": (plain_pairs, {**SHARED, **OF_PAIRS}, commands_of_sheets),
    "answers": (plain_scores, {**SHARED, **OF_SCORES}, commands_of_answers),
    "calls": (plain_calls, OF_CALLS, commands_of_calls),
}


def drill(share: float, seed: int, only: str | None = None) -> Outcome:
    """Run so large a share of all commands on all odd tables and runs.

    Args:
        only: of one kind of oddness.
    """
    outcome = Outcome("odd but valid tables, runs and replies")
    for kind in REPLIES if only is None else ():
        outcome.lost += replies(kind).lost
        outcome.cases += 1
    draw = random.Random(seed)
    for what, (plain, kinds, commands) in WORLDS.items():
        for kind, change in kinds.items():
            if only not in (None, kind):
                continue
            outcome.note(f"kinds of {what}", 1)
            with tempfile.TemporaryDirectory() as name:
                for command in commands(Path(name), change(plain())):
                    if draw.random() < share:
                        _try(outcome, f"{what}, {kind}", command, Path(name))
    return outcome


#: What a reply may hold around a whole verdict without giving one.
REPLIES: dict[str, str] = {
    "a draft without an end": "<think>{}",
    "a draft of another name": "<reasoning>{}</reasoning> So be it.",
    "a draft in brackets": "[THINK]{}",
    "a draft in a channel": "<|channel|>analysis<|message|>{}<|end|>",
    "a draft without its marks": "analysisWe compare. {}",
    "an end that is another one": "<think>{}</reasoning>",
    "half a verdict behind a draft": '<think>{}</think>{{"content": {{"reasoning": "A is',
}


def replies(kind: str) -> Outcome:
    """Read a reply of :data:`REPLIES` whose only verdict stands in a draft."""
    outcome = Outcome("replies with drafts", 1)
    text = REPLIES[kind].format(json.dumps(verdict()))
    try:
        read = parse_reply(text, "label")
    except ReplyError:
        return outcome
    outcome.check(False, f"{kind}: read as {read.ratings}")
    return outcome


def trace_eval(*arguments: object, cwd: Path) -> Done:
    """Run a command in this process, and return its outcome."""
    out, err = io.StringIO(), io.StringIO()
    before, place, code = sys.argv, Path.cwd(), 0
    on_ctrl_c = signal.getsignal(signal.SIGINT)
    sys.argv = ["trace-eval", *map(str, arguments)]
    os.chdir(cwd)
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            main()
    except SystemExit as end:
        code = int(end.code or 0)
    finally:
        sys.argv = before
        os.chdir(place)
        signal.signal(signal.SIGINT, on_ctrl_c)  # a command that ends ignores Ctrl-C
    return Done(code, out.getvalue(), err.getvalue())


def _try(outcome: Outcome, about: str, command: list[object], folder: Path) -> None:
    """Run one command and look at its end."""
    done = trace_eval(*command, cwd=folder)
    _look(outcome, about, command=command, done=done)
    if done.code != 2:
        return
    again = followed(command, done, lambda words: trace_eval(*words, cwd=folder))
    for remedy, after in again.items():
        outcome.note("remedies followed", 1)
        _look(outcome, f"{about}, {remedy}", command=command, done=after)
        useless = unchanged(done, after) or unknown(after)
        outcome.check(not useless, f"{about}: {command[0]}: {remedy} changes nothing")


def _look(outcome: Outcome, about: str, command: list[object], done: Done) -> None:
    """Count how a command ended, and keep what no command may do."""
    outcome.cases += 1
    outcome.note(f"code {done.code}", 1)
    line = " ".join(
        Path(str(word)).name if "/" in str(word) else str(word) for word in command
    )
    fine = done.code in OURS and "Traceback" not in done.out + done.err
    last = done.err.strip().splitlines()[-1:] or [""]
    outcome.check(fine, f"{about}: {line}: code {done.code}: {last[0][-250:]}")
