"""What expressions are made of besides their operands: operators, functions, and the rules by which databases differ in them."""

from __future__ import annotations

from enum import StrEnum


class Rules(StrEnum):
    """The database whose rules a cast or function follows where databases differ."""

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


BELOW = frozenset({Comparison.LESS, Comparison.LESS_OR_EQUAL})
ABOVE = frozenset({Comparison.GREATER, Comparison.GREATER_OR_EQUAL})


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

    JSON: keys are literals; a number of INTEGER is a place in an array, from 0 or, below 0, from its end, of ANY a key or place.
    Times: `TIMESTAMP_OF` reads text (SQLite's time values, PostgreSQL's input) or a date; NULL (SQLite, MySQL) or an error
    (PostgreSQL) when it cannot. Units are literals: year, quarter, month, week, day, dow, doy, hour, minute, second, epoch; of
    UNITS_BETWEEN also the "day of age", one beyond whole months.
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
    TRIM = "trim"  # (text, characters), both ends; MySQL: a constant text, as often as it is there
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
    JSON_LENGTH = (
        "json length"  # (json, key…): elements of the array under the keys; else fails, MySQL: 1, of objects keys
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
    MOMENT_TEXT = "moment text"  # (timestamp): as MySQL writes it, with six digits of a second
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
    MAKE_DATE = "make date"  # (year, month, day): fails on what is no date of the years 1 to 9999
    TIME_IN_ZONE = "time in zone"  # (zone, timestamptz): what clocks show there, without a zone
    TIME_OF_ZONE = "time of zone"  # (zone, timestamp): the instant at which clocks there show it
    JULIAN_DAY = "julian day"
    EPOCH = "epoch"  # seconds
