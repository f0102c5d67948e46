"""The options of a judge with their defaults and meaning."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path

from blueprints import UserError
from trace_eval.data.rubrics.load import load_rubric
from trace_eval.data.settings import help_of, sentence
from trace_eval.judges.base import Judge
from trace_eval.judges.options.judge_options import STATE, JudgeOptions
from trace_eval.judges.registry.create import create_judge, create_scorers
from trace_eval.judges.registry.kinds import KINDS

#: Rubrics to make a judge of single answers with, until one fits: of words, of sound, of speech.
_RUBRICS = ("correctness", "style", "naturalness")


@dataclass(frozen=True)
class ListedOption:
    """An option that a judge has.

    Attributes:
        name: as in ``-J NAME=VALUE``, in ``[judge]`` of a file, and in ``JudgeOptions``.
        default: as it is written; empty: none.
        items: what it is for: ``pairs``, ``answers`` or ``all``.
        meaning: one sentence.
    """

    name: str
    default: str
    items: str
    meaning: str


async def options_of(spec: str, options: JudgeOptions) -> list[ListedOption]:
    """The options that this judge has, in the order of ``JudgeOptions``; contacts no server.

    Args:
        spec: of the judge.
        options: those of the user, which may decide what the judge is (e.g. ``task``).

    Raises:
        UserError: the judge cannot be made, or does not say which options it uses.
    """
    with tempfile.TemporaryDirectory(prefix="trace-eval-doctor-") as folder:
        cache = Path(folder) / "replies.sqlite"
        # The options of the user; failing those, the server's address alone; failing that, none.
        tries = [
            replace(each, cache=cache, offline=True, max_cost=None)
            for each in (options, JudgeOptions(base_url=options.base_url), JudgeOptions())
        ]
        pairs = await _uses(lambda each, _: create_judge(spec, each), tries, [""])
        kind = KINDS.get(spec.partition(":")[0])
        answers = await _uses(
            lambda each, name: create_scorers(spec, [load_rubric(name)], each)[0],
            tries,
            _RUBRICS if kind is None or kind.scores else (),
        )
    if pairs is None and answers is None:
        create_judge(spec, replace(options, cache=None))  # raises the reason
        raise UserError(
            f"judge {spec}: does not say which options it has; see its own documentation"
        )
    used, helps = (pairs or frozenset()) | (answers or frozenset()), help_of(JudgeOptions)
    listed = []
    for field in fields(JudgeOptions):
        name, default = field.name, field.default
        if name not in used - STATE:
            continue
        items = "all"
        if pairs is not None and answers is not None and name not in pairs & answers:
            items = "pairs" if name in pairs else "answers"
        shown = "" if default is None or default == () else str(default)
        shown = shown.lower() if isinstance(default, bool) else shown
        listed.append(ListedOption(name, shown, items, sentence(helps[name])))
    return listed


async def _uses(
    make: Callable[[JudgeOptions, str], Judge],
    tries: Sequence[JudgeOptions],
    rubrics: Sequence[str],
) -> frozenset[str] | None:
    """The options of the first judge that can be made; None: none can be, or it does not say."""
    for options in tries:
        for rubric in rubrics:
            try:
                judge = make(options, rubric)
            except UserError:
                continue
            await judge.close()
            return judge.uses
    return None
