"""Directions of a request that an answer speaks as words, instead of following them."""

from __future__ import annotations

import re

import pytest

from benchmarks.directions import (
    MadeAnswer,
    answers,
    as_written,
    material_of,
    measured,
)
from benchmarks.directions_recognisers import WORLDS, Found, found_in
from benchmarks.directions_vocabulary import measured as vocabulary_measured
from benchmarks.report import stored
from blueprints import Blueprint, OtherHearing, Span, Word
from tests.support import blueprints as make
from tests.support.cli import ROOT
from trace_eval.data.answers import Answer, Instruction
from trace_eval.data.items import Pair
from trace_eval.data.measures.directions import read_aloud, spoken_directions
from trace_eval.data.measures.misheard import sounds_of
from trace_eval.judges.base import Case
from trace_eval.judges.options.judge_options import JudgeOptions
from trace_eval.judges.rules.judge import RulesJudge
from trace_eval.judges.views.pair.text import PairTextView

LINE = "I cannot believe that it is Monday again."

ALOUD = [
    ('Say "I cannot believe that it is Monday again" with a sigh.', f"Sigh. {LINE}"),
    ('Say "I cannot believe that it is Monday again" with a sigh.', f"Psy, {LINE}"),
    ("Say with a sigh: I cannot believe that it is Monday again.", f"{LINE} Sighing."),
    (
        "Read this aloud: (laughs) I cannot believe that it is Monday again.",
        f"Laughs, {LINE}",
    ),
    ("[gasps] I cannot believe that it is Monday again.", f"Casping, {LINE}"),
    ("*whispers* I cannot believe that it is Monday again.", f"whispers {LINE}"),
    (
        "Use a deep voice and name your favourite meal.",
        "Speaking in a deep voice, I like pasta.",
    ),
    (
        "Tell me about your day in a deep voice.",
        "In a deep voice my day was quiet and warm.",
    ),
    ("Yawn, then tell me about your day.", "Yawn. I had a quiet day."),
    ("Can you tell me about your day slowly?", "Slowly. I had a quiet day."),
    (
        "Answer with a British accent: how are you?",
        "British accent. I am fine, thanks.",
    ),
    (
        "Use a childlike voice and name a good breakfast.",
        "Like a child, oatmeal with apples keeps you full until noon.",
    ),
    ("[childlike] We need two more chairs.", "We need two more chairs like a child."),
    (
        "Sob, then tell me how to sleep better.",
        "and sobbing keep the room dark and put your phone away.",
    ),
    (
        "Sound hesitant and explain how rain is made.",
        "Seeking hesitantly warm air rises and cools down.",
    ),
    (
        "Can you tell me something about dolphins shyly?",
        "Speaking Shali dolphins call each other by names of their own.",
    ),
    ("Say sadly: the dog is gone for ever.", "Sadly, the dog is gone for ever."),
    ("Gasp, then tell me about your day.", "I had a quiet day, dasps."),
    (
        "Say with a laugh: you will never guess who called.",
        "After, you will never guess who called.",
    ),
    ("Answer with a yawn: what is new?", "Yoning the train was late and so was I."),
    (
        "Pause first, then tell me about cats.",
        "Pause a cat chased a ball across the room.",
    ),
    (
        "How do you learn with a sigh?",
        "with the side while there are many ways to learn.",
    ),
    (
        "Answer with a gasp: any news?",
        "with a guest. A cat chased a ball over the lamp.",
    ),
    (
        "Say in a sad voice: you called me today.",
        "You called me today and then in the sad boys.",
    ),
    (
        "Please answer with a cough: is it raining?",
        "It rains a little in the evening with a cough.",
    ),
    (
        "Please answer slowly: how are you?",
        "Seeking slowly, I had a quiet day in the garden.",
    ),
    (
        "Say in an excited tone: the shop was closed.",
        "in an excited don't the shop was closed.",
    ),
    ("Say after clearing your throat: we are closed.", "Clears throat. We are closed."),
    ("Be dramatic and explain rain.", "Dramatically. Warm air rises and cools down."),
    ("[dramatically] The museum is closed.", "Dramatic pause. The museum is closed."),
    (
        "Tell me about whales with a giggle.",
        "Giggling whales sing songs that others learn.",
    ),
    (
        "Please answer softly: what shall I cook?",
        "Try a warm soup with carrots and bread in a soft voice.",
    ),
    (
        'Say "The garden needs water" with a snort.',
        "with this north the garden needs water.",
    ),
    ("Answer with a gasp: any news?", "Gas. A cat chased a ball over the lamp."),
    ("Say in a calm voice: the shop is closed.", "And a convoys the shop is closed."),
    ("Answer with a cough: what is new?", "Half, half, my brother bought a new car."),
    ("Be warm and tell me of it.", "In a warm voice, from my window I see a square."),
    ("Stay calm and tell me how.", "Speaking calmly. Arrive ten minutes early."),
    ("Say mumbling: we are out of flour.", "Mumbles, we are out of flour."),
    ('Say "We are out of flour" humming.', "Humming. We are out of flour."),
    ("Speak while giggling and name a bird.", "Giggles. A robin is a bird for me."),
    ("Use a tired voice and name a gift.", "Sounding tired fresh flowers are a gift."),
    ("Sound sarcastic and say what you see.", "Sarcastic tone from here I see a tree."),
    ("Sniffle, then tell me how.", "With the sniffle repeat each name aloud to me."),
    ("Grunt, then give me a tip.", "With a grant repeat each name aloud to yourself."),
    (
        "Answer in a bored tone: how do I water it?",
        "Water it only when the soil is dry in a board tone.",
    ),
    (
        "Sound hoarse and explain the sky.",
        "Air scatters blue light more than red light hoarse voice.",
    ),
    ("Please answer humming: explain rain.", "Hum. Warm air rises and cools down."),
    ("Sound bitter and tell me of it.", "Bitter voice. I would take a long walk."),
    ("Weep and tell me of foxes.", "Foxes hear mice under the snow. Weeping softly."),
    ("Hum and tell me of dolphins.", "Dolphins call each other by names. Hums a tune."),
    (
        "Use a monotone voice and tell me of elephants.",
        "In a flat monotone. Elephants remember where they found water.",
    ),
    ("Repeat the following howling: we are here.", "We are here. Howling."),
]

#: Requests that ask for a manner without a verb of speech, and answers that read it out.
ASKED_WITHOUT_SPEECH = [
    ("Once again, wistfully: the ferry is late.", "Wistfully. The ferry is late."),
    ("Wistfully, please: the ferry is late.", "Wistfully. The ferry is late."),
    ("ANNA, wistfully: The ferry is late.", "The ferry is late, wistfully."),
    ('"The ferry is late", but wistfully.', "The ferry is late. Wistfully."),
    ("Explain rain. But wistfully, please.", "Wistfully. Warm air rises and cools."),
    ("Explain rain. Let it sound wistful.", "In a wistful voice, warm air rises."),
    ("Would you, wistfully, explain rain?", "Speaking wistfully, warm air rises."),
    ("My aunt wants it wistfully: explain rain.", "Wistfully. Warm air rises."),
    ("Keep it wistful and explain rain.", "Wistfully. Warm air rises and cools."),
    ("Aim for wistful and explain rain.", "Wistful tone. Warm air rises and cools."),
    ("Come across as wistful and explain rain.", "Wistful. Warm air rises and cools."),
    ("Pretend you are wistful and explain rain.", "Wistfully. Warm air rises."),
    ("Like a wistful widow, explain rain.", "Wistfully. Warm air rises and cools."),
    ("Tone: wistful. Explain rain.", "Wistful tone. Warm air rises and cools."),
    ("Voice: wistful\nThe ferry is late.", "Wistful voice. The ferry is late."),
    ("{wistfully} The ferry is late.", "Wistfully, the ferry is late."),
    ("_wistful voice_ The ferry is late.", "The ferry is late. Wistful voice."),
    ("The ferry is late /wistfully/", "The ferry is late, wistfully."),
    ("Make your voice throaty and explain rain.", "Throaty voice. Warm air rises."),
    ("Go Danish in your accent and explain rain.", "Danish accent. Warm air rises."),
    (
        "Switch to a throaty voice and explain rain.",
        "In a throaty voice, warm air rises.",
    ),
    ("Danish accent, please. Explain rain.", "Danish accent. Warm air rises."),
    ("Yelp and explain rain.", "Yelps. Warm air rises and cools."),
    ("Open with a yelp and explain rain.", "With a yelp, warm air rises."),
    ("A yelp first, then explain rain.", "Yelp. Warm air rises and cools."),
    ("One more take, yelping: the ferry is late.", "Yelping, the ferry is late."),
    ("Turn on the throaty voice and explain rain.", "Throaty voice. Warm air rises."),
    ("Explain rain. And mind the tone: wistful.", "Wistful tone. Warm air rises."),
    ("Might you explain rain wistfully?", "Wistfully. Warm air rises and cools."),
    # In any form beside a sentence that the answer says.
    (
        "NARRATOR - wistfully - The old ferry is late.",
        "Wistful. The old ferry is late.",
    ),
    (
        "<style>wistful</style> The old ferry is late.",
        "Wistful. The old ferry is late.",
    ),
    ("The old ferry is late. (wistfully, please)", "The old ferry is late. Wistfully."),
    ("Same again but nimbly: the old ferry is late.", "Nimbly. The old ferry is late."),
    ("I need this wistful: the old ferry is late.", "Wistful. The old ferry is late."),
    (
        "Let's do a throaty voice: the ferry is late.",
        "Throaty voice, the ferry is late.",
    ),
]

RIGHTLY = [
    (
        "Can you tell me what helps babies crying?",
        "Rock them in your arms, and they stop crying.",
    ),
    ("Can you describe a baby laughing?", "It kicks, squeals, laughs."),
    (
        "Can you tell me how to stop my dog howling?",
        "Howling, especially at night, is a sign of fear.",
    ),
    ("Can you tell me about bees humming?", "Humming. It keeps the hive warm."),
    ("Will it be cold tomorrow?", "Cold, with some rain in the morning."),
    ("Should I be slow or fast when lifting?", "Slow. Lift with control."),
    ("Is it better to be quiet or loud in class?", "Quiet, so that others can learn."),
    ("Should bread be soft?", "Yes, soft."),
    ("How do I stay warm in winter?", "Warm. That is what you want, so wear wool."),
    ("Give me three tips to stay calm.", "Breathe. Walk. Third, be calm."),
    ("Be specific and tell me why.", "Specifically, the fuse is blown."),
    ("Tell me with a laugh what is healthy.", "Laughing is healthy for all of us."),
    ('Say "The shop is closed" with a sigh.', "Sure, here it is: the shop is closed."),
    (
        "Answer with a pause: how do I begin?",
        "Pause a moment before you begin to speak.",
    ),
    (
        "Please answer slowly: how do I walk on ice?",
        "Slowly shift your weight and keep low.",
    ),
    ("Whisper and tell me what to do.", "Whisper the secret to the horse and wait."),
    (
        "Answer in a sad voice: who came?",
        "The man with the dark hat came in a hurry today.",
    ),
    (
        "Tell me a joke with a laugh.",
        "I had a good laugh when the cat fell from the sofa.",
    ),
    ("Please answer with a yawn: is it late?", "No, it is early."),
    ("Please answer with a sigh: how many are there?", "Six."),
    (
        "Please answer in a deep voice: why do you stay?",
        "It rains. Therefore, I stay at home.",
    ),
    (
        "Please answer with a gasp: who is there?",
        "It is your brother. He says: goodbye!",
    ),
    ("Cough, then tell me something about cats.", "Cats, as you know, sleep all day."),
    ("Answer slowly: how do I pour?", "Hold the glass and turn it slowly."),
    ("Cough, then tell me what to do.", "Cough into your elbow and wash your hands."),
    ("Cough, then tell me what helps.", "Cough drops help a sore throat at night."),
    ("Answer slowly: how do I eat?", "The best way to eat is slowly."),
    ("Be honest and tell me of it.", "To be honest, it was a long day for us all."),
    ("Can you tell me why you like singing?", "Singing. It makes me happy, you see."),
    ("Laugh and tell me of dogs.", "Laughs are contagious. Dogs know that, too."),
    ("Say the word whisper.", "Whisper."),
    ('Say "sigh" three times.', "Sigh, sigh, sigh."),
    ("What does sigh mean?", "Sigh. To sigh is to breathe out slowly."),
    ("How do you spell yawn?", "Yawn. Y, A, W, N."),
    (
        "Tell me a story in which somebody sighs.",
        "She let out a sigh, and the door closed.",
    ),
    ("Tell me a story about a whisper.", "They heard a whisper behind the door."),
    ("Use laugh in a sentence.", "They laugh."),
    (
        'Repeat after me: "Laughter is the best medicine."',
        "Laughter is the best medicine.",
    ),
    ('Say "Pause here, please" with a sigh.', "Pause here, please."),
    ("Say it sadly: we have closed.", "We have closed."),
    ("Please answer with a gasp: what is new?", "Gas is cheaper than last week."),
    ("Please answer with a sigh: where is it?", "Signs on this road are hard to read."),
    ('Say "The shop is closed" with a whisper.', "Oh, wait. The shop is closed."),
    ("Tell me sadly that you are closed.", "Sadly, we are closed."),
    ("Tell me about your day in a deep voice.", "I had a quiet day and a deep sleep."),
    ("Tell me about your day.", "Sigh. I had a quiet day."),
    ("", "Sigh."),
    ("Say it with a sigh.", ""),
]


def pairs_of(name: str) -> list[list[str]]:
    """Read requests, each with an answer that is right."""
    lines = (ROOT / "benchmarks" / name).read_text("utf-8").splitlines()
    return [line.split("|") for line in lines]


def ordinary() -> list[list[str]]:
    return pairs_of("directions_ordinary.txt")


def test_an_answer_to_a_hinted_manner_goes_on() -> None:
    request = "Explain rain. But wistfully, please."
    assert read_aloud(request, "Wistfully.") == ()
    assert read_aloud(request, "Wistfully. Warm air rises.") == ("wistfully",)


@pytest.mark.parametrize("answer", ["Manually.", "Manually. Turn the valve by hand."])
@pytest.mark.parametrize(
    "request_",
    [
        "Do it manually or automatically?",
        "Do it manually.",
        "Manually, please: open the valve.",
        "How do I open it?",
    ],
)
def test_how_a_thing_is_done_is_no_manner(request_: str, answer: str) -> None:
    assert read_aloud(request_, answer) == ()


@pytest.mark.parametrize("marks", ["", "[.,;:!?]"])
def test_ordinary_answers_with_such_words_are_seldom_called_directions(
    marks: str,
) -> None:
    results = []
    for request, answer in ordinary():
        heard = re.sub(marks, "", answer) if marks else answer
        if read_aloud(request, heard):
            results.append(heard)
    assert len(ordinary()) > 350
    assert len(results) <= 8, results


@pytest.mark.parametrize("marks", ["", "[.,;:!?]"])
def test_no_right_answer_to_a_request_without_a_manner_is_called(marks: str) -> None:
    pairs = pairs_of("directions_unasked.txt")
    results = []
    for request, answer in pairs:
        heard = re.sub(marks, "", answer) if marks else answer
        if read_aloud(request, heard):
            results.append((request, heard))
    assert len(pairs) > 600
    assert results == []


@pytest.mark.parametrize(("request_", "answer"), ALOUD + ASKED_WITHOUT_SPEECH)
def test_directions_that_are_spoken_are_found(request_: str, answer: str) -> None:
    assert read_aloud(request_, answer)


@pytest.mark.parametrize(
    ("asked", "heard"),
    [
        ("Please tell me of bees, speaking proudly.", "Salming proud, bees fly far."),
        ("Sound weary. Tell me of bees.", "Sounding weird, bees visit flowers."),
        ("[gloomily] The library closes early.", "Sounding through me, the library."),
        ("Answer me calmly. Name a walk.", "Staying calm. The path by the river."),
        ("(tuts) Rain is expected tonight.", "With a touch, raining expected tonight."),
        ("(purrs) Rain is expected tonight.", "With a bird, raining expected tonight."),
        ("[hisses] The meeting has moved.", "This is the meeting has moved."),
        (
            'Sound excited and say "There is no milk in the fridge."',
            "In an excite to don't there is no milk in the fridge.",
        ),
        ("Use a husky voice and give me a tip.", "Husky plant them in full sun."),
        ("With a lisp: name a small kitchen.", "Lisp hang your pans on the wall."),
    ],
)
def test_a_direction_is_found_by_its_sound_and_its_place(
    asked: str, heard: str
) -> None:
    assert read_aloud(asked, heard)


@pytest.mark.parametrize(
    ("asked", "answer"),
    [
        ("Use a husky voice and tell me of dogs.", "Husky puppies need much exercise."),
        ("Sound angry and tell me of wasps.", "Angry wasps chased us from the garden."),
        ("Sound calm: what helps?", "Calm music that I know helps me to sleep."),
        ("Sound angry: how is it?", "Angry at the noise they left the room."),
        ("Smile and tell me what helps.", "Smile wins the day for everybody here."),
        ("Laugh: what to do with insults?", "Laugh off the insult and walk away."),
        ("Use a robotic voice: how was it?", "They shouted in a loud, high voice."),
        ("Read this with a hiss: it has moved.", "So it has moved."),
    ],
)
def test_a_word_that_belongs_to_its_sentence_is_no_direction(
    asked: str, answer: str
) -> None:
    assert read_aloud(asked, answer) == ()


@pytest.mark.parametrize(
    ("asked", "answer"),
    [
        (
            "Say 'I am back again' in a happy, sarcastic and annoyed tone, so that the"
            " contrast is heard.",
            "Happy: I am back again! Sarcastic: I am back again. Annoyed: I am back.",
        ),
        (
            "Read 'The rain falls on the plain' twice, first slowly and then quickly.",
            "Slowly: the rain falls on the plain. Quickly: the rain falls on the plain.",
        ),
        (
            "Say the word aluminium in both an American accent and a British accent.",
            "In an American accent, aluminum. In a British accent, aluminium.",
        ),
    ],
)
def test_manners_that_are_wanted_in_turn_may_be_announced(
    asked: str, answer: str
) -> None:
    assert read_aloud(asked, answer) == ()


@pytest.mark.parametrize(
    ("asked", "answer"),
    [
        (
            "Read this twice: [sighs] I am late again. [laughs] It does not matter.",
            "Sighs. I am late again. Laughs. It does not matter.",
        ),
        ("Say it twice in a sad voice: I am late.", "Sad voice. I am late. I am late."),
        (
            "Say it twice in a high, squeaky voice: I am late.",
            "High, squeaky voice. I am late. I am late.",
        ),
        (
            "Say it twice in a high, squeaky voice: I am late.",
            "High, squeaky. I am late. I am late.",
        ),
        (
            "Recite the alphabet slowly and deliberately.",
            "Slowly and deliberately. A, B, C, D.",
        ),
    ],
)
def test_what_is_not_wanted_in_turn_is_read_aloud(asked: str, answer: str) -> None:
    assert read_aloud(asked, answer)


@pytest.mark.parametrize(
    ("asked", "answer"),
    [
        ("Read this with sympathy: my cat is ill.", "Sympathetic. My cat is ill."),
        ("Say it with pride: we have won.", "Proudly, we have won."),
        ("Give me a tip. Please answer with feeling.", "With feeling. Sleep well."),
        ("Hey, tell me of bees, and say it curiously.", "With curiosity, bees dance."),
        ("Talk like a pirate and name a drink.", "Like a pirate. Rum is a drink."),
        ("Repeat after me, but like an old man: it rains.", "Old man. It rains."),
        ("Say this like a robot: it rains today.", "Speaking like a robot. It rains."),
        ("Tell me of rain, speaking professionally.", "Professionally. It is water."),
        ("Say it hopefully: the bus will come.", "Hopefully. The bus will come."),
        ("Give me a tip, narrating with pride.", "With pride. Sleep well tonight."),
        ("Say it with emphasis: we have won.", "With emphasis. We have won."),
        ("Give me a tip. Say it with sadness.", "Sad. Sleep well tonight."),
        ("Answer happily: what is new?", "With happiness. I have a dog now."),
        ("Talk like Yoda and name a drink.", "Like Yoda. Tea is a drink."),
        ("Answer hopefully: will it rain?", "Hopeful tone. It will not rain today."),
        ("Switch to a monotone and name a drink.", "In a monotone. Tea is a drink."),
        ("Say it in a Southern drawl: it rains.", "Southern drawl. It rains."),
        ("Give me a tip. Say it in a growl.", "In a growl. Sleep well tonight."),
        ("Slow right down and name a drink.", "Slowly. Tea is a drink of leaves."),
        ("Tell me why it snows in a whisper.", "Whisper's clouds are cold enough."),
        (
            'How would it sound if you said "The bus has gone" with a snarl?',
            "With a snarl, the bus has gone.",
        ),
    ],
)
def test_nouns_of_moods_and_likenesses_are_manners(asked: str, answer: str) -> None:
    assert read_aloud(asked, answer)


BEES = "Bees dance to show the way to flowers."


@pytest.mark.parametrize(
    ("asked", "reading"),
    [
        ("Speed up and tell me of bees.", "Speeding up."),
        ("Raise your voice and tell me of bees.", "Raised voice."),
        ("Lower your voice and tell me of bees.", "Low voice."),
        ("Tell me of bees, but louder.", "Louder."),
        ("Tell me of bees a bit slower.", "Slower."),
        ("Read it at a slow pace: bees dance.", "At a slow pace."),
        ("Say with tears in your voice: bees dance.", "Tears in voice."),
        ("Tell me of bees half asleep.", "Half asleep."),
        ("Say it in falsetto: bees dance.", "Falsetto."),
        ("Do your best pirate impression and tell me of bees.", "Pirate impression."),
        ("Put some energy into it and tell me of bees.", "Energetic."),
        ("Convey anger: bees dance.", "Anger."),
        ("Show surprise as you tell me of bees.", "Surprised."),
        ("Say it as a pirate: bees dance.", "Pirate."),
        ("Imitate a robot and tell me of bees.", "Robot voice."),
        ("Pretend you are sad and tell me of bees.", "Sad."),
        ("I want to hear a sigh before the answer: what are bees?", "Sigh."),
        ("Please sound a little more cheerful. What are bees?", "More cheerful."),
        ("Gasp in surprise and tell me of bees.", "Gasps in surprise."),
        ("Smack your lips and tell me of bees.", "Smacks lips."),
        ("Tell me of bees. I'd like to hear it very slowly.", "Very slowly."),
        ("In the voice of a pirate, tell me of bees.", "In the voice of a pirate."),
        ("What are bees? I want a British accent.", "British accent."),
        ("Cheerful voice! What are bees?", "Cheerful voice."),
        ("What are bees? Whispered, please.", "Whispered."),
        ("What are bees? Your voice should tremble.", "Trembling voice."),
        ("Tell me of bees while sounding surprised.", "Sounding surprised."),
        ("Tell me of bees in a voice that is deep and slow.", "Deep and slow."),
        ("Say through tears: bees dance.", "Through tears."),
    ],
)
def test_manners_are_asked_for_in_many_forms(asked: str, reading: str) -> None:
    assert read_aloud(asked, f"{reading} {BEES}")
    assert not read_aloud(asked, BEES)


@pytest.mark.parametrize(
    ("asked", "answer"),
    [
        ("Tell me how to cope with grief.", "Grief. It comes in waves."),
        ("Answer as a list: which bees dance?", "A list. All of them do."),
        ("Tell me how to speed up a bee.", "Fast. Bees like warm air."),
        ("Pretend you are shy. Which word describes you?", "Shy. That is my word."),
        ("I need a deep voice microphone: which one?", "Deep voice ones are dear."),
        ("I love a warm tone in photos. How?", "Warm tone. Raise the reds."),
        ("Describe life in a hurry.", "In a hurry, one forgets the keys."),
        ("Explain a voice that is deep.", "Deep voices come from long folds."),
        ("Drop to a lower pace on a run: why?", "Lower pace builds endurance."),
        ("Recommend a book with a lot of tension.", "Tension. It is by a new writer."),
        ("Answer with yes.", "Yes."),
        ("Answer hopefully: will it rain?", "Hopefully, it will not rain today."),
        ("Answer honestly: will it rain?", "Honestly, nobody knows."),
        ("Answer  hopefully: will it rain?", "Hopefully, it will not rain today."),
        ("Say it like this: a cat sleeps all day.", "This. A cat sleeps all day."),
        ("Tell me how the king spoke with pride.", "Pride. The king had much of it."),
        ('Say "Whiskers help cats to see" in a whisper.', "Whiskers help cats to see."),
        ("Respond with sources: who built it?", "Sources name a king of Troy."),
        ("Talk like a pirate and name a drink.", "Pirates drink rum."),
        ("Tell me what looks like a cat.", "Like a cat. A lynx looks so."),
        ("Tell me how to slow down a horse.", "Slow. Sit deep and breathe out."),
        ("What is a burr in a coat?", "A burr. It is a seed with hooks."),
        ("Read this with sympathy: my cat is ill.", "I am sorry to hear that."),
        ("Who speaks like a robot?", "A robot. It has no choice."),
    ],
)
def test_what_an_answer_is_about_is_no_manner(asked: str, answer: str) -> None:
    assert read_aloud(asked, answer) == ()


@pytest.mark.parametrize(
    ("word", "sounds"),
    [
        ("humming", "h@mIN"),
        ("fuming", "fumIN"),
        ("hisses", "hIsIz"),
        ("tutting", "t@tIN"),
        ("sobbing", "sobIN"),
        ("purring", "p@rIN"),
        ("100", "10"),  # a figure stays one
    ],
)
def test_a_vowel_before_a_doubled_consonant_is_short(word: str, sounds: str) -> None:
    assert sounds_of(word) == sounds


@pytest.mark.parametrize(("request_", "answer"), RIGHTLY)
def test_words_that_the_request_wants_are_no_directions(
    request_: str, answer: str
) -> None:
    assert not read_aloud(request_, answer)


@pytest.mark.parametrize(
    ("asked", "spoken"),
    [
        ("Be soft. What is snow like?", "Soft, cold and white. It melts in your hand."),
        (
            "Stay warm and friendly: what is the best drink on a cold day?",
            "Warm milk with honey is the best drink on a cold day.",
        ),
    ],
)
def test_an_adjective_of_a_list_or_before_its_noun_is_no_direction(
    asked: str, spoken: str
) -> None:
    assert read_aloud(asked, spoken) == ()


@pytest.mark.parametrize(
    ("asked", "spoken"),
    [
        ("Sound sad and say: where were you?", "Sad voice where were you?"),
        ("Laugh and tell me who came.", "Laughs, Tom and Jerry came to the party."),
        ("Be warm. What do you like?", "Warm, I like the snow and the sun."),
    ],
)
def test_a_direction_before_and_is_still_one(asked: str, spoken: str) -> None:
    assert read_aloud(asked, spoken)


#: Numbers of worlds in words.
NUMBERS = {
    13: "thirteen",
    14: "fourteen",
    15: "fifteen",
    16: "sixteen",
    17: "seventeen",
    18: "eighteen",
    19: "nineteen",
    20: "twenty",
}

ASKED = 'Say "You could take the train to the coast" with a sigh.'


def blueprint(
    words: list[Word], others: list[OtherHearing], speech: list[Span]
) -> Blueprint:
    text = " ".join(word.text for word in words)
    transcript = make.transcript(text, words=words)
    return Blueprint(
        clip="c",
        signal=make.signal(speech=speech),
        transcript=transcript.model_copy(update={"others": others}),
    )


def timed(text: str, last_start_s: float) -> list[Word]:
    """Words of a tenth of a second; the last begins later."""
    words: list[Word] = []
    for number, part in enumerate(text.split()):
        start_s = number / 10
        words.append(Word(text=part, start_s=start_s, end_s=start_s + 0.1))
    update = {"start_s": last_start_s, "end_s": last_start_s + 0.5}
    return [*words[:-1], words[-1].model_copy(update=update)]


def test_a_pause_of_the_voice_sets_a_direction_apart() -> None:
    request = "Can you tell me how to stay warm loudly?"
    words = timed("wear several layers and keep your feet dry loudly.", 1.2)
    pause = [Span(start_s=0, end_s=0.8), Span(start_s=1.2, end_s=1.7)]
    assert spoken_directions(request, blueprint(words, [], pause)) == ("loudly",)
    whole = [Span(start_s=0, end_s=1.7)]
    assert spoken_directions(request, blueprint(words, [], whole)) == ()
    # A pause is written where words are near; elsewhere the times are wrong.
    far = [Span(start_s=0, end_s=3), Span(start_s=4, end_s=5)]
    assert spoken_directions(request, blueprint(words, [], far)) == ()


def test_another_hearing_has_the_direction_and_the_evidence_says_what_was_heard() -> (
    None
):
    words = timed("Top, you could take the train to the coast.", 0.8)
    whole = [Span(start_s=0, end_s=1.3)]
    heard = [OtherHearing(start=0, end=1, text="Sighs.")]
    found = spoken_directions(ASKED, blueprint(words, heard, whole))
    assert found == ("sighs (heard as 'top')",)
    other = [OtherHearing(start=0, end=1, text="Stop.")]
    assert spoken_directions(ASKED, blueprint(words, other, whole)) == ()
    other_request = ASKED.replace("sigh", "cough")
    assert spoken_directions(other_request, blueprint(words, heard, whole)) == ()


@pytest.mark.parametrize(
    ("asked", "heard", "found"),
    [
        ("Use a breathy voice and tell me of it.", "Brippy.", "breathy voice"),
        ("Say with a murmur: it rained all day.", "Murmus.", "murmur"),
        ("Say with a grunt: it rained all day.", "Great stuff.", None),
        ("Say with a grunt: it rained all day.", "Right.", None),
    ],
)
def test_another_hearing_may_sound_like_the_direction(
    asked: str, heard: str, found: str | None
) -> None:
    words = timed("On the whole it rained all day.", 0.8)
    whole = [Span(start_s=0, end_s=1.3)]
    others = [OtherHearing(start=0, end=1, text=heard)]
    named = () if found is None else (f"{found} (heard as 'on')",)
    assert spoken_directions(asked, blueprint(words, others, whole)) == named


@pytest.mark.parametrize(
    ("asked", "written", "other", "end", "found"),
    [
        # The text to be said goes on behind a direction, and loses nothing by it.
        ("Say in a whisper: ", "We cross the lake.", "Whisper.", 0, True),
        ("Say in a whisper: ", "The lake is wide.", "Whisper.", 1, True),
        ("Say in a whisper: ", "Whiskers help cats.", "Whisper.", 1, False),
        ("Say in a robot voice: ", "We go in the rowboat.", "robot.", 5, False),
    ],
)
def test_another_hearing_leaves_the_text_that_was_to_be_said(
    asked: str, written: str, other: str, end: int, found: bool
) -> None:
    start = 4 if end == 5 else 0
    others = [OtherHearing(start=start, end=end, text=other)]
    heard = blueprint(timed(written, 0.8), others, [Span(start_s=0, end_s=1.3)])
    assert bool(spoken_directions(f"{asked}{written}", heard)) == found


def test_a_word_of_a_sentence_is_no_direction_by_another_hearing_of_it() -> None:
    words = timed("With a cough and a cold you should stay at home.", 1.0)
    whole = [Span(start_s=0, end_s=1.5)]
    others = [OtherHearing(start=0, end=3, text="with a car,")]
    request = "Cough, then tell me what a cold is like."
    assert spoken_directions(request, blueprint(words, others, whole)) == ()
    lost = [OtherHearing(start=0, end=1, text="Cough.")]
    [found] = spoken_directions(request, blueprint(words[3:], lost, whole))
    assert found == "cough (heard as 'and')"


def test_evidence_names_the_direction_that_misheard_words_sound_like() -> None:
    words = timed("Psy, you could take the train to the coast.", 0.8)
    speech = [Span(start_s=0, end_s=1.3)]
    found = spoken_directions(ASKED, blueprint(words, [], speech))
    assert found == ("sigh (heard as 'psy')",)


def test_other_marks_alone_make_no_likely_direction() -> None:
    request = "Sniffle, then tell me something."
    words = timed("Snails come out when it rains.", 0.8)
    speech = [Span(start_s=0, end_s=1.3)]
    marks = [OtherHearing(start=0, end=1, text="Snails,")]
    assert spoken_directions(request, blueprint(words, marks, speech)) == ()


def case(a: str, b: str) -> Case:
    pair = Pair(
        id="p",
        instruction=Instruction(text=ALOUD[0][0]),
        a=Answer(audio="a.wav"),
        b=Answer(audio="b.wav"),
    )
    return Case.of(pair, make.answer(a), make.answer(b))


def test_rules_prefers_the_answer_that_reads_no_direction_aloud() -> None:
    judgement = RulesJudge().judge_case(case(LINE, f"Sigh. {LINE}"))
    verdict = judgement.dimensions["content"]
    assert verdict.rating == "1"
    assert 'it reads directions aloud ("sigh")' in verdict.reasoning
    b = verdict.evidence["b"]
    assert isinstance(b, dict)
    assert b["directions_read_aloud"] == ["sigh"]


def test_judges_are_told_that_a_direction_was_probably_misheard() -> None:
    pair = case(LINE, f"Psy, {LINE}")
    verdict = RulesJudge().judge_case(pair).dimensions["content"]
    assert "reads directions aloud (\"sigh (heard as 'psy')\")" in verdict.reasoning
    shown = PairTextView(JudgeOptions()).prepare(pair)
    line = "directions read aloud: \"sigh (heard as 'psy')\", said as words"
    assert line in str(shown.b["blueprint"])


def test_a_language_model_is_told_in_either_order_and_only_where_there_is_one() -> None:
    line = 'directions read aloud: "sigh", said as words instead of followed'
    pair = case(LINE, f"Sigh. {LINE}")
    shown = PairTextView(JudgeOptions()).prepare(pair)
    assert line not in str(shown.a)
    assert line in str(shown.b["blueprint"])
    neither = PairTextView(JudgeOptions()).prepare(case(LINE, LINE))
    assert "directions read aloud" not in str(neither)
    paper = PairTextView(JudgeOptions(rendering="paper")).prepare(pair)
    assert "directions read aloud" not in str(paper)


def test_directions_of_other_manners_are_found_in_faultless_words() -> None:
    drawn = list(answers(240, 2, material_of("c")))
    result = measured([as_written(one) for one in drawn])
    assert result["read aloud"] == 120
    assert result["recall"] >= 0.95  # type: ignore[operator]
    assert result["precision"] >= 0.95  # type: ignore[operator]


def test_manners_of_all_kinds_are_read_in_the_forms_of_testers() -> None:
    found, every = vocabulary_measured(each=1, seed=2)
    assert found.total() >= 0.98 * every.total()
    for kind, count in every.items():
        assert found[kind] >= 0.85 * count, kind


def share(found: int, of: int) -> str:
    return f"{found / of:.2f}".removeprefix("0")


def page_of_directions() -> str:
    return " ".join((ROOT / "docs" / "explanation" / "judging.md").read_text().split())


def rows_by(words: str) -> dict[str, Found]:
    """World -> what is found in it by one source of its words."""
    rows = [Found(**row) for row in stored("directions_recognisers")["rows"]]
    return {row.world: row for row in rows if row.words == words}


def test_the_page_has_the_measured_recall() -> None:
    page = page_of_directions()
    rows = rows_by("tiny.en")
    found = sum(row.of_aloud for row in rows.values())
    aloud = sum(row.aloud for row in rows.values())
    worlds = NUMBERS[len(rows)]
    told = f"of {aloud} read aloud in {worlds} worlds of voices and words"
    assert f"{told} {share(found, aloud)} are found" in page
    by_world = sorted(share(row.of_aloud, row.aloud) for row in rows.values())
    assert f"{by_world[0]} to {by_world[-1]} by world" in page
    wrongly = sum(row.wrongly for row in rows.values())
    assert f"{wrongly} of {found + wrongly} found wrongly" in page
    heard = [one for world in rows for one in stored(f"directions_{world}1")["heard"]]
    alike = [one for one in heard if one["kind"].startswith("like ")]
    others = sum(row.others for row in rows.values())
    assert f"{len(alike)} of the {others} other answers sound alike" in page
    alone = rows_by("tiny.en, text alone").values()
    found_alone = sum(row.of_aloud for row in alone)
    assert f"text alone it is {share(found_alone, aloud)}:" in page
    for row in rows.values():
        assert row.of_aloud / (row.of_aloud + row.wrongly) >= 0.95


def test_the_page_has_what_was_found_in_new_forms_at_first() -> None:
    recall = stored("directions_m1")["when first heard"]["recall"]
    told = f"(world m at first: {recall:.2f})".replace(" 0.", " .")
    assert told in page_of_directions()


def test_the_page_has_what_was_found_in_written_requests_at_first() -> None:
    written = WORLDS[WORLDS.index("n") :]
    first = [stored(f"directions_{world}1")["when first heard"] for world in written]
    aloud = [stored(f"directions_{world}1")["read aloud"] for world in written]
    found = [round(one["recall"] * n) for one, n in zip(first, aloud, strict=True)]
    shares = ", ".join(share(n, of) for n, of in zip(found, aloud, strict=True))
    told = f"{share(sum(found), sum(aloud))} of {sum(aloud)} were found at first"
    assert f"{told} ({shares} by world)" in page_of_directions()


def test_the_page_has_how_many_right_answers_are_called() -> None:
    count = len(pairs_of("directions_unasked.txt"))
    told = f"none of {count} right answers to requests that ask for no manner"
    assert told in page_of_directions()


def test_the_page_has_what_is_found_by_exact_words() -> None:
    page = page_of_directions()
    exact = rows_by("exact")
    found = sum(row.of_aloud for row in exact.values())
    aloud = sum(row.aloud for row in exact.values())
    others = sum(row.others for row in exact.values())
    assert f"By exact words {found} of these {aloud} are found" in page
    assert f"none of the {others} others wrongly" in page
    assert sum(row.wrongly for row in exact.values()) == 0
    assert [*exact] == [*WORLDS]
    assert exact[WORLDS[-1]] == next(found_in(WORLDS[-1]))


def test_what_was_heard_is_read_as_when_the_figures_were_stored() -> None:
    unseen = stored("directions_f1")
    result = measured([MadeAnswer(**one) for one in unseen["heard"]])
    assert (result["recall"], result["found"]) == (unseen["recall"], unseen["found"])
