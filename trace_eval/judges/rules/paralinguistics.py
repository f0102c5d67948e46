"""Paralinguistics: requests against the evidence, else neutral delivery."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from pydantic import JsonValue

import trace_eval.judges.rules.checks as checks
from blueprints import Blueprint, Loudness
from trace_eval.data.judgement import DimensionVerdict
from trace_eval.judges.beside.rate import words_per_minute
from trace_eval.judges.rules.findings import (
    Read,
    RuleFinding,
    cannot_tell,
    read_longest_pause,
    read_rate,
    reader,
    variation,
    within,
)
from trace_eval.judges.rules.outcome import (
    AnswerStanding,
    MeasurementMissing,
    no_voice,
    verdict_of,
)
from trace_eval.judges.rules.requests import RuleInstruction
from trace_eval.judges.rules.thresholds import RuleThresholds
from trace_eval.judges.rules.vocabulary import RequestKind

#: What can be asked of a delivery that stays neutral otherwise. Who is to be angry, to
#: sing or to shout, and does, fails the checks of neutral delivery: they are no
#: substitute there.
NEUTRAL_TOO = frozenset(
    {
        RequestKind.ACCENT,
        RequestKind.REPEAT,
        RequestKind.RESPOND,
        RequestKind.STEADY_RATE,
    }
)


@dataclass(frozen=True)
class CheckedRequest:
    """One check with its finding on both answers."""

    label: str
    a: RuleFinding
    b: RuleFinding

    @property
    def comparable(self) -> bool:
        """True if both answers can be checked; half a comparison does not count."""
        return self.a.met is not None and self.b.met is not None

    def as_json(self) -> JsonValue:
        """Return it for the evidence of the verdict."""
        return {"check": self.label, "a": _as_json(self.a), "b": _as_json(self.b)}


def _as_json(finding: RuleFinding) -> JsonValue:
    strength = round(finding.strength, 2)
    return {"met": finding.met, "strength": strength, "why": finding.why}


def judge_paralinguistics(
    a: Blueprint, b: Blueprint, instruction: RuleInstruction, cuts: RuleThresholds
) -> DimensionVerdict:
    """Judge the typed tie on delivery; MeasurementMissing if it is unknown."""
    # Not the pitch: a whisper has none, and is speech.
    silent_a = no_voice(a, "rate", cuts)
    silent_b = no_voice(b, "rate", cuts)
    if silent_a or silent_b:
        silent = (silent_a, silent_b)
        return _with_silence(a, b, silent=silent, instruction=instruction, cuts=cuts)
    items, intro, kind = _choose(a, b, instruction, cuts)
    return _verdict(items, intro, kind, cuts)


def _choose(
    a: Blueprint, b: Blueprint, instruction: RuleInstruction, cuts: RuleThresholds
) -> tuple[list[CheckedRequest], str, str]:
    """Return checks, why these were chosen, and their kind."""
    if instruction.text is None:
        return _neutral(a, b, cuts), instruction.unread, "neutral"
    items: list[CheckedRequest] = []
    for request in instruction.requests:
        of_a, of_b = checks.check(request, a, b=b, instruction=instruction, cuts=cuts)
        items.append(CheckedRequest(request.label, of_a, of_b))
    if not items:
        return _neutral(a, b, cuts), "The instruction asks for no delivery", "neutral"
    if any(item.comparable for item in items):
        return items, "", "requests"
    reasons = _unknown_of_all(items)
    if any(r.kind not in NEUTRAL_TOO for r in instruction.requests if not r.negated):
        raise MeasurementMissing(
            f"there is no evidence of what was asked for ({reasons})"
        )
    intro = f"None of the requests can be told ({reasons})"
    return items + _neutral(a, b, cuts), intro, "neutral"


def _unknown(item: CheckedRequest) -> str:
    """Return why a request cannot be told for one or both answers."""
    if item.a.why == item.b.why:
        return item.a.why
    sides = {"A": item.a, "B": item.b}
    reasons = [f"{name}: {f.why}" for name, f in sides.items() if f.met is None]
    return ", ".join(reasons)


def _unknown_of_all(items: Sequence[CheckedRequest]) -> str:
    """Return for each request why it cannot be told."""
    return "; ".join(f"{item.label}: {_unknown(item)}" for item in items)


def _neutral(a: Blueprint, b: Blueprint, cuts: RuleThresholds) -> list[CheckedRequest]:
    items: list[CheckedRequest] = []
    both = zip(neutral(a, cuts), neutral(b, cuts), strict=True)
    for (name, first), (_, second) in both:
        items.append(CheckedRequest(name, first, second))
    return items


def neutral(b: Blueprint, cuts: RuleThresholds) -> list[tuple[str, RuleFinding]]:
    """Check ordinary delivery; passing by more is not better, so strength is 0 then."""
    rate = read_rate(words_per_minute(b))
    findings = {
        "ordinary rate": within(
            rate,
            cuts.rate_noise_wpm,
            cuts,
            low=cuts.neutral_wpm_low,
            high=cuts.neutral_wpm_high,
        ),
        "some intonation": within(
            variation(b),
            cuts.pitch_noise_semitones,
            cuts,
            low=cuts.neutral_min_semitones,
        ),
        "no long pauses": within(
            read_longest_pause(b),
            cuts.pause_noise_s,
            cuts,
            high=cuts.neutral_pause_s,
        ),
        "even loudness": within(
            _read_range(b),
            cuts.loudness_noise_lu,
            cuts,
            high=cuts.neutral_range_lu,
        ),
    }
    bounded: list[tuple[str, RuleFinding]] = []
    for name, finding in findings.items():
        strength = min(0.0, finding.strength)
        bounded.append((name, replace(finding, strength=strength)))
    return bounded


def _range(loudness: Loudness) -> Read:
    if loudness.range_lu is None:
        return cannot_tell("loudness has no range (too short)")
    return loudness.range_lu, f"loudness range {loudness.range_lu:.1f} LU"


_read_range = reader("loudness", _range)


def _verdict(
    items: list[CheckedRequest], intro: str, kind: str, cuts: RuleThresholds
) -> DimensionVerdict:
    """Return the verdict of the checks that apply to both answers."""
    comparable = [item for item in items if item.comparable]
    if not comparable:
        reasons = _unknown_of_all(items)
        raise MeasurementMissing(f"no delivery check can be made: {reasons}")
    share_a = _share([item.a for item in comparable])
    share_b = _share([item.b for item in comparable])
    stand_a = _stand([(item.label, item.a) for item in comparable], kind, cuts)
    stand_b = _stand([(item.label, item.b) for item in comparable], kind, cuts)
    lead, note = _lead(comparable, share_a - share_b, cuts)
    notes: list[str] = []
    if abs(lead) >= 1 and stand_a.acceptable and stand_b.acceptable:
        notes.append(note)
    if kind == "requests":
        for item in items:
            if not item.comparable:
                notes.append(f"{item.label} cannot be told ({_unknown(item)})")
    cited = cuts.named("share_margin", "strength_margin")
    evidence: dict[str, JsonValue] = {
        "checks": kind,
        "findings": [item.as_json() for item in items],
        "share_a": round(share_a, 3),
        "share_b": round(share_b, 3),
        "thresholds": cited | {"least_share": _least(kind, cuts)},
    }
    verdict = verdict_of(stand_a, stand_b, lead, notes=notes, evidence=evidence)
    lead_in = f"{intro}, so neutral delivery was checked. " if intro else ""
    return verdict.model_copy(update={"reasoning": lead_in + verdict.reasoning})


def _least(kind: str, cuts: RuleThresholds) -> float:
    return cuts.min_met_share if kind == "requests" else cuts.min_neutral_share


def _share(findings: Sequence[RuleFinding]) -> float:
    return sum(bool(finding.met) for finding in findings) / len(findings)


def _stand(
    findings: list[tuple[str, RuleFinding]], kind: str, cuts: RuleThresholds
) -> AnswerStanding:
    """Say how one answer stands by its checks."""
    share = _share([finding for _, finding in findings])
    if kind == "neutral":
        failed = [f"{label} fails: {f.why}" for label, f in findings if not f.met]
        passed = f"passes {len(findings) - len(failed)} of {len(findings)} checks"
        _, first = findings[0]
        message = "; ".join([passed] + (failed or [first.why]))
    else:
        requests: list[str] = []
        for label, finding in findings:
            met = "met" if finding.met else "not met"
            requests.append(f"{label} {met}: {finding.why}")
        message = "; ".join(requests)
    faults = () if share >= _least(kind, cuts) else (message,)
    return AnswerStanding(faults, message)


def _lead(
    items: list[CheckedRequest], shares: float, cuts: RuleThresholds
) -> tuple[float, str]:
    """Return A's lead in margins: by the share of checks met, else by mean strength."""
    if abs(shares) >= cuts.share_margin:
        note = f"shares of checks met differ by {abs(shares):.0%}"
        return shares / cuts.share_margin, note
    differences = [item.a.strength - item.b.strength for item in items]
    mean = math.fsum(differences) / len(items)
    note = f"equal shares, but {abs(mean):.1f} units of noise apart"
    return mean / cuts.strength_margin, note


def _with_silence(
    a: Blueprint,
    b: Blueprint,
    silent: tuple[str | None, str | None],
    instruction: RuleInstruction,
    cuts: RuleThresholds,
) -> DimensionVerdict:
    """Judge an answer without speech, so without delivery: the other stands alone."""
    sides: list[AnswerStanding] = []
    for side, why in zip((a, b), silent, strict=True):
        if why:
            sides.append(AnswerStanding((f"there is no delivery, {why}",)))
            continue
        items, intro, kind = _choose(side, side, instruction, cuts)
        findings = [(i.label, i.a) for i in items if i.comparable]
        if not findings:
            raise MeasurementMissing(
                f"no delivery check can be made of the answer that speaks: {intro}"
            )
        sides.append(_stand(findings, kind, cuts))
    evidence: dict[str, JsonValue] = {
        "checks": "silence",
        "a": silent[0],
        "b": silent[1],
    }
    return verdict_of(sides[0], sides[1], 0.0, evidence=evidence)
