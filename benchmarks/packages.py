"""What is installed: whether it comes as wheels, and what is known against it.

    python -m benchmarks.packages wheels
    pip-audit ... --format json | python -m benchmarks.packages audit

``wheels`` (``make wheels``): for each Python and system, core and extras are resolved
by uv as a user's installer would, with the environment markers of the target and not of
this machine; only metadata is fetched. The exit code is 1 where an extra fails that is
not in :data:`KNOWN`.

``audit`` (``make audit``): a package that pip-audit cannot look up is no news. The exit
code is 1 where there are advisories, and 2 where nothing could be looked up, so nothing
is known.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tomllib
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import product
from pathlib import Path
from typing import Any

# The standard library alone: make wheels runs where nothing is installed.
ROOT = Path(__file__).resolve().parent.parent

PYTHONS = ("3.11", "3.12", "3.13", "3.14")

#: By uv's names: glibc 2.28 (Debian 10, Ubuntu 20.04, RHEL 8), and macOS from
#: :data:`MACOS` on.
SYSTEMS = {
    "Linux x86_64": "x86_64-manylinux_2_28",
    "Linux aarch64": "aarch64-manylinux_2_28",
    "macOS arm64": "aarch64-apple-darwin",
}

#: The oldest that onnxruntime has wheels for.
MACOS = "14.0"

#: Extras that have wheels for some versions of Python only; pyproject.toml says so
#: beside them.
KNOWN = ("fuzz",)

#: Published as source only, and installed without a compiler: Python alone, or as
#: crcmod, which leaves out its C where that does not build.
PURE = ("antlr4-python3-runtime", "crcmod", "jieba", "openai-whisper", "oss2")

CORE = ""


def resolve(extras: Sequence[str], system: str, python: str) -> str | None:
    """Why core and extras have no wheels that go together; None: they have."""
    command = [
        "uv",
        "pip",
        "compile",
        "pyproject.toml",
        "--only-binary",
        ":all:",
        "--quiet",
    ]
    command += ["--python-version", python, "--python-platform", SYSTEMS[system]]
    command += [f"--no-binary={package}" for package in PURE]
    command += [f"--extra={extra}" for extra in extras if extra != CORE]
    environment = {**os.environ, "MACOSX_DEPLOYMENT_TARGET": MACOS}
    done = subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, env=environment
    )
    return None if done.returncode == 0 else _reason(done.stderr)


def _reason(message: str) -> str:
    """Return what uv says, in one line."""
    cause = message.partition("cause:")[2].partition("\n\n")[0] or message
    return re.sub(r"\s+", " ", cause).strip()


def lacking(extras: Sequence[str], system: str, python: str) -> dict[str, str]:
    """Return why extras do not resolve, by extra.

    All are tried at once, and halved where that fails.
    """
    reason = resolve(extras, system, python)
    if reason is None:
        return {}
    if len(extras) == 1:
        return {extras[0]: reason}
    half = len(extras) // 2
    parts = [lacking(part, system, python) for part in (extras[:half], extras[half:])]
    # Each half may do for itself and the two not go together.
    return parts[0] | parts[1] or {" + ".join(extras): reason}


def wheels() -> int:
    """Print what has wheels and what does not resolve."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    usual = [extra for extra in project["optional-dependencies"] if extra not in KNOWN]
    extras = [CORE, *usual, *KNOWN]
    places = list(product(SYSTEMS, PYTHONS))
    with ThreadPoolExecutor(3) as pool:
        found = pool.map(lambda place: lacking(extras, *place), places)
        results = dict(zip(places, found, strict=True))
    names = dict.fromkeys(
        [*extras, *(name for reasons in results.values() for name in reasons)]
    )
    for system in SYSTEMS:
        print(f"\n{system:16}{''.join(f'{python:8}' for python in PYTHONS)}")
        for name in names:
            cells = (
                "no" if name in results[system, python] else "wheels"
                for python in PYTHONS
            )
            print(f"{name or 'core':16}{''.join(f'{cell:8}' for cell in cells)}")
    for (system, python), reasons in results.items():
        for name, reason in reasons.items():
            print(f"\n{name or 'core'}, {system}, Python {python}: {reason}")
    return int(
        any(name not in KNOWN for reasons in results.values() for name in reasons)
    )


def audit() -> int:
    """Read what pip-audit says from standard input, and judge it."""
    try:
        return judge(json.load(sys.stdin)["dependencies"])
    except (ValueError, KeyError, TypeError):
        print(
            "pip-audit gave no result: the advisory source cannot be reached;"
            " nothing is known"
        )
        return 2


def judge(packages: list[dict[str, Any]]) -> int:
    """Print what is known of the packages; the exit code."""
    looked_up = [package for package in packages if "skip_reason" not in package]
    for package in looked_up:
        for advisory in package["vulns"]:
            fixed = ", ".join(advisory["fix_versions"]) or "no version"
            print(
                f"{package['name']} {package['version']}: {advisory['id']}, fixed"
                f" in {fixed}"
            )
    skipped = sorted(
        package["name"] for package in packages if "skip_reason" in package
    )
    bad = sum(bool(package["vulns"]) for package in looked_up)
    print(f"{len(looked_up)} packages looked up, {bad} with advisories")
    if skipped:
        print(f"{len(skipped)} could not be looked up: {', '.join(skipped)}")
    if not looked_up:
        print(
            "the advisory source has no package or cannot be reached from here;"
            " nothing is known"
        )
        return 2
    return int(bad > 0)


if __name__ == "__main__":
    sys.exit({"wheels": wheels, "audit": audit}[sys.argv[1]]())
