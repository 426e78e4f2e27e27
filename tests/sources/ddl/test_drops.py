"""DROP and RENAME of keys, UNIQUEs, foreign keys and indexes, by the names that were given or that the database gives."""

from __future__ import annotations

import pytest

from nestling.ir.model import Model
from tests.sources.ddl.ddl_texts import clean, read

PARENT = "CREATE TABLE p (id int PRIMARY KEY, a int NOT NULL UNIQUE, b int); "
CHILD = "CREATE TABLE c (x int REFERENCES p ON DELETE CASCADE, y int, CONSTRAINT fy FOREIGN KEY (y) REFERENCES p (a)); "
MYSQL = """CREATE TABLE p (id int PRIMARY KEY, a int NOT NULL UNIQUE, b int, UNIQUE KEY ub (b), KEY kb (b));
    CREATE TABLE c (x int, y int, FOREIGN KEY (x) REFERENCES p (id) ON DELETE CASCADE,
        CONSTRAINT fy FOREIGN KEY (y) REFERENCES p (a)); """


def links(model: Model) -> list[tuple[tuple[str, ...], tuple[str, ...]]]:
    """The foreign keys as pairs of columns."""
    return [(link.child_attributes, link.parent_attributes) for link in model.relationships]


X, Y = (("x",), ("id",)), (("y",), ("a",))


@pytest.mark.parametrize(
    ("drop", "left"),
    [
        ("ALTER TABLE c DROP CONSTRAINT fy", [X]),
        ("ALTER TABLE c DROP CONSTRAINT IF EXISTS FY CASCADE", [X]),
        ("ALTER TABLE c DROP CONSTRAINT c_x_fkey", [Y]),
        ("ALTER TABLE c RENAME x TO z; ALTER TABLE c DROP CONSTRAINT c_x_fkey", [Y]),
        ("ALTER TABLE c RENAME CONSTRAINT fy TO other; ALTER TABLE c DROP CONSTRAINT other", [X]),
        ("ALTER TABLE p DROP CONSTRAINT p_pkey CASCADE", [Y]),
        ("ALTER TABLE p DROP CONSTRAINT p_a_key CASCADE", [X]),
        ("ALTER TABLE p DROP COLUMN a CASCADE", [X]),
        ("ALTER TABLE p DROP CONSTRAINT p_pkey CASCADE; ALTER TABLE p ADD PRIMARY KEY (a)", [Y]),
        ("ALTER TABLE p ADD UNIQUE (id); ALTER TABLE p DROP CONSTRAINT p_pkey CASCADE", [Y]),
        ("DROP TABLE p CASCADE; CREATE TABLE p (id int PRIMARY KEY, a int UNIQUE)", []),
        ("DROP SCHEMA public CASCADE; CREATE SCHEMA public; CREATE TABLE d (id int)", []),
    ],
)
def test_foreign_keys_of_postgresql(drop: str, left: list[object]) -> None:
    """A dropped one is gone, and so is one that needs what is dropped with CASCADE; the others stay as they were bound."""
    assert links(clean(f"{PARENT}{CHILD}{drop};", "postgresql")) == left


@pytest.mark.parametrize(
    ("drop", "left"),
    [
        ("ALTER TABLE c DROP FOREIGN KEY fy", [X]),
        ("ALTER TABLE c DROP FOREIGN KEY c_ibfk_1, DROP KEY x", [Y]),
        ("ALTER TABLE c DROP FOREIGN KEY IF EXISTS c_ibfk_1", [Y]),
        ("ALTER TABLE c DROP CONSTRAINT fy", [X]),
        ("ALTER TABLE c RENAME TO d; ALTER TABLE d DROP FOREIGN KEY d_ibfk_1", [Y]),
        ("ALTER TABLE c DROP INDEX fy", [X, Y]),
    ],
)
def test_foreign_keys_of_mysql(drop: str, left: list[object]) -> None:
    """`DROP INDEX` drops none, even if an index of that name was made for it."""
    assert links(clean(f"{MYSQL}{drop};", "mysql")) == left


@pytest.mark.parametrize(
    ("dialect", "made", "dropped"),
    [
        ("postgresql", "CREATE TABLE t (a int, b int, UNIQUE (a, b));", "ALTER TABLE t DROP CONSTRAINT t_a_b_key;"),
        ("postgresql", "CREATE TABLE t (a int, b int, UNIQUE (a));", "ALTER TABLE t DROP CONSTRAINT t_a_key;"),
        ("postgresql", "CREATE TABLE t (a int); ALTER TABLE t ADD UNIQUE (a);", "ALTER TABLE t DROP CONSTRAINT t_a_key;"),
        ("postgresql", "CREATE TABLE t (a int, b int); CREATE UNIQUE INDEX u ON t (a);", "DROP INDEX CONCURRENTLY public.u;"),
        ("postgresql", "CREATE TABLE t (a int, b int); CREATE UNIQUE INDEX ON t (a, b);", "DROP INDEX t_a_b_idx;"),
        ("postgresql", "CREATE TABLE t (a int, b int); CREATE UNIQUE INDEX u ON t (a);",
         "ALTER INDEX u RENAME TO v; DROP INDEX IF EXISTS u, v;"),
        ("postgresql", "CREATE TABLE t (a int, b int); CREATE UNIQUE INDEX u ON t (a);",
         "ALTER TABLE t ADD CONSTRAINT k UNIQUE USING INDEX u; ALTER TABLE t DROP CONSTRAINT k;"),
        ("mysql", "CREATE TABLE t (a int, b int, UNIQUE (a), UNIQUE KEY (a, b));", "ALTER TABLE t DROP INDEX a_2, DROP KEY a;"),
        ("mysql", "CREATE TABLE t (a int, b int, CONSTRAINT u UNIQUE KEY v (a));", "DROP INDEX v ON t;"),
        ("mysql", "CREATE TABLE t (a int UNIQUE, b int);", "ALTER TABLE t DROP CONSTRAINT a;"),
        ("mysql", "CREATE TABLE t (a int UNIQUE, b int);", "ALTER TABLE t RENAME INDEX a TO v; DROP INDEX v ON t;"),
        ("sqlite", "CREATE TABLE t (a int, b int); CREATE UNIQUE INDEX u ON t (a);", "DROP INDEX IF EXISTS main.u;"),
    ],
)  # fmt: skip
def test_unique_groups(dialect: str, made: str, dropped: str) -> None:
    """What is dropped makes nothing unique any more."""
    assert clean(made, dialect).entity("t").uniques
    assert clean(made + dropped, dialect).entity("t").uniques == ()


@pytest.mark.parametrize(
    ("dialect", "dropped"),
    [
        ("postgresql", "ALTER TABLE t DROP CONSTRAINT t_pkey;"),
        ("mysql", "ALTER TABLE t DROP PRIMARY KEY;"),
        ("mysql", "ALTER TABLE t DROP INDEX `PRIMARY`;"),
        ("mysql", "DROP INDEX `PRIMARY` ON t;"),
    ],
)
def test_primary_keys(dialect: str, dropped: str) -> None:
    """Without it, its columns are still NOT NULL."""
    entity = clean(f"CREATE TABLE t (a int PRIMARY KEY, b int); {dropped}", dialect).entity("t")
    assert (entity.key, [each.nullable for each in entity.attributes]) == ((), [False, True])


def test_a_dropped_index_is_not_noted() -> None:
    """One over an expression or over some rows is noted by its name while it is there."""
    made = "CREATE TABLE t (a text, b int); CREATE UNIQUE INDEX ON t (upper(a)); CREATE UNIQUE INDEX i ON t (a) WHERE b > 0;"
    assert any("unique index t_upper_idx (upper(a)) of `t`" in note for note in read(made, "postgresql").notes)
    assert read(f"{made} DROP INDEX t_upper_idx; DROP INDEX i;", "postgresql").notes == ()


@pytest.mark.parametrize(
    ("dialect", "drop", "said"),
    [
        ("postgresql", "ALTER TABLE p DROP CONSTRAINT nope", "there is no constraint `nope`"),
        ("postgresql", "DROP INDEX nope", "there is no index `nope`"),
        ("postgresql", "DROP INDEX p_a_key", "`p_a_key` is a constraint"),
        ("postgresql", "ALTER TABLE p DROP COLUMN nope", "there is no column `nope`"),
        ("postgresql", "ALTER TABLE p DROP CONSTRAINT p_pkey", "foreign keys of `c` need it, and there is no CASCADE"),
        ("postgresql", "ALTER TABLE p RENAME CONSTRAINT nope TO x", "there is no constraint `nope`"),
        ("mysql", "ALTER TABLE c DROP FOREIGN KEY nope", "there is no foreign key `nope`"),
        ("mysql", "ALTER TABLE p DROP KEY nope", "there is no index `nope`"),
        ("mysql", "ALTER TABLE c DROP PRIMARY KEY", "there is no primary key"),
        ("sqlite", "DROP INDEX nope", "there is no index `nope`"),
    ],
)
def test_a_drop_of_what_is_not_there_is_a_gap(dialect: str, drop: str, said: str) -> None:
    """Unless it says IF EXISTS; what a database would refuse to drop stays."""
    made = MYSQL if dialect == "mysql" else PARENT + CHILD
    found = read(f"{made}{drop};", dialect)
    (gap,) = found.gaps
    assert said in gap.what
    assert links(found.model) == [X, Y]
    if "there is no" in said and "primary" not in said and "RENAME" not in drop:
        optional = drop.replace("nope", "IF EXISTS nope")
        assert read(f"{made}{optional};", dialect).gaps == () or "no CASCADE" in said


def test_what_a_dump_drops_first_is_no_gap() -> None:
    """`pg_dump --clean` drops what an earlier schema may have had, before there is any table."""
    assert clean(
        "ALTER TABLE ONLY public.c DROP CONSTRAINT f; DROP INDEX public.u; CREATE TABLE t (a int);", "postgresql"
    )


def test_a_foreign_key_follows_a_renamed_column() -> None:
    """Also in the table that it refers to."""
    model = clean(f"{PARENT}{CHILD} ALTER TABLE p RENAME a TO z; ALTER TABLE c RENAME y TO yy;", "postgresql")
    assert links(model) == [X, (("yy",), ("z",))]


def test_a_table_in_another_schema_leaves_its_name_free() -> None:
    """SET SCHEMA moves it, with the foreign keys to it."""
    text = f"{PARENT}{CHILD} ALTER TABLE p SET SCHEMA old; CREATE TABLE p (id int); ALTER VIEW v SET SCHEMA old;"
    model = clean(f"CREATE VIEW v AS SELECT 1; {text}", "postgresql")
    assert [entity.name for entity in model.entities] == ["c", "old.p", "p"]
    assert {link.parent for link in model.relationships} == {"old.p"}
    assert [view.name for view in model.views] == ["old.v"]


def test_a_replaced_table_is_the_last_one() -> None:
    """MariaDB's CREATE OR REPLACE TABLE."""
    assert clean("CREATE TABLE t (a int); CREATE OR REPLACE TABLE t (b int);", "mysql").entity("t").attribute_names == (
        "b",
    )
