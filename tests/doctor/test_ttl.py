"""No remedy has MongoDB delete documents by a TTL index unsaid, and none reads a time zone into texts unsaid."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from pymongo.database import Database

from nestling.ir.finding import Finding
from tests.doctor.looking import found, look
from tests.doctor.shell import run

Db = Database[dict[str, Any]]
LATER = datetime(2090, 1, 1, tzinfo=UTC)
PAST = datetime(2023, 5, 5, tzinfo=UTC)


def _of(database: Db, rule: str) -> Finding:
    (finding,) = (each for each in found(look(database)) if each.rule == rule)
    return finding


@pytest.mark.parametrize("validator", [{}, {"total": {"$gte": 0}}])
def test_no_conversion_makes_a_date_that_a_ttl_index_deletes(database: Db, validator: dict[str, Any]) -> None:
    """The remedy first says how many documents would go; its commands leave these as they are, and convert the others."""
    database.create_collection("orders", validator=validator)
    texts = {0: "2023-05-05T00:00:00Z", 5: "2089-05-05T00:00:00Z"}
    database.orders.insert_many(
        {"_id": n, "total": n, "expiresAt": LATER if n % 5 else texts[n % 10]} for n in range(500)
    )
    database.orders.create_index("expiresAt", expireAfterSeconds=0)
    finding = _of(database, "mixed-types")
    assert finding.remedy.startswith(
        "50 of these documents are older than the TTL index `expiresAt_1` allows: once their values are dates, MongoDB deletes"
        " them within a minute. Drop the index or set other dates first;"
    )
    for command in finding.commands:
        run(database.client, command)
    is_deleted = {"expiresAt": {"$lte": datetime.now(UTC)}}
    assert database.orders.count_documents(is_deleted) == 0
    assert database.orders.count_documents({"expiresAt": {"$type": "string"}}) == 50
    assert database.orders.distinct("expiresAt", {"expiresAt": {"$type": "string"}}) == [texts[0]]


def test_a_ttl_index_allows_what_is_not_older_than_its_seconds(database: Db) -> None:
    """A text of an hour ago becomes a date under an index of a day; an index over some documents counts these."""
    now = datetime.now(UTC)
    ago = [(now - timedelta(hours=hours)).strftime("%Y-%m-%dT%H:%M:%SZ") for hours in (1, 50)]
    database.orders.insert_many({"_id": n, "at": ago[0] if n % 9 == 0 else now} for n in range(90))
    database.orders.create_index("at", expireAfterSeconds=86_400)
    finding = _of(database, "mixed-types")
    assert finding.remedy.startswith("Convert")
    for command in finding.commands:
        run(database.client, command)
    assert database.orders.count_documents({"at": {"$type": "string"}}) == 0
    database.orders.drop_indexes()
    database.orders.update_many({"_id": {"$lt": 30}}, {"$set": {"at": ago[1], "done": True}})
    database.orders.update_many({"_id": {"$gte": 85}}, {"$set": {"at": ago[1]}})
    database.orders.create_index("at", expireAfterSeconds=86_400, partialFilterExpression={"done": True})
    assert _of(database, "mixed-types").remedy.startswith("30 of these documents are older")


def test_the_drafted_validator_takes_what_a_ttl_index_keeps_from_conversion(database: Db) -> None:
    """Texts that stay are of a type it takes."""
    database.orders.insert_many({"_id": n, "expiresAt": LATER if n % 5 else "2023-05-05T00:00:00Z"} for n in range(100))
    database.orders.create_index("expiresAt", expireAfterSeconds=0)
    findings = {each.rule: each for each in found(look(database))}
    for rule in ("mixed-types", "no-validator"):
        for command in findings[rule].commands:
            run(database.client, command)
    options = database.orders.options()["validator"]["$jsonSchema"]
    assert options["properties"]["expiresAt"] == {"bsonType": ["date", "string"]}
    assert "violated-validator" not in {each.rule for each in found(look(database))}


def test_no_date_is_renamed_or_copied_into_a_ttl_index(database: Db) -> None:
    """Where values would come into such a field, no command is given, and the remedy says why first."""
    database.things.insert_many({"_id": n, "until ": PAST} for n in range(40))
    database.things.create_index("until", expireAfterSeconds=0)
    finding = _of(database, "awkward-field-names")
    assert finding.remedy.startswith("`until` has the TTL index `until_1`: MongoDB deletes")
    assert finding.commands == ()
    database.makers.insert_many({"_id": f"m{n}", "since": LATER + timedelta(days=n)} for n in range(40))
    database.cars.insert_many(
        {"_id": n, "maker_id": f"m{n % 40}", "maker": {"since": LATER + timedelta(days=n % 40) if n else PAST}}
        for n in range(200)
    )
    database.cars.create_index("maker.since", expireAfterSeconds=2_000_000_000)
    copied = _of(database, "stale-copy")
    assert copied.remedy.startswith("`maker.since` has the TTL index")
    assert not [each for each in copied.commands if "{$merge:" in each]


def test_a_ttl_index_is_proposed_after_the_texts_are_dates(database: Db) -> None:
    """Both remedies of one report lie on one field: which comes first is said."""
    database.sessions.insert_many({"_id": n, "expires_at": LATER if n % 5 else "2023-05-05"} for n in range(100))
    assert "Convert them to dates before you create the index" in _of(database, "missing-ttl").remedy


@pytest.mark.parametrize(
    ("document", "told", "severity"),
    [
        ({"exp": "2026-03-01T12:00:00Z"}, "`exp` is string, and only dates expire", "warning"),
        ({"e": {"at": LATER}}, "no document has a date in `exp`", "warning"),
        ({"exp": None}, "no document has a date in `exp`", "info"),
    ],
)
def test_a_ttl_index_without_dates_is_named(document: dict[str, Any], told: str, severity: str, database: Db) -> None:
    """It deletes nothing; where the dates are, and what goes once there are some, is said. The draft validator takes dates."""
    database.sessions.insert_many({"_id": n, **document} for n in range(40))
    database.sessions.create_index("exp", expireAfterSeconds=60)
    finding = _of(database, "idle-ttl")
    assert finding.message == f"the TTL index `exp_1` deletes nothing: {told}"
    assert str(finding.severity) == severity
    assert ("`e.at`" in finding.remedy) == ("e" in document)
    assert ("40 of these documents at once" in finding.remedy) == isinstance(document.get("exp"), str)
    if "exp" in document:
        (draft,) = _of(database, "no-validator").commands
        assert 'exp: {bsonType: ["date", ' in draft
    database.sessions.update_one({"_id": 3}, {"$set": {"exp": LATER}})
    assert not [each for each in found(look(database)) if "deletes nothing" in each.message]


@pytest.mark.parametrize("zone", ["UTC", "Europe/Berlin"])
def test_texts_without_a_time_zone_are_read_as_one_that_is_said(database: Db, zone: str) -> None:
    """The finding counts them and names the argument to change; texts that name a zone are read by their own."""
    texts = [
        "2024-01-01T05:00:00",
        "2024-01-01 05:00",
        "2024-01-01",
        "2024-01-01T05:00:00Z",
        "2024-01-01T05:00:00+02:00",
    ]
    rows = [*texts, *(LATER for _ in range(40))]
    database.events.insert_many({"_id": n, "at": value} for n, value in enumerate(rows))
    finding = _of(database, "mixed-types")
    assert "Of these texts, 3 name no time zone and are read as UTC" in finding.remedy
    assert "`timezone:`" in finding.remedy
    for command in finding.commands:
        run(database.client, command.replace('timezone: "UTC"', f'timezone: "{zone}"'))
    hours = 1 if zone != "UTC" else 0
    new_year = datetime(2024, 1, 1, tzinfo=UTC).replace(tzinfo=None)
    assert [each["at"] for each in database.events.find({"_id": {"$lt": 5}}, sort=[("_id", 1)])] == [
        *(new_year + timedelta(hours=each - hours) for each in (5, 5, 0)),
        *(new_year + timedelta(hours=each) for each in (5, 3)),
    ]


def test_texts_that_all_name_a_time_zone_need_no_word_on_it(database: Db) -> None:
    """Also where a pass over all documents counts them."""
    rows = ["2024-01-01T05:00:00Z", *(LATER for _ in range(40))]
    database.events.insert_many({"_id": n, "at": value} for n, value in enumerate(rows))
    for facts in (look(database), look(database, documents=30, whole=True)):
        (finding,) = (each for each in found(facts) if each.rule == "mixed-types")
        assert "time zone" not in finding.remedy
    database.events.update_one({"_id": 0}, {"$set": {"at": "2024-01-01T05:00:00"}})
    (finding,) = (each for each in found(look(database, documents=30, whole=True)) if each.rule == "mixed-types")
    assert "1 names no time zone" in finding.remedy


@pytest.mark.parametrize(("documents", "whole"), [(10_000, False), (200, True)])
def test_values_that_never_expire_beside_dates_are_named(database: Db, documents: int, whole: bool) -> None:
    """Texts and numbers in part of the documents; nothing, null and dates of any age are none of them."""
    date = datetime(2099, 1, 1, tzinfo=UTC)
    values = [date, "2024-01-01T00:00:00Z", date, 1_700_000_000, None]
    database.sessions.insert_many({"_id": n, "exp": values[n % 5]} for n in range(1_000))
    database.sessions.insert_many({"_id": n} for n in range(1_000, 1_010))
    database.sessions.create_index("exp", expireAfterSeconds=0)
    facts = look(database, documents=documents, whole=whole)
    (finding,) = (each for each in found(facts) if each.rule == "idle-ttl")
    assert finding.message.startswith("the TTL index `exp_1` never deletes 400 of 1,000 documents (40 %): `exp` is ")
    (command,) = finding.commands
    assert len(run(database.client, command)) == 400
    database.sessions.update_many({"exp": {"$type": ["string", "number"]}}, {"$set": {"exp": date}})
    assert "idle-ttl" not in {each.rule for each in found(look(database))}
