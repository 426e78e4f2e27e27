"""What an explanation calls not kept is not there."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from pymongo.database import Database

from nestling import pipeline
from nestling.emitters.explanation.explanation import explanation
from nestling.emitters.explanation.text import explanation_text
from tests.patterns.scenario import scenario

TABLES = """
CREATE TABLE person (id INTEGER PRIMARY KEY, manager_id INTEGER REFERENCES person (id), mail TEXT NOT NULL UNIQUE);
CREATE TABLE note (id INTEGER PRIMARY KEY, person_id INTEGER NOT NULL REFERENCES person (id), text TEXT);
INSERT INTO person VALUES (1, NULL, 'a'), (2, 1, 'b'), (3, 1, 'c');
INSERT INTO note VALUES (1, 1, 'x'), (2, 1, 'y'), (3, 2, 'z');
"""
"""Too few rows for any index to pay."""
WORKLOAD = """
-- name: staff, rate: 1/day
SELECT id, mail FROM person WHERE manager_id = :id;
-- name: notes, rate: 1/day
SELECT text FROM note WHERE person_id = :id;
-- name: write, rate: 900/s
INSERT INTO note (id, person_id, text) VALUES (:id, :person, :text);
-- name: hire, rate: 900/s
INSERT INTO person (id, manager_id, mail) VALUES (:id, :manager, :mail);
"""


def test_no_index_that_is_built_is_called_not_kept(tmp_path: Path, database: Database[dict[str, Any]]) -> None:
    """Indexes that cost more than they save are built for references all the same, and are told as such alone."""
    proposal = (small := scenario(tmp_path, TABLES, {}, WORKLOAD)).designed()
    pipeline.load(proposal, small.address, database)
    built = {
        f"index of {name} on {', '.join(each['key'])}".replace("_id,", "id,")
        for name in database.list_collection_names()
        for each in database[name].list_indexes()
    }
    assert "index of person on manager_id" in built
    rejected = {each.structure for each in proposal.weighed if not each.chosen}
    assert not rejected & {*built, "index of person on id", "index of note on id"}
    text = re.sub(r"\s+", " ", explanation_text(explanation(proposal)))
    assert "index of `person` on manager_id: finds `person` by `person`" in text.partition("Also built")[2]
    assert "on manager_id" in explanation_text(explanation(proposal, "person")).partition("Also built")[2]
