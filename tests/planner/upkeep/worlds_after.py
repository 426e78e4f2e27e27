"""A world's rows before and after one statement: rows of one entity that came, went or have other values."""

from __future__ import annotations

from hypothesis import strategies as st

from nestling.ir.model import Model
from tests.generators.worlds import Row, World, is_loose

Rows = dict[str, list[Row]]


@st.composite
def rows_after(draw: st.DrawFn, world: World, entity: str) -> tuple[Rows, Rows]:
    """The rows of every entity before and after the change of one."""
    rows = world.rows[entity]
    if not rows:
        return world.rows, world.rows
    chosen = set(draw(st.lists(st.integers(0, len(rows) - 1), min_size=1, max_size=3, unique=True)))
    fewer = world.rows | {entity: [row for number, row in enumerate(rows) if number not in chosen]}
    match draw(st.sampled_from(("insert", "delete", "update", "update", "update"))):
        case "insert":
            return fewer, world.rows
        case "delete":
            return world.rows, fewer
        case _:
            kept = [_mixed(draw, world.model, entity, n, rows) if n in chosen else row for n, row in enumerate(rows)]
            return world.rows, world.rows | {entity: kept}


def _mixed(draw: st.DrawFn, model: Model, entity: str, number: int, rows: list[Row]) -> Row:
    """The row with some values of another, or none, those of its key and of unique groups left as they are."""
    table, row = model.entity(entity), rows[number]
    others = [other for other in rows if other is not row]
    fixed = {*table.key, *(name for unique in table.uniques for name in unique)}
    free = [name for name in table.attribute_names if name not in fixed]
    if not free:
        return row
    changed = set(draw(st.lists(st.sampled_from(free), min_size=1, unique=True)))
    for link in model.parents_of(entity):  # a whole foreign key at a time
        if changed & set(link.child_attributes):
            changed |= set(link.child_attributes) - fixed
    nothing = tuple(
        None if attribute.nullable else value for attribute, value in zip(table.attributes, row, strict=True)
    )
    other = draw(st.sampled_from([*others, *others, nothing]))
    pairs = zip(table.attribute_names, row, other, strict=True)
    return tuple(theirs if name in changed else mine for name, mine, theirs in pairs)


def is_possible(model: Model, rows: Rows) -> bool:
    """Whether every row has the parents the model promises: an enforced foreign key leaves no row below none."""
    return not any(link.enforced and is_loose(model, link, rows) for link in model.relationships)
