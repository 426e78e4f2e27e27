"""Rows that a design has no place for, found before anything is written."""

from __future__ import annotations

from collections.abc import Iterator

from nestling.common.errors import LoadError, Problem
from nestling.executors.load.level import own_columns
from nestling.ir.design import Design
from nestling.ir.model import Relationship
from nestling.ir.primitives import Holder
from nestling.ir.quantity_words import agreeing, counted
from nestling.ir.rows import RowQuery, RowSource
from nestling.ir.storage.layout import every_document

SHOWN_KEYS = 5


def check_parents(design: Design, source: RowSource) -> None:
    """Raise `LoadError` naming every relationship with child rows that would have no home or lose their foreign key."""
    problems = [problem for needed in _needed(design) if (problem := _dangling(design, source, *needed))]
    if problems:
        raise LoadError(*problems)


def _needed(design: Design) -> Iterator[tuple[str, bool, str]]:
    """Relationships whose child rows need a parent, whether NULL is allowed, and what to do about rows without one."""
    for body in every_document(design.collections):
        for embedding in body.embeddings:
            if embedding.orphans is None:
                yield (
                    embedding.relationship,
                    False,
                    f"give such rows a collection: `orphans: …` in `{embedding.field}`",
                )
        for reference in body.references:
            link = design.model.relationship(reference.relationship)
            if reference.holder is Holder.PARENT and design.only_listed(link):
                yield (
                    reference.relationship,
                    True,
                    f"store the id in the child as well: `{link.name}: two-way-reference`",
                )


def _dangling(design: Design, source: RowSource, name: str, null_is_fine: bool, move: str) -> Problem | None:
    link = design.model.relationship(name)
    child = design.model.entity(link.child)
    shown = child.key or child.attribute_names[:3]
    columns = own_columns((*shown, *link.child_attributes))
    held = [columns.index(column) for column in own_columns(design.only_listed(link))] if null_is_fine else []
    count, first = 0, []
    for row in source.rows(RowQuery(child.name, columns, without_parent=name)):
        if held and all(row[place] is None for place in held):
            continue  # a NULL that no parent lists stays one
        count += 1
        if count <= SHOWN_KEYS:
            first.append(row[: len(shown)])
    return _problem(link, shown, count, first, move) if count else None


def _problem(
    link: Relationship, shown: tuple[str, ...], count: int, first: list[tuple[object, ...]], move: str
) -> Problem:
    keys = ", ".join(repr(key[0]) if len(key) == 1 else repr(key) for key in first)
    more = ", …" if count > len(first) else ""
    what = f"{counted(count, 'row')} of `{link.child}` {agreeing(count, 'refers', 'refer')} to no `{link.parent}`"
    return Problem(f"{what}: {', '.join(shown)} {keys}{more}", where=link.name, next_move=f"{move}; or fix the source")
