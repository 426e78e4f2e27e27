"""References that need no index of their own: copies of a parent's, and those that a second field tells the collection of."""

from __future__ import annotations

from typing import Any

import pytest
from pymongo.database import Database

from tests.doctor.looking import found, look

Db = Database[dict[str, Any]]
ROWS = 1_500


def _said(database: Db) -> set[str]:
    return {each.path for each in found(look(database)) if each.rule == "unindexed-reference"}


@pytest.mark.thorough
def test_a_copy_of_a_parents_reference(database: Db) -> None:
    """Which documents are below a course is asked by way of their modules; without the copies' source it is a reference."""
    database.courses.insert_many({"_id": n, "title": f"course {n}"} for n in range(40))
    database.modules.insert_many({"_id": n, "course_id": n % 40, "name": f"module {n}"} for n in range(300))
    database.modules.create_index("course_id")
    lessons = ({"module_id": n % 300, "module": {"course_id": n % 300 % 40}, "n": n} for n in range(ROWS))
    database.lessons.insert_many(lessons)
    database.lessons.create_index("module_id")
    assert _said(database) == set()
    database.lessons.update_many({}, {"$unset": {"module_id": 1}})
    assert _said(database) == {"module.course_id"}


@pytest.mark.one_in(2)
@pytest.mark.parametrize("together", [True, False])
def test_a_reference_to_one_of_several_collections(database: Db, together: bool) -> None:
    """An index on the field that tells the collection, then the reference, finds what refers to a document."""
    database.kinds.insert_many({"_id": n, "model": f"model {n}"} for n in range(1, 4))
    database.lessons.insert_many({"_id": 7 * n + 3, "title": f"lesson {n}"} for n in range(1000))
    database.courses.insert_many({"_id": n, "title": f"course {n}"} for n in range(1, 101))
    comments = ({"kind_id": n % 3 + 1, "object_id": 7 * (n % 600) + 3, "text": f"text {n}"} for n in range(ROWS))
    database.comments.insert_many(comments)
    database.comments.create_index([("kind_id", 1), ("object_id", 1)] if together else [("kind_id", 1)])
    assert _said(database) == (set() if together else {"object_id"})
