"""PostgreSQL's `char(n)` beside PostgreSQL: what leaves out the blanks at its end, what sees them, and what is a gap."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from pymongo import MongoClient
from pymongo.database import Database

from nestling import pipeline
from nestling.common.errors import GapError, NestlingError
from nestling.ir.proposal import Proposal
from nestling.store import Store
from tests.planner.reads.beside_postgresql import beside, created

TABLES = """
CREATE TABLE land (code char(3) PRIMARY KEY, name character(8), note text);
CREATE TABLE town (id integer PRIMARY KEY, code char(3) REFERENCES land, mark char(5) DEFAULT 'x ', word varchar(5),
    short bpchar(2), note text);
"""
ROWS = """
INSERT INTO land VALUES ('DE', 'Germany', 'a'), ('FRA', 'France', 'b'), ('A', 'Österr. ', 'c');
INSERT INTO town VALUES (1, 'DE', 'ab', 'ab', 'ab'), (2, 'FRA', 'abc', 'x', 'a'), (3, NULL, NULL, 'y', NULL),
    (4, 'A', '', '', ''), (5, 'DE ', 'z', 'z  ', 'z'), (6, 'DE', ' q', 'Äb', ' '), (7, 'A', 'abcde', 'abcde', 'ab');
UPDATE town SET note = word;
"""
CONDITIONS = (
    "mark = 'ab'",
    "mark = 'ab  '",
    "'ab       ' = mark",
    "mark = 'ab'::text",
    "mark = 'ab '::text",
    "mark = 'ab '::varchar",
    "mark = 'ab '::char(5)",
    "mark = 'abcx'::char(3)",
    "mark = 'ab '::bpchar",
    "mark::text = 'ab'",
    "mark::text = 'ab   '",
    "mark::varchar(1) = 'a'",
    "mark::char(2) = 'ab'",
    "word::char(2) = 'ab '",
    "word::char(4) = 'z'",
    "mark = word",
    "word = mark",
    "mark <> word",
    "mark = upper(word)",
    "lower(word) = mark",
    "mark = word::text",
    "word::text = mark",
    "mark::text = word",
    "mark = note::varchar",
    "mark = note::text",
    "mark = short",
    "short < mark",
    "mark < word",
    "mark IS DISTINCT FROM word",
    "mark IN ('ab  ', 'z')",
    "mark IN ('z '::text)",
    "mark IN ('ab ', word)",
    "word IN ('x', mark)",
    "mark NOT IN ('ab ', 'z ')",
    "mark = ANY (ARRAY['ab ', 'z'])",
    "mark = ANY (ARRAY['ab ', 'z']::bpchar[])",
    "mark <> ALL (ARRAY['ab', 'z '])",
    "mark IN (SELECT t.word FROM town t)",
    "word IN (SELECT t.mark FROM town t)",
    "mark BETWEEN 'ab ' AND 'abc '",
    "mark > 'ab '",
    "mark >= 'ab'",
    "upper(mark) = 'AB'",
    "length(mark) = 2",
    "char_length(mark) > 2",
    "octet_length(mark) = 5",
    "mark LIKE 'ab'",
    "mark LIKE 'ab%'",
    "mark LIKE 'ab___'",
    "mark LIKE '% '",
    "mark LIKE 'ab %'",
    "mark LIKE '%b%'",
    "mark ILIKE 'AB%'",
    "mark NOT LIKE 'a%c  '",
    "word LIKE mark",
    "mark::text LIKE 'ab'",
    "mark LIKE word",
    "mark ~ '^ab$'",
    "mark ~ '^ab *$'",
    "mark ~ 'b '",
    "mark || 'x' = 'abx'",
    "right(mark, 1) = 'b'",
    "concat(mark, 'x') = 'ab   x'",
    "coalesce(mark, 'ab') = 'ab '",
    "coalesce(mark, short) = 'ab '",
    "nullif(mark, 'ab ') IS NULL",
    "CASE WHEN id < 3 THEN mark ELSE 'q ' END = 'q'",
    "CASE mark WHEN 'ab ' THEN 1 ELSE 0 END = 1",
    "greatest(mark, short) = 'ab'",
    "mark = ''",
    "mark IS NULL",
    "(mark, id) = ('ab ', 1)",
    "(SELECT max(t.mark) FROM town t) = 'z '",
    "mark = (SELECT min(t.word) FROM town t)",
    "EXISTS (SELECT 1 FROM (SELECT mark AS m FROM town) t WHERE t.m = town.word)",
    "starts_with(mark, 'ab')",
    "position(' ' IN mark) = 1",
)
ANSWERS = (
    "SELECT * FROM town",
    "SELECT id, mark, short, code FROM town ORDER BY mark, id",
    "SELECT id, lower(mark), reverse(mark), replace(mark, ' ', '_'), mark::text, mark || '|', left(mark, 2) FROM town",
    "SELECT id, substring(mark FROM 2), substring(mark FROM 1 FOR 4), right(mark, 1) FROM town",
    "SELECT id, length(mark), octet_length(mark), char_length(mark) FROM town",
    "SELECT id, trim(mark), rtrim(mark), ltrim(mark), lpad(mark, 7, '*'), rpad(mark, 7, '*'), repeat(mark, 2) FROM town",
    "SELECT id, concat(mark, '|', word), concat_ws('-', mark, short), format('%s|', mark), ascii(mark) FROM town",
    "SELECT id, mark::char(2), mark::char(7), mark::varchar(2), word::char(3), 'ab'::char(4), 'q'::char FROM town",
    "SELECT string_agg(mark, ',' ORDER BY id) FROM town",
    "SELECT mark, count(*) FROM town GROUP BY mark",
    "SELECT short, count(*) FROM town GROUP BY short ORDER BY short",
    "SELECT DISTINCT mark FROM town ORDER BY mark DESC",
    "SELECT min(mark), max(mark), count(DISTINCT short) FROM town",
    "SELECT id, coalesce(mark, mark), nullif(mark, 'ab'), CASE WHEN id > 1 THEN mark END FROM town",
    "SELECT id, lag(mark) OVER (ORDER BY id), first_value(mark) OVER (ORDER BY id) FROM town",
    "SELECT mark FROM town UNION SELECT mark FROM town WHERE id > 2",
    "SELECT t.m FROM (SELECT mark AS m, id FROM town) t WHERE t.m > 'a'",
    "SELECT t.id, l.code, l.name FROM town t JOIN land l ON l.code = t.code",
    "SELECT t.id, l.name FROM town t LEFT JOIN land l USING (code)",
    "SELECT a.id, b.id FROM town a JOIN town b ON a.mark = b.word",
    "SELECT a.id, b.id FROM town a JOIN town b ON a.word = b.mark",
    "SELECT a.id, b.id FROM town a JOIN town b ON a.mark = b.short",
    "SELECT code, (SELECT max(t.mark) FROM town t WHERE t.code = land.code) FROM land",
    "SELECT id FROM town WHERE code IN (SELECT code FROM land WHERE name = 'Germany ')",
    "SELECT code, count(t.id), string_agg(t.mark, '/' ORDER BY t.id) FROM land LEFT JOIN town t USING (code) GROUP BY code",
    "WITH c AS (SELECT code, name FROM land) SELECT c.name FROM c WHERE c.code = 'DE ' ORDER BY 1",
)
GIVEN = (
    ("mark = :p", "ab"),
    ("mark = :p", "ab    "),
    ("mark = :p::text", "ab  "),
    ("mark = :p::text", "ab"),
    ("mark = :p::bpchar", "ab  "),
    ("mark IN (:p, 'q')", "z "),
    ("mark LIKE :p", "ab"),
    ("mark LIKE :p", "ab%"),
    ("mark LIKE :p", "% "),
    ("word = :p", "z  "),
    ("mark > :p", "ab "),
    ("coalesce(mark, :p) = 'r'", "r  "),
    ("mark = ANY(:p)", ["ab ", "z"]),
    ("mark = ANY(:p::text[])", ["ab ", "z"]),
    ("mark = ANY(:p::bpchar[])", ["ab ", "z"]),
)
GAPS = (
    ("SELECT coalesce(mark, '') FROM town", "of different lengths"),
    ("SELECT coalesce(mark, word) FROM town", "other texts"),
    ("SELECT coalesce(mark, 'x'::text) = 'x' FROM town", "other texts"),
    ("SELECT id FROM town WHERE mark = note", "may be text or varchar"),
    ("SELECT id FROM town WHERE note IN (SELECT mark FROM town)", "may be text or varchar"),
    ("SELECT id FROM town WHERE mark IN ('ab ', 'z'::text)", "other texts"),
    ("SELECT a.id FROM town a JOIN town b ON a.note = b.mark", "may be text or varchar"),
    ("SELECT mark FROM town UNION SELECT short FROM town", "of different lengths"),
    ("SELECT id FROM town WHERE coalesce(mark, 'x') LIKE 'x'", "of different lengths"),
    ("SELECT a.id FROM town a JOIN (SELECT word AS code FROM town) b USING (code)", "on one side only"),
)
WRITES = (
    "INSERT INTO land (code, name) VALUES ('B  ', 'Belgien') RETURNING code, name",
    "INSERT INTO land (code) VALUES ('DE')",
    "INSERT INTO land (code) VALUES ('DE ')",
    "INSERT INTO land (code) VALUES ('B      ')",
    "INSERT INTO land (code) VALUES ('long')",
    "INSERT INTO town (id, code) VALUES (10, 'B ')",
    "INSERT INTO town (id, code) VALUES (11, 'nix')",
    "INSERT INTO town (id, code, mark, word, short) VALUES (12, 'A', 'k  ', 'k  ', 'k') RETURNING mark, word, short, mark || '!'",
    "INSERT INTO town (id, mark) SELECT id + 20, word FROM town WHERE id IN (2, 5)",
    "INSERT INTO town (id, word) SELECT id + 30, mark FROM town WHERE id IN (1, 5)",
    "INSERT INTO town (id, short) SELECT id + 40, mark FROM town WHERE id IN (1, 5)",
    "INSERT INTO town (id, short) SELECT id + 50, mark FROM town WHERE id = 7",
    "UPDATE town SET mark = word || ' ' WHERE mark = 'z '",
    "UPDATE town SET mark = upper(mark) || '  ', short = mark::char(2) WHERE id = 2 RETURNING mark, short",
    "UPDATE town SET word = mark WHERE mark = 'ab'",
    "UPDATE town SET mark = 'toolong' WHERE id = 1",
    "UPDATE town SET code = 'FRA' WHERE code = 'DE  ' AND id = 6",
    "UPDATE land SET code = 'C ' WHERE code = 'B'",
    "INSERT INTO land (code, name) VALUES ('FRA', 'neu ') ON CONFLICT (code) DO UPDATE SET name = EXCLUDED.name RETURNING name",
    "INSERT INTO land (code, name) VALUES ('DE  ', 'neu') ON CONFLICT DO NOTHING",
    "DELETE FROM land WHERE code = 'DE '",
    "DELETE FROM town WHERE mark = 'abcde '",
)
WAYS = ("normalized", "embedded", "normalized from DDL", "embedded from DDL")


@dataclass(frozen=True)
class Loaded:
    """The tables in PostgreSQL, and loaded by a design."""

    url: str
    engine: sa.Engine
    proposal: Proposal
    database: Database[Any]

    @property
    def store(self) -> Store:
        """What answers in PostgreSQL's place."""
        return Store(self.proposal, self.database)

    def theirs(self, sql: str, given: object = None) -> list[tuple[object, ...]]:
        """PostgreSQL's answer."""
        text = sql.replace("%", "%%").replace(" :p", " %(p)s").replace("(:p", "(%(p)s")
        with self.engine.begin() as connection:
            rows = connection.exec_driver_sql(text, {"p": given})
            return [tuple(row) for row in rows] if rows.returns_rows else []

    def ours(self, sql: str, **given: object) -> list[tuple[object, ...]]:
        """MongoDB's."""
        return [tuple(row.values()) for row in self.store.execute(sql, **given)]

    def written_there(self, sql: str) -> object:
        """Rows PostgreSQL answers, or how many it changed; None where it refuses."""
        try:
            with self.engine.begin() as connection:
                done = connection.exec_driver_sql(sql.replace("%", "%%"))
                return [tuple(row) for row in done] if done.returns_rows else done.rowcount
        except sa.exc.DBAPIError:
            return None

    def written_here(self, sql: str) -> object:
        """The same of MongoDB."""
        try:
            done = self.store.execute(sql)
            return [tuple(row.values()) for row in done] if "RETURNING" in sql else done.affected
        except NestlingError:
            return None


@contextmanager
def loaded_by(way: str, postgresql: str, client: MongoClient[dict[str, Any]], folder: Path) -> Iterator[Loaded]:
    """The tables in both, by a strategy's design of the live server, or of its DDL."""
    strategy, *from_ddl = way.split(" ", 1)
    name, url, engine = created(postgresql, TABLES + ROWS)
    ddl = folder / "schema.sql"
    ddl.write_text(TABLES)
    reading = pipeline.inspect(str(ddl), dialect="postgresql") if from_ddl else pipeline.inspect(url)
    proposal = pipeline.design(reading, strategy)
    database = client[name]
    pipeline.load(proposal, url, database, mode=pipeline.LoadMode.REPLACE)
    yield Loaded(url, engine, proposal, database)
    client.drop_database(name)


@pytest.fixture(scope="module", params=WAYS)
def loaded(
    postgresql: str,
    mongo_client: MongoClient[dict[str, Any]],
    request: pytest.FixtureRequest,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[Loaded]:
    """The tables in both."""
    with loaded_by(request.param, postgresql, mongo_client, tmp_path_factory.mktemp("ddl")) as found:
        yield found


@pytest.mark.one_in(7)
@pytest.mark.in_turn("loaded")
@pytest.mark.parametrize("condition", CONDITIONS)
def test_rows_are_postgresqls(loaded: Loaded, condition: str) -> None:
    """With the condition and with its NOT."""
    for form in (condition, f"NOT ({condition})"):
        sql = f"SELECT id FROM town WHERE {form} ORDER BY id"
        assert loaded.ours(sql) == loaded.theirs(sql), form


@pytest.mark.in_turn("loaded")
@pytest.mark.parametrize(("condition", "value"), GIVEN)
def test_parameters_are_taken_as_postgresql_takes_them(loaded: Loaded, condition: str, value: object) -> None:
    """One that says no type is a char beside one."""
    sql = f"SELECT id FROM town WHERE {condition} ORDER BY id"
    assert loaded.ours(sql, p=value) == loaded.theirs(sql, value)


@pytest.mark.in_turn("loaded")
@pytest.mark.parametrize("sql", ANSWERS)
def test_answers_are_postgresqls(loaded: Loaded, sql: str) -> None:
    """To the last blank."""
    assert Counter(loaded.ours(sql)) == Counter(loaded.theirs(sql))


@pytest.mark.in_turn("loaded")
@pytest.mark.parametrize(("sql", "reason"), GAPS)
def test_blanks_nobody_knows_are_gaps(loaded: Loaded, sql: str, reason: str) -> None:
    """Never a value with other blanks."""
    with pytest.raises(GapError, match=reason):
        loaded.ours(sql)


def test_both_readers_read_alike(postgresql: str, tmp_path: Path) -> None:
    """A live server and its DDL: texts of their own type, a bpchar without a length a gap."""
    tables = """
CREATE DOMAIN mark AS character(4);
CREATE TABLE t (id integer PRIMARY KEY, a char(3) DEFAULT 'x ', b character, c bpchar(2), d mark, e char(2)[], f bpchar, g "char",
    h varchar(3), i national character(3));
"""
    _, url, _ = created(postgresql, tables)
    (tmp_path / "t.sql").write_text(tables)
    live, read = pipeline.inspect(url), pipeline.inspect(str(tmp_path / "t.sql"), dialect="postgresql")
    kinds = [str(each.type) for each in live.model.entity("t").attributes]
    assert kinds[1:] == [
        *(f"text({length}) as char" for length in (3, 1, 2, 4)),
        *("array(text(2) as char)", "text as bpchar", "text", "text(3)", "text(3) as char"),
    ]
    assert live.model.entity("t").attributes == read.model.entity("t").attributes
    assert [gap.where for gap in live.gaps] == ["t.f"]


@pytest.mark.thorough
def test_arrays_come_back_filled(postgresql: str, mongo_client: MongoClient[dict[str, Any]]) -> None:
    """Each element with its blanks, NULL as it is."""
    tables = (
        "CREATE TABLE t (id integer PRIMARY KEY, a char(3)[]); INSERT INTO t VALUES (1, '{ab,NULL,abc}'), (2, NULL);"
    )
    with beside(postgresql, mongo_client, tables) as both:
        sql = "SELECT id, a FROM t ORDER BY id"
        assert both.ours(sql) == both.theirs(sql)
        store = Store(both.proposal, both.database)
        for run in (store.execute, both.theirs):
            run("INSERT INTO t VALUES (3, '{x,\"y \"}')")
        assert both.ours(sql) == both.theirs(sql)
        assert pipeline.verify(both.proposal, both.url, both.database).equal


@pytest.mark.thorough
@pytest.mark.parametrize("way", WAYS)
def test_writes_are_postgresqls(
    postgresql: str, mongo_client: MongoClient[dict[str, Any]], way: str, tmp_path: Path
) -> None:
    """What each answers, or that it is refused; what the tables hold then, there, here and unloaded."""
    with loaded_by(way, postgresql, mongo_client, tmp_path) as both:
        assert pipeline.verify(both.proposal, both.url, both.database).equal
        for sql in WRITES:
            assert both.written_here(sql) == both.written_there(sql), sql
        assert pipeline.verify(both.proposal, both.url, both.database).equal
        _, url, empty = created(postgresql, "")
        pipeline.unload(both.proposal, url, both.database)
        for table in ("land", "town"):
            rows = Counter(both.theirs(f"SELECT * FROM {table}"))
            assert Counter(both.ours(f"SELECT * FROM {table}")) == rows
            with empty.connect() as unloaded:
                assert Counter(map(tuple, unloaded.exec_driver_sql(f"SELECT * FROM {table}"))) == rows
        assert str(pipeline.inspect(url).model.entity("town").attribute("mark").type) == "text(5) as char"
