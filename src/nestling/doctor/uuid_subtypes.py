"""Commands that find the UUIDs of one subtype of binary, and write them as another's, for the MongoDB shell.

The server puts binary in an order by length, then subtype, then bytes. It has no operator that changes a subtype: the shell does.
"""

from __future__ import annotations

from bson import Binary

from nestling.doctor.commands import find, for_each, here, update_one
from nestling.ir.facts import CollectionFacts
from nestling.ir.facts.binary_kinds import subtype_in
from nestling.ir.literals import Code, quoted
from nestling.ir.programs.compiled import Mql

_LEAST, _GREATEST = b"\0" * 16, b"\xff" * 16


def uuids_of(kind: str) -> Mql:
    """The condition on a field that holds UUIDs of that kind."""
    subtype = subtype_in(kind)
    assert subtype is not None
    return {"$gte": Binary(_LEAST, subtype), "$lte": Binary(_GREATEST, subtype)}


def rewriting(where: CollectionFacts, field: str, kind: str, into: str) -> str:
    """The command that rewrites them one by one in the other kind, with the same bytes."""
    value = "each" + "".join(f"[{quoted(step)}]" for step in field.split("."))
    made = Code(f"BinData({subtype_in(into)}, {value}.toString('base64'))")
    which: Mql = {"_id": Code("each._id"), field: Code(value)}
    return for_each(find(here(where), {field: uuids_of(kind)}), update_one(here(where), which, {"$set": {field: made}}))
