"""Databases nestling did not make: what their documents are read as, and what is a gap rather than a guess."""

from __future__ import annotations

from typing import Any

import pytest
from bson import ObjectId
from pymongo.database import Database

from nestling.executors.facts import Amount, Budget, gather
from nestling.executors.read import read_rows
from nestling.ir.facts.form import facts_text, read_facts
from nestling.ir.primitives import Form, Holder
from nestling.ir.storage.stored_names import stored_names
from nestling.pipeline import home_queries
from nestling.sources.mongo import LiveDatabase, live_database

Documents = dict[str, list[dict[str, Any]]]


def found_in(database: Database[Any], documents: Documents) -> LiveDatabase:
    """What a database of these documents is read as, by way of a facts file."""
    for name, each in documents.items():
        database[name].insert_many(each)
    facts = gather(database.client, [database.name], Budget(30.0, Amount(), structure=True))
    return live_database(read_facts(facts_text(facts)), name="read")


def rows(found: LiveDatabase, database: Database[Any], entity: str) -> list[tuple[object, ...]]:
    """An entity's rows by the design in place."""
    query = home_queries(found.in_place.design)[entity]
    return list(read_rows(database, query, found.reading.model.entity(entity)))


def gaps(found: LiveDatabase) -> list[str]:
    """What could not be read, in words."""
    return [f"{gap.where}: {gap.what}" for gap in found.reading.gaps]


def test_references_are_object_ids_found_elsewhere(database: Database[Any]) -> None:
    """An ObjectId refers to what it is found in whatever its field is called; its rows come back as text."""
    ids = [ObjectId() for _ in range(6)]
    people = [{"_id": each, "name": f"n{place}"} for place, each in enumerate(ids)]
    letters = [{"_id": place, "to": ids[place % 5], "gone": ObjectId()} for place in range(12)]
    found = found_in(database, {"people": people, "letters": letters})
    assert [(link.parent, link.child, link.child_attributes) for link in found.reading.model.relationships] == [
        ("people", "letters", ("to",))
    ]
    assert {row[1] for row in rows(found, database, "letters")} == {str(each) for each in ids[:5]}


def test_a_part_of_a_document_may_be_called_as_the_field_that_tells_kinds(database: Database[Any]) -> None:
    """The field that tells kinds of documents is the documents' own: what lies in them has names of its own."""
    kinds = {0: {"kind": "book", "pages": 1}, 1: {"kind": "film", "minutes": 2}}
    items = [{"_id": place, "by": {"kind": "editor", "who": place % 3}} | kinds[place % 2] for place in range(20)]
    found = found_in(database, {"items": items})
    assert found.in_place.design.collections[0].variant is not None
    assert "kind" in [each.name for each in found.reading.model.entity("by").attributes]
    assert len(rows(found, database, "by")) == 20


def test_a_key_is_of_the_fields_that_are_declared(database: Database[Any]) -> None:
    """A validator that knows an `_id` with more parts than the documents seen have: the whole `_id` is the key."""
    parts = {"code": {"bsonType": "int"}, "page": {"bsonType": "int"}, "start": {"bsonType": "date"}}
    declared = {"_id": {"bsonType": "object", "required": ["code", "page"], "properties": parts}}
    rule = {"$jsonSchema": {"bsonType": "object", "required": ["_id"], "properties": declared}}
    database.create_collection("pages", validator=rule)
    pages = [
        {"_id": {"code": place, "page": 1}, "lines": [{"nr": nr, "text": "a"} for nr in range(2)]} for place in range(6)
    ]
    found = found_in(database, {"pages": pages})
    assert found.reading.model.entity("pages").key == ("_id",)
    assert len(rows(found, database, "lines")) == 12


def test_a_field_that_tells_the_kind_makes_subtypes(database: Database[Any]) -> None:
    """What only one kind of documents has is an entity of its own, in the same collection."""
    kinds = {0: {"kind": "book", "pages": 1}, 1: {"kind": "film", "minutes": 2}}
    items = [{"_id": place, "title": f"t{place}"} | kinds[place % 2] for place in range(20)]
    found = found_in(database, {"items": items})
    collection = found.in_place.design.collections[0]
    assert collection.variant is not None
    assert (collection.variant.discriminator, [value for _, value in collection.variant.subtypes]) == (
        "kind",
        ["book", "film"],
    )
    assert rows(found, database, "film")[:2] == [(1, 2), (3, 2)]


def test_a_kind_may_be_called_as_a_part_of_its_documents(database: Database[Any]) -> None:
    """`{type: "card", card: {…}}` beside `{type: "sepa", sepa: [{…}]}`: kinds have no field in documents, parts have."""
    kinds = (
        {"type": "card", "card": {"brand": "visa", "last": 4}},
        {"type": "sepa", "sepa": [{"iban": "DE", "bank": "B"}]},
    )
    paid = [{"_id": place, "customer": place % 3} | kinds[place % 2] for place in range(20)]
    found = found_in(database, {"paid": paid})
    assert found.in_place.design.collections[0].variant is not None
    design = found.in_place.design
    stored = {path for store in design.stores for path, _ in stored_names(design.model, store)}
    assert {"card.brand", "sepa.iban"} <= stored
    (bank,) = (each.name for each in found.reading.model.entities if "iban" in each)
    assert len(rows(found, database, bank)) == 10


def test_few_texts_refer_where_they_are_all_there_is(database: Database[Any]) -> None:
    """Six codes that are all keys of one collection refer to it; the same of half as many keys say nothing."""
    airlines = [{"_id": code, "name": f"airline {code}"} for code in ("AA", "BA", "DL", "LH", "UA", "WN")]
    grades = [{"_id": code, "says": f"grade {code}"} for code in "ABCDEFGHIJKL"]
    flights = [{"_id": n, "carrier": airlines[n % 6]["_id"], "stage": "ABCDEF"[n % 6]} for n in range(60)]
    found = found_in(database, {"airlines": airlines, "grades": grades, "flights": flights})
    links = [(link.parent, link.child_attributes) for link in found.reading.model.relationships]
    assert links == [("airlines", ("carrier",))]


def test_parts_of_a_key_are_those_no_other_reference_uses(database: Database[Any]) -> None:
    """A payment names its customer and, apart from that, the district it was made in: each by its own columns, and once."""
    districts = [{"_id": {"w_id": w, "d_id": d}, "tax": d} for w in range(1, 4) for d in range(1, 6)]
    customers = [
        {"_id": {"c_w_id": w, "c_d_id": d, "c_id": c}, "name": f"n{c}"}
        for w in range(1, 4)
        for d in range(1, 6)
        for c in range(1, 9)
    ]
    payments = [
        {"_id": n, "h_c_id": n % 8 + 1, "h_c_d_id": n % 5 + 1, "h_c_w_id": n % 3 + 1}
        | {"h_d_id": (n + n % 2) % 5 + 1, "h_w_id": (n + n % 2) % 3 + 1}
        for n in range(120)
    ]
    found = found_in(database, {"districts": districts, "customers": customers, "payments": payments})
    links = {(link.parent, link.child, frozenset(link.child_attributes)) for link in found.reading.model.relationships}
    assert ("customers", "payments", frozenset({"h_c_id", "h_c_d_id", "h_c_w_id"})) in links
    assert ("districts", "payments", frozenset({"h_d_id", "h_w_id"})) in links
    assert ("districts", "customers", frozenset({"c_d_id", "c_w_id"})) in links
    assert len(links) == 3


@pytest.mark.thorough
def test_what_repeats_a_row_is_no_second_reference(database: Database[Any]) -> None:
    """Rows told by their e-mail and called by their name beside it are referred to once; the name is a copy of theirs."""
    users = [{"_id": place, "name": f"name {place}", "email": f"mail{place}@example.org"} for place in range(40)]
    comments = [{"_id": n, "name": f"name {n % 30}", "email": f"mail{n % 30}@example.org"} for n in range(90)]
    comments += [{"_id": 90, "name": "unknown", "email": "mail31@example.org"}]
    database.users.create_index("email", unique=True)
    found = found_in(database, {"users": users, "comments": comments})
    assert [link.child_attributes for link in found.reading.model.relationships] == [("email",)]


def test_kinds_no_field_names_are_told(database: Database[Any]) -> None:
    """Fields that come together and never with those of another kind are noted, with what would make entities of them."""
    forms: list[dict[str, Any]] = [
        {"isbn": "a", "pages": 1},
        {"minutes": 2, "director": "d"},
        {"label": "l", "tracks": 3, "bonus": True},
    ]
    items = [{"_id": place, "title": f"t{place}"} | forms[place % 3] for place in range(60)]
    for place in range(2, 60, 6):
        del items[place]["bonus"]
    items += [{"_id": 100, "title": "odd"}]
    found = found_in(
        database, {"items": items, "plain": [{"_id": n, "a": n} | {"b": n} if n % 2 else {} for n in range(40)]}
    )
    (note,) = [each for each in found.reading.notes if "no field distinguishes" in each]
    assert "`items` are of 3 kinds" in note
    assert all(said in note for said in ("`isbn`, `pages` (20", "`director`, `minutes` (20", "`label`, `tracks` (20"))
    assert len(rows(found, database, "items")) == 61


def test_a_reference_with_what_is_copied_beside_it(database: Database[Any]) -> None:
    """A sub-document of an id and copied fields is a foreign key and a copy, no entity."""
    products = [{"_id": place, "name": f"product {place}", "price": 10 * place} for place in range(15)]
    orders = [{"_id": n, "product": {"_id": n % 15, "name": f"product {n % 15}"}, "amount": n} for n in range(40)]
    found = found_in(database, {"products": products, "orders": orders})
    assert {entity.name for entity in found.reading.model.entities} == {"products", "orders"}
    order = next(each for each in found.in_place.design.collections if each.name == "orders")
    assert [(copy.form, [field.path for field in copy.attributes]) for copy in order.body.copies] == [
        (Form.INLINE, ["product.name"])
    ]


def test_ids_listed_by_the_parent_alone(database: Database[Any]) -> None:
    """An array of ids, each in one array only, tells the relationship of the rows it lists."""
    tasks = [{"_id": place, "text": f"t{place}"} for place in range(12)]
    projects = [{"_id": f"p{n}", "task_ids": [3 * n, 3 * n + 1, 3 * n + 2]} for n in range(4)]
    found = found_in(database, {"tasks": tasks, "projects": projects})
    project = next(each for each in found.in_place.design.collections if each.name == "projects")
    assert [(each.holder, each.field) for each in project.body.references] == [(Holder.PARENT, "task_ids")]
    assert sorted(rows(found, database, "tasks"))[:4] == [
        (0, "t0", "p0"),
        (1, "t1", "p0"),
        (2, "t2", "p0"),
        (3, "t3", "p1"),
    ]


def test_what_has_no_single_form_is_kept_whole(database: Database[Any]) -> None:
    """Mixed types, keys that are data and places on a map are json attributes with a gap each; nothing is dropped."""
    things: list[dict[str, Any]] = [
        {
            "_id": place,
            "mixed": "a" if place % 2 else ["a"],
            "by_day": {f"2024-01-{day + 1:02}": day for day in range(20)},
            "at": {"type": "Point", "coordinates": [1.0, 2.0]},
        }
        for place in range(10)
    ]
    found = found_in(database, {"things": things})
    assert gaps(found) == [
        "things: `mixed` is array or string, and is kept whole as json",
        "things: `by_day` has keys that are data, and is kept whole as json",
        "things: `at` is a place on a map, and is kept whole as json",
    ]
    by_id = {row[0]: row for row in rows(found, database, "things")}
    names = found.reading.model.entity("things").attribute_names
    assert by_id[1] == tuple(things[1][name] for name in names)


def test_numbers_that_their_places_tell_apart_stay_in_order(database: Database[Any]) -> None:
    """A longitude and a latitude, whichever is greater; a set of numbers is an entity all the same."""
    things = [
        {"_id": n, "pos": [9.5 + n, 21.5], "scores": [1.5] * (n % 3 + 1), "counts": [n, 1], "few": [0.5, n]}
        for n in range(30)
    ]
    for each in things[20:]:
        del each["few"]
    del things[0]["few"]
    found = found_in(database, {"things": things})
    assert gaps(found) == [
        "things: `pos` always holds 2 numbers, which their positions distinguish, and is kept whole as json"
    ]
    assert {"counts", "few", "scores"} <= {each.name for each in found.reading.model.entities}
    kept = list(found.reading.model.entity("things").attribute_names).index("pos")
    assert [row[kept] for row in rows(found, database, "things")] == [each["pos"] for each in things]


def test_a_field_without_a_name_is_shown(database: Database[Any]) -> None:
    """What no query can say is a gap with its name, in quotes where that is no word."""
    things = [{"_id": place, "name": "a", "": 1, "box": {"": 2, "a.b": 3, "width": 4}} for place in range(10)]
    said = " has a name that queries cannot address, and is not read"
    assert gaps(found_in(database, {"odd things": things})) == [
        f'odd things: `""`{said}',
        f'odd things: `box.""`{said}',
        f'odd things: `box."a.b"`{said}',
    ]


def test_small_numbers_that_fit_several_collections_are_unclear(database: Database[Any]) -> None:
    """A field called like a reference, whose values are keys everywhere, is a gap that names the collections."""
    documents: Documents = {
        name: [{"_id": place, "note": f"{name} {place}"} for place in range(10)] for name in ("chairs", "lamps")
    }
    documents["rooms"] = [{"_id": f"r{place}", "thing_id": place % 4} for place in range(9)]
    found = found_in(database, documents)
    assert found.reading.model.relationships == ()
    assert gaps(found) == [
        "rooms: `thing_id` is named like a reference; its 4 values may be keys of `chairs`, `lamps`: declare it in the model"
    ]


def licences(orphans: list[dict[str, Any]]) -> Documents:
    """Documents with people inside, and a collection that may be the people without one."""
    inside = [{"_id": n, "plate": f"p{n}", "person": [{"id": 10 * n, "name": f"n{n}"}]} for n in range(1, 9)]
    return {"licence": inside, "person_orphans": orphans}


def test_rows_without_a_parent_name_their_foreign_key(database: Database[Any]) -> None:
    """What orphans refer by is called as in them, so that they come back with what they refer to."""
    found = found_in(database, licences([{"_id": 999, "name": "lost", "held_by": 77}]))
    people = found.reading.model.entity("person")
    assert people.attribute_names[0] == "held_by"
    assert (77, 999, "lost") in rows(found, database, "person")
    assert len(rows(found, database, "person")) == 9


def test_orphans_with_more_than_a_foreign_key_are_rows_of_their_own(database: Database[Any]) -> None:
    """Nothing of a collection is left unread because of its name."""
    found = found_in(database, licences([{"_id": 999, "name": "lost", "held_by": 77, "since": 1999}]))
    assert (999, "lost", 77, 1999) in rows(found, database, "person_orphans")


def test_overflow_pages_name_their_foreign_key(database: Database[Any]) -> None:
    """The pages of an array tell whose rows they hold by a field of any name."""
    inside = [{"_id": n, "plate": f"p{n}", "visits": [{"id": 10 * n, "at": n}]} for n in range(1, 9)]
    pages = [{"_id": {"of": 3, "page": 1}, "of": 3, "page": 1, "visits": [{"id": 31, "at": 5}, {"id": 32, "at": 6}]}]
    found = found_in(database, {"garage": inside, "garage_visits": pages})
    assert {(3, 31, 5), (3, 32, 6)} <= set(rows(found, database, "visits"))


@pytest.mark.parametrize(
    ("names", "told"),
    [
        (("has_overflow", "repairs_overflow"), ["has_overflow", "repairs_overflow"]),
        (("has_overflow", "further"), ["has_overflow", "visits_overflow"]),
        (("more", "further"), ["repairs_overflow", "visits_overflow"]),
    ],
)
def test_each_array_with_pages_has_a_flag_of_its_own(
    database: Database[Any], names: tuple[str, str], told: list[str]
) -> None:
    """Named after the array, as a design names the second of them, or by words nobody else knows."""
    inside = [
        {
            "_id": n,
            "visits": [{"id": 10 * n, "at": n}],
            "repairs": [{"id": n, "cost": n}],
            names[0]: n == 3,
            names[1]: n == 4,
        }
        for n in range(1, 9)
    ]
    visits = [{"_id": {"of": 3, "page": 1}, "of": 3, "page": 1, "visits": [{"id": 31, "at": 5}, {"id": 32, "at": 6}]}]
    repairs = [
        {"_id": {"of": 4, "page": 1}, "of": 4, "page": 1, "repairs": [{"id": 41, "cost": 5}, {"id": 42, "cost": 6}]}
    ]
    found = found_in(database, {"garage": inside, "garage_visits": visits, "garage_repairs": repairs})
    assert {(3, 31, 5), (3, 32, 6)} <= set(rows(found, database, "visits"))
    assert {(4, 41, 5), (4, 42, 6)} <= set(rows(found, database, "repairs"))
    (garage,) = [each for each in found.in_place.design.collections if each.name == "garage"]
    assert sorted(each.overflow.flag for each in garage.body.embeddings if each.overflow) == told


def test_fields_are_in_the_order_of_most_documents(database: Database[Any]) -> None:
    """Keys and attributes stand as most documents have them; of two orders as frequent, the first by name counts."""
    trips = [
        {
            "_id": {"van": place, "day": 1} if place % 3 else {"day": 1, "van": place},
            "z": 1,
            **({"y": place} if place % 4 == 0 else {}),
            "x": 2,
            "depot": {"name": "D", "lat": 1.5} if place % 2 else {"lat": 1.5, "name": "D"},
            "stops": [{"text": f"s{seq}", "seq": seq, "at": 3} for seq in range(3)],
        }
        for place in range(24)
    ]
    model = found_in(database, {"trips": trips}).reading.model
    assert model.entity("trips").key == ("van", "day")
    assert model.entity("trips").attribute_names == ("van", "day", "z", "y", "x")
    assert model.entity("depot").attribute_names == ("van", "day", "lat", "name")
    assert model.entity("stops").attribute_names == ("van", "day", "text", "seq", "at")


def test_declared_fields_are_in_the_order_of_the_validator(database: Database[Any]) -> None:
    """Where no document has them."""
    properties = {name: {"bsonType": "int"} for name in ("_id", "z", "b", "y", "a")}
    database.create_collection("things", validator={"$jsonSchema": {"bsonType": "object", "properties": properties}})
    found = found_in(database, {"others": [{"_id": 1}]})
    assert found.reading.model.entity("things").attribute_names == ("_id", "z", "b", "y", "a")


def test_a_value_of_an_array_is_named_as_one_of_them(database: Database[Any]) -> None:
    """In the singular, if the field's name is a plural: `status` and `series` are none."""
    things = [
        {"_id": place, "status": ["new", f"s{place}"], "series": [f"x{place}", "y"], "movies": [f"m{place}", "n"]}
        for place in range(12)
    ]
    model = found_in(database, {"things": things}).reading.model
    names = {each.name: each.attribute_names for each in model.entities}
    assert names == {
        "things": ("_id",),
        "status": ("thing_id", "status"),
        "series": ("thing_id", "series"),
        "movies": ("thing_id", "movie"),
    }
