"""What a copy or an array of ids holds of one row, as loading stores it."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from nestling.ir.design import Design
from nestling.ir.paths.access_path import DocumentOf, FieldPath, FixedValue, IfMissing, PathExpression, UnlessEmpty
from nestling.ir.primitives import Copy, Field, Form, Reference
from nestling.ir.storage.names import stored_name
from nestling.planner.upkeep.triggers import path_of

At = Callable[[str], str]
"""The path of an attribute of the row."""


def sub_document(fields: Iterable[tuple[str, PathExpression]]) -> PathExpression:
    """A document of (dotted path, value) in order; sub-documents that stay empty are left out."""
    inner: dict[str, PathExpression | list[tuple[str, PathExpression]]] = {}
    for path, value in fields:
        name, _, rest = path.partition(".")
        if rest:
            box = inner.setdefault(name, [])
            assert isinstance(box, list), f"`{path}` goes through a value"
            box.append((rest, value))
        else:
            inner[name] = value
    return DocumentOf(
        tuple(
            (name, UnlessEmpty(sub_document(found)) if isinstance(found, list) else found)
            for name, found in inner.items()
        )
    )


def copied_element(copy: Copy, at: At) -> PathExpression:
    """A sub-document of the copied attributes, or the one value."""
    if copy.form in (Form.SCALARS, Form.PATH):
        return IfMissing(FieldPath(at(copy.attributes[0].attribute)), FixedValue(None))
    return _of_fields(copy.attributes, at)


def listed_element(design: Design, reference: Reference, at: At) -> PathExpression:
    """A child's id, or it with what is copied beside."""
    parts = tuple(
        (path, FieldPath(at(name)) if name else FixedValue(value)) for path, name, value in id_parts(design, reference)
    )
    identity = parts[0][1] if parts[0][0] == "" else DocumentOf(parts)
    if not reference.copied:
        return identity
    return sub_document(
        (("id", identity), *((field.path, FieldPath(at(field.attribute))) for field in reference.copied))
    )


def id_parts(design: Design, reference: Reference) -> tuple[tuple[str, str, str], ...]:
    """What a child's id is made of, as (name in it, attribute, constant): "" for the name where it is one value.

    It is the `_id` of its root where that holds the key, else the key.
    """
    child = design.model.entity(path_of(design.model, reference)[-1].target(design.model))
    attributes, prefix = child.key, None
    found = design.home_root(child.name)
    if found is not None:
        store, root = found
        is_member = root.body != store.collection.body
        own = child.key if is_member else store.id
        if set(own) == set(child.key):
            attributes = own
            variant = store.collection.variant
            if variant is not None and variant.members and root.presence is not None:
                prefix = (variant.discriminator, "", root.presence.value)
    if len(attributes) == 1 and prefix is None:
        return (("", attributes[0], ""),)
    parts = tuple((stored_name(name), name, "") for name in attributes)
    return parts if prefix is None else (prefix, *parts)


def _of_fields(fields: tuple[Field, ...], at: At) -> PathExpression:
    return sub_document((field.path, FieldPath(at(field.attribute))) for field in fields)
