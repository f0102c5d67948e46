"""Waveforms for judges that listen: what is joined, at which rate, and as which bytes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from blueprints.lazy import names_on_use

if TYPE_CHECKING:
    from trace_eval.judges.waveforms.encode import Format, Waveform, render, sound_of
    from trace_eval.judges.waveforms.layout import (
        GAP_S,
        Item,
        Layout,
        Signals,
        Sound,
        Unit,
        common_rate,
        dialogue_items,
        single_items,
        unit_items,
    )
    from trace_eval.judges.waveforms.limits import (
        ClipRefused,
        check_clip,
        check_length,
        is_silent,
        refuse_silence,
    )
    from trace_eval.judges.waveforms.noise import Noise, noisy_side
    from trace_eval.judges.waveforms.signals import (
        MAX_SHOTS,
        SIGNAL_RATE,
        TONES,
        load_signals,
        signals_sha256,
        tone,
    )
else:
    __getattr__ = names_on_use(__name__)

__all__ = [
    "GAP_S",
    "MAX_SHOTS",
    "SIGNAL_RATE",
    "TONES",
    "ClipRefused",
    "Format",
    "Item",
    "Layout",
    "Noise",
    "Signals",
    "Sound",
    "Unit",
    "Waveform",
    "check_clip",
    "check_length",
    "common_rate",
    "dialogue_items",
    "is_silent",
    "load_signals",
    "noisy_side",
    "refuse_silence",
    "render",
    "signals_sha256",
    "single_items",
    "sound_of",
    "tone",
    "unit_items",
]
