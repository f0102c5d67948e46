"""The distribution that holds these packages: its name, version, and how it is installed.

The one source of both: the build reads :data:`__version__`, every printed install line comes
from :func:`install_line`. This is the lowest package, so that all others can name a remedy.
"""

from __future__ import annotations

from importlib.metadata import Distribution, distributions
from importlib.util import find_spec

#: Another project on the package index is called trace-eval, with the same import name.
DISTRIBUTION = "trace-s2s"

#: What people type, and what they import.
SCRIPT = "trace-eval"
PACKAGE = "trace_eval"

__version__ = "0.2.0"

#: What pip is given: the clone, until the distribution is on a package index.
_SOURCE = "."


def install_line(*extras: str) -> str:
    """What to type for some extras, e.g. ``pip install '.[agree]'`` in the clone."""
    target = _SOURCE + (f"[{','.join(extras)}]" if extras else "")
    return f"pip install '{target}'" if extras else f"pip install {target}"


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
        {dist.metadata["Name"] for dist in distributions() if _claims(dist)} - {DISTRIBUTION}
    )


def _claims(dist: Distribution) -> bool:
    if any(e.name == SCRIPT and e.group == "console_scripts" for e in dist.entry_points):
        return True
    return any(file.as_posix() == f"{PACKAGE}/__init__.py" for file in dist.files or ())
