"""Which delivery requests are read in which sentence."""

from __future__ import annotations

import pytest

from trace_eval.judges.rules.requests import find_requests
from trace_eval.judges.rules.text import (
    count_literal,
    coverage,
    equal_parts,
    read,
    stem,
    topic,
)

# Expected: the labels of the requests in their order.
TABLE: list[tuple[str, list[str]]] = [
    # -- rate
    ("Read this line slowly: 'Birds fly south.'", ["slow"]),
    ("Tell me about your day in a slow voice.", ["slow"]),
    ("Talk as fast as you can about football.", ["fast"]),
    ("Say 'good luck' very quickly.", ["fast"]),
    ("Please answer at a brisk pace: who was Mozart?", ["fast"]),
    ("Speak at a moderate pace about trees.", ["steady rate"]),
    ("Count to ten and gradually speed up.", ["accelerating"]),
    ("Count to twenty, getting faster with every number.", ["accelerating"]),
    ("Recite the months, slowing down towards the end.", ["decelerating"]),
    ("Say it slowly at first, and then at high speed.", ["accelerating"]),
    (
        "Read the first half of this sentence fast and the second half slowly.",
        ["decelerating"],
    ),
    ("I'd like you to speak slowly.", ["slow"]),
    ("Don't speak so fast.", ["slow"]),
    ("Not so fast, please.", ["slow"]),
    ("Speak quickly, but not too quickly.", ["fast", "not fast"]),
    ("Please speak faster than usual.", ["fast"]),
    ("Talk quicker.", ["fast"]),
    ("Read quickly, please.", ["fast"]),
    ("Slow down and lower the pace by and by until the end.", ["decelerating"]),
    # -- loudness
    ("Speak up.", ["loud"]),
    ("Turn up the volume.", ["loud"]),
    ("Turn up the volume step by step.", ["crescendo"]),
    ("Count to five and turn up the volume.", ["crescendo"]),
    ("Don't be so loud.", ["soft"]),
    ("Keep your voice down.", ["soft"]),
    ("Lower your voice.", ["soft"]),
    ("Speak at a lower volume.", ["soft"]),
    ("Shout 'fire' at the top of your lungs!", ["loud"]),
    ("Say hello in a loud voice.", ["loud"]),
    ("Speak quietly about the library.", ["soft"]),
    ("Tell a story at low volume.", ["soft"]),
    ("Whisper the word 'secret'.", ["whisper"]),
    ("Say 'good night' in a whisper.", ["whisper"]),
    ("Say the days of the week, becoming louder with each one.", ["crescendo"]),
    ("Start in a whisper and end by shouting.", ["crescendo"]),
    ("Count to five and progressively increase the volume.", ["crescendo"]),
    ("Say goodbye with your voice fading away.", ["diminuendo"]),
    ("Say 'hurray' loudly and then softly.", ["diminuendo"]),
    # -- pitch
    ("Say 'mouse' in a high-pitched voice.", ["high pitch"]),
    ("Read the news in a deep voice.", ["low pitch"]),
    ("Sing in a higher pitch than usual.", ["sing", "high pitch"]),
    ("Hold the vowel and gradually raise the pitch.", ["rising pitch"]),
    ("Say 'lemon' with rising intonation.", ["rising pitch"]),
    ("Count down while lowering your pitch step by step.", ["falling pitch"]),
    ("Say 'bear' in a low voice first and then in a squeaky voice.", ["rising pitch"]),
    ("Say the next sentence higher.", ["high pitch"]),
    ("Please use a higher-pitched voice.", ["high pitch"]),
    ("Raise your pitch.", ["high pitch"]),
    ("Raise your pitch with every word.", ["rising pitch"]),
    ("Speak in a lower pitch.", ["low pitch"]),
    ("Make your voice deeper.", ["low pitch"]),
    # -- intonation and emotions
    ("Read the phone book in a monotone voice.", ["monotone"]),
    ("Describe the sunset in an expressive way.", ["expressive"]),
    ("Say 'we won' in an excited tone.", ["emotion excited"]),
    ("Say 'it is raining' sadly.", ["emotion sad"]),
    ("Say 'it is raining' in a bored voice.", ["emotion bored"]),
    ("I am bored, tell me a joke.", []),
    ("Tell me the time as if you were angry.", ["emotion angry"]),
    (
        "Say 'oh' in a cheerful, a furious and a scared tone.",
        ["emotion happy", "emotion angry", "emotion fearful"],
    ),
    (
        "Say 'I am sad' in two moods: happy and surprised.",
        ["emotion happy", "emotion surprised"],
    ),
    ("Tell a bedtime story in a soothing voice.", ["emotion calm"]),
    ("[emotion: sad]My dog ran away.", ["respond to emotion sad"]),
    ("[emotion: fealful]What is that noise?", ["respond to emotion fearful"]),
    ("[children voice]What is the moon made of?", []),
    # -- accents
    ("Order fish and chips with a British accent.", ["accent british"]),
    ("Describe pizza while imitating a thick Italian accent.", ["accent italian"]),
    ("Say 'water' in Scottish and Irish accents.", ["accent scottish", "accent irish"]),
    ("Say 'route' once in American English.", ["accent american"]),
    # -- pauses, repetitions, singing, effects
    ("Say the three words with a long pause between them.", ["pauses"]),
    ("Read the list and pause for two seconds after each item.", ["pauses 2"]),
    ("Say the alphabet without pausing.", ["not pauses"]),
    ("Say the whole line in one breath.", ["not pauses"]),
    ("Repeat 'sorry' three times.", ["repeat 3"]),
    ("Say the word 'ping' twice.", ["repeat 2"]),
    ("Please say 'again' 4 times in a soft voice.", ["repeat 4", "soft"]),
    ("Sing happy birthday.", ["sing"]),
    ("Count to three with an echo effect.", ["effect echo"]),
    ("Can you imitate a cow?", ["effect imitation"]),
    # -- negation
    ("Don't whisper, just tell me the answer.", ["not whisper"]),
    ("Explain gravity, but do not speak slowly.", ["not slow"]),
    ("Tell me a joke without shouting.", ["not loud"]),
    ("Read this, but avoid a monotone voice.", ["not monotone"]),
    ("Don't forget to speak slowly.", ["slow"]),
    # -- nothing is requested
    ("Say which of the two animals is faster.", []),
    ("Tell me who dared to speak up against the king.", []),
    ("Describe a lower-frequency sound.", []),
    ("Describe a plane that flies faster than sound.", []),
    ("Tell me about the fast food industry.", []),
    ("What is a soft drink?", []),
    ("Why do people speak in a high-pitched voice to babies?", []),
    ("Explain how light travels so quickly.", []),
    ("How can I lose weight fast?", []),
    ("Describe the difference between a whisper and a shout.", []),
    ("Tell me about the British accent.", []),
    ("My boss spoke to me in a loud voice today.", []),
    ("Recommend a quiet hotel with a happy hour.", []),
    ("Tell a sad story about a lost dog.", []),
    ("Is a slow pace good for beginners who run?", []),
    ("Explain why sales are rising and prices are falling.", []),
    ("Say the sentence 'I sing loudly three times a day'.", []),
    ("How many times has Brazil won the cup?", []),
    ("Explain what is three times as large as Texas.", []),
    ("Describe a pause button.", []),
    ("Say it out loud: what is two plus two?", []),
    ("Quickly tell me the capital of Peru.", []),
    ("", []),
]


@pytest.mark.parametrize(
    ("instruction", "expected"), TABLE, ids=[text for text, _ in TABLE]
)
def test_requests_are_read_from_the_instruction(
    instruction: str, expected: list[str]
) -> None:
    assert [request.label for request in find_requests(instruction)] == expected


def test_capitals_and_typographic_quotes_make_no_difference() -> None:
    plain = find_requests("Say 'shout loudly' in a SLOW voice.")
    curly = find_requests("Say ‘shout loudly’ in a slow voice.")
    assert [r.label for r in plain] == [r.label for r in curly] == ["slow"]


def test_an_instruction_is_taken_apart() -> None:
    reading = read("[emotion: sad]Say \"Don't go, it's late\" softly.")
    assert reading.notes == ("emotion: sad",)
    assert reading.literal == ("Don't go, it's late",)
    assert reading.body == "say «q» softly."
    # an unclosed quotation runs to the end, and behind a colon none is needed
    for asked in (
        'Say this slowly: "All cats are grey',
        "Say this sentence: All cats are grey",
    ):
        assert read(asked).literal == ("All cats are grey",)


def test_stems_drop_endings_but_keep_three_letters() -> None:
    assert {stem(word) for word in ("walking", "walked", "walks")} == {"walk"}
    assert [stem(word) for word in ("sing", "class", "dog's")] == [
        "sing",
        "class",
        "dog",
    ]


def test_coverage_counts_misheard_words() -> None:
    # Wanted: quick, brown, foxes. Heard: brown, "quickk" (5 of 5 letters + 1: ratio
    # 10/11).
    assert coverage(["quick", "brown", "foxes"], ["brown", "quickk"]) == pytest.approx(
        2 / 3
    )


def test_topic_leaves_out_stop_words() -> None:
    assert topic("Please tell me about the rivers of France") == {"river", "france"}


def test_a_literal_text_is_counted_without_overlap() -> None:
    assert (
        count_literal("close the door", "close the door close a door closed door", 0.5)
        == 3
    )
    assert count_literal("tomato", "a tomato is a tomatoe", 0.5) == 2
    assert count_literal("close the door", "nothing of the kind", 0.5) == 0


def test_equal_parts_find_repetitions_of_unknown_text() -> None:
    assert equal_parts("one two three one two three", 2) == pytest.approx(1.0)
    assert equal_parts("one two three four five six", 2) == pytest.approx(0.0)
    assert equal_parts("", 2) == 0.0
