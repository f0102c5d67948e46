"""Heads: from a linear layer's outputs to a distribution over ratings 1 to 5.

Ratings r are scaled to y = (r - 1) / 4. Everything here is computed in float32: means
that are rounded to 16 bits tie where they should not (267 predictions of the released
code have 178 distinct values).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, get_args

from blueprints import JudgeError

if TYPE_CHECKING:
    import torch

HeadKind = Literal["multinomial", "beta"]
KINDS: tuple[HeadKind, ...] = get_args(HeadKind)

#: Outputs of the linear layer.
OUTPUTS: dict[HeadKind, int] = {"multinomial": 5, "beta": 2}

#: Ratings at the ends are moved in by this much before Beta's density, which is
#: infinite there.
CLIP = 0.01

#: Bounds of log alpha and log beta.
LOG_BOUND = 10.0

#: Where Beta's mass is cut into five levels.
CUTS = (0.125, 0.375, 0.625, 0.875)

#: Value of a rating in a padded batch that is none.
NO_RATING = -1.0


@dataclass(frozen=True)
class Forecast:
    """The predictions of a head for a batch."""

    #: Mean and variance of the rating on [0, 1] [shape=(rows,), float32].
    mean: torch.Tensor
    variance: torch.Tensor
    #: Logits, or log alpha and log beta [shape=(rows, outputs), float32].
    params: torch.Tensor


def checked(kind: str) -> HeadKind:
    """Return a kind of head by name.

    Raises:
        UserError: there is none of that name.
    """
    if kind not in KINDS:
        raise JudgeError(f"head {kind!r} is unknown; use {' or '.join(KINDS)}")
    return kind


def forecast(kind: HeadKind, outputs: torch.Tensor) -> Forecast:
    """Compute the mean and variance of rows of outputs [shape=(rows, outputs)]."""
    import torch

    params = outputs.float()
    if kind == "multinomial":
        levels = torch.linspace(0, 1, 5, device=params.device)
        shares = params.softmax(-1)
        mean = shares @ levels
        from_mean = levels - mean[:, None]
        variance = (shares * from_mean**2).sum(-1)
        return Forecast(mean=mean, variance=variance, params=params)
    params = params.clamp(-LOG_BOUND, LOG_BOUND)
    alpha, beta = params.exp().unbind(-1)
    total = alpha + beta
    mean = alpha / total
    variance = alpha * beta / (total**2 * (total + 1))
    return Forecast(mean=mean, variance=variance, params=params)


def nll(kind: HeadKind, outputs: torch.Tensor, ratings: torch.Tensor) -> torch.Tensor:
    """Compute each rating's -log likelihood [shape of ``ratings``=(rows, raters), 0-1].

    Beta's is a density and may be negative. Padding (:data:`NO_RATING`) gives 0.
    """
    import torch

    params = outputs.float()
    y = ratings.float().clamp(min=0)
    if kind == "multinomial":
        logs = params.log_softmax(-1)
        level = (y * 4).round().long()
        loss = -logs.gather(-1, level)
    else:
        bounded = params.clamp(-LOG_BOUND, LOG_BOUND)
        alpha, beta = bounded.exp().unbind(-1)
        density = torch.distributions.Beta(
            alpha[:, None], beta[:, None], validate_args=False
        )
        loss = -density.log_prob(y.clamp(CLIP, 1 - CLIP))
    return torch.where(ratings >= 0, loss, torch.zeros_like(loss))


def shares(kind: HeadKind, params: torch.Tensor) -> list[list[float]]:
    """Return the probability of each rating 1 to 5, a row each, by Beta's mass."""
    import numpy as np
    from scipy.special import betainc

    if kind == "multinomial":
        rows: list[list[float]] = params.double().softmax(-1).tolist()
        return rows
    alpha, beta = params.double().exp().numpy().T
    below = betainc(alpha[:, None], beta[:, None], np.asarray(CUTS))
    of_levels: list[list[float]] = np.diff(
        below, axis=1, prepend=0.0, append=1.0
    ).tolist()
    return of_levels


def dev_metrics(kind: HeadKind, outputs: Any, ratings: Any) -> dict[str, float]:
    """Compute CRPS, NLL per rating, MAE and Spearman's rho.

    CRPS is that of five levels for either head (Beta by its mass on them), per rating,
    on [0, 1]: sum over k = 1..4 of (F_k - 1{r <= k})^2 / 4.

    Args:
        outputs: of the linear layer [shape=(rows, outputs)].
        ratings: on [0, 1], below 0 where there is none [shape=(rows, raters)].
    """
    import numpy as np
    import torch
    from scipy.stats import spearmanr

    params = torch.as_tensor(np.asarray(outputs))
    rated = torch.as_tensor(np.asarray(ratings))
    predicted = forecast(kind, params)
    share_of_level = np.asarray(shares(kind, predicted.params))
    below = np.cumsum(share_of_level, axis=1)[:, :4]
    y = np.asarray(rated, dtype=np.float64)
    is_rated = y >= 0
    level = np.rint(y * 4)  # 0 to 4
    at_most = level[:, :, None] <= np.arange(4)
    widths = below[:, None, :] - at_most
    crps = (widths**2).sum(-1) / 4
    losses = nll(kind, params, rated).numpy()
    mean = predicted.mean.double().numpy()
    truth = np.where(is_rated, y, 0).sum(1) / is_rated.sum(1)
    values = {
        "crps": float(crps[is_rated].mean()),
        "nll": float(losses[is_rated].mean()),
        "mae": float(np.abs(mean - truth).mean()),
    }
    if np.ptp(mean) and np.ptp(truth):
        values["rho"] = float(spearmanr(mean, truth).statistic)
    return values
