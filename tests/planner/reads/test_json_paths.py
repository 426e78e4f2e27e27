"""A value under keys of JSON beside a constant is found by its path, by an index where there is one; beside PostgreSQL."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import pytest
from pymongo import MongoClient

from nestling import Store
from nestling.common.errors import NestlingError, WorkloadError
from tests.planner.reads.beside_postgresql import Beside, beside, written

TABLES = """
CREATE TABLE person (id int PRIMARY KEY, kind text, address jsonb);
INSERT INTO person SELECT i, 'many', jsonb_build_object('city', 'city ' || i, 'geo', jsonb_build_object('zip', i::text, 'n', i))
    FROM generate_series(100, 400) i;
INSERT INTO person VALUES (1, 'few', '{"city": "Rome"}'), (2, 'few', '{"city": ["Rome"]}'), (3, 'few', '[{"city": "Rome"}]'),
    (4, 'few', '{"city": null}'), (5, 'few', NULL), (6, 'few', '"Rome"'), (7, 'few', '{"city": 42}'),
    (8, 'few', '{"city": "42"}'), (9, 'few', '{"city": 42.0}'),
    (10, 'few', '{"city": true}'), (11, 'few', '{"city": "true"}'), (12, 'few', '{"city": ""}'),
    (13, 'few', '{"geo": [{"zip": "x"}]}'), (14, 'few', '{"geo": {"zip": "x"}}'), (15, 'few', '{"geo": "zip"}'),
    (16, 'few', '{"city": "[draft] Rome"}'), (17, 'few', '{"city": "{}"}');
"""
STATEMENTS: tuple[tuple[str, Mapping[str, object]], ...] = (
    ("address->>'city' = 'Rome'", {}),
    ("'Rome' = address->>'city'", {}),
    ("address->>'city' = '42'", {}),
    ("address->>'city' = '42.0'", {}),
    ("address->>'city' = 'true'", {}),
    ("address->>'city' = ''", {}),
    ("address->'geo'->>'zip' = 'x'", {}),
    ("address->'geo'->>'n' = '250'", {}),
    ("address->>'city' IN ('Rome', '42', 'city 200')", {}),
    ("address->>'city' = 'city 300' AND id > 200", {}),
    ("NOT (address->>'city' = 'Rome') AND id > 395", {}),
    *(("address->>'city' = :city", {"city": city}) for city in ("Rome", "42", "42.0", "true", "", "[draft] Rome", "none", None)),
    ("address->>'city' = ANY(:cities)", {"cities": ["Rome", "42", "city 200"]}),
    ("address->>'city' = ANY(:cities)", {"cities": []}),
    ("address->'geo'->>'n' = :n", {"n": "250"}),
)  # fmt: skip


@pytest.fixture(scope="module")
def served(postgresql: str, mongo_client: MongoClient[dict[str, Any]]) -> Iterator[Beside]:
    """Addresses, most of them alike; objects and arrays, of which writes is not known, are where nothing asks."""
    with beside(postgresql, mongo_client, TABLES) as found:
        found.database.person.create_index("address.city")
        yield found


@pytest.mark.one_in(2)
@pytest.mark.parametrize(("condition", "values"), STATEMENTS)
def test_answers_are_postgresqls(served: Beside, condition: str, values: Mapping[str, object]) -> None:
    """Of texts, numbers, truth values, arrays, and JSON that is no object."""
    sql = f"SELECT id FROM person WHERE {condition} AND id <> 2 ORDER BY id"
    if "NOT" in condition:
        sql = f"SELECT id FROM person WHERE {condition} ORDER BY id"
    store = Store(served.proposal, served.database, dialect="postgresql")
    assert [tuple(map(written, row.values())) for row in store.execute(sql, **values)] == served.theirs(sql, values)


@pytest.mark.parametrize(
    ("condition", "values"),
    [
        ("address->>'city' = 'city 200'", {}),
        ("address->>'city' = :city", {"city": "city 200"}),
        ("address->>'city' = ANY(:cities)", {"cities": ["city 200", "city 201"]}),
    ],
)
def test_an_index_serves_it(served: Beside, condition: str, values: Mapping[str, object]) -> None:
    """Few documents are looked at."""
    from nestling import pipeline
    from nestling.executors.calls import read_call
    from nestling.ir.programs.compiled import CompiledRead, bind

    sql = f"SELECT id FROM person WHERE {condition}"
    read = pipeline.convert(served.proposal, sql, dialect="postgresql")
    assert isinstance(read, CompiledRead)
    call = read_call(bind(read, values))
    assert call is not None
    found = call.on(served.database).explain()["executionStats"]
    assert found["executionSuccess"]
    assert found["totalDocsExamined"] < 40


def test_the_text_of_an_array_is_refused(served: Beside) -> None:
    """Its form in the documents is not known; a constant of that kind is compared with each."""
    store = Store(served.proposal, served.database, dialect="postgresql")
    with pytest.raises(WorkloadError, match="text of a JSON array"):
        list(store.execute("SELECT id FROM person WHERE address->>'city' = :city", city='["Rome"]'))
    with pytest.raises(NestlingError, match="writes is not known"):
        list(store.execute("""SELECT id FROM person WHERE address->>'city' = '["Rome"]'"""))


def test_json_kept_as_its_text_is_not_passed_over(served: Beside) -> None:
    """A statement fails on it, as no document could be made of it."""
    store = Store(served.proposal, served.database, dialect="postgresql")
    store.execute("INSERT INTO person (id, address) VALUES (900, :address)", address='{"$odd": 1, "city": "Ostia"}')
    try:
        with pytest.raises(NestlingError, match="writes is not known"):
            list(store.execute("SELECT id FROM person WHERE address->>'city' = 'Ostia'"))
    finally:
        store.execute("DELETE FROM person WHERE id = 900")
