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
from typing import TYPE_CHECKING, TypeAlias

from nestling.ir.fraction import Fraction
from nestling.ir.statements.operators import (
    Affinity,
    ArithmeticOperator,
    CaseRule,
    Collation,
    Comparison,
    Division,
    Function,
    Rules,
)
from nestling.ir.types import BOOLEAN, INTEGER, TEXT, Type, TypeName

if TYPE_CHECKING:
    from nestling.ir.statements.algebra import Relation

ANY = Type(TypeName.ANY)


@dataclass(frozen=True, slots=True)
class Literal:
    """A constant; `None` is NULL."""

    value: object
    type: Type


CELL = "cell "
"""The prefix of parameters that stand for columns of the current row; it contains a space, so no statement's parameter has it."""


@dataclass(frozen=True, slots=True)
class Parameter:
    """A value given when the statement runs. `type` is what its surroundings expect, ANY if they do not declare it.

    `listed`: a list of such values is given; it is the only item of an `InList`, maybe converted, and stands for all of them.
    `exact`: the statement declares the type, and values of others are refused rather than converted as the database would.
    `by_sqlite`: a decimal that is given becomes a float, a day or moment a text: SQLite has neither.
    `no_float`: a float is refused where a decimal is expected: MySQL would compute with floats.
    `rules`: those of its dialect, by which a number that is given for a text is written, and a text for bytes is read.
    `no_number`: a number is refused where texts are compared: MySQL would compare numbers.
    `strict`: the value keeps the BSON type it is given with.
    `second_digits`: a moment with more digits of a second is refused.
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
    second_digits: int | None = None

    @property
    def is_cell(self) -> bool:
        """Whether it stands for a column of a row of the database: what is stored, and nothing that is given."""
        return self.name.startswith(CELL)


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
    """`left operator right` on numbers; `division` is set for `/` and `%`. `zero_fails`: division by zero is an error, not NULL.

    `in_order`: its decimals may be floats (SQLite has no others), so operations on the left are computed first.
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
    """The negation of a truth value; NULL stays NULL."""

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
    """The one column of the first row, NULL if there is none; `many_fail`: a second row is an error."""

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
    """Whether a row of the relation equals the operands: NULL if none is equal but one might be, if NULL were known.

    `operator` is another comparison of a single operand with the row's value, as for `> ANY (SELECT …)`.
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
ONE = Literal(1, INTEGER)
TRUE = Literal(True, BOOLEAN)
FALSE = Literal(False, BOOLEAN)
