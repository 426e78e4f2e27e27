"""Names of fields and collections that never collide."""

from __future__ import annotations

from collections.abc import Iterable

from nestling.ir.free_names import free_name
from nestling.ir.model import Entity, Relationship
from nestling.ir.primitives import Field
from nestling.ir.storage.names import stored_name


class TakenNames:
    """The names taken in one document or one database; each is given once."""

    def __init__(self, taken: Iterable[str] = ()) -> None:
        self.taken = set(taken)

    def free(self, *wanted: str) -> str:
        """The first wanted name that is free, else the first with the lowest number that makes it so: `parts_2`."""
        name = next((each for each in wanted if each not in self.taken), None) or free_name(wanted[0], self.taken)
        self.taken.add(name)
        return name


def attribute_fields(entity: Entity) -> dict[str, str]:
    """Attribute to its field name: the stored name, numbered where two attributes would be stored under the same one."""
    names = TakenNames({"_id"})
    plain = {name for name in entity.attribute_names if stored_name(name) == name}
    first = {name: names.free(name) for name in entity.attribute_names if name in plain}
    return {name: first.get(name) or names.free(stored_name(name)) for name in entity.attribute_names}


def renamed(entity: Entity) -> tuple[Field, ...]:
    """The `fields` a document must give, because the stored name alone would collide."""
    return tuple(Field(name, path) for name, path in attribute_fields(entity).items() if path != stored_name(name))


def embedded_name(names: TakenNames, link: Relationship) -> str:
    """The field of embedded children: their role, else their entity, else the columns that refer to the parent."""
    by = f"{link.child}_by_{'_'.join(link.child_attributes)}"
    return names.free(*(stored_name(name) for name in (link.child_role or link.child, link.child, by)))


def ids_name(names: TakenNames, role: str, *, many: bool) -> str:
    """The field of ids: `part_ids`, or `part_id` for one."""
    return names.free(stored_name(f"{role}_ids" if many else f"{role}_id"))
