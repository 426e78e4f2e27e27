"""Whatever commands are captured, each is said or a gap; statements that are said can be read."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nestling import pipeline
from nestling.ir.capture import Capture, Kind, Seen, parts
from nestling.ir.proposal import Proposal
from nestling.shop import schema
from nestling.sources.statements import parse_workload

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
PIPELINES = st.lists(st.dictionaries(STAGES, NESTED, min_size=1, max_size=1), max_size=4)
FIND = {"filter": NESTED, "projection": NESTED, "sort": NESTED}
COMMANDS = st.one_of(
    st.fixed_dictionaries({"aggregate": COLLECTIONS, "pipeline": PIPELINES}),
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


@settings(max_examples=100)
@given(command=COMMANDS)
def test_every_command_is_said_or_a_gap(command: dict[str, Any], proposal: Proposal) -> None:
    """No form of a command breaks the capture, and what is said parses."""
    seen = tuple(Seen(part.shape, part.count) for part in parts("shop", command))
    said = pipeline.captured_workload(Capture(Kind.LOG, 1.0, seen), proposal.design)
    assert len(said.statements) + len(said.gaps) + len(said.left_out) >= len(seen)
    if said.statements:
        workload, _ = parse_workload(said.text(), proposal.design.model)
        assert len(workload.statements) == len(said.statements)
