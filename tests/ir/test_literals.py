"""BSON values as text that the shell and Python read back to the same values."""

# ruff: noqa: DTZ001 - a naive datetime means UTC in BSON

from __future__ import annotations

import json
import shutil
import subprocess
from datetime import UTC, datetime
from uuid import UUID

import pytest
from bson import Binary, Decimal128, Int64, ObjectId

from nestling.ir.literals import comment, python, quoted, shell, shell_ordered

VALUES = {
    "int": 5,
    "long": 2**40,
    "small long": Int64(7),
    "whole double": 1.0,
    "double": 0.1,
    "infinity": float("-inf"),
    "decimal": Decimal128("1.50"),
    "date": datetime(2024, 3, 1, 9, 30, 0, 123000),
    "early": datetime(1, 1, 1),
    "uuid": Binary.from_uuid(UUID(int=7)),
    "bytes": Binary(b"\x00\xff", 0),
    "other bytes": Binary(b"\xff", 128),
    "id": ObjectId("0123456789abcdef01234567"),
    "text": "\"quotes\" 'and' `ticks` ${x} \\ \n\r\u2028\u0000 größe 日本 😀",
    "truth": True,
    "nothing": None,
    "list": [1, [2, []], {}],
    "__proto__": {"a.b": 1, "$x": 2, "class": 3, "it's": 4},
}


def test_the_shell_reads_back_the_same_values(database, mongod, tmp_path):
    """Every BSON type written as a shell literal and stored by mongosh arrives as the same type and value."""
    program = shutil.which("mongosh")
    if program is None:
        pytest.skip("mongosh is not installed (npm install mongosh, and put node_modules/.bin on PATH)")
    script = tmp_path / "insert.js"
    script.write_text(f"db.values.insertOne({shell({'_id': 1, **VALUES})});\n")
    uri = mongod.uri.replace("/?", f"/{database.name}?")
    subprocess.run([program, uri, "--quiet", "--norc", str(script)], check=True, capture_output=True, timeout=60)
    database["twin"].insert_one({"_id": 1, **VALUES})
    assert database["values"].find_one() == database["twin"].find_one()
    types = {name: {"$type": f"${name}"} for name in VALUES if not name.startswith("_")}
    assert next(database["values"].aggregate([{"$project": types}])) == next(
        database["twin"].aggregate([{"$project": types}])
    )


ORDERS: tuple[list[tuple[str, object]], ...] = (
    [("a", 1), ("2024", -1)],
    [("2024", 1), ("a", 1)],
    [("2", 1), ("1", -1)],
    [("a", 1), ("01", 1), ("4294967295", 1)],
    [("a", 1), ("b.0", "text"), ("0", 1)],
)


def test_the_order_of_fields_is_kept(node):
    """Of an index over `a` and `2024` the shell makes one that begins with `a`."""
    each = "(o) => [...(o instanceof Map ? o : Object.entries(o))]"
    told = f"JSON.stringify([{', '.join(shell_ordered(fields) for fields in ORDERS)}].map({each}))"
    done = subprocess.run([node, "-p", told], check=True, capture_output=True, text=True, timeout=60)
    assert json.loads(done.stdout) == [[list(pair) for pair in each] for each in ORDERS]
    assert [shell_ordered(each).startswith("new Map") for each in ORDERS] == [True, False, True, False, True]


def test_python_reads_back_the_same_values():
    """Plain values, short and long, evaluate to themselves."""
    value = {"a": [1, "x" * 100, None, True], "b'\"": {"c": {"$exists": True}}, "long": ["y" * 50] * 5}
    assert eval(python(value)) == value
    assert "\n" in python(value)


def test_comments_stay_on_their_line():
    """No name can end a comment: line breaks of any kind become blanks."""
    assert comment("a\nb\r\u2028\u0085\x00c") == "a b c"


def test_a_lone_surrogate_can_be_written():
    """A text that is no valid Unicode is escaped, so that the file can be encoded."""
    assert quoted("\ud800").encode() == b'"\\ud800"'


def test_times_with_a_zone_keep_their_instant():
    """An aware UTC datetime is the same literal as a naive one."""
    assert (
        shell(datetime(2024, 1, 1, tzinfo=UTC)) == shell(datetime(2024, 1, 1)) == 'ISODate("2024-01-01T00:00:00.000Z")'
    )
