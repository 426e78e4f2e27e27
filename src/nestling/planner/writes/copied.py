"""Copies a new document holds from the beginning, as its validator asks for them: what parents have, looked up with the row."""

from __future__ import annotations

from dataclasses import dataclass

from nestling.ir.algebra import Join, JoinKind, Named, Project, Relation
from nestling.ir.design import Design
from nestling.ir.expression import Column, Compare, Comparison, conjunction
from nestling.ir.layout import Node
from nestling.ir.names import join
from nestling.ir.primitives import Copy, Form
from nestling.planner.writes.fetch import scan_of


@dataclass(frozen=True, slots=True)
class Copied:
    """A field of a new document, the column that holds it, and where it comes from."""

    column: str
    path: str
    copy: Copy
    attribute: str


def copied_fields(node: Node) -> tuple[Copied, ...]:
    """The fields that copy attributes of one parent, grandparent and so on; homes and ancestors are others' affair."""
    found: list[Copied] = []
    for number, copy in enumerate(node.body.copies):
        if copy.home or copy.closure or copy.form not in (Form.INLINE, Form.OBJECT) or not all(h.up for h in copy.path):
            continue
        for place, field in enumerate(copy.attributes):
            path = field.path if copy.form is Form.INLINE else join(copy.name, field.path)
            found.append(Copied(f"copied_{number}_{place}", path, copy, field.attribute))
    return tuple(found)


def with_copied(design: Design, node: Node, rows: Relation, column: dict[str, str]) -> Relation:
    """The rows with what they copy; `column` is the name of the column of each of their attributes."""
    outputs = [Named(each.name, each) for each in rows.columns]
    known = {each.name: each for each in rows.columns}
    joined = rows
    for number, copy in enumerate(node.body.copies):
        wanted = [each for each in copied_fields(node) if each.copy == copy]
        if not wanted:
            continue
        held = {attribute: known[name] for attribute, name in column.items()}
        for place, hop in enumerate(copy.path):
            link = design.model.relationship(hop.relationship)
            scan = scan_of(design.model.entity(link.parent), f"source {number} {place}")
            theirs = {each.name: each for each in scan.columns}
            pairs = zip(link.parent_attributes, link.child_attributes, strict=True)
            equal = (Compare(Comparison.EQUAL, theirs[parent], held[own]) for parent, own in pairs)
            joined, held = Join(JoinKind.LEFT, joined, scan, conjunction(*equal)), theirs
        outputs += [Named(each.column, _value(held, each)) for each in wanted]
    return Project(joined, "filled", tuple(outputs))


def _value(held: dict[str, Column], field: Copied) -> Column:
    return held[field.attribute]
