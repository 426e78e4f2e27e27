"""Whole numbers that are at least, or at most, what is given: one command, of the rows the servers find."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from pymongo import MongoClient
from pymongo.database import Database

from nestling import Store, pipeline
from nestling.common.errors import WorkloadError
from nestling.emitters.mql.write_shell import write_shell
from nestling.emitters.python_code import module
from nestling.ir.paths.write_path import UpdateDocuments
from nestling.ir.programs.program import CompiledWrite
from nestling.ir.proposal import Proposal
from nestling.pipeline.designing import posed_problem, priced_problem
from tests.beside_mariadb import Both, both_of
from tests.planner.reads.beside_postgresql import beside

SCRIPT = """CREATE TABLE stock (id int PRIMARY KEY, n int NOT NULL, m bigint);
INSERT INTO stock VALUES (1, 5, 5), (2, 6, NULL), (3, -7, 4611686018427387905), (4, 0, 0), (5, 2147480000, -1)"""
DECREMENT = "UPDATE stock SET n = n - :q WHERE id = :id AND n >= :q"
MARKED = (
    *(f"UPDATE stock SET n = n + 1 WHERE {name} {test} :q" for name in "nm" for test in ("<", "<=", ">", ">=")),
    "UPDATE stock SET m = m + 1 WHERE m BETWEEN :q AND 6",
    "UPDATE stock SET m = m - 1 WHERE n <= :q AND n > -8",
    "UPDATE stock SET m = 9 WHERE id >= 4 AND id <= :q",
)
GIVEN: tuple[object, ...] = (5, 6, 0, -7, 2**40, 2**62 + 1, Decimal(5), Decimal("5.5"), 5.0, 4.5, None)
ROWS = "SELECT id, n, m FROM stock ORDER BY id"
both = both_of(SCRIPT, "normalized")


def _command(proposal: Proposal, sql: str, dialect: str) -> CompiledWrite:
    """The write, whose plan is one command alone."""
    write = pipeline.convert(proposal, sql, dialect=dialect)
    assert isinstance(write, CompiledWrite)
    assert write.plan is not None
    assert [type(each) for each in write.plan.steps] == [UpdateDocuments], sql
    assert write.transaction is (":id" not in sql), "many documents change together"
    return write


def _rows(store: Store) -> list[tuple[object, ...]]:
    return [tuple(row.values()) for row in store.execute(ROWS)]


@pytest.mark.thorough
def test_postgresql_finds_the_same_rows(postgresql: str, mongo_client: MongoClient[dict[str, Any]]) -> None:
    """Of whole numbers, decimals and floats, as they are given; none by NULL."""
    with beside(postgresql, mongo_client, SCRIPT) as tables:
        store = Store(tables.proposal, tables.database)
        for sql in MARKED:
            _command(tables.proposal, sql, "postgresql")
            for given in GIVEN:
                store.execute(sql, q=given)
                tables.theirs(sql, {"q": given})
                assert _rows(store) == tables.theirs(ROWS), (sql, given)
        _command(tables.proposal, DECREMENT, "postgresql")
        for given in (2, 2, 2, None, 2**31):
            store.execute(DECREMENT, q=given, id=1)
            tables.theirs(DECREMENT, {"q": given, "id": 1})
            assert _rows(store) == tables.theirs(ROWS), given


@pytest.mark.thorough
def test_mariadb_finds_the_same_rows(both: Both) -> None:
    """As above; a text, which it compares as a float, is refused."""
    store = Store(both.proposal, both.database)
    for sql in MARKED:
        _command(both.proposal, sql, "mysql")
        for given in GIVEN:
            store.execute(sql, q=given)
            both.cursor.execute(sql.replace(":q", "%(q)s"), {"q": given})
            both.cursor.execute(ROWS)
            assert _rows(store) == [*both.cursor.fetchall()], (sql, given)
        with pytest.raises(WorkloadError, match="must be a number"):
            store.execute(sql, q="5")
    _command(both.proposal, DECREMENT, "mysql")
    for given in (2, 2, 2, None):
        store.execute(DECREMENT, q=given, id=1)
        both.cursor.execute(DECREMENT.replace(":q", "%(q)s").replace(":id", "1"), {"q": given})
    both.assert_equal()


@pytest.fixture
def shop(tmp_path: Path) -> Proposal:
    """The design of the table in SQLite."""
    (tmp_path / "schema.sql").write_text(SCRIPT.split(";")[0], encoding="utf-8")
    return pipeline.design(pipeline.inspect(str(tmp_path / "schema.sql")))


def test_a_text_is_a_number_in_sqlite(shop: Proposal, database: Database[dict[str, Any]]) -> None:
    """Where it is one in full; of another, which is greater than all numbers, no command tells."""
    write = _command(shop, DECREMENT, "sqlite")
    space: dict[str, Any] = {}
    exec(compile(module([write]), "queries.py", "exec"), space)
    database["stock"].insert_one({"_id": 1, "n": 9})
    store = Store(shop, database)
    for ran in (store.execute, lambda _, **values: space["statement"](database, **values)):
        for given, left in (("2", 7), (8, 7), (None, 7), (" 7 ", 0)):
            ran(DECREMENT, q=given, id=1)
            assert database["stock"].find_one() == {"_id": 1, "n": left}
        with pytest.raises((WorkloadError, ValueError, TypeError), match="number"):
            ran(DECREMENT, q="many", id=1)
        database["stock"].update_one({}, {"$set": {"n": 9}})


def test_what_is_emitted_is_one_call(shop: Proposal) -> None:
    """Nothing is asked of the parameter before: NULL finds no row."""
    asked = "UPDATE stock SET n = n - :q WHERE id = :id AND n BETWEEN :q AND 90"
    text = write_shell(_command(shop, asked, "sqlite"))
    assert "updateOne({_id: {$eq: id}, n: {$gte: q, $lte: 90}}, {$inc: {n: negated(q)}})" in text
    assert "withTransaction" not in text


@pytest.mark.parametrize(
    "other", ["n >= 2.5", "n >= m", "n >= :q AND n > 1", "n = :q AND n <= 5", "n >= :q AND n IS NOT NULL"]
)
def test_other_conditions_are_no_plain_ones(shop: Proposal, other: str) -> None:
    """Two of one attribute are the two ends of a range, or the rows are read."""
    write = pipeline.convert(shop, f"UPDATE stock SET m = 1 WHERE id = 1 AND {other}", dialect="sqlite")
    assert isinstance(write, CompiledWrite)
    assert write.transaction


def test_no_transaction_is_charged(tmp_path: Path) -> None:
    """In the search, too, the decrement is one command; one that is compared with the row's own is not."""
    for condition, expected in ((">= :q", False), ("BETWEEN :q AND 9", False), (">= id", True)):
        path = tmp_path / "model.yaml"
        path.write_text(f"""nestling: 1
dialect: postgresql
model: {{name: shop, entities: {{stock: {{key: id, attributes: {{id: integer!, n: integer!}}}}}}}}
statistics: {{entities: {{stock: {{count: 1000}}}}}}
workload:
  take: {{sql: "UPDATE stock SET n = n - :q WHERE id = :id AND n {condition}", rate: 1/s}}
""", encoding="utf-8")  # fmt: skip
        of = posed_problem(pipeline.inspect(path), None, None)
        problem = priced_problem(of.situation, of.profile, of.candidates)
        assert any(each.text == "a transaction" for each in problem.charges) == expected, condition
