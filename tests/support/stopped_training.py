"""Trains a tiny scorer, continues it after a kill at each place, and prints the ends.

One process for all: ``python -m tests.support.stopped_training BASE RATINGS FOLDER``
prints JSON.
"""

from __future__ import annotations

import hashlib
import json
import logging
import shutil
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import torch

from trace_eval.judges.scorer import checkpoint, resume, train, trainer
from trace_eval.judges.scorer.options import TrainOptions

OPTIONS = TrainOptions(
    base="",
    lora=2,
    steps=9,
    batch=4,
    learning_rate=5e-2,
    warmup=1,
    evaluate_every=2,
    device="cpu",
)

#: Steps at whose checkpoint every operation on the disk is a place to be stopped at.
WRITTEN = (6, OPTIONS.steps)


class Stops:
    """Keeps what is on the disk at each place at which a training can be stopped.

    A kill leaves exactly that. Places that leave the same are one.
    """

    def __init__(self) -> None:
        self.step, self.out, self.kept = 0, Path(), Path()
        self.places: dict[str, Path] = {}

    def tell(self, found: train.Progress) -> None:
        """After each step, and after each look at the dev rows."""
        self.step = found.step
        self.here("told")

    def here(self, what: str, torn: Path | None = None) -> None:
        """Mark a place; the file that was just written may be cut in half."""
        if not self.out.name:
            return
        files = {
            path: path.read_bytes()
            for path in sorted(self.out.rglob("*"))
            if path.is_file()
        }
        if torn is not None:
            files[torn] = files[torn][: len(files[torn]) // 2]
        folders = [
            str(p.relative_to(self.out))
            for p in sorted(self.out.rglob("*"))
            if p.is_dir()
        ]
        digest = hashlib.sha256(repr(folders).encode())
        for path, content in files.items():
            digest.update(
                f"{path.relative_to(self.out)} {len(content)} ".encode() + content
            )
        if (name := digest.hexdigest()) in self.places:
            return
        copy = self.kept / f"{len(self.places):02}-step-{self.step}-{what}"
        self.places[name] = copy
        for folder in (".", *folders):
            (copy / folder).mkdir(parents=True, exist_ok=True)
        for path, content in files.items():
            (copy / path.relative_to(self.out)).write_bytes(content)

    def before(self, work: Callable[..., Any]) -> Callable[..., Any]:
        """Mark a place before something is done with files."""

        def done(*given: Any, **more: Any) -> Any:
            if self.step in WRITTEN:
                self.here(work.__name__)
            return work(*given, **more)

        return done

    def torn(self, write: Callable[..., Any]) -> Callable[..., Any]:
        """Mark a place in the middle of writing a file, the second argument."""

        def done(*given: Any, **more: Any) -> Any:
            result = write(*given, **more)
            if self.step in WRITTEN:
                self.here("torn", Path(given[1]))
            return result

        return done


def training(base: Path, ratings: Path, out: Path, options: TrainOptions) -> None:
    """Train, or go on."""
    train.train_scorer(
        ratings, out, replace(options, base=str(base)), listener=stops.tell
    )


def outcome(out: Path) -> str:
    """Identity of what was trained: weights, figures and steps."""
    digest = hashlib.sha256()
    for name in ("head.safetensors", "adapter/adapter_model.safetensors"):
        digest.update((out / name).read_bytes())
    record = json.loads((out / "scorer.json").read_text())
    digest.update(json.dumps([record["metrics"], record["training"]["steps"]]).encode())
    return f"{record['training']['steps']} steps, {digest.hexdigest()[:16]}"


def newest(out: Path) -> Path:
    """Its newest checkpoint."""
    checkpoints = (out / "checkpoints").glob("checkpoint-*")
    return max(checkpoints, key=lambda path: int(path.name.rpartition("-")[2]))


def _without_optimiser(out: Path) -> Path:
    (newest(out) / "optimizer.pt").unlink()
    return out


def _empty(out: Path) -> Path:
    (out / "checkpoints" / "checkpoint-20").mkdir()
    return out


def _flipped(out: Path) -> Path:
    path = newest(out) / "trainable.safetensors"
    content = bytearray(path.read_bytes())
    content[-1] ^= 1
    path.write_bytes(content)
    return out


#: What may happen to a stopped training before it goes on.
HARMS = (_without_optimiser, _empty, _flipped)


def main(base: Path, ratings: Path, folder: Path) -> dict[str, dict[str, str]]:
    """Return how each stopped training ends; ``whole`` is the one never stopped."""
    found: dict[str, dict[str, str]] = {}
    for case, options in (
        ("steps", OPTIONS),
        ("patience", replace(OPTIONS, steps=40, patience=2)),
    ):
        stops.out, stops.kept, stops.places = folder / case, folder / f"{case}-kept", {}
        training(base, ratings, stops.out, options)
        found[case] = {"whole": outcome(stops.out)}
        stops.out = Path()
        kept = list(stops.places.values())
        for harm in HARMS if case == "steps" else ():
            copy = folder / harm.__name__
            shutil.copytree(kept[-3], copy)
            kept.append(harm(copy))
        for out in kept:
            if not (out / "scorer.json").exists():
                training(base, ratings, out, options)
            found[case][out.name] = outcome(out)
    return found


if __name__ == "__main__":
    torch.set_num_threads(1)
    logging.basicConfig(level=logging.WARNING)
    stops = Stops()
    torch.save = stops.torn(torch.save)
    trainer.save_file = stops.torn(trainer.save_file)
    for module, name in (
        (resume, "replace_file"),
        (resume, "_to_disk"),
        (resume, "_remove"),
        (checkpoint, "replace_file"),
    ):
        setattr(module, name, stops.before(getattr(module, name)))
    json.dump(main(*map(Path, sys.argv[1:])), sys.stdout)
