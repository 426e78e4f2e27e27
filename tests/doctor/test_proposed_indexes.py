"""The indexes the doctor proposes are as few as serve the statements, and serve them."""

from __future__ import annotations

from typing import Any

import pytest
from bson.regex import Regex
from pymongo import MongoClient
from pymongo.collation import Collation
from pymongo.database import Database

from nestling.doctor.covering_indexes import without_covered
from nestling.ir.finding import Confidence, Finding, Severity
from nestling.pipeline import diagnose
from tests.doctor.looking import found, look
from tests.doctor.shell import run

Db = Database[dict[str, Any]]


def _findings(database: Db) -> list[Finding]:
    return [each for each in found(look(database)) if each.rule == "missing-index"]


@pytest.mark.thorough
def test_what_returns_nothing_is_told_by_the_execution(database: Db) -> None:
    """Not by the sum of all; `$ne` is no equality, and a field that it leaves a value out of comes last."""
    database.events.insert_many({"_id": n, "kind": f"k{n % 5}", "x": n} for n in range(2_000))
    host, port = database.client.address or ("", 0)
    with MongoClient[dict[str, Any]](host, port, directConnection=True, appname="shop") as client:
        application = client[database.name]
        application.command("profile", 2)
        for _ in range(20):
            list(application.events.find({"kind": {"$ne": "k1"}, "x": {"$gt": 3}}).skip(2_000))
        application.command("profile", 0)
        (finding,) = _findings(database)
    assert finding.number == 2_000
    assert finding.place.endswith("x, kind")
    assert finding.remedy.startswith("Index the fields compared otherwise.")


@pytest.mark.thorough
@pytest.mark.parametrize(
    "pipeline",
    [
        [{"$match": {"kind": "k1"}}, {"$group": {"_id": None, "n": {"$sum": 1}}}],
        [{"$match": {"kind": "k1"}}, {"$count": "n"}],
    ],
    ids=["group", "count"],
)
def test_what_an_answer_gathers_is_not_what_matched(database: Db, pipeline: list[dict[str, Any]]) -> None:
    """One document answers for a fiftieth of all, as a sample says: an index is likely; what returns its documents is certain."""
    database.events.insert_many({"_id": n, "kind": f"k{n % 50}", "x": n} for n in range(1_000))
    host, port = database.client.address or ("", 0)
    with MongoClient[dict[str, Any]](host, port, directConnection=True, appname="shop") as client:
        application = client[database.name]
        application.command("profile", 2)
        list(application.events.aggregate(pipeline))
        application.command("profile", 0)
        (finding,) = _findings(database)
        assert (finding.number, finding.confidence) == (50, Confidence.LIKELY)
        assert "to return" not in finding.message
        assert "to compute an answer from about 2 % of events" in finding.message
        application.command("profile", 2)
        list(application.events.find({"kind": "none"}))
        application.command("profile", 0)
        (finding,) = _findings(database)
    assert finding.confidence is Confidence.CERTAIN


def test_the_worst_statement_of_an_index_ranks_its_finding(database: Db) -> None:
    """Two statements want one index: one reads 2,000 documents for 40, the other for 2. It stands where the other would alone."""
    database.events.insert_many({"_id": n, "kind": n % 50, "at": n} for n in range(2_000))
    host, port = database.client.address or ("", 0)
    with MongoClient[dict[str, Any]](host, port, directConnection=True, appname="shop") as client:
        application = client[database.name]
        application.command("profile", 2)
        for _ in range(5):
            assert len(list(application.events.find({"kind": 3}))) == 40
            assert len(list(application.events.find({"kind": 3, "at": {"$gte": 1_903}}))) == 2
        application.command("profile", 0)
        (finding,) = _findings(database)
    assert finding.message.count("seen") == 2
    assert finding.number == 1_000


@pytest.mark.thorough
def test_one_index_serves_statements_that_read_it_from_both_ends(database: Db) -> None:
    """Where only directions differ, and ranges have none, one index is created; another order is another index."""
    database.events.insert_many(
        {"_id": n, "kind": f"k{n % 5}", "user": n % 70, "at": n, "price": n % 90} for n in range(2_100)
    )
    host, port = database.client.address or ("", 0)
    client: MongoClient[dict[str, Any]] = MongoClient(host, port, directConnection=True, appname="shop")

    def ask(events: Any) -> list[Any]:
        return [
            events.find({"user": 3, "kind": "k3"}).sort("at", -1).limit(5),
            events.find({"user": 3, "kind": "k3"}).sort("at", 1).limit(5),
            events.find({"at": {"$gt": 2_000}, "kind": "k3"}).sort("user", 1).limit(3),
            events.find({"kind": "k3", "user": {"$lt": 2}}).limit(5),
            events.find({"price": 3}).sort([("at", 1), ("user", -1)]).limit(5),
            events.find({"price": 3}).sort([("at", -1), ("user", 1)]).limit(5),
            events.find({"price": 3}).sort([("at", 1), ("user", 1)]).limit(2),
        ]

    with client:
        application = client[database.name]
        application.command("profile", 2)
        for _ in range(20):
            for cursor in ask(application.events):
                list(cursor)
        application.command("profile", 0)
        findings = _findings(database)
        commands = [command for each in findings for command in each.commands]
        assert len(commands) == len(findings) == 3
        assert sum(each.message.count("seen") for each in findings) >= 6
        for command in commands:
            run(database.client, command)
        plans = [str(cursor.explain()["queryPlanner"]["winningPlan"]) for cursor in ask(application.events)]
    assert all("IXSCAN" in plan and "'SORT'" not in plan for plan in plans)
    assert _findings(database) == []


@pytest.mark.thorough
def test_no_index_is_proposed_on_what_a_pipeline_makes(database: Db) -> None:
    """Groups, added fields and counts are sorted by, but are nothing documents have; what is asked before them is."""
    database.posts.insert_many(
        {"_id": n, "tags": ["a", f"t{n % 9}"], "user": n % 300, "views": n, "likes": n % 7} for n in range(900)
    )
    top: list[dict[str, Any]] = [{"$sort": {"n": -1}}, {"$limit": 10}]
    made: list[list[dict[str, Any]]] = [
        [{"$unwind": "$tags"}, {"$group": {"_id": "$tags", "n": {"$sum": 1}}}, *top],
        [{"$addFields": {"n": {"$add": ["$views", "$likes"]}}}, *top],
        [{"$project": {"n": {"$add": ["$views", "$likes"]}}}, *top],
        [{"$lookup": {"from": "users", "localField": "user", "foreignField": "_id", "as": "n"}}, *top],
        [{"$match": {"user": 3}}, {"$group": {"_id": "$views", "n": {"$sum": 1}}}, *top],
    ]
    host, port = database.client.address or ("", 0)
    client: MongoClient[dict[str, Any]] = MongoClient(host, port, directConnection=True, appname="shop")
    with client:
        application = client[database.name]
        application.command("profile", 2)
        for _ in range(20):
            for pipeline in made:
                list(application.posts.aggregate(pipeline))
        application.command("profile", 0)
    (finding,) = _findings(database)
    assert finding.index == (("user", 1),)


@pytest.mark.thorough
def test_an_index_that_begins_another_is_not_proposed_beside_it(database: Db) -> None:
    """A reference's index is left to the longer one of a statement; made alone, it leaves nothing redundant."""
    database.posts.insert_many({"_id": f"p{n}", "title": f"title {n}"} for n in range(100))
    database.comments.insert_many({"_id": n, "post_id": f"p{n % 100}", "created_at": n} for n in range(2_000))
    host, port = database.client.address or ("", 0)
    client: MongoClient[dict[str, Any]] = MongoClient(host, port, directConnection=True, appname="shop")
    with client:
        application = client[database.name]
        application.command("profile", 2)
        for n in range(20):
            list(application.comments.find({"post_id": f"p{n}"}).sort("created_at", -1).limit(5))
        application.command("profile", 0)
    about = ("missing-index", "unindexed-reference", "redundant-index")
    facts = look(database)
    missing, reference = (each for each in found(facts) if each.rule in about)
    assert (missing.rule, reference.rule) == ("missing-index", "unindexed-reference")
    assert reference.commands == ()
    assert "`{post_id: 1, created_at: -1}`" in reference.remedy
    assert "missing-index" in reference.remedy
    (alone,) = (each for each in diagnose(facts, rules=["unindexed-reference"]) if each.path == "post_id")
    assert alone.commands
    for command in missing.commands:
        run(database.client, command)
    assert [each for each in found(look(database)) if each.rule in about] == []


def test_of_proposed_indexes_one_does_for_those_it_begins_with_and_its_mirror_images() -> None:
    """The longest stays; of two that mirror each other the first; the same one proposed twice is one; others stand."""
    proposed: list[tuple[tuple[str, int], ...]] = [
        *((("a", 1),), (("a", -1), ("b", 1)), (("a", 1), ("b", -1)), (("a", -1), ("b", 1)), (("b", 1),)),
        *((("c", 1),), (("c", -1),), ()),
    ]
    findings = [
        Finding("a-rule", Severity.INFO, Confidence.CERTAIN, "shop.x", "", "", 1, "", None, "", "", "", index=keys)
        for keys in proposed
    ]
    left = [each.index for each in without_covered(findings)]
    assert left == [(), proposed[1], (), (), (("b", 1),), (("c", 1),), (), ()]


def test_of_indexes_that_mirror_each_other_one_is_left(database: Db) -> None:
    """An index is read from both ends, so its mirror image is redundant; one with a single direction turned is not."""
    database.things.insert_many({"a": n, "b": n % 7, "c": n % 3} for n in range(300))
    for keys in ([("a", 1)], [("a", -1)], [("b", 1), ("c", 1)], [("b", -1), ("c", -1)], [("b", 1), ("c", -1)]):
        database.things.create_index(keys)
    findings = [each for each in found(look(database)) if each.rule == "redundant-index"]
    assert {(each.path, each.evidence[0][1]) for each in findings} == {("a_1", "a_-1"), ("b_1_c_1", "b_-1_c_-1")}
    for finding in findings:
        assert "read from the other end" in finding.message
        hide, drop = finding.commands
        assert "// only after a week" in drop
        run(database.client, hide)
        run(database.client, drop)
    assert set(database.things.index_information()) == {"_id_", "a_-1", "b_-1_c_-1", "b_1_c_-1"}
    plan = database.things.find().sort([("b", 1), ("c", 1)]).explain()["queryPlanner"]["winningPlan"]
    assert "'SORT'" not in str(plan)


def test_an_index_that_ignores_case_stands_beside_one_that_does_not(database: Db) -> None:
    """It has a name of its own, so the server takes it; equality by its collation uses it, and the finding goes."""
    database.people.insert_many({"email": f"Ada{n}@example.org", "n": n} for n in range(1_200))
    database.people.create_index("email")
    host, port = database.client.address or ("", 0)
    client: MongoClient[dict[str, Any]] = MongoClient(host, port, directConnection=True, appname="shop")
    with client:
        application = client[database.name]
        application.command("profile", 2)
        list(application.people.find({"email": {"$regex": r"^ada7@example\.org$", "$options": "i"}}))
        application.command("profile", 0)
    (finding,) = [each for each in found(look(database)) if each.rule == "case-insensitive-regex"]
    (command,) = finding.commands
    assert run(database.client, command) == "email_ignoring_case"
    assert set(database.people.index_information()) == {"_id_", "email_1", "email_ignoring_case"}
    asked = database.people.find({"email": "ada7@example.org"}).collation(Collation("en", strength=2))
    assert "email_ignoring_case" in str(asked.explain()["queryPlanner"]["winningPlan"])
    assert [each["n"] for each in asked] == [7]


def test_one_piece_of_advice_an_index_and_nothing_redundant_afterwards(database: Db) -> None:
    """Equalities stand so that one index begins with what others ask for; following all advice leaves no index too many."""
    database.users.insert_many({"_id": f"u{n}"} for n in range(300))
    database.orders.insert_many({"_id": f"o{n}", "no": n} for n in range(1_500))
    database.notes.insert_many(
        {"_id": n, "user_id": f"u{n % 300}", "read": n % 3 == 0, "kind": f"k{n % 9}", "at": n} for n in range(3_000)
    )
    database.carts.insert_many({"_id": n, "user_id": f"u{n % 300}", "n": n} for n in range(1_500))
    database.payments.insert_many({"_id": n, "order_id": f"o{n % 1_500}"} for n in range(2_000))
    database.notes.create_index("kind")
    database.notes.create_index("read")
    host, port = database.client.address or ("", 0)
    client: MongoClient[dict[str, Any]] = MongoClient(host, port, directConnection=True, appname="shop")
    lookup = {"from": "payments", "localField": "_id", "foreignField": "order_id", "as": "paid"}
    with client:
        application = client[database.name]
        application.command("profile", 2)
        for _ in range(20):
            list(application.notes.find({"user_id": "u299", "read": False}).sort("at", -1).limit(5))
            application.notes.update_one({"user_id": "u299"}, {"$set": {"seen": True}})
            list(application.notes.find({"kind": "k1", "at": {"$gt": 2_990}, "read": True}))
            list(application.carts.find({"user_id": "u299"}))
            application.carts.update_one({"user_id": "u299"}, {"$inc": {"n": 1}})
            list(application.orders.aggregate([{"$match": {"_id": "o7"}}, {"$lookup": lookup}]))
        application.command("profile", 0)
    findings = found(look(database))
    created = [
        (each.namespace.partition(".")[2], each.index)
        for each in findings
        for command in each.commands
        if "createIndex" in command
    ]
    assert sorted(created) == [
        ("carts", (("user_id", 1),)),
        ("notes", (("kind", 1), ("read", 1), ("at", 1))),
        ("notes", (("user_id", 1), ("read", 1), ("at", -1))),
        ("payments", (("order_id", 1),)),
    ]
    (cart,) = [each for each in findings if each.rule == "missing-index" and each.namespace.endswith(".carts")]
    assert cart.message.count("seen 20 times") == 2
    assert "The index serves unindexed-reference at `user_id` as well." in cart.remedy
    for finding in findings:
        for command in finding.commands:
            if "Index(" in command:
                run(database.client, command)
    about = ("missing-index", "unindexed-reference", "unindexed-lookup", "redundant-index")
    assert [each.place for each in found(look(database)) if each.rule in about] == []
    assert set(database.notes.index_information()) == {"_id_", "read_1", "kind_1_read_1_at_1", "user_id_1_read_1_at_-1"}


@pytest.mark.parametrize(
    ("asked", "keys", "told_by"),
    [
        ({"name": Regex("97$")}, "", "unanchored-pattern"),
        ({"name": Regex("^NAME 7$", "i")}, "", "case-insensitive-regex"),
        ({"name": Regex("7$"), "age": {"$gt": 97}}, "{age: 1, name: 1}", "unanchored-pattern"),
        ({"name": Regex("^name 7"), "age": {"$gt": 97}}, "{age: 1, name: 1}", ""),
        ({"name": Regex("7$"), "city": "city 7"}, "{city: 1, name: 1}", "unanchored-pattern"),
    ],
)
def test_what_narrows_nothing_gets_no_index(database: Db, asked: dict[str, Any], keys: str, told_by: str) -> None:
    """A pattern that seeks in no index begins none: the finding of its own is all, or is named beside the index of others."""
    people = ({"_id": n, "name": f"name {n}", "age": n % 100, "city": f"city {n % 90}"} for n in range(1_500))
    database.people.insert_many(people)
    host, port = database.client.address or ("", 0)
    with MongoClient[dict[str, Any]](host, port, directConnection=True, appname="shop") as client:
        application = client[database.name]
        application.command("profile", 2)
        for _ in range(3):
            list(application.people.find(asked))
        application.command("profile", 0)
    findings = found(look(database))
    missing = [each for each in findings if each.rule == "missing-index"]
    assert [each.commands[0].partition("createIndex(")[2] for each in missing] == ([f"{keys})"] if keys else [])
    assert {each.rule for each in findings if "pattern" in each.rule or "regex" in each.rule} == ({told_by} - {""})
    assert all(
        ("It does not help the pattern on `name`: see `unanchored-pattern`" in e.remedy) is bool(told_by)
        for e in missing
    )


def test_what_is_dropped_makes_nothing_redundant(database: Db) -> None:
    """An unused index says nothing against a shorter one that is used: following all advice leaves that one."""
    database.payments.insert_many({"tenant": n % 9, "paid": n, "shop": n % 7} for n in range(300))
    database.payments.create_index([("tenant", 1), ("paid", -1)])
    for keys in (["tenant"], ["shop"], ["shop", "paid"], ["shop", "paid", "tenant"]):
        database.payments.create_index([(field, 1) for field in keys])
    database.payments.find_one({"tenant": 3}, hint="tenant_1")
    database.payments.find_one({"shop": 3}, hint="shop_1_paid_1_tenant_1")
    findings = found(look(database), thresholds={"unused-index.days": 0})
    dropped = {each.path for each in findings if each.rule == "unused-index"}
    redundant = {(each.path, each.evidence[0][1]) for each in findings if each.rule == "redundant-index"}
    assert dropped == {"tenant_1_paid_-1", "shop_1", "shop_1_paid_1"}
    assert redundant == {("shop_1", "shop_1_paid_1_tenant_1"), ("shop_1_paid_1", "shop_1_paid_1_tenant_1")}
