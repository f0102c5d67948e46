"""Calibrated probabilities of a run, as files beside its fused ratings."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import numpy as np

from blueprints import UserError
from trace_eval.agreement.source import read_source
from trace_eval.agreement.tabular import write_json
from trace_eval.conclude.calibrate import Calibration, calibrate
from trace_eval.conclude.evidence import Evidence, gather
from trace_eval.data.csv_cells import SafeWriter
from trace_eval.data.labels import MISSING, LabelTable

#: Files of a run folder.
PROBABILITIES, REPORT = "calibrated.csv", "calibration.json"


def calibrate_run(folder: Path, labels: LabelTable | None) -> tuple[Calibration, list[Path]]:
    """Fit on the labelled pairs and write every scored pair's probability.

    Raises:
        UserError: there are too few labels, or the folder cannot be written.
    """
    source = read_source(folder)
    if labels is None and source.labels is None:
        raise UserError(f"{folder}: its pairs carry no labels; name a file with --labels")
    evidence = gather(source, labels)
    found = calibrate(evidence)
    path = folder / PROBABILITIES
    try:
        with path.open("w", encoding="utf-8", newline="") as file:
            writer = SafeWriter(file, lineterminator="\n")
            writer.writerow(("id", "p_a", "held_out"))
            writer.writerows(_rows(found, evidence))
    except OSError as error:
        raise UserError(f"{path}: cannot be written ({error})") from error
    write_json(folder / REPORT, dataclasses.replace(found, probabilities={}))
    return found, [path, folder / REPORT]


def _rows(found: Calibration, evidence: Evidence) -> list[tuple[str, str, str]]:
    labelled = evidence.scored & (evidence.truth != MISSING)
    index = {key: row for row, key in enumerate(evidence.ids.tolist())}
    return [
        (str(key), f"{p:.6f}", "yes" if np.any(labelled[index[key]]) else "no")
        for key, p in found.probabilities.items()
    ]
