"""An `_id` of several parts is found by exact comparisons alone, so labels of enums are compared exactly beside it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from pymongo.database import Database

from nestling.ir.programs.compiled import CompiledRead
from nestling.ir.proposal import Proposal
from nestling.ir.statements.operators import Collation
from nestling.ir.statistics import AttributeStatistics, EntityStatistics, Statistics, measured
from nestling.pipeline import convert, design, inspect

TABLE = """
CREATE TABLE `slot` (a INT, b INT, status ENUM('free', 'done') NOT NULL, fa INT, fb INT, day INT NOT NULL, note VARCHAR(9),
  PRIMARY KEY (a, b), KEY (day), KEY (status), FOREIGN KEY (fa, fb) REFERENCES slot (a, b)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_unicode_520_ci;
"""
JOIN = "SELECT v.a, v.b FROM slot v JOIN slot s ON s.a = v.fa AND s.b = v.fb WHERE v.day = :d AND s."
BY_LABEL = "SELECT day FROM slot WHERE status = 'done'"
DONE = (
    f"{JOIN}status = 'DONE'",
    f"{JOIN}status IN ('done', 'Free')",
    "SELECT day FROM slot WHERE a = 1 AND b = 2 AND status = 'done'",
)


@pytest.fixture(scope="module")
def slots(tmp_path_factory: pytest.TempPathFactory) -> Proposal:
    """A collection for the table, of 20,000 rows."""
    path: Path = tmp_path_factory.mktemp("slots") / "slot.sql"
    path.write_text(TABLE)
    workload = path.with_name("workload.sql")
    workload.write_text(f"-- name: by_label, rate: 9/s\n{BY_LABEL};\n")
    attributes = (("day", 400), ("status", 2), ("note", 5000))
    known = tuple((name, AttributeStatistics(distinct=measured(number))) for name, number in attributes)
    statistics = Statistics((("slot", EntityStatistics(measured(20_000), attributes=known)),), ())
    return design(replace(inspect(path, workload=workload), statistics=statistics), "normalized")


def compiled(proposal: Proposal, sql: str) -> CompiledRead:
    """The statement on the design."""
    found = convert(proposal, sql)
    assert isinstance(found, CompiledRead)
    return found


@pytest.mark.parametrize("sql", DONE)
def test_labels_are_compared_exactly(slots: Proposal, database: Database[Any], sql: str) -> None:
    """Whatever the case of the constant; the server then finds documents by their `_id`."""
    read = compiled(slots, sql)
    assert (read.collation, read.notes) == (Collation.BINARY, ())
    database.slot.insert_many(
        {"_id": {"a": n % 10, "b": n}, "status": "done", "fa": n % 10, "fb": n, "day": 7} for n in range(200)
    )
    if read.filter is not None:
        asked: dict[str, Any] = {"find": "slot", "filter": read.filter}
    else:
        one = {"$match": {"_id": {"a": 1, "b": 1}}}
        asked = {"aggregate": "slot", "pipeline": [one, *read.pipeline[1:]], "cursor": {}}
    found = database.command("explain", asked, verbosity="executionStats")
    assert "COLLSCAN" not in str(found)
    lookups = [each for each in found.get("stages", ()) if "$lookup" in each]
    assert len(lookups) == (read.filter is None)
    assert [each["collectionScans"] for each in lookups] == [0] * len(lookups)


def test_what_has_to_be_compared_by_a_collation_is_noted(slots: Proposal) -> None:
    """A parameter may be a label in any case: the lookup then reads many documents for each row."""
    read = compiled(slots, f"{JOIN}status = :s")
    assert read.collation is Collation.UNICODE_CI
    (note,) = read.notes
    assert "which the index on an `_id` of several parts does not" in note


def test_an_index_of_labels_is_used_where_it_pays(slots: Proposal) -> None:
    """It has the collation, so that few documents of one label are found by it."""
    labels = AttributeStatistics(distinct=measured(2000))
    known = slots.statistics.entity("slot")
    attributes = tuple((name, labels if name == "status" else each) for name, each in known.attributes)
    rare = replace(slots, statistics=Statistics((("slot", replace(known, attributes=attributes)),), ()))
    assert compiled(rare, BY_LABEL).collation is Collation.UNICODE_CI
