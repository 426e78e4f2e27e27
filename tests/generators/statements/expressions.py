"""Scalar expressions over columns in reach: mostly what a kind is for, now and then anything."""

from __future__ import annotations

from collections.abc import Callable

from tests.generators.statements.ground import Kind
from tests.generators.statements.hand import Hand, Scope

Made = tuple[str, Kind]
ANY_KIND = (Kind.NUMBER, Kind.TEXT, Kind.TIME, Kind.TRUTH)
NUMBERS = ("0", "1", "-1", "2", "3", "0.5", "-2.25", "10")
TEXTS = ("''", "'a'", "'A'", "'b'", "'ä'", "'ß'", "'😀'", "'0'", "'1.0'", "' 2'", "'3x'", "'a%'", "'_'")
TIMES = ("'2020-01-31'", "'2020-02-29'", "'2020-02-01 10:00:00'", "'1999-12-31'")
PARAMETERS: dict[Kind, tuple[object, ...]] = {
    Kind.NUMBER: (0, 1, 2.5, None),
    Kind.TEXT: ("", "a", "ä", None),
    Kind.TIME: ("2020-01-31", "2020-02-01 10:00:00"),
    Kind.TRUTH: (1, 0),
    Kind.OTHER: (1, "a", None),
}


def value(hand: Hand, scope: Scope, depth: int = 2, kind: Kind | None = None) -> Made:
    """An expression of a kind, or of any."""
    if hand.chance(12):
        kind = None
    wanted = hand.one_of(ANY_KIND) if kind in (None, Kind.OTHER) else kind
    if depth <= 0 or hand.chance(2):
        return _leaf(hand, scope, kind)
    if hand.chance(4):
        return hand.one_of(ALL_MAKERS)(hand, scope, depth, wanted), wanted
    makers = MAKERS[wanted]
    return hand.one_of(makers)(hand, scope, depth), wanted


def column(hand: Hand, scope: Scope, kind: Kind | None = None) -> Made:
    """A column, of the kind where there is one."""
    fitting = [known for known in scope if kind is None or known.kind is kind] or list(scope)
    chosen = hand.one_of(fitting)
    return chosen.sql, chosen.kind


def literal(hand: Hand, kind: Kind | None, known: tuple[str, ...] = ()) -> str:
    """A literal: one of those known, mostly, or one of its kind; sometimes NULL or a parameter."""
    if known and not hand.chance(4):
        return hand.one_of(known)
    wanted = kind or hand.one_of(ANY_KIND)
    if hand.chance(10):
        return "NULL"
    if hand.chance(6):
        return hand.parameter(hand.one_of(PARAMETERS[wanted]))
    match wanted:
        case Kind.TEXT:
            return hand.one_of(TEXTS)
        case Kind.TIME:
            return hand.one_of(TIMES)
        case Kind.TRUTH:
            return hand.one_of(("TRUE", "FALSE"))
        case _:
            return hand.one_of(NUMBERS)


def _leaf(hand: Hand, scope: Scope, kind: Kind | None) -> Made:
    if not scope or hand.chance(5):
        wanted = kind or hand.one_of(ANY_KIND)
        return literal(hand, wanted), wanted
    return column(hand, scope, kind)


def _of(hand: Hand, scope: Scope, depth: int, kind: Kind | None) -> str:
    return value(hand, scope, depth - 1, kind)[0]


# --- numbers ---------------------------------------------------------------------------------------------------------


def _arithmetic(hand: Hand, scope: Scope, depth: int) -> str:
    hand.uses("arithmetic")
    one, other = _of(hand, scope, depth, Kind.NUMBER), _of(hand, scope, depth, Kind.NUMBER)
    return f"({one} {hand.one_of('+-*/%')} {other})"


def _number_function(hand: Hand, scope: Scope, depth: int) -> str:
    name = hand.one_of(("abs({})", "-{}", "round({})", "round({}, 1)", "sign({})", "max({}, 1)", "min({}, {})"))
    hand.uses("numeric function")
    return "(" + name.format(*(_of(hand, scope, depth, Kind.NUMBER) for _ in range(name.count("{}")))) + ")"


def _measure(hand: Hand, scope: Scope, depth: int) -> str:
    hand.uses("string function")
    text = _of(hand, scope, depth, Kind.TEXT)
    return hand.one_of((f"length({text})", f"instr({text}, {hand.one_of(TEXTS)})"))


def _time_part(hand: Hand, scope: Scope, depth: int) -> str:
    hand.uses("date function")
    part = hand.one_of(("%Y", "%m", "%d", "%H", "%w", "%j"))
    return f"CAST(strftime('{part}', {column(hand, scope, Kind.TIME)[0]}) AS INTEGER)"


def _cast_number(hand: Hand, scope: Scope, depth: int) -> str:
    hand.uses("CAST")
    return f"CAST({_of(hand, scope, depth, None)} AS {hand.one_of(('INTEGER', 'REAL', 'NUMERIC'))})"


# --- texts -----------------------------------------------------------------------------------------------------------


def _concatenation(hand: Hand, scope: Scope, depth: int) -> str:
    hand.uses("concatenation")
    return f"({_of(hand, scope, depth, Kind.TEXT)} || {_of(hand, scope, depth, None)})"


def _text_function(hand: Hand, scope: Scope, depth: int) -> str:
    hand.uses("string function")
    text = _of(hand, scope, depth, Kind.TEXT)
    start, length = hand.number(-3, 4), hand.number(-2, 3)
    return hand.one_of(
        (
            f"upper({text})", f"lower({text})", f"trim({text})", f"ltrim({text})", f"rtrim({text}, 'a')",
            f"substr({text}, {start})", f"substr({text}, {start}, {length})", f"replace({text}, 'a', 'bb')",
        )
    )  # fmt: skip


def _cast_text(hand: Hand, scope: Scope, depth: int) -> str:
    hand.uses("CAST")
    return f"CAST({_of(hand, scope, depth, None)} AS TEXT)"


def _type_of(hand: Hand, scope: Scope, depth: int) -> str:
    return f"typeof({_of(hand, scope, depth, None)})"


# --- times -----------------------------------------------------------------------------------------------------------


def _moved(hand: Hand, scope: Scope, depth: int) -> str:
    hand.uses("date function")
    source = column(hand, scope, Kind.TIME)[0]
    amount, unit = hand.number(-40, 40), hand.one_of(("day", "month", "year"))
    name = hand.one_of(("date", "datetime"))
    return hand.one_of(
        (f"{name}({source})", f"{name}({source}, '{amount:+d} {unit}')", f"date({source}, 'start of month')")
    )


def _formatted(hand: Hand, scope: Scope, depth: int) -> str:
    hand.uses("date function")
    return f"strftime('{hand.one_of(('%Y-%m', '%Y', '%H:%M'))}', {column(hand, scope, Kind.TIME)[0]})"


# --- truths ----------------------------------------------------------------------------------------------------------


def _condition(hand: Hand, scope: Scope, depth: int) -> str:
    from tests.generators.statements.conditions import condition

    return f"({condition(hand, scope, depth - 1)})"


# --- of any kind -----------------------------------------------------------------------------------------------------


def _case(hand: Hand, scope: Scope, depth: int, kind: Kind) -> str:
    from tests.generators.statements.conditions import condition

    hand.uses("CASE")
    one, other = _of(hand, scope, depth, kind), _of(hand, scope, depth, kind)
    if hand.chance(3):
        subject, match = _of(hand, scope, depth, kind), _of(hand, scope, depth, kind)
        return f"CASE {subject} WHEN {match} THEN {one} END"
    return f"CASE WHEN {condition(hand, scope, depth - 1)} THEN {one} ELSE {other} END"


def _coalesce(hand: Hand, scope: Scope, depth: int, kind: Kind) -> str:
    hand.uses("COALESCE")
    name = hand.one_of(("coalesce", "ifnull", "nullif"))
    return f"{name}({_of(hand, scope, depth, kind)}, {_of(hand, scope, depth, kind)})"


def _scalar_subquery(hand: Hand, scope: Scope, depth: int, kind: Kind) -> str:
    from tests.generators.statements.selects import scalar_subquery

    return scalar_subquery(hand, scope) if hand.may_nest else column(hand, scope, kind)[0] if scope else "1"


Maker = Callable[[Hand, Scope, int], str]
MAKERS: dict[Kind, tuple[Maker, ...]] = {
    Kind.NUMBER: (_arithmetic, _arithmetic, _number_function, _measure, _time_part, _cast_number),
    Kind.TEXT: (_concatenation, _text_function, _text_function, _cast_text, _formatted, _type_of),
    Kind.TIME: (_moved,),
    Kind.TRUTH: (_condition,),
}
ALL_MAKERS: tuple[Callable[[Hand, Scope, int, Kind], str], ...] = (_case, _coalesce, _scalar_subquery)
