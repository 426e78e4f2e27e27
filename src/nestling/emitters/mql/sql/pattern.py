"""LIKE and GLOB patterns in the server's terms: regular expressions, known now or made by the server."""

from __future__ import annotations

from dataclasses import dataclass, replace
from string import ascii_letters
from typing import TYPE_CHECKING, TypeGuard

from nestling.emitters.mql.sql.constants import MqlValue, is_inline, literal_value
from nestling.emitters.mql.sql.failures import failure
from nestling.emitters.mql.sql.gaps import rendering_gap
from nestling.emitters.mql.sql.nulls import bind, both, present
from nestling.emitters.mql.sql.placeholder import ConvertedPlaceholder, WildPattern
from nestling.ir.conversions.like_patterns import (
    anchored,
    ascii_alike,
    escaped,
    in_class,
    like_parts,
    linear,
    primary_regex,
)
from nestling.ir.conversions.postgresql_case import case_regex, spellings
from nestling.ir.statements.expression import SPELLED, Call, Cast, Column, Expression, Like
from nestling.ir.statements.operators import CaseRule, Function, Rules
from nestling.ir.types import Type, TypeName
from nestling.ir.value_forms.letter_case import known_case

if TYPE_CHECKING:
    from nestling.emitters.mql.sql.renderer import Renderer


@dataclass(frozen=True, slots=True)
class KnownPattern:
    """A pattern that is known at compile time; None is NULL."""

    value: str | None


@dataclass(frozen=True, slots=True)
class Regex:
    """A server's regular expression: `text` None matches nothing; `any_case`: by the server's own case rule.

    `lower`: it is for texts in lower case.
    """

    text: str | None
    any_case: bool = False
    lower: bool = False


_CASES = {Function.LOWER: CaseRule.OF_LOWER, Function.UPPER: CaseRule.OF_UPPER}
_BY_CASE = frozenset({CaseRule.LOWER, CaseRule.OF_LOWER, CaseRule.OF_UPPER})
_TWO_ALIKE = frozenset(ascii_letters) - {*"IiSs"}
"""Letters whose case the server and PostgreSQL match alike. I also matches `İ` in PostgreSQL, S also `ſ` in the server."""


def by_letters(node: Like) -> Like:
    """`upper(text) LIKE pattern` as a rule for the letters of the text itself."""
    match node.operand:
        case Call(function=Function.UPPER | Function.LOWER as function, rules=Rules.POSTGRESQL, arguments=(text,)) if (
            node.case is CaseRule.EXACT
        ):
            return replace(node, operand=_without_cast(text), case=_CASES[function])
        case _:
            return node


def _without_cast(text: Expression) -> Expression:
    """A text that is cast to one is itself."""
    plain = Type(TypeName.TEXT)
    match text:
        case Cast(type=kind, operand=Column(type=inner) as column) if kind == plain == replace(inner, numbers=()):
            return column
        case _:
            return text


def like_truth(node: Like, r: Renderer, *, negated: bool = False) -> MqlValue:
    """Whether the text matches (`negated`: does not); false when either is NULL."""
    if node.case in SPELLED:  # which is for an index alone
        return not negated
    pattern = constant_pattern(node.pattern, r)
    if pattern is None:
        return _unknown_truth(node, r, negated=negated)
    if pattern.value is None:
        return False
    node = by_letters(node)
    return matches(node.operand, like_regex(pattern.value, node.escape, node.case), r, negated=negated)


def matches(operand: Expression, regex: Regex, r: Renderer, *, negated: bool = False) -> MqlValue:
    """Whether a text matches a regular expression. False when the text is NULL."""

    def body(text: MqlValue) -> MqlValue:
        if regex.text is None:
            return present(text) if negated else False
        found: MqlValue = {"$regexMatch": {"input": text, **regex_options(regex.text, any_case=regex.any_case)}}
        if not negated:
            return found
        return both(present(text), {"$not": [found]}) if r.nullable(operand) else {"$not": [found]}

    return bind({"text": r.value(operand)}, body)


def constant_pattern(expression: Expression, r: Renderer) -> KnownPattern | None:
    """The pattern if it is known before the statement runs."""
    value = r.value(expression)
    found = literal_value(value) if is_inline(value) else ConvertedPlaceholder("")
    if isinstance(found, ConvertedPlaceholder):
        return None
    return KnownPattern(found if isinstance(found, str) or found is None else str(found))


def _unknown_truth(node: Like, r: Renderer, *, negated: bool) -> MqlValue:
    """A pattern in a parameter becomes a regular expression when the value is given, if letters match others."""
    if node.case is CaseRule.PRIMARY:
        return _given_truth(node, _given_pattern(node, r), r, negated=negated)
    letters = by_letters(node)
    given = _given_pattern(letters, r) if letters.case in _BY_CASE else None
    if given is not None:
        return _given_truth(letters, given, r, negated=negated)
    return _computed_truth(_in_lower_case(node) if node.case is CaseRule.LOWER else node, r, negated=negated)


def _in_lower_case(node: Like) -> Like:
    """ILIKE as PostgreSQL does it: LIKE of both sides in lower case."""
    if node.escape is not None and node.escape.isalpha():
        raise rendering_gap("ILIKE with a letter as its escape and a pattern that is not a constant or parameter")
    text, pattern = (
        Call(Function.LOWER, (side,), Type(TypeName.TEXT), Rules.POSTGRESQL) for side in (node.operand, node.pattern)
    )
    return replace(node, operand=text, pattern=pattern, case=CaseRule.EXACT)


def _computed_truth(node: Like, r: Renderer, *, negated: bool) -> MqlValue:
    """The regular expression is built by the server, from the pattern's characters one by one."""

    def body(text: MqlValue, pattern: MqlValue) -> MqlValue:
        lower = node.case is CaseRule.ASCII
        regex = _computed_regex(pattern, node.escape, of_bytes=node.case is CaseRule.BYTES)
        sides = (
            {"input": {"$toLower": text}, "regex": {"$toLower": regex}} if lower else {"input": text, "regex": regex}
        )
        found: MqlValue = {"$regexMatch": {**sides, "options": "s"}}
        if node.escape is not None:
            one = escaped(node.escape)
            unfinished = {
                "input": pattern,
                "regex": f"^(?:[^{in_class(node.escape)}]|{one}.)*{one}\\z",
                "options": "s",
            }
            found = both({"$not": [{"$regexMatch": unfinished}]}, found)
        return both(present(text), present(pattern), {"$not": [found]} if negated else found)

    return bind({"text": r.value(node.operand), "pattern": r.value(node.pattern)}, body, inside=True)


def _given_truth(node: Like, given: MqlValue | None, r: Renderer, *, negated: bool) -> MqlValue:
    """The regular expression is made from the parameter when its value is given."""
    if given is None:
        made = (
            "made of columns or several parameters"
            if isinstance(node.pattern, Call)
            else "that is not a constant or parameter"
        )
        raise rendering_gap(f"LIKE regardless of case and accents with a pattern {made}")

    def body(text: MqlValue, pattern: MqlValue) -> MqlValue:
        found: MqlValue = {"$regexMatch": {"input": text, "regex": pattern, "options": "s"}}
        return both(present(text), present(pattern), {"$not": [found]} if negated else found)

    return bind({"text": r.value(node.operand), "pattern": given}, body, total=True)


def _given_pattern(node: Like, r: Renderer) -> MqlValue | None:
    """The regular expression of a parameter, for an expression; None if the pattern consists of more."""
    found = given_pattern(node, r)
    return None if found is None else {"$literal": found}


def given_pattern(node: Like, r: Renderer) -> ConvertedPlaceholder | None:
    """The single parameter in a pattern, possibly between constants; None for other patterns."""
    inner = _without_case(node)
    parts = inner.arguments if _is_concat(inner) else (inner,)
    values = [literal_value(value) for value in map(r.value, parts) if is_inline(value)]
    given = [value for value in values if isinstance(value, ConvertedPlaceholder)]
    texts = [value for value in values if isinstance(value, str)]
    if len(given) != 1 or len(texts) + 1 < len(parts):
        return None
    place = values.index(given[0])
    before, after = "".join(texts[:place]), "".join(texts[place:])
    _require_known_case(before + after, node.case)
    if node.case in (CaseRule.ASCII, CaseRule.EXACT):
        return replace(given[0], pattern=WildPattern(node.escape, before, after, rule=node.case))
    both = node.case is CaseRule.LOWER or inner is not node.pattern
    return replace(given[0], pattern=WildPattern(node.escape, before, after, _of_case(node.case), both))


def spelled(node: Like, r: Renderer) -> MqlValue | None:
    """The texts that a hint matches: a list known now, or one made from the parameter. None otherwise."""
    function = SPELLED[node.case]
    inner = _without_case(replace(node, case=_CASES[function]))
    value, both = r.value(inner), inner is not node.pattern
    if not is_inline(value):
        return None
    given = literal_value(value)
    if isinstance(given, ConvertedPlaceholder):
        return replace(given, pattern=WildPattern(node.escape, "", "", rule=node.case, both=both))
    return spellings(given, function is Function.UPPER, both)


def _without_case(node: Like) -> Expression:
    """The pattern without the function of case that the text is under, too."""
    match node.pattern:
        case Call(function=Function.UPPER | Function.LOWER as function, rules=Rules.POSTGRESQL, arguments=(inner,)):
            is_letter = node.escape is not None and node.escape.isalpha()
            return inner if _CASES[function] is node.case and not is_letter else node.pattern
        case _:
            return node.pattern


def _of_case(case: CaseRule) -> Function | None:
    """The case function that makes letters equal; None for MySQL's rule, which ignores accents too."""
    if case is CaseRule.PRIMARY:
        return None
    return Function.UPPER if case is CaseRule.OF_UPPER else Function.LOWER


def _is_concat(pattern: Expression) -> TypeGuard[Call]:
    return isinstance(pattern, Call) and pattern.function is Function.CONCAT


_WILD = "(*)"
"""Stands for `%` until the parts between are known; no quoted text can contain it."""


def _computed_regex(pattern: MqlValue, escape: str | None, *, of_bytes: bool) -> MqlValue:
    one = "." if escape is None else f"{escaped(escape)}(.)|[^{in_class(escape)}]"
    characters = {"$regexFindAll": {"input": pattern, "regex": one, "options": "s"}}
    one_of_any = failure("`_` stands for one byte in LIKE BINARY, in the pattern", pattern) if of_bytes else "."
    wild = {"$switch": {
        "branches": [
            {"case": {"$eq": ["$$this.match", "%"]}, "then": _WILD},
            {"case": {"$eq": ["$$this.match", "_"]}, "then": one_of_any},
        ],
        "default": _computed_literal("$$this.match"),
    }}  # fmt: skip
    quoted: MqlValue = {"$first": "$$this.captures"}
    part = wild if escape is None else {"$cond": [{"$lte": [quoted, None]}, wild, _computed_literal(quoted)]}
    joined = {"$reduce": {"input": characters, "initialValue": "", "in": {"$concat": ["$$value", part]}}}
    return bind({"parts": {"$split": [joined, _WILD]}}, _computed_parts)


def _computed_parts(parts: MqlValue) -> MqlValue:
    """The parts of a pattern that is computed, put together as `anchored` does it."""
    inner = {"$slice": [parts, 1, {"$max": [1, {"$subtract": [{"$size": parts}, 2]}]}]}
    between = {"$cond": [{"$lt": [{"$size": parts}, 3]}, [], inner]}
    found = {"$concat": ["$$value", "(?>.*?", "$$this", ")"]}
    middle = {"$reduce": {"input": between, "initialValue": "", "in": found}}
    several = {"$concat": ["^", {"$first": parts}, middle, ".*", {"$last": parts}, "\\z"]}
    return {"$cond": [{"$eq": [{"$size": parts}, 1]}, {"$concat": ["^", {"$first": parts}, "\\z"]}, several]}


def _computed_literal(character: MqlValue) -> MqlValue:
    plain = {"$regexMatch": {"input": character, "regex": "^[0-9A-Za-z]"}}
    return {"$cond": [plain, character, {"$concat": ["\\", character]}]}


def regex_options(regex: str, *, any_case: bool = False) -> dict[str, MqlValue]:
    """The fields `$regexMatch` and `$match` share: dots match line ends."""
    options = ("s" if "." in regex else "") + ("i" if any_case else "")
    return {"regex": regex, "options": options} if options else {"regex": regex}


def like_regex(pattern: str, escape: str | None, case: CaseRule) -> Regex:
    """The pattern as an anchored regular expression; nothing matches one that ends in the middle of an escape."""
    if case is CaseRule.PRIMARY:
        return Regex(primary_regex(pattern, escape))
    parts = like_parts(pattern, escape)
    if parts is None:
        return Regex(None)
    if case is CaseRule.BYTES and any(kind == "one" for kind, _ in parts):
        raise rendering_gap("LIKE BINARY with `_`, which stands for one byte")
    _require_known_case(pattern, case)
    if case is CaseRule.LOWER and all(kind or _is_two_alike(text) for kind, text in parts):
        has_letters = any(text.isalpha() for kind, text in parts if not kind)
        return Regex(anchored(parts, escaped), any_case=has_letters)
    if case in _BY_CASE:
        upper = case is CaseRule.OF_UPPER
        return Regex(case_regex(pattern, escape, upper=upper, both=case is CaseRule.LOWER))
    return Regex(anchored(parts, ascii_alike if case is CaseRule.ASCII else escaped))


def _is_two_alike(character: str) -> bool:
    return character.isascii() and (not character.isalpha() or character in _TWO_ALIKE)


def _require_known_case(text: str, case: CaseRule) -> None:
    if case in _BY_CASE and not known_case(text):
        raise rendering_gap(f"the case of the letters of `{text}`")


def like_prefix(pattern: str, escape: str | None) -> tuple[str, str] | None:
    """(text, remaining wildcards) if the pattern is a text with at most a `%` after it, so that LIKE is a range."""
    parts = like_parts(pattern, escape)
    if parts is None:
        return None
    text = "".join(value for kind, value in parts if not kind)
    wild = [kind for kind, _ in parts if kind]
    ends = not parts or parts[-1][0] == "any"
    return (text, "".join(wild)) if not wild or (wild == ["any"] and ends) else None


def glob_regex(pattern: str) -> str | None:
    """SQLite's GLOB as an anchored regular expression; None if a `[` is never closed, so that nothing matches."""
    texts, place = [""], 0
    while place < len(pattern):
        character = pattern[place]
        if character == "[":
            parsed = _glob_class(pattern, place + 1)
            if parsed is None:
                return None
            one, place = parsed
            texts[-1] += one
            continue
        if character == "*":
            texts.append("")
        else:
            texts[-1] += "." if character == "?" else escaped(character)
        place += 1
    between = [text for text in texts[1:-1] if text]
    return f"^{texts[0]}\\z" if len(texts) == 1 else linear(texts[0], between, texts[-1])


def _glob_class(pattern: str, place: int) -> tuple[str, int] | None:
    """The class that starts at `place`, and the place after it. `]` is literal when it comes first."""
    negated = pattern[place : place + 1] == "^"
    place += negated
    inner = ""
    if pattern[place : place + 1] == "]":
        inner, place = "\\]", place + 1
    while place < len(pattern) and pattern[place] != "]":
        character = pattern[place]
        after = pattern[place + 2 : place + 3]
        if pattern[place + 1 : place + 2] == "-" and after not in ("", "]"):
            inner += _range(character, after)
            place += 3
            continue
        inner += in_class(character)
        place += 1
    if place >= len(pattern):
        return None
    one = f"[{'^' if negated else ''}{inner}]" if inner else ("." if negated else "(?!)")
    return one, place + 1


def _range(first: str, last: str) -> str:
    """A range whose ends are the wrong way round holds nothing but is no error in SQLite."""
    return f"{in_class(first)}-{in_class(last)}" if first <= last else ""
