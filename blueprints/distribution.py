"""The distribution that holds these packages: its name, version, and how it is installed.

The one source of both: the build reads :data:`__version__`, every printed install line comes
from :func:`install_line`. This is the lowest package, so that all others can name a remedy.
"""

from __future__ import annotations

from importlib.metadata import distributions
from importlib.util import find_spec

#: Another project on the package index is called trace-eval, with the same import name.
DISTRIBUTION = "trace-s2s"

#: The command, and the package to import.
SCRIPT = "trace-eval"
PACKAGE = "trace_eval"

__version__ = "0.2.0"

#: What pip installs: the clone, until the distribution is on a package index.
_SOURCE = "."


def install_line(*extras: str) -> str:
    """The command that installs some extras, e.g. ``pip install '.[agree]'`` in the clone."""
    return f"pip install '{_SOURCE}[{','.join(extras)}]'" if extras else f"pip install {_SOURCE}"


def is_installed(module: str) -> bool:
    """Whether a top-level module can be imported that is more than a folder of its name.

    Python takes any folder on its path for a package, e.g. one called ``torch`` beside a script.
    """
    spec = find_spec(module)
    return spec is not None and spec.origin is not None


def foreign_providers() -> list[str]:
    """Installed distributions other than ours with our import package or our command.

    Where there is one, the files of whichever was installed last have replaced the other's.
    """
    return sorted(
        {
            dist.metadata["Name"]
            for dist in distributions()
            if any(e.name == SCRIPT and e.group == "console_scripts" for e in dist.entry_points)
            or any(file.as_posix() == f"{PACKAGE}/__init__.py" for file in dist.files or ())
        }
        - {DISTRIBUTION}
    )
