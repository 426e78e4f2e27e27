"""SQLite's `->>` beside SQLite, and of a live MongoDB: texts, numbers, truth values and what has no such key."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from pymongo.database import Database

from nestling import Store
from nestling.common.errors import GapError, NestlingError
from nestling.executors.facts import Amount, Budget, gather
from nestling.pipeline import design, inspect, load
from nestling.sources.mongo import live_database

ROWS: tuple[tuple[int, str | None], ...] = (
    (1, '{"phone": "123", "a": {"b": "deep"}, "on": true}'),
    (2, '{"phone": 123, "a": [{"b": "deep"}], "on": false}'),
    (3, '{"phone": 1.5, "a": {"b": 7}}'),
    (4, '{"phone": null}'),
    (5, None),
    (6, '"phone"'),
    (7, '[{"phone": "123"}]'),
    (9, '{"phone": "", "a": "deep"}'),
    (10, '{"phone": "é$x"}'),
)
STATEMENTS = (
    "SELECT id, contact->>'phone' AS phone, contact->>'on' AS state FROM person",
    "SELECT id, contact->'a'->>'b' AS b FROM person",
    "SELECT contact->>'on' AS state, count(*) AS n FROM person GROUP BY 1",
    "SELECT id FROM person WHERE contact->>'phone' = '123'",
    "SELECT id FROM person WHERE contact->>'phone' = 123",
    "SELECT id FROM person WHERE contact->>'phone' <> '123'",
    "SELECT id FROM person WHERE contact->>'phone' IN ('123', 1.5)",
    "SELECT id FROM person WHERE contact->>'phone' > 100",
    "SELECT id FROM person WHERE contact->>'on' = 1",
    "SELECT id FROM person WHERE contact->>'phone' IS NULL",
    "SELECT id FROM person WHERE contact->>'phone' LIKE '%2%'",
    "SELECT id FROM person ORDER BY contact->>'phone', id",
    "SELECT id, coalesce(contact->>'phone', 'none') || '!' AS loud FROM person WHERE id <> 3",
    "SELECT id FROM person WHERE contact->>'phone' = :phone",
    "SELECT id, contact->>'$.phone' AS phone, contact->>'$.a.b' AS b FROM person",
    "SELECT id, json_extract(contact, '$.phone') AS phone, json_extract(contact, '$.on') AS state FROM person",
    "SELECT id, json_extract(contact, '$.a.b') AS b FROM person",
    "SELECT id FROM person WHERE json_extract(contact, '$.phone') = :phone",
    "SELECT json_extract(contact, '$.on') AS state, count(*) AS n FROM person GROUP BY 1",
)


@pytest.mark.one_in(2)
@pytest.mark.parametrize("strategy", ["normalized", "embedded"])
def test_values_are_sqlites(strategy: str, tmp_path: Path, database: Database[Any]) -> None:
    """Every kind of value, and conditions on it."""
    path = tmp_path / "a.db"
    with closing(sqlite3.connect(path)) as source:
        source.execute("CREATE TABLE person (id INTEGER PRIMARY KEY, contact JSON)")
        source.executemany("INSERT INTO person VALUES (?, ?)", ROWS)
        source.commit()
        made = design(inspect(f"sqlite:///{path}"), strategy)
        load(made, f"sqlite:///{path}", database)
        store = Store(made, database)
        for sql in STATEMENTS:
            values = {"phone": "123"} if ":phone" in sql else {}
            mine = [tuple(row.values()) for row in store.execute(sql, **values)]
            theirs = source.execute(sql, values).fetchall()
            assert sorted(map(repr, mine)) == sorted(map(repr, theirs)), sql
        with pytest.raises(NestlingError, match="the text that SQLite writes is not known"):
            list(store.execute("SELECT contact->>'a' FROM person WHERE id = 1"))
        for place in ("contact->>0", "json_extract(contact, '$.a[0]')"):
            with pytest.raises(GapError, match="selects an array element by its position"):
                list(store.execute(f"SELECT {place} FROM person"))


def test_values_of_a_live_mongodb(database: Database[Any]) -> None:
    """What is a sub-document in some documents and a text in others is one column of JSON, whose keys are read."""
    addresses = [
        {"city": f"c{n % 3}", "zip": n if n % 2 else str(n)} if n % 4 else f"Street {n}, c{n % 3}" for n in range(40)
    ]
    database.people.insert_many([{"_id": n, "address": each} for n, each in enumerate(addresses)])
    facts = gather(database.client, [database.name], Budget(30.0, Amount(), structure=True))
    store = Store(live_database(facts, name="read").in_place, database)
    found = {row["_id"]: row["city"] for row in store.execute("SELECT _id, address->>'city' AS city FROM people")}
    assert found == {n: each["city"] if isinstance(each, dict) else None for n, each in enumerate(addresses)}
    mine = {row["_id"] for row in store.execute("SELECT _id FROM people WHERE address->>'city' = :city", city="c1")}
    assert mine == {each["_id"] for each in database.people.find({"address.city": "c1"})}
