"""The options of a judge with their defaults and meaning."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path

from blueprints import UserError
from trace_eval.data.settings import help_of, sentence
from trace_eval.judges.base import Judge
from trace_eval.judges.options.judge_options import STATE, JudgeOptions
from trace_eval.judges.registry.create import create_judge, create_scorers
from trace_eval.judges.registry.kinds import KINDS
from trace_eval.rubrics.load import load_rubric

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
    """The options that this judge has, in the order of ``JudgeOptions``; asks no server.

    Args:
        spec: of the judge.
        options: those of the user, which may decide what the judge is (e.g. ``task``).

    Raises:
        UserError: the judge cannot be made, or does not say which options it uses.
    """
    with tempfile.TemporaryDirectory(prefix="trace-eval-doctor-") as folder:
        cache = Path(folder) / "replies.sqlite"
        pairs = await _uses(_pair_judges(spec, options, cache))
        answers = await _uses(_scorers(spec, options, cache))
    if pairs is None and answers is None:
        create_judge(spec, replace(options, cache=None))  # says why
        raise UserError(f"judge {spec}: does not say which options it has; see its own pages")
    result, helps = (pairs or frozenset()) | (answers or frozenset()), help_of(JudgeOptions)
    listed = []
    for field in fields(JudgeOptions):
        if field.name in result - STATE:
            items = _items(field.name, pairs, answers)
            default = _written(field.default)
            listed.append(ListedOption(field.name, default, items, sentence(helps[field.name])))
    return listed


def _items(name: str, pairs: frozenset[str] | None, answers: frozenset[str] | None) -> str:
    """What an option is for, by what the judge of pairs and that of answers use."""
    if pairs is not None and answers is not None and name not in pairs & answers:
        return "pairs" if name in pairs else "answers"
    return "all"


def _written(default: object) -> str:
    if default is None or default == ():
        return ""
    return str(default).lower() if isinstance(default, bool) else f"{default}"


async def _uses(judges: Iterator[Judge]) -> frozenset[str] | None:
    """What the first judge that can be made uses; None: none can be, or it does not say."""
    judge = next(judges, None)
    if judge is None:
        return None
    uses = getattr(judge, "uses", None)
    await judge.close()
    return uses


def _tries(options: JudgeOptions, cache: Path) -> Iterator[JudgeOptions]:
    """What the user chose; failing that, where the server is; failing that, nothing."""
    for each in (options, JudgeOptions(base_url=options.base_url), JudgeOptions()):
        yield replace(each, cache=cache, offline=True, max_cost=None)


def _pair_judges(spec: str, options: JudgeOptions, cache: Path) -> Iterator[Judge]:
    for each in _tries(options, cache):
        try:
            yield create_judge(spec, each)
        except UserError:
            continue


def _scorers(spec: str, options: JudgeOptions, cache: Path) -> Iterator[Judge]:
    kind = KINDS.get(spec.partition(":")[0])
    names: Sequence[str] = _RUBRICS if kind is None or kind.scores else ()
    for each in _tries(options, cache):
        for name in names:
            try:
                (judge,) = create_scorers(spec, [load_rubric(name)], each)
            except UserError:
                continue
            yield judge
