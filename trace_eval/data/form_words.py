"""Words with which forms describe what to write where a reason is to stand."""

from __future__ import annotations

from trace_eval.data.word_lists import words_of

#: What a form asks for, and what stands in its places.
FORM_NOUNS = words_of(
    "analysis begründung comment cümle description erklärung evidence explanation"
    " explanations explicación explication explicação frase frases frasi gerekçe"
    " justificación justification justificativa motivazione oraciones oración phrase"
    " phrases placeholder raciocínio ragionamento raisonnement rationale"
    " razonamiento reason reasoning reasonings reasons remark remarks satz sentence"
    " sentences spiegazione str string sätze sätzen tbd text thoughts todo"
    " toelichting uzasadnienie words zdania zdanie zin zinnen обоснование объяснение"
    " предложение предложений предложения"
    " السبب سبب الأسباب أسباب التعليل تعليل الشرح التبرير تبرير جملة جمل"
)

#: These, and words that stand beside them in a form.
FORM_WORDS = FORM_NOUNS | words_of(
    "1 2 3 a an and aqui aquí as at be behind bir bis brief briefly buraya by"
    " choice chose concise criterion d decided decision deine describe detailed deux"
    " dimension do dos drei drie duas due dwa each een ein eine einen einfügen"
    " eintragen escreva escriba escribe exactly explain explaining fill for give"
    " given goes here hier ici ihre in inserire inserisci insert insertar insira"
    " insérer invullen is its jedno judgement judgment la label le les max maximum"
    " most n name names naming of on one or per please provide put qui r rating"
    " schreiben score scrivi short should step steps su sua that the then this three"
    " to ton tot tre tres trois trzy três tu tua tutaj twee two twoje uma un una une"
    " up verdict votre what why with wpisz write yazın your zwei à écrire écrivez üç"
    " ваше вставьте два до здесь напишите один одно от твоё три"
    " أدخل إلى اكتب الذي اشرح ثلاث ضع لاختيارك من هنا واحدة وضح"
)
