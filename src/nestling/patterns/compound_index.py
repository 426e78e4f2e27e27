"""Compound index (D1): one for each way in which statements find an entity's rows: equality first, then sort, then range.

For conditions on array elements, the array comes after the equality fields; the index has an entry for each element. An index
cannot give an order in which NULLs are placed differently from MongoDB, such as PostgreSQL's default order of a nullable
column: write `DESC NULLS LAST` or `ASC NULLS FIRST`, or declare the column NOT NULL. Conditions such as `at < :t`, `IN (…)` or
`IS NOT NULL` exclude NULLs anyway. An OR (`sender = :u OR receiver = :u`) gets an index for each branch, or none if a branch
can have none; in the order of the statement, these indexes together yield its first few rows.

There is no index for an order or range of values that are stored in another order: intervals, addresses, times with a zone,
bytes. An index on (a, b) yields the first row of each a: for `DISTINCT ON (a) … ORDER BY a, b`, and for `row_number() OVER
(PARTITION BY a ORDER BY b) = 1`. Lookups by an equality and a range between two tables (`m.room_id = r.room_id AND m.id >
r.last_read`) get an index on both columns.

An index may also cover rows and their parents, if one document holds both. It finds the first few rows in an order: the latest
posts of a tag, with tags inside their posts, or the latest purchases of a region, with a copy of their customer's region. It
finds rows by copies of what is asked of their parents, alone or with conditions of their own: the open tickets of a customer's
name.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from nestling.ir.candidate import AcrossKey, Indexed, IndexedAcross, IndexKeys, Suggestion
from nestling.ir.indexes.indexable import can_index, is_array
from nestling.ir.situation import Situation, looked_for
from nestling.ir.storage.collations import attributes_sought, by_expression, is_collated, linked_by_expression
from nestling.ir.workload import Access, AttributeFilter, Operator, Statement, StatementKind

MOST_KEYS = 8


def candidates(situation: Situation) -> Iterator[Suggestion]:
    """One per combination, one per foreign key, and one for each statement that an index over several tables serves."""
    motives: dict[tuple[str, IndexKeys], list[str]] = {}
    for statement in situation.reading.workload.statements:
        for access in statement.accesses:
            for keys in (*wanted_keys(situation, access), *_keys_of_lookup(situation, access)):
                motives.setdefault((access.entity, keys), []).append(statement.name)
    looking = _looking(situation)
    for link in situation.model.relationships:
        keys = tuple((name, 1) for name in link.child_attributes)
        served = [statement.name for statement in (*situation.joined_by[link.name], *looking.get(link.name, ()))]
        if (
            served
            and not linked_by_expression(situation.model, link)
            and fits(situation, link.child, keys)
            and not _is_own_key(situation, link.child, link.child_attributes)
        ):
            motives.setdefault((link.child, keys), []).extend(served)
    for (entity, keys), statements in motives.items():
        text = ", ".join(name if direction > 0 else f"-{name}" for name, direction in keys)
        yield Suggestion(f"index of {entity} on {text}", Indexed(entity, keys), tuple(dict.fromkeys(statements)))
    yield from _across(situation)


def _keys_of_lookup(situation: Situation, access: Access) -> Iterator[IndexKeys]:
    """Yield the keys for lookups of rows from other tables.

    Equalities along no relationship give keys with the row's own conditions and without them. A range whose end another table
    gives may be along any relationship.
    """
    if access.joins:
        yield from wanted_keys(situation, replace(access, filters=(*access.joins, *access.filters)))
        yield from wanted_keys(situation, replace(access, filters=access.joins, sort=(), any_of=()))
    exact = tuple(each for each in access.filters if each.operator.is_exact) if access.joins else ()
    equal = access.joins or _along(situation, access)
    for each in access.ranges if equal else ():
        for asked in {(*equal, *exact, each): None, (*equal, each): None}:
            yield from wanted_keys(situation, replace(access, filters=asked, sort=(), any_of=()))


def _along(situation: Situation, access: Access) -> tuple[AttributeFilter, ...]:
    """Return the equality with the parent's key, if rows are looked up as its children."""
    links = [link for link in situation.parents[access.entity] if link.name == access.via and access.walk is None]
    return tuple(AttributeFilter(name, Operator.EQUALITY) for link in links for name in link.child_attributes)


def _across(situation: Situation) -> Iterator[Suggestion]:
    """Yield indexes over fields of rows and their parents, for reads that filter on the parents.

    With a LIMIT and an order of one of them, it includes the order.
    """
    motives: dict[IndexedAcross, list[str]] = {}
    for statement in situation.reading.workload.statements:
        for access in statement.accesses if not statement.kind.writes else ():
            found = [_ordered(situation, access, statement)] if statement.limit is not None else []
            for part in (*found, *_compared_together(situation, access, statement)):
                if part is not None:
                    motives.setdefault(part, []).append(statement.name)
    for part, statements in motives.items():
        yield Suggestion(part.text(situation.model), part, tuple(dict.fromkeys(statements)))


def _ordered(situation: Situation, child: Access, statement: Statement) -> IndexedAcross | None:
    """Return the index for one read: the attributes compared for equality first, then those of its order.

    None if nothing is compared for equality, all attributes are of one entity, or no index could hold them.
    """
    parts = {"": child, **dict(_parents(situation, child, statement))}
    if sum(bool(each.sort) for each in parts.values()) != 1:
        return None
    keys = {(each.attribute, each.along): each for each in _compared(parts, Operator.EQUALITY)}
    is_asked = bool(keys)
    for along, access in parts.items():
        for name, down in access.order:
            keys.setdefault((name, along), AcrossKey(name, -1 if down else 1, along))
    of_several = len({each.along for each in keys.values()}) > 1
    return _index(situation, parts, tuple(keys.values())) if is_asked and of_several else None


def _compared_together(situation: Situation, child: Access, statement: Statement) -> Iterator[IndexedAcross | None]:
    """Yield the index on what is compared for equality of rows and a parent of theirs, and one that goes on with a range.

    A parent's key is the rows' own foreign key.
    """
    for along, parent in _parents(situation, child, statement) if child.walk is None else ():
        key = situation.model.relationship(along).parent_attributes
        sides = zip(parent.any_of, child.any_of, strict=False)  # of one OR, if both are of one
        either = ((parent.of_side(theirs), child.of_side(own)) for theirs, own in sides)
        for of_parent, of_child in ((parent, child), *either):
            parts = {along: of_parent, "": of_child}
            equal = _compared(parts, Operator.EQUALITY)
            theirs = [each.attribute for each in equal if each.along]
            if theirs and not set(theirs) & set(key):
                yield _index(situation, parts, equal)
                for each in _compared(parts, Operator.RANGE):
                    yield _index(situation, parts, tuple(dict.fromkeys((*equal, each))))


def _compared(parts: Mapping[str, Access], operator: Operator) -> tuple[AcrossKey, ...]:
    """What is compared so, each attribute once."""
    asked = ((each, along) for along, access in parts.items() for each in access.filters)
    found = (AcrossKey(each.attribute, 1, along) for each, along in asked if each.operator is operator)
    return tuple(dict.fromkeys(found))


def _index(situation: Situation, parts: Mapping[str, Access], keys: tuple[AcrossKey, ...]) -> IndexedAcross | None:
    if len(keys) > MOST_KEYS:
        return None
    plain = all(_plain(situation, parts[each.along].entity, each.attribute) for each in keys)
    return IndexedAcross(parts[""].entity, keys) if plain else None


def _parents(situation: Situation, child: Access, statement: Statement) -> Iterator[tuple[str, Access]]:
    """Yield the accesses to parents that are joined to the rows, with their relationships."""
    for link in situation.parents[child.entity]:
        for access in statement.accesses if not link.is_self else ():
            if access.entity == link.parent and link.name in (access.via, child.via):
                yield link.name, access


def _plain(situation: Situation, entity: str, name: str) -> bool:
    """Whether an index can hold the attribute's values in their order, together with any other attribute."""
    attribute = situation.model.entity(entity).attribute(name)
    return fits(situation, entity, ((name, 1),)) and not is_collated([attribute]) and not by_expression(attribute)


def _looking(situation: Situation) -> Mapping[str, list[Statement]]:
    """Map each foreign key to the statements that search for the children of rows that are deleted or get another key.

    The children then prevent the change or are changed too.
    """
    found: dict[str, list[Statement]] = {}
    for statement in situation.reading.workload.statements:
        for access in statement.accesses:
            if access.kind in (StatementKind.UPDATE, StatementKind.DELETE):
                is_gone = access.kind is StatementKind.DELETE
                for link in looked_for(situation.model, access.entity, is_gone, access.attributes):
                    found.setdefault(link.name, []).append(statement)
    return found


def wanted_keys(situation: Situation, access: Access) -> Iterator[IndexKeys]:
    """Yield the keys that serve an access best, and those without its sort and range; for an OR those of each branch."""
    equal = [f.attribute for f in access.filters if f.operator.is_exact]
    arrays = dict.fromkeys(f.attribute for f in access.filters if f.operator is Operator.CONTAINS)
    ranged = [f.attribute for f in access.filters if f.operator is Operator.RANGE]
    entity = situation.model.entity(access.entity)
    for side in access.own_sides:
        yield from wanted_keys(situation, side)
    if entity.key and set(entity.key) <= set(
        equal
    ):  # its own collection has `_id`; embedded rows have no index by themselves
        keys = tuple((name, 1) for name in entity.key)
        alone = _is_own_key(situation, access.entity, entity.key)
        if situation.parents[access.entity] and finds(situation, access.entity, keys) and not alone:
            yield keys
        return
    ordered = {name for name, _ in access.order}
    several = {f.attribute for f in access.filters if f.operator is Operator.IN} & ordered
    for array in arrays or ("",):  # one index holds the elements of one array
        yield from _keys_by(situation, access, equal, ranged, array)
        if several:  # each in the order's own direction
            yield from _keys_by(situation, access, [name for name in equal if name not in several], ranged, array)


def _keys_by(
    situation: Situation, access: Access, equal: Sequence[str], ranged: Sequence[str], array: str
) -> Iterator[IndexKeys]:
    """Yield keys of equalities, the array, the order and the range; and keys of the first two alone."""
    entity = situation.model.entity(access.entity)
    whole = [name for name in (*equal, *ranged, *(name for name, _ in access.order)) if not is_array(entity, name)]
    known = attributes_sought(entity, whole)
    parts = [(name, 1) for name in dict.fromkeys(equal) if name in known] + [(array, 1)] * bool(array)
    ranged = [name for name in ranged if name in known]
    order = [(name, -1 if down else 1) for name, down in access.order if name not in dict(parts)]
    order = order if all(name in known for name, _ in order) else []
    ways = dict.fromkeys(ranged, 1) | dict(order) | dict(parts)  # a range goes whichever way the order does
    full = tuple((name, ways[name]) for name in dict.fromkeys((*dict(parts), *dict(order), *ranged)))
    for keys in dict.fromkeys((full, tuple(parts), tuple({**dict(parts), **dict.fromkeys(ranged, 1)}.items()))):
        if keys and len(keys) <= MOST_KEYS and fits(situation, access.entity, keys, by_elements=bool(array)):
            yield keys


def _is_own_key(situation: Situation, entity: str, names: Sequence[str]) -> bool:
    """Whether a foreign key is also the key (1:1): then `_id` finds the row, its own or its parent's."""
    key = set(situation.model.entity(entity).key)
    return set(names) == key and any(set(link.child_attributes) == key for link in situation.parents[entity])


def finds(situation: Situation, entity: str, keys: IndexKeys) -> bool:
    """Whether an index on these attributes is possible, and finds rows by all of them."""
    names = dict(keys)
    return fits(situation, entity, keys) and len(attributes_sought(situation.model.entity(entity), names)) == len(names)


def fits(situation: Situation, entity: str, keys: IndexKeys, *, by_elements: bool = False) -> bool:
    """Whether MongoDB can index these attributes together; `by_elements`: an array among them is indexed by its elements."""
    names, blobs = [name for name, _ in keys], situation.blobs[entity]
    fit = can_index(situation.model.entity(entity), names, by_elements=by_elements)
    return fit and not any(name in blobs for name in names)
