"""A write plan as a program of reads and atomic commands, plain data with places for parameters and cells."""

from __future__ import annotations

from dataclasses import replace
from typing import assert_never

from nestling.emitters.mql.read import compiled_read
from nestling.emitters.mql.unions import without_unions
from nestling.emitters.mql.write_changes import array_filters, conditions, operators, update_of
from nestling.emitters.mql.write_values import document, given, leaf
from nestling.ir.paths.write_path import (
    COUNT,
    HIGHEST,
    DeleteDocuments,
    Each,
    Fetch,
    Give,
    IfThere,
    InsertOne,
    NewNumbers,
    Refuse,
    UpdateDocuments,
    WritePlan,
    WriteStep,
)
from nestling.ir.programs.compiled import Mql, ReadPlan
from nestling.ir.programs.filling import parameters_of, without_nulls
from nestling.ir.programs.program import (
    MISSING,
    Action,
    CompiledWrite,
    ForEach,
    GivenRows,
    ProgramStep,
    ReadRows,
    RefuseRows,
    TakeNumbers,
    WriteCommand,
)
from nestling.ir.words.write_words import describe_write


def compiled_write(plan: WritePlan, *, name: str = "", sql: str = "") -> CompiledWrite:
    """The write, its parameters left open; raises a gap error for an expression MongoDB has no exact form for."""
    steps = tuple(map(_step, plan.steps))
    made = {each.name for each in plan.new_ids} | {name for each in plan.new_numbers for name in each.names}
    numbers = tuple(map(_taken, plan.new_numbers))
    asked = (*(each.count for each in numbers if each.count is not None), *steps)
    return CompiledWrite(
        name,
        sql,
        steps,
        tuple(each for each in dict.fromkeys(parameters_of(asked)) if each not in made),
        plan.needs_transaction,
        plan.counted,
        plan.left,
        plan.answer,
        plan.new_ids,
        numbers,
        plan,
        describe_write(plan),
    )


def _taken(numbers: NewNumbers) -> TakeNumbers:
    def asked(plan: ReadPlan, what: str) -> ReadRows:
        return ReadRows(f"{what} {numbers.counter}", without_unions(compiled_read(plan, name=what)))

    count = None if numbers.count is None else asked(numbers.count, COUNT)
    return TakeNumbers(numbers.names, numbers.counter, asked(numbers.highest, HIGHEST), count)


def _step(step: WriteStep) -> ProgramStep:
    match step:
        case Fetch(rows, plan, cells, lists, repeats):
            read = without_unions(compiled_read(plan, name=rows))
            return ReadRows(
                rows, replace(read, pipeline=tuple(map(without_nulls, read.pipeline))), cells, lists, repeats
            )
        case Give(rows, values):
            return GivenRows(rows, tuple(_row(row) for row in values))
        case Refuse(rows, violation, text, missing, attributes):
            return RefuseRows(rows, violation, text, missing, attributes)
        case Each(rows, steps, by, gathered):
            return ForEach(rows, tuple(map(_step, steps)), by, gathered)
        case InsertOne():
            return _insert(step)
        case UpdateDocuments():
            return _update(step)
        case DeleteDocuments(collection, where, many):
            return WriteCommand(Action.DELETE_MANY if many else Action.DELETE_ONE, collection, conditions(where))
        case _:
            assert_never(step)


def _row(values: tuple[tuple[str, object], ...]) -> Mql:
    found = ((column, given(expression)) for column, expression in values)  # type: ignore[arg-type]
    return {column: value for column, value in found if value is not MISSING}


def _insert(step: InsertOne) -> WriteCommand:
    """An insert of a row that may exist is an upsert by its `_id`: a failed insert would end the transaction."""
    if step.if_there is IfThere.REFUSE:
        return WriteCommand(Action.INSERT_ONE, step.collection, document=document(step.document))
    by_path = dict(step.document.fields)
    same: Mql = {"_id": {"$eq": leaf(by_path["_id"])}}
    if step.if_there is IfThere.REPLACE:
        whole = document(step.document)
        return WriteCommand(Action.REPLACE_ONE, step.collection, same, document=whole, upsert=True)
    rest = tuple(
        (path, found) for path, value in by_path.items() if path != "_id" and (found := leaf(value)) is not MISSING
    )
    return WriteCommand(Action.UPDATE_ONE, step.collection, same, {"$setOnInsert": dict(rest)}, upsert=True)


def _update(step: UpdateDocuments) -> WriteCommand:
    update, places = update_of(step)
    return WriteCommand(
        Action.UPDATE_MANY if step.many else Action.UPDATE_ONE,
        step.collection,
        conditions(step.where),
        update,
        array_filters=array_filters(step.filters),
        upsert=step.on_insert is not None,
        places=places,
        otherwise=tuple(map(_step, step.otherwise)),
        back=operators(step.back) if step.back else None,
        apart=step.apart,
    )
