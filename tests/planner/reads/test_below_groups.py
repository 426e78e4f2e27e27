"""A predicate on rows whose home is copies of them is asked of the copies, before these are grouped."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from pymongo import IndexModel
from pymongo.database import Database

from nestling import pipeline
from nestling.ir.design import Design
from nestling.ir.freshness import TRANSACTION
from nestling.ir.model import Model
from nestling.ir.primitives import Collection, Copy, Document, Field, Form
from nestling.ir.programs.compiled import bind
from nestling.ir.reading import Reading
from nestling.ir.rows import Hop
from nestling.planner.reads import ALL_REWRITES, Rewrite
from tests.planner.homes.home_cases import HOME_COPIES, INLINE_HOME_COPIES, TICKET, Case, entity, link
from tests.planner.reads.beside_sqlite import Beside, loaded

BELOW = (
    "SELECT seats FROM screen WHERE no = 5",
    "SELECT no FROM screen WHERE seats > 20",
    "SELECT no FROM screen WHERE seats IS NULL",
    "SELECT no FROM screen WHERE NOT seats < 20 OR no IN (6, 7)",
    "SELECT t.id, s.seats FROM ticket t, screen s WHERE s.no = t.id + 4",
    "SELECT no, (SELECT count(*) FROM screen s WHERE s.no < screen.no) FROM screen WHERE no + 1 > 6",
)


@pytest.fixture(params=[HOME_COPIES, INLINE_HOME_COPIES], ids=lambda case: case.name)
def screens(request: pytest.FixtureRequest, database: Database[dict[str, Any]], tmp_path: Path) -> Beside:
    """Screens known from the tickets for them, and those without tickets."""
    case: Case = request.param
    proposal = pipeline.design(Reading(case.model), "normalized")
    proposal = replace(proposal, design=Design(case.model, case.collections))
    return loaded(proposal, case.rows, database, tmp_path)


@pytest.mark.thorough
def test_copies_are_left_out_before_they_are_grouped(screens: Beside) -> None:
    """With the rewrite and without, the rows are SQLite's, each once."""
    for sql in BELOW:
        after_group = "{'$replaceWith': '$_id'}, {'$match'"
        assert after_group not in repr(screens.compiled(sql).pipeline), sql
        assert after_group in repr(screens.compiled(sql, ALL_REWRITES - {Rewrite.BELOW_GROUPS}).pipeline), sql
        for rewrites in (ALL_REWRITES, ALL_REWRITES - {Rewrite.BELOW_GROUPS}, ALL_REWRITES - {Rewrite.PREFILTER}):
            screens.assert_equal(sql, rewrites=rewrites)


def test_an_index_finds_the_copies(screens: Beside) -> None:
    """By the foreign key that says which row is copied, or by the copied key."""
    screens.database["tickets"].create_indexes([IndexModel("screen_no"), IndexModel("copied.no")])
    for rewrites, is_sought in ((ALL_REWRITES, True), (ALL_REWRITES - {Rewrite.BELOW_GROUPS}, False)):
        read = bind(screens.compiled("SELECT seats FROM screen WHERE no = 5", rewrites))
        command: dict[str, Any] = {"aggregate": read.collection, "pipeline": list(read.pipeline), "cursor": {}}
        (stage, *_) = screens.database.command("explain", command)["stages"]
        plan = repr(stage["$cursor"]["queryPlanner"]["winningPlan"])
        assert ("IXSCAN" in plan and "['[5, 5]']" in plan) is is_sought


def test_documents_without_a_copy_are_asked_without_an_error(
    database: Database[dict[str, Any]], tmp_path: Path
) -> None:
    """By the index on the key, the server comes to those whose key refers to nothing before it asks whether they have a copy."""
    screen = entity("screen", "no:integer! name:text!", "no")
    model = Model("m", (TICKET, screen), (link("tickets", "screen.no", "ticket.screen_no", required=False),))
    copy = Copy(
        "screen",
        (Hop("tickets", up=True),),
        (Field("name", "name"),),
        Form.OBJECT,
        TRANSACTION,
        home=True,
        orphans="unused",
    )
    collections = (Collection("tickets", Document("ticket", copies=(copy,)), ("id",)),)
    proposal = replace(pipeline.design(Reading(model), "normalized"), design=Design(model, collections))
    beside = loaded(proposal, {"ticket": [(1, 5), (2, None), (3, 99)], "screen": [(5, "big")]}, database, tmp_path)
    database["tickets"].create_index("screen_no")
    for condition in ("no = 99 AND length(name) > 1", "no IN (5, 99) AND instr(name, 'b') < length(name)"):
        beside.assert_equal(f"SELECT no FROM screen WHERE {condition}")
