"""Rows of a tree that go with those above them: as much is read as goes, and both sides keep the same rows."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from pymongo.database import Database

from nestling.ir.design import Design
from nestling.ir.text import read_proposal
from nestling.pipeline.converting import default_price
from tests.soaking import crossed
from tests.write_traces import Trace, trace

COMMENTS = 200
BLOG = """
nestling: 1
strategy: by hand
model:
  name: blog
  entities:
    comment: {key: id, attributes: {id: KIND!, reply_to: KIND, quotes: KIND, body: text}}
    reaction: {key: id, attributes: {id: integer!, comment: KIND}}
    note: {key: id, attributes: {id: integer!, reaction: integer}}
  relationships:
    reply: {parent: comment, child: comment, attributes: reply_to, on_delete: cascade}
    quote: {parent: comment, child: comment, attributes: quotes, on_delete: QUOTE}
    reactions: {parent: comment, child: reaction, attributes: comment, on_delete: REACTION}
    notes: {parent: reaction, child: note, attributes: reaction, on_delete: set null}
design:
"""
APART = """
  collections:
    comments: {root: comment, id: id, references: {reply: parent-reference, quote: parent-reference}}
    reactions: {root: reaction, id: id, references: {reactions: parent-reference}}
    notes: {root: note, id: id, references: {notes: parent-reference}}
  indexes:
    - {collection: comments, keys: [reply_to]}
    - {collection: comments, keys: [quotes]}
    - {collection: reactions, keys: [comment]}
    - {collection: notes, keys: [reaction]}
"""
INSIDE = """
  collections:
    comments:
      root: comment
      id: id
      references: {reply: parent-reference, quote: parent-reference}
      embeddings: {reactions: {of: reactions, as: array, orphans: lost}}
    notes: {root: note, id: id, references: {notes: parent-reference}}
  indexes:
    - {collection: comments, keys: [reply_to]}
    - {collection: comments, keys: [quotes]}
    - {collection: comments, keys: [reactions.id]}
    - {collection: notes, keys: [reaction]}
"""
LISTED = """
  collections:
    comments: {root: comment, id: id, references: {reply: {child-reference: below}, quote: parent-reference}}
    reactions: {root: reaction, id: id, references: {reactions: parent-reference}}
    notes: {root: note, id: id, references: {notes: parent-reference}}
"""
DELETES = (
    "DELETE FROM comment WHERE id = 199",  # a leaf
    "DELETE FROM comment WHERE id = 70",
    "DELETE FROM comment WHERE id = (SELECT max(id) FROM comment WHERE body = 'b3' AND id < 90)",
    "DELETE FROM comment WHERE id IN (20, 40, 41)",  # one is below another
    "DELETE FROM comment WHERE body = 'b5' AND id IN (SELECT comment FROM reaction WHERE id < 40)",
)
DESIGNS = {"apart": APART, "inside": INSIDE, "listed": LISTED}


def blog(design: str, *, quote: str = "set null", reaction: str = "cascade", kind: str = "integer") -> Design:
    """A design of comments that reply to others and quote them."""
    model = BLOG.replace("QUOTE", quote).replace("REACTION", reaction).replace("KIND", kind)
    return read_proposal(model + design, "blog.yaml").design


def rows(shown: type = int) -> dict[str, list[tuple[object, ...]]]:
    """Comments of which each may have two replies and be quoted by two more; those from 190 on reply in a circle."""

    def above(n: int) -> object:
        return shown(n + 1 if n < COMMENTS - 1 else 190) if n >= 190 else shown(n // 2) if n % 3 and n > 1 else None

    comments: list[tuple[object, ...]] = [
        (shown(n), above(n), shown(n // 4) if n % 5 == 0 and n > 3 else None, f"b{n % 7}") for n in range(1, COMMENTS)
    ]
    reactions: list[tuple[object, ...]] = [(n, shown(n % (COMMENTS - 1) + 1)) for n in range(1, 300)]
    return {"comment": comments, "reaction": reactions, "note": [(n, n) for n in range(1, 300)]}


def examined(database: Database[dict[str, Any]]) -> int:
    """Documents the server has looked at since it began to note that."""
    noted = database["system.profile"].find({"docsExamined": {"$exists": True}, "ns": {"$not": {"$regex": "system"}}})
    return sum(int(each["docsExamined"]) for each in noted)


def ran(run: Trace, sql: str) -> tuple[int, int]:
    """A statement on both sides: how many rows went, and how many documents were looked at."""
    before = run.connection.total_changes
    run.database.command("profile", 2)
    try:
        run.run(sql)
    finally:
        run.database.command("profile", 0)
    found = examined(run.database)
    run.database.drop_collection("system.profile")
    return run.connection.total_changes - before, found


@pytest.mark.one_in(2)
@pytest.mark.parametrize("design", [APART, INSIDE], ids=["apart", "inside"])
@pytest.mark.parametrize("quote", ["set null", "cascade"])
def test_as_much_is_read_as_goes(design: str, quote: str, database: Database[dict[str, Any]], tmp_path: Path) -> None:
    """Whatever comments there are beside: only those that go or are changed are looked at, a few times each."""
    run = trace(blog(design, quote=quote), rows(), database, tmp_path)
    run.price = default_price
    for sql in (DELETES[0], DELETES[1], DELETES[3]):
        changed, found = ran(run, sql)
        assert found <= 6 * changed + 10, sql
        run.check()
    assert not run.gaps


ACTIONS = (("set null", "cascade"), ("cascade", "set null"), ("restrict", "cascade"), ("cascade", "restrict"))


@pytest.mark.one_in(4)
@pytest.mark.parametrize(("actions", "design"), crossed(ACTIONS, DESIGNS))
def test_both_keep_the_same_rows(
    design: str, actions: tuple[str, str], database: Database[dict[str, Any]], tmp_path: Path
) -> None:
    """Several trees of one table, circles in them, and what refers to their rows, whichever way these are found."""
    quote, reaction = actions
    run = trace(blog(DESIGNS[design], quote=quote, reaction=reaction), rows(), database, tmp_path)
    for sql in (
        *DELETES,
        "DELETE FROM comment WHERE id = 193",
        "DELETE FROM reaction",
        "DELETE FROM comment WHERE id > 100",
    ):
        run.run(sql)
        run.check()
    assert not run.gaps


@pytest.mark.thorough
def test_keys_that_are_texts(database: Database[dict[str, Any]], tmp_path: Path) -> None:
    """A text is a key like a number."""
    run = trace(blog(APART, quote="cascade", kind="text"), rows(str), database, tmp_path)
    for sql in ("DELETE FROM comment WHERE id = '70'", "DELETE FROM comment WHERE id = (SELECT max(id) FROM comment)"):
        run.run(sql)
        run.check()
    assert len(run.done) == 2
