"""The shortest form of an INSERT with a rule for existing rows: one command for each row.

That is correct if the INSERT by itself is one command, the UPDATE or DELETE of the existing row is one command too, and both are
about the same document by its `_id`. They are planned like any others, and combined here.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from nestling.ir.constraints.partial_unique import PartialUnique
from nestling.ir.design import Design
from nestling.ir.model import Attribute, Entity, Model
from nestling.ir.paths.write_path import (
    Constant,
    DeleteDocuments,
    DocumentChange,
    FieldMatch,
    Give,
    GivenValue,
    IfThere,
    Increment,
    InsertOne,
    Items,
    Refuse,
    Set,
    UpdateDocuments,
    Violation,
    WritePlan,
    WriteStep,
    WrittenValue,
)
from nestling.ir.primitives import CollectionKind
from nestling.ir.statements.algebra import Scan
from nestling.ir.statements.expression import NULL, Expression, Literal, Parameter
from nestling.ir.statements.write import Conflict, ConflictAction, Delete, Insert, Update
from nestling.ir.types import TypeName
from nestling.planner.writes.draft.cells import GIVEN_NULL
from nestling.planner.writes.draft.fetch import FetchPrices, scan_of
from nestling.planner.writes.draft.write_draft import WriteDraft
from nestling.planner.writes.fitting_rows import fits
from nestling.planner.writes.insert import RowExpressions, written_rows
from nestling.planner.writes.proposed_rows import WRITTEN, proposed_checks, refuse_proposed
from nestling.planner.writes.rows_met_twice import refuse_twice
from nestling.planner.writes.rows_there import conflicting, groups_met, with_new_values
from nestling.planner.writes.single_command.direct import direct
from nestling.planner.writes.single_command.plain_conditions import (
    PlainCondition,
    by_its_row,
    is_given,
    plain_conditions,
)
from nestling.planner.writes.single_command.single_commands import shortest
from nestling.planner.writes.single_command.targets import give_whole_key, targets_of
from nestling.planner.writes.upsert import insert_row

_Fields = dict[str, WrittenValue]
"""What a new document holds, by path."""


def shortest_upsert(insert: Insert, conflict: Conflict, design: Design, prices: FetchPrices) -> WritePlan | None:
    """The plan of one command for each row; None where a row takes more than that."""
    entity = design.model.entity(insert.entity)
    rows = written_rows(insert.source, insert.attributes)
    if not rows or conflict.predicate is not None or not _is_sole_document(design, entity):
        return None
    scan = scan_of(entity, insert.alias)
    found = [_same_key(design, conflict, entity, scan, row) for row in rows]
    there = [each for each in found if each is not None]
    made = _made(insert, entity, rows, design, prices) if len(there) == len(rows) else None
    if made is None or (conflict.ignores and any(isinstance(step, Refuse) for step in made.steps)):
        return None
    if not all(_is_taken(insert, conflict, entity, row) for row in rows):
        return None
    steps = [*refuse_twice(design, entity, conflict, rows), *_refused(insert, conflict, entity, rows, design, prices)]
    left, waiting = dict.fromkeys(made.left), iter(zip(rows, there, strict=True))
    for step in made.steps:
        if not isinstance(step, InsertOne):
            steps.append(step)
            continue
        row, same = next(waiting)
        short = _met(step, conflict, design, scan, row, same, len(steps))
        if short is None:
            return None
        steps += short.steps
        left |= dict.fromkeys(short.left)
    return replace(made, steps=tuple(_without_unasked(steps)), left=tuple(left), counted=())


def _refused(
    insert: Insert,
    conflict: Conflict,
    entity: Entity,
    rows: Sequence[RowExpressions],
    design: Design,
    prices: FetchPrices,
) -> Iterator[WriteStep]:
    """What is asked of the new rows before any command."""
    for number, row in enumerate(rows):
        asked = proposed_checks(insert, conflict, entity, row, groups_met(design.model, entity, conflict, row))
        yield from refuse_proposed(design, entity, WRITTEN, asked, f"broken {entity.name} {number}", prices)


def may_be_one_command(insert: Insert, conflict: Conflict, model: Model) -> bool:
    """Whether it is one command wherever a row is a document of its own and nothing follows from it, by what it says alone."""
    rows = written_rows(insert.source, insert.attributes)
    if not rows or len(rows) > 1 or conflict.predicate is not None or insert.returning is not None:
        return False
    (row,), entity = rows, model.entity(insert.entity)
    scan = scan_of(entity, insert.alias)
    met = groups_met(model, entity, conflict, row)
    values = (with_new_values(each.expression, conflict.excluded, row) for each in conflict.assignments)
    is_by_key = [each if isinstance(each, PartialUnique) else {*each} for each in met] == [{*entity.key}]
    if (
        not is_by_key
        or proposed_checks(insert, conflict, entity, row, met)
        or not _is_taken(insert, conflict, entity, row)
    ):
        return False
    return all(map(is_given, row.values())) and all(by_its_row(scan, value) for value in values)


def _is_taken(insert: Insert, conflict: Conflict, entity: Entity, row: RowExpressions) -> bool:
    """Whether nothing has to be asked of the row's values before it is taken."""
    made = [item.attribute for item in insert.generated]
    return not conflict.needs_fit or fits(entity, row, made) is None


def _without_unasked(steps: Sequence[WriteStep]) -> Iterator[WriteStep]:
    """Rows that nothing is refused for need not be at hand: the documents are counted."""
    asked_of = {step.rows for step in steps if isinstance(step, Refuse)}
    return (step for step in steps if not isinstance(step, Give) or step.rows in asked_of)


def _is_sole_document(design: Design, entity: Entity) -> bool:
    """Whether a row is one document of a plain collection, and its key never NULL."""
    (place, *others) = design.places[entity.name]
    is_plain = place.store.options.kind is CollectionKind.PLAIN and place.copy is None
    return not others and is_plain and not any(entity.attribute(name).nullable for name in entity.key)


def _same_key(design: Design, conflict: Conflict, entity: Entity, scan: Scan, row: RowExpressions) -> Expression | None:
    """The condition that finds the document of the row that is there, by its whole `_id`; None where more tells it."""
    there = conflicting(design, entity, scan, groups_met(design.model, entity, conflict, row), row)
    conditions = None if there is None else plain_conditions(scan, there)
    if conditions is None or not _are_key(entity, conditions):
        return None
    targets = targets_of(design, entity, conditions) or ()
    where = [match for target in targets if not target.array for match in target.where]
    return there if [match.path for match in where] == ["_id"] else None


def _are_key(entity: Entity, conditions: Sequence[PlainCondition]) -> bool:
    return give_whole_key(entity, conditions) and {each.attribute for each in conditions} == set(entity.key)


def _made(
    insert: Insert, entity: Entity, rows: Sequence[RowExpressions], design: Design, prices: FetchPrices
) -> WritePlan | None:
    """The INSERT by itself, where it is one new document for each row."""
    work = WriteDraft(design, None, prices)
    for row in rows:
        insert_row(work, insert, entity, row)
        work.end_part()
    found = direct(work.plan(), design)
    new = [step for step in found.steps if isinstance(step, InsertOne)]
    others = (step for step in found.steps if not isinstance(step, InsertOne))
    is_plain = all(isinstance(step, Give) or _is_not_null(step) for step in others)
    return (
        found
        if is_plain and len(new) == len(rows) and all("_id" in dict(each.document.fields) for each in new)
        else None
    )


def _is_not_null(step: WriteStep) -> bool:
    return isinstance(step, Refuse) and step.violation is Violation.NOT_NULL


def _met(
    new: InsertOne, conflict: Conflict, design: Design, scan: Scan, row: RowExpressions, same: Expression, number: int
) -> WritePlan | None:
    """The command that makes the document, or does with the one that is there what the statement says."""
    match conflict.action:
        case ConflictAction.NOTHING:
            return WritePlan((replace(new, if_there=IfThere.LEAVE),), ())
        case ConflictAction.REPLACE:
            gone = shortest(Delete(scan, same), design)
            if gone is None or not all(isinstance(step, DeleteDocuments) for step in gone.steps):
                return None
            return WritePlan((replace(new, if_there=IfThere.REPLACE),), (), gone.left)
        case ConflictAction.UPDATE:
            return _updated(new, conflict, design, scan, row, same, number)


def _updated(
    new: InsertOne, conflict: Conflict, design: Design, scan: Scan, row: RowExpressions, same: Expression, number: int
) -> WritePlan | None:
    assignments = tuple(
        replace(each, expression=with_new_values(each.expression, conflict.excluded, row))
        for each in conflict.assignments
    )
    update, fields = Update(scan, assignments, same), dict(new.document.fields)
    where = (FieldMatch("_id", fields.pop("_id")),)
    for computed in (False, True):
        found = shortest(update, design, computed=computed)
        if found is None:
            return None
        *before, command = found.steps
        assert isinstance(command, UpdateDocuments)
        entity = design.model.entity(scan.entity)
        merged = _computed(entity, design, command, fields) if computed else _plain(command, fields)
        if merged is not None:
            needed = _unasked(before, entity, row, number)
            return WritePlan((*needed, replace(merged, where=where)), (), found.left)
    return None


def _unasked(before: Sequence[WriteStep], entity: Entity, row: RowExpressions, number: int) -> Iterator[WriteStep]:
    """The parameters looked at before the change that are not looked at before the INSERT; named apart for each row."""
    known = [row.get(each.name, NULL) for each in entity.attributes if not each.nullable]
    given = [value for step in before if isinstance(step, Give) for values in step.values for _, value in values]
    if all(value in known for value in given):
        return
    for step in before:
        assert isinstance(step, Give | Refuse)
        yield replace(step, rows=f"{step.rows} {number}") if number > 2 else step


# --- operators -------------------------------------------------------------------------------------------------------


def _plain(command: UpdateDocuments, fields: _Fields) -> UpdateDocuments | None:
    """The change by operators, where they make of nothing what the INSERT says; the other fields are set on insert."""
    if not all(_makes(change, fields.get(change.path, GIVEN_NULL)) for change in command.changes):
        return None
    changed = {change.path for change in command.changes}
    rest = tuple((path, value) for path, value in fields.items() if path not in changed and value != GIVEN_NULL)
    return replace(command, on_insert=rest)


def _makes(change: DocumentChange, value: WrittenValue) -> bool:
    """Whether a field that is not there becomes the value."""
    match change:
        case Set(value=known):
            return known == value
        case Increment(value=added, negative=False):
            return _same_number(added, value)
        case _:
            return False


def _same_number(added: WrittenValue, value: WrittenValue) -> bool:
    """Whether the number that is added is the value, however that is given: SQLite takes texts for numbers."""
    match added, value:
        case GivenValue(Parameter() as one), GivenValue(Parameter() as other):
            return one == other and not one.by_sqlite
        case Constant(number), GivenValue(Literal(known)):
            return type(known) is type(number) and known == number
        case _:
            return False


# --- stages ----------------------------------------------------------------------------------------------------------


def _computed(entity: Entity, design: Design, command: UpdateDocuments, fields: _Fields) -> UpdateDocuments | None:
    """The change as stages that ask whether the document was there, by a field no document lacks."""
    (place,) = design.places[entity.name]
    kept = {field.path: entity.attribute(field.attribute) for field in place.node.beside_id}
    sure = next((path for path, attribute in kept.items() if not attribute.nullable and _is_given(fields, path)), None)
    changed = {change.path for change in command.changes}
    rest = {path: value for path, value in fields.items() if value != GIVEN_NULL}
    loose = [path for path in rest if path in kept and _may_lack(kept[path], rest[path])]
    is_known = all(isinstance(value, GivenValue | Constant | Items) for value in rest.values())
    is_told = all(kept[path].type.name is not TypeName.JSON for path in (*loose, *changed))
    if sure is None or not is_known or not is_told or any("." in path for path in loose):
        return None
    return replace(command, on_insert=tuple(rest.items()), sure=sure)


def _is_given(fields: _Fields, path: str) -> bool:
    return isinstance(fields.get(path), GivenValue)


def _may_lack(attribute: Attribute, value: WrittenValue) -> bool:
    """Whether a document may lack the field, one that is there or a new one."""
    return attribute.nullable or not isinstance(value, GivenValue)
