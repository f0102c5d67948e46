"""Calibrated probabilities of judged pairs, as files."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import numpy as np

from blueprints import UserError
from fusion import Policy
from trace_eval.data.csv_cells import write_table
from trace_eval.data.outputs import claimed
from trace_eval.opinions.codes import MISSING
from trace_eval.opinions.opinions import Opinions
from trace_eval.show.records import write_json
from trace_eval.stats.inference.calibrate import Calibration, calibrate
from trace_eval.stats.inference.labelled_run import LabelledRun, gather

#: Files, in the run's folder where a run was judged.
PROBABILITIES, REPORT = "calibrated.csv", "calibration.json"


def write_probabilities(
    source: Opinions, labels: Opinions | None, folder: Path, policy: Policy | None = None
) -> tuple[Calibration, list[Path]]:
    """Fit on the labelled pairs and write every scored pair's probability.

    Args:
        source: one judge's judgements.
        labels: people's; None: those that came with the judgements.
        folder: where the two files go; made where it is missing.
        policy: fuse the judge's overall label with it; None: the stored one.

    Raises:
        UserError: there are too few labels, or the folder cannot be written.
    """
    if labels is None and source.labels is None:
        name = source.source
        raise UserError(f"{name}: its pairs carry no labels; name a file with --labels")
    run = gather(source, labels, policy=policy)
    result = calibrate(run)
    path = folder / PROBABILITIES
    with claimed(folder):
        write_table(path, ("id", "p_a", "held_out"), _rows(result, run))
        write_json(folder / REPORT, dataclasses.replace(result, probabilities={}))
    return result, [path, folder / REPORT]


def _rows(result: Calibration, run: LabelledRun) -> list[tuple[str, str, str]]:
    labelled = run.scored & (run.truth != MISSING)
    index = {key: row for row, key in enumerate(run.ids.tolist())}
    return [
        (str(key), f"{p:.6f}", "yes" if np.any(labelled[index[key]]) else "no")
        for key, p in result.probabilities.items()
    ]
