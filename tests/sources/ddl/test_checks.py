"""CHECK constraints in DDL: what of them attributes carry; all others are told, with their tables and what is left to do."""

from __future__ import annotations

import pytest

from nestling.sources.ddl import read_ddl

T = """CREATE TABLE t (a int, b text, n numeric(8,2), f double precision, r real, v varchar(9), d date, o boolean, c char(3)
    {more});"""
STAYS = (
    "`t.a` stays text, though a CHECK says it is JSON: it is in a key, where the same JSON can be several texts; "
    "if yours are all spelled alike, give it the type `json as checked` in the model"
)
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
    """NOT NULL twice."""
    assert told("CREATE TABLE t (a int NOT NULL, CHECK ((a IS NOT NULL)));", "postgresql") == []
    assert told("CREATE TABLE t (a int CHECK (a IS NOT NULL));", "postgresql") == ["CHECK (a IS NOT NULL) of `t`"]


@pytest.mark.parametrize(
    ("column", "dialect", "kind", "left"),
    [
        ("a longtext CHECK (json_valid(`a`))", "mysql", "json", ""),
        ("a longtext, CHECK (A IS NULL OR (JSON_VALID(a)))", "mysql", "json", ""),
        ('a text NULL CHECK ((JSON_VALID("a") OR "a" IS NULL))', "sqlite", "json as checked", ""),
        ("a JSON DEFAULT '{}', CHECK (json_valid(a))", "sqlite", "json as checked", ""),
        ("a text CHECK (json_valid(a) AND b > c)", "sqlite", "json as checked", "b > c"),
        ("a text UNIQUE CHECK (json_valid(a))", "sqlite", "text", "json_valid(a)"),
        ("a text CHECK (json_valid(a) OR b IS NULL)", "sqlite", "text", "json_valid(a) OR b IS NULL"),
        ("a text CHECK (NOT json_valid(a))", "sqlite", "text", "NOT json_valid(a)"),
        ("a text CHECK (json_valid(a, 6))", "sqlite", "text", "json_valid(a, 6)"),
        ("a blob CHECK (json_valid(a))", "sqlite", "bytes", "json_valid(a)"),
        ("a text CHECK (json_valid(a))", "postgresql", "text", "json_valid(a)"),
    ],
)
def test_texts_that_are_json(column: str, dialect: str, kind: str, left: str) -> None:
    """A text of which a CHECK says that it is JSON, as MariaDB and Django declare theirs; but in keys its letters count."""
    ddl = f"CREATE TABLE t (b int, c int, {column});"
    reading = read_ddl(ddl, "x", dialect=dialect)
    assert str(reading.model.entity("t").attribute("a").type) == kind
    assert told(ddl, dialect) == ([f"CHECK ({left}) of `t`"] if left else [])
    stays = [note for note in reading.notes if "stays text" in note]
    assert stays == ([STAYS] if "UNIQUE" in column else [])


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


def test_a_partitions_own_checks_are_told() -> None:
    """As its table's, which they hold of some rows of."""
    ddl = """CREATE TABLE t (a int, CHECK (a > 0)) PARTITION BY RANGE (a);
        CREATE TABLE t1 (a int, CHECK (a > 0), CONSTRAINT few CHECK (a < 9));
        ALTER TABLE ONLY t ATTACH PARTITION t1 FOR VALUES FROM (0) TO (9);"""
    assert told(ddl, "postgresql") == ["CHECK (a < 9) of `t` (t1.few)"]
    assert str(read_ddl(ddl, "x", dialect="postgresql").model.entity("t").attribute("a").allowed) == "above 0"


def allowed(condition: str, dialect: str) -> dict[str, str]:
    """What a check of the table allows, in words, by attribute; everything else must have been told."""
    reading = read_ddl(T.format(more=f", CHECK ({condition})"), "x", dialect=dialect)
    assert reading.gaps == ()
    return {each.name: str(each.allowed) for each in reading.model.entity("t").attributes if each.allowed is not None}


@pytest.mark.parametrize("dialect", ["sqlite", "postgresql", "mysql"])
@pytest.mark.parametrize(
    ("condition", "carried"),
    [
        ("a IN (1, 2, -3)", {"a": "one of 1, 2, -3"}),
        ("a = 1 OR a = 2 OR a IN (2, 3)", {"a": "one of 1, 2, 3"}),
        ("((a IS NULL) OR (a >= 0 AND a < 10))", {"a": "at least 0, below 10"}),
        ("a BETWEEN 1 AND 5 AND a > 2", {"a": "above 2, at most 5"}),
        ("0 < a AND n <= 99.95", {"a": "above 0", "n": "at most 99.95"}),
        ("a IN (1, 2, 3) AND a >= 2", {"a": "one of 2, 3"}),
        ("f >= 0.5", {"f": "at least 0.5"}),
        ("a > 1 AND a <> 2", {"a": "above 1"}),
        ("a > 1 AND a < b", {"a": "above 1"}),
        ("a > 1 OR n > 1", {}),
        ("a > 1 OR a < -1", {}),
        ("a > 1 AND a < 0", {"a": "above 1"}),
        ("a IN (1, NULL)", {}),
        ("a NOT BETWEEN 1 AND 2", {}),
        ("a IN (SELECT 1)", {}),
        ("a + 1 > 2", {}),
        ("nothing > 2", {}),
        ("nothing IS NOT NULL", {}),
        ("d > '2020-01-01'", {}),
        ("b > 'a'", {}),
        ("c IN ('a', 'b')", {}),
        ("a > 1e7000", {}),
        ("o = TRUE", {}),
    ],
)
def test_what_attributes_carry(condition: str, carried: dict[str, str], dialect: str) -> None:
    """Comparisons of one column with constants; what two columns or other values decide is left."""
    if "c IN" in condition and dialect == "sqlite":
        carried = {"c": "one of 'a', 'b'"}
    assert allowed(condition, dialect) == carried


@pytest.mark.parametrize(
    ("condition", "dialect", "carried"),
    [
        ("b IN ('it''s', 'A')", "postgresql", {"b": "one of 'it's', 'A'"}),
        ("b <> ''", "sqlite", {"b": "at least 1 characters"}),
        ("b IN ('a')", "mysql", {}),
        ("b <> ''", "mysql", {}),
        ("char_length(b) BETWEEN 2 AND 5", "mysql", {"b": "at least 2 characters, at most 5 characters"}),
        ("length(b) < 5", "mysql", {}),  # bytes
        ("n > 1e-1", "mysql", {}),  # a double
        ("length(b) = 5", "postgresql", {"b": "at least 5 characters, at most 5 characters"}),
        ("length(c) = 3", "postgresql", {}),  # blanks at the end do not count
        ("length(a) = 3", "sqlite", {}),
        ("(v)::text = ANY ((ARRAY['a'::character varying, 'b'::character varying])::text[])", "postgresql",
         {"v": "one of 'a', 'b'"}),
        ("(a = ANY (ARRAY['-1'::integer, 0, 1]))", "postgresql", {"a": "one of -1, 0, 1"}),
        ("((n)::numeric >= (0)::numeric)", "postgresql", {}),
        ("(n >= (0)::numeric)", "postgresql", {"n": "at least 0"}),
        ("((a)::numeric >= 0.5)", "postgresql", {"a": "at least 0.5"}),
        ("(a >= '0.5'::integer)", "postgresql", {}),
        ("(r >= (0.5)::double precision)", "postgresql", {"r": "at least 0.5"}),
        ("(r > (0.1)::double precision)", "postgresql", {}),  # which is not a real's 0.1
        ("(v)::varchar(1) = 'a'", "postgresql", {}),
        ("v = 'ab'::varchar(1)", "postgresql", {}),
        ("v = 'a'::citext", "postgresql", {}),
        ("v = E'a\\n'", "postgresql", {"v": "one of 'a\n'"}),
        ("v = 'a' COLLATE \"C\"", "postgresql", {}),
        ("a BETWEEN SYMMETRIC 5 AND 1", "postgresql", {}),
        ("a = 1 OR a IS NOT NULL", "postgresql", {}),
        ("o IN (TRUE, FALSE)", "postgresql", {}),
        ("v IN (\"a\", \"b\")", "sqlite", {}),
        ("f > 0.1", "sqlite", {"f": "above 0.1"}),
        ("a > 9223372036854775808", "sqlite", {}),
        ("a > 9223372036854775808", "postgresql", {"a": "above 9223372036854775808"}),
    ],
)  # fmt: skip
def test_what_a_dialect_means(condition: str, dialect: str, carried: dict[str, str]) -> None:
    """Only what means the same of the values as they are stored is carried."""
    assert allowed(condition, dialect) == carried


@pytest.mark.parametrize("kind", ["citext", "name", "inet", "money", "text[]", "date", "oid"])
def test_types_that_compare_in_ways_of_their_own(kind: str) -> None:
    """Carry nothing."""
    reading = read_ddl(f"CREATE TABLE t (a {kind} CHECK (a IN ('1', '2')));", "x", dialect="postgresql")
    assert reading.model.entity("t").attribute("a").allowed is None
    assert f"CHECK (a IN ('1', '2')) of `t` {LEFT}" in reading.notes


@pytest.mark.parametrize(
    ("ddl", "dialect", "carried"),
    [
        ("CREATE DOMAIN small AS int CHECK (VALUE < 10) CHECK (VALUE >= 0); CREATE TABLE t (a small CHECK (a <> 5));",
         "postgresql", "at least 0, below 10"),
        ("CREATE TABLE t (a int CHECK (a > 0) NOT VALID);", "postgresql", None),
        ("CREATE TABLE t (a int, CONSTRAINT c CHECK (a > 0) NOT VALID); ALTER TABLE t VALIDATE CONSTRAINT c;",
         "postgresql", "above 0"),
        ("CREATE TABLE t (a int CHECK (a > 0) NOT ENFORCED);", "mysql", None),
        ("CREATE TABLE t (a int CHECK (a > 0)); ALTER TABLE t DROP CONSTRAINT t_a_check;", "postgresql", None),
        ("CREATE TABLE t (a int CHECK (a > 0)); ALTER TABLE t DROP CONSTRAINT t_fk;", "postgresql", "above 0"),
        ("CREATE TABLE t (a int CHECK (a > 0)); ALTER TABLE t MODIFY a bigint;", "mysql", None),
        ("CREATE TABLE t (b int CHECK (b > 0)); ALTER TABLE t RENAME COLUMN b TO a;", "postgresql", None),
        ("CREATE TABLE t (a citext CHECK (a = 'x')); ALTER TABLE t ALTER COLUMN a TYPE text;", "postgresql", "one of 'x'"),
        ("CREATE TABLE t (a text COLLATE NOCASE CHECK (a = 'x'));", "sqlite", None),
        ("CREATE TABLE t (a STRING CHECK (a = '1'));", "sqlite", None),
    ],
)  # fmt: skip
def test_only_checks_that_hold_are_carried(ddl: str, dialect: str, carried: str | None) -> None:
    """What may be gone, or not hold of all rows, is told and not carried."""
    found = read_ddl(ddl, "x", dialect=dialect).model.entity("t").attribute("a").allowed
    assert (None if found is None else str(found)) == carried
