"""Arrays of direct children: a new child is pushed to its place, and what passes the limit falls off; one that goes is pulled."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from nestling.ir.design import Design
from nestling.ir.model import Entity, Model
from nestling.ir.paths.write_path import Cell, FieldMatch, Pull, Push, SubDocument, WriteStep, WrittenValue
from nestling.ir.primitives import Copy, Form, Order
from nestling.ir.rows import Hop
from nestling.ir.storage.collations import goes_by_collation
from nestling.ir.storage.names import join
from nestling.ir.types import ELEMENTWISE, TypeName
from nestling.ir.upkeep import Upkeep
from nestling.planner.upkeep.change import ChangeKind, RowChange, new, old
from nestling.planner.upkeep.target import target_of


def newest(design: Design, upkeep: Upkeep, copy: Copy, change: RowChange) -> tuple[WriteStep, ...] | None:
    """`$push` with `$sort` and `$slice` where elements hold what places them; `$pull` from arrays without a limit."""
    model, order = design.model, _placed_by(design.model, copy, change)
    if order is None:
        return None
    hop = copy.path[0]
    prefix = new if change.kind is ChangeKind.INSERT else old
    links: dict[str, WrittenValue] = {
        here: Cell(prefix(there)) for here, there in zip(hop.near(model), hop.far(model), strict=True)
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
    if change.kind is ChangeKind.UPDATE:
        return None
    if change.kind is ChangeKind.DELETE and (copy.limit is not None or not _tells_one(model, copy)):
        return None
    return _order(model, copy)


def _tells_one(model: Model, copy: Copy) -> bool:
    """Whether an element holds the key of its child."""
    hop = copy.path[0]
    child, own = model.entity(hop.target(model)), _own_key(model, hop)
    return bool(own) and all(name in _paths(copy) and _is_sortable(child, name) for name in own)


def _element(copy: Copy) -> WrittenValue:
    if copy.form is Form.SCALARS:
        return Cell(new(copy.attributes[0].attribute))
    return SubDocument(tuple((each.path, Cell(new(each.attribute))) for each in copy.attributes))


def _paths(copy: Copy) -> dict[str, str]:
    """Attribute to its path in an element, "" where the element is its value."""
    return {each.attribute: "" if copy.form is Form.SCALARS else each.path for each in copy.attributes}


def _order(model: Model, copy: Copy) -> tuple[tuple[str, int], ...] | None:
    """The paths in elements to sort by; None where one that tells children apart is not held, or the server would look into it.

    Children are read by the copy's order, then by their key, by all they have where they have none. What comes behind all that
    an element holds may be missing there: it tells no two elements apart.
    """
    hop = copy.path[0]
    child, paths = model.entity(hop.target(model)), _paths(copy)
    found: dict[str, int] = {}
    for each in (*copy.order, *map(Order, _among_siblings(model, hop, child.identity))):
        if each.attribute not in paths or not _is_sortable(child, each.attribute):
            return tuple(found.items()) if _are_all(model, copy, found) else None
        found.setdefault(paths[each.attribute], -1 if each.descending else 1)
    return tuple(found.items())


def _are_all(model: Model, copy: Copy, placed: Collection[str]) -> bool:
    """Whether elements that are equal in these paths are one and the same: equal decimals may have other digits."""
    hop, paths = copy.path[0], _paths(copy)
    child = model.entity(hop.target(model))
    held = [child.attribute(name) for name in _among_siblings(model, hop, tuple(paths))]
    is_alike = all(each.type.name is not TypeName.DECIMAL or each.type.numbers for each in held)
    return is_alike and all(paths[each.name] in placed and not each.also for each in held)


def _own_key(model: Model, hop: Hop) -> tuple[str, ...]:
    """The part of a child's key that tells it among those of one parent."""
    return _among_siblings(model, hop, model.entity(hop.target(model)).key)


def _among_siblings(model: Model, hop: Hop, names: Sequence[str]) -> tuple[str, ...]:
    """The child's attributes in which children of one parent may differ: its foreign key is the same in all of them.

    If the foreign key is compared by a collation, they may spell it differently.
    """
    link = model.relationship(hop.relationship)
    shared = set() if goes_by_collation(model, link) else set(hop.far(model))
    return tuple(name for name in names if name not in shared)


def _is_sortable(child: Entity, name: str) -> bool:
    return child.attribute(name).type.name not in ELEMENTWISE
