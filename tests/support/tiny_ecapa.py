"""A small ECAPA accent folder with random weights, in speechbrain's format."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from tests.support import tokens

#: Sixteen accents, in the order of the alphabet.
ACCENTS = tuple(sorted(tokens.ACCENTS))

_CHANNELS, _WIDTH, _ATTENTION = [16, 16, 16, 16, 48], 16, 8

#: As the published file: seeding by !apply, the hub's own address, training leftovers.
_HYPERPARAMETERS = """\
seed: 1986
__set_seed: !apply:torch.manual_seed [!ref <seed>]
pretrained_path: Jzuluaga/accent-id-commonaccent_ecapa
load_folder: !ref <pretrained_path>
n_mels: 80
n_languages: {classes}
emb_dim: 16
compute_features: !new:speechbrain.lobes.features.Fbank
    n_mels: !ref <n_mels>
mean_var_norm: !new:speechbrain.processing.features.InputNormalization
    norm_type: sentence
    std_norm: False
embedding_model: !new:speechbrain.lobes.models.ECAPA_TDNN.ECAPA_TDNN
    input_size: !ref <n_mels>
    activation: !name:torch.nn.LeakyReLU
    channels: [16, 16, 16, 16, 48]
    kernel_sizes: [5, 3, 3, 3, 1]
    dilations: [1, 2, 3, 4, 1]
    attention_channels: 8
    lin_neurons: !ref <emb_dim>
classifier: !new:speechbrain.lobes.models.ECAPA_TDNN.Classifier
    input_size: !ref <emb_dim>
    out_neurons: !ref <n_languages>
error_stats: !name:speechbrain.utils.metric_stats.MetricStats
    metric: !name:speechbrain.nnet.losses.classification_error
        reduction: batch
modules:
    compute_features: !ref <compute_features>
    mean_var_norm: !ref <mean_var_norm>
    embedding_model: !ref <embedding_model>
    classifier: !ref <classifier>
label_encoder: !new:speechbrain.dataio.encoder.CategoricalEncoder
pretrainer: !new:speechbrain.utils.parameter_transfer.Pretrainer
    loadables:
        embedding_model: !ref <embedding_model>
        classifier: !ref <classifier>
        label_encoder: !ref <label_encoder>
    paths:
        embedding_model: !ref <load_folder>/embedding_model.ckpt
        classifier: !ref <load_folder>/classifier.ckpt
        label_encoder: !ref <pretrained_path>/{labels}
"""


def write_ecapa(
    folder: Path,
    *,
    labels: Sequence[str] = ACCENTS,
    classes: int | None = None,
    label_file: str = "accent_encoder.txt",
    seed: int = 0,
) -> Path:
    """Write hyperparams.yaml, the two checkpoints and the label encoder.

    Equal seeds give equal weights, so two folders that differ in the order of
    ``labels`` differ in nothing else.
    """
    import torch
    from speechbrain.lobes.models.ECAPA_TDNN import ECAPA_TDNN, Classifier

    folder.mkdir(parents=True, exist_ok=True)
    classes = classes or len(labels)
    (folder / "hyperparams.yaml").write_text(
        _HYPERPARAMETERS.format(classes=classes, labels=label_file)
    )
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        encoder = ECAPA_TDNN(
            80,
            activation=torch.nn.LeakyReLU,
            channels=_CHANNELS,
            kernel_sizes=[5, 3, 3, 3, 1],
            dilations=[1, 2, 3, 4, 1],
            attention_channels=_ATTENTION,
            lin_neurons=_WIDTH,
        )
        classifier = Classifier(_WIDTH, out_neurons=classes)
    torch.save(encoder.state_dict(), folder / "embedding_model.ckpt")
    torch.save(classifier.state_dict(), folder / "classifier.ckpt")
    lines = [f"{label!r} => {index}" for index, label in enumerate(labels)]
    end = ["=" * 16, "'starting_index' => 0"]
    (folder / label_file).write_text("\n".join([*lines, *end]) + "\n")
    return folder
