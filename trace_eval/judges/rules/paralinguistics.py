"""Paralinguistics: requests of the instruction against the evidence, else neutral delivery."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from pydantic import JsonValue

import trace_eval.judges.rules.checks as checks
import trace_eval.judges.rules.text as text
from blueprints import Blueprint, Loudness, Pitch, Rate, Signal
from trace_eval.data.judgement import DimensionVerdict
from trace_eval.judges.rules.findings import (
    RuleFinding,
    above,
    absence,
    below,
    cannot_tell,
    words_per_minute,
)
from trace_eval.judges.rules.instruction import RuleInstruction
from trace_eval.judges.rules.outcome import (
    AnswerStanding,
    MeasurementMissing,
    margin_of,
    no_voice,
    typed_tie,
)
from trace_eval.judges.rules.requests import find_requests
from trace_eval.judges.rules.thresholds import RuleThresholds
from trace_eval.judges.rules.vocabulary import RequestKind

#: What can be asked of a delivery that stays neutral otherwise. Who is to be angry, to sing or to
#: shout, and does, fails the checks of neutral delivery: they are no substitute there.
NEUTRAL_TOO = frozenset(
    {RequestKind.ACCENT, RequestKind.REPEAT, RequestKind.RESPOND, RequestKind.STEADY_RATE}
)


@dataclass(frozen=True)
class CheckedRequest:
    """One check with its finding on both answers."""

    label: str
    a: RuleFinding
    b: RuleFinding

    @property
    def known(self) -> bool:
        """True when it can be told for both answers; half a comparison is none."""
        return self.a.met is not None and self.b.met is not None

    def as_json(self) -> JsonValue:
        """For the evidence of the verdict."""
        return {
            "check": self.label,
            **{
                side: {"met": f.met, "strength": round(f.strength, 2), "why": f.why}
                for side, f in (("a", self.a), ("b", self.b))
            },
        }


def judge_paralinguistics(
    a: Blueprint, b: Blueprint, instruction: RuleInstruction, cuts: RuleThresholds
) -> DimensionVerdict:
    """Typed tie on delivery.

    Raises:
        EvidenceMissing: nothing that was measured allows any check.
    """
    # Not the pitch: a whisper has none, and is speech.
    silent_a, silent_b = (no_voice(side, "rate", cuts) for side in (a, b))
    if silent_a or silent_b:
        return _with_silence(a, b, (silent_a, silent_b), instruction, cuts)
    items, intro, least, thresholds = _choose(a, b, instruction, cuts)
    return _verdict(items, intro, least, thresholds, cuts)


def _choose(
    a: Blueprint, b: Blueprint, instruction: RuleInstruction, cuts: RuleThresholds
) -> tuple[list[CheckedRequest], str, float, str]:
    """Checks to make, a sentence on their choice, the least share, the kind of checks."""
    if instruction.text is None:
        return _neutral(a, b, cuts), instruction.unread, *_least(cuts)
    wanted = checks.Instructed(find_requests(instruction.text), text.read(instruction.text).literal)
    items = [CheckedRequest(r.label, *checks.check(r, a, b, wanted, cuts)) for r in wanted.requests]
    if not items:
        return _neutral(a, b, cuts), "The instruction asks for no delivery", *_least(cuts)
    if any(item.known for item in items):
        return items, "", cuts.min_met_share, "requests"
    reasons = "; ".join(f"{item.label}: {_unknown(item)}" for item in items)
    if any(r.kind not in NEUTRAL_TOO for r in wanted.requests if not r.negated):
        raise MeasurementMissing(f"there is no evidence of what was asked for ({reasons})")
    intro = f"None of the requests can be told ({reasons})"
    return [*items, *_neutral(a, b, cuts)], intro, *_least(cuts)


def _least(cuts: RuleThresholds) -> tuple[float, str]:
    return cuts.min_neutral_share, "neutral"


def _unknown(item: CheckedRequest) -> str:
    reasons = [f"{n}: {f.why}" for n, f in (("A", item.a), ("B", item.b)) if f.met is None]
    return item.a.why if item.a.why == item.b.why else ", ".join(reasons)


def _neutral(a: Blueprint, b: Blueprint, cuts: RuleThresholds) -> list[CheckedRequest]:
    return [
        CheckedRequest(name, first, second)
        for (name, first), (_, second) in zip(neutral(a, cuts), neutral(b, cuts), strict=True)
    ]


def neutral(blueprint: Blueprint, cuts: RuleThresholds) -> list[tuple[str, RuleFinding]]:
    """Checks of ordinary delivery; passing them by more is not better, so strength is 0 then."""
    findings = [
        ("ordinary rate", _rate(blueprint, cuts)),
        ("some intonation", _intonation(blueprint, cuts)),
        ("no long pauses", _pauses(blueprint, cuts)),
        ("even loudness", _evenness(blueprint, cuts)),
    ]
    return [(name, RuleFinding(f.met, min(0.0, f.strength), f.why)) for name, f in findings]


def _rate(b: Blueprint, cuts: RuleThresholds) -> RuleFinding:
    if not isinstance(b.rate, Rate):
        return absence(b, "rate")
    wpm, what, _ = words_per_minute(b, cuts)
    if wpm is None:
        return cannot_tell(what)
    noise, limit = cuts.rate_noise_wpm, cuts.strength_limit
    low = above(wpm, cuts.neutral_wpm_low, noise, what, limit)
    high = below(wpm, cuts.neutral_wpm_high, noise, what, limit)
    why = f"{what} ({cuts.neutral_wpm_low:g} to {cuts.neutral_wpm_high:g})"
    return RuleFinding(bool(low.met and high.met), min(low.strength, high.strength), why)


def _intonation(b: Blueprint, cuts: RuleThresholds) -> RuleFinding:
    if not isinstance(b.pitch, Pitch):
        return absence(b, "pitch")
    what = f"pitch varies by {b.pitch.std_semitones:.1f} semitones (std)"
    cut, noise = cuts.neutral_min_semitones, cuts.pitch_noise_semitones
    return above(b.pitch.std_semitones, cut, noise, what, cuts.strength_limit)


def _pauses(b: Blueprint, cuts: RuleThresholds) -> RuleFinding:
    if not isinstance(b.signal, Signal):
        return absence(b, "signal")
    longest = max((pause.seconds for pause in b.signal.pauses), default=0.0)
    what, noise = f"longest pause {longest:.1f} s", cuts.pause_noise_s
    return below(longest, cuts.neutral_pause_s, noise, what, cuts.strength_limit)


def _evenness(b: Blueprint, cuts: RuleThresholds) -> RuleFinding:
    if not isinstance(b.loudness, Loudness):
        return absence(b, "loudness")
    if b.loudness.range_lu is None:
        return absence(b, "loudness", "range (too short)")
    what, noise = f"loudness range {b.loudness.range_lu:.1f} LU", cuts.loudness_noise_lu
    return below(b.loudness.range_lu, cuts.neutral_range_lu, noise, what, cuts.strength_limit)


def _verdict(
    items: list[CheckedRequest], intro: str, least: float, checks: str, cuts: RuleThresholds
) -> DimensionVerdict:
    available = [item for item in items if item.known]
    if not available:
        raise MeasurementMissing(
            "no delivery check can be made: "
            + "; ".join(f"{i.label}: {_unknown(i)}" for i in items)
        )
    share_a, share_b = _share([i.a for i in available]), _share([i.b for i in available])
    stand_a = _stand([(i.label, i.a) for i in available], least, checks)
    stand_b = _stand([(i.label, i.b) for i in available], least, checks)
    lead, note = _lead(available, share_a - share_b, cuts)
    rating = typed_tie(stand_a, stand_b, lead)
    parts = [stand_a.sentence("A"), stand_b.sentence("B")]
    if rating.is_winner and stand_a.acceptable and stand_b.acceptable:
        parts.append(note)
    if checks == "requests":
        parts += [f"{i.label} cannot be told ({_unknown(i)})" for i in items if not i.known]
    lead_in = f"{intro}, so neutral delivery was checked. " if intro else ""
    return DimensionVerdict(
        rating=rating,
        reasoning=f"{lead_in}{'; '.join(parts)}.",
        margin=margin_of(stand_a, stand_b, lead),
        evidence={
            "checks": checks,
            "findings": [item.as_json() for item in items],
            "share_a": round(share_a, 3),
            "share_b": round(share_b, 3),
            "thresholds": {
                "least_share": least,
                "share_margin": cuts.share_margin,
                "strength_margin": cuts.strength_margin,
            },
        },
    )


def _share(findings: Sequence[RuleFinding]) -> float:
    return sum(bool(finding.met) for finding in findings) / len(findings)


def _stand(findings: list[tuple[str, RuleFinding]], least: float, checks: str) -> AnswerStanding:
    share = _share([finding for _, finding in findings])
    if checks == "neutral":
        failed = [f"{label} fails: {f.why}" for label, f in findings if not f.met]
        passed = f"passes {len(findings) - len(failed)} of {len(findings)} checks"
        message = "; ".join([passed, *(failed or [findings[0][1].why])])
    else:
        message = "; ".join(f"{n} {'met' if f.met else 'not met'}: {f.why}" for n, f in findings)
    return AnswerStanding(() if share >= least else (message,), message)


def _lead(
    available: list[CheckedRequest], shares: float, cuts: RuleThresholds
) -> tuple[float, str]:
    """Lead of A in margins: by the share of checks met; at equal shares by mean strength."""
    if abs(shares) >= cuts.share_margin:
        return shares / cuts.share_margin, f"shares of checks met differ by {abs(shares):.0%}"
    mean = math.fsum(item.a.strength - item.b.strength for item in available) / len(available)
    note = f"equal shares, but {abs(mean):.1f} units of noise apart"
    return mean / cuts.strength_margin, note


def _with_silence(
    a: Blueprint,
    b: Blueprint,
    silent: tuple[str | None, str | None],
    instruction: RuleInstruction,
    cuts: RuleThresholds,
) -> DimensionVerdict:
    """An answer without speech has no delivery; the other is judged against itself."""
    sides: list[AnswerStanding] = []
    for side, why in zip((a, b), silent, strict=True):
        if why:
            sides.append(AnswerStanding((f"there is no delivery, {why}",)))
            continue
        items, intro, least, checks = _choose(side, side, instruction, cuts)
        findings = [(i.label, i.a) for i in items if i.known]
        if not findings:
            raise MeasurementMissing(
                f"no delivery check can be made of the answer that speaks: {intro}"
            )
        sides.append(_stand(findings, least, checks))
    rating = typed_tie(sides[0], sides[1], 0.0)
    return DimensionVerdict(
        rating=rating,
        reasoning="; ".join((sides[0].sentence("A"), sides[1].sentence("B"))) + ".",
        margin=margin_of(sides[0], sides[1], 0.0),
        evidence={"checks": "silence", "a": silent[0], "b": silent[1]},
    )
