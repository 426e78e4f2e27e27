"""What no index of the server keeps unique is told by its right name, and kept by writes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from pymongo.database import Database

from nestling import Store, pipeline
from nestling.common.errors import ConstraintError
from nestling.emitters.explanation.explanation import explanation
from nestling.ir.design import Design
from nestling.ir.indexes.unchecked_keys import unchecked
from nestling.ir.primitives import Bucket, Collection, Document, Holder, Reference
from nestling.ir.proposal import Proposal
from nestling.ir.storage.layout import NodeKind
from tests.patterns.scenario import scenario

TABLES = """
CREATE TABLE ticket (id INTEGER PRIMARY KEY);
CREATE TABLE tag (id INTEGER PRIMARY KEY, ticket_id INTEGER NOT NULL REFERENCES ticket (id), word TEXT NOT NULL,
                  UNIQUE (ticket_id, word));
"""
ROWS: dict[str, list[tuple[object, ...]]] = {"ticket": [(1,), (2,)], "tag": [(1, 1, "a"), (2, 1, "b"), (3, 2, "a")]}


@pytest.mark.parametrize(("in_buckets", "where"), [(True, "buckets (`tag`)"), (False, "arrays of `ticket`")])
def test_unique_rows_of_one_document(
    in_buckets: bool, where: str, tmp_path: Path, database: Database[dict[str, Any]]
) -> None:
    """Explained of the entity; the server has no unique index, and the second row is refused."""
    small = scenario(tmp_path, TABLES, ROWS, "")
    made = pipeline.design(small.reading, "embedded")
    if in_buckets:
        body = Document("tag", references=(Reference("ticket_tag", Holder.CHILD),))
        tags = Collection("tag", body, bucket=Bucket(("ticket_id",), "events", 50))
        homes = (Collection("ticket", Document("ticket"), ("id",)), tags)
        made = Proposal("by hand", Design(small.reading.model, homes))
    assert (made.design.places["tag"][0].nodes[0].kind is NodeKind.GROUP) == in_buckets
    words = f"`tag`: only nestling's writes keep ticket_id, word unique, no index does: its rows are in {where}"
    assert words in explanation(made, "tag").notes
    assert (words in made.notes) != in_buckets
    pipeline.load(made, small.address, database)
    with pytest.raises(ConstraintError, match=r"the same `tag\.ticket_id`, `tag\.word` already"):
        Store(made, database).execute("INSERT INTO tag VALUES (9, 1, 'a')")


def test_there_is_room_for_one(tmp_path: Path) -> None:
    """The only sub-document of a document needs nobody to keep its parent's key unique; its own key does."""
    tables = """
    CREATE TABLE person (id INTEGER PRIMARY KEY);
    CREATE TABLE profile (id INTEGER PRIMARY KEY, person_id INTEGER NOT NULL UNIQUE REFERENCES person (id));
    """
    rows: dict[str, list[tuple[object, ...]]] = {"person": [(1,), (2,)], "profile": [(1, 1)]}
    made = pipeline.design(scenario(tmp_path, tables, rows, "").reading, "embedded")
    assert len(made.design.places["profile"][0].nodes) == 2
    assert [each for each in unchecked(made.design, ["profile"]) if "person_id" in each] == []
