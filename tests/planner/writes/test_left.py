"""What a write says it leaves to the background sync is what differs after it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from pymongo.database import Database

from nestling import pipeline
from nestling.executors.write import run_write
from nestling.ir.design import Design
from nestling.ir.freshness import Freshness
from nestling.ir.model import Attribute, Entity, Model, Relationship
from nestling.ir.primitives import Collection, Copy, Document, Field, Form, Holder, Reference
from nestling.ir.proposal import Proposal
from nestling.ir.rows import Hop
from nestling.ir.types import Type
from tests.write_traces import trace

INTEGER, TEXT = Type.parse("integer"), Type.parse("text")
AUTHOR = Entity("author", (Attribute("id", INTEGER, nullable=False), Attribute("name", TEXT)), ("id",))
COMMENT = Entity("comment", (Attribute("id", INTEGER, nullable=False), Attribute("author_id", INTEGER)), ("id",))
BY = Relationship("by", "author", "comment", ("id",), ("author_id",))
COPY = Copy("writer", (Hop("by", up=True),), (Field("name", "name"),), Form.OBJECT, Freshness.parse("async(5s)"))


@pytest.mark.one_in(3)
@pytest.mark.in_turn("named")
@pytest.mark.parametrize("form", [Form.OBJECT, Form.INLINE])
@pytest.mark.parametrize("enforced", [True, False])
@pytest.mark.parametrize("required", [True, False])
@pytest.mark.parametrize("named", [True, False])
def test_a_new_row_copies_at_once(
    form: Form, enforced: bool, required: bool, named: bool, database: Database[dict[str, Any]], tmp_path: Path
) -> None:
    """Whether its parent is there or not; a row that moves to another parent, and a parent that comes, leave the copy."""
    copy = replace(COPY, form=form, attributes=(Field("name", "name" if form is Form.OBJECT else "writer_name"),))
    comments = Document("comment", references=(Reference("by", Holder.CHILD),), copies=(copy,))
    author_id = replace(COMMENT.attributes[1], nullable=not required)
    comment = replace(COMMENT, attributes=(COMMENT.attributes[0], author_id))
    author = replace(AUTHOR, attributes=(AUTHOR.attributes[0], replace(AUTHOR.attributes[1], nullable=not named)))
    model = Model("blog", (author, comment), (replace(BY, enforced=enforced, required=required and enforced),))
    design = Design(
        model, (Collection("author", Document("author"), ("id",)), Collection("comment", comments, ("id",)))
    )
    authors: list[tuple[object, ...]] = [(1, "Ada"), (2, "Eve"), (3, "Bob" if named else None)]
    run = trace(design, {"author": authors, "comment": [(1, 1)]}, database, tmp_path)
    proposal = Proposal("", design)

    def differing(sql: str) -> tuple[bool, bool]:
        left = run_write(database, run.compiled(sql)).left
        assert set(left) <= {"comment.writer"}
        return bool(left), not pipeline.check(proposal, database).clean

    unsure = form is Form.OBJECT and not named and not (required and enforced)  # a parent of NULL, or none
    for number, who in enumerate((2, *(() if required else ("NULL",)), *(() if enforced else (99,)), 3)):
        said = differing(f"INSERT INTO comment VALUES ({number + 10}, {who})")
        assert said == (unsure, unsure and who == 3), who
    if unsure:
        return
    assert differing("INSERT INTO comment SELECT id + 50, author_id FROM comment WHERE id = 1") == (False, False)
    assert differing("UPDATE comment SET author_id = 1 WHERE id = 10") == (True, True)
    assert differing("UPDATE author SET name = 'Bob' WHERE id = 2") == (True, True)
