"""Messages about groups without values."""

from __future__ import annotations

from blueprints import NOT_REQUESTED, Absent
from extractors import registry
from extractors.catalogue import CATALOGUE


def unmeasured(group: str, absent: Absent, why: bool = False) -> str:
    """Why a group has no values, as the rest of a sentence that begins with its name.

    What nobody asked for comes with the option that would measure it.

    Args:
        group: name of the group.
        absent: what the blueprint says of it.
        why: with the reason of a measurement that was asked for, too.

    >>> unmeasured("emotion", NOT_REQUESTED)
    'was not measured; -x emotion=emotion2vec:iic/emotion2vec_plus_large would'
    """
    if absent == NOT_REQUESTED:
        return f"was not measured; {option(group)} would"
    status = str(absent.status).replace("_", " ")
    return f"is {status}: {absent.reason}" if why else f"is {status}"


def option(group: str) -> str:
    """The option that has a group measured, e.g. ``-x pitch=praat``."""
    return f"-x {group}={_spec(group)}"


def _spec(group: str) -> str:
    """The spec of a profile, the lightest first; else a known model, or any extractor."""
    for profile in registry.PROFILES.values():
        if group in profile:
            return profile[group]
    offered = registry.specs_for(group)
    available = [
        available.spec for available in CATALOGUE if available.spec.partition(":")[0] in offered
    ]
    return (available or offered or ["EXTRACTOR"])[0]
