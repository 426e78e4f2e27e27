"""Commands that find the UUIDs of one subtype of binary, and write them as another's, for the MongoDB shell.

The server puts binary in an order by length, then subtype, then bytes. It has no operator that changes a subtype: the shell does.
"""

from __future__ import annotations

import base64

from nestling.doctor.words import here
from nestling.ir.facts import CollectionFacts
from nestling.ir.facts.binary_kinds import subtype_in
from nestling.ir.literals import quoted

_LEAST, _GREATEST = (base64.b64encode(byte * 16).decode() for byte in (b"\0", b"\xff"))


def uuids_of(kind: str) -> str:
    """The condition on a field that holds UUIDs of that kind."""
    subtype = subtype_in(kind)
    return f"$gte: BinData({subtype}, {quoted(_LEAST)}), $lte: BinData({subtype}, {quoted(_GREATEST)})"


def rewriting(where: CollectionFacts, field: str, kind: str, into: str) -> str:
    """The command that rewrites them one by one in the other kind, with the same bytes."""
    value = "each" + "".join(f"[{quoted(step)}]" for step in field.split("."))
    made = f"BinData({subtype_in(into)}, {value}.toString('base64'))"
    update = (
        f"{here(where)}.updateOne({{_id: each._id, {quoted(field)}: {value}}}, {{$set: {{{quoted(field)}: {made}}}}})"
    )
    return f"{here(where)}.find({{{quoted(field)}: {{{uuids_of(kind)}}}}}).forEach((each) => {update})"
