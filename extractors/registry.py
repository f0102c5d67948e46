"""Extractors by name, ``NAME`` or ``NAME:MODEL``, imported late; the named profiles."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import fields, replace
from functools import lru_cache
from graphlib import CycleError, TopologicalSorter
from importlib.metadata import EntryPoint, entry_points
from itertools import chain
from types import MappingProxyType
from typing import Any

from blueprints import GROUPS, UserError, imported
from extractors.base import UNKNOWN_LIMITS, Extractor

#: Entry-point group through which an installed package offers extractors: a subclass of
#: ``extractors.base.Extractor`` under its registered name.
ENTRY_POINT_GROUP = "trace_eval.extractors"

#: As a spec: leave the group out.
NONE = "none"

#: As a spec of ``transcript``: what :mod:`extractors.default_asr` chooses.
AUTO = "auto"

# Group -> name -> "module:Class". Strings, so that listing names imports no library.
_BUILT_IN: dict[str, dict[str, str]] = {
    "signal": {"signal": "extractors.signal:SignalExtractor"},
    "transcript": {
        "whisper": "extractors.whisper:WhisperExtractor",
        "faster-whisper": "extractors.faster_whisper:FasterWhisperExtractor",
    },
    "quality": {"dnsmos": "extractors.dnsmos.extractor:DnsmosExtractor"},
    "pitch": {
        "praat": "extractors.pitch:PraatPitchExtractor",
        "pyin": "extractors.pitch:PyinPitchExtractor",
    },
    "loudness": {"bs1770": "extractors.loudness:LoudnessExtractor"},
    "rate": {
        "nuclei": "extractors.rate:RateExtractor",
        "words": "extractors.rate:WordRateExtractor",
    },
    "emotion": {"emotion2vec": "extractors.emotion2vec:Emotion2vecExtractor"},
    "accent": {"ecapa": "extractors.voices:EcapaExtractor"},
    "defects": {"defects": "extractors.defects:DefectsExtractor"},
    "speaker": {
        "campplus": "extractors.networks.speaker:CampplusExtractor",
        "speaker": "extractors.voices:SpeakerExtractor",
    },
    "sounds": {
        "fireredvad": "extractors.networks.sounds:FireRedVadExtractor",
        "yamnet": "extractors.networks.sounds:YamnetExtractor",
    },
    "distillmos": {"distillmos": "extractors.mos:DistillMosExtractor"},
    "utmos": {"utmos": "extractors.mos:UtmosExtractor"},
    "aesthetics": {"audiobox": "extractors.mos:AestheticsExtractor"},
}

_EMBEDDED = {
    "signal": "signal",
    "transcript": AUTO,
    "quality": "dnsmos",
    "pitch": "praat",
    "loudness": "bs1770",
    "rate": "nuclei",
}

#: Named sets of extractors: group -> spec.
PROFILES: Mapping[str, Mapping[str, str]] = MappingProxyType(
    {
        "screen": _EMBEDDED,
        "paper": {
            **_EMBEDDED,
            "quality": "dnsmos:reference",  # what the published prompts show
            "transcript": "whisper:large-v3",
            "emotion": "emotion2vec:iic/emotion2vec_plus_large",
            "accent": "ecapa:Jzuluaga/accent-id-commonaccent_ecapa",
        },
    }
)

#: Options that a profile sets; other extractors' and other profiles' are their
#: libraries'.
_SETTINGS: Mapping[str, Mapping[str, Any]] = MappingProxyType(
    {"screen": {"beam_size": 1}}
)


@lru_cache(maxsize=1)
def _entries() -> dict[str, EntryPoint]:
    """Name -> where the class is, built-in ones first; the group is the class's own."""
    offered: list[EntryPoint] = []
    for members in _BUILT_IN.values():
        for name, target in members.items():
            offered.append(EntryPoint(name, target, ENTRY_POINT_GROUP))
    offered += entry_points(group=ENTRY_POINT_GROUP)
    entries: dict[str, EntryPoint] = {}
    for entry in offered:
        first = entries.setdefault(entry.name, entry)
        if first.value != entry.value:
            raise UserError(
                f"extractor {entry.name!r} is registered twice, as {first.value} and"
                f" {entry.value}; uninstall one or rename it"
            )
    return entries


def names() -> list[str]:
    """List all registered names, sorted."""
    return sorted(_entries())


def specs_for(group: str) -> list[str]:
    """List the extractors that fill ``group``, sorted, importing plug-ins only.

    A plug-in that cannot be imported fills none; ``doctor`` says what it lacks.
    """
    built_in = set(chain.from_iterable(_BUILT_IN.values()))
    members = list(_BUILT_IN.get(group, {}))
    for name in names():
        if name in built_in:
            continue
        with suppress(UserError):
            if load(name).group == group:
                members.append(name)
    return sorted(members)


def load(name: str) -> type[Extractor]:
    """Load an extractor's class by its name; raise UserError where none can be."""
    entry = _entries().get(name)
    if entry is None:
        raise UserError(
            f"extractor {name!r} is not registered; use one of {', '.join(names())};"
            " help(trace_eval.Extractor) in Python says how to write one"
        )
    extractor_class = imported(entry, f"extractor {name!r}")
    if not (
        isinstance(extractor_class, type) and issubclass(extractor_class, Extractor)
    ):
        raise UserError(
            f"extractor {name!r}: {entry.value} is not a subclass of Extractor"
        )
    return extractor_class


def plugin(name: str) -> EntryPoint | None:
    """Find the entry point of an installed package's extractor; None: it is ours."""
    built_in = set(chain.from_iterable(_BUILT_IN.values()))
    return None if name in built_in else _entries().get(name)


def limits_of(name: str) -> str:
    """Return an extractor's limits by its recorded name; it may be uninstalled."""
    try:
        return load(name).limits
    except UserError:
        return UNKNOWN_LIMITS


def create(spec: str, **options: Any) -> Extractor:
    """Build the extractor ``NAME`` or ``NAME:MODEL``.

    MODEL becomes its option ``model``, or the one that its class names as ``argument``.

    Raises:
        UserError: the name is unknown, or the extractor has no such option.
    """
    name, colon, value = spec.partition(":")
    result = load(name)
    if colon:
        option = result.argument
        if not value:
            raise UserError(
                f"extractor {spec!r}: no {option} after the colon; write"
                f" {name}:{option.upper()}"
            )
        options[option] = value
    _check_options(result, spec, options)
    return result(**options)


def _check_options(kind: type[Extractor], spec: str, options: Iterable[str]) -> None:
    known = [field.name for field in fields(kind)]
    for option in options:
        if option not in known:
            offered = (
                f"its options are {', '.join(known)}" if known else "it has no options"
            )
            raise UserError(f"extractor {spec!r}: no option {option!r}; {offered}")


def plan_extractors(
    profile: str,
    overrides: Mapping[str, str | Extractor] | None = None,
    settings: Mapping[str, Any] | None = None,
    own: Mapping[str, Mapping[str, Any]] | None = None,
) -> list[Extractor]:
    """Build the extractors of a profile, those first that others need.

    Args:
        profile: a name in :data:`PROFILES`.
        overrides: group -> spec or extractor that replaces the profile's, or ``none``
            to drop the group.
        settings: option -> value, e.g. device; for every extractor named by a spec that
            has such an option. None leaves the profile's or the extractor's default.
        own: extractor -> option -> value, for that extractor alone.

    Raises:
        UserError: the profile, a group or an extractor is unknown, an extractor fills
            another group than the one that it is named for, or a needed group is
            dropped or circular.
    """
    overrides = overrides or {}
    if profile not in PROFILES:
        raise UserError(
            f"profile {profile!r} is unknown; use one of {', '.join(PROFILES)}"
        )
    for group, spec in overrides.items():
        if group not in GROUPS and isinstance(spec, str) and not specs_for(group):
            raise UserError(
                f"group {group!r} is unknown; use one of {', '.join(GROUPS)}, or one"
                " that an extractor of your own fills: see help(trace_eval.Extractor)"
                " in Python"
            )
    options = dict(_SETTINGS.get(profile, {}))
    for name, value in (settings or {}).items():
        if value is not None:
            options[name] = value
    chosen: dict[str, Extractor] = {}
    for group, spec in {**PROFILES[profile], **overrides}.items():
        if spec != NONE:
            chosen[group] = _create_for(group, spec, profile, options)
    chosen = _with_own_options(chosen, own or {})
    return _in_order(chosen)


def _with_own_options(
    chosen: Mapping[str, Extractor], own: Mapping[str, Mapping[str, Any]]
) -> dict[str, Extractor]:
    """Return the extractors by group, with the options that are for one alone."""
    groups = {extractor.name: group for group, extractor in chosen.items()}
    extractors = dict(chosen)
    for name, options in own.items():
        if name not in groups:
            raise UserError(
                f"extractor {name!r}: is not used here, so its options mean nothing;"
                f" used are {', '.join(sorted(groups))}"
            )
        group = groups[name]
        _check_options(type(extractors[group]), name, options)
        extractors[group] = replace(extractors[group], **options)
    return extractors


def _in_order(chosen: Mapping[str, Extractor]) -> list[Extractor]:
    """Return the extractors by group as a list, those first that others need."""
    for group, extractor in chosen.items():
        for need in extractor.needs:
            if need not in chosen:
                offered = " or ".join(f"{need}={spec}" for spec in specs_for(need))
                raise UserError(
                    f"extractor {extractor.name!r} needs group {need}, which is not"
                    f" extracted; add {offered or 'an extractor that fills it'}, or set"
                    f" {group}={NONE}"
                )
    before: dict[str, list[str]] = {}
    for group, extractor in chosen.items():
        wanted = [name for name in extractor.wants if name in chosen]
        before[group] = list(extractor.needs) + wanted
    try:
        order = list(TopologicalSorter(before).static_order())
    except CycleError as error:
        circle = " -> ".join(error.args[1])
        raise UserError(
            f"extractors need each other: {circle}; drop one of them"
        ) from error
    return [chosen[group] for group in order]


def _create_for(
    group: str, spec: str | Extractor, profile: str, settings: Mapping[str, Any]
) -> Extractor:
    try:
        if not isinstance(spec, str):
            extractor = spec
        elif spec == AUTO:
            from extractors.default_asr import chosen

            extractor = chosen(**settings)
        else:
            known = {field.name for field in fields(load(spec.partition(":")[0]))}
            options = {name: value for name, value in settings.items() if name in known}
            extractor = create(spec, **options)
    except UserError as error:
        raise UserError(f"profile {profile}, group {group}: {error}") from error
    if extractor.group != group:
        offered = ", ".join(specs_for(group)) or "nothing that is installed"
        raise UserError(
            f"{group}={spec}: {extractor.name!r} fills group {extractor.group};"
            f" {group} is filled by {offered}"
        )
    return extractor
