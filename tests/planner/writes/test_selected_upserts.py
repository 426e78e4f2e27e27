"""INSERT … SELECT that changes rows which exist, such as a summary made anew: beside SQLite, PostgreSQL and MariaDB."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from contextlib import closing
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from pymongo.database import Database

from nestling import Store, pipeline
from nestling.common.errors import ConstraintError, GapError
from nestling.ir.programs.compiled import NotCompiled
from tests.three_sources import DIALECTS, address_of

TABLES = """
CREATE TABLE customer (id INTEGER PRIMARY KEY, name VARCHAR(20) NOT NULL UNIQUE, spent DECIMAL(10,2));
CREATE TABLE purchase (id INTEGER PRIMARY KEY, customer_id INTEGER NOT NULL REFERENCES customer (id), day INTEGER NOT NULL,
  sku VARCHAR(10) NOT NULL, quantity INTEGER NOT NULL, price DECIMAL(10,2) NOT NULL);
CREATE TABLE total (customer_id INTEGER NOT NULL REFERENCES customer (id), day INTEGER NOT NULL, quantity INTEGER NOT NULL CHECK
  (quantity < 1000), paid DECIMAL(12,2), PRIMARY KEY (customer_id, day));
CREATE TABLE stock (sku VARCHAR(10) PRIMARY KEY, on_hand INTEGER NOT NULL, note VARCHAR(30), weight DOUBLE PRECISION);
INSERT INTO customer VALUES (1, 'Ann', NULL), (2, 'Bo', 1.50), (3, 'Cy', 0);
INSERT INTO purchase VALUES (1, 1, 1, 'pen', 2, 1.50), (2, 1, 1, 'cup', 1, 4), (3, 1, 2, 'pen', 5, 1.50), (4, 2, 1, 'pen', 1, 2),
  (5, 2, 3, 'hat', 1, 9.99);
INSERT INTO total VALUES (1, 1, 1, 0.10), (2, 2, 7, NULL);
INSERT INTO stock VALUES ('pen', 10, NULL, 1.5), ('mug', 3, 'last', NULL);
"""
DAYS = """INSERT INTO total (customer_id, day, quantity, paid)
    SELECT customer_id, day, sum(quantity), sum(quantity * price) FROM purchase WHERE id < :n GROUP BY customer_id, day
    ON CONFLICT (customer_id, day) DO UPDATE SET """
SKUS = """INSERT INTO stock (sku, on_hand) SELECT sku, sum(quantity) FROM purchase WHERE customer_id < :n GROUP BY sku
    ON CONFLICT (sku) DO UPDATE SET """
WRITES: tuple[tuple[str, Mapping[str, Any]], ...] = (
    (f"{DAYS} quantity = excluded.quantity, paid = excluded.paid", {"n": 4}),
    (f"{DAYS} quantity = total.quantity + excluded.quantity", {"n": 9}),
    (f"{DAYS} paid = total.paid + excluded.paid * 0.5 WHERE total.quantity <> excluded.quantity", {"n": 3}),
    (f"{SKUS} on_hand = stock.on_hand - excluded.on_hand, note = 'sold'", {"n": 2}),
    (f"{SKUS} note = coalesce(stock.note, excluded.sku), weight = excluded.weight", {"n": 3}),
    (
        """INSERT INTO stock SELECT sku, on_hand * 2, note, on_hand FROM stock WHERE on_hand > 0
        ON CONFLICT (sku) DO UPDATE SET on_hand = excluded.on_hand, weight = excluded.weight + 0.5""",
        {},
    ),
    (
        """INSERT INTO customer (id, name, spent) SELECT c.id + 2, max(c.name || 'a'), sum(p.price) FROM customer c
        JOIN purchase p ON p.customer_id = c.id GROUP BY c.id
        ON CONFLICT (id) DO UPDATE SET spent = excluded.spent, name = excluded.name || customer.name""",
        {},
    ),
    (f"{DAYS} quantity = 0", {"n": 0}),
    (
        f"""{SKUS} on_hand = (SELECT count(*) + excluded.on_hand FROM purchase p
        WHERE p.sku = excluded.sku AND p.quantity < stock.on_hand)
        WHERE EXISTS (SELECT 1 FROM purchase p WHERE p.quantity = excluded.on_hand + 1 OR p.sku = excluded.sku)""",
        {"n": 3},
    ),
)
REFUSED: tuple[tuple[str, Mapping[str, Any]], ...] = (
    (f"{DAYS} quantity = 1000 * total.quantity", {"n": 9}),  # a CHECK of what is there
    (
        """INSERT INTO total SELECT customer_id, day, 1000 * quantity, price FROM purchase WHERE id = 4
        ON CONFLICT (customer_id, day) DO UPDATE SET quantity = 1""",
        {},
    ),
    (
        """INSERT INTO total SELECT id + 70, 1, 1, 1 FROM customer WHERE true
        ON CONFLICT (customer_id, day) DO UPDATE SET quantity = 1""",
        {},
    ),
    (f"{SKUS} on_hand = NULL", {"n": 3}),
)
ALL = {name: f"SELECT * FROM {name} ORDER BY 1, 2" for name in ("customer", "total", "stock")}


@pytest.fixture(params=DIALECTS)
def source(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[str, str]:
    """The dialect and the address of a database with the tables."""
    return request.param, address_of(request.param, TABLES, request, tmp_path)


def _said(sql: str, dialect: str) -> str:
    """The statement as the dialect has it; empty where it has none such."""
    if dialect != "mysql":
        return sql
    head, _, changes = sql.partition("ON CONFLICT")
    if " WHERE total." in changes or "||" in sql or "(SELECT" in changes:
        return ""
    assignments = changes.partition("DO UPDATE SET")[2]
    for name in ("quantity", "paid", "on_hand", "weight", "sku", "spent"):
        assignments = assignments.replace(f"excluded.{name}", f"VALUES({name})")
    return f"{head} ON DUPLICATE KEY UPDATE {assignments}"


def _rows(found: Any) -> list[tuple[Any, ...]]:
    def plain(value: object) -> object:
        return round(float(value), 6) if isinstance(value, Decimal | float | int) else value

    return [tuple(map(plain, row)) for row in found]


@pytest.mark.one_in(3)
@pytest.mark.parametrize("strategy", ["normalized", "embedded", "tree"])
def test_beside_their_source(source: tuple[str, str], strategy: str, database: Database[dict[str, Any]]) -> None:
    """The same rows after each statement, and the same refused without a trace."""
    dialect, url = source
    chosen = pipeline.design(pipeline.inspect(url), strategy)
    pipeline.load(chosen, url, database, check=False)
    store, engine = Store(chosen, database), sa.create_engine(url, poolclass=sa.NullPool)
    for written, values in WRITES:
        if not (sql := _said(written, dialect)):
            continue
        affected = store.execute(sql, **values).affected
        with engine.begin() as connection:
            count = connection.execute(sa.text(sql), dict(values)).rowcount
            assert dialect == "mysql" or affected == count, sql
            for name, read in ALL.items():
                ours = _rows(row.values() for row in store.execute(read))
                assert ours == _rows(connection.exec_driver_sql(read)), (name, sql)
    for written, values in REFUSED:
        if not (sql := _said(written, dialect)) or (dialect == "mysql" and "on_hand = NULL" in sql):
            continue
        before = [list(store.execute(read)) for read in ALL.values()]
        with engine.connect() as connection:
            if dialect == "sqlite":
                connection.exec_driver_sql("PRAGMA foreign_keys = ON")
            with pytest.raises((sa.exc.IntegrityError, sa.exc.OperationalError)):
                connection.execute(sa.text(sql), dict(values))
        with pytest.raises(ConstraintError):
            store.execute(sql, **values)
        assert [list(store.execute(read)) for read in ALL.values()] == before
    assert pipeline.check(chosen, database).clean


TWICE = """INSERT INTO total SELECT customer_id, day, quantity, price FROM purchase WHERE true
    ON CONFLICT (customer_id, day) DO UPDATE SET quantity = excluded.quantity"""


def test_no_row_changes_twice(tmp_path: Path, database: Database[dict[str, Any]]) -> None:
    """Two rows of the SELECT for one: refused as PostgreSQL does, also where SQLite lets the last one stand."""
    path = tmp_path / "selected.db"
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.executescript(TABLES)
    chosen = pipeline.design(pipeline.inspect(path), "embedded")
    pipeline.load(chosen, path, database, check=False)
    store = Store(chosen, database)
    before = list(store.execute(ALL["total"]))
    with pytest.raises(ConstraintError, match="two rows of the INSERT have the same customer_id, day"):
        store.execute(TWICE)
    assert list(store.execute(ALL["total"])) == before
    moved = TWICE.replace("quantity = excluded.quantity", "day = excluded.day + 1")
    with pytest.raises(GapError, match="that changes `day`"):
        store.execute(moved)
    replaced = pipeline.convert(chosen, "INSERT OR REPLACE INTO total SELECT customer_id, 9, 1, 1 FROM purchase")
    assert isinstance(replaced, NotCompiled)
    assert "replaces existing rows" in replaced.gap.what
