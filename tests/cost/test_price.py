"""Prices: linear in work, named by component."""

from __future__ import annotations

import pytest

from nestling.cost import default_profile, price, prices
from nestling.ir.paths import work_of
from nestling.ir.paths.work import NAMES, NO_WORK

PROFILE = default_profile()


def test_a_price_is_linear() -> None:
    """Twice the work costs twice as much, two pieces what each costs."""
    one, other = work_of.lookup(10, 3, 200), work_of.insert(5, 300, 2)
    assert price(one + other, PROFILE) == pytest.approx(price(one, PROFILE) + price(other, PROFILE))
    assert price(one * 2, PROFILE) == pytest.approx(2 * price(one, PROFILE))
    assert price(NO_WORK, PROFILE) == 0


def test_components_sum_up() -> None:
    """The parts of a price are the price, dearest first."""
    work = work_of.request(3) + work_of.lookup(10, 3, 200) + work_of.send(30, 100)
    parts = prices(work, PROFILE)
    assert sum(parts.values()) == pytest.approx(price(work, PROFILE))
    assert list(parts.values()) == sorted(parts.values(), reverse=True)
    assert set(parts) <= set(NAMES)


def test_embedding_pays_for_what_is_read_together() -> None:
    """One document of thirty children is cheaper to read than one and a lookup of thirty; the sources say so, too."""
    embedded = work_of.request(3) + work_of.fetch_by_index(1, 4_000) + work_of.unwind(30)
    looked_up = work_of.request(4) + work_of.fetch_by_index(1, 200) + work_of.lookup(1, 30, 120)
    assert price(embedded, PROFILE) < price(looked_up, PROFILE)


def test_copies_cost_their_writers() -> None:
    """Keeping a thousand copies costs more than a hundred times a single update's own work."""
    one = work_of.update(1, 200)
    many = work_of.fetch_by_index(1000, 200) + work_of.update(1000, 200)
    assert price(many, PROFILE) > 20 * price(one, PROFILE)
