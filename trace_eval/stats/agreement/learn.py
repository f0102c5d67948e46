"""The learned policy beside the printed ones, honestly: cross-validated by instruction.

Pairs of one instruction share its difficulty, so a fold never trains on an instruction
that it tests on (scikit-learn's GroupKFold).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from blueprints import UserError, require
from fusion import POLICIES, RATINGS, Policy
from trace_eval.data.csv_cells import write_table
from trace_eval.opinions.codes import MISSING, Codes
from trace_eval.opinions.units import WholeNumbers
from trace_eval.stats.agreement.policies import (
    CELL_SHAPE,
    cell_counts,
    cells_of,
    policy_codes,
)

FitRows = Callable[[WholeNumbers], NDArray[np.int8]]


@dataclass(frozen=True)
class LearnedPolicy:
    """A way to fuse.

    Attributes:
        fitted: false for a printed policy, whose two numbers are the same by nature.
        in_sample, cross_validated: pairs right, of ``Learned.items``.
    """

    name: str
    fitted: bool
    in_sample: int
    cross_validated: int


@dataclass(frozen=True)
class Learned:
    """What can be learned from one set of labels.

    Attributes:
        labels: whose three dimensions were used.
        upper_bound: pairs right by the best function of (C, VQ, P), in sample.
        table: the best table, fitted on everything [shape=(4, 4, 4)].
        unseen: cells of it that the ``fallback`` policy decided.
    """

    labels: str
    items: int
    folds: int
    upper_bound: int
    candidates: tuple[LearnedPolicy, ...]
    table: NDArray[np.int8]
    unseen: int
    fallback: str

    def rows(self) -> list[dict[str, str]]:
        """Return the best table as rows that :func:`fusion.policy_from_rows` reads."""
        rows: list[dict[str, str]] = []
        for c, vq, p in np.ndindex(self.table.shape):
            row = {
                "content": str(RATINGS[c]),
                "voice_quality": str(RATINGS[vq]),
                "paralinguistics": str(RATINGS[p]),
                "overall": str(RATINGS[self.table[c, vq, p]]),
            }
            rows.append(row)
        return rows


def learn(
    side: tuple[str, Mapping[str, Codes]],
    overall: Codes,
    instruction: WholeNumbers | None,
    fallback: Policy,
    folds: int = 5,
) -> Learned:
    """Fit policies to three dimensions and the overall label, and cross-validate.

    Args:
        side: name of annotators or of a judge, and their three columns of labels.
        instruction: of each item, from 0; there are no more ``folds`` than
            instructions.
        fallback: decides cells that the training data never show.

    Raises:
        UserError: there are no instructions to group by, or fewer than two of them.
    """
    if instruction is None:
        raise UserError(
            "--learn-policy groups its folds by instruction: add a column"
            " instruction_id"
        )
    labels, codes = side
    cells = cells_of(codes)
    is_known = (cells >= 0) & (overall != MISSING)
    cells = cells[is_known]
    overall = overall[is_known]
    instruction = instruction[is_known]
    groups = len(np.unique(instruction))
    if groups < 2:
        raise UserError(
            f"--learn-policy needs labels of at least 2 instructions (got {groups});"
            " label more, or leave it out"
        )
    counts = cell_counts(cells, overall)
    printed = policy_codes(fallback)
    fits: dict[str, FitRows] = {
        "best table": lambda train: learn_table(train, printed),
        "majority class": lambda train: np.full(
            CELL_SHAPE, train.sum((0, 1, 2)).argmax(), np.int8
        ),
    }
    folds = min(folds, groups)
    cross = _cross_validate(
        fits, cells, overall=overall, instruction=instruction, folds=folds
    )
    stored = {
        name: _right(policy_codes(policy), counts) for name, policy in POLICIES.items()
    }
    candidates: list[LearnedPolicy] = []
    for name, right in stored.items():
        candidate = LearnedPolicy(
            name=name, fitted=False, in_sample=right, cross_validated=right
        )
        candidates.append(candidate)
    for name, fit in fits.items():
        candidate = LearnedPolicy(
            name=name,
            fitted=True,
            in_sample=_right(fit(counts), counts),
            cross_validated=cross[name],
        )
        candidates.append(candidate)
    return Learned(
        labels=labels,
        items=len(cells),
        folds=folds,
        upper_bound=int(counts.max(-1).sum()),
        candidates=tuple(candidates),
        table=learn_table(counts, printed),
        unseen=int((counts.sum(-1) == 0).sum()),
        fallback=fallback.name,
    )


def _right(table: NDArray[np.int8], counts: WholeNumbers) -> int:
    return int(np.take_along_axis(counts, table[..., None].astype(np.int64), -1).sum())


def _cross_validate(
    fits: Mapping[str, FitRows],
    cells: WholeNumbers,
    overall: Codes,
    instruction: WholeNumbers,
    folds: int,
) -> dict[str, int]:
    sklearn = require(
        "sklearn.model_selection", "scikit-learn", "agree", "cross-validation"
    )
    splitter = sklearn.GroupKFold(folds)
    right = dict.fromkeys(fits, 0)
    for train, test in splitter.split(cells, overall, instruction):
        seen, held_out = (cell_counts(cells[i], overall[i]) for i in (train, test))
        for name, fit in fits.items():
            right[name] += _right(fit(seen), held_out)
    return right


def write_policy(path: Path, learned: Learned) -> None:
    """Write the learned table as the CSV of ``--policy FILE``; may raise UserError."""
    rows = learned.rows()
    write_table(path, list(rows[0]), (row.values() for row in rows))


def learn_table(counts: WholeNumbers, fallback: NDArray[np.int8]) -> NDArray[np.int8]:
    """Fit by counting; it is the maximum of in-sample accuracy over all functions.

    Args:
        counts: (C, VQ, P, true overall) [shape=(4, 4, 4, 4)].
        fallback: a printed policy [shape=(4, 4, 4)]; it decides cells that were never
            seen, and cells whose best labels are equally frequent when it names one of
            them.
    """
    top = counts.max(-1, keepdims=True)
    tied = counts == top
    agrees = np.take_along_axis(tied, fallback[..., None].astype(np.int64), -1)[..., 0]
    return np.where(agrees, fallback, counts.argmax(-1)).astype(np.int8)
