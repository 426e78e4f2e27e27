"""The commands of findings, read by JavaScript: whatever databases, collections and fields are called, they say the same."""

from __future__ import annotations

import json
import subprocess
from typing import Any

import pytest

from nestling.doctor import commands
from nestling.doctor.converting import converting, converting_elements, finding
from nestling.doctor.recounting import recounting
from nestling.doctor.refreshing import refreshing
from nestling.doctor.renaming import renaming
from nestling.ir.facts import ELEMENT, CollectionFacts, Copied, NamespaceKind, Validator
from nestling.ir.facts.binary_kinds import binary_of
from nestling.ir.facts.structure import Counted
from nestling.ir.storage.names import DOCTOR

NAMES = (
    "a-b.c",
    "it's",
    'say "no"',
    "back\\slash",
    "two\nlines\u2028",
    "*/ // ${x} `y`",
    "$first",
    "größe",
    "class",
    "42",
    "__proto__",
    "",
    "});db.dropDatabase();({",
)

_READ = """
const read = [];
const found = new Proxy({}, {get: (_, name) => (...given) => {
    if (name === "forEach") given[0]({_id: 1, ...Object.fromEntries(names.map((each) => [each, ""]))});
    read.push([name, ...given.filter((each) => typeof each !== "function")]);
    return found;
}});
const BinData = (subtype, text) => ({subtype, text: text.toString()});
const db = {getSiblingDB: (database) => ({
    getCollection: (collection) => { read.push([database, collection]); return found; },
    getCollectionInfos: (which) => [{options: {validator: {of: which}}}],
    runCommand: (document) => read.push([database, document]),
})};
"""


@pytest.fixture
def read(node):
    """What JavaScript reads of commands: names, methods and arguments."""

    def reading(*made: str) -> list[list[Any]]:
        script = "\n".join((f"const names = {json.dumps(NAMES)};", _READ, *(f"{each}\n;" for each in made)))
        script += "\nprocess.stdout.write(JSON.stringify(read));"
        done = subprocess.run([node, "-"], input=script, capture_output=True, text=True, check=True, timeout=60)
        return json.loads(done.stdout)

    return reading


@pytest.mark.parametrize("name", NAMES)
def test_names_reach_the_server_as_they_are(name, read):
    """In the places of databases, collections, indexes, fields and values."""
    of = CollectionFacts(name, name, NamespaceKind.COLLECTION)
    where, which, stage = commands.here(of), {name: name}, {"$set": {name: f"${name}"}}
    found = read(
        commands.find(where, which, {name: 1}),
        commands.aggregate(where, [stage], allowDiskUse=True),
        commands.update_many(where, which, [stage]),
        commands.create_index(name, name, [(name, 1)], name=name),
        *commands.hide_first(of, name),
        commands.change_collection(of, validator=commands.own_validator(of)),
    )
    here, marked = [name, name], {"comment": DOCTOR}
    assert found == [
        *(here, ["find", which, {name: 1}], ["comment", DOCTOR]),
        *(here, ["aggregate", [stage], {"allowDiskUse": True, **marked}]),
        *(here, ["updateMany", {"$comment": DOCTOR, **which}, [stage]]),
        *(here, ["createIndex", {name: 1}, {"name": name}]),
        *(here, ["hideIndex", name]),
        *(here, ["dropIndex", name]),
        [name, {"collMod": name, "validator": {"of": {"name": name}}}],
    ]


@pytest.mark.parametrize("validator", [None, Validator('{"a": 1}', "strict", "error", 1, 0)], ids=["free", "validated"])
@pytest.mark.parametrize("name", [name for name in NAMES if name and "." not in name and not name.startswith("$")])
def test_what_corrects_values_can_be_read(name, validator, read):
    """Every command that changes values is JavaScript, on the collection it is for, with the field's name."""
    of = CollectionFacts("db", name, NamespaceKind.COLLECTION, validator=validator)
    array = (name, ELEMENT, name)
    made = [
        finding(of, name, ["string", binary_of(3)]),
        *converting(of, name, ["string", "number"], "bool"),
        *converting(of, f"{name}.{name}", ["int"], "string", width=5),
        *converting(of, name, [binary_of(3)], binary_of(4)),
        *converting_elements(of, array, ["string"], "date", zoneless=True),
        *renaming(of, (name, name), "new", "6.0.5"),
        *renaming(of, (name, f"${name}"), name, "6.0.5"),
        refreshing(Copied("db", name, array, (name, ELEMENT, "id"), name, name, 1, 0)),
        recounting(Counted("db", name, (), (name,), name, (), ((name,),), 1, 0, ((name,),)), indexed=False),
    ]
    calls = read(*made)
    assert calls.count(["db", name]) >= len(made)
    assert all(name in _all(call) for call in calls if call[0] in ("find", "aggregate", "updateMany", "updateOne"))


def _all(value: object) -> list[str]:
    match value:
        case dict():
            return [text for key, each in value.items() for text in (key, *_all(each))]
        case list():
            return [text for each in value for text in _all(each)]
        case _:
            return [str(value)]
