"""Statements nobody should send: each is refused at once, by a typed error, whatever the dialect."""

from __future__ import annotations

from contextlib import suppress

import pytest

from nestling.common.errors import GapError, NestlingError, WorkloadError
from nestling.planner.sql import translate
from tests.planner.sql.shop_rows import shop

DIALECTS = ("sqlite", "postgresql", "mysql")

NESTED = "MongoDB has no nested transactions: remove it, and `store.transaction(work)` fails as a whole"
REFUSED = {
    "several statements": ("SELECT 1; DROP TABLE person", WorkloadError, "2 statements where one is expected"),
    "several with a comment": (
        "SELECT 1; -- and\nDELETE FROM person",
        WorkloadError,
        "statements where one is expected",
    ),
    "create": ("CREATE TABLE x (id int)", GapError, "CREATE statement"),
    "alter": ("ALTER TABLE person ADD COLUMN x int", GapError, "ALTER statement"),
    "drop": ("DROP TABLE person", GapError, "DROP statement"),
    "truncate": ("TRUNCATE TABLE person", GapError, "TRUNCATE statement"),
    "begin": (
        "BEGIN",
        GapError,
        "BEGIN statement; to run several statements in a transaction, use `store.transaction",
    ),
    "rollback": ("ROLLBACK", GapError, "ROLLBACK statement; to run several statements in a transaction"),
    **{
        f"{sql.lower()} of a savepoint": (f"{sql} s1", GapError, f"{sql.split()[0]} statement; {NESTED}")
        for sql in ("SAVEPOINT", "RELEASE", "RELEASE SAVEPOINT", "ROLLBACK TO", "ROLLBACK TO SAVEPOINT")
    },
    "explain": ("EXPLAIN SELECT 1", GapError, "statement"),
    "unknown table": ("SELECT * FROM persons", WorkloadError, "no table `persons`; there is `person`"),
    "unknown column": ("SELECT nmae FROM person", WorkloadError, "no column `nmae`; there is `name`"),
    "unknown alias": ("SELECT q.id FROM person p", WorkloadError, "no table or alias `q`; there is `p`"),
    "ambiguous": ("SELECT id FROM person a, person b", WorkloadError, "`id` is ambiguous: `a` and `b` have it"),
    "too long": ("SELECT '" + "é" * 60_000 + "'", WorkloadError, "at most 100000 are allowed"),
    "far too long": ("SELECT " + "1," * 5_000_000 + "1", WorkloadError, "at most 100000 are allowed"),
    "half a string": ("SELECT 'abc", WorkloadError, "cannot be read"),
    "half a parenthesis": ("SELECT (((1", WorkloadError, "cannot be read"),
    "no SQL": ("hello world", NestlingError, ""),
    "nothing": ("  \n ", WorkloadError, "there is no statement"),
    "a control character": ("SELECT \x00 1", NestlingError, ""),
    "unfinished insert": ("INSERT INTO person", NestlingError, ""),
    "insert of too many": ("INSERT INTO hollow VALUES (1, 2, 3)", WorkloadError, "3 values for 2 columns of `hollow`"),
    "insert into nothing": ("INSERT INTO persons VALUES (1)", WorkloadError, "no table `persons`; there is `person`"),
}


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("case", REFUSED)
@pytest.mark.timeout(60)
def test_refused_at_once(case: str, dialect: str) -> None:
    """The error is of its kind, says what is wrong, and comes at once."""
    sql, kind, said = REFUSED[case]
    with pytest.raises(kind) as caught:
        translate(sql, shop().model, dialect)
    assert said in str(caught.value)


LONG = {
    "a long list": "SELECT id FROM person WHERE id IN (" + ",".join(map(str, range(15_000))) + ")",
    "a long sum": "SELECT " + "+".join(["1"] * 20_000),
    "many conditions": "SELECT id FROM person WHERE " + " OR ".join(f"id = {n}" for n in range(6_000)),
    "many unions": " UNION ALL ".join(["SELECT 1"] * 5_000),
    "many joins": "SELECT 1 FROM person p0 "
    + " ".join(f"JOIN person p{n} ON p{n}.id = p0.id" for n in range(1, 1_000)),
    "deep subqueries": "SELECT " + "(SELECT " * 2_000 + "1" + ")" * 2_000,
    "deep CASE": "SELECT " + "CASE WHEN 1 THEN " * 2_000 + "1" + " END" * 2_000,
    "many NOTs": "SELECT " + "NOT " * 10_000 + "1",
    "a wide insert": "INSERT INTO hollow VALUES " + ",".join(["(1, 'x')"] * 8_000),
    "many CTEs": "WITH " + ", ".join(f"c{n} AS (SELECT {n} AS x)" for n in range(2_000)) + " SELECT x FROM c7",
    "a cube": "SELECT 1 FROM person GROUP BY CUBE (" + ", ".join(f"id + {n}" for n in range(30)) + ")",
    "wide rollups": "SELECT 1 FROM person GROUP BY ROLLUP (id), " + ", ".join(["ROLLUP (name, boss, born)"] * 12),
}


@pytest.mark.thorough
@pytest.mark.parametrize("case", LONG)
@pytest.mark.timeout(120)
def test_long_and_deep_statements_end(case: str) -> None:
    """Below the limit of length a statement is translated or refused, never a crash."""
    with suppress(NestlingError):
        translate(LONG[case], shop().model, "postgresql")


FOREIGN = (
    *(
        "SELECT * FROM person FOR XML AUTO",
        "SELECT * FROM generate_series(1, 10000)",
        "SELECT pg_sleep(10)",
    ),
    *("SELECT * FROM person TABLESAMPLE SYSTEM (10)", "SELECT id INTO other FROM person", "SELECT load_extension('x')"),
    *(
        "MERGE INTO person USING city ON 1 = 1",
        "UPDATE person SET id = 1 RETURNING * INTO x",
        "COPY person TO 'x'",
        "CALL something()",
    ),
    *("ATTACH DATABASE 'x' AS y", "PRAGMA table_info(person)", "SELECT unnest(ARRAY[1, 2])"),
)


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("sql", FOREIGN)
def test_what_is_not_translated_is_a_typed_error(sql: str, dialect: str) -> None:
    """Odd syntax is refused; nothing in it is passed over in silence."""
    with pytest.raises(NestlingError):
        translate(sql, shop().model, dialect)
