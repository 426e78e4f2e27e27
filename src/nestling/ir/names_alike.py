"""Names of a model that statements cannot distinguish.

Some differ only in case, as PostgreSQL allows for quoted names, while statements ignore case in names. Others become equal
because MongoDB does not allow the characters in which they differ.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from nestling.ir.model import Entity, Model
from nestling.ir.storage.names import stored_name


def alike(names: Iterable[str], told: Callable[[str], str] = str.casefold) -> dict[str, tuple[str, ...]]:
    """Group names that become equal under the function `told`, such as without case; keyed by the common form."""
    found: dict[str, list[str]] = {}
    for name in names:
        found.setdefault(told(name), []).append(name)
    return {folded: tuple(same) for folded, same in found.items() if len(same) > 1}


def alike_when_stored(entity: Entity) -> tuple[str, ...]:
    """Return the first group of attributes that statements cannot distinguish, such as `_id` and `_id_`; may be empty."""
    return next(iter(alike(entity.attribute_names, stored_name).values()), ())


def alike_attributes(entities: Iterable[Entity]) -> dict[str, tuple[str, ...]]:
    """By folded name, the attributes within one entity whose names differ only in case."""
    return {folded: same for each in entities for folded, same in alike(each.attribute_names).items()}


def alike_words(model: Model) -> Iterator[str]:
    """A note for each table, or pair of tables, with such names."""
    move = "statements that name them are not converted; rename all but one in the source"
    groups = [(f"`{each.name}`: ", alike(each.attribute_names)) for each in model.entities]
    for where, found in (("", alike(each.name for each in model.entities)), *groups):
        for same in found.values():
            yield f"{where}{' and '.join(f'`{name}`' for name in same)} differ only in case: {move}"
    for each in model.entities:
        if same := alike_when_stored(each):
            names = " and ".join(f"`{name}`" for name in same)
            gaps = f"statements on `{each.name}` are not converted; rename all but one in the source"
            yield f"`{each.name}`: {names} are the same name in MongoDB: {gaps}"
