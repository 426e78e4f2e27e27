"""The nodes of a collection's documents: the document itself, and each sub-document and array that rows may lie in.

A *column* is a field of a node that holds one value. What has no single form (now a text, now a document), has names no query can
say, or keys that are data, is a column kept *whole*. All paths are absolute: they begin at the document. Columns and
nodes come in the order in which documents have them.
"""

from __future__ import annotations

from collections.abc import Container, Iterator
from dataclasses import dataclass
from enum import StrEnum

from nestling.ir.facts.collection import CollectionFacts
from nestling.ir.facts.path import NULL_TYPES, PathFacts
from nestling.ir.facts.steps import ANY_KEY, ELEMENT, is_plain
from nestling.ir.facts.structure import Steps
from nestling.ir.types import KEPT_SUBTYPES

DEEPEST = 8
"""Levels of nodes inside each other; what lies deeper is kept whole."""
_BEYOND_SQL = frozenset({"regex", "dbPointer", "javascript", "javascriptWithScope", "timestamp", "minKey", "maxKey"})
SOME_ARRAYS = 20
"""Arrays of one length that are not so by chance."""
LARGEST_MAP = 100
"""Fields of a sub-document beyond which it is kept whole: no table has so many columns that nobody gave it by hand."""


class NodeForm(StrEnum):
    """How the rows of a node lie in the document above."""

    DOCUMENT = "document"  # the document itself
    OBJECT = "object"  # a sub-document
    ARRAY = "array"  # documents in an array
    VALUES = "values"  # bare values in an array


@dataclass(frozen=True, slots=True)
class NodeColumn:
    """A field of a node with one value. `why`: what keeps it whole (empty: it is plain)."""

    steps: Steps
    path: PathFacts
    why: str = ""


@dataclass(frozen=True, slots=True)
class NodeFacts:
    """One level of the documents. `steps` lead to its rows (an array's end in `[]`); `above` is the node it lies in."""

    steps: Steps
    form: NodeForm
    columns: tuple[NodeColumn, ...]
    above: Steps | None = None
    path: PathFacts | None = None
    unnamed: tuple[PathFacts, ...] = ()  # fields whose names no query can say

    def column(self, steps: Steps) -> NodeColumn | None:
        """The column of these steps."""
        return next((column for column in self.columns if column.steps == steps), None)


def nodes_of(collection: CollectionFacts, marks: Container[Steps] = ()) -> tuple[NodeFacts, ...]:
    """All nodes, each after the one it lies in. `marks`: always empty documents that are nodes too, known from elsewhere."""
    return tuple(_Reader(collection, marks).read())


ORPHANS_SUFFIX = "_orphans"
"""What the name of a collection of embedded rows without a document around them ends in."""
PAGE = "page"


def is_paged(node: NodeFacts) -> bool:
    """Whether documents are numbered pages of rows: `page` is in their `_id` and beside it (docs/document-forms.md)."""
    return node.column(("_id", PAGE)) is not None and node.column((PAGE,)) is not None


def paged_by(node: NodeFacts) -> tuple[Steps, ...]:
    """The columns that the pages of the same rows share: what is in their `_id` besides the page, and beside it."""
    parts = {column.steps[-1] for column in node.columns if len(column.steps) > 1 and column.steps[0] == "_id"}
    return tuple(c.steps for c in node.columns if len(c.steps) == 1 and c.steps[0] in parts - {PAGE, "bucket_start"})


def kinds(path: PathFacts) -> frozenset[str]:
    """The types a path has besides null."""
    return frozenset(name for name, count in path.types if count).difference(NULL_TYPES)


def beyond_sql(path: PathFacts) -> tuple[str, ...]:
    """The values at a path for which no type of a model exists, in words."""
    odd = [f"{name} values" for name, count in path.types if name in _BEYOND_SQL and count]
    if not odd and one_subtype(path):
        return ()
    return (*odd, *(f"binary values of subtype {each}" for each in other_subtypes(path)))


def other_subtypes(path: PathFacts) -> tuple[int, ...]:
    """The subtypes of binary among a path's values that no type of a model but bytes of that one subtype stands for."""
    return tuple(each for each, _ in path.subtypes if each not in KEPT_SUBTYPES)


def one_subtype(path: PathFacts) -> int:
    """The subtype of its own that all values of a path are binary of; else 0."""
    if kinds(path) != {"binData"} or len(path.subtypes) != 1:
        return 0
    subtype = path.subtypes[0][0]
    return 0 if subtype in KEPT_SUBTYPES else subtype


def _vector(path: PathFacts, elements: PathFacts) -> int:
    """How many numbers with fractions each of its arrays holds, such as a longitude and a latitude; 0 where it is no such."""
    of = path.lengths
    is_of_numbers = "double" in kinds(elements) and kinds(elements) <= {"double", "int", "long"}
    is_of_one_length = of is not None and of.count >= SOME_ARRAYS and of.mean == of.max > 1
    return int(of.max) if of is not None and is_of_numbers and is_of_one_length else 0


class _Reader:
    """Walks the paths of one collection."""

    def __init__(self, collection: CollectionFacts, marks: Container[Steps]) -> None:
        self.collection, self.marks = collection, marks
        self.below: dict[Steps, list[PathFacts]] = {}
        for path in sorted(collection.paths, key=lambda path: (path.place, path.steps)):
            self.below.setdefault(path.steps[:-1], []).append(path)

    def read(self) -> Iterator[NodeFacts]:
        yield from self._node((), NodeForm.DOCUMENT, None, None, 0)

    def _node(
        self, steps: Steps, form: NodeForm, path: PathFacts | None, above: Steps | None, depth: int
    ) -> Iterator[NodeFacts]:
        columns: list[NodeColumn] = []
        inner: list[tuple[PathFacts, NodeForm]] = []
        unnamed: list[PathFacts] = []
        if form is NodeForm.VALUES and path is not None:
            columns.append(NodeColumn(steps, path))
        elif path is not None or not steps:
            self._sort_out(steps, columns, inner, unnamed, depth)
        yield NodeFacts(steps, form, tuple(columns), above, path, tuple(unnamed))
        for child, shape in inner:
            below = child if shape is NodeForm.OBJECT else self._elements(child)
            assert below is not None
            yield from self._node(below.steps, shape, below, steps, depth + 1)

    def _sort_out(
        self,
        steps: Steps,
        columns: list[NodeColumn],
        inner: list[tuple[PathFacts, NodeForm]],
        unnamed: list[PathFacts],
        depth: int,
    ) -> None:
        """Each field of a document is a column, a node of its own, or has a name no query can say."""
        for child in self.below.get(steps, ()):
            if not is_plain(child.steps[-1:]):
                unnamed.append(child)
                continue
            form, why = self._form(child, depth)
            if form is None:
                columns.append(NodeColumn(child.steps, child, why))
            elif form is NodeForm.DOCUMENT:
                self._sort_out(child.steps, columns, inner, unnamed, depth)
            else:
                inner.append((child, form))

    def _form(self, path: PathFacts, depth: int) -> tuple[NodeForm | None, str]:
        """What a field is: a node, fields of this document with dotted names (DOCUMENT), or a column (None), perhaps whole."""
        found = kinds(path)
        if not found & {"object", "array"}:
            return None, f"holds {' and '.join(odd)}" if (odd := beyond_sql(path)) else ""
        if len(found) > 1:
            return None, f"is {' or '.join(sorted(found))}"
        form, why = self._object(path) if found == {"object"} else self._array(path)
        if form not in (None, NodeForm.DOCUMENT) and depth >= DEEPEST:
            return None, f"is nested deeper than {DEEPEST} levels"
        return form, why

    def _object(self, path: PathFacts) -> tuple[NodeForm | None, str]:
        below = self.below.get(path.steps, [])
        if why := self._odd_object(path):
            return None, why
        if path.steps == ("_id",):
            for child in below:
                if odd := beyond_sql(child):
                    return None, f"is a document whose `{child.steps[-1]}` holds {' and '.join(odd)}"
            is_plain_key = len(below) > 1 and not any(
                kinds(child) & {"object", "array"} or child.missing for child in below
            )
            return (NodeForm.DOCUMENT, "") if is_plain_key else (None, "holds documents of different forms")
        is_one = len(below) == 1 and not kinds(below[0]) & {"object", "array"} and not path.empty
        return (NodeForm.DOCUMENT if is_one else NodeForm.OBJECT), ""

    def _odd_object(self, path: PathFacts) -> str:
        below = self.below.get(path.steps, [])
        if not below:
            return "" if path.steps in self.marks else "is always an empty document"
        names = {child.steps[-1] for child in below}
        if ANY_KEY in names:
            return "has keys that are data"
        if "$ref" in names:
            return "is a DBRef"
        if len(below) > LARGEST_MAP:
            return f"has {len(below):,} different fields"
        if not any(is_plain(child.steps[-1:]) for child in below):
            return "has field names that queries cannot address"
        return "is a place on a map" if names == {"type", "coordinates"} else ""

    def _array(self, path: PathFacts) -> tuple[NodeForm | None, str]:
        elements = self._elements(path)
        if elements is None:
            return None, "is always an empty array"
        found = kinds(elements)
        is_spatial = self.collection.spatial(path) or path.steps[-1] == "coordinates"
        if is_spatial and "object" not in found:
            return None, "is a place on a map"
        if found == {"object"} and elements.count(*NULL_TYPES) == 0:
            why = self._odd_object(elements)
            return (None, why) if why else (NodeForm.ARRAY, "")
        if odd := beyond_sql(elements):
            return None, f"holds {' and '.join(odd)}"
        if length := _vector(path, elements):
            return None, f"always holds {length:,} numbers, which their positions distinguish"
        if found and not found & {"object", "array"}:
            return NodeForm.VALUES, ""
        return None, f"holds {' and '.join(sorted(found or NULL_TYPES))} values"

    def _elements(self, path: PathFacts) -> PathFacts | None:
        return next((each for each in self.below.get(path.steps, ()) if each.steps[-1] == ELEMENT), None)
