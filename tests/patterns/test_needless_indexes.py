"""Indexes nobody would build: what another one does as well, what cannot be built, what saves nothing to speak of."""

from __future__ import annotations

from dataclasses import replace

import pytest

from nestling import pipeline
from nestling.ir.indexes.planned_indexes import planned_indexes
from nestling.ir.proposal import Proposal
from nestling.ir.statistics import AttributeStatistics, EntityStatistics, Statistics, measured
from nestling.planner.sql.checks import read_check
from nestling.sources.ddl import read_ddl
from nestling.sources.statements import parse_workload

DDL = """
CREATE TABLE acct (id bigint PRIMARY KEY, owner bigint NOT NULL, email text NOT NULL, del timestamp(0), body text NOT NULL,
    is_agent boolean NOT NULL, UNIQUE (owner, email));
CREATE UNIQUE INDEX acct_email ON acct (email) WHERE del IS NULL;
"""
ROWS = EntityStatistics(
    measured(300_000),
    attributes=tuple(
        (name, AttributeStatistics(measured(size), distinct=measured(distinct)))
        for name, size, distinct in (
            ("owner", 8, 100_000),
            ("email", 20, 300_000),
            ("body", 900, 300_000),
            ("is_agent", 1, 2),
        )
    ),
)
LOGIN = "SELECT id, body FROM acct WHERE email = :e AND del IS NULL"
OWNED = "SELECT id, body FROM acct WHERE owner = :o"
SCAN = "SELECT id, email, owner FROM acct WHERE owner > 5 ORDER BY id LIMIT 5000"
AGENTS = "SELECT id FROM acct WHERE id = :i AND is_agent"


def designed(sql: str, rate: str = "50/s", beside: str = "") -> Proposal:
    """The design for a statement over 300,000 rows, `beside` another one."""
    reading = read_ddl(DDL, "m", dialect="postgresql", read_check=read_check)
    text = f"-- name: s, rate: {rate}\n{sql};" + (f"\n-- name: t, rate: 900/s\n{beside}" if beside else "")
    workload, gaps = parse_workload(text, reading.model, "postgresql", "w.sql")
    assert gaps == ()
    return pipeline.design(replace(reading, workload=workload, statistics=Statistics((("acct", ROWS),))))


@pytest.mark.parametrize("sql", [LOGIN, OWNED], ids=["some rows", "first attribute"])
def test_what_is_unique_has_an_index_that_serves(sql: str) -> None:
    """Of some rows, or by the first of its attributes: it is priced as what it is, and none is built beside it."""
    made = designed(sql)
    assert {tuple(path for path, _ in each.keys) for each in planned_indexes(made.design)} == {
        ("email",),
        ("owner", "email"),
    }
    assert made.costs is not None
    assert made.costs.cost < 1.0


@pytest.mark.parametrize("sql", [SCAN, AGENTS], ids=["covered", "some rows"])
def test_none_begins_with_the_key(sql: str) -> None:
    """`_id` finds as much, and what would be built of it is not: so it is not weighed either."""
    made = designed(sql)
    assert not [each for each in made.weighed if each.chosen and each.structure.startswith("index of acct on id")]
    assert all(index.keys[0][0] != "_id" for index in made.design.indexes)


def test_what_nobody_notices_is_not_built() -> None:
    """A statement a day that is a tenth of a millisecond faster; one that is a hundred milliseconds faster has its index."""
    few = "SELECT count(*) FROM acct WHERE is_agent AND owner = :o AND email > :e"
    made = designed(few, "1/day", OWNED)
    assert len(planned_indexes(made.design)) == 2
    many = designed("SELECT id FROM acct WHERE body = :b", "1/day", OWNED)
    assert len(planned_indexes(many.design)) == 3


def test_what_is_unique_of_some_rows_stays_together() -> None:
    """No attribute of it is kept apart, as no index could hold it then; and what is kept apart has no index of its own."""
    made = designed(SCAN)
    assert [split for each in made.design.collections for split in each.splits]
    assert all(
        {"email", "del"}.isdisjoint(split.attributes) for each in made.design.collections for split in each.splits
    )
    assert all(path for index in planned_indexes(made.design) for path, _ in index.keys)
