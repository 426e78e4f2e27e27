"""Validators on a real server: sample documents pass, planted faults do not."""

# ruff: noqa: DTZ001 - a naive datetime means UTC in BSON

from __future__ import annotations

import copy
import re
from datetime import datetime
from decimal import Decimal
from uuid import UUID

import jsonschema
import pytest
from bson import Binary, Decimal128, Int64, MinKey, ObjectId
from pymongo.errors import WriteError

from nestling.emitters.commands import collection_commands
from nestling.emitters.documents import documents
from nestling.emitters.jsonschema import can_validate, validation_gaps, validator
from nestling.emitters.samples import sample_documents
from nestling.emitters.validators.bson_types import schema_of
from nestling.ir.design import Design
from nestling.ir.primitives import Collection, Document
from nestling.ir.reading import GapKind
from nestling.ir.types import Type
from nestling.ir.value_forms.instants import END
from nestling.ir.values import Policy, encoder
from tests.emitters.designs import DESIGNS, attribute, entity, model

EVERY_STORE = [(name, store.name) for name, make in DESIGNS.items() for store in make().stores]


@pytest.fixture(params=DESIGNS)
def prepared(request, database):
    """A design, and a database with its collections."""
    design = DESIGNS[request.param]()
    for command in collection_commands(design):
        database.create_collection(command.name, **command.options)
    return design, database


del_ = object()


def created(database, name: str, store_name: str, *, unseen: bool = False):
    design = DESIGNS[name]()
    (command,) = (c for c in collection_commands(design, unseen=unseen) if c.name == store_name)
    return database.create_collection(command.name, **command.options)


def sample(name: str, store_name: str, kind: int = 0):
    design = DESIGNS[name]()
    return sample_documents(design, design.store(store_name))[kind]


def changed(document, path: str, value):
    """A copy with a value set at a dotted path (numbers are array positions), or taken away when it is `del`."""
    result = copy.deepcopy(document)
    at = result
    *outer, last = [int(step) if step.isdigit() else step for step in path.split(".")]
    for step in outer:
        at = at[step]
    if value is del_:
        del at[last]
    else:
        at[last] = value
    return result


def test_samples_of_every_store_are_accepted(prepared):
    """A sample document of every kind of every store can be inserted."""
    design, database = prepared
    inserted = 0
    for store in design.stores:
        for document in sample_documents(design, store):
            database[store.name].insert_one(document)
            inserted += 1
    assert inserted >= len(design.stores)


@pytest.mark.one_in(2)
@pytest.mark.parametrize("name", DESIGNS)
def test_every_required_field_is_missed(database, name):
    """Taking any required field of a sample away makes it fail, and taking an optional one away does not."""
    design = DESIGNS[name]()
    for store in filter(can_validate, design.stores):
        for kind, document in zip(documents(design, store), sample_documents(design, store), strict=True):
            for field in kind.fields:
                less = {key: value for key, value in document.items() if key != field.name}
                of_subtype = {row.discriminator for row in kind.inline} | {
                    each.name for row in kind.inline[:1] for each in row.fields if each.required
                }
                if field.name != "_id":
                    is_needed = field.required or field.name in of_subtype
                    assert fails(database, design, store, less) == is_needed, (store.name, field.name)


@pytest.mark.one_in(2)
@pytest.mark.parametrize("name", DESIGNS)
def test_every_field_has_a_type(database, name):
    """A minimum key, which is a value of no type a source knows, makes a document fail wherever it stands."""
    design = DESIGNS[name]()
    for store in filter(can_validate, design.stores):
        for kind, document in zip(documents(design, store), sample_documents(design, store), strict=True):
            for field in kind.fields:
                if field.name not in ("_id", "a_json", "a_any"):
                    assert fails(database, design, store, document | {field.name: MinKey()}), (store.name, field.name)


def fails(database, design, store, document) -> bool:
    """Whether a store's validator refuses a document, asked of the server."""
    database["scratch"].drop()
    database["scratch"].insert_one(document)
    return database["scratch"].count_documents({"$nor": [validator(design, store)]}) == 1


@pytest.mark.parametrize(
    ("name", "store", "path", "value"),
    [
        ("orders", "orders", "total_of_nothing", None),
        ("orders", "orders", "invoice", del_),
        ("orders", "orders", "lines", []),
        ("orders", "orders", "labels", [None, "a"]),
        ("orders", "orders", "sums.items", Decimal128("1.5")),
        ("orders", "orders", "sums.items", del_),
        ("orders", "orders", "customer_id", Int64(2**40)),
        ("orders", "orders", "lines.0.price", del_),
        ("orders", "customers", "latest", del_),
        ("splits", "products", "months", [None, None, None]),
        ("splits", "products", "specs", []),
        ("splits", "cities", "country", del_),
        ("splits", "videos", "file", del_),
        ("variants", "vehicles", "kind", ["car"]),
        ("references", "people", "tasks", []),
        ("references", "people", "passport", del_),
        ("buckets", "readings", "_id.bucket_start", del_),
        ("buckets", "readings", "mean", del_),
        ("every_type", "things", "a_mixed", "text"),
        ("every_type", "things", "a_null", del_),
        ("every_type", "things", "a_short", Decimal128("NaN")),
        ("every_type", "things", "a_short", Decimal128("123456789012.345")),
        ("every_type", "things", "a_json", None),
        ("every_type", "things", "a_array", [None, 2]),
    ],
)
def test_what_may_be_is_accepted(database, name, store, path, value):
    """Absent optional fields, empty arrays and unknown fields are let in."""
    created(database, name, store).insert_one(changed(sample(name, store), path, value))


@pytest.mark.parametrize(
    ("name", "store", "path", "value"),
    [
        ("orders", "orders", "customer_id", Decimal128(str(2**70))),
        ("orders", "customers", "name", Binary(b"\xff", 128)),
        ("every_type", "things", "a_array", [None, [1, None], 2]),
        ("every_type", "things", "a_date", "infinity"),
        ("every_type", "things", "a_date", "0000-00-00"),
        ("every_type", "things", "a_timestamp", "2024-05-01T09:30:00.123456"),
        ("every_type", "things", "a_timestamptz", "0044-03-15 12:00:00+00 BC"),
        ("every_type", "things", "a_date", "5874897-12-31"),
        ("every_type", "things", "a_date", "0000-01-01"),
        ("every_type", "things", "a_timestamp", "-infinity"),
        ("every_type", "things", "a_timestamp", "0000-00-00 00:00:00.000000"),
        ("every_type", "things", "a_timestamp", "10000-01-01 00:00:00.123456"),
        ("every_type", "things", "a_timestamptz", "294276-12-31 23:59:59.999999+05:30"),
        ("every_type", "things", "a_timestamptz", "2024-05-01T09:30:00.123456Z"),
        ("every_type", "things", "a_uuid", "NO-UUID"),
        ("every_type", "things", "a_uuid", "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11\n"),
        ("every_type", "things", "a_objectid", "no ObjectId"),
    ],
)
def test_what_the_model_does_not_tell_passes_only_where_a_load_met_it(database, name, store, path, value):
    """Fallbacks of the type map are refused, and let in by the validator a load takes for them."""
    document = changed(sample(name, store), path, value)
    with pytest.raises(WriteError):
        created(database, name, store).insert_one(document)
    database.drop_collection(store)
    created(database, name, store, unseen=True).insert_one(document)


@pytest.mark.parametrize(
    ("types", "schema"),
    [
        ("text", {"bsonType": "string"}),
        ("integer", {"bsonType": ["int", "long"]}),
        ("integer, decimal(20,0)", {"bsonType": ["int", "long", "decimal"]}),
        ("date", {"bsonType": "date"}),
        ("timestamp", {"bsonType": "date"}),
        ("timestamptz(3)", {"bsonType": "date"}),
        ("date, text", {"bsonType": ["date", "string"]}),
        ("timestamp, text", {"bsonType": ["date", "string", "binData"]}),
        ("date, enum('-infinity', 'infinity')", {"anyOf": [{"bsonType": "date"}, {"enum": ["-infinity", "infinity"]}]}),
        ("uuid", {"bsonType": "binData"}),
        ("objectid", {"bsonType": "objectId"}),
        ("bits(4)", {"bsonType": "string", "pattern": f"^([01]*){END}"}),
        ("array(text)", {"bsonType": "array", "items": {"bsonType": ["string", "null"]}}),
    ],
)
def test_a_column_takes_what_its_model_tells_and_no_more(types, schema):
    """Plain BSON types, wherever these are all there is."""
    assert schema_of([Type.parse(each) for each in re.split(r", (?=[a-z])", types)]) == schema


@pytest.mark.parametrize(
    ("types", "accepted", "refused"),
    [
        (
            "date, text as far date",
            ["infinity", "-infinity", "0044-03-15 BC", "5874897-12-31"],
            ["0000-00-00", "2024-05-01", "44 BC"],
        ),
        (
            "timestamptz, text as far date",
            ["0044-03-15 12:00:00+00 BC", "294276-12-31 23:59:59.999999+05:30"],
            ["2024-05-01 09:30:00+00", "2024-05-01T09:30:00.123456Z"],
        ),
        (
            "date, text as zero date",
            ["0000-00-00", "2024-00-10", "2024-05-00", "0000-05-01"],
            ["infinity", "2024-05-01", "0044-03-15 BC"],
        ),
        (
            "timestamp, text as zero date",
            ["0000-00-00 00:00:00", "0000-00-00 00:00:00.000000"],
            ["2024-05-01 00:00:00", "0000-00-00 00:00:00\n"],
        ),
        ("timestamp(6)", ["2024-05-01T09:30:00.123456"], ["2024-05-01 09:30:00", "infinity", "0000-00-00 00:00:00"]),
    ],
)
def test_of_texts_beside_dates_those_of_the_source_pass(database, types, accepted, refused):
    """PostgreSQL's far dates and MySQL's zero dates, each where the model tells that there are some."""
    kind, *also = (Type.parse(each) for each in types.split(", "))
    design = Design(model(entity("t", attribute("v", kind, also=also))), (Collection("c", Document("t"), ("id",)),))
    (command,) = collection_commands(design)
    collection = database.create_collection("c", **command.options)
    collection.insert_many([{"_id": i, "v": text} for i, text in enumerate(accepted)])
    for text in refused:
        with pytest.raises(WriteError):
            collection.insert_one({"_id": -1, "v": text})


@pytest.mark.one_in(2)
@pytest.mark.parametrize(
    ("name", "store", "path", "value"),
    [
        ("orders", "orders", "customer_id", "7"),
        ("orders", "orders", "customer_id", 7.0),
        ("orders", "orders", "customer_id", None),
        ("orders", "orders", "schema_version", 3),
        ("orders", "orders", "placed", "2024-05-01T09:30:00.000Z"),
        ("orders", "orders", "placed", "2024-05-01"),
        ("every_type", "things", "a_date", "garbage-00"),
        ("every_type", "things", "a_date", "to infinity"),
        ("every_type", "things", "a_date", "infinity\n"),
        ("every_type", "things", "a_date", "123456"),
        ("every_type", "things", "a_date", "44 BC"),
        ("every_type", "things", "a_timestamp", "x.123456"),
        ("every_type", "things", "a_timestamp", "2024-05-01 09:30:00.123456"),
        ("every_type", "things", "a_timestamptz", "2024-05-01 09:30:00-00"),
        ("orders", "orders", "sums.total", 9.5),
        ("orders", "orders", "sums.total", del_),
        ("orders", "orders", "sums.lines", del_),
        ("orders", "orders", "customer", del_),
        ("orders", "orders", "customer.name", del_),
        ("orders", "orders", "lines.1.quantity", del_),
        ("orders", "orders", "lines.1.product_name", 1),
        ("orders", "orders", "lines.0", None),
        ("orders", "orders", "more_lines", "no"),
        ("orders", "orders", "invoice.number", del_),
        ("orders", "orders", "remarks", del_),
        ("orders", "orders", "labels.0", 1),
        ("orders", "order_lines", "_id.page", del_),
        ("orders", "order_lines", "_id.more", 1),
        ("orders", "lost_labels", "_id", 1),
        ("orders", "customers", "_id", 1),
        ("splits", "products", "months.0", {"id": 1}),
        ("splits", "products", "specs.0", {"k": "height", "v": 1.0}),
        ("splits", "products", "specs.0", {"k": "weight", "v": "heavy"}),
        ("splits", "products", "specs.0", {"k": "weight", "v": 1.0, "unit": "kg"}),
        ("splits", "videos", "file", Binary(b"", 0)),
        ("splits", "video_plots", "plot", 5),
        ("splits", "folders", "ancestors", "/1/"),
        ("splits", "folders", "path", ["a"]),
        ("splits", "cities", "country.name", del_),
        ("variants", "vehicles", "kind", "bus"),
        ("variants", "vehicles", "kind", ["car", "bus"]),
        ("variants", "vehicles", "kind", []),
        ("variants", "vehicles", "kind", del_),
        ("variants", "vehicles", "kind", "truck"),
        ("variants", "vehicles", "kind", ["car", "truck"]),
        ("variants", "vehicles", "doors", del_),
        ("variants", "vehicles", "tons", Decimal128("1.5")),
        ("variants", "media", "type", "song"),
        ("variants", "media", "type", "film"),
        ("variants", "media", "_id.type", "film"),
        ("references", "people", "tasks.0.id", "1"),
        ("references", "people", "tasks.0.title", del_),
        ("references", "teams", "seats.0", 5),
        ("references", "teams", "seats.0.place", del_),
        ("references", "teams", "notes.0", None),
        ("buckets", "readings", "_id.sensor", del_),
        ("buckets", "readings", "count", 1.5),
        ("buckets", "readings", "page", del_),
        ("buckets", "readings", "readings.0.at", "now"),
        ("buckets", "tokens", "_id", "x"),
        ("buckets", "logs", "message", 1),
        ("every_type", "things", "a_enum", "XL"),
        ("every_type", "things", "a_array", ["1"]),
        ("every_type", "things", "a_mixed", 1.5),
        ("every_type", "things", "a_micro", datetime(2024, 5, 1)),
        ("every_type", "things", "a_boolean", 1),
        ("every_type", "things", "a_uuid", str(UUID(int=7))),
        ("every_type", "things", "a_json", del_),
    ],
)
def test_what_is_wrong_is_refused(database, name, store, path, value):
    """Wrong types, missing values, unknown discriminators and foreign fields in what nestling owns are kept out."""
    document = changed(sample(name, store), path, value)
    for unseen in (False, True):
        database.drop_collection(store)
        with pytest.raises(WriteError):
            created(database, name, store, unseen=unseen).insert_one(document)


@pytest.mark.parametrize(
    ("name", "store", "path", "most"),
    [
        ("orders", "orders", "lines", 2),
        ("orders", "order_lines", "lines", 2),
        ("orders", "customers", "latest", 2),
        ("buckets", "readings", "readings", 3),
        ("buckets", "clicks", "clicks", 2),
        ("splits", "products", "months", 3),
        ("splits", "products", "specs", 3),
    ],
)
def test_arrays_end_where_the_design_bounds_them(database, name, store, path, most):
    """As many elements as an overflow, a limit, a bucket, slots or pairs allow pass; one more does not."""
    collection, document = created(database, name, store), sample(name, store)
    element = next(each for each in document[path] if each is not None)
    collection.insert_one(document | {path: [element] * most})
    with pytest.raises(WriteError):
        collection.insert_one(document | {path: [element] * (most + 1)})


def test_slots_have_all_their_places(database):
    """An array of slots with a place too few is refused."""
    document = sample("splits", "products")
    with pytest.raises(WriteError):
        created(database, "splits", "products").insert_one(document | {"months": document["months"][:-1]})


def test_closed_documents_refuse_unknown_fields(database):
    """With `additional=False` a field the design does not know is refused, at the root and below; `_id` is known."""
    design = DESIGNS["orders"]()
    database.create_collection("orders", validator=validator(design, design.store("orders"), additional=False))
    document = sample("orders", "orders")
    database["orders"].insert_one(document)
    for path in ("note", "lines.0.note", "sums.note"):
        with pytest.raises(WriteError):
            database["orders"].insert_one(changed(document, path, 1) | {"_id": 2})


def test_violations_finds_exactly_the_documents_that_fail(database):
    """The query counts what a validator would refuse, before it is switched on."""
    design = DESIGNS["orders"]()
    database["products"].insert_many([{"_id": 1, "name": "a"}, {"_id": 2}, {"_id": "3", "name": "c"}])
    found = database["products"].find({"$nor": [validator(design, design.store("products"))]})
    assert sorted(str(document["_id"]) for document in found) == ["2", "3"]


def test_what_the_type_map_stores_is_accepted(database):
    """Every example of every type passes in the form the loader stores it in, where it met values beyond BSON's exact types."""
    micro, first = datetime(2024, 5, 1, 0, 0, 0, 1), datetime(1, 1, 1)
    examples: dict[str, list] = {
        "integer": [0, -(2**63), 2**63, 10**33],
        "decimal": [Decimal("1.50"), Decimal("NaN"), Decimal("-Infinity")],
        "float": [1.0, float("nan"), float("inf")],
        "boolean": [True],
        "bytes": [b"\x00"],
        "timestamp": [
            datetime(2024, 5, 1),
            micro,
            first,
            "2024-05-01T00:00:00.000001",
            "infinity",
            "10000-01-01 00:00:00",
        ],
        "timestamp(6)": [datetime(2024, 5, 1), micro, first, "2024-05-01T00:00:00.000001", "-infinity"],
        "date": [datetime(2024, 5, 1).date(), "0044-03-15 BC", "2024-00-10"],
        "json": [{"a": [1, None, 2**70]}, "text", 1, False, {"\0": 1}],
        "array(text)": [["a", None], [["a"], ["b"]], [], "[0:1]={a,b}"],
        "any": [1, "a", b"", 1.5],
    }
    for number, (text, values) in enumerate(examples.items()):
        design = Design(model(entity("t", attribute("v", text))), (Collection(f"c{number}", Document("t"), ("id",)),))
        collection = database.create_collection(
            f"c{number}", validator=validator(design, design.store(f"c{number}"), unseen=True)
        )
        encode = encoder(Type.parse(text))
        collection.insert_many([{"_id": i, "v": encode(value)} for i, value in enumerate(values)])
        assert collection.count_documents({}) == len(values), text


def test_long_decimals_as_text_pass_only_under_that_policy():
    """Text stands for a number only where loading was told to store it so."""
    design = Design(model(entity("t", attribute("v", "decimal"))), (Collection("c", Document("t"), ("id",)),))
    asked: dict = validator(design, design.store("c"), policy=Policy(long_decimals="text"))
    usual: dict = validator(design, design.store("c"))
    assert asked["$jsonSchema"]["properties"]["v"] == {"bsonType": ["decimal", "string"]}
    assert usual["$jsonSchema"]["properties"]["v"] == {"bsonType": "decimal"}


def test_a_time_series_collection_has_no_validator_and_says_so():
    """What the server cannot have is listed as a gap."""
    (gap,) = validation_gaps(DESIGNS["buckets"]())
    assert (gap.kind, gap.where) == (GapKind.NOTYET, "ticks")


@pytest.mark.parametrize(("name", "store_name"), EVERY_STORE)
def test_schemas_are_json_schema(name, store_name):
    """An independent JSON Schema validator, taught `bsonType`, accepts the samples and refuses an empty document."""
    design = DESIGNS[name]()
    store = design.store(store_name)
    schema = validator(design, store)["$jsonSchema"]
    independent = jsonschema.validators.extend(
        jsonschema.Draft4Validator, {"bsonType": _bson_type, "pattern": _pattern}
    )(schema, format_checker=None)
    assert all(independent.is_valid(document) for document in sample_documents(design, store))
    assert not independent.is_valid({})


_CLASSES = {
    "object": dict, "array": list, "string": str, "bool": bool, "int": int, "long": int, "double": float, "null": type(None),
    "decimal": Decimal128, "date": datetime, "objectId": ObjectId, "binData": Binary,
}  # fmt: skip


def _bson_type(_validator, names, instance, _schema):
    names = [names] if isinstance(names, str) else names
    if not any(
        isinstance(instance, _CLASSES[name]) and (name == "bool") == isinstance(instance, bool) for name in names
    ):
        yield jsonschema.ValidationError(f"{instance!r} is no {names}")


def _pattern(_validator, pattern, instance, _schema):
    if isinstance(instance, str) and not re.search(pattern, instance):
        yield jsonschema.ValidationError(f"{instance!r} does not match {pattern}")
