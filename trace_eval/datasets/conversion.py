"""A released benchmark as our manifests, its question files, and its figures redone."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from typing_extensions import TypedDict  # pydantic takes no other before Python 3.12

from blueprints import InputError, Strict
from trace_eval.data import strict_toml
from trace_eval.data.csv_cells import write_table
from trace_eval.data.files import make_folder
from trace_eval.data.items import Single
from trace_eval.data.outputs import claimed, write_file, write_lines
from trace_eval.data.records import Spill, spill_to
from trace_eval.datasets.base import Converted, Dataset, Selection, opened
from trace_eval.datasets.figures import Figure
from trace_eval.datasets.registry import find_dataset

_RUBRICS = Path(__file__).parent / "rubrics"

#: Characters of a set's name that a file name cannot hold.
_SAFE = str.maketrans("/\\\0", "---")

#: Largest prompt that is read, bytes.
MAX_BYTES = 1 << 16


class ConversionRecord(TypedDict):
    """The JSON of ``published.json`` and ``convert --json``; ``counts`` are by kind."""

    dataset: str
    title: str
    licence: str
    release: str
    source: str
    counts: dict[str, int]
    figures: list[Figure]
    boards: dict[str, list[Figure]]
    rubrics: list[str]
    prompt: str | None
    notes: list[str]


@dataclass(frozen=True)
class Conversion:
    """The result of a conversion.

    Attributes:
        source: what was read, as it was named.
        files: what was written -> its file.
        prompt: file and SHA-256 of the authors' prompt, where the user pointed at it.
    """

    dataset: Dataset
    source: str
    converted: Converted
    files: dict[str, Path] = field(default_factory=dict)
    prompt: str | None = None

    def record(self) -> ConversionRecord:
        """Return figures, counts and where they come from, as JSON."""
        result = self.converted
        return {
            "dataset": self.dataset.name,
            "title": self.dataset.title,
            "licence": self.dataset.licence,
            "release": self.dataset.source,
            "source": self.source,
            "counts": {
                "items": len(result.items),
                "pairs": len(result.pairs),
                "scores": len(result.scores),
                "unscored": sum(score.status == "unscored" for score in result.scores),
                "absent": result.absent,
                "unreadable rows": len(result.problems),
            },
            "figures": result.figures,
            "boards": {board.file: board.figures() for board in result.boards},
            "rubrics": list(result.rubrics),
            "prompt": self.prompt,
            "notes": list(result.notes),
        }


def read_dataset(
    name: str,
    path: Path | str,
    chosen: Selection | None = None,
    spill: Spill | None = None,
) -> Conversion:
    """Read a benchmark and rerun its authors' rule; nothing is written.

    Args:
        name: one of :func:`dataset_names`.
        path: what was released: a clone, a data folder, a folder of answers, a file; or
            its URL.
        spill: where embedded recordings go, see
            :func:`trace_eval.data.records.spill_to`.

    Raises:
        UserError: the name is unknown, or what is there is not its layout.
    """
    dataset = find_dataset(name)
    with opened(path, spill) as source:
        result = dataset.read(source, chosen or Selection())
        return Conversion(dataset, source.label, result)


def convert(
    name: str,
    path: Path | str,
    out: Path | str,
    chosen: Selection | None = None,
    prompt: Path | None = None,
) -> Conversion:
    """Read a benchmark and write it as our files into a folder, made if missing.

    ``items.jsonl`` for ``rate`` and ``pairs.jsonl`` for ``judge``; where the items are
    of several sets, ``sets/SET.jsonl`` has those of each. ``scores.jsonl``: what the
    authors' rule says. ``rubrics/``: their questions in our words. ``published.json``:
    printed figures beside ours.

    Args:
        name, path, chosen: as of :func:`read_dataset`.
        prompt: a file with the authors' own prompt, which becomes the question in place
            of ours; recorded by its hash.

    Raises:
        UserError: as :func:`read_dataset`, or a file cannot be written.
    """
    folder = Path(out)
    with claimed(folder, option=""):
        read = read_dataset(name, path, chosen, spill_to(folder / "audio"))
        result = read.converted
        if not result.items and not result.pairs and not result.figures:
            first = f"; {result.problems[0]}" if result.problems else ""
            raise InputError(f"{read.source}: nothing of {name} could be read{first}")
        text, provenance = (
            (None, None)
            if prompt is None
            else read_prompt(prompt, result, chosen or Selection())
        )
        files = _write_records(name, folder, result)
        if result.labels:
            files["labels"] = folder / "labels.csv"
            write_table(files["labels"], *result.labels)
        if result.rubrics:
            make_folder(folder / "rubrics")
        for rubric in result.rubrics:
            file = files[f"rubric {rubric}"] = folder / "rubrics" / f"{rubric}.toml"
            ours = (_RUBRICS / f"{rubric}.toml").read_text(encoding="utf-8")
            write_file(
                file,
                ours if text is None else _with_question(ours, text, str(provenance)),
            )
        files["figures"] = folder / "published.json"
        done = Conversion(
            dataset=read.dataset,
            source=read.source,
            converted=result,
            files=files,
            prompt=provenance,
        )
        write_file(files["figures"], as_json(done))
    return done


def _write_records(name: str, folder: Path, result: Converted) -> dict[str, Path]:
    """Write items, pairs and scores, and each set's items where questions differ."""
    groups: dict[str, Sequence[Strict]] = {
        "items": result.items,
        "pairs": result.pairs,
        "scores": result.scores,
    }
    # Ids must be unique in a manifest; several files of a benchmark may share theirs.
    for ids in ([one.id for one in result.items], [one.id for one in result.pairs]):
        if again := next(
            (id_ for id_, count in Counter(ids).items() if count > 1), None
        ):
            raise InputError(
                f"{name}: id {again!r:.60} comes twice; convert the files that hold"
                " it one by one"
            )
    files = {
        what: folder / f"{what}.jsonl" for what, records in groups.items() if records
    }
    for what, file in files.items():
        write_lines(
            file, (record.model_dump_json(exclude_none=True) for record in groups[what])
        )
    sets: dict[str, list[Single]] = {}
    for item in result.items:
        sets.setdefault(item.category or "", []).append(item)
    if result.by_set and len(sets) > 1 and "" not in sets:
        files["items by set"] = folder / "sets"
        make_folder(folder / "sets")
        for set_, members in sets.items():
            file = folder / "sets" / f"{set_.translate(_SAFE)[:100]}.jsonl"
            write_lines(
                file, (item.model_dump_json(exclude_none=True) for item in members)
            )
    return files


def as_json(read: Conversion) -> str:
    """Return :meth:`Conversion.record` as a text."""
    text = json.dumps(
        read.record(), default=asdict, indent=2, ensure_ascii=False, allow_nan=False
    )
    return text + "\n"


def _with_question(rubric: str, question: str, provenance: str) -> str:
    """Put the authors' question into a question file of ours; scale and inputs stay."""
    table = strict_toml.loads(rubric.encode())
    table |= {
        "name": f"{table['name']}-authors",
        "origin": f"the authors' prompt: {provenance}; scale and inputs as we read them",
        "question": question,
        "points": dict.fromkeys(table["points"], "As the question says."),
    }
    table.pop("rules", None)
    return "".join(f"{key} = {_toml(value)}\n" for key, value in table.items())


def read_prompt(path: Path, read: Converted, chosen: Selection) -> tuple[str, str]:
    """Read the authors' prompt from a user's file, and name that file.

    Raises:
        UserError: it cannot be read, is empty or too long, or what was ``read`` does
            not ask one question.
    """
    if not read.rubrics and not chosen.sets:
        raise InputError(
            f"--prompt {path}: no question of ours goes with this benchmark, so there is"
            " none to replace; leave it out"
        )
    if len(read.rubrics) != 1:
        asked = ", ".join(f"{name} asks {of}" for name, of in read.asked.items())
        raise InputError(
            f"--prompt {path}: it is the prompt of one question; choose one with --set"
            f" (here: {asked or 'none'})"
        )
    try:
        data = path.read_bytes()
        text = data.decode().strip()
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(
            f"--prompt {path}: cannot be read ({error}); give a text file"
        ) from None
    if not text or len(data) > MAX_BYTES:
        raise InputError(
            f"--prompt {path}: {len(data)} bytes; give a text of 1 to {MAX_BYTES}"
        )
    return text, f"{path.name}, SHA-256 {hashlib.sha256(data).hexdigest()}"


def _toml(value: Any) -> str:
    """Write a value as TOML, whose escapes are JSON's but for one control character."""
    if isinstance(value, dict):
        return (
            "{ "
            + ", ".join(f"{_toml(k)} = {_toml(v)}" for k, v in value.items())
            + " }"
        )
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
