"""Trees: rows keep those above them where queries go up and down to the end, and do not where rows move all the time."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from pymongo.database import Database

from nestling.ir.workload import Walk
from tests.patterns.scenario import Scenario, chosen, scenario
from tests.two_prices import two_prices

DDL = """CREATE TABLE category (id INT NOT NULL PRIMARY KEY, name TEXT NOT NULL, text TEXT NOT NULL,
    parent_id INTEGER REFERENCES category (id));"""
DOWN = """WITH RECURSIVE below(id, name, depth) AS (SELECT id, name, 0 FROM category WHERE id = :id
    UNION ALL SELECT c.id, c.name, depth + 1 FROM category c JOIN below b ON c.parent_id = b.id)"""
UP = """WITH RECURSIVE above(id, name, parent_id, depth) AS (SELECT id, name, parent_id, 0 FROM category WHERE id = :id
    UNION ALL SELECT c.id, c.name, c.parent_id, depth + 1 FROM category c JOIN above a ON c.id = a.parent_id)"""
READS = f"""
-- name: subtree, rate: 300/s
-- params: {{"id": 30}}
{DOWN} SELECT id, name FROM below;

-- name: breadcrumbs, rate: 300/s
-- params: {{"id": 300}}
{UP} SELECT id, name FROM above ORDER BY depth DESC;
"""
WRITES = """
-- name: move, rate: 1/h
-- params: {"id": 30, "parent": 2}
UPDATE category SET parent_id = :parent WHERE id = :id;

-- name: add, rate: 1/h
-- params: {"id": 9000, "parent": 30}
INSERT INTO category (id, name, text, parent_id) VALUES (:id, 'new', 'text', :parent);
"""
MORE = f"""
-- name: how_deep, rate: 1/h
-- params: {{"id": 30}}
{DOWN} SELECT name, depth FROM below WHERE depth > 0;

-- name: how_many, rate: 1/h
-- params: {{"id": 30}}
{DOWN} SELECT count(*) FROM below;

-- name: once, rate: 1/h
-- params: {{"name": "category 7"}}
WITH RECURSIVE below AS (SELECT id, parent_id FROM category WHERE name = :name
    UNION SELECT c.id, c.parent_id FROM category c JOIN below b ON c.parent_id = b.id) SELECT * FROM below;

-- name: keys_above, rate: 1/h
-- params: {{"id": 300}}
{UP} SELECT id, depth FROM above;

-- name: names_above_several, rate: 1/h
-- params: {{"parent": 60}}
WITH RECURSIVE above(id, name, parent_id) AS (SELECT id, name, parent_id FROM category WHERE parent_id = :parent
    UNION ALL SELECT c.id, c.name, c.parent_id FROM category c JOIN above a ON c.id = a.parent_id)
SELECT name, count(*) FROM above GROUP BY name;

-- name: from_the_first, rate: 1/h
-- params: {{"id": 30}}
WITH RECURSIVE below(id, top) AS (SELECT id, name FROM category WHERE id = :id
    UNION ALL SELECT c.id, top FROM category c JOIN below b ON c.parent_id = b.id) SELECT id, top FROM below;
"""


def categories(folder: Path, workload: str) -> Scenario:
    """A tree of a thousand categories, five below each."""
    rows = [(n, f"category {n}", "text " * 40, None if n == 0 else (n - 1) // 5) for n in range(1000)]
    return scenario(folder, DDL, {"category": rows}, workload)


def test_footprints_say_which_way_a_query_goes(tmp_path: Path) -> None:
    """Rows below are reached by the key they refer to, rows above by what refers to them."""
    found = {
        statement.name: [access.walk for access in statement.accesses]
        for statement in categories(tmp_path, READS).reading.workload.statements
    }
    assert found == {"subtree": [None, Walk.DOWN], "breadcrumbs": [None, Walk.UP]}


@pytest.mark.thorough
def test_rows_keep_those_above_them(tmp_path: Path, database: Database[dict[str, Any]]) -> None:
    """Both reads do without a walk, the choice is proved, and every read answers as SQLite does."""
    application = categories(tmp_path, READS + WRITES + MORE)
    proposal = application.designed()
    assert chosen(proposal, "tree")
    assert proposal.costs is not None
    assert proposal.costs.gap < 1e-6
    for name in ("subtree", "breadcrumbs", "how_deep", "keys_above", "names_above_several", "once"):
        assert "walk" not in application.compiled(proposal, name).access_path, name
    assert "walk" in application.compiled(proposal, "from_the_first").access_path
    application.proved(proposal, database)


@pytest.mark.parametrize(("reads", "stored"), [("subtree", "ancestor_ids"), ("breadcrumbs", "ancestors")])
def test_what_is_kept_is_what_is_asked_for(tmp_path: Path, reads: str, stored: str) -> None:
    """Subtrees ask for keys and their index; breadcrumbs for names, and no index."""
    named = next(part for part in READS.split("-- name: ") if part.startswith(reads))
    design = categories(tmp_path, f"-- name: {named}").designed().design
    (collection,) = design.collections
    assert [copy.name for copy in collection.body.copies] == [stored]
    assert any("ancestor" in index.name for index in design.indexes) == (reads == "subtree")


@pytest.mark.thorough
def test_a_tree_whose_rows_move_all_the_time_keeps_nothing(tmp_path: Path) -> None:
    """Each move changes every row below: the walk is cheaper, and the flip point says from which rate on."""
    application = categories(tmp_path, READS + WRITES)
    assert chosen(application.with_rates(move=300.0).explained(), "tree") == []
    sometimes = application.with_rates(move=1.0).explained()
    kept = next(each for each in sometimes.weighed if each.chosen and each.pattern == "tree")
    assert any(flip.quantity == "rate of move" for flip in kept.flips)


@pytest.mark.thorough
def test_prices_are_those_of_what_is_compiled(tmp_path: Path) -> None:
    """Within one and a half times, with the rows above kept and without; a move, which looks up parents again, within two."""
    application = categories(tmp_path, READS + WRITES)
    for moves in (1 / 3600, 300.0):
        rated = application.with_rates(move=moves)
        found = two_prices(rated.reading, rated.designed())
        assert found.keys() == {"subtree", "breadcrumbs", "move", "add"}
        apart = {name: each for name, each in found.items() if each.factor > (2.0 if name == "move" else 1.5)}
        assert not apart
