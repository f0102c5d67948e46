"""Other manners, sentences and replies for ``benchmarks.directions``, set by set.

The detector of directions read aloud was mended by what ``SETS["b"]`` to ``SETS["i"]``
showed, one after the other; of ``SETS["j"]`` only its four rare sounds were added to
the list of sounds, of ``SETS["k"]`` nothing. What ``SETS["l"]`` showed widened the
forms of requests that are read; ``SETS["m"]`` was made afterwards, and what it showed
added that a manner counts in any form beside a sentence that is said. From
``SETS["n"]`` on testers wrote them who had seen neither the detector nor other sets:
manners that people ask assistants for, in forms of their own. What ``SETS["n"]`` and
``SETS["o"]`` showed mended the detector before ``SETS["p"]`` was heard, and so on, but
that ``SETS["u"]`` was heard before ``SETS["t"]``. From ``SETS["d"]`` on, sets have
answers whose own words sound like a direction, or are one that belongs to the sentence.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class World:
    """Manners, sentences to be said, and replies to open requests.

    Attributes:
        manners: phrase | bracket | imperative | readings, by / | word | story | meaning
            | answers that follow it and begin or end with a similar word, by /
        lines: that a request wants said as they stand.
        replies: open request | reply
        requests: kind | how a line or a reply is asked for, with the names of parts
    """

    manners: tuple[str, ...]
    lines: tuple[str, ...]
    replies: tuple[str, ...]
    requests: tuple[str, ...] = ()


SETS: Mapping[str, World] = {
    "b": World(
        manners=(
            "with a groan|groans|Groan, then|Groans./Groaning./With a "
            "groan./Groan.|groan"
            "|The old door gave a groan as it opened.|To groan means to make a low "
            "sound of pain.",
            "with a chuckle|chuckles|Chuckle, then|Chuckles./Chuckling./With a "
            "chuckle./A chuckle."
            "|chuckle|Grandfather gave a chuckle and lit his pipe.|To chuckle "
            "means to laugh quietly.",
            "with a sniff|sniffs|Sniff first, then|Sniffs./Sniffing./With a "
            "sniff./Sniff, sniff.|sniff"
            "|The dog took a sniff at the basket and barked.|To sniff means to "
            "draw in air.",
            "cheerfully|cheerfully|Cheerfully|Cheerfully./Speaking "
            "cheerfully./Cheerful voice."
            "/In a cheerful voice.|cheerfully|The baker cheerfully greeted all his "
            "guests."
            "|Cheerfully means in a happy way.",
            "in an angry voice|angry|Use an angry voice and|Angry./Angrily./In an "
            "angry voice."
            "/Angry voice.|angry|The angry bees chased the bear away.|Angry means "
            "full of anger.",
            "in a high-pitched voice|high-pitched voice|Use a high-pitched voice and"
            "|In a high-pitched voice./High-pitched voice./High pitched./Speaking "
            "in a high voice."
            "|high-pitched|A high-pitched whistle woke the camp.|High-pitched "
            "means with a high tone.",
            "with a French accent|French accent|Use a French accent and|With a "
            "French accent."
            "/French accent./In a French accent./Speaking with a French accent.|French"
            "|The French cook had a strong accent.|French means that it comes from "
            "France.",
            "quietly|quietly|Speak quietly and|Quietly./Speaking quietly./In a "
            "quiet voice./Quiet voice."
            "|quietly|The nurse quietly closed the curtain.|Quietly means with "
            "little noise.",
            "dramatically|dramatically|Be dramatic and|Dramatically./In a dramatic "
            "tone."
            "/Dramatic pause./Speaking dramatically.|dramatic|The dramatic ending "
            "surprised everyone."
            "|Dramatic means full of strong feeling.",
            "after clearing your throat|clears throat|Clear your throat, then"
            "|Clears throat./Clearing throat./Clears his throat./Clears her "
            "throat.|throat"
            "|He cleared his throat and began to read.|The throat is a part of the "
            "neck.",
            "in a trembling voice|trembling voice|Use a trembling voice and|In a "
            "trembling voice."
            "/Trembling voice./With a trembling voice./Trembling.|trembling"
            "|Her trembling hands held the letter.|Trembling means shaking a little.",
            "with a sob|sobbing|Sob, then|Sobs./Sobbing./With a sob./Sob.|sob"
            "|A sob came from the dark corner.|To sob means to cry loudly.",
        ),
        lines=(
            "The keys are under the flower pot",
            "I have lost my umbrella again",
            "Our neighbours are moving to Spain",
            "The concert begins at eight o'clock",
            "Somebody left the kitchen light on",
            "We should visit your aunt next Sunday",
            "The museum is closed on Tuesdays",
            "Dinner is ready when you are",
        ),
        replies=(
            "tell me how you slept.|I slept well and woke up before the birds.",
            "tell me where to go on holiday.|The mountains are lovely in the early "
            "autumn.",
            "name a good book.|A good book for the beach is Treasure Island.",
            "explain how rain is made.|Warm air rises, cools down, and the water "
            "falls as rain.",
            "tell me something about horses.|Horses can sleep while they are "
            "standing up.",
        ),
    ),
    "c": World(
        manners=(
            "with a giggle|giggles|Giggle, then|Giggles./Giggling./With a "
            "giggle./Giggle.|giggle"
            "|A giggle ran through the classroom.|To giggle means to laugh like a "
            "child.",
            "with a snort|snorts|Snort, then|Snorts./Snorting./With a "
            "snort./Snort.|snort"
            "|The horse gave a snort and ran.|To snort means to blow air through "
            "the nose.",
            "with a moan|moans|Moan, then|Moans./Moaning./With a moan./A moan.|moan"
            "|The wind began to moan in the chimney.|To moan means to make a long "
            "low sound.",
            "nervously|nervously|Sound nervous and|Nervously./In a nervous "
            "voice./Nervous./Nervous laugh."
            "|nervous|The nervous player dropped the ball.|Nervous means worried "
            "and afraid.",
            "in a calm voice|calm|Use a calm voice and|Calm./Calmly./In a calm "
            "voice./Calm voice.|calm"
            "|The calm sea shone like glass.|Calm means quiet and peaceful.",
            "in a squeaky voice|squeaky voice|Use a squeaky voice and|In a squeaky "
            "voice."
            "/Squeaky voice./Squeaky./Speaking in a squeaky voice.|squeaky"
            "|The squeaky gate kept us awake.|Squeaky means making short high sounds.",
            "with a Scottish accent|Scottish accent|Use a Scottish accent and|With "
            "a Scottish accent."
            "/Scottish accent./In a Scottish accent./Speaking with a Scottish "
            "accent.|Scottish"
            "|The Scottish farmer sold his sheep.|Scottish means that it comes "
            "from Scotland.",
            "softly|softly|Speak softly and|Softly./Speaking softly./In a soft "
            "voice./Soft voice.|softly"
            "|Snow fell softly on the village.|Softly means in a gentle way.",
            "sarcastically|sarcastically|Be sarcastic and|Sarcastically./In a "
            "sarcastic tone."
            "/Sarcastic tone./Speaking sarcastically.|sarcastic|His sarcastic "
            "remark hurt her."
            "|Sarcastic means saying the opposite of what is meant.",
            "after taking a deep breath|takes a deep breath|Take a deep breath, then"
            "|Takes a deep breath./Taking a deep breath./Deep breath./Takes a "
            "breath.|breath"
            "|She took a deep breath and jumped.|A breath is the air that you take in.",
            "in a shaky voice|shaky voice|Use a shaky voice and|In a shaky "
            "voice./Shaky voice."
            "/With a shaky voice./Shaky.|shaky|The shaky bridge held at "
            "last.|Shaky means not firm.",
            "with a shout|shouting|Shout and|Shouts./Shouting./With a "
            "shout./Shout.|shout"
            "|A shout came from the harbour.|To shout means to speak very loudly.",
        ),
        lines=(
            "The garden needs water this evening",
            "Your parcel has arrived at the office",
            "My sister plays the violin on Fridays",
            "They painted the fence green and white",
            "The bridge will open in September",
            "I forgot to call the dentist today",
            "There are seven candles on the cake",
            "Nobody knows where the cat is hiding",
        ),
        replies=(
            "tell me about your work.|My work is answering questions from all over "
            "the world.",
            "tell me what to cook tonight.|Try a warm lentil soup with carrots and "
            "bread.",
            "name a famous river.|The Danube flows through ten countries to the sea.",
            "explain how bread is baked.|Flour, water and yeast are mixed, left to "
            "rise, and baked.",
            "tell me something about whales.|Whales sing songs that other whales "
            "learn by heart.",
        ),
    ),
    "d": World(
        manners=(
            "with a sigh|sighs|Sigh, then|Sigh./Sighs./With a sigh./Heavy sigh.|sigh"
            "|He gave a sigh and put the phone away.|A sigh is a long breath that can "
            "be heard.|Signs on this road are hard to read./The house stands on the "
            "other side.",
            "with a laugh|laughs|Laugh, then|Laughs./Laughing./With a laugh./Ha ha, "
            "laughs.|laugh|A laugh came from the next room.|To laugh means to make the "
            "sound of joy.|Half of the flowers are still closed./We go home after "
            "lunch.",
            "in a whisper|whispering|Whisper and|Whispering./In a whisper./Whispers."
            "/Whispered voice.|whisper|A whisper went through the theatre.|To whisper "
            "means to speak very quietly.|With her help we found the way./The road to "
            "Whitby is closed in winter.",
            "with a cough|coughing|Cough first, then|Coughs./Coughing./With a cough."
            "/Cough.|cough|Her cough kept the whole house awake.|To cough means to push "
            "air out of your throat.|Coffee is served from seven to ten./The hotel "
            "gives its guests free coffee.",
            "with a gasp|gasps|Gasp, then|Gasp./Gasps./Gasping./With a gasp.|gasp"
            "|A gasp went through the audience.|A gasp is a short sudden breath."
            "|Gas is cheaper on the other side of town./Every room has a stove that "
            "burns gas.",
            "with a growl|growls|Growl, then|Growls./Growling./With a growl./A low "
            "growl.|growl|The bear answered with a growl.|To growl means to make a low "
            "rough sound.|Growing tomatoes takes a sunny wall./Nobody knows how fast "
            "they grow.",
            "in a deep voice|deep voice|Use a deep voice and|In a deep voice./Deep "
            "voice./Speaking in a deep voice./In a deep tone.|deep|The lake is deep "
            "and very cold.|Deep means that the ground is far below.|Deep snow covers "
            "the roofs./My parents will help the boys.",
            "slowly|slowly|Speak slowly and|Slowly./Speaking slowly./Very slowly."
            "/In a slow voice.|slowly|The snail slowly crossed the path.|Slowly means "
            "with little speed.|Slopes are steep on this side of the hill./The evening "
            "here is always lovely.",
            "in an angry tone|angrily|Sound angry and|In an angry tone./Angrily./Angry "
            "tone./Speaking angrily.|angry|The angry goose hissed at us.|Angry means "
            "that you are cross.|Hungry birds come to the window./The bus stops at "
            "the old stone.",
            "with an Irish accent|Irish accent|Use an Irish accent and|With an Irish "
            "accent./Irish accent./In an Irish accent./Speaking in an Irish accent."
            "|Irish|An Irish poet lived in this street.|Irish means that it comes from "
            "Ireland.|Iris is a flower that likes wet ground./It happened by accident.",
            "in a robotic voice|robot voice|Use a robotic voice and|In a robotic voice."
            "/Robotic voice./Robot voice./Speaking like a robot.|robotic|A robotic arm "
            "packs the boxes.|Robotic means that it is like a machine.|Robert has a "
            "boat on the lake./The school has forty girls and fifty boys.",
            "in a bored tone|bored tone|Sound bored and|In a bored tone./Bored tone."
            "/Bored./Sounding bored.|bored|The bored guard counted the clouds.|Bored "
            "means that nothing interests you.|Boats leave from the pier every hour."
            "/The garden ends behind the wooden board.",
        ),
        lines=(
            "The bakery opens at six in the morning",
            "My cousin works in a hospital near the sea",
            "You left your gloves in the car",
            "Our team has won the second match",
            "The lift is out of order until Friday",
            "I would like two tickets for the late show",
            "There is no milk left in the fridge",
            "Her flight lands a little before midnight",
            "We met in the summer of last year",
            "The paint on the door is still wet",
        ),
        replies=(
            "tell me what you did last night.|Last night I listened to old songs and "
            "went to bed early.",
            "tell me how to keep plants alive.|Give them light, and water them only "
            "when the soil is dry.",
            "name a city worth a visit.|Lisbon is worth a visit for its hills and its "
            "light.",
            "explain why leaves turn red.|When days get shorter, trees take the green "
            "out of their leaves.",
            "tell me something about bees.|Bees tell each other by a dance where the "
            "best flowers are.",
            "give me an idea for the weekend.|You could take the train to the coast "
            "and walk along the cliffs.",
        ),
    ),
    "e": World(
        manners=(
            "with a sneeze|sneezes|Sneeze, then|Sneezes./Sneeze./With a "
            "sneeze./Sneezing.|sneeze|One loud sneeze woke the baby.|To sneeze means "
            "to blow air out of your nose suddenly.|Snow lay on the hills for "
            "weeks./Everybody fits in if they squeeze.",
            "with a hiccup|hiccups|Hiccup, then|Hiccup./Hiccups./With a "
            "hiccup./Hiccuping.|hiccup|A hiccup spoiled the speech of the mayor.|A "
            "hiccup is a sudden jump of your breath.|Hikers meet at the gate at "
            "nine./The farmer came in a pickup.",
            "with a whistle|whistles|Whistle first, then|Whistles./Whistling./With a "
            "whistle./Low whistle.|whistle|The guard blew a whistle and the train "
            "left.|To whistle means to make a clear high sound with your lips.|Whisk "
            "the eggs before you add the milk./In May the hill is full of thistle.",
            "with a scream|screams|Scream, then|Screams./Screaming./With a "
            "scream./Scream.|scream|A scream came out of the haunted house.|To scream "
            "means to cry out in a loud high voice.|Screens were dark in the whole "
            "office./Most people eat it with cream.",
            "gently|gently|Be gentle and|Gently./Speaking gently./In a gentle "
            "voice./Gentle voice.|gently|The mother gently rocked her child.|Gently "
            "means in a soft and kind way.|Gentlemen wore hats in those days./Close "
            "the lid and turn it gently.",
            "quickly|quickly|Speak quickly and|Quickly./Speaking quickly./Very "
            "quickly./Quick voice.|quickly|The fox quickly hid behind the barn.|Quickly "
            "means with great speed.|Quilts like this one take a year./When it rains "
            "the paint dries less quickly.",
            "in a husky voice|husky voice|Use a husky voice and|In a husky "
            "voice./Husky voice./Speaking in a husky voice./Husky.|husky|The husky "
            "singer drank a glass of water.|Husky means low and rough.|Husks of corn "
            "feed the goats./We gave the toys to the boys.",
            "in a sleepy voice|sleepy|Use a sleepy voice and|In a sleepy "
            "voice./Sleepily./Sleepy voice./Sleepy.|sleepy|A sleepy owl sat on the "
            "church roof.|Sleepy means ready to go to bed.|Sleeping bags hang behind "
            "the door./After lunch the whole class is sleepy.",
            "in a playful tone|playfully|Sound playful and|In a playful "
            "tone./Playfully./Playful tone./Speaking playfully.|playful|The playful "
            "kitten chased its tail.|Playful means that you like to have fun.|Players "
            "wait in the tunnel before the match./She learned to play the slide "
            "trombone.",
            "in a monotone voice|monotone|Use a monotone voice and|In a monotone "
            "voice./Monotone./Monotone voice./In a flat monotone.|monotone|The "
            "monotone speech sent everybody to sleep.|Monotone means that the pitch "
            "stays the same.|Money alone makes nobody happy./The path ends at a mighty "
            "stone.",
            "with a German accent|German accent|Use a German accent and|With a German "
            "accent./German accent./In a German accent./Speaking with a German "
            "accent.|German|A German sailor told the story.|German means that it comes "
            "from Germany.|Germs are too small to be seen./Two people saw the "
            "accident.",
            "loudly|loudly|Speak loudly and|Loudly./Speaking loudly./In a loud "
            "voice./Very loudly.|loudly|The geese loudly greeted the farmer.|Loudly "
            "means with much noise.|Clouds hide the top of the tower./Nobody likes it "
            "when they snore loudly.",
        ),
        lines=(
            "The ferry to the island was late again",
            "My uncle grows roses behind his house",
            "You can pay at the counter downstairs",
            "The children built a castle of sand",
            "I need a stamp for this postcard",
            "The radio said that it might snow",
            "Her keys were in the other coat",
            "We still have to feed the chickens",
            "This road has been closed since April",
            "The tailor can mend your jacket by noon",
        ),
        replies=(
            "tell me what you had for breakfast.|I had toast with honey and a big cup "
            "of tea.",
            "tell me how to stay warm in winter.|Wear several thin layers and keep "
            "your feet dry.",
            "name a useful tool.|Everyone should own a hammer with a wooden handle.",
            "explain how glass is made.|Sand is melted in a hot oven with soda and "
            "lime.",
            "tell me something about elephants.|Elephants remember where they found "
            "water many years ago.",
            "give me a tip for a long flight.|On a long flight you should drink enough "
            "and walk around.",
        ),
    ),
    "f": World(
        manners=(
            "with a grunt|grunts|Grunt, then|Grunts./Grunt./With a "
            "grunt./Grunting.|grunt|The pig gave a grunt and rolled over.|To grunt "
            "means to make a short low sound.|Grandma keeps bees behind the barn./The "
            "team sits at the front.",
            "with a sniffle|sniffles|Sniffle, then|Sniffles./Sniffling./With a "
            "sniffle./Sniffle.|sniffle|A sniffle was heard from the back row.|To "
            "sniffle means to sniff again and again.|Snails come out when it "
            "rains./This sum is a riddle.",
            "with a cheer|cheers|Cheer, then|Cheers./Cheering./With a "
            "cheer./Cheer.|cheer|A cheer rose from the stands.|To cheer means to "
            "shout with joy.|Chairs are stacked along the wall./The harbour is "
            "quite near.",
            "mumbling|mumbling|Mumble and|Mumbles./Mumbling./Mumbled "
            "voice./Mumble.|mumble|The clerk began to mumble something.|To mumble "
            "means to speak without opening your mouth.|Mumbai is the largest city "
            "there./All the tents took a tumble.",
            "warmly|warmly|Be warm and|Warmly./Speaking warmly./In a warm "
            "voice./Warm voice.|warmly|The host warmly shook our hands.|Warmly means "
            "in a friendly way.|Worms keep the soil loose./In winter you should "
            "dress warmly.",
            "calmly|calmly|Stay calm and|Calmly./Speaking calmly./In a calm "
            "tone./Very calmly.|calmly|The pilot calmly landed the plane.|Calmly "
            "means without any fear.|Carmen is on at the opera./The river here "
            "flows calmly.",
            "in a raspy voice|raspy voice|Use a raspy voice and|In a raspy "
            "voice./Raspy voice./Speaking in a raspy voice./Raspy.|raspy|The raspy "
            "parrot sang all day.|Raspy means rough and dry.|Raspberries ripen in "
            "July./The choir has a dozen boys.",
            "in a tired voice|tired|Use a tired voice and|In a tired "
            "voice./Tired voice./Tired./Sounding tired.|tired|The tired horse stood "
            "in its stable.|Tired means in need of rest.|Tires are checked before "
            "every trip./After the hike everybody is tired.",
            "in a sarcastic tone|sarcastic tone|Sound sarcastic and|In a sarcastic "
            "tone./Sarcastically./Sarcastic tone./Speaking "
            "sarcastically.|sarcastic|A sarcastic note lay on the desk.|Sarcastic "
            "means saying one thing and meaning another.|Plastic floats on the "
            "sea./The wall is made of stone.",
            "in a squeaky voice|squeaky|Use a squeaky voice and|In a squeaky "
            "voice./Squeaky voice./Squeaky./With a squeaky voice.|squeaky|The "
            "squeaky wheel gets the oil.|Squeaky means high and thin.|Squirrels "
            "hide nuts in the garden./The bell makes little noise.",
            "with an Italian accent|Italian accent|Use an Italian accent and|With an "
            "Italian accent./Italian accent./In an Italian accent./Speaking with an "
            "Italian accent.|Italian|An Italian painter lived upstairs.|Italian "
            "means that it comes from Italy.|It is a long way to the station./Nobody "
            "was hurt in the accident.",
            "solemnly|solemnly|Be solemn and|Solemnly./Speaking solemnly./In a "
            "solemn tone./Very solemnly.|solemnly|The judge solemnly read the "
            "verdict.|Solemnly means in a serious way.|Salmon swim up this river "
            "in autumn./The bells ring solemnly.",
        ),
        lines=(
            "The plumber will be here before lunch",
            "We ran out of flour yesterday evening",
            "Your appointment was moved to Wednesday",
            "The cat sleeps on top of the bookcase",
            "Both lifts are being repaired this week",
            "I left my wallet in the taxi",
            "The lake freezes over in January",
            "Somebody parked in front of our gate",
            "The choir meets in the old library",
            "Dad is painting the hall blue",
        ),
        replies=(
            "tell me what you see from your window.|From my window I see a square "
            "with four old trees.",
            "tell me how to remember names.|Repeat each name aloud and think of a "
            "picture for it.",
            "name a good present.|Fresh flowers are a present that hardly ever fails.",
            "explain why the sky is blue.|Air scatters blue light more than red light.",
            "tell me something about owls.|Owls turn their heads almost all the way "
            "round.",
            "give me a tip for a job interview.|Arrive ten minutes early and bring "
            "a question of your own.",
        ),
    ),
    "g": World(
        manners=(
            "with a groan|groans|Groan, then|Groans./Groan./With a "
            "groan./Groaning.|groan|A groan came from under the bed.|To groan means "
            "to make a long deep sound because you suffer.|Grown men cried that "
            "day./The hotel stands all alone.",
            "with a snort|snorts|Snort, then|Snorts./Snort./With a "
            "snort./Snorting.|snort|The horse gave a snort and ran away.|To snort "
            "means to push air loudly through your nose.|Snow falls on the "
            "fort./The ship is back in the port.",
            "with a sob|sobs|Sob, then|Sobs./Sobbing./With a sob./A quiet "
            "sob.|sob|A sob was heard behind the curtain.|To sob means to cry with "
            "short breaths.|Soap is made of oil and ash./Dad has found a new job.",
            "humming|humming|Hum and|Hums./Humming./Hums a tune./Hum.|hum|The fridge "
            "has a low hum.|To hum means to sing with closed lips.|Hummus is made of "
            "chickpeas./The dentist looked at my gum.",
            "shyly|shyly|Be shy and|Shyly./Speaking shyly./In a shy voice./Very "
            "shyly.|shyly|The fawn shyly left the wood.|Shyly means without much "
            "courage in front of others.|Shyla runs the shop on the corner./The "
            "plan was thought out slyly.",
            "sternly|sternly|Be stern and|Sternly./Speaking sternly./In a stern "
            "tone./Stern voice.|sternly|The guard sternly shook his head.|Sternly "
            "means in a strict way.|Storms are rare in this bay./The sailor sat at "
            "the stern.",
            "in a breathy voice|breathy voice|Use a breathy voice and|In a breathy "
            "voice./Breathy voice./Speaking in a breathy voice./Breathy.|breathy|A "
            "breathy flute opened the song.|Breathy means with much air in the "
            "sound.|Brethren met in this hall./The market is full of noise.",
            "in a childlike voice|childlike|Use a childlike voice and|In a childlike "
            "voice./Childlike voice./Childlike./Like a child.|childlike|A childlike "
            "drawing hung on the wall.|Childlike means as a child would "
            "be.|Chilies like a warm window./It is a book that I like.",
            "in a dreamy tone|dreamily|Sound dreamy and|In a dreamy "
            "tone./Dreamily./Dreamy tone./Speaking dreamily.|dreamy|A dreamy pond "
            "lay behind the mill.|Dreamy means as if you were not awake.|Dream jobs "
            "are hard to find./The soup was rich and creamy.",
            "in a mocking tone|mocking tone|Sound mocking and|In a mocking "
            "tone./Mockingly./Mocking tone./Speaking mockingly.|mocking|The mocking "
            "crow sat on the fence.|Mocking means making fun of somebody.|Mockups "
            "are shown on Monday./Somebody is at the door knocking.",
            "with a Spanish accent|Spanish accent|Use a Spanish accent and|With a "
            "Spanish accent./Spanish accent./In a Spanish accent./Speaking with a "
            "Spanish accent.|Spanish|A Spanish dancer opened the evening.|Spanish "
            "means that it comes from Spain.|Spinach grows well in this soil./The "
            "bridge was hit in the accident.",
            "hesitantly|hesitantly|Sound hesitant and|Hesitantly./Speaking "
            "hesitantly./Hesitant voice./Very hesitantly.|hesitantly|The cat "
            "hesitantly put a paw into the snow.|Hesitantly means slowly because you "
            "are not sure.|Hazel nuts are ripe in autumn./They mended it instantly.",
        ),
        lines=(
            "The museum is free on the first Sunday",
            "My neighbour plays the trumpet at night",
            "Your parcel is behind the green door",
            "The elevator stopped on the third floor",
            "We need two more chairs for dinner",
            "The last bus leaves in ten minutes",
            "Somebody forgot an umbrella in the hall",
            "The river has risen since this morning",
            "Aunt Mary sends you her love",
            "The printer is out of paper again",
        ),
        replies=(
            "tell me what you did on Sunday.|On Sunday I walked along the river with "
            "an old friend.",
            "tell me how to sleep better.|Keep the room dark and put your phone away.",
            "name a good breakfast.|Oatmeal with apples and nuts keeps you full until "
            "noon.",
            "explain how rain is made.|Warm air rises, cools down, and its water falls "
            "as rain.",
            "tell me something about dolphins.|Dolphins call each other by names of "
            "their own.",
            "give me a tip for a first date.|Ask questions, listen well and leave the "
            "phone in your pocket.",
        ),
    ),
    "h": World(
        manners=(
            "with a gulp|gulps|Gulp, then|Gulps./Gulp./With a gulp./Gulping.|gulp|He "
            "took one gulp of tea and left.|To gulp means to swallow quickly or "
            "loudly.|Gulls follow the boats into the bay./The patient has a slow "
            "pulse.",
            "stuttering|stuttering|Stutter and|Stutters./Stuttering./With a "
            "stutter./Stutter.|stutter|The engine began to stutter on the hill.|To "
            "stutter means to repeat sounds when you speak.|Students pay half at the "
            "museum./Every window has a shutter.",
            "with a yell|yells|Yell, then|Yells./Yelling./With a yell./A loud "
            "yell.|yell|A yell came from the football ground.|To yell means to shout "
            "very loudly.|Yellow leaves cover the pond./At noon they rang the bell.",
            "murmuring|murmurs|Murmur and|Murmurs./Murmuring./In a murmur./Murmur."
            "|murmur|A murmur went through the court.|To murmur means to speak in a "
            "low unclear voice.|Merchants sold silk in this street./She wore a "
            "helmet and armour.",
            "tenderly|tenderly|Speak tenderly and|Tenderly./Speaking tenderly./In a "
            "tender voice./Very tenderly.|tenderly|The nurse tenderly lifted the "
            "bird.|Tenderly means with love and care.|Tents stand all along the "
            "beach./Pour the sauce over it slenderly.",
            "proudly|proudly|Be proud and|Proudly./Speaking proudly./In a proud "
            "voice./Very proudly.|proudly|The boy proudly showed his medal.|Proudly "
            "means pleased with what you have done.|Prowlers were seen near the "
            "barn./The sky has been rather cloudy.",
            "in a hoarse voice|hoarse voice|Use a hoarse voice and|In a hoarse "
            "voice./Hoarse voice./Speaking in a hoarse voice./Hoarse.|hoarse|The "
            "hoarse crow woke the whole farm.|Hoarse means that a voice is rough and "
            "dry.|Horses graze behind the mill./The old ladder makes no noise.",
            "in a gloomy tone|gloomily|Sound gloomy and|In a gloomy "
            "tone./Gloomily./Gloomy tone./Speaking gloomily.|gloomy|A gloomy hall "
            "led to the kitchen.|Gloomy means dark and without hope.|Glue dries in "
            "about ten minutes./The flat is bright and roomy.",
            "in a nasal voice|nasal voice|Use a nasal voice and|In a nasal "
            "voice./Nasal voice./Nasal./With a nasal voice.|nasal|The nasal spray "
            "stands on the shelf.|Nasal means that it has to do with the nose.|"
            "Nature needs no help here./The yard is full of toys.",
            "with a Russian accent|Russian accent|Use a Russian accent and|With a "
            "Russian accent./Russian accent./In a Russian accent./Speaking with a "
            "Russian accent.|Russian|A Russian pianist played last.|Russian means "
            "that it comes from Russia.|Rushes grow along the river./The street was "
            "closed by an accident.",
            "hastily|hastily|Speak hastily and|Hastily./Speaking hastily./Very "
            "hastily./In a hasty voice.|hastily|The hare hastily left the field.|"
            "Hastily means with too much speed.|Hazy mornings are common in autumn./"
            "The soup here is always tasty.",
            "in a confident tone|confident tone|Sound confident and|In a confident "
            "tone./Confidently./Confident tone./Speaking confidently.|confident|The "
            "confident climber went first.|Confident means sure of yourself.|"
            "Continents move a little every year./The garden wall is made of stone.",
        ),
        lines=(
            "The pharmacy is next to the post office",
            "My niece starts school in August",
            "You can leave your bicycle in the yard",
            "The washing machine is making odd sounds",
            "Three of the glasses are broken",
            "I will meet you under the big clock",
            "The heating comes on at five",
            "Her new boots are still too tight",
            "The postman came twice this morning",
            "We had to turn back at the bridge",
        ),
        replies=(
            "tell me what you saw at the market.|At the market I saw ripe plums and "
            "a dog in a basket.",
            "tell me how to pack a suitcase.|Roll your shirts and put the heavy things "
            "at the bottom.",
            "name a good hobby.|Painting is a hobby that needs little room.",
            "explain why the sea is salty.|Rivers wash salt from the rocks and carry "
            "it to the sea.",
            "tell me something about penguins.|Penguins keep their eggs warm on top "
            "of their feet.",
            "give me a tip for a rainy day.|On a rainy day you could bake a cake and "
            "invite your friends.",
        ),
    ),
    "i": World(
        manners=(
            "with a smile|smiles|Smile, then|Smiles./Smiling./With a smile./A big "
            "smile.|smile|Her smile made the whole room brighter.|To smile means to "
            "show that you are happy with your mouth.|Small shops close at one./The "
            "station is about a mile.",
            "with a lisp|lisps|Lisp and|Lisps./Lisping./With a lisp./Lisp.|lisp|The "
            "boy spoke with a lisp until he was ten.|A lisp is a way to say the "
            "letter s wrongly.|Lists hang on the kitchen door./The apples this year "
            "are crisp.",
            "stammering|stammers|Stammer and|Stammers./Stammering./With a "
            "stammer./Stammer.|stammer|The witness began to stammer.|To stammer means "
            "to speak with many stops.|Stamps are sold at the counter./Please hand me "
            "the hammer.",
            "weeping|weeps|Weep and|Weeps./Weeping./Weeping softly./Weep.|weep|The "
            "news made the old queen weep.|To weep means to let tears fall.|Weeks "
            "went by without a letter./On the hill there are forty sheep.",
            "muttering|mutters|Mutter and|Mutters./Muttering./With a mutter./Mutter."
            "|mutter|The cook began to mutter something.|To mutter means to speak "
            "quietly because you are annoyed.|Mustard goes well with it./Bread tastes "
            "better with butter.",
            "eagerly|eagerly|Be eager and|Eagerly./Speaking eagerly./In an eager "
            "voice./Very eagerly.|eagerly|The puppy eagerly ran to the door.|Eagerly "
            "means wanting something very much.|Eagles nest on these cliffs./The "
            "shop is open regularly.",
            "bitterly|bitterly|Sound bitter and|Bitterly./Speaking bitterly./In a "
            "bitter voice./Bitter voice.|bitterly|The poet bitterly left the town.|"
            "Bitterly means with anger about what went wrong.|Biscuits are in the blue "
            "tin./The new lamp is very glittery.",
            "in a gravelly voice|gravelly voice|Use a gravelly voice and|In a "
            "gravelly voice./Gravelly voice./Speaking in a gravelly voice./Gravelly."
            "|gravelly|A gravelly path leads to the lake.|Gravelly means rough like "
            "small stones.|Gravity keeps us on the ground./My uncle taught the boys.",
            "in a frightened voice|frightened|Use a frightened voice and|In a "
            "frightened voice./Frightened voice./Frightened./Sounding frightened."
            "|frightened|The frightened deer ran into the wood.|Frightened means "
            "full of fear.|Friday is a good day for me./After the storm the sky "
            "brightened.",
            "with an Australian accent|Australian accent|Use an Australian accent "
            "and|With an Australian accent./Australian accent./In an Australian "
            "accent./Speaking with an Australian accent.|Australian|An Australian "
            "swimmer won the race.|Australian means that it comes from Australia.|"
            "Austrian trains are on time./The lamp was broken by accident.",
            "in a grumpy tone|grumpily|Sound grumpy and|In a grumpy "
            "tone./Grumpily./Grumpy tone./Speaking grumpily.|grumpy|The grumpy troll "
            "sat under the bridge.|Grumpy means in a bad mood.|Groups get a cheaper "
            "ticket./This mattress is rather lumpy.",
            "wearily|wearily|Sound weary and|Wearily./Speaking wearily./In a weary "
            "voice./Weary voice.|wearily|The soldier wearily took off his boots.|"
            "Wearily means in a tired way.|Wheels are sold in pairs./The plan was "
            "right, at least in theory.",
        ),
        lines=(
            "The swimming pool opens in the middle of May",
            "My father fixes clocks in his spare time",
            "You have to change trains in the next town",
            "The blue plates go on the lower shelf",
            "Our cousins are coming by boat",
            "I could not find the light switch",
            "The market is held on the first Saturday",
            "His hat was blown into the river",
            "The lecture has been moved to room nine",
            "We still need eggs and butter",
        ),
        replies=(
            "tell me what you would do with a free day.|I would take a long walk and "
            "then read under a tree.",
            "tell me how to make tea.|Warm the pot, add the leaves, and wait for four "
            "minutes.",
            "name a useful herb.|Mint grows nearly everywhere and is good in tea.",
            "explain why ice floats.|Water grows when it freezes, so ice is lighter "
            "than water.",
            "tell me something about foxes.|Foxes can hear a mouse that moves under "
            "the snow.",
            "give me a tip for a small kitchen.|Hang your pans on the wall and keep "
            "the table clear.",
        ),
    ),
    "j": World(
        manners=(
            "with a whimper|whimpers|Whimper, then|Whimpers./Whimper./With a "
            "whimper./Whimpering.|whimper|A whimper came from the basket.|To whimper "
            "means to make low sounds of pain or fear.|Winter comes early to these "
            "hills./Today the wind is a little crisper.",
            "with a snicker|snickers|Snicker, then|Snickers./Snickering./With a "
            "snicker./Snicker.|snicker|A snicker went along the back row.|To snicker "
            "means to laugh in a mean way.|Sneakers are cheap in this shop./The "
            "candle began to flicker.",
            "wheezing|wheezes|Wheeze and|Wheezes./Wheezing./With a "
            "wheeze./Wheeze.|wheeze|The old engine began to wheeze.|To wheeze means "
            "to breathe with a whistling sound.|Wheels are changed in the garage./"
            "This bread goes well with cheese.",
            "with a shriek|shrieks|Shriek, then|Shrieks./Shrieking./With a "
            "shriek./Shriek.|shriek|A shriek woke the whole street.|To shriek means "
            "to cry out in a very high voice.|Shrimps are served on Fridays./I will "
            "see you again next week.",
            "gruffly|gruffly|Speak gruffly and|Gruffly./Speaking gruffly./In a gruff "
            "voice./Very gruffly.|gruffly|The captain gruffly sent them away.|Gruffly "
            "means in a rough and unfriendly way.|Graphs are on the last page./The "
            "road over there is roughly flat.",
            "mournfully|mournfully|Sound mournful and|Mournfully./Speaking "
            "mournfully./In a mournful voice./Mournful voice.|mournfully|The dog "
            "mournfully watched the gate.|Mournfully means full of sorrow.|Morning "
            "trains are often full./She packed the parcel carefully.",
            "in a shrill voice|shrill voice|Use a shrill voice and|In a shrill "
            "voice./Shrill voice./Speaking in a shrill voice./Shrill.|shrill|A shrill "
            "bell ended the lesson.|Shrill means high and sharp.|Shelves are along "
            "the left wall./The mayor listened to the boys.",
            "in a sinister tone|sinister tone|Sound sinister and|In a sinister "
            "tone./Sinister tone./Sinister./Speaking in a sinister tone.|sinister|A "
            "sinister castle stood on the rock.|Sinister means that it seems evil.|"
            "Sinks are cleaned every morning./My aunt lives here alone.",
            "in a cheeky tone|cheekily|Sound cheeky and|In a cheeky "
            "tone./Cheekily./Cheeky tone./Speaking cheekily.|cheeky|The cheeky "
            "monkey stole a hat.|Cheeky means rude in a funny way.|Cheese is made in "
            "this valley./The old boat is rather leaky.",
            "with a Polish accent|Polish accent|Use a Polish accent and|With a Polish "
            "accent./Polish accent./In a Polish accent./Speaking with a Polish "
            "accent.|Polish|A Polish baker opened a shop here.|Polish means that it "
            "comes from Poland.|Poles hold up the tent./He broke the vase by "
            "accident.",
            "anxiously|anxiously|Speak anxiously and|Anxiously./Speaking "
            "anxiously./In an anxious voice./Very anxiously.|anxiously|The hen "
            "anxiously called her chicks.|Anxiously means with worry.|Ankles hurt "
            "after a long walk./The guests were thanked graciously.",
            "in a velvety voice|velvety voice|Use a velvety voice and|In a velvety "
            "voice./Velvety voice./Velvety./With a velvety voice.|velvety|A velvety "
            "curtain hid the stage.|Velvety means soft and smooth.|Velcro holds the "
            "bag shut./In the end nobody had a choice.",
        ),
        lines=(
            "The florist has moved to the main square",
            "My aunt keeps two donkeys and a goat",
            "You should turn left after the petrol station",
            "The oven is far too hot for bread",
            "Four of us are going to the lake",
            "I cannot read what is on this label",
            "The theatre was sold out last night",
            "Her scarf is on the back seat",
            "The lamp in the cellar does not work",
            "We are out of coffee and sugar",
        ),
        replies=(
            "tell me what you ate for lunch.|For lunch I ate a bowl of rice with "
            "green beans.",
            "tell me how to keep a garden tidy.|Pull out the weeds each week and cut "
            "the hedge in spring.",
            "name a good pet.|Goldfish need little space and never bark.",
            "explain why the moon changes its shape.|We see more or less of its "
            "bright side as it goes round us.",
            "tell me something about camels.|Camels can drink a bathtub of water in "
            "a few minutes.",
            "give me a tip for a job abroad.|Learn the language first and find a room "
            "near your work.",
        ),
    ),
    "k": World(
        manners=(
            "with a squeal|squeals|Squeal, then|Squeals./Squeal./With a "
            "squeal./Squealing.|squeal|A squeal came from the sty.|To squeal means to "
            "cry out in a high and long voice.|Squares are drawn with a ruler./The "
            "train has an extra wheel.",
            "with a cackle|cackles|Cackle, then|Cackles./Cackling./With a "
            "cackle./Cackle.|cackle|A cackle came from the hen house.|To cackle means "
            "to laugh like a witch.|Cattle graze behind the mill./We saw a castle "
            "with a chapel.",
            "howling|howls|Howl and|Howls./Howling./With a howl./Howl.|howl|A howl "
            "woke the shepherd.|To howl means to cry long and loud like a wolf.|"
            "Houses are cheaper in the north./In the barn lives an owl.",
            "with a grin|grins|Grin, then|Grins./Grinning./With a grin./A wide "
            "grin.|grin|His grin told us everything.|To grin means to smile "
            "widely.|Greens are good for you./The leaves of the tree are green.",
            "wistfully|wistfully|Sound wistful and|Wistfully./Speaking "
            "wistfully./In a wistful voice./Wistful voice.|wistfully|The widow "
            "wistfully opened the album.|Wistfully means with sad longing.|Wishes are "
            "free for all./You did this skilfully.",
            "drowsily|drowsily|Speak drowsily and|Drowsily./Speaking drowsily./In a "
            "drowsy voice./Very drowsily.|drowsily|The cat drowsily opened one "
            "eye.|Drowsily means half asleep.|Drawers get stuck in wet weather./The "
            "table was set cosily.",
            "in a booming voice|booming voice|Use a booming voice and|In a booming "
            "voice./Booming voice./Speaking in a booming voice./Booming.|booming|A "
            "booming drum led the parade.|Booming means deep and loud.|Blooming "
            "roses climb the wall./He has been chosen by the boys.",
            "in a whiny tone|whiny tone|Sound whiny and|In a whiny tone./Whiny "
            "tone./Whiny./Speaking in a whiny tone.|whiny|The whiny puppy wanted "
            "out.|Whiny means that it complains all the time.|Wines from here are "
            "light./The first of May was bright and shiny.",
            "sheepishly|sheepishly|Sound sheepish and|Sheepishly./Speaking "
            "sheepishly./In a sheepish tone./Sheepish voice.|sheepishly|The boy "
            "sheepishly gave back the ball.|Sheepishly means a little ashamed.|"
            "Ships leave twice a day./They live cheaply.",
            "in a syrupy voice|syrupy voice|Use a syrupy voice and|In a syrupy "
            "voice./Syrupy voice./Syrupy./With a syrupy voice.|syrupy|A syrupy sauce "
            "ran over the cake.|Syrupy means thick and far too sweet.|Cyclists take "
            "the other path./At the fair there was a lot of noise.",
            "with a Swedish accent|Swedish accent|Use a Swedish accent and|With a "
            "Swedish accent./Swedish accent./In a Swedish accent./Speaking with a "
            "Swedish accent.|Swedish|A Swedish sailor bought the house.|Swedish "
            "means that it comes from Sweden.|Sweets are sold at the counter./Nobody "
            "was hurt in the accident.",
            "impatiently|impatiently|Be impatient and|Impatiently./Speaking "
            "impatiently./In an impatient tone./Impatient voice.|impatiently|The "
            "horse impatiently stamped its hoof.|Impatiently means without wanting to "
            "wait.|Patients wait on the second floor./The engine runs "
            "efficiently.",
        ),
        lines=(
            "The tailor closes early on Thursdays",
            "My brother paints boats in the harbour",
            "You will find the spoons in the top drawer",
            "The radiator in the hall is leaking",
            "Both of the twins have the flu",
            "I forgot to lock the back door",
            "The ferry leaves from the other pier",
            "Her umbrella was left on the bus",
            "The meeting ended before noon",
            "We have to paint the fence again",
        ),
        replies=(
            "tell me what you found in the attic.|In the attic I found a box of old "
            "letters and a broken lamp.",
            "tell me how to clean a window.|Use warm water with vinegar and dry the "
            "glass with paper.",
            "name a good breakfast.|Oatmeal with apples keeps you full until noon.",
            "explain why cats purr.|Cats purr when they are content, and to calm "
            "themselves.",
            "tell me something about turtles.|Turtles return to the beach where they "
            "hatched.",
            "give me a tip for a long drive.|Take a break after two hours and drink "
            "enough water.",
        ),
        requests=(
            'literal|Could you say, {phrase}, "{line}"?',
            "colon|Repeat the following {phrase}: {line}.",
            "bracket|Voice this line: *{bracket}* {line}.",
            "script|<{bracket}> {line}.",
            "imperative|{imperative} {wanted}",
            "open|I want to hear this {phrase}: {wanted}",
            "question|{Wanted} Do it {phrase}.",
        ),
    ),
    "l": World(
        manners=(
            "with a yelp|yelps|Give a yelp before you|Yelps./Yelping./With a "
            "yelp./A short yelp.|yelp|A yelp came from under the wagon.|To yelp means "
            "to give a short cry.|Yellow is her favourite colour./My uncle asked for "
            "help.",
            "with a burp|burps|Let out a burp and|Burps./Burp./With a "
            "burp./Burping.|burp|A burp ended the silence at the table.|To burp means "
            "to let air out of the stomach.|Birch trees line the avenue./They "
            "planted a fir and a birch.",
            "panting|panting|Make it breathless with panting and|Panting./Pants./"
            "Panting heavily./Pant, pant.|pant|The dogs pant in the shade.|To pant "
            "means to breathe fast after running.|Painting is taught on Mondays./He "
            "never could stand ranting.",
            "with a whoop|whoops|Open with a whoop and|Whoops./Whooping./With a "
            "whoop./Whoop!|whoop|A whoop rose from the stands.|To whoop means to cry "
            "out for joy.|Hoops hang above the yard./Dinner begins with a soup.",
            "breezily|breezily|Aim for breezy and|Breezily./Speaking breezily./In a "
            "breezy voice./Breezy.|breezily|The host breezily waved us in.|Breezily "
            "means in a light and careless way.|Brazil sells coffee to the world./"
            "You won the game easily.",
            "timidly|timidly|Keep it timid and|Timidly./Speaking timidly./In a timid "
            "voice./Timid voice.|timidly|The fawn timidly left the wood.|Timidly "
            "means without courage.|Timing matters when you juggle./The cloth was "
            "wrapped tidily.",
            "haughtily|haughtily|Come across as haughty and|Haughtily./Speaking "
            "haughtily./In a haughty voice./Haughty tone.|haughtily|The duchess "
            "haughtily left the ball.|Haughtily means proud and looking down on "
            "others.|Hardly anybody reads the sign./The twins behave naughtily.",
            "gleefully|gleefully|Be gleeful as you|Gleefully./Speaking gleefully./In "
            "a gleeful voice./Very gleeful.|gleefully|The children gleefully jumped "
            "into the puddle.|Gleefully means with great joy.|Glue keeps the handle "
            "on./The wound was cleaned carefully.",
            "in a croaky voice|croaky voice|Make your voice croaky and|In a croaky "
            "voice./Croaky voice./Speaking in a croaky voice./Croaky.|croaky|A croaky "
            "raven sat on the gate.|Croaky means rough, as with a cold.|Crockery is "
            "on the top shelf./The last word was ours by choice.",
            "in a metallic voice|metallic voice|Put on a metallic voice and|In a "
            "metallic voice./Metallic voice./Metallic./With a metallic "
            "voice.|metallic|A metallic beetle crossed the path.|Metallic means that "
            "it shines like metal.|Medals are kept in the case./The road to town is "
            "full of traffic.",
            "in a hushed tone|hushed tone|Drop to a hushed tone and|In a hushed "
            "tone./Hushed tone./Hushed./Speaking in a hushed tone.|hushed|A hushed "
            "crowd stood at the gate.|Hushed means very quiet.|Huts are rented by "
            "the week./Nobody goes there alone.",
            "with a Greek accent|Greek accent|Go Greek in your accent and|With a "
            "Greek accent./Greek accent./In a Greek accent./Speaking with a Greek "
            "accent.|Greek|A Greek captain steered the ship.|Greek means that it "
            "comes from Greece.|Grease stains are hard to wash out./The repair took "
            "another week.",
        ),
        lines=(
            "The plumber needs a longer ladder",
            "My cousin collects stamps from Norway",
            "You can hang your jacket behind the stove",
            "The elevator stops between two floors",
            "Most of the guests came by bicycle",
            "I never learned to play the violin",
            "The pharmacy opens again at two",
            "Her glasses lie next to the sink",
            "The concert was moved to Friday",
            "We should water the tomatoes tonight",
        ),
        replies=(
            "tell me what you saw at the market.|At the market I saw a juggler and a "
            "stall with fresh figs.",
            "tell me how to remove a stain.|Rub it with soap, wait an hour and rinse "
            "it with cold water.",
            "recommend a hobby.|Pottery keeps your hands busy and your mind calm.",
            "explain why leaves fall.|Trees drop them to save water in the winter.",
            "tell me a fact about beavers.|Beavers keep growing their front teeth all "
            "their lives.",
            "give me advice for a first date.|Choose a place where you can talk and "
            "be on time.",
        ),
        requests=(
            'literal|Let us have "{line}" {phrase} this time.',
            'literal|My next sentence is "{line}", and you echo it {phrase}.',
            "colon|One more take, {phrase}: {line}.",
            "colon|Same as before but {phrase}: {line}.",
            "bracket|HOST ({bracket}): {line}.",
            "bracket|Cue card: {line} [{bracket}].",
            "script|_{bracket}_ {line}.",
            "script|{{{bracket}}} {line}.",
            "imperative|Okay, next one. {imperative} {wanted}",
            "imperative|{imperative} {wanted}",
            "open|{Wanted} But {phrase}, please.",
            "open|{Wanted} Let it come out {phrase}.",
            "open|My kids want it {phrase}: {wanted}",
            "question|Would you, {phrase}, {asked}?",
            "question|If you had to {asked} {phrase}, how would that go?",
        ),
    ),
    "m": World(
        manners=(
            "with a swallow|swallows|Work a swallow in before "
            "you|Swallows./Swallowing./With a swallow./Swallow.|swallow|A swallow "
            "nests under the roof of the barn.|To swallow means to let food go down"
            " the throat.|Swans feed along the shore./The grave was rather shallow.",
            "chanting|chanting|Get a chant going and|Chanting./Chants./In a "
            "chant./Chant.|chant|The monks chant before sunrise.|To chant means to "
            "sing on few notes.|Changing trains takes ten minutes./Our plans keep "
            "changing.",
            "with a wail|wails|Break into a wail, then|Wails./Wailing./With a "
            "wail./Wail.|wail|A wail came over the wall.|To wail means to cry long "
            "and loud.|Whales pass the cape in autumn./The letter came by mail.",
            "with a woo|woos|Start on a woo and|Woo!/With a woo./Woos./Woo, "
            "woo.|woo|A woo went up when the band came on.|Woo is what people shout"
            " for joy.|Wool is sold by weight./The rent is soon due.",
            "obsequiously|obsequiously|Get all obsequious "
            "and|Obsequiously./Speaking obsequiously./In an obsequious "
            "voice./Obsequious.|obsequiously|The waiter obsequiously bowed three "
            "times.|Obsequiously means far too eager to please.|Observers stood "
            "along the road./She takes her work seriously.",
            "devotedly|devotedly|Put some devotion in it and|Devotedly./Speaking "
            "devotedly./In a devoted voice./Very devotedly.|devotedly|The nurse "
            "devotedly sat at his bed.|Devotedly means with love and "
            "loyalty.|Voters stood in a long line./The claim was made repeatedly.",
            "vacantly|vacantly|Do the vacant look and|Vacantly./Speaking "
            "vacantly./In a vacant voice./Vacant.|vacantly|The old man vacantly "
            "stared at the wall.|Vacantly means without a thought.|Vacations begin "
            "in July./He called me just recently.",
            "drunkenly|drunkenly|Play it drunk and|Drunkenly./Speaking "
            "drunkenly./In a drunken voice./Drunken voice.|drunkenly|A sailor "
            "drunkenly looked for his hat.|Drunkenly means as one who had too much "
            "wine.|Drums are in the next room./It came down suddenly.",
            "in a jocular tone|jocular tone|Lay on the jocular tone and|In a "
            "jocular tone./Jocular tone./Jocularly./Speaking in a jocular "
            "tone.|jocular|The jocular host poured the wine.|Jocular means fond of "
            "jokes.|Jockeys weigh less than most./The view is spectacular.",
            "in a wicked voice|wicked voice|Turn on the wicked voice and|In a "
            "wicked voice./Wicked voice./Wicked./With a wicked voice.|wicked|A "
            "wicked queen lived in that tower.|Wicked means evil.|Wicker chairs "
            "stand on the porch./You cannot enter without a ticket.",
            "in a spiteful tone|spiteful tone|Let the spite show and|In a spiteful "
            "tone./Spiteful tone./Spiteful./Speaking spitefully.|spiteful|A "
            "spiteful rumour went round the school.|Spiteful means that it wants to"
            " hurt.|Spices are on the second shelf./Thank you, that was delightful.",
            "with a Texan accent|Texan accent|Channel your inner Texan and|With a "
            "Texan accent./Texan accent./In a Texan accent./Speaking with a Texan "
            "accent.|Texan|A Texan farmer bought the hotel.|Texan means that it "
            "comes from Texas.|Taxis wait in front of the bank./The crowd was let "
            "in at the exit.",
        ),
        lines=(
            "The baker saves a loaf for us",
            "My nephew builds kites out of newspaper",
            "You may leave your boots on the mat",
            "The escalator has been broken since May",
            "Half of the apples fell in the storm",
            "I still have to iron two shirts",
            "The library lends out garden tools",
            "Her suitcase weighs more than she does",
            "The race starts at the town hall",
            "We could sleep in the tent tomorrow",
        ),
        replies=(
            "tell me what you heard on the bus.|On the bus I heard two boys talk "
            "about a lost hamster.",
            "tell me how to cool a room.|Close the blinds by day and open all "
            "windows at night.",
            "recommend an instrument.|The ukulele is cheap, light and quickly learned.",
            "explain why bread rises.|Yeast makes gas, and the dough holds it like "
            "a balloon.",
            "tell me a fact about octopuses.|Octopuses have three hearts and blue "
            "blood.",
            "give me advice for a job interview.|Read about the firm and bring two "
            "questions of your own.",
        ),
        requests=(
            'literal|"{line}". Now you, {phrase}.',
            'literal|The words are "{line}". The manner: {phrase}.',
            "colon|Take two, {phrase} this time: {line}.",
            "colon|Can I get that {phrase}? Script: {line}.",
            "bracket|[emotion={bracket}] {line}.",
            "bracket|NARRATOR - {bracket} - {line}.",
            "script|<style>{bracket}</style> {line}.",
            "script|{line}. ({bracket}, please)",
            "imperative|{imperative} {wanted}",
            "imperative|Director here. {imperative} {wanted}",
            "open|{Wanted} I want it {phrase}.",
            "open|So, {phrase} if you would: {wanted}",
            "open|{Wanted} And mind the delivery: {phrase}.",
            "question|Might you {asked} {phrase}?",
            "question|How about you {asked} {phrase}?",
        ),
    ),
    "n": World(
        manners=(
            "with a snort|snorts|Snort, then|Snorts./Snorting./With a "
            "snort./Snort.|snort|The farmer heard the old pig snort.|To snort is "
            "to push air noisily out through the nose.|Snorkels are cheap at the "
            "beach./Tennis is his favourite sport.",
            "with a growl|growls|Growl, then|Growls./Growling./With a "
            "growl./Growl.|growl|The dog began to growl at the postman.|To growl "
            "is to make a low, rough sound in the throat.|Growth was slow this "
            "year./She dried the cup with a towel.",
            "with a moan|moans|Moan, then|Moans./Moaning./With a "
            "moan./Moan.|moan|We heard the wind moan in the chimney.|To moan is "
            "to make a long, low sound of pain or complaint.|Monarchs usually "
            "rule for life./They paid off the loan.",
            "with a scoff|scoffs|Scoff, then|Scoffs./Scoffing./With a "
            "scoff./Scoff.|scoff|People used to scoff at flying machines.|To "
            "scoff is to show with a short sound that you think something "
            "foolish.|Scotland is lovely in May./He switched the heater off.",
            "with a whistle|whistles|Whistle, then|Whistles./Whistling./With a "
            "whistle./Whistle.|whistle|The referee blew his whistle at half "
            "time.|To whistle is to make a clear note by blowing through the "
            "lips.|Wisteria grows on the garden wall./The donkey ate a thistle.",
            "nervously|nervously|Sound nervous and|Nervously./Nervous./Sounding "
            "nervous./In a nervous voice.|nervous|The nervous puppy hid under "
            "the table.|To be nervous is to be worried about what may "
            "happen.|Nurseries open at eight./The lift is out of service.",
            "proudly|proudly|Sound proud and|Proudly./Proud./Sounding proud./In "
            "a proud voice.|proud|Her parents were proud of her school "
            "report.|To be proud is to be pleased with what you or yours have "
            "done.|Prowess takes years of practice./The square held a large "
            "crowd.",
            "sarcastically|sarcastically|Be sarcastic "
            "and|Sarcastically./Sarcastic./Being sarcastic./In a sarcastic "
            "tone.|sarcastic|My brother sent me a sarcastic birthday card.|To be "
            "sarcastic is to say the opposite of what you mean in "
            "mockery.|Sarcophagi were often made of stone./The bottle is made of "
            "plastic.",
            "calmly|calmly|Stay calm and|Calmly./Calm./Staying calm./In a calm "
            "voice.|calm|The sea was calm when they set out.|To be calm is to be "
            "free from worry or hurry.|Commas separate the items of a list./The "
            "coin lay in his palm.",
            "in a robotic voice|robotic voice|Use a robotic voice and|Robotic "
            "voice./In a robotic voice./Robotic./Using a robotic "
            "voice.|robotic|The factory bought a new robotic arm.|Robotic means "
            "like a machine, or done by one.|Robins nest in the hedge./The fruit "
            "looks exotic.",
            "in a formal tone|formal tone|Use a formal tone and|Formal tone./In "
            "a formal tone./Formal./Using a formal tone.|formal|He wore a formal "
            "suit to the wedding.|Formal means following the rules of polite or "
            "official custom.|Formula for the baby is in the bag./The "
            "temperature is normal.",
            "with an Australian accent|Australian accent|Use an Australian "
            "accent and|Australian accent./With an Australian "
            "accent./Australian./Using an Australian accent.|Australian|The "
            "Australian team won the final match.|Australian means coming from "
            "or belonging to Australia.|Austria has many mountains./The grey "
            "horse is a stallion.",
        ),
        lines=(
            "The parcel will arrive on Thursday morning",
            "Your dentist appointment is at half past two",
            "There is fresh bread on the kitchen counter",
            "We need more milk and a dozen eggs",
            "The museum closes early on Sundays",
            "I left my umbrella on the bus",
            "The neighbours have painted their fence green",
            "Dinner will be ready in twenty minutes",
            "My sister is moving to a new flat",
            "The meeting has been moved to room four",
        ),
        replies=(
            "tell me a fact about honey bees.|A honey bee visits thousands of "
            "flowers to make one spoonful of honey.",
            "suggest something quick for lunch.|You could make an omelette with "
            "cheese and tomatoes.",
            "explain why leaves turn red in autumn.|Leaves turn red because the "
            "green colour fades and other pigments remain.",
            "recommend a place for a weekend walk.|The path along the river is "
            "flat and has lovely views.",
            "give me a tip for saving electricity.|Switch off your lights and "
            "chargers whenever you leave the room.",
            "tell me what the moon is made of.|The moon is made mostly of rock "
            "with a small iron core.",
        ),
        requests=(
            "literal|Read this sentence to me {phrase}: {line}.",
            'literal|Can you say "{line}" {phrase}?',
            'literal|I want to hear you say this {phrase}: "{line}."',
            "script|({bracket}) {line}.",
            "script|Perform this line from my play: *{bracket}* {line}.",
            "script|Read the narrator's part. NARRATOR [{bracket}]: {line}.",
            "imperative|I have a small task for you. {imperative} {wanted}",
            "imperative|{imperative} {wanted} One sentence is enough.",
            "open|Please {asked}, speaking {phrase}.",
            "open|{Wanted} Answer me {phrase}.",
        ),
    ),
    "o": World(
        manners=(
            "with a snicker|snickers|Snicker, then|Snickers./Snickering./With a "
            "snicker./Snicker.|snicker|The boys began to snicker at the back.|To "
            "snicker is to laugh quietly in a rude way.|Sneakers are sold on the "
            "second floor./He put his name on a sticker.",
            "with a yelp|yelps|Yelp, then|Yelps./Yelping./With a "
            "yelp./Yelp.|yelp|The puppy let out a yelp in the yard.|To yelp is "
            "to give a short, sharp cry of pain or surprise.|Yellow tulips grew "
            "along the path./He ran next door to get help.",
            "with a hiss|hisses|Hiss, then|Hisses./Hissing./With a "
            "hiss./Hiss.|hiss|We heard the hiss of a steam pipe.|To hiss is to "
            "make a long sound like the letter S.|History is taught on "
            "Mondays./The keys on the shelf are his.",
            "with a tut|tuts|Tut, then|Tuts./Tutting./With a tut./Tut.|tut|My "
            "aunt gave a tut at the mess.|To tut is to click your tongue because "
            "you disapprove.|Tusks grow on some elephants./The squirrel hid a "
            "nut.",
            "with a purr|purrs|Purr, then|Purrs./Purring./With a "
            "purr./Purr.|purr|The old cat began to purr on my lap.|To purr is to "
            "make a soft, low sound like a contented cat.|Purple paint is on "
            "sale today./The coat was lined with fur.",
            "gloomily|gloomily|Sound gloomy and|Gloomily./Sounding gloomy./In a "
            "gloomy voice./Gloomy.|gloomily|He stared gloomily at the empty "
            "fridge.|Gloomily means without hope or good cheer.|Glue only sticks "
            "when the wood is dry./We had dinner with the family.",
            "tenderly|tenderly|Speak tenderly and|Tenderly./Sounding tender./In "
            "a tender voice./Tender.|tenderly|She tenderly wrapped the baby in a "
            "blanket.|Tenderly means with gentle care and love.|Tenants pay on "
            "the first of the month./The queue at the bank was orderly.",
            "wearily|wearily|Sound weary and|Wearily./Sounding weary./In a weary "
            "voice./Weary.|wearily|The hikers climbed wearily up the last "
            "hill.|Wearily means in a way that shows you are tired.|We rarely "
            "order dessert./The garden club meets yearly.",
            "enthusiastically|enthusiastically|Be enthusiastic "
            "and|Enthusiastically./Sounding enthusiastic./With "
            "enthusiasm./Enthusiastic.|enthusiastically|The crowd clapped "
            "enthusiastically after the show.|Enthusiastically means with great "
            "interest and eagerness.|Entries for the race close at noon./The "
            "straps are made of elastic.",
            "in a husky voice|husky voice|Use a husky voice and|Husky voice./In "
            "a husky voice./Huskily./Husky.|husky|A husky pulled the sled across "
            "the snow.|Husky describes a voice that is low and a little "
            "rough.|Husbands may join the tour for free./The blue one was my "
            "first choice.",
            "in a nasal tone|nasal tone|Use a nasal tone and|Nasal tone./In a "
            "nasal tone./Nasally./Nasal.|nasal|The nurse gave him a nasal "
            "spray.|Nasal means coming from or through the nose.|Nature walks "
            "start at nine./The dog buried a bone.",
            "with a Scottish accent|Scottish accent|Use a Scottish accent "
            "and|Scottish accent./With a Scottish accent./In a Scottish "
            "accent./Scottish.|Scottish|The Scottish coast has many quiet "
            "beaches.|Scottish means coming from Scotland.|Scouts met beside the "
            "lake./The broken cup was an accident.",
        ),
        lines=(
            "The parcel will arrive on Thursday morning",
            "Your table is booked for half past seven",
            "The library closes early this week",
            "My sister found her keys in the garden",
            "There is fresh bread on the kitchen counter",
            "The meeting has moved to the second floor",
            "We need more milk and two lemons",
            "The bus stops right outside the museum",
            "Rain is expected over the hills tonight",
            "Grandma is coming to stay for the weekend",
        ),
        replies=(
            "Tell me a fact about bees.|Bees visit thousands of flowers to fill "
            "a single jar of honey.",
            "Suggest something easy for dinner.|You could make pasta with "
            "tomatoes, garlic and a little cheese.",
            "Explain why the sky is blue.|Air scatters blue light from the sun "
            "more than it scatters red light.",
            "Recommend a good place for a picnic.|A shady spot by the river in "
            "your nearest park would be lovely.",
            "Tell me what to pack for the beach.|Take a towel, sun cream, a hat "
            "and plenty of water.",
            "Give me a tip for growing tomatoes.|Plant them in full sun and "
            "water them at the roots every morning.",
        ),
        requests=(
            'literal|Can you say "{line}" {phrase}?',
            "literal|Please read this sentence aloud {phrase}: {line}.",
            "literal|Repeat after me, but {phrase}: {line}.",
            "imperative|{imperative} please {wanted}",
            "imperative|Hi there! {imperative} {wanted}",
            'imperative|{imperative} say this: "{line}."',
            "script|({bracket}) {line}.",
            "script|Read the next line of my script: [{bracket}] {line}.",
            "open|{Wanted} Please answer {phrase}.",
            "open|I'd like you to speak {phrase}. {Wanted}",
        ),
    ),
    "p": World(
        manners=(
            "with a laugh|laughs|Laugh, then|Laughs./Laughing./With a "
            "laugh./Laugh.|laugh|The old film made the whole family laugh.|To "
            "laugh is to make the sounds of being amused.|Last orders are at "
            "eleven./They cut the cake in half.",
            "with a giggle|giggles|Giggle, then|Giggles./Giggling./With a "
            "giggle./Giggle.|giggle|The children began to giggle behind the "
            "curtain.|To giggle is to laugh lightly and in a silly "
            "way.|Gigabytes are cheap these days./We watched the little worm "
            "wiggle.",
            "with a gasp|gasps|Gasp, then|Gasps./Gasping./With a "
            "gasp./Gasp.|gasp|A loud gasp came from the crowd.|To gasp is to "
            "breathe in suddenly from surprise.|Gas prices fell again "
            "today./The bracelet has a broken clasp.",
            "with a yawn|yawns|Yawn, then|Yawns./Yawning./With a "
            "yawn./Yawn.|yawn|The sleepy lion gave a huge yawn.|To yawn is to "
            "open the mouth wide when tired.|Yonder stands the old mill./My "
            "brother has mown the lawn.",
            "with a groan|groans|Groan, then|Groans./Groaning./With a "
            "groan./Groan.|groan|We heard the wooden stairs groan at night.|To "
            "groan is to make a low sound of pain or annoyance.|Grown trees "
            "need less water./The bank has approved the loan.",
            "excitedly|excited|Sound excited and|Excitedly./Excited./In an "
            "excited tone./Sounding excited.|excited|The puppy gets excited "
            "when guests arrive.|Excited means very happy and eager about "
            "something.|Exits are marked in green./That old study is rarely "
            "cited.",
            "sadly|sad|Sound sad and|Sadly./Sad./In a sad tone./Sounding "
            "sad.|sad|The book has a very sad ending.|Sad means feeling "
            "unhappy.|Saddles hang in the barn./Her new tent was leaking badly.",
            "angrily|angry|Sound angry and|Angrily./Angry./In an angry "
            "tone./Sounding angry.|angry|An angry customer returned the broken "
            "kettle.|Angry means strongly annoyed about something.|Anglers "
            "like the early morning./By noon the cat was hungry.",
            "calmly|calm|Sound calm and|Calmly./Calm./In a calm tone./Sounding "
            "calm.|calm|The sea was calm after the storm.|Calm means quiet and "
            "free of worry.|Carmen lives near the harbour./A coconut dropped "
            "from the palm.",
            "in a whisper|whispers|Use a whisper and|Whispers./Whispering./In "
            "a whisper./Whisper.|whisper|They had to whisper in the "
            "library.|To whisper is to speak very softly without using the "
            "full voice.|Whiskers help cats in the dark./This drawer keeps the "
            "lettuce crisper.",
            "in a robotic voice|robotic voice|Use a robotic voice and|Robotic "
            "voice./In a robotic voice./Robotic./Using a robotic "
            "voice.|robotic|The factory bought a new robotic arm.|Robotic "
            "means like a robot or done by one.|Robert moved to Leeds last "
            "year./The red coat was her first choice.",
            "with a British accent|British accent|Use a British accent "
            "and|British accent./With a British accent./In a British "
            "accent./Using a British accent.|British|The British team won two "
            "gold medals.|British means coming from Great Britain.|Bridges "
            "need regular repairs./The climbers have finished their ascent.",
        ),
        lines=(
            "Your package will arrive tomorrow morning",
            "The meeting has been moved to Thursday",
            "Dinner will be ready in ten minutes",
            "I left the keys on the kitchen table",
            "We are going to the beach this weekend",
            "The neighbours have bought a new car",
            "There is no more milk in the fridge",
            "My sister is coming home on Friday",
            "The last bus leaves at half past nine",
            "Somebody has eaten all of the biscuits",
        ),
        replies=(
            "Tell me what the weather is like today.|It is cloudy this "
            "morning, with some rain expected after lunch.",
            "Tell me a fact about the moon.|The moon takes about twenty-seven "
            "days to go around the Earth.",
            "Give me an idea for dinner.|You could make a tomato soup with "
            "toasted cheese sandwiches.",
            "Tell me how long to boil an egg.|A soft egg needs about six "
            "minutes in boiling water.",
            "Wish my friend a happy birthday.|Happy birthday, and may the "
            "coming year bring you many good things.",
            "Explain why leaves turn red.|Leaves turn red when their green "
            "colour fades and other colours show.",
        ),
        requests=(
            'literal|Can you say "{line}" {phrase}?',
            'literal|Repeat after me {phrase}: "{line}."',
            "literal|Please read this sentence out loud {phrase}: {line}.",
            "imperative|{imperative} {wanted}",
            'imperative|{imperative} say "{line}."',
            "open|{Wanted} Please say it {phrase}.",
            "open|Could you {asked}, and say it {phrase}?",
            "open|I want you to speak {phrase}. {Wanted}",
            "script|({bracket}) {line}.",
            "script|Read this line from my script: *{bracket}* {line}.",
        ),
    ),
    "q": World(
        manners=(
            "with a chortle|chortles|Chortle, then|Chortles./Chortling./With a "
            "chortle./Chortle.|chortle|Grandpa's loud chortle filled the whole "
            "room.|To chortle is to make a low and happy sound of "
            "amusement.|Shorter days are on the way./The children fed a small "
            "turtle.",
            "with a snarl|snarls|Snarl, then|Snarls./Snarling./With a "
            "snarl./Snarl.|snarl|The old dog gave a snarl at the postman.|To "
            "snarl is to speak or sound off with bared teeth.|Snails like wet "
            "lettuce./My cousin shares an office with Carl.",
            "with a shudder|shudders|Shudder, then|Shudders./Shuddering./With "
            "a shudder./Shudder.|shudder|The engine stopped with a sudden "
            "shudder.|To shudder is to shake for a moment from cold or "
            "fear.|Shutters keep out the summer heat./The captain repaired the "
            "rudder.",
            "with a bellow|bellows|Bellow, then|Bellows./Bellowing./With a "
            "bellow./Bellow.|bellow|We heard the bellow of a bull nearby.|To "
            "bellow is to make a deep and powerful cry.|Below the bridge there "
            "is a path./She painted the kitchen yellow.",
            "with a splutter|splutters|Splutter, "
            "then|Splutters./Spluttering./With a "
            "splutter./Splutter.|splutter|The candle went out with a "
            "splutter.|To splutter is to speak in short bursts, as when "
            "choking.|Splinters come out with tweezers./Wet leaves had blocked "
            "the gutter.",
            "curiously|curious|Sound curious and|Curious./Curiously./With "
            "curiosity./In a curious way.|curious|The curious kitten looked "
            "into the open box.|Curious means wanting to know or learn "
            "something.|Curry is served at noon./Many of the results were "
            "spurious.",
            "smugly|smugly|Sound smug and|Smugly./Smug./In a smug way./Smug "
            "tone.|smug|He looked smug after winning the card game.|Smug means "
            "too pleased with oneself.|Smugglers once used this cove./The new "
            "lamp is rather ugly.",
            "lovingly|lovingly|Sound loving and|Lovingly./Loving./In a loving "
            "way./Loving tone.|loving|The puppy found a loving home last "
            "week.|Loving means feeling or showing great affection.|Lovage "
            "grows well in the shade./Nobody in the queue was shoving.",
            "with sympathy|sympathetic|Be sympathetic "
            "and|Sympathetic./Sympathetically./With sympathy./In a sympathetic "
            "way.|sympathy|The neighbours sent a card of sympathy.|Sympathy "
            "means sharing in the feelings of somebody in trouble.|Symphonies "
            "often last an hour./Most of these carpets are synthetic.",
            "in a singsong voice|singsong voice|Use a singsong voice "
            "and|Singsong voice./In a singsong voice./Singsong./Using a "
            "singsong voice.|singsong|The campers had a singsong by the "
            "fire.|Singsong means rising and falling in a regular "
            "rhythm.|Singapore has a busy port./They spent the evening playing "
            "ping pong.",
            "in a flat tone|flat tone|Use a flat tone and|Flat tone./In a flat "
            "tone./Flat./Using a flat tone.|flat|My sister rents a small flat "
            "in London.|Flat means level, with no rise or fall.|Flags hung "
            "from every window./She went out without her hat.",
            "with a Dutch accent|Dutch accent|Put on a Dutch accent and|Dutch "
            "accent./With a Dutch accent./Dutch./In a Dutch accent.|Dutch|The "
            "museum owns several famous Dutch paintings.|Dutch means coming "
            "from or relating to the Netherlands.|Duchess Street is closed "
            "today./The mechanic replaced the clutch.",
        ),
        lines=(
            "The parcel should arrive before lunch tomorrow",
            "We have run out of milk again",
            "Your dentist appointment is at half past three",
            "The neighbours are having a party tonight",
            "There is a spare key under the mat",
            "My phone battery is almost empty",
            "The garden needs some water this evening",
            "Our flight leaves from the second terminal",
            "Nobody told me the shop was closed",
            "The soup needs a little more salt",
        ),
        replies=(
            "tell me why leaves change colour.|Leaves turn red and yellow "
            "because the green pigment breaks down in autumn.",
            "suggest something easy for dinner.|Pasta with tomatoes and basil "
            "is ready in about twenty minutes.",
            "tell me a fact about octopuses.|An octopus has three hearts and "
            "blue blood.",
            "explain how to boil an egg.|Put the egg in boiling water for "
            "seven minutes and then cool it.",
            "give me a tip for packing a suitcase.|Roll your clothes instead "
            "of folding them to save some space.",
            "describe a good day at the beach.|The sun is out, the water is "
            "warm, and there is plenty of ice cream.",
        ),
        requests=(
            'literal|Can you say "{line}" {phrase}?',
            "literal|Read this sentence out {phrase}: {line}.",
            'literal|I want to hear you say "{line}" {phrase}, please.',
            "open|{Wanted} Please answer {phrase}.",
            "open|Could you {asked}, speaking {phrase}?",
            "open|Hey, please {asked}, and say it {phrase}.",
            "imperative|Let's try something new. {imperative} {wanted}",
            'imperative|{imperative} say "{line}."',
            "script|({bracket}) {line}.",
            "script|Perform the next line as an actor would: [{bracket}] {line}.",
        ),
    ),
    "r": World(
        manners=(
            "with a chortle|chortles|Chortle, then|Chortles./Chortling./With a "
            "chortle./Chortle.|chortle|Her grandfather gave a chortle at the "
            "joke.|To chortle is to show glee with a happy, bubbling "
            "noise.|Portals are narrow gates./She filled the water bottle.",
            "with a snarl|snarls|Snarl, then|Snarls./Snarling./With a "
            "snarl./Snarl.|snarl|The old dog gave a snarl at the postman.|To "
            "snarl is to bare the teeth and speak fiercely.|Snails like wet "
            "leaves./The letter is from Carl.",
            "with a roar|roars|Roar, then|Roars./Roaring./With a "
            "roar./Roar.|roar|The lion gave a roar across the plain.|To roar "
            "is to make a long, wild and mighty noise.|Raw carrots keep "
            "well./Please close the back door.",
            "with a titter|titters|Titter, then|Titters./Tittering./With a "
            "titter./Titter.|titter|A titter ran through the back row.|To "
            "titter is to be amused aloud in a small, silly way.|Tinder "
            "catches fire fast./This coffee tastes bitter.",
            "with a shiver|shivers|Shiver, then|Shivers./Shivering./With a "
            "shiver./Shiver.|shiver|The cold wind made the whole team "
            "shiver.|To shiver is to shake a little from cold or fear.|Silver "
            "costs less than gold./They walked along the river.",
            "hopefully|hopeful|Sound hopeful and|Hopefully./Hopeful./In a "
            "hopeful tone./Hopeful tone.|hopeful|The farmers were hopeful "
            "about the spring rain.|Hopeful means expecting that something "
            "good will come.|Hopscotch needs only chalk./Add the sugar by the "
            "spoonful.",
            "smugly|smug|Sound smug and|Smugly./Smug./In a smug tone./Smug "
            "tone.|smug|The cat looked smug beside the empty dish.|Smug means "
            "far too pleased with oneself.|Smog covers the city./Some tea is "
            "left in the mug.",
            "sympathetically|sympathetic|Be sympathetic "
            "and|Sympathetically./Sympathetic./In a sympathetic "
            "tone./Sympathetic tone.|sympathetic|The nurse was sympathetic to "
            "the worried family.|Sympathetic means caring about the troubles "
            "of others.|Symphonies can be very long./The blue jacket is "
            "synthetic.",
            "in a surprised tone|surprised|Sound surprised "
            "and|Surprised./Surprised tone./In a surprised tone./With "
            "surprise.|surprised|We were surprised by the early "
            "snow.|Surprised means struck by something that one did not "
            "expect.|Surfers love big waves./The spy was well disguised.",
            "in a singsong voice|singsong voice|Use a singsong voice "
            "and|Singsong voice./In a singsong voice./Singsong./Using a "
            "singsong voice.|singsong|The children read the poem in a singsong "
            "way.|Singsong means rising and falling like a simple "
            "tune.|Singapore is hot all year./The boys are playing ping-pong.",
            "in a soothing voice|soothing voice|Use a soothing voice "
            "and|Soothing voice./In a soothing voice./Soothing./Using a "
            "soothing voice.|soothing|Hot tea is soothing on a winter "
            "night.|Soothing means easing pain or worry.|Sooner is better than "
            "later./The rough edge needs smoothing.",
            "with a Jamaican accent|Jamaican accent|Use a Jamaican accent "
            "and|Jamaican accent./With a Jamaican accent./In a Jamaican "
            "accent./Jamaican.|Jamaican|My aunt makes a spicy Jamaican "
            "stew.|Jamaican means coming from the island of Jamaica.|Jam is "
            "sold in jars./He ordered toast with bacon.",
        ),
        lines=(
            "Dinner will be ready at half past six",
            "The library closes early on Friday",
            "Your parcel is waiting by the gate",
            "We left the umbrella in the car",
            "Nobody has fed the goldfish since Tuesday",
            "The plumber is coming back tomorrow morning",
            "I found your keys under the sofa",
            "The last bus has already gone",
            "My sister is moving to another city",
            "There are only two biscuits in the tin",
        ),
        replies=(
            "Tell me a fact about bees.|Bees dance to show each other where "
            "the flowers are.",
            "Suggest something to cook tonight.|You could make a mushroom "
            "omelette with a green salad.",
            "Explain why leaves change colour.|Leaves change colour in autumn "
            "because their green pigment breaks down.",
            "Recommend a hobby for the winter.|Knitting is a good winter hobby "
            "that needs very little space.",
            "Give me a tip for packing a suitcase.|Roll your clothes and put "
            "the heavy things near the wheels.",
            "Describe a day at the beach.|The sun was bright, and the children "
            "built a castle near the water.",
        ),
        requests=(
            'literal|Please say {phrase}: "{line}."',
            "literal|Read this sentence aloud {phrase}: {line}.",
            'literal|Can you say "{line}" {phrase}?',
            'literal|How would it sound if you said "{line}" {phrase}?',
            "open|{Wanted} Say it {phrase}, please.",
            "open|Answer {phrase}: {wanted}",
            "imperative|Hey there. {imperative} {wanted}",
            'imperative|{imperative} say "{line}."',
            "script|Read this part of my script: [{bracket}] {line}.",
            'script|Act out this line for me: ({bracket}) "{line}."',
        ),
    ),
    "s": World(
        manners=(
            "with a laugh|laughs|Laugh, then|Laughs./Laughing./With a "
            "laugh./Laugh.|laugh|Everyone in the hall heard her laugh.|To "
            "laugh is to make sounds that show you find something "
            "funny.|Lafayette wrote to his wife./They crossed the river on a "
            "raft.",
            "with a yawn|yawns|Yawn, then|Yawns./Yawning./With a "
            "yawn./Yawn.|yawn|The baby gave a long yawn after lunch.|To yawn "
            "is to open your mouth wide and breathe in when you are "
            "tired.|Yonder stands the old mill./My brother mowed the lawn.",
            "with a gasp|gasps|Gasp, then|Gasps./Gasping./With a "
            "gasp./Gasp.|gasp|A gasp went through the whole crowd.|To gasp is "
            "to breathe in suddenly because of surprise.|Gas prices fell last "
            "week./The necklace has a broken clasp.",
            "with a giggle|giggles|Giggle, then|Giggles./Giggling./With a "
            "giggle./Giggle.|giggle|The puppet made the little girls "
            "giggle.|To giggle is to make light, silly sounds of "
            "amusement.|Gig workers are paid every Friday./The tail gave a "
            "little wiggle.",
            "after clearing your throat|clears throat|Clear your throat, "
            "then|Clears throat./Clearing throat./After clearing my "
            "throat./Clear throat.|throat|The judge had to clear his throat "
            "twice.|To clear the throat is to cough lightly before you "
            "speak.|Clear skies are expected tonight./We reached the island by "
            "boat.",
            "angrily|angry|Sound angry and|Angry./Angrily./In an angry "
            "voice./Angry tone.|angry|The angry driver honked at the "
            "bus.|Angry means strongly annoyed about something that seems "
            "wrong.|Anglers love this part of the river./By noon the dog was "
            "hungry.",
            "sadly|sad|Sound sad and|Sad./Sadly./In a sad voice./Sad "
            "tone.|sad|The sad clown sat alone in the tent.|Sad means unhappy "
            "about something that has happened.|Saddles are sold in the next "
            "shop./Last night he called his dad.",
            "excitedly|excited|Sound excited and|Excited./Excitedly./In an "
            "excited voice./With excitement.|excited|The excited children ran "
            "down to the beach.|Excited means very happy and eager about "
            "something.|Exits are on the left side./Both of the neighbours "
            "were invited.",
            "sarcastically|sarcastic|Be sarcastic "
            "and|Sarcastic./Sarcastically./In a sarcastic tone./With "
            "sarcasm.|sarcastic|His sarcastic answer annoyed the "
            "teacher.|Sarcastic means saying the opposite of what you think in "
            "order to mock.|Sardines are rich in healthy oils./The new bottle "
            "is made of plastic.",
            "in a whisper|whispers|Lower your voice to a whisper "
            "and|Whispers./Whispering./In a whisper./Whisper.|whisper|She "
            "heard a whisper behind the door.|To whisper is to speak very "
            "softly, using only your breath.|Whiskers help cats find their "
            "way./This batch of biscuits is much crisper.",
            "in a robotic voice|robotic voice|Use a robotic voice and|Robotic "
            "voice./In a robotic voice./Robotic./Robot voice.|robotic|The "
            "factory bought a robotic arm in March.|Robotic means like a "
            "machine that moves or works by itself.|Robins nest in our garden "
            "every spring./The fruit on the table looked exotic.",
            "with a British accent|British accent|Put on a British accent "
            "and|British accent./With a British accent./In a British "
            "accent./British.|British|The British team won three gold "
            "medals.|British means coming from Great Britain or belonging to "
            "it.|Brittle bones break very easily./The young horse is rather "
            "skittish.",
        ),
        lines=(
            "The meeting has been moved to Thursday",
            "Your pizza will be here in twenty minutes",
            "Somebody left the garage door open again",
            "It is going to rain all weekend",
            "We are out of milk and bread",
            "The last bus leaves at half past ten",
            "There is a spider in the bathtub",
            "My sister just bought a new car",
            "The neighbours are painting their fence green",
            "Dinner is ready and the table is set",
        ),
        replies=(
            "tell me a fun fact about octopuses.|An octopus has three hearts "
            "and blue blood.",
            "give me a tip for growing tomatoes.|Water tomatoes at the roots "
            "early in the morning.",
            "explain why the sky is blue.|Air scatters blue sunlight more than "
            "it scatters red.",
            "suggest something quick for dinner.|You could make pasta with "
            "garlic and fresh spinach.",
            "describe a walk in the forest.|The path winds between tall pines "
            "and soft green moss.",
            "tell me how to boil an egg.|Put the egg in boiling water for "
            "about eight minutes.",
        ),
        requests=(
            'literal|Please say "{line}" {phrase}.',
            'literal|Can you say this {phrase}? "{line}."',
            "literal|I want you to read this aloud {phrase}: {line}.",
            "open|{Wanted} Say it {phrase}.",
            "open|Could you {asked}, and say it {phrase}?",
            "open|I would like you to answer {phrase}. {Wanted}",
            "imperative|{imperative} say this: {line}.",
            "imperative|Hey, can you do something for me? {imperative} {wanted}",
            "script|Read this line from my script: ({bracket}) {line}.",
            "script|*{bracket}* {line}.",
        ),
    ),
    "u": World(
        manners=(
            "in a whisper|whispers|Drop to a whisper "
            "and|Whispers./Whispering./In a whisper./Whisper.|whisper|She "
            "heard a whisper from the back row.|To whisper means to speak "
            "very softly using only your breath.|Whiskers help a cat feel "
            "its way around.|Keep the lettuce cold and it stays crisper.",
            "with a laugh|laughs|Laugh, then|Laughs./Laughing./With a "
            "laugh./Laugh.|laugh|My uncle has a laugh that fills the "
            "room.|To laugh means to make happy sounds because something is "
            "funny.|Half the class was late this morning.|The children fed "
            "some leaves to a giraffe.",
            "very slowly|slowly|Slow right down and|Slowly./Very "
            "slowly./Speaking slowly./Slow.|slow|The train was slow because "
            "of the storm.|Slow means taking a long time to move or to "
            "happen.|Snow fell on the hills all night.|Put those bags on the "
            "floor below.",
            "in an angry voice|angrily|Use an angry voice and|Angrily./In an "
            "angry voice./Angry voice./Angry.|angry|The angry goose chased "
            "us round the pond.|To be angry means to feel very annoyed about "
            "something.|Angling is popular along this river.|Nobody at the "
            "table was still hungry.",
            "in a British accent|in a British accent|Put on a British accent "
            "and|British accent./In a British accent./Speaking with a "
            "British accent./British.|British|The museum has a room full of "
            "British coins.|British means coming from or belonging to "
            "Britain.|Brittle branches snap in a strong wind.|The new horse "
            "is still rather skittish.",
            "in a loud voice|loudly|Use a loud voice and|Loudly./In a loud "
            "voice./Loud voice./Loud.|loud|The music next door was loud all "
            "night.|Loud means making a lot of noise.|Lousy weather ruined "
            "our weekend at camp.|She waved at him across the crowd.",
            "with a yawn|yawns|Yawn, then|Yawns./Yawning./With a "
            "yawn./Yawn.|yawn|The baby gave a yawn and fell asleep.|To yawn "
            "means to open your mouth wide because you are tired.|Yarn is on "
            "sale at the craft shop.|The dog dug a hole in the lawn.",
            "in a robot voice|in a robot voice|Use a robot voice and|Robot "
            "voice./In a robot voice./Speaking like a robot./Robot.|robot|My "
            "nephew built a robot out of old boxes.|A robot is a machine "
            "that can do tasks by itself.|Robert left his keys on the "
            "counter.|We crossed the lake in a rowboat.",
            "sarcastically|sarcastically|Be sarcastic and|Sarcastically./In "
            "a sarcastic tone./Being sarcastic./Sarcastic.|sarcastic|His "
            "sarcastic remark did not go down well.|To be sarcastic means to "
            "say the opposite of what you mean to mock something.|Sardines "
            "are good on hot buttered toast.|Most of these bottles are made "
            "of plastic.",
            "with a hiccup|hiccups|Hiccup, then|Hiccups./Hiccuping./With a "
            "hiccup./Hiccup.|hiccup|There was a small hiccup with the "
            "booking.|A hiccup is a sudden sound in your throat that you "
            "cannot control.|Hickory gives a good smoke for barbecue.|Your "
            "parcel is now ready for pickup.",
            "in a Southern drawl|in a Southern drawl|Put on a Southern drawl "
            "and|Southern drawl./In a Southern drawl./Speaking with a "
            "Southern drawl./Drawl.|drawl|Her drawl gets stronger when she "
            "is tired.|A drawl is a relaxed way of speaking with long "
            "vowels.|Drawers in this kitchen never close properly.|The match "
            "on Saturday ended in a draw.",
            "in a monotone|in a monotone|Switch to a monotone "
            "and|Monotone./In a monotone./Speaking in a monotone./Flat "
            "monotone.|monotone|A dull monotone can send a class to sleep.|A "
            "monotone is a voice that stays on one pitch.|Monitors in this "
            "office are all new.|He kept looking at his mobile phone.",
        ),
        lines=(
            "Dinner will be ready in ten minutes",
            "I can't believe we won the game",
            "Please leave your shoes by the door",
            "Happy birthday to the best sister ever",
            "Somebody ate the last piece of cake",
            "We have to leave before the rain starts",
            "My phone fell behind the couch again",
            "Welcome to our house and make yourself comfortable",
            "The meeting has been moved to Thursday",
            "There's a spider on the bathroom ceiling",
        ),
        replies=(
            "tell me something interesting about octopuses.|An octopus has "
            "three hearts, and two of them serve its gills.",
            "explain why leaves change color in autumn.|Leaves lose their "
            "green pigment in autumn, so the yellows and reds appear.",
            "give me a tip for falling asleep.|Try to go to bed at the same "
            "time every single night.",
            "suggest a quick breakfast for tomorrow.|You could have yogurt "
            "with berries and a handful of crunchy granola.",
            "describe what the beach is like at sunrise.|The sand is cool, "
            "and the water glows pink and gold.",
            "name a good place to visit in Italy.|Florence is wonderful "
            "because of its art, food and beautiful old bridges.",
        ),
        requests=(
            'literal|Can you say "{line}" {phrase}?',
            'literal|I\'d love to hear you say "{line}" {phrase}.',
            "literal|Repeat this sentence back to me {phrase}: {line}.",
            'literal|What would it sound like if you said "{line}" {phrase}?',
            "open|Hey, could you {asked}, but say it {phrase}?",
            "open|{Wanted} And answer {phrase}, please.",
            "open|I want you to speak {phrase} this time. {Wanted}",
            "imperative|{imperative} {asked}, please.",
            "imperative|Okay, let's try something fun. {imperative} {wanted}",
            "script|Act out this line from my play: [{bracket}] {line}.",
        ),
    ),
    "t": World(
        manners=(
            "with a laugh|laughs|Laugh, then|Laughs./Laughing./With a "
            "laugh./Laugh.|laugh|My grandmother has the loudest laugh in the "
            "family.|To laugh means to make happy sounds when something is "
            "funny.|Last week we painted the kitchen blue.|We had lunch "
            "outside with half the staff.",
            "with a yawn|yawns|Yawn, then|Yawns./Yawning./With a "
            "yawn./Yawn.|yawn|The baby gave a big yawn and fell asleep.|To "
            "yawn means to open your mouth wide because you are tired.|Yarn "
            "is cheaper at the corner shop.|A young deer was standing on our "
            "lawn.",
            "with a gasp|gasps|Gasp, then|Gasps./Gasping./With a "
            "gasp./Gasp.|gasp|The crowd let out a gasp when the acrobat "
            "slipped.|To gasp means to breathe in suddenly because of "
            "surprise.|Gas prices went up again this morning.|My new "
            "bracelet has a broken clasp.",
            "with a cough|coughs|Cough, then|Coughs./Coughing./With a "
            "cough./Cough.|cough|My son stayed home today with a bad "
            "cough.|To cough means to push air out of your throat "
            "noisily.|Coffee is served in the lobby downstairs.|Please turn "
            "the hallway light off.",
            "in an angry voice|angrily|Sound angry and|Angrily./In an angry "
            "voice./Angry voice./Angry.|angry|The neighbor was angry about "
            "the noise last night.|To be angry means to feel strongly "
            "annoyed about something.|Anchors keep the boats safely in "
            "place.|The children came home tired and hungry.",
            "in a sad voice|sadly|Sound sad and|Sadly./In a sad voice./Sad "
            "voice./Sad.|sad|We were all sad when the summer ended.|To be "
            "sad means to feel unhappy about something.|Saturday is the best "
            "day for shopping.|She borrowed the car from her dad.",
            "in an excited voice|excitedly|Sound excited and|Excitedly./In "
            "an excited voice./Speaking excitedly./Excited.|excited|The kids "
            "were excited about the trip to the zoo.|To be excited means to "
            "look forward to something eagerly.|Exits are marked with bright "
            "green signs.|Everybody on our street was invited.",
            "in a sarcastic tone|sarcastically|Be sarcastic "
            "and|Sarcastically./In a sarcastic tone./Sarcastic "
            "tone./Sarcastic.|sarcastic|His sarcastic comments made the "
            "meeting rather awkward.|To be sarcastic means to mock something "
            "by saying the opposite.|Circus tickets go on sale next "
            "Monday.|These cups are all made of plastic.",
            "in a whisper|whispers|Drop to a whisper "
            "and|Whispers./Whispering./In a whisper./Whisper.|whisper|I "
            "heard a whisper from the back of the library.|To whisper means "
            "to speak very quietly without using your voice.|Whiskers help a "
            "cat find its way.|The toast could be a little crisper.",
            "very slowly|slowly|Speak slowly and|Slowly./Very "
            "slowly./Speaking slowly./Speaking very slowly.|slowly|The "
            "turtle walked slowly across the warm sand.|To do something "
            "slowly means to take a lot of time over it.|Slopes here are "
            "perfect for new skiers.|The whole garden looked grim and lonely.",
            "in a British accent|British accent|Put on a British accent "
            "and|British accent./In a British accent./With a British "
            "accent./British.|British|My aunt married a British doctor ten "
            "years ago.|The word British describes people and things from "
            "Great Britain.|Bridges in this city are very old.|The new puppy "
            "is still a bit skittish.",
            "in a robot voice|robot voice|Use a robot voice and|Robot "
            "voice./In a robot voice./Speaking like a robot./Robot.|robot|A "
            "little robot cleans our floor every morning.|A robot is a "
            "machine that can do tasks by itself.|Robins often nest in our "
            "garden shed.|They crossed the lake in a rowboat.",
        ),
        lines=(
            "Dinner is ready so please come downstairs",
            "Happy birthday to the best brother in the world",
            "I can't believe you ate the whole cake",
            "We are going to be late for school",
            "Somebody left the front door open again",
            "There is a spider in the bathtub",
            "My flight has been delayed until tomorrow morning",
            "You won first prize in the raffle",
            "It's Monday and I have to go to work",
            "The dog has hidden my shoes under the bed",
        ),
        replies=(
            "tell me a fun fact about octopuses.|An octopus has three "
            "hearts, and its blood is blue.",
            "explain why the sky is blue.|Air scatters blue light from the "
            "sun more than any other color.",
            "suggest a quick breakfast for tomorrow.|Try oatmeal with sliced "
            "banana, some honey, and a few walnuts.",
            "give me a tip for falling asleep.|Put your phone away an hour "
            "before bed and dim the lights.",
            "describe a perfect day at the beach.|The sun is warm, the waves "
            "are gentle, and nobody is hurrying.",
            "name a good place to visit in Italy.|Florence is a lovely "
            "choice, with great art and even better food.",
        ),
        requests=(
            'literal|Can you say "{line}" {phrase}?',
            'literal|I want you to say "{line}" {phrase}, please.',
            'literal|Say this {phrase}: "{line}."',
            'literal|Hey, could you read this out {phrase} for my video? "{line}."',
            "open|Can you {asked} {phrase}?",
            "open|{Wanted} Answer me {phrase}, please.",
            "open|I need you to answer this one {phrase}: {wanted}",
            "imperative|{imperative} {asked}, please.",
            "imperative|Okay, new game. {imperative} {wanted}",
            "script|Perform this line from my play: [{bracket}] {line}.",
        ),
    ),
    "v": World(
        manners=(
            "with a laugh|laughs|Laugh, then|Laughs./Laughing./With a "
            "laugh./Laugh.|laugh|My uncle has a laugh you can hear "
            "outside.|To laugh means to make sounds of joy when something is "
            "funny.|Laps in the pool are good exercise.|We only need the "
            "other half.",
            "with a yawn|yawns|Yawn, then|Yawns./Yawning./With a "
            "yawn./Yawn.|yawn|The baby gave a big yawn and fell asleep.|To "
            "yawn means to open your mouth wide and breathe in when you are "
            "tired.|Yarn is cheaper at the market.|The children are playing "
            "on the lawn.",
            "with a cough|coughs|Cough, then|Coughs./Coughing./With a "
            "cough./Cough.|cough|She has had a bad cough since last "
            "Monday.|To cough means to push air out of your throat suddenly "
            "and loudly.|Coffee is served until eleven.|Please remember to "
            "turn the heating off.",
            "with a gasp|gasps|Gasp, then|Gasps./Gasping./With a "
            "gasp./Gasp.|gasp|A loud gasp came from the crowd.|To gasp means "
            "to breathe in suddenly because of surprise.|Gas prices went up "
            "again last week.|The necklace has a broken clasp.",
            "in a sad voice|sadly|Use a sad voice and|Sad voice./Sadly./In a "
            "sad voice./Sad.|sad|The movie had a sad ending that surprised "
            "everyone.|To be sad means to feel unhappy about something.|Sand "
            "gets into everything at the beach.|I borrowed the car from my "
            "dad.",
            "in an angry voice|angrily|Use an angry voice and|Angry "
            "voice./Angrily./In an angry voice./Angry.|angry|The angry "
            "customer asked to see the manager.|To be angry means to feel "
            "strongly annoyed about something.|Hungary is a lovely country "
            "to visit.|After the hike we were very hungry.",
            "in an excited voice|excited|Sound excited "
            "and|Excited./Excitedly./In an excited voice./Sounding "
            "excited.|excited|My kids are excited about the trip to "
            "Florida.|To be excited means to feel eager and full of energy "
            "about something.|Exits are located on both sides.|Both of my "
            "cousins were invited.",
            "in a sarcastic tone|sarcastically|Be sarcastic "
            "and|Sarcastically./Sarcastic tone./In a sarcastic "
            "tone./Sarcastic.|sarcastic|My brother left a sarcastic comment "
            "under my photo.|To be sarcastic means to say the opposite of "
            "what you mean to mock something.|Sardines are cheap at that "
            "market.|The new show was really fantastic.",
            "in a whisper|whispers|Speak in a whisper "
            "and|Whispers./Whispering./In a whisper./Whisper.|whisper|I "
            "heard a whisper from the back row.|To whisper means to speak "
            "very quietly using only your breath.|Whiskers help a cat feel "
            "its way.|These crackers could be a bit crisper.",
            "very slowly|slowly|Speak very slowly and|Slowly./Speaking "
            "slowly./Very slowly./Slow.|slow|The slow train stops at every "
            "little village.|To be slow means to move or act without much "
            "speed.|Snow is expected in the mountains tonight.|The shelf by "
            "the window is too low.",
            "in a British accent|in a British accent|Use a British accent "
            "and|British accent./In a British accent./Speaking in a British "
            "accent./British.|British|My neighbor married a British nurse "
            "last summer.|To be British means to come from Great "
            "Britain.|Brittle branches fell during the storm.|The new puppy "
            "is still a bit skittish.",
            "in a robot voice|in a robot voice|Use a robot voice and|Robot "
            "voice./In a robot voice./Speaking like a "
            "robot./Robot.|robot|The robot cleans our kitchen floor every "
            "night.|A robot is a machine that can do tasks by itself.|Robins "
            "built a nest above our door.|The package was for my neighbor "
            "Robert.",
        ),
        lines=(
            "Dinner is ready and the table is set",
            "I can't believe you ate the last cookie",
            "It's time to get up for school",
            "Happy birthday to my favorite sister",
            "Nobody told me about the meeting this morning",
            "I think someone is at the front door",
            "We finally won the game last night",
            "Your package will arrive tomorrow afternoon",
            "The dog got into the trash again",
            "I left my keys in the car",
        ),
        replies=(
            "tell me a fun fact about octopuses.|An octopus has three "
            "hearts, and two of them pump blood to the gills.",
            "explain why the sky is blue.|Air scatters blue light from the "
            "sun more than it scatters red light.",
            "give me a quick idea for dinner tonight.|You could make pasta "
            "with garlic, olive oil, and some roasted tomatoes.",
            "describe what a volcano is.|A volcano is an opening where "
            "melted rock escapes from inside the earth.",
            "name the largest planet in the solar system.|The largest planet "
            "in our solar system is Jupiter, a gas giant.",
            "suggest something to do on a rainy day.|You could bake some "
            "bread or play a board game with your family.",
        ),
        requests=(
            'literal|Can you say "{line}" {phrase}?',
            'literal|I want to hear you say "{line}" {phrase}.',
            "literal|Repeat after me, but {phrase}: {line}.",
            'literal|Say this for me {phrase}, please: "{line}."',
            "open|Could you {asked}, and say it {phrase}?",
            "open|{Wanted} I'd like to hear it {phrase}.",
            "open|Please {wanted} Give me your answer {phrase}.",
            "imperative|{imperative} {asked}, please.",
            "imperative|Hey, try this. {imperative} {wanted}",
            "script|Read this line from my school play: [{bracket}] {line}.",
        ),
    ),
}
