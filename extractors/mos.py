"""Predictors of listeners' scores and what they share: gate, device and rounding."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from pydantic import JsonValue

from blueprints import (
    Absent,
    Blueprint,
    Extension,
    FiniteJson,
    Present,
    UserError,
    install_line,
)
from extractors.audio import SPEECH_RATE, Clip, Samples
from extractors.base import speech_gate
from extractors.device import resolve
from extractors.guard import untouched
from extractors.model_backed import ModelExtractor
from extractors.models import package_folder
from extractors.weights import one_line, read_state

#: Decimals of a score: finer than the arithmetic of another machine.
_DECIMALS = 4

#: UTMOS scores longer clips in equal parts of at most this length, seconds: attention
#: takes memory with the square of it.
UTMOS_PART_S = 30.0

#: Samples of a window of Distill-MOS, and most samples from one to the next, as its
#: package has them; and windows that go through together.
WINDOW, HOP, WINDOWS_AT_ONCE = 122_880, 16_000, 8

#: Seconds that Audiobox Aesthetics hears at once, and its scores.
AESTHETICS_PART_S, AXES = 10, ("CE", "CU", "PC", "PQ")


@dataclass(frozen=True)
class MosExtractor(ModelExtractor):
    """A predictor that gives a clip one or more scores, in single precision.

    Speech alone is scored: what such a model says of silence or noise means nothing.
    """

    needs: ClassVar[tuple[str, ...]] = ("signal",)
    install: ClassVar[str] = install_line("mos")

    @abstractmethod
    def scores(self, model: Any, audio: Samples, device: str) -> Mapping[str, float]:
        """Return the scores by name of one clip, mono at 16 kHz [shape=(samples,)]."""

    def extract(self, clip: Clip, blueprint: Blueprint) -> Present | Absent:
        """Score one clip; absent without speech."""
        if absent := speech_gate(blueprint):
            return absent
        model = self.opened()
        device = resolve(self.name, self.device)
        with untouched():
            import torch

            with torch.inference_mode():
                scores = self.scores(model, clip.speech, device)
        values: dict[str, FiniteJson] = {}
        for name, score in scores.items():
            if not np.isfinite(score):
                raise UserError(
                    f"{self.name}: the model gives no finite number; fetch it again"
                )
            values[name] = round(float(score), _DECIMALS)
        return Extension(values=values)


@dataclass(frozen=True)
class UtmosExtractor(MosExtractor):
    """Naturalness of synthetic speech as a mean opinion; an extension.

    Saeki et al. (2022), "UTMOS: UTokyo-SaruLab System for VoiceMOS Challenge 2022", the
    strong learner, about 1 to 5, in the port of the package utmos-pytorch (MIT).
    Trained on English utterances of a few seconds; published scores are of whole
    utterances.
    """

    name: ClassVar[str] = "utmos"
    group: ClassVar[str] = "utmos"
    version: ClassVar[str] = "1"
    limits: ClassVar[str] = (
        "naturalness of read synthetic speech; noisy or expressive speech is new to it."
    )
    packages: ClassVar[dict[str, str]] = {
        "utmos_pytorch": "utmos-pytorch",
        "torch": "torch",
    }
    required: ClassVar[tuple[str, ...]] = ("utmos_state_dict.pt",)
    what: ClassVar[str] = f"a folder with {required[0]}"

    model: str = "Blinorot/UTMOS-PyTorch"

    def parameters(self) -> dict[str, JsonValue]:
        """Return the length of the parts; which weights, the revision says."""
        return {"part_s": UTMOS_PART_S}

    def open_model(self, path: Path, device: str) -> Any:
        """Load all weights of the file: the package itself skips some silently."""
        from utmos_pytorch.utmos_torch import UTMOSModel, UTMOSScoreTorch

        file = path / self.required[0]
        state = read_state(file, "fetch it again")
        missing = sorted(UTMOSModel().state_dict().keys() - set(state))
        if missing:
            raise UserError(
                f"utmos: {file} has no {missing[0]} and {len(missing) - 1} more"
            )
        return UTMOSScoreTorch(str(file), device)

    def scores(self, model: Any, audio: Samples, device: str) -> Mapping[str, float]:
        """Score the whole clip, or take the mean over the parts of a long one."""
        import torch

        longest = int(UTMOS_PART_S * SPEECH_RATE)
        count = max(1, -(-len(audio) // longest))
        scores: list[Any] = []
        for part in np.array_split(audio, count):
            sound = torch.from_numpy(np.array(part))
            scores.append(model.score(sound.to(device)))
        return {"mos": sum(float(score) for score in scores) / len(scores)}


@dataclass(frozen=True)
class DistillMosExtractor(MosExtractor):
    """Quality of the sound as a mean opinion, 1 to 5, by Distill-MOS; an extension.

    Stahl & Gamper (2025), "Distillation and Pruning for Scalable Self-Supervised
    Representation-Based Speech Quality Assessment". The weights lie inside the package
    (MIT). Its module hears windows of 7.68 s at most 1 s apart, all of a clip in one
    batch: here they go through in batches of bounded size, with the same mean.
    """

    name: ClassVar[str] = "distillmos"
    group: ClassVar[str] = "distillmos"
    version: ClassVar[str] = "1"
    limits: ClassVar[str] = (
        "distilled from another model: it agrees with its teacher, not with everybody."
    )
    packages: ClassVar[dict[str, str]] = {"distillmos": "distillmos", "torch": "torch"}
    what: ClassVar[str] = "the weights inside the package distillmos; install it again"

    model: str = "distill_mos_v7"

    def parameters(self) -> dict[str, JsonValue]:
        """Return none: the package's version and the weights decide."""
        return {}

    def locate(self) -> Path | None:
        """Find the weights inside the package."""
        folder = package_folder("distillmos")
        path = folder and folder / "weights" / f"{self.model}.pt"
        return path if path and path.is_file() else None

    def open_model(self, path: Path, device: str) -> Any:
        """Load the weights; clips are cut into windows here."""
        from distillmos import ConvTransformerSQAModel

        read_state(path, "install the package distillmos again")  # in words of ours
        return ConvTransformerSQAModel(segmenting_in_forward=False).to(device).eval()

    def scores(self, model: Any, audio: Samples, device: str) -> Mapping[str, float]:
        """Return the mean score over the windows."""
        import torch

        starts = window_starts(len(audio))
        total = 0.0
        for first in range(0, len(starts), WINDOWS_AT_ONCE):
            windows = []
            for start in starts[first : first + WINDOWS_AT_ONCE]:
                part = audio[start : start + WINDOW]
                windows.append(np.pad(part, (0, WINDOW - len(part))))
            block = torch.from_numpy(np.stack(windows).astype(np.float32))
            total += float(model(block.to(device)).sum())
        return {"mos": total / len(starts)}


def window_starts(samples: int) -> list[int]:
    """Return where a clip's windows begin: equally spaced, the last at the end."""
    over = max(0, samples - WINDOW)
    places = np.linspace(0, 1, math.ceil(over / HOP) + 1)
    return [int(place * over) for place in places]


@dataclass(frozen=True)
class AestheticsExtractor(MosExtractor):
    """Predicted aesthetics of the sound: ``CE``, ``CU``, ``PC`` and ``PQ``.

    Tjandra et al. (2025), "Meta Audiobox Aesthetics": content enjoyment, content
    usefulness, production complexity (more is not better) and production quality, each
    about 1 to 10. As in the package, clips are heard in parts of 10 s, weighted by how
    full they are.
    """

    name: ClassVar[str] = "audiobox"
    group: ClassVar[str] = "aesthetics"
    version: ClassVar[str] = "1"
    limits: ClassVar[str] = (
        "predicted aesthetics of mixed audio; speech is a part of what it was"
        " trained on."
    )
    packages: ClassVar[dict[str, str]] = {
        "audiobox_aesthetics": "audiobox_aesthetics",
        "torch": "torch",
    }
    install: ClassVar[str] = install_line("aesthetics")
    # The first one has the scores' means.
    required: ClassVar[tuple[str, ...]] = ("config.json", "model.safetensors")
    what: ClassVar[str] = f"a folder with {' and '.join(required)}"

    model: str = "facebook/audiobox-aesthetics"

    def parameters(self) -> dict[str, JsonValue]:
        """Return the length of the parts; which weights, the revision says."""
        return {"part_s": AESTHETICS_PART_S}

    def open_model(self, path: Path, device: str) -> Any:
        """Load the model from its folder."""
        from audiobox_aesthetics.model.aes import AesMultiOutput

        try:
            model = AesMultiOutput.from_pretrained(
                str(path), local_files_only=True, map_location="cpu", strict=True
            )
        except Exception as error:  # by kind of damage
            raise UserError(
                f"audiobox: {path} does not load ({one_line(error)}); fetch it again"
            ) from error
        if set(model.target_transform or ()) != set(AXES):
            file = path / self.required[0]
            raise UserError(f"audiobox: {file} has no target_transform of {AXES}")
        return model.to(device).eval()

    def scores(self, model: Any, audio: Samples, device: str) -> Mapping[str, float]:
        """Return the mean score over the parts, each weighted by its length."""
        import torch

        size = AESTHETICS_PART_S * SPEECH_RATE
        total = dict.fromkeys(AXES, 0.0)
        weights = 0.0
        for start in range(0, len(audio), size):
            part = audio[start : start + size]
            weight = len(part) / size
            wave = np.zeros((1, 1, size), np.float32)
            wave[0, 0, : len(part)] = part
            sound = torch.from_numpy(wave)
            mask = torch.arange(size)[None, None] < len(part)
            scores = model({"wav": sound.to(device), "mask": mask.to(device)})
            weights += weight
            for axis in AXES:
                total[axis] += weight * float(scores[axis])
        means: dict[str, float] = {}
        for axis in AXES:
            scale = model.target_transform[axis]
            means[axis] = total[axis] / weights * scale["std"] + scale["mean"]
        return means
