"""What real PostgreSQL statements brought to light: counterexamples and gaps found by the benchmarks, beside PostgreSQL."""

# ruff: noqa: DTZ001 - a timestamp has no zone
from __future__ import annotations

import re
import uuid
from collections import Counter
from collections.abc import Iterator, Mapping
from datetime import UTC, date, datetime, timedelta, timezone
from decimal import Decimal
from typing import Any

import pytest
import sqlalchemy as sa
from pymongo import MongoClient
from pymongo.database import Database

from nestling import pipeline
from nestling.common.errors import GapError, WorkloadError
from nestling.emitters.mql.read import compiled_read
from nestling.executors.run import run_read
from nestling.ir.programs.compiled import NotCompiled
from nestling.ir.proposal import Proposal
from nestling.ir.statements.algebra import Query
from nestling.planner.reads import plan_read
from nestling.planner.sql import translate
from nestling.store import Store
from tests.planner.reads.beside_postgresql import beside, written

TABLES = """
CREATE TYPE size AS ENUM ('small', 'big', 'Large', 'huge');
CREATE TABLE country (code character(4) PRIMARY KEY, name character(12) NOT NULL, area numeric NOT NULL);
CREATE TABLE town (id integer PRIMARY KEY, code character(4) REFERENCES country, name text, founded date, tax numeric, mark uuid,
    noted timestamp, seen timestamptz, rate float8, size size);
INSERT INTO country VALUES ('DE', 'Germany', 357.6), ('FR', 'France', 551), ('A', 'Austria', 83.879);
INSERT INTO town VALUES (1, 'DE', 'Köln', '0050-01-01', 2), (2, 'DE', 'Aachen', '1993-07-15', 12.50),
    (3, 'FR', '(Aix)', '1993-09-30', 0.3), (4, NULL, '', NULL, NULL), (5, 'A', 'a', '1993-10-01', 7.125);
UPDATE town SET mark = 'a0000000-0000-0000-0000-00000000000a' WHERE id < 3;
UPDATE town SET rate = tax;
UPDATE town SET size = (ARRAY['Large', 'small', 'huge', NULL, 'big'])[id]::size;
UPDATE town SET noted = '2024-01-31 10:00:00.123456', seen = '2024-01-31 10:00:00.123456Z' WHERE id = 1;
UPDATE town SET noted = '2024-01-31 10:00:00', seen = '2024-01-31 12:00:00+02' WHERE id = 2;
UPDATE town SET noted = '2024-01-31', seen = '0999-01-31Z' WHERE id = 3;
"""
STATEMENTS = (
    "SELECT t.id FROM town t JOIN country c ON c.code = t.code WHERE c.name = 'Germany'",
    "SELECT name, count(*) FROM country GROUP BY name HAVING count(*) > 0",
    "SELECT DISTINCT c.name FROM town t JOIN country c ON c.code = t.code",
    "SELECT code FROM country WHERE name IN ('France', 'Austria   ')",
    "SELECT id, tax / 7.0 AS share, area / tax AS per FROM town t JOIN country c ON c.code = t.code",
    "SELECT sum(tax) / 3, avg(tax) FROM town",
    "SELECT id, extract(month FROM founded) / 4, 1 / extract(day FROM noted), extract(year FROM founded)::int / 4 FROM town",
    "SELECT id, date_part('month', founded), date_part('month', founded) / 4, date_part('year', noted)::int / 4 FROM town",
    "SELECT date_part('epoch', founded), date_part('doy', founded) AS s FROM town WHERE id BETWEEN 2 AND 3",
    "SELECT date_part('year', founded), count(*) FROM town GROUP BY 1 HAVING date_part('year', founded) > 100",
    "SELECT id FROM town WHERE date_part('dow', founded) IN (4, 5) ORDER BY DATE_PART('year', founded), id",
    "SELECT id, substring(name from '[a-z]+'), substring(name, 'a(.)'), substring(name from '^(.*).$') FROM town",
    "SELECT id, substring(code from '[A-Z]{2}'), substring(code, '.$'), substring('a12(b' from '[(](b)') FROM town",
    "SELECT id, substring(name, 'x?') FROM town WHERE substring(name from '[aeiou].*') > 'b' OR substring(name, 'z') IS NULL",
    "SELECT id, split_part(name, 'a', 1) AS a, split_part(name, 'e', -1) AS b, split_part(name, 'ach', 3) AS c FROM town",
    "SELECT split_part(name, '(', 2) AS part, count(*) FROM town GROUP BY 1 HAVING split_part(name, '(', 2) <> 'x'",
    "SELECT id FROM town WHERE split_part(code, 'E', 2) = '' AND split_part('xyxyx', 'xyx', 2) = 'yx'",
    "SELECT id, mod(-tax, 0.5) AS rest, mod(-tax, 1), mod(tax, 0.1) AS r FROM town",
    "SELECT id, ceil(id) / 2, floor(id) / 2, round(id) / 2, sign(id) / 2, round(tax) / 2 FROM town",
    "SELECT id FROM town WHERE 0.3 IN (rate, 2.5) OR id IN (7, 2)",
    "SELECT sum(id)::numeric / 2, sum(id)::bigint / 2, sum(tax) / 2, sum(id) * 1.0 / 4, count(*) / 2 FROM town",
    "SELECT sum(n) / count(*), max(n) / 2, avg(n) FROM (SELECT count(*) AS n FROM town GROUP BY code) x",
    "SELECT code, count(*) * 100 / sum(count(*)) OVER () AS share, sum(sum(id)) OVER (ORDER BY code) / 4 FROM town GROUP BY code",
    "SELECT id, extract(year FROM founded)::text, 'in ' || extract(year FROM founded) FROM town",
    "SELECT id, CAST(tax AS numeric(4, 1)), CAST(name AS varchar(2)) FROM town",
    "SELECT id, coalesce(founded, '2000-02-29') FROM town",
    "SELECT id, left(name, 2), right(name, 3) FROM town",
    "SELECT id, left(name, -1), right(name, -2), left(code, -1), left(name, -9), right(name, -9), left('köln', -2) FROM town",
    "SELECT id FROM town WHERE id BETWEEN SYMMETRIC 4 AND 2 OR tax NOT BETWEEN SYMMETRIC 8 AND 1",
    "SELECT id, founded BETWEEN SYMMETRIC '1993-09-30' AND noted::date FROM town",
    "SELECT code, sum(CASE WHEN id > 1 THEN tax ELSE 0 END) / sum(tax) AS part FROM town WHERE tax > 0 GROUP BY code",
    "SELECT id, avg(tax) OVER (PARTITION BY id > 2) AS mean FROM town",
    "SELECT id, avg(tax) OVER (ORDER BY id ROWS BETWEEN 1 FOLLOWING AND 2 FOLLOWING) AS mean FROM town",
    "SELECT c.code, c.name, c.area, sum(t.tax) AS tax FROM town t JOIN country c ON c.code = t.code GROUP BY c.code",
    "SELECT t.id FROM country c JOIN town t USING (code) WHERE tax = (SELECT max(o.tax) FROM town o WHERE o.code = c.code)",
    "SELECT id, ascii(name) FROM town WHERE id > 1",
    "SELECT id FROM town WHERE ascii(substring(name from 1 for 1)) = 65",
    "SELECT id FROM town WHERE name ~ '[()]'",
    "SELECT id, num_nulls(founded, tax, code), num_nonnulls(founded), num_nonnulls(NULL, code, 1) FROM town",
    "SELECT t.id FROM town t LEFT JOIN country c ON c.code = t.code WHERE num_nonnulls(t.code, c.name, t.tax) IN (1, 2)",
    "SELECT id, starts_with(name, 'K'), starts_with(name, ''), starts_with(name, NULL) FROM town",
    "SELECT id FROM town WHERE starts_with(name, '(A') OR NOT starts_with(name, lower('A'))",
    "SELECT id, (SELECT c.name FROM country c WHERE c.code = t.code) AS land FROM town t",
    "SELECT id FROM town WHERE (code, id) > ('DE', 1) ORDER BY code, id FETCH FIRST 2 ROWS ONLY",
    "SELECT id, (code, tax) <= ('DE', 7), (tax, code) >= (2, 'DE') FROM town",
    "SELECT id FROM town WHERE code = ANY (SELECT code FROM country WHERE area > 400) OR id = SOME (ARRAY[1, 4])",
    "SELECT id FROM town WHERE code <> ALL (SELECT code FROM country WHERE area > 400) AND id <> ALL (ARRAY[1, NULL, 4])",
    "SELECT id FROM town WHERE id <> ALL (ARRAY[1, 4])",
    "SELECT id FROM town WHERE id IN (VALUES (1), (4)) OR (code, id) IN (VALUES ('DE', 2), ('FR', 1))",
    "SELECT id FROM town WHERE (code, id) NOT IN (VALUES ('DE', 2), ('FR', NULL))",
    "SELECT id FROM town ORDER BY size LIMIT 2",
    "SELECT id FROM town ORDER BY size DESC NULLS LAST LIMIT 2",
    "SELECT id FROM town WHERE size > 'big' OR size <= 'small'",
    "SELECT id FROM town WHERE size BETWEEN 'small' AND 'Large' AND size <> 'big'",
    "SELECT id, rank() OVER (ORDER BY size) FROM town",
    "SELECT DISTINCT size FROM town ORDER BY size LIMIT 2",
    "SELECT size, count(*) FROM town WHERE size IS NOT NULL GROUP BY size ORDER BY size DESC LIMIT 1",
    "SELECT (SELECT o.id FROM town o WHERE o.size < t.size ORDER BY o.size DESC LIMIT 1) AS next FROM town t",
    "SELECT size, count(*) FROM town GROUP BY ROLLUP(size) ORDER BY size LIMIT 3",
    "SELECT size, code, count(*) FROM town GROUP BY CUBE(size, code) ORDER BY size DESC, code, count(*) LIMIT 5",
    "SELECT code, size, count(*) FROM town GROUP BY GROUPING SETS ((code), (size), ()) ORDER BY size, code, count(*) LIMIT 3",
    "SELECT size FROM town WHERE id < 4 UNION SELECT NULL UNION SELECT size FROM town ORDER BY size LIMIT 3",
    "SELECT id, founded FROM town UNION ALL SELECT 9, NULL ORDER BY founded DESC, id LIMIT 3",
    "SELECT id FROM town WHERE founded >= DATE '1993-07-01' AND founded < DATE '1993-07-01' + INTERVAL '3 months'",
)


@pytest.mark.thorough
def test_date_part_is_a_float(towns: tuple[sa.Engine, Proposal, Database[Any]]) -> None:
    """EXTRACT gives a decimal, date_part a double, and their columns are called so."""
    engine, proposal, database = towns
    sql = "SELECT date_part('year', founded), extract(year FROM founded) FROM town WHERE id = 2"
    (row,) = Store(proposal, database).execute(sql)
    with engine.connect() as connection:
        (theirs,) = connection.exec_driver_sql(sql).mappings()
    assert [*row.items()] == [*theirs.items()]
    assert [type(value) for value in row.values()] == [float, Decimal]


UUIDS = tuple(
    f"SELECT id FROM town WHERE {condition}"
    for condition in (
        "mark = 'a0000000-0000-0000-0000-00000000000a'",
        "mark = 'A0000000-0000-0000-0000-00000000000A'::uuid",
        "mark <> '{a000-0000000000000000-00000000000a}'",
        "mark IN ('a000000000000000000000000000000a', 'b0000000-0000-0000-0000-00000000000b')",
        "mark NOT IN ('b0000000-0000-0000-0000-00000000000b')",
        "mark > 'a0000000-0000-0000-0000-000000000009' AND mark < CAST('b0000000-0000-0000-0000-000000000000' AS uuid)",
        "coalesce(mark, 'c0000000-0000-0000-0000-00000000000c') = 'c0000000-0000-0000-0000-00000000000c'",
        "mark = ANY (ARRAY['a0000000-0000-0000-0000-00000000000a']::uuid[])",
    )
)


@pytest.fixture(scope="module")
def towns(
    postgresql: str, mongo_client: MongoClient[dict[str, Any]]
) -> Iterator[tuple[sa.Engine, Proposal, Database[Any]]]:
    """The tables in a database of their own, loaded by the normalized design."""
    with beside(postgresql, mongo_client, TABLES) as found:
        yield found.engine, found.proposal, found.database


@pytest.mark.parametrize("sql", [*STATEMENTS, *UUIDS])
def test_answers_are_postgresqls(towns: tuple[sa.Engine, Proposal, Database[Any]], sql: str) -> None:
    """To the last digit of a quotient."""
    engine, proposal, database = towns
    query = translate(sql, proposal.design.model, "postgresql")
    assert isinstance(query, Query)
    read = compiled_read(plan_read(query, proposal.design, statistics=proposal.statistics))
    with engine.connect() as connection:
        theirs = Counter(tuple(map(written, row)) for row in connection.exec_driver_sql(sql))
    assert Counter(tuple(map(written, row)) for row in run_read(database, read)) == theirs


MARK = uuid.UUID("a0000000-0000-0000-0000-00000000000a")
HOUR, FINE = datetime(2024, 1, 31, 10), datetime(2024, 1, 31, 10, 0, 0, 123456)
ZONED = timezone(timedelta(hours=2))
TIMES: tuple[tuple[str, Mapping[str, object]], ...] = (
    ("noted = %(at)s", {"at": HOUR}),
    ("noted > %(at)s", {"at": HOUR}),
    ("noted <= %(at)s", {"at": FINE}),
    ("noted <> %(at)s", {"at": FINE}),
    ("noted < %(at)s", {"at": date(2024, 2, 1)}),
    ("noted BETWEEN %(low)s AND %(high)s", {"low": HOUR, "high": FINE}),
    ("noted = %(at)s", {"at": None}),
    ("coalesce(noted, %(at)s) = %(at)s", {"at": HOUR}),
    ("noted = ANY(%(ats)s)", {"ats": [HOUR, FINE]}),
    ("noted <> ALL(%(ats)s)", {"ats": [HOUR]}),
    ("noted = ANY(%(ats)s::timestamp[])", {"ats": [FINE, None]}),
    ("seen >= %(at)s", {"at": datetime(2024, 1, 31, 12, tzinfo=ZONED)}),
    ("seen = %(at)s", {"at": FINE.replace(tzinfo=UTC)}),
    ("seen = ANY(%(ats)s)", {"ats": [datetime(2024, 1, 31, 12, tzinfo=ZONED), FINE.replace(tzinfo=UTC)]}),
    ("seen = ANY(%(ats)s::timestamptz[])", {"ats": [datetime(2024, 1, 31, 12, tzinfo=ZONED), None]}),
    ("seen <> ALL(%(ats)s::timestamp[])", {"ats": [FINE]}),
    ("founded = ANY(%(ats)s::timestamptz[])", {"ats": [datetime(1993, 10, 1, tzinfo=UTC)]}),
    ("tax = %(share)s", {"share": 0.3}),
    ("tax >= %(share)s", {"share": 0.3}),
    ("tax < %(share)s", {"share": 0.3}),
    ("tax <> %(share)s", {"share": 0.3}),
    ("tax = ANY(%(shares)s)", {"shares": [0.3, 12.5, None]}),
    ("tax <> ALL(%(shares)s)", {"shares": [0.3, 12.5]}),
    ("tax * %(share)s > 1", {"share": 0.3}),
    ("rate = %(share)s", {"share": Decimal("0.3")}),
    ("rate <= %(share)s", {"share": Decimal("0.3")}),
    ("rate = ANY(%(shares)s)", {"shares": [Decimal("0.30"), Decimal("7.125"), None]}),
    ("rate = ANY(%(shares)s::float8[])", {"shares": [0.3, 12.5]}),
    ("NOT seen = ANY(%(ats)s)", {"ats": [datetime(2024, 1, 31, 12, tzinfo=ZONED)]}),
)
LISTS: tuple[tuple[str, Mapping[str, object]], ...] = (
    ("id = ANY(%(ids)s)", {"ids": [1, 3, 3, 9]}),
    ("id = ANY(%(ids)s)", {"ids": []}),
    ("NOT id = ANY(%(ids)s::int[])", {"ids": [1, None]}),
    ("(id = ANY(%(ids)s::bigint[])) IS NULL", {"ids": None}),
    ("id <> ALL(%(ids)s::int[])", {"ids": [2, 5]}),
    ("id <> ALL(%(ids)s::int[])", {"ids": []}),
    ("code <> ALL(%(codes)s)", {"codes": ["FR"]}),
    ("code <> ALL(%(codes)s::text[])", {"codes": []}),
    ("name = ANY(%(names)s::text[])", {"names": ["a", "", None]}),
    ("tax = ANY(%(taxes)s)", {"taxes": [Decimal("12.5"), Decimal("0.30")]}),
    ("tax = ANY(%(taxes)s::numeric[])", {"taxes": [2, 7]}),
    ("founded = ANY(%(days)s)", {"days": [date(1993, 9, 30), date(50, 1, 1)]}),
    ("founded <> ALL(%(days)s::date[])", {"days": ["1993-10-01", "1993-07-15"]}),
    ("mark = %(mark)s", {"mark": str(MARK)}),
    ("mark = ANY(%(marks)s)", {"marks": [MARK, None]}),
    ("mark = ANY(%(marks)s)", {"marks": [str(MARK).upper(), str(uuid.UUID(int=5))]}),
    ("mark <> ALL(%(marks)s::uuid[])", {"marks": [str(MARK)]}),
    ("founded = ANY(%(days)s::timestamp[])", {"days": [datetime(1993, 9, 30), datetime(1993, 9, 30, 12)]}),
)
CASTS: tuple[tuple[str, Mapping[str, object]], ...] = (
    ("id = %(id)s::int", {"id": 3}),
    ("id + CAST(%(more)s AS bigint) > 4", {"more": 2}),
    ("name LIKE %(like)s::varchar", {"like": "%a%"}),
    ("name = %(name)s::text OR %(name)s::text IS NULL", {"name": None}),
    ("tax = %(tax)s::numeric", {"tax": Decimal("12.5")}),
    ("tax > %(tax)s::numeric", {"tax": 2}),
    ("tax = %(tax)s::numeric", {"tax": 0.3}),
    ("tax = ANY(%(taxes)s::numeric[])", {"taxes": [12.5, 7.0]}),
    ("rate < %(rate)s::double precision", {"rate": 5.5}),
    ("founded >= %(day)s::date", {"day": date(1993, 9, 30)}),
    ("founded < %(at)s::timestamp", {"at": HOUR}),
    ("noted = %(at)s::timestamp without time zone", {"at": FINE}),
    ("seen > %(at)s::timestamp with time zone", {"at": datetime(2024, 1, 31, 11, tzinfo=ZONED)}),
    ("mark = %(mark)s::uuid", {"mark": MARK}),
    ("(id > 2) = %(large)s::boolean", {"large": True}),
)
TEXTS: tuple[tuple[str, Mapping[str, object]], ...] = (
    ("name ILIKE '%%' || %(part)s || '%%'", {"part": "A"}),
    ("name ILIKE '%%' || %(part)s || '%%'", {"part": None}),
    ("name LIKE %(start)s || '%%'", {"start": "("}),
    ("name NOT LIKE %(start)s || '%%'", {"start": ""}),
    ("name = 'K' || %(rest)s", {"rest": "öln"}),
    ("name = %(one)s || %(other)s", {"one": "Aa", "other": "chen"}),
    ("name || %(more)s = 'a1'", {"more": 1}),
    ("id || %(more)s = '3x'", {"more": "x"}),
    ("length(name || %(more)s) > 3", {"more": "ß"}),
)


@pytest.mark.parametrize(("condition", "values"), [*LISTS, *TIMES, *CASTS, *TEXTS])
def test_parameters_are_postgresqls(
    towns: tuple[sa.Engine, Proposal, Database[Any]], condition: str, values: Mapping[str, object]
) -> None:
    """Arrays as psycopg sends them, also where the statement says their type, and times beside finer ones."""
    engine, proposal, database = towns
    sql = f"SELECT id, code FROM town WHERE {condition}"
    query = translate(re.sub(r"%\((\w+)\)s", r":\1", sql), proposal.design.model, "postgresql")
    assert isinstance(query, Query)
    read = compiled_read(plan_read(query, proposal.design, statistics=proposal.statistics))
    with engine.connect() as connection:
        theirs = Counter(map(tuple, connection.exec_driver_sql(sql, dict(values))))
    assert Counter(run_read(database, read, values)) == theirs


@pytest.mark.parametrize(
    ("kind", "value"),
    [
        ("int", 1.5),
        ("int", True),
        ("text", 1),
        ("date", datetime(1993, 9, 30, 12)),
        ("numeric", 0.1 + 0.2),
        ("uuid", "a"),
    ],
)
def test_a_value_the_cast_would_change_is_refused(
    towns: tuple[sa.Engine, Proposal, Database[Any]], kind: str, value: object
) -> None:
    """Rounded, shortened or read by the database; what of it the statement means is not guessed."""
    _, proposal, database = towns
    column = {"int": "id", "text": "name", "date": "founded", "numeric": "tax", "uuid": "mark"}[kind]
    for asked, given in ((f"ANY(:given::{kind}[])", [None, value]), (f":given::{kind}", value)):
        query = translate(f"SELECT id FROM town WHERE {column} = {asked}", proposal.design.model, "postgresql")
        assert isinstance(query, Query)
        read = compiled_read(plan_read(query, proposal.design, statistics=proposal.statistics))
        with pytest.raises(WorkloadError, match="parameter `given` must be"):
            list(run_read(database, read, {"given": given}))


def test_a_uuid_that_is_written_down_is_one(towns: tuple[sa.Engine, Proposal, Database[Any]]) -> None:
    """An index finds it, a write stores it, and a text that is none is a mistake, as there."""
    _, proposal, database = towns
    store = Store(proposal, database)
    one, other = (f"{letter}0000000-0000-0000-0000-0000000000ff" for letter in "bc")
    store.execute(f"INSERT INTO town (id, mark) VALUES (90, '{one}')")
    store.execute(f"UPDATE town SET mark = '{other}'::uuid WHERE mark = '{one}'")
    assert store.execute(f"SELECT mark FROM town WHERE mark = '{other}'")[0]["mark"] == uuid.UUID(other)
    assert store.execute(f"DELETE FROM town WHERE mark = '{other}'").affected == 1
    for given in ("'a'", "CAST('a' AS uuid)"):
        with pytest.raises(WorkloadError, match="`a` is not a UUID") as found:
            store.execute(f"SELECT id FROM town WHERE mark = {given}")
        assert "32 hexadecimal digits" in found.value.problems[0].next_move
    with pytest.raises(WorkloadError, match="'a' cannot be stored as uuid"):
        store.execute("INSERT INTO town (id, mark) VALUES (91, 'a')")


def test_the_least_of_an_enum_is_a_gap(towns: tuple[sa.Engine, Proposal, Database[Any]]) -> None:
    """Its values do not come in the order of their texts, which is what MongoDB's `$min` goes by."""
    _, proposal, _ = towns
    found = pipeline.convert(proposal, "SELECT min(size) FROM town", dialect="postgresql")
    assert isinstance(found, NotCompiled)
    assert "MIN of an enum" in found.gap.what
    for function in ("greatest", "least"):
        found = pipeline.convert(proposal, f"SELECT {function}(size, 'big') FROM town", dialect="postgresql")
        assert isinstance(found, NotCompiled)
        assert "least or greatest of an enum" in found.gap.what


@pytest.mark.parametrize(
    ("sql", "why"),
    [
        ("SELECT sum(id) / 2 FROM town", "sums of integers"),
        ("SELECT q / 2 FROM (SELECT sum(id) AS q FROM town) x", "sums of integers"),
        ("SELECT id, sum(id) OVER () / count(*) OVER () FROM town", "sums of integers"),
    ],
)
def test_what_postgresql_alone_knows_is_a_gap(
    towns: tuple[sa.Engine, Proposal, Database[Any]], sql: str, why: str
) -> None:
    """Whether a column is a bigint, whose sums have fractions when divided."""
    with pytest.raises(GapError, match=why):
        translate(sql, towns[1].design.model, "postgresql")
