"""The cost of calls, from a dated table of prices in TOML."""

from __future__ import annotations

import datetime
import math
import re
from collections.abc import Iterable
from ipaddress import ip_address
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from pydantic import Field, ValidationError

from blueprints import Strict, UserError
from trace_eval.data.outcome import Usage
from trace_eval.data.strict_toml import read_toml
from trace_eval.judges.ask.base import Tokens

SHIPPED = Path(__file__).with_name("prices.toml")

#: The price of ``gpt-4.1-mini-2025-04-14`` is that of ``gpt-4.1-mini``.
_DATED = re.compile(r"-(?:20\d{2}-\d{2}-\d{2}|20\d{6}|\d{4}|latest)$")


class Price(Strict):
    """The price of one model on one server, US dollars per million tokens."""

    server: str = Field(description="host name, or * for any")
    model: str
    input: float = Field(ge=0)
    output: float = Field(ge=0)
    cached: float | None = Field(
        None, ge=0, description="input from the server's cache"
    )
    audio_input: float | None = Field(None, ge=0, description="input that is sound")
    audio_cached: float | None = Field(
        None, ge=0, description="sound from the server's cache"
    )
    audio_tokens_per_s: float | None = Field(
        None,
        gt=0,
        description="tokens of a second of sound, for what is not counted apart",
    )
    batch: float = Field(1.0, gt=0, le=1, description="factor for batch requests")
    as_of: datetime.date = Field(description="when the figure was seen")
    source: str = Field(description="where to check it")

    def cost(self, tokens: Tokens, batch: bool = False) -> float | None:
        """Return US dollars for these counts; None if counts or prices are missing."""
        if tokens.input is None or tokens.output is None:
            return None
        sound = self._sound(tokens)
        if sound is None:
            return None
        audio, dollars = sound
        fresh = max(0, tokens.input - audio - (tokens.cached - tokens.cached_audio))
        held = self.input if self.cached is None else self.cached
        dollars += fresh * self.input + (tokens.cached - tokens.cached_audio) * held
        dollars += tokens.output * self.output
        return dollars * (self.batch if batch else 1.0) / 1e6

    def _sound(self, tokens: Tokens) -> tuple[int, float] | None:
        """Return tokens of sound and their price in millionths, or None without one."""
        if not tokens.audio and not tokens.audio_s:
            return 0, 0.0
        if not self.input and not self.output and not self.audio_input:
            return 0, 0.0  # runs on the user's own machine
        audio = tokens.audio
        if audio is None and self.audio_tokens_per_s is not None:
            audio = min(
                tokens.input or 0, round(tokens.audio_s * self.audio_tokens_per_s)
            )
        if audio is None or self.audio_input is None:
            return None
        held = self.audio_input if self.audio_cached is None else self.audio_cached
        return audio, (
            audio - tokens.cached_audio
        ) * self.audio_input + tokens.cached_audio * held

    def audio_tokens(self, seconds: float) -> int | None:
        """Return the tokens of so much sound; None: it is not known."""
        if self.audio_tokens_per_s is None:
            return None if seconds else 0
        return math.ceil(seconds * self.audio_tokens_per_s)


#: The price of a model on the user's own machine.
FREE = Price(
    server="*",
    model="*",
    input=0,
    output=0,
    as_of=datetime.date(2025, 1, 1),
    source="runs on your own machine",
)


def read_prices(path: Path) -> list[Price]:
    """Read a price table; raises UserError where it is not valid, or holds no price."""
    table = read_toml(path, f"prices {path}", f"see {SHIPPED}")
    entries, prices = table.get("price", []), []
    for number, entry in enumerate(
        entries if isinstance(entries, list) else [entries], start=1
    ):
        try:
            prices.append(Price.model_validate(entry))
        except ValidationError as error:
            first = error.errors()[0]
            where = ".".join(str(part) for part in first["loc"])
            raise UserError(
                f"prices {path}, entry {number}, {where or 'entry'}:"
                f" {first['msg']}; see {SHIPPED}"
            ) from error
    if not prices:
        raise UserError(
            f"prices {path}: holds no [[price]]; see {SHIPPED} for the form of one"
        )
    return prices


def find_price(server: str, model: str, own: Path | None = None) -> Price | None:
    """Find the price of a model; entries of the user's own table come first.

    An exact name beats the family of a dated name, which beats ``*``; of equal names a
    named server beats ``*``.
    """
    host = urlsplit(server).hostname or server
    for prices in (read_prices(own) if own else [], read_prices(SHIPPED)):
        by_name = {(price.server, price.model): price for price in prices}
        for name in (model, _DATED.sub("", model), "*"):
            if price := by_name.get((host, name)) or by_name.get(("*", name)):
                return price
    return None


def is_local(server: str) -> bool:
    """Whether a server is on this machine."""
    host = urlsplit(server).hostname or server
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def usage_of(tokens: Tokens, price: Price | None, batch: bool = False) -> Usage | None:
    """Return the counts and their cost; None where the server gave no counts."""
    if tokens.input is None and tokens.output is None:
        return None
    return Usage(
        input_tokens=tokens.input or 0,
        output_tokens=tokens.output or 0,
        cached_tokens=tokens.cached,
        audio_tokens=tokens.audio or 0,
        cost_usd=price.cost(tokens, batch) if price else None,
    )


def sum_usage(parts: Iterable[Usage | None]) -> Usage | None:
    """Sum up known usages; the cost is None as soon as one cost is."""
    known_parts = [part for part in parts if part is not None]
    if len(known_parts) < 2:
        return known_parts[0] if known_parts else None
    total: dict[str, Any] = {}
    for name in Usage.model_fields:
        values = [getattr(part, name) for part in known_parts]
        total[name] = None if None in values else sum(values)
    return Usage(**total)
