"""Which rows refer to those of a row set: by conditions on their foreign key itself if possible."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from nestling.ir.model import Relationship
from nestling.ir.statements.algebra import Scan, filtered
from nestling.ir.statements.expression import FALSE, TRUE, Case, Column, Compare, Exists, Expression, InList, Or, Raw
from nestling.ir.statements.operands import columns_of, conjunction, conjuncts, has_subquery
from nestling.ir.statements.operators import Comparison
from nestling.ir.types import BOOLEAN, TIMES
from nestling.planner.reads.traverse import rewritten
from nestling.planner.writes.draft.fetch import rule_of, scan_of
from nestling.planner.writes.draft.key_lists import Keys
from nestling.planner.writes.draft.renamed_scans import said_of
from nestling.planner.writes.draft.write_draft import WriteDraft


@dataclass(frozen=True, slots=True)
class RowSet:
    """The rows of a scan for which the predicate is true, all when None; `keys`: theirs, where they were read first."""

    scan: Scan
    predicate: Expression | None
    keys: Keys | None = None


def any_of(predicates: Sequence[Expression]) -> Expression:
    """One of the predicates is true; none of none is, where `disjunction` would be None: all rows."""
    if not predicates:
        return FALSE
    return predicates[0] if len(predicates) == 1 else Or(tuple(predicates))


def is_true(predicate: Expression | None) -> Expression:
    """True or false, never NULL."""
    return TRUE if predicate is None else Case(((predicate, TRUE),), FALSE, BOOLEAN)


def referring(work: WriteDraft, link: Relationship, rows: RowSet, child: Scan) -> Expression:
    """The condition on children that refer to one of the rows by the relationship."""
    direct = _by_keys(work, link, rows, child) or _direct(link, rows, child)
    if direct is not None:
        return direct
    parent = scan_of(work.model.entity(link.parent), work.name(f"{link.parent} of {link.name}"))
    chosen = None if rows.predicate is None else said_of(work, rows.predicate, rows.scan, parent)
    return Exists(filtered(parent, conjunction(chosen, *link_conditions(work, link, parent, child))))


def is_direct(link: Relationship, scan: Scan, predicate: Expression | None) -> bool:
    """Whether a condition on parents is one on the children's foreign key alike, without reading the parents."""
    told = [_told_by(part, scan) for part in (conjuncts(predicate) if predicate is not None else ())]
    return {each.name if each is not None else "" for each in told} == set(link.parent_attributes)


def link_conditions(work: WriteDraft, link: Relationship, parent: Scan, child: Scan) -> list[Expression]:
    """The conditions under which a child refers to a parent."""
    up, down = ({column.name: column for column in scan.columns} for scan in (parent, child))
    pairs = zip(link.parent_attributes, link.child_attributes, strict=True)
    rule = rule_of(work.design, link)
    return [Compare(Comparison.EQUAL, up[p], down[c], rule) for p, c in pairs]


def _by_keys(work: WriteDraft, link: Relationship, rows: RowSet, child: Scan) -> Expression | None:
    if rows.keys is None or link.parent_attributes != (rows.keys.attribute,):
        return None
    own, told = child.column(link.child_attributes[0]), rows.scan.column(rows.keys.attribute)
    return rows.keys.among(own, rule_of(work.design, link)) if _is_like(own, told) else None


def _direct(link: Relationship, rows: RowSet, child: Scan) -> Expression | None:
    parts = conjuncts(rows.predicate) if rows.predicate is not None else []
    own = dict(zip(link.parent_attributes, link.child_attributes, strict=True))
    columns = {column.name: column for column in child.columns}
    found: dict[str, Expression] = {}
    for part in parts:
        told = _told_by(part, rows.scan)
        if told is None or told.name not in own or told.name in found or not _is_like(columns[own[told.name]], told):
            return None
        found[told.name] = _said_of_column(part, rows.scan, columns[own[told.name]])
    return conjunction(*found.values()) if len(found) == len(own) else None


def _is_like(column: Column, other: Column) -> bool:
    """Whether a condition means the same of both; of times also how many digits their texts have."""
    alike = column.type == other.type or (column.type.name is other.type.name and column.type.name not in TIMES)
    return alike and column.mixed == other.mixed


def _said_of_column(part: Expression, scan: Scan, column: Column) -> Expression:
    return rewritten(part, lambda inner: column if _is_of(inner, scan) else None)


def _told_by(part: Expression, scan: Scan) -> Column | None:
    """The attribute that a condition compares with what is no column."""
    if has_subquery(part):
        return None
    match part:
        case Compare(operator=Comparison.EQUAL, left=left, right=right):
            sides: list[tuple[Expression, Sequence[Expression]]] = [(left, (right,)), (right, (left,))]
        case InList(operand=operand, items=items):
            sides = [(operand, items)]
        case _:
            return None
    for side, others in sides:
        column = side.operand if isinstance(side, Raw) else side
        if isinstance(column, Column) and _is_of(column, scan):
            return None if any(True for each in others for _ in columns_of(each)) else column
    return None


def _is_of(expression: Expression, scan: Scan) -> bool:
    return isinstance(expression, Column) and expression.alias == scan.alias
