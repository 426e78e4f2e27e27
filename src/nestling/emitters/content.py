"""The contents of a stored document, field by field: the tree behind validators, samples, diagrams and descriptions.

`nestling.emitters.documents` derives these trees; the emitters only walk them, so none of them has to interpret a primitive.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from nestling.ir.constraints.allowed import Allowed
from nestling.ir.primitives import Reference
from nestling.ir.types import Type


@dataclass(frozen=True, slots=True)
class ValueContent:
    """A value of an attribute: of one of these conceptual types, and within what is allowed."""

    types: tuple[Type, ...]
    allowed: Allowed | None = None


@dataclass(frozen=True, slots=True)
class FixedContent:
    """A field that must have one of these values: a discriminator, a schema version."""

    values: tuple[str | int, ...]


@dataclass(frozen=True, slots=True)
class PlainContent:
    """A value the structure itself needs (a count, a page number, a flag), of one of these BSON types."""

    bson_types: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Object:
    """A sub-document. `rows_of`: the entities whose rows it holds (none for copies and mere structure).

    `exact`: nestling owns it entirely, so it can never have other fields. `inline`: the rows whose fields are among its own.
    """

    fields: tuple[ContentField, ...]
    rows_of: tuple[str, ...] = ()
    exact: bool = False
    inline: tuple[InlineRow, ...] = ()


@dataclass(frozen=True, slots=True)
class InlineRow:
    """A subtype's row in its supertype's document, if the discriminator is `value` or contains it.

    `fields` are its own, with dotted paths; `required` are those that every such row has.
    """

    discriminator: str
    value: str
    fields: tuple[ContentField, ...]


@dataclass(frozen=True, slots=True)
class Array:
    """An array of at least `minimum` and at most `maximum` elements; with `holes` an element may be null."""

    items: Content
    minimum: int | None = None
    maximum: int | None = None
    holes: bool = False


@dataclass(frozen=True, slots=True)
class Either:
    """One of several contents."""

    alternatives: tuple[Content, ...]


Content = ValueContent | FixedContent | PlainContent | Object | Array | Either


@dataclass(frozen=True, slots=True)
class ContentField:
    """A named place in a document. `required`: always present; `source`: the attribute it comes from, as `entity.attribute`.

    `remark` describes its purpose otherwise. `reference`: set for fields with the id of another document. `derived`: it follows
    from other values, so a check can say what it must be.
    """

    name: str
    content: Content
    required: bool = False
    source: str = ""
    remark: str = ""
    reference: Reference | None = None
    derived: bool = False


@dataclass(frozen=True, slots=True)
class ContentLine:
    """One field of a document, flattened, and its path: `lines[].price`."""

    path: str
    field: ContentField


def nested(fields: Iterable[ContentField]) -> tuple[ContentField, ...]:
    """Turn fields named by dotted paths into a tree; `_id` comes first, the rest keeps its order."""
    groups: dict[str, list[ContentField]] = {"_id": []}
    for field in fields:
        groups.setdefault(field.name.partition(".")[0], []).append(field)
    return tuple(_merged(name, group) for name, group in groups.items() if group)


def _merged(name: str, group: list[ContentField]) -> ContentField:
    if group[0].name == name:
        return group[0]
    below = nested(replace(field, name=field.name.partition(".")[2]) for field in group)
    required = any(field.required for field in group)
    derived = all(field.derived for field in group)
    return ContentField(name, Object(below, exact=name == "_id"), required, derived=derived)


def lines(document: Object, *, prefix: str = "") -> Iterator[ContentLine]:
    """Yield every field of a document and of everything inside it, parents first."""
    for field in document.fields:
        path = f"{prefix}{field.name}"
        yield ContentLine(path, field)
        inner, marks = element(field.content)
        for each in inner.alternatives if isinstance(inner, Either) else (inner,):
            if isinstance(each, Object):
                yield from lines(each, prefix=f"{path}{marks}.")


def element(content: Content) -> tuple[Content, str]:
    """Return the innermost content of nested arrays, with one `[]` for each; any other content unchanged."""
    marks = ""
    while isinstance(content, Array):
        content, marks = content.items, marks + "[]"
    return content, marks


def lenient(content: Object) -> Object:
    """Return the content with optional arrays, and sub-documents of only such arrays: they may be missing instead of empty."""
    inline = tuple(replace(row, fields=tuple(_lenient(field) for field in row.fields)) for row in content.inline)
    return replace(content, fields=tuple(_lenient(field) for field in content.fields), inline=inline)


def _lenient(field: ContentField) -> ContentField:
    match field.content:
        case Array(minimum=None, items=Object() as items) as array:
            return replace(field, content=replace(array, items=lenient(items)), required=False)
        case Array(minimum=None):
            return replace(field, required=False)
        case Object(rows_of=rows_of) as content:
            content = lenient(content)
            is_needed = bool(rows_of) or any(each.required for each in content.fields)
            return replace(field, content=content, required=field.required and is_needed)
        case _:
            return field
