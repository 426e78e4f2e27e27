"""Values of every type as texts, by `||`, by a cast and by the functions that write values as they are shown."""

from __future__ import annotations

import pytest

from tests.planner.reads.beside_postgresql import Beside, beside_of

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


things = beside_of(TABLES, scope="module")
"""The table in PostgreSQL and in MongoDB."""


@pytest.mark.parametrize("sql", [*(f"SELECT id, {each} FROM thing t ORDER BY id" for each in STATEMENTS), *TOGETHER])
def test_texts_are_postgresqls(things: Beside, sql: str) -> None:
    """Truth is a word by a cast and a letter by `concat`; the blanks of `character(n)` are shown, and no part of its text."""
    assert things.ours(sql) == things.theirs(sql.replace("%", "%%"))


SALES = """
CREATE TABLE shop (id integer PRIMARY KEY, name text);
CREATE TABLE sale (id integer PRIMARY KEY, shop_id integer REFERENCES shop, price numeric(12, 2) NOT NULL, vat numeric(5, 4),
    bal numeric(20, 4), plain numeric, is_new boolean);
INSERT INTO shop VALUES (1, 'a'), (2, 'b');
INSERT INTO sale VALUES (1, 1, 0, 0.19, -0.0001, 1.5, true), (2, 1, 12.5, 0.07, 9999999999999999.9999, 0.001, NULL),
    (3, NULL, -12.55, NULL, 12.5000, NULL, false), (4, 2, 1234567890.12, 0, -1234.5678, 1e20, true),
    (5, 2, 0.05, 0.1, 0.05, 100, NULL);
"""
OF_DECIMALS = (
    "SELECT id, price::text, abs(price)::text, (-price)::text, sign(price)::text, price::varchar(4) FROM sale",
    "SELECT id, ceil(price)::text, floor(price)::text, ceil(bal)::text, round(bal)::text, trunc(bal) || '' FROM sale",
    "SELECT id, round(bal, 1)::text, 'B:' || round(bal, 2), round(bal, -2)::text, round(price, 5)::text FROM sale",
    "SELECT id, trunc(bal, 2)::text, trunc(price, 4)::text, trunc(price, -1)::text, (bal * 0)::text FROM sale",
    "SELECT id, (price * 1.10)::text, (price * vat)::text, (price + vat)::text, (price - id)::text FROM sale",
    "SELECT id, round(price * (1 + vat), 2)::text, concat('a', price + 1), format('%s', price * 2) FROM sale",
    "SELECT id, price::numeric::text, price::numeric(12, 1)::text, plain::numeric(25, 3)::text FROM sale",
    "SELECT id, (price / 3)::numeric(12, 2)::text, round(price / 3, 1) || '' FROM sale",
    "SELECT id, round(price / 3, 2)::text, round(price / (vat + 1), 1)::text, trunc(bal / 7, 2)::text FROM sale",
    "SELECT sum(price)::text, (sum(round(bal, 2)) FILTER (WHERE bal < 0))::text, sum(price * vat) || '' FROM sale",
    "SELECT shop_id, sum(price)::text, (sum(price) * 2)::text, max(bal)::text FROM sale GROUP BY shop_id",
    "SELECT shop_id, round(avg(price), 2)::text, trunc(avg(id), 1)::text FROM sale GROUP BY shop_id",
    "SELECT round(100.0 * count(*) FILTER (WHERE is_new) / count(*), 1)::text || '%', (count(*) * 1.5)::text FROM sale",
    "SELECT id, sum(price) OVER (ORDER BY id)::text, round(avg(price) OVER (PARTITION BY shop_id), 2)::text FROM sale",
    "SELECT round(price, 1)::text AS k, count(*) FROM sale GROUP BY 1",
    "SELECT name, sum(price)::text FROM shop s LEFT JOIN sale ON shop_id = s.id WHERE bal::text <> '0.1' GROUP BY name",
)


sales = beside_of(SALES, "normalized", "embedded", scope="module")
"""Tables of numbers in PostgreSQL and in MongoDB."""


@pytest.mark.one_in(2)
@pytest.mark.parametrize("sql", OF_DECIMALS)
def test_decimals_show_their_digits(sales: Beside, sql: str) -> None:
    """As many as PostgreSQL shows of what is computed from columns with a scale; there is no `-0.0`."""
    assert sorted(map(repr, sales.ours(sql))) == sorted(map(repr, sales.theirs(sql.replace("%", "%%"))))


@pytest.mark.parametrize(
    "number", ["price / 3", "plain", "round(plain, 2)", "bal * bal", "vat * vat", "coalesce(price, 0)", "price * :x"]
)
def test_a_decimal_of_unknown_digits_is_a_gap(sales: Beside, number: str) -> None:
    """Also where they are more than the server takes into account; the gap says how to say them."""
    assert "`x::numeric(12, 2)::text`" in sales.gap(f"SELECT ({number})::text FROM sale")


@pytest.mark.parametrize("column", ["price", "rate", "at", "mark", "span", "tags", "note"])
def test_what_no_text_is_made_of_is_a_gap(things: Beside, column: str) -> None:
    """Rather than the text of another database."""
    for asked in (f"concat('x', {column})", f"{column}::text", f"format('%s', {column})"):
        assert "to text" in things.gap(f"SELECT {asked} FROM thing")
