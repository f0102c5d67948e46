"""Twelve manners, sentences and replies with which ``benchmarks.directions`` began."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Manner:
    """A manner as requests ask for it, as brackets write it, and as read aloud.

    Sentences of ``like`` begin or end with a word that sounds like it.
    """

    phrase: str
    bracket: str
    imperative: str
    aloud: tuple[str, ...]
    word: str
    story: str
    meaning: str
    like: tuple[str, ...] = ()


MANNERS = (
    Manner(
        phrase="with a sigh",
        bracket="sighs",
        imperative="Sigh, then",
        aloud=("Sigh.", "Sighs.", "With a sigh.", "Sighing."),
        word="sigh",
        story="She let out a long sigh and closed the book.",
        meaning="To sigh means to breathe out slowly because you are tired.",
    ),
    Manner(
        phrase="with a laugh",
        bracket="laughs",
        imperative="Laugh, then",
        aloud=("Laughs.", "Laughing.", "With a laugh.", "Laughter."),
        word="laugh",
        story="The old man began to laugh until the windows shook.",
        meaning="To laugh means to show that you are amused.",
    ),
    Manner(
        phrase="in a whisper",
        bracket="whispers",
        imperative="Whisper and",
        aloud=("Whispers.", "Whispering.", "In a whisper.", "Whisper."),
        word="whisper",
        story="They heard a whisper behind the door and froze.",
        meaning="To whisper means to speak without using your voice.",
    ),
    Manner(
        phrase="with a cough",
        bracket="coughs",
        imperative="Cough, then",
        aloud=("Coughs.", "Coughing.", "With a cough.", "Cough, cough."),
        word="cough",
        story="A sudden cough gave the thief away.",
        meaning="A cough is a sudden noise that you make with your throat.",
    ),
    Manner(
        phrase="with a gasp",
        bracket="gasps",
        imperative="Gasp, then",
        aloud=("Gasps.", "Gasping.", "With a gasp.", "Gasp."),
        word="gasp",
        story="The crowd gave a gasp when the curtain fell.",
        meaning="To gasp means to breathe in sharply.",
    ),
    Manner(
        phrase="with a yawn",
        bracket="yawns",
        imperative="Yawn, then",
        aloud=("Yawns.", "Yawning.", "With a yawn.", "Yawn."),
        word="yawn",
        story="The lion gave a great yawn and fell asleep.",
        meaning="A yawn is a deep breath that you take when you are tired.",
    ),
    Manner(
        phrase="with a long pause in the middle",
        bracket="pauses",
        imperative="Pause first, then",
        aloud=("Pause.", "Long pause.", "With a long pause.", "Pauses."),
        word="pause",
        story="After a pause the judge spoke again.",
        meaning="A pause is a short time in which nothing is said.",
    ),
    Manner(
        phrase="in a deep voice",
        bracket="deep voice",
        imperative="Use a deep voice and",
        aloud=(
            "In a deep voice.",
            "Deep voice.",
            "Speaking in a deep voice.",
            "In a deep voice,",
        ),
        word="deep",
        story="The giant had a deep voice that made the ground tremble.",
        meaning="Deep means that something goes far down.",
    ),
    Manner(
        phrase="slowly",
        bracket="slowly",
        imperative="Speak slowly and",
        aloud=("Slowly.", "Speaking slowly.", "Slowly, slowly.", "Speak slowly."),
        word="slowly",
        story="The turtle walked slowly to the river.",
        meaning="Slowly means not quickly.",
    ),
    Manner(
        phrase="in a sad voice",
        bracket="sad voice",
        imperative="Use a sad voice and",
        aloud=("In a sad voice.", "Sad voice.", "Speaking in a sad voice.", "Sadly."),
        word="sad",
        story="The sad king sat alone at his table.",
        meaning="Sad means unhappy.",
    ),
    Manner(
        phrase="with a British accent",
        bracket="British accent",
        imperative="Use a British accent and",
        aloud=(
            "With a British accent.",
            "British accent.",
            "In a British accent.",
            "Speaking with a British accent.",
        ),
        word="British",
        story="The British captain spoke with an accent that nobody knew.",
        meaning="British means that something comes from Great Britain.",
    ),
    Manner(
        phrase="in an excited tone",
        bracket="excitedly",
        imperative="Sound excited and",
        aloud=("In an excited tone.", "Excited tone.", "Excitedly.", "Excited."),
        word="excited",
        story="The excited children ran into the garden.",
        meaning="Excited means very happy about something that will happen.",
    ),
)


LINES = (
    "I cannot believe that it is Monday again",
    "The train to the city leaves at half past nine",
    "Nobody told me that the shop was closed",
    "We have been waiting here for two hours",
    "Please close the window before you leave",
    "My brother bought a new car last week",
    "There is a letter for you on the table",
    "The soup needs a little more salt",
    "You will never guess who called me today",
    "It has been raining since the early morning",
)


REPLIES = (
    "I had a quiet day and read a good book in the garden.",
    "The weather is cloudy with a little rain in the evening.",
    "My favourite meal is pasta with tomatoes and fresh basil.",
    "Well, there are many ways to learn a new language.",
    "A cat chased a ball across the room and knocked over a lamp.",
)


OPEN_REQUESTS = (
    "tell me about your day.",
    "tell me what the weather is like.",
    "name your favourite meal.",
    "explain how to learn a language.",
    "tell me something about cats.",
)
