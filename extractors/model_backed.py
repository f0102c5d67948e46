"""What extractors with a model share: where it is, its hash, loading and releasing it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from blueprints import UserError
from extractors.base import Extractor
from extractors.device import check_device, loaded, release, resolve
from extractors.guard import untouched
from extractors.models import missing_model, sha256_of


@dataclass(frozen=True)
class ModelExtractor(Extractor):
    """Base of extractors whose model is a file or folder that may not be here.

    Subclasses say where it is (:meth:`locate`), which files decide it
    (:meth:`model_files`) and how it is opened (:meth:`open_model`). The model is held once
    per process, however many equal extractors there are.

    Attributes:
        model: name or path of the model.
        device: ``auto``, ``cpu``, ``cuda`` or ``cuda:N``.
    """

    #: What the path of a model should be, for messages.
    what: ClassVar[str]
    install: ClassVar[str] = "pip install 'trace-eval[models]'"
    runs_on: ClassVar[str] = "gpu"

    model: str = ""
    device: str = "auto"

    def __post_init__(self) -> None:
        check_device(self.name, self.device)

    def locate(self) -> Path | None:
        """File or folder of the model on this machine, or None; contacts nobody."""
        raise NotImplementedError

    def model_files(self) -> list[Path]:
        """The files that decide the model; none where it is not here."""
        raise NotImplementedError

    # The libraries have no types here (see pyproject.toml), hence Any.
    def open_model(self, path: Path, device: str) -> Any:
        """Load the model from ``path`` to a resolved device.

        Raises:
            UserError: the files are damaged, or hold another model.
        """
        raise NotImplementedError

    def revision(self) -> str | None:
        """SHA-256 over the model's files; None where they are not on this machine."""
        files = self.model_files()
        return sha256_of(files) if files else None

    def unavailable(self) -> str | None:
        """Why it cannot run here: a package or the model is missing."""
        return super().unavailable() or (None if self.locate() else self._missing())

    def load(self) -> None:
        """Load the model and check it."""
        self.opened()

    def close(self) -> None:
        """Release the model; the next clip would load it again."""
        release(self._key())

    def opened(self) -> Any:
        """The model, loaded on first use."""

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
        return missing_model(self.name, self.model, self.what)
