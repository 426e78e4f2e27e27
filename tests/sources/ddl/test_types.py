"""Declared types of each dialect and the conceptual types they mean."""

from __future__ import annotations

import pytest

from nestling.ir.fraction import Fraction
from nestling.ir.statements.operators import Collation
from tests.sources.ddl.ddl_texts import read, types

MYSQL = {
    "bigint(20) unsigned NOT NULL AUTO_INCREMENT": "integer", "tinyint(1)": "boolean", "tinyint(4)": "integer", "bool": "boolean",
    "enum('a','it''s')": "enum('a', 'it''s')", "enum('x') CHARACTER SET ascii COLLATE ascii_bin": "enum('x')",
    "set('a','b')": "text('a', 'b') as set",
    "bit(4)": "bits(4)", "bit": "bits(1)", "year(4)": "integer as year", "json": "json", "double(8,2) unsigned": "float",
    "decimal(10,2) unsigned zerofill": "decimal(10,2)", "dec(5)": "decimal(5)", "timestamp(6) NULL": "timestamptz",
    "datetime(3)": "timestamp", "date": "date", "time(2)": "time", "varbinary(16)": "bytes", "longblob": "bytes",
    "mediumtext CHARACTER SET utf8": "text", "varchar(255) BINARY": "text(255)", "national varchar(9)": "text(9)",
    "double precision": "float", "float": "float as single", "float(24)": "float as single", "float(25)": "float",
    "real": "float", "inet6": "text", "mediumint(8)": "integer", "uuid": "uuid", "char": "text(1) as char",
    "national char(3)": "text(3) as char", "character(4) CHARACTER SET ascii COLLATE ascii_bin": "text(4) as char",
}  # fmt: skip
POSTGRESQL = {
    "bigserial": "integer", "smallint": "integer", "double precision": "float", "numeric": "decimal",
    "numeric(12, 4)": "decimal(12,4)",
    "character varying(40)": "text(40)", 'varchar COLLATE "C"': "text", "character(3)": "text(3) as char", '"char"': "text",
    "timestamp(6) without time zone": "timestamp", "timestamp with time zone": "timestamptz", "timestamptz(3)": "timestamptz",
    "timetz": "time as timetz", "time with time zone": "time as timetz",
    "time without time zone": "time", "interval day to second(3)": "interval", "interval": "interval", "uuid": "uuid",
    "jsonb": "json as jsonb",
    "bytea": "bytes", "bigint[]": "array(integer)", "text[][]": "array(text)", "varchar(9) ARRAY[4]": "array(text(9))",
    "bit varying(5)": "bits(5)", "bit(3)": "bits(3)", "boolean": "boolean", "pg_catalog.int4": "integer",
    "mood": "enum('sad', 'ok')",
    "public.mood[]": "array(enum('sad', 'ok'))", "Email": "text(50)", "inet": "text as inet", "money": "text as money",
}  # fmt: skip
SQLITE = {
    "": "any", "INTEGER": "integer", "NVARCHAR(40)": "text(40)", "VARYING CHARACTER(5)": "text(5)", "UNSIGNED BIG INT": "integer",
    "DATETIME": "timestamp", "NUMERIC(10,5)": "float", "REAL": "float", "DOUBLE PRECISION": "float", "BLOB": "bytes",
    "FLOATING POINT": "integer", "STRANGE": "any", "BOOLEAN": "boolean", "ANY": "any", "POINTER": "integer",
}  # fmt: skip
CASES = [
    *(("mysql", *item) for item in MYSQL.items()),
    *(("postgresql", *item) for item in POSTGRESQL.items()),
    *(("sqlite", *item) for item in SQLITE.items()),
]
MADE = "CREATE TYPE public.mood AS ENUM ('sad', 'ok'); CREATE DOMAIN email AS varchar(50) CHECK (VALUE ~ '@');"


@pytest.mark.parametrize(("dialect", "declared", "expected"), CASES)
def test_type(dialect, declared, expected):
    """The type as people write it, in a column between others; nothing is a gap."""
    before = MADE if dialect == "postgresql" else ""
    text = f"{before} CREATE TABLE t (a int, b {declared}, c int);"
    assert types(text, dialect) == {"a": "integer", "b": expected, "c": "integer"}
    assert read(text, dialect).gaps == ()


def test_citext_is_compared_without_case():
    """As it is of a live database, also where a domain or another type stands for it; a text again when it becomes one."""
    text = """CREATE DOMAIN mail AS public.citext;
        CREATE TABLE t (a public.citext NOT NULL, b citext UNIQUE, c mail, d text, e citext);
        ALTER TABLE t ALTER COLUMN e TYPE text, ALTER COLUMN d TYPE citext;"""
    reading = read(text, "postgresql")
    rules = [each.collation for each in reading.model.entity("t").attributes]
    assert rules == [Collation.NOCASE] * 4 + [Collation.BINARY]
    assert all("comparisons ignore the case of A to Z" in gap.what for gap in reading.gaps)


@pytest.mark.parametrize(
    ("dialect", "declared", "expected"),
    [
        ("postgresql", "geometry(Point,4326)", "geometry"),
        ("mysql", "point", "geometry"),
        ("sqlite", "GEOMETRY", "geometry"),
        ("postgresql", "frob(3)", "text as frob"),
        ("mysql", "frob", "text"),
        ("postgresql", "pair", "text"),
        ("postgresql", "pair[]", "array(text)"),
    ],
)
def test_types_that_lose_something_are_gaps(dialect, declared, expected):
    """Geometry, composite types and words nobody knows are carried, and listed by their column."""
    text = f"CREATE TABLE t (a {declared});"
    text = "CREATE TYPE pair AS (x int, y int);" + text if dialect == "postgresql" else text
    assert types(text, dialect) == {"a": expected}
    (gap,) = read(text, dialect).gaps
    assert gap.what.startswith("`t.a`: type `")


@pytest.mark.parametrize(
    ("dialect", "declared", "expected"),
    [
        ("postgresql", "numeric(10,-2)", "decimal(10,-2)"),
        ("postgresql", "numeric(2,5)", "decimal(2,5)"),
        ("mysql", "char(0)", "text(0) as char"),
        ("mysql", "decimal(65,30)", "decimal(65,30)"),
        ("mysql", "enum('a','b','a')", "enum('a', 'b')"),
        ("mysql", "set('a','b','a')", "text('a', 'b') as set"),
        ("sqlite", "varchar(5,6)", "text"),
        ("sqlite", "varchar(-5)", "text"),
        ("sqlite", f"varchar({'9' * 5000})", "text"),
    ],
)
def test_odd_numbers_and_values(dialect, declared, expected):
    """Those a database has are kept, a value listed twice counts once; those SQLite alone takes say nothing, and are left out."""
    text = f"CREATE TABLE t (a {declared});"
    assert types(text, dialect) == {"a": expected}
    assert read(text, dialect).gaps == ()
    assert bool(read(text, dialect).notes) == (dialect == "sqlite")


def test_types_carried_as_text_are_noted_once():
    """Nothing of an address is lost in text; one note for all columns."""
    assert read("CREATE TABLE t (a inet, b inet, c money);", "postgresql").notes == (
        "type `inet` is carried as text",
        "type `money` is carried as text",
    )


def test_a_serial_and_a_domain_may_say_not_null():
    """What the type promises holds for the column."""
    text = "CREATE DOMAIN d AS text NOT NULL; CREATE TABLE t (a serial, b d, c int);"
    assert [attribute.nullable for attribute in read(text, "postgresql").model.entity("t").attributes] == [
        False,
        False,
        True,
    ]


def test_an_enum_may_grow():
    """ADD VALUE counts for columns declared before."""
    text = "CREATE TYPE e AS ENUM ('a'); CREATE TABLE t (x e); ALTER TYPE e ADD VALUE IF NOT EXISTS 'b' AFTER 'a';"
    assert types(text, "postgresql") == {"x": "enum('a', 'b')"}


FRACTIONS = [
    ("mysql", "datetime", Fraction(0)),
    ("mysql", "datetime(3) NOT NULL DEFAULT current_timestamp(3)", Fraction(3)),
    ("mysql", "timestamp(6) NULL", None),
    ("mysql", "timestamp NULL", Fraction(0)),
    ("mysql", "time(2)", Fraction(2)),
    ("mysql", "time", Fraction(0)),
    ("mysql", "date", None),
    ("mysql", "varchar(3)", None),
    ("mysql", "year(4)", None),
    ("postgresql", "timestamp", None),
    ("postgresql", "timestamp(6) without time zone", None),
    ("postgresql", "timestamp ( 0 ) with time zone", Fraction(0)),
    ("postgresql", "timestamptz(3)", Fraction(3)),
    ("postgresql", "time(0) without time zone", Fraction(0)),
    ("postgresql", "timetz(1)", Fraction(1)),
    ("postgresql", "timestamp(0)[]", Fraction(0)),
    ("postgresql", "moment", Fraction(2)),
    ("sqlite", "DATETIME", None),
    ("sqlite", "TIMESTAMP(3)", None),
]


@pytest.mark.parametrize(("dialect", "declared", "kept"), FRACTIONS)
def test_digits_of_a_second(dialect, declared, kept):
    """As they are declared, also of a domain and of a column whose type is changed; six are all, MySQL's default is none."""
    before = "CREATE DOMAIN moment AS timestamp(2); " if dialect == "postgresql" else ""
    text = f"{before}CREATE TABLE t (a int, b {declared});"
    (_, column) = read(text, dialect).model.entities[0].attributes
    assert column.fraction == kept
    if dialect != "sqlite":
        change = f"ALTER COLUMN b TYPE {declared}" if dialect == "postgresql" else f"MODIFY b {declared}"
        text = f"{before}CREATE TABLE t (a int, b timestamp(4)); ALTER TABLE t {change};"
        assert read(text, dialect).model.entities[0].attributes[1].fraction == kept


@pytest.mark.parametrize(
    "first",
    ["-- MariaDB dump 10.19  Distrib 10.11.6-MariaDB", "/*M!999999\\- enable the sandbox mode */", "-- MySQL dump"],
)
def test_mariadb_cuts_what_it_does_not_keep(first):
    """A file that says it is of MariaDB."""
    (column,) = (
        read(f"{first}\nCREATE TABLE `t` (`at` datetime(2)) ENGINE=InnoDB;", "mysql").model.entities[0].attributes
    )
    assert column.fraction == Fraction(2, cut="MySQL" not in first)
