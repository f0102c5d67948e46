"""The blueprint in few tokens, for prompts: one line per group, a legend once per prompt.

It carries what :func:`blueprints.render_paper` carries, and also pauses, clipping, peak,
bandwidth, semitones, slopes, voicing, syllables, tempo, doubts about the transcript, and
words from :mod:`blueprints.norms`. What reads well can still be short: contours are whole
numbers without sign or decimals (one token each; ``-3.42`` is four), an unknown step is one
dot, and fields are told apart by their names, because a comma is a token too.
"""

from __future__ import annotations

from collections.abc import Collection

from blueprints.blueprint import GROUPS, Blueprint
from blueprints.features import ALIASES, feature_groups
from blueprints.notation import label
from blueprints.records import Absent, Extension, Status

#: Of a clip of which no group was asked for.
NOTHING = "absent: everything"


def render_compact(bp: Blueprint, *, drop: Collection[str] = ()) -> str:
    """Render one clip as a few lines of text; explain them once with :func:`compact_legend`.

    Args:
        bp: the blueprint of one clip.
        drop: feature groups that leave no trace (names of groups, or ``properties``).

    Returns:
        Lines ``group: values``, in the order of ``blueprints.GROUPS``, and at the end one
        line for all groups that are absent but those that nobody asked for. Text from outside the
        library (the transcript, labels) is quoted and escaped, so that it cannot start a line of
        its own.

    Raises:
        UserError: ``drop`` names no feature group.
    """
    gone = feature_groups(drop, bp.extensions)
    lines: list[str] = []
    absent: dict[str, list[str]] = {}
    for name in (*GROUPS, *sorted(bp.extensions.keys() - GROUPS.keys())):
        if name in gone:
            continue
        group = bp.group(name)
        if isinstance(group, Absent):
            if group.status is Status.NOT_REQUESTED:
                continue
            absent.setdefault(group.status.value, []).append(label(name))
        elif not isinstance(group, Extension) or group.shown:
            lines.append(f"{label(name)}: {group.render(bp.clip_s)}")
    if absent:
        parts = (f"{', '.join(names)} ({status})" for status, names in absent.items())
        lines.append(f"absent: {'; '.join(parts)}")
    return "\n".join(lines) or NOTHING


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
