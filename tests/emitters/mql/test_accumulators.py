"""Accumulators of a `$group` that are the same are made once."""

from __future__ import annotations

from typing import Any

from pymongo.database import Database

from nestling.emitters.mql.accumulators import shared


def test_a_repetition_goes_and_results_keep_their_names() -> None:
    """An average's count is that of the statement; what only served to finish goes with the `$set`."""
    accumulators: dict[str, Any] = {
        "n": {"$sum": "$a"},
        "n_n": {"$sum": 1},
        "total": {"$sum": "$a"},
        "count": {"$sum": 1},
    }
    finish: dict[str, Any] = {"n": {"$divide": ["$n", "$n_n"]}, "n_n": "$$REMOVE"}
    kept, after = shared(accumulators, finish)
    assert kept == {"n": {"$sum": "$a"}, "count": {"$sum": 1}}
    assert after == {"n": {"$divide": ["$n", "$count"]}, "total": "$n"}


def test_what_is_only_a_text_stays() -> None:
    """A literal that looks like a field, a variable, and the path below a field."""
    made: dict[str, Any] = {"a": {"$max": "$x"}, "b": {"$max": "$x"}}
    finish: dict[str, Any] = {"b": ["$b.value", {"$literal": "$b"}, "$$b", "b"]}
    assert shared(made, finish) == ({"a": {"$max": "$x"}}, {"b": ["$a.value", {"$literal": "$b"}, "$$b", "b"]})


def test_the_server_gives_the_same(database: Database[dict[str, Any]]) -> None:
    """With and without, over a few documents."""
    database["t"].insert_many([{"k": k, "a": a} for k, a in ((1, 2), (1, 4), (2, 5))])
    accumulators: dict[str, Any] = {
        "n": {"$sum": "$a"},
        "n_n": {"$sum": 1},
        "total": {"$sum": "$a"},
        "count": {"$sum": 1},
    }
    finish: dict[str, Any] = {"n": {"$divide": ["$n", "$n_n"]}, "n_n": "$$REMOVE"}

    def rows(made: dict[str, Any], after: dict[str, Any]) -> list[dict[str, Any]]:
        return list(
            database["t"].aggregate([{"$group": {"_id": "$k", **made}}, {"$set": after}, {"$sort": {"_id": 1}}])
        )

    assert rows(*shared(accumulators, finish)) == rows(accumulators, finish) != []
