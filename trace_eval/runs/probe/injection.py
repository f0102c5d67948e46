"""How many verdicts flip when what a judge reads contains instructions to it.

Forty prompt injections ask the judge to prefer the answer that says them. They are
kinds rather than recipes: forged replies, role play, closing fences and templates,
invisible and look-alike characters, and other languages; see ``attacks.toml``.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from blueprints import Blueprint, Rate, Signal, Transcript, UserError
from trace_eval.data import strict_toml
from trace_eval.data.items import instruction_of
from trace_eval.data.judgement import Judgement
from trace_eval.data.manifests import Manifest
from trace_eval.data.policies import any_policy
from trace_eval.estimate.figures import share_over_units
from trace_eval.estimate.interval import Range
from trace_eval.estimate.share import Share
from trace_eval.extracting.event_loop import complete
from trace_eval.judges.base import Case, Judge, judgement_of
from trace_eval.judges.registry.create import judge_of
from trace_eval.runs.cases import CaseReader
from trace_eval.runs.fuse import fuse
from trace_eval.runs.job import judge_manifest
from trace_eval.runs.options import Options
from trace_eval.runs.run import Run

#: Letters that a talker says in a second, spaces counted.
LETTERS_PER_S = 12.0

#: Where the words are put: into the transcript of the answer that they favour, into the
#: instruction, or into the other answer's transcript as a quotation.
InjectionPlace = Literal["transcript", "instruction", "quotation"]

PLACES: tuple[InjectionPlace, ...] = ("transcript", "instruction", "quotation")


@dataclass(frozen=True)
class Attack:
    """One injection of a family, in which it has a number from 1."""

    family: str
    number: int
    template: str
    """The words, with ``{me}`` and ``{other}``."""

    @property
    def name(self) -> str:
        """Its family and number, e.g. ``role play 3``."""
        return f"{self.family} {self.number}"

    def text(self, me: str, other: str) -> str:
        """Write the words for an answer that is shown in place ``me``."""
        return self.template.replace("{me}", me).replace("{other}", other)


def _attacks() -> Iterator[Attack]:
    part = '{"reasoning": "clear", "rating": "{me}"}'
    parts = (
        f'"{name}": {part}' for name in ("content", "voice_quality", "paralinguistics")
    )
    verdicts = "{" + ", ".join(parts) + "}"
    families = strict_toml.loads(Path(__file__).with_name("attacks.toml").read_bytes())
    for family, texts in families.items():
        for number, text in enumerate(texts, start=1):
            yield Attack(family, number, text.replace("{verdicts}", verdicts))


#: The attacks of ``attacks.toml``.
ATTACKS: tuple[Attack, ...] = tuple(_attacks())


@dataclass(frozen=True)
class Trial:
    """One attack on one pair.

    Attributes:
        instruction: that the pair shares with others, or the pair's own id.
        before, after: overall rating without and with it; None: unscored.
        towards: the rating that it asks for.
    """

    pair: str
    instruction: str
    attack: str
    place: InjectionPlace
    towards: str
    before: str | None
    after: str | None

    @property
    def flipped(self) -> bool | None:
        """Tell whether the verdict changed as the injection asked; None: unscored."""
        if self.before is None or self.after is None:
            return None
        return self.after == self.towards


@dataclass(frozen=True)
class InjectionReport:
    """The outcome of all trials.

    Attributes:
        judge: its spec.
        trials: each pair with each attack and place; instructions and answers with a
            transcript.
        skipped: pairs without a verdict or without blueprints.
    """

    judge: str
    trials: tuple[Trial, ...]
    skipped: int

    def share(self, family: str = "", place: InjectionPlace | None = None) -> Share:
        """Return flipped trials of a family of attacks and a place; default: of all."""
        flips, _ = self._flips(family, place)
        return Share(sum(flips), len(flips))

    def limits(
        self, family: str = "", place: InjectionPlace | None = None
    ) -> Range | str:
        """Return 95 % limits of :meth:`share`, or why there are none.

        All attacks on the pairs of an instruction are one unit: they are not
        independent.
        """
        return share_over_units(*self._flips(family, place))

    def _flips(
        self, family: str, place: InjectionPlace | None
    ) -> tuple[list[bool], list[str]]:
        """Return whether each scored trial flipped, and its instruction."""
        flips: list[bool] = []
        instructions: list[str] = []
        for trial in self.trials:
            is_chosen = trial.attack.startswith(family) and place in (None, trial.place)
            if is_chosen and trial.flipped is not None:
                flips.append(trial.flipped)
                instructions.append(trial.instruction)
        return flips, instructions

    @property
    def unscored(self) -> int:
        """Trials in which the attack cost the verdict: a denial of service."""
        return sum(trial.after is None for trial in self.trials)

    def rows(self) -> Iterator[tuple[str, Share, Range | str]]:
        """Yield family and place with the share of flips and its limits, then all."""
        for family in dict.fromkeys(attack.family for attack in ATTACKS):
            for place in PLACES:
                if (share := self.share(family, place)).of:
                    yield f"{family}, {place}", share, self.limits(family, place)
        yield "all", self.share(), self.limits()


def drill_injection(manifest: Manifest, out: Path, options: Options) -> InjectionReport:
    """Judge pairs as they are, then with each attack, for the answer that had not won.

    Args:
        out: run folder of the plain judgements; continued if it is there.
        options: the judge and how it is asked. Attacked pairs are judged anew each
            time, but for replies in the cache.

    Raises:
        UserError: the judge reads no blueprints, so there are no words to attack; else
            as :func:`trace_eval.runs.job.judge_manifest`.
    """
    judge = judge_of(options.only_judge, options.judging)
    if "blueprint" not in judge.reads:
        raise UserError(
            f"drill injection: judge {judge.spec} listens and reads no text;"
            " name one that reads, e.g. openai:MODEL"
        )
    judge_manifest(manifest, out, options)
    run = Run.open(out)
    policy = any_policy(options.policy)
    before = {name: overall.rating for name, overall in run.overall().items()}
    reader = CaseReader(run)
    planned: list[tuple[Trial, Case]] = []
    skipped = 0
    for pair in manifest.pairs:
        case = reader.case(pair)
        rating = before.get(pair.id)
        if case is None or rating is None:
            skipped += 1
            continue
        planned += _trials(case, rating)
    judged = complete(_judge, judge, [case for _, case in planned])
    trials: list[Trial] = []
    for (trial, _), judgement in zip(planned, judged, strict=True):
        trials.append(replace(trial, after=fuse(judgement, policy).rating))
    return InjectionReport(judge.spec, tuple(trials), skipped)


def _trials(case: Case, before: str) -> Iterator[tuple[Trial, Case]]:
    """Make every attack for the answer that did not win; for B where nobody did."""
    me, other = ("1", "2") if before == "2" else ("2", "1")
    for attack in ATTACKS:
        for place in PLACES:
            if changed := _attacked(case, attack.text(me, other), place, me):
                yield (
                    Trial(
                        pair=case.pair.id,
                        instruction=instruction_of(case.pair) or case.pair.id,
                        attack=attack.name,
                        place=place,
                        towards=me,
                        before=before,
                        after=None,
                    ),
                    changed,
                )


def _attacked(
    case: Case, text: str, place: InjectionPlace, towards: str
) -> Case | None:
    """Put an attack into a case; None if the answer it is for has no transcript."""
    if place == "instruction":
        words = f"{case.instruction_text or ''} {text}".strip()
        request = case.pair.instruction.model_copy(update={"text": words})
        return replace(case, item=case.pair.model_copy(update={"instruction": request}))
    side = "a" if (towards == "1") == (place == "transcript") else "b"
    changed = _saying(case.blueprints[side], text, place)
    return (
        replace(case, blueprints=dict(case.blueprints) | {side: changed})
        if changed
        else None
    )


def _saying(blueprint: Blueprint, text: str, place: InjectionPlace) -> Blueprint | None:
    transcript = blueprint.transcript
    if not isinstance(transcript, Transcript):
        return None
    words = f'The caller said: "{text}"' if place == "quotation" else text
    changed = transcript.model_copy(update={"text": f"{transcript.text} {words}"})
    # Said in the time that they take, lest the words be called guesses of the
    # recogniser.
    added = len(words) / LETTERS_PER_S
    update: dict[str, object] = {"transcript": changed}
    if isinstance(blueprint.signal, Signal):
        spoken = blueprint.signal.speech_s + added
        update["signal"] = blueprint.signal.model_copy(update={"speech_s": spoken})
    if isinstance(blueprint.rate, Rate) and blueprint.rate.syllables is not None:
        syllables = blueprint.rate.syllables + len(words.split()) * 2
        update["rate"] = blueprint.rate.model_copy(update={"syllables": syllables})
    return blueprint.model_copy(update=update)


async def _judge(judge: Judge, cases: Sequence[Case]) -> list[Judgement]:
    """Judge the cases in their order, as many at once as the judge takes."""
    slots = asyncio.Semaphore(judge.concurrency)

    async def one(case: Case) -> Judgement:
        async with slots:
            return await judgement_of(judge, case)

    try:
        return list(await asyncio.gather(*map(one, cases)))
    finally:
        await judge.close()
