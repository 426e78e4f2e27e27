"""Commands as people write them, run on a real server and said as SQL: the same rows."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
import sqlglot
from sqlglot import exp

from tests.sources.capture.shops import Shop, leaves

Stage = dict[str, Any]

FINDS: dict[str, tuple[str, str, Stage, Stage]] = {
    "several comparisons": (
        "normalized",
        "product",
        {"price": {"$gte": 20, "$lt": 60}, "stock": {"$gt": 5}},
        {"_id": 1},
    ),
    "or": ("normalized", "product", {"$or": [{"stock": {"$lt": 4}}, {"sku": "SKU-00007"}]}, {"_id": 1, "sku": 1}),
    "nor": ("normalized", "product", {"$nor": [{"stock": {"$lt": 90}}, {"price": {"$gt": 50}}]}, {"_id": 1}),
    "in": ("normalized", "product", {"_id": {"$in": [3, 5, 8, 1_000_000]}}, {"_id": 0, "name": 1}),
    "not in": ("normalized", "purchase", {"status": {"$nin": ["placed", "paid"]}}, {"_id": 1}),
    "not equal to what may be missing": ("normalized", "address", {"postcode": {"$ne": "1000"}}, {"_id": 1}),
    "missing": ("normalized", "category", {"parent_id": None}, {"_id": 1, "name": 1}),
    "there": ("normalized", "review", {"customer_id": {"$exists": True}, "rating": 1}, {"_id": 1}),
    "not there": ("normalized", "review", {"customer_id": {"$exists": False}}, {"_id": 1}),
    "part of a key": ("normalized", "purchase_line", {"_id.purchase_id": {"$lt": 400}}, {"_id": 1, "quantity": 1}),
    "a whole key": ("normalized", "address", {"_id": {"customer_id": 11, "label": "home"}}, {"_id": 0, "city": 1}),
    "expression": ("normalized", "product", {"$expr": {"$gt": ["$price", "$stock"]}}, {"_id": 1}),
    "not": ("normalized", "product", {"price": {"$not": {"$gt": 20}}}, {"_id": 1}),
    "embedded object": ("embedded", "customer", {"loyalty_card.points": {"$gt": 900}}, {"_id": 1, "name": 1}),
    "embedded object there": ("embedded", "customer", {"loyalty_card": {"$exists": True}}, {"_id": 1}),
    "element of an array": ("embedded", "product", {"review.rating": 1}, {"_id": 1}),
    "one element for all": (
        "embedded",
        "product",
        {"review": {"$elemMatch": {"rating": 1, "customer_id": None}}},
        {"_id": 1},
    ),
    "no such element": ("embedded", "product", {"review.rating": {"$ne": 5}}, {"_id": 1}),
    "empty array": ("embedded", "product", {"review": {"$size": 3}}, {"_id": 1}),
    "id in an array": ("embedded", "category", {"product_ids": 7}, {"_id": 1, "name": 1}),
    "several ids in an array": ("embedded", "category", {"product_ids": {"$all": [26, 41]}}, {"_id": 1, "name": 1}),
    "several values of elements": ("embedded", "product", {"review.rating": {"$all": [1, 5, 3]}}, {"_id": 1}),
    "several elements": (
        "embedded",
        "product",
        {"review": {"$all": [{"$elemMatch": {"rating": 1}}, {"$elemMatch": {"rating": {"$gt": 4}}}]}},
        {"_id": 1},
    ),
    "part of an array": ("embedded", "customer", {"_id": 11}, {"_id": 0, "name": 1}),
}
PIPELINES: dict[str, tuple[str, str, list[Stage]]] = {
    "group and filter groups": (
        "normalized",
        "review",
        [
            {"$match": {"rating": {"$gte": 2}}},
            {
                "$group": {
                    "_id": "$product_id",
                    "n": {"$sum": 1},
                    "mean": {"$avg": "$rating"},
                    "best": {"$max": "$rating"},
                }
            },
            {"$match": {"n": {"$gt": 6}}},
            {"$sort": {"n": -1, "_id": 1}},
        ],
    ),
    "limit before the join": (
        "normalized",
        "review",
        [
            {"$sort": {"written_at": -1, "_id": 1}},
            {"$limit": 5},
            {"$lookup": {"from": "product", "localField": "product_id", "foreignField": "_id", "as": "product"}},
            {"$unwind": "$product"},
            {"$project": {"rating": 1, "name": "$product.name"}},
        ],
    ),
    "filter after the limit": (
        "normalized",
        "product",
        [
            {"$sort": {"price": -1, "_id": 1}},
            {"$limit": 50},
            {"$match": {"stock": {"$gt": 40}}},
            {"$project": {"name": 1}},
        ],
    ),
    "group of groups": (
        "normalized",
        "purchase_line",
        [
            {"$group": {"_id": "$_id.purchase_id", "lines": {"$sum": 1}}},
            {"$group": {"_id": "$lines", "purchases": {"$sum": 1}}},
        ],
    ),
    "join after the group": (
        "normalized",
        "purchase_line",
        [
            {"$group": {"_id": "$product_id", "sold": {"$sum": "$quantity"}}},
            {"$lookup": {"from": "product", "localField": "_id", "foreignField": "_id", "as": "p"}},
            {"$unwind": "$p"},
            {"$project": {"_id": 0, "name": "$p.name", "sold": 1}},
        ],
    ),
    "lookup with a pipeline": (
        "normalized",
        "customer",
        [
            {"$match": {"_id": {"$lt": 40}}},
            {
                "$lookup": {
                    "from": "purchase",
                    "let": {"customer": "$_id"},
                    "pipeline": [{"$match": {"$expr": {"$eq": ["$customer_id", "$$customer"]}, "status": "placed"}}],
                    "as": "open",
                }
            },
            {"$unwind": "$open"},
            {"$project": {"name": 1, "at": "$open.placed_at"}},
        ],
    ),
    "one row looked up, taken out of its array": (
        "normalized",
        "purchase_line",
        [
            {"$match": {"_id.purchase_id": {"$lt": 20}}},
            {"$lookup": {"from": "product", "localField": "product_id", "foreignField": "_id", "as": "product"}},
            {"$set": {"product": {"$first": "$product"}}},
            {"$match": {"product": {"$exists": True}}},
            {"$project": {"quantity": 1, "name": "$product.name"}},
        ],
    ),
    "the row above, where there is one": (
        "normalized",
        "category",
        [
            {"$lookup": {"from": "category", "localField": "parent_id", "foreignField": "_id", "as": "above"}},
            {"$addFields": {"above": {"$arrayElemAt": ["$above", 0]}}},
            {"$project": {"name": 1, "above": "$above.name"}},
        ],
    ),
    "parts of one row by a condition, of those that have it": (
        "normalized",
        "review",
        [
            {"$match": {"rating": 1}},
            {
                "$lookup": {
                    "from": "customer",
                    "let": {"id": "$customer_id"},
                    "pipeline": [
                        {"$match": {"$expr": {"$and": [{"$eq": ["$_id", "$$id"]}, {"$ne": ["$email", None]}]}}}
                    ],
                    "as": "who",
                }
            },
            {"$project": {"_id": 1, "name": {"$first": "$who.name"}, "mail": {"$last": "$who.email"}}},
            {"$match": {"name": {"$ne": None}}},
        ],
    ),
    "limit before those that are there": (
        "normalized",
        "review",
        [
            {"$sort": {"written_at": -1, "_id": 1}},
            {"$lookup": {"from": "customer", "localField": "customer_id", "foreignField": "_id", "as": "who"}},
            {"$set": {"who": {"$first": "$who"}}},
            {"$limit": 40},
            {"$match": {"who": {"$ne": None}}},
            {"$project": {"name": "$who.name"}},
        ],
    ),
    "one row looked up for a group": (
        "normalized",
        "purchase_line",
        [
            {"$group": {"_id": "$product_id", "sold": {"$sum": "$quantity"}}},
            {"$lookup": {"from": "product", "localField": "_id", "foreignField": "_id", "as": "p"}},
            {"$project": {"_id": 0, "name": {"$first": "$p.name"}, "sold": 1}},
        ],
    ),
    "joined where what hangs on it fits": (
        "embedded",
        "product",
        [
            {"$unwind": "$review"},
            {
                "$lookup": {
                    "from": "customer",
                    "localField": "review.customer_id",
                    "foreignField": "_id",
                    "pipeline": [{"$match": {"loyalty_card.points": {"$gt": 500}}}],
                    "as": "who",
                }
            },
            {"$unwind": "$who"},
            {"$project": {"rating": "$review.rating", "name": "$who.name"}},
        ],
    ),
    "some it refers to fit": (
        "embedded",
        "product",
        [
            {
                "$lookup": {
                    "from": "customer",
                    "localField": "review.customer_id",
                    "foreignField": "_id",
                    "pipeline": [{"$match": {"loyalty_card.points": {"$gt": 900}}}],
                    "as": "who",
                }
            },
            {"$match": {"who": {"$ne": []}}},
            {"$project": {"name": 1}},
        ],
    ),
    "beside a figure of all": (
        "normalized",
        "product",
        [
            {"$group": {"_id": "all", "mean": {"$avg": "$price"}}},
            {"$lookup": {"from": "product", "pipeline": [], "as": "product"}},
            {"$unwind": "$product"},
            {"$match": {"$expr": {"$gt": ["$product.price", "$mean"]}}},
            {"$project": {"_id": 0, "name": "$product.name", "mean": 1}},
        ],
    ),
    "there or not": (
        "embedded",
        "customer",
        [
            {"$match": {"_id": {"$lt": 60}}},
            {"$match": {"$or": [{"loyalty_card": {"$exists": True}}, {"name": {"$ne": None}}]}},
            {"$project": {"name": 1}},
        ],
    ),
    "those that have one": (
        "embedded",
        "customer",
        [{"$unwind": "$loyalty_card"}, {"$project": {"name": 1}}],
    ),
    "how many in an array": (
        "embedded",
        "product",
        [{"$match": {"_id": {"$lt": 30}}}, {"$project": {"name": 1, "reviews": {"$size": "$review"}}}],
    ),
    "two levels unwound, filtered before and after": (
        "embedded",
        "customer",
        [
            {"$match": {"purchase.status": "placed"}},
            {"$unwind": "$purchase"},
            {"$match": {"purchase.status": "placed"}},
            {"$unwind": "$purchase.purchase_line"},
            {
                "$group": {
                    "_id": "$purchase.purchase_line.product_id",
                    "n": {"$sum": "$purchase.purchase_line.quantity"},
                }
            },
        ],
    ),
    "joined by the ids in an array": (
        "embedded",
        "category",
        [
            {"$match": {"_id": 7}},
            {"$lookup": {"from": "product", "localField": "product_ids", "foreignField": "_id", "as": "products"}},
            {"$unwind": "$products"},
            {"$project": {"_id": 0, "name": "$products.name"}},
        ],
    ),
    "calculated and conditional": (
        "normalized",
        "purchase_line",
        [
            {"$match": {"_id.purchase_id": {"$lt": 20}}},
            {
                "$project": {
                    "_id": 0,
                    "total": {"$multiply": ["$quantity", "$unit_price"]},
                    "many": {"$cond": [{"$gt": ["$quantity", 1]}, 1, 0]},
                }
            },
        ],
    ),
    "counted": ("normalized", "review", [{"$match": {"rating": 5}}, {"$count": "n"}]),
    "most frequent": ("normalized", "purchase", [{"$sortByCount": "$status"}]),
    "copied name": ("optimal", "review", [{"$match": {"product_id": 7}}, {"$project": {"rating": 1}}]),
}


@pytest.mark.parametrize("name", FINDS)
def test_a_find_is_said(name: str, shops: dict[str, Shop]) -> None:
    """Rows of the SQL are the documents found, field by field."""
    strategy, collection, condition, projection = FINDS[name]
    shop = shops[strategy]
    with shop.recorded("find.json") as (recorder, database):
        found = [leaves(document) for document in database[collection].find(condition, projection)]
    said = shop.said(recorder)
    assert [str(gap) for gap in said.gaps] == []
    assert len(said.statements) == 1
    (made,) = said.statements
    assert found, "a test of nothing"
    assert Counter(shop.answer(made)) == Counter(found), made.sql


@pytest.mark.parametrize("name", PIPELINES)
def test_a_pipeline_is_said(name: str, shops: dict[str, Shop]) -> None:
    """Rows of the SQL are the documents of the pipeline, whatever the order of their fields."""
    strategy, collection, stages = PIPELINES[name]
    shop = shops[strategy]
    with shop.recorded("pipeline.json") as (recorder, database):
        found = [leaves(document) for document in database[collection].aggregate(stages)]
    said = shop.said(recorder)
    assert [str(gap) for gap in said.gaps] == []
    (made,) = said.statements
    values = dict(made.samples)
    if any(f":{each}" in made.sql for each in ("quantity_2",)):
        values["quantity_2"] = 1
    assert found, "a test of nothing"
    assert Counter(map(_values, shop.answer(made))) == Counter(map(_values, found)), made.sql


def test_no_two_outputs_have_one_name(shops: dict[str, Shop]) -> None:
    """A column that has to be numbered gets a number that no other column's name has already."""
    shop = shops["normalized"]
    fields = {"_id": {"n": "$name"}, "n_2": "$price", "n": "$stock"}
    with shop.recorded("names.json") as (recorder, database):
        assert list(database["product"].aggregate([{"$match": {"_id": 7}}, {"$project": fields}]))
    (made,) = shop.said(recorder).statements
    parsed = sqlglot.parse_one(made.sql, read="sqlite")
    assert isinstance(parsed, exp.Select)
    assert sorted(parsed.named_selects) == ["n", "n_2", "n_3"], made.sql


@pytest.mark.parametrize(
    "field",
    [
        {"$first": "$line"},
        {"$arrayElemAt": ["$line", 0]},
        {"$first": "$line.quantity"},
        {"$slice": ["$line", 2]},
    ],
    ids=str,
)
def test_one_of_several_rows_is_a_gap(field: Stage, shops: dict[str, Shop]) -> None:
    """Which of several rows is first nothing says, and rows that are read are never left out in silence."""
    shop = shops["normalized"]
    link = {"from": "purchase_line", "localField": "_id", "foreignField": "product_id", "as": "line"}
    with shop.recorded("several.json") as (recorder, database):
        list(database["product"].aggregate([{"$match": {"_id": 7}}, {"$lookup": link}, {"$set": {"line": field}}]))
    said = shop.said(recorder)
    assert len(said.gaps) == 1
    assert not said.statements


@pytest.mark.parametrize(
    ("strategy", "collection", "field", "foreign", "times"),
    [
        ("embedded", "product", "review.customer_id", "customer", 1),
        ("embedded", "category", "product_ids", "product", 0),
    ],
)
def test_a_lookup_by_values_that_may_repeat_is_noted(
    strategy: str, collection: str, field: str, foreign: str, times: int, shops: dict[str, Shop]
) -> None:
    """Two reviews of a customer find that customer once, rows of a join twice; the ids of a link are there once anyway."""
    shop = shops[strategy]
    link = {"from": foreign, "localField": field, "foreignField": "_id", "as": "found"}
    with shop.recorded("repeated.json") as (recorder, database):
        stages: list[Stage] = [{"$lookup": link}, {"$unwind": "$found"}, {"$project": {"name": "$found.name"}}]
        list(database[collection].aggregate(stages))
    (made,) = shop.said(recorder).statements
    assert len([note for note in made.notes if f"`{field}` finds a document of `{foreign}` only once" in note]) == times


def test_a_lookup_of_another_type_is_a_gap(shops: dict[str, Shop]) -> None:
    """MongoDB finds no number by a text, where SQL converts one of them; the gap names both."""
    shop = shops["normalized"]
    link = {"from": "category", "localField": "sku", "foreignField": "_id", "as": "found"}
    with shop.recorded("types.json") as (recorder, database):
        assert not list(database["product"].aggregate([{"$lookup": link}, {"$unwind": "$found"}]))
    said = shop.said(recorder)
    assert not said.statements
    (gap,) = said.gaps
    assert "`product.sku` (text(16)) by `category.category_id` (integer)" in gap.what


def _values(row: tuple[object, ...]) -> tuple[str, ...]:
    """Those there are: a field MongoDB lacks is SQL's NULL."""
    return tuple(sorted(_alike(value) for value in row if value is not None))


def _alike(value: object) -> str:
    return f"{value:.6f}" if isinstance(value, int | float) else str(value)
