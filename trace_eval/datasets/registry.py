"""The benchmarks that are read by name: the built-in table, and those of installed packages."""

from __future__ import annotations

from importlib.metadata import entry_points

from blueprints import InputError
from trace_eval.datasets.base import Dataset

#: Entry-point group through which an installed package offers a benchmark: a :class:`Dataset`
#: under its name.
ENTRY_POINT_GROUP = "trace_eval.datasets"

_SETS = "trace_eval.datasets.sets"

#: A reader is one file in ``sets`` and one row here.
DATASETS: tuple[Dataset, ...] = (
    Dataset(
        "audiojudge",
        "AudioJudge, SpeakBench votes",
        "508 votes on 13 systems, and verdicts of judges",
        "pairs of spoken answers",
        "people; audio judges in both orders against one reference system",
        "MIT",
        "Woodygan/AudioJudge@9dff515",
        "Spearman of win rates of judges and people",
        f"{_SETS}.audio_judge:read_audio_judge",
    ),
    Dataset(
        "emergent-tts",
        "EmergentTTS-Eval",
        "1,645 texts in six categories",
        "recordings of texts read aloud",
        "an audio judge of pairs with a baseline's recording: win 1, tie .5",
        "Apache-2.0",
        "boson-ai/EmergentTTS-Eval-public@5764ace",
        "win rates of runs; their verdicts are not in the repository",
        f"{_SETS}.emergent_tts:read_emergent_tts",
    ),
    Dataset(
        "hcot",
        "HCoT: SpeakBench, S2S-Arena",
        "497 and 314 pairs",
        "pairs of spoken answers: content, voice quality, paralinguistics, overall",
        "people; a policy from the dimensions to the overall label",
        "none stated: never redistribute",
        "annotations of the authors of TRACE",
        "share of overall labels that each policy gives",
        f"{_SETS}.human_labels:read_hcot",
    ),
    Dataset(
        "vocalbench",
        "VocalBench",
        "9,400 questions in nine sets",
        "spoken answers",
        "containment of the reference (knowledge); a text judge, recognisers of emotion (others)",
        "Apache-2.0",
        "SJTU-OmniAgent/VocalBench@5e9cce0",
        "knowledge of LLaMA-Omni; overall of the board",
        f"{_SETS}.vocalbench:read_vocalbench",
    ),
    Dataset(
        "voicebench",
        "VoiceBench",
        "8,128 questions in eleven sets",
        "texts of answers to spoken questions",
        "a text judge; templates of letters, yes or no, refusals; the checkers of IFEval",
        "Apache-2.0",
        "MatthewCYM/VoiceBench@5338154",
        "overall of the board",
        f"{_SETS}.voicebench:read_voicebench",
    ),
    Dataset(
        "uro-bench",
        "URO-Bench",
        "40 sets in two tracks, English and Chinese",
        "transcripts of spoken answers",
        "a text judge; word error rate of repetitions",
        "MIT",
        "Ruiqi-Yan/URO-Bench@9e74bc0",
        "each set from its verdicts; overall of the basic boards",
        f"{_SETS}.uro_bench:read_uro_bench",
    ),
    Dataset(
        "vstyle",
        "vstyle",
        "answers to instructions on how to speak",
        "recordings: content, style, naturalness",
        "an audio judge on a ladder from 1 to 5, weighted by ability",
        "MIT",
        "alibaba/vstyle@70fa91a",
        "none is printed for the released answers; the weighted mean of scored files",
        f"{_SETS}.vstyle:read_vstyle",
    ),
    Dataset(
        "mtalk-bench",
        "MTalk-Bench",
        "dialogues of three tiers, several systems",
        "spoken dialogues",
        "an audio judge of pairs (Elo); questions per dialogue",
        "Apache-2.0 (code); data for research",
        "FreedomIntelligence/MTalk-Bench@eff34a2",
        "none: no verdicts are released",
        f"{_SETS}.mtalk:read_mtalk",
    ),
    Dataset(
        "orca",
        "ORCA",
        "answers of audio language models with human ratings",
        "written answers to questions on sound",
        "people, 1 to 5",
        "MIT; questions by the terms of MMAU and MMAR",
        "BUTSpeechFIT/ORCA",
        "none; agree gives those of judges",
        f"{_SETS}.human_labels:read_orca",
    ),
    Dataset(
        "speechjudge",
        "SpeechJudge-Data",
        "pairs with a label per rater",
        "pairs of recordings of one text: naturalness",
        "people, with strength",
        "gated: by its own terms",
        "arXiv 2511.07931",
        "none; agree gives levels of agreement",
        f"{_SETS}.speechjudge:read_speechjudge",
    ),
)


def dataset_names() -> list[str]:
    """Every name that can be converted, sorted."""
    own = {dataset.name for dataset in DATASETS}
    return sorted(own | {entry.name for entry in entry_points(group=ENTRY_POINT_GROUP)})


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
    try:
        result = entry.load()
    except Exception as error:  # whatever an installed package raises on import
        raise InputError(f"dataset {name!r}: cannot import {entry.value} ({error})") from error
    if not isinstance(result, Dataset):
        raise InputError(f"dataset {name!r}: {entry.value} is no Dataset of trace_eval.datasets")
    return result
