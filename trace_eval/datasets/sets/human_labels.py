"""Sets that our manifests read as they are: HCoT (SpeakBench, S2S-Arena) and ORCA."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path

from fusion import DIMENSIONS, POLICIES, Rating
from trace_eval.data.items import Pair
from trace_eval.data.manifests import Manifest, read_items, read_manifest
from trace_eval.datasets.base import Converted, Selection, Source
from trace_eval.datasets.figures import share_figure


def read_hcot(source: Source, chosen: Selection) -> Converted:
    """Read human labels of pairs, and apply each policy to those of the dimensions."""
    chosen.refuse("system", chosen.system)
    converted = Converted()
    files = _files(source, "*.json", chosen)
    for path in files:
        manifest = _add(converted, path, lambda p: read_manifest(p, source.root))
        prefix = f"{path.stem}/" if len(files) > 1 else ""
        converted.pairs += [
            p.model_copy(update={"id": f"{prefix}{p.id}"}) for p in manifest.pairs
        ]
        _policies(converted, path.stem, manifest.pairs)
        times = Counter((p.instruction_id, *p.systems) for p in manifest.pairs)
        if again := sum(count > 1 for count in times.values()):
            converted.notes.append(
                f"{path.stem}: {again} triples of instruction and systems occur more"
                f" than once, {len(times)} are distinct of {len(manifest.pairs)}"
            )
    return converted


def _policies(result: Converted, name: str, pairs: list[Pair]) -> None:
    labelled: list[tuple[list[Rating], Rating]] = []
    for pair in pairs:
        if pair.labels and pair.labels.overall:
            ratings = [getattr(pair.labels, dimension) for dimension in DIMENSIONS]
            if all(ratings):
                labelled.append((ratings, pair.labels.overall))
    for policy in POLICIES.values():
        right = sum(policy(*ratings) == overall for ratings, overall in labelled)
        if labelled:
            note = f"{right} of {len(labelled)} overall labels come out of C, VQ and P"
            figure = f"{name}, policy {policy.name}"
            result.figures.append(share_figure(figure, right, len(labelled), note=note))


def read_orca(source: Source, chosen: Selection) -> Converted:
    """Read answers with human ratings of their correctness."""
    converted = Converted()
    for path in _files(source, "*.json*", chosen):
        converted.items += _add(
            converted, path, lambda p: read_items(p, source.root)
        ).singles
    if chosen.system:
        chosen.check_system(item.system for item in converted.items)
        converted.items = [
            item for item in converted.items if item.system == chosen.system
        ]
    numbers_of_ratings = [
        len(item.labels.ratings) for item in converted.items if item.labels
    ]
    converted.notes.append(
        f"{sum(numbers_of_ratings)} ratings of {len(numbers_of_ratings)} answers to"
        f" {len({item.question_id for item in converted.items})} questions; rate them"
        " with --rubric correctness"
    )
    return converted


def _files(source: Source, pattern: str, chosen: Selection) -> list[Path]:
    files = source.files(pattern)
    if not files:
        raise source.lacks(f"a file {pattern}")
    chosen.check_sets(path.stem for path in files)
    return [path for path in files if chosen.wants(path.stem)]


def _add(result: Converted, path: Path, read: Callable[[Path], Manifest]) -> Manifest:
    manifest = read(path)
    result.problems += manifest.problems
    result.problems += manifest.warnings
    return manifest
