"""Copies a new document holds from the beginning, as its validator asks for them: what parents have, looked up with the row."""

from __future__ import annotations

from dataclasses import dataclass, replace

from nestling.ir.design import Design
from nestling.ir.primitives import Copy, Form
from nestling.ir.statements.algebra import Join, JoinKind, Named, Project, Relation, SetOperation, SetOperator
from nestling.ir.statements.expression import Column, Compare
from nestling.ir.statements.operands import conjunction
from nestling.ir.statements.operators import Comparison
from nestling.ir.storage.layout import Node
from nestling.ir.storage.names import join
from nestling.planner.writes.draft.fetch import scan_of
from nestling.planner.writes.draft.renamed_scans import rows_of
from nestling.planner.writes.draft.write_draft import WriteDraft


@dataclass(frozen=True, slots=True)
class CopiedField:
    """A field of a new document, the column that holds it, and where it comes from."""

    column: str
    path: str
    copy: Copy
    attribute: str


def copied_fields(node: Node) -> tuple[CopiedField, ...]:
    """The fields that copy attributes of one parent, grandparent and so on; homes and ancestors are others' affair."""
    found: list[CopiedField] = []
    for number, copy in enumerate(node.body.copies):
        if copy.home or copy.closure or copy.form not in (Form.INLINE, Form.OBJECT) or not all(h.up for h in copy.path):
            continue
        for place, field in enumerate(copy.attributes):
            path = field.path if copy.form is Form.INLINE else join(copy.name, field.path)
            found.append(CopiedField(f"copied_{number}_{place}", path, copy, field.attribute))
    return tuple(found)


def is_always_found(design: Design, copy: Copy) -> bool:
    """Whether every row has what the copy is of."""
    total = design.model.is_total
    return all(total(design.model.relationship(hop.relationship)) for hop in copy.path)


def with_copied(work: WriteDraft, node: Node, rows: Relation, column: dict[str, str]) -> Relation:
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
            link = work.model.relationship(hop.relationship)
            coming = rows if link.parent == node.entity else None
            parents = _parents(work, link.parent, f"source {number} {place}", coming, column)
            theirs = {each.name: each for each in parents.columns}
            pairs = zip(link.parent_attributes, link.child_attributes, strict=True)
            equal = (Compare(Comparison.EQUAL, theirs[parent], held[own]) for parent, own in pairs)
            joined, held = Join(JoinKind.LEFT, joined, parents, conjunction(*equal)), theirs
        outputs += [Named(each.column, _value(held, each)) for each in wanted]
    return Project(joined, "filled", tuple(outputs))


def _parents(work: WriteDraft, entity: str, name: str, coming: Relation | None, column: dict[str, str]) -> Relation:
    """The rows that may be parents: those that are there, and those that come with the statement."""
    scan = scan_of(work.model.entity(entity), name)
    if coming is None:
        return scan
    again = rows_of(work, coming)
    known = {each.name: each for each in again.columns}
    outputs = tuple(Named(each.name, known[column[each.name]]) for each in scan.columns)
    columns = tuple(replace(each, alias=f"{name} or new") for each in scan.columns)
    new = Project(again, f"{name} new", outputs)
    return SetOperation(SetOperator.UNION, all=True, left=scan, right=new, alias=f"{name} or new", columns=columns)


def _value(held: dict[str, Column], field: CopiedField) -> Column:
    return held[field.attribute]
