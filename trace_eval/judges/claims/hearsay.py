"""What a reason says of words that a recogniser may have misheard.

Such words may prove nothing, and were heard all the same: "Answer 1 is heard as "...",
which cannot be held against it" quotes what the blueprint must hold.
"""

from __future__ import annotations

import re

#: What was heard may prove nothing, and was heard.
NO_EVIDENCE = re.compile(
    r"\b(?:(?:is|are|be|was|were|as) )?(?:no|not|hardly)(?: (?:any|real|much))?"
    r" (?:(?:proof|evidence)(?! of (?:the )?(?:_|\x00|\Z))|reliable|trustworthy"
    r"|certain|sure|to be trusted"
    r"|(?:probably )?what was (?:really |actually )?(?:said|spoken))"
    r"(?: of (?:anything|what was (?:really |actually )?(?:said|spoken)"
    r"|the actual words))?"
    r"(?:, not even)?"
    r"|\b(?:can(?:not|'t| not)|could not|couldn't|should not|shouldn't|must not"
    r"|mustn't)"
    r" (?:(?:really|reasonably|fairly|well) )?(?:be (?:checked|verified|confirmed"
    r"|compared|judged|trusted|used|taken|relied"
    r"|counted|held|blamed)"
    r"|count|weigh|speak|rely on|trust|vouch for|be (?:sure|certain) (?:of|about))"
    r"|\bno words? differs?\b|\b(?:is|was|were|are) not (?:\w+ )?confident\b"
    r"|\b(?:does|do|did)(?: not|n't) (?:spoil|harm|hurt|change|matter|weigh|affect"
    r"|disturb)\w*"
    r"|\bno (?:words?|syllables?|part) (?:is|are|was|were|being)(?: marked| flagged)?"
    r" (?:missing|left out|lost"
    r"|dropped|doubtful|in doubt|heard with doubt)"
    r"|\bwithout (?:any )?(?:doubtful|missing) \w+"
    r"|\bproves? nothing|\bprobably not what was (?:really |actually )?(?:said|spoken)",
    re.I,
)
#: "Neither "a" nor "b" can be trusted" quotes what was heard.
NEITHER_NOR = re.compile(r"\b(?:neither|nor) (?=\Z)", re.I)
#: Words that are not trusted.
UNTRUSTED = re.compile(
    r"\b(?:can|could|should|may) (?:really )?(?:be (?:trusted|used|taken|relied"
    r"|counted|held|blamed)|count)|\b(?:proves?|says?) (?:anything|much)"
    r"|\b(?:is|are|counts as|looks|seems) (?:really |any )?"
    r"(?:trustworthy|reliable|certain|sure|evidence|proof|credible|dependable|usable)",
    re.I,
)
#: "Is heard as something like ..." quotes what was heard.
HEARD_LIKE = re.compile(
    r"\b(?:heard|transcribed|understood|recogni[sz]ed|read|put down|written|rendered"
    r"|comes out"
    r"|came out|offers?|reads|sounds?)(?: for [^\"]{1,24}?,?)?(?: as"
    r"|,)? (?:something like|such as|like)\b",
    re.I,
)
#: What should have been said, or may have been meant.
MEANT = re.compile(
    r"\b(?:should|ought|would|could|may|might|if|whether|instead of|rather than"
    r"|mean\w*|meant"
    r"|expect\w*|supposed|synonym|correct\w*|mistaken for|misheard)\b[^,;\"]{0,40}$",
    re.I,
)
#: An example of what was heard.
INSTANCE = re.compile(r"such as|something like|like|e\.g\.|doubtful", re.I)
#: "Each says that the family will never "get over this"" denies nothing.
TELLS_NOT = re.compile(
    r"\A[^;:\"]{0,120}?(?<!not )(?<!n't )\b(?:says?|said|saying|stat(?:es?|ing)|tells?"
    r"|telling|told"
    r"|explains?|explaining|reports?|admits?)\b[^;:\"]{0,120}"
    r"\b(?:(?:will|would|has|have|had|can|could|did|does|is|was|are|were) (?:not|never)"
    r"|not having|cannot)(?: (?!(?:say|mention|contain|include|read|use|said)\b)\w+)? \Z",
    re.I,
)
#: What an answer is said to tell: "says that it would be wonderful to "..."".
REPORTS = re.compile(
    r"\A[^;\"]*?(?<!not )(?<!n't )\b(?:says?|said|states?|tells?(?: \w+){1,3}"
    r"|told(?: \w+){1,3}|explains?|adds?) that\b",
    re.I,
)
