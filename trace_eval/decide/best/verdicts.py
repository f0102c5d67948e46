"""Comparisons of candidates as judged pairs: a run per round, each resumable."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import count
from pathlib import Path
from typing import Any, cast

from blueprints import UserError
from fusion import DIMENSIONS, Dimension
from trace_eval.data import jsonl
from trace_eval.data.files import make_folder
from trace_eval.data.items import MAX_ID, Pair, side_of_pair
from trace_eval.data.judgement import Judgement, Overall
from trace_eval.data.manifests import read_manifest
from trace_eval.decide.best.candidates import TextGroup
from trace_eval.decide.best.options import Scheme
from trace_eval.decide.best.ranking import Match, SchemeVerdict, bracket
from trace_eval.judges.ask.estimate import CostEstimate
from trace_eval.runs.events import Listener
from trace_eval.runs.options import Options
from trace_eval.runs.run import Run
from trace_eval.runs.session import Session

#: What may decide a comparison; the default is the pair's overall rating.
DECIDERS = ("overall", *DIMENSIONS)

#: Key of the meta of a pair that holds its candidates.
_MATCH = "match"


@dataclass(frozen=True)
class Comparing:
    """The settings by which comparisons are judged."""

    options: Options
    by: str  # one of DECIDERS
    folder: Path  # of the rounds
    listener: Listener | None = None  # gets an event of every clip and pair

    def __post_init__(self) -> None:
        if self.by not in DECIDERS:
            raise UserError(
                f"by {self.by!r}: a comparison is decided by {', '.join(DECIDERS)}"
            )

    def manifest(self, number: int) -> Path:
        """Return the manifest of a round's pairs."""
        return self.folder / f"round-{number}.jsonl"

    def run(self, number: int) -> Path:
        """Return the folder of a round's run."""
        return self.folder / f"round-{number}"


#: The next comparisons from the verdicts so far, as (group, match); empty: none is
#: left.
Schedule = Callable[[Mapping[Match, SchemeVerdict]], Sequence[tuple[TextGroup, Match]]]


def play(how: Comparing, needed: Schedule) -> dict[Match, SchemeVerdict]:
    """Run the needed comparisons, round by round, all groups together.

    What was judged before is read, and what could not be scored is tried again. A round
    that was begun keeps its pairs, so a verdict that changes adds comparisons and loses
    none.
    """
    verdicts: dict[Match, SchemeVerdict] = {}
    for number in count(1):
        if not how.manifest(number).exists():
            pairs = [pair_of(group, match) for group, match in needed(verdicts)]
            if not pairs:
                break
            _write_round(how, number, pairs)
        verdicts |= _judge_round(how, number)
    return verdicts


def scheduled(groups: Sequence[TextGroup], scheme: Scheme) -> Schedule:
    """Schedule the comparisons that a scheme needs of every group."""

    def needed(
        verdicts: Mapping[Match, SchemeVerdict],
    ) -> list[tuple[TextGroup, Match]]:
        missing: list[tuple[TextGroup, Match]] = []
        for group in groups:
            names = [candidate.id for candidate in group.candidates]
            matches = bracket(scheme, names, verdicts).matches
            missing += [(group, match) for match in matches]
        return missing

    return needed


def listed(matches: Sequence[tuple[TextGroup, Match]]) -> Schedule:
    """Schedule some comparisons and no others."""

    def needed(
        verdicts: Mapping[Match, SchemeVerdict],
    ) -> list[tuple[TextGroup, Match]]:
        return [(group, match) for group, match in matches if match not in verdicts]

    return needed


def pair_of(group: TextGroup, match: Match) -> Pair:
    """Return a comparison as a pair; its id has names that a judge is not shown."""
    candidates = {candidate.id: candidate for candidate in group.candidates}
    first, second = match
    a = candidates[first]
    b = candidates[second]
    name = f"{first} ~ {second}"
    if len(name) > MAX_ID:
        name = hashlib.sha256(name.encode()).hexdigest()
    return Pair(
        id=name,
        instruction=a.item.instruction,
        a=side_of_pair(a.item, a.item.system or a.id),
        b=side_of_pair(b.item, b.item.system or b.id),
        instruction_id=group.name,
        category=a.item.category,
        meta={_MATCH: list(match)},
    )


def _write_round(how: Comparing, number: int, pairs: Sequence[Pair]) -> None:
    make_folder(how.folder, private=True)
    lines = (pair.model_dump_json(exclude_none=True) for pair in pairs)
    jsonl.write_all(how.manifest(number), lines)


def _judge_round(how: Comparing, number: int) -> Iterator[tuple[Match, SchemeVerdict]]:
    manifest = read_manifest(how.manifest(number))
    if manifest.problems:
        raise UserError(f"{manifest.problems[0]}; delete {how.folder} and select again")
    with Session(manifest, how.run(number), how.options, how.listener) as session:
        session.judge_pending()
    run = Run.open(how.run(number))
    judgements, overall = run.judgements(), run.overall()
    for pair in manifest.pairs:
        if pair.id in judgements:
            verdict = verdict_of(judgements[pair.id], overall.get(pair.id), how.by)
            yield tuple(map(str, pair.meta[_MATCH])), verdict  # type: ignore[misc,arg-type]


def verdict_of(judgement: Judgement, overall: Overall | None, by: str) -> SchemeVerdict:
    """Return the verdict of a stored judgement; all ties are one."""
    if by == "overall":
        result: Any = overall
    else:
        result = judgement.dimensions.get(cast(Dimension, by))
    if judgement.status != "scored" or result is None or result.rating is None:
        why = str(judgement.reason) if judgement.reason else None
        return SchemeVerdict(None, why=why)
    label: Any = str(result.rating)
    if label not in ("1", "2"):
        label = "tie"
    if judgement.pair_scores:
        return SchemeVerdict(label, judgement.pair_scores.p_a)
    distribution = result.distribution or {label: 1.0}
    shares = {str(rating): share for rating, share in distribution.items()}
    first = shares.get("1", 0.0)
    second = shares.get("2", 0.0)
    return SchemeVerdict(label, first + (1 - first - second) / 2)


def estimate_first_round(how: Comparing, needed: Schedule) -> tuple[int, CostEstimate]:
    """Return the first round's comparisons and cost; extracts, but sends nothing."""
    pairs = [pair_of(group, match) for group, match in needed({})]
    draft = replace(how, folder=how.folder / "estimate")
    _write_round(draft, 1, pairs)
    manifest = read_manifest(draft.manifest(1))
    with Session(manifest, draft.run(1), how.options) as session:
        return len(pairs), session.estimate()
