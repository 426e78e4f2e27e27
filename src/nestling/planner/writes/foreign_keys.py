"""Foreign keys: what becomes of the rows that refer to others when these go or their keys change.

Declared ones do what the source does: refuse, follow, or let go. Under others the children stay as they are; those that lived
inside their parents' documents become orphans.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import assert_never

from nestling.ir import algebra as a
from nestling.ir.algebra import Scan
from nestling.ir.defaults import Constant
from nestling.ir.expression import (
    FALSE,
    NULL,
    TRUE,
    Case,
    Column,
    Compare,
    Comparison,
    Exists,
    Expression,
    InList,
    InSubquery,
    Literal,
    Not,
    Or,
    ScalarSubquery,
    columns_of,
    conjunction,
)
from nestling.ir.layout import NodeKind, Place
from nestling.ir.model import OnDelete, OnUpdate, Relationship
from nestling.ir.types import BOOLEAN, INTEGER
from nestling.ir.write_path import Fetch, Refuse, Violation
from nestling.planner.reads.rewrites.conjuncts import conjuncts
from nestling.planner.reads.traverse import has_subquery, rewritten
from nestling.planner.writes.fetch import filtered, plan, scan_of
from nestling.planner.writes.listed import listed_links
from nestling.planner.writes.work import Phase, Work, gap


def is_inside(place: Place, link: Relationship | None) -> bool:
    """Whether rows there lie in the documents of the parents the relationship leads to."""
    node = place.node
    if link is None or node.embedding is None or len(place.nodes) < 2:
        return False
    return node.embedding.relationship == link.name and place.nodes[-2].kind is not NodeKind.GROUP


# --- parents that go ---------------------------------------------------------------------------------------------------


def before_delete(work: Work, scan: Scan, predicate: Expression | None, tree: Relationship | None = None) -> None:
    """Plan what becomes of the rows that refer to those of the scan, before these go; `tree`: that one is followed already."""
    for link in work.model.children_of(scan.entity):
        if link == tree:
            continue
        if link.enforced:
            _deleted(work, link, scan, predicate)
        else:
            _left_alone(work, link, scan, predicate)


def _deleted(work: Work, link: Relationship, scan: Scan, predicate: Expression | None) -> None:
    child = _child_scan(work, link)
    referring = children_of(link, scan, predicate, child)
    match link.on_delete:
        case OnDelete.RESTRICT:
            _refuse(work, link, child, _not_going(link, scan, predicate, child, referring))
        case OnDelete.CASCADE:
            _cascade(work, link, scan, predicate, child, referring)
        case OnDelete.SET_NULL | OnDelete.SET_DEFAULT:
            values = _let_go(work, link, default=link.on_delete is OnDelete.SET_DEFAULT)
            _update(work, child, values, _not_going(link, scan, predicate, child, referring))
        case _:
            assert_never(link.on_delete)


def _cascade(
    work: Work, link: Relationship, scan: Scan, predicate: Expression | None, child: Scan, referring: Expression
) -> None:
    from nestling.planner.writes.delete import delete_rows

    if not link.is_self:
        delete_rows(work, child, referring, along=link)
    elif predicate is not None:
        delete_rows(work, child, _descendants(work, link, scan, predicate, child), tree=link)


def _descendants(work: Work, link: Relationship, scan: Scan, predicate: Expression, child: Scan) -> Expression:
    """All below the rows of the scan in the tree of a relationship, themselves left out."""
    if len(link.parent_attributes) != 1:
        raise gap(f"DELETE that follows `{link.name}`, of several attributes, down a tree")
    (key,), (reference,) = link.parent_attributes, link.child_attributes
    entity = work.model.entity(link.parent)
    top, below = (scan_of(entity, work.name(wish)) for wish in ("top of the tree", "below in the tree"))
    own = {each.alias: {column.name: column for column in each.columns} for each in (top, below, child)}
    alias, working = work.name("tree"), work.name("level")
    found = Column(working, "k", own[top.alias][key].type)
    base = a.Project(
        filtered(top, _renamed(predicate, scan, top)), work.name("start"), (a.Named("k", own[top.alias][key]),)
    )
    level = a.Working(alias, working, (found,))
    downwards = Compare(Comparison.EQUAL, own[below.alias][reference], found)
    joined = a.Join(a.JoinKind.INNER, level, below, downwards)
    step = a.Project(joined, work.name("next"), (a.Named("k", own[below.alias][key]),))
    tree = a.Recursive(alias, (Column(alias, "k", found.type),), base, step, all=False)
    inside = InSubquery((own[child.alias][key],), tree)
    going = _renamed(predicate, scan, child)
    rest = conjunction(inside, Not(Case(((going, TRUE),), FALSE, BOOLEAN)))
    assert rest is not None
    return rest


def _left_alone(work: Work, link: Relationship, scan: Scan, predicate: Expression | None) -> None:
    """Children of an undeclared foreign key stay, and find another place where theirs goes with the parent."""
    child = _child_scan(work, link)
    referring = children_of(link, scan, predicate, child)
    if any(each.name == link.name for each in listed_links(work.design, link.child)):
        _refuse(work, link, child, referring, Violation.PLACE)
    elif any(is_inside(place, link) for place in work.design.places[link.child]):
        _stay(work, link, child, referring)


def _stay(work: Work, link: Relationship, child: Scan, referring: Expression) -> None:
    """Children inside their parents' documents find another place."""
    from nestling.planner.writes.update import update_rows

    update_rows(work, child, {}, referring, along=link, moves=True)


def _close(work: Work, changing: Expression | None) -> None:
    """Parents are read once their children have left, so that they do not take them along."""
    if changing is not None and has_subquery(changing):
        raise gap("UPDATE of a key, under a condition with a subquery, that children do not follow")
    work.close_removals()


# --- parents whose keys change ------------------------------------------------------------------------------------------


def before_update(
    work: Work,
    scan: Scan,
    assignments: Mapping[str, Expression],
    predicate: Expression | None,
    attributes: frozenset[str],
) -> None:
    """Plan what becomes of the rows that refer to those of the scan by an attribute that changes."""
    for link in work.model.children_of(scan.entity):
        touched = [name for name in link.parent_attributes if name in attributes]
        if not touched:
            continue
        differs = _differs(scan, assignments, touched)
        changing = conjunction(predicate, differs)
        if link.enforced:
            _changed(work, link, scan, assignments, changing)
        elif any(is_inside(place, link) for place in work.design.places[link.child]):
            child = _child_scan(work, link)
            _stay(work, link, child, children_of(link, scan, changing, child))
            _close(work, changing)
        elif any(each.name == link.name for each in listed_links(work.design, link.child)):
            child = _child_scan(work, link)
            _refuse(work, link, child, children_of(link, scan, changing, child), Violation.PLACE)


def _changed(
    work: Work,
    link: Relationship,
    scan: Scan,
    assignments: Mapping[str, Expression],
    changing: Expression | None,
) -> None:
    child = _child_scan(work, link)
    referring = children_of(link, scan, changing, child)
    match link.on_update:
        case OnUpdate.RESTRICT:
            changes_too = link.is_self and set(link.child_attributes) & set(assignments)
            rest = _not_going(link, scan, changing, child, referring) if changes_too else referring
            _refuse(work, link, child, rest)
        case OnUpdate.CASCADE:
            if link.is_self:
                raise gap(f"UPDATE of a key of `{link.parent}` that its own rows follow (`{link.name}`)")
            _update(work, child, _followed(work, link, assignments, scan, changing, child), referring, link)
        case OnUpdate.SET_NULL | OnUpdate.SET_DEFAULT:
            values = _let_go(work, link, default=link.on_update is OnUpdate.SET_DEFAULT)
            _update(work, child, values, referring)
            _close(work, changing)
        case _:
            assert_never(link.on_update)


def _differs(scan: Scan, assignments: Mapping[str, Expression], touched: list[str]) -> Expression:
    columns = {column.name: column for column in scan.columns}
    each = tuple(Compare(Comparison.DIFFERENT, columns[name], assignments[name]) for name in touched)
    return each[0] if len(each) == 1 else Or(each)


def _followed(
    work: Work,
    link: Relationship,
    assignments: Mapping[str, Expression],
    scan: Scan,
    changing: Expression | None,
    child: Scan,
) -> dict[str, Expression]:
    """The child's foreign key as its parent's new key: looked up by the old one, or as it stands in the statement."""
    found: dict[str, Expression] = {}
    for parent, own in zip(link.parent_attributes, link.child_attributes, strict=True):
        if parent not in assignments:
            continue
        value = assignments[parent]
        if not has_subquery(value) and not any(True for _ in columns_of(value)):
            found[own] = value
            continue
        again = scan_of(work.model.entity(link.parent), work.name("followed"))
        rows = filtered(again, conjunction(_moved_to(changing, scan, again), *_equal(link, again, child)))
        named = a.Named("value", _renamed(value, scan, again))
        found[own] = ScalarSubquery(a.Project(rows, work.name("key"), (named,)), value.type)
    return found


# --- which children -----------------------------------------------------------------------------------------------------


def children_of(link: Relationship, scan: Scan, predicate: Expression | None, child: Scan) -> Expression:
    """The condition on children that refer to one of the parents; said of the foreign key itself where that is possible."""
    direct = _direct(link, scan, predicate, child)
    if direct is not None:
        return direct
    return Exists(filtered(scan, conjunction(predicate, *_equal(link, scan, child))))


def _direct(link: Relationship, scan: Scan, predicate: Expression | None, child: Scan) -> Expression | None:
    parts = conjuncts(predicate) if predicate is not None else []
    own = dict(zip(link.parent_attributes, link.child_attributes, strict=True))
    columns = {column.name: column for column in child.columns}
    found: dict[str, Expression] = {}
    for part in parts:
        told = _about(part, scan)
        if told is None or told[0] not in own or told[0] in found:
            return None
        column = columns[own[told[0]]]
        found[told[0]] = _said_of(part, scan, column)
    return conjunction(*found.values()) if len(found) == len(own) else None


def _said_of(part: Expression, scan: Scan, column: Column) -> Expression:
    return rewritten(part, lambda inner: column if _is_of(inner, scan) else None)


def _about(part: Expression, scan: Scan) -> tuple[str, Expression] | None:
    """The attribute that a condition compares with what is no column."""
    if has_subquery(part):
        return None
    match part:
        case Compare(operator=Comparison.EQUAL, left=Column() as column, right=other) if _is_of(column, scan):
            return None if any(True for _ in columns_of(other)) else (column.name, part)
        case Compare(operator=Comparison.EQUAL, left=other, right=Column() as column) if _is_of(column, scan):
            return None if any(True for _ in columns_of(other)) else (column.name, part)
        case InList(operand=Column() as column, items=items) if _is_of(column, scan):
            return None if any(True for item in items for _ in columns_of(item)) else (column.name, part)
        case _:
            return None


def _is_of(expression: Expression, scan: Scan) -> bool:
    return isinstance(expression, Column) and expression.alias == scan.alias


def _equal(link: Relationship, parent: Scan, child: Scan) -> list[Expression]:
    up, down = ({column.name: column for column in scan.columns} for scan in (parent, child))
    pairs = zip(link.parent_attributes, link.child_attributes, strict=True)
    return [Compare(Comparison.EQUAL, up[p], down[c]) for p, c in pairs]


def _child_scan(work: Work, link: Relationship) -> Scan:
    return scan_of(work.model.entity(link.child), work.name(f"{link.child} of {link.name}"))


def _not_going(
    link: Relationship, scan: Scan, predicate: Expression | None, child: Scan, referring: Expression
) -> Expression:
    """In a tree: only children that do not go themselves."""
    if not link.is_self:
        return referring
    goes = _moved_to(predicate, scan, child)
    going = Case(((goes, TRUE),), FALSE, BOOLEAN) if goes is not None else TRUE
    rest = conjunction(referring, Not(going))
    assert rest is not None
    return rest


def _moved_to(predicate: Expression | None, scan: Scan, other: Scan) -> Expression | None:
    return None if predicate is None else _renamed(predicate, scan, other)


def _renamed(expression: Expression, scan: Scan, other: Scan) -> Expression:
    """The same said of another scan of the entity."""
    if has_subquery(expression) and not isinstance(expression, Exists | InSubquery):
        raise gap("a foreign key that is followed under a condition with a subquery")
    columns = {column.name: column for column in other.columns}

    def change(inner: Expression) -> Expression | None:
        return columns[inner.name] if isinstance(inner, Column) and _is_of(inner, scan) else None

    return rewritten(expression, change)


# --- what is done to them -----------------------------------------------------------------------------------------------


def _refuse(
    work: Work, link: Relationship, child: Scan, referring: Expression, kind: Violation = Violation.CHILDREN
) -> None:
    one = Literal(1, INTEGER)
    found = a.Limit(a.Project(filtered(child, referring), "found", (a.Named("one", one),)), one)
    name = work.name(f"{link.child} that refer by {link.name}")
    work.add(Phase.FETCH, [Fetch(name, plan(work.design, found))])
    text = f"`{link.child}` refers to this `{link.parent}` ({link.name})"
    work.add(Phase.REFUSE, [Refuse(name, kind, text)])


def _let_go(work: Work, link: Relationship, *, default: bool) -> dict[str, Expression]:
    entity = work.model.entity(link.child)
    values: dict[str, Expression] = {}
    for name in link.child_attributes:
        attribute = entity.attribute(name)
        known = attribute.default
        has_constant = default and isinstance(known, Constant)
        values[name] = Literal(known.value, attribute.type) if has_constant and isinstance(known, Constant) else NULL
    return values


def _update(
    work: Work,
    child: Scan,
    values: Mapping[str, Expression],
    referring: Expression,
    along: Relationship | None = None,
) -> None:
    from nestling.planner.writes.update import update_rows

    update_rows(work, child, values, referring, along=along)
