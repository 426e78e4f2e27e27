"""Words and clauses that are easily passed over: each is read, or listed as a gap or a note."""

from __future__ import annotations

import pytest

from nestling.ir.constraints.defaults import ConstantDefault, Generated, OtherDefault
from nestling.ir.statements.operators import Collation
from nestling.sources.ddl import read_ddl
from tests.sources.ddl.ddl_texts import clean, read, types

PAIR = "CREATE TABLE p (a int, b int, PRIMARY KEY (a, b));"


@pytest.mark.parametrize(
    ("action", "columns"),
    [
        ("ADD x int FIRST", "x a b c"),
        ("ADD COLUMN x int NOT NULL DEFAULT 3 AFTER a", "a x b c"),
        ("MODIFY c bigint FIRST", "c a b"),
        ("CHANGE a z int AFTER b", "b z c"),
        ("ADD y int AFTER x, ADD x int AFTER a", "a b c x"),
        ("ADD x int AFTER c, DROP a", "b c x"),
        ("ADD `first` int, ADD `after` int", "a b c first after"),
    ],
)
def test_columns_are_where_mysql_puts_them(action: str, columns: str) -> None:
    """FIRST and AFTER are no part of the type; after a column that is not there the new one comes last, with a gap."""
    found = read(f"CREATE TABLE t (a int, b int, c int); ALTER TABLE t {action};", "mysql")
    expected = columns.split() if "AFTER x" not in action else ["a", "x", "b", "c", "y"]
    assert list(found.model.entity("t").attribute_names) == expected
    assert [gap.what.rpartition(": ")[2] for gap in found.gaps] == (
        ["there is no column `x` to place `y` after"] if "AFTER x" in action else []
    )


@pytest.mark.parametrize(
    ("dialect", "default", "value"),
    [
        ("mysql", r"'C:\\dir\\'", "C:\\dir\\"),
        ("mysql", r"'a\'b\\c\n'", "a'b\\c\n"),
        ("mysql", '"d""q"', 'd"q'),
        ("mysql", r"_utf8mb4'x\%'", "x\\%"),
        ("postgresql", r"E'a\'b\n\x41'", "a'b\nA"),
        ("postgresql", r"'a\b'", "a\\b"),
        ("postgresql", r"U&'\0041\\'", "A\\"),
        ("sqlite", r"'a\b''c'", "a\\b'c"),
    ],
)
def test_escapes_in_defaults(dialect: str, default: str, value: str) -> None:
    """By the rules of each dialect."""
    (column,) = clean(f"CREATE TABLE t (a varchar(20) DEFAULT {default});", dialect).entity("t").attributes
    assert column.default == ConstantDefault(value)


@pytest.mark.parametrize(
    ("column", "default"),
    [
        ("date DEFAULT ('now'::text)::date", Generated.DATE),
        ("timestamp DEFAULT ('today'::text)::timestamp without time zone", Generated.DATE),
        ("timestamp DEFAULT ('now'::text)::timestamp", Generated.TIMESTAMP),
        ("time DEFAULT ('now'::text)::time", Generated.TIME),
        ("timestamptz DEFAULT now()::date", Generated.DATE),
        ("date DEFAULT 'now'", OtherDefault("'now'")),
        ("timestamp DEFAULT 'now'::timestamp", OtherDefault("'now'::timestamp")),
        ("date DEFAULT ('tomorrow'::text)::date", OtherDefault("('tomorrow'::text)::date")),
        ("date DEFAULT 'Jan 5, 2024'", OtherDefault("'Jan 5, 2024'")),
        ("time DEFAULT 'allballs'", ConstantDefault("00:00:00")),
        ("text DEFAULT 'now'", ConstantDefault("now")),
        ("boolean DEFAULT 'yes'", ConstantDefault(True)),
        ("int DEFAULT 1.5", ConstantDefault(2)),
    ],
)
def test_defaults_of_postgresql(column: str, default: object) -> None:
    """A word that is read anew for every row tells the time; one that is read once is what only the source knows."""
    (found,) = clean(f"CREATE TABLE t (a {column});", "postgresql").entity("t").attributes
    assert found.default == default


def test_domains_have_defaults() -> None:
    """A column's own counts first."""
    text = "CREATE DOMAIN d AS int DEFAULT 5 NOT NULL; CREATE TABLE t (a d, b d DEFAULT 6, c d DEFAULT NULL);"
    found = clean(text, "postgresql").entity("t").attributes
    assert [each.default for each in found] == [ConstantDefault(5), ConstantDefault(6), None]


@pytest.mark.parametrize(
    ("dialect", "text", "said"),
    [
        ("postgresql", "CREATE TABLE t (a int, UNIQUE NULLS NOT DISTINCT (a));", "UNIQUE NULLS NOT DISTINCT (a) of `t`"),
        ("postgresql", "CREATE TABLE t (a int); CREATE UNIQUE INDEX u ON t (a) NULLS NOT DISTINCT;", "NULLS NOT DISTINCT (a)"),
        ("mysql", "CREATE TABLE t (c varchar(9), UNIQUE KEY (c(3)));", "UNIQUE (c) of `t` is over the first characters of c"),
        ("postgresql", "CREATE TABLE t (a int UNIQUE DEFERRABLE INITIALLY DEFERRED);", "UNIQUE (a) of `t` is DEFERRABLE"),
        ("postgresql", "CREATE TABLE t (a int, CONSTRAINT once EXCLUDE USING gist (a WITH =, b(a) WITH &&) WHERE (a > 0));",
         "EXCLUDE USING gist (a WITH =, b(a) WITH &&) WHERE (a > 0) of `t` (once) is left out: the application has to"),
        ("postgresql", "CREATE TABLE t (a int); ALTER TABLE t ENABLE ROW LEVEL SECURITY;", "row-level security of `t`"),
        ("postgresql", f"{PAIR} CREATE TABLE t (a int, b int, FOREIGN KEY (a, b) REFERENCES p MATCH FULL);",
         "foreign key (a, b) of `t` is MATCH FULL"),
        ("postgresql", f"{PAIR} CREATE TABLE t (a int, b int, FOREIGN KEY (a, b) REFERENCES p);ALTER TABLE t DISABLE TRIGGER ALL",
         "foreign keys that are not enforced, so rows without a parent may exist: `t` (a, b)"),
        ("mysql", f"{PAIR} CREATE TABLE t (a int, b int, FOREIGN KEY (a, b) REFERENCES p (a, b)); ALTER TABLE t ENGINE=MyISAM;",
         "foreign keys that are not enforced"),
    ],
)  # fmt: skip
def test_notes(dialect: str, text: str, said: str) -> None:
    """What is left to the application is said."""
    found = read(text, dialect)
    assert found.gaps == ()
    assert any(said in note for note in found.notes)


@pytest.mark.parametrize(
    ("dialect", "statement", "said"),
    [
        ("mysql", "ALTER TABLE t ADD b int INVISIBLE", "`t.b` is INVISIBLE"),
        ("postgresql", "ALTER TABLE t WITH NOCHECK ADD UNIQUE (a)", "is not understood"),
        ("postgresql", "ALTER TABLE t NO INHERIT p", "is not understood"),
        ("mysql", "ALTER TABLE t ADD COLUMN", "nothing is added"),
        ("postgresql", "CREATE TABLE u (a int); ALTER TABLE u RENAME TO t", "there is a table `t` already"),
        ("postgresql", "ALTER TABLE t ADD a int", "there is a column `a` already"),
        ("postgresql", "ALTER TABLE t DETACH PARTITION x", "there is no partition `x`"),
        ("postgresql", "CREATE SCHEMA s CREATE TABLE inside (a int)", "CREATE SCHEMA is not read"),
        ("postgresql", "CREATE COLLATION ci (provider = icu, locale = 'und', deterministic = false)", "collation `ci` takes"),
        ("postgresql", "CREATE DOMAIN d AS int; ALTER DOMAIN d SET NOT NULL", "changes to a domain are not tracked"),
        ("postgresql", "CREATE TYPE e AS ENUM ('a'); DROP TYPE e CASCADE", "what is dropped with it is not known"),
        ("postgresql", f"{PAIR} CREATE TABLE r (a int, b int, FOREIGN KEY (a, b) REFERENCES p ON DELETE SET NULL (c))",
         "ON DELETE sets `c`, which is not in the foreign key"),
        ("postgresql", f"{PAIR} CREATE TABLE r (a int, b int, FOREIGN KEY (a, b) REFERENCES p ON DELETE PERISH)",
         "`PERISH` is not an action of a foreign key"),
    ],
)  # fmt: skip
def test_gaps(dialect: str, statement: str, said: str) -> None:
    """What would change tables otherwise than they are read is a gap."""
    (gap,) = read(f"CREATE TABLE t (a int); {statement};", dialect).gaps
    assert said in gap.what


def test_collations_of_tables_and_modifiers_of_columns() -> None:
    """A table's new collation is that of columns added later; CONVERT TO is of all; BINARY and BYTE belong to types."""
    text = """CREATE TABLE t (a varchar(9), b varchar(9) BINARY, c char(3) BYTE); ALTER TABLE t COLLATE utf8mb4_bin;
        ALTER TABLE t ADD d varchar(9); CREATE TABLE u (a varchar(9) COLLATE utf8mb4_unicode_ci);
        ALTER TABLE u CONVERT TO CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;"""
    model = clean(text, "mysql")
    found = {each.name: (each.type.name, each.collation) for each in model.entity("t").attributes}
    assert found == {
        "a": ("text", Collation.UNICODE_CI), "b": ("text", Collation.BINARY), "c": ("bytes", Collation.BINARY),
        "d": ("text", Collation.BINARY),
    }  # fmt: skip
    assert model.entity("u").attribute("a").collation is Collation.BINARY


def test_a_float_of_few_digits_is_real() -> None:
    """As a live PostgreSQL has it."""
    found = types("CREATE TABLE t (a float(10), b float(30), c float, d real);", "postgresql")
    assert list(found.values()) == ["float as real", "float", "float", "float as real"]


def test_a_view_is_changed_by_alter_view() -> None:
    """Its name, or its SELECT."""
    table = "CREATE TABLE t (a int); CREATE VIEW v AS SELECT 1; "
    (view,) = read_ddl(f"{table} ALTER VIEW v RENAME TO w;", "x", dialect="postgresql").model.views
    assert view.name == "w"
    (view,) = read_ddl(f"{table} ALTER VIEW v AS SELECT 2;", "x", dialect="mysql").model.views
    assert view.sql == "SELECT 2"
