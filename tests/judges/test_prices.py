"""Costs by hand, the user's table, and a budget that is never passed."""

from pathlib import Path

import pytest

from blueprints import UserError
from trace_eval.data.outcome import Reason, Usage
from trace_eval.judges.ask.base import CallFailed, Tokens, Unusable
from trace_eval.judges.ask.budget import Budget, Ledger
from trace_eval.judges.ask.prices import (
    FREE,
    SHIPPED,
    find_price,
    is_local,
    read_prices,
    sum_usage,
    usage_of,
)

OPENAI = "https://api.openai.com/v1"
PRICE = FREE.model_copy(
    update={"input": 2.0, "cached": 0.5, "output": 8.0, "batch": 0.5}
)


def test_cost_by_hand() -> None:
    # 600k fresh x $2/M + 400k cached x $0.5/M + 100k out x $8/M = 1.2 + 0.2 + 0.8 = 2.2
    tokens = Tokens(1_000_000, 100_000, 400_000)
    assert PRICE.cost(tokens) == pytest.approx(2.2, abs=1e-12)
    assert PRICE.cost(tokens, batch=True) == pytest.approx(1.1, abs=1e-12)
    assert PRICE.cost(Tokens(None, 5)) is None
    assert FREE.cost(tokens) == 0.0
    # Without a price for cached input it costs as much as any other.
    plain = PRICE.model_copy(update={"cached": None})
    assert plain.cost(tokens) == pytest.approx(2.8, abs=1e-12)


def test_usage_is_unknown_without_counts_and_cost_without_a_price() -> None:
    assert usage_of(Tokens(), PRICE) is None
    assert usage_of(Tokens(10, 1), None) == Usage(input_tokens=10, output_tokens=1)
    known = Usage(input_tokens=1, cost_usd=0.25)
    assert sum_usage([known, None, known]) == Usage(input_tokens=2, cost_usd=0.5)
    assert sum_usage([known, Usage(input_tokens=1)]) == Usage(
        input_tokens=2, cost_usd=None
    )
    assert sum_usage([None]) is None


def test_the_shipped_table_is_valid_and_dated() -> None:
    prices = read_prices(SHIPPED)
    assert len({(price.server, price.model) for price in prices}) == len(prices)
    assert all(price.source.startswith("https://") for price in prices)
    assert all(price.cached is None or price.cached <= price.input for price in prices)


def test_dated_names_find_their_family() -> None:
    family = find_price(OPENAI, "gpt-4.1-mini")
    assert family is not None
    assert find_price(OPENAI, "gpt-4.1-mini-2025-04-14") == family
    assert find_price(OPENAI, "gpt-4.1-minimal") is None
    here = "http://127.0.0.1:8000/v1", "http://localhost/v1", "http://[::1]:80/v1"
    assert [find_price(server, "gpt-4.1-mini") for server in here] == [None] * 3
    assert all(map(is_local, here))
    assert not is_local("http://10.0.0.1/v1")


def test_the_users_table_comes_first(tmp_path: Path) -> None:
    own = tmp_path / "prices.toml"
    own.write_text(
        '[[price]]\nserver = "api.openai.com"\nmodel = "gpt-4.1-mini"\ninput ='
        " 9\noutput = 9\n"
        'as_of = 2026-05-01\nsource = "my contract"\n'
        '[[price]]\nserver = "*"\nmodel = "qwen"\ninput = 1\noutput = 1\n'
        'as_of = 2026-05-01\nsource = "power bill"\n'
    )
    row = find_price(OPENAI, "gpt-4.1-mini", own)
    assert row.input == 9
    assert find_price("http://10.0.0.1/v1", "qwen", own) is not None
    assert find_price(OPENAI, "gpt-4.1", own) is not None
    anything = (
        own.read_text().replace('"qwen"', '"*"').replace('"*"', '"api.openai.com"', 1)
    )
    own.write_text(anything)  # a price of all models does not beat one of this model
    by_name = [
        find_price(OPENAI, name, own) for name in ("gpt-4.1-mini-2025-04-14", "o9")
    ]
    assert [price and price.input for price in by_name] == [9, 1]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("not toml", "cannot be read"),
        ("", "holds no"),
        ('[[price]]\nmodel = "m"', "entry 1, server"),
        (
            '[[price]]\nserver="*"\nmodel="m"\ninput=-1\noutput=1\nas_of=2026-01-01\nsource="x"',
            "input",
        ),
    ],
)
def test_a_bad_table_is_a_user_error(tmp_path: Path, text: str, told: str) -> None:
    own = tmp_path / "prices.toml"
    own.write_text(text)
    with pytest.raises(UserError, match=told):
        read_prices(own)


def test_a_call_that_could_pass_the_budget_is_not_made() -> None:
    budget = Budget(1.0)
    with budget.reserve(0.6) as ticket:
        # While it runs, its worst case is held: 0.6 + 0.6 > 1.
        with pytest.raises(CallFailed) as caught, budget.reserve(0.6):
            pass
        assert caught.value.reason is Reason.OVER_BUDGET
        ticket.cost = 0.1
    assert budget.spending.spent == 0.1
    with budget.reserve(0.6) as ticket:
        ticket.cost = 0.5
    assert budget.spending.spent == pytest.approx(0.6)
    with pytest.raises(CallFailed), budget.reserve(0.41):
        pass


def cut_reply(budget: Budget) -> None:
    with budget.reserve(0.25) as ticket:
        ticket.cost = 0.125
        raise Unusable(Reason.REPLY_CUT, "cut")


@pytest.mark.parametrize("logged", [False, True])
def test_calls_that_may_have_been_charged_count_with_their_worst_case(
    logged: bool, tmp_path: Path
) -> None:
    path = tmp_path / "spending.jsonl"
    budget = Budget(
        10.0, spent=1.0, ledger=Ledger(path, before=1.0) if logged else None
    )
    with pytest.raises(CallFailed), budget.reserve(0.5):
        raise CallFailed(Reason.REFUSED, "401")
    assert (budget.spending.spent, budget.spending.possible) == (1.0, 0.0)
    with pytest.raises(CallFailed), budget.reserve(0.5):
        raise CallFailed(Reason.UNREACHABLE, "timeout", billed=True)
    assert (budget.spending.spent, budget.spending.possible) == (1.0, 0.5)
    with pytest.raises(KeyboardInterrupt), budget.reserve(0.25):
        raise KeyboardInterrupt
    assert budget.spending.possible == 0.75
    with pytest.raises(Unusable):
        cut_reply(budget)
    for sums in (budget.spending, *([Ledger(path).spending] if logged else [])):
        assert (sums.spent, sums.possible) == (1.125, 0.75)
