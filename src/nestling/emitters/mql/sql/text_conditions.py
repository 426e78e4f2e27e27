"""Conditions on the text of one field in the query language; None if only an expression is exact."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from nestling.emitters.mql.sql.field_conditions import Match, field_of, is_collated
from nestling.emitters.mql.sql.functions.patterns import regex_of
from nestling.emitters.mql.sql.pattern import (
    by_letters,
    constant_pattern,
    given_pattern,
    like_prefix,
    like_regex,
    regex_options,
    spelled,
)
from nestling.ir.conversions.like_patterns import escaped
from nestling.ir.statements.expression import SPELLED, Call, Column, Expression, Like, Literal
from nestling.ir.statements.operators import CaseRule, Collation, Function, Rules
from nestling.ir.types import TEXTS

if TYPE_CHECKING:
    from nestling.emitters.mql.sql.renderer import Renderer


def _text_field(operand: Expression, r: Renderer) -> str | None:
    """The field of a column that holds nothing but texts."""
    if not isinstance(operand, Column) or operand.mixed or operand.type.name not in TEXTS:
        return None
    return field_of(operand, r)


def matches(node: Call, r: Renderer) -> Match | None:
    """GLOB and regular expressions."""
    field, regex = _text_field(node.arguments[0], r), regex_of(node, r)
    if field is None or (regex is not None and regex.lower):
        return None
    if regex is None or regex.text is None:
        return {field: {"$in": []}}
    return {field: _regex_condition(regex.text, any_case=regex.any_case)}


def _regex_condition(regex: str, *, any_case: bool = False) -> Match:
    options = regex_options(regex, any_case=any_case)
    return {f"${name}": value for name, value in options.items()}


def like(node: Like, r: Renderer) -> Match | None:
    """An exact LIKE without wildcards is an equality; other patterns, constant or given, are regular expressions."""
    node = by_letters(node)
    field = _text_field(node.operand, r)
    if field is None:
        return None
    if node.case in SPELLED:
        found = spelled(node, r)
        return None if found is None else {field: {"$in": found}}
    pattern = constant_pattern(node.pattern, r)
    if pattern is None:
        return _given_like(node, field, r)
    if pattern.value is None:
        return {field: {"$in": []}}
    prefix = like_prefix(pattern.value, node.escape)
    if prefix is not None and not prefix[1] and node.case in (CaseRule.EXACT, CaseRule.BYTES):
        return {field: {"$eq": prefix[0]}}
    regex = like_regex(pattern.value, node.escape, node.case)
    if regex.text is None:
        return {field: {"$in": []}}
    return {field: _regex_condition(regex.text, any_case=regex.any_case)}


def _given_like(node: Like, field: str, r: Renderer) -> Match | None:
    """A pattern with a parameter, possibly between constants: its regular expression is made when the value is given."""
    given = given_pattern(node, r) if node.case in (CaseRule.ASCII, CaseRule.EXACT) else None
    return None if given is None else {field: {"$regex": given, "$options": "s"}}


def unlike(node: Like, r: Renderer) -> Match | None:
    """NOT LIKE a constant pattern."""
    if constant_pattern(node.pattern, r) is None:  # which may be NULL
        return None
    found = like(node, r)
    if found is None:
        return None
    ((field, condition),) = found.items()
    assert isinstance(condition, dict)
    if "$in" in condition:  # no pattern or one that matches nothing: `$expr` tells these apart
        return None
    may_be_null = r.nullable(by_letters(node).operand)
    if "$eq" in condition:
        return {field: {"$nin": [condition["$eq"], None]} if may_be_null else {"$ne": condition["$eq"]}}
    return {field: {"$not": condition, "$ne": None} if may_be_null else {"$not": condition}}


def begins(text: Expression, starts: Sequence[Expression], collation: Collation, r: Renderer) -> Match | None:
    """`substr(field, 1, n)` equal to one of some constants of n characters: a regular expression that can use an index.

    Not by MySQL's rules, where the collation may be the whole operation's: a regular expression has none.
    """
    match text:
        case Call(
            function=Function.SUBSTRING,
            arguments=(Column() as column, Literal(value=1), Literal(value=int(length))),
            rules=Rules.SQLITE | Rules.POSTGRESQL,
        ):
            field = _text_field(column, r)
        case _:
            return None
    if field is None or length < 1 or is_collated(collation, text, text):
        return None
    found = [each.value for each in starts if isinstance(each, Literal) and isinstance(each.value, str)]
    if not found or len(found) < len(starts) or any(len(each) != length for each in found):
        return None
    quoted = [escaped(each) for each in found]
    regex = f"^{quoted[0]}" if len(quoted) == 1 else f"^(?:{'|'.join(quoted)})"
    return {field: _regex_condition(regex)}
