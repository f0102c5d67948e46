"""The one error that people see without a traceback."""

from __future__ import annotations


class UserError(ValueError):
    """Something the user can mend: who, the offending value, and the remedy."""
