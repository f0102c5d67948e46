"""Policies by what a user calls them: a name, a file, or the policy itself."""

from __future__ import annotations

from pathlib import Path

import fusion
from blueprints import UserError
from fusion import PLAIN_POLICIES, PlainPolicy, Policy

AnyPolicy = Policy | PlainPolicy

#: Stands for a policy where the judge answered for the whole pair at once.
WHOLE_PAIR = "asked"


def any_policy(spec: str | Path | AnyPolicy) -> AnyPolicy:
    """Return a policy over plain labels by name, else by ``load_policy``, or as is.

    One of the user's own must not bear the name of another one.
    """
    if isinstance(spec, Policy | PlainPolicy):
        policies: dict[str, AnyPolicy] = {**PLAIN_POLICIES, **fusion.POLICIES}
        if policies.get(spec.name, spec) != spec:
            raise UserError(
                f"policy {spec.name!r}: is the name of a built-in one; give another"
            )
        return spec
    spec = str(spec)
    return PLAIN_POLICIES[spec] if spec in PLAIN_POLICIES else load_policy(spec)


def load_policy(spec: str | Path) -> Policy:
    """Find a policy by built-in name, table file (``.csv``, ``.json``) or entry point.

    Raises:
        UserError: nothing of that name exists, or the table is not valid.
    """
    spec = str(spec)
    if spec in PLAIN_POLICIES:
        raise UserError(
            f"policy {spec} gives plain labels, and typed ties are wanted here; use one"
            f" of {', '.join(fusion.POLICIES)}"
        )
    try:
        return fusion.load_policy(spec)
    except ValueError as error:  # fusion stands on the standard library alone
        raise UserError(str(error)) from error
