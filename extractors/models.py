"""Model files on this machine, their hashes, and our cache; without the network.

A model is named by the path of a file or folder, or by its name in a hub whose cache is
looked through: Whisper's own folder, the Hugging Face cache, the ModelScope cache.
"""

from __future__ import annotations

import hashlib
import os
import re
import threading
from collections.abc import Iterable, Sequence
from importlib.util import find_spec
from pathlib import Path

import platformdirs

from blueprints import UserError
from extractors.stamps import Stamp, stamp_of

#: Environment variable that replaces the user's cache folder.
CACHE_VARIABLE = "TRACE_EVAL_CACHE"

#: Names of Whisper that share the file of another one.
_WHISPER_ALIASES = {"large": "large-v3", "turbo": "large-v3-turbo"}


#: Stamp of a file -> its SHA-256; picklable, so that it travels to worker processes.
Hashes = dict[Stamp, str]

_HASHES: Hashes = {}
_LOCK = threading.RLock()


def cache_folder() -> Path:
    """Return the folder of what can be made again.

    It is ``$TRACE_EVAL_CACHE`` or the platform's cache.

    It may not exist.

    Raises:
        UserError: the user has no home folder, and the variable is not set.
    """
    if named := os.environ.get(CACHE_VARIABLE):
        return Path(named)
    try:
        return Path(platformdirs.user_cache_dir("trace-eval"))
    except (RuntimeError, KeyError) as error:
        raise UserError(
            f"the cache has no place, because this user has no home folder ({error});"
            f" set {CACHE_VARIABLE}=DIR to a folder that can be written"
        ) from None


def is_path(model: str) -> bool:
    """Return whether ``model`` is meant as a path, whether or not it exists.

    It is written like one: ``/models/base``, ``./base``, ``~/base``, ``a/b/c`` or
    ``base.pt``. A plain name and ``owner/name`` are names in a hub, even where a folder
    here is called so: people judge folders called ``base`` and ``tiny.en``.
    """
    begins_like_a_path = model in (".", "..") or model.startswith(
        ("/", "./", "../", "~", ".\\", "..\\")
    )
    is_on_drive = re.match(r"[A-Za-z]:[\\/]", model) is not None
    return (
        begins_like_a_path
        or is_on_drive
        or model.endswith(".pt")
        or model.count("/") > 1
    )


def folder_called(model: str) -> str:
    """Return the hint for a model's name that is also a file or folder here, or ""."""
    if is_path(model) or not (_is_file(model) or _is_folder(model)):
        return ""
    return f"; to use the one of that name here, write ./{model}"


# Methods of Path raise where a name is too long for a file; these functions say no.
_is_file, _is_folder = os.path.isfile, os.path.isdir


def expanded(path: str) -> Path:
    """Replace ``~`` by a home; a path stays as it is where there is no such home.

    Path.expanduser raises there, and an error would be about the home and not the path.
    """
    return Path(os.path.expanduser(path))  # noqa: PTH111


def whisper_file(model: str) -> Path | None:
    """Find an openai-whisper checkpoint: a path, or a name in Whisper's cache."""
    if is_path(model):
        path = expanded(model)
        return path if _is_file(path) else None
    path = whisper_cache() / f"{_WHISPER_ALIASES.get(model, model)}.pt"
    return path if _is_file(path) else None


def whisper_cache() -> Path:
    """Return openai-whisper's own folder.

    It is ``$XDG_CACHE_HOME/whisper`` or ``~/.cache/whisper``.
    """
    return expanded(os.environ.get("XDG_CACHE_HOME") or "~/.cache") / "whisper"


def model_folder(model: str, required: Sequence[str]) -> Path | None:
    """Find the folder of a model: a path, or a hub name that is in a hub's cache.

    Args:
        model: path of a folder, or ``owner/name``.
        required: files that a cached copy must have; a download that was cut off has
            not.
    """
    if is_path(model):
        path = expanded(model)
        return path if _is_folder(path) else None
    for folder in _hugging_face(model, required) + _modelscope(model):
        if all(_is_file(folder / name) for name in required):
            return folder
    return None


def _hugging_face(model: str, required: Sequence[str]) -> list[Path]:
    """Find a repository's snapshot in the Hugging Face cache.

    Its place is ``HF_HOME`` or ``HF_HUB_CACHE``.
    """
    try:
        from huggingface_hub.constants import HF_HUB_CACHE

        # The function below brings in a client for the network, which takes a fifth of
        # a second.
        if not _is_folder(Path(HF_HUB_CACHE, f"models--{model.replace('/', '--')}")):
            return []
        from huggingface_hub import try_to_load_from_cache

        result = try_to_load_from_cache(model, required[0])
    except (ImportError, ValueError):  # ValueError: cannot be the name of a repository
        return []
    return [Path(result).parent] if isinstance(result, str) else []


def _modelscope(model: str) -> list[Path]:
    """List modelscope's folders of a model, those of its newest version first."""
    owner, slash, name = model.partition("/")
    if not slash:
        return []
    cache = os.environ.get("MODELSCOPE_CACHE") or "~/.cache/modelscope"
    base = expanded(cache)
    safe = name.replace(".", "___")
    snapshots = base / "models" / f"{owner}--{name}" / "snapshots"
    newest = sorted(snapshots.iterdir()) if _is_folder(snapshots) else []
    folders = list(newest)
    for parent in ("models", "hub/models", "hub", "."):
        for leaf in (safe, name):
            folders.append(base / parent / owner / leaf)
    return folders


def package_folder(package: str) -> Path | None:
    """Find an installed package's folder without importing it, or return None."""
    spec = find_spec(package)
    places = spec.submodule_search_locations if spec else None
    return Path(places[0]) if places else None


def sha256_of(paths: Iterable[Path]) -> str:
    """Return one digest over names and contents of files; of one file its SHA-256."""
    paths = sorted(
        paths, key=str
    )  # faster than by their parts; a model is in one folder
    if len(paths) == 1:
        return file_sha256(paths[0])
    digest = hashlib.sha256()
    for path in paths:
        digest.update(f"{path.name}:{file_sha256(path)}\n".encode())
    return digest.hexdigest()


def joint_sha256(paths: Iterable[Path]) -> str:
    """Return the SHA-256 of the contents of some small files, one behind the other."""
    return hashlib.sha256(b"".join(path.read_bytes() for path in paths)).hexdigest()


def file_sha256(path: Path) -> str:
    """Return a file's SHA-256, read once per process while its stamp stays."""
    key = stamp_of(path)
    with _LOCK:
        if key is not None and key in _HASHES:
            return _HASHES[key]
        with path.open("rb") as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
        if key is not None:
            _HASHES[key] = digest
        return digest


def known_hashes() -> Hashes:
    """Return this process's hashes so far, for :func:`prime_hashes` in another one."""
    with _LOCK:
        return dict(_HASHES)


def prime_hashes(hashes: Hashes) -> None:
    """Take over the :func:`known_hashes` of another process that sees the same files.

    A file that has changed since is read again.
    """
    with _LOCK:
        _HASHES.update(hashes)
