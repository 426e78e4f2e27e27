"""MySQL's DATE_FORMAT and PostgreSQL's TO_CHAR of dates: names, weeks, twelve-hour clocks and numbers without zeros.

A format is split into pieces, each of which becomes a text of the date; these are concatenated.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import groupby

import sqlglot
from sqlglot import exp

from nestling.ir.statements.expression import NULL, Arithmetic, Call, Case, Cast, Compare, Expression, Literal
from nestling.ir.statements.operators import ArithmeticOperator, Comparison, Function, Rules
from nestling.ir.types import INTEGER, TEXT
from nestling.planner.sql.calendar_names import day_name, month_name
from nestling.planner.sql.weeks import ISO, part, rule_of_mode, week, year_of_week

Piece = Callable[[Expression], Expression]
AS_WRITTEN = {"date_format": "date_format as written", "to_char": "to_char as written"}
"""What the functions are called while sqlglot parses, as it keeps only what it makes of their formats."""
_SHARED = {
    Rules.MYSQL: re.compile(r"""(?:[^%"A-Za-z]|%[YmdjHisST])*\Z"""),
    Rules.POSTGRESQL: re.compile(r"""(?:[^"A-Za-z]|YYYY|MM|DDD|DD|HH24|MI|SS(?!SS))*\Z"""),
}
"""Formats of what both write alike, which are left to sqlglot."""


def restore_formats(tree: exp.Expr, rules: Rules, grammar: str) -> exp.Expr:
    """The functions under their own names: as sqlglot has them where it keeps what the format says, else with it as written."""
    names = {alias: name for name, alias in AS_WRITTEN.items()}

    def restored(node: exp.Expr) -> exp.Expr:
        if not isinstance(node, exp.Anonymous) or node.name not in names:
            return node
        name, pattern = names[node.name], node.expressions[1] if len(node.expressions) == 2 else None
        is_own = isinstance(pattern, exp.Literal) and pattern.is_string and not _SHARED[rules].match(pattern.name)
        if is_own or pattern is None:
            node.set("this", name)
            return node
        return _by_sqlglot(name, node.expressions, grammar)

    found: exp.Expr = tree.transform(restored, copy=False)
    return found


def _by_sqlglot(name: str, arguments: Sequence[exp.Expr], grammar: str) -> exp.Expr:
    holes = ", ".join(f"_hole_{place}" for place in range(len(arguments)))
    made = sqlglot.parse_one(f"SELECT {name}({holes})", dialect=grammar).expressions[0]
    filled = {f"_hole_{place}": argument for place, argument in enumerate(arguments)}
    if isinstance(pattern := arguments[1], exp.Literal):
        written = sqlglot.exp.Literal.string(pattern.name).sql(grammar)
        made = sqlglot.parse_one(f"SELECT {name}(_hole_0, {written})", dialect=grammar).expressions[0]
    for node in made.walk():
        node.meta.clear()  # a place in that text
    found: exp.Expr = made.transform(
        lambda node: filled.get(node.name, node) if isinstance(node, exp.Column) else node, copy=False
    )
    return found


def pieces_of(pattern: str, rules: Rules) -> list[str | Piece] | None:
    """The pieces of a format: texts, parts common to both databases in strftime's form, and others; None for what is unknown."""
    found: list[str | Piece] = []
    read = _of_mysql if rules is Rules.MYSQL else _of_postgresql
    for piece in read(pattern):
        if piece is None:
            return None
        found.append(piece)
    return found


def formatted(time: Expression, pieces: Sequence[str | Piece], rules: Rules) -> Expression:
    """The text of a time."""
    texts: list[Expression] = []
    for is_text, run in groupby(pieces, key=lambda piece: isinstance(piece, str)):
        if is_text:
            pattern = "".join(piece for piece in run if isinstance(piece, str))
            texts.append(Call(Function.FORMAT_TIME, (time, Literal(pattern, TEXT)), TEXT, rules))
        else:
            texts += [piece(time) for piece in run if not isinstance(piece, str)]
    return texts[0] if len(texts) == 1 else Call(Function.CONCAT, tuple(texts), TEXT, rules)


def _number(value: Callable[[Expression], Expression], digits: int = 0) -> Piece:
    """A number as text, filled up with zeros."""

    def piece(time: Expression) -> Expression:
        text = Cast(value(time), TEXT, Rules.MYSQL)
        if not digits:
            return text
        return Call(Function.PAD_START, (text, Literal(digits, INTEGER), Literal("0", TEXT)), TEXT, Rules.MYSQL)

    return piece


def _part(unit: str) -> Callable[[Expression], Expression]:
    return lambda time: part(unit, time)


def _hour_of_twelve(time: Expression) -> Expression:
    eleven = Arithmetic(ArithmeticOperator.ADD, part("hour", time), Literal(11, INTEGER), INTEGER)
    return Arithmetic(
        ArithmeticOperator.ADD,
        Arithmetic(ArithmeticOperator.MODULO, eleven, Literal(12, INTEGER), INTEGER),
        Literal(1, INTEGER),
        INTEGER,
    )


def _half_of_day(before: str, after: str) -> Piece:
    def piece(time: Expression) -> Expression:
        is_before, is_after = (
            Compare(operator, part("hour", time), Literal(12, INTEGER))
            for operator in (Comparison.LESS, Comparison.GREATER_OR_EQUAL)
        )
        return Case(((is_before, Literal(before, TEXT)), (is_after, Literal(after, TEXT))), NULL, TEXT)

    return piece


def _last_two_digits(time: Expression) -> Expression:
    """Of the year."""
    year = Call(Function.FORMAT_TIME, (time, Literal("%Y", TEXT)), TEXT, Rules.MYSQL)
    return Call(Function.SUBSTRING, (year, Literal(3, INTEGER)), TEXT, Rules.MYSQL)


def _name(
    make: Callable[[Expression], Expression], change: Callable[[str], str] = str, *, length: int = 0, filled: int = 0
) -> Piece:
    """The English name: its first letters, or with blanks behind it."""

    def piece(time: Expression) -> Expression:
        found = make(time)
        assert isinstance(found, Case)
        branches = tuple((when, Literal(text_of(str(name.value)), TEXT)) for when, name in _named(found))
        return Case(branches, NULL, TEXT)

    def text_of(name: str) -> str:
        return change(name[:length] if length else name).ljust(filled)

    return piece


def _named(found: Case) -> Iterator[tuple[Expression, Literal]]:
    for when, name in found.branches:
        assert isinstance(name, Literal)
        yield when, name


def _day_of_month_in_order(time: Expression) -> Expression:
    """1st, 2nd, 3rd, 4th."""
    endings = {1: "st", 2: "nd", 3: "rd", 21: "st", 22: "nd", 23: "rd", 31: "st"}
    day = part("day", time)
    branches = tuple(
        (Compare(Comparison.EQUAL, day, Literal(number, INTEGER)), Literal(ending, TEXT))
        for number, ending in endings.items()
    )
    ending = Case(branches, Literal("th", TEXT), TEXT)
    return Call(Function.CONCAT, (Cast(day, TEXT, Rules.MYSQL), ending), TEXT, Rules.MYSQL)


def _week(mode: int) -> Callable[[Expression], Expression]:
    return lambda time: week(time, rule_of_mode(mode))


def _year_of_week(mode: int) -> Callable[[Expression], Expression]:
    return lambda time: year_of_week(time, rule_of_mode(mode))


def _literal(text: str) -> str | Piece:
    """A text that stands for itself: letters are no part of a format of the server's, so they stand alone."""
    if re.fullmatch(r'[^%"A-Za-z]*', text):
        return text
    return lambda time: Literal(text, TEXT)  # noqa: ARG005 - one signature for all pieces


# --- MySQL -----------------------------------------------------------------------------------------------------------

_OF_MYSQL: dict[str, tuple[str | Piece, ...]] = {
    "Y": ("%Y",),
    "m": ("%m",),
    "d": ("%d",),
    "j": ("%j",),
    "H": ("%H",),
    "i": ("%M",),
    "s": ("%S",),
    "S": ("%S",),
    "T": ("%H:%M:%S",),
    "M": (_name(month_name),),
    "b": (_name(month_name, length=3),),
    "W": (_name(day_name),),
    "a": (_name(day_name, length=3),),
    "c": (_number(_part("month")),),
    "e": (_number(_part("day")),),
    "k": (_number(_part("hour")),),
    "h": (_number(_hour_of_twelve, 2),),
    "I": (_number(_hour_of_twelve, 2),),
    "l": (_number(_hour_of_twelve),),
    "p": (_half_of_day("AM", "PM"),),
    "r": (_number(_hour_of_twelve, 2), ":%M:%S ", _half_of_day("AM", "PM")),
    "y": (_last_two_digits,),
    "D": (_day_of_month_in_order,),
    "w": (_number(_part("dow")),),
    "U": (_number(_week(0), 2),),
    "u": (_number(_week(1), 2),),
    "V": (_number(_week(2), 2),),
    "v": (_number(_week(3), 2),),
    "X": (_number(_year_of_week(2), 4),),
    "x": (_number(_year_of_week(3), 4),),
    "%": (_literal("%"),),
}


def _of_mysql(pattern: str) -> Iterator[str | Piece | None]:
    for found in re.finditer(r"%(.?)|[^%]+", pattern, re.DOTALL):
        if found[0].startswith("%"):
            yield from _OF_MYSQL.get(found[1], (None,))
        else:
            yield _literal(found[0])


# --- PostgreSQL ------------------------------------------------------------------------------------------------------


def _names(word: str, make: Callable[[Expression], Expression], length: int) -> dict[str, Piece]:
    """A keyword in three cases, and with FM before it, which leaves the blanks out."""
    changes: tuple[Callable[[str], str], ...] = (str.upper, str, str.lower)
    filled = 0 if length else 9
    found: dict[str, Piece] = {}
    for spelt, change in zip((word.upper(), word, word.lower()), changes, strict=True):
        found[spelt] = _name(make, change, length=length, filled=filled)
        found[f"FM{spelt}"] = _name(make, change, length=length)
    return found


_NAMES_OF_POSTGRESQL: dict[str, Piece] = {
    **_names("Month", month_name, 0),
    **_names("Mon", month_name, 3),
    **_names("Day", day_name, 0),
    **_names("Dy", day_name, 3),
    "AM": _half_of_day("AM", "PM"),
    "PM": _half_of_day("AM", "PM"),
    "am": _half_of_day("am", "pm"),
    "pm": _half_of_day("am", "pm"),
}
_NUMBERS_OF_POSTGRESQL: dict[str, str | Piece] = {
    "YYYY": "%Y",
    "MM": "%m",
    "DD": "%d",
    "DDD": "%j",
    "HH24": "%H",
    "MI": "%M",
    "SS": "%S",
    "HH12": _number(_hour_of_twelve, 2),
    "HH": _number(_hour_of_twelve, 2),
    "YY": _last_two_digits,
    "IYYY": _number(lambda time: year_of_week(time, ISO), 4),
    "IW": _number(lambda time: week(time, ISO), 2),
    "Q": _number(_part("quarter")),
    "D": _number(lambda time: Arithmetic(ArithmeticOperator.ADD, part("dow", time), Literal(1, INTEGER), INTEGER)),
    "ID": _number(_part("isodow")),
    "FMMM": _number(_part("month")),
    "FMDD": _number(_part("day")),
    "FMHH24": _number(_part("hour")),
    "FMHH12": _number(_hour_of_twelve),
    "FMMI": _number(_part("minute")),
}
_UNKNOWN = ("SSSS", "ssss", "IDDD", "iddd")
"""Longer than keywords that are known."""
_WORDS = sorted(
    {*_UNKNOWN, *_NAMES_OF_POSTGRESQL, *_NUMBERS_OF_POSTGRESQL, *(word.lower() for word in _NUMBERS_OF_POSTGRESQL)},
    key=len,
    reverse=True,
)
_PIECE_OF_POSTGRESQL = re.compile("|".join((*_WORDS, r'"([^"\\]*)"', r"[^A-Za-z\"\\]+")))
"""A piece of a format: a keyword, the longest first; a quoted text; or other characters that cannot begin either."""
_MORE = ("th", "TH", "SP", "TM")
"""What changes the keyword before it."""


def _of_postgresql(pattern: str) -> Iterator[str | Piece | None]:
    place = 0
    while place < len(pattern):
        found = _PIECE_OF_POSTGRESQL.match(pattern, place)
        if found is None:
            yield None
            return
        place = found.end()
        if found[1] is not None or not found[0][0].isalpha():
            yield _literal(found[1] if found[1] is not None else found[0])
        elif pattern.startswith(_MORE, place):
            yield None
        else:
            yield _NAMES_OF_POSTGRESQL.get(found[0]) or _NUMBERS_OF_POSTGRESQL.get(found[0].upper())
