"""What extractors with a model share: its place and hash, loading, stacks of clips."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from blueprints import UserError, install_line
from extractors.audio import SPEECH_RATE, Samples
from extractors.base import Extractor
from extractors.device import check_device, expects_gpu, loaded, release, resolve
from extractors.guard import untouched
from extractors.models import folder_called, is_path, model_folder, sha256_of

#: Clips at once on a GPU, most of which one clip leaves idle. On a CPU several gain
#: little and take more memory; workers are the better use of it.
GPU_BATCH = 8

#: Sound in one forward pass, seconds: an ECAPA of the published size takes about 1 GB
#: for a minute.
MAX_STACK_S = 240.0


@dataclass(frozen=True)
class ModelExtractor(Extractor):
    """Base of extractors whose model is a file or folder that may not be here.

    Subclasses name the files of its folder (:attr:`required`, :attr:`optional`), or say
    where it is (:meth:`locate`) and which files decide it (:meth:`model_files`); and
    how it is opened (:meth:`open_model`). The model is held once per process, however
    many equal extractors there are.
    """

    #: The kind of file or folder that a model is, for messages.
    what: ClassVar[str]
    install: ClassVar[str] = install_line("models")
    #: Files that the model's folder must have, and files that decide the values where
    #: they exist.
    required: ClassVar[tuple[str, ...]] = ()
    optional: ClassVar[tuple[str, ...]] = ()

    model: str = ""  # its name in its hub, or the path of its file or folder
    device: str = "auto"  # ``auto``, ``cpu``, ``cuda`` or ``cuda:N``
    #: Clips that share forward passes where the library can; None: 1 on a CPU,
    #: :data:`GPU_BATCH` on a GPU. It changes values by rounding at most.
    batch: int | None = None

    def __post_init__(self) -> None:
        check_device(self.name, self.device)
        if self.batch is not None and self.batch < 1:
            raise UserError(
                f"{self.name}: batch {self.batch}; give 1 or more clips at once"
            )

    @property
    def runs_on(self) -> str:
        """``gpu``, unless it is set to the CPU."""
        return "cpu" if self.device == "cpu" else "gpu"

    @property
    def batch_size(self) -> int:
        """Clips at once: as set, else by the device."""
        if self.batch is not None:
            return self.batch
        return GPU_BATCH if expects_gpu(self.device) else 1

    def locate(self) -> Path | None:
        """Find the model's file or folder on this machine, offline, or None."""
        return model_folder(self.model, self.required)

    def model_files(self) -> list[Path]:
        """List the files that decide the model; none where it is not here."""
        place = self.locate()
        if place is None:
            return []
        named = [place / name for name in self.required + self.optional]
        return [path for path in named or [place] if path.is_file()]

    # The libraries have no types here (see pyproject.toml), hence Any.
    def open_model(self, path: Path, device: str) -> Any:
        """Load it to a device; raise UserError for damaged or foreign files."""
        raise NotImplementedError

    def revision(self) -> str | None:
        """Return the SHA-256 over the model's files; None where they are missing."""
        files = self.model_files()
        return sha256_of(files) if files else None

    def unavailable(self) -> str | None:
        """Say why it cannot run here: a package or the model is missing."""
        if reason := super().unavailable():
            return reason
        return None if self.locate() else self._missing()

    def load(self) -> None:
        """Load the model and check it."""
        self.opened()

    def close(self) -> None:
        """Release the model; the next clip would load it again."""
        release(self._key())

    def opened(self) -> Any:
        """Return the model, loaded on first use."""

        def make() -> Any:
            path = self.locate()
            if path is None:
                raise UserError(self._missing())
            with untouched():
                return self.open_model(path, resolve(self.name, self.device))

        return loaded(self._key(), make)

    def _key(self) -> tuple[str | None, ...]:
        # A file that is changed is another model.
        return (self.name, self.revision(), self.device)

    def _missing(self) -> str:
        """Return the one line that a user sees instead of a download."""
        if is_path(self.model):
            return (
                f"{self.name}: {self.model} is not there; give the path of {self.what}"
            )
        return (
            f"{self.name}: model {self.model} is not on this machine;"
            " run: trace-eval models fetch"
            f" {self.name}:{self.model}{folder_called(self.model)}"
        )


def equal_lengths(parts: Sequence[Samples], at_most: int) -> list[list[int]]:
    """Stack the indices of equally long parts; a part of a length of its own is alone.

    Nothing is padded: padding changes the values of the shorter clips (an ECAPA's by
    0.003 for 3 s beside 6 s), and a score would depend on its neighbours.

    Args:
        parts: sound at 16 kHz, each float32 [shape=(n,)].
        at_most: parts in a stack; also no stack of two or more is longer than
            :data:`MAX_STACK_S`.

    >>> import numpy as np
    >>> equal_lengths([np.zeros(3), np.zeros(4), np.zeros(3), np.zeros(3)], 2)
    [[0, 2], [3], [1]]
    """
    by_length: dict[int, list[int]] = {}
    for index, part in enumerate(parts):
        by_length.setdefault(len(part), []).append(index)
    stacks = []
    for length, indices in by_length.items():
        size = max(1, min(at_most, int(MAX_STACK_S * SPEECH_RATE) // max(1, length)))
        stacks += [
            indices[start : start + size] for start in range(0, len(indices), size)
        ]
    return stacks
