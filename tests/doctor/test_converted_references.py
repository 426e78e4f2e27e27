"""References that are found once they are of the right type, or by the collation their key has, are not called missing."""

from __future__ import annotations

from typing import Any

import pytest
from bson import Binary, ObjectId
from pymongo.database import Database

from nestling.executors.facts import Amount, Budget, gather
from nestling.ir.facts.binary_kinds import OLD_UUID
from nestling.ir.finding import Finding
from nestling.sources.mongo import live_database
from tests.doctor.looking import found, look
from tests.doctor.shell import run

Db = Database[dict[str, Any]]
IDS = [ObjectId() for _ in range(40)]
OLD, NEW = ([Binary(bytes([n]) * 16, subtype) for n in range(40)] for subtype in (3, 4))


def _dangling(database: Db) -> dict[str, Finding]:
    return {each.path: each for each in found(look(database)) if each.rule == "dangling-reference"}


@pytest.mark.parametrize(
    ("keys", "values", "kind"),
    [
        (IDS, [str(each) for each in IDS], "objectId"),
        (range(40), [str(each) for each in range(40)], "number"),
        ([str(each) for each in IDS], IDS, "string"),
        ([str(each) for each in range(40)], range(40), "string"),
        ([f"{each:04}" for each in range(40)], range(40), "string"),
        (IDS, [*IDS[:10], *map(str, IDS[10:])], "objectId"),
        ([*IDS, "system"], [*IDS[:30], *map(str, IDS[30:])], "objectId"),
        (NEW, [NEW[n] if n % 2 else OLD[n] for n in range(40)], "binary of subtype 4 of the same bytes"),
        (OLD, NEW, "binary of subtype 3 of the same bytes"),
    ],
)
def test_another_type_is_converted(database: Db, keys: list[Any], values: list[Any], kind: str) -> None:
    """Its commands convert the field and delete nothing; after them every value is found."""
    database.users.insert_many({"_id": each, "name": f"user {n}"} for n, each in enumerate(keys))
    database.events.insert_many({"user_id": values[n % 40], "n": n} for n in range(100))
    finding = _dangling(database)["user_id"]
    assert f"found as {kind}, and none is missing" in finding.message
    assert "delete none" in finding.remedy
    for command in finding.commands:
        run(database.client, command)
    assert database.events.count_documents({}) == 100
    assert "user_id" not in _dangling(database)


@pytest.mark.parametrize("field", ["", "user_id"])
@pytest.mark.parametrize(
    ("keys", "values", "some"),
    [
        (IDS, [str(each) for each in IDS], ["removed"]),
        ([str(each) for each in range(40)], range(40), []),
    ],
)
def test_elements_of_arrays_are_converted(
    database: Db, field: str, keys: list[Any], values: list[Any], some: list[Any]
) -> None:
    """Ids in an array, or in a field of its documents; what is no id stays where it is."""
    database.users.insert_many({"_id": each, "name": f"user {n}"} for n, each in enumerate(keys))

    def element(value: Any) -> Any:
        return {field: value, "since": 2020} if field else value

    for n in range(50):
        ids = [values[(n + k) % 40] for k in range(3)]
        database.groups.insert_one({"_id": n, "user_ids": [element(each) for each in (*ids, *some)]})
    path = f"user_ids[].{field}" if field else "user_ids[]"
    for command in _dangling(database)[path].commands:
        run(database.client, command)
    first = database.groups.find_one({"_id": 0})
    assert first is not None
    assert first["user_ids"] == [element(each) for each in (*keys[:3], *some)]


@pytest.mark.parametrize("rare", [3, 4])
def test_uuids_of_two_subtypes_become_those_of_today(database: Db, rare: int) -> None:
    """Each is named with its number; whichever is rarer, the commands find and rewrite the old ones."""
    pairs = [(OLD[n], NEW[n]) if rare == OLD_UUID else (NEW[n], OLD[n]) for n in range(40)]
    database.events.insert_many({"user": few if n % 4 == 0 else many} for n, (few, many) in enumerate(pairs))
    (finding,) = (each for each in found(look(database)) if each.rule == "mixed-types")
    olds = 10 if rare == OLD_UUID else 30
    assert finding.message.startswith(f"binary of subtype 4 in {40 - olds}, binary of subtype 3 in {olds}")
    show, rewrite = finding.commands
    assert len(run(database.client, show)) == olds
    run(database.client, rewrite)
    assert sorted(each["user"] for each in database.events.find()) == sorted(NEW)


def test_keys_and_references_get_the_same_subtype(database: Db) -> None:
    """Today's if the keys have both, else that of the keys: a reference is never to become what no key is."""
    database.users.insert_many({"_id": OLD[n] if n % 2 else NEW[n]} for n in range(40))
    database.events.insert_many({"user_id": OLD[n % 40] if n % 2 else NEW[n % 40], "n": n} for n in range(81))
    database.drivers.insert_many({"_id": each} for each in OLD)
    database.trips.insert_many({"driver_id": OLD[n % 40] if n % 3 else NEW[n % 40]} for n in range(80))
    mixed = {each.namespace.split(".")[1]: each for each in found(look(database)) if each.rule == "mixed-types"}
    assert "type binary of subtype 4" in mixed["users"].remedy
    assert mixed["events"].remedy.startswith(
        "`_id` of `users` has these types, too: if this field refers to it, give that"
    )
    assert "to binary of subtype 4" in mixed["events"].remedy
    assert "to binary of subtype 3" in mixed["trips"].remedy
    assert "Convert them to binary of subtype 3" in _dangling(database)["driver_id"].remedy


@pytest.mark.thorough
def test_what_is_in_neither_type_is_missing(database: Db) -> None:
    """Some texts are no keys at all: they are left, and found after the conversion."""
    database.users.insert_many({"_id": each} for each in IDS)
    database.events.insert_many({"user_id": str(each)} for each in [*IDS, *(ObjectId() for _ in range(5))])
    finding = _dangling(database)["user_id"]
    assert dict(finding.evidence) == {
        "held": 45,
        "dangling": 45,
        "checked": 45,
        "resolved": 0,
        "converted": 40,
    }
    looked_up = "of 45 different values that were looked up, possibly not all there are, 40 are found as objectId"
    assert f"{looked_up}, and 5 are found in neither type" in finding.message
    assert "Then run the doctor again" in finding.remedy
    for command in finding.commands:
        run(database.client, command)
    left = _dangling(database)["user_id"]
    assert dict(left.evidence) == {"held": 45, "dangling": 5, "checked": 45, "resolved": 40, "converted": 0}


def test_a_few_texts_among_many_ids_are_not_taken_for_what_is_left(database: Db) -> None:
    """Of a sample most are found as they are: the sentence cannot be read as if these were lost."""
    database.users.insert_many({"_id": each} for each in IDS)
    database.events.insert_many({"user_id": str(each) if n < 3 else each} for n, each in enumerate(IDS))
    said = "of 40 different values that were looked up, possibly not all there are, 37 are found as they are"
    assert f"{said}, 3 more are found as objectId, and none is missing" in _dangling(database)["user_id"].message
    facts = gather(database.client, [database.name], Budget(30.0, Amount(), structure=True))
    gap = next(each for each in live_database(facts, name="read").reading.gaps if "`user_id` refers" in each.what)
    assert gap.what.startswith(f"`user_id` refers to `users` in another type: {said}, 3 more are found as objectId")


def test_keys_of_several_types_are_what_to_mend(database: Db) -> None:
    """Where a few keys are texts and what refers to them is not, the keys are shown."""
    database.users.insert_many({"_id": str(each) if n < 4 else each} for n, each in enumerate(IDS))
    database.events.insert_many({"user_id": each} for each in IDS)
    finding = _dangling(database)["user_id"]
    assert finding.remedy.startswith("What they refer to has string for `_id` of `users`")
    assert len(run(database.client, finding.commands[0])) == 4


def test_texts_that_are_no_keys_are_no_reference(database: Db) -> None:
    """A field called after a collection whose keys are of another type holds anything, unless its values are there."""
    database.users.insert_many({"_id": each} for each in IDS)
    database.events.insert_many({"user": f"name {n}"} for n in range(40))
    assert _dangling(database) == {}


def test_a_collation_of_the_key_decides(database: Db) -> None:
    """Values in another case are found where an index of the key leaves case out; others are not, and the command says which."""
    database.country.insert_many({"_id": each} for each in ["DE", "FR", "IT"])
    database.country.create_index([("_id", 1), ("-", 1)], unique=True, collation={"locale": "en", "strength": 1})
    database.customer.insert_many({"country_id": each} for each in ["de", "De", "fr", "IT", "it"])
    assert _dangling(database) == {}
    database.customer.insert_one({"country_id": "Xx"})
    finding = _dangling(database)["country_id"]
    assert finding.number == 1
    assert [each["country_id"] for each in run(database.client, finding.commands[0])] == ["Xx"]


@pytest.mark.thorough
@pytest.mark.parametrize("place", ["u", "watchers[].u"])
def test_texts_of_ids_are_found_whatever_their_field_is_called(database: Db, place: str) -> None:
    """Twenty-four such digits are no other thing by chance, also in the documents of an array."""
    database.users.insert_many({"_id": each, "name": f"user {n}"} for n, each in enumerate(IDS))
    database.teams.insert_many({"_id": ObjectId(), "name": f"team {n}"} for n in range(40))
    texts = [str(IDS[n % 40]) for n in range(100)]
    held = ([{"u": text}, {"u": texts[0]}] for text in texts)
    documents = ({"u": text} for text in texts) if place == "u" else ({"watchers": each} for each in held)
    database["user.sessions"].insert_many(documents)
    finding = _dangling(database)[place]
    assert "`users`" in finding.message
    assert "found as objectId, and none is missing" in finding.message


def test_texts_of_other_ids_are_no_references(database: Db) -> None:
    """Tokens of as many digits that are found nowhere refer to nothing."""
    database.users.insert_many({"_id": each, "name": f"user {n}"} for n, each in enumerate(IDS))
    database.sessions.insert_many({"token": str(ObjectId())} for _ in range(100))
    assert "token" not in _dangling(database)


def test_keys_of_the_same_types_come_first(database: Db) -> None:
    """What is converted alone would no longer lead to the keys of its old type: the finding says so."""
    keys = [*IDS[:30], *map(str, IDS[30:])]
    database.users.insert_many({"_id": each, "name": f"user {n}"} for n, each in enumerate(keys))
    database.events.insert_many({"user_id": keys[n % 40], "n": n} for n in range(100))
    (mixed,) = (each for each in found(look(database)) if each.rule == "mixed-types" and each.path == "user_id")
    assert mixed.remedy.startswith(
        "`_id` of `users` has these types, too: if this field refers to it, give that one type first. "
    )


def test_a_part_of_an_id_is_found_and_not_converted(database: Db) -> None:
    """Nothing changes an `_id`: what is of another type there is shown."""
    database.users.insert_many({"_id": each, "name": "x"} for each in IDS)
    database.votes.insert_many({"_id": {"user_id": str(IDS[n % 40]), "n": n}} for n in range(80))
    finding = _dangling(database)["_id.user_id"]
    (found_by,) = finding.commands
    assert len(list(run(database.client, found_by))) == 80
    assert "An `_id` cannot be changed: insert such documents again with the new one." in finding.remedy


@pytest.mark.parametrize("place", ["assignee", "customer_id"])
def test_values_that_tell_a_reference_are_converted_too(database: Db, place: str) -> None:
    """Half of the ObjectIds are texts, and the field's name says nothing or what is not there: none is missing."""
    database.agents.insert_many({"_id": each, "name": f"agent {n}"} for n, each in enumerate(IDS))
    database.customers.insert_many({"_id": n, "name": f"customer {n}"} for n in range(40))
    database.tickets.insert_many({place: IDS[n % 40] if n // 40 % 2 else str(IDS[n % 40])} for n in range(160))
    finding = _dangling(database)[place]
    assert finding.message.startswith("80 of 160 documents refer to documents that are not in `agents`")
    assert "none is missing" in finding.message
    assert "delete none" in finding.remedy
    for command in finding.commands:
        run(database.client, command)
    assert place not in _dangling(database)


def test_texts_are_converted_before_anything_is_deleted(database: Db) -> None:
    """Where no text was among the values looked up, the advice to delete is not for the texts."""
    database.agents.insert_many({"_id": ObjectId(), "name": f"agent {n}"} for n in range(5))
    known = [each["_id"] for each in database.agents.find()]
    database.tickets.insert_many({"agent_id": each} for each in [*known, ObjectId(), "nobody"])
    assert _dangling(database)["agent_id"].remedy.startswith(
        "Values of type string may exist in the type of the key: convert them before you delete any. Find them"
    )
