"""Late imports of the statistics libraries that the extra ``agree`` installs."""

from __future__ import annotations

import importlib
from typing import Any

from blueprints import UserError

#: Import name -> what to install.
_PACKAGES = {
    "krippendorff": "krippendorff",
    "sklearn": "scikit-learn",
    "statsmodels": "statsmodels",
}


def require(module: str, purpose: str) -> Any:
    """Import ``module`` or say how to get it.

    Raises:
        UserError: its package is not installed.
    """
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        package = _PACKAGES[module.partition(".")[0]]
        raise UserError(
            f"{purpose} needs the package {package}; run: pip install 'trace-eval[agree]'"
        ) from error
