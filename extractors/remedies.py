"""Why a group was not measured, and the option that would measure it."""

from __future__ import annotations

from blueprints import NOT_REQUESTED, Absent
from extractors.catalogue import CATALOGUE
from extractors.registry import PROFILES, specs_for


def unmeasured(group: str, absent: Absent, why: bool = False) -> str:
    """Say why a group has no values, as the end of a sentence that names the group.

    A group that was not requested comes with the option that would measure it; with
    ``why``, one that was requested comes with its reason.

    >>> unmeasured("emotion", NOT_REQUESTED)
    'was not measured; -x emotion=emotion2vec:iic/emotion2vec_plus_large would'
    """
    if absent == NOT_REQUESTED:
        return f"was not measured; {option(group)} would"
    status = str(absent.status).replace("_", " ")
    return f"is {status}: {absent.reason}" if why else f"is {status}"


def option(group: str) -> str:
    """Return the option that has a group measured, e.g. ``-x pitch=praat``.

    It names the spec of a profile, the lightest first; else a model of the catalogue,
    or any extractor of the group.
    """
    for profile in PROFILES.values():
        if group in profile:
            return f"-x {group}={profile[group]}"
    names = specs_for(group)
    models = [one.spec for one in CATALOGUE if one.spec.partition(":")[0] in names]
    specs = models + names + ["EXTRACTOR"]
    return f"-x {group}={specs[0]}"
