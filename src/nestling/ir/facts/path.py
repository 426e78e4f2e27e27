"""What is known of one path of a collection's documents."""

from __future__ import annotations

from dataclasses import dataclass

from nestling.ir.facts.steps import ELEMENT, field_path, steps_text

NUMBERS = frozenset({"int", "long", "double", "decimal"})
NULL_TYPES = ("null", "undefined")


@dataclass(frozen=True, slots=True)
class Quantiles:
    """A distribution: how many values, their mean, quantiles (within 2 % above 128) and maximum."""

    count: int
    mean: float
    p50: float
    p95: float
    p99: float
    max: float


@dataclass(frozen=True, slots=True)
class PathFacts:
    """A path: its BSON types with how often each occurs, and sizes in bytes of BSON.

    `parents`: how often the document that could hold it occurs. `documents`: root documents that have it. `empty`: texts,
    arrays and documents with nothing in them. `dateless`: texts of dates that no BSON date is, such as `0000-00-00`. `keys`:
    how many different names a `{*}` stands for, at least. `distinct`: an estimate of the different values among those read,
    None when not asked. `subtypes`: how many binary values have which subtype. `forms`: how many texts the server converts to a
    date, number or ObjectId, how many of the dates name no time zone, how many of the numbers are codes, amounts, or exact as
    doubles or decimals, how many doubles no text holds, and how many numbers beside booleans are 0 or 1 (`text_forms`).
    `exact`: counted over all documents, not a sample. `place`: its place among the fields beside it, in the order in which most
    documents have them. `digits`: the fewest and the most digits of the texts that consist of digits.
    """

    steps: tuple[str, ...]
    types: tuple[tuple[str, int], ...]
    parents: int
    documents: int
    size_bytes: int
    widths: Quantiles | None = None
    lengths: Quantiles | None = None
    empty: int = 0
    dateless: int = 0
    keys: int = 0
    distinct: int | None = None
    subtypes: tuple[tuple[int, int], ...] = ()
    forms: tuple[tuple[str, int], ...] = ()
    exact: bool = False
    place: int = 0
    digits: tuple[int, int] = (0, 0)

    @property
    def text(self) -> str:
        """The path for people."""
        return steps_text(self.steps)

    @property
    def field(self) -> str:
        """The path as queries write it."""
        return field_path(self.steps)

    @property
    def present(self) -> int:
        """The number of occurrences, null included."""
        return sum(count for _, count in self.types)

    @property
    def missing(self) -> int:
        """The number of places where the path could occur and does not; 0 for the elements of an array."""
        return max(self.parents - self.present, 0) if self.steps[-1] != ELEMENT else 0

    @property
    def code_width(self) -> int:
        """The digits of each text where all are codes of one width, some with leading zeros; else 0."""
        forms, (least, most) = dict(self.forms), self.digits
        are_codes = forms.get("code", 0) > 0 and forms.get("number", 0) >= self.count("string")
        return most if least == most > 1 and are_codes else 0

    def count(self, *types: str) -> int:
        """The number of occurrences with one of these types."""
        return sum(count for name, count in self.types if name in types)
