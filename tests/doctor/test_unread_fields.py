"""Large fields that a recording shows to be read by few, and how joins to their documents count."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pymongo import MongoClient

from nestling.common.server import Server
from nestling.ir.finding import Finding
from nestling.pipeline import capture, facts_with
from nestling.recorder import Recorder
from tests.doctor.looking import found, look

FEW = {"unread-fields.statements": 20.0}


def recorded(
    mongod: Server, database: Any, folder: Path, joins: int, thresholds: Mapping[str, float] | None = FEW
) -> list[Finding]:
    """Forty reads of articles' titles, one of the raw text, and so many lookups of whole articles."""
    database["articles"].insert_many(
        [
            {
                "_id": n,
                "title": f"title {n}",
                "tags": ["a"],
                "slug": "s" * 90 + str(n),
                "author_id": n % 7,
                "raw": "r" * 3_000,
                "log": "l" * 1_000,
            }
            for n in range(40)
        ]
    )
    database["articles"].create_index("slug")
    database["notes"].insert_one({"_id": 1, "article": 3})
    with Recorder(folder / "seen.json") as recorder:
        watched: MongoClient[dict[str, Any]] = MongoClient(mongod.uri, appname="app", event_listeners=[recorder])
        with watched as client:
            asked = client[database.name]
            for number in range(40):
                asked["articles"].find_one({"_id": number}, {"title": 1})
            asked["articles"].find_one({"_id": 7}, {"raw": 1})
            lookup = {"from": "articles", "localField": "article", "foreignField": "_id", "as": "article"}
            for _ in range(joins):
                list(asked["notes"].aggregate([{"$lookup": lookup}]))
    facts = facts_with(look(database), capture([str(folder / "seen.json")]))
    return [each for each in found(facts, thresholds=thresholds) if each.rule == "unread-fields"]


def test_what_few_reads_take_is_named_with_its_share(mongod: Server, database: Any, tmp_path: Path) -> None:
    """One read in 41 takes the raw text; the finding says so, and what the others read."""
    (finding,) = recorded(mongod, database, tmp_path, joins=0)
    evidence = dict(finding.evidence)
    assert (evidence["unread"], evidence["read"]) == ("raw, log", "title")
    assert (evidence["reads"], evidence["reads_taking"]) == (41, 1)
    assert finding.message.startswith("`raw`, `log`: ")
    assert finding.number > 95


def test_joins_take_whole_documents(mongod: Server, database: Any, tmp_path: Path) -> None:
    """Ten lookups of articles read all of each: nothing is left aside by nine of ten reads."""
    assert recorded(mongod, database, tmp_path, joins=10) == []


def test_a_few_reads_tell_nothing(mongod: Server, database: Any, tmp_path: Path) -> None:
    """What hardly forty reads leave aside, the next ones may take."""
    assert recorded(mongod, database, tmp_path, joins=0, thresholds=None) == []
