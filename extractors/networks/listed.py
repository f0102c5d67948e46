"""Every network that an extractor runs, in one table: the docs and ``doctor`` show it.

Costs are of ``python -m benchmarks.network_costs`` and ``benchmarks.extract``, seconds
of one processor per second of sound.
"""

from __future__ import annotations

from typing import NamedTuple

from extractors import packaged


class Network(NamedTuple):
    """A network: what it tells, where its weights come from, what is known of it."""

    name: str
    extractor: str  # GROUP=SPEC that runs it; empty: it is a part of others
    tells: str
    weights: str  # a name of packaged.SOURCES, or where else they come from
    licence: str
    size: str
    cost: str  # CPU seconds per second of sound; empty: not measured here
    trusted: str
    published: bool = True  # was run here with the published weights

    @property
    def packaged(self) -> bool:
        """Whether a package carries the weights."""
        return self.weights in packaged.SOURCES

    @property
    def origin(self) -> str:
        """Where the weights come from, in words."""
        if not self.packaged:
            return self.weights
        first = packaged.SOURCES[self.weights][0]
        names = " and ".join(f"{one.name} {one.version}" for one in first.packages)
        return f"{names}, extra {first.extra}" if first.extra else names

    @property
    def problem(self) -> str | None:
        """Why the weights of a package are not used, with the remedy."""
        return packaged.problem(self.weights) if self.packaged else None

    @property
    def sentence(self) -> str:
        """What is known of it, in a line."""
        cost = f", {self.cost} CPU s per s" if self.cost else ""
        unseen = "" if self.published else "; never run here with the published weights"
        return (
            f"{self.tells}; from {self.origin}; {self.licence}, {self.size}{cost};"
            f" trusted: {self.trusted}{unseen}"
        )


#: In the order in which the reference has them.
NETWORKS = (
    Network(
        name="Whisper tiny.en",
        extractor="transcript=faster-whisper:tiny.en",
        tells="words of English",
        weights=packaged.ENGLISH,
        licence="MIT",
        size="75 MB",
        cost="",
        trusted="English; not every doubled word",
    ),
    Network(
        name="Whisper base",
        extractor="transcript=faster-whisper:base",
        tells="words, and which language",
        weights=packaged.MULTILINGUAL,
        licence="MIT",
        size="145 MB",
        cost="",
        trusted="languages that it names for sure",
    ),
    Network(
        name="DNSMOS",
        extractor="quality=dnsmos",
        tells="opinion of quality",
        weights=packaged.DNSMOS,
        licence="MIT",
        size="2 MB",
        cost=".020",
        trusted="floors and P.808",
    ),
    Network(
        name="CAM++",
        extractor="speaker=campplus",
        tells="direction of a voice",
        weights=packaged.CAMPPLUS,
        licence="Apache-2.0",
        size="28 MB",
        cost=".012",
        trusted="one bandwidth, one mood, 2 s of speech",
    ),
    Network(
        name="pyannote segmentation 3.0",
        extractor="",
        tells="who speaks within 10 s: calls in one channel, voices at once",
        weights=packaged.SEGMENTATION,
        licence="MIT",
        size="6 MB",
        cost=".007",
        trusted="at most three speakers, numbered anew in each window",
    ),
    Network(
        name="FireRedVAD events",
        extractor="sounds=fireredvad",
        tells="music",
        weights=packaged.FIREREDVAD,
        licence="Apache-2.0",
        size="1 MB",
        cost=".002",
        trusted="wide band",
    ),
    Network(
        name="YAMNet",
        extractor="sounds=yamnet",
        tells="laughter, vocal sound, music, tones",
        weights=packaged.YAMNET,
        licence="the package states none",
        size="15 MB",
        cost=".002",
        trusted="wide band; absence of a short laugh says nothing",
    ),
    Network(
        name="all-MiniLM-L6-v2",
        extractor="",
        tells="likeness of meaning, for the judge lexical",
        weights=packaged.MINILM,
        licence="Apache-2.0",
        size="23 MB",
        cost="",
        trusted="English; beside words, never alone",
    ),
    Network(
        name="Distill-MOS",
        extractor="distillmos=distillmos",
        tells="opinion of quality",
        weights="the package distillmos, extra mos",
        licence="see its package",
        size="see its package",
        cost="",
        trusted="differences of codecs",
    ),
    Network(
        name="UTMOS",
        extractor="utmos=utmos",
        tells="opinion of naturalness",
        weights="the package utmos-pytorch, extra mos",
        licence="see its package",
        size="see its package",
        cost="",
        trusted="unknown",
        published=False,
    ),
    Network(
        name="Audiobox Aesthetics",
        extractor="aesthetics=audiobox",
        tells="four scores of production and content",
        weights="the package audiobox_aesthetics, extra aesthetics",
        licence="see its package",
        size="see its package",
        cost="",
        trusted="unknown",
        published=False,
    ),
    Network(
        name="emotion2vec",
        extractor="emotion=emotion2vec",
        tells="a score for each of nine emotions",
        weights="a folder, or its hub",
        licence="the FunASR model licence",
        size="300 M weights",
        cost="",
        trusted="unknown",
        published=False,
    ),
    Network(
        name="ECAPA of accents",
        extractor="accent=ecapa",
        tells="likeness to 16 accents of English",
        weights="a folder, or its hub",
        licence="MIT",
        size="21 M weights",
        cost="",
        trusted="unknown",
        published=False,
    ),
    Network(
        name="ECAPA of speakers",
        extractor="speaker=speaker",
        tells="direction of a voice",
        weights="a folder, or its hub",
        licence="Apache-2.0",
        size="21 M weights",
        cost="",
        trusted="unknown",
        published=False,
    ),
)
