"""Names of a model that differ by case alone, as PostgreSQL lets quoted names do: a statement finds names whatever their case."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from nestling.ir.model import Entity, Model


def alike(names: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """Those names that others are when the case is left out, by what they then are."""
    found: dict[str, list[str]] = {}
    for name in names:
        found.setdefault(name.casefold(), []).append(name)
    return {folded: tuple(same) for folded, same in found.items() if len(same) > 1}


def alike_attributes(entities: Iterable[Entity]) -> dict[str, tuple[str, ...]]:
    """The same of attributes within an entity."""
    return {folded: same for each in entities for folded, same in alike(each.attribute_names).items()}


def alike_words(model: Model) -> Iterator[str]:
    """A note for each table, or pair of tables, with such names."""
    move = "statements that name them are gaps; rename all but one at the source"
    groups = [(f"`{each.name}`: ", alike(each.attribute_names)) for each in model.entities]
    for where, found in (("", alike(each.name for each in model.entities)), *groups):
        for same in found.values():
            yield f"{where}{' and '.join(f'`{name}`' for name in same)} differ by case alone: {move}"
