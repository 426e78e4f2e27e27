"""INSERT: the rows as their attributes keep them, given or computed by the server, each put into its home."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from nestling.ir.constraints.defaults import NEW_IDS, NUMBERED, asks_for_number
from nestling.ir.model import Entity
from nestling.ir.paths.write_path import NEW, Each, Fetch, Give, Refuse, Violation, WriteStep
from nestling.ir.statements.algebra import Named, Project, Relation, Values, filtered
from nestling.ir.statements.expression import (
    NULL,
    Arithmetic,
    AttributeCast,
    Case,
    Column,
    Expression,
    IsNull,
    Literal,
    Parameter,
    ScalarSubquery,
)
from nestling.ir.statements.operands import nullable
from nestling.ir.statements.operators import ArithmeticOperator, Rules
from nestling.ir.statements.write import GeneratedValue, Insert, Write
from nestling.ir.storage.layout import Node, NodeKind
from nestling.ir.types import INTEGER
from nestling.planner.reads.collation import has_two_collations
from nestling.planner.reads.traverse import rewritten, single
from nestling.planner.upkeep import ChangeKind
from nestling.planner.writes.constraints import refuse_nulls, refuse_same, unguarded
from nestling.planner.writes.draft.cells import Cells, column
from nestling.planner.writes.draft.fetch import cell, fetch, plan, same_row
from nestling.planner.writes.draft.gaps import write_gap
from nestling.planner.writes.draft.phases import WritePhase
from nestling.planner.writes.draft.write_draft import WriteDraft
from nestling.planner.writes.foreign_keys.parent_locks import held_parent
from nestling.planner.writes.numbered_rows import with_places
from nestling.planner.writes.numbers_given import (
    cross_numbers,
    highest,
    never_return,
    next_numbers,
    raise_counters,
    taken_for_rows,
)
from nestling.planner.writes.places.home_copies import refuse_copied_home, refuse_home_copies
from nestling.planner.writes.places.initial_copies import copied_fields, with_copied
from nestling.planner.writes.returning import count_and_return
from nestling.planner.writes.row_changes import listed_ids as listed
from nestling.planner.writes.row_changes.added_rows import added
from nestling.planner.writes.row_changes.guarded_push import guard
from nestling.planner.writes.row_changes.initial_values import copied_whole, filled_whole
from nestling.planner.writes.row_changes.orphans import adopted
from nestling.planner.writes.row_set_upkeep import add_upkeep
from nestling.planner.writes.unindexed_uniques import conflicts_of_groups, refuse_some

RowExpressions = dict[str, Expression]
_MORE_ROWS = "the SELECT returned more rows than when their numbers were assigned: run the statement again"


def insert_rows(
    work: WriteDraft,
    entity: Entity,
    attributes: Sequence[str],
    source: Relation,
    generated: Sequence[GeneratedValue] = (),
    condition: Expression | None = None,
) -> None:
    """Plan the rows of the source, its columns in the order of `attributes`; only where the condition holds."""
    refuse_copied_home(work.design, entity.name)
    refuse_home_copies(work.design, entity.name, frozenset(entity.attribute_names))
    name, row = work.name(f"new {entity.name}"), Cells(entity, NEW)
    unsure = _rows_at_hand(work, entity, attributes, source, generated, condition, name)
    count_and_return(work, entity, NEW, name)
    refuse_nulls(work, entity, unsure, name)
    inside = guard(work.design, row)
    open_groups = [each for each in unguarded(work.design, entity) if inside is None or each != inside.key]
    steps: list[WriteStep] = [
        *conflicts_of_groups(work.design, row, open_groups),
        *refuse_same(work.design, row, open_groups),
    ]
    steps += refuse_some(work.design, row)
    numbered = _numbered_in(generated)
    given = _given(numbered, attributes, source)
    steps += [*raise_counters(entity, given, row), *added(work.design, entity, row, name, inside)]
    steps += cross_numbers(work.design, entity, numbered, given)
    work.add(WritePhase.ADD, [Each(name, tuple(steps))])
    listed.enter(work, row, name, frozenset(entity.attribute_names))
    work.add(WritePhase.SETTLE, adopted(work.design, entity, name, frozenset(entity.attribute_names)))
    settled = inside.link if inside is not None else None
    links = [link for link in work.model.parents_of(entity.name) if link.enforced and link != settled]
    asked_first = _copied_from(work, entity)
    for link in links:
        phase = WritePhase.REFUSE if link.name in asked_first else WritePhase.CHECK
        if checks := tuple(held_parent(work.design, row, link)):
            work.add(phase, [Each(name, checks, by=tuple(row.column(name) for name in link.child_attributes))])
    filled = filled_whole(work.design, entity)
    add_upkeep(
        work, entity, ChangeKind.INSERT, name, filled=filled, copied=(*filled, *copied_whole(work.design, entity))
    )


def _home_node(work: WriteDraft, entity: Entity) -> Node:
    node = work.design.places[entity.name][0].node
    return node.children[0] if node.kind is NodeKind.GROUP else node


def _copied_from(work: WriteDraft, entity: Entity) -> set[str]:
    """The relationships whose parents a new document copies: without one the document would not pass the validator."""
    first = {each.copy.path[0].relationship for each in copied_fields(_home_node(work, entity))}
    return {name for name in first if work.model.relationship(name).parent != entity.name}


def _rows_at_hand(
    work: WriteDraft,
    entity: Entity,
    attributes: Sequence[str],
    source: Relation,
    generated: Sequence[GeneratedValue],
    condition: Expression | None,
    name: str,
) -> list[str]:
    """Plan how the rows are obtained; returns the attributes that may be NULL."""
    rows, node = written_rows(source, attributes), _home_node(work, entity)
    _refuse_mixed(entity, generated, rows or ())
    new_ids = _with_new_ids(work, entity, generated, rows) if rows is not None else []
    taken_here = _with_new_numbers(work, entity, generated, rows) if rows is not None else []
    attributes = tuple(dict.fromkeys((*attributes, *new_ids, *taken_here)))
    copied = copied_fields(node)
    made = _made(generated, rows) if rows is not None else _left(entity, generated, attributes, source)
    of_rows = () if rows is not None or single(source) else never_return(entity, made)
    plain = rows is not None and all(_is_plain(value) for row in rows for value in row.values())
    if rows is not None and condition is None and plain and (len(rows) == 1 or not (made or copied)):
        complete = [{a: row.get(a, NULL) for a in entity.attribute_names} for row in rows]
        given = Give(name, tuple(tuple((column(NEW, a), value) for a, value in row.items()) for row in complete))
        work.add(WritePhase.FETCH, _completed(work, entity, node, given, made) if made or copied else [given])
        known = {*made, *new_ids, *taken_here}
        return [a for a in entity.attribute_names if a not in known and any(nullable(row[a]) for row in complete)]
    if rows is not None:  # a parameter is kept as its attribute keeps it, and not as the column of a relation
        columns = tuple(Column("given row", name, entity.attribute(name).type) for name in attributes)
        source = Values("given row", columns, tuple(tuple(row.values()) for row in rows))
    if made and rows is not None:
        computed = _numbered(work, entity, rows, made, condition)
    else:
        computed = _computed(work, entity, attributes, filtered(source, condition), made)
    work.add(
        WritePhase.FETCH, _fetched(work, entity, node, computed, name, is_alone=rows is not None and len(rows) == 1)
    )
    lacking = [Refuse(name, Violation.KEY, _MORE_ROWS, (column(NEW, a),), entity.full_names([a])) for a in of_rows]
    work.add(WritePhase.REFUSE, lacking)
    return [a for a in entity.attribute_names if a not in of_rows]


def _fetched(
    work: WriteDraft, entity: Entity, node: Node, computed: Relation, name: str, *, is_alone: bool
) -> list[WriteStep]:
    """The rows with what they copy. For a single row the copies are read separately if another collation finds them."""
    if not copied_fields(node):
        return [Fetch(name, plan(work.design, computed, work.prices))]
    names = {attribute: column(NEW, attribute) for attribute in entity.attribute_names}
    whole = with_copied(work, node, computed, names)
    if not is_alone or not has_two_collations(whole, work.design):
        return [Fetch(name, plan(work.design, whole, work.prices))]
    types, stated = Cells(entity, NEW).types(), work.name(f"stated {entity.name}")
    row = plan(work.design, with_copied(work, node, same_row(types), names))
    one = Fetch(stated, plan(work.design, computed, work.prices))
    return [Give(name, ()), one, Each(stated, (fetch(name, row, tuple(types)),))]


def _completed(work: WriteDraft, entity: Entity, node: Node, given: Give, made: Sequence[str]) -> list[WriteStep]:
    """The statement's single row, with its generated numbers and what it copies."""
    types = Cells(entity, NEW).types()
    names = {attribute.name: column(NEW, attribute.name) for attribute in entity.attributes}
    cells: RowExpressions = {attribute: cell(name, types[name]) for attribute, name in names.items()}
    row = _numbered(work, entity, [cells], made) if made else same_row(types)
    row = with_copied(work, node, row, names) if copied_fields(node) else row
    stated = replace(given, rows=work.name(f"stated {entity.name}"))
    return [stated, Each(stated.rows, (fetch(given.rows, plan(work.design, row), tuple(types)),))]


# --- rows that stand in the statement ---------------------------------------------------------------------------------


def written_rows(source: Relation, attributes: Sequence[str]) -> list[RowExpressions] | None:
    """The rows by attribute, where they are written in the statement."""
    rows = _rows(source)
    return None if rows is None else [dict(zip(attributes, row, strict=True)) for row in rows]


def _rows(relation: Relation) -> list[tuple[Expression, ...]] | None:
    match relation:
        case Values():
            return list(relation.rows)
        case Project():
            below = _rows(relation.input)
            if below is None:
                return None
            names = [(c.alias, c.name) for c in relation.input.columns]
            return [
                tuple(_put(out.expression, dict(zip(names, row, strict=True))) for out in relation.outputs)
                for row in below
            ]
        case _:
            return None


def _put(expression: Expression, values: dict[tuple[str, str], Expression]) -> Expression:
    def change(inner: Expression) -> Expression | None:
        return values.get((inner.alias, inner.name)) if isinstance(inner, Column) else None

    found = rewritten(expression, change)
    if not isinstance(found, AttributeCast) or not isinstance(found.operand, Literal):
        return found
    return NULL if asks_for_number(found.operand.value, zero_asks=found.numbered) else found


def _is_plain(value: Expression) -> bool:
    if isinstance(value, AttributeCast):
        return isinstance(value.operand, Literal | Parameter)
    return isinstance(value, Literal | Parameter)


# --- rows the server computes ----------------------------------------------------------------------------------------


def _computed(
    work: WriteDraft, entity: Entity, attributes: Sequence[str], source: Relation, made: Sequence[str]
) -> Relation:
    """The source's rows, with the next numbers for the attributes in `made`."""
    rows, place = source, None
    if made and not single(source):
        source, place = with_places(work, source)
    given = dict(zip(attributes, source.columns, strict=False))
    outputs = (
        Named(column(NEW, name), _row_number(work, entity, name, known, rows, place) if name in made else known)
        for name in entity.attribute_names
        for known in (given.get(name, NULL),)
    )
    return Project(source, "new", tuple(outputs))


def _row_number(
    work: WriteDraft, entity: Entity, attribute: str, known: Expression, rows: Relation, place: Expression | None
) -> Expression:
    if place is not None and never_return(entity, [attribute]):
        return taken_for_rows(work, entity, attribute, rows, place)
    return _number(work, entity, attribute, known, place)


def _made(generated: Sequence[GeneratedValue], rows: list[RowExpressions]) -> list[str]:
    """The attributes that the server numbers for some row. A parameter is taken for a number: see `numbered_parameters`."""
    numbered = _numbered_in(generated)
    return [name for name in numbered if any(_may_lack(row.get(name, NULL)) for row in rows)]


def _refuse_mixed(entity: Entity, generated: Sequence[GeneratedValue], rows: Sequence[RowExpressions]) -> None:
    """A gap where a row is numbered after one that gives a number: databases go on from that, row by row."""
    for name in _numbered_in(generated):
        values = [row.get(name, NULL) for row in rows]
        given = [place for place, value in enumerate(values) if value != NULL]
        lacking = [place for place, value in enumerate(values) if _may_lack(value)]
        if given and lacking and given[0] < lacking[-1]:
            raise write_gap(
                f"INSERT that gives `{name}` of `{entity.name}` in one row and lets the database number a later one:"
                " write the numbered rows first, or in a separate statement"
            )


def _numbered_in(generated: Iterable[GeneratedValue]) -> list[str]:
    return [item.attribute for item in generated if item.how in NUMBERED]


def _given(numbered: Sequence[str], attributes: Sequence[str], source: Relation) -> list[str]:
    """The numbered attributes for which the statement may give a number."""
    rows = written_rows(source, attributes)
    if rows is None:
        return [name for name in numbered if name in attributes]
    return [name for name in numbered if any(row.get(name, NULL) != NULL for row in rows)]


def _may_lack(value: Expression) -> bool:
    return nullable(value) and _parameter_of(value) is None


def _parameter_of(value: Expression) -> Parameter | None:
    """The parameter that is the whole value, possibly with a cast to its attribute; None for anything else."""
    bare = value.operand if isinstance(value, AttributeCast) else value
    return bare if isinstance(bare, Parameter) else None


def numbered_parameters(write: Write) -> dict[str, bool]:
    """Return the parameters that fill numbered attributes, and whether 0 requests the next number as NULL does.

    If a value requests a number, the caller must write NULL in place of the parameter.
    """
    if not isinstance(write, Insert):
        return {}
    numbered = _numbered_in(write.generated)
    values = [row.get(name, NULL) for row in written_rows(write.source, write.attributes) or () for name in numbered]
    found = ((_parameter_of(value), isinstance(value, AttributeCast) and value.numbered) for value in values)
    return {parameter.name: zero_asks for parameter, zero_asks in found if parameter is not None}


def _left(
    entity: Entity, generated: Sequence[GeneratedValue], attributes: Sequence[str], source: Relation
) -> list[str]:
    """The attributes that a SELECT leaves to be numbered. Raises a gap for other values generated by the client per row."""
    given, found = dict(zip(attributes, source.columns, strict=True)), list[str]()
    for item in generated:
        known = given.get(item.attribute)
        if known is not None and not known.nullable:
            continue
        if item.how not in NUMBERED or not (single(source) or known is None):
            what = "leaves" if known is None else "may give NULL for"
            move = "" if known is None else "; give a value that cannot be NULL, as with COALESCE"
            raise write_gap(
                f"INSERT … SELECT that {what} `{item.attribute}` of `{entity.name}`, which has to be generated ({item.how}){move}"
            )
        found.append(item.attribute)
    return found


def taken_numbers(entity: Entity, write: Insert) -> tuple[str, ...]:
    """The attributes whose numbers are taken from a counter before there are rows."""
    rows = written_rows(write.source, write.attributes)
    if rows is not None:
        return never_return(entity, _made(write.generated, rows))
    return never_return(entity, [name for name in _numbered_in(write.generated) if name not in write.attributes])


def given_numbers(entity: Entity, write: Insert) -> tuple[str, ...]:
    """The attributes whose counters are raised to numbers that the statement gives."""
    return never_return(entity, _given(_numbered_in(write.generated), write.attributes, write.source))


def is_computed(entity: Entity, write: Insert) -> bool:
    """Whether the server computes or numbers values of rows that are written in the statement."""
    rows = written_rows(write.source, write.attributes) or []
    is_plain = all(_is_plain(value) for row in rows for value in row.values())
    return not is_plain or len(_made(write.generated, rows)) > len(taken_numbers(entity, write))


def _with_new_ids(
    work: WriteDraft, entity: Entity, generated: Sequence[GeneratedValue], rows: list[RowExpressions]
) -> list[str]:
    """Give the rows new ids, which whoever runs the write makes; the attributes that have them."""
    found = [item.attribute for item in generated if item.how in NEW_IDS]
    for row in rows:
        for name in found:
            kind = entity.attribute(name).type
            row[name] = AttributeCast(work.names.new_id(kind), kind, Rules.POSTGRESQL)
    return found


def _with_new_numbers(
    work: WriteDraft, entity: Entity, generated: Sequence[GeneratedValue], rows: list[RowExpressions]
) -> list[str]:
    """Give the rows the next numbers that are never reused. Return the attributes that have them."""
    found = list(never_return(entity, _made(generated, rows)))
    for name in found:
        lacking = [row for row in rows if _may_lack(row.get(name, NULL))]
        for row, number in zip(lacking, next_numbers(work, entity, name, len(lacking)), strict=True):
            row[name] = _unless_known(row.get(name, NULL), number)
    return found


def _unless_known(known: Expression, number: Expression) -> Expression:
    return number if known == NULL else Case(((IsNull(known), number),), known, INTEGER)


def _numbered(
    work: WriteDraft,
    entity: Entity,
    rows: list[RowExpressions],
    made: Sequence[str],
    condition: Expression | None = None,
) -> Relation:
    """The statement's rows, with the next numbers where they have none."""
    place = Column("given", "its place", INTEGER, nullable=False)
    columns = (*(Column("given", a.name, a.type) for a in entity.attributes), place)
    cells = tuple(
        (*(row.get(name, NULL) for name in entity.attribute_names), Literal(number, INTEGER))
        for number, row in enumerate(rows)
    )
    outputs = []
    for known, attribute in zip(columns, entity.attributes, strict=False):
        value: Expression = known
        if attribute.name in made:
            value = _number(work, entity, attribute.name, known, place)
        outputs.append(Named(column(NEW, attribute.name), value))
    return Project(filtered(Values("given", columns, cells), condition), "new", tuple(outputs))


def _number(
    work: WriteDraft, entity: Entity, attribute: str, known: Expression, place: Expression | None = None
) -> Expression:
    """The known number or else the next one; with several rows, offset by the row's place."""
    if never_return(entity, [attribute]):
        (following,) = next_numbers(work, entity, attribute, 1)
        return _unless_known(known, following)
    following = _next_number(work, entity, attribute)
    if place is not None:
        following = Arithmetic(ArithmeticOperator.ADD, following, place, INTEGER)
    return _unless_known(known, following)


def _next_number(work: WriteDraft, entity: Entity, attribute: str) -> Expression:
    """One more than the highest existing number."""
    there = ScalarSubquery(highest(work, entity, attribute), INTEGER)
    one = Literal(1, INTEGER)
    return Case(((IsNull(there), one),), Arithmetic(ArithmeticOperator.ADD, there, one, INTEGER), INTEGER)
