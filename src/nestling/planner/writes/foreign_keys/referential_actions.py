"""Foreign keys: what becomes of the rows that refer to others when these go or their keys change.

Declared ones do what the source does: refuse, follow, or let go. Under others the children stay as they are; those that lived
inside their parents' documents become orphans.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import assert_never

from nestling.ir.constraints.computed_attributes import computed_of
from nestling.ir.constraints.defaults import ConstantDefault
from nestling.ir.model import Attribute, Entity, OnDelete, OnUpdate, Relationship
from nestling.ir.paths.write_path import Violation
from nestling.ir.statements import algebra as a
from nestling.ir.statements.algebra import filtered
from nestling.ir.statements.expression import (
    NULL,
    AttributeCast,
    Column,
    Compare,
    Expression,
    Literal,
    Not,
    ScalarSubquery,
)
from nestling.ir.statements.operands import columns_of, conjunction, disjunction, has_subquery
from nestling.ir.statements.operators import Collation, Comparison
from nestling.ir.types import TEXTS
from nestling.planner.reads.compared_texts import to_the_letter
from nestling.planner.writes.draft.fetch import rule_of, scan_of
from nestling.planner.writes.draft.gaps import write_gap
from nestling.planner.writes.draft.renamed_scans import said_of
from nestling.planner.writes.draft.write_draft import WriteDraft
from nestling.planner.writes.foreign_keys.effects import (
    Assignments,
    Effect,
    ForbiddenRows,
    RowDelete,
    RowUpdate,
    effect_on,
)
from nestling.planner.writes.foreign_keys.referring_rows import RowSet, any_of, is_true, link_conditions, referring
from nestling.planner.writes.foreign_keys.self_references import add_below, read_keys
from nestling.planner.writes.places.rows_inside import lives_inside
from nestling.planner.writes.row_changes.listed_ids import listed_links

Effects = dict[str, Effect]


def add_referential_actions(work: WriteDraft, effects: Effects, entity: str, reached: Collection[str]) -> None:
    """Add what follows for the rows that refer to those of the entity: its own first, so that all of them are known.

    What goes with others of the entity comes before what holds for all that go.
    """
    links, effect = work.model.children_of(entity), effects[entity]
    trees = [link for link in links if _is_tree(link)]
    if trees and effect.deletes and all(each.predicate is not None for each in effect.deletes):
        add_below(work, trees, effect)
    elif effect.deletes:
        read_keys(work, links, effect, reached)
    for link in sorted(links, key=lambda each: not each.is_self):
        if effect.deletes and link not in trees:
            _parents_gone(work, effects, link, effect)
        changing = _changing(work, link, effect)
        if changing is not None:
            _keys_changed(work, effects, link, *changing)


# --- parents that go ---------------------------------------------------------------------------------------------------


def _parents_gone(work: WriteDraft, effects: Effects, link: Relationship, effect: Effect) -> None:
    child = effect_on(work, effects, link.child)
    found = [referring(work, link, rows, child.scan) for rows in effect.deleted_rows()]
    if not link.enforced:
        _left_alone(work, link, child, found)
        return
    match link.on_delete:
        case OnDelete.RESTRICT:
            child.forbidden += [ForbiddenRows(each, link, Violation.CHILDREN) for each in found]
        case OnDelete.CASCADE:
            child.deletes += [RowDelete(each, link) for each in found]
        case OnDelete.SET_NULL | OnDelete.SET_DEFAULT:
            values = _let_go(work, link, link.let_go, default=link.on_delete is OnDelete.SET_DEFAULT)
            child.updates.append(RowUpdate(any_of(found), values))
        case _:
            assert_never(link.on_delete)


def _is_tree(link: Relationship) -> bool:
    """Whether rows go with others of their entity."""
    return link.enforced and link.is_self and link.on_delete is OnDelete.CASCADE


def _left_alone(work: WriteDraft, link: Relationship, child: Effect, found: Sequence[Expression]) -> None:
    """Children of an undeclared foreign key stay, and find another place where theirs goes with the parent."""
    if any(each.name == link.name for each in listed_links(work.design, link.child)):
        child.forbidden += [ForbiddenRows(each, link, Violation.PLACE) for each in found]
    elif lives_inside(work.design, link):
        child.updates.append(RowUpdate(any_of(found), {}, out_of=link))


# --- parents whose keys change ------------------------------------------------------------------------------------------


def _changing(work: WriteDraft, link: Relationship, effect: Effect) -> tuple[RowSet, Assignments] | None:
    """The parents whose key, as the relationship knows it, changes, and their new values."""
    whole = effect.as_one_update(work)
    touched = [name for name in link.parent_attributes if whole is not None and name in whole.values]
    if whole is None or not touched:
        return None
    columns = {column.name: column for column in effect.scan.columns}
    rule = rule_of(work.design, link)
    differs = disjunction(*(_differs(columns[name], whole.values[name], rule) for name in touched))
    return RowSet(effect.scan, conjunction(whole.predicate, differs)), whole.values


def _differs(column: Column, value: Expression, rule: Collation) -> Expression:
    """The condition that a value differs exactly, even if the read compares texts by a collation."""
    if rule is Collation.BINARY or column.type.name not in TEXTS:
        return Compare(Comparison.DIFFERENT, column, value)
    return Not(to_the_letter(value, column))


def _keys_changed(work: WriteDraft, effects: Effects, link: Relationship, rows: RowSet, values: Assignments) -> None:
    child = effect_on(work, effects, link.child)
    found = referring(work, link, rows, child.scan)
    if not link.enforced:
        _left_alone(work, link, child, [found])
        return
    match link.on_update:
        case OnUpdate.RESTRICT:
            if link.is_self and set(link.child_attributes) & set(values):
                assert rows.predicate is not None
                again = said_of(work, rows.predicate, rows.scan, child.scan)
                found = conjunction(found, Not(is_true(again))) or found
            child.forbidden.append(ForbiddenRows(found, link, Violation.CHILDREN))
        case OnUpdate.CASCADE:
            if link.is_self and set(link.child_attributes) & {*values, *link.parent_attributes}:
                raise write_gap(
                    f"UPDATE of a key of `{link.parent}` that its own rows follow (`{link.name}`), and recursively theirs"
                )
            followed = _followed(work, link, values, rows, child.scan)
            child.updates.append(RowUpdate(found, followed, None if link.is_self else link))
        case OnUpdate.SET_NULL | OnUpdate.SET_DEFAULT:
            if link.is_self and set(link.child_attributes) & set(values):
                raise write_gap(
                    f"UPDATE of a key of `{link.parent}` that its own rows drop (`{link.name}`), and recursively theirs"
                )
            let_go = _let_go(work, link, link.child_attributes, default=link.on_update is OnUpdate.SET_DEFAULT)
            child.updates.append(RowUpdate(found, let_go))
        case _:
            assert_never(link.on_update)


def _followed(
    work: WriteDraft, link: Relationship, values: Assignments, rows: RowSet, child: a.Scan
) -> dict[str, Expression]:
    """The child's foreign key as its parent's new key: looked up by the old one, or as it stands in the statement."""
    _refuse_computed(work.model.entity(link.child), link)
    found: dict[str, Expression] = {}
    for parent, own in zip(link.parent_attributes, link.child_attributes, strict=True):
        if parent not in values:
            continue
        value = _stored_number(values[parent], work.model.entity(link.child).attribute(own))
        if not has_subquery(value) and not any(True for _ in columns_of(value)):
            found[own] = value
            continue
        again = scan_of(work.model.entity(link.parent), work.name(f"followed {link.parent}"))
        chosen = None if rows.predicate is None else said_of(work, rows.predicate, rows.scan, again)
        theirs = filtered(again, conjunction(chosen, *link_conditions(work, link, again, child)))
        named = a.Named("value", said_of(work, value, rows.scan, again))
        found[own] = ScalarSubquery(a.Project(theirs, work.name("key"), (named,)), value.type)
    return found


def _stored_number(value: Expression, attribute: Attribute) -> Expression:
    """A number of SQLite's as this attribute keeps it: as an integer where it is worth one, or always as a float."""
    if not isinstance(value, AttributeCast) or value.type != attribute.type or not value.numeric:
        return value
    return replace(value, numeric=attribute.is_numeric)


def _refuse_computed(child: Entity, link: Relationship) -> None:
    """Raise a gap where the child's new foreign key changes what the source computes of it."""
    for attribute in computed_of(child, link.child_attributes):
        raise write_gap(
            f"`{attribute.name}` of `{child.name}` is computed from what the foreign key `{link.name}` changes"
        )


def _let_go(work: WriteDraft, link: Relationship, names: Sequence[str], *, default: bool) -> dict[str, Expression]:
    entity = work.model.entity(link.child)
    _refuse_computed(entity, link)
    values: dict[str, Expression] = {}
    for name in names:
        attribute = entity.attribute(name)
        known = attribute.default if default else None
        if known is not None and not isinstance(known, ConstantDefault):
            raise write_gap(f"SET DEFAULT of `{link.child}.{name}`, whose default is generated for each row")
        values[name] = Literal(known.value, attribute.type) if known is not None else NULL
    return values
