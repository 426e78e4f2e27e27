"""Arrays of direct children: a new child is pushed to its place, and what passes the limit falls off; one that goes is pulled."""

from __future__ import annotations

from nestling.ir.design import Design
from nestling.ir.model import Entity, Model
from nestling.ir.paths.write_path import Cell, FieldMatch, Pull, Push, SubDocument, WriteStep, WrittenValue
from nestling.ir.primitives import Copy, Form, Order
from nestling.ir.rows import Hop
from nestling.ir.storage.collations import goes_by_collation
from nestling.ir.storage.names import join
from nestling.ir.types import ELEMENTWISE
from nestling.ir.upkeep import Upkeep
from nestling.planner.upkeep.change import ChangeKind, RowChange, new, old
from nestling.planner.upkeep.target import target_of
from nestling.planner.upkeep.triggers import far, near


def newest(design: Design, upkeep: Upkeep, copy: Copy, change: RowChange) -> tuple[WriteStep, ...] | None:
    """`$push` with `$sort` and `$slice` where elements hold what they are ordered by; `$pull` from arrays without a limit."""
    model, order = design.model, _placed_by(design.model, copy, change)
    if order is None:
        return None
    hop = copy.path[0]
    prefix = new if change.kind is ChangeKind.INSERT else old
    links: dict[str, WrittenValue] = {
        here: Cell(prefix(there)) for here, there in zip(near(model, hop), far(model, hop), strict=True)
    }
    target = target_of(design, upkeep.place, links, many=False)
    if target is None:
        return None
    field = join(target.path, copy.name)
    if change.kind is ChangeKind.INSERT:
        return (target.update(Push(field, _element(copy), order, copy.limit)),)
    paths = _paths(copy)
    told = tuple(FieldMatch(paths[name], Cell(old(name))) for name in _own_key(model, hop))
    return (target.update(Pull(field, told)),)


def is_in_place(model: Model, copy: Copy, change: RowChange) -> bool:
    """Whether a child that comes or goes changes the array by one operator, so that no other child is read again."""
    return _placed_by(model, copy, change) is not None


def _placed_by(model: Model, copy: Copy, change: RowChange) -> tuple[tuple[str, int], ...] | None:
    """What the elements are sorted by, where one operator makes the change; None where it takes a refresh."""
    if copy.closure or len(copy.path) != 1 or copy.path[0].up or copy.form not in (Form.ARRAY, Form.SCALARS):
        return None
    if change.kind is ChangeKind.UPDATE or (change.kind is ChangeKind.DELETE and copy.limit is not None):
        return None
    return _order(model, copy)


def _element(copy: Copy) -> WrittenValue:
    if copy.form is Form.SCALARS:
        return Cell(new(copy.attributes[0].attribute))
    return SubDocument(tuple((each.path, Cell(new(each.attribute))) for each in copy.attributes))


def _paths(copy: Copy) -> dict[str, str]:
    """Attribute to its path in an element, "" where the element is its value."""
    return {each.attribute: "" if copy.form is Form.SCALARS else each.path for each in copy.attributes}


def _order(model: Model, copy: Copy) -> tuple[tuple[str, int], ...] | None:
    """The paths in elements to sort by; None where an element does not hold one, or the server would look into it."""
    hop = copy.path[0]
    child, paths = model.entity(hop.target(model)), _paths(copy)
    own = _own_key(model, hop)
    wanted = (*copy.order, *map(Order, own))
    if not own or not all(_is_sortable(child, each.attribute) and each.attribute in paths for each in wanted):
        return None
    found: dict[str, int] = {}
    for each in wanted:
        found.setdefault(paths[each.attribute], -1 if each.descending else 1)
    return tuple(found.items())


def _own_key(model: Model, hop: Hop) -> tuple[str, ...]:
    """The part of a child's key that tells it among those of one parent: its foreign key is the same in all of them.

    Where the foreign key goes by a collation, they may spell it differently, and all of the key is.
    """
    child, link = model.entity(hop.target(model)), model.relationship(hop.relationship)
    shared = set() if goes_by_collation(model, link) else set(far(model, hop))
    return tuple(name for name in child.key if name not in shared)


def _is_sortable(child: Entity, name: str) -> bool:
    return child.attribute(name).type.name not in ELEMENTWISE
