"""The words that request a delivery, and the labels of the classifiers."""

from __future__ import annotations

from enum import StrEnum


class RequestKind(StrEnum):
    """Kinds of requests about a delivery."""

    SLOW = "slow"
    FAST = "fast"
    STEADY_RATE = "steady_rate"  # a regular, normal pace
    ACCELERATING = "accelerating"
    DECELERATING = "decelerating"
    LOUD = "loud"
    SOFT = "soft"
    WHISPER = "whisper"
    CRESCENDO = "crescendo"
    DIMINUENDO = "diminuendo"
    HIGH_PITCH = "high_pitch"
    LOW_PITCH = "low_pitch"
    RISING = "rising_pitch"
    FALLING = "falling_pitch"
    MONOTONE = "monotone"
    EXPRESSIVE = "expressive"
    EMOTION = "emotion"  # value: the emotion to show
    RESPOND = "respond_to_emotion"  # value: the emotion in which the user spoke
    ACCENT = "accent"  # value: the accent
    PAUSES = "pauses"  # value: seconds, or empty
    REPEAT = "repeat"  # value: how often
    SING = "sing"
    EFFECT = "effect"  # value: what no extractor measures, e.g. echo


#: Adjective before a delivery noun -> kind.
ADJECTIVES: dict[str, RequestKind] = {
    word: kind
    for kind, text in {
        RequestKind.SLOW: "slow slower unhurried leisurely",
        RequestKind.FAST: "fast faster rapid quick quicker brisk hurried",
        RequestKind.STEADY_RATE: "regular moderate steady",
        RequestKind.LOUD: "loud louder booming shouting yelling powerful",
        RequestKind.SOFT: "soft softer quiet quieter hushed",
        RequestKind.WHISPER: "whisper whispered whispering whispery",
        RequestKind.HIGH_PITCH: "high high-pitched higher higher-pitched squeaky shrill",
        RequestKind.LOW_PITCH: "low low-pitched lower lower-pitched deep deeper",
        RequestKind.MONOTONE: "monotone monotonous flat toneless expressionless",
        RequestKind.EXPRESSIVE: "expressive exaggerated dramatic animated lively playful theatrical"
        " varied",
        RequestKind.RISING: "rising",
        RequestKind.FALLING: "falling",
    }.items()
    for word in text.split()
}

#: Adverb -> kind.
ADVERBS: dict[str, RequestKind] = {
    word: kind
    for kind, text in {
        RequestKind.SLOW: "slowly slower",
        RequestKind.FAST: "fast faster quickly quicker rapidly swiftly briskly",
        RequestKind.LOUD: "loudly louder",
        RequestKind.SOFT: "softly quietly softer quieter",
        RequestKind.HIGH_PITCH: "higher",
        RequestKind.LOW_PITCH: "lower deeper",
        RequestKind.EXPRESSIVE: "expressively",
        RequestKind.MONOTONE: "monotonously",
    }.items()
    for word in text.split()
}

#: Emotion -> adjectives, adverbs and nouns by which people ask for it.
EMOTION_WORDS: dict[str, str] = {
    "happy": "happy happily cheerful cheerfully joyful joyfully joy happiness overjoyed jolly glad",
    "sad": "sad sadly sadness sorrowful melancholic melancholy gloomy mournful grieving",
    "angry": "angry angrily anger furious annoyed irritated frustrated mad frustration",
    "fearful": "fearful fealful scared frightened afraid anxious nervous nervously panicked fear"
    " terrified",
    "surprised": "surprised astonished amazed surprise",
    "disgusted": "disgusted disgust",
    "excited": "excited excitedly excitement enthusiastic enthusiastically enthusiasm thrilled"
    " energetic",
    "calm": "calm calmly soothing soothingly calming relaxing relaxed gentle gently peaceful serene"
    " serenity",
    "bored": "bored boredom",
    "sarcastic": "sarcastic sarcastically sarcasm",
    "skeptical": "skeptical sceptical doubtful",
    "urgent": "urgent urgently urgency",
}
EMOTIONS: dict[str, str] = {
    word: emotion for emotion, text in EMOTION_WORDS.items() for word in text.split()
}

#: Emotion -> classifier labels that show it (emotion2vec's, in English). Emotions that are not
#: here have no label, so nothing can be told of them.
EMOTION_LABELS: dict[str, frozenset[str]] = {
    "happy": frozenset({"happy"}),
    "sad": frozenset({"sad"}),
    "angry": frozenset({"angry"}),
    "fearful": frozenset({"fearful", "fear"}),
    "surprised": frozenset({"surprised", "surprise"}),
    "disgusted": frozenset({"disgusted", "disgust"}),
    "excited": frozenset({"happy", "surprised"}),
    "calm": frozenset({"neutral", "calm"}),
}

#: Emotion of the user -> labels with which an answer would jar. Our choice: laughing at grief,
#: fear or anger, anger at anybody, gloom over joy.
JARRING: dict[str, frozenset[str]] = {
    "happy": frozenset({"sad", "angry", "disgusted", "fearful"}),
    "excited": frozenset({"sad", "angry", "disgusted", "fearful"}),
    "sad": frozenset({"happy", "angry", "disgusted"}),
    "angry": frozenset({"happy", "angry", "disgusted"}),
    "fearful": frozenset({"happy", "angry", "disgusted"}),
    "disgusted": frozenset({"happy", "angry"}),
    "surprised": frozenset({"angry", "disgusted"}),
}

#: Accent as people ask for it -> the name that we give it.
ACCENTS: dict[str, str] = {
    word: accent
    for accent, text in {
        "british": "british english london",
        "american": "american us",
        "australian": "australian aussie",
        "scottish": "scottish scots",
        "irish": "irish",
        "welsh": "welsh",
        "canadian": "canadian",
        "indian": "indian",
        "singaporean": "singaporean singapore singlish",
        "malaysian": "malaysian",
        "filipino": "filipino philippine",
        "african": "african",
        "new zealand": "kiwi",
        "french": "french parisian",
        "italian": "italian",
        "spanish": "spanish",
        "german": "german",
        "russian": "russian",
        "chinese": "chinese mandarin",
        "japanese": "japanese",
        "brazilian": "brazilian",
        "southern american": "southern texan",
        "local": "local native",
    }.items()
    for word in text.split()
}

#: Accent -> labels of the CommonAccent classifier that show it; no entry: it knows none.
ACCENT_LABELS: dict[str, frozenset[str]] = {
    "british": frozenset({"england"}),
    "american": frozenset({"us"}),
    "australian": frozenset({"australia"}),
    "scottish": frozenset({"scotland"}),
    "irish": frozenset({"ireland"}),
    "welsh": frozenset({"wales"}),
    "canadian": frozenset({"canada"}),
    "indian": frozenset({"indian"}),
    "singaporean": frozenset({"singapore"}),
    "malaysian": frozenset({"malaysia"}),
    "filipino": frozenset({"philippines"}),
    "african": frozenset({"african"}),
    "new zealand": frozenset({"newzealand"}),
}

#: Word in front of "voice" or "effect" -> what no extractor measures.
EFFECTS: dict[str, str] = {
    word: effect
    for effect, text in {
        "robot": "robotic robot mechanical alien",
        "echo": "echo reverberation reverb",
        "glitch": "glitchy glitch broken stuttering distorted malfunctioning",
        "child voice": "child's children's child-like childlike",
        "character voice": "authoritative commanding pirate villain",
    }.items()
    for word in text.split()
}

#: Number words of repetitions.
NUMBERS: dict[str, int] = {
    "two": 2,
    "three": 3,
    "four": 4,
    "five": 5,
    "six": 6,
    "seven": 7,
    "eight": 8,
    "nine": 9,
    "ten": 10,
    "multiple": 2,
    "several": 2,
}
