"""The benchmarks that are read by name: the built-in table, and those of installed packages."""

from __future__ import annotations

from importlib import import_module
from importlib.metadata import entry_points

from blueprints import UserError
from trace_eval.datasets.base import Dataset, Reader

#: Entry-point group through which an installed package offers a benchmark: a :class:`Dataset`
#: under its name.
ENTRY_POINT_GROUP = "trace_eval.datasets"

_SETS = "trace_eval.datasets.sets"

#: A reader is one file in ``sets`` and one row here.
DATASETS: tuple[Dataset, ...] = (
    Dataset(
        "vocalbench",
        "VocalBench",
        "9,400 questions in nine sets",
        "spoken answers",
        "containment of the reference (knowledge); a text judge, recognisers of emotion (others)",
        "Apache-2.0",
        "SJTU-OmniAgent/VocalBench@5e9cce0",
        "knowledge of LLaMA-Omni; overall of the board",
        f"{_SETS}.vocalbench:read_vocalbench",
    ),
    Dataset(
        "voicebench",
        "VoiceBench",
        "8,128 questions in eleven sets",
        "texts of answers to spoken questions",
        "a text judge; templates of letters, yes or no, refusals; the checkers of IFEval",
        "Apache-2.0",
        "MatthewCYM/VoiceBench@5338154",
        "overall of the board",
        f"{_SETS}.voicebench:read_voicebench",
    ),
)


def dataset_names() -> list[str]:
    """Every name that can be converted, sorted."""
    own = {dataset.name for dataset in DATASETS}
    return sorted(own | {entry.name for entry in entry_points(group=ENTRY_POINT_GROUP)})


def find_dataset(name: str) -> Dataset:
    """A benchmark by its name; built-in ones go first.

    Raises:
        UserError: nobody knows it, or what a package offers under it is none.
    """
    for dataset in DATASETS:
        if dataset.name == name:
            return dataset
    entry = next(iter(entry_points(group=ENTRY_POINT_GROUP, name=name)), None)
    if entry is None:
        raise UserError(
            f"dataset {name!r:.60} is unknown; use one of {', '.join(dataset_names())}"
        )
    try:
        found = entry.load()
    except Exception as error:  # whatever an installed package raises on import
        raise UserError(f"dataset {name!r}: cannot import {entry.value} ({error})") from error
    if not isinstance(found, Dataset):
        raise UserError(f"dataset {name!r}: {entry.value} is no Dataset of trace_eval.datasets")
    return found


def reader_of(dataset: Dataset) -> Reader:
    """The function that reads it."""
    if not isinstance(dataset.reader, str):
        return dataset.reader
    module, _, function = dataset.reader.partition(":")
    reader: Reader = getattr(import_module(module), function)
    return reader
