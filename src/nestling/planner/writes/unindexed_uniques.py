"""Unique groups that no index of the server compares as the source does: a write searches for an existing row itself.

Transactions do not see each other: both could find no row and write theirs. So each also changes one common document of the
group, in a collection of ours; one of two simultaneous transactions is then retried and finds the other's row. For a partial
group only rows that it covers are checked in this way.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial

from nestling.ir.constraints.partial_unique import PartialUnique
from nestling.ir.design import Design
from nestling.ir.indexes.kept_uniques import looked_for
from nestling.ir.indexes.unchecked_keys import meets
from nestling.ir.model import Entity
from nestling.ir.paths.write_path import (
    Constant,
    Each,
    FieldMatch,
    Increment,
    Refuse,
    UpdateDocuments,
    Violation,
    WriteStep,
)
from nestling.ir.statements.algebra import (
    Named,
    Project,
    Relation,
    filtered,
)
from nestling.ir.statements.columns import over
from nestling.ir.statements.expression import Column, Expression, IsNull, Not
from nestling.ir.statements.operands import conjunction
from nestling.ir.statements.operators import Collation
from nestling.ir.storage.kept_numbers import TIMES
from nestling.ir.storage.names import NUMBERS_COLLECTION
from nestling.ir.words.write_words import same_words
from nestling.planner.reads.traverse import rewritten
from nestling.planner.writes.constraints import more_than, sharing_some
from nestling.planner.writes.draft.cells import Cells
from nestling.planner.writes.draft.fetch import cell, fetch, plan, same_row, scan_of


def is_looked_for(design: Design, entity: Entity, names: frozenset[str]) -> bool:
    """Whether a change of these attributes may break a group of some rows that no index keeps."""
    return any(names & {*each.attributes, *each.columns} for each in looked_for(design, entity))


def conflicts_of_groups(design: Design, row: Cells, groups: Sequence[tuple[str, ...]]) -> Iterator[WriteStep]:
    """Conflict with other writers of these groups if the row has values for them."""
    entity = row.entity
    for group in groups:
        by_case = any(entity.attribute(name).collation is Collation.NOCASE for name in group)
        if not by_case and not meets(design.model, entity, group, design.places[entity.name]):
            continue
        step, names = _met(entity, f"UNIQUE ({', '.join(group)})"), f"{entity.name} with {', '.join(group)}"
        if all(map(entity.always_has, group)):
            yield step
        else:
            yield fetch(names, plan(design, _among(row, group, group)), [row.column(name) for name in group])
            yield Each(names, (step,))


def refuse_some(design: Design, row: Cells, names: frozenset[str] | None = None) -> Iterator[WriteStep]:
    """Refuse a row that shares the values of a partial unique group with another row that the group covers.

    Before an INSERT there may be none; with `names`, the changed attributes, the row itself already exists.
    """
    most = 0 if names is None else 1
    for unique in looked_for(design, row.entity):
        if names is None or names & {*unique.attributes, *unique.columns}:
            yield from _refused(design, row, unique, most)


def _refused(design: Design, row: Cells, unique: PartialUnique, most: int) -> Iterator[WriteStep]:
    entity, among = row.entity, f"{row.entity.name} in {unique}"
    used = tuple(dict.fromkeys((*unique.attributes, *unique.columns)))
    yield fetch(
        among, plan(design, _among(row, unique.attributes, used, unique.condition)), [row.column(name) for name in used]
    )
    scan = scan_of(entity, "other")
    values = {name: cell(row.column(name), entity.attribute(name).type) for name in unique.attributes}
    same = filtered(
        scan,
        conjunction(sharing_some(design, entity, scan, unique, values), over(unique.condition, entity, scan.alias)),
    )
    name = f"{entity.name} sharing {unique}"
    about = entity.full_names(unique.attributes)
    text = f"{same_words(about)} ({unique})"
    look = fetch(name, plan(design, more_than(most, same)), [row.column(each) for each in unique.attributes])
    refused = Refuse(name, Violation.UNIQUE, text, attributes=about)
    yield Each(among, (_met(entity, str(unique)), look, refused))


def _among(row: Cells, group: Sequence[str], used: Sequence[str], condition: Expression | None = None) -> Relation:
    """The given row if it has a value for each attribute of the group and satisfies the condition; `used`: its columns needed."""
    at_hand = same_row({row.column(name): row.entity.attribute(name).type for name in used})
    columns = dict(zip(used, at_hand.columns, strict=True))
    there: list[Expression] = [Not(IsNull(columns[name])) for name in group]
    if condition is not None:
        there.append(rewritten(over(condition, row.entity, "new"), partial(_own, columns)))
    outputs = tuple(Named(row.column(name), columns[name]) for name in used)
    return Project(filtered(at_hand, conjunction(*there)), "among", outputs)


def _own(columns: dict[str, Column], inner: Expression) -> Expression | None:
    return columns[inner.name] if isinstance(inner, Column) and inner.alias == "new" else None


def _met(entity: Entity, group: str) -> WriteStep:
    one = FieldMatch("_id", Constant(f"{entity.name} {group}"))
    return UpdateDocuments(NUMBERS_COLLECTION, (one,), (Increment(TIMES, Constant(1)),), on_insert=())
