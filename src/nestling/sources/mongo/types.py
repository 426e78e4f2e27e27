"""What type an attribute has, from the BSON types its values were seen to have."""

from __future__ import annotations

from collections import Counter

from bson.binary import UUID_SUBTYPE

from nestling.ir.facts import PathFacts
from nestling.ir.facts.nodes import one_subtype
from nestling.ir.facts.path import NULL_TYPES
from nestling.ir.types import BOOLEAN, FLOAT, INTEGER, SUBTYPE, TEXT, Type, TypeName

JSON = Type(TypeName.JSON)
_BYTES = Type(TypeName.BYTES)
_UUID = Type(TypeName.UUID)
_TYPES = {
    "bool": BOOLEAN,
    "int": INTEGER,
    "long": INTEGER,
    "double": FLOAT,
    "decimal": Type(TypeName.DECIMAL),
    "string": TEXT,
    "symbol": TEXT,
    "objectId": Type(TypeName.OBJECT_ID),
    "date": Type(TypeName.TIMESTAMP),
    "binData": _BYTES,
    "object": JSON,
    "array": JSON,
}
_ANY = Type(TypeName.ANY)


def type_of(path: PathFacts) -> tuple[Type, tuple[Type, ...]]:
    """The type most values have, and the others, the more frequent first; `any` where all are null.

    UUIDs go before all others: their column takes other values as they are, and no other column takes a UUID.
    """
    if subtype := one_subtype(path):
        return Type(TypeName.BYTES, carried=f"{SUBTYPE} {subtype}"), ()
    counts = Counter[Type]()
    for name, count in path.types:
        if name not in NULL_TYPES:
            counts[_TYPES.get(name, _ANY)] += count
    uuids = dict(path.subtypes).get(UUID_SUBTYPE, 0)
    counts += Counter({_UUID: uuids})
    counts -= Counter({_BYTES: uuids})
    found = sorted(counts, key=lambda kind: (kind != _UUID, -counts[kind], str(kind)))
    if not found:
        return _ANY, ()
    if set(found) == {INTEGER, FLOAT}:  # numbers that a driver stored as they came; all are read as what holds both
        return FLOAT, (INTEGER,)
    return found[0], tuple(found[1:])


def odd_types(path: PathFacts) -> tuple[str, ...]:
    """BSON types that no type of a model stands for."""
    return tuple(name for name, _ in path.types if name not in _TYPES and name not in NULL_TYPES)
