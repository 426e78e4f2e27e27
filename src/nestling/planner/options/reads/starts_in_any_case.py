"""Where a read that asks for a text whatever its case starts: at the index of a unique group, or at one chosen for it.

Only if the rows are documents of their own, and nothing else is read with them: the whole read has the index's collation, with
which an index that compares texts exactly finds none.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from nestling.ir.candidate import IndexedAnyCase
from nestling.ir.design_problem import Mode
from nestling.ir.indexes.case_lookups import lookup_by, lookups_of
from nestling.ir.paths import work_of
from nestling.ir.paths.work import Work
from nestling.ir.statements.operators import Collation
from nestling.ir.types import TEXTS
from nestling.ir.workload import Access, AttributeFilter, Operator, Statement
from nestling.planner.options.modes import Modes
from nestling.planner.options.sizes.matching import compared_equal
from nestling.planner.options.statements.any_case_use import AnyCaseUse
from nestling.planner.options.structures.places import Home

HINT_NODES = 7.0
"""Expressions parsed that ask the index for the spellings of a text, beside the condition on its lower or upper case."""
MEANT_NODES = 26.0
"""Expression nodes that select, among the texts found, those equal but for the case of A to Z, beyond those without an index."""


def is_found_by_unique(modes: Modes, use: AnyCaseUse, statement: Statement, access: Access, home: Home) -> bool:
    """Whether the index of a unique group finds the rows: those the statement asks for, or those it searches before it writes."""
    if not home.own:
        return False
    equal, cased = compared_equal(access), access.compared(Operator.CASED)
    lookups = [each for each in lookups_of(modes.situation.model.entity(home.entity)) if each.serves(equal, cased)]
    if access.kind is not statement.kind:
        return bool(lookups)
    return bool(lookups) and len(statement.accesses) == 1 and use.is_read_by(statement, lookups) is not False


def chosen_for_case(
    modes: Modes, use: AnyCaseUse, statement: Statement, access: Access, home: Home
) -> Iterator[tuple[str, IndexedAnyCase, float]]:
    """The indexes that may be chosen for it, by their names, each with the rows it leads to."""
    if not home.own or len(statement.accesses) > 1 or access.kind is not statement.kind:
        return
    entity = modes.situation.model.entity(home.entity)
    for name, index in modes.places.any_case[home.entity]:
        lookup = lookup_by(entity.attribute(index.attributes[0]))
        is_asked = lookup.serves(compared_equal(access), access.compared(Operator.CASED))
        if is_asked and use.is_read_by(statement, (lookup,)):
            yield name, index, _rows(modes, access, index)


def told_apart(modes: Modes, index: IndexedAnyCase) -> Work:
    """The work of parsing what the statement contains beyond a read without the index."""
    text = modes.situation.model.entity(index.entity).attribute(index.attributes[0])
    return work_of.parse(HINT_NODES if text.collation is Collation.BINARY else MEANT_NODES)


def _rows(modes: Modes, access: Access, index: IndexedAnyCase) -> float:
    """How many the attributes lead to that the access asks for, one after the other."""
    asked = {each.attribute: each for each in access.filters if _finds(each)}
    rows = modes.sizes.rows(access.entity)
    for name in index.attributes:
        if name not in asked:
            break
        rows *= modes.sizes.share(access, asked[name])
    return max(rows, 1.0)


def _finds(condition: AttributeFilter) -> bool:
    return condition.operator in (Operator.EQUALITY, Operator.CASED)


def apart(modes: Modes, entity: str) -> tuple[str, ...]:
    """What makes several collections of the rows: none of their reads has a collation then."""
    places = modes.places
    return tuple(name for each in (places.cold, places.archives) for name, _ in each[entity])


def but_for_texts(modes: Modes, mode: Mode, entity: str, chosen: tuple[str, ...]) -> Mode:
    """A mode by another index, which finds no text where one of the chosen indexes is there."""
    texts = {each.name for each in modes.situation.model.entity(entity).attributes if each.type.name in TEXTS}
    places = modes.places
    by_text = {
        name
        for name, index in (*places.indexes[entity], *places.partial[entity])
        if texts & {attribute for attribute, _ in index.keys}
    }
    return replace(mode, without=(*mode.without, *chosen)) if chosen and by_text & set(mode.needs) else mode
