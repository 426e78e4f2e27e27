"""An application that has changed: its model has gained and dropped tables, columns and references since the old design."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from pymongo.database import Database

from nestling import Store, pipeline
from nestling.common.errors import InputError, MigrationError
from nestling.ir.freshness import TRANSACTION
from nestling.ir.migration import Loss
from nestling.ir.primitives import Copy, Field, Form
from nestling.ir.proposal import Proposal
from nestling.ir.rows import Hop
from nestling.ir.text import read_file
from tests.sqlite_rows import sqlite_source

Documents = Database[dict[str, Any]]
OLD = """
CREATE TABLE customer (id INTEGER PRIMARY KEY, name TEXT NOT NULL, phone TEXT);
CREATE TABLE purchase (id INTEGER PRIMARY KEY, customer_id INTEGER NOT NULL REFERENCES customer, total INTEGER);
CREATE TABLE line (purchase_id INTEGER NOT NULL REFERENCES purchase, no INTEGER NOT NULL, sku TEXT, note TEXT,
  PRIMARY KEY (purchase_id, no));
"""
NEW = """
CREATE TABLE tier (id INTEGER PRIMARY KEY, label TEXT NOT NULL);
CREATE TABLE customer (id INTEGER PRIMARY KEY, name TEXT NOT NULL, loyalty TEXT, tier_id INTEGER REFERENCES tier);
CREATE TABLE purchase (id INTEGER PRIMARY KEY, customer_id INTEGER NOT NULL REFERENCES customer, total INTEGER, shipped INTEGER);
CREATE TABLE line (purchase_id INTEGER NOT NULL REFERENCES purchase, no INTEGER NOT NULL, sku TEXT,
  PRIMARY KEY (purchase_id, no));
CREATE TABLE tag (purchase_id INTEGER NOT NULL REFERENCES purchase, word TEXT NOT NULL, PRIMARY KEY (purchase_id, word));
"""


def designed(folder: Path, name: str, schema: str, strategy: str) -> Proposal:
    """A design of the schema by a strategy; of the first one with rows."""
    with closing(sqlite3.connect(folder / f"{name}.db")) as connection:
        connection.executescript(schema)
        if schema is OLD:
            connection.executemany("INSERT INTO customer VALUES (?, ?, ?)", [(n, f"c{n}", f"+{n}") for n in range(20)])
            connection.executemany("INSERT INTO purchase VALUES (?, ?, ?)", [(n, n % 20, n) for n in range(60)])
            connection.executemany(
                "INSERT INTO line VALUES (?, ?, ?, ?)", [(n, k, f"s{k}", "x") for n in range(60) for k in (1, 2)]
            )
        connection.commit()
    return pipeline.design(pipeline.inspect(f"sqlite:///{folder / f'{name}.db'}"), strategy)


@pytest.mark.parametrize(
    ("before", "after"), [("normalized", "normalized"), ("embedded", "normalized"), ("normalized", "embedded")]
)
def test_tables_and_columns_come_and_go(database: Documents, tmp_path: Path, before: str, after: str) -> None:
    """What is new is empty, what there was is there, and statements write both; validators are those of the new design."""
    old, new = designed(tmp_path, "old", OLD, before), designed(tmp_path, "new", NEW, after)
    pipeline.load(old, f"sqlite:///{tmp_path / 'old.db'}", database)
    running = Store(old, database)
    assert [*running.execute("SELECT phone FROM customer WHERE id = 3")] == [{"phone": "+3"}]
    plan = pipeline.plan_migration(old, new, database)
    assert any(
        each.startswith("`customer.loyalty` is new: NULL if a document has no such field") for each in plan.changes
    )
    assert "if it is `phone` under a new name" in "".join(plan.changes)
    assert any(each.startswith("`customer.phone` is gone") for each in plan.changes)
    assert any(each.startswith("`tag` is new") for each in plan.changes)
    assert not any("nowhere" in each for each in (*plan.changes, *plan.risks, *plan.left))
    report = pipeline.migrate(old, new, database, cutover=True, may_lose=["unknown", "indexes"])
    assert report.equal
    store = Store(new, database)
    assert [*store.execute("SELECT count(*) AS n, sum(total) AS s FROM purchase")] == [{"n": 60, "s": 1770}]
    assert [*store.execute("SELECT count(*) AS n FROM line WHERE sku = 's2'")] == [{"n": 60}]
    store.execute("INSERT INTO tier (id, label) VALUES (1, 'gold')")
    store.execute("UPDATE customer SET tier_id = 1, loyalty = 'x' WHERE id = 3")
    store.execute("INSERT INTO tag (purchase_id, word) VALUES (5, 'red')")
    joined = "SELECT c.loyalty, t.label FROM customer c JOIN tier t ON t.id = c.tier_id"
    assert [*store.execute(joined)] == [{"loyalty": "x", "label": "gold"}]
    assert [*store.execute("SELECT word FROM tag")] == [{"word": "red"}]
    assert pipeline.check(new, database).clean
    with pytest.raises(MigrationError, match="another design has replaced this one"):
        running.execute("SELECT phone FROM customer WHERE id = 3")


def test_what_is_built_anew_loses_a_column_that_is_gone(database: Documents, tmp_path: Path) -> None:
    """Not without a word: it takes the option, and the column is named."""
    old, new = designed(tmp_path, "old", OLD, "embedded"), designed(tmp_path, "new", NEW, "normalized")
    pipeline.load(old, f"sqlite:///{tmp_path / 'old.db'}", database)
    with pytest.raises(MigrationError) as refused:
        pipeline.migrate(old, new, database)
    assert any("note`" in each.what and "`--drop-unknown`" in each.next_move for each in refused.value.problems)


def test_documents_that_stay_are_what_the_new_model_says(database: Documents, tmp_path: Path) -> None:
    """An application has written a field of that name before: texts in it are values from now on, numbers are refused."""
    old, new = designed(tmp_path, "old", OLD, "normalized"), designed(tmp_path, "new", NEW, "normalized")
    pipeline.load(old, f"sqlite:///{tmp_path / 'old.db'}", database)
    database["customer"].update_one({"_id": 3}, {"$set": {"loyalty": "silver"}})
    database["customer"].update_one({"_id": 4}, {"$set": {"loyalty": 4}})
    with pytest.raises(MigrationError, match="not valid in the new design, such as _id 4"):
        pipeline.migrate(old, new, database, may_lose=["unknown"])
    database["customer"].update_one({"_id": 4}, {"$unset": {"loyalty": ""}})
    assert pipeline.migrate(old, new, database, cutover=True, may_lose=["unknown"]).equal
    assert [*Store(new, database).execute("SELECT id FROM customer WHERE loyalty = 'silver'")] == [{"id": 3}]


def test_what_cannot_be_is_told_at_once(database: Documents, tmp_path: Path) -> None:
    """A column that must have a value, and another key."""
    old = designed(tmp_path, "old", OLD, "normalized")
    other = NEW.replace("loyalty TEXT", "loyalty TEXT NOT NULL").replace(
        "PRIMARY KEY (purchase_id, no)", "PRIMARY KEY (purchase_id, sku)"
    )
    new = designed(tmp_path, "new", other, "normalized")
    with pytest.raises(InputError) as refused:
        pipeline.plan_migration(old, new, database)
    told = [each.what for each in refused.value.problems]
    assert [
        any(part in each for each in told)
        for part in ("`customer.loyalty` is new and must", "`line` has a different key")
    ] == [
        True,
        True,
    ]


SMALL = "CREATE TABLE customer (id INTEGER PRIMARY KEY, name TEXT NOT NULL, email TEXT NOT NULL UNIQUE);"


def small(folder: Path, name: str, schema: str, rows: int = 0) -> Proposal:
    """A normalized design of customers, of whom there are so many."""
    with closing(sqlite3.connect(folder / f"{name}.db")) as connection:
        connection.executescript(schema)
        if rows:
            connection.executemany(
                "INSERT INTO customer VALUES (?, ?, ?)", [(n, f"n{n}", f"e{n}") for n in range(rows)]
            )
        connection.commit()
    return pipeline.design(pipeline.inspect(f"sqlite:///{folder / f'{name}.db'}"), "normalized")


def test_the_unique_index_of_a_column_that_is_gone_goes_too(database: Documents, tmp_path: Path) -> None:
    """Else a second row without the column would be refused."""
    old = small(tmp_path, "old", SMALL, 5)
    new = small(tmp_path, "new", SMALL.replace(", email TEXT NOT NULL UNIQUE", ""))
    pipeline.load(old, f"sqlite:///{tmp_path / 'old.db'}", database)
    assert any("email" in each for each in pipeline.plan_migration(old, new, database).indexes_dropped)
    assert pipeline.migrate(old, new, database, cutover=True).equal
    assert "email" not in str(database["customer"].index_information())
    store = Store(new, database)
    for number in (10, 11):
        store.execute("INSERT INTO customer (id, name) VALUES (:id, 'x')", {"id": number})
    assert [*store.execute("SELECT count(*) AS n FROM customer")] == [{"n": 7}]


def test_a_plan_tells_what_a_migration_refuses(database: Documents, tmp_path: Path) -> None:
    """A new UNIQUE that rows break, with the documents; values that the new type does not take; fields that are there already."""
    old = small(tmp_path, "old", SMALL, 5)
    changed = SMALL.replace("name TEXT NOT NULL", "name INTEGER NOT NULL UNIQUE").replace(
        "UNIQUE);", "UNIQUE, memo TEXT);"
    )
    new = small(tmp_path, "new", changed)
    pipeline.load(old, f"sqlite:///{tmp_path / 'old.db'}", database)
    database["customer"].update_many({}, {"$set": {"name": "same", "memo": "old"}})
    plan = pipeline.plan_migration(old, new, database)
    assert any("not valid in the new design" in each for each in plan.refused)
    assert any("UNIQUE" in each and "5 times" in each for each in plan.refused)
    assert any("5 documents of `customer` have `memo` already" in each for each in plan.risks)


def test_another_reference_to_the_same_table(database: Documents, tmp_path: Path) -> None:
    """What relationships are called may hang on how many there are: the one there was is the same."""
    tickets = (
        "CREATE TABLE account (id INTEGER PRIMARY KEY, n TEXT); CREATE TABLE ticket (id INTEGER PRIMARY KEY, t TEXT, "
    )
    first = f"{tickets} account_id INTEGER NOT NULL REFERENCES account);"
    second = f"{tickets} account_id INTEGER NOT NULL REFERENCES account, billed_to INTEGER REFERENCES account);"
    for name, schema in (("old", first), ("new", second)):
        with closing(sqlite3.connect(tmp_path / f"{name}.db")) as connection:
            connection.executescript(schema)
            if name == "old":
                connection.executescript("INSERT INTO account VALUES (1, 'a'); INSERT INTO ticket VALUES (1, 't', 1);")
    old, new = (
        pipeline.design(pipeline.inspect(f"sqlite:///{tmp_path / f'{name}.db'}"), "embedded") for name in ("old", "new")
    )
    pipeline.load(old, f"sqlite:///{tmp_path / 'old.db'}", database)
    database["account"].update_one({"_id": 1}, {"$set": {"ticket.0.billed_to": 99}})
    plan = pipeline.plan_migration(old, new, database)
    assert any("`billed_to`: a new relationship" in each for each in plan.changes)
    assert any("whose parent does not exist" in each for each in plan.risks)
    assert pipeline.migrate(old, new, database, cutover=True, may_lose=["indexes"]).equal


ORDERS = (
    "CREATE TABLE customer (id INTEGER PRIMARY KEY, n TEXT); CREATE TABLE purchase (id INTEGER PRIMARY KEY, customer_id INTEGER"
    " NOT NULL REFERENCES customer, total DECIMAL_TEXT(8,2), pieces INTEGER"
)
DEFAULTS = (
    ", state TEXT NOT NULL DEFAULT 'open', rank INTEGER DEFAULT 3, vip BOOLEAN NOT NULL DEFAULT 0, due DATE DEFAULT"
    " '2026-01-31', rate REAL DEFAULT 0.5, fee DECIMAL_TEXT(8,2) DEFAULT '1.50', seen TIMESTAMP DEFAULT"
    " '2026-01-31 10:00:00', more JSON DEFAULT '{\"a\": [1]}'"
)


@pytest.mark.parametrize("before", ["normalized", "embedded"])
@pytest.mark.parametrize("after", ["normalized", "embedded"])
def test_rows_that_are_there_get_what_alter_table_gives_them(
    database: Documents, tmp_path: Path, before: str, after: str
) -> None:
    """A new column's default, as INSERT writes it; numbers of a wider type with its digits: then the tables say the same."""
    wider = ORDERS.replace("(8,2), pieces INTEGER", "(12,4), pieces REAL") + DEFAULTS
    old_rows = (
        "INSERT INTO customer VALUES (1, 'a'); INSERT INTO purchase VALUES (1, 1, '1.10', 7), (2, 1, NULL, NULL);"
    )
    new_rows = (
        "INSERT INTO customer VALUES (1, 'a');"
        "INSERT INTO purchase (id, customer_id, total, pieces) VALUES (1, 1, '1.1000', 7.0), (2, 1, NULL, NULL);"
    )
    for name, schema, rows in (("old", f"{ORDERS})", old_rows), ("new", f"{wider})", new_rows)):
        with closing(sqlite3.connect(tmp_path / f"{name}.db")) as connection:
            connection.executescript(f"{schema};{rows}")
    old, new = (
        pipeline.design(pipeline.inspect(f"sqlite:///{tmp_path / f'{name}.db'}"), strategy)
        for name, strategy in (("old", before), ("new", after))
    )
    pipeline.load(old, f"sqlite:///{tmp_path / 'old.db'}", database)
    plan = pipeline.plan_migration(old, new, database)
    assert any("`purchase.state` is new: 'open' if a document has no such field" in each for each in plan.changes)
    assert any(
        "`purchase.total` was decimal(8,2)" in each and "its numbers are converted" in each for each in plan.changes
    )
    assert not plan.refused
    assert pipeline.migrate(old, new, database, cutover=True, may_lose=["indexes"]).equal
    assert pipeline.verify(new, f"sqlite:///{tmp_path / 'new.db'}", database).equal
    store = Store(new, database)
    store.execute("INSERT INTO purchase (id, customer_id) VALUES (3, 1)")
    names = "state, rank, vip, due, rate, fee, seen, more"
    filled, inserted = (
        [*store.execute(f"SELECT {names} FROM purchase WHERE id = :id", {"id": number})] for number in (1, 3)
    )
    assert [repr(each) for each in filled] == [repr(each) for each in inserted]
    assert pipeline.check(new, database).clean


CALLED = """
CREATE TABLE customer (id INTEGER PRIMARY KEY, phone TEXT UNIQUE, n INTEGER CHECK (n > 0), size INTEGER);
CREATE TABLE purchase (id INTEGER PRIMARY KEY, customer_id INTEGER NOT NULL REFERENCES customer, memo TEXT);
INSERT INTO customer VALUES (1, '+1', 5, 2), (2, NULL, NULL, NULL);
INSERT INTO purchase VALUES (1, 1, 'x'), (2, 1, NULL), (3, 2, 'y');
"""
RENAMED = {
    "customer": "client",
    "customer.phone": "size",
    "customer.size": "phone",
    "customer.n": "rank",
    "purchase.memo": "note",
}
OTHERWISE = """
CREATE TABLE client (id INTEGER PRIMARY KEY, size TEXT UNIQUE, rank INTEGER CHECK (rank > 0), phone INTEGER);
CREATE TABLE purchase (id INTEGER PRIMARY KEY, customer_id INTEGER NOT NULL REFERENCES client, note TEXT);
INSERT INTO client VALUES (1, '+1', 5, 2), (2, NULL, NULL, NULL);
INSERT INTO purchase VALUES (1, 1, 'x'), (2, 1, NULL), (3, 2, 'y');
"""


def unsaid(old: Proposal, new: Proposal, database: Documents) -> str:
    """What a plan says that is not told of the table's new name."""
    try:
        return str(pipeline.plan_migration(old, new, database, renamed={k: v for k, v in RENAMED.items() if "." in k}))
    except InputError as error:
        return str(error)


@pytest.mark.parametrize("before", ["normalized", "embedded"])
@pytest.mark.parametrize("after", ["normalized", "embedded"])
def test_what_is_called_otherwise_comes_over(database: Documents, tmp_path: Path, before: str, after: str) -> None:
    """A table, columns, and two of them that take each other's name; the old application ends with the cutover."""
    for name, script in (("old", CALLED), ("new", OTHERWISE)):
        with closing(sqlite3.connect(tmp_path / f"{name}.db")) as connection:
            connection.executescript(script)
    old, new = (
        pipeline.design(pipeline.inspect(f"sqlite:///{tmp_path / f'{name}.db'}"), strategy)
        for name, strategy in (("old", before), ("new", after))
    )
    pipeline.load(old, f"sqlite:///{tmp_path / 'old.db'}", database)
    running = Store(old, database)
    assert "add `--renamed customer=client`" in unsaid(old, new, database)
    plan = pipeline.plan_migration(old, new, database, renamed=RENAMED)
    assert not plan.refused
    assert not any("is gone" in each or "is new" in each for each in plan.changes)
    may_lose = ["indexes"]
    assert pipeline.migrate(old, new, database, renamed=RENAMED, may_lose=may_lose).equal
    running.execute("UPDATE purchase SET memo = 'z' WHERE id = 2")
    running.execute("INSERT INTO customer (id, phone, size) VALUES (3, '+3', 9)")
    assert pipeline.migrate(old, new, database, renamed=RENAMED, may_lose=may_lose, cutover=True).equal
    with closing(sqlite3.connect(tmp_path / "new.db")) as connection:
        connection.executescript(
            "UPDATE purchase SET note = 'z' WHERE id = 2; INSERT INTO client (id, size, phone) VALUES (3, '+3', 9);"
        )
    assert pipeline.verify(new, f"sqlite:///{tmp_path / 'new.db'}", database).equal
    with pytest.raises(MigrationError, match="another design has replaced this one"):
        [*Store(old, database).execute("SELECT phone FROM customer")]
    assert "customer.before" in pipeline.drop_old(old, new, database, renamed=RENAMED, may_lose=may_lose).collections


def test_names_that_cannot_be_are_told_together(database: Documents, tmp_path: Path) -> None:
    """What is not there, what is taken, and what keys are made of."""
    with closing(sqlite3.connect(tmp_path / "old.db")) as connection:
        connection.executescript(CALLED)
    old = pipeline.design(pipeline.inspect(f"sqlite:///{tmp_path / 'old.db'}"), "normalized")
    with closing(sqlite3.connect(tmp_path / "new.db")) as connection:
        connection.executescript(OTHERWISE)
    new = pipeline.design(pipeline.inspect(f"sqlite:///{tmp_path / 'new.db'}"), "normalized")
    names = {
        "nobody": "client", "customer.nothing": "rank", "customer.n": "rnk", "customer.phone": "size", "customer.size": "size",
        "customer": "clients", "purchase.id": "note",
    }  # fmt: skip
    with pytest.raises(InputError) as refused:
        pipeline.plan_migration(old, new, database, renamed=names)
    told = [each.text() for each in refused.value.problems]
    said = (
        "the old design has no entity `nobody`", "the new design has no entity `clients`", "`nothing` in `customer`",
        "cannot all be called `size`", "is in a key",
    )  # fmt: skip
    assert [part for part in said if not any(part in each for each in told)] == []
    with pytest.raises(InputError, match="the new design has no attribute `rnk` in `client`"):
        pipeline.plan_migration(old, new, database, renamed={"customer": "client", "customer.n": "rnk"})


def test_what_rows_get_that_have_no_default_is_given(database: Documents, tmp_path: Path) -> None:
    """A new column that must have a value, a moment the source takes from its clock, and one whose default is another."""
    old = small(tmp_path, "old", SMALL, 5)
    columns = (
        ", tier TEXT NOT NULL, made TIMESTAMP NOT NULL DEFAULT CURRENT_TIMESTAMP, n INTEGER DEFAULT 1, left DATE,"
        " token UUID_TEXT);"
    )
    new = small(tmp_path, "new", SMALL.replace(");", columns))
    pipeline.load(old, f"sqlite:///{tmp_path / 'old.db'}", database)
    with pytest.raises(InputError, match=r"--fill customer\.tier=VALUE"):
        pipeline.plan_migration(old, new, database)
    wrong = {"customer.tier": "gold", "customer.made": "soon", "customer.name": "x", "customer.x": "1", "nobody.x": "1"}
    with pytest.raises(InputError) as refused:
        pipeline.plan_migration(old, new, database, filled=wrong)
    assert len(refused.value.problems) == len(wrong) - 1
    filled = {
        "customer.tier": "gold", "customer.made": "2026-01-31 10:00:00", "customer.n": "7",
        "customer.token": "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11",
    }  # fmt: skip
    plan = pipeline.plan_migration(old, new, database, filled=filled)
    assert not plan.refused
    assert any("`customer.tier` is new: 'gold' if a document has no such field" in each for each in plan.changes)
    assert pipeline.migrate(old, new, database, filled=filled, cutover=True).equal
    store = Store(new, database)
    asked = "SELECT tier, CAST(made AS TEXT) AS made, n, left, token FROM customer WHERE id = :id"
    store.execute("INSERT INTO customer (id, name, email, tier) VALUES (9, 'x', 'e', 'silver')")
    (there,), (later,) = ([*store.execute(asked, {"id": number})] for number in (1, 9))
    there["made"] = str(there["made"])[:19]
    assert [*map(str, there.values())] == ["gold", "2026-01-31 10:00:00", "7", "None", filled["customer.token"]]
    assert (later["tier"], later["n"]) == ("silver", 1)
    with pytest.raises(MigrationError, match="another design has replaced this one"):
        [*Store(old, database).execute("SELECT name FROM customer")]


HELD = """
CREATE TABLE author (id INTEGER PRIMARY KEY, email TEXT, first TEXT);
CREATE TABLE note (id INTEGER PRIMARY KEY, author_id INTEGER REFERENCES author, body TEXT);
"""
CALLED_ANEW = """
CREATE TABLE author (id INTEGER PRIMARY KEY, mail TEXT, email TEXT, second TEXT NOT NULL);
CREATE TABLE note (id INTEGER PRIMARY KEY, writer_id INTEGER REFERENCES author, author_id TEXT);
"""
HELD_ROWS = (
    "INSERT INTO author VALUES (1, 'a@x', 'A'), (2, NULL, 'B');"
    "INSERT INTO note VALUES (1, 1, 'x'), (2, 2, NULL), (3, NULL, 'z');"
)
ROWS_ANEW = (
    "INSERT INTO author VALUES (1, 'a@x', NULL, 'A'), (2, NULL, NULL, 'B');"
    "INSERT INTO note VALUES (1, 1, 'x'), (2, 2, NULL), (3, NULL, 'z');"
)


def two(folder: Path, scripts: tuple[str, str], strategies: tuple[str, str]) -> tuple[Proposal, Proposal]:
    """A design of each of two databases, `old.db` and `new.db`."""
    for name, script in zip(("old", "new"), scripts, strict=True):
        with closing(sqlite3.connect(folder / f"{name}.db")) as connection:
            connection.executescript(script)
    old, new = (
        pipeline.design(pipeline.inspect(f"sqlite:///{folder / f'{name}.db'}"), strategy)
        for name, strategy in zip(("old", "new"), strategies, strict=True)
    )
    return old, new


@pytest.mark.parametrize("before", ["normalized", "embedded"])
@pytest.mark.parametrize("after", ["normalized", "embedded"])
def test_names_that_are_used_again(database: Documents, tmp_path: Path, before: str, after: str) -> None:
    """A foreign key has another name; names that columns had are those of others, new or there already."""
    old, new = two(tmp_path, (HELD + HELD_ROWS, CALLED_ANEW + ROWS_ANEW), (before, after))
    pipeline.load(old, f"sqlite:///{tmp_path / 'old.db'}", database)
    with pytest.raises(InputError, match=r"if it is `first` under a new name, add `--renamed author.first=second`"):
        pipeline.plan_migration(old, new, database)
    names = {
        "author.email": "author.mail", "author.first": "second", "note.author_id": "writer_id", "note.body": "note.author_id"
    }  # fmt: skip
    assert not pipeline.plan_migration(old, new, database, renamed=names).refused
    assert pipeline.migrate(old, new, database, renamed=names, cutover=True, may_lose=["indexes"]).equal
    assert pipeline.verify(new, f"sqlite:///{tmp_path / 'new.db'}", database).equal
    assert pipeline.check(new, database).clean


def test_a_moment_is_no_day(database: Documents, tmp_path: Path) -> None:
    """Documents store both alike, so that no validator would tell: rows with a time of day are refused, midnight is a day."""
    moments = "CREATE TABLE note (id INTEGER PRIMARY KEY, at TIMESTAMP);"
    rows = "INSERT INTO note VALUES (1, '2026-01-31 08:07:00'), (2, '2026-01-31 00:00:00'), (3, NULL);"
    days = "CREATE TABLE note (id INTEGER PRIMARY KEY, at DATE);"
    old, new = two(tmp_path, (moments + rows, days), ("normalized", "normalized"))
    pipeline.load(old, f"sqlite:///{tmp_path / 'old.db'}", database)
    said = "`note.at` is a date without a time in the new design, but 1 row has a time of day"
    assert any(said in each for each in pipeline.plan_migration(old, new, database).refused)
    with pytest.raises(MigrationError, match=said):
        pipeline.migrate(old, new, database)
    Store(old, database).execute("UPDATE note SET at = '2026-01-31 00:00:00' WHERE id = 1")
    assert pipeline.migrate(old, new, database, cutover=True).equal
    asked = "SELECT count(*) AS n FROM note WHERE at = '2026-01-31'"
    assert [*Store(new, database).execute(asked)] == [{"n": 2}]


def test_a_copy_loses_what_is_gone(database: Documents, tmp_path: Path) -> None:
    """A column that was dropped is in no copy of it after the migration, and `check` has nothing to say."""
    tables = (
        "CREATE TABLE patient (id INTEGER PRIMARY KEY, first TEXT, last TEXT);"
        "CREATE TABLE visit (id INTEGER PRIMARY KEY, patient_id INTEGER NOT NULL REFERENCES patient, day TEXT);"
    )
    rows = "INSERT INTO patient VALUES (1, 'a', 'b'); INSERT INTO visit VALUES (1, 1, 'x'), (2, 1, 'y');"
    old, new = two(tmp_path, (tables + rows, tables.replace("first TEXT, ", "")), ("normalized", "normalized"))

    def with_copy(proposal: Proposal, *names: str) -> Proposal:
        copied = Copy(
            "patient",
            (Hop("patient_visit", up=True),),
            tuple(Field(name, name) for name in names),
            Form.OBJECT,
            TRANSACTION,
        )
        collections = tuple(
            replace(each, body=replace(each.body, copies=(copied,))) if each.name == "visit" else each
            for each in proposal.design.collections
        )
        return replace(proposal, design=replace(proposal.design, collections=collections))

    old, new = with_copy(old, "first", "last"), with_copy(new, "last")
    pipeline.load(old, f"sqlite:///{tmp_path / 'old.db'}", database)
    with pytest.raises(MigrationError, match="first"):
        pipeline.migrate(old, new, database)
    assert pipeline.migrate(old, new, database, cutover=True, may_lose=["unknown"]).equal
    assert database["visit"].find_one({"_id": 1}) == {"_id": 1, "patient_id": 1, "day": "x", "patient": {"last": "b"}}
    assert pipeline.check(new, database).clean


NOTES = """nestling: 1
strategy: ""
model:
  name: notes
  entities:
    note:
      key: [id]
      attributes: {{id: {key}, body: text, {title}: text, length: integer!}}
design:
  collections:
    note:
      root: note
      {rest}
"""


def notes(folder: Path, *, title: str = "title", key: str = "integer!", rest: str = "id: [id]") -> Proposal:
    """A design of one table."""
    path = folder / f"{title}.yaml"
    path.write_text(NOTES.format(title=title, key=key, rest=rest))
    found = read_file(path)
    assert isinstance(found, Proposal)
    return found


@pytest.mark.parametrize("part", ["{attributes: [body, length]}", '{rows: {attribute: length, before: "50"}}'])
def test_what_is_called_otherwise_comes_over_of_what_is_split(database: Documents, tmp_path: Path, part: str) -> None:
    """The name is that of a field in the collection, and its other part has no such field, or has it too."""
    old = notes(tmp_path, rest=f"id: [id]\n      splits: {{note_rest: {part}}}")
    new = notes(tmp_path, title="heading")
    rows: list[tuple[object, ...]] = [(n, f"body {n}", f"title {n}", n) for n in range(100)]
    sqlite_source(tmp_path / "notes.db", old.design.model, {"note": rows})
    pipeline.load(old, f"sqlite:///{tmp_path / 'notes.db'}", database)
    names = {"note.title": "heading"}
    assert pipeline.migrate(old, new, database, cutover=True, renamed=names, may_lose=["id_order"]).equal
    found = Store(new, database).execute("SELECT id, body, heading, length FROM note ORDER BY id")
    assert [tuple(each.values()) for each in found] == rows


def test_a_time_series_keeps_its_name(database: Documents, tmp_path: Path) -> None:
    """Refused before anything is built, whichever of the designs has it."""
    series = notes(tmp_path, key="timestamp!", rest="options: {kind: time-series, time: id}")
    plain = notes(tmp_path, title="heading", key="timestamp!")
    rows: list[tuple[object, ...]] = [
        (datetime.fromisoformat(f"2026-01-0{n}"), "body", f"title {n}", n) for n in range(1, 9)
    ]
    sqlite_source(tmp_path / "notes.db", series.design.model, {"note": rows})
    pipeline.load(series, f"sqlite:///{tmp_path / 'notes.db'}", database)
    with pytest.raises(MigrationError, match="the old design has a time series of this name, which cannot be renamed"):
        pipeline.migrate(series, plain, database, cutover=True, renamed={"note.title": "heading"}, may_lose=[*Loss])
    assert {name for name in database.list_collection_names() if not name.startswith("system.")} == {"note"}
