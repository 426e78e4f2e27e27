"""Sample values of a workload file: a number with a fraction serves a decimal parameter."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path

import pytest

from nestling import pipeline
from nestling.ir.programs.program import CompiledWrite
from nestling.pipeline.converting import samples_of

_SCHEMA = """
CREATE TABLE `profile` (`user_id` int NOT NULL PRIMARY KEY, `credits` decimal(10,2) NOT NULL, `ratio` double) ENGINE=InnoDB;
"""
_WORKLOAD = """
-- name: pay, rate: 2/s
-- params: {"user": 8, "amount": 12.50, "ratio": 0.5}
UPDATE profile SET credits = credits - :amount WHERE user_id = :user AND credits >= :amount AND ratio < :ratio;
"""


@pytest.mark.parametrize("strategy", ["normalized"])
def test_a_fraction_is_a_decimal_beside_a_decimal(tmp_path: Path, strategy: str) -> None:
    """In what is converted with its samples, and beside a float it stays a float."""
    (tmp_path / "schema.sql").write_text(_SCHEMA)
    (tmp_path / "workload.sql").write_text(_WORKLOAD)
    reading = pipeline.inspect(str(tmp_path / "schema.sql"), workload=str(tmp_path / "workload.sql"), dialect="mysql")
    proposal = pipeline.design(reading, strategy)
    (statement,) = reading.workload.statements
    assert samples_of(statement, proposal, "mysql") == {"user": 8, "amount": Decimal("12.5"), "ratio": 0.5}
    (found,) = pipeline.convert_all(proposal, tmp_path / "workload.sql", "mysql", bound=True)
    assert isinstance(found, CompiledWrite), found
