"""UPDATE and DELETE that join rows which stand in the statement, `FROM (VALUES …)`, beside PostgreSQL."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal

import pytest

from nestling import Store, pipeline
from nestling.common.errors import GapError
from nestling.ir.programs.program import CompiledWrite
from tests.planner.reads.beside_postgresql import Beside, beside_of

TABLES = """
CREATE TABLE shelf (id integer PRIMARY KEY, code text);
CREATE TABLE item (id integer PRIMARY KEY, shelf_id integer NOT NULL REFERENCES shelf (id), code text, name text NOT NULL,
    n integer, price numeric(8,2));
INSERT INTO shelf VALUES (1, 'a'), (2, 'b');
INSERT INTO item SELECT i, 1 + mod(abs(i), 2), 'c' || i, 'item ' || i, i, i * 1.25 FROM generate_series(-2, 7) i;
"""
_BY_ID = "AS t (id, name) WHERE item.id = t.id"
_NAME = "UPDATE item SET name = t.name FROM"
_N = "UPDATE item SET n = t.n FROM"
_TYPED = f"{_NAME} (VALUES (:a::int, :x), (:b, :y)) {_BY_ID}"
_PLAIN = f"{_NAME} (VALUES (:a, :x), (:b, :y)) {_BY_ID}"
_TWO_VALUES = """UPDATE item SET n = t.n, name = coalesce(t.name, item.name)
    FROM (VALUES (:a, :n, :x::text), (:b, :m, :y)) AS t (id, n, name) WHERE item.id = t.id"""
_ARITHMETIC = """UPDATE item i SET price = t.price + i.n, n = t.n
    FROM (VALUES (5, 1.50, 7), (6, 2, NULL)) AS t (id, price, n) WHERE i.id = t.id::int AND i.n > 5"""
_OF_TWO = f"""{_N} (VALUES (1, 'c1', 11), (1, 'c2', 22), (2, 'c1', 33)) AS t (id, code, n)
    WHERE item.id = t.id AND item.code = t.code"""
_THROUGH_SHELF = f"""WITH t (code, n) AS (VALUES ('a', 100), ('b', 200)) {_N} t, shelf s
    WHERE s.code = t.code AND s.id = item.shelf_id AND item.id = 5"""
_GONE = """DELETE FROM item USING (VALUES (7, 'c7'), (6, 'x')) AS t (id, code)
    WHERE item.id = t.id AND item.code = t.code"""
DONE: tuple[tuple[str, Mapping[str, object]], ...] = (
    (f"{_NAME} (VALUES (1, 'one'), (2, 'two'), (99, 'none')) {_BY_ID}", {}),
    (f"UPDATE item SET name = t.name || n, n = NULL FROM (VALUES (-1, 'x'), (-2, 'y'), (NULL, 'z')) {_BY_ID}", {}),
    (_TYPED, {"a": 3, "x": "three", "b": 4, "y": "four"}),
    (_TYPED, {"a": 4, "x": "4", "b": 3, "y": "3"}),
    (_PLAIN, {"a": 1, "x": "é", "b": 0, "y": "q"}),
    (_TWO_VALUES, {"a": 1, "n": 40, "x": None, "b": 0, "m": None, "y": "y"}),
    (_ARITHMETIC, {}),
    (f"{_N} (VALUES ('c1', 10), ('c2', 20), ('C2', 30)) AS t (code, n) WHERE t.code = item.code", {}),
    (_OF_TWO, {}),
    ("WITH t (id, n) AS (VALUES (1, 5), (2, 6)) UPDATE item SET n = t.n FROM t WHERE t.id = item.id", {}),
    (_THROUGH_SHELF, {}),
    (_GONE, {}),
    (f"DELETE FROM item USING (VALUES (5, 'a'), (5, 'b')) {_BY_ID}", {}),
)
GAPS: tuple[tuple[str, Mapping[str, object], str], ...] = (
    (f"{_NAME} (VALUES (1, 'a'), (1, 'b')) {_BY_ID}", {}, "use distinct constants"),
    (_TYPED, {"a": 1, "x": "a", "b": 1, "y": "b"}, "use distinct constants"),
    (f"{_N} (VALUES ('c1', 1), ('c1 ', 2)) AS t (code, n) WHERE item.code = t.code", {}, "use distinct constants"),
    (f"{_N} (VALUES (1, 1), (2, 2)) AS t (id, n) WHERE item.id >= t.id", {}, "use distinct constants"),
    ("UPDATE item SET n = s.n FROM item s WHERE s.code = item.code", {}, "pick one with a subquery"),
)


served = beside_of(TABLES, "normalized", "embedded", scope="module")
"""Items, in documents of their own and in their shelves."""


@pytest.mark.thorough
def test_beside_postgresql(served: Beside) -> None:
    """The same rows are changed, to the same values; parameters are keys too."""
    store = Store(served.proposal, served.database)
    read = "SELECT * FROM item ORDER BY id"
    for sql, values in DONE:
        served.theirs(sql, values)
        store.execute(sql, **values)
        found = [tuple(str(v) if isinstance(v, Decimal) else v for v in row.values()) for row in store.execute(read)]
        assert found == served.theirs(read), sql


@pytest.mark.parametrize(("sql", "values", "said"), GAPS)
def test_two_rows_for_one_are_a_gap(served: Beside, sql: str, values: Mapping[str, object], said: str) -> None:
    """As any of them would do in PostgreSQL; what to write is told."""
    with pytest.raises(GapError, match=said):
        Store(served.proposal, served.database).execute(sql, **values)


def test_parameters_are_named(served: Beside) -> None:
    """Where no Store has their values."""
    said = served.gap(f"{_NAME} (VALUES (:a::int, 'a'), (2, 'b')) {_BY_ID}")
    assert said.startswith("values from VALUES with keys that may repeat: `a` is a parameter; a Store binds it")


def test_an_index_finds_the_rows(served: Beside) -> None:
    """The keys stand in the condition."""
    found = pipeline.convert(served.proposal, DONE[0][0], dialect="postgresql")
    assert isinstance(found, CompiledWrite)
    assert "item.id in (1, 2, 99)" in found.access_path
