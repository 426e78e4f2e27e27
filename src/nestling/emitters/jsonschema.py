"""`$jsonSchema` validators: they accept every document that the loader writes, and no wrong, missing or unknown values.

Documents accept additional fields unless asked otherwise, so that an application may add its own; parts that nestling alone
owns (`_id`, key–value pairs, GridFS pointers) never do. Uniqueness within arrays is not checked, because each write would
compare every element with every other.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import assert_never

from nestling.emitters.content import (
    Array,
    Content,
    ContentField,
    Either,
    FixedContent,
    Object,
    PlainContent,
    ValueContent,
    lenient,
)
from nestling.emitters.documents import documents
from nestling.emitters.file_names import file_names
from nestling.emitters.mql.extended_json import extended_json
from nestling.emitters.validators.allowed_schema import allowed_schema
from nestling.emitters.validators.bson_types import Schema, bson_type, or_null, schema_of
from nestling.emitters.validators.row_checks import row_conditions
from nestling.emitters.validators.subtype_schema import subtype_rules
from nestling.ir.design import Design
from nestling.ir.primitives import CollectionKind
from nestling.ir.proposal import Proposal
from nestling.ir.reading import Gap, GapKind
from nestling.ir.storage.kept_checks import check_gaps
from nestling.ir.storage.layout import StoredCollection
from nestling.ir.values import Policy


@dataclass(frozen=True, slots=True)
class _Asked:
    """The arguments of `validator`."""

    additional: bool
    policy: Policy
    unseen: bool
    foreign: bool


def files(proposal: Proposal) -> Mapping[str, str]:
    """One JSON file per collection that can have a validator."""
    design = proposal.design
    names = file_names(store.name for store in design.stores)
    return {
        f"{names[store.name]}.json": json.dumps(extended_json(validator(design, store)), ensure_ascii=False, indent=2)
        + "\n"
        for store in design.stores
        if can_validate(store)
    }


def validator(
    design: Design,
    store: StoredCollection,
    *,
    additional: bool = True,
    foreign: bool = False,
    policy: Policy | None = None,
    unseen: bool = False,
) -> Schema:
    """Return `{"$jsonSchema": …}` for a physical collection, with `$and` of an `$expr` for each check of its rows.

    `additional`: documents may have fields that the design does not know. `foreign`: other applications write them too; they
    may omit an empty array, write null in an optional field, and keep fields of a subtype that the discriminator does not name.
    `policy`: how loading treats values without a BSON type. `unseen`: accept values that the source may hold although the model
    does not know them (`bson_types`).
    """
    found = documents(design, store)
    asked = _Asked(additional, policy or Policy(), unseen, foreign)
    kinds = [_schema(lenient(each) if foreign else each, asked) for each in found]
    schema: Schema = {"$jsonSchema": kinds[0] if len(kinds) == 1 else {"bsonType": "object", "anyOf": kinds}}
    conditions = row_conditions(design, store, policy or Policy())
    return {**schema, "$and": conditions} if conditions else schema


def can_validate(store: StoredCollection) -> bool:
    """Whether the server takes a validator for this kind of collection."""
    return store.options.kind is not CollectionKind.TIME_SERIES


def validation_gaps(design: Design) -> tuple[Gap, ...]:
    """The collections that cannot have a validator, and the checks that no validator can enforce."""
    what = "a time series collection cannot have a validator"
    without = tuple(Gap(GapKind.NOTYET, what, store.name) for store in design.stores if not can_validate(store))
    return (*without, *check_gaps(design))


def _schema(content: Content, asked: _Asked) -> Schema:
    match content:
        case ValueContent():
            schema = schema_of(content.types, asked.policy, unseen=asked.unseen)
            return allowed_schema(schema, content.allowed, content.types)
        case FixedContent():
            return {"enum": list(content.values)}
        case PlainContent():
            return bson_type(*content.bson_types)
        case Object():
            return _object(content, asked)
        case Array():
            return _array(content, asked)
        case Either():
            return {"anyOf": [_schema(each, asked) for each in content.alternatives]}
        case _:
            assert_never(content)


def _object(content: Object, asked: _Asked) -> Schema:
    schema: Schema = {"bsonType": "object"}
    if required := [field.name for field in content.fields if field.required]:
        schema["required"] = required
    nulls = asked.foreign and not content.exact
    described = ((field, _described(field, asked)) for field in content.fields)
    schema["properties"] = {
        field.name: or_null(each) if nulls and not field.required else each for field, each in described
    }
    if content.exact or not asked.additional:
        schema["additionalProperties"] = False
    if rules := subtype_rules(content.inline, foreign=asked.foreign):
        schema["allOf"] = rules
    return schema


def _described(field: ContentField, asked: _Asked) -> Schema:
    """A field's schema; the remark becomes the description, which the server shows when it refuses a document."""
    schema = _schema(field.content, asked)
    return {**schema, "description": field.remark} if field.remark else schema


def _array(content: Array, asked: _Asked) -> Schema:
    items = _schema(content.items, asked)
    schema = bson_type("array")
    if content.minimum is not None:
        schema["minItems"] = content.minimum
    if content.maximum is not None:
        schema["maxItems"] = content.maximum
    return {**schema, "items": or_null(items) if content.holes else items}
