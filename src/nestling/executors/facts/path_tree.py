"""The paths of documents as a tree that grows while raw BSON is walked, and never beyond its bounds.

Documents are not decoded: only names, types and sizes are read, so that invalid UTF-8 and dates no calendar has do no harm.
Values are hashed to count the different ones, and forgotten.
"""

from __future__ import annotations

import re
from struct import Struct
from typing import TypeVar

from nestling.executors.facts.sketch import DistinctCount, Histogram
from nestling.ir.facts import text_forms
from nestling.ir.value_forms import instants

MOST_NODES = 6_000
"""Paths kept for a collection. Beyond it new names are counted under `{*}`."""
MOST_CHILDREN = 1_500
"""Names kept in one document. Beyond it the rare ones are counted under `{*}`."""
MOST_ORDERS = 200
"""Orders of fields counted for one kind of document. Beyond it only those met already are counted."""
COMMON = 0.1
"""A name that at least this share of the documents have is not rare."""

_K = TypeVar("_K")
_INT = Struct("<i").unpack_from
_DOUBLE = Struct("<d").unpack_from
DOUBLE, STRING, OBJECT, ARRAY, BINARY, REGEX, DB_POINTER = 1, 2, 3, 4, 5, 11, 12
BOOL, INT, LONG = 8, 16, 18
JAVASCRIPT, SYMBOL, SCOPED = 13, 14, 15
EMPTY_BYTES = 5
"""Bytes of an empty document, and of an empty text: a length and a closing NUL."""
DATELESS = re.compile(instants.DATELESS.encode())
"""Dates of SQL that no BSON date is."""
FORMS = re.compile(
    "|".join(
        f"(?P<{name}>{text_forms.COUNTED[name]})"
        for name in ("objectId", "number", "date", "dayFirst", "slashed", "bool")
    ).encode()
)
"""Texts that the server converts to another type, which names the group."""
NUMBER_FORMS = {name: re.compile(text_forms.COUNTED[name].encode()) for name in ("code", "double", "decimal", "amount")}
"""What numbers in texts are, too."""
SLASHED_FORMS = {
    name: re.compile(text_forms.COUNTED[name].encode()) for name in ("slashedDayFirst", "slashedMonthFirst")
}
"""What dates with slashes tell of their order."""
FURTHER_FORMS = {"number": NUMBER_FORMS, "slashed": SLASHED_FORMS}
ZONELESS = re.compile(text_forms.ZONELESS.encode())
WIDEST_DATE = 50
"""Bytes a text of a date never has."""
LARGEST_INTEGER = 2.0**63
SHORT_FRACTION = 2.0**10
"""Times this, a fraction that decimals hold exactly, such as 0.25, is a whole number."""
BITS = frozenset(Struct(form).pack(value) for form in ("<i", "<q", "<d") for value in (0, 1))
"""The numbers 0 and 1 as BSON has them."""
SMALLEST_FRACTION = 1e-6
"""What is smaller, the server writes with an exponent."""
TYPES = {
    1: "double",
    2: "string",
    3: "object",
    4: "array",
    5: "binData",
    6: "undefined",
    7: "objectId",
    8: "bool",
    9: "date",
    10: "null",
    11: "regex",
    12: "dbPointer",
    13: "javascript",
    14: "symbol",
    15: "javascriptWithScope",
    16: "int",
    17: "timestamp",
    18: "long",
    19: "decimal",
    127: "maxKey",
    255: "minKey",
}
_FIXED = {1: 8, 6: 0, 7: 12, 8: 1, 9: 8, 10: 0, 16: 4, 17: 8, 18: 8, 19: 16, 127: 0, 255: 0}


class PathNode:
    """A path: what was found there, the names below it, and the elements when it is an array."""

    __slots__ = (
        "bits",
        "children",
        "dateless",
        "digits",
        "distinct",
        "documents",
        "elements",
        "empty",
        "forms",
        "keys",
        "last",
        "lengths",
        "orders",
        "rest",
        "subtypes",
        "types",
        "widths",
    )

    def __init__(self) -> None:
        self.types: dict[int, int] = {}
        self.subtypes: dict[int, int] = {}
        self.forms: dict[str, int] = {}
        self.digits: tuple[int, int] | None = None  # the fewest and most of texts of nothing else
        self.bits = 0  # numbers that are 0 or 1
        self.documents, self.last = 0, -1
        self.widths = Histogram()
        self.lengths: Histogram | None = None
        self.distinct = DistinctCount()
        self.empty = 0
        self.dateless = 0
        self.children: dict[bytes, PathNode] = {}
        self.orders: dict[bytes, int] = {}  # the names of a document's fields, with a NUL between them
        self.elements: PathNode | None = None
        self.rest: PathNode | None = None  # {*}
        self.keys: DistinctCount | None = None  # the names {*} stands for

    @property
    def present(self) -> int:
        """The number of occurrences."""
        return sum(self.types.values())

    def merge(self, other: PathNode) -> None:
        """Add what was found at another path, as if both had been one."""
        _add(self.types, other.types)
        _add(self.subtypes, other.subtypes)
        _add(self.forms, other.forms)
        self.documents += other.documents
        self.widths.merge(other.widths)
        self.distinct.merge(other.distinct)
        self.bits += other.bits
        for width in other.digits or ():
            self.count_digits(width)
        self.empty += other.empty
        self.dateless += other.dateless
        if other.lengths is not None:
            self.lengths = self.lengths or Histogram()
            self.lengths.merge(other.lengths)
        for name, child in other.children.items():
            self.children.setdefault(name, PathNode()).merge(child)
        for order, count in other.orders.items():
            self.count_order(order, count)
        if other.elements is not None:
            self.elements = self.elements or PathNode()
            self.elements.merge(other.elements)
        if other.rest is not None:
            self.rest = self.rest or PathNode()
            self.rest.merge(other.rest)
        if other.keys is not None:
            self.keys = self.keys or DistinctCount()
            self.keys.merge(other.keys)

    def count_digits(self, width: int) -> None:
        """Note a text of so many digits."""
        least, most = self.digits or (width, width)
        self.digits = min(least, width), max(most, width)

    def count_order(self, order: bytes, times: int = 1) -> None:
        """Count a document by the order of its fields."""
        if order in self.orders or len(self.orders) < MOST_ORDERS:
            self.orders[order] = self.orders.get(order, 0) + times

    def fold(self, names: list[bytes]) -> None:
        """Count these names under `{*}` from now on."""
        self.rest, self.keys = self.rest or PathNode(), self.keys or DistinctCount()
        for name in names:
            self.keys.add(name)
            self.rest.merge(self.children.pop(name))


class PathTree:
    """The paths of all documents walked so far."""

    def __init__(self) -> None:
        self.root = PathNode()
        self.documents, self.nodes, self.depth = 0, 1, 0
        self.sizes, self.fields = Histogram(), Histogram()

    def add(self, data: bytes, start: int, size: int) -> None:
        """Walk the document of `size` bytes at `start`."""
        self.documents += 1
        self.sizes.add(size)
        self.root.types[OBJECT] = self.documents
        self.fields.add(self._object(data, start, self.root, 0))

    def _object(self, data: bytes, at: int, node: PathNode, depth: int) -> int:
        """Walk the document at `at`; returns how many fields it has."""
        self.depth = max(self.depth, depth)
        at, names = at + 4, list[bytes]()
        while kind := data[at]:
            end = data.index(0, at + 1)
            name = data[at + 1 : end]
            child = node.children.get(name) or self._new(node, name)
            at = self._value(data, end + 1, kind, child, depth)
            names.append(name)
        node.count_order(b"\0".join(names))
        return len(names)

    def _value(self, data: bytes, at: int, kind: int, node: PathNode, depth: int) -> int:
        """Count the value at `at`; returns where it ends."""
        fixed = _FIXED.get(kind)
        size = _size(data, at, kind) if fixed is None else fixed
        types = node.types
        types[kind] = types.get(kind, 0) + 1
        node.widths.add(size)
        if node.last != self.documents:
            node.last = self.documents
            node.documents += 1
        if kind == ARRAY:
            self._array(data, at, node, depth)
        elif kind == OBJECT:
            node.empty += size == EMPTY_BYTES
            self._object(data, at, node, depth + 1)
        else:
            if kind == STRING:
                node.empty += size == EMPTY_BYTES
                if size < WIDEST_DATE:
                    _count_form(node, data, at + 4, at + size - 1)
            elif kind == DOUBLE:
                _count_double(node, _DOUBLE(data, at)[0])
                node.bits += data[at : at + size] in BITS
            elif kind in (INT, LONG):
                node.bits += data[at : at + size] in BITS
            elif kind == BINARY:
                node.subtypes[data[at + 4]] = node.subtypes.get(data[at + 4], 0) + 1
            node.distinct.add(data[at : at + size])
        return at + size

    def _array(self, data: bytes, at: int, node: PathNode, depth: int) -> None:
        """Walk the array at `at`. An array of documents is one level, like the document it repeats; one of values is none."""
        elements = node.elements = node.elements or self._node()
        at, count = at + 4, 0
        while kind := data[at]:
            at = self._value(data, data.index(0, at + 1) + 1, kind, elements, depth)
            count += 1
        node.empty += not count
        node.lengths = node.lengths or Histogram()
        node.lengths.add(count)

    def _node(self) -> PathNode:
        self.nodes += 1
        return PathNode()

    def _new(self, parent: PathNode, name: bytes) -> PathNode:
        """The node of a name not seen before, or `{*}` where there are too many."""
        if parent.rest is None and self.nodes < MOST_NODES and len(parent.children) < MOST_CHILDREN:
            child = parent.children[name] = self._node()
            return child
        if parent.rest is None:
            least = COMMON * max(parent.types.get(OBJECT, 0), 1)
            parent.fold([rare for rare, child in parent.children.items() if child.present < least])
            self.nodes = sum(1 for _ in _all(self.root))
        assert parent.rest is not None
        assert parent.keys is not None
        parent.keys.add(name)
        return parent.rest


def _all(node: PathNode) -> list[PathNode]:
    below = [*node.children.values(), *(each for each in (node.elements, node.rest) if each is not None)]
    return [node, *(inner for each in below for inner in _all(each))]


def _count_form(node: PathNode, data: bytes, start: int, end: int) -> None:
    """Count a short text as what it could be besides a text."""
    if (form := FORMS.fullmatch(data, start, end)) is not None and form.lastgroup:
        _count(node.forms, form.lastgroup)
        if form.lastgroup == "date" and ZONELESS.fullmatch(form[0]) is not None:
            _count(node.forms, "zoneless")
        if form.lastgroup == "number" and form[0].isdigit():
            node.count_digits(end - start)
        for name, pattern in FURTHER_FORMS.get(form.lastgroup, {}).items():
            if pattern.fullmatch(form[0]) is not None:
                _count(node.forms, name)
    node.dateless += DATELESS.fullmatch(data, start, end) is not None


def _count_double(node: PathNode, value: float) -> None:
    """Count a double as what it cannot be besides: a text, or the decimal of its digits."""
    if value.is_integer():
        if abs(value) >= LARGEST_INTEGER:
            _count(node.forms, text_forms.INEXACT)
        return
    if not (value * SHORT_FRACTION).is_integer():
        _count(node.forms, text_forms.FRACTION)
    if not _is_written(value):
        _count(node.forms, text_forms.INEXACT)


def _is_written(value: float) -> bool:
    """Whether a text can hold a double with a fraction exactly: as digits with a point."""
    return SMALLEST_FRACTION <= abs(value) < LARGEST_INTEGER and float(f"{value:.15g}") == value


def _add(counts: dict[_K, int], more: dict[_K, int]) -> None:
    for key, count in more.items():
        counts[key] = counts.get(key, 0) + count


def _count(counts: dict[str, int], name: str) -> None:
    counts[name] = counts.get(name, 0) + 1


def _size(data: bytes, at: int, kind: int) -> int:
    """Bytes of the value at `at`, which are not always as many; raises `KeyError` for a type BSON does not have."""
    if kind in (OBJECT, ARRAY, SCOPED):
        return int(_INT(data, at)[0])
    if kind in (STRING, JAVASCRIPT, SYMBOL):
        return 4 + int(_INT(data, at)[0])
    if kind == BINARY:
        return 5 + int(_INT(data, at)[0])
    if kind == REGEX:
        return data.index(0, data.index(0, at) + 1) + 1 - at
    if kind == DB_POINTER:
        return 4 + int(_INT(data, at)[0]) + 12
    return _FIXED[kind]
