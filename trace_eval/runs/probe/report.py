"""Results of a judge's sanity probes: the drill writes them, the card shows them."""

from __future__ import annotations

import math
import shlex
from collections.abc import Iterable, Mapping
from pathlib import Path

from blueprints import Strict, UserError, counted
from trace_eval.data import jsonl, strict_json
from trace_eval.estimate.interval import SCORE, WILSON, Range
from trace_eval.estimate.share import Share
from trace_eval.estimate.worth import LEAST_UNITS

#: What the limits of the shares are, for captions.
LIMITS_BY = (
    f"{WILSON}, 95%, where each pair is of its own instruction, else {SCORE} over"
    f" instructions, from {LEAST_UNITS} of them on"
)

#: Share of the pairs in which an expected relation should hold: a probe catches a judge
#: where it surely holds in fewer.
LEAST_HELD = 0.95

#: Chance with which a probe may catch a judge of which it holds in just that share.
BY_CHANCE = 0.025

#: Chance with which a drill should catch a judge.
POWER = 0.95

#: In the folder of a drill, and where a card finds it in the folder of a run.
FILE = "probes.json"


class ProbeRow(Strict):
    """The result of one probe.

    Attributes:
        held: of the pairs with a verdict, those in which the expected relation holds.
        unscored: pairs without a verdict, on the plain or on the changed pair.
        limits: 95 % limits of the share, or why there are none: pairs of one
            instruction are one unit. None: the file was written before they were kept.
    """

    name: str
    expected: str
    held: Share
    unscored: int
    limits: Range | str | None = None

    @property
    def ends(self) -> tuple[float | None, float | None]:
        """Both limits; None where there are none."""
        return (
            (None, None)
            if self.limits is None or isinstance(self.limits, str)
            else self.limits
        )

    @property
    def has_caught(self) -> bool:
        """Whether the relation surely holds in under :data:`LEAST_HELD` of the pairs.

        The limits know of pairs of one instruction, and the binomial test of few pairs.
        """
        high = self.ends[1]
        return high is not None and high < LEAST_HELD and _is_rare(self.held)


class ProbeReport(Strict):
    """The results of all probes.

    Attributes:
        judge: its spec.
        pairs: that were probed.
        rows: one per probe.
        left_out: probes that could not be made, and why.
    """

    judge: str
    pairs: int
    rows: tuple[ProbeRow, ...]
    left_out: tuple[str, ...] = ()

    @property
    def sentence(self) -> str:
        """What the probes caught, or else the rarest break they would have caught."""
        caught: list[str] = []
        for row in self.rows:
            if row.has_caught:
                caught.append(f"{row.name} (holds in {row.held.counts})")
        if caught:
            return f"{self.judge} is caught by {', '.join(caught)}."
        reasons = [row.limits for row in self.rows if isinstance(row.limits, str)]
        if reasons and len(reasons) == len(self.rows):
            return f"No probe can catch {self.judge}: {reasons[0]}."
        none = f"No probe catches {self.judge}"
        least = least_caught(self.pairs)
        if least is None:
            return f"{none}: {counted(self.pairs, 'pair')} cannot catch anything."
        return (
            f"{none}. {counted(self.pairs, 'pair')} of different instructions catch, with"
            f" a chance of {POWER:.0%}, a judge that breaks what a probe expects in"
            f" {math.ceil(100 * least)}% of them."
        )

    def save(self, folder: Path) -> Path:
        """Write it into the folder of a drill; returns the file."""
        path = folder / FILE
        jsonl.write_all(path, [self.model_dump_json(indent=2)])
        return path


def least_caught(pairs: int) -> float | None:
    """Return the least share of broken pairs that n pairs catch with :data:`POWER`.

    Pairs are of different instructions. None: they are too few to catch anything.
    """
    from scipy.special import bdtri

    held = [number for number in range(pairs + 1) if _is_rare(Share(number, pairs))]
    # The number of pairs that hold is binomial; where this share of them is broken, it is
    # with the wanted chance among the numbers that catch.
    return 1 - float(bdtri(held[-1], pairs, POWER)) if held else None


def _is_rare(held: Share) -> bool:
    """Whether chance rarely leaves so few pairs where the relation mostly holds."""
    from scipy.special import bdtr

    if not held.of:
        return False
    return bool(bdtr(held.count, held.of, LEAST_HELD) < BY_CHANCE)


def read_probes(path: Path) -> ProbeReport:
    """Read a report that :meth:`ProbeReport.save` wrote, by its file or drill folder.

    Raises:
        UserError: there is none, or it is no such file.
    """
    path = path / FILE if path.is_dir() else path
    try:
        return strict_json.parse(ProbeReport, path.read_bytes())
    except (OSError, strict_json.BadJson) as error:
        folder = path.parent if path.name == FILE else path.with_suffix("")
        raise UserError(
            f"{path}: no result of probes ({error}); run trace-eval drill judge PAIRS"
            f" --out {shlex.quote(str(folder))}, and name that"
        ) from None


def probes_of(
    paths: Iterable[Path], judges: Iterable[str]
) -> Mapping[str, ProbeReport]:
    """Judge -> its probes.

    Raises:
        UserError: as :func:`read_probes`; or a result is of none of the judges, or two
            are of one.
    """
    available = sorted(set(judges))
    probes: dict[str, ProbeReport] = {}
    for path in paths:
        report = read_probes(path)
        if report.judge not in available:
            raise UserError(
                f"{path}: holds probes of {report.judge}, and the cards are of"
                f" {', '.join(available)}; run trace-eval drill judge with the judge of"
                " the card"
            )
        if report.judge in probes:
            raise UserError(f"{path}: {report.judge} was probed twice; give one result")
        probes[report.judge] = report
    return probes
