"""A column's DEFAULT, as a catalogue or DDL has it, to the model's default; and a collation's name to how it compares."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from decimal import ROUND_HALF_UP, Decimal

from nestling.ir.constraints.defaults import ConstantDefault, Default, Generated, OtherDefault, constant, written
from nestling.ir.model import Attribute
from nestling.ir.statements.operators import Collation
from nestling.ir.statements.sql_dialects import MYSQL, POSTGRESQL, SQLITE
from nestling.ir.types import TIMES, Type, TypeName, bit_count
from nestling.ir.value_forms.infinite_moments import INFINITE
from nestling.ir.value_forms.instants import infinite_text
from nestling.ir.value_forms.odd_dates import ZERO_DATE
from nestling.ir.value_forms.zero_dates import is_zero
from nestling.sources.moment_words import clock_of, constant_moment
from nestling.sources.string_literals import is_literal, literal_text

_CAST = re.compile(
    r"""::\s*[\w\s."]+(?:\([\d,\s]*\))?(?:\s+with(?:out)?\s+time\s+zone)?\s*(?:\[\s*\])*\s*\Z""", re.IGNORECASE
)
_QUOTED_NAME = re.compile(r"""(?:"(?:[^"]|"")*"|`(?:[^`]|``)*`|\[[^]]*\])\Z""", re.DOTALL)
_BITS = re.compile(r"b\s*'([01]+)'\Z", re.IGNORECASE)
_NUMBER = re.compile(r"([-+]?)\s*(\d+(?:\.\d*)?(?:e[-+]?\d+)?|\.\d+)\Z", re.IGNORECASE)
_TO = r"""(?:::[\w\s."]+(?:\([\d,\s]*\))?)?"""
_ITEM = rf"\(?('(?:[^']|'')*'|[-+]?\d+(?:\.\d+)?|null|true|false){_TO}\)?{_TO}"
_ARRAY = re.compile(rf"ARRAY\s*\[\s*(?:{_ITEM}(?:\s*,\s*{_ITEM})*)?\s*\]\Z", re.IGNORECASE)
_NOW = r"(?:current_timestamp|now|localtimestamp|transaction_timestamp|statement_timestamp|clock_timestamp)"
_FUNCTIONS = (
    (rf"{_NOW}(?:\(\d*\))?(?:\s*on update .*)?", Generated.TIMESTAMP),
    (rf"\(?{_NOW}(?:\(\))?\s+at time zone 'utc'(?:::text)?\)?", Generated.TIMESTAMP),
    (r"timezone\('utc'(?:::text)?,\s*(?:now\(\)|current_timestamp)\)", Generated.TIMESTAMP),
    (r"strftime\('%Y-%m-%d %H:%M:%S\+00:00',\s*'now'\)", Generated.TIMESTAMP),
    (r"datetime\('now'\)|utc_timestamp(?:\(\d*\))?", Generated.TIMESTAMP),
    (r"current_date(?:\(\))?|curdate\(\)|date\('now'\)", Generated.DATE),
    (r"current_time(?:\(\d*\))?|curtime\(\d*\)|time\('now'\)", Generated.TIME),
    (r"(?:\w+\.)?(?:gen_random_uuid|uuid_generate_v4|uuid)\(\)", Generated.UUID),
    (r"generated always as identity", Generated.IDENTITY),
    (r"(?:\w+\.)?nextval\(.*\)|next value for .*|autoincrement|auto_increment", Generated.SEQUENCE),
)
_CONSTANTS = frozenset(
    {
        TypeName.BOOLEAN, TypeName.INTEGER, TypeName.DECIMAL, TypeName.FLOAT, TypeName.TEXT, TypeName.DATE, TypeName.TIME,
        TypeName.TIMESTAMP, TypeName.TIMESTAMPTZ, TypeName.ENUM, TypeName.ANY, TypeName.JSON, TypeName.ARRAY,
    }
)  # fmt: skip
_TRUTHS = (
    ("true", True), ("yes", True), ("on", True), ("1", True), ("false", False), ("no", False), ("off", False), ("0", False),
)  # fmt: skip
_COLLATIONS = {"nocase": Collation.NOCASE, "rtrim": Collation.RTRIM}


def read_default(sql: str | None, kind: Type, dialect: str) -> Default | None:
    """The default that an expression of the dialect stands for; None for no default and for NULL."""
    bare, casts = _bare(sql or "")
    text = _with_array_text(bare, kind)
    if text.casefold() in ("", "null"):
        return None
    if is_literal(text, dialect):
        return _of_text(literal_text(text, dialect), casts, kind, sql or "", dialect)
    if dialect == SQLITE and (name := _QUOTED_NAME.match(text)) is not None:  # where no name can be, it is a text
        return _constant(_unquoted(name[0]), kind, sql or "")
    if (number := _NUMBER.match(text)) is not None:
        return _of_number(number[1].strip("+") + number[2], kind, sql or "", dialect)
    if (digits := _BITS.match(text)) is not None:
        return _of_bits(digits[1], kind, dialect) or OtherDefault(text)
    if text.casefold() in ("true", "false"):
        return _constant(text.casefold() == "true", kind, sql or "")
    for pattern, made in _FUNCTIONS:
        if re.fullmatch(pattern, text, re.IGNORECASE | re.DOTALL):
            return clock_of(made, casts) or OtherDefault((sql or "").strip())
    if dialect == SQLITE and text.isidentifier():
        return _constant(text, kind, sql or "")
    return OtherDefault(text)


def _of_text(text: str, casts: Sequence[str], kind: Type, sql: str, dialect: str) -> Default:
    """The default of a string literal, which may stand for a moment in PostgreSQL, or for a number in it and in MySQL."""
    if dialect == POSTGRESQL and kind.name is TypeName.BOOLEAN and (truth := _truth(text)) is not None:
        return ConstantDefault(truth)
    if dialect == POSTGRESQL:
        return constant_moment(text, casts, kind, sql) or _rounded(text, kind, dialect) or _constant(text, kind, sql)
    return _rounded(text, kind, dialect) or _constant(text, kind, sql)


def _truth(text: str) -> bool | None:
    """What PostgreSQL reads a text as, of which the first letters are enough; None if it is no truth."""
    word = text.strip().casefold()
    found = {truth for name, truth in _TRUTHS if word and name.startswith(word)}
    return found.pop() if len(found) == 1 else None


def _of_number(digits: str, kind: Type, sql: str, dialect: str) -> Default:
    if kind.name is TypeName.TEXT and dialect != SQLITE:
        return _constant(digits, kind, sql)
    return _rounded(digits, kind, dialect) or _constant(_number(digits, kind), kind, sql)


def _rounded(text: str, kind: Type, dialect: str) -> Default | None:
    """The constant of a number with more digits than the column keeps; None if it has not, or nothing rounds it."""
    digits = _fraction_digits(kind, dialect)
    if digits is None or dialect == SQLITE or _NUMBER.match(text) is None:
        return None
    value = Decimal(text.replace(" ", ""))
    if value == round(value, digits):
        return None
    kept = value.quantize(Decimal(1).scaleb(-digits), ROUND_HALF_UP)
    return constant(int(kept) if kind.name is TypeName.INTEGER else str(kept), kind)


def _fraction_digits(kind: Type, dialect: str) -> int | None:
    """The digits of a fraction that a column of the type keeps; None if it keeps any."""
    if kind.name is TypeName.INTEGER:
        return 0
    if kind.name is not TypeName.DECIMAL or (not kind.numbers and dialect != MYSQL):
        return None
    return kind.numbers[1] if len(kind.numbers) > 1 else 0


def _unquoted(name: str) -> str:
    """A name without its quotes."""
    return name[1:-1] if name[0] == "[" else name[1:-1].replace(name[0] * 2, name[0])


def _bare(sql: str) -> tuple[str, tuple[str, ...]]:
    """The expression without casts behind it and parentheses around it, and the types of the casts, the first cast first."""
    casts = list[str]()
    text, before = re.sub(r"\s*([(),])\s*", r"\1", sql.strip()) if "'" not in sql else sql.strip(), None
    while text != before:
        before = text
        if (cast := _CAST.search(text)) is not None:
            casts.insert(0, cast[0].removeprefix("::").strip().casefold())
            text = text[: cast.start()].strip()
        if text.startswith("(") and text.endswith(")") and _closes_last(text):
            text = text[1:-1].strip()
    return text, tuple(casts)


def _with_array_text(sql: str, kind: Type) -> str:
    """`ARRAY['a', 'b c']` of constants as the text of the array, `'{"a","b c"}'`; anything else unchanged."""
    if kind.name is not TypeName.ARRAY or not _ARRAY.match(sql):
        return sql
    inside = sql[sql.index("[") + 1 : -1]
    return "'{" + ",".join(_item_text(match[1]) for match in re.finditer(_ITEM, inside, re.IGNORECASE)) + "}'"


def _item_text(item: str) -> str:
    if not item.startswith("'"):
        return item
    plain = item[1:-1].replace("\\", "\\\\").replace('"', '\\"')
    return f'"{plain}"'


def _closes_last(text: str) -> bool:
    """Whether the first parenthesis is the one the last closes."""
    depth = 0
    for place, character in enumerate(text):
        depth += (character == "(") - (character == ")")
        if depth == 0:
            return place == len(text) - 1
    return False


def _of_bits(digits: str, kind: Type, dialect: str) -> Default | None:
    """The constant of a bit literal: in MySQL a number, which zeros fill up."""
    if kind.name is TypeName.BITS:
        return ConstantDefault(digits if dialect != MYSQL else digits.lstrip("0").zfill(bit_count(kind)))
    return (
        _constant(int(digits, 2), kind, "")
        if dialect == MYSQL and kind.name in (TypeName.INTEGER, TypeName.BOOLEAN)
        else None
    )


def _number(digits: str, kind: Type) -> int | float | str:
    if kind.name is TypeName.DECIMAL:
        return digits  # exact to the last digit
    return int(digits) if digits.lstrip("-").isdecimal() else float(digits)


def _constant(value: bool | int | float | str, kind: Type, sql: str) -> Default:
    return constant(value, kind) if kind.name in _CONSTANTS else OtherDefault(sql.strip())


def retyped(default: Default | None, kind: Type) -> Default | None:
    """A default for the same column once its type is known better."""
    if not isinstance(default, ConstantDefault):
        return default
    value = written(default.value)
    if kind.name is TypeName.TEXT and not isinstance(value, str):
        return ConstantDefault(str(value).lower().removesuffix(".0"))
    return constant(value, kind)


def with_default_kind(attribute: Attribute) -> Attribute:
    """The attribute, which also holds texts if its default is a zero date of MySQL or an infinite one of PostgreSQL."""
    value = attribute.default.value if isinstance(attribute.default, ConstantDefault) else None
    kind = ZERO_DATE if is_zero(value) else INFINITE if infinite_text(value) else None
    if attribute.type.name not in TIMES or kind is None or kind in attribute.also:
        return attribute
    return replace(attribute, also=(*attribute.also, kind))


def collation_named(name: str | None) -> Collation:
    """How a collation with that name compares; `C`, `_bin` and those of natural languages by code point."""
    word = (name or "").casefold()
    return Collation.UNICODE_CI if word.endswith("_ci") else _COLLATIONS.get(word, Collation.BINARY)
