"""Runs the doctor's shell commands: the few calls it writes, with their arguments as the shell reads them."""

from __future__ import annotations

import json
import re
from typing import Any

from bson import Binary, json_util
from pymongo import MongoClient
from pymongo.collection import Collection
from pymongo.database import Database

from nestling.ir.storage.names import DOCTOR

_ON_COLLECTION = re.compile(
    r'db\.getSiblingDB\((".*?")\)\.getCollection\((".*?")\)\.(\w+)\((.*)\)(?:\.indexSizes)?', re.DOTALL
)
_ON_DATABASE = re.compile(r'db\.getSiblingDB\((".*?")\)\.runCommand\((.*)\)', re.DOTALL)
_OPTIONS = {"arrayFilters": "array_filters"}
_AS_BINARY = json_util.JSONOptions(tz_aware=False)
_VALIDATOR = re.compile(
    r'db\.getSiblingDB\(("[^"]*")\)\.getCollectionInfos\(\{name: ("[^"]*")\}\)\[0\]\.options\.validator'
)
_COMMENT = re.compile(r"(?<=\)) // .*\Z")
_MARK = re.compile(rf'\.comment\("{DOCTOR}"\)')
_WORD = re.compile(r"""("(?:[^"\\]|\\.)*")|'([^'"]*)'|([{,]\s*)(\$?\w+)(?=\s*:)|(,)(?=\s*[]}])""")


_REWRITING = re.compile(
    r"(?P<find>.*?\.find\(.*?\))\.forEach\(\(each\) => "
    r".*\{\$set: \{(?P<field>\".*?\"|\w+): BinData\((?P<into>\d+), each.*\.toString\('base64'\)\)\}\}\)\)"
)
_BINARY = re.compile(r'BinData\((\d+), "(.*?)"\)')


def run(client: MongoClient[dict[str, Any]], command: str) -> Any:
    """What a command gives; raises when the server refuses it, or it is none of the calls known. A comment behind it is none."""
    comment = DOCTOR if _MARK.search(command) else None
    command = _MARK.sub("", _COMMENT.sub("", command))
    command = _VALIDATOR.sub(lambda found: _validator(client, found), command)
    on_database = _ON_DATABASE.fullmatch(command)
    if on_database is not None:
        (arguments,) = _arguments(on_database[2])
        return client[json.loads(on_database[1])].command(arguments)
    rewriting = _REWRITING.fullmatch(command)
    if rewriting is not None:
        return _rewritten(client, rewriting)
    found = _ON_COLLECTION.fullmatch(command)
    assert found is not None, command
    database: Database[dict[str, Any]] = client[json.loads(found[1])]
    return _call(database[json.loads(found[2])], found[3], _arguments(found[4]), comment)


def run_in(database: Database[dict[str, Any]], command: str) -> Any:
    """What a command on `db` gives in a database."""
    return run(database.client, command.replace("db.", f"db.getSiblingDB({json.dumps(database.name)}).", 1))


def _rewritten(client: MongoClient[dict[str, Any]], command: re.Match[str]) -> None:
    """UUIDs written as another subtype, one document after the other."""
    where, field = _ON_COLLECTION.fullmatch(command["find"]), command["field"].strip('"')
    assert where is not None
    collection = client[json.loads(where[1])][json.loads(where[2])]
    for each in run(client, command["find"]):
        value = each
        for step in field.split("."):
            value = value[step]
        collection.update_one({"_id": each["_id"]}, {"$set": {field: Binary(bytes(value), int(command["into"]))}})


def _validator(client: MongoClient[dict[str, Any]], found: re.Match[str]) -> str:
    """A collection's validator, in place of the words that ask for it."""
    (listed,) = client[json.loads(found[1])].list_collections(filter={"name": json.loads(found[2])})
    return json.dumps(listed["options"]["validator"])


def _call(collection: Collection[dict[str, Any]], method: str, arguments: list[Any], comment: str | None) -> Any:
    match method:
        case "updateMany":
            filter_, change, *options = arguments
            return collection.update_many(
                filter_, change, **{_OPTIONS[name]: o for each in options for name, o in each.items()}
            )
        case "createIndex":
            return collection.create_index(list(arguments[0].items()), **(arguments[1] if arguments[1:] else {}))
        case "dropIndex":
            return collection.drop_index(*arguments)
        case "hideIndex":
            index = {"name": arguments[0], "hidden": True}
            return collection.database.command("collMod", collection.name, index=index)
        case "aggregate":
            return list(collection.aggregate(arguments[0], **(arguments[1] if arguments[1:] else {})))
        case "find":
            return list(collection.find(*arguments, comment=comment))
        case "stats":
            return collection.database.command("collStats", collection.name)
        case _:
            raise AssertionError(f"`{method}` is none of the calls known here: add it to `_call`")


def _arguments(text: str) -> list[Any]:
    """Arguments in the shell's language: names without quotes, texts in single ones, a comma behind the last of them."""

    def strict(found: re.Match[str]) -> str:
        if found[1] is not None:
            return found[1]
        if found[5] is not None:
            return ""
        return json.dumps(found[2]) if found[2] is not None else f"{found[3]}{json.dumps(found[4])}"

    text = _BINARY.sub(r'{"$binary": {"base64": "\2", "subType": "0\1"}}', text)
    values = json_util.loads(f"[{_WORD.sub(strict, text)}]", json_options=_AS_BINARY)
    assert isinstance(values, list)
    return values
