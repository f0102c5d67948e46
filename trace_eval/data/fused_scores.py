"""Several judges as one: calibrated, weighted by what each is worth, calibrated again.

Per judge an isotonic map takes its score to the human mean; the fused score is a
weighted mean of the calibrated ones (weights not negative, sum 1), and a last isotonic
map and one factor on the variance are fitted on rows that had no part in the weights.
How it is fitted: :mod:`trace_eval.stats.agreement.fit_fusion`.
"""

from __future__ import annotations

import json
import math
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from pydantic import TypeAdapter

from blueprints import UserError
from trace_eval.data import strict_json
from trace_eval.data.outputs import claimed, write_file
from trace_eval.data.score_estimates import pool
from trace_eval.data.scores import ScoreEstimate

#: The file of a fused judge inside its folder.
FILE = "fusion.json"

FORMAT = "trace-eval fusion 1"


@dataclass(frozen=True)
class Map:
    """A rising map of [0, 1] to itself: straight between points, flat beyond."""

    x: tuple[float, ...]
    y: tuple[float, ...]

    def __post_init__(self) -> None:
        x_rises = all(a < b for a, b in pairwise(self.x))
        y_falls = any(a > b for a, b in pairwise(self.y))
        if not self.x or len(self.x) != len(self.y) or not x_rises or y_falls:
            raise ValueError("a calibration that does not rise")

    def __call__(self, values: ArrayLike) -> NDArray[np.float64]:
        """Map values to where they are taken; NaN stays [shape as of ``values``]."""
        values = np.asarray(values, float)
        mapped = np.interp(values, self.x, self.y)
        # Of a map with one point, interp gives its height for NaN.
        return np.where(np.isnan(values), np.nan, mapped)


@dataclass(frozen=True)
class Member:
    """One judge of a fusion."""

    judge: str
    weight: float
    calibration: Map


@dataclass(frozen=True)
class FusionModel:
    """A fused judge.

    Attributes:
        rubric, labels: whose scores were fused, None: unknown; and the labels of its
            scale.
        last: the final calibration.
        variance_factor: of within + between; None: no variance is stated.
        fitted: what it was fitted on, and the errors that were measured.
    """

    rubric: str | None
    labels: tuple[float, ...]
    members: tuple[Member, ...]
    last: Map
    variance_factor: float | None
    fitted: Mapping[str, Any] = field(default_factory=dict)

    def fuse(self, opinions: Mapping[str, ScoreEstimate]) -> ScoreEstimate | None:
        """Fuse what judges say of one item, members or not; None without any score.

        Within and between are of the calibrated means, before the factor; the variance
        is that of human ratings, None where there was no spread to fit it by.
        """
        present = [member for member in self.members if member.judge in opinions]
        weights = [member.weight for member in present]
        if math.fsum(weights) <= 0:
            return None
        parts: list[ScoreEstimate] = []
        for member in present:
            parts.append(
                ScoreEstimate(
                    mean=float(member.calibration(opinions[member.judge].mean)),
                    variance=opinions[member.judge].variance,
                )
            )
        mixture = pool(parts, weights)
        mean, spread = (
            min(1.0, max(0.0, float(self.last(mixture.mean)))),
            mixture.variance,
        )
        if spread is not None and self.variance_factor is not None:
            # no distribution on [0, 1] has a larger one
            spread = min(self.variance_factor * spread, mean * (1 - mean))
        else:
            spread = None
        return mixture.model_copy(update={"mean": mean, "variance": spread})

    def save(self, folder: Path) -> Path:
        """Write it into a folder; returns the file."""
        record = {"format": FORMAT, **asdict(self)}
        text = json.dumps(record, indent=1, ensure_ascii=False, allow_nan=False)
        with claimed(folder):
            write_file(folder / FILE, text + "\n")
        return folder / FILE

    @classmethod
    def load(cls, folder: Path) -> FusionModel:
        """Read the fused judge of a folder.

        Raises:
            UserError: there is none, or it is damaged.
        """
        path = folder / FILE
        try:
            result = strict_json.read_file(path)
            if result["format"] != FORMAT:
                raise ValueError(f"its format is {result['format']!r}, not {FORMAT!r}")
            model = TypeAdapter(cls).validate_python(result)
        except OSError as error:
            raise UserError(
                f"{path}: cannot be read ({error}); run trace-eval train fusion"
                f" RATINGS RUN RUN --out {shlex.quote(str(folder))}"
            ) from error
        except (ValueError, KeyError, TypeError) as error:
            raise UserError(
                f"{path}: not a fused judge ({error}); train it again"
            ) from error
        weights = math.fsum(member.weight for member in model.members)
        if abs(weights - 1) > 1e-6:
            raise UserError(f"{path}: the weights do not add up to 1; train it again")
        return model


def spread_over(
    labels: Sequence[float], mean: float, variance: float
) -> dict[float, float]:
    """Spread a Beta distribution of this mean and variance over a scale's labels.

    Its mass between the middles of neighbouring labels; a variance at its limit, mean
    (1 - mean), leaves only the two ends.
    """
    from scipy.special import betainc

    low, high = labels[0], labels[-1]
    room = mean * (1 - mean)
    nothing = dict.fromkeys(labels, 0.0)
    if room <= 1e-12 or variance >= room * (1 - 1e-9):
        return nothing | {low: 1 - mean, high: mean}
    positions = [(label - low) / (high - low) for label in labels]
    if variance <= 1e-9:
        # Of two that are as near the higher one.
        nearest = min(
            zip(positions, labels, strict=True),
            key=lambda place: (abs(place[0] - mean), -place[0]),
        )
        return nothing | {nearest[1]: 1.0}
    size = room / variance - 1
    alpha, beta = mean * size, (1 - mean) * size
    below = [0.0]
    for one, other in pairwise(positions):
        below.append(float(betainc(alpha, beta, (one + other) / 2)))
    below.append(1.0)
    masses = (max(0.0, above - under) for under, above in pairwise(below))
    return dict(zip(labels, masses, strict=True))
