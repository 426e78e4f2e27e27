"""References inside of arrays: the command shows every element that refers to nothing, and no other."""

from __future__ import annotations

from typing import Any

import pytest
from pymongo.database import Database

from nestling.ir.finding import Finding
from tests.doctor.looking import found, look
from tests.doctor.shell import run

Db = Database[dict[str, Any]]
GONE = 99


def _finding(database: Db, values: list[Any], collection: str = "posts") -> Finding:
    """What is found of users referred to by documents that hold these values under `a`."""
    database.users.insert_many({"_id": n, "name": f"user {n}"} for n in range(20))
    database[collection].insert_many(
        {"_id": n, **({} if value is ... else {"a": value})} for n, value in enumerate(values)
    )
    (finding,) = [each for each in found(look(database)) if each.rule == "dangling-reference"]
    return finding


@pytest.mark.parametrize(
    ("path", "values", "shown"),
    [
        (
            "a[].user_id",
            [
                [{"user_id": 1}, {"user_id": GONE}],
                [],
                ...,
                [{"user_id": None}, {}],
                None,
                [{"user_id": n} for n in range(9)],
            ],
            [{"_id": 0, "a": {"user_id": GONE}}],
        ),
        (
            "a[].b[].user_id",
            [
                [
                    {"b": [{"user_id": 1}, {"user_id": GONE}]},
                    {"b": []},
                    {},
                    {"b": None},
                    {"b": [None, {"user_id": 98}]},
                ],
                [],
                ...,
                [{"b": [{"user_id": n} for n in range(9)]}],
                [{"b": [{"user_id": GONE}]}],
            ],
            [{"_id": 0, "a": {"b": {"user_id": n}}} for n in (GONE, 98)] + [{"_id": 4, "a": {"b": {"user_id": GONE}}}],
        ),
        (
            "a[].user_ids[]",
            [[{"user_ids": [1, GONE, None]}, {"user_ids": []}, {}], [], ..., [{"user_ids": [*range(9)]}]],
            [{"_id": 0, "a": {"user_ids": GONE}}],
        ),
        (
            "a.user_ids[][]",
            [{"user_ids": [[1, GONE], [], [None]]}, {"user_ids": []}, {}, ..., {"user_ids": [[*range(9)], None]}],
            [{"_id": 0, "a": {"user_ids": GONE}}],
        ),
        (
            "a.user_id",
            [
                {"user_id": 1},
                {"user_id": GONE},
                {"user_id": []},
                {"user_id": None},
                {},
                *({"user_id": n} for n in range(9)),
            ],
            [{"_id": 1, "a": {"user_id": GONE}}],
        ),
    ],
)
def test_the_command_shows_what_dangles(
    database: Db, path: str, values: list[Any], shown: list[dict[str, Any]]
) -> None:
    """On every level of arrays; documents with empty or missing arrays, and nulls, refer to nothing and lack nothing."""
    finding = _finding(database, values)
    assert finding.path == path
    (command,) = finding.commands
    assert run(database.client, command) == shown


def test_no_document_is_deleted_for_its_elements(database: Db) -> None:
    """Only what holds nothing but the reference may go with it."""
    values = [[{"user_id": n}, {"user_id": GONE}] for n in range(9)]
    assert "the documents around them" in (remedy := _finding(database, values).remedy)
    assert "delete" not in remedy
