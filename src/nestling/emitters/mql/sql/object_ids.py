"""ObjectIds compared with texts. SQL knows an ObjectId as 24 hexadecimal digits in lower case; both sort in the same order."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bson import ObjectId

from nestling.emitters.mql.sql.nulls import bind
from nestling.ir.types import Type, TypeName
from nestling.ir.values import encoder

if TYPE_CHECKING:
    from nestling.emitters.mql.sql.constants import MqlValue

_read = encoder(Type(TypeName.OBJECT_ID))


def id_in(value: object) -> ObjectId | None:
    """The ObjectId with exactly this text; None for any other value."""
    found = _read(value) if isinstance(value, str) else None
    return found if isinstance(found, ObjectId) else None


def object_id(text: MqlValue) -> MqlValue:
    """The ObjectId that a computed text says, made on the server; anything else stays."""
    found = {"$convert": {"input": text, "to": "objectId", "onError": None, "onNull": None}}
    return bind({"id": found}, lambda x: {"$cond": [{"$eq": [{"$toString": x}, text]}, {"$ifNull": [x, text]}, text]})
