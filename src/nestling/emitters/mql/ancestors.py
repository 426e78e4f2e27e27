"""Ancestors as expressions: climb in an array of all rows, reverse the result, join it to a path."""

from __future__ import annotations

from nestling.ir.programs.compiled import Mql


def climbed(array: object, start: object) -> Mql:
    """The rows above a key, nearest first, in at most as many steps as there are rows; it stops at the root."""
    found = {"$first": {"$filter": {"input": "$$all", "as": "row", "cond": {"$eq": ["$$row.k", "$$value.at"]}}}}
    ended = {"$or": [{"$lte": ["$$next", None]}, {"$in": ["$$next.k", "$$value.met.k"]}]}
    onwards = {"at": "$$next.p", "met": {"$concatArrays": ["$$value.met", ["$$next"]]}}
    step = {
        "$cond": [
            {"$lte": ["$$value.at", None]},
            "$$value",
            {"$let": {"vars": {"next": found}, "in": {"$cond": [ended, {"met": "$$value.met"}, onwards]}}},
        ]
    }
    numbers = {"$range": [0, {"$size": "$$all"}]}
    walked = {"$reduce": {"input": numbers, "initialValue": {"at": "$$start", "met": []}, "in": step}}
    walk = {"$let": {"vars": {"walked": walked}, "in": "$$walked.met"}}
    return {"$let": {"vars": {"all": array, "start": start}, "in": walk}}


def root_first(array: object, limit: int | None) -> Mql:
    """Root first. In a cycle, whose rows all come first, the order is by key."""
    begin = {
        "$indexOfArray": ["$$met.k", {"$ifNull": [{"$getField": {"field": "p", "input": {"$last": "$$met"}}}, None]}]
    }
    count = {"$subtract": [{"$size": "$$met"}, "$$begin"]}
    cycle = {"$sortArray": {"input": {"$slice": ["$$met", "$$begin", count]}, "sortBy": {"k": 1}}}
    below = {"$cond": [{"$eq": ["$$begin", 0]}, [], {"$reverseArray": {"$slice": ["$$met", {"$max": ["$$begin", 1]}]}}]}
    turned = {"$cond": [{"$lt": ["$$begin", 0]}, {"$reverseArray": "$$met"}, {"$concatArrays": [cycle, below]}]}
    whole = {"$let": {"vars": {"begin": begin}, "in": turned}}
    first = whole if limit is None else {"$slice": [whole, limit]}
    return {"$let": {"vars": {"met": array}, "in": first}}


def behind(array: object, value: object) -> Mql:
    """The number of elements less the place of the value, counted from one."""
    return {"$subtract": [{"$size": array}, {"$add": [{"$indexOfArray": [array, value]}, 1]}]}


def path_text(array: object, separator: str) -> Mql:
    """The path as text, such as `/1/4/`; null becomes an empty text."""
    between = {"$literal": separator}
    step = {"$concat": ["$$value", {"$ifNull": [{"$toString": "$$this"}, ""]}, between]}
    return {"$reduce": {"input": {"$ifNull": [array, []]}, "initialValue": between, "in": step}}
