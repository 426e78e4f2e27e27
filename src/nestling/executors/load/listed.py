"""References held by the parent: the ids of its children, and the attributes copied next to them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from nestling.common.errors import LoadError, Problem
from nestling.executors.load.document_code import AnyRow, DocumentCode, DocumentPart, PartKind
from nestling.executors.load.embedded import ChildRows, one, sorted_elements, sorter
from nestling.executors.load.identity import reference_source
from nestling.executors.load.level import RowLayout, StreamLevel, own_columns
from nestling.executors.load.merge import Merge, row_name
from nestling.ir.model import Cardinality, Relationship
from nestling.ir.primitives import Reference
from nestling.ir.rows import RowColumn, up


def listed_part(merge: Merge, level: StreamLevel, reference: Reference) -> DocumentPart:
    """The array of ids (one id for a 1:1) of the children of a row."""
    link = merge.model.relationship(reference.relationship)
    child = merge.model.entity(link.child)
    below = level.seen_from(child.name, (up(link),), own_columns(child.key))
    wanted = (*child.key, *link.child_attributes, *(field.attribute for field in reference.copied))
    parents = tuple(RowColumn(name, (up(link),)) for name in link.parent_attributes)
    stream, layout = merge.read(below, (*merge.columns(own_columns(wanted)), *parents))
    code = _element(merge, layout, len(below.identity), link, reference)
    rows = ChildRows(merge, child, stream, len(level.identity), layout, code, counted=False)
    if link.cardinality is Cardinality.ONE_TO_ONE:
        return DocumentPart(PartKind.VALUE, reference.field, one(rows))
    sort = sorter(merge.values.policy, child, layout, ())
    return DocumentPart(
        PartKind.ALWAYS, reference.field, rows.elements() if sort is None else sorted_elements(rows, sort)
    )


def _element(merge: Merge, layout: RowLayout, key_width: int, link: Relationship, reference: Reference) -> DocumentCode:
    child = merge.model.entity(link.child)
    code = DocumentCode(merge.values, len(layout.columns), key_width)
    if merge.design.only_listed(link):
        held = zip(link.child_attributes, link.parent_attributes, strict=True)
        places = [(layout[RowColumn(a)], layout[RowColumn(b, (up(link),))]) for a, b in held]
        code.guard(code.exact(places), _refuse(merge, link, layout))
    source = reference_source(code, merge.design, layout, child)
    if not reference.copied:
        code.result = source
        return code
    code.put("id", source)
    for field in reference.copied:
        attribute = child.attribute(field.attribute)
        column = RowColumn(field.attribute)
        code.column(field.path, layout, column, child.name, attribute, required=not attribute.nullable)
    return code


def _refuse(merge: Merge, link: Relationship, layout: RowLayout) -> Callable[[AnyRow], Any]:
    child = merge.model.entity(link.child)

    def refuse(row: AnyRow) -> Any:
        what = f"its {', '.join(link.child_attributes)} does not equal any key of `{link.parent}` exactly"
        move = f"store the id in the child as well: `{link.name}: two-way-reference`; or fix the source"
        raise LoadError(Problem(what, where=row_name(child, layout, row), next_move=move))

    return refuse
