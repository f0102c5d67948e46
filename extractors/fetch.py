"""The models of the extra ``models``: listed, located, fetched and verified.

Only :func:`fetch` uses the network. Everything else, judging included, works on what is
on this machine.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from blueprints import UserError, is_installed
from extractors import registry
from extractors.catalogue import CATALOGUE, CatalogueModel
from extractors.device import torch_problem
from extractors.model_backed import ModelExtractor
from extractors.models import file_sha256, is_path, whisper_cache
from extractors.weights import one_line

#: Owners whose models are on ModelScope; the others are on Hugging Face.
MODELSCOPE_OWNERS = frozenset({"damo", "iic"})

#: Files that are fetched of a model on these hubs; examples and pictures are not.
_PATTERNS = ["*.ckpt", "*.json", "*.pt", "*.safetensors", "*.txt", "*.yaml"]

_SHA256 = re.compile(r"^[0-9a-f]{64}$")


@dataclass(frozen=True)
class ListedModel:
    """A model of the catalogue and where it is on this machine, if it is."""

    model: CatalogueModel
    group: str
    path: Path | None
    size: int
    problem: str | None


@dataclass(frozen=True)
class Verified:
    """The result of checking one model."""

    spec: str
    ok: bool
    detail: str


def list_models() -> list[ListedModel]:
    """List the catalogue with the place of each model that is here, offline."""
    listed = []
    for model in CATALOGUE:
        one = extractor_of(model.spec)
        size = sum(path.stat().st_size for path in one.model_files())
        listed.append(
            ListedModel(
                model=model,
                group=one.group,
                path=one.locate(),
                size=size,
                problem=one.unavailable(),
            )
        )
    return listed


def extractor_of(spec: str) -> ModelExtractor:
    """Make the extractor of ``NAME:MODEL``, on the CPU.

    Raises:
        UserError: there is no such extractor, or it has no model.
    """
    extractor = registry.create(spec)
    if not isinstance(extractor, ModelExtractor):
        raise UserError(
            f"{spec!r}: {extractor.name} has no model to fetch; it works as it is"
        )
    return replace(extractor, device="cpu")


def fetch(spec: str) -> Path:
    """Download a model into its hub's own cache, unless it is there; returns its place.

    The settings of the hubs' clients hold: ``HF_HUB_OFFLINE``, ``HF_HOME``,
    ``HF_ENDPOINT``, ``MODELSCOPE_CACHE``, ``MODELSCOPE_DOMAIN``.

    Raises:
        UserError: a package is missing, the model is unknown, or it cannot be reached.
    """
    extractor = extractor_of(spec)
    path = extractor.locate()
    if path is not None and not (extractor.name == "whisper" and _cut_off(extractor)):
        return path
    if is_path(extractor.model):
        raise UserError(f"{spec}: a path is not fetched; put {extractor.what} there")
    missing = [
        dist for module, dist in extractor.packages.items() if not is_installed(module)
    ]
    if missing:
        raise UserError(
            f"{spec}: {', '.join(missing)} is not installed; run: {extractor.install}"
        )
    try:
        _download(extractor)
    except UserError:
        raise
    except Exception as error:  # each hub has errors of its own
        raise UserError(
            f"{spec}: cannot be fetched ({type(error).__name__}: {one_line(error)});"
            f" check the name and the network, or give the path of {extractor.what}"
        ) from error
    path = extractor.locate()
    if path is None:
        raise UserError(
            f"{spec}: what was fetched is not {extractor.what}; use another model"
        )
    return path


def _cut_off(extractor: ModelExtractor) -> bool:
    """Tell whether a file differs from what was published.

    Whisper's downloads leave halves behind.
    """
    files = extractor.model_files()
    return any(
        published_sha256(path) not in (None, file_sha256(path)) for path in files
    )


def _download(extractor: ModelExtractor) -> None:
    model = extractor.model
    if extractor.name == "whisper":
        import whisper

        if model not in whisper._MODELS:
            names = ", ".join(whisper.available_models())
            raise UserError(
                f"whisper: model {model!r} is unknown; use one of {names}, or a path"
            )
        whisper._download(whisper._MODELS[model], str(whisper_cache()), False)
    elif extractor.name == "faster-whisper":
        from faster_whisper.utils import download_model

        download_model(model)
    elif model.partition("/")[0] in MODELSCOPE_OWNERS:
        from modelscope.hub.snapshot_download import (
            snapshot_download as from_modelscope,
        )

        from_modelscope(model, allow_patterns=_PATTERNS)
    else:
        from huggingface_hub import snapshot_download

        snapshot_download(model, allow_patterns=_PATTERNS)


def verify(specs: Sequence[str] = ()) -> list[Verified]:
    """Check hashes, load each model on the CPU, and release it again; contacts nobody.

    Args:
        specs: which; default: those of the catalogue that are on this machine.
    """
    chosen = list(specs) or [
        listed.model.spec for listed in list_models() if listed.path
    ]
    return [_verified(spec) for spec in chosen]


def _verified(spec: str) -> Verified:
    extractor = extractor_of(spec)
    reason = extractor.unavailable() or torch_problem()
    if reason is None and _cut_off(extractor):
        place = extractor.locate()
        reason = f"{place}: is not what was published; delete it and fetch it again"
    if reason:
        return Verified(spec, False, reason)
    try:
        extractor.load()
    except UserError as error:
        return Verified(spec, False, str(error))
    finally:
        extractor.close()
    files = extractor.model_files()
    published = sum(published_sha256(path) is not None for path in files)
    return Verified(
        spec,
        True,
        f"sha256 {extractor.revision()}; {published} of {len(files)} files have a"
        " published hash, all loaded and fit the model",
    )


def published_sha256(path: Path) -> str | None:
    """Return the hash under which a file was published; None where nobody says.

    Whisper's download addresses hold the hash; the Hugging Face cache names large files
    by it. For a file in a folder of the user's own it is unknown.
    """
    blob = path.resolve().name
    if path.is_symlink() and _SHA256.match(blob):
        return blob
    if path.parent == whisper_cache() and is_installed("whisper"):
        import whisper

        for url in whisper._MODELS.values():
            if url.endswith(f"/{path.name}"):
                return str(url.split("/")[-2])
    return None
