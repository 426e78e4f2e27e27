# ruff: noqa: ISC004 - statements run over lines
"""Rows that a subquery in FROM limits keep their documents: what lies inside these is unwound, and nothing is looked up."""

from __future__ import annotations

import uuid
from typing import Any

import pytest
from pymongo import MongoClient

from nestling import pipeline
from nestling.ir.model import Attribute, Entity, Model, Relationship
from nestling.ir.reading import Reading
from nestling.ir.types import Type, TypeName
from tests.planner.reads.beside_sqlite import Beside, loaded

INTEGER, TEXT = Type(TypeName.INTEGER), Type(TypeName.TEXT)
LIMITED = "SELECT o.id AS number, o.total AS amount FROM orders o ORDER BY o.total, o.id LIMIT {}"
STATEMENTS = (
    f"SELECT f.number, f.amount, l.no FROM ({LIMITED.format(3)}) AS f LEFT JOIN line l ON l.order_id = f.number"
    " ORDER BY f.amount, f.number, l.no -- total order",
    f"SELECT f.number, l.no FROM ({LIMITED.format(3)}) AS f JOIN line l ON l.order_id = f.number",
    f"SELECT l.order_id, l.no FROM ({LIMITED.format('2 OFFSET 2')}) AS f LEFT JOIN line l ON l.order_id = f.number",
    "SELECT f.number, p.country FROM (SELECT e.id AS number FROM employee e ORDER BY e.id LIMIT 4) AS f"
    " LEFT JOIN passport p ON p.employee_id = f.number",
)


@pytest.mark.parametrize("sql", STATEMENTS)
def test_limited_rows_are_joined_as_in_sqlite(shop: Beside, sql: str) -> None:
    """The answer is SQLite's; where the children lie inside, they are read from the document at hand."""
    shop.assert_equal(sql)
    if "line" not in {each.name for each in shop.design.collections}:
        assert "$lookup" not in str(shop.compiled(sql).pipeline)


@pytest.mark.parametrize("nullable", [False, True])
def test_bare_values_are_unwound_where_none_is_null(
    nullable: bool, mongo_client: MongoClient[dict[str, Any]], tmp_path_factory: pytest.TempPathFactory
) -> None:
    """A list of values that are never NULL is unwound in a LEFT JOIN; one with NULLs is not, as none would look like NULL."""
    attributes = Attribute("post_id", INTEGER, False), Attribute("text", TEXT, nullable)
    label = Entity("label", attributes, () if nullable else ("post_id", "text"))
    post = Entity("post", (Attribute("id", INTEGER, False),), ("id",))
    link = Relationship("post_labels", "post", "label", ("id",), ("post_id",), required=True)
    reading = Reading(Model("blog", (post, label), (link,)), dialect="sqlite")
    rows: dict[str, list[tuple[object, ...]]] = {
        "post": [(1,), (2,), (3,)],
        "label": [(1, "red"), (1, "blue"), (2, None if nullable else "red")],
    }
    database = mongo_client[f"test_{uuid.uuid4().hex}"]
    made = loaded(pipeline.design(reading, "embedded"), rows, database, tmp_path_factory.mktemp("labels"))
    sql = "SELECT p.id, l.text FROM post p LEFT JOIN label l ON l.post_id = p.id"
    try:
        made.assert_equal(sql)
        if not nullable:
            assert "$lookup" not in str(made.compiled(sql).pipeline)
    finally:
        mongo_client.drop_database(database.name)
