"""A compiled write: a short program of reads and atomic commands, as plain data, that a driver, a shell or a function runs.

A `Placeholder` stands for a parameter, a `CellRef` for a column of the current row; both are *missing* when NULL.
`nestling.ir.programs.filling` puts values in, and says what happens where a value is missing.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, StrEnum
from typing import TypeAlias

from nestling.ir.paths.write_path import Answer, ListParameter, NewId, Violation, WritePlan
from nestling.ir.programs.compiled import CompiledRead, Mql


class Missing(Enum):
    """What stands for a value that is not there: NULL is a field that is missing."""

    MISSING = "missing"


MISSING = Missing.MISSING


@dataclass(frozen=True, slots=True)
class CellRef:
    """A column of the current row. If it is NULL, a field with it as the value is omitted, or unset."""

    column: str


@dataclass(frozen=True, slots=True)
class OrNull:
    """The value, or null when it is missing: arrays have no missing elements."""

    value: object


@dataclass(frozen=True, slots=True)
class Negated:
    """The number with the other sign."""

    value: object


@dataclass(frozen=True, slots=True)
class PartDocument:
    """A sub-document of (dotted path, value): fields that are missing are left out, and sub-documents that stay empty with them.

    `spread`: a column that holds a sub-document; its other fields come after these.
    """

    fields: tuple[tuple[str, object], ...]
    spread: CellRef | None = None


@dataclass(frozen=True, slots=True)
class WholeDocument:
    """A document that is missing when one of its fields is."""

    fields: Mql


class Action(StrEnum):
    """The commands a program uses, by their names in every driver."""

    INSERT_ONE = "insertOne"
    REPLACE_ONE = "replaceOne"
    UPDATE_ONE = "updateOne"
    UPDATE_MANY = "updateMany"
    DELETE_ONE = "deleteOne"
    DELETE_MANY = "deleteMany"

    @property
    def method(self) -> str:
        """The name of the action's method in pymongo."""
        return self.name.lower()


@dataclass(frozen=True, slots=True)
class ReadRows:
    """Run the read; its rows are called `rows`. `cells`: parameters that take their value from the current row. `lists`: those
    that are lists of values from row sets. `repeats`: as in `Fetch`.
    """

    rows: str
    read: CompiledRead
    cells: tuple[tuple[str, str], ...] = ()
    lists: tuple[ListParameter, ...] = ()
    repeats: bool = False

    @property
    def inner(self) -> frozenset[str]:
        """The parameters that nobody gives, as rows that are read tell them."""
        return frozenset((*(name for name, _ in self.cells), *(each.parameter for each in self.lists)))


@dataclass(frozen=True, slots=True)
class GivenRows:
    """Rows that are known already: flat documents of constants and placeholders."""

    rows: str
    documents: tuple[Mql, ...]


@dataclass(frozen=True, slots=True)
class RefuseRows:
    """Fail with `text` when there are any such rows; `missing`: only those without one of these columns count.

    `attributes`: what it is about, each `entity.attribute`; beside `missing`, one for each of these columns.
    """

    rows: str
    violation: Violation
    text: str
    missing: tuple[str, ...] = ()
    attributes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ForEach:
    """The steps for each of the rows, in order; `by` and `gathered`: as in `Each`."""

    rows: str
    steps: tuple[ProgramStep, ...]
    by: tuple[str, ...] = ()
    gathered: tuple[str, ...] = ()

    @property
    def at_once(self) -> WriteCommand | None:
        """The command that is all there is for each row: those of all rows are one request."""
        match self.steps:
            case (WriteCommand(otherwise=(), apart=False) as only,):
                return only
            case _:
                return None


@dataclass(frozen=True, slots=True)
class ArrayPlace:
    """A path of an update that ends in a number from the current row: `{path}.{column - first}` stands for `key`."""

    key: str
    path: str
    column: CellRef | object
    first: int = 0


UpdateDocument: TypeAlias = Mql | tuple[Mql, ...]
"""A document of operators, or the stages of an aggregation that the document goes through."""


@dataclass(frozen=True, slots=True)
class WriteCommand:
    """One command; `otherwise` runs when nothing matched.

    `back`: a second update of the same document, of constants alone, sent with the first. `apart`: outside of the transaction.
    """

    action: Action
    collection: str
    filter: Mql | None = None
    update: UpdateDocument | None = None
    document: object = None  # a document, perhaps a `PartDocument`
    array_filters: tuple[Mql, ...] = ()
    upsert: bool = False
    places: tuple[ArrayPlace, ...] = ()
    otherwise: tuple[ProgramStep, ...] = ()
    back: Mql | None = None
    apart: bool = False

    @property
    def leaves_alone(self) -> bool:
        """Whether it makes a document or changes nothing: only one that was made counts."""
        return self.upsert and isinstance(self.update, dict) and self.update.keys() == {"$setOnInsert"}


@dataclass(frozen=True, slots=True)
class TakeNumbers:
    """Take one number for each of `names` from the `counter`, above the highest existing one, which `highest` reads.

    With `count`, which is read in the transaction, as many numbers as it returns. See `NewNumbers`.
    """

    names: tuple[str, ...]
    counter: str
    highest: ReadRows
    count: ReadRows | None = None


@dataclass(frozen=True, slots=True)
class NextNumbers:
    """Raise a counter by `count`, outside of any transaction."""

    counter: str
    count: int


ProgramStep: TypeAlias = ReadRows | GivenRows | RefuseRows | ForEach | WriteCommand


@dataclass(frozen=True, slots=True)
class CompiledWrite:
    """One write. `transaction`: the steps run in one, all or nothing.

    `counted` are the rows whose number is the statement's affected rows; without any, the documents the commands of the program
    itself (not those for each row) match, insert or delete are. `left`: what the background sync will bring after it.
    `answer`: the rows RETURNING asks for. `new_numbers` are taken before the steps,
    outside of the transaction; those with a `count` once it has begun. `notes`: where it may meet other rows than at the source.
    `nan_is_null`, `unused`: as of a read.
    """

    name: str
    sql: str
    steps: tuple[ProgramStep, ...] = ()
    parameters: tuple[str, ...] = ()
    transaction: bool = False
    counted: tuple[str, ...] = ()
    left: tuple[str, ...] = ()
    answer: Answer | None = None
    new_ids: tuple[NewId, ...] = ()
    new_numbers: tuple[TakeNumbers, ...] = ()
    plan: WritePlan | None = None
    access_path: str = ""
    notes: tuple[str, ...] = ()
    nan_is_null: bool = False
    unused: tuple[str, ...] = ()

    @property
    def made(self) -> tuple[str, ...]:
        """The parameters that nobody gives, as whoever runs the write makes their values."""
        numbers = (name for each in self.new_numbers for name in each.names)
        return (*(each.name for each in self.new_ids), *numbers)

    @property
    def numbers_before(self) -> tuple[TakeNumbers, ...]:
        """The new numbers that are taken before the transaction begins."""
        return tuple(each for each in self.new_numbers if each.count is None)

    @property
    def numbers_for_rows(self) -> tuple[TakeNumbers, ...]:
        """The new numbers of which the transaction says how many they are."""
        return tuple(each for each in self.new_numbers if each.count is not None)

    @property
    def command(self) -> WriteCommand | None:
        """The one command the program consists of, if it does."""
        only = self.steps[0] if len(self.steps) == 1 else None
        if not isinstance(only, WriteCommand) or only.otherwise or only.back is not None or self.answer is not None:
            return None
        return only
