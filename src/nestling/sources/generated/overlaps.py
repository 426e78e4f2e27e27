"""Foreign keys that share columns: which of them follow from others, and which have to be decided together."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from nestling.ir.model import Model, Relationship
from nestling.sources.generated.links import nullable_attributes


def follows(narrow: Relationship, wide: Relationship, model: Model) -> bool:
    """Whether a row that has a parent along `wide` has the one of `narrow` too, because that parent has it."""
    theirs = dict(zip(wide.child_attributes, wide.parent_attributes, strict=True))
    if wide.is_self or not theirs.keys() >= set(narrow.child_attributes):
        return False
    if len(theirs) > len(narrow.child_attributes) and nullable_attributes(wide, model):
        return False
    names = tuple(theirs[name] for name in narrow.child_attributes)
    return _leads(wide.parent, names, narrow, model, frozenset({narrow.name}))


def _leads(entity: str, names: tuple[str, ...], to: Relationship, model: Model, met: frozenset[str]) -> bool:
    """Whether every value of the attributes is one that `to` may refer to, by the foreign keys on the way there."""
    if (entity, names) == (to.parent, to.parent_attributes):
        return True
    for each in model.parents_of(entity):
        theirs = dict(zip(each.child_attributes, each.parent_attributes, strict=True))
        if each.name in met or not theirs.keys() >= set(names):
            continue
        if len(theirs) > len(names) and nullable_attributes(each, model):
            continue
        if _leads(each.parent, tuple(theirs[name] for name in names), to, model, met | {each.name}):
            return True
    return False


def tied_foreign_keys(relationships: Sequence[Relationship], model: Model) -> list[tuple[Relationship, ...]]:
    """The groups of a table's foreign keys whose columns no single one of them decides.

    They share columns; or one alone may be NULL in some columns only, or shares columns with what it refers to in its own table.
    """
    groups: list[list[Relationship]] = []
    for each in relationships:
        joined = [group for group in groups if _columns(group) & set(each.child_attributes)]
        groups = [group for group in groups if group not in joined]
        groups.append([*(other for group in joined for other in group), each])
    return [tuple(group) for group in groups if len(group) > 1 or _is_tied(group[0], model)]


def _is_tied(link: Relationship, model: Model) -> bool:
    if shared_with_itself(link):
        return True
    return 0 < len(nullable_attributes(link, model)) < len(link.child_attributes)


def shared_with_itself(link: Relationship) -> set[str]:
    """The attributes that a reference to rows of its own table both has and refers to, as that to a parent of the same tenant."""
    return set(link.child_attributes) & set(link.parent_attributes) if link.is_self else set()


def given_columns(group: Sequence[Relationship], model: Model) -> frozenset[str]:
    """The columns of foreign keys that must have a value in rows without a parent, and are made as if they were in none.

    They are those of late foreign keys alone, and those that make rows unique.
    """
    entity = model.entity(group[0].child)
    early = [each for each in group if not is_late(each, model)]
    found: set[str] = set()
    for each in group:
        nullable = nullable_attributes(each, model)
        others = _columns(other for other in early if other is not each)
        own = {name for name in each.child_attributes if name not in others and name not in nullable}
        if is_late(each, model):
            found |= own if nullable else own & shared_with_itself(each)
        elif nullable:
            found |= {name for unique in (entity.key, *entity.uniques) if set(unique) <= own for name in unique}
    return frozenset(found)


def is_late(link: Relationship, model: Model) -> bool:
    """Whether its parents may hang on its own table: on its rows, or in a circle that it may leave open."""
    return link.is_self or (bool(nullable_attributes(link, model)) and _reaches(link.parent, link.child, model))


def _reaches(start: str, end: str, model: Model) -> bool:
    """Whether one entity is above another."""
    seen, left = {start}, [start]
    while left:
        above = {link.parent for link in model.parents_of(left.pop())} - seen
        seen |= above
        left += above
    return end in seen


def _columns(links: Iterable[Relationship]) -> set[str]:
    return {name for each in links for name in each.child_attributes}
