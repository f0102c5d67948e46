"""What ran, for the manifest: versions, models, machine, code revision."""

from __future__ import annotations

import platform
import re
import subprocess
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from functools import cache
from importlib.metadata import Distribution, distributions
from pathlib import Path
from typing import Any

from blueprints.distribution import __version__
from extractors import Extractor


def now() -> str:
    """Return the time in UTC, ISO 8601, to the second."""
    return datetime.now(UTC).isoformat(timespec="seconds")


@cache
def environment() -> Mapping[str, Any]:
    """Return Python, platform, code revision, and the version of every package."""
    packages = dict(map(_name_and_version, distributions()))
    return {
        "trace_eval": __version__,
        "git_revision": git_revision(),
        "python": platform.python_version(),
        "platform": platform.platform(),
        "packages": dict(
            sorted(packages.items(), key=lambda item: str(item[0]).lower())
        ),
    }


def _name_and_version(package: Distribution) -> tuple[str | None, str | None]:
    """Read name and version alone, for speed.

    Parsing all the metadata of 200 packages takes half a second.
    """
    text = package.read_text("METADATA") or package.read_text("PKG-INFO") or ""
    head = text.split("\n\n", 1)[0]
    results = dict(re.findall(r"^(Name|Version): *(.*?) *$", head, re.MULTILINE))
    return results.get("Name"), results.get("Version")


def git_revision() -> str | None:
    """Return the commit of the source tree, ``+`` if changed; None for no checkout."""
    folder = Path(__file__).resolve().parents[2]
    # an installed copy inside somebody's repository is not it
    if not (folder / ".git").exists():
        return None
    try:
        commit = _git(folder, "rev-parse", "HEAD")
        changes = _git(folder, "status", "--porcelain")
    except (OSError, subprocess.SubprocessError):
        return None
    return commit + ("+" if changes else "")


def _git(folder: Path, *arguments: str) -> str:
    """Return what git says of a folder."""
    done = subprocess.run(
        ["git", "-C", str(folder)] + list(arguments),
        capture_output=True,
        text=True,
        timeout=10,
        check=True,
    )
    return done.stdout.strip()


def plan_record(plan: Sequence[Extractor]) -> dict[str, Any]:
    """Group -> provenance of the extractor that fills it."""
    return {extractor.group: extractor.provenance().model_dump() for extractor in plan}
