"""What makes values references, and columns keys, beyond their names: each rule where it holds, and where it says nothing."""

from __future__ import annotations

from typing import Any

import pytest
from bson import ObjectId
from pymongo.database import Database

from nestling.ir.indexes.planned_indexes import planned_indexes
from tests.sources.mongo.test_documents import Documents, found_in, gaps, rows


def links(database: Database[Any], documents: Documents) -> set[tuple[str, tuple[str, ...], str]]:
    """The relationships read: child, foreign key, parent."""
    model = found_in(database, documents).reading.model
    return {(link.child, link.child_attributes, link.parent) for link in model.relationships}


def test_an_initial_refers_where_the_values_are_all_keys(database: Database[Any]) -> None:
    """`d_w_id` is of warehouses where all of these are there, and nothing tells where one is not."""
    documents: Documents = {
        "warehouses": [{"_id": n, "tax": n} for n in (1, 2)],
        "zones": [{"_id": n, "says": f"zone {n}"} for n in (1, 2, 3)],
        "districts": [{"_id": {"d_w_id": w, "d_id": d}, "d_z_id": w} for w in (1, 2) for d in range(1, 9)],
    }
    assert links(database, documents) == {("districts", ("d_w_id",), "warehouses")}


def test_a_key_named_after_others_refers_to_them(database: Database[Any]) -> None:
    """Managers are told apart by their `emp_no`, which is an employee's; a number of their own says nothing."""
    chosen = [(department, 10_100 + 7 * department + n) for department in range(8) for n in (0, 3)]
    documents: Documents = {
        "employees": [{"_id": n, "born": n % 90} for n in range(10_001, 10_301)],
        "departments": [
            {"_id": f"d{department}", "managers": [{"emp_no": n} for at, n in chosen if at == department]}
            for department in range(8)
        ],
        "badges": [{"_id": f"b{place}", "slots": [{"slot_no": 10_001 + place}]} for place in range(20)],
    }
    found = links(database, documents)
    assert ("managers", ("emp_no",), "employees") in found
    assert {link for link in found if link[2] == "employees"} == {("managers", ("emp_no",), "employees")}


def test_few_texts_refer_beside_a_reference_to_the_same(database: Database[Any]) -> None:
    """Three codes are airports beside others that are, and so is what is called alike elsewhere; single letters are not."""
    codes = [f"{a}{b}{c}" for a in "ABCDEFGHIJ" for b in "KLMNO" for c in "PQRST"]
    documents: Documents = {
        "airports": [{"_id": code, "alt": place} for place, code in enumerate(codes)],
        "classes": [{"_id": letter, "seats": ord(letter)} for letter in "ABCDEFGHIJKL"],
        "flights": [
            {"_id": n, "origin": codes[n % 3 * 7], "dest": codes[n % 90], "stage": "ABC"[n % 3]} for n in range(300)
        ],
        "weather": [{"_id": n, "origin": codes[n % 3 * 7], "wind": n % 13} for n in range(60)],
    }
    assert links(database, documents) == {
        ("flights", ("dest",), "airports"),
        ("flights", ("origin",), "airports"),
        ("weather", ("origin",), "airports"),
    }


@pytest.mark.thorough
def test_ids_with_gaps_that_end_where_keys_do_are_theirs(database: Database[Any]) -> None:
    """Members are numbered as customers are, not on their own; numbers without gaps are."""
    documents: Documents = {
        "customers": [{"_id": n, "age": n % 70} for n in range(1, 5_001)],
        "members": [{"_id": n, "since": n % 9} for n in range(3, 5_000, 4)],
        "orders": [{"_id": n, "total": n % 31} for n in range(1, 4_999)],
    }
    assert links(database, documents) == {("members", ("_id",), "customers")}


def test_a_number_that_counts_in_all_of_a_district_needs_no_customer(database: Database[Any]) -> None:
    """Orders of many customers that never share a number are told apart without their customer; few may differ by chance."""

    def districts(customers: int) -> list[dict[str, Any]]:
        def orders(customer: int) -> list[dict[str, int]]:
            return [{"order_no": customer + customers * place, "total": place} for place in range(3)]

        inside = [{"customer_no": each, "orders": orders(each)} for each in range(customers)]
        return [{"_id": place, "customers": inside} for place in range(4)]

    for customers, key in ((40, 2), (2, 3)):
        found = found_in(database, {"districts": districts(customers)})
        assert len(found.reading.model.entity("orders").key) == key
        database.drop_collection("districts")


def test_elements_are_told_apart_by_what_never_meets_twice(database: Database[Any]) -> None:
    """Hours that differ within each of many stations' readings are their key; what differs in a few rows is none."""
    stations = [{"_id": f"s{n}", "readings": [{"hour": h, "wind": h % 5} for h in range(24)]} for n in range(9)]
    pairs = [{"_id": n, "sides": [{"size": n + side, "mark": 5} for side in (0, 1)]} for n in range(9)]
    model = found_in(database, {"stations": stations, "pairs": pairs}).reading.model
    assert len(model.entity("readings").key) == 2
    assert "hour" in model.entity("readings").key
    assert model.entity("sides").key == ()


def test_what_repeats_the_row_around_by_its_own_columns_refers_to_it(database: Database[Any]) -> None:
    """A payment in a customer's array that names its district, besides lying in it, refers to it."""

    def customer(w: int, d: int, c: int) -> dict[str, Any]:
        return {"c_id": c, "payments": [{"h_w_id": w, "h_d_id": d, "amount": n % 2} for n in range(2)]}

    warehouses = [
        {"_id": w, "districts": [{"d_id": d, "customers": [customer(w, d, c) for c in range(9)]} for d in range(5)]}
        for w in range(3)
    ]
    found = links(database, {"warehouses": warehouses})
    assert ("payments", ("h_w_id", "h_d_id"), "districts") in found


def test_a_row_that_is_only_there_is_one_where_a_validator_says_so(database: Database[Any]) -> None:
    """Empty documents are rows when no field is declared of them, and values kept whole when nothing is declared."""
    orders = [{"_id": n, **({"open": {}} if n % 3 else {})} for n in range(9)]
    found = found_in(database, {"orders": orders})
    assert [entity.name for entity in found.reading.model.entities] == ["orders"]
    database.drop_collection("orders")
    schema = {"bsonType": "object", "properties": {"open": {"bsonType": "object", "properties": {}}}}
    database.create_collection("orders", validator={"$jsonSchema": schema})
    found = found_in(database, {"orders": orders})
    assert sorted(rows(found, database, "open")) == [(n,) for n in range(9) if n % 3]


def test_a_part_of_a_key_refers_by_itself_where_the_key_is_not_always_there(database: Database[Any]) -> None:
    """Flights refer to weather by airport and hour; as some hours have none, they refer to the airport besides."""
    airports = [f"K{letter}{n:03}" for letter in "ABC" for n in range(10)]
    weather = [{"_id": {"airport_id": each, "hour": h}, "wind": h % 7} for each in airports for h in range(20)]
    flights = [{"_id": n, "airport_id": airports[n % 30], "hour": n // 30} for n in range(603)]
    found = links(database, {"airports": [{"_id": each} for each in airports], "weather": weather, "flights": flights})
    assert ("flights", ("airport_id", "hour"), "weather") in found
    assert ("flights", ("airport_id",), "airports") in found


def test_numbers_beyond_the_keys_are_no_evidence_for_those_among_them(database: Database[Any]) -> None:
    """Counters that begin where keys do and go on are no references, nor lists that another collection's name is of."""
    documents: Documents = {
        "orders": [{"_id": n, "total": n % 31} for n in range(400)],
        "posts": [{"_id": f"p{n}", "n": n, "words": n % 9} for n in range(600)],
        "groups": [{"_id": f"g{n}", "member_ids": [(n * 7 + k) % 3_000 for k in range(20)]} for n in range(60)],
        "members": [{"_id": n, "age": n % 70} for n in range(150)],
        "wide": [{"_id": n, "low": n % 3} for n in range(250)],
    }
    assert links(database, documents) == {("member_ids", ("group_id",), "groups")}  # the array and its own document


def test_sparse_numbers_refer_although_some_are_missing(database: Database[Any]) -> None:
    """Numbers that hit keys far apart do so by no chance, be a few of them gone and others beyond the last key."""
    documents: Documents = {
        "parts": [{"_id": n * 37, "weight": n % 13} for n in range(1, 400)],
        "uses": [{"_id": f"u{n}", "made": n * 37 + (n % 50 == 0), "at": n % 7} for n in range(1, 404)],
    }
    assert links(database, documents) == {("uses", ("made",), "parts")}


def test_a_field_that_repeats_its_rows_key_refers_to_nothing(database: Database[Any]) -> None:
    """A slug that is the row's own key is no reference; a field that leads to other rows is, though the first row is its own."""
    documents: Documents = {
        "posts": [{"_id": f"post-{n}", "slug": f"post-{n}", "meta": {"code": f"post-{n}"}} for n in range(200)],
        "nodes": [{"_id": f"node-{n}", "parent_id": f"node-{n // 2}"} for n in range(200)],
    }
    assert links(database, documents) == {("nodes", ("parent_id",), "nodes")}


@pytest.mark.parametrize(("lacking", "key"), [(0, ("post_id", "_id")), (1, ()), (100, ("post_id", "user_id"))])
def test_elements_some_of_which_lack_their_id_have_no_other_key(
    database: Database[Any], lacking: int, key: tuple[str, ...]
) -> None:
    """One comment per user and post is chance where comments have an id; where they have none, it tells them apart."""

    def comment(post: int, place: int) -> dict[str, Any]:
        own = {} if (post * 7 + place) % 100 < lacking else {"_id": ObjectId()}
        return own | {"user_id": (post + place * 11) % 300, "text": f"c{place}"}

    documents: Documents = {
        "users": [{"_id": n, "name": f"U{n}"} for n in range(300)],
        "posts": [{"_id": n, "comments": [comment(n, place) for place in range(n % 8)]} for n in range(300)],
    }
    reading = found_in(database, documents).reading
    assert reading.model.entity("comments").key == key
    told = [note for note in reading.notes if note.startswith("`comments` has no key")]
    assert bool(told) is (lacking == 1)


@pytest.mark.thorough
def test_small_numbers_are_no_ids_of_their_own_rows(database: Database[Any]) -> None:
    """A percentage from 0 to 49 refers to nothing where ids count up from 0, whatever texts are among the numbers."""
    documents: Documents = {
        f"coupons{place}": [
            *({"_id": n, "code": f"V{n}", "pct": n % 50} for n in range(300)),
            *({"_id": 10_000 + n, "code": f"X{n}", "pct": f"{70 + place}"} for n in range(17)),
        ]
        for place in range(6)
    }
    assert links(database, documents) == set()


def test_a_number_named_after_nothing_refers_to_no_ids_that_count_up(database: Database[Any]) -> None:
    """Tables 1 to 10 are no couriers, though the couriers' ids are these numbers; one named after couriers is."""
    documents: Documents = {
        "couriers": [{"_id": n, "says": f"courier {n}"} for n in range(1, 11)],
        "orders": [{"_id": f"o{n}", "table_no": n % 10 + 1, "courier_no": n % 10 + 1} for n in range(300)],
    }
    assert links(database, documents) == {("orders", ("courier_no",), "couriers")}


@pytest.mark.parametrize("name", ["n", "pos", "item_index"])
def test_a_position_tells_elements_apart(database: Database[Any], name: str) -> None:
    """Of columns that tell the elements of an array apart, each with as many values, the position is the key."""
    menu = [{"name": part, name: place} for place, part in enumerate(("starters", "mains", "drinks"))]
    found = found_in(database, {"restaurants": [{"_id": n, "menu": menu} for n in range(40)]})
    assert found.reading.model.entity("menu").key[-1] == name


def test_other_keys_of_elements_are_chosen_by_name(database: Database[Any]) -> None:
    """Where columns tell elements apart equally well, it is the first by name."""
    names = ["part", "section", "course", "kind of", "about"]
    menu = [{name: f"{name} {place}" for name in names} for place in range(3)]
    found = found_in(database, {"restaurants": [{"_id": n, "menu": menu} for n in range(40)]})
    assert found.reading.model.entity("menu").key[-1] == "about"


@pytest.mark.thorough
def test_names_that_are_also_elsewhere_are_no_references(database: Database[Any]) -> None:
    """Where an index keeps a column unique, it is referred to; where its values only happen to differ, there is a note."""
    people = [f"Ada {n} Baum" for n in range(900)]
    guests = [{"_id": n, "name": name, "email": f"{n}@x.org"} for n, name in enumerate(people)]
    hosts = [{"_id": ObjectId(), "name": people[7 * n], "email": f"{7 * n}@x.org"} for n in range(90)]
    stays = [{"_id": ObjectId(), "guestName": people[n % 700], "nights": n % 9} for n in range(1_200)]
    calls = [{"_id": ObjectId(), "guest": {"name": people[n % 700], "seconds": n % 8}} for n in range(1_200)]
    found = found_in(database, {"guests": guests, "hosts": hosts, "stays": stays, "calls": calls})
    model = found.reading.model
    assert model.entity("guests").uniques == ()
    assert not [link for link in model.relationships if link.parent == "guests"]
    told = [note for note in found.reading.notes if "may refer to" in note]
    assert told[0].startswith("`hosts.name` may refer to `guests.name`: 90 of 90 values exist there")
    kept = (
        'if they are, run db.getCollection("guests").createIndex({name: 1}, {unique: true}) and read the database again'
    )
    assert [note.partition("`: ")[0] for note in told if note.endswith(kept)] == [
        "`calls.guest.name` may refer to `guests.name",
        "`stays.guestName` may refer to `guests.name",
    ]
    database.guests.create_index("name", unique=True)
    model = found_in(database, {"one": [{"_id": 1}]}).reading.model
    assert {(link.parent, link.child) for link in model.relationships if link.parent_attributes == ("name",)} >= {
        ("guests", "stays"),
        ("guests", "guest"),
    }
    database.guests.drop_index("name_1")
    for each in ("stays", "calls"):
        database.drop_collection(each)
    found = found_in(database, {"others": [{"_id": 1}]})
    assert (found.reading.model.relationships, found.reading.model.entity("guests").uniques) == ((), ())
    database.guests.create_index("name", unique=True)
    links = found_in(database, {"more": [{"_id": 1}]}).reading.model.relationships
    assert [(link.child, link.child_attributes, link.parent) for link in links] == [("hosts", ("name",), "guests")]


@pytest.mark.one_in(2)
@pytest.mark.parametrize("far", [0, 1, 12])
def test_numbers_that_count_up_refer_to_no_others_that_do(far: int, database: Database[Any]) -> None:
    """Also where some rows of both have a number far away, which makes the keys look rare."""
    documents: Documents = {
        "wagons": [
            *({"_id": n, "axles": n % 7} for n in range(1, 1_501)),
            *({"_id": 50_000 + 9 * k, "axles": 2} for k in range(far)),
        ],
        "lamps": [
            *({"_id": n, "watts": n % 5} for n in range(1, 4_001)),
            *({"_id": 900_000 + k, "watts": 2} for k in range(far)),
        ],
    }
    assert links(database, documents) == set()


@pytest.mark.parametrize("each", [1, 90])
def test_an_id_of_a_document_elsewhere_is_no_key_by_itself(each: int, database: Database[Any]) -> None:
    """Those who are mentioned today differ, and tomorrow somebody is mentioned twice."""
    people = [ObjectId() for _ in range(900)]
    documents: Documents = {
        "people": [{"_id": one} for one in people],
        "rooms": [
            {"_id": place, "mentions": [{"_id": people[each * place + n], "name": f"n{n}"} for n in range(each)]}
            for place in range(10)
        ],
    }
    assert found_in(database, documents).reading.model.entity("mentions").key == ("room_id", "_id")


@pytest.mark.parametrize(("declared", "referred"), [(False, False), (True, False), (False, True)])
def test_ids_of_elements_are_keys_within_their_document(
    declared: bool, referred: bool, database: Database[Any]
) -> None:
    """Only where an index keeps them apart throughout, or others refer to them, are they keys by themselves: no index is built
    that would refuse a document which the application may write today.
    """
    files = [[{"_id": ObjectId(), "name": f"{n} {k}"} for k in range(n % 4)] for n in range(100)]
    if declared:
        database.messages.create_index("files._id", unique=True, sparse=True)
    documents: Documents = {
        "messages": [{"_id": n, **({"files": each} if each else {})} for n, each in enumerate(files)],
        "scans": [{"_id": n, "of": each[0]["_id"] if referred else n} for n, each in enumerate(files) if each],
    }
    found = found_in(database, documents)
    assert found.reading.model.entity("files").key == (("_id",) if declared or referred else ("message_id", "_id"))
    unique = [index for index in planned_indexes(found.in_place.design) if index.unique]
    assert bool(unique) is (declared or referred)


@pytest.mark.parametrize("archived", [3, 20])
def test_an_archive_leaves_the_reference(database: Database[Any], archived: int) -> None:
    """A few users were moved away: posts are of users all the same."""
    users, old = [ObjectId() for _ in range(400)], [ObjectId() for _ in range(archived)]
    documents: Documents = {
        "users": [{"_id": one, "name": f"n{n}"} for n, one in enumerate(users)],
        "users_archive": [{"_id": one, "name": f"o{n}"} for n, one in enumerate(old)],
        "posts": [{"_id": n, "user_id": one} for n, one in enumerate((users + old) * 3)],
    }
    (link,) = found_in(database, documents).reading.model.relationships
    assert (link.parent, link.child) == ("users", "posts")


def test_a_reference_to_any_of_two_collections_is_unclear(database: Database[Any]) -> None:
    """Events are about posts or photos: no relationship, of which half the rows would have no parent, but a gap."""
    posts, photos = [ObjectId() for _ in range(60)], [ObjectId() for _ in range(40)]
    documents: Documents = {
        "posts": [{"_id": one} for one in posts],
        "photos": [{"_id": one} for one in photos],
        "events": [{"_id": n, "about_id": one} for n, one in enumerate((posts + photos) * 3)],
    }
    found = found_in(database, documents)
    assert not found.reading.model.relationships
    said = "`about_id` is named like a reference; its 100 values may be keys of `photos`, `posts`"
    assert [gap for gap in gaps(found) if said in gap]
