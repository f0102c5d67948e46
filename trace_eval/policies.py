"""Policies as the commands and the library name them."""

from __future__ import annotations

import fusion
from blueprints import UserError


def load_policy(spec: str) -> fusion.Policy:
    """Find a policy by built-in name, table file (``.csv``, ``.json``) or entry point.

    Raises:
        UserError: nothing of that name exists, or the table is not valid. (``fusion`` stands
            on the standard library alone and raises a plain ``ValueError``.)
    """
    try:
        return fusion.load_policy(spec)
    except ValueError as error:
        raise UserError(str(error)) from error
