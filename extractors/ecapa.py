"""Loading an ECAPA-TDNN of speechbrain from a folder, without running code from it.

``hyperparams.yaml`` may name any Python callable, and speechbrain calls it. So the file
is read as plain nodes, of which only the parts that make the model are kept, and only
when they name building blocks of speechbrain and torch. All else in the hub's file
(seeding, paths on somebody's cluster, the hub's own address) is dropped.
"""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from blueprints import UserError
from extractors.device import MEND_TORCH
from extractors.weights import check_loaded, one_line, read_state

#: The files of a folder; the label file's name is the hyperparameters' choice.
HYPERPARAMETERS = "hyperparams.yaml"
WEIGHTS = ("embedding_model.ckpt", "classifier.ckpt")

#: Entries of the hyperparameters that make the model.
_PARTS = ("compute_features", "mean_var_norm", "embedding_model", "classifier")
_ENCODER = "label_encoder"

#: Tags that build something, and what they may build.
_BLOCK = re.compile(
    r"^!(new|name):("
    r"speechbrain\.lobes\.features\.Fbank|"
    r"speechbrain\.processing\.features\.InputNormalization|"
    r"speechbrain\.lobes\.models\.ECAPA_TDNN\.(ECAPA_TDNN|Classifier)|"
    r"speechbrain\.dataio\.encoder\.CategoricalEncoder|"
    r"torch\.nn\.(LeakyReLU|ReLU|PReLU|GELU|SiLU|Tanh)"
    r")$"
)

#: Tags that only refer to other values, or are plain.
_PLAIN = re.compile(
    r"^(!ref|!copy|!tuple|tag:yaml\.org,2002:(str|int|float|bool|null|seq|map))$"
)

_REFERENCE = re.compile(r"<(\w+)")

_FOOTER = """
modules:
    compute_features: !ref <compute_features>
    mean_var_norm: !ref <mean_var_norm>
    embedding_model: !ref <embedding_model>
    classifier: !ref <classifier>
pretrainer: !new:speechbrain.utils.parameter_transfer.Pretrainer
    loadables:
        embedding_model: !ref <embedding_model>
        classifier: !ref <classifier>
        label_encoder: !ref <label_encoder>
"""


def model_files(folder: Path) -> list[Path]:
    """List the files that decide the model: weights, hyperparameters, label file."""
    with os.scandir(
        folder
    ) as entries:  # asked for each clip, so without a stat of each file
        names = [entry.name for entry in entries if entry.is_file()]
    return [
        folder / name for name in names if name.endswith((".ckpt", ".yaml", ".txt"))
    ]


def load_folder(folder: Path, device: str) -> Any:
    """Load the ``EncoderClassifier`` of a folder, every tensor and label checked.

    Each load works in a folder of its own: speechbrain would take the labels of
    whatever was collected there before. UserError where a file is missing or damaged,
    names code, or does not fit the others.
    """
    remedy = "give a complete folder of the model, or fetch it again"
    text, labels = reduced(folder, remedy)
    tensors = {name: read_state(folder / name, remedy) for name in WEIGHTS}
    try:
        from speechbrain.inference import EncoderClassifier
        from speechbrain.utils.fetching import FetchConfig, LocalStrategy
    except Exception as error:
        raise UserError(
            f"speechbrain does not load ({one_line(error)}); try: {MEND_TORCH}"
        ) from error
    with tempfile.TemporaryDirectory(prefix="trace-eval-") as own:
        for name in WEIGHTS:
            (Path(own) / name).symlink_to((folder / name).resolve())
        (Path(own) / f"{_ENCODER}.ckpt").symlink_to((folder / labels).resolve())
        (Path(own) / HYPERPARAMETERS).write_text(text, encoding="utf-8")
        try:
            model = EncoderClassifier.from_hparams(
                source=own,
                savedir=own,
                run_opts={"device": device},
                local_strategy=LocalStrategy.NO_LINK,
                fetch_config=FetchConfig(allow_network=False),
            )
        except Exception as error:
            details = one_line(error).replace(own, str(folder))
            raise UserError(
                f"{folder}: speechbrain cannot build the model ({details}); {remedy}"
            ) from error
    _check(folder, model, tensors=tensors, labels=labels, remedy=remedy)
    return model


def _check(
    folder: Path,
    model: Any,
    tensors: dict[str, dict[str, Any]],
    labels: str,
    remedy: str,
) -> None:
    """Check that the model has the files' tensors, and one label for each class."""
    for name, result in tensors.items():
        state = getattr(model.mods, name.removesuffix(".ckpt")).state_dict()
        check_loaded(folder / name, result, state, remedy)
    classes = len(tensors["classifier.ckpt"]["weight"])
    encoder = model.hparams.label_encoder
    if sorted(encoder.ind2lab) != list(range(classes)):
        raise UserError(
            f"{folder}: classifier.ckpt has {classes} classes, {labels} names"
            f" {len(encoder.ind2lab)} labels; {remedy}"
        )
    encoder.expect_len(classes)


def reduced(folder: Path, remedy: str) -> tuple[str, str]:
    """Reduce the hyperparameters to those of the model, and find the label file's name.

    Raises:
        UserError: the file is missing or no YAML, lacks a part, or names code.
    """
    import yaml

    path = folder / HYPERPARAMETERS
    try:
        root = yaml.compose(path.read_text(encoding="utf-8"), Loader=yaml.SafeLoader)
    except FileNotFoundError as error:
        raise UserError(f"{path}: no such file; {remedy}") from error
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise UserError(
            f"{path}: cannot be read ({one_line(error)}); {remedy}"
        ) from error
    if not isinstance(root, yaml.MappingNode):
        raise UserError(f"{path}: has no entries; {remedy}")
    entries = {key.value: (key, value) for key, value in root.value}
    missing = [name for name in _PARTS + (_ENCODER,) if name not in entries]
    if missing:
        raise UserError(f"{path}: has no entry {missing[0]}; {remedy}")
    wanted = _referred(entries, (*_PARTS, _ENCODER))
    for name in wanted:
        _check_blocks(path, entries[name][1])
    kept = [pair for name, pair in entries.items() if name in wanted]
    labels = _label_file(folder, entries.get("pretrainer"), remedy)
    text: str = yaml.serialize(yaml.MappingNode(root.tag, kept), allow_unicode=True)
    return text + _FOOTER, labels


def _check_blocks(path: Path, node: Any) -> None:
    """Refuse any tag that could run code."""
    for part in _nodes(node):
        if not (_PLAIN.match(part.tag) or _BLOCK.match(part.tag)):
            raise UserError(
                f"{path}, line {part.start_mark.line + 1}: {part.tag} is not a building"
                " block of an ECAPA classifier, and could run code; use a model that"
                " you trust, without it"
            )


def _referred(entries: dict[str, Any], names: Iterable[str]) -> set[str]:
    """Return these entries and all that they refer to, such as ``!ref <n_mels>``."""
    wanted: set[str] = set()
    left = list(names)
    while left:
        name = left.pop()
        if name in wanted or name not in entries:
            continue
        wanted.add(name)
        texts: list[str] = []
        for node in _nodes(entries[name][1]):
            if isinstance(node.value, str):
                texts.append(node.value)
        left += _REFERENCE.findall(" ".join(texts))
    return wanted


def _nodes(node: Any) -> Iterator[Any]:
    """Yield a node and all that are in it, at any depth."""
    yield node
    for child in node.value if isinstance(node.value, list) else ():
        for part in child if isinstance(child, tuple) else (child,):
            yield from _nodes(part)


def _label_file(folder: Path, pretrainer: Any, remedy: str) -> str:
    """Name of the label file: what the hyperparameters load into ``label_encoder``."""
    names = ["accent_encoder.txt", "label_encoder.txt"]
    paths = _child(pretrainer[1], "paths") if pretrainer else None
    own = _child(paths, _ENCODER) if paths else None
    if own is not None and isinstance(own.value, str):
        names.insert(0, own.value.rpartition("/")[2])
    for name in names:
        if (folder / name).is_file():
            return name
    raise UserError(f"{folder}: {names[0]} (the labels) is missing; {remedy}")


def _child(node: Any, name: str) -> Any:
    """Return the value of a key in a mapping; None without it."""
    pairs = node.value if isinstance(node.value, list) else ()
    return next((value for key, value in pairs if key.value == name), None)
