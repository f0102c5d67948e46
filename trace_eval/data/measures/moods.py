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
#: of Levin, English Verb Classes and Alternations (1993), 37.3, 38, 40.1 and 40.2. Many are
#: words for other things ("bark", "pants"), so a request has to say that it wants one.
RARE_SOUNDS = (
    r"(?:babble|bark|bawl|belch|bellow|bleat|blubber|boo|burp|caw|chant"
    r"|chatter|cheep|chirp|choke|chortle|cluck|coo|croon|crow|drawl"
    r"|exhale|frown|gag|gargle|gibber|grimace|grumble|guffaw|gurgle|hiss"
    r"|holler|honk|hoot|huff|inhale|jeer|kiss|meow|mewl|moo|neigh|oink"
    r"|pant|peep|pout|puff|purr|quack|quiver|rant|rasp|retch|roar|rumble|scoff"
    r"|scowl|screech|shiver|shrug|shudder|simper|slobber|slur|slurp|smirk|smooch"
    r"|snarl|snigger|snivel|snore|snuffle|splutter|sputter|squall|squawk"
    r"|squeak|swoon|titter|tremble|trill|tsk|tut|twang|twitter|ululate"
    r"|wail|warble|whine|whinny|whoop|wince|wink|woof|yammer|yap|yelp|yip"
    r"|yodel)"
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
    abashed abrasive absent-minded accommodating accusatory accusing acerbic acid
    adamant admiring adoring affable affected affectionate afraid aggressive
    aggrieved aghast agitated agreeable airy alarmed alluring aloof amazed
    ambivalent amiable amicable amorous amused angry anguished animated annoyed
    antagonistic anxious apathetic apologetic appalled appeasing appreciative
    apprehensive arch ardent argumentative arrogant artful artless ashamed assertive
    astonished astute attentive audacious austere authoritative avid avuncular awed
    awestruck awkward baffled baleful bashful beaming befuddled bellicose
    belligerent bemused benevolent bereaved beseeching bewildered bilious bitchy
    bitter bland blank blase blasé bleak bleary blissful blithe blubbering blustery
    boastful boisterous bombastic booming boorish bored bossy bouncy brash brassy
    brave brazen breathless breathy breezy brisk broken-hearted brooding brusque
    brutal bubbly bumptious businesslike cagey calculating callous calm canny
    cantankerous capricious captious carefree careless careworn caring catty caustic
    cautious ceremonious charming chastened chatty cheeky cheerful cheerless cheery
    childish childlike chilling chipper chirpy chivalrous choked chummy churlish
    civil clinical clipped cloying coarse coaxing cocky cold-blooded coldhearted
    combative comforting comic comical commanding commiserating companionable
    compassionate complacent compliant conceited concerned conciliatory
    condescending confident confiding conflicted confrontational confused
    congratulatory conspiratorial contemplative contemptuous contented contrite
    conversational convinced coquettish cordial corny courteous cowed coy crabby
    crass craven crazed creaky credulous creepy crestfallen croaky cross crotchety
    cruel crushed cryptic cunning curious curt cutting cynical dainty damning daring
    dashing dauntless dazed deadpan debonair decorous defeated defensive deferential
    defiant dejected delicate delighted delirious demanding demented demure
    depressed deranged derisive derogatory desolate despairing desperate despondent
    despotic detached determined devastated devious devout dictatorial didactic
    diffident dignified disappointed disapproving disbelieving disconcerted
    disconsolate discontented discouraged discreet disdainful disgruntled disgusted
    disheartened disillusioned disinterested dismayed dismissive disobedient
    disoriented dispassionate dispirited disrespectful distant distracted distraught
    distressed distrustful docile dogged dogmatic doleful domineering doting
    doubtful dour downcast drained dramatic dreamy dreary droll droning drowsy drunk
    drunken dubious dulcet dutiful eager earnest ebullient eccentric ecstatic edgy
    eerie effervescent effusive egotistical elated eloquent embarrassed embittered
    emotional empathetic encouraging energetic enigmatic enraged enraptured
    enthralled enthusiastic entreating envious euphoric evasive evil exacting
    exaggerated exasperated excitable excited exhausted exhilarated expectant
    explosive expressionless expressive extravagant exuberant exultant facetious
    faint faltering fanatical fatherly fatigued fawning fearful fearless feeble
    ferocious fervent festive feverish fidgety fiendish fierce fiery flat flattered
    flippant flirtatious flirty flustered fond foolish foppish forbidding forceful
    foreboding forgiving forlorn formal fractious frail frantic frazzled frenetic
    frenzied fretful friendly frightened frisky frivolous frosty frustrated
    full-throated fuming furious furtive fussy gallant garrulous generous genial
    ghostly ghoulish giddy giggly girlish glacial glad gleeful glib gloating gloomy
    glowering glum goofy gossipy grandfatherly grandiose grateful grating grave
    gravelly greedy grieved grieving grim groggy grotesque grouchy growly grudging
    gruff grumbling grumbly grumpy guarded guileless guilty gushing gutsy guttural
    haggard halting hapless happy hard-boiled harried harsh hasty hateful haughty
    haunted haunting heartbroken heartfelt heartless heated heavy-hearted hectoring
    heroic hesitant high-pitched hissing hoarse hollow homesick honeyed hopeful
    hopeless horrified hospitable hostile humble humorless humorous humourless
    hurried hurt hushed husky hyper hypnotic hysterical icy ill-humored ill-humoured
    ill-tempered impassioned impassive impatient imperious impersonal impertinent
    impetuous impish implacable imploring impolite imposing inane incensed
    incoherent inconsolable incredulous indifferent indignant indulgent inebriated
    infatuated infuriated ingratiating inhibited inquisitive inscrutable insecure
    insincere insinuating insistent insolent insouciant inspired inspiring insulted
    intense intimate intimidated intimidating intoxicated intrigued introspective
    inviting irascible irate ironic irresolute irreverent irritable irritated jaded
    jarring jaunty jealous jesting jittery jocular joking jolly jovial joyful
    joyless joyous jubilant judgmental jumpy juvenile keen kindhearted kindly kingly
    knowing lachrymose lackadaisical laconic laid-back lamenting languid languishing
    languorous lascivious lazy leaden lecherous leering leisurely lenient lethargic
    level-headed levelheaded lifeless light-hearted lighthearted lilting listless
    loathing lofty lonely lordly lovelorn lovesick loving low-key lugubrious lurid
    lusty lyrical macabre mad magisterial majestic maniacal manic martial maternal
    matronly matter-of-fact maudlin mawkish mean measured mechanical meditative meek
    melancholic melancholy mellifluous mellow melodic melodious melodramatic
    menacing merciless merry mild-mannered militant mincing mirthful mirthless
    mischievous miserable mistrustful moaning mocking modest monotone monotonous
    moody mopey morbid morose mortified motherly mournful mousy muffled mumbling
    murderous musing mysterious nagging naive nasal nasty naughty needy nervous
    nettled neurotic neutral noble noisy nonchalant nostalgic numb obedient obliging
    obnoxious obsequious offended offhand officious oily ominous opinionated
    oppressive optimistic orotund outraged overbearing overexcited overjoyed
    overwhelmed overwrought pacifying pained panicked panicky panting paranoid
    parched passionate paternal pathetic patient patronising patronizing peaceful
    pedantic peeved peevish penetrating penitent pensive peppery peppy peremptory
    perfunctory perky perplexed pert perturbed pesky pessimistic petrified pettish
    petty petulant philosophical phlegmatic piercing pious piqued piteous pitiful
    pitying placid plaintive playful pleading pleased plucky plummy poetic poignant
    pointed poised pompous ponderous portentous posh pouty powerful prayerful
    preachy preoccupied prideful prim prissy professorial prophetic proud
    provocative prudish puckish pugnacious puzzled quarrelsome quavering quavery
    queasy querulous questioning quirky quivering quizzical rabid racy rakish
    rambling rancorous ranting rapt rapturous rasping raspy rattled raucous ravenous
    raving reassuring rebellious rebuking reedy reflective regal regretful relaxed
    relieved reluctant remorseful repentant reproachful reproving repulsed resentful
    reserved resigned resolute resonant respectful restless restrained reticent
    reverent reverential rhapsodic rhetorical rhythmic ribald righteous roaring
    robotic roguish romantic rousing rowdy rude rueful ruminative rushed sad
    sanctimonious sanguine sarcastic sardonic sassy saucy scandalised scandalized
    scared scathing sceptical scheming scoffing scolding scornful scratchy screechy
    secretive sedate seductive self-assured self-conscious self-deprecating
    self-important self-pitying self-righteous self-satisfied sensual sentimental
    serene severe shaken shaky shamefaced shameless sheepish shifty shocked showy
    shrill shuddering shy sibilant sickly silken silky silvery simpering sincere
    singsong sinister skeptical skittish sleepy sluggish slurred sly smarmy smitten
    smoky smoldering smouldering smug snappish snappy snarky snarling sneaky
    sneering snide snippy snivelling snobbish snobby snooty snuffly sobbing sober
    sociable soldierly solemn solicitous somber sombre sonorous soothing sorrowful
    soulful sour spellbound spirited spiteful splenetic spooked spooky sprightly
    squeaky staccato staid stammering startled stately steadfast steady steely
    stentorian stern stiff stilted stoic stoical strained strangled strident
    stubborn stuffy stunned stuttering suave subdued submissive sugary suggestive
    sulky sullen sultry sunny supercilious superior supportive surly surprised
    suspenseful suspicious swaggering swooning sympathetic syrupy taciturn tactful
    tactless tame tantalising tantalizing tart taunting tearful teary teasing
    temperamental tempestuous tender tense tentative tepid terrified terror-stricken
    terse testy tetchy thankful theatrical thoughtful threatening thrilled throaty
    thunderous timid timorous tinny tipsy tired toneless tongue-tied touched touchy
    tragic tranquil trembling tremulous triumphant troubled truculent trusting
    twangy twitchy tyrannical unabashed unaffected unamused unassuming unbothered
    uncaring uncertain uncomfortable uncompromising unconcerned unconvinced unctuous
    undaunted understanding uneasy unemotional unenthusiastic unfazed unfeeling
    unforgiving unfriendly ungracious unhappy unhinged unhurried unimpressed
    uninterested unkind unmoved unnerved unperturbed unrepentant unruffled unsettled
    unsure unsympathetic untroubled unwilling upbeat uplifting upset uptight urbane
    vacant vague vain valiant vehement velvety vengeful venomous vexed vibrant
    vicious victorious vigorous villainous vindictive vivacious vociferous volatile
    voluble waggish wailing wan wary waspish wavering weary weaselly weepy wheedling
    wheezy whimsical whiney whining whiny whispery wholehearted wicked wild wily
    winded winsome wistful witchy withering witty wobbly woeful wonderstruck wooden
    woozy world-weary worried worshipful wounded wrathful wretched wry yearning
    youthful zany zealous zestful zippy
""")

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


#: Nouns of moods that somebody may speak with, each with its adjective.
_NOUNS = """
    affection affectionate  alarm alarmed  amazement amazed  amusement amused
    anger angry  annoyance annoyed  anticipation expectant  anxiety anxious
    apprehension apprehensive  astonishment astonished  authority authoritative
    awe awed  boredom bored  compassion compassionate  concern concerned
    confidence confident  confusion confused  contempt contemptuous  courage brave
    curiosity curious  defiance defiant  delight delighted  despair desperate
    determination determined  dignity dignified  disappointment disappointed
    disbelief disbelieving  disdain disdainful  disgust disgusted  doubt doubtful
    embarrassment embarrassed  empathy empathetic  energy energetic
    enthusiasm enthusiastic  envy envious  exasperation exasperated
    excitement excited  exhaustion exhausted  fear fearful  frustration frustrated
    fury furious  glee gleeful  grief grieving  gratitude grateful  guilt guilty
    hesitation hesitant  hope hopeful  horror horrified  humour humorous
    humor humorous  impatience impatient  indifference indifferent
    indignation indignant  irony ironic  irritation irritated  jealousy jealous
    joy joyful  longing yearning  love loving  malice spiteful  menace menacing
    mischief mischievous  nostalgia nostalgic  optimism optimistic  panic panicked
    passion passionate  patience patient  pessimism pessimistic  pity pitying
    pride proud  rage enraged  regret regretful  relief relieved  remorse remorseful
    resentment resentful  respect respectful  reverence reverent  sarcasm sarcastic
    scepticism sceptical  scorn scornful  serenity serene  shame ashamed  shock shocked
    sincerity sincere  skepticism skeptical  solemnity solemn  sorrow sorrowful
    spite spiteful  surprise surprised  suspense suspenseful  suspicion suspicious
    sympathy sympathetic  terror terrified  triumph triumphant  urgency urgent
    warmth warm  wonder wonderstruck  worry worried
"""
_PAIRS = _NOUNS.split()
ADJECTIVE_OF_NOUN = dict(zip(_PAIRS[::2], _PAIRS[1::2], strict=True))


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
    return not viewpoint or adverb in _NO_VIEWPOINTS or adverb in MOOD_ADVERBS
