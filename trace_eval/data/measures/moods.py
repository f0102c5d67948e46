"""Words for how people sound: the sounds they make, their moods, and their voices."""

from __future__ import annotations

import re

from trace_eval.data.word_lists import words_of

#: Sounds that requests ask for by their verb alone: "Sigh, then tell me ...".
COMMON_SOUNDS = (
    r"(?:sigh|laugh|chuckle|giggle|gasp|cough|sob|cry|weep|groan|moan|yawn|whisper|shout|yell"
    r"|scream|pause|sniff|sniffle|gulp|snort|breath|breathe|sneeze|hiccup|growl|grunt|mumble"
    r"|mutter|murmur|stutter|stammer|lisp|smile|grin|cheer|whistle|hum|sing|whimper|wheeze"
    r"|snicker|cackle|howl|shriek|squeal|croak|sneer)"
)

#: Sounds beside them: verbs of manner of speaking, of nonverbal expression and of breath
#: of Levin, English Verb Classes and Alternations (1993), 37.3, 40.1 and 40.2. Many are
#: words for other things ("bark", "pants"), so a request has to say that it wants one.
RARE_SOUNDS = (
    r"(?:babble|bark|bawl|belch|bellow|bleat|blubber|boo|burp|chant|chirp|chortle|cluck|coo"
    r"|crow|croon|drawl|exhale|frown|gargle|gibber|grimace|grumble|guffaw|hiss|holler|hoot"
    r"|huff|inhale|jeer|meow|moo|oink|pant|pout|purr|quack|rasp|retch|roar|scoff|scowl"
    r"|screech|shrug|shudder|slur|slurp|smirk|snarl|snigger|snivel|snore|snuffle|splutter"
    r"|sputter|squawk|squeak|swallow|tremble|trill|titter|tut|twitter|wail|warble|whine"
    r"|whinny|whoop|wink|yap|yelp|yodel)"
)

SOUNDS = rf"(?:{COMMON_SOUNDS[3:-1]}|{RARE_SOUNDS[3:-1]})"

#: Nouns of a voice and of what it does.
HEAD = (
    r"(?:voice|tone|accent|whisper|manner|way|style|pitch|pace|speed|volume|mood|sound)"
)


def participles(sounds: str) -> str:
    """Return a pattern of the participles of sounds: "humming", "wheezing"."""
    verbs = sounds[3:-1].split("|")
    return "|".join(rf"{verb.removesuffix('e')}{verb[-1]}?ing" for verb in verbs)


#: Adjectives for the mood of a speaker or for a voice, of which no thing is bought,
#: cooked or drawn: "simple", "light" and "sweet" are none.
MOODS = words_of("""
    abashed abrasive absent-minded accusatory accusing adoring affable affected
    affectionate afraid aggressive aggrieved aghast agitated alarmed alluring aloof
    amazed amiable amicable amorous amused angry anguished animated annoyed anxious
    apathetic apologetic appalled appreciative apprehensive ardent argumentative
    arrogant ashamed assertive astonished authoritative avid awed awestruck awkward
    baffled bashful beaming befuddled belligerent bemused benevolent bereaved
    bewildered bitchy bitter blase blasé blissful blithe blunt blustery boastful
    boisterous bombastic booming bored bossy brash brave brazen breathless breathy
    breezy brisk broken-hearted brooding brusque bubbly businesslike calm candid
    cantankerous careworn caring caustic cautious chatty cheeky cheerful cheerless
    cheery childish childlike chipper chirpy choked chummy churlish coaxing cocky
    coldhearted combative comforting commanding compassionate complacent conceited
    concerned conciliatory condescending confident confidential conflicted
    confrontational confused congratulatory conspiratorial contemptuous contented
    contrite conversational convinced cordial courteous cowed coy crabby craven
    creaky creepy crestfallen croaky cross crotchety crushed cryptic curious curt
    cutting cynical daring dazed deadpan defeated defensive deferential defiant
    dejected delighted delirious demanding demure depressed derisive desolate
    despairing desperate despondent detached determined devastated devious devout
    diffident dignified disappointed disapproving disbelieving discouraged
    disdainful disgruntled disgusted disheartened disinterested dismayed dismissive
    dispassionate dispirited distant distracted distraught distressed distrustful
    docile doleful doubtful dour dramatic dreamy drowsy drunk drunken dubious dulcet
    eager earnest ecstatic eerie effusive egotistical elated eloquent embarrassed
    embittered emotional empathetic encouraging enraged enraptured enthralled
    enthusiastic envious euphoric evasive exasperated excited exhausted exhilarated
    expectant expressionless expressive exuberant exultant faint fawning fearful
    fearless feeble ferocious fervent feverish fiendish fierce fiery flat flattered
    flippant flirtatious flirty flustered forceful foreboding forgiving forlorn
    formal frail frantic frazzled frenetic frenzied fretful friendly frightened
    frosty frustrated fuming furious furtive fussy gallant garrulous generous genial
    ghostly giddy giggly girlish glad gleeful glib gloating gloomy glum goofy
    grandiose grateful grave gravelly greedy grieving grim groggy grouchy grudging
    gruff grumbling grumpy guarded guilty gushing guttural halting happy harried
    harsh hasty hateful haughty haunted haunting heartbroken heartfelt heartless
    heated hesitant high-pitched hoarse homesick hopeful hopeless horrified
    hospitable hostile humble humorless humorous humourless hurried hurt hushed
    husky hyper hysterical icy ill-tempered impassioned impassive impatient
    imperious impersonal impertinent impetuous impish imploring imposing incensed
    incredulous indifferent indignant indulgent infatuated infuriated ingratiating
    inhibited inquisitive insecure insincere insistent insolent inspired insulted
    intense intimate intimidated intimidating intrigued inviting irate ironic
    irreverent irritable irritated jaded jaunty jealous jittery jocular joking jolly
    jovial joyful joyless joyous jubilant judgmental jumpy keen kindly knowing
    lackadaisical laconic languid languorous lecherous lethargic lifeless lilting
    listless lofty lonely lovelorn lovesick loving lugubrious lusty lyrical mad
    maniacal manic martial mean measured meditative meek melancholic melancholy
    mellifluous mellow melodic melodious melodramatic menacing merciless merry
    mincing mirthful mischievous miserable mistrustful mocking modest monotone
    monotonous moody mopey morbid morose mortified motherly mournful mousy muffled
    mumbling murderous musing mysterious nagging naive nasal nasty naughty needy
    nervous neurotic nonchalant nostalgic numb obedient obnoxious obsequious
    offended offhand officious ominous optimistic orotund outraged overbearing
    overjoyed overwhelmed overwrought pained panicked panicky panting paranoid
    passionate patient patronising patronizing peevish penitent pensive peppy perky
    perplexed pert perturbed pesky pessimistic petrified petulant philosophical
    phlegmatic piercing pious piqued piteous pitiful pitying placid plaintive
    playful pleading pleased poignant poised pompous ponderous portentous posh pouty
    preachy preoccupied prim prissy proud provocative puckish pugnacious puzzled
    queasy querulous questioning quivering quizzical rambling rapt rapturous raspy
    rattled raucous ravenous raving reassuring rebellious rebuking reflective
    regretful relaxed relieved reluctant remorseful repentant reproachful resentful
    reserved resigned resolute resonant respectful restless restrained reticent
    reverent reverential rhapsodic righteous robotic roguish rousing rowdy rude
    rueful sad sarcastic sardonic sassy saucy scared scathing sceptical scheming
    scoffing scolding scornful seductive self-assured self-conscious
    self-deprecating self-important self-pitying sensual sentimental serene shaken
    shaky shamefaced shameless sheepish shifty shocked shrill shy sickly sincere
    singsong sinister skeptical skittish sleepy slurred sly smarmy smitten smug
    snappish snappy sneaky sneering snide snippy snobbish snobby snooty sober solemn
    solicitous somber sombre sonorous soothing sorrowful soulful spirited spiteful
    spooked spooky sprightly squeaky staccato startled stately steely stern stiff
    stilted stoic stoical strained strangled strident stubborn stuffy stunned
    stuttering suave subdued submissive suggestive sulky sullen sultry sunny
    supercilious superior supportive surly surprised suspenseful suspicious
    sympathetic syrupy taciturn tactful tactless tart taunting tearful teary teasing
    tender tense tentative terrified terse testy thankful theatrical thoughtful
    threatening thrilled throaty thunderous timid timorous tipsy tired tongue-tied
    touched touchy tragic tranquil trembling tremulous triumphant troubled trusting
    unamused unassuming uncertain uncomfortable unconcerned unconvinced
    understanding uneasy unemotional unenthusiastic unfeeling unfriendly unhappy
    unhurried unimpressed uninterested unnerved unsettled unsure upbeat uplifting
    upset uptight urbane vacant vague vain valiant vehement velvety venomous vexed
    vicious victorious vindictive vivacious volatile wary weary weepy wheedling
    wheezy whimsical whiny whispery wild winded winsome wistful witchy witty woeful
    wonderstruck wooden woozy worried worshipful wounded wrathful wretched wry
    yearning zany zealous zestful
""")

#: Those that are as often said of a day, a film or a dish that was asked for.
OF_THINGS = words_of("""
    bitter brave brisk broken-hearted calm cheerful cheerless cheery cold cutting
    daring dark distant dramatic dreamy eerie faint fiery flat formal friendly
    frosty funny generous gentle gloomy grim happy harsh haunting hopeful humorous
    icy intense intimate jolly light lonely lyrical mad mean melancholic melancholy
    mellow merry modest morbid mysterious nasty naughty piercing playful poignant
    posh relaxed resonant restless robotic rude sad sly sober soft solemn somber
    sombre soothing spirited spooky stately stern stiff sunny superior supportive
    sweet tart tender tense theatrical thoughtful tragic tranquil uplifting vague
    velvety warm wild witty wooden zany
""")

#: How things are done that are not said, and how words are, which is no manner.
NOT_OF_SPEECH = words_of("""
    absolutely accordingly accurately alternately apparently approximately badly
    barely belly bubbly bully butterfly carefully certainly cheaply chilly clearly
    commonly completely comply concisely consequently consistently constantly
    continuously correctly costly cuddly curiously curly deadly dearly definitely
    differently dolly early easily effectively efficiently elderly entirely equally
    evenly eventually evidently extremely fairly firstly fortunately frankly freely
    frequently ghastly greatly hardly heavenly hilly holy homely honestly hopefully
    hourly immediately imply independently instantly instead jelly largely lastly
    lately lily literally lively luckily mainly manually melody merely mostly
    multiply namely naturally neatly necessarily newly nightly obviously
    occasionally online openly orderly partly perfectly permanently possibly
    precisely presently presumably previously prickly privately promptly properly
    publicly purely quarterly rarely readily regularly relatively rely remotely
    repeatedly rightly roughly safely secondly securely sensibly separately
    seriously shortly silly similarly simultaneously slightly smelly specially
    specifically strangely strictly suddenly supposedly surely tally temporarily
    thankfully thoroughly together totally truly truthfully ugly undoubtedly
    unfortunately utterly weekly wholly widely wobbly worldly wrinkly wrongly yearly
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
_NO_VIEWPOINTS = words_of("casually formally musically nasally sensually theatrically")

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


def adverb_of(adjective: str) -> str:
    """Return the adverb of an adjective: "wistfully", "breezily", "cynically"."""
    if adjective.endswith("ly"):
        return adjective
    if adjective.endswith("ic"):
        return f"{adjective}ally"
    if adjective.endswith("le"):
        return f"{adjective[:-1]}y"
    if adjective.endswith("ll"):
        return f"{adjective}y"
    if adjective.endswith("y") and adjective not in ("shy", "sly", "wry", "coy"):
        return f"{adjective[:-1]}ily"
    return f"{adjective}ly"


#: How a speaker sounds who is in such a mood.
MOOD_ADVERBS = frozenset(map(adverb_of, MOODS)) - COMMENTS


def is_of_speech(adverb: str) -> bool:
    """Whether words may be said in this way: not "weekly", "manually", "legally"."""
    if adverb in NOT_OF_SPEECH:
        return False
    viewpoint = re.search(r"(?:[^c]al|ical)ly$", adverb)
    return not viewpoint or adverb in _NO_VIEWPOINTS or adverb in MOOD_ADVERBS
