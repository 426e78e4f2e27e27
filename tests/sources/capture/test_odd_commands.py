"""Whatever commands are captured, each is said or a gap; statements that are said can be read."""

from __future__ import annotations

import json
from collections.abc import Iterator
from copy import deepcopy
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nestling import pipeline
from nestling.ir.capture import Capture, CaptureKind, ShapeTotals, parts
from nestling.ir.proposal import Proposal
from nestling.shop import schema
from nestling.sources.statements import parse_workload
from tests.sources.capture.test_human_commands import FINDS, PIPELINES

PATHS = st.sampled_from(
    ("_id", "name", "review", "review.rating", "$name", "$review.rating", "loyalty_card", "purchase.purchase_line", "x")
)
LEAVES = st.one_of(PATHS, st.integers(-2, 300), st.none(), st.booleans(), st.just("$$ROOT"))
OPERATORS = st.sampled_from(
    (
        *(
            "$eq",
            "$in",
            "$gt",
            "$ne",
            "$exists",
            "$elemMatch",
            "$not",
            "$and",
            "$or",
            "$expr",
            "$size",
            "$regex",
            "$type",
        ),
        *(
            "$sum",
            "$cond",
            "$ifNull",
            "$switch",
            "$literal",
            "$add",
            "$each",
            "newRoot",
            "path",
            "from",
            "as",
            "localField",
        ),
        *("foreignField", "pipeline", "let", "$match", "$group", "$unwind", "$lookup", "$project", "$set", "$limit"),
    )
)
NESTED = st.recursive(
    LEAVES,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(OPERATORS | PATHS, inner, max_size=3),
    max_leaves=12,
)
STAGES = st.sampled_from(
    (
        *("$match", "$group", "$project", "$set", "$unset", "$unwind", "$lookup", "$sort", "$limit", "$skip", "$count"),
        *("$replaceRoot", "$sortByCount", "$facet", "$unionWith", "$bucket", "$out"),
    )
)
COLLECTIONS = st.sampled_from(("product", "customer", "category", "nothing"))
ANY_STAGES = st.lists(st.dictionaries(STAGES, NESTED, min_size=1, max_size=1), max_size=4)
FIND = {"filter": NESTED, "projection": NESTED, "sort": NESTED}
COMMANDS = st.one_of(
    st.fixed_dictionaries({"aggregate": COLLECTIONS, "pipeline": ANY_STAGES}),
    st.fixed_dictionaries({"find": COLLECTIONS, **FIND, "limit": st.just(3)}),
    st.fixed_dictionaries(
        {"update": COLLECTIONS, "updates": st.fixed_dictionaries({"q": NESTED, "u": NESTED}).map(lambda u: [u])}
    ),
    st.fixed_dictionaries({"delete": COLLECTIONS, "deletes": st.fixed_dictionaries({"q": NESTED}).map(lambda q: [q])}),
    st.fixed_dictionaries({"insert": COLLECTIONS, "documents": st.lists(NESTED, max_size=2)}),
    st.fixed_dictionaries({"findAndModify": COLLECTIONS, "query": NESTED, "update": NESTED}),
)


@pytest.fixture(scope="module")
def proposal(tmp_path_factory: pytest.TempPathFactory) -> Proposal:
    """The shop with everything embedded."""
    path: Path = tmp_path_factory.mktemp("odd") / "schema.sql"
    path.write_text(schema(), encoding="utf-8")
    return pipeline.design(pipeline.inspect(str(path)), "embedded")


WRITES: tuple[dict[str, Any], ...] = (
    {"update": "product", "updates": [{"q": {"_id": 7}, "u": {"$set": {"name": "x"}, "$inc": {"stock": 3}}}]},
    {"update": "product", "updates": [{"q": {"_id": 7}, "u": {"$push": {"review": {"$each": [{"rating": 4}]}}}}]},
    {"update": "product", "updates": [{"q": {"_id": 7}, "u": {"$pull": {"review": {"rating": {"$lt": 5}}}}}]},
    {
        "update": "product",
        "updates": [
            {
                "q": {"_id": 7, "review.rating": {"$gte": 1}},
                "u": {"$set": {"review.$[each].rating": 4}},
                "arrayFilters": [{"each.rating": {"$gte": 1}}],
            }
        ],
    },
    {"update": "product", "updates": [{"q": {"_id": 7}, "u": [{"$set": {"stock": {"$add": ["$stock", 3]}}}]}]},
    {
        "update": "customer",
        "updates": [{"q": {"_id": 2}, "u": {"$set": {"loyalty_card": {"points": 5}}}, "upsert": True}],
    },
    {"findAndModify": "product", "query": {"_id": 9}, "update": {"$inc": {"stock": -1}}, "sort": {"_id": 1}},
    {"delete": "customer", "deletes": [{"q": {"name": "x"}, "limit": 1}]},
    {"insert": "customer", "documents": [{"_id": 1, "name": "x", "address": [{"label": "home"}], "loyalty_card": {}}]},
    {"distinct": "product", "key": "name", "query": {"stock": {"$gt": 3}}},
)
SEEDS = (
    *({"find": name, "filter": test, "projection": shown} for _, name, test, shown in FINDS.values()),
    *({"aggregate": name, "pipeline": stages} for _, name, stages in PIPELINES.values()),
    *WRITES,
)


def places(found: Any) -> Iterator[tuple[Any, Any]]:
    """Every place of a command where something stands: what holds it, and its name or number there."""
    inside = found.items() if isinstance(found, dict) else enumerate(found) if isinstance(found, list) else ()
    for name, inner in inside:
        yield found, name
        yield from places(inner)


def spoilt(chance: Random) -> dict[str, Any]:
    """A command as people write them with one to three things wrong."""
    command: dict[str, Any] = json.loads(json.dumps(chance.choice(SEEDS), default=str))
    other = [holder[name] for holder, name in places(json.loads(json.dumps(chance.choice(SEEDS), default=str)))]
    for _ in range(chance.randint(1, 3)):
        every = [(holder, name) for holder, name in places(command) if holder is not command]
        if not every:
            break
        holder, name = chance.choice(every)
        match chance.randrange(5):
            case 0:
                holder[name] = deepcopy(chance.choice(other))
            case 1:
                holder[name] = chance.choice(([], {}, None, 0, True, "x", "$x", "$$ROOT", [holder[name]], {"$eq": 1}))
            case 2 if isinstance(holder, dict):
                holder[chance.choice(["$in", "$or", "$expr", "$not", "$size", "path", "_id", "review"])] = holder.pop(
                    name
                )
            case 3:
                del holder[name]
            case 4 if isinstance(holder, dict):
                holder[chance.choice(["$gt", "$elemMatch", "name", "$sum", "$match"])] = deepcopy(chance.choice(other))
            case _:
                holder[name] = None
    return command


@pytest.mark.thorough
@settings(max_examples=100)
@given(command=COMMANDS)
def test_every_command_is_said_or_a_gap(command: dict[str, Any], proposal: Proposal) -> None:
    """No form of a command breaks the capture, and what is said parses."""
    assert_known(command, proposal)


@pytest.mark.thorough
@settings(max_examples=300)
@given(seed=st.integers(0, 1 << 40))
def test_every_spoilt_command_is_said_or_a_gap(seed: int, proposal: Proposal) -> None:
    """Neither do commands that were right but for something in them."""
    assert_known(spoilt(Random(seed)), proposal)


def test_a_malformed_expression_of_what_is_pulled_is_a_gap(proposal: Proposal) -> None:
    """An expression within a `$pull` is looked at as those of filters are."""
    change = {"$pull": {"review": {"$expr": {"$lt": 5}}}}
    assert_known({"update": "product", "updates": [{"q": {"_id": 7}, "u": change}]}, proposal)


@pytest.mark.parametrize("words", [[], ["a"], ["a", "b"]])
def test_all_of_a_field_that_is_no_array_is_a_gap(words: list[str], proposal: Proposal) -> None:
    """One value cannot be several."""
    assert_known({"find": "product", "filter": {"name": {"$all": words}}}, proposal)


def assert_known(command: dict[str, Any], proposal: Proposal) -> None:
    """Every statement of the command is said, a gap or left out; what is said parses."""
    seen = tuple(ShapeTotals(part.shape, part.count) for part in parts("shop", command))
    said = pipeline.captured_workload(Capture(CaptureKind.LOG, 1.0, seen), proposal.design)
    assert len(said.statements) + len(said.gaps) + len(said.left_out) >= len(seen)
    if said.statements:
        workload, _ = parse_workload(said.text(), proposal.design.model)
        assert len(workload.statements) == len(said.statements)
