"""Write paths: what the server and the client do to change an entity's rows, wherever these and all that follows from them live.

A write plan first finds the rows at hand (`Fetch`, or `Give` when they stand in the statement), refuses what the source would
refuse, and then changes documents row by row with atomic operators. Rows are flat documents; a `Cell` is a column of the row at
hand, missing when NULL. More than one changed document means one transaction.

Like access paths, a closed set: the planner builds these steps, the cost stage prices them, the emitter renders them.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias

from nestling.ir.paths.row_steps import Compute, Constants, Layout, Shape, Where
from nestling.ir.programs.compiled import OutputColumn, ReadPlan
from nestling.ir.statements.expression import Expression

# --- values ----------------------------------------------------------------------------------------------------------


OLD = "old_"
NEW = "new_"
"""What the columns of a row's values before and after begin with."""


@dataclass(frozen=True, slots=True)
class Cell:
    """A column of the row at hand, as it is stored; missing when NULL."""

    column: str


@dataclass(frozen=True, slots=True)
class Constant:
    """A BSON value that stands for itself."""

    value: object


@dataclass(frozen=True, slots=True)
class GivenValue:
    """A literal or parameter of the statement, as its attribute keeps it; missing when NULL."""

    expression: Expression


@dataclass(frozen=True, slots=True)
class SubDocument:
    """A sub-document of (dotted path, value) in order; what is missing is left out, and sub-documents that stay empty with it.

    `spread`: a column that holds a sub-document whose fields are there too (what the document carries along unseen).
    """

    fields: tuple[tuple[str, WrittenValue], ...]
    spread: str | None = None


@dataclass(frozen=True, slots=True)
class Items:
    """An array of these values, a missing one as null."""

    items: tuple[WrittenValue, ...] = ()


@dataclass(frozen=True, slots=True)
class PairList:
    """An array of `{key: name, value: …}` for those of (name, value) that are there, in order (the attribute pattern)."""

    key: str
    value: str
    pairs: tuple[tuple[str, WrittenValue], ...]


WrittenValue: TypeAlias = Cell | Constant | GivenValue | SubDocument | Items | PairList

# --- which documents -------------------------------------------------------------------------------------------------


class Test(StrEnum):
    """How a field is compared, in MongoDB's way: an array matches when one of its elements does."""

    EQUAL = "="  # a value that is missing: the field is missing, or null
    NOT_EQUAL = "≠"
    LESS = "<"
    LESS_OR_EQUAL = "≤"
    GREATER = ">"
    GREATER_OR_EQUAL = "≥"
    IN = "in"  # the value is a column that holds an array
    THERE = "is there"  # whatever its value, and whatever the match's


@dataclass(frozen=True, slots=True)
class FieldMatch:
    """A field of a document, compared with a value."""

    path: str
    value: WrittenValue
    test: Test = Test.EQUAL


@dataclass(frozen=True, slots=True)
class ElementFilter:
    """What `$[name]` in a path stands for: the elements that match, paths relative to the element ("": the element itself)."""

    name: str
    matches: tuple[FieldMatch, ...]


# --- what changes in them --------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Set:
    """The field becomes the value; it is removed when that is missing. `place`: the path goes on with this number, from a column
    minus `first` (an array's place).
    """

    path: str
    value: WrittenValue
    place: str | None = None
    first: int = 0


@dataclass(frozen=True, slots=True)
class Increment:
    """The number grows by the value (falls, with a negative one); missing counts as 0, and so does a missing value."""

    path: str
    value: WrittenValue
    negative: bool = False


@dataclass(frozen=True, slots=True)
class Extend:
    """The field becomes the value where that is less (`greater`: more) than what is there, or where nothing is."""

    path: str
    value: WrittenValue
    greater: bool


@dataclass(frozen=True, slots=True)
class Push:
    """The array gets an element more (none when `value` is None: it is only put in order), is sorted by `order` – paths in its
    elements, "" for these themselves – and cut to the first `keep`.
    """

    path: str
    value: WrittenValue | None
    order: tuple[tuple[str, int], ...] = ()
    keep: int | None = None


@dataclass(frozen=True, slots=True)
class Pull:
    """The array loses the elements that match."""

    path: str
    matches: tuple[FieldMatch, ...]


@dataclass(frozen=True, slots=True)
class AddToSet:
    """The array gets the value unless it holds it."""

    path: str
    value: WrittenValue


@dataclass(frozen=True, slots=True)
class ComputeField:
    """The field becomes what the expression makes of the document as it was, and is removed when that is NULL.

    `layout`: where the expression's columns lie in the document. In one command such changes are alone: an update by a pipeline.
    """

    path: str
    value: Expression
    layout: Layout


@dataclass(frozen=True, slots=True)
class SetElements:
    """Each element of the array whose `key` is in the list `keys` gets, as each of `fields`, what is at the same place of that
    field's list; nothing there removes it. All are columns that are gathered. In one command such a change is alone.
    """

    path: str
    key: str
    keys: Cell
    fields: tuple[tuple[str, Cell], ...]


DocumentChange: TypeAlias = Set | Increment | Extend | Push | Pull | AddToSet | ComputeField | SetElements

# --- steps -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class ListParameter:
    """A parameter of a read that is a list: the values of a column in row sets read before, each once, without NULLs."""

    parameter: str
    column: str
    rows: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Fetch:
    """Read rows and call them `rows`; `plan`'s columns are the cells.

    `cells`: parameters of the plan that stand for columns of the row at hand around this step. `lists`: those that stand for
    lists. `repeats`: the read is sent again with the values it has just found as its only list, until it finds no new value; its
    rows are those with new values.
    """

    rows: str
    plan: ReadPlan
    cells: tuple[tuple[str, str], ...] = ()
    lists: tuple[ListParameter, ...] = ()
    repeats: bool = False


@dataclass(frozen=True, slots=True)
class Give:
    """Rows that stand in the statement, each (column, literal or parameter)."""

    rows: str
    values: tuple[tuple[tuple[str, Expression], ...], ...]


class Violation(StrEnum):
    """What the source's constraints refuse."""

    KEY = "key"
    UNIQUE = "unique"
    NOT_NULL = "not null"
    CHECK = "check"  # a value the source does not allow
    PARENT = "parent"  # a foreign key without its parent
    CHILDREN = "children"  # a parent with children that restrict it
    PLACE = "place"  # the design has no place for the row


@dataclass(frozen=True, slots=True)
class Refuse:
    """The statement fails when there are such rows; nothing of it stays.

    `missing`: only rows without a value in one of these columns count (when there are any columns). `attributes`: what it is
    about, each `entity.attribute`; beside `missing`, one for each of these columns.
    """

    rows: str
    violation: Violation
    text: str
    missing: tuple[str, ...] = ()
    attributes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Each:
    """For each row in order, these steps; inside, cells are its columns (those of an outer row are not seen).

    `by`: once only for all rows that are alike in these columns, with the first of them at hand. `gathered`: columns that hold
    a list then, of what each of the alike rows has there (null where it has nothing).
    """

    rows: str
    steps: tuple[WriteStep, ...]
    by: tuple[str, ...] = ()
    gathered: tuple[str, ...] = ()

    @property
    def at_once(self) -> InsertOne | UpdateDocuments | DeleteDocuments | None:
        """The command that is all there is for each row: those of all rows are one request."""
        match self.steps:
            case ((InsertOne() | DeleteDocuments() | UpdateDocuments(otherwise=(), apart=False)) as only,):
                return only
            case _:
                return None


class IfThere(StrEnum):
    """What becomes of a document that has the `_id` of a new one."""

    REFUSE = "refuse"
    LEAVE = "leave"
    REPLACE = "replace"


@dataclass(frozen=True, slots=True)
class InsertOne:
    """A new document; one with the same unique values is a violation, and so is one with the same `_id` unless `if_there` says
    otherwise.
    """

    collection: str
    document: SubDocument
    if_there: IfThere = IfThere.REFUSE


@dataclass(frozen=True, slots=True)
class UpdateDocuments:
    """Change the documents that match (`many`: all of them, else one). Where none matched: `otherwise`.

    `back`: changes the same command makes after the others, so that the document ends as it was. `on_insert`: with these fields
    too a document is made of the matches (equalities) and changes when none matched. Where the changes are computed, the new
    document has these fields alone; `sure` is one of them, which no document lacks, and so tells whether there was one.
    `apart`: outside of the transaction, if there is one. It stays whatever becomes of that, and no other write waits for it.
    """

    collection: str
    where: tuple[FieldMatch, ...]
    changes: tuple[DocumentChange, ...]
    filters: tuple[ElementFilter, ...] = ()
    many: bool = False
    otherwise: tuple[WriteStep, ...] = ()
    on_insert: tuple[tuple[str, WrittenValue], ...] | None = None
    back: tuple[DocumentChange, ...] = ()
    sure: str = ""
    apart: bool = False


@dataclass(frozen=True, slots=True)
class DeleteDocuments:
    """Remove the documents that match."""

    collection: str
    where: tuple[FieldMatch, ...]
    many: bool = False


WriteStep: TypeAlias = Fetch | Give | Refuse | Each | InsertOne | UpdateDocuments | DeleteDocuments


@dataclass(frozen=True, slots=True)
class Answer:
    """The rows a write answers: those of the row sets `rows`, each column the value of one of their `cells`."""

    rows: tuple[str, ...]
    columns: tuple[OutputColumn, ...]
    cells: tuple[str, ...]


class IdForm(StrEnum):
    """What a new id is, and how it is stored."""

    UUID = "uuid"
    TEXT = "text"  # a UUID's
    OBJECT_ID = "objectId"


@dataclass(frozen=True, slots=True)
class NewId:
    """A parameter that nobody gives: whoever runs the write makes an id for it that nobody else has."""

    name: str
    form: IdForm


@dataclass(frozen=True, slots=True)
class NewNumbers:
    """Parameters that nobody gives: whoever runs the write takes as many numbers from the `counter`, before it begins.

    They are above every number that was taken before, and above the one `highest` reads, in its column `HIGHEST`.
    `count`: reads in its column `COUNT` how many are taken. It is read in the write's transaction, so it counts the rows that the
    write finds. Then there are two names: the first of the numbers, and the last, which is 1 less where there are no rows.
    """

    names: tuple[str, ...]
    counter: str
    highest: ReadPlan
    count: ReadPlan | None = None


HIGHEST = "highest"
COUNT = "count"


@dataclass(frozen=True, slots=True)
class WritePlan:
    """The steps of a write. `counted`: the row sets whose rows are the statement's affected rows.

    `left`: names of upkeeps that are left to the background sync, as their freshness allows. `answer`: what RETURNING says.
    """

    steps: tuple[WriteStep, ...]
    counted: tuple[str, ...]
    left: tuple[str, ...] = ()
    answer: Answer | None = None
    new_ids: tuple[NewId, ...] = ()
    new_numbers: tuple[NewNumbers, ...] = ()

    @property
    def is_one_change(self) -> bool:
        """Whether at most one document changes, so that no transaction is needed."""
        single = {step.rows for step in self.steps if isinstance(step, Give) and len(step.values) == 1}
        return sum(_changes(step, single) for step in self.steps) <= 1

    @property
    def needs_transaction(self) -> bool:
        """Whether a command alone would not do: several documents change, or one by what was read before."""
        return not self.is_one_change or any(map(_reads_first, self.steps))


def _reads_first(step: WriteStep) -> bool:
    """Whether it reads what is stored; what is read to say why nothing matched comes after the one change there is."""
    return (isinstance(step, Fetch) and not _is_of_statement(step)) or (
        isinstance(step, Each) and any(map(_reads_first, step.steps))
    )


def _is_of_statement(fetch: Fetch) -> bool:
    """Whether it asks of rows that stand in the statement alone."""
    below = fetch.plan.step
    while isinstance(below, Where | Compute | Shape):
        below = below.source
    return isinstance(below, Constants)


def _changes(step: WriteStep, single: Collection[str] = ()) -> int:
    """How many documents a step may change; 2 stands for several. `single`: names of rows of which there is one."""
    match step:
        case Fetch() | Give() | Refuse():
            return 0
        case Each(rows=rows, steps=inner):
            changes = sum(map(_changes, inner))
            return changes if rows in single else 2 * min(changes, 1)
        case InsertOne():
            return 1
        case UpdateDocuments(apart=True):
            return 0
        case UpdateDocuments(many=many, otherwise=otherwise):
            return 2 if many else max(1, *(_changes(inner) for inner in otherwise), 1)
        case DeleteDocuments(many=many):
            return 2 if many else 1


def steps_within(steps: tuple[WriteStep, ...]) -> Iterator[WriteStep]:
    """All steps, those inside others after them."""
    for step in steps:
        yield step
        if isinstance(step, Each):
            yield from steps_within(step.steps)
        elif isinstance(step, UpdateDocuments):
            yield from steps_within(step.otherwise)
