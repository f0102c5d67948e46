"""Benchmarks by name: released files as our manifests, with their printed figures."""

from __future__ import annotations

from typing import TYPE_CHECKING

from blueprints.lazy import names_on_use

if TYPE_CHECKING:
    from trace_eval.datasets.base import Converted, Dataset, Source
    from trace_eval.datasets.conversion import (
        Conversion,
        as_json,
        convert,
        read_dataset,
    )
    from trace_eval.datasets.figures import Figure, mean_figure, share_figure
    from trace_eval.datasets.registry import (
        ENTRY_POINT_GROUP,
        dataset_names,
        find_dataset,
    )
    from trace_eval.datasets.rows import Row, Rows
    from trace_eval.datasets.selection import Selection
else:
    __getattr__ = names_on_use(__name__)

__all__ = [
    "ENTRY_POINT_GROUP",
    "Conversion",
    "Converted",
    "Dataset",
    "Figure",
    "Row",
    "Rows",
    "Selection",
    "Source",
    "as_json",
    "convert",
    "dataset_names",
    "find_dataset",
    "mean_figure",
    "read_dataset",
    "share_figure",
]
