"""Definition sets of timing: thresholds and functions, by name and version."""

from __future__ import annotations

from blueprints import UserError
from trace_eval.conversations.definitions.base import DefinitionSet
from trace_eval.conversations.definitions.eva import EVA
from trace_eval.conversations.definitions.fdb import FDB
from trace_eval.conversations.definitions.own import TRACE_EVAL, TRACE_EVAL_1
from trace_eval.conversations.definitions.tau_voice import TAU_VOICE

#: Name and version -> the set; the first is the default.
DEFINITIONS: dict[str, DefinitionSet] = {
    one.name: one for one in (TRACE_EVAL, TRACE_EVAL_1, TAU_VOICE, EVA, FDB)
}


def definition_set(name: str) -> DefinitionSet:
    """Return the set of a name, or the first of a name without its version.

    Raises:
        UserError: there is none; the message names those that are.
    """
    name = next((one for one in DEFINITIONS if one.partition("/")[0] == name), name)
    if name not in DEFINITIONS:
        raise UserError(
            f"definitions {name!r:.60}: use one of {', '.join(DEFINITIONS)}"
        )
    return DEFINITIONS[name]
