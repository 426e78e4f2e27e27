"""SQL functions to the closed set: each sqlglot class, or name it has no class for, and the function it is."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import replace

from sqlglot import exp

from nestling.common.sql_tokens import FLOAT_MOD
from nestling.ir.statements.expression import (
    NULL,
    Call,
    Case,
    Cast,
    Collation,
    Compare,
    Comparison,
    Expression,
    Function,
    InList,
    Literal,
    Parameter,
    Rules,
)
from nestling.ir.statements.operands import is_float, is_integer, is_text, of_numbers
from nestling.ir.types import BOOLEAN, FLOAT, INTEGER, TEXT, Type, TypeName
from nestling.planner.sql import common_type as one_value
from nestling.planner.sql import conversions
from nestling.planner.sql.collations import collation, is_by_bytes, is_citext, without_binary
from nestling.planner.sql.comparisons import is_either_citext
from nestling.planner.sql.formats import bind_format
from nestling.planner.sql.gaps import called, mistake, no_constant, statement_gap
from nestling.planner.sql.json_changes import set_under
from nestling.planner.sql.json_parts import JSON_BUILDERS
from nestling.planner.sql.literals import DECIMAL
from nestling.planner.sql.mysql.calendar import CALENDAR_FUNCTIONS, CALENDAR_NAMES
from nestling.planner.sql.mysql.digits import Digits, digits_of
from nestling.planner.sql.mysql.json_values import JSON_NAMES
from nestling.planner.sql.postgresql import char_n as chars
from nestling.planner.sql.postgresql.arrays import cardinality
from nestling.planner.sql.postgresql.enums import ranked
from nestling.planner.sql.postgresql.infinite_moments import refuse_infinite
from nestling.planner.sql.scope import Bind, Env, Handler
from nestling.planner.sql.supported_types import refuse_order, refuse_reckoning
from nestling.planner.sql.times import TIME_FUNCTIONS, TIME_NAMES


def _texts(parts: Sequence[exp.Expr], env: Env, bound: Bind) -> tuple[Expression, ...]:
    return tuple(_text(part, env, bound) for part in parts)


def _text(part: exp.Expr, env: Env, bound: Bind) -> Expression:
    return conversions.text(bound(part), env.translation)


def _shown(parts: Sequence[exp.Expr], env: Env, bound: Bind) -> tuple[Expression, ...]:
    """As an answer shows them: a `char` with its blanks, truth as a letter."""
    return tuple(conversions.text_as_shown(bound(part), env.translation) for part in parts)


def _integer(part: exp.Expr, env: Env, bound: Bind) -> Expression:
    given = bound(part)
    if env.dialect.is_sqlite:
        return conversions.whole(given, env.translation)
    found = conversions.number(given, env.translation)
    if isinstance(found, Parameter):
        return replace(found, type=INTEGER)
    return found if is_integer(found) else Cast(found, INTEGER, env.dialect.rules)


def _of_text(function: Function, kind: Type = TEXT) -> Handler:
    """A function of one text."""
    return lambda node, env, bound: Call(function, (_text(node.this, env, bound),), kind, env.dialect.rules)


def _cased(function: Function) -> Handler:
    """PostgreSQL's C locale knows A to Z alone; what is not said to be in it is taken to be in another."""

    def call(node: exp.Expr, env: Env, bound: Bind) -> Expression:
        inner = node.this.unnest()
        if isinstance(inner, exp.Collate) and inner.expression.name.casefold() in ("c", "posix"):
            raise statement_gap(f"{node.key.upper()}() by the C locale", node)
        return _of_text(function)(node, env, bound)

    return call


def _of_texts(function: Function, kind: Type, *names: str) -> Handler:
    """A function of the texts under those arguments."""

    def call(node: exp.Expr, env: Env, bound: Bind) -> Expression:
        parts = [node.args[name] for name in names if node.args.get(name) is not None]
        _refuse_citext(node, env, bound)
        return Call(function, _texts(parts, env, bound), kind, env.dialect.rules)

    return call


def _refuse_citext(node: exp.Expr, env: Env, bound: Bind) -> None:
    """PostgreSQL seeks in a citext whatever the case, which no operator of the server does."""
    if env.dialect.rules is Rules.POSTGRESQL and is_citext(bound(node.this), env.translation):
        raise statement_gap(f"{node.key.upper()}() of a citext, which PostgreSQL seeks in whatever the case", node)


def _of_number(function: Function, kind: Type | None = None) -> Handler:
    """A function of one number; of the number's own type unless told."""

    def call(node: exp.Expr, env: Env, bound: Bind) -> Expression:
        operand = conversions.argument(bound(node.this), env.translation)
        return Call(function, (operand,), kind or operand.type, env.dialect.rules)

    return call


def _number(node: exp.Expr, env: Env, bound: Bind) -> Expression:
    """What a function of numbers is given. PostgreSQL takes a constant in quotes for a number, whose type the function says."""
    found = bound(node.this)
    if env.dialect.rules is Rules.POSTGRESQL and isinstance(found, Literal) and isinstance(found.value, str):
        raise statement_gap(f"{called(node, env.dialect.grammar)} of a text; write the number without quotes", node)
    return found


def _pi(node: exp.Expr, env: Env, bound: Bind) -> Expression:  # noqa: ARG001
    if env.dialect.rules is Rules.MYSQL:
        raise statement_gap("PI(), of which MySQL shows six digits and reckons with more", node)
    return Literal(math.pi, FLOAT)


def _absolute(node: exp.Expr, env: Env, bound: Bind) -> Expression:
    """Of a text SQLite's is a float, even where the text says a whole number."""
    given = conversions.plain(_number(node, env, bound), env.translation)
    operand = conversions.number(given, env.translation)
    if isinstance(given, Parameter) and env.dialect.is_sqlite:
        kind = Call(Function.TYPE_OF, (given,), TEXT, Rules.SQLITE)
        is_read = InList(kind, (Literal("text", TEXT), Literal("blob", TEXT)))
        operand = Case(((is_read, Cast(given, FLOAT, Rules.SQLITE)),), operand, DECIMAL)
    elif env.dialect.is_sqlite and not of_numbers(given) and operand != given and given.type.name is not TypeName.ANY:
        operand = Cast(given, FLOAT, Rules.SQLITE)
    return Call(Function.ABS, (operand,), operand.type, env.dialect.rules)


def _sign(node: exp.Expr, env: Env, bound: Bind) -> Expression:
    """An integer but in PostgreSQL, where it is a float or numeric as its argument is."""
    kind: Type | None = INTEGER
    if env.dialect.rules is Rules.POSTGRESQL:
        is_exact = bound(node.this).type.name is TypeName.DECIMAL
        kind = Type(TypeName.DECIMAL, (1, 0)) if is_exact else None
    found = _of_number(Function.SIGN, kind)(node, env, bound)
    return _whole(found, env) or found


def _whole(number: Expression, env: Env) -> Expression | None:
    """An integer as PostgreSQL's functions of floats take it, of which it has none of integers; None for other numbers."""
    if env.dialect.rules is not Rules.POSTGRESQL or not is_integer(number):
        return None
    return Cast(number, FLOAT, Rules.POSTGRESQL)


def _floor(function: Function) -> Handler:
    def call(node: exp.Expr, env: Env, bound: Bind) -> Expression:
        if node.args.get("decimals") is not None or node.args.get("to") is not None:
            raise statement_gap(f"{called(node, env.dialect.grammar)} with digits", node)
        operand = conversions.argument(bound(node.this), env.translation)
        if (whole := _whole(operand, env)) is not None:
            return whole
        kind = operand.type if is_integer(operand) or env.dialect.rules is Rules.SQLITE else DECIMAL
        return Call(function, (operand,), FLOAT if is_float(operand) else kind, env.dialect.rules)

    return call


def _round(function: Function) -> Handler:
    def call(node: exp.Expr, env: Env, bound: Bind) -> Expression:
        operand = conversions.number(_number(node, env, bound), env.translation)
        digits = node.args.get("decimals")
        if digits is None and (whole := _whole(operand, env)) is not None:
            return whole
        arguments = (operand,) if digits is None else (operand, _integer(digits, env, bound))
        kind = FLOAT if env.dialect.is_sqlite or is_float(operand) else DECIMAL
        if env.dialect.rules is Rules.MYSQL and is_integer(operand):
            if all(isinstance(each, Literal) and str(each.value).isdecimal() for each in arguments[1:]):
                return operand
            kind = INTEGER
        elif env.dialect.rules is Rules.MYSQL and kind == DECIMAL:
            kind = _rounded(operand, arguments[1:])
        return Call(function, arguments, kind, env.dialect.rules)

    return call


def _truncate(node: exp.Expr, env: Env, bound: Bind) -> Expression:
    """SQLite's is of the family of its floor()."""
    found = _floor(Function.TRUNCATE) if env.dialect.is_sqlite else _round(Function.TRUNCATE)
    return found(node, env, bound)


def _rounded(operand: Expression, digits: Sequence[Expression]) -> Type:
    """The type of what MySQL rounds to a constant number of digits."""
    match digits:
        case ():
            return Digits(0, 0).type
        case (Literal(value=int() as places),):
            known = digits_of(operand)
            least = max(0, places if known is None else min(places, known.kept))
            return Digits(least, least).type
        case _:
            return DECIMAL


def _length(node: exp.Expr, env: Env, bound: Bind) -> Expression:
    operand = bound(node.this)
    function = Function.BYTE_LENGTH if node.args.get("binary") else Function.LENGTH
    if operand.type.name is TypeName.BYTES:
        return Call(function, (operand,), INTEGER, env.dialect.rules)
    return Call(function, (_text(node.this, env, bound),), INTEGER, env.dialect.rules)


def _substring(node: exp.Expr, env: Env, bound: Bind) -> Expression:
    start = node.args.get("start")
    length = node.args.get("length")
    if start is not None and env.dialect.rules is Rules.POSTGRESQL and bound(start).type.name is TypeName.TEXT:
        raise statement_gap("SUBSTRING by a regular expression", node)
    arguments = [
        _text(node.this, env, bound),
        _integer(start, env, bound) if start is not None else Literal(1, INTEGER),
    ]
    if length is not None:
        arguments.append(_integer(length, env, bound))
    return Call(Function.SUBSTRING, tuple(arguments), TEXT, env.dialect.rules)


def _left(node: exp.Expr, env: Env, bound: Bind) -> Expression:
    count = node.expression
    if isinstance(inner := count.unnest(), exp.Neg) and isinstance(inner.this, exp.Literal):
        raise statement_gap(f"{called(node, env.dialect.grammar)} with a length below 0", node)
    if not isinstance(count, exp.Literal) or not str(count.this).isdecimal():
        raise no_constant(f"{called(node, env.dialect.grammar)} with a length that is no constant", node, count)
    value = _text(node.this, env, bound)
    if isinstance(node, exp.Left):
        return Call(
            Function.SUBSTRING, (value, Literal(1, INTEGER), Literal(int(count.this), INTEGER)), TEXT, env.dialect.rules
        )
    if int(count.this) == 0:
        raise statement_gap("RIGHT of no characters", node)
    # A text that is shorter is whole, as in SQLite's substr().
    return Call(Function.SUBSTRING, (value, Literal(-int(count.this), INTEGER)), TEXT, Rules.SQLITE)


def _trim(node: exp.Expr, env: Env, bound: Bind) -> Expression:
    side = str(node.args.get("position") or "BOTH").upper()
    function = {"LEADING": Function.TRIM_START, "TRAILING": Function.TRIM_END}.get(side, Function.TRIM)
    characters = node.args.get("expression")
    if characters is not None and env.dialect.rules is Rules.MYSQL:
        raise statement_gap("TRIM of a text in MySQL", node)
    what = _text(characters, env, bound) if characters is not None else Literal(" ", TEXT)
    return Call(function, (_text(node.this, env, bound), what), TEXT, env.dialect.rules)


def _concat(node: exp.Expr, env: Env, bound: Bind) -> Expression:
    function = Function.CONCAT_PRESENT if node.args.get("coalesce") else Function.CONCAT
    return Call(function, _shown(node.expressions, env, bound), TEXT, env.dialect.rules)


def _concat_ws(node: exp.Expr, env: Env, bound: Bind) -> Expression:
    separator, *parts = node.expressions
    texts = (_text(separator, env, bound), *_shown(parts, env, bound))
    return Call(Function.CONCAT_SEPARATED, texts, TEXT, env.dialect.rules)


def _extreme(function: Function) -> Handler:
    def call(node: exp.Expr, env: Env, bound: Bind) -> Expression:
        nodes = (node.this, *node.expressions)
        parts = [bound(part) for part in nodes]
        chars.refuse_casts(nodes, *parts)
        if env.dialect.rules is Rules.SQLITE:  # compared as they are, by class
            parts = [conversions.plain(part, env.translation) for part in parts]
        rule = collation(env, nodes, parts) if not all(map(of_numbers, parts)) else Collation.BINARY
        if rule is not Collation.BINARY or (env.dialect.rules is Rules.MYSQL and any(map(is_text, parts))):
            raise statement_gap("the least or greatest of texts under a collation", node)
        refuse_infinite("the least or greatest", node, env.translation, *parts)
        refuse_order("the least or greatest", node, *parts)
        if any(part.type.carried for part in parts):
            refuse_reckoning("the least or greatest", node, *parts)
        if env.dialect.rules is Rules.POSTGRESQL and any(ranked(part, part.type.values) != part for part in parts):
            raise statement_gap(
                "the least or greatest of an enum whose values are not listed in the order of their texts", node
            )
        alike, kind = one_value.common(parts, env.translation)
        return Call(function, alike, kind, env.dialect.rules)

    return call


def _position(node: exp.Expr, env: Env, bound: Bind) -> Expression:
    if node.args.get("position") is not None or node.args.get("occurrence") is not None:
        raise statement_gap("a position to search from", node)
    _refuse_citext(node, env, bound)
    parts = (node.this, node.args["substr"])
    if env.dialect.rules is Rules.MYSQL and collation(env, parts, map(bound, parts)) is not Collation.BINARY:
        instead = "LIKE '%…%' finds them, and `COLLATE utf8mb4_bin` seeks to the letter"
        raise statement_gap(f"the position of a text whatever case and accents: {instead}", node)
    return Call(Function.POSITION, _texts(parts, env, bound), INTEGER, env.dialect.rules)


def _starts_with(node: exp.Expr, env: Env, bound: Bind) -> Expression:
    """PostgreSQL's: the prefix is at the first place."""
    place = Call(Function.POSITION, _texts([node.this, node.expression], env, bound), INTEGER, env.dialect.rules)
    return Compare(Comparison.EQUAL, place, Literal(1, INTEGER))


def _replace(node: exp.Expr, env: Env, bound: Bind) -> Expression:
    _refuse_citext(node, env, bound)
    replacement = node.args.get("replacement")
    new = _text(replacement, env, bound) if replacement is not None else Literal("", TEXT)
    is_sought = isinstance(node.expression, exp.Literal) and node.expression.is_string and node.expression.this
    if env.dialect.is_sqlite and not is_sought and not is_text(conversions.plain(bound(node.this), env.translation)):
        raise statement_gap(
            "REPLACE in what may be no text, which SQLite leaves what it is where nothing is sought", node
        )
    return Call(Function.REPLACE, (*_texts([node.this, node.expression], env, bound), new), TEXT, env.dialect.rules)


def _pad(node: exp.Expr, env: Env, bound: Bind) -> Expression:
    function = Function.PAD_START if node.args.get("is_left") else Function.PAD_END
    filling = node.args.get("fill_pattern")
    what = _text(filling, env, bound) if filling is not None else Literal(" ", TEXT)
    length = _integer(node.expression, env, bound)
    padded = Call(function, (_text(node.this, env, bound), length, what), TEXT, env.dialect.rules)
    is_length = isinstance(length, Literal) and isinstance(length.value, int) and length.value >= 0
    if env.dialect.rules is not Rules.MYSQL or is_length:
        return padded
    negative = conversions.compare(Comparison.LESS, length, Literal(0, INTEGER), env.translation)
    return one_value.case([(negative, NULL)], padded, env.translation)  # where PostgreSQL gives nothing of the text


def _split_part(node: exp.Expr, env: Env, bound: Bind) -> Expression:
    """PostgreSQL's, by a constant separator and number."""
    if env.dialect.rules is not Rules.POSTGRESQL:
        raise statement_gap("SPLIT_PART() function", node)
    _refuse_citext(node, env, bound)
    places = [each for name in ("delimiter", "part_index") if (each := node.args.get(name)) is not None]
    if len(places) < 2:
        raise mistake("SPLIT_PART() takes a text, a separator and a number", node)
    separator, place = (bound(each) for each in places)
    if not isinstance(separator, Literal) or not isinstance(place, Literal) or not isinstance(place.value, int):
        raise no_constant("SPLIT_PART by a separator and a number that are no constants", node, *places)
    if not separator.value or place.value == 0:
        raise statement_gap("SPLIT_PART by nothing", node)
    return Call(Function.PART, (_text(node.this, env, bound), separator, place), TEXT, env.dialect.rules)


def _substring_index(node: exp.Expr, env: Env, bound: Bind) -> Expression:
    """MySQL's, by a constant separator whatever the collation: which of those that overlap count hangs on the text's encoding."""
    separator, count = bound(node.args["delimiter"]), bound(node.args["count"])
    known = separator.value if isinstance(separator, Literal) else None
    if env.dialect.rules is not Rules.MYSQL or not isinstance(known, str) or not isinstance(count, Literal):
        places = (node.args["delimiter"], node.args["count"])
        raise no_constant("SUBSTRING_INDEX by a separator and a number that are no constants", node, *places)
    if not isinstance(count.value, int) or any(known.endswith(known[:size]) for size in range(1, len(known))):
        raise statement_gap(f"SUBSTRING_INDEX by `{known}`, which may overlap itself", node)
    if not known or count.value == 0:
        raise statement_gap("SUBSTRING_INDEX of nothing", node)
    arguments = (_text(node.this, env, bound), separator, count)
    return Call(Function.SUBSTRING_INDEX, arguments, TEXT, env.dialect.rules)


def _repeat(node: exp.Expr, env: Env, bound: Bind) -> Expression:
    arguments = (_text(node.this, env, bound), _integer(node.args["times"], env, bound))
    return Call(Function.REPEAT, arguments, TEXT, env.dialect.rules)


def _character(node: exp.Expr, env: Env, bound: Bind) -> Expression:
    if len(node.expressions) != 1:
        raise statement_gap("CHAR of several numbers", node)
    if env.dialect.rules is Rules.MYSQL and not node.args.get("charset"):
        raise statement_gap("CHAR() without USING, which gives bytes", node)
    return Call(Function.CHARACTER, (_integer(node.expressions[0], env, bound),), TEXT, env.dialect.rules)


def _power(node: exp.Expr, env: Env, bound: Bind) -> Expression:
    sides = tuple(conversions.argument(bound(side), env.translation) for side in (node.this, node.expression))
    return Call(Function.POWER, sides, FLOAT, env.dialect.rules)


def _float_mod(node: exp.Expr, env: Env, bound: Bind) -> Expression:
    """SQLite's mod(), which is of floats where `%` is of integers."""
    if len(node.expressions) != 2:
        raise mistake(f"MOD() takes two arguments, not {len(node.expressions)}", node)
    sides = tuple(conversions.argument(bound(side), env.translation) for side in node.expressions)
    return Call(Function.FLOAT_MOD, sides, FLOAT, env.dialect.rules)


def _logarithm(node: exp.Expr, env: Env, bound: Bind) -> Expression:
    base = node.args.get("expression")
    is_number = isinstance(node.this, exp.Literal) and not node.this.is_string
    function = (
        {"2": Function.LOG2, "10": Function.LOG10}.get(node.this.name) if is_number and base is not None else None
    )
    if base is None:
        function = Function.LN if env.dialect.rules is Rules.MYSQL else Function.LOG10
    if function is None:
        raise statement_gap("LOG to any base", node)
    operand = conversions.argument(bound(base if base is not None else node.this), env.translation)
    return Call(function, (operand,), FLOAT, env.dialect.rules)


_ONE_BYTE = re.compile(r"(?<!\\)(?:\.|\[\^[^\]]*\])(?![*+])|[^\x00-\x7f][*+?{]")
"""What stands for one byte, where texts are bytes: neither any number of them nor one of ASCII."""


def _regexp(function: Function) -> Handler:
    def call(node: exp.Expr, env: Env, bound: Bind) -> Expression:
        if env.dialect.is_sqlite:
            raise statement_gap("REGEXP in SQLite, which has none of its own", node)
        nodes = [without_binary(side, env) for side in (node.this, node.expression)]
        text, pattern = _texts(nodes, env, bound)
        any_case = is_either_citext(node, (text, pattern), env)
        if env.dialect.rules is Rules.MYSQL:
            if collation(env, (node.this, node.expression), (text, pattern)) is not Collation.BINARY:
                any_case = True
            elif is_by_bytes(node) and isinstance(pattern, Literal) and _ONE_BYTE.search(str(pattern.value)):
                raise statement_gap(f"REGEXP BINARY by `{pattern.value}`, of which a part stands for one byte", node)
        sides = (chars.filled(text), pattern)
        return Call(Function.MATCHES_ANY_CASE if any_case else function, sides, BOOLEAN, env.dialect.rules)

    return call


def _type_of(node: exp.Expr, env: Env, bound: Bind) -> Expression:
    if not env.dialect.is_sqlite:
        raise statement_gap("TYPEOF()", node)
    return Call(Function.TYPE_OF, (conversions.plain(bound(node.this), env.translation),), TEXT, env.dialect.rules)


def _mid(node: exp.Expr, env: Env, bound: Bind) -> Expression:
    """MySQL's other name of SUBSTRING."""
    if env.dialect.rules is not Rules.MYSQL or not 2 <= len(node.expressions) <= 3:
        raise statement_gap("MID() function", node)
    text, start, *length = node.expressions
    return _substring(exp.Substring(this=text, start=start, length=length[0] if length else None), env, bound)


def _anonymous(node: exp.Expr, env: Env, bound: Bind) -> Expression:
    """A function sqlglot has no class for, by its name."""
    name = node.name.casefold()
    handler = NAMES.get(name)
    if handler is None:
        raise statement_gap(f"{node.name.upper()}() function", node)
    if not node.expressions and name not in _MAY_BE_EMPTY:
        raise mistake(f"{node.name.upper()}() needs an argument", node)
    return handler(node, env, bound)


def _reverse(node: exp.Expr, env: Env, bound: Bind) -> Expression:
    return Call(Function.REVERSE, _texts(node.expressions, env, bound), TEXT, env.dialect.rules)


def _bytes_of(node: exp.Expr, env: Env, bound: Bind) -> Expression:
    return Call(Function.BYTE_LENGTH, _shown(node.expressions, env, bound), INTEGER, env.dialect.rules)


def _likelihood(node: exp.Expr, env: Env, bound: Bind) -> Expression:  # noqa: ARG001 - a hint to SQLite's planner
    return bound(node.expressions[0])


def _printf(node: exp.Expr, env: Env, bound: Bind) -> Expression:
    return bind_format(node.expressions[0], node.expressions[1:], node, env, bound)


def _format(node: exp.Expr, env: Env, bound: Bind) -> Expression:
    return bind_format(node.this, node.expressions, node, env, bound)


def _field(node: exp.Expr, env: Env, bound: Bind) -> Expression:
    """MySQL's place of a value in a list, from 1; 0 where it is not there."""
    if env.dialect.rules is not Rules.MYSQL or len({item.is_string for item in node.expressions[1:]}) != 1:
        raise statement_gap("FIELD() over texts and numbers together", node)
    places = enumerate(node.expressions[1:], start=1)
    ifs = [exp.If(this=item, true=exp.Literal.number(place)) for place, item in places]
    return bound(exp.Case(this=node.expressions[0], ifs=ifs, default=exp.Literal.number(0)))


def _of_one(handler: Handler) -> Handler:
    """A function of one argument, which sqlglot does not count as it has no class for it."""

    def call(node: exp.Expr, env: Env, bound: Bind) -> Expression:
        if len(node.expressions) != 1:
            raise mistake(f"{node.name.upper()}() takes one argument, not {len(node.expressions)}", node)
        return handler(node, env, bound)

    return call


_MAY_BE_EMPTY = frozenset((*JSON_BUILDERS, *TIME_NAMES, *CALENDAR_NAMES))
"""Names of which each handler says itself how many arguments it takes."""
NAMES: dict[str, Handler] = {
    **JSON_BUILDERS,
    **JSON_NAMES,
    **TIME_NAMES,
    **CALENDAR_NAMES,
    "jsonb_set": set_under,
    "cardinality": _of_one(cardinality),
    FLOAT_MOD: _float_mod,
    "printf": _printf,
    "field": _field,
    "mid": _mid,
    "octet_length": _of_one(_bytes_of),
    "reverse": _of_one(_reverse),
    "likely": _of_one(_likelihood),
    "unlikely": _of_one(_likelihood),
}

FUNCTIONS: dict[type[exp.Expr], Handler] = {
    exp.Abs: _absolute,
    exp.Format: _format,
    exp.Sign: _sign,
    exp.Pi: _pi,
    exp.Sqrt: _of_number(Function.SQRT, FLOAT),
    exp.Exp: _of_number(Function.EXP, FLOAT),
    exp.Ln: _of_number(Function.LN, FLOAT),
    exp.Log: _logarithm,
    exp.Pow: _power,
    exp.Round: _round(Function.ROUND),
    exp.Trunc: _truncate,
    exp.Floor: _floor(Function.FLOOR),
    exp.Ceil: _floor(Function.CEILING),
    exp.Upper: _cased(Function.UPPER),
    exp.Lower: _cased(Function.LOWER),
    exp.Length: _length,
    exp.ByteLength: _of_text(Function.BYTE_LENGTH, INTEGER),
    exp.Substring: _substring,
    exp.Left: _left,
    exp.Right: _left,
    exp.Trim: _trim,
    exp.Concat: _concat,
    exp.ConcatWs: _concat_ws,
    exp.Greatest: _extreme(Function.GREATEST),
    exp.Least: _extreme(Function.LEAST),
    exp.StartsWith: _starts_with,
    exp.StrPosition: _position,
    exp.Replace: _replace,
    exp.Pad: _pad,
    exp.SubstringIndex: _substring_index,
    exp.SplitPart: _split_part,
    exp.Repeat: _repeat,
    exp.Reverse: _of_text(Function.REVERSE),
    exp.Translate: _of_texts(Function.TRANSLATE, TEXT, "this", "from_", "to"),
    exp.Unicode: _of_text(Function.CODE_POINT, INTEGER),
    exp.Ascii: _of_text(Function.CODE_POINT, INTEGER),
    exp.Chr: _character,
    exp.RegexpLike: _regexp(Function.MATCHES),
    exp.RegexpILike: _regexp(Function.MATCHES_ANY_CASE),
    exp.Typeof: _type_of,
    exp.Anonymous: _anonymous,
    **TIME_FUNCTIONS,
    **CALENDAR_FUNCTIONS,
}
