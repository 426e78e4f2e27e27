"""The shortest forms of UPDATE and DELETE: one command by what the statement itself says, without reading a row first.

That is right where the rows lie at one place that plain comparisons find, nothing is kept of them elsewhere, nothing that
refers to them has to be looked at, and no value depends on another.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace

from nestling.ir.design import Design
from nestling.ir.model import Entity, OnDelete, Relationship
from nestling.ir.paths.row_steps import Layout
from nestling.ir.paths.write_path import (
    NEW,
    ComputeField,
    DeleteDocuments,
    DocumentChange,
    Fetch,
    Give,
    GivenValue,
    Increment,
    Pull,
    Refuse,
    Set,
    UpdateDocuments,
    Violation,
    WritePlan,
    WriteStep,
)
from nestling.ir.primitives import CollectionKind, Copy
from nestling.ir.statements.algebra import Named, Project, Scan, filtered
from nestling.ir.statements.expression import AttributeCast, Column, Expression, Literal, Parameter
from nestling.ir.statements.operands import columns_of, nullable, operands
from nestling.ir.statements.write import Delete, Update
from nestling.ir.storage.layout import Place, Role
from nestling.ir.storage.names import join
from nestling.ir.types import INTEGER
from nestling.planner.reads.traverse import rewritten
from nestling.planner.upkeep import ChangeKind, RowChange, emptied, fired_triggers, upkeeps_of
from nestling.planner.writes.constraints import unguarded, unique_groups
from nestling.planner.writes.draft.cells import GIVEN_NULL, column
from nestling.planner.writes.draft.fetch import plan
from nestling.planner.writes.foreign_keys.parent_locks import is_to_be_held
from nestling.planner.writes.places.placing import placing
from nestling.planner.writes.places.rows_inside import is_inside, lives_inside
from nestling.planner.writes.row_changes.listed_ids import listed_links
from nestling.planner.writes.single_command.plain_conditions import (
    PlainCondition,
    amount,
    by_its_row,
    is_given,
    never_by_null,
    parameter_in,
    plain_conditions,
)
from nestling.planner.writes.single_command.targets import RowTarget, give_whole_key, siblings, targets_of
from nestling.planner.writes.unindexed_uniques import is_looked_for


def shortest(write: Update | Delete, design: Design, *, computed: bool = False) -> WritePlan | None:
    """The plan with one command (two for an array element, which may be among the orphans); None if there is none.

    `computed`: the server computes new values even if operators can express them.
    """
    entity, conditions = design.model.entity(write.target.entity), plain_conditions(write.target, write.predicate)
    if conditions is None or any(place.copy is not None for place in design.places[entity.name]):
        return None
    targets = targets_of(design, entity, conditions)
    if targets is None:
        return _updated_siblings(design, entity, write, conditions) if isinstance(write, Update) else None
    if not all(_may_change(target.place) for target in targets):
        return None
    is_one = give_whole_key(entity, conditions) or _is_unique(design, entity, conditions)
    if isinstance(write, Delete):
        return _deleted(design, entity, targets, many=not is_one)
    return _updated(design, entity, write, targets, many=not is_one, computed=computed)


def _is_unique(design: Design, entity: Entity, conditions: Sequence[PlainCondition]) -> bool:
    """Whether no two documents can have the values asked for, as an index of the server keeps them unique."""
    equal = {each.attribute for each in conditions if each.is_equality}
    loose = unguarded(design, entity)
    return any(group not in loose and set(group) <= equal for group in unique_groups(design.model, entity))


def _may_change(place: Place) -> bool:
    kinds = (CollectionKind.TIME_SERIES, CollectionKind.CAPPED)
    has_files = any(split.gridfs for split in place.store.collection.splits)
    is_holder = any(copy.home for copy in place.node.body.copies)
    return place.store.options.kind not in kinds and not has_files and not is_holder


# --- what follows ----------------------------------------------------------------------------------------------------


def _left(design: Design, change: RowChange, done: Collection[Copy] = ()) -> tuple[str, ...] | None:
    """The upkeeps left to the background sync; None where one must be done with the statement. `done`: by its command itself."""
    due = [
        each
        for each in upkeeps_of(design)
        if any(
            trigger.back or each.what not in done
            for trigger in fired_triggers(design.model, each.freshness, each.triggers, change)
        )
    ]
    return tuple(each.id for each in due) if all(each.freshness.is_left for each in due) else None


def _deleted(design: Design, entity: Entity, targets: Sequence[RowTarget], *, many: bool) -> WritePlan | None:
    left = _gone_with(design, entity)
    if left is None or any(target.place.store.collection.splits for target in targets):
        return None
    steps: tuple[WriteStep, ...] = ()
    for target in reversed(targets):
        if target.array:
            pull = Pull(target.array, target.element)
            steps = (UpdateDocuments(target.place.store.name, target.where, (pull,), otherwise=steps),)
        elif steps:
            return None
        else:
            steps = (DeleteDocuments(target.place.store.name, target.where, many),)
    return WritePlan(steps, (), left)


def _gone_with(design: Design, entity: Entity) -> tuple[str, ...] | None:
    """What is left to the sync when rows go, with all that lies inside them; None where more must be done."""
    left = _left(design, RowChange(entity.name, ChangeKind.DELETE, ""))
    if left is None or listed_links(design, entity.name):
        return None
    for link in design.model.children_of(entity.name):
        if not _matters(design, link):
            continue
        inner = _gone_with(design, design.model.entity(link.child)) if _goes_along(design, link) else None
        if inner is None:
            return None
        left += inner
    return tuple(dict.fromkeys(left))


def _matters(design: Design, link: Relationship) -> bool:
    is_listed = link in listed_links(design, link.child)
    return link.enforced or is_listed or lives_inside(design, link)


def _goes_along(design: Design, link: Relationship) -> bool:
    """Whether all children lie inside the documents that go; those an enforced foreign key leaves alone refer to nothing."""
    if not link.enforced or link.on_delete is not OnDelete.CASCADE or link.is_self:
        return False
    return all(
        is_inside(place, link) or (place.store.role is Role.ORPHANS and _are_orphans_of(place, link))
        for place in design.places[link.child]
    )


def _are_orphans_of(place: Place, link: Relationship) -> bool:
    embedding = place.store.embedding
    return len(place.nodes) == 1 and embedding is not None and embedding.relationship == link.name


# --- new values ------------------------------------------------------------------------------------------------------


def _updated(
    design: Design,
    entity: Entity,
    write: Update,
    targets: Sequence[RowTarget],
    *,
    many: bool,
    computed: bool = False,
) -> WritePlan | None:
    values = {each.attribute: each.expression for each in write.assignments}
    names = frozenset(values)
    change = RowChange(entity.name, ChangeKind.UPDATE, "", names)
    lost = emptied(design, targets[0].place, change, values) if len(targets) == 1 else ()
    left = _left(design, change, [each.copy for each in lost])
    if left is None or _is_checked(design, entity, values) or any(names & placing(design, t.place) for t in targets):
        return None
    needed = [name for name in values if not entity.attribute(name).nullable and nullable(values[name])]
    asked_first = {name: _asked_first(values[name]) for name in needed}
    if not all(asked_first.values()):
        return None
    steps: tuple[WriteStep, ...] = ()
    for target in reversed(targets):
        changes = _changes(write.target, target, values, computed=computed)
        if changes is None or (lost and any(isinstance(each, ComputeField) for each in changes)):
            return None
        changes += tuple(Set(join(target.prefix, field), GIVEN_NULL) for each in lost for field in each.fields)
        steps = (
            UpdateDocuments(target.place.store.name, target.where, changes, target.filters, many, otherwise=steps),
        )
    never = never_by_null(plain_conditions(write.target, write.predicate) or ())
    looked_at = {
        name: [each for each in found if parameter_in(each) not in never] for name, found in asked_first.items()
    }
    return WritePlan((*_not_null(entity, looked_at), *steps), (), left)


def _updated_siblings(
    design: Design, entity: Entity, write: Update, conditions: Sequence[PlainCondition]
) -> WritePlan | None:
    """Elements of one parent's array change together; they are counted before, as a command tells of documents alone."""
    target = siblings(design, entity, conditions)
    if target is None or not _may_change(target.place):
        return None
    found = _updated(design, entity, write, [target], many=False)
    if found is None:
        return None
    rows = f"{entity.name} of the {target.place.nodes[0].entity}"
    counted = Project(filtered(write.target, write.predicate), "row", (Named("one", Literal(1, INTEGER)),))
    return replace(found, steps=(Fetch(rows, plan(design, counted)), *found.steps), counted=(rows,))


def _is_checked(design: Design, entity: Entity, values: Mapping[str, Expression]) -> bool:
    """Whether a constraint has to be asked for: a foreign key on either side, values that must be unique."""
    model, names = design.model, frozenset(values)
    up = any(is_to_be_held(link, values) for link in model.parents_of(entity.name))
    down = any(
        names & set(link.parent_attributes) and _matters(design, link) for link in model.children_of(entity.name)
    )
    ids = any(names & {*link.child_attributes, *entity.key} for link in listed_links(design, entity.name))
    unique = any(names & set(group) for group in unguarded(design, entity)) or is_looked_for(design, entity, names)
    return up or down or ids or unique


def _changes(
    scan: Scan, target: RowTarget, values: dict[str, Expression], *, computed: bool
) -> tuple[DocumentChange, ...] | None:
    """The values as operators, or computed by the server where these do not say them."""
    columns = {each.name: each for each in scan.columns}
    own = {field.attribute: field.path for field in target.node.beside_id}
    paths = {name: path for name in values if (path := own.get(name))}
    if len(paths) < len(values):
        return None
    if computed:
        return _computed(scan, target, paths, values)
    found = [_operator(join(target.prefix, paths[name]), columns[name], value) for name, value in values.items()]
    known = tuple(each for each in found if each is not None)
    return known if len(known) == len(found) else _computed(scan, target, paths, values)


def _operator(path: str, attribute: Column, value: Expression) -> DocumentChange | None:
    added = amount(attribute, value)
    if added is not None:
        return Increment(path, *added)
    return Set(path, GivenValue(value)) if is_given(value) else None


def _computed(
    scan: Scan, target: RowTarget, paths: dict[str, str], values: dict[str, Expression]
) -> tuple[DocumentChange, ...] | None:
    """Values made of the document's own, which no stage finds in an element of an array; nor does one take away a sub-document
    with the last of its fields.
    """
    read = {each.name: target.node.path_of(each.name) for value in values.values() for each in columns_of(value)}
    layout = Layout.of({(scan.alias, name): path for name, path in read.items() if path is not None})
    leaves_none = all("." not in paths[name] or not nullable(value) for name, value in values.items())
    is_known = all(by_its_row(scan, value) for value in values.values()) and None not in read.values()
    if target.array or not is_known or not leaves_none:
        return None
    return tuple(ComputeField(paths[name], value, layout) for name, value in values.items())


def _asked_first(value: Expression) -> tuple[Expression, ...]:
    """The parameters that make it NULL when they are; none where that is told by the rows alone."""
    parameters = tuple(_parameters(value))
    given = rewritten(value, lambda each: Literal(1, each.type) if isinstance(each, Parameter) else None)
    return () if nullable(given) else parameters


def _parameters(value: Expression) -> Iterator[Expression]:
    """The parameters in it, one that is all there is as the attribute keeps it."""
    if isinstance(value, Parameter) or (isinstance(value, AttributeCast) and isinstance(value.operand, Parameter)):
        yield value
    else:
        for inner in operands(value):
            yield from _parameters(inner)


def _not_null(entity: Entity, looked_at: Mapping[str, Sequence[Expression]]) -> tuple[WriteStep, ...]:
    """Parameters that may not be NULL, looked at before the command."""
    rows, text = f"{entity.name} as given", f"`{entity.name}` does not allow NULL"
    given = tuple(
        (column(NEW, name if number == 0 else f"{name} {number}"), value)
        for name, values in looked_at.items()
        for number, value in enumerate(values)
    )
    if not given:
        return ()
    about = entity.full_names(name for name, values in looked_at.items() for _ in values)
    return Give(rows, (given,)), Refuse(rows, Violation.NOT_NULL, text, tuple(name for name, _ in given), about)
