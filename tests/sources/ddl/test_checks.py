"""CHECK constraints in DDL: each is told, with its table and what is left to do."""

from __future__ import annotations

import pytest

from nestling.sources.ddl import read_ddl

LEFT = "is left out: the application has to enforce it"


def told(ddl: str, dialect: str) -> list[str]:
    """What is said of checks, without the words all share."""
    reading = read_ddl(ddl, "x", dialect=dialect)
    assert reading.gaps == ()
    return [note.removesuffix(f" {LEFT}") for note in reading.notes if note.endswith(LEFT)]


@pytest.mark.parametrize("dialect", ["sqlite", "postgresql", "mysql"])
def test_each_is_told_by_its_table_and_name(dialect: str) -> None:
    """Of columns and of tables, with names and without; the same condition once for all its tables."""
    ddl = """CREATE TABLE t (a int CHECK (a < b), b int CONSTRAINT "less than"
        CHECK (b <> a), CONSTRAINT ends CHECK (a * b < 10), CHECK (b <> a));
        CREATE TABLE u (a int, b int, CHECK (a <
        b));"""
    assert told(ddl.replace('"less than"', "less_than"), dialect) == [
        "CHECK (a < b) of `t`, `u`",
        "CHECK (b <> a) of `t` (less_than), `t`",
        "CHECK (a * b < 10) of `t` (ends)",
    ]


def test_many_tables_are_counted() -> None:
    """Beyond five tables, the others are a number."""
    ddl = "".join(f"CREATE TABLE t{number} (a int, b int, CHECK (a < b));" for number in range(7))
    assert told(ddl, "postgresql") == ["CHECK (a < b) of `t0`, `t1`, `t2`, `t3`, `t4` and 2 more"]


def test_what_types_say_already_is_not_told() -> None:
    """NOT NULL twice, and how MariaDB says that a text is JSON."""
    assert told("CREATE TABLE t (a int NOT NULL, CHECK ((a IS NOT NULL)));", "postgresql") == []
    assert told("CREATE TABLE t (a longtext CHECK (json_valid(`a`)));", "mysql") == []
    assert told("CREATE TABLE t (a int CHECK (a IS NOT NULL));", "postgresql") == ["CHECK (a IS NOT NULL) of `t`"]


@pytest.mark.parametrize(
    ("alter", "dialect", "left"),
    [
        ("ALTER TABLE t ADD CONSTRAINT d CHECK (b > a) NOT VALID;", "postgresql", "ab cd ba"),
        ("ALTER TABLE t DROP CONSTRAINT c;", "postgresql", "ab"),
        ("ALTER TABLE t DROP CHECK c;", "mysql", "ab"),
        ("ALTER TABLE t DROP COLUMN a;", "postgresql", "cd"),
        ("ALTER TABLE t ALTER CHECK c NOT ENFORCED;", "mysql", "ab cd"),
        ("ALTER TABLE t VALIDATE CONSTRAINT c;", "postgresql", "ab cd"),
    ],
)
def test_altering_alters(alter: str, dialect: str, left: str) -> None:
    """A check that is added is told, one that is dropped, or whose column is, is not."""
    ddl = f"CREATE TABLE t (a int, b int, c int, d int, CHECK (a < b), CONSTRAINT c CHECK (c < d)); {alter}"
    conditions = {"ab": "CHECK (a < b) of `t`", "cd": "CHECK (c < d) of `t` (c)", "ba": "CHECK (b > a) of `t` (d)"}
    assert told(ddl, dialect) == [conditions[each] for each in left.split()]


def test_checks_go_where_columns_go() -> None:
    """With LIKE and INHERITS as the database copies them, and with each column of a domain."""
    ddl = """CREATE DOMAIN mail AS text CONSTRAINT has_at CHECK (VALUE ~ '@') NOT NULL;
        CREATE TABLE t (a int, b mail, CHECK (a % 2 = 0));
        CREATE TABLE whole (LIKE t INCLUDING ALL); CREATE TABLE bare (LIKE t);"""
    reading = read_ddl(ddl, "x", dialect="postgresql")
    assert not reading.model.entity("t").attribute("b").nullable
    assert told(ddl, "postgresql") == [
        "CHECK (VALUE ~ '@') of `t.b` (has_at), `whole.b` (has_at), `bare.b` (has_at)",
        "CHECK (a % 2 = 0) of `t`, `whole`",
    ]
    inherited = "CREATE TABLE t (a int, CHECK (a % 2 = 0)); CREATE TABLE u (b int) INHERITS (t);"
    reading = read_ddl(inherited, "x", dialect="postgresql")
    assert f"CHECK (a % 2 = 0) of `t`, `u` {LEFT}" in reading.notes
