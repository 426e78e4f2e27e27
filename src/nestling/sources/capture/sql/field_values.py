"""What a field of a document is over the model."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from nestling.ir.primitives import Order
from nestling.sources.capture.sql.entity_rows import EntityRow, token


class NotExpressible(Exception):
    """Something of a shape that SQL over the model does not say; the text says what, for people."""


class AskedByKind(NotExpressible):
    """Only rows of one kind are asked for, and a capture keeps no values: there is a statement for each of these kinds."""

    def __init__(self, kinds: tuple[str, ...]) -> None:
        super().__init__(f"which of the kinds {', '.join(kinds)}")
        self.kinds = kinds


class AskedOfOtherKind(NotExpressible):
    """Raised for a condition on a field that only rows of another kind have: the command finds no rows of this kind."""


class AskedOfNoDocument(NotExpressible):
    """Raised for a condition that needs a value of a field that no document has, as far as the model knows."""


class LeftOut(NotExpressible):
    """A command that no design has to answer: a write that changes no row, or a filter that no document meets."""


@dataclass(frozen=True, slots=True)
class RowAttribute:
    """An attribute of a row."""

    row: EntityRow
    attribute: str
    nullable: bool = True

    @property
    def text(self) -> str:
        """The attribute with its row's alias, as in SQL."""
        return token(self.row, self.attribute)

    @property
    def name(self) -> str:
        """The name of parameters that are compared with it."""
        return self.attribute

    @property
    def may_be_null(self) -> bool:
        """Whether it may be NULL, be it because a left join found nothing."""
        return self.nullable or self.row.may_lack


@dataclass(frozen=True, slots=True)
class Sql:
    """An expression; `name` is what parameters compared with it are called."""

    text: str
    name: str = "value"
    may_be_null: bool = True


@dataclass(frozen=True, slots=True)
class DocumentTree:
    """A document; `row`: the row it stands for, if any, and `key`: an attribute that every such row has."""

    fields: Mapping[str, FieldValue]
    row: EntityRow | None = None
    key: str = ""


@dataclass(frozen=True, slots=True)
class Many:
    """An array whose elements are rows: `join(outer)` gives the first row joined for them and their own, `element` its value.

    `order` and `limit`: only the first of them are there. `own`: the elements are the row that has the array, as in a bucket.
    `refers`: the elements are keys of rows that lie elsewhere. `always`: it is there even if it is empty.
    """

    name: str
    join: Callable[[bool], tuple[EntityRow, EntityRow]]
    element: Callable[[EntityRow], FieldValue]
    order: tuple[Order, ...] = ()
    limit: int | None = None
    own: bool = False
    refers: bool = False
    always: bool = False


@dataclass(frozen=True, slots=True)
class Unmapped:
    """A field that is not an attribute of the model, and why."""

    why: str

    def refusal(self) -> NotExpressible:
        """The error for a command that depends on the field."""
        return NotExpressible(self.why)


@dataclass(frozen=True, slots=True)
class Absent(Unmapped):
    """A field that the model does not know, so that no document that was read has it."""

    def refusal(self) -> NotExpressible:
        """The error for a command that depends on the field."""
        return AskedOfNoDocument(self.why)


@dataclass(frozen=True, slots=True)
class OfOtherKind(Unmapped):
    """A field that only rows of another kind than the current one have."""

    def refusal(self) -> NotExpressible:
        """The error for a command that depends on the field."""
        return AskedOfOtherKind(self.why)


@dataclass(frozen=True, slots=True)
class Discriminator(Unmapped):
    """A field that tells which subtypes a row has: by its values, an attribute that no row of that subtype lacks."""

    kinds: Mapping[str, RowAttribute]


FieldValue: TypeAlias = RowAttribute | Sql | DocumentTree | Many | Unmapped
ScalarValue: TypeAlias = RowAttribute | Sql
