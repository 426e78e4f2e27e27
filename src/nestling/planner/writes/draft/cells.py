"""The columns of the rows that were read: `id` is the `_id` of their document, `old_…` and `new_…` are values as stored."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from nestling.ir.model import Entity
from nestling.ir.paths.write_path import Cell, GivenValue, WrittenValue
from nestling.ir.primitives import Form, Holder
from nestling.ir.statements.expression import NULL
from nestling.ir.storage.layout import Node
from nestling.ir.storage.names import join, stored_name
from nestling.ir.types import Type

ID = "id"
GIVEN_NULL: WrittenValue = GivenValue(NULL)
"""A value that is always missing: a field set to it is removed."""


def column(prefix: str, attribute: str) -> str:
    """The column of an attribute's value before or after."""
    return prefix + stored_name(attribute)


def carried_column(position: int) -> str:
    """The column of what a row takes along unseen."""
    return f"carried_{position}"


@dataclass(frozen=True, slots=True)
class Cells:
    """The values of one row of an entity, before (`OLD`) or after (`NEW`); `carried`: it takes along what it holds."""

    entity: Entity
    prefix: str
    carried: bool = False

    def __getitem__(self, attribute: str) -> WrittenValue:
        return Cell(column(self.prefix, attribute))

    def column(self, attribute: str) -> str:
        """The name of an attribute's column."""
        return column(self.prefix, attribute)

    def of(self, attributes: Sequence[str]) -> Mapping[str, WrittenValue]:
        """By attribute, its value."""
        return {name: self[name] for name in attributes}

    def types(self) -> dict[str, Type]:
        """The columns and what kind of value each holds."""
        return {self.column(attribute.name): attribute.type for attribute in self.entity.attributes}


def carried_paths(node: Node) -> tuple[str, ...]:
    """What a row's document holds beside its attributes, relative to it: all that goes along when the row moves."""
    found: list[str] = []
    for child in node.children:
        if child.form is Form.INLINE:
            found += [join(child.field, field.path) for field in child.stored]
            found += [pairs.field for pairs in child.body.pairs]
            found += carried_paths(child)
            continue
        found.append(child.field)
        if child.embedding is not None and child.embedding.overflow is not None:
            found.append(child.embedding.overflow.flag)
    found += [item.field for item in node.body.references if item.holder is Holder.PARENT]
    for copy in node.body.copies:
        found += [field.path for field in copy.attributes] if copy.form is Form.INLINE else [copy.name]
    for computed in node.body.computed:
        found += [computed.field, *([computed.stamp] if computed.stamp else [])]
    return tuple(found)
