"""Write paths: how the server and the client change an entity's rows, wherever these and everything derived from them are stored.

A write plan first finds the rows (`Fetch`, or `Give` if they are in the statement), refuses what the source would refuse, and
then changes documents row by row with atomic operators. Rows are flat documents; a `Cell` is a column of the current row,
missing if NULL. More than one changed document means one transaction.

Like access paths, this is a closed set: the planner builds these steps, the cost stage prices them, the emitter renders them.
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
"""Prefixes of columns with a row's values before and after the change."""


@dataclass(frozen=True, slots=True)
class Cell:
    """A column of the current row in stored form; missing if NULL."""

    column: str


@dataclass(frozen=True, slots=True)
class Constant:
    """A constant BSON value."""

    value: object


@dataclass(frozen=True, slots=True)
class GivenValue:
    """A literal or parameter of the statement, as its attribute keeps it; missing when NULL."""

    expression: Expression


@dataclass(frozen=True, slots=True)
class SubDocument:
    """A sub-document of (dotted path, value) in order, without missing values and empty sub-documents.

    `spread`: a column that holds a sub-document whose fields are included too (content that the document carries along).
    """

    fields: tuple[tuple[str, WrittenValue], ...]
    spread: str | None = None


@dataclass(frozen=True, slots=True)
class Items:
    """An array of these values, a missing one as null."""

    items: tuple[WrittenValue, ...] = ()


@dataclass(frozen=True, slots=True)
class PairList:
    """An array of `{key: name, value: …}` for the non-missing (name, value) pairs, in order (the attribute pattern)."""

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
    """The meaning of `$[name]` in a path: the elements that match; paths are relative to the element ("": itself)."""

    name: str
    matches: tuple[FieldMatch, ...]


# --- what changes in them --------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Set:
    """Set the field to the value; remove it if the value is missing.

    `place`: the path continues with this number, from a column minus `first` (an array's position).
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
    """Set the field to the value if that is less (`greater`: more) than the present one, or if there is none."""

    path: str
    value: WrittenValue
    greater: bool


@dataclass(frozen=True, slots=True)
class Push:
    """Add an element to the array (if `value` is None only reorder it), sort it by `order`, and cut it to the first `keep`.

    The order has paths in the elements, "" for the elements themselves.
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
    """Set the field to the expression of the document as it was; remove it if that is NULL.

    `layout`: where the expression's columns are in the document. A command cannot combine this with other changes: it is an
    update by a pipeline.
    """

    path: str
    value: Expression
    layout: Layout


@dataclass(frozen=True, slots=True)
class SetElements:
    """Set fields of array elements from lists.

    In each element whose `key` is in the list `keys`, each of `fields` gets the value at the same position of its list; a
    missing value removes the field. All lists are gathered columns. A command cannot combine this with other changes.
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
    """Read rows and name them `rows`; `plan`'s columns are the cells.

    `cells`: parameters of the plan that stand for columns of the current row. `lists`: those that stand for lists. `repeats`:
    the read is repeated with the values just found as its only list, until it finds no new value; its rows are those with new
    values.
    """

    rows: str
    plan: ReadPlan
    cells: tuple[tuple[str, str], ...] = ()
    lists: tuple[ListParameter, ...] = ()
    repeats: bool = False


@dataclass(frozen=True, slots=True)
class Give:
    """Rows in the statement itself, each (column, literal or parameter)."""

    rows: str
    values: tuple[tuple[tuple[str, Expression], ...], ...]


class Violation(StrEnum):
    """The kinds of constraint violations."""

    KEY = "key"
    UNIQUE = "unique"
    NOT_NULL = "not null"
    CHECK = "check"  # a value the source does not allow
    PARENT = "parent"  # a foreign key without its parent
    CHILDREN = "children"  # a parent with children that restrict it
    PLACE = "place"  # the design has no place for the row


@dataclass(frozen=True, slots=True)
class Refuse:
    """Fail the statement if there are such rows; nothing of it stays.

    `missing`: only rows without a value in one of these columns count (if there are any columns). `attributes`: those
    concerned, each as `entity.attribute`; with `missing`, one for each of these columns.
    """

    rows: str
    violation: Violation
    text: str
    missing: tuple[str, ...] = ()
    attributes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Each:
    """Run these steps for each row in order; inside, cells are its columns (those of an outer row are not visible).

    `by`: only once for all rows that are equal in these columns, with the first of them as the current row. `gathered`: columns
    that then hold a list of the values of all these rows (null for a missing one).
    """

    rows: str
    steps: tuple[WriteStep, ...]
    by: tuple[str, ...] = ()
    gathered: tuple[str, ...] = ()

    @property
    def at_once(self) -> InsertOne | UpdateDocuments | DeleteDocuments | None:
        """The single command for each row, if there is nothing else: those of all rows are sent as one request."""
        match self.steps:
            case ((InsertOne() | DeleteDocuments() | UpdateDocuments(otherwise=(), apart=False)) as only,):
                return only
            case _:
                return None


class IfThere(StrEnum):
    """What happens to an existing document with the `_id` of a new one."""

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
    """Change the documents that match (`many`: all of them, else one). If none matches, run `otherwise`.

    - `back`: changes that the same command makes last, so that the document ends as it was.
    - `on_insert`: if none matches, insert a document from the matches (equalities), the changes and these fields. With computed
      changes the new document has only these fields; `sure` is one of them that every document has, which shows whether there
      was one.
    - `apart`: outside the transaction, if there is one. It stays whatever happens to that, and no other write waits for it.
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
    """The rows that a write returns: those of the row sets `rows`, each column the value of one of their `cells`."""

    rows: tuple[str, ...]
    columns: tuple[OutputColumn, ...]
    cells: tuple[str, ...]


class IdForm(StrEnum):
    """The kind of a new id, and how it is stored."""

    UUID = "uuid"
    TEXT = "text"  # a UUID's
    OBJECT_ID = "objectId"


@dataclass(frozen=True, slots=True)
class NewId:
    """A parameter that nobody gives: whoever runs the write generates a unique id for it."""

    name: str
    form: IdForm


@dataclass(frozen=True, slots=True)
class NewNumbers:
    """Parameters that nobody gives: whoever runs the write takes this many numbers from the `counter`, before it begins.

    They are above every number taken before, and above the one that `highest` reads, in its column `HIGHEST`. `count`: reads in
    its column `COUNT` how many to take. It is read in the write's transaction, so it counts the rows that the write finds. Then
    there are two names: for the first of the numbers and the last, which is 1 less if there are no rows.
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

    `left`: names of upkeeps that are left to the background sync, as their freshness allows. `answer`: the result of RETURNING.
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
        """Whether a single command is not enough: several documents change, or one by values read before."""
        return not self.is_one_change or any(map(_reads_first, self.steps))


def _reads_first(step: WriteStep) -> bool:
    """Whether it reads stored data; a read that explains why nothing matched comes after the only change."""
    return (isinstance(step, Fetch) and not _is_of_statement(step)) or (
        isinstance(step, Each) and any(map(_reads_first, step.steps))
    )


def _is_of_statement(fetch: Fetch) -> bool:
    """Whether it reads only rows in the statement itself."""
    below = fetch.plan.step
    while isinstance(below, Where | Compute | Shape):
        below = below.source
    return isinstance(below, Constants)


def _changes(step: WriteStep, single: Collection[str] = ()) -> int:
    """How many documents a step may change; 2 means several. `single`: names of row sets with one row."""
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
    """All steps, nested ones after those that contain them."""
    for step in steps:
        yield step
        if isinstance(step, Each):
            yield from steps_within(step.steps)
        elif isinstance(step, UpdateDocuments):
            yield from steps_within(step.otherwise)
