"""How good forecasts are on the dev rows, while a scorer is trained."""

from __future__ import annotations

from typing import Any

import numpy as np

from trace_eval.judges.scorer.heads import HeadKind, forecast, nll, shares


def dev_metrics(kind: HeadKind, outputs: Any, ratings: Any) -> dict[str, float]:
    """CRPS, NLL per rating, MAE and Spearman's rho.

    CRPS is that of five levels for either head (Beta by its mass on them), per rating, on
    [0, 1]: sum over k = 1..4 of (F_k - 1{r <= k})^2 / 4.

    Args:
        kind: of the head.
        outputs: of the linear layer [shape=(rows, outputs)].
        ratings: on [0, 1], below 0 where there is none [shape=(rows, raters)].
    """
    import torch
    from scipy.stats import spearmanr

    params = torch.as_tensor(np.asarray(outputs))
    provided = torch.as_tensor(np.asarray(ratings))
    result = forecast(kind, params)
    below = np.cumsum(np.asarray(shares(kind, result.params)), axis=1)[:, :4]
    y = np.asarray(provided, dtype=np.float64)
    present = y >= 0
    level = np.rint(y * 4)  # 0 to 4
    at_most = level[:, :, None] <= np.arange(4)[None, None, :]
    crps = ((below[:, None, :] - at_most) ** 2).sum(-1) / 4
    mean = result.mean.double().numpy()
    truth = np.where(present, y, 0).sum(1) / present.sum(1)
    values = {
        "crps": float(crps[present].mean()),
        "nll": float(nll(kind, params, provided).numpy()[present].mean()),
        "mae": float(np.abs(mean - truth).mean()),
    }
    if np.ptp(mean) and np.ptp(truth):
        values["rho"] = float(spearmanr(mean, truth).statistic)
    return values
