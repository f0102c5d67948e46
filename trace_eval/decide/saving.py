"""How many pairs a judge takes off annotators, in one line to pass on."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

import numpy as np

from blueprints import counted
from trace_eval.estimate.arrays import Mask
from trace_eval.stats.inference.labelled_run import LabelledRun
from trace_eval.stats.options import ScreenOptions
from trace_eval.stats.sentences import percent


@dataclass(frozen=True)
class Saving:
    """The numbers of pairs that are labelled, decided by the judge, and left to people.

    Attributes:
        pairs: of the run, ``labelled`` of them by annotators.
        decided: without a label, which the judge decides alone.
        wrong: share of those that may be wrong at most, with the confidence of the
            screening.
        left: without a label, for annotators.
        share: of all pairs that nobody has to label, 0 to 1.
        sentence: all that in words.
    """

    pairs: int
    labelled: int
    decided: int
    wrong: float
    left: int
    share: float
    sentence: str


def saving_of(
    run: LabelledRun, decided: Collection[str], options: ScreenOptions
) -> Saving:
    """Count what a screening saves.

    Args:
        decided: ids of all pairs that the judge may decide alone, labelled ones among
            them.
    """
    inside = np.isin(run.table.ids.astype(str), np.array(sorted(decided), str))
    labelled = run.has_label
    pairs, by_judge = len(labelled), int((inside & ~labelled).sum())
    left = int((~inside & ~labelled).sum())
    wrong = _wrong_at_most(run, inside, options.agree)
    was = "was" if labelled.sum() == 1 else "were"
    labelled_pairs = f"{int(labelled.sum())} of {counted(pairs, 'pair')} {was}"
    if by_judge:
        most = (
            f"with at most {percent(wrong)} % wrong ({percent(options.confidence)} %"
            " sure)"
        )
        rest = f"the judge decides {by_judge} of the others {most}"
        saved = f"{percent(by_judge / pairs)} % saved"
    else:
        rest, saved = "the judge decides none of the others", "nothing is saved"
    are = "is" if left == 1 else "are"
    sentence = (
        f"{labelled_pairs} labelled; {rest}; {left} {are} left to people: {saved}."
    )
    if labelled.all():
        sentence = (
            f"{labelled_pairs} labelled, so nothing is left to decide, and {saved}."
        )
    return Saving(
        pairs=pairs,
        labelled=int(labelled.sum()),
        decided=by_judge,
        wrong=wrong,
        left=left,
        share=by_judge / pairs,
        sentence=sentence,
    )


def _wrong_at_most(run: LabelledRun, inside: Mask, target: float) -> float:
    """Return the share of the decided pairs without a label that may be wrong.

    The promise is about the whole part. Pairs that were labelled for certain are known,
    and the rest may hold what they leave of the errors allowed; of a random sample it
    is the same share.
    """
    inclusion = run.drawn.inclusion
    if inclusion is None:
        return 1 - target
    certain = inside & run.usable & (inclusion == 1)
    allowed = (1 - target) * inside.sum() - (1 - run.agrees[certain]).sum()
    return float(np.clip(allowed / max((inside & ~certain).sum(), 1), 0.0, 1.0))
