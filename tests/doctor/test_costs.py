"""What a finding says of time: the mean that was measured, else an estimate that is called one."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from pymongo.database import Database

from nestling.doctor.reports.wording import cost
from nestling.ir.quantity_words import duration
from tests.doctor.faults import FAULTS, clean
from tests.doctor.looking import found, look

Db = Database[dict[str, Any]]


@pytest.mark.thorough
@pytest.mark.parametrize("name", ["missing-index", "case-insensitive-regex", "unanchored-pattern", "excessive-lookup"])
def test_the_measured_mean_is_said(name: str, database: Db) -> None:
    """Of statements captured with their times the cost is the mean of these, in words and as a number."""
    fault = FAULTS[name]
    clean(database)
    fault.plant(database, True)
    facts = look(database)
    # the server notes whole milliseconds: those of a statement that took less are none
    timed = tuple(replace(each, seconds=0.004 * each.count + n * 0.001) for n, each in enumerate(facts.statements))
    facts = replace(facts, statements=timed)
    finding = next(each for each in found(facts, thresholds=fault.thresholds) if each.rule == name)
    seen = [
        each for each in facts.statements if each.collection == "things" and each.operation in ("find", "aggregate")
    ]
    means = [each.seconds / each.count for each in seen]
    assert finding.measured
    assert finding.cost_seconds is not None
    assert min(means) <= finding.cost_seconds <= max(means)
    assert cost(finding).endswith(f", {duration(finding.cost_seconds)} each time")


def test_less_than_a_millisecond_is_no_measurement(database: Db) -> None:
    """Servers cut the rest off: the mean of many such times says nothing more."""
    fault = FAULTS["missing-index"]
    fault.plant(database, True)
    facts = look(database)
    facts = replace(facts, statements=tuple(replace(each, seconds=1e-5 * each.count) for each in facts.statements))
    finding = next(each for each in found(facts, thresholds=fault.thresholds) if each.rule == "missing-index")
    assert cost(finding).endswith(", under 1 ms each time")


def test_what_was_not_measured_is_called_an_estimate(database: Db) -> None:
    """Without statements there is nothing but the work, priced."""
    fault = FAULTS["unindexed-reference"]
    fault.plant(database, True)
    finding = next(each for each in found(look(database), thresholds=fault.thresholds) if each.cost_seconds)
    assert not finding.measured
    assert ": an estimated " in cost(finding)
