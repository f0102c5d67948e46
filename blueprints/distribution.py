"""The distribution that holds these packages: its name, version and installation.

The one source of both: the build reads :data:`__version__`, every printed install line
comes from :func:`install_line`. This is the lowest package, so that all others can name
a remedy.
"""

from __future__ import annotations

from importlib.util import find_spec
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from importlib.metadata import Distribution

#: Another project on the package index is called trace-eval, with the same import name.
DISTRIBUTION = "trace-s2s"

#: The command, and the package to import.
SCRIPT = "trace-eval"
PACKAGE = "trace_eval"

__version__ = "0.2.0"

#: What pip installs: the clone, until the distribution is on a package index.
_SOURCE = "."


def install_line(*extras: str) -> str:
    """Return the command that installs some extras, e.g. ``pip install '.[agree]'``."""
    if not extras:
        return f"pip install {_SOURCE}"
    return f"pip install '{_SOURCE}[{','.join(extras)}]'"


def is_installed(module: str) -> bool:
    """Tell whether a top-level module, more than a bare folder, can be imported.

    Python takes any folder on its path for a package, e.g. one called ``torch`` beside
    a script.
    """
    spec = find_spec(module)
    return spec is not None and spec.origin is not None


def foreign_providers() -> list[str]:
    """List other installed distributions with our import package or our command.

    Where there is one, the files of whichever was installed last replaced the other's.
    """
    from importlib.metadata import distributions  # a tenth of what --help takes

    names = set()
    for distribution in distributions():
        if _has_our_command(distribution) or _has_our_package(distribution):
            names.add(distribution.metadata["Name"])
    return sorted(names - {DISTRIBUTION})


def _has_our_command(distribution: Distribution) -> bool:
    scripts = distribution.entry_points.select(group="console_scripts")
    return SCRIPT in scripts.names


def _has_our_package(distribution: Distribution) -> bool:
    door = f"{PACKAGE}/__init__.py"
    return any(file.as_posix() == door for file in distribution.files or ())
