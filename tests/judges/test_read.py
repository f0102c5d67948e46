"""Replies as models write them, well or badly, and what each reader makes of them."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from fusion import DIMENSIONS, LABEL_SETS, Rating
from tests.support.cases import verdict
from trace_eval.data.outcome import Reason
from trace_eval.data.rubrics.load import load_rubric
from trace_eval.data.rubrics.pairs import ScoreScale
from trace_eval.judges.ask.reply_json import is_placeholder
from trace_eval.judges.ask.unread_reply import ReplyError
from trace_eval.judges.combine.orders import preference
from trace_eval.judges.read.labels import parse_reply, read_label
from trace_eval.judges.read.score import read_score, reply_schema
from trace_eval.judges.read.two_scores import (
    NATURALNESS,
    TwoScores,
    read_json,
    read_text,
    schema,
)

OFF, NONE = Reason.OFF_LABEL, Reason.UNPARSEABLE
FIVE, YES_NO = load_rubric("correctness"), load_rubric("role_realism")

GOOD = json.dumps(verdict("1", "2", "both_bad"))
OTHER = json.dumps(verdict("2", "2", "2"))
FIRST = json.dumps(verdict("1", "1", "1"))
WANTED = (Rating.A, Rating.B, Rating.BOTH_BAD)
FLATLY = (Rating.BOTH_GOOD, Rating.B, Rating.BOTH_BAD)
FLAT = {"reasoning": "r", **dict(zip(DIMENSIONS, map(str, FLATLY), strict=True))}


def typed(elicitation: Any) -> Callable[[str], Any]:
    return lambda text: tuple(
        parse_reply(text, elicitation).ratings[n] for n in DIMENSIONS
    )


def two(read: Callable[[str], TwoScores]) -> Callable[[str], Any]:
    return lambda text: (read(text).first, read(text).second)


READERS: dict[str, Callable[[str], Any]] = {
    "typed": typed("label"),
    "flat": typed("flat"),
    **{
        name: lambda text, scale=scale: read_label(text, scale)[0]  # type: ignore[misc]
        for name, scale in LABEL_SETS.items()
        if name != "typed"
    },
    "score": lambda text: read_score(text, FIVE).score,
    "score in words": lambda text: read_score(text, FIVE, plain=True).score,
    "yes or no": lambda text: read_score(text, YES_NO).score,
    "two scores": two(read_json),
    "two scores in words": two(read_text),
}


def content(rating: object) -> str:
    reply = verdict("1", "2", "both_bad")
    reply["content"]["rating"] = rating
    return json.dumps(reply)


def said(key: str, value: object, **more: object) -> str:
    return json.dumps({"reasoning": "r", key: value, **more})


def scores(**given: object) -> str:
    return json.dumps({"prosody": "flat", "score_1": 7, "score_2": 7.5} | given)


def without(reply: dict[str, Any], *keys: str) -> str:
    return json.dumps({key: value for key, value in reply.items() if key not in keys})


#: Drafts without an end, and drafts with one.
UNFINISHED = (
    "<think>{}",
    "<thinking>At first {} but",
    "<THINK>{}",
    "<reasoning>{}",
    "<think>{}</reasoning>",
    "<seed:think>{}",
    '<think effort="high">{}',
    "[THINK]{}",
    "◁think▷{}",
    "<|begin_of_thought|>{}",
    "<|START_THINKING|>{}",
    "<|channel|>analysis<|message|>{}<|end|>",
    "<|channel|>analysis<|message|>{}<|end|><|start|>assistant<|channel|>commentary<|message|>x",
    "analysisWe need to compare. {}",
    "<|thinking|>{}",
    "< think >{}",
    "&lt;think&gt;{}",
    "<plan>{}",
    "```thinking\n{}\n",
    "Here is my thought process: {}",
    "Good. <think>{}</think> or <think>{}",
    "<think>a<think>b</think>{}",
    "<think>{} <think>b</think>",
    "<思考>{}",
    "<réflexion>{}",
    "```xml\n<thinking>\n{}\n```",
    "```entwurf\n{}",
    "**Thinking**\n{}",
    "## Step 1: Thinking\n{}",
    "> *Thinking ...*\n> {}",
    "Thinking...\n{}",
    "**Thought process:** the first is short. {}",
    "## Thinking\n**Content**\n{}",
    "### Reasoning\n{}",
    "### Analysis\nThe second refuses. {} Yet the first",
    "**Überlegung**\n{}",
    "### Рассуждение\n{}",
    "## 思考过程\n{}",
    "**Razonamiento**\n{}\npero la segunda",
    "Plan:\n1. Compare.\n2. Rate: {}\n",
    "1. Compare.\n2. Rate: {}\n3. Check whether the second refuses.",
    "Draft: {}",
    "My first impression is {}",
    "{}\nWait, the second refuses.",
    "{} But answer 2 refuses, so",
    "&#x3C;think&#x3e;{}",
    "&amp;lt;think&amp;gt;{}",
    "\\u003cthink\\u003e{}",
    "＜think＞{}",
    "<|begin▁of▁thought|>{}",
    "<|thought_start|>{}",
    "<|im_start|>think\n{}",
    "analysisthe user wants {}",
    "~~~thinking\n{}\n",
    "<critique>{}",
    "<!-- {}",
    "~~{}~~",
    "【思考】{}",
    "{}\nSorry, I meant the other one.",
    "{} That is wrong: answer 2 refuses.",
    "(thinking: {}",
    "(thinking: {})",
    "Sure. (Überlegung: {})",
    "{thinking}{}",
    "Here are my reasoning steps:\n{}",
    "{}\nMoment, das stimmt nicht.",
    "{}\n等等，不对。",
    "{} No, answer 2 refuses.",
)
FINISHED = (
    ("<think>{}", "</think>"),
    ("<thinking>{}", "</thinking>"),
    ("<thinking>{}", "</think >"),
    ("<reasoning>{}", "</reasoning>"),
    ("<think>{} <reasoning>{}", "</reasoning></think>"),
    ("{}", "</think>"),
    ("[THINK]{}", "[/THINK]"),
    ("<|begin_of_thought|>{}", "<|end_of_thought|>"),
    (
        "<|channel|>analysis<|message|>{}",
        "<|end|><|start|>assistant<|channel|>final<|message|>",
    ),
    ("analysisWe need {}", "assistantfinal"),
    ("&lt;think&gt;{}", "&lt;/think&gt;"),
    ("```thinking\n{}\n", "```"),
    ("Here is my thought process: {}", "Here is my response:"),
    ("<think>\n<think>{}", "</think>"),
    ("<think>a<think>{}</think>b", "</think>"),
    ("<details><summary>Thinking</summary>{}", "</details>"),
    ("```xml\n<thinking>{}", "</thinking>\n<answer>"),
    ("**Thinking**\n{}\n", "**Answer**\n"),
    ("## Thinking\n### Content\n{}\n", "## Verdict\n"),
    ("Thinking: {}\n", "Answer: "),
    ("Thinking...\n{}\n", "...done thinking.\n"),
    ("**Thinking**\n{}\n", "---\n"),
    ("&#60;think&#62;{}", "&#60;/think&#62;"),
    ("<start_of_thought>{}", "<end_of_thought>"),
    ("<|im_start|>think\n{}<|im_end|>", "<|im_start|>answer\n"),
    (
        "<|channel|>analysis<|message|>{}",
        "<|channel|>final <|constrain|>json<|message|>",
    ),
    ("analysisthe user wants {}", "assistantfinal"),
    ("~~~thinking\n{}\n", "~~~\n"),
    ("<think>{}", "</think\n"),
    ("<!-- {}", "-->"),
    ("~~{}", "~~"),
    ("【思考】\n{}\n", "【结论】"),
    ("**Überlegung**\n{}\n", "**Urteil**\n"),
    ("## 思考\n{}\n", "## 结论\n"),
    ("Plan:\n1. Compare.\n2. Rate: {}\n3. Check.\n", "Final verdict: "),
    ("Tentatively {}", "\nRevised: "),
    ("### Reasoning\nThe first names the capital.\n\n", ""),
    ("Reasoning: the first names the capital.\n", ""),
    ("(thinking: {} (or not))", " "),
    ("（思考：{}）", "\n"),
    ("{thinking}{}", "{/thinking}"),
    ("\\begin{thinking}{}", "\\end{thinking}"),
    (":::thinking\n{}\n", ":::\n"),
    ("/* thinking: {}", "*/"),
    ("<scratch>{}", "</scratch>"),
    ("Here are my reasoning steps:\n{}\n", "[BEGIN FINAL RESPONSE]\n"),
    ("Entwurf: {}", "\nEndgültig: "),
    ("{}", "\n最终："),
)

#: What stands in a sentence behind a verdict for the first answer: what contradicts it,
#: and what does not.
CONTRADICTED = (
    "Overall, Answer 2 is the better answer.",
    "The second answer is better overall.",
    "**In summary, B wins.**",
    "Although A is shorter, B is better.",
    "B is better than A.",
    "I prefer B.",
    "Winner: Answer 2",
    "Both answers are equally good.",
    "Insgesamt ist Antwort B besser.",
    "Dans l'ensemble, la réponse B est meilleure.",
    "A resposta B é melhor.",
    "综上所述，回答2更好。",
    "総合的に見て、回答Bの方が優れています。",
    "전반적으로 응답 B가 더 좋습니다.",
    "В целом ответ B лучше.",
)
REMARKS = (
    "Overall, Answer 1 is the better answer.",
    "Answer 2 is better in tone.",
    "B would be better if it answered.",
    "Is B better?",
    "Some listeners may think B is better.",
    "It is not true that B is better.",
    "B is better than most.",
    "Both answers are equally good in tone.",
    "Halt and pause are fine.",
    "No second answer is better without context.",
    "回答1更好。",
)

#: What models copy from a form where a reason should stand.
COPIED = (
    "...",
    "…",
    ". . .",
    "<one to three sentences>",
    "<reasoning>",
    "[your reasoning here]",
    "one to three sentences that name the evidence",
    "{reasoning}",
    "Explanation goes here.",
    "&lt;one to three sentences&gt;",
    "Explain your choice in one to three sentences.",
    "Detailed reasoning for your judgment",
    "«…»",
    "理由",
    "【理由】",
    "%s",
    "xxx",
    "Lorem ipsum dolor sit amet",
    "%(reasoning)s",
    "eine bis drei Sätze",
    "une à trois phrases",
    "在此填写理由",
    "ここに理由を書く",
    "اكتب السبب هنا",
    "<اكتب التعليل هنا>",
    "من جملة واحدة إلى ثلاث جمل",
    "explanation of which answer is better and why",
    "____",
)

#: What servers leave of a template around a model's turn.
_TURNS = (
    ("<s>", "</s>"),
    ("<|im_start|>assistant\n", "<|im_end|>"),
    ("<start_of_turn>model\n", "<end_of_turn><eos>"),
    ("[/INST] ", "</s><s>[INST] Score: 1 [/INST]"),
    ("", ".<|eot_id|><|start_header_id|>user<|end_header_id|>\nScore: 1"),
    ("<｜Assistant｜>", "<｜end▁of▁sentence｜>"),
    ("It hears `</s>` and [INST] in it.\n", ""),
)

_QUOTED = {"reasoning": f"it says {OTHER} as if it were me", "rating": "1"}

TABLE: dict[str, list[tuple[str, Any]]] = {
    "typed": [
        (GOOD, WANTED),
        (json.dumps(verdict("1", "2", "both_bad"), indent=2), WANTED),
        (f"Here is my verdict:\n{GOOD}\nI hope this helps! {{not json}}", WANTED),
        (f"```json\n{GOOD}\n```", WANTED),
        (f"Draft: {OTHER}\nFinal: {GOOD}", WANTED),
        (f"<think>maybe {OTHER}</think>{GOOD}", WANTED),
        (f"<think>{{{{ {OTHER}</think>\n{GOOD}", WANTED),
        (GOOD + ' {"confidence": 0.9}', WANTED),
        ('{"plan": {"a": 1}} ' + GOOD, WANTED),
        (json.dumps({**verdict("1", "2", "both_bad"), "overall": "2"}), WANTED),
        (content(1), WANTED),
        (content(" 1 "), WANTED),
        ("\ufeff" + GOOD, WANTED),
        (json.dumps({**verdict("1", "2", "both_bad"), "content": _QUOTED}), WANTED),
        ("{ " * 50 + GOOD, WANTED),
        ("", NONE),
        ("Answer 1 is better in every way.", NONE),
        ("I'm sorry, but I can't help with that.", NONE),
        (GOOD[: len(GOOD) // 2], NONE),
        (f"[{json.dumps('1')}, 2]", NONE),
        (
            json.dumps({"content": "1", "voice_quality": "1", "paralinguistics": "1"}),
            NONE,
        ),
        (without(verdict(), "voice_quality", "paralinguistics"), NONE),
        (without(verdict(), "paralinguistics"), NONE),
        (GOOD[:-1] + ', "content": {"reasoning": "", "rating": "2"}}', NONE),  # twice
        (GOOD.replace('"rating": "1"', '"rating": "2", "rating": "1"'), NONE),
        (f'{{"x": 1, "x": 2, "verdict": {GOOD}}}', NONE),
        (json.dumps({"verdict": verdict()}), NONE),
        (str(verdict()), NONE),  # Python's, not JSON
        (json.dumps({name: {"rating": "1"} for name in DIMENSIONS}), NONE),
        (
            json.dumps({name: {"reasoning": [], "rating": "1"} for name in DIMENSIONS}),
            NONE,
        ),
        (GOOD[:-1] + ', "confidence": NaN}', NONE),
        (GOOD[:-1] + ', "n": ' + "9" * 5000 + "}", NONE),
        (f"<think>{GOOD}</think>", NONE),
        (f"{OTHER}\nor {GOOD}", NONE),
        (f"{GOOD}\nAs I said: {GOOD}", WANTED),
        (f"{OTHER}\nThat is final.\n{GOOD}", NONE),
        (f"{GOOD}\n\n**Reasoning**\nThe first names the capital.", WANTED),
        (f"1. Content: fine.\n2. Voice: fine.\n\n{GOOD}", WANTED),
        (GOOD[:-1] + ', "final": false}', NONE),
        *((draft.replace("{}", GOOD), NONE) for draft in UNFINISHED),
        *((draft.replace("{}", OTHER) + end + GOOD, WANTED) for draft, end in FINISHED),
        *((GOOD.replace("because of content", words), NONE) for words in COPIED),
        *((f"{FIRST}\n{words}", NONE) for words in CONTRADICTED),
        *((f"{FIRST}\n{words}", (Rating.A,) * 3) for words in REMARKS),
        (f"{GOOD}\nOverall, Answer 2 is better.", WANTED),
        (f"Overall, B is the better answer.\n```json\n{FIRST}\n```", NONE),
        # a later unusable verdict is not replaced by an earlier draft
        (f"{OTHER}\nor rather\n{content('3')}", OFF),
        *(
            (content(label), OFF)
            for label in ("3", "A", "tie", "both", "Both_Good", "both good")
        ),
        *((content(label), OFF) for label in ("", 0, 3, 1.0, True, None, ["1"], {})),
    ],
    "flat": [
        (json.dumps(FLAT), FLATLY),
        (f"Here it is:\n```json\n{json.dumps(FLAT)}\n```", FLATLY),
        (json.dumps(FLAT | {"content": 1}), (Rating.A, *FLATLY[1:])),
        (json.dumps(FLAT | {"reasoning": {"content": "equal"}}), FLATLY),
        (without(FLAT, "reasoning"), FLATLY),
        (json.dumps(FLAT | {"content": "tie"}), OFF),
        (without(FLAT, "content"), NONE),
        ("both are good", NONE),
    ],
    "plain": [
        (said("label", "1"), "1"),
        (said("label", 2), "2"),
        (f"{said('label', '1')} then {said('label', '2')}", NONE),  # which of the two?
        (f"{said('label', '1')} final: {said('label', '2')}", "2"),
        (f"{said('label', '1')} is not final: {said('label', '2')}", NONE),
        (f"{said('label', '1')} then {said('label', '1')}", "1"),
        *((f"{said('label', '1')}\n{words}", NONE) for words in CONTRADICTED),
        *((f"{said('label', '1')}\n{words}", "1") for words in REMARKS),
        ('{"reasoning": "...", "label": "1"}', NONE),
        ('{"label": "1", "reasoning": "label first"}', "1"),
        *((said("label", label), OFF) for label in ("Audio 1", True, 1.0)),
        ('{"label": "1"}', NONE),
        ("The first is better.", NONE),
    ],
    "forced": [(said("label", "tie"), OFF)],
    "binary": [
        (said("match", "TRUE"), "true"),
        (said("match", False), "false"),
        (said("match", 1), OFF),
        (said("match", "yes"), OFF),
    ],
    "score": [
        (said("score", 4), 4),
        ('{"score": 4, "reasoning": "r"}', 4),
        ('{"score": 2, "reasoning": "a"} no: {"score": 5, "reasoning": "b"}', NONE),
        ('{"score": 2, "reasoning": "a"} Final: {"score": 5, "reasoning": "b"}', 5),
        ('{"reasoning": "…", "score": n} and {"score": 5, "reasoning": "b"}', 5),
        ('[{"score": 2}, {"score": 5}]', NONE),
        ('{"reasoning": "<one to three sentences>", "score": 4}', NONE),
        ('<thinking>{"score": 4}', NONE),
        ('{"score": 2}\nFinal score: 5', NONE),
        ('{"score": 2}\nThe score is 2. It says little.', 2),
        *(
            (f'{{"score": 2}}\n{words}', NONE)
            for words in (
                "Final score: 5/5",
                "I give it a 5.",
                "最终评分：5",
                "Gesamtnote: 5",
            )
        ),
        *(
            (f'{{"score": 2}}\n{words}', 2)
            for words in (
                "Score: 2/5",
                "I would not give it a 5.",
                "A 5 needs a greeting.",
            )
        ),
        ('{"reasoning": "It reads <think> aloud.", "score": 2}', 2),
        ('{"score": 4.0}', 4),
        ('{"score": "4"}', 4),
        *(
            (json.dumps({"score": n}), OFF)
            for n in (0, 6, "4/5", "3-4", 4.5, "four", True, None)
        ),
        ('{"score": 4, "reasoning": 3}', NONE),
        ('{"rating": 4}', NONE),
        ("Score: 4", NONE),
        ("I can't assess the speaker.", NONE),
    ],
    "score in words": [
        ("Score: 4", 4),
        ("I find it right.\n**Score:** 4.", 4),
        ("score = 2 ... no, score: 5", 5),
        ("The score is: 3", 3),
        ("Score: 2\nScore: 5", NONE),
        ("Score: 2\nFinal score: 5", 5),
        ("Score: 1-5\nScore: 4", 4),
        ("(thinking: score: 2)\nScore: 4", 4),
        *((f"Score: {value}", OFF) for value in ("4/5", "3-4", "4.5", "7", "four")),
        *((f"{before}Score: 4{behind}", 4) for before, behind in _TURNS),
        ("Score: 4<|im_end|>\n<|im_start|>user\nOn.<|im_end|>\nScore: 2", 4),
        ("Score: 4<|im_end|>\n<|im_start|>assistant\n<think>Hm", 4),
        ("**Thinking**\nScore: 2, or more", NONE),
        ("**Thinking**\nScore: 2\n**Answer**\nScore: 4", 4),
        ("4", NONE),
        ("underscore: 4", NONE),
        ('{"score": 2} and score: 5', 2),
    ],
    "yes or no": [
        *((json.dumps({"score": n}), n) for n in (0, 1)),
        *((json.dumps({"score": n}), OFF) for n in (0.5, 2, True, "yes")),
    ],
    "two scores": [
        ("Draft " + scores(score_1=1) + " final ```" + scores() + "```", (7, 7.5)),
        (scores() + "\nOverall, A is better.", NONE),
        (scores() + "\nOverall, B is better.", (7, 7.5)),
        (scores(score_1=0.5), OFF),
        (scores(score_2=10.5), OFF),
        (scores(score_1=10**400), OFF),
        *((scores(score_1=value), NONE) for value in (True, "7", None)),
        ('{"score_1": 7}', NONE),
        ("Output A: 8, Output B: 7", NONE),
    ],
    "two scores in words": [
        ("Output A: 3 faults are heard. In all, Output A: 8, Output B: 7", (8, 7)),
        ("Output A: 3 faults\nOutput B: 5 faults\n\nOutput A: 8\nOutput B: 7", (8, 7)),
        ("Output A: 8, Output B: 7\nRemark: output B had 3 faults.", (8, 7)),
        (
            "Draft: Output A: 4, Output B: 9. On reflection: Output A: 8, Output B: 7",
            (8, 7),
        ),
        ("Output B: 7\nOutput A: 8", (8, 7)),
        ("Output A (score): 8\nOutput B (score): 7", (8, 7)),
        ("output a: 8 output b: 7", (8, 7)),
        ("OUTPUT A: 8 AND OUTPUT B: 7", (8, 7)),
        ("**Output A:** 8/10, **Output B:** 7.5/10", (8, 7.5)),
        ("Recording 1: 8 out of 10 and Recording 2: 7 out of 10.", (8, 7)),
        (
            "The first recording's overall score is 8; the second recording's is 7.25",
            (8, 7.25),
        ),
        ("- __Output A__ - 8\n- __Output B__ - 7", (8, 7)),
        ("| Output A | 8 |\n| Output B | 7 |", (8, 7)),
        ("score_1: 8\nscore_2: 7", (8, 7)),
        ("A: 8, B: 7", (8, 7)),
        ("<think>Output A: 2, Output B: 9</think>Output A: 8, Output B: 7", (8, 7)),
        ("Output A: 10\nOutput B: 1", (10, 1)),
        ("Output A: 4, Output B: 9. Output A: 8, Output B: 7", (8, 7)),
        ("", NONE),
        ("Both recordings sound natural.", NONE),
        ("Output A: 8", NONE),
        (
            "Output A: 8 because its pauses sit well, whereas Output B: 7",
            NONE,
        ),  # not side by side
        ("Output A has 3 faults. Output B: 7", NONE),
        ("Output A: 8, Output A: 7", NONE),
        ("Output A: 8, Output B: 7, Output A: 9", NONE),  # which of the three?
        ("Output A: 8/5, Output B: 7/5", NONE),
        ("Output A: 7,5, Output B: 8", NONE),
        ("Output A: 80%, Output B: 70%", NONE),
        ("Output A: 1e1, Output B: 7", NONE),
        ("<think>Output A: 8, Output B: 7</think>I cannot tell.", NONE),
        ("Rate each on a scale: score 1-10.", NONE),
        ("Output A: 8, Output B: 7</think>", NONE),
        ("Output A: 0, Output B: 5", OFF),
        ("Output A: 11, Output B: 5", OFF),
    ],
}


def _rows() -> Iterator[Any]:
    for name, rows in TABLE.items():
        for reply, wanted in rows:
            yield pytest.param(name, reply, wanted, id=f"{name}: {reply[:60]!r}")


@pytest.mark.parametrize(("reader", "reply", "wanted"), list(_rows()))
def test_what_a_reply_comes_to(reader: str, reply: str, wanted: Any) -> None:
    try:
        reading = READERS[reader](reply)
    except ReplyError as error:
        reading = error.reason
    assert (reading, type(reading)) == (wanted, type(wanted))


def test_reasons_are_writable_text_and_kept() -> None:
    reply = verdict()
    reply["content"]["reasoning"] = "half \ud800 pair"
    verdicts = parse_reply(json.dumps(reply), "label")
    assert verdicts.reasoning["content"] == "half ? pair"
    assert verdicts.reasoning["voice_quality"] == "because of voice_quality"
    words = {
        name: name.title() for name in ("prosody", "pacing", "articulation", "overall")
    }
    assert read_json(scores(**words)) == TwoScores(7, 7.5, words)
    assert read_json(scores(prosody="\ud800")).reasoning["prosody"] == "?"


@pytest.mark.parametrize(
    "words",
    [
        *("x", "A answers.", "答案一更好", "Reasoning: 1 is clear", "两个都对"),
        *("(1) names it, (2) does not", "Better reasoning in answer 1.", "Beide."),
    ],
)
def test_a_short_reason_is_a_reason(words: str) -> None:
    assert not is_placeholder(words)
    assert (
        parse_reply(json.dumps(verdict(reasoning=words)), "label").reasoning["content"]
        == words
    )


@pytest.mark.parametrize("words", ["<reasoning>", "string", "Your reasoning", '"todo"'])
def test_a_placeholder_is_no_reason(words: str) -> None:
    assert is_placeholder(words)
    with pytest.raises(ReplyError, match="no reason; say what decided") as told:
        parse_reply(json.dumps(verdict(reasoning=words)), "label")
    assert told.value.reason is NONE


# One acceptable answer wins, and none is both_bad, whatever is said to be better; two
# are compared.
STEPS = {
    (True, False): (Rating.A, Rating.A, Rating.A),
    (False, True): (Rating.B, Rating.B, Rating.B),
    (False, False): (Rating.BOTH_BAD, Rating.BOTH_BAD, Rating.BOTH_BAD),
    (True, True): (Rating.A, Rating.B, Rating.BOTH_GOOD),
}


def steps(first: object, second: object, better: object) -> dict[str, object]:
    acceptable = {"answer_1_acceptable": first, "answer_2_acceptable": second}
    return {"reasoning": "r", **acceptable, "better": better}


@pytest.mark.parametrize("accepted", STEPS)
def test_acceptability_steps(accepted: tuple[bool, bool]) -> None:
    for better, rating in zip(("1", "2", "tie"), STEPS[accepted], strict=True):
        reply = dict.fromkeys(DIMENSIONS, steps(*accepted, better))
        assert typed("acceptability")(json.dumps(reply)) == (rating,) * 3


@pytest.mark.parametrize(
    ("one", "reason"),
    [
        (steps("true", True, "tie"), OFF),
        (steps(True, 1, "tie"), OFF),
        (steps(True, True, "both_good"), OFF),
        (steps(True, True, None), OFF),
        ({"reasoning": "r", "answer_2_acceptable": True, "better": "tie"}, NONE),
        (
            {
                "reasoning": "r",
                "answer_1_acceptable": True,
                "answer_2_acceptable": True,
            },
            NONE,
        ),
    ],
)
def test_acceptability_is_strict(one: dict[str, object], reason: Reason) -> None:
    with pytest.raises(ReplyError) as caught:
        parse_reply(json.dumps(dict.fromkeys(DIMENSIONS, one)), "acceptability")
    assert caught.value.reason is reason


def test_elements_stand_beside_the_score() -> None:
    style = load_rubric("style").model_copy(update={"elements": ("pace", "volume")})
    properties = reply_schema(style)["properties"]
    assert list(properties) == ["reasoning", "elements", "score"]  # type: ignore[arg-type]
    reply = {"reasoning": "r", "elements": {"pace": 2, "volume": None}, "score": 4}
    score = read_score(json.dumps(reply), style)
    assert (score.score, score.elements) == (4, {"pace": 2, "volume": None})
    with pytest.raises(ReplyError, match="pace: '9' is not one of"):
        read_score(json.dumps({**reply, "elements": {"pace": 9}}), style)
    with pytest.raises(ReplyError, match="no object 'elements'"):
        read_score('{"score": 4}', style)


def test_the_reply_that_the_schema_asks_for() -> None:
    assert reply_schema(FIVE) == {
        "type": "object",
        "properties": {
            "reasoning": {"type": "string"},
            "score": {"type": "integer", "enum": [1, 2, 3, 4, 5]},
        },
        "required": ["reasoning", "score"],
        "additionalProperties": False,
    }
    scale = ScoreScale(min=1, max=3, step=0.5)
    assert scale.labels == (1, 1.5, 2, 2.5, 3)
    properties = schema(NATURALNESS.model_copy(update={"scale": scale}))["properties"]
    assert {"type": "number", "enum": [1, 1.5, 2, 2.5, 3]} in properties.values()  # type: ignore[union-attr]


def test_numbers_are_compared_as_numbers() -> None:
    # As text "10" < "9" and "8" != "8.0".
    for first, second, better in ((10, 9, "1"), (8, 8.0, "tie")):
        for read, reply in (
            (read_text, f"Output A: {first}\nOutput B: {second}"),
            (read_json, scores(score_1=first, score_2=second)),
        ):
            reading = read(reply)
            assert preference(reading.first, reading.second) == better
