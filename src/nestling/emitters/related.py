"""Fields that hold data of other rows: copies, computed values, and ids of children."""

from __future__ import annotations

from collections.abc import Iterator

from nestling.emitters.attributes import DATE, TEXT, aggregate, values_of
from nestling.emitters.content import Array, ContentField, Object, nested
from nestling.emitters.identity import id_of
from nestling.ir.design import Design
from nestling.ir.freshness import WRITTEN_AT_ONCE
from nestling.ir.model import Cardinality, Entity
from nestling.ir.primitives import Computed, Copy, Form, Reference
from nestling.ir.rows import AggregateKind, RowPath


def copy_fields(design: Design, copy: Copy) -> Iterator[ContentField]:
    """The fields of a copy, in its form."""
    source = design.model.entity(copy.path[-1].target(design.model))
    sure = copy.has_always_a_source(design.model)
    told = f"home of `{source.name}`" if copy.home else f"copy along {_words(copy.path)}, {copy.freshness}"
    fields = tuple(
        ContentField(
            f.path, values_of(source, f.attribute), source.always_has(f.attribute), f"{source.name}.{f.attribute}", told
        )
        for f in copy.attributes
    )
    first, limit = fields[0], copy.limit
    told = f"{told}, first {limit}" if limit is not None else told
    match copy.form:
        case Form.INLINE:
            for field in fields:
                yield ContentField(field.name, field.content, sure and field.required, field.source, told)
        case Form.OBJECT:
            yield ContentField(copy.name, Object(nested(fields)), sure, remark=told)
        case Form.ARRAY:
            yield ContentField(copy.name, Array(Object(nested(fields)), maximum=limit), remark=told)
        case Form.SCALARS:
            yield ContentField(
                copy.name, Array(first.content, None, limit, not first.required), False, first.source, told
            )
        case Form.PATH:
            remark = f"{told}, joined by `{copy.separator}`"
            yield ContentField(copy.name, TEXT, source=first.source, remark=remark)


def computed_fields(design: Design, computed: Computed) -> Iterator[ContentField]:
    """A computed value and its time stamp."""
    source: Entity = design.model.entity(computed.path[-1].target(design.model))
    of = f"{source.name}.{computed.attribute}" if computed.attribute else f"`{source.name}`"
    remark = f"{computed.function} of {of} along {_words(computed.path)}, {computed.freshness}"
    remark += f", in steps of {computed.step:,}" if computed.step > 1 else ""
    sure = computed.function is AggregateKind.COUNT and computed.freshness.level in WRITTEN_AT_ONCE
    content = aggregate(source, computed.function, computed.attribute)
    yield ContentField(computed.field, content, sure, remark=remark, derived=True)
    if computed.stamp is not None:
        yield ContentField(computed.stamp, DATE, remark=f"when `{computed.field}` was computed")


def parent_held(design: Design, reference: Reference) -> ContentField:
    """The ids of a row's children, or of its one child, with what is copied beside each."""
    link = design.model.relationship(reference.relationship)
    child, content = design.model.entity(link.child), id_of(design, link.child)
    remark = f"ids of `{child.name}`"
    if reference.copied:
        copied = nested(
            ContentField(f.path, values_of(child, f.attribute), child.always_has(f.attribute), f"{child.name}.{f.attribute}",
                  f"copy along {link.name}, {reference.freshness}")
            for f in reference.copied
        )  # fmt: skip
        content = Object((ContentField("id", content, required=True), *copied))
        remark += f" with copies, {reference.freshness}"
    if link.cardinality is Cardinality.ONE_TO_ONE:
        return ContentField(
            reference.field, content, remark=remark.replace("ids", "id", 1), reference=reference, derived=True
        )
    return ContentField(
        reference.field, Array(content), required=True, remark=remark, reference=reference, derived=True
    )


def _words(path: RowPath) -> str:
    return " → ".join(hop.relationship for hop in path)
