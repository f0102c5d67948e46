"""What models call their thinking and their answers, in tags, fences and headings."""

from __future__ import annotations

import re

#: Thinking that is never an answer, as regular expressions in lower case.
THINKING = (
    r"think(?:ing)?(?:[ _-](?:process|out loud|aloud|notes|trace|step[ _-]by[ _-]step))?"
    r"|thoughts?(?:[ _-](?:process|trace))?|train of thought|(?:my )?reasoning (?:process|trace)"
    r"|chain[ _-]of[ _-]thought|cot|scratch[ _-]?pad|deliberations?|brainstorm(?:ing)?"
    r"|(?:inner |internal |inner_)?monologue|internal|reflections?|considerations?"
    r"|planning|plan(?: of (?:action|attack))?|(?:rough |first |initial )?draft|rough work|working"
    # German, Dutch, Swedish
    r"|gedanken(?:gang|gänge)?|überlegung(?:en)?|denkprozess|denkschritte|nachdenken|entwurf|notizen"
    r"|gedachten|denkproces|overwegingen|kladje|tankar|tankeprocess|utkast"
    # French, Spanish, Portuguese, Italian
    r"|réflexions?|pensées?|processus de (?:pensée|réflexion)|brouillon"
    r"|pensamientos?|reflexión|reflexiones|proceso de (?:pensamiento|razonamiento)|borrador"
    r"|pensamentos?|reflexão|processo de (?:pensamento|raciocínio)|rascunho"
    r"|pensier[io]|riflession[ei]|processo di (?:pensiero|ragionamento)|bozza"
    # Polish, Russian, Ukrainian, Turkish
    r"|myślenie|przemyślenia|tok myślenia|szkic|размышлени[ея]|мысли|ход мыслей|черновик"
    r"|роздуми|думки|чернетка|düşünme|düşünceler|düşünce süreci|taslak"
    # Chinese, Japanese, Korean, Arabic, Hindi, Vietnamese
    r"|思考|思考过程|思考過程|思维过程|思路|想法|草稿|推理过程|考え|考察|下書き|思考プロセス"
    r"|생각|생각 과정|사고|사고 과정|초안|تفكير|التفكير|عملية التفكير|مسودة"
    r"|विचार|सोच|विचार प्रक्रिया|suy nghĩ|quá trình suy nghĩ|bản nháp"
)

#: Reasoning: a part of an answer where a verdict follows from it, else thinking.
REASONING = (
    r"reason(?:ing|s)?|analys[ie]s|rationale|explanations?|justifications?"
    r"|step[ _-]by[ _-]step(?: \w+)?"
    r"|begründung(?:en)?|analyse|redenering|motivering|raisonnement|justification|explication"
    r"|razonamiento|análisis|justificación|explicación|raciocínio|análise|justificativa|explicação"
    r"|ragionamento|analisi|motivazione|spiegazione|rozumowanie|analiza|uzasadnienie"
    r"|рассуждени[ея]|анализ|обоснование|міркування|аналіз|akıl yürütme|muhakeme|analiz|gerekçe"
    r"|推理|分析|分析过程|理由|推論|根拠|추론|분석|이유|تحليل|الاستدلال"
    r"|तर्क|विश्लेषण|lập luận|phân tích"
)

#: What follows is meant to count.
ANSWER = (
    r"(?:my |the |your |overall )?(?:final |revised |corrected )?(?:answers?|verdicts?|output"
    r"|response|results?|conclusions?|decisions?|judge?ments?|ratings?|scores?|json|reply)"
    r"|final|finally"
    r"|(?:endgültige[sr]? )?(?:antwort|urteil|ergebnis|fazit|bewertung|entscheidung)"
    r"|antwoord|oordeel|conclusie|svar|slutsats|réponse|résultat|décision|note finale"
    r"|respuesta|veredicto|conclusión|resultado|decisión|resposta|veredito|conclusão|decisão"
    r"|risposta|verdetto|conclusione|risultato|odpowiedź|werdykt|wniosek|ответ|вердикт|итог|вывод"
    r"|відповідь|висновок|cevap|yanıt|sonuç|karar"
    r"|答案|最终答案|回答|结论|最终结论|結論|最终|结果|判断|判定|最終判断|最終回答|評価"
    r"|답변|결론|최종(?: \w+)?|판정|الإجابة|الجواب|النتيجة|الحكم|उत्तर|निष्कर्ष|निर्णय"
    r"|câu trả lời|kết luận"
)

#: What is said between two verdicts where the later one is meant.
ANNOUNCED = re.compile(
    r"\b(?:final|finally|verdict|now|so|therefore|thus|hence|wait|actually|instead"
    r"|conclusion|overall|but|however|correction|revised|changed?|majority|on reflection"
    r"|(?:i|we) (?:choose|pick|prefer|vote)|no(?=,)"
    r"|endgültig\w{0,2}|letztlich|schließlich|daher|fazit|urteil|sondern"
    r"|uiteindelijk|dus|conclusie|slutligen|alltså"
    r"|finalement|donc|enfin|en fait|plutôt|finalmente|en conclusión|por (?:lo )?tanto|así que"
    r"|en realidad|veredicto|portanto|em conclusão|na verdade|veredito"
    r"|infine|quindi|in conclusione|anzi|verdetto|ostatecznie|zatem|werdykt|w końcu"
    r"|итог\w{0,4}|в итоге|поэтому|вердикт|окончательн\w{1,3}|отже|sonuç|nihai"
    r")\b"
    r"|最终|最后|因此|所以|结论|而是|最終|結論|したがって|よって|やはり|최종|결론|따라서|그러므로",
    re.IGNORECASE,
)
