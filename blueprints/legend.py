"""What the compact rendering's notation means: said once, in the part of a prompt that stays."""

from __future__ import annotations

from collections.abc import Collection

from blueprints.blueprint import GROUPS
from blueprints.features import ALIASES, feature_groups

_HEAD = (
    "Each clip is described by lines `group: values`. Words behind numbers place them among"
    " published norms where they are out of the ordinary; they are no verdict, for the user may"
    " have asked for it. `word <x` means: that word under x."
)
_TAIL = (
    "absent: groups without values: unavailable (not installed), too_short, silent, no_speech,"
    " failed. unavailable and failed say nothing about the clip's merit, nor do groups that are"
    " not named (not_requested). No number here tells how natural a voice sounds."
)


def _contours(gone: frozenset[str]) -> str:
    models = [GROUPS[name] for name in GROUPS if name not in gone]
    steps = dict.fromkeys(
        f"{model.contour_steps} for {model.contour_of}"
        if model.contour_of
        else str(model.contour_steps)
        for model in models
        if "contour" in model.model_fields
    )
    return (
        "Behind the colon inside a line is a contour: the clip from its first to its last"
        f" instant in equal steps ({', '.join(steps)}; fewer in short clips), one number a step."
        " Each `.` is one step with no voice, silent or not measurable."
    )


def compact_legend(drop: Collection[str] = ()) -> str:
    """The legend of :func:`blueprints.render_compact` for the same ``drop``.

    Raises:
        UserError: ``drop`` names no feature group.
    """
    gone = feature_groups(drop)
    lines = [f"{name}: {model.legend()}." for name, model in GROUPS.items() if name not in gone]
    contours = [] if gone.issuperset(ALIASES["properties"]) else [_contours(gone)]
    return "\n".join([_HEAD, *contours, *lines, _TAIL])


#: The legend of all groups: explain units and notation once, in the prompt's static prefix.
COMPACT_LEGEND = compact_legend()
