"""Relationships that no foreign key declares and statements join along: columns made equal to the whole key of another table.

Many databases declare none (MyISAM tables, applications that check for themselves). A join by `bids.item_id = items.id` says as
much, but promises nothing: such a relationship is neither enforced nor required.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from nestling.ir.model import Cardinality, Entity, Model, Relationship
from nestling.ir.quantity_words import first_of
from nestling.ir.statements.sql_dialects import SQLITE
from nestling.sources.roles import parent_role
from nestling.sources.statements.blocks import blocks
from nestling.sources.statements.footprint import StatementFootprint, footprint
from nestling.sources.statements.joins import Links
from nestling.sources.statements.occurrences import ColumnOrigin, Occurrence
from nestling.sources.statements.placeholders import normalise


@dataclass(frozen=True, slots=True)
class ComparedColumns:
    """Columns of one entity that statements compare with a key of another; names are in the order of that key."""

    child: str
    columns: tuple[str, ...]
    parent: str
    key: tuple[str, ...]

    @property
    def pairs(self) -> frozenset[tuple[str, str]]:
        """Column by column, in no order."""
        return frozenset(zip(self.columns, self.key, strict=True))


@dataclass(frozen=True, slots=True)
class NamedSql:
    """A statement of a workload as it is written, and its dialect."""

    name: str
    sql: str
    dialect: str


def named_statements(text: str, dialect: str) -> Iterator[NamedSql]:
    """The statements in the text of a workload file."""
    return (NamedSql(each.name, each.sql, dialect) for each in blocks(text.removeprefix("\ufeff"), dialect) if each.sql)


def with_joined(model: Model, statements: Iterable[NamedSql]) -> tuple[Model, tuple[str, ...]]:
    """The model with a relationship for each reference the workload's statements join along, and a note about each."""
    found: dict[ComparedColumns, list[str]] = defaultdict(list)
    declared = {(link.child, link.parent, _pairs(link)) for link in model.relationships}
    for name, joins in _joins(model, statements):
        for reference in _references(joins):
            if (reference.child, reference.parent, reference.pairs) not in declared:
                found[reference].append(name)
    taken = {link.name for link in model.relationships} | {link.name for link in model.many_to_many}
    links = []
    for reference in found:
        link = _relationship(model, reference, taken)
        taken.add(link.name)
        links.append(link)
    notes = tuple(_note(reference, found[reference]) for reference in found)
    return replace(model, relationships=(*model.relationships, *links)), notes


def _pairs(link: Relationship) -> frozenset[tuple[str, str]]:
    return frozenset(zip(link.child_attributes, link.parent_attributes, strict=True))


def _joins(
    model: Model, statements: Iterable[NamedSql]
) -> Iterator[tuple[str, Iterable[tuple[ColumnOrigin, ColumnOrigin]]]]:
    """The columns each statement makes equal; what cannot be read is listed by whoever reads the workload itself."""
    links = Links(model)
    for each in statements:
        dialect = each.dialect or SQLITE
        read = footprint(normalise(each.sql, dialect).sql, model, dialect, links)
        if isinstance(read, StatementFootprint):
            yield each.name, read.joined


def _references(joins: Iterable[tuple[ColumnOrigin, ColumnOrigin]]) -> Iterator[ComparedColumns]:
    """For two tables of a statement: whether the columns made equal hold a whole key of one and not of the other."""
    equal: dict[tuple[Occurrence, Occurrence], dict[str, str]] = defaultdict(dict)
    for (one, mine), (other, its) in joins:
        equal[one, other][its] = mine
        equal[other, one][mine] = its
    for (referring, referred), column_of in equal.items():
        child, parent = referring.entity, referred.entity
        for key in (group for group in (parent.key, *parent.uniques) if group and set(group) <= column_of.keys()):
            columns = tuple(column_of[name] for name in key)
            if (
                not _is_key(child, columns)
                and not refers_by_type(child, columns)
                and _alike(child, columns, parent, key)
            ):
                yield ComparedColumns(child.name, columns, parent.name, key)
                break


def refers_by_type(child: Entity, columns: tuple[str, ...]) -> bool:
    """Whether another column says whose id it is, as `commentable_type` does: rows refer to several entities."""
    names = {name.casefold() for name in child.attribute_names} - {name.casefold() for name in columns}
    return any(not names.isdisjoint(_types_of(name.casefold())) for name in columns)


def _types_of(column: str) -> Iterator[str]:
    """What the column would be called that says whose id this one is: as Rails, Django and Laravel name it."""
    if column in ("object_id", "object_pk", "object_uuid"):
        yield from ("content_type_id", "content_type", "object_type")
    stem = column.removesuffix("_id").removesuffix("_uuid")
    if stem != column:
        yield from (f"{stem}_type", f"{stem}_class", f"{stem}_type_id")


def _is_key(entity: Entity, columns: tuple[str, ...]) -> bool:
    """Where both sides are keys, nothing tells who refers to whom."""
    return any(set(group) <= set(columns) for group in (entity.key, *entity.uniques) if group)


def _alike(child: Entity, columns: tuple[str, ...], parent: Entity, key: tuple[str, ...]) -> bool:
    pairs = zip(columns, key, strict=True)
    return all(child.attribute(mine).type.name is parent.attribute(its).type.name for mine, its in pairs)


def _relationship(model: Model, reference: ComparedColumns, taken: Iterable[str]) -> Relationship:
    plain = f"{reference.parent}_{reference.child}"
    long = f"{plain}_by_{'_'.join(reference.columns)}"
    names = (plain, long, *(f"{long}_{number}" for number in range(2, len(model.relationships) + 100)))
    return Relationship(
        name=next(name for name in names if name not in set(taken)),
        parent=reference.parent,
        child=reference.child,
        parent_attributes=reference.key,
        child_attributes=reference.columns,
        cardinality=Cardinality.ONE_TO_MANY,
        parent_role=parent_role(reference.columns, reference.parent),
        child_role=reference.child,
        enforced=False,
    )


def _note(reference: ComparedColumns, statements: list[str]) -> str:
    joined = first_of([f"`{name}`" for name in statements], 1)
    refers = f"`{reference.child}` ({', '.join(reference.columns)}) is assumed to refer to `{reference.parent}`"
    return f"{refers}, as the joins of {joined} suggest; there is no such foreign key"
