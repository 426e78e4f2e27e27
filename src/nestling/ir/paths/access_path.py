"""Access paths: how the server and the client yield rows, as a tree of steps from a closed set.

The planner builds them, the cost stage prices them, the emitter renders them as MQL; `describe_step` describes them in words.
Between steps flow *documents*: first those of a collection, then rows after a `ProjectDocuments`. A field is named by its
dotted path.

Steps and expressions are closed sets: code that consumes them matches on all and ends in `assert_never`, so that the type
checker lists what a new one breaks. Those that only statements need are in `nestling.ir.paths.row_steps`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import assert_never

from nestling.ir.paths.row_steps import ROW_STEPS, RowStep

# --- expressions -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class FieldPath:
    """The value at a dotted path; missing when a step of the path is."""

    path: str


@dataclass(frozen=True, slots=True)
class FixedValue:
    """A constant value."""

    value: object


@dataclass(frozen=True, slots=True)
class IfMissing:
    """`value`, or `otherwise` if it is missing or null."""

    value: PathExpression
    otherwise: PathExpression


@dataclass(frozen=True, slots=True)
class NullAsMissing:
    """`value`, but missing if it is null: where NULL had to be stored as null, in arrays of bare values."""

    value: PathExpression


@dataclass(frozen=True, slots=True)
class AsNumber:
    """The number in another type; missing if there is none. `scale`: the least number of digits after the point."""

    value: PathExpression
    is_float: bool
    scale: int = 0


@dataclass(frozen=True, slots=True)
class DocumentOf:
    """A sub-document of (field name, value), in that order; fields whose value is missing are left out."""

    fields: tuple[tuple[str, PathExpression], ...]


@dataclass(frozen=True, slots=True)
class PairValue:
    """The `value` field of the first element of `array` whose `key` field equals `name`; missing if there is none."""

    array: PathExpression
    key: str
    name: str
    value: str


@dataclass(frozen=True, slots=True)
class InOrder:
    """A sub-document with its fields (dotted paths) in this order; `several`: an array of such.

    A value that has other fields, or is not a sub-document, stays unchanged.
    """

    value: PathExpression
    fields: tuple[str, ...]
    several: bool = False


@dataclass(frozen=True, slots=True)
class UnlessEmpty:
    """The sub-document, but missing when it has no fields."""

    document: PathExpression


@dataclass(frozen=True, slots=True)
class Climb:
    """The elements `{k: key, p: key above, v: …}` of an array on the way up from the key `start`, nearest first, each once."""

    array: PathExpression
    start: PathExpression


@dataclass(frozen=True, slots=True)
class RootFirst:
    """The array of a `Climb` in reverse, at most `limit` elements. A cycle has no root: its elements come first, by `k`."""

    array: PathExpression
    limit: int | None = None


@dataclass(frozen=True, slots=True)
class Behind:
    """The number of elements of an array after the first that is `value`."""

    array: PathExpression
    value: PathExpression


@dataclass(frozen=True, slots=True)
class WithLast:
    """An array with one more element at its end."""

    array: PathExpression
    element: PathExpression


@dataclass(frozen=True, slots=True)
class PathText:
    """The texts of an array with the separator before, between and after them; a missing array is empty."""

    array: PathExpression
    separator: str


@dataclass(frozen=True, slots=True)
class HasElements:
    """Whether an array has any."""

    array: PathExpression


@dataclass(frozen=True, slots=True)
class Mark:
    """One value of a discriminator, and the paths of the fields that show that it applies.

    It applies if a document has one of `paths`, and always if there are none. With `is_certain` false all these fields are
    optional: if a document has none of them, it applies if the discriminator already holds `text`.
    """

    text: str
    paths: tuple[str, ...] = ()
    is_certain: bool = True


@dataclass(frozen=True, slots=True)
class Marks:
    """The value that the discriminator in `field` must have: the texts of all marks that apply to the document.

    It is missing if none applies, the text itself if one does, and an array of texts if several do.
    """

    marks: tuple[Mark, ...]
    field: str


PathExpression = (
    FieldPath
    | FixedValue
    | IfMissing
    | NullAsMissing
    | AsNumber
    | DocumentOf
    | PairValue
    | InOrder
    | UnlessEmpty
    | Climb
    | RootFirst
    | Behind
    | WithLast
    | PathText
    | HasElements
    | Marks
)

# --- predicates ------------------------------------------------------------------------------------------------------


class Comparator(StrEnum):
    """How two values are compared, in the server's order over all types."""

    EQUAL = "="
    NOT_EQUAL = "≠"
    LESS = "<"
    LESS_OR_EQUAL = "≤"
    GREATER = ">"
    GREATER_OR_EQUAL = "≥"


@dataclass(frozen=True, slots=True)
class DocumentComparison:
    """Two expressions compared."""

    left: PathExpression
    comparator: Comparator
    right: PathExpression


@dataclass(frozen=True, slots=True)
class FieldExists:
    """The field exists, whatever its value."""

    path: str


@dataclass(frozen=True, slots=True)
class FieldHasValue:
    """The field is there, and not null."""

    path: str


@dataclass(frozen=True, slots=True)
class Holds:
    """The field is `value`, or an array that contains it; `several`: it may be an array."""

    path: str
    value: str
    several: bool = False


Predicate = DocumentComparison | FieldExists | FieldHasValue | Holds

# --- steps -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class CollectionScan:
    """Every document of a collection, in no particular order."""

    collection: str


@dataclass(frozen=True, slots=True)
class Unwind:
    """One document per element of the array at `path`, which the element replaces.

    None if the array is empty or missing, but with `keep_empty` the document itself without the field. `place`: the field for
    the element's position, from 0.
    """

    source: Step
    path: str
    keep_empty: bool = False
    place: str = ""


@dataclass(frozen=True, slots=True)
class FilterDocuments:
    """The documents that satisfy the predicate."""

    source: Step
    predicate: Predicate


@dataclass(frozen=True, slots=True)
class Lookup:
    """Each document with one that `foreign` yields, in `field`: those whose `foreign_path` is, or contains, `local`.

    A document without a match is unchanged; one with several matches is repeated. `foreign` starts with a scan, and
    `foreign_path` is a path of the scanned collection: an index on it makes this fast.
    """

    source: Step
    foreign: Step
    local: PathExpression
    foreign_path: str
    field: str


@dataclass(frozen=True, slots=True)
class ProjectDocuments:
    """Rows: a new document of (name, value) from each, in that order; fields whose value is missing are left out."""

    source: Step
    fields: tuple[tuple[str, PathExpression], ...]


@dataclass(frozen=True, slots=True)
class GroupDocuments:
    """One row of the `by` fields per distinct combination of their values."""

    source: Step
    by: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Union:
    """The rows of all sources, one source after the other, including equal ones."""

    sources: tuple[Step, ...]


@dataclass(frozen=True, slots=True)
class ClientFile:
    """The client replaces a pointer in `field`, if there is one, by the content of its GridFS file."""

    source: Step
    field: str
    bucket: str
    is_text: bool


HomeStep = CollectionScan | Unwind | FilterDocuments | Lookup | ProjectDocuments | GroupDocuments | Union | ClientFile
Step = HomeStep | RowStep


@dataclass(frozen=True, slots=True)
class AccessPath:
    """A tree of steps whose rows hold the value of `columns[i]` in the field `str(i)`; NULL is a missing field."""

    step: Step
    columns: tuple[str, ...]


def column_field(position: int) -> str:
    """The field of a column in a row: its position, since column names may contain characters that field names may not."""
    return str(position)


# --- in words --------------------------------------------------------------------------------------------------------


def describe_step(step: Step) -> str:
    """The steps in words: one line for each in execution order."""
    return "\n".join(_step_lines(step))


def _step_lines(step: Step) -> Iterator[str]:  # noqa: C901 - one case for each
    if isinstance(step, ROW_STEPS):
        from nestling.ir.words.row_words import row_step_lines

        yield from row_step_lines(step, _step_lines)
        return
    match step:
        case CollectionScan(collection):
            yield f"read the documents of `{collection}`"
        case Union(sources):
            for number, source in enumerate(sources):
                yield from ("and then",) if number else ()
                yield from _indented(_step_lines(source))
        case Lookup(source, foreign, local, foreign_path, field):
            yield from _step_lines(source)
            yield f"as `{field}`, look up where `{foreign_path}` is or holds {describe_expression(local)}:"
            yield from _indented(_step_lines(foreign))
        case ProjectDocuments(source, fields):
            yield from _step_lines(source)
            yield "take " + ", ".join(f"{name} = {describe_expression(each)}" for name, each in fields)
        case Unwind(source, path, keep_empty):
            yield from _step_lines(source)
            yield f"for each element of `{path}`" + (", or once without" if keep_empty else "")
        case FilterDocuments(source, predicate):
            yield from _step_lines(source)
            yield f"where {_predicate_text(predicate)}"
        case GroupDocuments(source, by):
            yield from _step_lines(source)
            yield "once per distinct " + ", ".join(by)
        case ClientFile(source, field, bucket, is_text):
            yield from _step_lines(source)
            what = f"{'the text of ' if is_text else ''}{field}"
            yield f"the client fetches {what} from the GridFS bucket `{bucket}`"
        case _:
            assert_never(step)


def _indented(lines: Iterator[str]) -> Iterator[str]:
    return (f"  {line}" for line in lines)


def _predicate_text(predicate: Predicate) -> str:
    match predicate:
        case DocumentComparison(left, comparator, right):
            return f"{describe_expression(left)} {comparator} {describe_expression(right)}"
        case FieldExists(path):
            return f"`{path}` exists"
        case FieldHasValue(path):
            return f"`{path}` has a value"
        case Holds(path, value):
            return f"`{path}` is or holds {value!r}"
        case _:
            assert_never(predicate)


def describe_expression(expression: PathExpression) -> str:  # noqa: C901 - one case for each
    """An expression in words."""
    match expression:
        case FieldPath(path):
            return f"`{path}`"
        case FixedValue(value):
            return repr(value)
        case IfMissing(value, otherwise):
            return f"{describe_expression(value)} or else {describe_expression(otherwise)}"
        case NullAsMissing(value):
            return f"{describe_expression(value)} unless null"
        case AsNumber(value, is_float):
            return f"{describe_expression(value)} as {'float' if is_float else 'decimal'}"
        case DocumentOf(fields):
            return "{" + ", ".join(f"{name}: {describe_expression(value)}" for name, value in fields) + "}"
        case PairValue(array, key, name, value):
            return f"`{value}` where `{key}` is {name!r} in {describe_expression(array)}"
        case InOrder(value, fields):
            return f"{describe_expression(value)} in the order {', '.join(fields)}"
        case UnlessEmpty(document):
            return f"{describe_expression(document)} unless empty"
        case Climb(array, start):
            return f"those of {describe_expression(array)} from {describe_expression(start)} upwards"
        case RootFirst(array, limit):
            return f"{'' if limit is None else f'the first {limit} of '}{describe_expression(array)}, root first"
        case Behind(array, value):
            return f"how many stand behind {describe_expression(value)} in {describe_expression(array)}"
        case WithLast(array, element):
            return f"{describe_expression(array)} and {describe_expression(element)}"
        case PathText(array, separator):
            return f"{describe_expression(array)} joined by {separator!r}"
        case HasElements(array):
            return f"whether {describe_expression(array)} has elements"
        case Marks(marks):
            return f"those of {', '.join(repr(mark.text) for mark in marks)} whose fields are there"
        case _:
            assert_never(expression)
