"""What each extractor is known not to hear: a sentence per extractor, by its name in the record."""

from __future__ import annotations

LIMITS: dict[str, str] = {
    "audiobox": "predicted aesthetics of mixed audio; speech is a part of what it was trained on.",
    "bs1770": "gated loudness needs 0.4 s; of a clip with few words the range means little.",
    "distillmos": "distilled from another model: it agrees with its teacher, not with everybody.",
    "dnsmos": "trained on noise suppression: falls with the level of the clip, is 2.2 on digital"
    " silence; P.808 does not see clipping.",
    "ecapa": "accents of English by cosine similarity; other languages get the nearest one.",
    "emotion2vec": "nine acted emotions; mixed and weak ones fall to neutral.",
    "faster-whisper": "invents text on silence and loops (both are flagged); tiny.en knows English"
    " only.",
    "nuclei": "syllables by intensity peaks: music and noise have some, too.",
    "pocketsphinx": "a small recogniser: of fast, accented or sung speech most words are guesses.",
    "praat": "autocorrelation: whispers and creaky voice count as unvoiced, octave errors remain.",
    "pyin": "steadier than autocorrelation and slower; a whisper has no pitch.",
    "signal": "bandwidth and clipping of the decoded samples: what an encoder removed before is not"
    " told apart from the system's own band.",
    "speaker": "similarity of voices, not identity; short clips are unstable.",
    "utmos": "naturalness of read synthetic speech; noisy or expressive speech is new to it.",
    "whisper": "invents text on silence and loops (both are flagged); mishears rare names.",
    "words": "words per minute rest on the recogniser's words.",
}

UNKNOWN = "no statement of its limits is known; test it on clips like yours."


def limit_of(extractor: str) -> str:
    """The sentence of an extractor; one that says so where there is none."""
    return LIMITS.get(extractor, UNKNOWN)
