"""Lists of names and values: which index finds rows by them, and what they cost reads and writes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from nestling.ir.candidate import Indexed, Paired
from nestling.ir.design_problem import StatementStep
from nestling.ir.paths import work_of
from nestling.ir.paths.work import Work
from nestling.ir.statistics import value_of
from nestling.ir.storage.bounds import FRAMING_BYTES, UNKNOWN_BYTES
from nestling.ir.storage.names import stored_name
from nestling.ir.workload import Access, StatementKind
from nestling.planner.options.sizes.matching import matched_rows
from nestling.planner.options.sizes.sizes import Sizes
from nestling.planner.options.statements.pair_uses import PairUse
from nestling.planner.options.structures.places import Places

TAKEN_IN = 12.0
"""Operators, fields and constants parsed to take one value out of a list, or to find it there."""
NAME_TAKEN_IN = 4.0
"""Operators, fields and constants parsed to test a name together with a value."""
WHOLE_TAKEN_IN = 18.0
"""Operators, fields and constants parsed to take one value out and show it, old and new, before the row changes."""
STAGES = 3.0
"""Stages that ask, take values out of a list and show them, in place of a `find`."""


def present(sizes: Sizes, paired: Paired) -> float:
    """Pairs in one document: values that are not NULL."""
    known = sizes.situation.statistics.entity(paired.entity)
    return sum(1.0 - value_of(known.attribute(name).null_share, 0.0) for name in paired.attributes)


def added_bytes(sizes: Sizes, paired: Paired) -> float:
    """Bytes a document holds more than with a field for each attribute."""
    known, size = sizes.situation.statistics.entity(paired.entity), 0.0
    for name in paired.attributes:
        value = value_of(known.attribute(name).average_bytes, UNKNOWN_BYTES)
        there = 1.0 - value_of(known.attribute(name).null_share, 0.0)
        size += there * (value + 3 * FRAMING_BYTES + UNKNOWN_BYTES) - (value + len(stored_name(name)) + FRAMING_BYTES)
    return size


def found_by_pairs(sizes: Sizes, paired: Paired, access: Access, use: PairUse) -> float | None:
    """Rows that the list's index leads to, by the condition on it that leaves the fewest; None if there is none."""
    asked = {each.attribute for each in access.filters if (access.entity, each.attribute) in use.compared}
    single = (Indexed(access.entity, ((name, 1),)) for name in paired.attributes if name in asked)
    matched = (matched_rows(sizes, access, each, alone=False) for each in single)
    return min((rows for rows, _ in filter(None, matched)), default=None)


def attributes_touched(paired: Paired, access: Access) -> set[str]:
    """The attributes in the list that an access mentions."""
    return {*access.attributes, *(each.attribute for each in access.filters)} & set(paired.attributes)


def taken_out(sizes: Sizes, paired: Paired, access: Access, rows: float, use: PairUse, *, alone: bool) -> Work | None:
    """The work of taking values out of the lists of so many rows; None if none is needed.

    `alone`: it would be a `find` elsewhere. What the index does not find, such as NULL, is searched in all rows.
    """
    seen = attributes_touched(paired, access)
    if not seen:
        return None
    asked = [each.attribute for each in access.filters if each.attribute in seen]
    unfound = [name for name in asked if (access.entity, name) not in use.compared]
    compared = work_of.parse(NAME_TAKEN_IN * (len(asked) - len(unfound)))
    values = sum((access.entity, name) in use.taken_out for name in seen)
    if not values:
        return compared
    rows = max(rows, sizes.found(access, without=unfound)) if unfound else rows
    stages = (STAGES if alone else 1.0) + bool(unfound)
    looked_at = work_of.unwind(rows * values * present(sizes, paired)) + work_of.project(rows, values)
    return (
        Work(stages=work_of.light(stages))
        + compared
        + work_of.parse(TAKEN_IN * values)
        + looked_at
        + work_of.pass_on(rows * stages)
    )


def read_whole(paired: Paired) -> Work:
    """All values taken out of the list of rows that are read before they change."""
    return work_of.transaction() + work_of.parse(WHOLE_TAKEN_IN * len(paired.attributes))


def list_entries(sizes: Sizes, paired: Paired, access: Access, rows: float) -> Work:
    """Index entries written, and the list itself."""
    if access.kind is StatementKind.UPDATE:
        return Work(index_writes=2 * rows * len(set(access.attributes) & set(paired.attributes)))
    size = added_bytes(sizes, paired) if access.kind is StatementKind.INSERT else 0.0
    return Work(index_writes=rows * present(sizes, paired), written_bytes=rows * size)


def lists_changed(places: Places, access: Access) -> Iterator[str]:
    """The lists without which one command does what a write says: it sets or asks for a value there."""
    for name, paired in places.paired[access.entity]:
        if attributes_touched(paired, access):
            yield name


def apart_from_indexes(places: Places, steps: Iterable[StatementStep]) -> Iterator[StatementStep]:
    """The steps, in which an index on an attribute is not used if the attribute is in a list."""
    lists = _lists_of_indexes(places)
    if not lists:
        yield from steps
        return
    for step in steps:
        modes = []
        for mode in step.modes:
            without = tuple(dict.fromkeys(name for need in mode.needs for name in lists.get(need, ())))
            modes.append(replace(mode, without=(*mode.without, *without)) if without else mode)
        yield replace(step, modes=tuple(mode for mode in modes if not set(mode.needs) & set(mode.without)))


def _lists_of_indexes(places: Places) -> Mapping[str, tuple[str, ...]]:
    """By index, the lists that hold one of its attributes."""
    found: dict[str, tuple[str, ...]] = {}
    for entity, lists in places.paired.items():
        for index, part in places.with_entries(entity):
            named = {*(key for key, _ in part.keys), *(each.name for each in part.rows)}
            held = tuple(name for name, paired in lists if named & set(paired.attributes))
            if held:
                found[index] = held
    return found
