"""Checks of rows as the server keeps them: it refuses exactly the documents whose rows SQLite's CHECK refuses."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from dataclasses import replace
from decimal import Decimal
from itertools import product
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from pymongo.database import Database

from nestling.emitters.jsonschema import validator
from nestling.emitters.validators.row_checks import row_conditions
from nestling.ir.codec import CODEC
from nestling.ir.constraints.condition_text import condition_text
from nestling.ir.constraints.row_check import RowCheck
from nestling.ir.design import Design
from nestling.ir.model import Attribute, Cardinality, Entity, Model, Relationship
from nestling.ir.primitives import Collection, Document, Embedding, Form, Split
from nestling.ir.statements.expression import Expression
from nestling.ir.storage.kept_checks import check_gaps
from nestling.ir.text.condition_reader import read_condition
from nestling.ir.types import BOOLEAN, FLOAT, INTEGER, TEXT, Type, TypeName
from nestling.ir.values import Policy, encoder
from nestling.sources.row_checks import compares_alike
from tests.generators.conditions import conditions

TYPES = {"a": INTEGER, "b": INTEGER, "f": FLOAT, "s": TEXT, "u": TEXT, "p": BOOLEAN, "q": BOOLEAN}
VALUES: dict[TypeName, tuple[Any, ...]] = {
    TypeName.INTEGER: (None, -1, 0, 2),
    TypeName.FLOAT: (None, -1.25, 0.5, 2.0),
    TypeName.TEXT: (None, "", "a", "B"),
    TypeName.BOOLEAN: (None, False, True),
}
ENTITY = Entity("t", (Attribute("id", INTEGER, nullable=False), *(Attribute(n, k) for n, k in TYPES.items())), ("id",))
NAMES = ENTITY.attribute_names[1:]
ASKED = replace(ENTITY, attributes=ENTITY.attributes[1:], key=())


def design(condition: Expression) -> Design:
    entity = Entity("t", ENTITY.attributes, ("id",), checks=(RowCheck("c", condition),))
    return Design(Model("m", (entity,)), (Collection("t", Document("t"), ("id",)),))


def rows_of(condition: Expression) -> list[dict[str, Any]]:
    """All the rows that differ in what the condition is about."""
    columns = RowCheck("", condition).columns
    found = product(*(VALUES[TYPES[name].name] for name in columns))
    return [dict(zip(columns, values, strict=True)) for values in found][:300]


def refused_by_sqlite(condition: Expression, rows: list[dict[str, Any]]) -> list[int]:
    """The places of the rows that break a CHECK of a real table."""
    kinds = {TypeName.INTEGER: "integer", TypeName.FLOAT: "real", TypeName.TEXT: "text", TypeName.BOOLEAN: "boolean"}
    columns = ", ".join(f"{name} {kinds[kind.name]}" for name, kind in TYPES.items())
    refused = []
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as connection:
        connection.execute(f"CREATE TABLE t (id integer PRIMARY KEY, {columns}, CHECK ({condition_text(condition)}))")
        for place, row in enumerate(rows):
            try:
                marks = ", ".join("?" * len(NAMES))
                connection.execute(
                    f"INSERT INTO t VALUES ({place}, {marks})",
                    [row.get(name) for name in NAMES],
                )
            except sqlite3.IntegrityError:
                refused.append(place)
    return refused


def document(place: int, row: dict[str, Any]) -> dict[str, Any]:
    stored = {name: encoder(TYPES[name])(value) for name, value in row.items() if value is not None}
    return {"_id": place, **stored}


def agrees(condition: Expression, database: Database[dict[str, Any]]) -> None:
    rows = rows_of(condition)
    refused = refused_by_sqlite(condition, rows)
    made = design(condition)
    collection = database.get_collection("t", codec_options=CODEC)
    collection.delete_many({})
    collection.insert_many(document(place, row) for place, row in enumerate(rows))
    found = collection.find({"$nor": [validator(made, made.stores[0])]}, {"_id": 1}).sort("_id", 1)
    assert [each["_id"] for each in found] == refused, condition_text(condition)
    check = RowCheck("", condition)
    assert [place for place, row in enumerate(rows) if not check.lets_in(row)] == refused


CASES = [
    "a < b", "a <= b", "a = b", "a <> b", "a < b AND b < 2", "a IS NULL OR a > b", "a IS NOT NULL OR b IS NOT NULL",
    "NOT (a < b)", "NOT (a = 0 OR b = 0)", "a + b <= 1", "a * 2 - b > -1", "a IN (0, 2)", "a NOT IN (0, 2)", "a < f",
    "f >= 0.5", "f IN (0.5, -1)", "s < u", "s = u", "s <> 'a' OR b IS NULL", "s IN ('a', 'B') AND a > 0", "p", "NOT p", "p OR q",
    "p = q", "p AND a IS NOT NULL OR NOT p AND a IS NULL", "p = TRUE OR b > 0", "TRUE", "a <> 0 OR FALSE",
]  # fmt: skip


@pytest.mark.parametrize("condition", CASES)
def test_refused_is_what_sqlite_refuses(condition: str, database: Database[dict[str, Any]]) -> None:
    """Every kind of condition, over every combination of a few values and NULL."""
    agrees(read_condition(condition), database)


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(conditions(ASKED).filter(lambda found: compares_alike(found, ENTITY, "sqlite")))
def test_any_condition(database: Database[dict[str, Any]], condition: Expression) -> None:
    """Random ones, which come back from their text as they were."""
    assert read_condition(condition_text(condition)) == condition
    agrees(condition, database)


def entity(name: str, checks: str, **types: Type) -> Entity:
    columns = {"id": INTEGER, **types}
    attributes = (Attribute(each, kind, nullable=not each.endswith("id")) for each, kind in columns.items())
    return Entity(name, tuple(attributes), ("id",), checks=(RowCheck("c", read_condition(checks)),) if checks else ())


def link(parent: str, child: str, cardinality: Cardinality = Cardinality.ONE_TO_MANY) -> Relationship:
    return Relationship(f"{parent}_{child}", parent, child, ("id",), (f"{parent}_id",), cardinality, required=True)


def refused(made: Design, documents: list[dict[str, Any]], database: Database[dict[str, Any]]) -> list[int]:
    """The numbers of the documents that the checks alone refuse."""
    (store,) = (each for each in made.stores if each.name == "a")
    collection = database.get_collection("a", codec_options=CODEC)
    collection.insert_many({"_id": number, **each} for number, each in enumerate(documents))
    conditions_there = row_conditions(made, store, Policy())
    found = collection.find({"$nor": [{"$and": conditions_there}]}, {"_id": 1}).sort("_id", 1)
    return [each["_id"] for each in found]


def nested(form: Form) -> Design:
    """Rows of `b` inside those of `a`, and rows of `c` inside these, whose foreign keys the documents around them imply."""
    model = Model(
        "m",
        (
            entity("a", ""),
            entity("b", "low < high AND a_id <> low", a_id=INTEGER, low=INTEGER, high=INTEGER),
            entity("c", "b_id <> n", b_id=INTEGER, n=INTEGER),
        ),
        (link("a", "b", Cardinality.ONE_TO_MANY if form is Form.ARRAY else Cardinality.ONE_TO_ONE), link("b", "c")),
    )
    inner = Embedding("cs", "b_c", Form.ARRAY, Document("c"))
    body = Document("a", embeddings=(Embedding("b", "a_b", form, Document("b", embeddings=(inner,))),))
    return Design(model, (Collection("a", body, ("id",)),))


def test_rows_in_arrays(database: Database[dict[str, Any]]) -> None:
    """Every element is a row, whatever is around it tells its foreign key; no elements, and none at all, break nothing."""
    good = {"id": 7, "low": 4, "high": 5, "cs": [{"id": 1, "n": 1}]}
    found = refused(
        nested(Form.ARRAY),
        [
            {}, {"b": []}, {"b": [good]}, {"b": [good, {**good, "low": 6}]}, {"b": [{**good, "high": 0, "low": 5}]},
            {"b": [{**good, "low": 5}]}, {"b": [{"id": 1}]}, {"b": [good, {**good, "cs": [{"n": 1}, {"n": 7}]}]},
            {"b": [{**good, "cs": [{"n": 8}]}]}, {"b": [{**good, "low": 9, "high": 99}]},
        ],
        database,
    )  # fmt: skip
    assert found == [3, 4, 5, 7, 9]


def test_a_row_in_a_document(database: Database[dict[str, Any]]) -> None:
    """A sub-document that is not there is no row."""
    found = refused(
        nested(Form.OBJECT), [{}, {"b": {"id": 1, "low": 3, "high": 2}}, {"b": {"id": 1, "cs": [{"n": 1}]}}], database
    )
    assert found == [1, 2]


def test_values_kept_as_they_were_found_pass(database: Database[dict[str, Any]]) -> None:
    """No type of BSON holds them, so that the server would compare them in another way than the source did."""
    day, moment = Type(TypeName.DATE), Type(TypeName.TIMESTAMP, (6,))
    made = Design(
        Model("m", (entity("a", "d < e AND x < y AND g <= h", d=day, e=day, x=moment, y=moment, g=FLOAT, h=FLOAT),)),
        (Collection("a", Document("a"), ("id",)),),
    )
    early, late, nan = "2024-01-01T00:00:00.000001", "2024-01-01T00:00:00.000002", float("nan")
    rows: list[dict[str, Any]] = [
        {"x": early, "y": late}, {"x": late, "y": early}, {"x": late, "y": "infinity"}, {"x": late, "y": "0044-03-15 BC"},
        {"d": "infinity", "e": "2024-01-01 BC"}, {"g": 1.0, "h": nan}, {"g": nan, "h": 1.0}, {"g": 2.0, "h": 1.0},
    ]  # fmt: skip
    assert refused(made, rows, database) == [1, 7]


def test_sums_of_what_is_no_number_do_not_fail(database: Database[dict[str, Any]]) -> None:
    """A wrong type is for the schema to refuse, in its words."""
    made = Design(
        Model("m", (entity("a", "n + m <= 3", n=INTEGER, m=Type(TypeName.DECIMAL, (10, 2))),)),
        (Collection("a", Document("a"), ("id",)),),
    )
    encode = encoder(Type(TypeName.DECIMAL))
    rows = [
        {"n": "text", "m": encode(Decimal(1))},
        {"n": 2, "m": encode(Decimal("1.00"))},
        {"n": 2, "m": encode(Decimal("1.01"))},
    ]
    assert refused(made, rows, database) == [2]


def test_columns_of_several_documents_are_told() -> None:
    """A check whose columns are split off is left, and said to be."""
    model = Model("m", (entity("a", "low < high", low=INTEGER, high=INTEGER),))
    body = Document("a")
    made = Design(model, (Collection("a", body, ("id",), splits=(Split("rest", ("high",)),)),))
    assert [row_conditions(made, store, Policy()) for store in made.stores] == [[], []]
    (gap,) = check_gaps(made)
    assert str(gap) == (
        "a: CHECK c (low < high) of `a` compares values of several documents, as `high` is stored elsewhere; "
        "the application has to enforce it (MongoDB cannot)"
    )
