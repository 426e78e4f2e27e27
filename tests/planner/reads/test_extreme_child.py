"""The latest child of each parent is read from what the parent keeps; by a window over all children where it keeps nothing."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from pymongo.database import Database

from nestling import pipeline
from nestling.ir.statements.algebra import Query
from nestling.planner.reads import ALL_REWRITES, Rewrite, plan_read
from nestling.planner.sql import translate
from tests.cases.pattern_case import PatternCase, pattern_cases
from tests.planner.reads.beside_sqlite import Beside, Rows, loaded
from tests.planner.reads.shop import READING

JOINED = (
    "SELECT p.policy_id, p.holder, r.revision, r.text FROM policy p JOIN revision r ON r.policy_id = p.policy_id WHERE "
)
OF_PARENT = "(SELECT max(x.revision) FROM revision x WHERE x.policy_id = p.policy_id)"
OF_ROW = "(SELECT max(x.revision) FROM revision x WHERE x.policy_id = r.policy_id)"
OVER = "(PARTITION BY p.policy_id)"
WINDOWED = (
    f"SELECT * FROM (SELECT p.policy_id, r.revision, r.text, MAX(r.revision) OVER {OVER} AS m FROM policy p "
    "JOIN revision r ON r.policy_id = p.policy_id) s WHERE revision = m"
)
LATEST = (
    f"{JOINED} r.revision = {OF_PARENT}",
    f"{JOINED} r.revision = {OF_ROW}",
    f"{JOINED} {OF_ROW} = r.revision AND p.holder = 'Ann'",
    WINDOWED,
)
"""What the copy of the latest revision answers."""
OTHERWISE = (
    f"{JOINED} r.revision = {OF_PARENT.replace('max', 'min')}",
    f"{JOINED} r.revision = (SELECT max(x.revision) FROM revision x WHERE x.policy_id = x.policy_id)",
    f"{JOINED} r.revision = (SELECT max(x.revision) FROM revision x WHERE x.policy_id = p.policy_id AND x.since IS NOT NULL)",
    f"{JOINED} r.revision = {OF_ROW} AND r.since IS NOT NULL",
    f"{JOINED} r.revision < {OF_ROW}",
    WINDOWED.replace(" AS m", f" AS m, COUNT(*) OVER {OVER} AS n"),
    WINDOWED.replace(OVER, f"{OVER[:-1]} ROWS BETWEEN CURRENT ROW AND CURRENT ROW)"),
    f"{JOINED} r.revision = {OF_ROW} OR p.holder = 'Ann'",
    f"SELECT r.policy_id, r.text FROM revision r WHERE r.revision = {OF_ROW}",
)
"""What it does not."""


@pytest.fixture
def policies(database: Database[dict[str, Any]], tmp_path: Path) -> Beside:
    """The case of document versioning: the current revision as a sub-document, and one policy without any."""
    case = next(each for each in pattern_cases() if each.name == "document_versioning")
    return loaded(case.proposal, case.rows, database, tmp_path)


@pytest.mark.thorough
def test_the_latest_child_is_at_hand(policies: Beside) -> None:
    """Where the statement asks for it alone; the answers are those of SQLite in any case."""
    for sql in LATEST:
        assert "look up" not in policies.compiled(sql).access_path, sql
    for sql in OTHERWISE:
        assert "`revisions`" in policies.compiled(sql).access_path, sql
    for sql in (*LATEST, *OTHERWISE):
        for rewrites in (ALL_REWRITES, ALL_REWRITES - {Rewrite.COPIED_CHILDREN}, ALL_REWRITES - {Rewrite.WINDOWED}):
            policies.assert_equal(sql, rewrites=rewrites)


def test_the_rows_are_read_once(policies: Beside) -> None:
    """Without the copy, the row's own reference to its parent names the rows of a window as the parent's key does."""
    alone = f"SELECT r.policy_id, r.text FROM revision r WHERE r.revision = {OF_ROW}"
    for sql in (*LATEST, alone, f"{alone} AND r.policy_id = 1", f"{alone} AND r.policy_id IN (1, 2)"):
        path = policies.compiled(sql, ALL_REWRITES - {Rewrite.COPIED_CHILDREN}).access_path
        assert path.count("`revisions`") == 1, path
        policies.assert_equal(sql)


def test_rows_that_are_left_out_count_for_the_greatest(policies: Beside) -> None:
    """A condition on something else than the part, and a column that may be NULL, leave the subquery as it is."""
    by_since = "SELECT r.text FROM revision r WHERE r.revision = (SELECT max(x.revision) FROM revision x WHERE x.since = r.since)"
    for sql in (
        f"SELECT r.text FROM revision r WHERE r.revision = {OF_ROW} AND r.text LIKE 'Ring and%'",
        f"SELECT r.text FROM revision r WHERE r.revision = {OF_ROW} AND r.revision < 2",
        by_since,
    ):
        path = policies.compiled(sql).access_path
        assert path.count("`revisions`") == 2, path
        policies.assert_equal(sql)


def test_the_least_may_come_after_null(database: Database[dict[str, Any]], tmp_path: Path) -> None:
    """A copy of the first revision may hold one without a number."""
    case = next(each for each in pattern_cases() if each.name == "document_versioning")
    text = case.text.replace("key: [policy_id, revision]", "key: [id]\n    uniques: [[policy_id, revision]]")
    text = text.replace("revision: integer!", "revision: integer").replace("since: date}", "since: date, id: integer!}")
    text = text.replace("id: [policy_id, revision]", "id: [id]").replace("since], as", "since, id], as")
    rows: Rows = {"policy": [(1, "Ann")], "revision": [(1, None, "Draft.", None, 7), (1, 1, "Car.", None, 8)]}
    for order, function in (("revision", "min"), ("-revision", "max")):
        proposal = PatternCase(case.name, text.replace("-revision", order)).proposal
        folder = tmp_path / function
        folder.mkdir()
        policies = loaded(proposal, rows, database, folder)
        policies.assert_equal(f"{JOINED} r.revision = {OF_PARENT.replace('max', function)}")


@pytest.mark.parametrize("dialect", ["postgresql", "mysql", "sqlite"])
def test_the_first_of_joined_rows_is_one_value(dialect: str) -> None:
    """LIMIT 1 says so, wherever the limit goes when the plan is made."""
    sql = (
        "SELECT c.name, (SELECT p.title FROM line l JOIN orders o ON o.id = l.order_id JOIN product p ON p.id = l.product_id"
        " WHERE o.customer_id = c.id ORDER BY l.no DESC LIMIT 1) AS latest FROM customer c"
    )
    query = translate(sql, READING.model, dialect)
    assert isinstance(query, Query)
    assert plan_read(query, pipeline.design(READING, "normalized").design).columns[1].name == "latest"
