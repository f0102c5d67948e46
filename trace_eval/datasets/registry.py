"""The benchmarks that are read by name: built-in ones, and installed packages'."""

from __future__ import annotations

from importlib.metadata import entry_points

from blueprints import InputError, imported
from trace_eval.datasets.base import Dataset

#: Entry-point group through which an installed package offers a benchmark: a
#: :class:`Dataset` under its name.
ENTRY_POINT_GROUP = "trace_eval.datasets"

_SETS = "trace_eval.datasets.sets"

#: A reader is one file in ``sets`` and one row here.
DATASETS: tuple[Dataset, ...] = (
    Dataset(
        name="audiojudge",
        title="AudioJudge, SpeakBench votes",
        items="508 votes on 13 systems, and verdicts of judges",
        judged="pairs of spoken answers",
        by="people; audio judges in both orders against one reference system",
        licence="MIT",
        source="Woodygan/AudioJudge@9dff515",
        reproduces="Spearman of win rates of judges and people",
        reader=f"{_SETS}.audio_judge:read_audio_judge",
    ),
    Dataset(
        name="emergent-tts",
        title="EmergentTTS-Eval",
        items="1,645 texts in six categories",
        judged="recordings of texts read aloud",
        by="an audio judge of pairs with a baseline's recording: win 1, tie .5",
        licence="Apache-2.0",
        source="boson-ai/EmergentTTS-Eval-public@5764ace",
        reproduces="win rates of runs; their verdicts are not in the repository",
        reader=f"{_SETS}.emergent_tts:read_emergent_tts",
    ),
    Dataset(
        name="hcot",
        title="HCoT: SpeakBench, S2S-Arena",
        items="497 and 314 pairs",
        judged="pairs of spoken answers: content, voice quality, paralinguistics, overall",
        by="people; a policy from the dimensions to the overall label",
        licence="none stated: never redistribute",
        source="annotations of the authors of TRACE",
        reproduces="share of overall labels that each policy gives",
        reader=f"{_SETS}.human_labels:read_hcot",
    ),
    Dataset(
        name="vocalbench",
        title="VocalBench",
        items="9,400 questions in nine sets",
        judged="spoken answers",
        by=(
            "containment of the reference (knowledge); a text judge, recognisers of"
            " emotion (others)"
        ),
        licence="Apache-2.0",
        source="SJTU-OmniAgent/VocalBench@5e9cce0",
        reproduces="knowledge of LLaMA-Omni; overall of the board",
        reader=f"{_SETS}.vocalbench:read_vocalbench",
    ),
    Dataset(
        name="voicebench",
        title="VoiceBench",
        items="8,128 questions in eleven sets",
        judged="texts of answers to spoken questions",
        by=(
            "a text judge; templates of letters, yes or no, refusals; the checkers of"
            " IFEval"
        ),
        licence="Apache-2.0",
        source="MatthewCYM/VoiceBench@5338154",
        reproduces="overall of the board",
        reader=f"{_SETS}.voicebench:read_voicebench",
    ),
    Dataset(
        name="uro-bench",
        title="URO-Bench",
        items="40 sets in two tracks, English and Chinese",
        judged="transcripts of spoken answers",
        by="a text judge; word error rate of repetitions",
        licence="MIT",
        source="Ruiqi-Yan/URO-Bench@9e74bc0",
        reproduces="each set from its verdicts; overall of the basic boards",
        reader=f"{_SETS}.uro_bench:read_uro_bench",
    ),
    Dataset(
        name="vstyle",
        title="vstyle",
        items="answers to instructions on how to speak",
        judged="recordings: content, style, naturalness",
        by="an audio judge on a ladder from 1 to 5, weighted by ability",
        licence="MIT",
        source="alibaba/vstyle@70fa91a",
        reproduces=(
            "none is printed for the released answers; the weighted mean of scored"
            " files"
        ),
        reader=f"{_SETS}.vstyle:read_vstyle",
    ),
    Dataset(
        name="mtalk-bench",
        title="MTalk-Bench",
        items="dialogues of three tiers, several systems",
        judged="spoken dialogues",
        by="an audio judge of pairs (Elo); questions per dialogue",
        licence="Apache-2.0 (code); data for research",
        source="FreedomIntelligence/MTalk-Bench@eff34a2",
        reproduces="none: no verdicts are released",
        reader=f"{_SETS}.mtalk:read_mtalk",
    ),
    Dataset(
        name="orca",
        title="ORCA",
        items="answers of audio language models with human ratings",
        judged="written answers to questions on sound",
        by="people, 1 to 5",
        licence="MIT; questions by the terms of MMAU and MMAR",
        source="BUTSpeechFIT/ORCA",
        reproduces="none; agree gives those of judges",
        reader=f"{_SETS}.human_labels:read_orca",
    ),
    Dataset(
        name="speechjudge",
        title="SpeechJudge-Data",
        items="pairs with a label per rater",
        judged="pairs of recordings of one text: naturalness",
        by="people, with strength",
        licence="gated: by its own terms",
        source="arXiv 2511.07931",
        reproduces="none; agree gives levels of agreement",
        reader=f"{_SETS}.speechjudge:read_speechjudge",
    ),
)


def dataset_names() -> list[str]:
    """List every name that can be converted, sorted."""
    shipped = {dataset.name for dataset in DATASETS}
    return sorted(
        shipped | {entry.name for entry in entry_points(group=ENTRY_POINT_GROUP)}
    )


def find_dataset(name: str) -> Dataset:
    """Find a benchmark by its name; built-in ones go first.

    Raises:
        UserError: nobody knows it, or what a package offers under it is none.
    """
    for dataset in DATASETS:
        if dataset.name == name:
            return dataset
    entry = next(iter(entry_points(group=ENTRY_POINT_GROUP, name=name)), None)
    if entry is None:
        raise InputError(
            f"dataset {name!r:.60} is unknown; use one of {', '.join(dataset_names())}"
        )
    result = imported(entry, f"dataset {name!r}", InputError)
    if not isinstance(result, Dataset):
        raise InputError(
            f"dataset {name!r}: {entry.value} is not a Dataset of trace_eval.datasets"
        )
    return result
