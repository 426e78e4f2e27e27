"""The fit: finds coefficients that are there, keeps known ones where nothing is measured, says how sure it is."""

from __future__ import annotations

from random import Random

import pytest

from nestling.cost import Identity, default_profile, price
from nestling.cost.fit import LEAST_COEFFICIENT_SHARE, errors, fitted, solve
from nestling.ir.paths import work_of
from nestling.ir.paths.work import Measurement, Work

IDENTITY = Identity("7.0.1", "wiredTiger", 1e9, "a test")


def test_coefficients_are_found_again() -> None:
    """Times made of known coefficients and a tenth of noise give these back, nearly."""
    random, truth = Random(4), (2e-4, 1e-6, 3e-9)
    rows = [(1.0, random.choice((1, 10, 100, 1000)), random.choice((0, 1e3, 1e5))) for _ in range(60)]
    times = [sum(a * b for a, b in zip(row, truth, strict=True)) * random.uniform(0.95, 1.05) for row in rows]
    found = solve(rows, times, (1e-3, 1e-5, 1e-9))
    assert found == pytest.approx(truth, rel=0.1)


def test_nothing_is_free() -> None:
    """A quantity that seems to cost nothing keeps a tenth of the known figure."""
    rows = [(1.0, n) for n in (1.0, 10.0, 100.0, 1000.0)]
    found = solve(rows, [1.0, 0.9, 0.8, 0.7], (1.0, 1e-2))
    assert found[1] == pytest.approx(LEAST_COEFFICIENT_SHARE * 1e-2)


def test_what_is_not_measured_stays_known() -> None:
    """Only quantities that occur are fitted: they name the new server, the others keep figure and source."""
    known = default_profile()
    measured = [
        Measurement(str(rows), work_of.request() + work_of.fetch_by_index(rows, 100), 1e-3 + rows * 5e-6)
        for rows in (1, 10, 100, 1000, 5000)
    ]
    made = fitted(measured, known, IDENTITY, name="mine")
    assert made.identity == IDENTITY
    assert "7.0.1" in made.coefficient("documents").source
    assert made.coefficient("cold_pages") == known.coefficient("cold_pages")
    assert made.seconds["round_trips"] == pytest.approx(1e-3, rel=0.25)
    assert max(errors(measured, made.seconds)) < 1.25
    assert price(Work(keys=1, documents=1, read_bytes=100), made) == pytest.approx(5e-6, rel=0.25)


def test_errors_are_factors_of_too_much_or_too_little() -> None:
    """Twice and half of what was measured are both a factor of 2; work that seems to cost nothing is infinitely off."""
    measured = [Measurement(str(seconds), Work(round_trips=1), seconds) for seconds in (0.5, 2.0, 1.0)]
    assert errors([*measured, Measurement("free", Work(sorted=1), 1.0)], {"round_trips": 1.0, "sorted": 0.0}) == [
        *(2.0, 2.0, 1.0),
        float("inf"),
    ]


def test_doubt_tells_the_sure_from_the_unsure() -> None:
    """What every experiment agrees on is surer than what they contradict each other about."""
    random = Random(2)
    steady = [Measurement(f"s{n}", Work(round_trips=1, scanned=n), 1e-3 + n * 1e-6) for n in range(0, 40_000, 4_000)]
    wild = [
        Measurement(f"w{n}", Work(round_trips=1, elements=n), 1e-3 + n * 1e-6 * random.choice((0.2, 1, 5)))
        for n in range(2_000, 20_000, 2_000)
    ]
    made = fitted([*steady, *wild], default_profile(), IDENTITY, name="mine")
    assert made.coefficient("scanned").doubt < made.coefficient("elements").doubt
