"""References are counted by the documents that hold them, and found by their values whatever they are called."""

from __future__ import annotations

from typing import Any

import pytest
from pymongo.database import Database

from tests.doctor.looking import found, look

Db = Database[dict[str, Any]]
ABOUT = {"dangling-reference", "unindexed-reference", "stale-copy"}


@pytest.mark.thorough
def test_documents_that_dangle_are_counted(database: Db) -> None:
    """However few different values lead to nothing: here one, of a user who was deleted."""
    database.users.insert_many({"_id": n, "name": f"U{n}"} for n in range(2_000))
    database.comments.insert_many({"_id": n, "user_id": n * 7 % 2_000 if n % 4 else 999_999} for n in range(8_000))
    (finding,) = [each for each in found(look(database)) if each.rule == "dangling-reference"]
    assert finding.number == 2_000
    assert finding.message.startswith("2,000 of 8,000 documents refer to documents that are not in `users`")


def test_values_tell_a_reference(database: Db) -> None:
    """`sku` holds the `_id` of products: what dangles, lacks an index or is an old copy is found."""
    database.products.insert_many({"_id": f"SKU-{n:04d}", "name": f"P{n}"} for n in range(300))
    database.orders.insert_many(
        {
            "_id": n,
            "sku": f"SKU-{n * 7 % 300:04d}" if n % 50 else "SKU-GONE",
            "product_name": f"P{n * 7 % 300}" if n % 5 else "Old name",
        }
        for n in range(1_500)
    )
    findings = {each.rule: each for each in found(look(database)) if each.rule in ABOUT}
    assert set(findings) == ABOUT
    assert findings["dangling-reference"].number == 30


def test_a_rank_is_no_reference(database: Db) -> None:
    """Small numbers are keys of a small collection by chance: neither a reference nor, in a model, a link."""
    database.regions.insert_many({"_id": n, "name": f"R{n}"} for n in range(1, 21))
    database.customers.insert_many({"_id": n, "rank": n % 20 + 1} for n in range(3_000))
    assert not [each for each in found(look(database)) if each.rule in ABOUT]


@pytest.mark.thorough
def test_a_number_of_a_task_is_not_its_id(database: Db) -> None:
    """Where tasks have a `number`, unique in a project alone, `task.number` is that, though it is found among their ids."""
    tasks = [{"_id": n, "project_id": n // 60, "number": n % 60, "title": f"T{n}"} for n in range(3_000) if n % 31]
    database.projects.insert_many({"_id": n, "name": f"P{n}"} for n in range(50))
    database.tasks.insert_many(tasks)
    database.tasks.create_index({"project_id": 1, "number": 1}, unique=True)
    chosen = [tasks[n * 7 % len(tasks)] for n in range(4_000)]
    database.comments.insert_many(
        {"task_id": each["_id"], "task": {"number": each["number"], "title": each["title"]}} for each in chosen
    )
    assert {each.path for each in found(look(database)) if each.rule in ABOUT} == {"task_id"}


def test_a_code_of_a_plan_is_its_key(database: Db) -> None:
    """Where plans have no `code` but their key, `plan.code` is that key."""
    database.plans.insert_many({"_id": n, "price": n % 9} for n in range(100, 300))
    database.users.insert_many({"plan": {"code": 100 + n % 210}} for n in range(2_000))
    assert {each.path for each in found(look(database)) if each.rule in ABOUT} == {"plan.code"}
