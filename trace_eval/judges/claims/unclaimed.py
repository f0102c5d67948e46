"""Words that make what is said no claim: negations, wishes, norms, courses."""

from __future__ import annotations

NOT = (
    r"\b(?:not|never|nowhere near|no(?= (?:\w[\w-]* ){0,3}(?:\Z|than|difference))|anything but"
    r"|cannot|nor|neither|without|hardly|barely|none|nobody|no one|by no means"
    r"|far from(?: being)?|(?:wrong|false|untrue|incorrect|mistaken) (?:to say|to claim|that))\b"
    r"|n't\b"
)

#: Somebody's wish, a norm, a condition: what is said of it is not said of the
#: recordings.
TOLD = (
    "find|say|judge|call|rate|describe|conclude|infer|argue|note|observe|notice|hear|add|agree"
    "|estimate|guess|think|believe|consider|put|place|rank"
)
_JUDGED = (
    rf"(?:{TOLD}|hint|suggest|indicate|point|mean|reflect|imply|explain|speak|account"
    r"|be (?:\w+ )?(?:due|explained|perceptible|audible|noticeable|heard|noted|obvious|clear"
    r"|said|called"
    r"|described|judged|argued|considered|that|something like|about"
    r"|around|roughly|some|approximately|nearly|almost|as much as))"
)
UNREAL = (
    rf"\b(?:(?:would|could|should|might|may)(?! (?:\w+ )?{_JUDGED})"
    r"(?<!should(?= be the (?:high|low|great|larg|bigg|small)er one\b))"
    rf"|(?:I|we|you|he|she|it|they)'d(?! (?:\w+ )?(?:{_JUDGED}|had|been|lose|gain|get"
    r"|be getting|give (?:up|it)|choose|pick|take|put|rank|estimate|favou?r|select"
    r"|go (?:with|for)))"
    r"|if|as though"
    r"|had (?:[\w ]{1,60} )?been|were (?:it|they)\b|ideal(?:ly)?|want(?:s|ed)?|ask(?:s|ed|ing)? for"
    r"|requests?|requested|requires?|required|supposed|need(?:s|ed)? to|instructions?|prompts?"
    r"|whether|whichever is|must(?! be (?:\d|regarded|called|said|considered|judged))|ought"
    r"|ha(?:s|ve|d) to|wish(?:es|ed)?|hop(?:e|es|ed|ing)"
    r"|propos(?:e|es|ed|al)|recommend(?:s|ed)?|(?:is|was|are|were) to be|that [\w ]{1,24} be"
    r"|may (?:\w+ )?be made|aim|goal|wanted"
    r"|(?:where|when|whenever|unless|until|as soon as) (?:(?!\d)\w+ ){1,3}exceeds (?=\d)"
    r"|others (?:would|could|might|may)|(?:some|many|people|listeners) (?:would|could|might|may)"
    r"|expected to|likely to)\b"
    r"|'d (?:have )?(?:liked?|prefer(?:red)?|want(?:ed)?|wish(?:ed)?|love|loved|expect(?:ed)?)\b"
    r"|\bthe (?:more|less|\w+er)\b[^,;]*, the (?!latter|former|other)(?:more|less|\w+er)\b"
)

#: What is said so of no side in particular is a norm.
NORM = (
    r"\b(?:anything (?:under|over|above|below)|most (?:talkers|speakers|people|voices|systems)"
    r"|norms?|generally|usually|typically|expects?|expected|suggests that one|targets?|thresholds?"
    r"|recommended|typical|customary|normal|usual|goals?|anything(?! between)|textbooks?|next time"
    r"|criteri(?:on|a)|specifications?|specs?|tolerances?|limits?|allowed|permitted|defaults?"
    r"|try an?|give me an?"
    r"|(?:good|proper|reasonable|healthy) [\w.]+(?: \w+)? is"
    r"|one needs|full marks?|normally|standards?(?! deviation)|people|listeners)\b"
    r"|\b(?:is|are|counts? as) (?:\w+ )?(?:normal|typical|average(?! \w)|considered|usual)\b"
)

#: What changes within a recording.
COURSE = (
    r"\b(?:rises?(?! (?:above|over|beyond))|rising|climbs?|climbing|drops? (?:from|off|towards)"
    r"|falling|accelerat\w+"
    r"|slow(?:s|ing) down|speeds? up|(?:goes|going|went|gone) (?:up|down)(?! to\b)"
    r"|starts? (?:at|with|from|out)|grows?|growing|increases"
    r"|decreases|becom(?:es|ing)|gets (?=more|less|\w+er\b)|gradually|progressively"
    r"|towards? the end|as it goes"
    r"|jump(?:s|ed|ing)?|spikes?|outliers?|dips?"
    r"|contours?|slopes?|trends?|over time|throughout its course|second half)\b"
)
