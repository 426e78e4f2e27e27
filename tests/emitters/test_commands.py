"""Commands, the mongosh script and the Python module, run for real: all three lead to the same database."""

from __future__ import annotations

import shutil
import subprocess

import pytest
from pymongo.errors import DuplicateKeyError, WriteError

from nestling.emitters import emit
from nestling.emitters.commands import collection_commands, gaps, index_commands
from nestling.emitters.samples import sample_documents
from nestling.ir.programs.command import CreateCollection, CreateIndex, ModifyCollection
from nestling.ir.proposal import Proposal
from tests.emitters.designs import DESIGNS


def execute(database, plan) -> None:
    """Carry commands out through the driver."""
    for command in plan:
        match command:
            case CreateCollection():
                database.create_collection(command.name, **command.options)
            case ModifyCollection():
                database.command("collMod", command.name, **command.options)
            case CreateIndex():
                database[command.collection].create_index(list(command.keys), **command.options)
            case _:
                raise AssertionError(command)


def made(design) -> tuple:
    """What makes an empty database ready for the design."""
    return (*collection_commands(design), *index_commands(design))


def state(database) -> dict:
    """Options and indexes of every collection."""
    return {
        found["name"]: (found["options"], [{**index} for index in database[found["name"]].list_indexes()])
        for found in database.list_collections(filter={"name": {"$not": {"$regex": r"^system\."}}})
    }


def emitted(design, as_name: str) -> str:
    (text,) = emit(Proposal("by hand", design), as_name).values()
    return text


@pytest.mark.parametrize("name", DESIGNS)
def test_commands_make_every_collection_and_index(database, name):
    """A server carries every command out, and has every collection and index under its name afterwards."""
    design = DESIGNS[name]()
    execute(database, made(design))
    found = state(database)
    assert set(found) == {store.name for store in design.stores}
    for command in index_commands(design):
        (index,) = (each for each in found[command.collection][1] if each["name"] == command.options["name"])
        assert tuple(index["key"].items()) == command.keys


@pytest.mark.parametrize("name", DESIGNS)
def test_the_python_module_does_what_the_commands_do(database, mongo_client, name):
    """Running the emitted module, also twice, leaves the database the commands make."""
    design = DESIGNS[name]()
    scope: dict = {}
    exec(compile(emitted(design, "python"), "create.py", "exec"), scope)
    twin = mongo_client[database.name + "_twin"]
    try:
        execute(twin, made(design))
        for _ in range(2):
            scope["create"](database)
            assert state(database) == state(twin)
    finally:
        mongo_client.drop_database(twin.name)


def test_the_python_module_spares_documents_that_fail(database):
    """They are counted first: with one that fails the level is moderate, without it strict, and wrong writes are errors."""
    scope: dict = {}
    exec(compile(emitted(DESIGNS["orders"](), "python"), "create.py", "exec"), scope)
    products = database["products"]
    products.insert_one({"_id": 1})
    for level in ("moderate", "strict"):
        scope["create"](database)
        told = products.options()
        assert (told["validationLevel"], told["validationAction"]) == (level, "error")
        with pytest.raises(WriteError):
            products.insert_one({"_id": 2})
        products.update_many({}, {"$set": {"name": "x"}})
        assert products.count_documents({"$nor": [told["validator"]]}) == 0
        assert products.count_documents({}) == 1


@pytest.mark.parametrize("name", DESIGNS)
def test_the_script_does_what_the_commands_do(database, mongo_client, mongod, tmp_path, name):
    """Running the emitted script with the real mongosh, also twice, leaves the database the commands make."""
    design, twin = DESIGNS[name](), mongo_client[database.name + "_twin"]
    try:
        execute(twin, made(design))
        for _ in range(2):
            run_script(mongod, database, tmp_path, emitted(design, "mongosh"))
            assert state(database) == state(twin)
    finally:
        mongo_client.drop_database(twin.name)


def test_the_script_spares_documents_that_fail(database, mongod, tmp_path):
    """On a collection with documents that fail, the script sets level moderate and says how many there are."""
    database["products"].insert_many([{"_id": 1}, {"_id": 2, "name": "x"}])
    printed = run_script(mongod, database, tmp_path, emitted(DESIGNS["orders"](), "mongosh"))
    assert "products: 1 documents fail the validator" in printed
    assert database["products"].options()["validationLevel"] == "moderate"
    database["products"].update_one({"_id": 1}, {"$set": {"seen": True}})


def run_script(mongod, database, tmp_path, text: str) -> str:
    """What mongosh prints while it runs a script; fails with its complaint."""
    program = shutil.which("mongosh")
    if program is None:
        pytest.skip("mongosh is not installed (npm install mongosh, and put node_modules/.bin on PATH)")
    script = tmp_path / "create.js"
    script.write_text(text)
    uri = mongod.uri.replace("/?", f"/{database.name}?")
    command = [program, uri, "--quiet", "--norc", str(script)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr + done.stdout
    return done.stdout


def test_unique_attributes_stay_unique(database):
    """A second document with the same key or unique value is refused; several without an optional one are not."""
    design = DESIGNS["orders"]()
    execute(database, made(design))
    first = sample_documents(design, design.store("customers"))[0]
    database["customers"].insert_one(first)
    other = {**first, "_id": type(first["_id"])(), "id": 2, "email": "b", "vat": "b"}
    for same in ("id", "email", "vat"):
        with pytest.raises(DuplicateKeyError):
            database["customers"].insert_one({**other, same: first[same]})
    for number in (3, 4):
        without = {k: v for k, v in other.items() if k not in ("_id", "vat")}
        database["customers"].insert_one({**without, "_id": type(first["_id"])(), "id": number, "email": str(number)})
    assert database["customers"].count_documents({}) == 3


def test_uniqueness_in_a_variant_holds_within_its_member(database):
    """A unique attribute of one member does not concern the documents of another."""
    design = DESIGNS["variants"]()
    (isbn,) = (command for command in index_commands(design) if command.collection == "media")
    assert isbn.options["partialFilterExpression"] == {"type": "book"}


def test_gaps_name_what_the_server_cannot_check():
    """Time series without validator, and keys of rows in arrays, are listed."""
    assert "buckets" not in {gap.where for gap in gaps(DESIGNS["references"]())}
    assert {gap.where for gap in gaps(DESIGNS["buckets"]())} == {"ticks", "readings.readings"}
    assert {gap.where for gap in gaps(DESIGNS["orders"]())} == {"orders.lines", "orders.remarks"}
