"""Scalar expressions, in which every habit of a dialect is written out.

Values are conceptual (`nestling.ir.rows`). A predicate has type boolean: true, false or NULL, under SQL's three-valued logic.
Whatever a dialect does on its own is a node here: an affinity is a `Coerce`, a number taken for a truth value or a truth value
shown as 0 or 1 is a `Cast`, the case rule of LIKE, the collation of a comparison and the rule of a division are fields. Where a
function or a cast differs between databases, its node carries the `Rules` it follows.

A `Column` belongs to the relation whose alias it names. Aliases are unique in a whole statement, so that a column of an outer
query inside a subquery's relation (a correlation) needs no mark: it is one that relation does not yield itself.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, TypeAlias

from nestling.ir.fraction import Fraction
from nestling.ir.types import BOOLEAN, TEXT, Type, TypeName

if TYPE_CHECKING:
    from nestling.ir.statements.algebra import Relation

ANY = Type(TypeName.ANY)


class Rules(StrEnum):
    """Whose rules a cast or function follows where databases differ."""

    SQLITE = "sqlite"
    POSTGRESQL = "postgresql"
    MYSQL = "mysql"


class Collation(StrEnum):
    """When two texts are equal and which comes first. Numbers sort before texts, texts before bytes, in every collation."""

    BINARY = "binary"  # by code point
    NOCASE = "nocase"  # SQLite's: A-Z as a-z, the rest by code point
    RTRIM = "rtrim"  # SQLite's: trailing spaces do not count
    UNICODE_CI = "unicode_ci"  # MySQL's default: neither case nor accents count


class Affinity(StrEnum):
    """SQLite's affinities. BLOB converts nothing: no `Coerce` has it."""

    NUMERIC = "numeric"  # a text that is a number in full becomes one
    TEXT = "text"  # a number becomes text
    BLOB = "blob"


class Comparison(StrEnum):
    """Comparison operators; the last two treat NULL as a value and are never NULL themselves."""

    EQUAL = "="
    NOT_EQUAL = "<>"
    LESS = "<"
    LESS_OR_EQUAL = "<="
    GREATER = ">"
    GREATER_OR_EQUAL = ">="
    SAME = "is not distinct from"
    DIFFERENT = "is distinct from"

    @property
    def is_order(self) -> bool:
        """Whether it asks which of two values comes first."""
        return self in _ORDERS

    @property
    def mirrored(self) -> Comparison:
        """The operator with the sides exchanged: `a < b` is `b > a`."""
        return _MIRRORED.get(self, self)

    @property
    def opposite(self) -> Comparison:
        """The operator that is true where this one is false."""
        return _OPPOSITE[self]


_MIRRORED = {
    Comparison.LESS: Comparison.GREATER,
    Comparison.LESS_OR_EQUAL: Comparison.GREATER_OR_EQUAL,
    Comparison.GREATER: Comparison.LESS,
    Comparison.GREATER_OR_EQUAL: Comparison.LESS_OR_EQUAL,
}
_ORDERS = frozenset(_MIRRORED)
_OPPOSITE = {
    Comparison.EQUAL: Comparison.NOT_EQUAL,
    Comparison.NOT_EQUAL: Comparison.EQUAL,
    Comparison.LESS: Comparison.GREATER_OR_EQUAL,
    Comparison.LESS_OR_EQUAL: Comparison.GREATER,
    Comparison.GREATER: Comparison.LESS_OR_EQUAL,
    Comparison.GREATER_OR_EQUAL: Comparison.LESS,
    Comparison.SAME: Comparison.DIFFERENT,
    Comparison.DIFFERENT: Comparison.SAME,
}


class ArithmeticOperator(StrEnum):
    """Arithmetic on numbers; NULL if an operand is NULL."""

    ADD = "+"
    SUBTRACT = "-"
    MULTIPLY = "*"
    DIVIDE = "/"
    MODULO = "%"  # the sign of the left operand
    BIT_AND = "&"
    BIT_OR = "|"
    SHIFT_LEFT = "<<"
    SHIFT_RIGHT = ">>"


class Division(StrEnum):
    """What `/` and `%` give."""

    REAL = "real"  # a float
    INTEGER = "integer"  # truncated towards zero
    DECIMAL = "decimal"  # exact as far as the database's scale goes
    BY_VALUE = "by value"  # SQLite: INTEGER if both values are integers, else REAL


class CaseRule(StrEnum):
    """Which characters LIKE takes for the same."""

    EXACT = "exact"
    BYTES = "bytes"  # as EXACT, but `_` is one byte: MySQL's LIKE BINARY
    ASCII = "ascii"  # A-Z as a-z
    LOWER = "lower"  # those with the same lower case: PostgreSQL's ILIKE
    OF_LOWER = "of lower"  # the text's lower case beside the pattern as it is
    OF_UPPER = "of upper"  # the text's upper case beside the pattern as it is
    PRIMARY = "primary"  # whatever case and accents, as MySQL compares one character with another
    SPELLED_LOWER = "spelled, lower"  # a hint for an index: all texts with that lower case, and others
    SPELLED_UPPER = "spelled, upper"  # the same of upper case


class Function(StrEnum):
    """The closed set of functions. NULL if an argument is NULL, unless said otherwise.

    Times: `TIMESTAMP_OF` reads text (SQLite's time values, PostgreSQL's input) or a date; NULL (SQLite, MySQL) or an error
    (PostgreSQL) when it cannot. Units are literals: year, quarter, month, week, day, dow, doy, hour, minute, second, epoch.
    """

    COALESCE = "coalesce"  # the first that is not NULL
    GREATEST = "greatest"  # PostgreSQL leaves NULLs out
    LEAST = "least"
    ABS = "abs"
    ROUND = "round"  # (number, digits): half away from zero; SQLite: a float; PostgreSQL floats without digits: half to even
    FLOOR = "floor"
    CEILING = "ceiling"
    TRUNCATE = "truncate"  # (number, digits): towards zero
    SIGN = "sign"
    NUMBER_OF = "number of"  # SQLite: a number, or the one a text is in full; NULL of anything else
    FLOAT_MOD = "mod of floats"  # SQLite's mod(): of floats, with the sign of the first; NULL by zero
    SQRT = "sqrt"
    POWER = "power"
    EXP = "exp"
    LN = "ln"
    LOG10 = "log10"
    LOG2 = "log2"
    CONCAT = "concat"  # of texts
    CONCAT_PRESENT = "concat present"  # NULLs left out; '' of none
    CONCAT_SEPARATED = "concat separated"  # (separator, texts…): NULL texts left out
    UPPER = "upper"  # SQLite: a-z only
    LOWER = "lower"
    LENGTH = "length"  # in characters; SQLite: of a bytes value in bytes
    BYTE_LENGTH = "byte length"
    SUBSTRING = "substring"  # (text, start from 1[, length]); a start below 1 counts from the end but in PostgreSQL
    POSITION = "position"  # (text, sought): from 1, 0 when it is not there
    REPLACE = "replace"  # (text, sought, replacement); an empty `sought` changes nothing
    TRIM = "trim"  # (text, characters), both ends
    TRIM_START = "trim start"
    TRIM_END = "trim end"
    PAD_START = "pad start"  # (text, length, filling): cut to the length when longer
    PAD_END = "pad end"
    REPEAT = "repeat"
    REVERSE = "reverse"
    SUBSTRING_INDEX = "substring index"  # (text, separator, n): what is before the n-th, or after the n-th from the end
    PART = "part"  # (text, separator, n): what is between separators, from 1 or from the end; '' where there is none
    TRANSLATE = "translate"  # (text, from, to), character by character
    CODE_POINT = "code point"  # of the first character
    CHARACTER = "character"
    MATCHES = "matches"  # (text, regular expression): anywhere in the text
    MATCHES_ANY_CASE = "matches any case"
    MATCHED = "matched"  # (text, regular expression): what it finds first, or of that the first group; else NULL
    GLOB = "glob"  # SQLite's * ? []
    ANY_ELEMENT = "any element"  # (array, value): one is equal; NULL when none is and one might be, were NULL known
    CONTAINS = "contains"  # (array, values…): each is an element, which NULL is not; NULL only where the array is
    OVERLAPS = "overlaps"  # (array, values…): one of them is an element
    ARRAY_OF = "array of"  # (value…): never NULL; its elements may be
    ARRAY_CONCAT = "array concat"  # (array, array): one that is NULL adds nothing; NULL where both are
    ARRAY_REMOVE = "array remove"  # (array, value): without the elements that are the value, NULL as well
    JSON_VALUE = (
        "json value"  # (json, key…): what lies under the keys, one in another, as text; NULL where nothing does
    )
    JSON_CONTAINS = (
        "json contains"  # (json, constant JSON text, key…): what lies under the keys holds all that the text says
    )
    JSON_HAS = (
        "json has"  # (json, text, key…): what lies under the keys is an object with the key, or an array with the text
    )
    JSON_MERGE = (
        "json merge"  # (object, object): what the second says in place of what the first does; fails on anything else
    )
    JSON_WITHOUT = "json without"  # (object, key…): without these keys; fails on anything else
    JSON_SET = (
        "json set"  # (object, value, key…): with the value under the keys, whose objects but the last's are there
    )
    JSON_OBJECT = "json object"  # (key, value, key, value…): never NULL; a value that is NULL is JSON's null
    JSON_ARRAY = "json array"  # (value…): the same as an array
    JSON_PART = "json part"  # (value): as a part of JSON
    JOINED = "joined"  # (array, separator[, text of NULL]): elements as one text; those that are NULL left out
    CARDINALITY = "cardinality"  # of an array: how many elements it has
    ELEMENT = "element"  # (array, place from 1): NULL where it has no so many elements
    ROW = "row"  # of values, only to be told from others: PostgreSQL's is never NULL, MySQL's where a value is
    TYPE_OF = "type of"  # SQLite's typeof, never NULL
    RANDOM = "random"  # another number for each row: what rows are ordered by that may come in any order
    NOW = "now"  # the statement's instant in UTC, without a zone
    TIMESTAMP_OF = "timestamp of"
    DATE_OF = "date of"  # the day of a timestamp, as a date
    FORMAT_TIME = "format time"  # (timestamp, a strftime format of %d %f %H %j %J %m %M %s %S %w %W %Y)
    TIME_PART = "time part"  # (unit, timestamp)
    TRUNCATE_TIME = "truncate time"  # (unit, timestamp)
    ROUND_TIME = "round time"  # (timestamp, digits of a second, whether the rest is cut off)
    ADD_TIME = (
        "add time"  # (timestamp, unit, amount); a day beyond the month's last: SQLite goes into the next, others stay
    )
    TIME_BETWEEN = "time between"  # (later, earlier): an interval
    DAYS_BETWEEN = "days between"  # (later, earlier): whole days between two dates
    UNITS_BETWEEN = (
        "units between"  # (unit, later, earlier): whole units between two instants, below 0 where later is earlier
    )
    TIME_IN_ZONE = "time in zone"  # (zone, timestamptz): what clocks show there, without a zone
    TIME_OF_ZONE = "time of zone"  # (zone, timestamp): the instant at which clocks there show it
    JULIAN_DAY = "julian day"
    EPOCH = "epoch"  # seconds


@dataclass(frozen=True, slots=True)
class Literal:
    """A constant; `None` is NULL."""

    value: object
    type: Type


@dataclass(frozen=True, slots=True)
class Parameter:
    """A value given when the statement runs. `type` is what its surroundings expect, ANY when they do not say.

    `listed`: a list of such values is given; it is the only item of an `InList`, maybe converted, and stands for all of them.
    `exact`: the statement says the type, and values of others are refused rather than converted as the database would.
    `by_sqlite`: a decimal that is given is a float, a day or moment a text: SQLite has neither.
    `no_float`: a float is refused where a decimal is expected: MySQL reckons with floats otherwise.
    `rules`: those of its dialect, by which a number that is given for a text is written, and a text for bytes is read.
    `no_number`: a number is refused where texts are compared: MySQL compares numbers then.
    `strict`: the value keeps the BSON type it is given with.
    """

    name: str
    type: Type = field(default=ANY, compare=False)
    listed: bool = False
    exact: bool = False
    by_sqlite: bool = False
    no_float: bool = False
    rules: Rules | None = field(default=None, compare=False)
    no_number: bool = field(default=False, compare=False)
    strict: bool = False


@dataclass(frozen=True, slots=True)
class Column:
    """A column of the relation `alias`.

    `mixed`: values of other types than `type` were seen or are possible; `numbers`: those are all integers and floats.
    """

    alias: str
    name: str
    type: Type = field(compare=False)
    nullable: bool = field(default=True, compare=False)
    mixed: bool = field(default=False, compare=False)
    numbers: bool = field(default=False, compare=False)


@dataclass(frozen=True, slots=True)
class Arithmetic:
    """`left operator right` on numbers; `division` is set for `/` and `%`. `zero_fails`: by zero is an error, not NULL.

    `in_order`: its decimals may be floats (SQLite has no others), of which those on the left are reckoned with first.
    """

    operator: ArithmeticOperator
    left: Expression
    right: Expression
    type: Type
    division: Division | None = None
    zero_fails: bool = False
    in_order: bool = False


@dataclass(frozen=True, slots=True)
class Negate:
    """The number with the other sign."""

    operand: Expression
    type: Type


@dataclass(frozen=True, slots=True)
class Compare:
    """Two values compared as they are: numbers by value, texts by `collation`, different classes by class.

    `strict`: as MongoDB's query operators do; values of different classes are not equal, and neither is less than the other.
    """

    operator: Comparison
    left: Expression
    right: Expression
    collation: Collation = Collation.BINARY
    strict: bool = False
    type: Type = field(default=BOOLEAN, init=False)


@dataclass(frozen=True, slots=True)
class And:
    """All of the predicates (three-valued)."""

    operands: tuple[Expression, ...]
    type: Type = field(default=BOOLEAN, init=False)


@dataclass(frozen=True, slots=True)
class Or:
    """Any of the predicates (three-valued)."""

    operands: tuple[Expression, ...]
    type: Type = field(default=BOOLEAN, init=False)


@dataclass(frozen=True, slots=True)
class Not:
    """The other truth value; NULL stays NULL."""

    operand: Expression
    type: Type = field(default=BOOLEAN, init=False)


@dataclass(frozen=True, slots=True)
class IsNull:
    """Whether it is NULL: true or false."""

    operand: Expression
    type: Type = field(default=BOOLEAN, init=False)


@dataclass(frozen=True, slots=True)
class InList:
    """Whether the operand equals an item: NULL when none is equal and something is NULL; false for no items at all."""

    operand: Expression
    items: tuple[Expression, ...]
    collation: Collation = Collation.BINARY
    type: Type = field(default=BOOLEAN, init=False)

    @property
    def given(self) -> Parameter | None:
        """The parameter that is the list; None for items that are written down."""
        item = self.items[0] if len(self.items) == 1 else None
        while isinstance(item, Cast | Coerce):
            item = item.operand
        return item if isinstance(item, Parameter) and item.listed else None


SPELLED = {CaseRule.SPELLED_LOWER: Function.LOWER, CaseRule.SPELLED_UPPER: Function.UPPER}
"""The rules of patterns that are hints for an index, and the function of case that a condition beside each asks for."""
EACH_ITSELF = ""
"""In place of the escape of a pattern without wildcards: `%` and `_` stand for themselves as all characters do."""


@dataclass(frozen=True, slots=True)
class Like:
    """Whether the text matches `%` and `_`. `escape` is one character, None for no escapes, or `EACH_ITSELF`."""

    operand: Expression
    pattern: Expression
    escape: str | None
    case: CaseRule
    type: Type = field(default=BOOLEAN, init=False)


@dataclass(frozen=True, slots=True)
class Case:
    """The value of the first branch whose predicate is true, else the default."""

    branches: tuple[tuple[Expression, Expression], ...]
    default: Expression
    type: Type


@dataclass(frozen=True, slots=True)
class Cast:
    """The value as `type`, by `rules`. NULL stays NULL.

    From boolean to integer: 0 or 1. To boolean: whether the number is not zero. SQLite and MySQL take a text's longest numeric
    prefix (none: 0). In SQLite, to decimal is what arithmetic takes a text for (`10.0` is a float), to any is its CAST AS NUMERIC
    (`10.0` is the integer it is worth), and to integer truncates; PostgreSQL rounds (numeric: half away from zero, float: half
    to even) and fails on text that is not a value. To text: SQLite shows a float with up to 15 digits and always a point, dates
    as ISO 8601 with as many fraction digits as the type says, `2024-01-31 10:00:00`.
    """

    operand: Expression
    type: Type
    rules: Rules


@dataclass(frozen=True, slots=True)
class Coerce:
    """SQLite's affinity: converts where that loses nothing, else leaves the value as it is. NULL stays NULL."""

    operand: Expression
    affinity: Affinity

    @property
    def type(self) -> Type:
        """Text for the text affinity, else anything."""
        return TEXT if self.affinity is Affinity.TEXT else ANY


@dataclass(frozen=True, slots=True)
class Raw:
    """A conceptual value as SQL in its own database sees it; a value that is not of its attribute's type stays as it is.

    A boolean is 0 or 1. SQLite has no dates, UUIDs or JSON either: they are the texts `nestling.sources` reads them from, such as
    `2024-01-31` or `2024-01-31 10:00:00` with as many fraction digits as the type says. `type` is ANY for mixed columns.
    """

    operand: Expression
    type: Type


@dataclass(frozen=True, slots=True)
class AttributeCast:
    """The value as an attribute of `type` keeps it: SQLite's affinity, and dates read from canonical text; else as it is.

    `lenient`: an attribute of dates that also keeps MySQL's zero dates or PostgreSQL's infinities, or an enum whose labels may be
    written in any case.
    `among`: in SQLite, the attribute of days or moments that holds no other texts, which refuses those it cannot read.
    `numeric`: in SQLite, a float's attribute that also holds integers, which a whole number is kept as (NUMERIC affinity).
    `rounds`: a parameter's datetime with microseconds is rounded where the attribute keeps dates; else it is refused.
    `fraction`: what the attribute keeps of a second, where the value may have more.
    `numbered`: a new row's AUTO_INCREMENT in MySQL, where 0 asks for the next number: one that is not written down is refused.
    """

    operand: Expression
    type: Type
    rules: Rules
    lenient: bool = False
    among: str = ""
    numeric: bool = False
    rounds: bool = False
    fraction: Fraction | None = None
    numbered: bool = False


@dataclass(frozen=True, slots=True)
class Call:
    """A function of the closed set."""

    function: Function
    arguments: tuple[Expression, ...]
    type: Type
    rules: Rules


@dataclass(frozen=True, slots=True)
class ScalarSubquery:
    """The one column of the first row, NULL when there is none; `many_fail`: a second row is an error."""

    relation: Relation
    type: Type
    many_fail: bool = False


@dataclass(frozen=True, slots=True)
class Exists:
    """Whether there is a row: true or false."""

    relation: Relation
    type: Type = field(default=BOOLEAN, init=False)


@dataclass(frozen=True, slots=True)
class InSubquery:
    """Whether a row of the relation equals the operands: NULL when none is equal and one might be, were NULL known.

    `operator` is another comparison of the one operand with the row's value: it is what `> ANY (SELECT …)` asks.
    """

    operands: tuple[Expression, ...]
    relation: Relation
    collation: Collation = Collation.BINARY
    operator: Comparison = Comparison.EQUAL
    type: Type = field(default=BOOLEAN, init=False)


Expression: TypeAlias = (
    Literal
    | Parameter
    | Column
    | Arithmetic
    | Negate
    | Compare
    | And
    | Or
    | Not
    | IsNull
    | InList
    | Like
    | Case
    | Cast
    | Coerce
    | Raw
    | AttributeCast
    | Call
    | ScalarSubquery
    | Exists
    | InSubquery
)

NULL = Literal(None, ANY)
TRUE = Literal(True, BOOLEAN)
FALSE = Literal(False, BOOLEAN)
