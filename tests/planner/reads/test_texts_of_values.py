"""Values of every type as texts, by `||`, by a cast and by the functions that write values as they are shown."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from pymongo import MongoClient

from tests.planner.reads.beside_postgresql import Beside, beside

TABLES = """
CREATE TYPE size AS ENUM ('small', 'big');
CREATE TABLE thing (id integer PRIMARY KEY, name text, ok boolean, price numeric, rate float8, made date, at timestamp, mark uuid,
    span interval, tags text[], note jsonb, size size, code char(4), opens time, large bigint);
INSERT INTO thing VALUES
    (1, 'abc', true, 1.50, 1e20, '2024-01-31', '2024-01-31 10:00:00.5', 'a0000000-0000-0000-0000-00000000000a', '2 hours',
        '{x,y}', '{"a": 1}', 'big', 'ab', '10:00', 9007199254740993),
    (2, 'Äx', false, 100, 0.1, '1969-07-20', '1969-07-20 20:17:40', NULL, '1 month', '{}', '[1]', 'small', 'abcd',
        '10:00:01.5', -5);
INSERT INTO thing (id) VALUES (3);
"""
STATEMENTS = (
    "'ok: ' || true",
    "'ok: ' || ok, 'ok: ' || (id > 1), ok::text, CAST(true AS text)",
    "concat('a', NULL, 1, true), concat(ok, '!'), concat_ws('-', name, ok, false), format('%s %s', ok, true)",
    "concat(id > 1, ok AND id < 5), concat(NOT ok), concat(coalesce(ok, false)), concat(CASE WHEN id > 1 THEN true END)",
    "ok::varchar(2), made::varchar(4)",
    "concat('x', made), 'x' || made, concat('x', size), concat('x', opens), concat('x', large)",
    "'x' || code || 'y', concat('x', code, 'y'), format('%s.', code), concat_ws(code, 'a', 'b')",
    "length(code), octet_length(code), upper(code) || 'z', left(code, 3) || 'y', replace(code, ' ', '_'), lpad(code, 6, '.')",
    "code::text, code::varchar(3), coalesce(code, 'x') || 'y', CASE WHEN id < 3 THEN code END || '.'",
    "(SELECT o.code FROM thing o WHERE o.id = t.id) || 'y'",
    "code LIKE 'ab', code LIKE '%  ', code ~ 'b$', code || '' = 'ab', code::text = 'ab', 'abc' LIKE code || '%'",
)
TOGETHER = (
    "SELECT bool_and(ok) || '', concat(bool_or(ok), count(*)) FROM thing",
    "SELECT max(code) || 'y', string_agg(code, ',' ORDER BY id) FROM thing",
    "SELECT x || 'y' FROM (SELECT code AS x FROM thing) q",
)


@pytest.fixture(scope="module")
def things(postgresql: str, mongo_client: MongoClient[dict[str, Any]]) -> Iterator[Beside]:
    """The table in PostgreSQL and in MongoDB."""
    with beside(postgresql, mongo_client, TABLES) as found:
        yield found


@pytest.mark.parametrize("sql", [*(f"SELECT id, {each} FROM thing t ORDER BY id" for each in STATEMENTS), *TOGETHER])
def test_texts_are_postgresqls(things: Beside, sql: str) -> None:
    """Truth is a word by a cast and a letter by `concat`; the blanks of `character(n)` are shown, and no part of its text."""
    assert things.ours(sql) == things.theirs(sql.replace("%", "%%"))


@pytest.mark.parametrize("column", ["price", "rate", "at", "mark", "span", "tags", "note"])
def test_what_no_text_is_made_of_is_a_gap(things: Beside, column: str) -> None:
    """Rather than the text of another database."""
    for asked in (f"concat('x', {column})", f"{column}::text", f"format('%s', {column})"):
        assert "to text" in things.gap(f"SELECT {asked} FROM thing")
