"""Functions of texts: each sqlglot class, or name it has no class for, and the function it is."""

from __future__ import annotations

import re
from collections.abc import Sequence

from sqlglot import exp

from nestling.ir.statements.expression import NULL, Arithmetic, Call, Compare, Expression, Literal
from nestling.ir.statements.operands import is_text
from nestling.ir.statements.operators import ArithmeticOperator, Collation, Comparison, Function, Rules
from nestling.ir.types import BOOLEAN, INTEGER, TEXT, Type, TypeName
from nestling.planner.sql import common_type as one_value
from nestling.planner.sql import conversions
from nestling.planner.sql.arguments import of_one
from nestling.planner.sql.called import function_name
from nestling.planner.sql.collations import collation, is_by_bytes, is_citext, without_binary
from nestling.planner.sql.comparisons import is_either_citext
from nestling.planner.sql.formats import bind_format
from nestling.planner.sql.gaps import mistake, no_constant, statement_gap
from nestling.planner.sql.number_functions import integer
from nestling.planner.sql.postgresql import char_n as chars
from nestling.planner.sql.scope import Bind, Env, Handler


def _texts(parts: Sequence[exp.Expr], env: Env, bound: Bind) -> tuple[Expression, ...]:
    return tuple(_text(part, env, bound) for part in parts)


def _text(part: exp.Expr, env: Env, bound: Bind) -> Expression:
    return conversions.text(bound(part), env.translation)


def _shown(parts: Sequence[exp.Expr], env: Env, bound: Bind) -> tuple[Expression, ...]:
    """The parts as an answer shows them: a `char` with its blanks, a boolean as a letter."""
    return tuple(conversions.text_as_shown(bound(part), env.translation) for part in parts)


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
        raise statement_gap(f"{node.key.upper()}() of a citext, which PostgreSQL searches ignoring case", node)


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
        return _matched(node, start, env, bound)
    arguments = [
        _text(node.this, env, bound),
        integer(start, env, bound) if start is not None else Literal(1, INTEGER),
    ]
    if length is not None:
        arguments.append(integer(length, env, bound))
    return Call(Function.SUBSTRING, tuple(arguments), TEXT, env.dialect.rules)


def _matched(node: exp.Expr, pattern: exp.Expr, env: Env, bound: Bind) -> Expression:
    """PostgreSQL's `substring(text FROM pattern)`."""
    if node.args.get("length") is not None or not isinstance(pattern.unnest(), exp.Literal):
        raise statement_gap("SUBSTRING with a regular expression that is not a constant, or with a SQL pattern", node)
    _refuse_citext(node, env, bound)
    return Call(Function.MATCHED, (_text(node.this, env, bound), bound(pattern)), TEXT, env.dialect.rules)


def _left(node: exp.Expr, env: Env, bound: Bind) -> Expression:
    count = node.expression
    if isinstance(inner := count.unnest(), exp.Neg) and isinstance(inner.this, exp.Literal):
        if env.dialect.rules is Rules.POSTGRESQL and str(inner.this.this).isdecimal():
            return _all_but(int(inner.this.this), node, env, bound)
        raise statement_gap(f"{function_name(node, env.dialect.grammar)} with a length below 0", node)
    if not isinstance(count, exp.Literal) or not str(count.this).isdecimal():
        raise no_constant(
            f"{function_name(node, env.dialect.grammar)} with a length that is not a constant", node, count
        )
    value = _text(node.this, env, bound)
    if isinstance(node, exp.Left):
        return Call(
            Function.SUBSTRING, (value, Literal(1, INTEGER), Literal(int(count.this), INTEGER)), TEXT, env.dialect.rules
        )
    if int(count.this) == 0:
        raise statement_gap("RIGHT of no characters", node)
    # A text that is shorter is whole, as in SQLite's substr().
    return Call(Function.SUBSTRING, (value, Literal(-int(count.this), INTEGER)), TEXT, Rules.SQLITE)


def _all_but(count: int, node: exp.Expr, env: Env, bound: Bind) -> Expression:
    """PostgreSQL's `left(x, -2)` is all but the last two characters, `right(x, -2)` all but the first two."""
    value, rules = _text(node.this, env, bound), env.dialect.rules
    if isinstance(node, exp.Right):
        return Call(Function.SUBSTRING, (value, Literal(count + 1, INTEGER)), TEXT, rules)
    size = Call(Function.LENGTH, (value,), INTEGER, rules)
    rest = Arithmetic(ArithmeticOperator.SUBTRACT, size, Literal(count, INTEGER), INTEGER)
    length = Call(Function.GREATEST, (rest, Literal(0, INTEGER)), INTEGER, rules)
    return Call(Function.SUBSTRING, (value, Literal(1, INTEGER), length), TEXT, rules)


def _trim(node: exp.Expr, env: Env, bound: Bind) -> Expression:
    side = str(node.args.get("position") or "BOTH").upper()
    function = {"LEADING": Function.TRIM_START, "TRAILING": Function.TRIM_END}.get(side, Function.TRIM)
    characters = node.args.get("expression")
    what = _text(characters, env, bound) if characters is not None else Literal(" ", TEXT)
    if env.dialect.rules is Rules.MYSQL and not isinstance(what, Literal):
        raise no_constant("TRIM of a text that is not a constant", node, characters or node)
    return Call(function, (_text(node.this, env, bound), what), TEXT, env.dialect.rules)


def _concat(node: exp.Expr, env: Env, bound: Bind) -> Expression:
    function = Function.CONCAT_PRESENT if node.args.get("coalesce") else Function.CONCAT
    return Call(function, _shown(node.expressions, env, bound), TEXT, env.dialect.rules)


def _concat_ws(node: exp.Expr, env: Env, bound: Bind) -> Expression:
    separator, *parts = node.expressions
    texts = (_text(separator, env, bound), *_shown(parts, env, bound))
    return Call(Function.CONCAT_SEPARATED, texts, TEXT, env.dialect.rules)


def _position(node: exp.Expr, env: Env, bound: Bind) -> Expression:
    if node.args.get("position") is not None or node.args.get("occurrence") is not None:
        raise statement_gap("a position to search from", node)
    _refuse_citext(node, env, bound)
    parts = (node.this, node.args["substr"])
    if env.dialect.rules is Rules.MYSQL and collation(env, parts, map(bound, parts)) is not Collation.BINARY:
        instead = "LIKE '%…%' finds them, and `COLLATE utf8mb4_bin` searches exactly"
        raise statement_gap(f"the position of a text regardless of case and accents: {instead}", node)
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
            "REPLACE in a value that may not be text, which SQLite leaves unchanged if the searched text is empty", node
        )
    return Call(Function.REPLACE, (*_texts([node.this, node.expression], env, bound), new), TEXT, env.dialect.rules)


def _pad(node: exp.Expr, env: Env, bound: Bind) -> Expression:
    function = Function.PAD_START if node.args.get("is_left") else Function.PAD_END
    filling = node.args.get("fill_pattern")
    what = _text(filling, env, bound) if filling is not None else Literal(" ", TEXT)
    length = integer(node.expression, env, bound)
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
        raise no_constant("SPLIT_PART with a separator or number that is not a constant", node, *places)
    if not separator.value or place.value == 0:
        raise statement_gap("SPLIT_PART by nothing", node)
    return Call(Function.PART, (_text(node.this, env, bound), separator, place), TEXT, env.dialect.rules)


def _substring_index(node: exp.Expr, env: Env, bound: Bind) -> Expression:
    """MySQL's, by a constant separator whatever the collation: which of those that overlap count hangs on the text's encoding."""
    separator, count = bound(node.args["delimiter"]), bound(node.args["count"])
    known = separator.value if isinstance(separator, Literal) else None
    if env.dialect.rules is not Rules.MYSQL or not isinstance(known, str) or not isinstance(count, Literal):
        places = (node.args["delimiter"], node.args["count"])
        raise no_constant("SUBSTRING_INDEX with a separator or number that is not a constant", node, *places)
    if not isinstance(count.value, int) or any(known.endswith(known[:size]) for size in range(1, len(known))):
        raise statement_gap(f"SUBSTRING_INDEX with `{known}`, which may overlap itself", node)
    if not known or count.value == 0:
        raise statement_gap("SUBSTRING_INDEX of nothing", node)
    arguments = (_text(node.this, env, bound), separator, count)
    return Call(Function.SUBSTRING_INDEX, arguments, TEXT, env.dialect.rules)


def _repeat(node: exp.Expr, env: Env, bound: Bind) -> Expression:
    arguments = (_text(node.this, env, bound), integer(node.args["times"], env, bound))
    return Call(Function.REPEAT, arguments, TEXT, env.dialect.rules)


def _blanks(node: exp.Expr, env: Env, bound: Bind) -> Expression:
    """MySQL's SPACE."""
    arguments = (Literal(" ", TEXT), integer(node.this, env, bound))
    return Call(Function.REPEAT, arguments, TEXT, env.dialect.rules)


def _character(node: exp.Expr, env: Env, bound: Bind) -> Expression:
    if len(node.expressions) != 1:
        raise statement_gap("CHAR of several numbers", node)
    if env.dialect.rules is Rules.MYSQL and not node.args.get("charset"):
        raise statement_gap("CHAR() without USING, which gives bytes", node)
    return Call(Function.CHARACTER, (integer(node.expressions[0], env, bound),), TEXT, env.dialect.rules)


_ONE_BYTE = re.compile(r"(?<!\\)(?:\.|\[\^[^\]]*\])(?![*+])|[^\x00-\x7f][*+?{]")
"""What stands for one byte, where texts are bytes: neither any number of them nor one of ASCII."""


def _regexp(function: Function) -> Handler:
    def call(node: exp.Expr, env: Env, bound: Bind) -> Expression:
        if env.dialect.is_sqlite:
            raise statement_gap("REGEXP in SQLite, which has no implementation of its own", node)
        nodes = [without_binary(side, env) for side in (node.this, node.expression)]
        text, pattern = _texts(nodes, env, bound)
        any_case = is_either_citext(node, (text, pattern), env)
        if env.dialect.rules is Rules.MYSQL:
            if collation(env, (node.this, node.expression), (text, pattern)) is not Collation.BINARY:
                any_case = True
            elif is_by_bytes(node) and isinstance(pattern, Literal) and _ONE_BYTE.search(str(pattern.value)):
                raise statement_gap(f"REGEXP BINARY by `{pattern.value}`, a part of which stands for one byte", node)
        sides = (chars.filled(text), pattern)
        return Call(Function.MATCHES_ANY_CASE if any_case else function, sides, BOOLEAN, env.dialect.rules)

    return call


def _mid(node: exp.Expr, env: Env, bound: Bind) -> Expression:
    """MySQL's other name of SUBSTRING."""
    if env.dialect.rules is not Rules.MYSQL or not 2 <= len(node.expressions) <= 3:
        raise statement_gap("MID() function", node)
    text, start, *length = node.expressions
    return _substring(exp.Substring(this=text, start=start, length=length[0] if length else None), env, bound)


def _reverse(node: exp.Expr, env: Env, bound: Bind) -> Expression:
    return Call(Function.REVERSE, _texts(node.expressions, env, bound), TEXT, env.dialect.rules)


def _bytes_of(node: exp.Expr, env: Env, bound: Bind) -> Expression:
    operand = bound(node.expressions[0])
    if operand.type.name is TypeName.BYTES:
        return Call(Function.LENGTH, (operand,), INTEGER, env.dialect.rules)
    return Call(Function.BYTE_LENGTH, _shown(node.expressions, env, bound), INTEGER, env.dialect.rules)


def _printf(node: exp.Expr, env: Env, bound: Bind) -> Expression:
    return bind_format(node.expressions[0], node.expressions[1:], node, env, bound)


def _format(node: exp.Expr, env: Env, bound: Bind) -> Expression:
    return bind_format(node.this, node.expressions, node, env, bound)


TEXT_NAMES: dict[str, Handler] = {
    "printf": _printf,
    "mid": _mid,
    "octet_length": of_one(_bytes_of),
    "reverse": of_one(_reverse),
}
TEXT_FUNCTIONS: dict[type[exp.Expr], Handler] = {
    exp.Format: _format,
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
    exp.StartsWith: _starts_with,
    exp.StrPosition: _position,
    exp.Replace: _replace,
    exp.Pad: _pad,
    exp.SubstringIndex: _substring_index,
    exp.SplitPart: _split_part,
    exp.Repeat: _repeat,
    exp.Space: _blanks,
    exp.Reverse: _of_text(Function.REVERSE),
    exp.Translate: _of_texts(Function.TRANSLATE, TEXT, "this", "from_", "to"),
    exp.Unicode: _of_text(Function.CODE_POINT, INTEGER),
    exp.Ascii: _of_text(Function.CODE_POINT, INTEGER),
    exp.Chr: _character,
    exp.RegexpLike: _regexp(Function.MATCHES),
    exp.RegexpILike: _regexp(Function.MATCHES_ANY_CASE),
}
