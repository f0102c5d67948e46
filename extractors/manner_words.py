"""Words that name a manner of speaking: sounds, moods, voices and accents."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

#: Sounds that people ask for by their verb alone: "Sigh, then tell me ...".
_COMMON_SOUNDS = """
    sigh laugh chuckle giggle gasp cough sob cry weep groan moan yawn whisper shout
    yell scream pause sniff sniffle gulp snort breath breathe sneeze hiccup growl
    grunt mumble mutter murmur stutter stammer lisp smile grin cheer whistle hum
    sing whimper wheeze snicker cackle howl shriek squeal croak sneer
"""
COMMON_SOUNDS = tuple(_COMMON_SOUNDS.split())

#: Sounds beside them: verbs of manner of speaking, of nonverbal expression and of breath
#: of Levin, English Verb Classes and Alternations (1993), 37.3, 38, 40.1 and 40.2.
_RARE_SOUNDS = """
    babble bark bawl belch bellow bleat blubber boo burp caw chant chatter cheep
    chirp choke chortle click cluck coo croon crow drawl exhale frown gag gargle
    gibber grimace grumble guffaw gurgle hiss holler honk hoot huff inhale jeer kiss
    meow mewl moo neigh oink pant peep pop pout puff purr quack quiver rant rasp
    retch roar rumble scoff scowl screech shiver shrug shudder simper slobber slur
    slurp smack smirk smooch snarl snigger snivel snore snuffle splutter sputter
    squall squawk squeak swoon titter tremble trill tsk tut twang twitter
    ululate wail warble whine whinny whoop wince wink woo woof yammer yap yelp yip
    yodel
"""
RARE_SOUNDS = tuple(_RARE_SOUNDS.split())

#: Adjectives for the mood of a speaker or for a voice, of which no thing is bought,
#: cooked or drawn: "simple", "light" and "sweet" are none.
_MOODS = """
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
"""
MOODS = frozenset(_MOODS.split())

#: Adjectives for a voice and for how it goes on that are no moods.
_VOICES = """
    deep fast gentle high loud low quick quiet rapid slow soft warm
"""
VOICES = tuple(_VOICES.split())

#: Nouns for a voice that tell which one it is: "in a Southern drawl".
_NAMED_VOICES = """
    baritone brogue burr deadpan drawl falsetto lilt monotone singsong twang
    undertone whisper
"""
NAMED_VOICES = tuple(_NAMED_VOICES.split())

#: Accents of English that people ask for.
_ACCENTS = """
    american arabic australian brazilian british canadian chinese cockney danish dutch
    english french german greek indian irish italian jamaican japanese korean mexican
    norwegian polish portuguese russian scottish southern spanish swedish swiss texan
    turkish welsh
"""
ACCENTS = tuple(_ACCENTS.split())


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
    apathy apathetic  arrogance arrogant  charm charming  cheer cheerful
    contrition contrite  conviction convinced  cruelty cruel  cynicism cynical
    desperation desperate  devotion devoted  dismay dismayed  distress distressed
    ecstasy ecstatic  elation elated  emotion emotional  fervor fervent  fervour fervent
    hatred hateful  hostility hostile  humility humble  hysteria hysterical
    mystery mysterious  innocence innocent  insolence insolent  intensity intense  intimacy intimate
    jubilation jubilant  mirth mirthful  mockery mocking  modesty modest
    nonchalance nonchalant  outrage outraged  reluctance reluctant
    resignation resigned  satisfaction satisfied  stoicism stoic  swagger swaggering
    tension tense  vigor vigorous  vigour vigorous  zeal zealous
"""
_PAIRS = _NOUNS.split()
ADJECTIVE_OF_NOUN = dict(zip(_PAIRS[::2], _PAIRS[1::2], strict=True))


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


@cache
def read_out() -> frozenset[str]:
    """Return the single words with which a manner may be read out.

    Of a sound they are its verb in three forms ("sigh", "sighs", "sighing"), of a mood
    its adjective, its adverb and its noun.
    """
    return frozenset(_read_out())


def _read_out() -> Iterator[str]:
    for verb in (*COMMON_SOUNDS, *RARE_SOUNDS, "clear"):
        yield from (verb, third_person(verb), participle(verb))
    for adjective in (*MOODS, *VOICES):
        yield from (adjective, adverb_of(adjective))
    yield from ("laughter", *ADJECTIVE_OF_NOUN, *NAMED_VOICES, *ACCENTS)


def third_person(verb: str) -> str:
    """Return a verb as it stands behind "she": "sighs", "hisses", "cries"."""
    if verb.endswith(("s", "z", "sh", "ch")):
        return f"{verb}es"
    return f"{verb[:-1]}ies" if verb.endswith("ry") else f"{verb}s"


def participle(verb: str) -> str:
    """Return a verb as it stands behind "she is": "sighing", "humming", "wheezing"."""
    if re.fullmatch(r"[^aeiou]{1,3}[aeiou][bdgmnprt]", verb):
        return f"{verb}{verb[-1]}ing"
    return f"{verb.removesuffix('e')}ing"
