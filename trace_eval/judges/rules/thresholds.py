"""Every number that the rules use, in one place, with its source.

From which difference on one of two answers leads stands in
:mod:`trace_eval.judges.beside.steps`.

"Our cut" marks a number that no standard gives: it was set by looking at real and
synthesised answers, and errs on the side of acceptable.
"""

from __future__ import annotations

from dataclasses import dataclass

from pydantic import JsonValue


@dataclass(frozen=True)
class RuleThresholds:
    """Named thresholds; pass other values to :class:`RulesJudge` to move a cut."""

    # -- content ---------------------------------------------------------------------
    #: Less speech than this cannot hold an answer, seconds. Our cut: a spoken "yes".
    min_speech_s: float = 0.2
    #: Fewer words than this, fillers aside, are no answer. Our cut: one word can be
    #: right.
    min_words: int = 1
    #: A refusal must start within this many words. Our cut: later ones are asides.
    refusal_within_words: int = 12
    #: Longer answers that refuse are counted as answers with a disclaimer, words. Our
    #: cut.
    refusal_max_words: int = 45
    #: Share of the content words to be spoken literally that must be heard, 0-1. Our
    #: cut: half of them. Of ten spoken prompts the default recogniser hears every
    #: content word.
    min_literal_share: float = 0.5
    #: Literal texts of fewer content words say nothing: one lost word is all of it. Our
    #: cut.
    min_literal_words: int = 3
    #: Instructions of fewer content words give no overlap. Our cut.
    min_instruction_words: int = 3
    #: Word overlap with the instruction under which an answer may be off topic, 0-1.
    #: Our cut: real answers to the question were heard at 0.44 to 0.56, answers past it
    #: at 0; good answers to open questions at 0.1 to 0.5.
    off_topic_overlap: float = 0.1
    #: Lead in overlap that an on-topic answer needs over such an answer, 0-1. Our cut:
    #: half of the lead of 0.44 to 0.56 that was seen.
    overlap_margin: float = 0.25

    # -- voice quality ---------------------------------------------------------------
    #: Lowest acceptable DNSMOS P.808 score, 1-5. Our cut: between "poor" (2) and "fair"
    #: (3) of the ITU-T P.800 scale.
    min_p808: float = 2.5
    #: Under so much speech it is lower, seconds: one clean recording has 3.1 of its
    #: first second, 3.4 of two and 3.8 of four.
    p808_settles_s: float = 4.0
    #: By so much for each halving of the speech, MOS.
    p808_growth: float = 0.3
    #: Highest acceptable share of samples in clipped runs, 0-1. Our cut: audible from
    #: about 1 %.
    max_clipping: float = 0.01
    #: Lowest acceptable bandwidth (``Signal.bandwidth_hz``), Hz. Our cut: the upper
    #: edge of the telephone band of ITU-T G.712; speech sampled at 8 kHz reads 3,750 to
    #: 4,000.
    min_bandwidth_hz: float = 3400.0
    #: Lowest acceptable level, dBFS RMS of the clip. Our cut: 20 dB under common
    #: practice.
    min_level_dbfs: float = -46.0

    # -- sound that was asked for, or was not; see docs/results/listeners.md -----------
    #: Laughter of so long is a laugh that was asked for, seconds.
    laughter_s: float = 1.0
    #: In a shorter answer a laugh may be missed, and its absence says nothing, seconds.
    laughter_known_s: float = 1.5
    #: The least music under an answer that is noted, seconds. Our cut.
    background_music_s: float = 1.0
    #: Likeness of the voice before and after a moment under which a change is noted.
    #: Our cut: of joined voices of two speakers more than nine of ten lie under it, of
    #: one voice none.
    voice_change_likeness: float = 0.5
    #: Whether such a change counts against an answer. Off: what it costs was not rated.
    voice_change_decides: bool = False

    # -- delivery: rate, words per minute of speech, pauses left out -------------------
    #: At most this is slow. Our cut: real spoken answers were seen at 165 to 212, which
    #: is above the 140 to 190 with pauses of lectures and interviews (Tauroza & Allison
    #: 1990).
    slow_wpm: float = 140.0
    #: At least this is fast. Our cut, as far above them.
    fast_wpm: float = 230.0
    #: Range of neutral delivery. Our cut: twice as slow, or half as fast again, as
    #: common.
    neutral_wpm_low: float = 80.0
    neutral_wpm_high: float = 290.0
    #: Uncertainty of the rate. Our cut: a twentieth of common speech. Of ten prompts
    #: the default recogniser counts 0 to 5 % of the words too few.
    rate_noise_wpm: float = 10.0
    #: Rate of the second half over the first that is accelerating. Our cut: plain
    #: sentences were seen at 0.5 to 1.12, one at 1.3; few syllables make the ratio
    #: coarse.
    accelerating_ratio: float = 1.2
    #: And decelerating. Our cut: most plain sentences stay above it, though they end
    #: slowly.
    decelerating_ratio: float = 0.6
    #: Uncertainty of that ratio, as a factor. Our cut: a syllable of five.
    trend_noise: float = 1.2

    # -- delivery: loudness (LUFS as in ITU-R BS.1770) ---------------------------------
    #: At least this is loud. Our cut: 5 LU above the -23 LUFS of EBU R 128.
    loud_lufs: float = -18.0
    #: At most this is soft. Our cut: 5 LU below it.
    soft_lufs: float = -28.0
    #: Uncertainty of level and trends, LU. Our cut.
    loudness_noise_lu: float = 1.5
    #: Rise over the clip that is a crescendo, LU. Our cut: plain sentences were seen to
    #: rise by up to 5.
    crescendo_lu: float = 5.0
    #: Fall over the clip that is a diminuendo, LU. Our cut: plain sentences mostly fall
    #: by under 10, but short ones were seen to fall by 14 and 19, which this takes for
    #: a diminuendo.
    diminuendo_lu: float = 12.0
    #: Loudness range above which neutral delivery swings too much, LU. Our cut: speech
    #: programmes stay mostly under 20 LU (EBU Tech 3342 describes the measure).
    neutral_range_lu: float = 25.0

    # -- delivery: pitch ---------------------------------------------------------------
    #: At least this median is high, Hz. Our cut: above the mean of women's voices,
    #: about 210 (Traunmüller & Eriksson 1995).
    high_pitch_hz: float = 230.0
    #: At most this median is low, Hz. Our cut: about the mean of men's voices, 120
    #: (ibid.).
    low_pitch_hz: float = 125.0
    #: Rise over the clip that counts, semitones. Our cut; a very short question passes
    #: it too.
    rise_semitones: float = 3.0
    #: Fall over the clip that counts, semitones. Our cut: sentences mostly decline by
    #: up to 5; short ones were seen to fall by 9 and 12, which this takes for asked.
    fall_semitones: float = 7.0
    #: At most this standard deviation is monotone, semitones. Our cut: half of the 2.5
    #: to 3 of lively reading (Traunmüller & Eriksson 1995).
    monotone_semitones: float = 1.5
    #: At least this standard deviation is expressive, semitones. Our cut, above the
    #: same.
    expressive_semitones: float = 3.2
    #: Under this standard deviation neutral delivery is too flat, semitones. Our cut.
    neutral_min_semitones: float = 0.8
    #: Uncertainty of pitch measures, semitones. Our cut.
    pitch_noise_semitones: float = 0.5
    #: At most this share of voiced frames in speech is a whisper, 0-1. Our cut: running
    #: speech is voiced for half of its time and more.
    whisper_voiced: float = 0.2
    #: Uncertainty of that share. Our cut.
    voiced_noise: float = 0.1

    # -- delivery: two answers to one request, relative to each other ------------------
    #: Median pitch of ordinary voices, Hz, from a bass to a young child (Baken &
    #: Orlikoff 2000).
    ordinary_hz_low: float = 65.0
    ordinary_hz_high: float = 400.0
    #: Loudness of ordinary recordings of speech, LUFS. Our cut: 10 LU to both sides of
    #: the -23 of EBU R 128.
    ordinary_lufs_low: float = -33.0
    ordinary_lufs_high: float = -13.0

    # -- delivery: pauses, repetitions, emotion, accent --------------------------------
    #: At least this long is a pause that was meant, seconds. Our cut: twice the 0.25 s
    #: of Goldman-Eisler (1968).
    pause_s: float = 0.5
    #: Share of an asked-for pause that must be there. Our cut.
    pause_share: float = 0.75
    #: Uncertainty of a pause, seconds: the frames of the voice activity detector. Our
    #: cut.
    pause_noise_s: float = 0.1
    #: Longest pause of neutral delivery, seconds. Our cut.
    neutral_pause_s: float = 3.0
    #: Similarity, 0-1, of two word sequences that counts as the same text. Our cut: of
    #: ten prompts the default recogniser's words are 0.92 and more like the text.
    repeat_similarity: float = 0.6
    #: Lead of an emotion's score over the next that is beyond noise, 0-1. Our cut.
    emotion_noise: float = 0.1
    #: An accent counts when its cosine is this close to the highest. Our cut.
    accent_within: float = 0.05

    # -- delivery: the decision --------------------------------------------------------
    #: Share of requests met that is acceptable, 0-1. Our cut.
    min_met_share: float = 0.5
    #: Share of neutral-delivery checks passed that is acceptable, 0-1. Our cut: one may
    #: fail.
    min_neutral_share: float = 0.75
    #: Lead in that share that wins, 0-1. Our cut: one request of five.
    share_margin: float = 0.2
    #: At equal shares, mean lead in units of noise that wins. Our cut: twice the noise.
    strength_margin: float = 2.0
    #: Strengths are cut at this many units of noise: slower than slow is not ever
    #: better. Our cut.
    strength_limit: float = 4.0

    def named(self, *names: str) -> dict[str, JsonValue]:
        """Return some of the thresholds, for the evidence of a verdict."""
        return {name: getattr(self, name) for name in names}

    def limited(self, strength: float) -> float:
        """Cut a strength at the limit."""
        return max(-self.strength_limit, min(self.strength_limit, strength))
