"""Words for how people sound: the sounds they make, their moods, and their voices."""

from __future__ import annotations

import re

from extractors import manner_words
from extractors.manner_words import ADJECTIVE_OF_NOUN, MOODS, adverb_of
from trace_eval.data.word_lists import words_of

#: Sounds that requests ask for by their verb alone: "Sigh, then tell me ...".
COMMON_SOUNDS = rf"(?:{'|'.join(manner_words.COMMON_SOUNDS)})"

#: Sounds beside them. Many are words for other things ("bark", "pants"), so a request
#: has to say that it wants one.
RARE_SOUNDS = rf"(?:{'|'.join(manner_words.RARE_SOUNDS)})"

SOUNDS = rf"(?:{COMMON_SOUNDS[3:-1]}|{RARE_SOUNDS[3:-1]})"

#: Nouns of a voice and of what it does, and those that tell which voice it is.
HEAD = (
    r"(?:voice|tone|accent|manner|way|style|pitch|pace|speed|volume|mood|sound"
    r"|impression)"
)
NAMED_VOICES = rf"(?:{'|'.join(manner_words.NAMED_VOICES)})"


def participles(sounds: str) -> str:
    """Return a pattern of the participles of sounds: "humming", "wheezing"."""
    verbs = sounds[3:-1].split("|")
    return "|".join(rf"{verb.removesuffix('e')}{verb[-1]}?ing" for verb in verbs)


#: Those that are as often said of a day, a film or a dish that was asked for.
OF_THINGS = words_of("""
    acid airy artful austere bitter bland bleak bouncy brassy brave brisk
    broken-hearted brutal calm charming cheerful cheerless cheery chilling clinical
    coarse cold comic comical cruel cutting dainty daring dark delicate distant
    dramatic dreamy dreary droll eccentric edgy eerie energetic evil explosive
    extravagant faint festive fiery flat formal friendly frosty funny generous
    gentle gloomy grim happy harsh haunting heroic hollow hopeful humorous hypnotic
    icy inspiring intense intimate jolly lazy light light-hearted lighthearted
    lonely loud lurid lyrical macabre mad majestic mean mechanical melancholic
    melancholy mellow merry modest morbid mysterious nasty naughty neutral noble
    noisy oily peaceful peppery piercing playful poetic poignant posh powerful quiet
    quirky racy regal relaxed resonant restless rhythmic robotic romantic rude sad
    scratchy severe showy silken silky silvery sluggish sly smoky sober soft solemn
    somber sombre soothing sour spirited spooky stately steady stern stiff sugary
    sunny superior supportive sweet tame tart tender tense tepid theatrical
    thoughtful tinny tragic tranquil uplifting vague velvety vibrant vigorous warm
    wicked wild witty wobbly wooden youthful zany zippy
""")

#: How things are done that are not said, and how words are, which is no manner.
NOT_OF_SPEECH = words_of("""
    absolutely accordingly accurately alternately apparently approximately badly
    barely belly bluntly broadly bubbly bully butterfly candidly carefully certainly
    cheaply chilly clearly commonly completely comply concisely confidentially
    consequently consistently constantly continuously correctly costly crudely
    cuddly curly deadly dearly definitely differently dolly early easily
    effectively efficiently elderly entirely equally evenly eventually evidently
    extremely fairly firstly fortunately frankly freely frequently generally ghastly
    greatly hardly heavenly hilly holy homely honestly hopefully hourly immediately
    imply independently instantly instead jelly largely lastly lately lily literally
    lively loosely luckily mainly manually melody merely mostly multiply namely
    naturally neatly necessarily newly nightly obviously occasionally online openly
    orderly partly perfectly permanently personally plainly possibly precisely
    presently presumably previously prickly privately promptly properly publicly
    purely quarterly rarely readily regularly relatively rely remotely repeatedly
    rightly roughly safely secondly securely sensibly separately seriously shortly
    silly similarly simultaneously slightly smelly specially specifically squarely
    straightforwardly strangely strictly suddenly supposedly surely tally
    temporarily thankfully thoroughly together totally truly truthfully ugly
    undoubtedly unfortunately utterly weekly wholly widely wobbly worldly wrinkly
    wrongly yearly
""")

#: Words that may stand where a manner does, and say nothing of a voice.
NO_MANNER = words_of("""
    absent actually apply assembly basic brief briefly careful clear comprehensive
    consistent creative current currently daily decisive descriptive different
    directly early effective efficient especially exactly exhaustive fair family
    finally fly frank friendly fully generic honest important inclusive independent
    informative innocent intelligent italy july kind kindly likely lovely monthly
    nearly nice objective only pleasant polite positive possibly present probably
    ready realistic really recent recently relevant reply scientific serious silent
    simply specific sufficient supply sure transparent truthful usually weekly
""")


#: Adverbs from adjectives in -al: a viewpoint ("chemically, iron ..."), but for these.
_NO_VIEWPOINTS = words_of(
    "casually conversationally emotionally formally informally musically nasally",
    "professionally sensually theatrically",
)

#: How one handles things: "tell me how to pet a cat gently" asks for no manner.
HANDLING = words_of("""
    carefully cleanly deeply evenly finely firmly gently lightly loosely neatly
    nicely quickly quietly rapidly safely slowly smoothly softly swiftly thickly
    thinly tightly
""")

#: What comments on a sentence where it opens one: "Sadly, it is closed."
COMMENTS = words_of("""
    curiously gladly happily honestly hopefully ironically luckily mercifully
    regretfully sadly seriously strangely surely thankfully tragically
    understandably
""")


#: How a speaker sounds who is in such a mood.
MOOD_ADVERBS = frozenset(map(adverb_of, MOODS)) - COMMENTS


def words_of_mood(noun: str) -> list[str]:
    """Return a noun, and the adjective and the adverb of its mood where they are known.

    Examples are "sympathy", "sympathetic", "sympathetically".
    """
    adjective = ADJECTIVE_OF_NOUN.get(noun, "")
    if noun.endswith("ness"):
        adjective = re.sub(r"i$", "y", noun.removesuffix("ness"))
    return [noun, adjective, adverb_of(adjective)] if adjective else [noun]


def is_of_speech(adverb: str) -> bool:
    """Whether words may be said in this way: not "weekly", "manually", "legally"."""
    if adverb in NOT_OF_SPEECH:
        return False
    viewpoint = re.search(r"(?:[^c]al|ical)ly$", adverb)
    return not viewpoint or adverb in _NO_VIEWPOINTS | MOOD_ADVERBS | COMMENTS
